#!/usr/bin/env bats
# bats --formatter tap test/packaging/information.bats
#
# Tests sm4-fast-info on machines, each of which is a folder with the files that it reads. test/docs/pages.t runs it on a
# kernel, with measurements, by the commands of docs/af-alg.md and docs/disk.md. Does not change this machine.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

readonly release=6.6.0-72.x86_64

setup_file() {
    "$repository/test/need" kmod binutils openssl jq linux-headers-amd64
}

setup() {
    machine=$BATS_TEST_TMPDIR/machine
    export SM4_FAST_ROOT=$machine
    cd "$BATS_TEST_TMPDIR" || exit
    is_in proc/sys/kernel/osrelease $release
    is_in proc/cpuinfo 'model name	: A processor' 'flags		: fpu avx aes'
    is_in proc/crypto
    is_in "lib/modules/$release/build/Makefile"
    install -D --target-directory="$machine/usr/libexec/sm4-fast" "$repository/packaging/is-complete"
    is_in "boot/config-$release" '# CONFIG_CRYPTO_MANAGER_DISABLE_TESTS is not set' CONFIG_DYNAMIC_FTRACE_WITH_REGS=y
}

# Gives the machine a file: PATH LINE...
is_in() {
    mkdir --parents "$(dirname "$machine/$1")"
    printf '%s\n' "${@:2}" >"$machine/$1"
}

# Gives the machine a command: PATH, and the lines that it prints
command_is() {
    is_in "$1" '#!/bin/sh' "cat <<'END'" "${@:2}" END
    chmod 755 "$machine/$1"
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

# Gives the kernel $1 both modules, built for $2; more fields of modinfo follow.
has_module() {
    local name
    mkdir --parents "$machine/lib/modules/$1/extra"
    for name in sm4_fast sm4_fast_esp; do
        printf '%s\0' name=$name "vermagic=$2" version=0.2 "${@:3}" >modinfo
        [[ $name == sm4_fast_esp ]] || printf '%s\0' parmtype={tiers:charp,fallback_only:bool,batch:bool} \
            tier={ttable,avx2,aesni-avx2} >>modinfo
        objcopy --input-target=binary --output-target=elf64-x86-64 \
            --rename-section .data=.modinfo,alloc,load,readonly,data,contents modinfo \
            "$machine/lib/modules/$1/extra/${name//_/-}.ko"
    done
    depmod --basedir "$machine" "$1"
}

has_fitting_module() {
    has_module $release "$release SMP preempt mod_unload modversions "
}

signed_by() {
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj "/CN=$1/" -keyout key.pem -outform DER -out certificate.der
    sign_file=$(printf '%s\n' /lib/modules/*/build/scripts/sign-file | tail --lines=1)
    "$sign_file" sha256 key.pem certificate.der "$machine/lib/modules/$release/extra/sm4-fast.ko"
}

# Checks that the program prints the arguments, in this order, among other lines, and exits with 1, or with $expected: the
# module is not loaded. Neither users nor cron have the folder of modprobe in PATH.
says() {
    local text
    run env PATH="$machine/bin:/usr/bin:/bin" "$repository/tools/sm4-fast-info" "${options[@]}"
    [[ $status -eq ${expected:-1} ]]
    # In one line, because the program wraps long lines.
    output=$(tr --squeeze-repeats '\n ' ' ' <<<"$output")
    for text in "$@"; do
        [[ $output == *"$text"* ]]
        output=${output#*"$text"}
    done
}

# A machine without problems: the module is loaded, and the kernel that is booted next has it.
is_well() {
    is_in sys/module/sm4_fast/version 0.2
    is_in sys/module/sm4_fast/parameters/fpu_fallbacks 7
    is_in sys/module/sm4_fast/parameters/fallback_only N
    driver 'ecb(sm4)' ecb-sm4-ttable-fast sm4_fast 280 skcipher >"$machine/proc/crypto"
    is_in "boot/vmlinuz-$release"
    has_fitting_module
}

# For monitoring: the exit status is $1, $2 is true for the JSON, and, except for exit status 0, the text contains $3.
monitored() {
    run env PATH="$machine/bin:/usr/bin:/bin" "$repository/tools/sm4-fast-info" --no-speed --json "${options[@]}"
    [[ $status -eq $1 ]]
    jq --exit-status "$2" <<<"$output"
    run env PATH="$machine/bin:$PATH" "$repository/tools/sm4-fast-info" --no-speed "${options[@]}"
    [[ $status -eq $1 ]]
    output=$(tr --squeeze-repeats '\n ' ' ' <<<"$output")
    if [[ $1 -eq 0 ]]; then [[ $output != *WARNING* ]]; else [[ $output == *"$3"* ]]; fi
}

# Checks the exit status $1 where ESP does not find SM4 because of $2: a warning, which is in the text.
esp_lacks() {
    monitored "$1" ".esp.state == \"$([[ $1 -eq 0 ]] && echo unknown || echo bad)\" and .warnings + .notes == [.esp]" ''
    [[ $output == *"ESP has SM4 only as far as the kernel's own table: $2"* && $output != *'finds SM4'* ]]
}

@test "the tier of Hygon's instructions, together with the vendor's drivers" {
    is_well
    is_in proc/cpuinfo 'model name	: Hygon C86' 'flags		: fpu avx aes hygon_sm4'
    {
        driver 'ecb(sm4)' ecb-sm4-cis-avx-fast sm4_fast 930 skcipher
        driver 'ecb(sm4)' ecb-sm4-cis sm4_cis 400 skcipher
        driver sm3 sm3-cis sm3_cis 400 shash
    } >"$machine/proc/crypto"
    monitored 0 '.vendors_drivers == ["ecb-sm4-cis", "sm3-cis"] and .tiers[0].name == "cis-avx" and
        .features == ["avx", "aes", "hygon_sm4"]'
    [[ $output == *"tiers cis-avx (930) vendor's ecb-sm4-cis, sm3-cis self-tests 1 of 1"* ]]
}

@test "Zhaoxin's GMI, which is listed by the same names as Intel's instructions, and both" {
    is_well
    is_in proc/cpuinfo 'model name	: ZHAOXIN KaiXian' \
        'flags		: fpu avx aes rng rng_en sm3 sm4 sm3_en sm4_en ace2 lahf_lm abm bmi1 avx2'
    monitored 0 '.features == ["avx", "aes", "avx2", "bmi1", "sm4_en", "sm3_en"]'
    is_in proc/cpuinfo 'flags		: fpu avx rng sm3 sm4 sm3_en sm4_en ace2 lahf_lm sha512 sm3 sm4 umip'
    monitored 0 '.features == ["avx", "sm4", "sm3", "sm4_en", "sm3_en"]'
    is_in proc/cpuinfo 'flags		: fpu avx lahf_lm sha512 sm3 sm4 umip'
    monitored 0 '.features == ["avx", "sm4", "sm3"]'
}

@test "a suitable module: it only has to be loaded" {
    has_fitting_module
    expected=0 says 'sm4-fast is not loaded.' 'A processor' 'avx aes' \
        "Nothing keeps Linux $release from loading it: it does so when SM4 is requested, or by modprobe sm4-fast"
}

@test "a kernel that is too old, and no other message" {
    is_in proc/sys/kernel/osrelease 3.10.0-1160.el7.x86_64
    says 'Linux 3.10.0-1160.el7.x86_64 is too old: sm4-fast requires 4.18 and later' '> Start a newer kernel'
    [[ $output != *'>'* ]]
    is_in proc/sys/kernel/osrelease 4.17.19
    says 'is too old'
    is_in proc/sys/kernel/osrelease 4.18.0-553.el8_10.x86_64
    says 'Linux 4.18.0-553.el8_10.x86_64 has no module'
}

@test "FIPS mode, without the advice to load the module" {
    has_fitting_module
    is_in proc/sys/crypto/fips_enabled 0
    expected=0 says "Nothing keeps Linux $release from loading it"
    is_in proc/sys/crypto/fips_enabled 1
    says 'The kernel is in FIPS mode' 'refuses to load there' '> Start the kernel without fips=1'
    [[ $output != *modprobe* ]]
    run "$repository/tools/sm4-fast-info" --no-speed --json
    [[ $output != *modprobe* ]]
    jq --exit-status '.problems[0].next | test("fips=1")' <<<"$output"
}

@test "missing headers, with the distribution's command" {
    rm --recursive "$machine/lib/modules/$release/build"
    says "The headers of Linux $release are missing" "> sudo dnf install kernel-devel-$release" 'has no module sm4-fast' \
        'make && sudo make install'
    is_in usr/bin/apt-get
    says "> sudo apt install linux-headers-$release"
}

@test "a module for another kernel, and none for this one" {
    has_module 6.6.0-28.x86_64 '6.6.0-28.x86_64 SMP mod_unload modversions '
    is_in usr/src/sm4-fast-0.1/dkms.conf
    says "sm4-fast is built for 6.6.0-28.x86_64, not for Linux $release." \
        "> sudo /usr/src/sm4-fast-0.1/install-by-dkms"
    [[ $output != *headers* ]]
    # By number, not by letters
    is_in usr/src/sm4-fast-0.10/dkms.conf
    is_in usr/src/sm4-fast-0.9/dkms.conf
    says "> sudo /usr/src/sm4-fast-0.10/install-by-dkms"
}

@test "a module in the folder of this kernel that was built for another one" {
    has_module $release '6.6.0-28.x86_64 SMP mod_unload '
    says "sm4-fast is built for 6.6.0-28.x86_64, and $release refuses it" \
        '> make && sudo make install (in the folder with the sources of sm4-fast)'
    # For example a link of weak-updates, which may work, and needs no headers
    has_module $release '6.6.0-28.x86_64 SMP mod_unload modversions '
    rm -r "$machine/lib/modules/$release/build"
    expected=0 says "sm4-fast is built for 6.6.0-28.x86_64: $release loads it only if" '> If it does not load:'
}

@test "a module for which depmod has not been run" {
    has_fitting_module
    rm "$machine/lib/modules/$release"/modules.*
    touch "$machine/lib/modules/$release/modules.dep"
    says "modprobe does not find sm4-fast in /lib/modules/$release" "> sudo depmod $release"
}

@test "a signature that is required and missing" {
    has_fitting_module
    is_in sys/kernel/security/lockdown 'none [integrity] confidentiality'
    says 'loads only modules that are signed' 'the signature is refused' '> Sign the module'
    is_in sys/kernel/security/lockdown '[none] integrity confidentiality'
    expected=0 says 'Nothing keeps'
    is_in sys/module/module/parameters/sig_enforce Y
    says 'the signature is refused'
}

@test "a signature by a key that the kernel does not trust, and by one that it does" {
    has_fitting_module
    signed_by 'a throwaway key'
    is_in sys/kernel/security/lockdown 'none [integrity] confidentiality'
    expected=0 says 'signed by "a throwaway key"; only root can check whether the kernel trusts that key.' '> sudo sm4-fast-info'
    is_in proc/keys '0b5e3cb4 I------ 1 perm 1f030000 0 0 asymmetri Its maker: A key: 6ccece7e4c6c0d1f: X509.rsa 0d1f []'
    says 'signed by "a throwaway key", which the kernel does not trust' '> Enrol that key in the firmware (sudo mokutil --import'
    is_in proc/keys '0b5e3cb4 I------ 1 perm 1f030000 1000 1000 asymmetri a throwaway key: 6ccece7e4c6c0d1f: X509.rsa 0d1f []'
    expected=0 says 'only root can check whether the kernel trusts that key.'
    is_in proc/keys '0b5e3cb4 I------     1 perm 1f030000     0     0 asymmetri a throwaway key: 6ccece7e4c6c0d1f: X509.rsa 0d1f []'
    # As on openEuler 22.03, where a key of the firmware is among the kernel's and does not count for modules
    expected=0 says 'signed by "a throwaway key", a key that the kernel has' 'not every kernel accepts it' '> sudo modprobe sm4-fast'
    is_in usr/bin/apt-get
    expected=0 says 'Nothing keeps'
}

@test "--json contains the same for programs" {
    is_in proc/sys/kernel/osrelease 4.15.0-213-generic
    options=(--json)
    says '"fitness"'
    "$repository/tools/sm4-fast-info" --json | jq --exit-status '.fitness | keys == ["kernel"] and .kernel.state == "bad" and
        (.kernel.message | startswith("Linux 4.15.0-213-generic is too old")) and (.kernel.next | startswith("Start"))'
}

# Checks the state of the kernel's self-tests on a machine where the module is loaded.
selftests_are() {
    "$repository/tools/sm4-fast-info" --no-speed | tee shown
    "$repository/tools/sm4-fast-info" --no-speed --json | jq --raw-output .selftests.state >state
    [[ $(<state) == "$1" ]]
}

@test "a kernel without self-tests: passed means nothing there, and the module's own tests do" {
    is_in sys/module/sm4_fast/version 0.1
    driver 'ecb(sm4)' ecb-sm4-ttable-fast sm4_fast 280 skcipher >"$machine/proc/crypto"
    selftests_are good
    grep '1 of 1 drivers have passed' shown
    run ! grep known shown
    # As in Ubuntu; and since 6.16, with the option off and without it
    for option in CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y '# CONFIG_CRYPTO_SELFTESTS is not set' CONFIG_CRYPTO=y; do
        is_in "boot/config-$release" "$option"
        selftests_are unknown
        tr --squeeze-repeats '\n ' ' ' <shown | grep 'built without its self-tests.*ran known-answer tests on every tier'
    done
    is_in "boot/config-$release" CONFIG_CRYPTO_SELFTESTS=y
    selftests_are good
    is_in sys/module/cryptomgr/parameters/notests Y
    selftests_are unknown
    grep 'switched off' shown
    # Only the kernel itself contains its configuration.
    rm "$machine/boot/config-$release"
    is_in sys/module/cryptomgr/parameters/notests N
    selftests_are unknown
    tr --squeeze-repeats '\n ' ' ' <shown | grep 'cannot be determined'
    echo CONFIG_CRYPTO_SELFTESTS=y | gzip >"$machine/proc/config.gz"
    selftests_are good
}

@test "monitoring: no problem" {
    is_well
    monitored 0 ".problems == [] and .warnings == [] and .next_kernel.release == \"$release\" and
        .next_kernel.state == \"good\" and .fpu_fallbacks == 7 and .fallback_only == false"
    # There is no warning if the next kernel cannot be determined.
    rm "$machine/boot/vmlinuz-$release"
    monitored 0 '.warnings == [] and .next_kernel.release == null and .next_kernel.state == "unknown"'
}

@test "with batch=1, the number of packets in a batch" {
    is_well
    monitored 0 '.batch == false and .packets_per_batch == null'
    [[ $output != *batches* ]]
    is_in sys/module/sm4_fast/parameters/batch Y
    is_in sys/module/sm4_fast/parameters/batches 0
    is_in sys/module/sm4_fast/parameters/batched 0
    monitored 0 '.batch == true and .packets_per_batch == null'
    [[ $output == *'batches none yet'* ]]
    is_in sys/module/sm4_fast/parameters/batches 40
    is_in sys/module/sm4_fast/parameters/batched 590
    monitored 0 '.packets_per_batch == 14.8'
    [[ $output == *'batches 14.8 packets each, on average'* ]]
}

@test "monitoring: a driver has not passed its self-test" {
    is_well
    sed --in-place 's/passed/unknown/' "$machine/proc/crypto"
    monitored 1 '.problems[0].message | test("ecb-sm4-ttable-fast has not passed")' 'not passed: ecb-sm4-ttable-fast'
}

@test "monitoring: no warning if the module is not loaded yet, as after each boot, but if it cannot be" {
    is_well
    rm --recursive "$machine/sys/module/sm4_fast"
    is_in proc/crypto
    monitored 0 '.loaded == false and .problems == [] and .warnings == []'
    # There is no message about the loaded module, either.
    jq --exit-status '[.loaded_version, .parameters | .state] == ["unknown", "unknown"]' \
        <("$repository/tools/sm4-fast-info" --no-speed --json)
    is_in "boot/config-$release" CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y
    jq --exit-status '.selftests.next | test("runs known-answer tests.*before it registers it")' \
        <("$repository/tools/sm4-fast-info" --no-speed --json)
    is_in sys/module/module/parameters/sig_enforce Y
    monitored 1 '.problems[0].message == "sm4-fast is not loaded, and cannot be." and .loaded_version.state == "unknown"' \
        'sm4-fast is not loaded'
}

@test "monitoring: the module was loaded with other parameters than those in modprobe.d" {
    is_well
    is_in sys/module/sm4_fast/parameters/batch N
    is_in sys/module/sm4_fast/parameters/tiers '(null)'
    monitored 0 '.parameters.state == "good"'
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast batch=1'
    monitored 3 '.problems == [] and .warnings == [.parameters]' \
        '/etc/modprobe.d has batch=Y; sm4-fast was loaded with batch=N.'
    [[ $output == *"sudo modprobe -r sm4-fast && sudo modprobe sm4-fast"*"sudo /usr/libexec/sm4-fast/renew-initramfs $release"* ]]
    is_in sys/module/sm4_fast/parameters/batch Y
    monitored 0 '.parameters.state == "good"'
    is_in etc/modprobe.d/gateway.conf 'options sm4_fast fallback_only tiers=ttable,avx2 batch=on'
    monitored 3 '.warnings == [.parameters]' '/etc/modprobe.d has fallback_only=Y tiers=ttable,avx2;'
    [[ $output == *'loaded with fallback_only=N tiers=(null).'* ]]
    # An older module is loaded, without one of them.
    rm "$machine/sys/module/sm4_fast/parameters/batch"
    monitored 3 '.warnings == [.parameters]' 'loaded with no parameter batch fallback_only=N tiers=(null).'
}

@test "monitoring: a parameter that the module does not have" {
    is_well
    is_in sys/module/sm4_fast/parameters/batch Y
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast bacth=1 batch=1'
    monitored 3 '.problems == [] and .warnings == [.parameters]' \
        '/etc/modprobe.d has bacth=1, and sm4-fast has no parameter bacth. Is it misspelt? >'
    [[ $output == *'The parameters are: batch, fallback_only, tiers'* && $output != *'modprobe -r'* ]]
    is_in sys/module/sm4_fast/parameters/batch N
    monitored 3 '.warnings == [.parameters]' 'no parameter bacth. Is it misspelt? /etc/modprobe.d has batch=Y; sm4-fast was loaded with batch=N.'
    # It is told before the module is loaded, too. The kernel loads it nevertheless.
    rm --recursive "$machine/sys/module/sm4_fast"
    is_in proc/crypto
    monitored 3 '.problems == [] and .warnings == [.parameters]' 'no parameter bacth.'
}

@test "monitoring: tiers that the module does not have" {
    local line
    is_well
    # One is left out: ttable, and with it the bare sm4.
    is_in etc/modprobe.d/tiers.conf 'options sm4-fast tiers=aesni-avx2,ttabel'
    is_in sys/module/sm4_fast/parameters/tiers aesni-avx2,ttabel
    monitored 3 '.problems == [] and .warnings == [.parameters]' \
        'tiers=aesni-avx2,ttabel leaves out ttabel, which sm4-fast does not have. Is it misspelt?'
    [[ $output == *'The tiers are: all, ttable, avx2, aesni-avx2'* ]]
    # The parameter may have been given by hand.
    rm "$machine/etc/modprobe.d/tiers.conf"
    monitored 3 '.warnings == [.parameters]' 'leaves out ttabel,'
    is_in sys/module/sm4_fast/parameters/tiers aesni-avx2,ttable
    monitored 0 '.parameters.state == "good"'
    # None is known: modprobe fails, and the kernel's own requests get the default.
    is_in etc/modprobe.d/tiers.conf 'options sm4-fast tiers=aesni'
    is_in sys/module/sm4_fast/parameters/tiers aesni
    monitored 3 '.problems == [] and .warnings == [.parameters]' '/etc/modprobe.d has tiers=aesni, and sm4-fast has no such tier:'
    rm --recursive "$machine/sys/module/sm4_fast"
    is_in proc/crypto
    monitored 1 '.fitness.parameters.state == "bad" and .warnings == []' 'modprobe fails ("Invalid argument")'
    [[ $output != *Nothing* && $output == *'The tiers are: all, ttable, avx2, aesni-avx2'* ]]
    # Whatever the kernel cannot read, it refuses.
    is_in etc/modprobe.d/tiers.conf 'options sm4-fast batch=maybe'
    monitored 1 '.fitness.parameters.state == "bad"' '/etc/modprobe.d has batch=maybe, and batch is either 0 or 1: loading fails'
    for line in 'tiers=all batch=no' tiers=avx2 fallback_only; do
        is_in etc/modprobe.d/tiers.conf "options sm4-fast $line"
        expected=0 says 'Nothing keeps'
    done
}

@test "an output without UTF-8, and a processor whose name is not ASCII" {
    is_well
    is_in proc/cpuinfo $'model name\t: A processor\xa9' 'flags		: fpu avx aes'
    run -0 env LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 "$repository/tools/sm4-fast-info" --no-speed
    [[ $output == *', A processor#'* ]]
}

@test "monitoring: the kernel that is booted next has no module" {
    is_well
    # By number, not by letters; a rescue image belongs to no kernel.
    is_in boot/vmlinuz-6.6.0-9.x86_64
    is_in boot/vmlinuz-0-rescue-5e1b
    monitored 0 ".next_kernel.release == \"$release\""
    is_in boot/vmlinuz-6.6.0-103.x86_64
    monitored 3 '.problems == [] and .next_kernel.release == "6.6.0-103.x86_64" and .warnings == [.next_kernel]' \
        'The kernel that is booted next, 6.6.0-103.x86_64, has no module sm4-fast'
    # As in distributions with RPM
    rm "$machine"/boot/vmlinuz-*
    is_in lib/modules/6.10.1-1.x86_64/vmlinuz
    monitored 3 '.next_kernel.release == "6.10.1-1.x86_64" and .next_kernel.state == "bad"' \
        'make KDIR=/lib/modules/6.10.1-1.x86_64/build && sudo make KDIR=/lib/modules/6.10.1-1.x86_64/build install'
    is_in usr/src/sm4-fast-0.2/dkms.conf
    monitored 3 '.next_kernel.state == "bad"' \
        '> Install its headers, then: sudo /usr/src/sm4-fast-0.2/install-by-dkms'
    # A saved file is not booted.
    is_in boot/vmlinuz-6.99.1-1.x86_64.dpkg-bak
    has_module 6.10.1-1.x86_64 '6.10.1-1.x86_64 SMP mod_unload '
    monitored 0 '.next_kernel.state == "good"'
}

@test "monitoring: the kernel that is booted next would refuse the module" {
    is_well
    is_in boot/vmlinuz-6.6.0-103.x86_64
    has_module 6.6.0-103.x86_64 "$release SMP mod_unload "
    monitored 3 '.warnings == [.next_kernel]' \
        "booted next is 6.6.0-103.x86_64. sm4-fast is built for $release, and 6.6.0-103.x86_64 refuses it"
    has_module 6.6.0-103.x86_64 '6.6.0-103.x86_64 SMP '
    monitored 0 '.next_kernel.state == "good"'
    # The loaded module is signed, or was loaded before.
    is_in sys/kernel/security/lockdown 'none [integrity] confidentiality'
    monitored 3 '.problems == [] and .warnings == [.next_kernel]' \
        'booted next is 6.6.0-103.x86_64. The kernel loads only modules that are signed'
    rm "$machine/boot/vmlinuz-6.6.0-103.x86_64"
    monitored 3 '.warnings == [.next_kernel]' "> Sign the module"
}

@test "monitoring: an earlier version is loaded than the installed one" {
    is_well
    is_in sys/module/sm4_fast/version 0.1
    monitored 3 '.problems == [] and .warnings == [.loaded_version]' 'Version 0.1 of sm4-fast is loaded, and 0.2 is installed'
    # A Debian with dracut has no update-initramfs.
    [[ $output == *"sudo /usr/libexec/sm4-fast/renew-initramfs $release"* ]]
    is_in sys/module/sm4_fast/version 0.2
    monitored 0 '.loaded_version.state == "good"'
}

# Sets the Debian packages linux-$2, linux-$3... to the state $1.
packages_are() {
    local package
    for package in "${@:2}"; do
        printf '%s\n' "Package: linux-$package" "Status: $1" 'Version: 1' 'Architecture: amd64' 'Maintainer: none' \
            'Description: none' ''
    done >>"$machine/var/lib/dpkg/status"
}

@test "monitoring: later kernels come without their headers" {
    is_well
    is_in var/lib/dpkg/status
    # The kernel's own package installs no new kernels, nor do Ubuntu's packages of more modules or of debug symbols.
    packages_are 'install ok installed' "image-$release" "image-unsigned-$release" image-extra-virtual image-amd64-dbg
    packages_are 'deinstall ok config-files' image-rt-amd64
    monitored 0 '.headers_to_come.state == "good"'
    packages_are 'install ok installed' image-cloud-amd64 headers-amd64
    monitored 3 '.problems == [] and .warnings == [.headers_to_come]' '> sudo apt install linux-headers-cloud-amd64'
    packages_are 'install ok installed' image-generic-hwe-24.04
    monitored 3 '.warnings == [.headers_to_come]' 'linux-headers-cloud-amd64 linux-headers-generic-hwe-24.04'
    packages_are 'install ok installed' headers-cloud-amd64 headers-generic-hwe-24.04
    monitored 0 '.headers_to_come.state == "good"'
}

@test "monitoring: the C code does too much" {
    is_well
    options=(--max-fallbacks 7)
    monitored 0 '.warnings == []'
    options=(--max-fallbacks 6)
    monitored 3 '.warnings[0].message | test("7 pieces of work")' 'more than 6'
    options=()
    is_in sys/module/sm4_fast/parameters/fallback_only Y
    is_in etc/modprobe.d/slow.conf 'options sm4_fast fallback_only=1'
    monitored 3 '.fallback_only and (.warnings | length == 1)' '7 pieces of work because fallback_only is set'
    options=(--max-fallbacks 6)
    monitored 3 '.warnings[1].next == "The cause is fallback_only."' 'The cause is fallback_only.'
}

# Its output, in both forms, without the machine's name
said() {
    "$repository/tools/sm4-fast-info" --no-speed
    "$repository/tools/sm4-fast-info" --no-speed --json
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
    drivers=$("$repository/tools/sm4-fast-info" --no-speed --json | jq .drivers)
    kill "$writer"
    # End the cat for which it waits.
    timeout 10 cat "$machine/proc/crypto" >/dev/null || true
    [[ $drivers -eq 2 ]]
}

@test "drivers of later kernels, with new lines, count" {
    is_well
    sed --in-place 's/^type .*/fips         : yes\nnovelty      : 1\n&/; s/^blocksize .*/&\nmax novelty  : none/' \
        "$machine/proc/crypto"
    monitored 0 '.drivers == 1'
}

@test "a kernel with the module built in, and an initramfs without it" {
    is_well
    rm -r "$machine/lib/modules/$release"
    is_in "lib/modules/$release/modules.builtin" kernel/crypto/sm4-fast/sm4-fast.ko
    printf 'sm4_fast.%s\0' license=GPL file=crypto/sm4-fast/sm4-fast version=0.2 \
        >"$machine/lib/modules/$release/modules.builtin.modinfo"
    depmod --basedir "$machine" $release
    {
        driver 'ecb(sm4)' ecb-sm4-ttable-fast kernel 280 skcipher
        driver 'hmac(sm3)' 'hmac(sm3-avx-fast)' kernel 390 shash
    } >"$machine/proc/crypto"
    is_in "boot/initrd.img-$release"
    command_is bin/lsinitramfs usr/lib/modules/1/kernel/fs/ext4.ko
    command_is usr/libexec/sm4-fast/warn-users '    root sm4-xts-plain64, which the root file system is on'
    monitored 0 '.drivers == 1 and .tiers[0].name == "ttable" and .warnings == [] and .notes == []'
}

@test "no control character reaches the terminal" {
    is_well
    is_in proc/cpuinfo $'model name\t: A \e[31mprocessor\x7f' 'flags		: fpu avx aes'
    is_in "boot/initrd.img-$release"
    command_is bin/lsinitramfs nothing
    command_is usr/libexec/sm4-fast/warn-users $'    se\e]0;cret\a sm4-xts-plain64'
    monitored 3 '.cpu == "A ?[31mprocessor?"' 'may have to open se?]0;cret? sm4-xts-plain64.'
    run ! grep --quiet '[[:cntrl:]]' <(env PATH="$machine/bin:$PATH" "$repository/tools/sm4-fast-info" --no-speed | tr -d '\n')
}

@test "monitoring: the initramfs of the kernel that is booted next lacks the module" {
    is_well
    is_in "boot/initrd.img-$release"
    command_is bin/lsinitramfs usr/lib/modules/1/kernel/fs/ext4.ko
    monitored 0 '.notes == [.initramfs]'
    [[ $output == *"note Whether /boot/initrd.img-$release has to open a device with SM4 cannot be determined"* ]]
    # No device needs it there, as far as users can see.
    command_is usr/libexec/sm4-fast/warn-users
    monitored 0 '.initramfs.state == "good"'
    command_is bin/lsblk '/dev/vda3 crypto_LUKS'
    monitored 0 '.initramfs.state == "good"'
    command_is usr/libexec/sm4-fast/warn-users '    root sm4-xts-plain64, which the root file system is on' \
        '    more sm4-xts-plain64'
    monitored 3 '.problems == [] and .warnings == [.initramfs]' \
        "/boot/initrd.img-$release, of the kernel that is booted next, lacks sm4-fast, and may have to open root sm4-xts-plain64,"
    [[ $output == *"file system is on; more sm4-xts-plain64."*"> sudo /usr/libexec/sm4-fast/renew-initramfs $release"* ]]
    command_is bin/lsinitramfs usr/lib/modules/1/updates/dkms/sm4-fast.ko.xz
    monitored 0 '.initramfs.state == "good"'
    # Dracut's
    mv "$machine/boot/initrd.img-$release" "$machine/boot/initramfs-$release.img"
    command_is bin/lsinitramfs
    command_is bin/lsinitrd -rw-r--r--
    monitored 3 '.warnings == [.initramfs]' "/boot/initramfs-$release.img, of the kernel"
    # An invalid image, such as an empty one, and one that only root can read
    is_in bin/lsinitrd '#!/bin/false'
    monitored 3 '.warnings == [.initramfs]' "/boot/initramfs-$release.img, of the kernel that is booted next, cannot be listed,"
    [[ $output == *"> sudo /usr/libexec/sm4-fast/renew-initramfs $release"* ]]
    # Nothing is known where neither program is installed.
    mkdir few
    ln --symbolic --target-directory=few /usr/bin/{cat,python3} "$(command -v modinfo)"
    run -0 env PATH="$PWD/few" "$repository/tools/sm4-fast-info" --no-speed
    [[ $output == *"note         /boot/initramfs-$release.img, of the kernel"* ]]
    chmod 0 "$machine/boot/initramfs-$release.img"
    run -0 setpriv --bounding-set=-dac_override,-dac_read_search env PATH="$machine/bin:$PATH" "$repository/tools/sm4-fast-info" \
        --no-speed
    [[ $output == *"note         Only root can read /boot/initramfs-$release.img,"*'> sudo sm4-fast-info'* ]]
}

# Makes a header of LUKS2 in the file $1, whose key slots have the following ciphers, or are for a reencryption.
luks_is_in() {
    local slots
    slots=$(jq --null-input --compact-output '[$ARGS.positional | to_entries[] | {key: (.key | tostring), value: {
        area: (if .value == "reencrypt" then {type: "none"} else {encryption: .value} end)}}] | from_entries' --args "${@:2}")
    mkdir --parents "$(dirname "$machine/$1")"
    { printf 'LUKS\xba\xbe\0\2\0\0\0\0\0\0\x40\0'; head --bytes=4080 /dev/zero; echo "{\"keyslots\":$slots}"; } >"$machine/$1"
    truncate --size=32K "$machine/$1"
}

@test "monitoring: a key slot that cryptsetup cannot open on Linux 7.3" {
    is_well
    command_is bin/cryptsetup 'cryptsetup 2.7.5 flags: UDEV BLKID KEYRING KERNEL_CAPI'
    command_is bin/lsblk '/dev/vda ' '/dev/vda3 crypto_LUKS' '/dev/vdb crypto_LUKS'
    luks_is_in dev/vda3 aes-xts-plain64 sm4-xts-plain64 sm4-xts-plain64 reencrypt
    luks_is_in dev/vdb aes-xts-plain64
    monitored 0 '.key_slots.state == "good" and .notes == []'
    is_in boot/vmlinuz-7.3.1-amd64
    has_module 7.3.1-amd64 '7.3.1-amd64 SMP mod_unload '
    monitored 3 '.problems == [] and .warnings == [.key_slots]' \
        'cryptsetup 2.7.5 cannot open /dev/vda3 (key slot 1, 2) on Linux 7.3.1-amd64: the key slots use SM4. > Switch them'
    command='sudo cryptsetup luksConvertKey --keyslot-cipher aes-xts-plain64 --keyslot-key-size 512 /dev/vda3 '
    [[ $output == *"> Switch them to AES, with the passphrase of each key slot: $command"* ]]
    # The same for the running kernel, wherever it is from
    rm "$machine/boot/vmlinuz-7.3.1-amd64"
    is_in proc/sys/kernel/osrelease 7.10.0
    monitored 3 '.warnings[0] == .key_slots' 'on Linux 7.10.0:'
    is_in proc/sys/kernel/osrelease $release
    # And a kernel whose AF_ALG is blocked, by name
    is_in etc/modprobe.d/copy-fail.conf '# against CVE-2026-31431' 'install algif-skcipher /bin/false'
    monitored 3 '.warnings == [.key_slots]' \
        'while "install algif-skcipher /bin/false" in /etc/modprobe.d/copy-fail.conf, line 2, blocks algif_skcipher'
    # This line does not block it, because it applies to other names.
    is_in etc/modprobe.d/copy-fail.conf 'blacklist algif_skcipher'
    monitored 0 '.notes == []'
    # A header in its own file, in /etc/crypttab
    is_in boot/vmlinuz-7.3.1-amd64
    luks_is_in dev/vda3 aes-xts-plain64
    luks_is_in 'srv/header;1' sm4-xts-plain64
    luks_is_in srv/old sm4-xts-plain64
    is_in etc/crypttab '# old /srv/old none luks' '' 'secret UUID=1234 none luks,header=/srv/header;1,discard' 'swap /dev/vdc /dev/urandom swap'
    monitored 3 '.warnings == [.key_slots]' 'cannot open /srv/header;1 (key slot 0) on Linux'
    [[ $output == *"512 '/srv/header;1'"* ]]
    # A cryptsetup that does not need AF_ALG
    command_is bin/cryptsetup 'cryptsetup 2.8.7 flags: UDEV'
    monitored 0 '.key_slots.state == "good"'
}

@test "monitoring: a header that only root can read, and invalid headers" {
    is_well
    is_in boot/vmlinuz-7.3.1-amd64
    has_module 7.3.1-amd64 '7.3.1-amd64 SMP mod_unload '
    command_is bin/cryptsetup 'cryptsetup 2.7.5'
    command_is bin/lsblk '/dev/vda3 crypto_LUKS'
    luks_is_in dev/vda3 sm4-xts-plain64
    chmod 0 "$machine/dev/vda3"
    run -0 setpriv --bounding-set=-dac_override,-dac_read_search env PATH="$machine/bin:$PATH" "$repository/tools/sm4-fast-info" \
        --no-speed --json
    jq --exit-status '.warnings == [] and .notes == [.key_slots] and
        (.key_slots.message | test("only root can check whether /dev/vda3"))' <<<"$output"
    # Any text, a header that is cut off, and LUKS1, which cryptsetup opens by dm-crypt, too
    chmod 644 "$machine/dev/vda3"
    for keyslots in '[' '[]' '{"0":1}' '{"0":{"area":{"encryption":2}}}' '{"sm4":{"area":{"encryption":"sm4"}}}' \
        "$(printf '[%.0s' {1..9000})"; do
        { printf 'LUKS\xba\xbe\0\2\0\0\0\0\0\0\x7f\0'; head --bytes=4080 /dev/zero; echo "{\"keyslots\":$keyslots}"; } \
            >"$machine/dev/vda3"
        monitored 0 '.notes == []'
    done
    printf 'LUKS\xba\xbe\0\2' >"$machine/dev/vda3"
    monitored 0 '.notes == []'
    printf 'LUKS\xba\xbe\0\1sm4\0' >"$machine/dev/vda3"
    monitored 0 '.notes == []'
}

@test "monitoring: a setting that blocks the module, with the file and the line" {
    is_well
    is_in etc/modprobe.d/other.conf 'install sm4_fast /sbin/modprobe --ignore-install sm4_fast && touch /run/loaded' \
        'blacklist sm4' 'blacklist sm4_fast2'
    monitored 0 '.blocked.state == "good"'
    is_in etc/modprobe.d/no-sm4.conf '' '# left behind' 'install sm4-fast   /bin/false'
    rm "$machine/etc/modprobe.d/other.conf"
    monitored 3 '.warnings == [.blocked]' \
        '"install sm4-fast /bin/false" in /etc/modprobe.d/no-sm4.conf, line 3, keeps the kernel from loading sm4-fast.'
    # If it is not loaded, it cannot be loaded.
    rm --recursive "$machine/sys/module/sm4_fast"
    monitored 1 '.warnings == [] and (.problems | length == 1) and .fitness.blocked.state == "bad"' \
        '/etc/modprobe.d/no-sm4.conf, line 3,'
    [[ $output != *Nothing* ]]
    is_in etc/modprobe.d/no-sm4.conf 'blacklist sm4_fast'
    monitored 1 '.fitness.blocked.state == "bad"' '"blacklist sm4_fast" in /etc/modprobe.d/no-sm4.conf, line 1,'
    rm "$machine/etc/modprobe.d/no-sm4.conf"
    monitored 0 '.problems == []'
    is_in proc/cmdline 'root=/dev/vda1 module_blacklist=nouveau,sm4_fast quiet'
    monitored 1 '.fitness.blocked.state == "bad"' "module_blacklist of the kernel's command line"
}

@test "other blocked modules, as against the vulnerabilities of 2026, cause no warning" {
    is_well
    is_in etc/modprobe.d/copy-fail.conf 'install algif_aead /bin/false' 'install algif_skcipher /bin/true' 'blacklist esp4' \
        'install esp6 /bin/false' 'blacklist algif_hash'
    monitored 0 '.warnings == [] and (.notes | length == 4)'
    run "$repository/tools/sm4-fast-info" --no-speed
    output=$(tr --squeeze-repeats '\n ' ' ' <<<"$output")
    for module in algif_skcipher algif_aead esp4 esp6; do
        [[ $output == *" $module /bin/"*", blocks $module: "* || $output == *"\"blacklist $module\""*" blocks $module: "* ]]
    done
}

@test "a truncated module: the advice is not depmod, but another build" {
    local file=$machine/lib/modules/$release/extra/sm4-fast.ko
    has_fitting_module
    is_in usr/src/sm4-fast-0.2/dkms.conf
    mkdir --parents "$machine/var/lib/dkms/sm4-fast/0.2/$release/x86_64/module"
    cp "$file" "$machine/var/lib/dkms/sm4-fast/0.2/$release/x86_64/module"
    expected=0 says 'Nothing keeps'
    # A module that was signed by hand after the build
    echo signature >>"$file"
    expected=0 says 'Nothing keeps'
    truncate --size=-64 "$file"
    says "The module's file /lib/modules/$release/extra/sm4-fast.ko is cut off, as by a full disk." \
        "> sudo /usr/src/sm4-fast-0.2/install-by-dkms"
    # Also for the kernel that is booted next, and without DKMS's file
    is_well
    rm --recursive "$machine/var/lib/dkms"
    truncate --size=-64 "$file"
    monitored 3 '.warnings == [.next_kernel]' "$release. The module's file /lib/modules/$release/extra/sm4-fast.ko is cut off"
    # Only the signature at the end is cut off.
    is_well
    mkdir --parents "$machine/var/lib/dkms/sm4-fast/0.2/$release/x86_64/module"
    { cat "$file"; echo '~Module signature appended~'; } >"$machine/var/lib/dkms/sm4-fast/0.2/$release/x86_64/module/sm4-fast.ko"
    monitored 3 '.warnings == [.next_kernel]' 'is cut off'
}

@test "monitoring: an old build of the installed version" {
    is_well
    monitored 0 '.sources.state == "good"'
    command_is usr/src/sm4-fast-0.2/tools/source-checksum 0123456789abcdef
    monitored 3 '.problems == [] and .warnings == [.sources]' \
        "sm4-fast of Linux $release was not built from /usr/src/sm4-fast-0.2 as it is now"
    has_module $release "$release SMP " sources=fedcba9876543210
    monitored 3 '.warnings == [.sources]' "> sudo /usr/src/sm4-fast-0.2/install-by-dkms"
    has_module $release "$release SMP " sources=0123456789abcdef
    monitored 0 '.sources.state == "good"'
    # The same for the kernel that is booted next
    is_in boot/vmlinuz-6.6.0-103.x86_64
    has_module 6.6.0-103.x86_64 '6.6.0-103.x86_64 SMP '
    monitored 3 '.warnings == [.sources]' 'sm4-fast of Linux 6.6.0-103.x86_64 was not built'
    # A later version was installed, whose build has failed for these kernels.
    mv "$machine"/usr/src/sm4-fast-0.2 "$machine"/usr/src/sm4-fast-0.3
    monitored 3 '.warnings == [.sources]' 'has version 0.2 of sm4-fast, and not 0.3, whose sources are installed'
}

@test "monitoring: another build of the installed version is loaded" {
    is_well
    has_module $release "$release SMP " srcversion=0123456789ABCDEF0123456
    is_in sys/module/sm4_fast/srcversion 0123456789ABCDEF0123456
    monitored 0 '.loaded_version.state == "good"'
    is_in sys/module/sm4_fast/srcversion FEDCBA98765432100123456
    monitored 3 '.warnings == [.loaded_version]' 'Another build of sm4-fast is loaded than is installed'
}

@test "parameters, as the kernel reads them" {
    local shown line
    is_well
    is_in sys/module/sm4_fast/parameters/tiers avx2,ttable
    while read -r shown line; do
        is_in sys/module/sm4_fast/parameters/batch "$shown"
        is_in etc/modprobe.d/gateway.conf "options sm4-fast $line"
        [[ $("$repository/tools/sm4-fast-info" --no-speed --json | jq --raw-output .parameters.state) == good ]]
    done <<'END'
Y batch
Y batch=yes
Y batch=true
Y batch=On
Y batch=1
Y batch="1"
Y "batch=yes"
Y batch=0 batch=1
N batch=no
N batch=False
N batch=oFF
N tiers="avx2,ttable" batch=0
N "tiers=avx2,ttable"
END
    has_module $release "$release SMP " tier={y,yes}
    is_in sys/module/sm4_fast/parameters/tiers y
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast tiers=y'
    monitored 0 '.parameters.state == "good"'
    # A value that looks boolean need not be.
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast tiers=yes'
    monitored 3 '.warnings == [.parameters]' '/etc/modprobe.d has tiers=yes; sm4-fast was loaded with tiers=y.'
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast batch=off'
    is_in sys/module/sm4_fast/parameters/batch Y
    monitored 3 '.warnings == [.parameters]' '/etc/modprobe.d has batch=N; sm4-fast was loaded with batch=Y.'
}

@test "a program that waits for a device for ever does not block it" {
    is_well
    is_in bin/cryptsetup '#!/bin/sh' 'sleep 600'
    is_in usr/libexec/sm4-fast/warn-users '#!/bin/sh' 'sleep 600 & wait'
    chmod 755 "$machine/bin/cryptsetup" "$machine/usr/libexec/sm4-fast/warn-users"
    is_in "boot/initrd.img-$release"
    export SM4_FAST_PATIENCE=3
    SECONDS=0
    monitored 0 '.warnings == []'
    [[ $SECONDS -lt 120 ]]
    for _ in {1..50}; do
        pgrep --full "$machine" || return 0
        sleep 0.1
    done
    false
}

@test "whether ESP finds SM4, and if not, why" {
    local file=$machine/lib/modules/$release/extra/sm4-fast-esp.ko
    is_well
    monitored 0 '.esp.state == "good" and .notes == []'
    [[ $output == *'ESP finds SM4 by sm4-fast-esp, which is loaded when IPsec is used.'* ]]
    # Nobody uses IPsec yet.
    truncate --size=200 "$file"
    esp_lacks 0 "The module's file ${file#"$machine"} is cut off"
    rm "$file"
    depmod --basedir "$machine" $release
    esp_lacks 0 "Linux $release has no module sm4-fast-esp. > make && sudo make install"
    is_in usr/src/sm4-fast-0.2/dkms.conf
    # As after modprobe -r
    mkdir --parents "$machine/sys/module/xfrm_user"
    esp_lacks 3 "Linux $release has no module sm4-fast-esp. > sudo /usr/src/sm4-fast-0.2/install-by-dkms"
    has_fitting_module
    esp_lacks 3 'sm4-fast-esp is not loaded. > sudo modprobe sm4-fast-esp'
    rmdir "$machine/sys/module/xfrm_user"
    is_in "lib/modules/$release/modules.builtin" kernel/net/xfrm/xfrm_user.ko
    esp_lacks 3 'sm4-fast-esp is not loaded. > sudo modprobe sm4-fast-esp'
    is_in proc/sys/kernel/modprobe /bin/false
    esp_lacks 3 'kernel.modprobe is "/bin/false"'
    is_in proc/sys/kernel/modules_disabled 1
    esp_lacks 3 'kernel.modules_disabled is 1: until the next boot,'
    rm "$machine"/proc/sys/kernel/mod*
    is_in sys/module/module/parameters/sig_enforce Y
    rm "$machine/boot/vmlinuz-$release"
    esp_lacks 3 'The kernel loads only modules that are signed'
    rm "$machine/sys/module/module/parameters/sig_enforce"
    has_module $release "$release SMP preempt mod_unload modversions " 'stand_in=could not be built'
    esp_lacks 3 'sm4-fast-esp cannot be built for this kernel, which has a stand-in for it.'
    has_fitting_module
    is_in proc/sys/kernel/ftrace_enabled 0
    esp_lacks 3 'kernel.ftrace_enabled is 0'
    is_in "boot/config-$release" CONFIG_DYNAMIC_FTRACE_WITH_REGS=y CONFIG_LTO=y CONFIG_XFRM_ALGO=y
    esp_lacks 3 'link-time optimization (CONFIG_LTO) may have inlined what sm4-fast-esp hooks.'
    is_in "boot/config-$release" '# CONFIG_CRYPTO_MANAGER_DISABLE_TESTS is not set'
    esp_lacks 3 'the kernel is built without'
    mkdir "$machine/sys/module/sm4_fast_esp"
    monitored 0 '.esp.state == "good"'
    [[ $output == *'ESP finds SM4 by sm4-fast-esp.'* ]]
}

@test "whoever has blocked sm4-fast-esp knows why: no warning, but a note" {
    is_well
    mkdir --parents "$machine/sys/module/xfrm_user"
    is_in etc/modprobe.d/live-patches.conf 'install sm4_fast_esp /bin/false'
    esp_lacks 0 '"install sm4_fast_esp /bin/false" in /etc/modprobe.d/live-patches.conf, line 1, keeps the kernel from loading sm4-fast-esp.'
}

@test "monitoring: another build of sm4-fast-esp is loaded than is installed, or the next kernel has none" {
    is_well
    has_module $release "$release SMP " srcversion=0123456789ABCDEF0123456
    is_in sys/module/sm4_fast_esp/version 0.2
    is_in sys/module/sm4_fast_esp/srcversion 0123456789ABCDEF0123456
    monitored 0 '.loaded_version.state == "good" and .next_kernel.state == "good"'
    is_in sys/module/sm4_fast_esp/srcversion FEDCBA98765432100123456
    monitored 3 '.warnings == [.loaded_version]' 'Another build of sm4-fast-esp is loaded than is installed'
    is_in sys/module/sm4_fast_esp/version 0.1
    monitored 3 '.warnings == [.loaded_version]' 'Version 0.1 of sm4-fast-esp is loaded, and 0.2 is installed'
    rm "$machine"/sys/module/sm4_fast_esp/*version
    is_in boot/vmlinuz-6.6.0-103.x86_64
    has_module 6.6.0-103.x86_64 '6.6.0-103.x86_64 SMP '
    monitored 0 '.next_kernel.state == "good"'
    rm "$machine/lib/modules/6.6.0-103.x86_64/extra/sm4-fast-esp.ko"
    monitored 3 '.warnings == [.next_kernel]' \
        'booted next, 6.6.0-103.x86_64, has no module sm4-fast-esp, and has SM4 for ESP only as far as its own table.'
    # If none is used now, none is missed then.
    rmdir "$machine/sys/module/sm4_fast_esp"
    monitored 0 '.next_kernel.state == "good"'
}

@test "a kernel that loads no module" {
    has_fitting_module
    is_in proc/sys/kernel/modules_disabled 1
    monitored 1 '.fitness.loading.state == "bad" and (.problems | length == 1)' \
        'kernel.modules_disabled is 1: until the next boot, the kernel loads no module ("Operation not permitted"). > Restart.'
    [[ $output != *Nothing* ]]
    is_in proc/sys/kernel/modules_disabled 0
    monitored 0 '.problems == []'
    # One that is loaded works.
    is_well
    is_in proc/sys/kernel/modules_disabled 1
    monitored 0 '.warnings == []'
}

@test "a kernel that starts no modprobe for requests" {
    local helper
    has_fitting_module
    command_is sbin/modprobe
    command_is usr/bin/kmod
    command_is bin/false
    is_in sbin/script
    mkdir "$machine"/{masked,linked}
    ln --symbolic ../bin/false "$machine/masked/modprobe"
    ln --symbolic ../usr/bin/kmod "$machine/linked/modprobe"
    for helper in /sbin/modprobe /linked/modprobe; do
        is_in proc/sys/kernel/modprobe "$helper"
        monitored 0 '.problems == []'
    done
    for helper in '' /bin/false /masked/modprobe /sbin/script /nowhere/modprobe; do
        is_in proc/sys/kernel/modprobe "$helper"
        monitored 1 '.fitness.loading.state == "bad"' \
            "kernel.modprobe is \"$helper\": the kernel loads no module that is requested (\"No such file or directory\")."
        [[ $output == *'> sudo sysctl kernel.modprobe=/sbin/modprobe'*'sudo modprobe sm4-fast'* && $output != *Nothing* ]]
    done
    # Another program may do what modprobe does.
    is_in proc/sys/kernel/modprobe /usr/bin/kmod
    monitored 0 '.problems == [] and .fitness.loading.state == "unknown"'
}

@test "DKMS may have its files elsewhere" {
    local file=$machine/lib/modules/$release/extra/sm4-fast.ko
    has_fitting_module
    mkdir --parents "$machine/srv/dkms/sm4-fast/0.2/$release/x86_64/module"
    { cat "$file"; echo '~Module signature appended~'; } >"$machine/srv/dkms/sm4-fast/0.2/$release/x86_64/module/sm4-fast.ko"
    expected=0 says 'Nothing keeps'
    is_in etc/dkms/framework.conf '# dkms_tree="/nowhere"' 'dkms_tree="/var/lib/elsewhere"'
    expected=0 says 'Nothing keeps'
    is_in etc/dkms/framework.conf.d/tree.conf 'dkms_tree=/srv/dkms  # the big disk'
    says "The module's file /lib/modules/$release/extra/sm4-fast.ko is cut off"
    rm --recursive "$machine/etc/dkms/framework.conf.d"
    is_in etc/dkms/framework.conf "dkms_tree='/srv/dkms'"
    says 'is cut off'
}

@test "an ordinary user is told of the initramfs only where SM4 is in use" {
    as_user() {
        chmod -R go+rX "$BATS_TEST_TMPDIR"
        run -0 setpriv --reuid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search \
            env PATH="$machine/bin:$PATH" "$repository/tools/sm4-fast-info" --no-speed
        output=$(tr --squeeze-repeats '\n ' ' ' <<<"$output")
    }
    is_well
    is_in "boot/initrd.img-$release"
    command_is usr/libexec/sm4-fast/warn-users
    command_is bin/lsblk '/dev/vda3 crypto_LUKS'
    # SM3 is no cipher.
    driver sm3 sm3-generic-fast sm4_fast 150 shash | sed 's/^refcnt .*/refcnt       : 2/' >>"$machine/proc/crypto"
    as_user
    [[ $output != *note* ]]
    sed --in-place 's/^refcnt .*/refcnt       : 2/' "$machine/proc/crypto"
    as_user
    [[ $output == *" note Whether /boot/initrd.img-$release has to open a device"*'> sudo sm4-fast-info'* ]]
}

@test "a line fits 80 columns where there is no terminal, and a terminal's width" {
    is_well
    command_is bin/cryptsetup 'cryptsetup 2.7.5'
    command_is bin/lsblk '/dev/vda3 crypto_LUKS'
    luks_is_in dev/vda3 sm4-xts-plain64
    is_in boot/vmlinuz-7.3.1-amd64
    # COLUMNS is for programs that know their terminal better than the kernel does.
    env --unset=COLUMNS PATH="$machine/bin:$PATH" "$repository/tools/sm4-fast-info" --no-speed >shown || [[ $? -eq 3 ]]
    grep '> Switch them to AES' shown
    run ! grep '.\{81\}' shown
    env COLUMNS=60 PATH="$machine/bin:$PATH" "$repository/tools/sm4-fast-info" --no-speed | sed -n '/WARNING/,$p' >shown
    run ! grep '.\{61\}' shown
}

@test "it names the documents where they are" {
    is_in proc/sys/kernel/osrelease 3.10.0-1160.el7.x86_64
    says 'docs/install.md of the sources lists'
    is_in usr/share/doc/sm4-fast-dkms/docs/install.md
    says '/usr/share/doc/sm4-fast-dkms/docs/install.md lists'
}

@test "--help and the manual explain every exit status" {
    run -0 "$repository/tools/sm4-fast-info" --help
    for value in 0 1 2 3; do
        [[ $output == *"Exit status:"*$'\n'"  $value  "* ]]
        grep --line-regexp --after-context=1 '\.TP' "$repository/tools/sm4-fast-info.1" | grep --line-regexp "\.B $value"
    done
}

# The version of RHEL 8; these two parameters of subprocess came with 3.7.
@test "it is written for Python 3.6" {
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 6))' "$repository/tools/sm4-fast-info"
    run ! grep --word-regexp --extended-regexp 'text=True|capture_output' "$repository/tools/sm4-fast-info"
}
