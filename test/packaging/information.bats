#!/usr/bin/env bats
# bats --formatter tap test/packaging/information.bats
#
# Tests sm4-fast-info on machines, each of which is a folder with the files that it reads, and the programs that it asks.
# test/docs/pages.t runs it on a kernel, with measurements, by the commands of docs/af-alg.md and docs/disk.md. Does not change
# this machine.

# Each test is a subshell.
# shellcheck disable=SC2030,SC2031
bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

readonly release=6.6.0-72.x86_64 next=6.6.0-103.x86_64 loaded=sys/module/sm4_fast
readonly info=$repository/tools/sm4-fast-info devices=usr/libexec/sm4-fast/sm4-fast-devices

setup_file() {
    "$repository/test/need" kmod binutils jq
}

setup() {
    machine=$BATS_TEST_TMPDIR/machine
    export SM4_FAST_ROOT=$machine
    cd "$BATS_TEST_TMPDIR" || exit
    # Neither users nor cron have the folder of modprobe in PATH.
    PATH=$machine/bin:/usr/bin:/bin
    is_in proc/sys/kernel/osrelease $release
    is_in proc/cpuinfo 'model name	: A processor' 'flags		: fpu avx aes'
    is_in proc/crypto
    is_in sys/power/resume 0:0
    # modprobe must not load a module into this machine's kernel.
    command_is bin/modprobe
    command_is bin/dmesg
    command_is bin/findmnt /dev/mapper/root
    command_is bin/lsblk root vda3 vda
    command_is $devices
}

# ---- machines ----

# Gives the machine a file: PATH LINE...
is_in() {
    mkdir --parents "$(dirname "$machine/$1")"
    printf '%s\n' "${@:2}" >"$machine/$1"
}

# Gives the machine a program: PATH, and the lines of its script
program_is() {
    is_in "$1" '#!/bin/sh' "${@:2}"
    chmod 755 "$machine/$1"
}

# The same: PATH, and the lines that it prints
command_is() {
    program_is "$1" "cat <<'END'" "${@:2}" END
}

# An entry of /proc/crypto, as the kernel writes it: NAME DRIVER MODULE PRIORITY TYPE
driver() {
    printf '%-13s: %s\n' name "$1" driver "$2" module "$3" priority "$4" refcnt 1 selftest passed internal no type "$5" \
        async no blocksize 16 'min keysize' 16 ivsize 16
    echo
}

# The entry of an algorithm that the kernel is looking for: any user chooses the name, by bind() of AF_ALG, up to 127 bytes.
larval() {
    local name
    printf -v name %b "$1"
    [[ ${#name} -le 127 ]]
    printf '%-13s: %s\n' name "$name" driver '' module kernel priority -1 refcnt 2 selftest unknown internal no type larval \
        flags 0x410
    echo
}

# Gives the kernel $1 both modules; more fields of modinfo follow.
has_module() {
    local name
    mkdir --parents "$machine/lib/modules/$1/extra"
    : >"$machine/lib/modules/$1/modules.builtin"
    for name in sm4_fast sm4_fast_esp; do
        printf '%s\0' name=$name "vermagic=$1 SMP preempt mod_unload modversions " version=0.2 "${@:2}" >modinfo
        [[ $name == sm4_fast_esp ]] || printf '%s\0' tier={'sm4ni-avx2 - (avx, sm4, Linux 6.10)','ttable 280 () GCM ()'} \
            tier={'avx2 850 (avx, avx2) GCM (pclmulqdq)','cis-avx 930 (avx, hygon_sm4) GCM (pclmulqdq)'} \
            tier={'sm3-avx 390 (avx, bmi1, bmi2)','sm3-generic 150 ()'} >>modinfo
        objcopy --input-target=binary --output-target=elf64-x86-64 \
            --rename-section .data=.modinfo,alloc,load,readonly,data,contents modinfo \
            "$machine/lib/modules/$1/extra/${name//_/-}.ko"
    done
    finds_modules "$1"
}

# modprobe of the kernel $1 finds the modules that it now has.
finds_modules() {
    /usr/sbin/depmod --basedir "$machine" "$1" 2>/dev/null
}

# A machine without problems: the module is loaded.
is_well() {
    is_in $loaded/version 0.2
    is_in $loaded/initstate live
    is_in $loaded/parameters/fpu_fallbacks 7
    is_in $loaded/parameters/fallback_only N
    is_in $loaded/parameters/batch N
    driver 'ecb(sm4)' ecb-sm4-ttable-fast sm4_fast 280 skcipher >"$machine/proc/crypto"
    has_module $release
}

# The same, and it has to open devices with SM4, one of them in the initramfs, in which the module is.
opens_devices() {
    is_well
    command_is $devices 'root sm4-xts-plain64' 'data sm4-xts-plain64, in /etc/crypttab'
    # An image is its own list.
    program_is bin/lsinitramfs "cat \"\$1\""
    has_image $release usr/lib/modules/1/updates/dkms/sm4-fast.ko.xz
}

# Gives the kernel $1 an initramfs with the files $2, $3...
has_image() {
    is_in "boot/initrd.img-$1" "${@:2}"
}

is_not_loaded() {
    rm --recursive "${machine:?}/$loaded"
    is_in proc/crypto
}

# ---- what it says of them ----

# Runs the program in both forms, as an ordinary user if as_user is set: the files said and said--json, and its exit status, answer
ask() {
    local form
    chmod --recursive go+rX "$BATS_TEST_TMPDIR"
    for form in '' --json; do
        answer=0
        # shellcheck disable=SC2086  # no word if it is empty
        ${as_user:+setpriv --reuid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search} \
            "$info" --no-speed $form >"said$form" 2>errors || answer=$?
    done
    cat said said--json errors
    # Only what takes long is announced.
    [[ ! -s errors || $(<errors) == 'sm4-fast is still being tested: waiting for up to 5 seconds' ]]
    if grep '.\{111\}' said; then false; fi
}

# Checks the exit status $1, that the expression $2 is true for the JSON, and that the text contains the other arguments, in
# this order.
finds() {
    local rest expected heading
    ask
    [[ $answer -eq $1 && $(jq '[.problems[].status] | min // 0' said--json) -eq $1 ]]
    jq --exit-status "$2" said--json
    # In one line, because the program wraps long lines
    rest=$(tr --squeeze-repeats '\n ' ' ' <said)
    for expected in "${@:3}"; do
        [[ $rest == *"$expected"* ]]
        rest=${rest#*"$expected"}
    done
    jq --raw-output '.problems[].heading' said--json | while read -r heading; do
        grep --quiet --line-regexp --fixed-strings "## $heading" "$repository/docs/trouble.md"
    done
}

# Nothing is wrong.
good() {
    finds 0 "$@" 'No problem.'
}

# Only $2 is wrong, by its message, with the exit status $1; more expected texts follow.
wrong() {
    finds "$1" "[.problems[].message] == [\"$2\"]" "${@:2}"
}

# ---- the processor, and the tiers ----

@test "the tier in use, and the better ones, with what is missing for them" {
    is_well
    good '.processor == "A processor" and .tiers.SM4 == {"in_use": "ttable", "better": [
        {"name": "sm4ni-avx2", "missing": ["sm4", "Linux 6.10"]}, {"name": "cis-avx", "missing": ["hygon_sm4"]},
        {"name": "avx2", "missing": ["avx2"]}]}' 'processor A processor' \
        'SM4 tier ttable; better: sm4ni-avx2 (needs the flag sm4 and Linux 6.10), cis-avx (needs the flag' \
        'hygon_sm4), avx2 (needs the flag avx2)' \
        'SM3 tier none'
    # The parameter tiers leaves one out; SM3 has its own tiers.
    is_in proc/cpuinfo 'model name	: Another' 'flags		: fpu avx aes avx2 bmi1'
    driver sm3 sm3-generic-fast sm4_fast 150 shash >>"$machine/proc/crypto"
    good '.tiers.SM4.better[2] == {"name": "avx2", "missing": []} and
        .tiers.SM3 == {"in_use": "sm3-generic", "better": [{"name": "sm3-avx", "missing": ["bmi2"]}]}' \
        'avx2 (needs nothing more)' 'SM3 tier sm3-generic; better: sm3-avx (needs the flag bmi2)'
    # Of several, the one with the highest priority is in use, whatever the order.
    driver 'ecb(sm4)' ecb-sm4-avx2-fast sm4_fast 850 skcipher | cat - "$machine/proc/crypto" >crypto
    mv crypto "$machine/proc/crypto"
    good '.tiers.SM4.in_use == "avx2"'
    # Its file is gone, as it is unloaded and installed again.
    rm --recursive "${machine:?}/lib/modules/$release/extra"
    finds_modules $release
    good '.tiers.SM4 == {"in_use": "avx2", "better": "unknown"}' 'SM4 tier avx2; better: unknown'
}

@test "the tier of Hygon's instructions, and a driver of the vendor that ranks higher" {
    is_well
    is_in proc/cpuinfo 'model name	: Hygon C86' 'flags		: fpu avx aes hygon_sm4'
    {
        driver 'ecb(sm4)' ecb-sm4-cis-avx-fast sm4_fast 930 skcipher
        driver 'ecb(sm4)' ecb-sm4-cis sm4_cis 400 skcipher
        driver sm3 sm3-cis sm3_cis 400 shash
        driver sm3 sm3-avx-fast sm4_fast 390 shash
    } >"$machine/proc/crypto"
    good '.tiers.SM4.in_use == "cis-avx" and [.algorithms[] | .driver, .module] ==
        ["ecb-sm4-cis-avx-fast", "sm4_fast", "sm3-cis", "sm3_cis"]' 'ecb(sm4) ecb-sm4-cis-avx-fast passed' 'sm3 sm3-cis passed'
}

@test "Zhaoxin's GMI, which is listed by the same names as Intel's instructions, and both" {
    local missing='.tiers.SM4.better[1].missing'
    is_well
    has_module $release tier='sm4ni-avx2 1200 (avx, avx2, sm4) GCM ()'
    is_in proc/cpuinfo 'flags		: fpu avx aes rng rng_en sm3 sm4 sm3_en sm4_en ace2 lahf_lm abm bmi1 avx2'
    good "$missing == [\"sm4\"] and .processor == \"unknown\""
    is_in proc/cpuinfo 'flags		: fpu avx rng sm3 sm4 sm3_en sm4_en ace2 lahf_lm sha512 avx2 sm3 sm4 umip'
    good "$missing == []"
}

# ---- loading ----

# modprobe's script, which loads the module as the test wants it.
modprobe_loads() {
    program_is bin/modprobe "[ \"\$*\" = '--use-blacklist sm4-fast' ] && mv $PWD/loaded $machine/$loaded"
    mv "$machine/$loaded" loaded
}

@test "root has modprobe load the module" {
    is_well
    modprobe_loads
    good '.refusal == null and .modules["sm4-fast"].loaded.version == "0.2"' "sm4-fast 0.2, loaded by Linux $release"
}

@test "the kernel does not load it: the words of modprobe and of the kernel" {
    has_module $release
    program_is bin/dmesg "cat $PWD/log"
    echo '[1.0] sm4_fast: an earlier line' >log
    program_is bin/modprobe "echo \"[\$(date +%s.%N)] Loading of unsigned module is rejected\" >>$PWD/log" \
        "echo \"modprobe: ERROR: could not insert 'sm4_fast': Key was rejected by service\" >&2; exit 1"
    finds 1 '.modules["sm4-fast"].loaded == null and .tiers.SM4.in_use == null and (.problems | length == 1) and
        (.refusal | test("^modprobe: ERROR: could not insert .sm4_fast.: Key was rejected by service\n[^\n]*Loading of[^\n]*$"))' \
        "not loaded by Linux $release" "Linux $release does not load sm4-fast. See \"The kernel does not load sm4-fast\"." \
        "modprobe: ERROR: could not insert 'sm4_fast': Key was rejected by service" '] Loading of unsigned module is rejected'
    # No earlier line of the kernel
    [[ $(grep --count Loading said) -eq 1 ]]
    # As with "blacklist sm4_fast", or "install sm4_fast /bin/true", in modprobe.d
    program_is bin/modprobe
    finds 1 '.refusal == "modprobe says nothing."' 'does not load sm4-fast' 'modprobe says nothing.'
}

@test "other users cannot have it loaded" {
    has_module $release
    program_is bin/modprobe "[ \"\$*\" = '--use-blacklist --dry-run sm4-fast' ]"
    as_user=yes
    finds 0 '.refusal == "unknown"' "not loaded by Linux $release; unknown whether it can be" \
        'No problem that can be seen. Run it as root to see what is unknown here.'
    program_is bin/modprobe "echo 'modprobe: FATAL: Module sm4-fast not found in directory /lib/modules/$release' >&2; exit 1"
    finds 1 '.problems | length == 1' "does not load sm4-fast." "modprobe: FATAL: Module sm4-fast not found" \
        'Run it as root to see what is unknown here.'
}

@test "while the module is being tested, it waits, and then measures nothing" {
    is_well
    is_in $loaded/initstate coming
    (sleep 1 && is_in $loaded/initstate live) 3>&- &
    good '.being_tested == false'
    is_in $loaded/initstate coming
    wrong 1 'sm4-fast is still being tested after 5 seconds' 'See "A self-test has not passed"'
    SECONDS=0
    run --separate-stderr -1 "$info"
    # shellcheck disable=SC2154  # bats sets stderr
    [[ $SECONDS -ge 5 && $stderr == 'sm4-fast is still being tested'* && $output != *MB/s*[0-9]* ]]
}

# ---- the drivers ----

@test "no problem" {
    is_well
    good '.problems == [] and .counters.fpu_fallbacks == 7 and .counters.fallback_only == false and
        .algorithms == [{"name": "ecb(sm4)", "driver": "ecb-sm4-ttable-fast", "module": "sm4_fast", "selftest": "passed"}]' \
        'algorithm driver self-test ecb(sm4) ecb-sm4-ttable-fast passed fallbacks ttable did 7 pieces of work of other tiers'
    run -2 sh -c "'$info' --no-speed >/dev/full"
    [[ $output == *'cannot be written: No space left on device' ]]
    run -2 sh -c "'$info' --no-speed >&-"
    [[ $output == *'sm4-fast-info: the output is closed' ]]
}

@test "a module without drivers, as one that is built in has in FIPS mode" {
    is_well
    is_in proc/crypto
    wrong 1 "Linux $release has sm4-fast, and no driver of it"
}

@test "a driver has not passed its self-test" {
    is_well
    # The kernel uses another one, and nothing is said of others' drivers.
    driver 'ecb(sm4)' ecb-sm4-avx2-fast sm4_fast 850 skcipher >>"$machine/proc/crypto"
    sed --in-place '/ttable/,/^$/s/passed/unknown/' "$machine/proc/crypto"
    driver 'cbc(sm4)' cbc-sm4-generic sm4_generic 100 skcipher | sed 's/passed/unknown/' >>"$machine/proc/crypto"
    wrong 1 'ecb-sm4-ttable-fast has not passed its self-test' 'See "A self-test has not passed"'
}

@test "a tier has failed the module's own tests" {
    is_well
    command_is bin/dmesg '[1.5] sm4_fast: avx2 gives wrong answers (xts) and is left out' '[1.6] usb 1-1: gives wrong answers'
    wrong 1 '[1.5] sm4_fast: avx2 gives wrong answers (xts) and is left out'
    # It was another version, of which this one is no more.
    driver 'ecb(sm4)' ecb-sm4-avx2-fast sm4_fast 850 skcipher >>"$machine/proc/crypto"
    good '.wrong_answers == []'
}

@test "another driver than the best is in use" {
    is_well
    driver 'ecb(sm4)' ecb-sm4-generic sm4_generic 100 skcipher >>"$machine/proc/crypto"
    good true
    sed --in-place '/ttable/,/^$/s/^refcnt .*/refcnt       : 2/' "$machine/proc/crypto"
    good true
    sed --in-place '/generic/,/^$/s/^refcnt .*/refcnt       : 2/' "$machine/proc/crypto"
    wrong 3 'ecb-sm4-generic is in use for ecb(sm4), and ecb-sm4-ttable-fast is better'
    is_well
    is_in $loaded/parameters/fallback_only Y
    wrong 3 'fallback_only is set: the C code does all work' 'See "Another driver than the best is in use"'
}

@test "with batch=1, the number of batches" {
    is_well
    is_in $loaded/parameters/batch Y
    is_in $loaded/parameters/batches 40
    # The module goes between two reads.
    good '.counters == {"fallback_only": false, "fpu_fallbacks": 7, "batch": true, "batches": 40, "batched": "unknown"}' \
        'batches unknown packets in 40 batches'
    is_in $loaded/parameters/batched 590
    good '.counters.batched == 590' 'batches 590 packets in 40 batches'
}

# ---- kernels and devices ----

@test "a kernel without the module, while there are devices that need SM4" {
    opens_devices
    has_image $next usr/lib/modules/1/updates/sm4_fast.ko
    has_module $next
    good ".kernels == [{\"release\": \"$release\", \"module\": \"0.2\", \"initramfs\": true},
        {\"release\": \"$next\", \"module\": \"0.2\", \"initramfs\": true}]" \
        "kernel sm4-fast in its initramfs $release 0.2 yes $next 0.2 yes"
    truncate --size=200 "$machine/lib/modules/$next/extra/sm4-fast.ko"
    wrong 3 "Linux $next has no sm4-fast, and devices need it" 'See "A kernel without the module"'
    grep "$next *damaged (Invalid argument) *yes" said
    rm --recursive "$machine/lib/modules/$next/extra"
    finds_modules $next
    wrong 3 "Linux $next has no sm4-fast, and devices need it"
    grep "$next *none *yes" said
    # No device is known to need it: that on a disk which is not there has no cipher.
    command_is $devices 'data unknown, in /etc/crypttab'
    good '.devices == [{"device": "data unknown, in /etc/crypttab", "in_initramfs": false}]' "$next none yes"
    command_is $devices
    good '.devices == []' "$next none yes" 'devices no device needs SM4'
    as_user=yes finds 0 '.devices == "unknown"' "Linux $next has no sm4-fast: unknown whether devices need it. Run it as root"
    # What is left of a kernel that was removed is none.
    opens_devices
    rm "$machine/lib/modules/$next/modules.builtin"
    good ".kernels | length == 1"
    # The running kernel: the loaded module's file is gone. If it cannot be loaded for that reason, there is one problem.
    rm --recursive "$machine/lib/modules/$release/extra"
    finds_modules $release
    wrong 3 "Linux $release has no sm4-fast, and devices need it"
    is_not_loaded
    program_is bin/modprobe 'echo not found >&2; exit 1'
    finds 1 '.problems | length == 1'
}

@test "an initramfs without the module, which opens a device that needs it" {
    opens_devices
    has_image $release usr/lib/modules/1/kernel/fs/ext4.ko
    wrong 3 "the initramfs of Linux $release has no sm4-fast, and has to open devices that need it"
    grep "$release *0.2 *no" said
    grep '^devices *root sm4-xts-plain64 (opened by the initramfs)$' said
    grep '^  *data sm4-xts-plain64, in /etc/crypttab$' said
    # Nothing that it opens needs SM4.
    command_is $devices 'data sm4-xts-plain64, in /etc/crypttab'
    good ".kernels[0].initramfs == false"
    # An option of crypttab, as Debian and dracut have it, but not a comment, and hibernation
    for option in luks,initramfs x-initrd.attach; do
        is_in etc/crypttab '#data UUID=1 none initramfs' "data UUID=1	none $option"
        finds 3 '.devices[0].in_initramfs'
    done
    is_in etc/crypttab '#data UUID=1 none initramfs' 'more UUID=2 none initramfs' 'data UUID=1 none luks'
    good '.devices[0].in_initramfs == false'
    is_in sys/power/resume 253:1
    program_is bin/lsblk "[ \"\$*\" = '--inverse --noheadings --raw --output NAME /dev/block/253:1 /dev/mapper/root' ] ||" \
        "[ \"\$*\" = '--inverse --noheadings --raw --output NAME /dev/mapper/root /dev/block/253:1' ] && echo data"
    finds 3 '.devices[0].in_initramfs'
    # It has no block device: this cannot be known.
    program_is bin/lsblk 'exit 32'
    good '.devices[0].in_initramfs == "unknown"' 'data sm4-xts-plain64, in /etc/crypttab (unknown whether by the initramfs)'
}

@test "initramfs of other names, and by other programs" {
    opens_devices
    mv "$machine/boot/initrd.img-$release" "$machine/boot/initramfs-$release.img"
    good '.kernels[0].initramfs == true'
    # Neither program reads it, as if it was cut off.
    program_is bin/lsinitramfs 'exit 1'
    good '.kernels[0].initramfs == "unknown"' "$release 0.2 unknown"
    command_is bin/lsinitrd -rw-r--r--
    finds 3 '.kernels[0].initramfs == false'
    mv "$machine/boot/initramfs-$release.img" "$machine/boot/$release"
    good '.kernels[0].initramfs == "unknown"'
}

@test "a kernel with the module built in, and an initramfs without it" {
    opens_devices
    has_image $release usr/lib/modules/1/kernel/fs/ext4.ko
    rm --recursive "$machine/lib/modules/$release"
    is_in "lib/modules/$release/modules.builtin" kernel/crypto/sm4-fast/sm4-fast.ko
    printf 'sm4_fast.%s\0' license=GPL file=crypto/sm4-fast/sm4-fast version=0.2 \
        >"$machine/lib/modules/$release/modules.builtin.modinfo"
    finds_modules $release
    {
        driver 'ecb(sm4)' ecb-sm4-ttable-fast kernel 280 skcipher
        driver 'hmac(sm3)' 'hmac(sm3-avx-fast)' kernel 390 shash
    } >"$machine/proc/crypto"
    good '.kernels[0].module == "0.2" and .kernels[0].initramfs == "built in" and .tiers.SM4.in_use == "ttable" and
        (.algorithms | length == 1)' "Linux $release has no sm4-fast-esp"
}

@test "another version or build is loaded than is installed" {
    is_well
    is_in $loaded/version 0.1
    wrong 3 'sm4-fast: version 0.1 is loaded, and 0.2 is installed' 'See "The loaded version is another one"'
    is_well
    has_module $release srcversion=0123456789ABCDEF0123456
    is_in $loaded/srcversion 0123456789ABCDEF0123456
    is_in ${loaded}_esp/version 0.2
    is_in ${loaded}_esp/srcversion 0123456789ABCDEF0123456
    good '.modules["sm4-fast"] | .loaded == .installed' 'IPsec sm4-fast-esp is loaded'
    is_in ${loaded}_esp/srcversion FEDCBA98765432100123456
    wrong 3 'sm4-fast-esp: srcversion FEDCBA98765432100123456 is loaded, and 0123456789ABCDEF0123456 is installed'
}

@test "whether IPsec has SM4" {
    is_well
    good true 'IPsec sm4-fast-esp 0.2 is installed, and not loaded'
    has_module $release stand_in='sm4-fast-esp could not be built for this kernel'
    good true 'IPsec sm4-fast-esp could not be built for this kernel'
    rm "$machine/lib/modules/$release/extra/sm4-fast-esp.ko"
    finds_modules $release
    good true "IPsec Linux $release has no sm4-fast-esp"
    mkdir "$machine/${loaded}_esp"
    good '.modules["sm4-fast-esp"].loaded == {"version": "unknown", "srcversion": "unknown"}' 'IPsec sm4-fast-esp is loaded'
}

# ---- what cannot be read ----

@test "others than root do not see the devices, nor an initramfs that they cannot read" {
    opens_devices
    has_image $release nothing
    finds 3 '.kernels[0].initramfs == false'
    as_user=yes
    finds 0 '.devices == "unknown"' "$release 0.2 no" 'devices unknown' 'Run it as root to see what is unknown here.'
    program_is bin/lsinitramfs "[ -r $machine/unreadable ]"
    finds 0 '.kernels[0].initramfs == "unknown"' "$release 0.2 unknown"
}

@test "without a program, what it says is unknown" {
    local program facts result
    opens_devices
    mkdir few
    ln --symbolic --target-directory=few /usr/bin/{python3,env,cat} "$(PATH=$PATH:/usr/sbin command -v modinfo)"
    # It looks in /usr/sbin, too, where the programs of this machine are.
    sed 's|:/usr/sbin:/sbin||' "$info" >program
    chmod 755 program
    while IFS='|' read -r program facts; do
        for result in != ==; do
            run -0 env PATH="$PWD/few:$machine/bin" ./program --no-speed --json
            jq --exit-status "$facts | all(. $result \"unknown\")" <<<"$output"
            if [[ $result == != ]]; then mv "$program" away; else mv away "$program"; fi
        done
    done <<END
few/modinfo|[.kernels[].module, .ipsec, .tiers.SM4.better, .modules["sm4-fast"].installed.version]
machine/bin/lsinitramfs|[.kernels[].initramfs]
machine/bin/findmnt|[.devices[].in_initramfs]
machine/bin/lsblk|[.devices[].in_initramfs]
machine/bin/dmesg|[.wrong_answers]
machine/$devices|[.devices]
END
    is_not_loaded
    rm "$machine/bin/modprobe"
    run -0 env PATH="$PWD/few:$machine/bin" ./program --no-speed
    [[ $output == "sm4-fast    not loaded by Linux $release; unknown whether it can be"* ]]
}

@test "a module that is unloaded meanwhile" {
    local program
    opens_devices
    for program in bin/dmesg bin/lsinitramfs $devices; do
        is_well
        mv "$machine/$program" away
        program_is "$program" "rm --recursive --force $machine/$loaded"
        run -0 "$info" --no-speed
        [[ ! -e $machine/$loaded ]]
        mv away "$machine/$program"
    done
}

@test "no file that is missing, empty or garbage gives a traceback" {
    local path
    opens_devices
    has_module $next
    is_in $loaded/parameters/batch Y
    while read -r path; do
        mv "$path" away
        "$info" --no-speed >said || [[ $? -ne 2 ]]
        for text in '' "$(printf '%s: \n\xff' {1..99})"; do
            printf %s "$text" >"$path"
            "$info" --no-speed >said || [[ $? -ne 2 ]]
        done
        mv away "$path"
    done < <(find "$machine" -type f)
}

# ---- input and output of any kind ----

# Its output, in both forms, without the machine's name
said() {
    "$info" --no-speed
    "$info" --no-speed --json
}

@test "text that any user can write into /proc/crypto changes nothing" {
    local name
    is_well
    driver 'xts(sm4)' xts-sm4-ttable-fast sm4_fast 280 skcipher >>"$machine/proc/crypto"
    cp "$machine/proc/crypto" genuine
    said >undisturbed
    grep 'xts-sm4-ttable-fast' undisturbed
    for name in 'cbc(a(\n\nname: sm4\nmodule: sm4_fast\n\n))' \
        'authenc(zq,b(\n\nname: sm4\nmodule: sm4_fast\ndriver: \e]0;pwned\a\e[31mX\nselftest: x\npriority: 1\n\n))' \
        'ecb(sm4)\ndriver       : x\nmodule       : b\npriority     : 9999\ntype         : cipher\nrefcnt       : 1\nselftest     : no\n' \
        'ecb(sm4)\ndriver       : x\nmodule       : sm4_fast\npriority     : 9\nrefcnt       : 1\nselftest     : unknown\ntype: a\n' \
        'a(\r\rname: ecb(sm4)\rmodule: sm4_fast\rdriver: ecb-sm4-x-fast\rpriority: 999\rselftest: passed\rtype: a\rrefcnt: 1\r\r)' \
        'ecb(sm4)\ndriver: y\nmodule: z\npriority: 9999\nselftest: passed\ntype: aead\nrefcnt: 1\ninternal: no\nblocksize: 1\n' \
        'xts(sm4)' 'sm4\n\n' '\n\n\nxts(sm4)\e[31m'; do
        { larval "$name"; cat genuine; larval "$name"; } >"$machine/proc/crypto"
        said | diff undisturbed -
    done
}

@test "an entry that the kernel skips, because others come and go while the file is read" {
    local writer drivers
    is_well
    cp "$machine/proc/crypto" ecb
    driver 'xts(sm4)' xts-sm4-ttable-fast sm4_fast 280 skcipher >xts
    rm "$machine/proc/crypto"
    mkfifo "$machine/proc/crypto"
    while cat ecb >"$machine/proc/crypto" && cat xts >"$machine/proc/crypto"; do :; done 3>&- &
    writer=$!
    drivers=$("$info" --no-speed --json | jq '.algorithms | length')
    kill "$writer"
    # End the cat for which it waits.
    timeout 10 cat "$machine/proc/crypto" >/dev/null || true
    [[ $drivers -eq 2 ]]
}

@test "drivers of later kernels, with new lines, count" {
    is_well
    sed --in-place 's/^type .*/fips         : yes\nnovelty      : 1\n&/; s/^blocksize .*/&\nmax novelty  : none/' \
        "$machine/proc/crypto"
    good '.algorithms | length == 1'
}

@test "an output without UTF-8, and a processor whose name is not ASCII" {
    is_well
    is_in proc/cpuinfo $'model name\t: A processor\xa9' 'flags		: fpu avx aes'
    run -0 env LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 "$info" --no-speed
    [[ $output == *'processor   A processor#'* ]]
}

@test "no control character reaches the terminal" {
    is_well
    is_in proc/cpuinfo $'model name\t: A \e[31mprocessor\x7f' 'flags		: fpu avx aes'
    command_is $devices $'se\e]0;cret\a sm4-xts-plain64'
    good '.processor == "A ?[31mprocessor?"' 'devices se?]0;cret? sm4-xts-plain64'
    if tr --delete '\n' <said | grep '[[:cntrl:]]'; then false; fi
}

@test "a program that waits for a device for ever does not block it" {
    is_well
    program_is $devices 'sleep 600 & wait'
    program_is bin/modinfo 'sleep 600'
    export SM4_FAST_PATIENCE=1
    SECONDS=0
    finds 0 '.devices == "unknown" and .kernels[0].module == "unknown"'
    [[ $SECONDS -lt 120 ]]
    for _ in {1..50}; do
        pgrep --full "$machine" || return 0
        sleep 0.1
    done
    false
}

@test "--help and the manual explain every exit status, and the manual each name of the JSON" {
    local value name
    run -0 "$info" --help
    for value in 0 1 2 3; do
        [[ $output == *"Exit status:"*$'\n'"  $value  "* ]]
        grep --line-regexp --after-context=1 '\.TP' "$info.1" | grep --line-regexp "\.B $value"
    done
    opens_devices
    is_in ${loaded}_esp/version 0.1
    finds 3 true
    diff <(jq --raw-output 'keys_unsorted[]' said--json | sort) \
        <(sed -n '/^\.SH FACTS/,/^\.SH EXIT/{/^\.TP/{n;s/\.B //p}}' "$info.1" | sort)
    for name in $(jq --raw-output '[.. | objects | keys[]] | unique[]' said--json) bytes_per_second error; do
        grep '^\.\(B\|BR\|RB\) ' "$info.1" | grep --word-regexp --fixed-strings "$name"
    done
}

# The version of RHEL 8; these two parameters of subprocess came with 3.7.
@test "it is written for Python 3.6" {
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 6))' "$info"
    run ! grep --word-regexp --extended-regexp 'text=True|capture_output' "$info"
}
