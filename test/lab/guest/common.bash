# Sourced by the tests that run inside a debug kernel: results as TAP, and what the kernel has to report.
# shellcheck shell=bash

# shellcheck source=test/vm/guest/common.bash
source "$(dirname "${BASH_SOURCE[0]}")/../../vm/guest/common.bash"

plan() {
    echo "1..$count"
}

# From now on modprobe finds the modules of the folder $1, and the shell its programs.
use_folder() {
    mount --bind "$1/lib/modules" /lib/modules
    PATH=$1/bin:$PATH
}

# Mainline's C code, of the kernel in the folder $1. From 7.2 on, SM3's is in a library, and its driver is sm3-lib.
load_reference() {
    local module
    for module in sm4 sm4_generic ../lib/crypto/libsm3 sm3 sm3_generic; do
        [[ ! -f $1/objects/crypto/$module.ko ]] || insmod "$1/objects/crypto/$module.ko"
    done
}

# The templates over mainline's C code that the tests of our drivers compare them with, made and tested: those that the
# kernel in the folder $1 names, and those that it makes up a name for
make_reference_templates() {
    local template templates
    mapfile -t templates < <(sed -n 's/.*generic_driver = "\(.*\(sm4-generic\|(sm3-lib\).*\)".*/\1/p' \
        "$1/source/crypto/testmgr.c")
    for template in ecb cbc ctr cmac xcbc cbcmac; do
        templates+=("$template(sm4-generic)")
    done
    [[ ! -f $1/objects/crypto/sm3_generic.ko ]] || templates+=('hmac(sm3-generic)')
    make_templates 'cts(cbc(sm4-generic))' "${templates[@]}"
}

# Has the kernel make algorithms of these names, and test them.
make_templates() {
    python3 - "$@" <<'END'
import socket
import sys
for name in sys.argv[1:]:
    kind = "aead" if "cm_base" in name else "hash" if "mac" in name or "xcbc" in name else "skcipher"
    with socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET) as algorithm:
        algorithm.bind((kind, name))
END
}

# A test: what the module $1, one of tests, says of the driver $2 in its last line, which is "$2: " and what matches $3; before
# that comes what went wrong. $4 and further are its parameters. It never stays loaded.
try_module() {
    local log name

    mark_log
    name=$(basename "$1" .ko)
    insmod "$1" driver="$2" "${@:4}" 2>/run/insmod ||
        grep --quiet 'temporarily unavailable' /run/insmod || cat /run/insmod
    log=$(dmesg --notime | sed "1,/$mark/d" | sed -n "s/^$name: //p")
    result "$2: $(sed -n '$s/.*: //p' <<<"$log")" \
        "$(if grep --quiet "^$2: $3" <<<"$log"; then sed '$d' <<<"$log"; else echo "it did not come to its end: $log"; fi)"
}

# What sm4-requests of the folder $1 says of the driver $2: see above.
try_requests() {
    try_module "$1" "$2" '[1-9][0-9]* requests, .*, beside .' "${@:3}"
}

# The kernel tests each algorithm in a thread of its own.
await_test_threads() {
    while grep --quiet --line-regexp cryptomgr_test /proc/[0-9]*/comm 2>/dev/null; do
        sleep 0.5
    done
}

# What the kernel has logged as a warning or worse since this file was sourced, the beginning of it. That the module is
# no part of the kernel is as it should be; and that an interrupt or the reading of a clock took long is the doing of the
# machine below. What else a test expects, expected_report matches. Where there is more than the kernel keeps, the mark is
# lost, too: so what comes after it is found from the end.
mark_log
readonly start=$mark
reports() {
    dmesg --notime --level=emerg,alert,crit,err,warn | tac | sed "/$start/Q" | tac |
        grep --invert-match --extended-regexp --regexp='loading out-of-tree module taints kernel|sm4-fast test mark' \
            --regexp='hrtimer: interrupt took|clocksource: Long readout' ${expected_report:+"--regexp=$expected_report"} |
        head --lines=100
}

unload() {
    result 'the module can be unloaded' "$(rmmod sm4_fast 2>&1)"
    result 'no algorithm is left behind' "$(algorithms)"
}

# What every test of the debug kernel ends with: the module is unloaded, and nothing has been reported meanwhile, by
# lockdep, KASAN, UBSAN, a test, or anyone else.
end_without_reports() {
    local file=/sys/kernel/debug/kmemleak

    unload
    mountpoint --quiet /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
    # What is in use but not found at once may be found the second time.
    echo scan >"$file"
    sleep 6
    echo scan >"$file"
    result 'kmemleak finds no leak' "$(cat "$file" 2>&1)"
    result 'lockdep has watched to the end' \
        "$(grep --quiet ' debug_locks: *1' /proc/lockdep_stats || echo 'it has switched itself off')"
    result 'the kernel has nothing to report' "$(reports)"
    plan
}
