# Sourced by the tests that run inside a debug kernel: functions for modules, suites, results as TAP, and the kernel's reports.
# shellcheck shell=bash
# shellcheck disable=SC2154  # kernel and modules, the folders of test/lab/common.sh

# shellcheck source=test/vm/guest/common.bash
source "$(dirname "${BASH_SOURCE[0]}")/../../vm/guest/common.bash"

# Loads mainline's C code, of the kernel in the folder $kernel. Since 7.2, SM3 is in a library, and its driver is sm3-lib.
load_reference() {
    local module
    for module in sm4 sm4_generic ../lib/crypto/libsm3 sm3 sm3_generic; do
        [[ ! -f $kernel/objects/crypto/$module.ko ]] || insmod "$kernel/objects/crypto/$module.ko"
    done
}

# Loads that, and our module with these parameters.
load_modules() {
    load_reference
    insmod "$modules/sm4-fast/sm4-fast.ko" "$@"
}

# Instantiates and tests the templates over mainline's C code with which tests compare our drivers: those that the
# kernel names, and those for which it makes up a name.
make_reference_templates() {
    local template templates
    mapfile -t templates < <(sed -n 's/.*generic_driver = "\(.*\(sm4-generic\|(sm3-lib\).*\)".*/\1/p' \
        "$kernel/source/crypto/testmgr.c")
    for template in ecb cbc ctr cmac xcbc cbcmac; do
        templates+=("$template(sm4-generic)")
    done
    [[ ! -f $kernel/objects/crypto/sm3_generic.ko ]] || templates+=('hmac(sm3-generic)')
    make_templates 'cts(cbc(sm4-generic))' "${templates[@]}"
}

# Makes the kernel instantiate algorithms of these names, and test them.
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

# Prints KUnit's results (KTAP) as those of other tests, without numbers and plan: each innermost one, with the names of its
# suite, test and parameter, and then what was said before it.
flat_results() {
    awk '
        { match($0, /^ */); depth = RLENGTH }
        /^ *(KTAP version|1\.\.)/ { next }
        sub(/^ *# Subtest: /, "") { name[depth] = $0; inner = said = ""; next }
        /^ *(not )?ok [0-9]+ / {
            if (depth >= inner) {
                match($0, /ok [0-9]+ /)
                path = ""
                for (d = 4; d <= depth; d += 4)
                    path = path name[d] ": "
                sub(/# SKIP *$/, "# SKIP nothing to try")
                print substr($0, depth + 1, RSTART + 1 - depth) " - " path substr($0, RSTART + RLENGTH)
                printf "%s", said
            }
            inner = depth
            said = ""
            next
        }
        NF { sub(/^ *(# )?/, ""); said = said "# " $0 "\n" }'
}

# Runs the suite sm4_$1 of test/kunit with these parameters, and prints its results. They stay in /run/ktap.
run_suite() {
    local output
    mountpoint --quiet /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
    : >/run/ktap
    if ! output=$(insmod "$modules/kunit/sm4-$1-kunit.ko" "${@:2}" 2>&1); then
        result "the suite sm4_$1 can be loaded" "$output"
        return
    fi
    cat "/sys/kernel/debug/kunit/sm4_$1/results" >/run/ktap
    rmmod "sm4_$1_kunit"
    part '' flat_results </run/ktap
}

# The parameters with which the last suite has run the test $1, which are drivers
tested_drivers() {
    sed --regexp-extended --quiet "/# Subtest: $1$/,/^    (not )?ok [0-9]+ $1/s/^ {8}(not )?ok [0-9]+ ([^ ]*).*/\2/p" /run/ktap | sort
}

# The kernel tests each algorithm in its own thread.
await_test_threads() {
    while grep --quiet --line-regexp cryptomgr_test /proc/[0-9]*/comm 2>/dev/null; do
        sleep 0.5
    done
}

# The beginning of the kernel's warnings and errors since this file was sourced. Without the messages that the module is not
# part of the kernel, and that an interrupt, the reading of a clock or a timer took long, which is because of the machine
# below. expected_report matches other expected messages. If there is more than the kernel's buffer, the mark is lost, so this
# searches for it from the end.
mark_log
readonly start=$mark
reports() {
    dmesg --notime --level=emerg,alert,crit,err,warn | tac | sed "/$start/Q" | tac |
        grep --invert-match --extended-regexp --regexp='loading out-of-tree module taints kernel|sm4-fast test mark' \
            --regexp='hrtimer: interrupt took|clocksource: Long readout|sched: DL replenish lagged too much' ${expected_report:+"--regexp=$expected_report"} |
        head --lines=100
}

unload() {
    result 'the module can be unloaded' "$(rmmod sm4_fast 2>&1)"
    result 'no algorithm is left behind' "$(algorithms)"
}

# Ends every test of the debug kernel: the module is unloaded, and there have been no reports by
# lockdep, KASAN, UBSAN, a test, or others.
end_without_reports() {
    local file=/sys/kernel/debug/kmemleak

    unload
    mountpoint --quiet /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
    # The second scan may find references that the first one missed.
    echo scan >"$file"
    sleep 6
    echo scan >"$file"
    result 'kmemleak finds no leak' "$(cat "$file" 2>&1)"
    result 'lockdep has watched to the end' \
        "$(grep --quiet ' debug_locks: *1' /proc/lockdep_stats || echo 'it has switched itself off')"
    result 'the kernel has nothing to report' "$(reports)"
    end
}
