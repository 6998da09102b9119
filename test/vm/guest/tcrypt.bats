# The kernel's test module, in the modes that have SM4. It always refuses to stay loaded (EAGAIN), and says what it did
# only when asked to: so its log is what counts.

load common

setup() {
    modprobe --quiet --dry-run tcrypt || skip "this kernel has no module tcrypt"
    modprobe sm4_fast
    mark_log
}

tcrypt() {
    modprobe --quiet tcrypt dyndbg=+p mode="$1" || true
    log_since_mark | grep -E 'tcrypt|alg:' || true
}

passes() {
    log=$(tcrypt "$1")
    echo "$log"
    # 5.10 does not say so, whatever it is asked to, as that is in the module's first function; a failure it tells.
    kernel_is_before 6.1 || [[ $log == *'all tests passed'* ]]
    [[ $log != *fail* ]]
    for algorithm in "${@:2}"; do
        grep --fixed-strings "testing $algorithm" <<<"$log"
    done
}

@test "mode 55: gcm(sm4)" {
    if kernel_is_before 5.15; then skip "this kernel's tcrypt has none: 5.15 has"; fi
    passes 55 'gcm(sm4)'
}

@test "mode 56: ccm(sm4)" {
    if kernel_is_before 5.15; then skip "this kernel's tcrypt has none: 5.15 has"; fi
    passes 56 'ccm(sm4)'
}

@test "mode 59: cts(cbc(sm4))" {
    [[ $(tcrypt 59) == *testing* ]] || skip "this kernel's tcrypt has no mode 59"
    mark_log
    passes 59 'cts(cbc(sm4))'
}

@test "mode 191: ecb(sm4), cbc(sm4), ctr(sm4) and what else it has" {
    if kernel_is_before 5.4; then passes 191 'ecb(sm4)'; else passes 191 'ecb(sm4)' 'cbc(sm4)' 'ctr(sm4)'; fi
}
