#!/bin/bash
# /usr/lib/dracut/modules.d/90sm4-fast/module-setup.sh
#
# Adds the module to dracut's initramfs, so that a root file system can use SM4; and dm-integrity, which gcm(sm4) and
# ccm(sm4) require. Dracut's own module crypt looks for ciphers among the kernel's own modules only. Both are added to every
# initramfs: the needs of devices added later are not known here, and a system that does not boot is worse than a megabyte.
# Warns if the kernel has no module. It then fails if devices need the module and the initramfs that dracut is replacing has it:
# dracut stops, and keeps that one. (renew-initramfs adds ".sm4-fast-new" to its name.)

# shellcheck disable=SC2154  # dracut sets kernel and outfile
installkernel() {
    local warning line status=0
    hostonly='' instmods sm4_fast dm_integrity
    warning=$(/usr/libexec/sm4-fast/warn-users no-module "$kernel" "${outfile%.sm4-fast-new}") || status=$?
    while IFS= read -r line; do
        [[ -z $line ]] || dwarn "sm4-fast: $line"
    done <<<"$warning"
    return $status
}
