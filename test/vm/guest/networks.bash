# Loaded by tests that send ESP packets between two network namespaces, west and east, over one link: veth0 on each side.
# shellcheck shell=bash

# The addresses of a side have numbers: address SIDE NUMBER
address() {
    case $1 in
    west) echo "192.0.2.1$2" ;;
    east) echo "192.0.2.2$2" ;;
    esac
}

# Makes the namespaces, and on each side the addresses with these numbers. Received packets interrupt one of the CPUs of the
# mask CPUS, or if that is 0, the CPU that has sent them: make_networks CPUS NUMBER...
make_networks() {
    local cpus=$1 side number defer=/proc/sys/net/core/skb_defer_max
    shift
    # Otherwise a packet that a program has received stays, with its state, until the CPU that allocated it receives another one.
    [[ ! -e $defer ]] || echo 0 >$defer
    for side in west east; do ip netns add $side; done
    ip link add veth0 netns west type veth peer name veth0 netns east
    for side in west east; do
        for number in "$@"; do
            ip -n $side address add "$(address $side "$number")/24" dev veth0
        done
        ip -n $side link set veth0 up
        [[ $cpus == 0 ]] || ip netns exec $side sh -c "echo $cpus >/sys/class/net/veth0/queues/rx-0/rps_cpus"
    done
}

remove_networks() {
    local side
    for side in west east; do ip netns delete $side; done
}

# Requires ESP between the two addresses with this number, in both directions: require_esp NUMBER
require_esp() {
    local esp=(tmpl proto esp mode transport)
    local eastwards=(src "$(address west "$1")" dst "$(address east "$1")")
    local westwards=(src "$(address east "$1")" dst "$(address west "$1")")
    ip -n west xfrm policy add "${eastwards[@]}" dir out "${esp[@]}"
    ip -n west xfrm policy add "${westwards[@]}" dir in "${esp[@]}"
    ip -n east xfrm policy add "${eastwards[@]}" dir in "${esp[@]}"
    ip -n east xfrm policy add "${westwards[@]}" dir out "${esp[@]}"
}

# The key for packets from this address: esp_key SIDE NUMBER
esp_key() {
    local own
    own=$(address "$1" "$2")
    echo "0123456789abcdeffedcba98765432${own##*.}"
}

# Adds SAs between the two addresses with this number, in both directions, with ALGORITHM: cbc-HASH, with the HMAC of this hash
# as in GM/T 0022, gcm or ccm. The SPI is SPI westwards, and SPI + 1 eastwards. OPTION... are more options of `ip xfrm state`.
#
#     add_states NUMBER SPI ALGORITHM [OPTION...]
add_states() {
    local number=$1 spi=$2 algorithm=$3 from side own_key ends transform
    for from in east west; do
        own_key=0x$(esp_key $from "$number")
        case $algorithm in
        gcm) transform=(aead 'rfc4106(gcm(sm4))' "${own_key}a0a1a2a3" 128) ;;
        ccm) transform=(aead 'rfc4309(ccm(sm4))' "${own_key}a0a1a2" 128) ;;
        cbc-*) transform=(enc 'cbc(sm4)' "$own_key" auth-trunc "hmac(${algorithm#cbc-})" "$own_key${own_key#0x}" 128) ;;
        esac
        ends=(src "$(address $from "$number")")
        case $from in
        west) ends+=(dst "$(address east "$number")") ;;
        east) ends+=(dst "$(address west "$number")") ;;
        esac
        for side in west east; do
            ip -n $side xfrm state add "${ends[@]}" proto esp spi "$spi" mode transport "${@:4}" "${transform[@]}"
        done
        spi=$((spi + 1))
    done
}

remove_states() {
    local side
    for side in west east; do ip -n $side xfrm state flush; done
}

# ESP by the kernel's template over our CBC, between the two addresses with this number: protect NUMBER
protect() {
    require_esp "$1"
    add_states "$1" "0x1${1}0" cbc-sha256
}

unprotect() {
    local side
    remove_states
    for side in west east; do ip -n $side xfrm policy flush; done
}
