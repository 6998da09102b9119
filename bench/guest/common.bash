# Sourced by the scripts that bench/kernel runs inside the kernel: loads mainline's SM3 and SM4, and ours.
# shellcheck shell=bash

# shellcheck source=test/vm/guest/common.bash
source "$(dirname "${BASH_SOURCE[0]}")/../../test/vm/guest/common.bash"

# Loads the modules of the kernel in the folder $1, and the drivers for x86 that were built into the folder $2.
load_mainline() {
    local kernel=$1 modules=$2 module
    for module in "$kernel"/objects/{lib/crypto/libsm3,crypto/{cryptd,sm3,sm3_generic,sm4,sm4_generic}}.ko \
        "$modules"/mainline/{simd,sm3-*,sm4-*,ghash-*}.ko; do
        [[ ! -f $module ]] || insmod "$module"
    done
}

# Loads our module in the folder $1, with the tiers $2 and other parameters, and waits for the kernel's self-tests.
load_ours() {
    insmod "$1/sm4-fast.ko" tiers="$2" "${@:3}"
    await_selftests
}
