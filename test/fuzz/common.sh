# Sourced by the scripts of test/fuzz: where inputs lie, and how the fuzzer is run. Changes nothing.
# shellcheck shell=bash
# shellcheck disable=SC2034  # these variables are for the scripts that source this

# shellcheck source=test/vm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../vm/common.sh"

# The inputs that are kept, one a line in base64; and where new ones go.
kept=$repository/test/fuzz/corpus
found=$cache/fuzz/found
failed=$cache/fuzz/failed

# The fuzzer with ARGUMENTs. No input needs to be longer: where it ends, a generator of numbers goes on (input.c).
fuzz() {
    mkdir -p "$found" "$failed"
    "$repository/test/fuzz/build/fuzzer" -max_len=128 -artifact_prefix="$failed/" -print_final_stats=1 "$@"
}

# The inputs that are kept, as files in the folder FOLDER
unpack_corpus() {
    local folder=$1 line number=0
    while read -r line; do
        number=$((number + 1))
        base64 --decode <<<"$line" >"$folder/$number"
    done <"$kept"
}
