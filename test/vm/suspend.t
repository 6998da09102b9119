#!/bin/bash
# test/vm/suspend.t KERNEL
#
# TAP: one of Debian's kernels (6.1 or later) is suspended to RAM and wakes up again, a processor goes offline and comes back,
# and the machine hibernates to a swap volume on SM4, from which another one resumes, while the module is in use, also by IMA:
# test/vm/guest/suspend describes the checks. It runs from memory in its own virtual machine, because the host's folders that
# other tests use (9p over virtio) do not survive a suspend. The kernel's messages go to log/KERNEL-suspend.log and
# log/KERNEL-resume.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/tap.sh
source "$(dirname "$0")/tap.sh"

limit=800

[[ $# -eq 1 ]] || fail "usage: suspend.t KERNEL"
prepare_tree "$1"
"$repository/test/need" cpio >&2
work=$(mktemp --directory)
sources=$(mktemp --directory "$tree/tmp/batches.XXXXXX")
trap 'rm -rf "$work" "$sources"' EXIT

# The module that tries several requests of ESP at once
mkdir "$sources"/{kunit,requests}
cp "$repository"/test/kunit/{batches,packets,threads}.[ch] "$repository/test/vm/sm4-batches.c" "$sources/kunit"
cp "$repository"/test/requests/{message,mode}.h "$sources/requests"
{
    echo 'obj-m := sm4-batching.o'
    echo 'sm4-batching-y := sm4-batches.o batches.o packets.o threads.o'
} >"$sources/kunit/Kbuild"
check_silent 'the module of the test builds without a warning' \
    in_tree make --silent --directory="/lib/modules/$booted/build" M="${sources#"$tree"}/kunit" W=1 \
    CONFIG_DEBUG_INFO_BTF_MODULES= modules
install -D --mode=644 "$sources/kunit/sm4-batching.ko" "$tree/lib/modules/$booted/updates/sm4-batching.ko"
in_tree depmod "$booted"

"$repository/test/vm/small-root" "$tree" "$work/root" \
    'sm4_fast sm4-batching algif_skcipher algif_aead algif_hash brd dm-crypt virtio_pci virtio_blk' \
    /bin/{bash,cat,dd,dmesg,grep,mkdir,mount,rm,sed,sleep,touch,uname} /usr/bin/{cmp,cut,head,kmod,mawk,seq,sort,tail} \
    /usr/sbin/{dmsetup,mkswap,swapon} /usr/local/bin/many-programs
# IMA requests SM3 when the kernel starts, and thereby loads the module.
install -D --mode=644 /dev/stdin "$work/root/etc/modprobe.d/batch.conf" <<<'options sm4_fast batch=1'
cp "$repository"/test/vm/guest/{common,tap}.bash "$work/root/tests"
cp "$repository/test/vm/guest/suspend" "$work/root/init"
(cd "$work/root" && find . -print0 | cpio --quiet --null --create --format=newc) >"$work/initrd"

mkdir -p "$cache/log"
truncate --size=512M "$work/swap.img"

# The kernel uses the first serial port, the tests the second. QEMU's exit status is 0 after a crash, too.
#
#     run_machine NAME PARAMETER...
run_machine() {
    timeout --kill-after=5 "$limit" qemu-system-x86_64 -machine q35 -cpu "$emulated_processor" -smp 2 -m 1G -nodefaults \
        -display none -no-reboot -kernel "$tree/boot/vmlinuz-$booted" -initrd "$work/initrd" \
        -append "console=ttyS0 no_console_suspend log_buf_len=4M ima_hash=sm3 ${*:2} $parameters_for_emulation" \
        -drive "if=virtio,format=raw,file=$work/swap.img" \
        -serial "file:$cache/log/$kernel-$1.log" -serial stdio </dev/null &&
        grep --quiet -e 'sysrq: Resetting' -e 'reboot: Restarting system' "$cache/log/$kernel-$1.log"
}
part '' run_machine suspend
part resumed run_machine resume resumes
rm "$tree/lib/modules/$booted/updates/sm4-batching.ko"
in_tree depmod "$booted"
end
