#!/bin/bash
# test/lab/built-in.t VERSION [CONFIG]
#
# The module as a part of Linux VERSION (5.10, 6.1, 6.12 or 7.3) for x86-64, into whose source tools/into-kernel has put it, as
# TAP, in virtual machines: its drivers are registered before the first program runs, with the parameters of the kernel's
# command line, and the kernel opens a root file system with them, without an initramfs. CONFIG is a configuration of this
# folder that is added, such as cfi.config. The kernels' logs are built-in-VERSION-NUMBER.log in the cache folder's log.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"
# shellcheck source=test/vm/guest/common.bash
source "$repository/test/vm/guest/common.bash"

[[ $# -eq 1 || $# -eq 2 ]] || fail "usage: built-in.t VERSION [CONFIG]"

make_or_skip "$lab/kernel" "$1" x86_64 "$lab/plain.config" ${2:+"$lab/$2"} "$lab/built-in.config"
kernel=$made
install_programs

work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
truncate --size=4M "$work/disk"
table="0 8192 crypt capi:xts(sm4)-plain64 $(printf '%064d' 1) 0 /dev/vda 0"
# With emulation, the fastest tier is the same on every machine: QEMU's processor has no VPCLMULQDQ.
machine_options=(--accelerator tcg --disk "$work/disk")
log=$cache/log/built-in-$1

# Boots from the root file system that guest/built-in has left on the disk. Its program prints /proc/crypto.
boots_from_volume() {
    timeout 600 qemu-system-x86_64 -accel tcg -cpu max -m 512M -nographic -no-reboot -monitor none -nic none \
        -kernel "$kernel/linux" -drive "if=virtio,format=raw,file=$work/disk" -append "console=ttyS0 panic=-1 \
        dm-mod.create=\"root,,,ro,$table\" root=/dev/dm-0 init=/init" </dev/null 2>&1 | tr --delete '\r' >"$log-root.log"
    drivers_in_use <"$log-root.log" | grep --line-regexp xts-sm4-aesni-avx2-fast || ! tail --lines=30 "$log-root.log"
}

result 'the module is built without a warning' "$(grep --extended-regexp 'sm4[-_]fast|sm[34][-_]' "$kernel/log")"
number=0
# The kernel's command line; the tier that answers; what the kernel says
while IFS=, read -r parameters tier message; do
    number=$((number + 1))
    modules=$work/modules-$number
    mkdir "$modules"
    part '' run_in_machine "built-in-$1-$number" "cryptomgr.fuzz_iterations=0 $parameters" test/lab/guest/built-in "$parameters" \
        "$tier" "$message" "$table"
done <<'END'
,aesni-avx2,
sm4_fast.tiers=aesni-avx2 sm4_fast.batch=1,aesni-avx2,
sm4_fast.tiers=no-tier sm4_fast.fallback_only=1,aesni-avx2,tier "no-tier" is left out: unknown; the default ones are registered
fips=1,,not loaded: the kernel is in FIPS mode
END
check 'a root file system on a volume, without an initramfs' boots_from_volume
end
