# All users of the module at once, while CPUs go offline and come back: many processes over AF_ALG, volumes, and ESP
# between two network namespaces. Environment: SECONDS_EACH, the duration, and SWITCH_CPUS, whether CPUs go offline (empty if
# not). Everything happens in setup_file; the tests check the results.

bats_require_minimum_version 1.5.0
load common
load networks

readonly passphrase=/dev/shm/passphrase
readonly addresses=(1 2)

setup_file() {
    # Without udev, cryptsetup makes the device nodes itself.
    export DM_DISABLE_UDEV=1
    modprobe sm4_fast
    modprobe brd rd_nr=2 rd_size=$((32 * 1024))
    echo -n 'correct horse battery staple' >$passphrase
    volume xts /dev/ram0 --cipher sm4-xts-plain64 --key-size 256 --sector-size 4096
    volume gcm /dev/ram1 --cipher sm4-gcm-random --key-size 128 --integrity aead
    # Packets are spread over all CPUs: a CPU that processes a packet has been interrupted in other work.
    make_networks "$(printf %x $(((1 << $(nproc)) - 1)))" "${addresses[@]}"
    for address in "${addresses[@]}"; do protect "$address"; done
    cd "$BATS_FILE_TMPDIR" || return
    # Without the file descriptor 3 of bats, which waits for all processes that have it.
    load_all 3>&-
}

teardown_file() {
    cryptsetup close xts
    cryptsetup close gcm
    remove_networks
}

volume() {
    local name=$1 device=$2
    cryptsetup luksFormat --batch-mode --type luks2 "${@:3}" --pbkdf pbkdf2 --pbkdf-force-iterations 1000 \
        --key-file $passphrase "$device"
    cryptsetup open --key-file $passphrase "$device" "$name"
}

load_all() {
    local seconds=$SECONDS_EACH address
    many-programs "$seconds" 4 >af-alg &
    write_and_verify xts &
    write_and_verify gcm &
    for address in "${addresses[@]}"; do
        check_packets west east "$address" &
        check_packets east west "$address" &
    done
    if [[ $SWITCH_CPUS ]]; then switch_cpus "$seconds" & fi
    try_to_unload "$seconds" &
    wait
}

# Blocks of many sizes at random places, read back and compared soon after they were written
write_and_verify() {
    fio --name="$1" --filename="/dev/mapper/$1" --direct=1 --ioengine=psync --numjobs=2 --size=40% --offset_increment=50% \
        --rw=randwrite --bsrange=4k-64k --verify=crc32c --verify_backlog=16 --verify_fatal=1 \
        --time_based --runtime="$SECONDS_EACH" --group_reporting >"fio-$1" 2>&1 || echo "fio ended with $?" >>"fio-$1"
}

check_packets() {
    local from=$1 to=$2 number=$3
    "$BATS_TEST_DIRNAME/check-packets" "$SECONDS_EACH" "$from" "$(address "$from" "$number")" "$to" "$(address "$to" "$number")" \
        >"packets-$from-$number" 2>&1 || echo "check-packets ended with $?" >>"packets-$from-$number"
}

# Takes each CPU except the first offline for half a second, again and again.
switch_cpus() {
    local end=$((SECONDS + $1)) online count=0
    while [[ $SECONDS -lt $end ]]; do
        for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
            echo 0 >"$online"
            sleep 0.5
            echo 1 >"$online"
            sleep 0.5
            count=$((count + 1))
        done
    done
    echo $count >switched
}

try_to_unload() {
    local end=$((SECONDS + $1 - 2)) refused=0
    while [[ $SECONDS -lt $end ]]; do
        if rmmod sm4_fast 2>/dev/null; then
            echo 'unloaded'
            return
        fi
        refused=$((refused + 1))
        sleep 1
    done >unloading
    echo "$refused" >>unloading
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return
}

tell() {
    sed --regexp-extended 's/^(# )?/# /' >&3
}

# bats test_tags=cpus
@test "CPUs went offline and came back" {
    echo "$(<switched) times" | tell
    [[ $(<switched) -gt 0 ]]
    run ! grep --line-regexp 0 /sys/devices/system/cpu/cpu[1-9]*/online
}

@test "AF_ALG: every answer is libgcrypt's" {
    tell <af-alg
    cat af-alg
    grep '^ok' af-alg
}

# fio's totals do not include the reads for verification; its issued requests do.
fio_verified() {
    local reads
    reads=$(sed -n 's/.*issued rwts: total=\([0-9]*\),.*/\1/p' "fio-$1")
    {
        echo "$reads blocks read"
        grep 'WRITE:' "fio-$1"
    } | tell
    cat "fio-$1"
    run ! grep --extended-regexp 'fio ended|err= *[1-9]|verify:|bad' "fio-$1"
    [[ $reads -gt 0 ]]
}

@test "dm-crypt with sm4-xts: the data that was written is read" {
    fio_verified xts
}

@test "dm-crypt with gcm(sm4): the data that was written is read" {
    fio_verified gcm
}

@test "ESP: every packet arrives as it was sent" {
    cat packets-* | tell
    cat packets-*
    [[ $(cat packets-* | grep --count ' 0 failures$') -eq $((2 * ${#addresses[@]})) ]]
    run ! grep 'ended with' packets-*
}

@test "ESP: the kernel has rejected no packet" {
    for side in west east; do
        ip netns exec $side cat /proc/net/xfrm_stat >counts
        cat counts
        awk '$2 { wrong = 1 } END { exit wrong || !NR }' counts
    done
}

@test "the module could not be unloaded meanwhile" {
    echo "$(<unloading) times" | tell
    [[ $(<unloading) -gt 0 ]]
}
