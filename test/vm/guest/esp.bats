# ESP between two network namespaces. The environment says which: ALGORITHM (cbc-sm3, which is CBC with hmac(sm3), as
# GM/T 0022 has it; cbc-sha256, gcm or ccm), ICV_BITS, MODE (transport, or tunnel, where each is the gateway of a network of its own), IP (4 or 6), and ESN (esn for
# extended sequence numbers, or empty).

bats_require_minimum_version 1.5.0
load common

readonly payload='all the world may read this' lines=6000
readonly west_key=0123456789abcdeffedcba9876543210 east_key=fedcba98765432100123456789abcdef
readonly wrong_key=0123456789abcdeffedcba9876543211
readonly west_spi=0x101 east_spi=0x102
# Before the lower half of the sequence number runs over
readonly first_sequence='replay-seq 0xffffffc0 replay-oseq 0xffffffc0 replay-seq-hi 6 replay-oseq-hi 6'
case $IP in
4) readonly west=192.0.2.1 east=192.0.2.2 west_inner=10.1.0.1 east_inner=10.2.0.1 prefix=24 ;;
6) readonly west=2001:db8::1 east=2001:db8::2 west_inner=fd00:1::1 east_inner=fd00:2::1 prefix=64 ;;
esac
case $MODE in
transport) readonly from=$west to=$east ;;
tunnel) readonly from=$west_inner to=$east_inner ;;
esac

setup_file() {
    modprobe sm4_fast
    # Between the two lies a wire: a bridge, where everything that passes can be captured.
    ip netns add wire
    ip -n wire link add bridge type bridge
    ip -n wire link set bridge up
    for side in west east; do
        ip netns add "$side"
        ip link add ${side}0 netns "$side" address "$(link_address "$side")" type veth peer name to-"$side" netns wire
        ip -n wire link set to-"$side" master bridge up
    done
    gateway west "$west" "$west_inner" "$east_inner" "$east" east
    gateway east "$east" "$east_inner" "$west_inner" "$west" west
    if [[ $ESN == esn ]]; then without_offload; fi
    seq --format="%g: $payload" $lines >"$BATS_FILE_TMPDIR/sent"
}

teardown_file() {
    for side in west east wire; do
        ip netns delete "$side"
    done
    rm -f /run/modprobe.d/without-offload.conf
}

# The kernel has ESP in a second form, for devices that do it themselves, and takes that when the modules are there. Its
# esp_xmit() takes the upper half of the sequence number of the packet after, so that with any cipher the receiver drops
# the last one before the lower half runs over (seen on Linux 6.12 with AES, and on 7.2).
without_offload() {
    mkdir -p /run/modprobe.d
    printf 'blacklist %s\n' esp{4,6}_offload >/run/modprobe.d/without-offload.conf
    modprobe --remove --quiet esp4_offload esp6_offload || true
    run ! grep '^esp[46]_offload ' /proc/modules
}

link_address() {
    case $1 in
    west) echo 02:00:00:00:00:01 ;;
    east) echo 02:00:00:00:00:02 ;;
    esac
}

# The link, the inner address and the route to the other side's network. The two know each other's link address.
gateway() {
    local side=$1 outer=$2 inner=$3 peer_inner=$4 peer=$5 nodad=''
    if [[ $IP -eq 6 ]]; then nodad=nodad; fi
    ip -n "$side" -batch - <<END
        link set lo up
        address add $outer/$prefix dev ${side}0 $nodad
        address add $inner dev lo $nodad
        link set ${side}0 up
        neighbour add $peer lladdr $(link_address "$6") dev ${side}0 nud permanent
        route add $peer_inner via $peer src $inner
END
}

setup() {
    cd "$BATS_FILE_TMPDIR" || exit
    use_esp
}

# The name by which ESP asks the kernel for it, and the salt at the end of the key
case $ALGORITHM in
gcm) readonly aead='rfc4106(gcm(sm4))' salt=a0a1a2a3 ;;
ccm) readonly aead='rfc4309(ccm(sm4))' salt=a0a1a2 ;;
cbc-*) readonly aead="authenc${ESN:+esn}(hmac(${ALGORITHM#cbc-}),cbc(sm4))" ;;
esac

# Checks what the west has sent by the capture $1, and prints it; with another key than the west's, $2
decrypt_esp() {
    local key=${2:-$west_key}
    tcpdump -r "$1" -w - "src $west and (ip proto 50 or ip6 proto 50)" 2>/dev/null |
        decrypt-esp "$aead" "$key${salt:-$key$key}" $((ICV_BITS / 8)) ${ESN:+6}
}

# What follows prints commands for `ip -batch`: each program takes its time on an emulated processor.

# What `ip xfrm state add` wants to know of the algorithm with this key
transform() {
    case $ALGORITHM in
    cbc-*) echo "enc cbc(sm4) 0x$1 auth-trunc hmac(${ALGORITHM#cbc-}) 0x$1$1 $ICV_BITS" ;;
    *) echo "aead $aead 0x$1$salt $ICV_BITS" ;;
    esac
}

# A direction's state with who sends (out) or receives (in): in|out FROM TO SPI KEY
state() {
    local sequence=''
    if [[ $1 == in ]]; then sequence='replay-window 32'; fi
    if [[ $ESN == esn ]]; then sequence="flag esn replay-window 128 $first_sequence"; fi
    echo "xfrm state add src $2 dst $3 proto esp spi $4 mode $MODE $sequence $(transform "$5")"
}

# DIRECTION, from and to whom, and, for a tunnel, from and to which gateway
policy() {
    local template=''
    if [[ $MODE == tunnel ]]; then template="src $4 dst $5"; fi
    echo "xfrm policy add src $2 dst $3 dir $1 tmpl $template proto esp mode $MODE"
}

flush() {
    echo 'xfrm state flush'
    echo 'xfrm policy flush'
}

# Both directions, in both namespaces
use_esp() {
    {
        flush
        state out "$west" "$east" $west_spi $west_key
        state in "$east" "$west" $east_spi $east_key
        policy out "$from" "$to" "$west" "$east"
        policy in "$to" "$from" "$east" "$west"
    } | ip -n west -batch -
    {
        flush
        state in "$west" "$east" $west_spi $west_key
        state out "$east" "$west" $east_spi $east_key
        policy out "$to" "$from" "$east" "$west"
        policy in "$from" "$to" "$west" "$east"
    } | ip -n east -batch -
}

no_esp() {
    flush | ip -n west -batch -
    flush | ip -n east -batch -
}

# Captures what passes a port of the wire while a command runs: capture FILE PORT COMMAND...
capture() {
    local file=$1 port=$2 tcpdump
    shift 2
    ip netns exec wire tcpdump --interface="$port" --immediate-mode --buffer-size=16384 -U -w "$file" 2>"$file.log" &
    tcpdump=$!
    until grep --quiet 'listening on' "$file.log"; do sleep 0.1; done
    "$@"
    sleep 0.5
    kill $tcpdump
    wait $tcpdump || true
    cat "$file.log"
    grep --quiet '^0 packets dropped by kernel' "$file.log"
}

# Sends a file over TCP from one namespace to an address in another; it has to arrive as it is: transfer FILE FROM TO
# ADDRESS PORT
transfer() {
    local file=$1 sender=$2 receiver=$3 address=$4 port=$5 server
    # shellcheck disable=SC2016  # Perl's variables
    ip netns exec "$receiver" perl -MIO::Socket::IP -e '
        my $server = IO::Socket::IP->new(LocalHost => $ARGV[0], LocalPort => $ARGV[1], Listen => 1) or die $@;
        my $connection = $server->accept or die $!;
        $/ = \65536;
        print while <$connection>;' "$address" "$port" >"received-$receiver-$port" &
    server=$!
    until ip netns exec "$receiver" ss --listening --tcp --numeric | grep --quiet ":$port"; do sleep 0.1; done
    # shellcheck disable=SC2016  # Perl's variables
    ip netns exec "$sender" perl -MIO::Socket::IP -e '
        my $connection = IO::Socket::IP->new(PeerHost => shift, PeerPort => shift, Timeout => 10) or die $@;
        $/ = \65536;
        print $connection $_ while <>;' "$address" "$port" "$file"
    wait $server
    cmp "$file" "received-$receiver-$port"
}

send_payload() {
    transfer sent west east "$to" 7777
}

ping_east() {
    ip netns exec west ping -q -W 5 -I "$from" "$@" "$to"
}

# How often the east has dropped packets for this reason
dropped() {
    # shellcheck disable=SC2016  # awk's
    ip netns exec east awk -v name="XfrmIn$1" '$1 == name { print $2 }' /proc/net/xfrm_stat
}

# No packet has been dropped for any reason but those.
nothing_else_dropped() {
    local side
    for side in west east; do
        ip netns exec "$side" cat /proc/net/xfrm_stat
        # shellcheck disable=SC2016  # awk's
        ip netns exec "$side" awk -v allowed=" $* " '
            $2 && !index(allowed, " " $1 " ") { exit 1 }' /proc/net/xfrm_stat
    done
}

# Every packet of the capture but those that find neighbours is ESP, in both directions, and the payload is not in it.
only_esp_in() {
    local packets
    packets=$(tcpdump -n -r "$1" 2>/dev/null | grep --invert-match -e 'ARP,' -e 'ICMP6, \(neighbor\|router\|multicast\)')
    tail --lines=3 <<<"$packets"
    [[ $(grep --count 'ESP(spi=0x00000101' <<<"$packets") -gt 100 ]]
    grep --quiet 'ESP(spi=0x00000102' <<<"$packets"
    run ! grep --invert-match "$west > $east: ESP\|$east > $west: ESP" <<<"$packets"
    run ! grep --text "$payload" "$1"
}

@test "without ESP, traffic passes and can be read on the way" {
    no_esp
    capture clear to-east send_payload
    grep --quiet --text "$payload" clear
}

@test "with ESP, traffic passes and cannot be read on the way" {
    capture esp to-east send_payload
    only_esp_in esp
    nothing_else_dropped
}

# libgcrypt takes its upper halves of sequence numbers from 6 on; after the transfer they are at 7.
# bats test_tags=decrypt
@test "libgcrypt decrypts every packet to what was sent" {
    decrypt_esp esp >decrypted
    [[ $(grep --text --count "[0-9]: $payload$" decrypted) -gt $((lines * 9 / 10)) ]]
    run ! decrypt_esp esp $wrong_key
    [[ $output == *'the ICV is wrong'* ]]
}

# bats test_tags=esn
@test "the sequence numbers have run over their lower half" {
    send_payload
    ip -n west xfrm state get src "$west" dst "$east" proto esp spi $west_spi
    ip -n west xfrm state get src "$west" dst "$east" proto esp spi $west_spi | grep --quiet 'oseq-hi 0x7'
    ip -n east xfrm state get src "$west" dst "$east" proto esp spi $west_spi | grep --quiet ' seq-hi 0x7'
}

@test "pings of many sizes pass" {
    for size in 0 15 16 1000 1399 4000; do
        ping_east -c 1 -s $size
    done
    ping_east -f -c 100 -s 1000
    await_answers west 100
    nothing_else_dropped
}

@test "with a wrong key, nothing gets through" {
    {
        echo "xfrm state delete src $west dst $east proto esp spi $west_spi"
        state in "$west" "$east" $west_spi $wrong_key
    } | ip -n east -batch -
    before=$(dropped StateProtoError)
    run ! ping_east -c 3 -i 0.2 -W 1
    [[ $output == *' 100% packet loss'* ]]
    [[ $(dropped StateProtoError) -ge $((before + 3)) ]]
}

# bats test_tags=load
@test "several connections in both directions at once" {
    local port transfer transfers=()
    head --bytes=8M /dev/urandom >random
    for port in 7001 7002 7003; do
        transfer random west east "$to" $port 3>&- &
        transfers+=($!)
        transfer random east west "$from" $port 3>&- &
        transfers+=($!)
    done
    for transfer in "${transfers[@]}"; do wait "$transfer"; done
    nothing_else_dropped XfrmInStateProtoError XfrmInStateSeqError
}

# The kernel's generator of IVs stands over a driver of ours, not over the template of a cipher and a MAC.
# bats test_tags=authenc
@test "ESP has taken the driver that encrypts and hashes at once" {
    grep --extended-regexp '^driver *: .*(sm3|sm4)' /proc/crypto
    grep --quiet --extended-regexp \
        "^driver *: echainiv\(authenc${ESN:+esn}-hmac-sm3-cbc-sm4-[a-z0-9-]*-fast\)$" /proc/crypto
    run ! grep --extended-regexp '^driver *: echainiv\(authenc(esn)?\(' /proc/crypto
}

@test "ESP uses the module" {
    run ! rmmod sm4_fast
}
