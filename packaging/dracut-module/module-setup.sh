#!/bin/bash
# /usr/lib/dracut/modules.d/90sm4-fast/module-setup.sh
#
# Adds the module to dracut's initramfs, so that a root file system can use SM4; and dm-integrity, which gcm(sm4) and
# ccm(sm4) require. Dracut's own module crypt looks for ciphers among the kernel's own modules only. Both are added to every
# initramfs: the needs of devices added later are not known here, and a system that does not boot is worse than a megabyte.
# Warns if the kernel has no module.

# shellcheck disable=SC2154  # dracut sets kernel
installkernel() {
    local line
    hostonly='' instmods sm4_fast dm_integrity
    while IFS= read -r line; do
        dwarn "sm4-fast: $line"
    done < <(/usr/libexec/sm4-fast/warn-users no-module "$kernel")
}
