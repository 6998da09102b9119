# Sourced by the scripts of test/emul: the functions of test/vm/common.sh, and one that runs a program of bochs-packages.
# shellcheck shell=bash

# shellcheck source=test/vm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../vm/common.sh"

# For a subshell: executes PROGRAM of the folder of bochs-packages, with that folder's own loader and libraries, because the
# machine's may be older.
run_unpacked() {
    local folder=$1 program=$2
    shift 2
    exec "$folder/lib64/ld-linux-x86-64.so.2" --library-path "$folder/usr/lib/x86_64-linux-gnu" "$folder/usr/bin/$program" "$@"
}
