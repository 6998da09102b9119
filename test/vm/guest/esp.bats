# ESP between two network namespaces: every packet is captured and decrypted. Environment: ALGORITHM (cbc-sm3, which is CBC
# with hmac(sm3) as in GM/T 0022; gcm or ccm), and ESN (esn for extended sequence numbers, or empty).

bats_require_minimum_version 1.5.0
load common
load networks

readonly payload='all the world may read this' lines=6000

# The name of our driver, the algorithm that ESP requests from the kernel, and the key of west, in the kernel's format
own_key=$(esp_key west 1)
case $ALGORITHM in
cbc-sm3) own_key+=$own_key$own_key driver="echainiv(authenc$ESN-hmac-sm3-cbc-sm4" aead="authenc$ESN(hmac(sm3),cbc(sm4))" ;;
gcm) own_key+=a0a1a2a3 driver='seqiv(rfc4106-gcm-sm4' aead='rfc4106(gcm(sm4))' ;;
ccm) own_key+=a0a1a2 driver='seqiv(rfc4309-ccm-sm4' aead='rfc4309(ccm(sm4))' ;;
esac

setup_file() {
    modprobe sm4_fast
    make_networks 0 1
    require_esp 1
    add_states 1 0x100 "$ALGORITHM" ${ESN:+flag esn replay-window 32 replay-seq-hi 6 replay-oseq-hi 6}
    cd "$BATS_FILE_TMPDIR" || exit
    seq --format="%g: $payload" $lines >sent
    capture
}

teardown_file() {
    remove_networks
}

# Sends a file over TCP and pings of many sizes from west to east, while tcpdump captures the packets on the link in the file
# packets.
capture() {
    local tcpdump size
    ip netns exec west tcpdump --interface=veth0 --immediate-mode --buffer-size=16384 -U -w packets ip 2>said &
    tcpdump=$!
    until grep --quiet 'listening on' said; do sleep 0.1; done
    transfer
    for size in 0 15 16 1000 1399 4000; do
        ip netns exec west ping -q -c 1 -W 5 -s $size "$(address east 1)" || true
    done
    sleep 0.5
    kill $tcpdump
    wait $tcpdump || true
}

transfer() {
    local server
    # shellcheck disable=SC2016  # Perl's variables
    ip netns exec east perl -MIO::Socket::IP -e '
        my $server = IO::Socket::IP->new(LocalPort => 7777, Listen => 1) or die $@;
        my $connection = $server->accept or die $!;
        print while <$connection>;' >received &
    server=$!
    until ip netns exec east ss --listening --tcp --numeric | grep --quiet ':7777'; do sleep 0.1; done
    # shellcheck disable=SC2016  # Perl's variables
    ip netns exec west perl -MIO::Socket::IP -e '
        my $connection = IO::Socket::IP->new(PeerHost => shift, PeerPort => 7777, Timeout => 10) or die $@;
        print $connection $_ while <>;' "$(address east 1)" sent
    wait $server
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit
}

@test "the text arrives, pings of many sizes are answered, and no packet is dropped" {
    cmp sent received
    await_answers west 6
    for side in west east; do
        ip netns exec $side cat /proc/net/xfrm_stat | tee statistics
        # shellcheck disable=SC2016  # awk's
        awk '$2 { wrong = 1 } END { exit wrong || !NR }' statistics
    done
}

@test "only ESP is on the link, in both directions" {
    cat said
    grep --quiet '^0 packets dropped by kernel' said
    [[ $(tcpdump -n -r packets esp and src "$(address west 1)" | wc --lines) -gt 100 ]]
    [[ $(tcpdump -n -r packets esp and src "$(address east 1)" | wc --lines) -gt 6 ]]
    [[ -z $(tcpdump -n -r packets not esp) ]]
}

@test "libgcrypt decrypts every packet of the west to the data that was sent" {
    # Except for the fragments of the longest ping
    tcpdump -r packets -w packets-of-west "src $(address west 1) and ip[6:2] & 0x3fff == 0"
    "$BATS_TEST_DIRNAME/decrypt-esp" "$aead" "$own_key" 16 ${ESN:+6} <packets-of-west >decrypted
    [[ $(grep --text --count "[0-9]: $payload$" decrypted) -gt $((lines * 9 / 10)) ]]
    # With another key, it reports an error.
    run ! "$BATS_TEST_DIRNAME/decrypt-esp" "$aead" "${own_key/0/1}" 16 ${ESN:+6} <packets-of-west
    [[ $output == *'the ICV is wrong'* ]]
}

# The kernel's generator of IVs is a template over our driver.
@test "ESP uses our driver" {
    grep --extended-regexp '^driver *: .*(sm3|sm4)' /proc/crypto
    grep --quiet "^driver *: $driver-[a-z0-9-]*-fast)$" /proc/crypto
}
