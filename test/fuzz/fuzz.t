#!/bin/bash
# test/fuzz/fuzz.t SECONDS
#
# As TAP: the fuzzer with the inputs that are kept, then with new ones for so long. An input that fails stays in the
# cache folder, under the name that is told last; test/fuzz/build/fuzzer FILE tries it again. New inputs that reach
# something new stay there as well, for the next run and for test/fuzz/keep-found.
set -euo pipefail
# shellcheck source=test/fuzz/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: fuzz.t SECONDS"
seconds=$1
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT

# result DESCRIPTION PATTERN ARGUMENT...: it has to end well, and to say something like PATTERN.
result() {
    local description=$1 pattern=$2
    shift 2
    if fuzz "$@" >"$work/log" 2>&1 && grep --quiet "$pattern" "$work/log"; then
        echo "ok - $description"
        grep --extended-regexp '^Done|^tried' "$work/log" | sed 's/^/# /'
    else
        echo "not ok - $description"
        tail --lines=60 "$work/log" | sed 's/^/# /'
    fi
}

echo 1..2
mkdir "$work/corpus"
unpack_corpus "$work/corpus"
result 'the inputs that are kept' '^Done [1-9]' -runs=0 "$work/corpus"
result "new inputs for $seconds seconds, of all drivers and tiers" '^tried \([0-9]*\) of \1 ' \
    -max_total_time="$seconds" "$found" "$work/corpus"
