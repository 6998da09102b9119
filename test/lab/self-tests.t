#!/bin/bash
# test/lab/self-tests.t VERSION ROUNDS
#
# TAP: the kernel's own tests of every driver in their long form, in user-mode Linux VERSION (6.12 or 7.2) with the kernel's
# checks of memory, locks and arithmetic. In each of ROUNDS, every driver, and HMAC over every SM3, gets 2000 random requests,
# which are compared with mainline's C code; and, with each test vector and in each direction, 250 random memory layouts; in
# many of them SIMD is not usable. A tier of SM4 is loaded together with one of SM3. Every driver of every tier has to be
# registered, and no other; each gives its own result.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 2 ]] || fail "usage: self-tests.t VERSION ROUNDS"

if outside; then
    "$repository/test/need" libgcrypt20-dev >&2
    prepare "$1"
    build_programs list-modes
    command_line='loglevel=0 log_buf_len=4M'
    tiers_of_this_cpu >"$modules/tiers"
    run_inside
fi

module=$modules/sm4-fast/sm4-fast.ko
PATH=$modules/bin:$PATH
mapfile -t tiers <"$modules/tiers"
mapfile -t sm4_tiers < <(grep --invert-match '^sm3-' "$modules/tiers")
mapfile -t sm3_tiers < <(grep '^sm3-' "$modules/tiers")

# Random memory layouts for each test vector; there are 8 times as many random requests. Only one tier at a time.
iterations=250
fuzz_iterations=/sys/module/cryptomgr/parameters/fuzz_iterations

# No kernel has tests of these: "passed" means nothing there. bad-requests has our own random requests.
untested=$(list-modes | sed -n 's/ .* untested$//p' | sort)

# Loads the module with the tiers $1 and random tests of $2 iterations.
load() {
    echo "$2" >$fuzz_iterations
    insmod "$module" tiers="$1"
    await_test_threads
}

# A test: the driver $1 has passed the kernel's test; $2 is its state in /proc/crypto.
expect_passed() {
    result "$1" "$([[ $2 == passed ]] || { echo "selftest: $2"; dmesg --notime | grep --fixed-strings "$1" | grep '^alg: '; })"
}

# HMAC is the kernel's template, over the SM3 of the tier $1.
test_hmac() {
    local driver="hmac($1-fast)"

    make_templates "$driver"
    expect_passed "$driver" "$(awk -F ' *: ' -v driver="$driver" '
        $1 == "driver" { found = $2 == driver }
        $1 == "selftest" && found { print $2 }' /proc/crypto)"
}

# Tests the tier $1 of SM4 and the tier $2 of SM3.
test_tiers() {
    local name driver selftest

    load "$1,$2" $iterations
    result "$1 and $2 have all their drivers, and no others" "$(diff <(expected_drivers "$module" "$@") <(drivers | sort))"
    while read -r name driver _ selftest; do
        grep --quiet --line-regexp --fixed-strings "$name" <<<"$untested" || expect_passed "$driver" "$selftest"
    done < <(algorithms)
    test_hmac "$2"
    rmmod sm4_fast
}

# A driver's test waits at most a minute for the end of that of mainline's, for which a busy machine can be too slow.
echo 0 >$fuzz_iterations
load_reference
make_reference_templates
result 'the kernel has its long tests' \
    "$(dmesg | grep --extended-regexp 'alg: (extra|full) crypto tests enabled' >/dev/null || echo 'it does not say so')"
for ((round = 1; round <= $2; round++)); do
    # There are more tiers of SM4, so those of SM3 are repeated.
    for i in "${!sm4_tiers[@]}"; do
        test_tiers "${sm4_tiers[i]}" "${sm3_tiers[i % ${#sm3_tiers[@]}]}"
    done
done
result 'those without a test are the ones we know' \
    "$(diff <(echo "$untested") <(dmesg | sed -n 's/.*alg: No test for \(.*(.*sm4.*)\) (.*-fast)$/\1/p' | sort --unique))"

all=$(IFS=, && echo "${tiers[*]}")
load "$all" 0
result 'all tiers that this processor can run are there at once' \
    "$(diff <(expected_drivers "$module" "${tiers[@]}") <(drivers | sort))"
end_without_reports
