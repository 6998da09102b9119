# Sourced by scripts that run tests inside the virtual machine: several parts as one stream of TAP without numbers and plan.
# shellcheck shell=bash

# Runs a part of the tests, with TITLE before the name of each.
part() {
    local title=$1
    shift
    { "$@" 2>&1 || echo "ended with $?"; } | awk -v title="$title" '
        /^1\.\.[0-9]+/ { planned = substr($1, 4) + 0; next }
        /^(not )?ok / {
            ran++
            verdict = /^not / ? "not ok" : "ok"
            failed = failed || verdict == "not ok"
            sub(/^(not )?ok [0-9]* ?(- )?/, "")
            print verdict " - " title ": " $0
            next
        }
        /^Bail out!/ { print; next }
        /^ended with / { ended_badly = 1; next }
        { sub(/^#? ?/, "# "); print }
        END {
            if (!ran || (planned != "" && planned != ran) || (ended_badly && !failed))
                print "not ok - " title ": runs to its end"
            fflush()
        }'
}

suite() {
    part "$1" bats --formatter tap --print-output-on-failure "${@:2}"
}

# ESP: ALGORITHM [esn]
esp() {
    export ALGORITHM=$1 ESN=${2-}
    suite "ESP $1${2:+, $2}" esp.bats
}
