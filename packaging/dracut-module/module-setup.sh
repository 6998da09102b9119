#!/bin/bash
# /usr/lib/dracut/modules.d/90sm4-fast/module-setup.sh
#
# Puts the module into an initramfs that dracut makes, so that a root file system can be on SM4; and dm-integrity, which
# gcm(sm4) and ccm(sm4) work on. Dracut's own module crypt looks for ciphers among the kernel's own modules only. Both are
# put into every initramfs: what a later one of the machine's devices needs cannot be known here, and a system that does
# not start is worse than a megabyte. Says so where there is no module for the kernel.

# shellcheck disable=SC2154  # dracut sets kernel
installkernel() {
    local line
    hostonly='' instmods sm4_fast dm_integrity
    while IFS= read -r line; do
        dwarn "sm4-fast: $line"
    done < <(/usr/libexec/sm4-fast/warn-users no-module "$kernel")
}
