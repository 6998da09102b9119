# The module is unloaded and loaded again and again, with and without programs that request it meanwhile, for SECONDS_EACH
# seconds (environment). Leaves the module loaded.

bats_require_minimum_version 1.5.0
load common

algorithms=('xts(sm4)' 'gcm(sm4)' 'cmac(sm4)')
# While it is not loaded, the kernel's own SM4 may process requests, and before 5.4, its xts accepts only whole blocks.
if kernel_is_before 5.4; then algorithms[0]='ctr(sm4)'; fi
readonly algorithms

setup() {
    modprobe sm4_fast
    await_selftests
}

# Self-tests take most of the time of loading.
self_tests() {
    case $1 in
    on) echo N ;;
    off) echo Y ;;
    esac >/sys/module/cryptomgr/parameters/notests
}

teardown() {
    self_tests on
    modprobe sm4_fast
}

@test "loaded and unloaded 3 times while the kernel still tests it" {
    for _ in {1..3}; do
        until rmmod sm4_fast 2>/dev/null; do sleep 0.1; done
        run ! left_behind
        modprobe sm4_fast
    done
}

# Each time takes a second or two.
@test "loaded and unloaded again and again, nothing is left behind" {
    self_tests off
    for _ in $(seq $((SECONDS_EACH / 4))); do
        rmmod sm4_fast
        run ! left_behind
        modprobe sm4_fast
    done
}

# The programs make the kernel load it, too.
@test "loaded and unloaded while programs request it, every answer is libgcrypt's" {
    self_tests off
    loads=0
    refusals=0
    # On a busy machine, the programs may end before it was unloaded often enough.
    for _ in {1..10}; do
        many-programs --absent "$SECONDS_EACH" 2 "${algorithms[@]}" >"$BATS_TEST_TMPDIR/answers" 3>&- &
        while [[ -d /proc/$! ]]; do
            if rmmod sm4_fast 2>/dev/null; then
                loads=$((loads + 1))
                modprobe sm4_fast
            else
                refusals=$((refusals + 1))
            fi
        done
        wait $! || true
        cat "$BATS_TEST_TMPDIR/answers"
        grep '^ok' "$BATS_TEST_TMPDIR/answers"
        [[ $loads -le 5 ]] || break
    done
    {
        cat "$BATS_TEST_TMPDIR/answers"
        echo "unloaded $loads times, refused $refusals times"
    } | sed --regexp-extended 's/^(# )?/# /' >&3
    [[ $loads -gt 5 ]]
}
