# The kernel loads the module when an algorithm is requested, and the kernel's own tests pass. (test/host/loading.c tests values
# of tiers=.) Leaves the module loaded with default parameters.

bats_require_minimum_version 1.5.0
load common

@test "every mode has an alias that leads to the module, and there is no other mode" {
    sed -n 's/^alias crypto-\(.*\) sm4_fast$/\1/p' "/lib/modules/$(uname --kernel-release)/modules.alias" |
        grep --invert-match -- '-fast$' | sort | diff - <(list-modes | cut --delimiter=' ' --fields=1 | sort)
}

@test "the alias of every driver leads to the module" {
    known-answers 'xts(sm4)' 'xts(sm4)'
    await_selftests
    drivers
    [[ $(drivers | wc --lines) -gt 10 ]]
    [[ $(drivers | sed 's/^/crypto-/' | xargs modprobe --all --resolve-alias) == "$(drivers | sed 's/.*/sm4_fast/')" ]]
    modprobe --remove sm4_fast
}

@test "a request for a driver by its name loads the module" {
    run ! grep --word-regexp sm4_fast /proc/modules
    known-answers 'xts(sm4)' xts-sm4-ttable-fast
    modprobe --remove sm4_fast
}

@test "modprobe loads a vendor's driver of GMI first, here another module as if it were that" {
    echo 'alias zhaoxin-gmi-sm4 brd' >"$BATS_TEST_TMPDIR/gmi.conf"
    run -0 modprobe --config "$BATS_TEST_TMPDIR" --show-depends sm4_fast
    [[ $output == *brd*sm4-fast.ko* ]]
}

# An emulated processor, or one with a hidden feature, may lack the instructions for GCM.
@test "every tier has every mode, except for GCM without the instructions for it" {
    reload tiers=all
    tiers | grep --line-regexp ttable
    mapfile -t all_tiers < <(tiers)
    difference=$(expected_drivers sm4_fast "${all_tiers[@]}" | diff - <(drivers | grep --invert-match '^sm3-' | sort)) || true
    reload
    echo "missing or too many: $difference"
    [[ -z $difference ]]
}

@test "the parameter takes every tier that modinfo names and has no other one, and both modules have one version" {
    # modinfo also has those of later kernels, without a priority.
    modinfo --field tier sm4_fast | awk '$2 != "-" { print $1 }' | sort >"$BATS_TEST_TMPDIR/tiers"
    grep --line-regexp ttable "$BATS_TEST_TMPDIR/tiers"
    mark_log
    reload tiers="$(paste --serial --delimiters=, "$BATS_TEST_TMPDIR/tiers")"
    [[ $(log_since_mark) != *'left out: unknown'* ]]
    reload tiers=all
    run -0 comm -13 "$BATS_TEST_TMPDIR/tiers" <(drivers | sed -n 's/^\(ecb-sm4-\|\(sm3-\)\)\(.*\)-fast$/\2\3/p' | sort)
    [[ -z $output ]]
    reload
    [[ $(modinfo --field version sm4_fast_esp) == "$(modinfo --field version sm4_fast)" ]]
}

@test "if tiers= has no known name, whoever loads it, there are the default tiers, and one message" {
    default=$(tiers)
    modprobe --remove sm4_fast
    mkdir --parents /run/modprobe.d
    echo 'options sm4_fast tiers=no-such-tier' >/run/modprobe.d/no-such-tier.conf
    mark_log
    for _ in 1 2 3; do cryptsetup benchmark --cipher sm4-xts-plain64 --key-size 256; done
    rm /run/modprobe.d/no-such-tier.conf
    log_since_mark
    [[ $(tiers) == "$default" ]]
    [[ $(log_since_mark | grep --count 'tier "no-such-tier" is left out: unknown; the default ones are registered') -eq 1 ]]
    reload tiers=no-such-tier
    [[ $(tiers) == "$default" ]]
    reload
}

@test "with fallback_only, fpu_fallbacks counts the work that a vector tier left to the C code" {
    parameters=/sys/module/sm4_fast/parameters
    reload fallback_only=1
    [[ $(<$parameters/fallback_only) == Y ]]
    cryptsetup benchmark --cipher sm4-xts-plain64 --key-size 256
    fallbacks=$(<$parameters/fpu_fallbacks)
    reload
    [[ $(tiers) == ttable || $fallbacks -gt 0 ]]
}

@test "on a processor with AES and AVX, there is more than the portable tier" {
    grep --word-regexp aes /proc/cpuinfo | grep --quiet --word-regexp avx || skip "this processor lacks AES or AVX"
    tiers
    [[ $(tiers | wc --lines) -gt 1 ]]
}

@test "every algorithm has passed the kernel's tests" {
    await_selftests
    algorithms
    algorithms | awk '$4 != "passed" { failed = 1 } END { exit failed || !NR }'
}
