# Loaded by what sends packets of ESP between two network namespaces of the virtual machine, west and east, over one link.
# shellcheck shell=bash

# The addresses of a side have numbers: address SIDE NUMBER
address() {
    case $1 in
    west) echo "192.0.2.1$2" ;;
    east) echo "192.0.2.2$2" ;;
    esac
}

# The namespaces, and on each side the addresses with these numbers. What arrives interrupts one of the CPUs of the mask
# CPUS: make_networks CPUS NUMBER...
make_networks() {
    local cpus=$1 side number
    shift
    for side in west east; do ip netns add $side; done
    ip link add veth0 netns west type veth peer name veth0 netns east
    for side in west east; do
        for number in "$@"; do
            ip -n $side address add "$(address $side "$number")/24" dev veth0
        done
        ip -n $side link set veth0 up
        ip netns exec $side sh -c "echo $cpus >/sys/class/net/veth0/queues/rx-0/rps_cpus"
    done
}

remove_networks() {
    local side
    for side in west east; do ip netns delete $side; done
}

# ESP between the two addresses with this number, in both directions: protect NUMBER
protect() {
    protect_direction west "$1" east
    protect_direction east "$1" west
}

protect_direction() {
    local from=$1 number=$2 to=$3 side source
    source=$(address "$from" "$number")
    local ends=(src "$source" dst "$(address "$to" "$number")") own=${source##*.}
    for side in west east; do
        ip -n $side xfrm state add "${ends[@]}" proto esp spi "0x1$own" mode transport \
            enc 'cbc(sm4)' "0x0123456789abcdeffedcba98765432$own" \
            auth-trunc 'hmac(sha256)' 0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 128
    done
    ip -n "$from" xfrm policy add "${ends[@]}" dir out tmpl proto esp mode transport
    ip -n "$to" xfrm policy add "${ends[@]}" dir in tmpl proto esp mode transport
}

unprotect() {
    local side
    for side in west east; do
        ip -n $side xfrm policy flush
        ip -n $side xfrm state flush
    done
}
