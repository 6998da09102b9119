#!/bin/bash
# test/fuzz/fuzz.t SECONDS
#
# TAP: the fuzzer, for SECONDS. Inputs that reach new code stay in the cache folder, for the next run. So does one
# that fails, under the name that is printed last: test/fuzz/build/fuzzer FILE tries it again.
set -euo pipefail
# shellcheck source=test/vm/common.sh
source "$(dirname "$0")/../vm/common.sh"

[[ $# -eq 1 ]] || fail "usage: fuzz.t SECONDS"
seconds=$1
found=$cache/fuzz/found
failed=$cache/fuzz/failed
log=$(mktemp)
trap 'rm -f "$log"' EXIT
mkdir -p "$found" "$failed"

echo 1..1
# No input needs to be longer: at its end, a generator of numbers continues (input.c).
if "$repository/test/fuzz/build/fuzzer" -max_len=128 -artifact_prefix="$failed/" -print_final_stats=1 \
        -max_total_time="$seconds" "$found" >"$log" 2>&1 && grep --quiet '^tried \([0-9]*\) of \1 ' "$log"; then
    echo "ok - $seconds seconds of inputs reach all drivers, and none fails"
    grep --extended-regexp '^Done|^tried' "$log" | comment
else
    echo "not ok - $seconds seconds of inputs"
    tail --lines=60 "$log" | comment
fi
