# Sourced by scripts that run tests inside the virtual machine: suites of bats as parts of them.
# shellcheck shell=bash

# shellcheck source=test/vm/guest/tap.bash
source "${BASH_SOURCE[0]%/*}/tap.bash"

suite() {
    part "$1" bats --formatter tap --print-output-on-failure "${@:2}"
}

# ESP: ALGORITHM [esn]
esp() {
    export ALGORITHM=$1 ESN=${2-}
    suite "ESP $1${2:+, $2}" esp.bats
}
