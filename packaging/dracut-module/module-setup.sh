#!/bin/bash
# /usr/lib/dracut/modules.d/90sm4-fast/module-setup.sh
#
# Puts the module into an initramfs that dracut makes, so that a root file system can be on SM4; and dm-integrity, which
# gcm(sm4) and ccm(sm4) work on. Dracut's own module crypt looks for ciphers among the kernel's own modules only. For a
# kernel that our module is not built for, nothing is put in.

installkernel() {
    hostonly='' instmods sm4_fast dm_integrity
}
