#!/bin/bash
# test/emul/bochs.t [KERNEL [TIER]]
#
# As TAP: a stock Debian kernel (6.12 unless another is named) boots in Bochs, on a processor that has the instructions
# of all tiers except Hygon's. First the instructions themselves are compared with their C model; then every tier has to be
# registered, pass the kernel's self-tests and give the known answers. The kernel's messages go to log/bochs-KERNEL.log in the
# cache folder. Bochs alone does not prove an instruction, because it may be wrong, too; and it says nothing about speed.
#
# With TIER, avx512 or gfni-avx512, the processor is one that has no more than this tier needs; there, the programs tiers and
# leftovers of test/host try all functions of the tier. That takes five minutes on a Zen 4.
set -euo pipefail
# shellcheck source=test/emul/common.sh
source "$(dirname "$0")/common.sh"
# shellcheck source=test/vm/tap.sh
source "$repository/test/vm/tap.sh"

# The processor; the priority of the tier there, and the tier that is the default
tier=${2-}
case $tier in
    # All instructions except those of SM4 and SM3. AMX is off: it needs much memory for saved registers.
    '') processor='model=sapphire_rapids, add_features="sm4 sm3", exclude_features="amx amx_int8 amx_bf16"' ;;
    gfni-avx512) processor='model=sapphire_rapids, exclude_features="amx amx_int8 amx_bf16"' ranks=(1100 gfni-avx512) ;;
    avx512) processor='model=corei7_skylake_x' ranks=(840 aesni-avx2) ;;
    *)
        echo "test/emul/bochs.t: no processor for the tier $tier" >&2
        exit 2
        ;;
esac
limit=3000
work=$(mktemp -d)
machine=
# shellcheck disable=SC2317  # called by the trap
clean_up() {
    # Bochs ignores other signals.
    if [[ -n $machine ]]; then
        { kill -KILL "$machine" && wait "$machine"; } 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT

get_tree "${1:-6.12}"

# Only one test at a time may use a tree, until this test has copied its files.
make_disc() (
    exec 8>"$tree.in-use"
    flock 8
    make --silent --directory="$repository/test/emul" build/instructions
    if [[ -n $tier ]]; then
        make --silent --directory="$repository/test/host" build/plain/{tiers,leftovers}
    fi
    "$repository/test/vm/build" "$tree" "$(bootable_release "$tree")"
    "$repository/test/vm/build-programs" "$tree"
    "$repository/test/emul/boot-disc" "$tree" "$work/disc.iso" ${tier:+"$tier" "${ranks[@]}"}
)
check 'a disc to boot' make_disc
[[ -f $work/disc.iso ]] || end

bochs=$("$repository/test/emul/bochs-packages")
mkdir -p "$cache/log"
cat >"$work/bochsrc" <<END
cpu: ips=50000000, $processor
memory: guest=512, host=512
romimage: file=$bochs/usr/share/bochs/BIOS-bochs-latest, options=fastboot
vgaromimage: file=$bochs/usr/share/vgabios/vgabios.bin
boot: cdrom
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path=$work/disc.iso, status=inserted
com1: enabled=1, mode=file, dev=$cache/log/bochs-$kernel.log
com2: enabled=1, mode=file, dev=$work/results
display_library: term
log: $work/bochs.log
panic: action=fatal
error: action=ignore
info: action=ignore
clock: sync=none
END
touch "$work/results" "$work/output"
(
    cd "$work"
    export TERM=xterm BXSHARE=$bochs/usr/share/bochs
    export LTDL_LIBRARY_PATH=$bochs/usr/lib/x86_64-linux-gnu/bochs/plugins
    run_unpacked "$bochs" bochs-bin -q -f "$work/bochsrc" </dev/null >"$work/output" 2>&1
) &
machine=$!
SECONDS=0

# Bochs draws the machine's screen on a terminal that it creates and names, and stops when no process reads it.
read_screen() {
    local terminal
    until terminal=$(grep --only-matching --max-count=1 '/dev/pts/[0-9]*' "$work/output"); do
        kill -0 "$machine" || return
        sleep 0.5
    done
    stty raw -echo <"$terminal"
    cat "$terminal"
}
read_screen >/dev/null 2>&1 &

# The results, up to the line "end"
results() {
    local line
    while IFS= read -r -t $((SECONDS < limit ? limit - SECONDS : 1)) line; do
        [[ ${line%$'\r'} != end ]] || return 0
        echo "$line"
    done < <(tail --follow --lines=+1 --sleep-interval=0.5 --pid="$machine" "$work/results")
    echo "The tests have not ended within $limit seconds."
    tail --lines=20 "$cache/log/bochs-$kernel.log" "$work/bochs.log"
    return 1
}
part '' results
end
