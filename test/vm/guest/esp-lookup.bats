# Look-ups of SM4 by ESP: without sm4_fast_esp, with it, and while it is loaded and unloaded. From the first state with SM4 on, the
# module stays, so the tests that unload it come first.

bats_require_minimum_version 1.5.0
load common
load networks

readonly key=0123456789abcdeffedcba9876543210
readonly gcm=(aead 'rfc4106(gcm(sm4))' "0x${key}a0a1a2a3" 128)
readonly tracing=/sys/kernel/tracing
readonly cbc=(enc 'cbc(sm4)' "0x$key" auth-trunc 'hmac(sm3)' "0x$key$key" 128)
# The message of ip for an algorithm that is not in the table: before 6.1 only an error number
if kernel_is_before 6.1; then readonly not_found='Function not implemented'; else readonly not_found='not found'; fi
# Whether states can be moved to network cards (CONFIG_XFRM_OFFLOAD)
if grep --quiet ' xfrm_dev_state_add$' /proc/kallsyms; then readonly offload=xfrm_dev_state_add; else readonly offload=; fi
# The table lists SM4-CBC and HMAC-SM3 from 5.17 on.
if kernel_is_before 5.17; then readonly lacks_cbc=yes; else readonly lacks_cbc=; fi

setup_file() {
    modprobe sm4_fast
    mount -t tracefs none $tracing 2>/dev/null || true
}

setup() {
    mark_log
    cd "$BATS_TEST_TMPDIR" || exit
}

teardown() {
    ip xfrm state flush
    if ip netns list | grep --quiet west; then remove_networks; fi
}

add() {
    ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x101 mode transport "$@"
}

refused() {
    run ! add "$@"
    [[ $output == *"$not_found"* ]]
}

# A command of an ordinary user that asks for HMAC-SM3
refused_before_5_5() {
    run "$@"
    echo "$output"
    if kernel_is_before 5.5; then [[ $status -ne 0 && $output == *"$not_found"* ]]; else [[ $status -eq 0 ]]; fi
}

complains_of_nothing() {
    local bad
    bad=$(complaints_of_kernel)
    echo "$bad"
    [[ -z $bad ]]
}

@test "when ip is used, the kernel loads the module, by the line of modprobe.d" {
    if grep --quiet /xfrm_user.ko "/lib/modules/$(uname --kernel-release)/modules.builtin"; then skip 'xfrm_user is built in'; fi
    mkdir --parents /run/modprobe.d
    cp "$BATS_TEST_DIRNAME"/../../../packaging/load-esp.modprobe.conf /run/modprobe.d
    run ! grep -e '^xfrm_user ' -e '^sm4_fast_esp ' /proc/modules
    ip xfrm state
    grep '^sm4_fast_esp ' /proc/modules
    rm /run/modprobe.d/load-esp.modprobe.conf
    modprobe --remove sm4_fast_esp
}

# Runs the command of the installed unit, as a boot does.
@test "systemd loads it where xfrm_user is built in, and nowhere else" {
    local command
    run ! grep '^sm4_fast_esp ' /proc/modules
    command=$(sed -n 's/^ExecStart=//p' "$BATS_TEST_DIRNAME"/../../../packaging/load-esp.service)
    eval "${command//%v/$(uname --kernel-release)}"
    if ! grep --quiet /xfrm_user.ko "/lib/modules/$(uname --kernel-release)/modules.builtin"; then
        run ! grep '^sm4_fast_esp ' /proc/modules
        return
    fi
    grep '^sm4_fast_esp ' /proc/modules
    modprobe --remove sm4_fast_esp
}

@test "without the module, the kernel's table refuses SM4 in GCM and CCM mode" {
    add aead 'rfc4106(gcm(aes))' 0x${key}01020304 128
    ip xfrm state flush
    refused "${gcm[@]}"
    refused aead 'rfc4309(ccm(sm4))' 0x${key}010203 128
    [[ -z $lacks_cbc ]] || refused "${cbc[@]}"
}

@test "with sysctl kernel.ftrace_enabled=0, the module refuses to load; when it is loaded, the sysctl is refused" {
    if kernel_is_before 5.5; then skip 'before 5.5, it can be set at any time'; fi
    sysctl --write kernel.ftrace_enabled=0 || skip 'this kernel does not let anybody set it'
    run ! modprobe sm4_fast_esp
    sysctl --write kernel.ftrace_enabled=1
    log_since_mark | grep --quiet 'sm4_fast_esp: ESP gets no SM4: .*kernel.ftrace_enabled is 0'
    refused "${gcm[@]}"
    modprobe sm4_fast_esp
    run ! sysctl --write kernel.ftrace_enabled=0
    modprobe --remove sm4_fast_esp
}

@test "the module adds the algorithms that the kernel lacks, and no others" {
    local functions=(xfrm_aead_get_byname)
    modprobe sm4_fast_esp
    grep --only-matching '^xfrm_[a-z_]* ' $tracing/enabled_functions | sort >hooked
    if [[ $lacks_cbc ]]; then functions=(xfrm_aalg_get_byname xfrm_aead_get_byname xfrm_ealg_get_byname); fi
    # shellcheck disable=SC2086  # no word if it is empty
    diff hooked <(printf '%s \n' "${functions[@]}" $offload | sort)
}

@test "unknown names are refused, and names of another kind of algorithm" {
    modprobe sm4_fast_esp
    refused aead 'rfc4106(gcm(sm3))' 0x${key}01020304 128
    refused aead 'cbc(sm4)' 0x$key 128
    refused aead 'hmac(sm3)' 0x$key$key 256
    refused enc 'rfc4106(gcm(sm4))' 0x$key auth-trunc 'hmac(sha256)' 0x$key$key 128
    refused enc 'cbc(aes)' 0x$key auth-trunc 'cbc(sm4)' 0x$key 128
}

# Each state with AES is added, each with a length that SM4 does not have is refused, and no process hangs.
@test "names are looked up while the module is loaded and unloaded" {
    local side
    for side in one two; do
        while [[ ! -e stop ]]; do
            ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x$((200 + ${#side})) mode tunnel reqid ${#side} \
                aead 'rfc4106(gcm(aes))' 0x${key}01020304 128 2>&1 && echo taken
            ip xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x$((300 + ${#side})) mode tunnel reqid ${#side} \
                aead 'rfc4106(gcm(sm4))' 0x${key}01020304 80 2>&1 && echo wrong
            ip xfrm state flush 2>&1
        done >"answers-$side" 3>&- &
    done
    for _ in {1..15}; do
        modprobe sm4_fast_esp
        sleep 0.3
        modprobe --remove sm4_fast_esp
        sleep 0.3
    done
    touch stop
    wait
    cat answers-*
    for answer in taken "$not_found"; do grep --quiet "$answer" answers-*; done
    run ! grep --invert-match --extended-regexp "^taken\$|$not_found|File exists" answers-*
    complains_of_nothing
}

# Of the tracers of a function, the one that was added first is called last.
@test "a tracer sees the name that is looked up" {
    [[ -e $tracing/kprobe_events ]] || skip 'this kernel has no events of kprobes'
    modprobe xfrm_algo
    echo 'p:lookup xfrm_aead_get_byname name=+0(%di):string' >$tracing/kprobe_events
    echo 1 >$tracing/events/kprobes/lookup/enable
    modprobe sm4_fast_esp
    echo >$tracing/trace
    add "${gcm[@]}"
    cat $tracing/trace >trace
    echo 0 >$tracing/events/kprobes/lookup/enable
    echo >$tracing/kprobe_events
    cat trace
    grep --fixed-strings 'name="rfc4106(gcm(sm4))"' trace
}

# The caller of the look-up uses what it returns, ESP looks up a MAC again, and nobody else keeps the state from network cards.
@test "after a look-up of SM4, the module stays" {
    modprobe sm4_fast_esp
    add "${gcm[@]}"
    ip xfrm state flush
    run ! modprobe --remove sm4_fast_esp
    add "${gcm[@]}"
}

@test "every length of ICV in the RFCs is accepted, and no other" {
    modprobe sm4_fast_esp
    for bits in 64 96 128; do
        for algorithm in "rfc4106(gcm(sm4)) 0x${key}01020304" "rfc4309(ccm(sm4)) 0x${key}010203"; do
            echo "$algorithm, $bits"
            # shellcheck disable=SC2086  # two words
            add aead $algorithm $bits
            ip xfrm state | grep --fixed-strings "aead $algorithm $bits"
            ip xfrm state flush
        done
    done
    for bits in 0 32 80 112 120 136; do
        refused aead 'rfc4106(gcm(sm4))' 0x${key}01020304 $bits
        refused aead 'rfc4309(ccm(sm4))' 0x${key}010203 $bits
    done
}

@test "the other algorithms are found as before" {
    modprobe sm4_fast_esp
    add aead 'rfc4106(gcm(aes))' 0x${key}01020304 96
    ip xfrm state flush
    add enc 'cbc(aes)' "0x$key" auth-trunc 'hmac(sha256)' "0x$key$key" 128
    ip xfrm state flush
    add enc 'cbc(sm4)' "0x$key" auth-trunc 'hmac(sha256)' "0x$key$key" 128
}

@test "1000 states are added by four processes at once" {
    modprobe sm4_fast_esp
    local side
    for side in 1 2 3 4; do
        ip netns add side$side
        for spi in {1000..1249}; do
            echo "xfrm state add src 192.0.2.1 dst 192.0.2.2 proto esp spi $spi mode transport" \
                "aead rfc4106(gcm(sm4)) 0x${key}a0a1a2a3 $((64 + spi % 3 * 32))"
        done >batch-$side
    done
    for side in 1 2 3 4; do ip -n side$side -batch batch-$side 3>&- & done
    wait
    for side in 1 2 3 4; do
        [[ $(ip -n side$side xfrm state count) == *' 250'* ]]
        ip netns delete side$side
    done
}

# Migration makes a new driver from the name of the generator of IVs, which is in the state.
@test "states are migrated, also with offload, and pass packets" {
    modprobe sm4_fast_esp
    make_networks 0 1 2
    require_esp 1
    add_states 1 0x300 gcm
    ip netns exec west ping -q -c 3 -W 5 "$(address east 1)" || true
    await_answers west 3
    for side in west east; do
        for from in west east; do
            if [[ $from == west ]]; then to=east; else to=west; fi
            if [[ $side == "$from" ]]; then direction=out; else direction=in; fi
            ip netns exec $side migrate-esp $direction "$(address $from 1)" "$(address $to 1)" "$(address $from 2)" "$(address $to 2)"
        done
        ip -n $side xfrm state | tee /dev/stderr | grep --quiet "src $(address west 2) dst $(address east 2)"
        [[ $(ip -n $side xfrm state | grep --count 'aead rfc4106(gcm(sm4))') -eq 2 ]]
        ip -n $side xfrm policy flush
    done
    require_esp 2
    ip netns exec west ping -q -c 3 -W 5 "$(address east 2)" || true
    await_answers west 6
    complains_of_nothing
}

# A task in the namespaces asks, and then their owner from outside, who has the same capabilities in them.
@test "before 5.5, only root gets HMAC-SM3, not the owner of a user namespace" {
    local setting=/proc/sys/kernel/unprivileged_userns_clone
    [[ ! -e $setting ]] || echo 1 >$setting
    modprobe sm4_fast_esp
    refused_before_5_5 unshare --user --map-root-user --net ip xfrm state add \
        src 192.0.2.1 dst 192.0.2.2 proto esp spi 0x101 mode transport "${cbc[@]}"
    refused_before_5_5 add-as-owner 192.0.2.1 192.0.2.2 0x101
    add "${cbc[@]}"
}

@test "HMAC-SM3 without a length has 256 bits" {
    modprobe sm4_fast_esp
    add enc 'cbc(sm4)' "0x$key" auth 'hmac(sm3)' "0x$key$key"
    ip xfrm state | grep "auth-trunc hmac(sm3) 0x$key$key 256"
}

# lo has no offload. A bond has, which it leaves to its devices, and fails without them: so it is not asked.
@test "ESP with SM4 is not offloaded to a network card, as if that could not: software encrypts, but packet offload is refused" {
    local device transform direction by_aes
    [[ $offload ]] || skip 'this kernel has no offload'
    modprobe sm4_fast_esp
    ip link add bond-esp type bond mode active-backup
    for transform in gcm cbc; do
        local -n options=$transform
        for device in lo bond-esp; do
            for direction in in out; do
                echo "$transform, $device, $direction"
                add "${options[@]}" offload dev $device dir $direction
                run ip xfrm state
                [[ $output == *sm4* && $output != *offload* ]]
                ip xfrm state flush
                run add aead 'rfc4106(gcm(aes))' 0x${key}01020304 128 offload packet dev lo dir $direction
                by_aes=$output
                run ! add "${options[@]}" offload packet dev $device dir $direction
                # Earlier kernels, and ip, do not know it.
                kernel_is_before 6.2 || [[ $output == "$by_aes" ]]
            done
        done
    done
    ip link delete bond-esp
    add aead 'rfc4106(gcm(aes))' 0x${key}01020304 128 offload dev lo dir out
    [[ $(log_since_mark | grep --count 'sm4_fast_esp: ESP with SM4 is not offloaded') -le 1 ]]
    dmesg | grep 'sm4_fast_esp: ESP with SM4 is not offloaded'
    if ip xfrm state help 2>&1 | grep --quiet 'crypto | packet'; then dmesg | grep 'sm4_fast_esp: refused to leave ESP with SM4'; fi
}

# Requires ESP for packets sent from one of these two addresses to the other: send_esp WEST EAST. There is no such policy for
# received packets, because ESP in UDP arrives as UDP, for which IKE daemons have a policy of their socket.
send_esp() {
    ip -n west xfrm policy add src "$1" dst "$2" dir out tmpl proto esp mode transport
    ip -n east xfrm policy add src "$2" dst "$1" dir out tmpl proto esp mode transport
}

# Adds states between them, in both directions: add_both WEST EAST OPTION...
add_both() {
    local side
    for side in west east; do
        ip -n $side xfrm state add src "$1" dst "$2" proto esp spi 0x400 mode transport "${@:3}"
        ip -n $side xfrm state add src "$2" dst "$1" proto esp spi 0x401 mode transport "${@:3}"
    done
}

# Sends packets by the existing states, and then removes these.
ping_east() {
    ip netns exec west ping -q -c 2 -W 5 "$1" || true
    sent=$((sent + 2))
    await_answers west $sent
    remove_states
}

@test "packets pass with every length of ICV, in UDP, and over IPv6" {
    modprobe sm4_fast_esp
    local side sent=0 sockets=() ends=("$(address west 1)" "$(address east 1)")
    make_networks 0 1
    send_esp "${ends[@]}"
    for bits in 64 96 128; do
        add_both "${ends[@]}" aead 'rfc4106(gcm(sm4))' 0x${key}01020304 $bits
        ping_east "${ends[1]}"
        add_both "${ends[@]}" aead 'rfc4309(ccm(sm4))' 0x${key}010203 $bits
        ping_east "${ends[1]}"
    done

    # Like an IKE daemon, each side needs a socket that receives ESP: SOL_UDP, UDP_ENCAP, UDP_ENCAP_ESPINUDP
    for side in west east; do
        # shellcheck disable=SC2016  # Perl's variables
        ip netns exec $side perl -MIO::Socket::INET -e '
            my $socket = IO::Socket::INET->new(Proto => "udp", LocalPort => 4500) or die $!;
            $socket->setsockopt(17, 100, pack("i", 2)) or die $!;
            sleep' 3>&- &
        sockets+=($!)
        until ip netns exec $side ss --listening --udp --numeric | grep --quiet ':4500'; do sleep 0.1; done
    done
    for transform in gcm cbc; do
        local -n options=$transform
        add_both "${ends[@]}" encap espinudp 4500 4500 0.0.0.0 "${options[@]}"
        ping_east "${ends[1]}"
    done
    kill "${sockets[@]}"

    ip -n west address add fd00::1/64 nodad dev veth0
    ip -n east address add fd00::2/64 nodad dev veth0
    send_esp fd00::1 fd00::2
    for transform in gcm cbc; do
        local -n options=$transform
        add_both fd00::1 fd00::2 "${options[@]}"
        ping_east fd00::2
    done
    for side in west east; do
        ip netns exec $side cat /proc/net/xfrm_stat >statistics
        cat statistics
        # shellcheck disable=SC2016  # awk's
        awk '$2 { wrong = 1 } END { exit wrong || !NR }' statistics
    done
}
