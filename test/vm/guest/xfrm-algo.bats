# The kernel's table of algorithms for IPsec: as it is, and with SM4 in GCM and CCM mode.

bats_require_minimum_version 1.5.0
load common

readonly key=0123456789abcdeffedcba9876543210
# What ip says of an algorithm that is not in the table: before 6.1 just an error number
if kernel_is_before 6.1; then readonly not_found='Function not implemented'; else readonly not_found='not found'; fi
readonly end_points=(src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x101)

setup_file() {
    modprobe sm4_fast
    mark_log
    export mark
}

teardown() {
    ip xfrm state flush
}

# A state with this algorithm, key and length of the ICV in bits
add() {
    ip xfrm state add "${end_points[@]}" mode transport aead "$1" "0x$2" "$3"
}

refused() {
    run ! add "$@"
    [[ $output == *"$not_found"* ]]
}

@test "the stock table refuses SM4 in GCM and CCM mode" {
    insmod "/lib/modules/$(uname --kernel-release)"/kernel/net/xfrm/xfrm_algo.ko*
    add 'rfc4106(gcm(aes))' ${key}01020304 128
    ip xfrm state flush
    refused 'rfc4106(gcm(sm4))' ${key}01020304 128
    refused 'rfc4309(ccm(sm4))' ${key}010203 128
}

@test "modprobe takes ours" {
    modprobe --remove esp4 xfrm_user xfrm_algo
    run ! grep '^xfrm_algo ' /proc/modules
    modinfo --filename xfrm_algo | tee /dev/stderr | grep --quiet /updates/xfrm_algo.ko
    [[ -n $(modinfo --field version xfrm_algo) ]]
    # With this kernel's stock modules, which ask for symbols and their versions
    modprobe --all esp4 esp6 ah4 xfrm_user af_key esp4_offload esp6_offload
    log_since_mark
    run ! grep --extended-regexp 'xfrm_algo.*(version|symbol)|disagrees' <(log_since_mark)
}

@test "every length of ICV that the RFCs have is taken, and no other" {
    for bits in 64 96 128; do
        for algorithm in "rfc4106(gcm(sm4)) ${key}01020304" "rfc4309(ccm(sm4)) ${key}010203"; do
            echo "$algorithm, $bits"
            # shellcheck disable=SC2086  # two words
            add $algorithm $bits
            ip xfrm state | grep --fixed-strings "aead ${algorithm/ / 0x} $bits"
            ip xfrm state flush
        done
    done
    for bits in 32 80 112 120 136; do
        refused 'rfc4106(gcm(sm4))' ${key}01020304 $bits
        refused 'rfc4309(ccm(sm4))' ${key}010203 $bits
    done
}

@test "the other algorithms are there as before" {
    add 'rfc4106(gcm(aes))' ${key}01020304 96
    ip xfrm state flush
    ip xfrm state add "${end_points[@]}" mode transport enc 'cbc(sm4)' "0x$key" auth-trunc 'hmac(sha256)' "0x$key$key" 128
}
