# Sourced by the scripts of test/emul: those of test/vm/common.sh, and how a program of bochs-packages is run.
# shellcheck shell=bash

# shellcheck source=test/vm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../vm/common.sh"

# In a subshell: becomes PROGRAM of the folder of bochs-packages, run by that folder's own loader and libraries, since the
# machine's may be older.
run_unpacked() {
    local folder=$1 program=$2
    shift 2
    exec "$folder/lib64/ld-linux-x86-64.so.2" --library-path "$folder/usr/lib/x86_64-linux-gnu" "$folder/usr/bin/$program" "$@"
}
