# An ESP tunnel with cbc(sm4) and hmac(sha256) between two network namespaces, each a gateway of its own network.

bats_require_minimum_version 1.5.0
load common

readonly west=192.0.2.1 east=192.0.2.2
readonly payload='all the world may read this'

setup_file() {
    modprobe sm4_fast
    # Between the two gateways lies a wire: a bridge, where everything that passes can be captured.
    ip netns add wire
    ip -n wire link add bridge type bridge
    ip -n wire link set bridge up
    for side in west east; do
        ip netns add $side
        ip -n $side link set lo up
        ip link add ${side}0 netns $side type veth peer name to-$side netns wire
        ip -n wire link set to-$side master bridge up
    done
    gateway west west0 $west 10.1.0.1 10.2.0.0/24 $east
    gateway east east0 $east 10.2.0.1 10.1.0.0/24 $west
}

teardown_file() {
    for side in west east wire; do
        ip netns delete $side
    done
}

# The link, the inner address and the route to the other side's network.
gateway() {
    local side=$1 link=$2 outer=$3 inner=$4 network=$5 peer=$6
    ip -n "$side" address add "$outer/24" dev "$link"
    ip -n "$side" address add "$inner/32" dev lo
    ip -n "$side" link set "$link" up
    ip -n "$side" route add "$network" via "$peer" src "$inner"
}

# Both directions of the tunnel, in both namespaces.
tunnel() {
    local side
    for side in west east; do
        ip -n $side xfrm state add src $west dst $east proto esp spi 0x101 mode tunnel \
            enc 'cbc(sm4)' 0x0123456789abcdeffedcba9876543210 \
            auth-trunc 'hmac(sha256)' 0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 128
        ip -n $side xfrm state add src $east dst $west proto esp spi 0x102 mode tunnel \
            enc 'cbc(sm4)' 0xfedcba98765432100123456789abcdef \
            auth-trunc 'hmac(sha256)' 0x1f1e1d1c1b1a191817161514131211100f0e0d0c0b0a09080706050403020100 128
    done
    policy west out 10.1.0.0/24 10.2.0.0/24 $west $east
    policy west in 10.2.0.0/24 10.1.0.0/24 $east $west
    policy east out 10.2.0.0/24 10.1.0.0/24 $east $west
    policy east in 10.1.0.0/24 10.2.0.0/24 $west $east
}

policy() {
    local side=$1 direction=$2 from=$3 to=$4 outer_from=$5 outer_to=$6
    ip -n "$side" xfrm policy add src "$from" dst "$to" dir "$direction" \
        tmpl src "$outer_from" dst "$outer_to" proto esp mode tunnel
}

# Sends 200 kB of the payload over TCP from the west to the east, with a capture of the wire in between.
send_payload() {
    local capture=$1
    ip netns exec wire tcpdump --interface=to-east --immediate-mode -U -w "$capture" 2>"$capture.log" &
    local tcpdump=$!
    until grep --quiet 'listening on' "$capture.log"; do sleep 0.1; done
    # shellcheck disable=SC2016  # Perl's variables
    ip netns exec east perl -MIO::Socket -e '
        my $server = IO::Socket::INET->new(LocalAddr => "10.2.0.1", LocalPort => 7777, Listen => 1) or die $!;
        my $connection = $server->accept or die $!;
        print while <$connection>;' >"$capture.received" &
    local server=$!
    until ip netns exec east ss --listening --tcp --numeric | grep --quiet :7777; do sleep 0.1; done
    # shellcheck disable=SC2016  # Perl's variables
    ip netns exec west perl -MIO::Socket -e '
        my $connection = IO::Socket::INET->new(PeerAddr => "10.2.0.1", PeerPort => 7777, Timeout => 10) or die $!;
        print $connection "$ARGV[0]\n" x (200_000 / (1 + length $ARGV[0]));' "$payload"
    wait $server
    sleep 0.5
    kill $tcpdump
    wait $tcpdump || true
    [[ $(grep --count --line-regexp "$payload" "$capture.received") -eq $((200000 / (1 + ${#payload}))) ]]
}

@test "without the tunnel, traffic passes and can be read on the way" {
    send_payload "$BATS_FILE_TMPDIR/clear"
    grep --quiet --text "$payload" "$BATS_FILE_TMPDIR/clear"
}

@test "with the tunnel, traffic passes, as ESP, and cannot be read on the way" {
    tunnel
    send_payload "$BATS_FILE_TMPDIR/tunnel"
    packets=$(tcpdump -n -r "$BATS_FILE_TMPDIR/tunnel" 2>/dev/null)
    tail --lines=3 <<<"$packets"
    [[ $(grep --count 'ESP(spi=0x00000101' <<<"$packets") -gt 100 ]]
    grep --quiet 'ESP(spi=0x00000102' <<<"$packets"
    run ! grep --extended-regexp '10\.[12]\.0\.' <<<"$packets"
    run ! grep --text "$payload" "$BATS_FILE_TMPDIR/tunnel"
}

@test "pings of many sizes pass the tunnel" {
    for size in 0 15 16 1000 1399; do
        ip netns exec west ping -q -c 1 -W 5 -s $size -I 10.1.0.1 10.2.0.1
    done
    ip netns exec west ping -q -f -c 100 -W 5 -s 1000 -I 10.1.0.1 10.2.0.1 | grep ' 0% packet loss'
}

@test "the tunnel uses the module" {
    run ! rmmod sm4_fast
}
