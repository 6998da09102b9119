# Loaded by the shell programs of tests, on this machine and inside virtual ones: results as TAP (the Test Anything Protocol),
# without numbers, which TAP does not need. No other shell code writes such lines.
# shellcheck shell=bash

# The number of results so far, and what stands before the name of each
count=${count:-0}
title=${title-}

# For TAP: diagnostics
comment() {
    sed 's/^/# /'
}

# A test, which passes if the text COMPLAINTS is empty.
#
#     result NAME COMPLAINTS
result() {
    count=$((count + 1))
    if [[ -z $2 ]]; then
        echo "ok - $title$1"
    else
        echo "not ok - $title$1"
        comment <<<"$2"
    fi
}

# A test that cannot be made here: skipped NAME REASON
skipped() {
    result "$1 # SKIP $2" ''
}

# A test, which passes if the command succeeds: check NAME COMMAND...
check() {
    local output
    if output=$("${@:2}" 2>&1); then
        result "$1" ''
    else
        result "$1" "$(tail --lines=30 <<<"${output:-it failed}" | cut --characters=-300)"
    fi
}

# A test, which passes if the command succeeds and prints nothing, as a build without a warning does:
#
#     check_silent NAME COMMAND...
check_silent() {
    local output
    output=$("${@:2}" 2>&1) || output+=${output:+$'\n'}"It ended with $?."
    result "$1" "$output"
}

# The results of a command that prints TAP, with or without numbers and plan: part TITLE COMMAND... TITLE, unless it is empty,
# stands before the name of each. A command that does not run to its end fails: one that has no result, others than it has
# planned, or an error that no result shows.
part() {
    local name=${1:+$1: } line results=0 planned='' failed='' ended=255 complaint=''
    local test='^(not )?ok( [0-9]+)?( -)? (.*)$' plan='^1\.\.([0-9]+)' end='^part: ended with ([0-9]+)$'

    while IFS= read -r line; do
        line=${line%$'\r'}
        if [[ $line =~ $test ]]; then
            results=$((results + 1))
            failed+=${BASH_REMATCH[1]}
            echo "${BASH_REMATCH[1]}ok - $title$name${BASH_REMATCH[4]}"
        elif [[ $line =~ $plan ]]; then
            planned=${BASH_REMATCH[1]}
        elif [[ $line =~ $end ]]; then
            # Something that it has left running may still have the pipe open.
            ended=${BASH_REMATCH[1]}
            break
        elif [[ $line == 'Bail out!'* ]]; then
            echo "$line"
        else
            line=${line#'#'}
            echo "# ${line# }"
        fi
    done < <(title='' count=0 status=0; "${@:2}" 2>&1 || status=$?; echo "part: ended with $status")
    count=$((count + results))

    if [[ $results -eq 0 ]]; then
        complaint="It has no result, and ended with $ended."
    elif [[ -n $planned && $planned -ne $results ]]; then
        complaint="It has $results of $planned results, and ended with $ended."
    elif [[ -z $failed && $ended -ne 0 ]]; then
        complaint="It ended with $ended."
    fi
    [[ -z $complaint ]] || result "${name}runs to its end" "$complaint"
}

# Ends the program, with the plan.
end() {
    echo "1..$count"
    exit
}

# Ends the program, which cannot be run here, for a REASON.
skip_all() {
    echo "1..0 # SKIP $1"
    exit
}
