#!/usr/bin/env bats
# bats --formatter tap test/packaging/information.bats
#
# Tests sm4-fast-info on machines, each of which is a folder with the files that it reads. test/docs/pages.t runs it on a
# kernel, with measurements, by the commands of docs/af-alg.md and docs/disk.md. Does not change this machine.

# Each test is a subshell.
# shellcheck disable=SC2030,SC2031
bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

readonly release=6.6.0-72.x86_64 next=6.6.0-103.x86_64 loaded=sys/module/sm4_fast
readonly info=$repository/tools/sm4-fast-info

setup_file() {
    "$repository/test/need" kmod binutils openssl jq linux-headers-amd64 cryptsetup-bin
}

setup() {
    machine=$BATS_TEST_TMPDIR/machine
    file=$machine/lib/modules/$release/extra/sm4-fast.ko
    export SM4_FAST_ROOT=$machine
    cd "$BATS_TEST_TMPDIR" || exit
    is_in proc/sys/kernel/osrelease $release
    is_in proc/cpuinfo 'model name	: A processor' 'flags		: fpu avx aes'
    is_in proc/crypto
    is_in "lib/modules/$release/build/Makefile"
    install -D --target-directory="$machine/usr/libexec/sm4-fast" "$repository/packaging/is-complete"
    is_in "boot/config-$release" '# CONFIG_CRYPTO_MANAGER_DISABLE_TESTS is not set' CONFIG_DYNAMIC_FTRACE_WITH_REGS=y
}

# ---- machines ----

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

# Gives the kernel $1 both modules, with the vermagic $2 or its own; more fields of modinfo follow.
has_module() {
    local name
    mkdir --parents "$machine/lib/modules/$1/extra"
    for name in sm4_fast sm4_fast_esp; do
        printf '%s\0' name=$name "vermagic=${2:-$1 SMP preempt mod_unload modversions }" version=0.2 "${@:3}" >modinfo
        [[ $name == sm4_fast_esp ]] || printf '%s\0' parmtype={tiers:charp,fallback_only:bool,batch:bool} \
            tier={'ttable 280 () GCM ()','avx2 850 (avx, avx2) GCM (pclmulqdq)'} \
            tier={'aesni-avx2 870 (avx, avx2, aes) GCM (pclmulqdq)','sm3-avx 390 (avx, bmi1, bmi2)'} >>modinfo
        objcopy --input-target=binary --output-target=elf64-x86-64 \
            --rename-section .data=.modinfo,alloc,load,readonly,data,contents modinfo \
            "$machine/lib/modules/$1/extra/${name//_/-}.ko"
    done
    depmod --basedir "$machine" "$1"
}

signed_by() {
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj "/CN=$1/" -keyout key.pem -outform DER -out certificate.der
    sign_file=$(printf '%s\n' /lib/modules/*/build/scripts/sign-file | tail --lines=1)
    "$sign_file" sha256 key.pem certificate.der "$file"
}

# A machine without problems: the module is loaded, and the kernel that can be booted has it.
is_well() {
    is_in $loaded/version 0.2
    is_in $loaded/parameters/fpu_fallbacks 7
    is_in $loaded/parameters/fallback_only N
    driver 'ecb(sm4)' ecb-sm4-ttable-fast sm4_fast 280 skcipher >"$machine/proc/crypto"
    is_in "boot/vmlinuz-$release"
    has_module $release
}

is_not_loaded() {
    rm --recursive "${machine:?}/$loaded"
    is_in proc/crypto
}

# ---- what it says of them ----

# Checks the exit status $1, that the expression $2 is true for the JSON, and that the text contains the other arguments, in
# this order. Neither users nor cron have the folder of modprobe in PATH.
finds() {
    local text rest form
    for form in --json ''; do
        # shellcheck disable=SC2086  # no word if it is empty
        run env PATH="$machine/bin:/usr/bin:/bin" "$info" --no-speed $form "${options[@]}"
        [[ $status -eq $1 ]]
        [[ -z $form ]] || jq --exit-status "$2" <<<"$output"
    done
    # In one line, because the program wraps long lines.
    output=$(tr --squeeze-repeats '\n ' ' ' <<<"$output")
    if [[ $1 -eq 0 ]]; then [[ $output != *WARNING* ]]; fi
    rest=$output
    for text in "${@:3}"; do
        [[ $rest == *"$text"* ]]
        rest=${rest#*"$text"}
    done
}

# Nothing is wrong, and the check $1 says so.
good() {
    finds 0 ".$1.state == \"good\"" "${@:2}"
}

# The check $1 is the only thing that is not right: a warning, or a note.
warns() {
    finds 3 ".problems == [] and .warnings == [.$1]" "${@:2}"
}
notes() {
    finds 0 ".warnings == [] and .notes == [.$1]" "${@:2}"
}

# The check of a kernel that can be booted, by default of the running one, for good, warns and notes
of_kernel() {
    echo "kernels[] | select(.release == \"${1-$release}\")"
}

# The module is not loaded, and the check $1 says why it cannot be, or nothing keeps the kernel from loading it.
cannot_be_loaded() {
    finds 1 ".fitness.$1.state == \"bad\" and (.problems | length == 1) and .warnings == []" "${@:2}"
    [[ $output != *Nothing* ]]
}
can_be_loaded() {
    finds 0 '.problems == []' "Nothing keeps Linux $release from loading it"
}

# ESP does not find SM4 because of $2: a warning if the exit status $1 is 3.
esp_lacks() {
    local text="ESP has SM4 only as far as the kernel's own table: $2"
    if [[ $1 -eq 0 ]]; then notes esp "$text"; else warns esp "$text"; fi
    [[ $output != *'finds SM4'* ]]
}

# ---- processors ----

@test "the tier of Hygon's instructions, together with the vendor's drivers" {
    is_well
    is_in proc/cpuinfo 'model name	: Hygon C86' 'flags		: fpu avx aes hygon_sm4'
    {
        driver 'ecb(sm4)' ecb-sm4-cis-avx-fast sm4_fast 930 skcipher
        driver 'ecb(sm4)' ecb-sm4-cis sm4_cis 400 skcipher
        driver sm3 sm3-cis sm3_cis 400 shash
    } >"$machine/proc/crypto"
    finds 0 '.vendors_drivers == ["ecb-sm4-cis", "sm3-cis"] and .tiers[0].name == "cis-avx" and
        .features == ["avx", "aes", "hygon_sm4"]' "tiers cis-avx (930) vendor's ecb-sm4-cis, sm3-cis self-tests 1 of 1"
}

@test "Zhaoxin's GMI, which is listed by the same names as Intel's instructions, and both" {
    is_well
    is_in proc/cpuinfo 'model name	: ZHAOXIN KaiXian' \
        'flags		: fpu avx aes rng rng_en sm3 sm4 sm3_en sm4_en ace2 lahf_lm abm bmi1 avx2'
    finds 0 '.features == ["avx", "aes", "sm3_en", "sm4_en", "bmi1", "avx2"]'
    is_in proc/cpuinfo 'flags		: fpu avx rng sm3 sm4 sm3_en sm4_en ace2 lahf_lm sha512 sm3 sm4 umip'
    finds 0 '.features == ["avx", "sm3_en", "sm4_en", "sm3", "sm4"]'
    is_in proc/cpuinfo 'flags		: fpu avx lahf_lm sha512 sm3 sm4 umip'
    finds 0 '.features == ["avx", "sm3", "sm4"]'
}

@test "what the processor has, by the module of another kernel, and without any module" {
    has_module 6.6.1 '6.6.1 SMP '
    finds 1 '.features == ["avx", "aes"]' 'This processor: A processor, with avx aes'
    rm --recursive "$machine/lib/modules/6.6.1"
    finds 1 '.features == null' 'This processor: A processor'
    [[ $output != *'A processor, with'* ]]
    # It is loaded, but its file is gone: a removal was cut off.
    is_well
    rm --recursive "${machine:?}/lib/modules/$release"
    "$info" --no-speed >without || [[ $? -eq 3 ]]
    run ! grep '^  processor' without
}

# ---- why the module cannot be loaded ----

@test "a suitable module: it only has to be loaded" {
    has_module $release
    finds 0 '.loaded == false' 'sm4-fast is not loaded.' 'A processor' 'avx aes' \
        "Nothing keeps Linux $release from loading it: it does so when SM4 is requested, or by modprobe sm4-fast"
    # Also with measurements, of which there are none
    "$info"
}

@test "a kernel that is too old, and no other message" {
    is_in proc/sys/kernel/osrelease 3.10.0-1160.el7.x86_64
    cannot_be_loaded kernel 'Linux 3.10.0-1160.el7.x86_64 is too old: sm4-fast requires 4.18 and later' '> Start a newer kernel' \
        'docs/install.md of the sources lists'
    [[ ${output#*'>'} != *'>'* ]]
    is_in usr/share/doc/sm4-fast/docs/install.md
    cannot_be_loaded kernel '/usr/share/doc/sm4-fast/docs/install.md lists'
    is_in proc/sys/kernel/osrelease 4.17.19
    finds 1 '(.fitness | keys == ["kernel"]) and (.fitness.kernel.message | startswith("Linux 4.17.19 is too old")) and
        (.fitness.kernel.next | startswith("Start"))' 'is too old'
    is_in proc/sys/kernel/osrelease 4.18.0-553.el8_10.x86_64
    cannot_be_loaded module 'Linux 4.18.0-553.el8_10.x86_64 has no module'
}

@test "FIPS mode, without the advice to load the module" {
    has_module $release
    is_in proc/sys/crypto/fips_enabled 0
    can_be_loaded
    is_in proc/sys/crypto/fips_enabled 1
    finds 1 '(.problems[0].next | test("fips=1")) and (tostring | test("modprobe") | not)' \
        'The kernel is in FIPS mode' 'refuses to load there' '> Start the kernel without fips=1'
    [[ $output != *modprobe* ]]
}

@test "missing headers, with the distribution's command" {
    rm --recursive "$machine/lib/modules/$release/build"
    cannot_be_loaded headers "The headers of Linux $release are missing" "> sudo dnf install kernel-devel-$release" \
        'has no module sm4-fast' 'make && sudo make install'
    is_in usr/bin/apt-get
    cannot_be_loaded headers "> sudo apt install linux-headers-$release"
}

@test "a module for another kernel, and none for this one" {
    has_module 6.6.0-28.x86_64
    is_in usr/src/sm4-fast-0.1/dkms.conf
    cannot_be_loaded module "sm4-fast is built for 6.6.0-28.x86_64, not for Linux $release." \
        '> sudo /usr/src/sm4-fast-0.1/install-by-dkms'
    [[ $output != *headers* ]]
    # By number, not by letters
    is_in usr/src/sm4-fast-0.10/dkms.conf
    is_in usr/src/sm4-fast-0.9/dkms.conf
    cannot_be_loaded module '> sudo /usr/src/sm4-fast-0.10/install-by-dkms'
}

@test "a module in the folder of this kernel that was built for another one" {
    has_module $release '6.6.0-28.x86_64 SMP mod_unload '
    cannot_be_loaded module "sm4-fast is built for 6.6.0-28.x86_64, and $release refuses it" \
        '> make && sudo make install (in the folder with the sources of sm4-fast)'
    # For example a link of weak-updates, which may work, and needs no headers
    has_module $release '6.6.0-28.x86_64 SMP mod_unload modversions '
    rm -r "$machine/lib/modules/$release/build"
    finds 0 '.fitness.module.state == "unknown"' "sm4-fast is built for 6.6.0-28.x86_64: $release loads it only if" \
        '> If it does not load:'
}

@test "a module for which depmod has not been run" {
    has_module $release
    rm "$machine/lib/modules/$release"/modules.*
    touch "$machine/lib/modules/$release/modules.dep"
    cannot_be_loaded module "modprobe does not find sm4-fast in /lib/modules/$release" "> sudo depmod $release"
}

@test "a signature that is required and missing" {
    has_module $release
    is_in sys/kernel/security/lockdown 'none [integrity] confidentiality'
    cannot_be_loaded signature 'loads only modules that are signed' 'the signature is refused' '> Sign the module'
    is_in sys/kernel/security/lockdown '[none] integrity confidentiality'
    can_be_loaded
    is_in sys/module/module/parameters/sig_enforce Y
    cannot_be_loaded signature 'the signature is refused'
}

@test "a signature by a key that the kernel does not trust, and by one that it does" {
    local key='0b5e3cb4 I------ 1 perm 1f030000'
    has_module $release
    signed_by 'a throwaway key'
    is_in sys/kernel/security/lockdown 'none [integrity] confidentiality'
    finds 0 '.problems == []' 'signed by "a throwaway key"; only root can check whether the kernel trusts that key.' \
        '> sudo sm4-fast-info'
    is_in proc/keys "$key 0 0 asymmetri Its maker: A key: 6ccece7e4c6c0d1f: X509.rsa 0d1f []"
    cannot_be_loaded signature 'signed by "a throwaway key", which the kernel does not trust' \
        '> Enrol that key in the firmware (sudo mokutil --import'
    is_in proc/keys "$key 1000 1000 asymmetri a throwaway key: 6ccece7e4c6c0d1f: X509.rsa 0d1f []"
    finds 0 '.problems == []' 'only root can check whether the kernel trusts that key.'
    is_in proc/keys "${key/ 1 /     1 }     0     0 asymmetri a throwaway key: 6ccece7e4c6c0d1f: X509.rsa 0d1f []
32523e3b I------     1 perm 1f0b0000     0     0 keyring   .builtin_trusted_keys: 1"
    # As on openEuler 22.03, where a key of the firmware is among the kernel's and does not count for modules
    finds 0 '.problems == []' 'signed by "a throwaway key", a key that the kernel has' 'not every kernel accepts it' \
        '> sudo modprobe sm4-fast'
    is_in usr/bin/apt-get
    can_be_loaded
}

@test "a truncated module: the advice is not depmod, but another build" {
    local dkms=$machine/var/lib/dkms/sm4-fast/0.2/$release/x86_64/module
    has_module $release
    is_in usr/src/sm4-fast-0.2/dkms.conf
    mkdir --parents "$dkms"
    cp "$file" "$dkms"
    can_be_loaded
    # A module that was signed by hand after the build
    echo signature >>"$file"
    can_be_loaded
    truncate --size=-64 "$file"
    cannot_be_loaded module "The module's file ${file#"$machine"} is cut off, as by a full disk." \
        '> sudo /usr/src/sm4-fast-0.2/install-by-dkms'
    # Also for a kernel that can be booted, and without DKMS's file
    is_well
    mkdir "$machine/lib/modules/$release/weak-updates"
    ln --symbolic ../gone "$machine/lib/modules/$release/weak-updates/sm4-fast.ko"
    good "$(of_kernel)"
    mv "$dkms" .
    truncate --size=-64 "$file"
    warns "$(of_kernel)" "Linux $release, which can be booted, does not load sm4-fast. The module's file ${file#"$machine"} is cut off"
    # Only the signature at the end is cut off.
    is_well
    mv module "$dkms"
    echo '~Module signature appended~' >>"$dkms/sm4-fast.ko"
    warns "$(of_kernel)" 'is cut off'
}

@test "DKMS may have its files elsewhere" {
    has_module $release
    install -D "$file" "$machine/srv/dkms/sm4-fast/0.2/$release/x86_64/module/sm4-fast.ko"
    echo '~Module signature appended~' >>"$machine/srv/dkms/sm4-fast/0.2/$release/x86_64/module/sm4-fast.ko"
    can_be_loaded
    is_in etc/dkms/framework.conf '# dkms_tree="/nowhere"' 'dkms_tree="/var/lib/elsewhere"'
    can_be_loaded
    is_in etc/dkms/framework.conf.d/tree.conf 'dkms_tree=/srv/dkms  # the big disk'
    cannot_be_loaded module "The module's file ${file#"$machine"} is cut off"
    rm --recursive "$machine/etc/dkms/framework.conf.d"
    is_in etc/dkms/framework.conf "dkms_tree='/srv/dkms'"
    cannot_be_loaded module 'is cut off'
}

@test "a setting that blocks the module, with the file and the line" {
    is_well
    is_in etc/modprobe.d/other.conf 'install sm4_fast /sbin/modprobe --ignore-install sm4_fast && touch /run/loaded' \
        'blacklist sm4' 'blacklist sm4_fast2'
    good blocked
    is_in etc/modprobe.d/no-sm4.conf '' '# left behind' 'install sm4-fast   /bin/false'
    rm "$machine/etc/modprobe.d/other.conf"
    warns blocked \
        '"install sm4-fast /bin/false" in /etc/modprobe.d/no-sm4.conf, line 3, keeps the kernel from loading sm4-fast.'
    # If it is not loaded, it cannot be loaded.
    is_not_loaded
    cannot_be_loaded blocked '/etc/modprobe.d/no-sm4.conf, line 3,'
    is_in etc/modprobe.d/no-sm4.conf 'blacklist sm4_fast'
    cannot_be_loaded blocked '"blacklist sm4_fast" in /etc/modprobe.d/no-sm4.conf, line 1,'
    rm "$machine/etc/modprobe.d/no-sm4.conf"
    can_be_loaded
    is_in proc/cmdline 'root=/dev/vda1 module_blacklist=nouveau,sm4_fast quiet'
    cannot_be_loaded blocked "module_blacklist of the kernel's command line"
}

@test "other blocked modules, as against the vulnerabilities of 2026, cause no warning" {
    is_well
    is_in etc/modprobe.d/copy-fail.conf 'install algif_aead /bin/false' 'install algif_skcipher /bin/true' 'blacklist esp4' \
        'install esp6 /bin/false' 'blacklist algif_hash'
    finds 0 '.warnings == [] and (.notes | length == 4)'
    for module in algif_skcipher algif_aead esp4 esp6; do
        [[ $output == *" $module /bin/"*", blocks $module: "* || $output == *"\"blacklist $module\""*" blocks $module: "* ]]
    done
}

@test "a kernel that loads no module" {
    has_module $release
    is_in proc/sys/kernel/modules_disabled 1
    cannot_be_loaded loading 'kernel.modules_disabled is 1: until the next boot, the kernel loads no module' \
        '("Operation not permitted"). > Restart.'
    is_in proc/sys/kernel/modules_disabled 0
    can_be_loaded
    # One that is loaded works.
    is_well
    is_in proc/sys/kernel/modules_disabled 1
    finds 0 '.warnings == []'
}

@test "a kernel that starts no modprobe for requests" {
    local helper
    has_module $release
    command_is sbin/modprobe
    command_is usr/bin/kmod
    command_is bin/false
    is_in sbin/script
    mkdir "$machine"/{masked,linked}
    ln --symbolic ../bin/false "$machine/masked/modprobe"
    ln --symbolic ../usr/bin/kmod "$machine/linked/modprobe"
    for helper in /sbin/modprobe /linked/modprobe; do
        is_in proc/sys/kernel/modprobe "$helper"
        can_be_loaded
    done
    for helper in '' /bin/false /masked/modprobe /sbin/script /nowhere/modprobe; do
        is_in proc/sys/kernel/modprobe "$helper"
        cannot_be_loaded loading \
            "kernel.modprobe is \"$helper\": the kernel loads no module that is requested (\"No such file or directory\")." \
            '> sudo sysctl kernel.modprobe=/sbin/modprobe' 'sudo modprobe sm4-fast'
    done
    # Another program may do what modprobe does.
    is_in proc/sys/kernel/modprobe /usr/bin/kmod
    finds 0 '.problems == [] and .fitness.loading.state == "unknown"'
}

# ---- a module that is loaded, or could be ----

@test "no problem" {
    is_well
    finds 0 ".problems == [] and .warnings == [] and .kernels[0].release == \"$release\" and .kernels[0].state == \"good\" and
        .next_kernel.state == \"good\" and .fpu_fallbacks == 7 and .fallback_only == false"
    # There is no warning if no kernel is found, as when /boot is not mounted.
    rm "$machine/boot/vmlinuz-$release"
    command_is usr/libexec/sm4-fast/warn-users '    root sm4-xts-plain64'
    notes next_kernel '> If /boot is not mounted:'
    run -2 sh -c "'$info' --no-speed >/dev/full"
    [[ $output == *'cannot be written: No space left on device' ]]
}

@test "no warning if the module is not loaded yet, as after each boot, but if it cannot be" {
    is_well
    is_not_loaded
    # There is no message about the loaded module, either.
    finds 0 '.loaded == false and .problems == [] and .warnings == [] and
        ([.loaded_version, .parameters | .state] == ["unknown", "unknown"])'
    is_in "boot/config-$release" CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y
    finds 0 '.selftests.next | test("runs known-answer tests.*before it registers it")'
    is_in sys/module/module/parameters/sig_enforce Y
    finds 1 '.problems[0].message == "sm4-fast is not loaded, and cannot be." and .loaded_version.state == "unknown"' \
        'sm4-fast is not loaded'
}

@test "a kernel without self-tests: passed means nothing there, and the module's own tests do" {
    is_well
    good selftests '1 of 1 drivers have passed'
    [[ $output != *known* ]]
    # As in Ubuntu; and since 6.16, with the option off and without it
    for option in CONFIG_CRYPTO_MANAGER_DISABLE_TESTS=y '# CONFIG_CRYPTO_SELFTESTS is not set' CONFIG_CRYPTO=y; do
        is_in "boot/config-$release" "$option"
        finds 0 '.selftests.state == "unknown"' 'built without its self-tests' 'ran known-answer tests on every tier'
    done
    is_in "boot/config-$release" CONFIG_CRYPTO_SELFTESTS=y CONFIG_DYNAMIC_FTRACE_WITH_REGS=y
    good selftests
    is_in sys/module/cryptomgr/parameters/notests Y
    finds 0 '.selftests.state == "unknown"' 'switched off'
    # Only the kernel itself contains its configuration.
    rm "$machine/boot/config-$release"
    is_in sys/module/cryptomgr/parameters/notests N
    finds 0 '.selftests.state == "unknown"' 'cannot be determined'
    echo CONFIG_CRYPTO_SELFTESTS=y | gzip >"$machine/proc/config.gz"
    good selftests
}

@test "a driver has not passed its self-test" {
    is_well
    sed --in-place 's/passed/unknown/' "$machine/proc/crypto"
    finds 1 '.problems[0].message | test("ecb-sm4-ttable-fast has not passed")' 'not passed: ecb-sm4-ttable-fast'
}

@test "with batch=1, the number of packets in a batch" {
    is_well
    finds 0 '.batch == false and .packets_per_batch == null'
    [[ $output != *batches* ]]
    is_in $loaded/parameters/batch Y
    is_in $loaded/parameters/batches 0
    is_in $loaded/parameters/batched 0
    finds 0 '.batch == true and .packets_per_batch == null' 'batches none yet'
    is_in $loaded/parameters/batches 40
    # The module goes between two reads.
    rm "$machine/$loaded/parameters/batched"
    finds 0 '.loaded'
    is_in $loaded/parameters/batched 590
    finds 0 '.packets_per_batch == 14.8' 'batches 14.8 packets each, on average'
}

@test "the C code does too much" {
    is_well
    options=(--max-fallbacks 7)
    finds 0 '.warnings == []'
    options=(--max-fallbacks 6)
    finds 3 '.warnings[0].message | test("7 pieces of work")' 'more than 6'
    options=()
    is_in $loaded/parameters/fallback_only Y
    is_in etc/modprobe.d/slow.conf 'options sm4_fast fallback_only=1'
    finds 3 '.fallback_only and (.warnings | length == 1)' '7 pieces of work because fallback_only is set'
    options=(--max-fallbacks 6)
    finds 3 '.warnings[1].next == "The cause is fallback_only."' 'The cause is fallback_only.'
}

# Columns: the options in modprobe.d; the parameters batch and tiers of the loaded module; the warning, if there is one
@test "parameters in modprobe.d, as the kernel reads them, and those that it was loaded with" {
    local line batch tiers text
    is_well
    while IFS='|' read -r line batch tiers text; do
        is_in etc/modprobe.d/gateway.conf "${line:+options sm4-fast $line}"
        is_in $loaded/parameters/batch "$batch"
        is_in $loaded/parameters/tiers "$tiers"
        if [[ -z $text ]]; then good parameters; else warns parameters "$text"; fi
    done <<'END'
|N|(null)|
batch|Y|avx2|
batch=yes|Y|avx2|
batch=true|Y|avx2|
batch=On|Y|avx2|
batch=1|Y|avx2|
batch="1"|Y|avx2|
"batch=yes"|Y|avx2|
batch=0 batch=1|Y|avx2|
batch=no|N|avx2|
batch=False|N|avx2|
batch=oFF|N|avx2|
tiers="avx2,ttable" batch=0|N|avx2,ttable|
"tiers=avx2,ttable"|N|avx2,ttable|
batch=off|Y|avx2|/etc/modprobe.d has batch=N; sm4-fast was loaded with batch=Y.
batch=1|N|(null)|/etc/modprobe.d has batch=Y; sm4-fast was loaded with batch=N.
fallback_only tiers=ttable,avx2 batch=on|Y|(null)|/etc/modprobe.d has fallback_only=Y tiers=ttable,avx2; sm4-fast was loaded with fallback_only=N tiers=(null).
bacth=1 batch=1|Y|(null)|/etc/modprobe.d has bacth=1, and sm4-fast has no parameter bacth. Is it misspelt? > The parameters are: batch, fallback_only, tiers
bacth=1 batch=1|N|(null)|no parameter bacth. Is it misspelt? /etc/modprobe.d has batch=Y; sm4-fast was loaded with batch=N.
tiers=aesni-avx2,ttabel|N|aesni-avx2,ttabel|tiers=aesni-avx2,ttabel leaves out ttabel, which sm4-fast does not have. Is it misspelt? > The tiers are: all, ttable, avx2, aesni-avx2
|N|aesni-avx2,ttabel|leaves out ttabel,
|N|aesni-avx2,ttable|
tiers=aesni|N|aesni|/etc/modprobe.d has tiers=aesni, and sm4-fast has no such tier:
END
    # What to do
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast bacth=1'
    warns parameters 'no parameter bacth'
    [[ $output != *'modprobe -r'* ]]
    is_in etc/modprobe.d/gateway.conf 'options sm4_fast batch=1'
    is_in $loaded/parameters/tiers '(null)'
    warns parameters 'sudo modprobe -r sm4-fast && sudo modprobe sm4-fast' "sudo /usr/libexec/sm4-fast/renew-initramfs $release"
    # An older module is loaded, without one of them.
    rm "$machine/$loaded/parameters/batch"
    warns parameters 'loaded with no parameter batch.'
    # A value that looks boolean need not be.
    has_module $release '' tier={y,yes}
    is_in $loaded/parameters/tiers y
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast tiers=y'
    good parameters
    is_in etc/modprobe.d/gateway.conf 'options sm4-fast tiers=yes'
    warns parameters '/etc/modprobe.d has tiers=yes; sm4-fast was loaded with tiers=y.'
}

@test "parameters in modprobe.d before the module is loaded" {
    has_module $release
    # The kernel loads it nevertheless.
    is_in etc/modprobe.d/tiers.conf 'options sm4-fast bacth=1 batch=1'
    warns parameters 'no parameter bacth.'
    # No tier is known: modprobe fails, and the kernel's own requests get the default.
    is_in etc/modprobe.d/tiers.conf 'options sm4-fast tiers=aesni'
    cannot_be_loaded parameters 'modprobe fails ("Invalid argument")' 'The tiers are: all, ttable, avx2, aesni-avx2'
    # Whatever the kernel cannot read, it refuses.
    is_in etc/modprobe.d/tiers.conf 'options sm4-fast batch=maybe'
    cannot_be_loaded parameters '/etc/modprobe.d has batch=maybe, and batch is either 0 or 1: loading fails'
    for line in 'tiers=all batch=no' tiers=avx2 fallback_only; do
        is_in etc/modprobe.d/tiers.conf "options sm4-fast $line"
        can_be_loaded
    done
}

@test "another version or build is loaded than is installed" {
    is_well
    is_in $loaded/version 0.1
    # A Debian with dracut has no update-initramfs.
    warns loaded_version 'Version 0.1 of sm4-fast is loaded, and 0.2 is installed' \
        "sudo /usr/libexec/sm4-fast/renew-initramfs $release"
    is_in $loaded/version 0.2
    good loaded_version
    has_module $release '' srcversion=0123456789ABCDEF0123456
    is_in $loaded/srcversion 0123456789ABCDEF0123456
    is_in ${loaded}_esp/version 0.2
    is_in ${loaded}_esp/srcversion 0123456789ABCDEF0123456
    good loaded_version
    is_in ${loaded}_esp/srcversion FEDCBA98765432100123456
    warns loaded_version 'Another build of sm4-fast-esp is loaded than is installed'
    is_in ${loaded}_esp/version 0.1
    warns loaded_version 'Version 0.1 of sm4-fast-esp is loaded, and 0.2 is installed'
    rm --recursive "$machine/${loaded}_esp"
    is_in $loaded/srcversion FEDCBA98765432100123456
    warns loaded_version 'Another build of sm4-fast is loaded than is installed'
}

@test "an old build of the installed version" {
    is_well
    good sources
    command_is usr/src/sm4-fast-0.2/tools/source-checksum 0123456789abcdef
    warns sources "sm4-fast of Linux $release was not built from /usr/src/sm4-fast-0.2 as it is now"
    has_module $release '' sources=fedcba9876543210
    warns sources '> sudo /usr/src/sm4-fast-0.2/install-by-dkms'
    has_module $release '' sources=0123456789abcdef
    good sources
    # The same for another kernel
    is_in boot/vmlinuz-$next
    has_module $next
    warns sources "sm4-fast of Linux $next was not built"
    # A later version was installed, whose build has failed for these kernels.
    mv "$machine"/usr/src/sm4-fast-0.2 "$machine"/usr/src/sm4-fast-0.3
    warns sources 'has version 0.2 of sm4-fast, and not 0.3, whose sources are installed'
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
    finds 0 '.way == "built in" and .drivers == 1 and .tiers[0].name == "ttable" and .warnings == [] and .notes == []'
}

# ---- the kernels that can be booted ----

# Boot loaders sort differently where a release has "+", "rc" or numbers after letters. So each kernel of a pair is looked at.
@test "a kernel that can be booted has no module, whichever is booted next" {
    local pair with without
    is_well
    rm "$machine/boot/vmlinuz-$release"
    for pair in 6.6.0-99=6.6.0-100 6.10.134-16.an8=6.10.134-16.3.an8 6.18.0-553.el8_10=6.18.0-553.5.1.el8_10 \
        6.9-rc3-amd64=6.9-amd64 6.13.0-rc7=6.13.0 6.12.57=6.12.57+ 6.12.9-amd64=6.12.9+bpo-amd64 \
        6.1.0-1025-amd64=6.1.0-1025+test-amd64 6.9.48+deb13-amd64=6.9.48+deb13.1-amd64; do
        is_in "boot/vmlinuz-${pair%=*}"
        is_in "boot/vmlinuz-${pair#*=}"
        for with in "${pair%=*}" "${pair#*=}"; do
            without=$(printf '%s\n' "${pair%=*}" "${pair#*=}" | grep --invert-match --line-regexp --fixed-strings "$with")
            has_module "$with"
            warns "$(of_kernel "$without")" \
                "Linux $without, which can be booted, has no module sm4-fast, and cannot open anything encrypted with SM4." \
                '> Install its headers, then: make KDIR=' "/$without/build install" 'or remove that kernel'
            rm --recursive "$machine/lib/modules/$with"
        done
        rm "$machine/boot/vmlinuz-${pair%=*}" "$machine/boot/vmlinuz-${pair#*=}"
    done
    # A module in the kernel's own sources is not installed.
    is_in usr/src/linux/crypto/sm4-fast.ko
    mkdir --parents "$machine/lib/modules/6.10.1-1.x86_64"
    ln --symbolic "$machine/usr/src/linux" "$machine/lib/modules/6.10.1-1.x86_64/build"
    # As in distributions with RPM; both are named. Neither a rescue image, which belongs to no kernel, nor a saved file is.
    is_in lib/modules/6.10.1-1.x86_64/vmlinuz
    is_in lib/modules/6.10.2-1.x86_64/vmlinuz
    is_in boot/vmlinuz-0-rescue-5e1b
    is_in boot/vmlinuz-6.99.1-1.x86_64.dpkg-bak
    is_in usr/src/sm4-fast-0.2/dkms.conf
    finds 3 '.warnings == .kernels and ([.kernels[].release] == ["6.10.1-1.x86_64", "6.10.2-1.x86_64"]) and
        (.next_kernel | .state == "bad" and .release == null)' 'Linux 6.10.1-1.x86_64, which can be booted, has no module' \
        'then: sudo /usr/src/sm4-fast-0.2/install-by-dkms' 'Linux 6.10.2-1.x86_64, which can be booted, has no module'
    has_module 6.10.1-1.x86_64
    has_module 6.10.2-1.x86_64
    finds 0 '.next_kernel.state == "good" and .notes == []'
    # One that is too old for the module
    is_in boot/vmlinuz-4.9.0-19-amd64
    warns "$(of_kernel 4.9.0-19-amd64)" 'does not load sm4-fast. Linux 4.9.0-19-amd64 is too old' '> Start a newer kernel'
}

# The boot loader is set to Linux $next by something, $1.
starts_next() {
    rm --recursive "$machine/lib/modules/$next"
    finds 3 ".next_kernel.release == \"$next\" and .next_kernel.source == \"$1\" and .next_kernel.state == \"bad\" and
        .warnings == [.$(of_kernel $next)] and .notes == []" "WARNING Linux $next, which is booted next ($1), has no module sm4-fast,"
    has_module $next
    rm --recursive "$machine/lib/modules/$release"
    finds 0 ".next_kernel.release == \"$next\" and .next_kernel.state == \"good\" and .warnings == [] and
        ([.notes[].release | strings] == [\"$release\"])" "$next: make, booted next ($1)" \
        "note Linux $release, which can be booted, has no module sm4-fast,"
    has_module $release
}

@test "the boot loader says which kernel it starts next: that is a warning, and others are notes" {
    local id=0123456789abcdef0123456789abcdef entry
    is_well
    is_in boot/vmlinuz-$next
    has_module $next
    is_in etc/default/grub '# GRUB_DEFAULT=0' GRUB_DEFAULT=saved GRUB_TIMEOUT=5
    # Names and titles of entries, as RPM distributions, Debian and users write them
    for entry in "$id-$next" "$id-$next.conf" "Anolis OS ($next) 8.8" "gnulinux-advanced-5e1b>gnulinux-$next-advanced-5e1b" \
        "Advanced options for Debian GNU/Linux>Debian GNU/Linux, with Linux $next"; do
        is_in boot/grub2/grubenv '# GRUB Environment Block' "saved_entry=$entry" boot_success=1 '####'
        starts_next 'saved_entry of GRUB'
    done
    # A number, another kernel, such as one with a longer name, and an entry that GRUB does not use say nothing.
    rm --recursive "$machine/lib/modules/$release"
    for entry in 1 "$id-0-rescue" "$id-$next+" "$id-6.$next"; do
        is_in boot/grub2/grubenv "saved_entry=$entry"
        warns "$(of_kernel)" "Linux $release, which can be booted, has no module"
    done
    is_in boot/grub2/grubenv "saved_entry=$id-$next"
    is_in etc/default/grub.d/local.cfg 'GRUB_DEFAULT="0"'
    warns "$(of_kernel)" "Linux $release, which can be booted, has no module"
    has_module $release
    # The first entry of the menu is the default.
    is_in boot/grub/grub.cfg "set default=\"\${next_entry}\"" 'set default="0"' \
        "menuentry 'Debian GNU/Linux' {" "	linux	/boot/vmlinuz-$next root=/dev/vda1" '}' \
        "menuentry 'Debian GNU/Linux, with Linux $release' {" "	linux	/boot/vmlinuz-$release root=/dev/vda1" '}'
    starts_next "GRUB's first entry"
    # The next boot alone
    is_in etc/default/grub GRUB_DEFAULT=saved
    rm --recursive "$machine/etc/default/grub.d" "$machine/boot/grub"
    is_in boot/grub/grubenv "saved_entry=$id-$release" "next_entry=$id-$next"
    rm "$machine/boot/grub2/grubenv"
    starts_next 'next_entry of GRUB'
    # grubby knows also by number.
    is_in boot/grub/grubenv saved_entry=1
    command_is bin/grubby "/boot/vmlinuz-$next"
    starts_next 'grubby --default-kernel'
    rm "$machine/bin/grubby" "$machine/boot/grub/grubenv"
    # What bootctl 252 prints; it knows an entry beside GRUB, too.
    command_is bin/bootctl 'Current Boot Loader:' '      Product: systemd-boot 252.39-1~deb12u2' '' \
        'Boot Loader Entries:' "        \$BOOT: /boot/efi" '' 'Default Boot Loader Entry:' \
        '         type: Boot Loader Specification Type #1 (.conf)' '        title: Debian GNU/Linux 12 (bookworm)' \
        "           id: $id-$next.conf" "      version: $next" "        linux: /$id/$next/linux" '' 'Other:' "version: $release"
    starts_next bootctl
    sed --in-place 's/systemd-boot/GRUB/' "$machine/bin/bootctl"
    finds 0 '.next_kernel.release == null'
}

@test "a kernel that can be booted would refuse the module" {
    is_well
    is_in boot/vmlinuz-$next
    has_module $next "$release SMP mod_unload "
    warns "$(of_kernel $next)" "Linux $next, which can be booted, does not load sm4-fast. sm4-fast is built for $release, and $next refuses it"
    has_module $next
    good "$(of_kernel $next)"
    # The loaded module is signed, or was loaded before.
    rm "$machine/boot/vmlinuz-$release"
    is_in sys/kernel/security/lockdown 'none [integrity] confidentiality'
    warns "$(of_kernel $next)" 'does not load sm4-fast. The kernel loads only modules that are signed'
    mv "$machine/boot/vmlinuz-$next" "$machine/boot/vmlinuz-$release"
    warns "$(of_kernel)" '> Sign the module'
}

@test "a kernel that can be booted has no SM4 for ESP, where that is used now" {
    is_well
    is_in boot/vmlinuz-$next
    has_module $next
    mkdir "$machine/${loaded}_esp"
    good "$(of_kernel $next)"
    rm "$machine/lib/modules/$next/extra/sm4-fast-esp.ko"
    warns "$(of_kernel $next)" \
        "Linux $next, which can be booted, has no module sm4-fast-esp, and has SM4 for ESP only as far as its own table."
    # If none is used now, none is missed then.
    rmdir "$machine/${loaded}_esp"
    good "$(of_kernel $next)"
}

# Sets the Debian packages $2, $3... to the state $1, in $version.
packages_are() {
    local package
    for package in "${@:2}"; do
        printf '%s\n' "Package: $package" "Status: $1" "Version: ${version:-1}" 'Architecture: amd64' 'Maintainer: none' \
            'Description: none' ''
    done >>"$machine/var/lib/dpkg/status"
}

# Installs the Debian package $1, which has the files $2, $3...
package_has() {
    packages_are 'install ok installed' "$1"
    is_in "var/lib/dpkg/info/$1.list" /. "${@:2}"
}

# A machine without a compiler, whose modules come in packages
is_without_compiler() {
    is_well
    rm --recursive "$machine/lib/modules/$release/build"
    is_in usr/bin/apt-get
    is_in var/lib/dpkg/status
    package_has sm4-fast /usr/bin/sm4-fast-info
    # The files are below /lib, which is a link in real systems.
    package_has "sm4-fast-modules-$release" "/usr/lib/modules/$release/extra/sm4-fast.ko"
    package_has sm4-fast-modules-amd64
    packages_are 'install ok installed' linux-image-amd64
}

# Nothing is said of headers, or of building.
without_compiler() {
    "$@"
    [[ $output != *headers* && $output != *make* && $output != *install-by-dkms* ]]
}

@test "modules in packages: nobody is told to install headers, or to build" {
    is_without_compiler
    without_compiler finds 0 ".way == \"package\" and .package == \"sm4-fast-modules-$release\" and .notes == [] and
        (.kernels[0] | .way == \"package\" and .package == \"sm4-fast-modules-$release\")" \
        "modules $release: package sm4-fast-modules-$release"
    # What is kept of a package that was removed
    mkdir --parents "$machine/lib/modules/$release/updates"
    mv "$machine/lib/modules/$release/extra" "$machine/lib/modules/$release/updates/sm4-fast-kept"
    depmod --basedir "$machine" $release
    without_compiler finds 0 '.way == "package" and .package == null' "modules $release: package"
    mv "$machine/lib/modules/$release/updates/sm4-fast-kept" "$machine/lib/modules/$release/extra"
    depmod --basedir "$machine" $release
    # Another kernel has none.
    is_in boot/vmlinuz-$next
    without_compiler warns "$(of_kernel $next)" "> sudo apt install sm4-fast-modules-${next/_/-}; or remove that kernel"
    [[ $output == *"modules $next: none; $release: package"* || $output == *"modules $release: package "*"; $next: none"* ]]
    rm "$machine/boot/vmlinuz-$next"
    # The package for the kernels to come is missing.
    sed --in-place 's/sm4-fast-modules-amd64/another/' "$machine/var/lib/dpkg/status"
    without_compiler warns headers_to_come 'linux-image-amd64 will install new kernels without the module.' \
        '> If a repository has it: sudo apt install sm4-fast-modules-amd64;' \
        'if none has: sudo apt-mark hold linux-image-amd64'
    # It is on hold, as on a machine that no repository reaches.
    sed --in-place=.saved '/^Package: linux-image-amd64$/{n;s/install ok/hold ok/}' "$machine/var/lib/dpkg/status"
    without_compiler notes headers_to_come 'note On hold: linux-image-amd64. No new kernel comes,' \
        '> When you have its module: sudo apt-mark unhold linux-image-amd64'
    packages_are 'install ok installed' linux-image-cloud-amd64
    without_compiler warns headers_to_come 'WARNING linux-image-cloud-amd64 will install'
    [[ $output != *'hold linux-image-amd64'* ]]
    mv "$machine/var/lib/dpkg/status.saved" "$machine/var/lib/dpkg/status"
    sed --in-place 's/another/sm4-fast-modules-amd64/' "$machine/var/lib/dpkg/status"
    # Ubuntu's kernels for virtual machines, and those before 24.04, which no package with modules follows
    sed --in-place=.saved '/^Package: linux-image-amd64$/,/^$/d' "$machine/var/lib/dpkg/status"
    cp "$machine/var/lib/dpkg/status" .
    version=6.8.0-151.151 packages_are 'install ok installed' linux-image-virtual-hwe-24.04
    without_compiler warns headers_to_come 'sudo apt install sm4-fast-modules-generic-hwe-24.04;' \
        'sudo apt-mark hold linux-image-virtual-hwe-24.04'
    cp status "$machine/var/lib/dpkg/status"
    version=5.15.0.204.200 packages_are 'install ok installed' linux-image-virtual
    without_compiler warns headers_to_come '> sudo apt-mark hold linux-image-virtual'
    [[ $output != *sm4-fast-modules-generic* ]]
    mv "$machine/var/lib/dpkg/status.saved" "$machine/var/lib/dpkg/status"
    # The file is cut off, or gone.
    is_not_loaded
    truncate --size=200 "$file"
    without_compiler cannot_be_loaded module "> sudo apt install --reinstall sm4-fast-modules-$release"
    rm "$file"
    depmod --basedir "$machine" $release
    without_compiler cannot_be_loaded module "> sudo apt install sm4-fast-modules-${release/_/-}"
    jq --exit-status '.fitness | has("headers") | not' <<<"$("$info" --no-speed --json)"
    # Whoever has DKMS as well has a compiler. What is in a package is not built from DKMS's sources.
    is_in usr/src/sm4-fast-0.3/dkms.conf
    finds 1 '.fitness.headers.state == "bad"' '> sudo apt install linux-headers-' '> sudo /usr/src/sm4-fast-0.3/install-by-dkms'
    is_well
    good sources
    # dpkg has not configured a package, because the power failed or a disk was full.
    package_has sm4-fast-modules-0
    is_in var/lib/dpkg/info/sm4-fast-modules-$release.list /.
    warns sources 'has version 0.2 of sm4-fast, and not 0.3' '> sudo /usr/src/sm4-fast-0.3/install-by-dkms'
    packages_are 'install ok unpacked' sm4-fast-dkms
    warns sources 'has version 0.2 of sm4-fast, and not 0.3' '> sudo dpkg --configure --pending'
}

@test "the other ways: RPM packages, DKMS, make" {
    is_well
    finds 0 '.way == "make" and .package == null and .kernels[0].way == "make"' "modules $release: make"
    mkdir --parents "$machine/lib/modules/$release/updates"
    mv "$machine/lib/modules/$release/extra" "$machine/lib/modules/$release/updates/dkms"
    depmod --basedir "$machine" $release
    finds 0 '.way == "DKMS"'
    mv "$machine/lib/modules/$release/updates/dkms" "$machine/lib/modules/$release/extra"
    depmod --basedir "$machine" $release
    command_is bin/dkms "sm4-fast/0.2, $release, x86_64: added"
    finds 0 '.way == "make"'
    command_is bin/dkms "sm4-fast/0.2, $release, x86_64: installed"
    finds 0 '.way == "DKMS" and .package == null' "modules $release: DKMS"
    is_in bin/rpm '#!/bin/sh' "case \$* in *--file*extra/sm4-fast.ko) echo kmod-sm4-fast-$release ;; *\ kmod-sm4-fast) ;;" \
        '*) exit 1 ;; esac'
    chmod 755 "$machine/bin/rpm"
    rm --recursive "$machine/lib/modules/$release/build"
    without_compiler finds 0 ".way == \"package\" and .package == \"kmod-sm4-fast-$release\" and .notes == []"
    is_in boot/vmlinuz-$next
    without_compiler warns "$(of_kernel $next)" "> sudo dnf install kmod-sm4-fast-$next"
    # A link of weak-updates to a module in a package
    mkdir --parents "$machine/lib/modules/$next/weak-updates"
    ln --symbolic "$file" "$machine/lib/modules/$next/weak-updates/sm4-fast.ko"
    depmod --basedir "$machine" $next
    finds 0 "[.kernels[] | [.release, .package]] | contains([[\"$next\", \"kmod-sm4-fast-$release\"]])"
    rm --recursive "$machine/boot/vmlinuz-$next" "$machine/lib/modules/$next"
    truncate --size=200 "$file"
    without_compiler warns "$(of_kernel)" "> sudo dnf reinstall kmod-sm4-fast-$release"
    has_module $release
    sed --in-place 's/ kmod-sm4-fast)/ nothing)/' "$machine/bin/rpm"
    without_compiler warns headers_to_come 'dnf will install new kernels without the module. > If a repository has it:' \
        'sudo dnf install kmod-sm4-fast; if none has: exclude=kernel* in /etc/dnf/dnf.conf'
    # "kernel" is not the kernel where there is a kernel-core.
    is_in etc/dnf/dnf.conf '[main]' exclude=kernel 'excludepkgs=vim, kernel-devel' '#exclude=kernel*'
    without_compiler warns headers_to_come 'dnf will install new kernels'
    for line in 'exclude=kernel*' 'excludepkgs = vim, kernel-core,kernel-devel' 'exclude=kernel-*'; do
        is_in etc/dnf/dnf.conf '[main]' "$line"
        without_compiler notes headers_to_come 'note Excluded in dnf.conf: kernel. No new one comes,'
    done
}

@test "later kernels come without their headers" {
    is_well
    is_in var/lib/dpkg/status
    # The kernel's own package installs no new kernels, nor do Ubuntu's packages of more modules or of debug symbols.
    packages_are 'install ok installed' "linux-image-$release" "linux-image-unsigned-$release" linux-image-extra-virtual linux-image-amd64-dbg
    packages_are 'deinstall ok config-files' linux-image-rt-amd64
    good headers_to_come
    packages_are 'install ok installed' linux-image-cloud-amd64 linux-headers-amd64
    warns headers_to_come '> sudo apt install linux-headers-cloud-amd64'
    packages_are 'install ok installed' linux-image-generic-hwe-24.04
    warns headers_to_come 'linux-headers-cloud-amd64 linux-headers-generic-hwe-24.04'
    packages_are 'install ok installed' linux-headers-cloud-amd64 linux-headers-generic-hwe-24.04
    good headers_to_come
    packages_are 'hold ok installed' linux-image-aws
    notes headers_to_come 'On hold: linux-image-aws.'
    packages_are 'install ok installed' linux-headers-aws
    good headers_to_come
    # One of them is from backports.
    version=7.3.2-1~bpo13+1 packages_are 'install ok installed' linux-image-amd64
    warns headers_to_come '> sudo apt install linux-headers-amd64=7.3.2-1~bpo13+1'
    # This machine, if its dpkg were older than 1.21
    is_in bin/dpkg-query '#!/bin/sh' "case \$1 in --root*) exit 2 ;; esac; echo install installed linux-image-amd64 1"
    chmod 755 "$machine/bin/dpkg-query"
    env --unset=SM4_FAST_ROOT PATH="$machine/bin:$PATH" "$info" --no-speed --json | jq --exit-status '.headers_to_come.state == "bad"'
}

@test "the initramfs of a kernel that can be booted lacks the module" {
    local image=/boot/initrd.img-$release
    is_well
    is_in "${image#/}"
    command_is bin/lsinitramfs usr/lib/modules/1/kernel/fs/ext4.ko
    notes "$(of_kernel)" 'note Whether an initramfs has to open a device with SM4 cannot be determined'
    # No device needs it there, as far as users can see.
    command_is usr/libexec/sm4-fast/warn-users
    good "$(of_kernel)"
    command_is bin/lsblk '/dev/vda3 crypto_LUKS'
    good "$(of_kernel)"
    command_is usr/libexec/sm4-fast/warn-users '    root sm4-xts-plain64, which the root file system is on' \
        '    more sm4-xts-plain64'
    warns "$(of_kernel)" "Linux $release, which can be booted, has no sm4-fast in $image, and may have to open root sm4-xts-plain64," \
        'file system is on; more sm4-xts-plain64.' "> sudo /usr/libexec/sm4-fast/renew-initramfs $release"
    # The module is not loaded, and the kernel could load it.
    mv "$machine/$loaded" "$machine/proc/crypto" .
    is_in proc/crypto
    warns "$(of_kernel)" "has no sm4-fast in $image,"
    mv sm4_fast "$machine/$loaded"
    mv crypto "$machine/proc/crypto"
    # Each initramfs is looked at.
    is_in boot/vmlinuz-$next
    has_module $next
    is_in boot/initrd.img-$next
    finds 3 '.warnings == .kernels and (.warnings | length == 2)' "in $image," "in /boot/initrd.img-$next,"
    is_in bin/lsinitramfs '#!/bin/sh' "case \$1 in *$next) echo usr/lib/modules/1/updates/dkms/sm4-fast.ko.xz ;; *) echo no ;; esac"
    warns "$(of_kernel)" "in $image,"
    rm "$machine"/boot/*-$next
    command_is bin/lsinitramfs usr/lib/modules/1/updates/dkms/sm4-fast.ko.xz
    good "$(of_kernel)"
    # Where boot loaders of systemd find it, for example
    mv "$machine$image" .
    notes "$(of_kernel)" "$release, which can be booted, may have to open root sm4-xts-plain64," 'not in /boot under a known name'
    mv "${image##*/}" "$machine/boot"
    # Dracut's
    mv "$machine$image" "$machine/boot/initramfs-$release.img"
    image=/boot/initramfs-$release.img
    command_is bin/lsinitramfs
    command_is bin/lsinitrd -rw-r--r--
    warns "$(of_kernel)" "in $image,"
    # An invalid image, such as an empty one, and one that only root can read
    is_in bin/lsinitrd '#!/bin/false'
    warns "$(of_kernel)" "may need the module in $image, which cannot be listed." \
        "> sudo /usr/libexec/sm4-fast/renew-initramfs $release"
    # Nothing is known where neither program is installed.
    mkdir few
    ln --symbolic --target-directory=few /usr/bin/{cat,python3} "$(command -v modinfo)"
    run -0 env PATH="$PWD/few" "$info" --no-speed
    output=$(tr --squeeze-repeats '\n ' ' ' <<<"$output")
    [[ $output == *"note Linux $release, which can be booted, may need the module in $image"* ]]
    chmod 0 "$machine$image"
    run -0 setpriv --bounding-set=-dac_override,-dac_read_search env PATH="$machine/bin:$PATH" "$info" --no-speed
    [[ $output == *"note         Only root can read $image,"*'> sudo sm4-fast-info'* ]]
}

@test "an ordinary user is told of the initramfs only where SM4 is in use" {
    as_user() {
        chmod -R go+rX "$BATS_TEST_TMPDIR"
        run -0 setpriv --reuid=65534 --clear-groups --inh-caps=+dac_read_search --ambient-caps=+dac_read_search \
            env PATH="$machine/bin:$PATH" "$info" --no-speed
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
    [[ $output == *" note Whether an initramfs has to open a device"*'> sudo sm4-fast-info'* ]]
}

# ---- key slots ----

# Makes a header of LUKS2 in the file $1, with a key slot for each cipher that follows; the last argument may be reencrypt.
# cryptsetup makes it with AES, because the kernel here need not have SM4, and then the names of the ciphers are changed.
luks_is_in() {
    local header=$machine/$1 slot
    local options=(--batch-mode --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file passphrase)
    mkdir --parents "$(dirname "$header")"
    printf passphrase >passphrase
    rm --force "$header"
    truncate --size=20M "$header"
    /usr/sbin/cryptsetup luksFormat --type luks2 "${options[@]}" "$header"
    for slot in "${@:3}"; do
        if [[ $slot == reencrypt ]]; then
            /usr/sbin/cryptsetup reencrypt --init-only --key-slot 0 "${options[@]}" "$header"
        else
            /usr/sbin/cryptsetup luksAddKey "${options[@]}" "$header" passphrase
        fi
    done
    python3 - "$header" "${@#reencrypt}" <<'END'
import hashlib, sys
path, _, *ciphers = sys.argv[1:]
with open(path, "r+b") as file:
    # Each of the two copies has its length at 8, and its checksum at 448.
    for start in 0, 16384:
        file.seek(start)
        copy = file.read(16384)
        for cipher in filter(None, ciphers):
            copy = copy.replace(b'"encryption":"aes-xts-plain64"', b'"encryption": "' + cipher.encode() + b'"', 1)
        copy = copy[:448] + bytes(64) + copy[512:16384]
        file.seek(start)
        file.write(copy[:448] + hashlib.sha256(copy).digest() + bytes(32) + copy[512:])
END
    /usr/sbin/cryptsetup luksDump "$header" | grep "Cipher: .*$2"
}

# cryptsetup is the version $1, which needs AF_ALG for SM4 in key slots; otherwise it is the one that is installed here.
cryptsetup_is() {
    is_in bin/cryptsetup '#!/bin/sh' "case \$1 in --version) echo 'cryptsetup $1 flags: UDEV BLKID KEYRING KERNEL_CAPI' ;;" \
        "*) exec /usr/sbin/cryptsetup \"\$@\" ;; esac"
    chmod 755 "$machine/bin/cryptsetup"
}

# A machine with Linux 7.3, on which cryptsetup cannot open a key slot with SM4
has_slots_for_7_3() {
    is_well
    cryptsetup_is 2.7.5
    command_is bin/lsblk '/dev/vda ' '/dev/vda3 crypto_LUKS' '/dev/vdb crypto_LUKS'
    luks_is_in dev/vda3 aes-xts-plain64 sm4-xts-plain64 sm4-xts-plain64 reencrypt
    luks_is_in dev/vdb aes-xts-plain64
    is_in boot/vmlinuz-7.3.1-amd64
    has_module 7.3.1-amd64
}

@test "a key slot that cryptsetup cannot open on Linux 7.3" {
    has_slots_for_7_3
    warns key_slots \
        'cryptsetup 2.7.5 cannot open /dev/vda3 (key slot 1, 2) on Linux 7.3.1-amd64: the key slots use SM4. > Switch them' \
        ' to AES, with the passphrase of each key slot: sudo cryptsetup luksConvertKey --keyslot-cipher aes-xts-plain64' \
        '--keyslot-key-size 512 /dev/vda3 '
    rm "$machine/boot/vmlinuz-7.3.1-amd64"
    finds 0 '.key_slots.state == "good" and .notes == []'
    # The same for the running kernel, wherever it is from
    is_in proc/sys/kernel/osrelease 7.10.0
    finds 3 '.warnings[0] == .key_slots' 'on Linux 7.10.0:'
    is_in proc/sys/kernel/osrelease $release
    # And a kernel whose AF_ALG is blocked, by name
    is_in etc/modprobe.d/copy-fail.conf '# against CVE-2026-31431' 'install algif-skcipher /bin/false'
    warns key_slots \
        'while "install algif-skcipher /bin/false" in /etc/modprobe.d/copy-fail.conf, line 2, blocks algif_skcipher'
    # This line does not block it, because it applies to other names.
    is_in etc/modprobe.d/copy-fail.conf 'blacklist algif_skcipher'
    finds 0 '.notes == []'
    # A header in its own file, in /etc/crypttab
    is_in boot/vmlinuz-7.3.1-amd64
    luks_is_in dev/vda3 aes-xts-plain64
    luks_is_in 'srv/header;1' sm4-xts-plain64
    luks_is_in srv/old sm4-xts-plain64
    is_in etc/crypttab '# old /srv/old none luks' '' unfinished 'secret UUID=1234 none luks,header=/srv/header;1,discard' 'swap /dev/vdc /dev/urandom swap'
    warns key_slots 'cannot open /srv/header;1 (key slot 0) on Linux' "512 '/srv/header;1'"
    # A cryptsetup that cannot say so in JSON
    is_in bin/cryptsetup '#!/bin/sh' "[ \$1 = --version ] && echo cryptsetup 2.3.7"
    notes key_slots 'cryptsetup 2.3.7 cannot open key slots with SM4 on Linux 7.3.1-amd64, and does not say whether /dev/vda3,' \
        "> sudo cryptsetup luksDump /dev/vda3 /dev/vdb '/srv/header;1'"
    # A cryptsetup that does not need AF_ALG
    cryptsetup_is 2.8.7
    good key_slots
}

@test "a header that only root can read, and invalid headers" {
    has_slots_for_7_3
    chmod 0 "$machine/dev/vda3"
    run -0 setpriv --bounding-set=-dac_override,-dac_read_search env PATH="$machine/bin:$PATH" "$info" --no-speed --json
    jq --exit-status '.warnings == [] and .notes == [.key_slots] and
        (.key_slots.message | test("only root can check whether /dev/vda3"))' <<<"$output"
    # Headers that are cut off, LUKS1, which cryptsetup opens by dm-crypt, too, and output of any kind
    chmod 644 "$machine/dev/vda3"
    for header in '\2' '\1sm4\0'; do
        printf %b "LUKS\xba\xbe\0$header" >"$machine/dev/vda3"
        finds 0 '.notes == []'
    done
    for text in '{' '{}' '[]'; do
        is_in bin/cryptsetup '#!/bin/sh' "[ \$1 = --version ] && echo cryptsetup 2.7.5 || echo '$text'"
        finds 0 '.notes == []'
    done
}

# ---- ESP ----

@test "whether ESP finds SM4, and if not, why" {
    local esp=$machine/lib/modules/$release/extra/sm4-fast-esp.ko
    is_well
    finds 0 '.esp.state == "good" and .notes == []' 'ESP finds SM4 by sm4-fast-esp, which is loaded when IPsec is used.'
    # Nobody uses IPsec yet.
    truncate --size=200 "$esp"
    esp_lacks 0 "The module's file ${esp#"$machine"} is cut off"
    rm "$esp"
    depmod --basedir "$machine" $release
    esp_lacks 0 "Linux $release has no module sm4-fast-esp. > make && sudo make install"
    is_in usr/src/sm4-fast-0.2/dkms.conf
    # As after modprobe -r
    mkdir --parents "$machine/sys/module/xfrm_user"
    esp_lacks 3 "Linux $release has no module sm4-fast-esp. > sudo /usr/src/sm4-fast-0.2/install-by-dkms"
    has_module $release
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
    has_module $release '' 'stand_in=could not be built'
    esp_lacks 3 'sm4-fast-esp cannot be built for this kernel, which has a stand-in for it.'
    has_module $release
    is_in proc/sys/kernel/ftrace_enabled 0
    esp_lacks 3 'kernel.ftrace_enabled is 0'
    is_in "boot/config-$release" CONFIG_DYNAMIC_FTRACE_WITH_REGS=y CONFIG_LTO=y CONFIG_XFRM_ALGO=y
    esp_lacks 3 'link-time optimization (CONFIG_LTO) may have inlined what sm4-fast-esp hooks.'
    is_in "boot/config-$release" '# CONFIG_CRYPTO_MANAGER_DISABLE_TESTS is not set'
    esp_lacks 3 'the kernel is built without'
    mkdir "$machine/${loaded}_esp"
    good esp 'ESP finds SM4 by sm4-fast-esp.'
}

@test "whoever has blocked sm4-fast-esp knows why: no warning, but a note" {
    is_well
    mkdir --parents "$machine/sys/module/xfrm_user"
    is_in etc/modprobe.d/live-patches.conf 'install sm4_fast_esp /bin/false'
    esp_lacks 0 '"install sm4_fast_esp /bin/false" in /etc/modprobe.d/live-patches.conf, line 1, keeps the kernel from loading sm4-fast-esp.'
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
    drivers=$("$info" --no-speed --json | jq .drivers)
    kill "$writer"
    # End the cat for which it waits.
    timeout 10 cat "$machine/proc/crypto" >/dev/null || true
    [[ $drivers -eq 2 ]]
}

@test "drivers of later kernels, with new lines, count" {
    is_well
    sed --in-place 's/^type .*/fips         : yes\nnovelty      : 1\n&/; s/^blocksize .*/&\nmax novelty  : none/' \
        "$machine/proc/crypto"
    finds 0 '.drivers == 1'
}

@test "an output without UTF-8, and a processor whose name is not ASCII" {
    is_well
    is_in proc/cpuinfo $'model name\t: A processor\xa9' 'flags		: fpu avx aes'
    run -0 env LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0 "$info" --no-speed
    [[ $output == *', A processor#'* ]]
}

@test "no control character reaches the terminal" {
    is_well
    is_in proc/cpuinfo $'model name\t: A \e[31mprocessor\x7f' 'flags		: fpu avx aes'
    is_in "boot/initrd.img-$release"
    command_is bin/lsinitramfs nothing
    command_is usr/libexec/sm4-fast/warn-users $'    se\e]0;cret\a sm4-xts-plain64'
    finds 3 '.cpu == "A ?[31mprocessor?"' 'may have to open se?]0;cret? sm4-xts-plain64.'
    [[ $output != *[[:cntrl:]]* ]]
}

@test "a program that waits for a device for ever does not block it" {
    is_well
    is_in bin/cryptsetup '#!/bin/sh' 'sleep 600'
    is_in usr/libexec/sm4-fast/warn-users '#!/bin/sh' 'sleep 600 & wait'
    chmod 755 "$machine/bin/cryptsetup" "$machine/usr/libexec/sm4-fast/warn-users"
    is_in "boot/initrd.img-$release"
    export SM4_FAST_PATIENCE=3
    SECONDS=0
    finds 0 '.warnings == []'
    [[ $SECONDS -lt 120 ]]
    for _ in {1..50}; do
        pgrep --full "$machine" || return 0
        sleep 0.1
    done
    false
}

@test "a line fits 80 columns where there is no terminal, and a terminal's width" {
    has_slots_for_7_3
    # COLUMNS is for programs that know their terminal better than the kernel does.
    env --unset=COLUMNS PATH="$machine/bin:$PATH" "$info" --no-speed >shown || [[ $? -eq 3 ]]
    grep '> Switch them to AES' shown
    run ! grep '.\{81\}' shown
    env COLUMNS=60 PATH="$machine/bin:$PATH" "$info" --no-speed | sed -n '/WARNING/,$p' >shown
    run ! grep '.\{61\}' shown
}

@test "--help and the manual explain every exit status" {
    run -0 "$info" --help
    for value in 0 1 2 3; do
        [[ $output == *"Exit status:"*$'\n'"  $value  "* ]]
        grep --line-regexp --after-context=1 '\.TP' "$info.1" | grep --line-regexp "\.B $value"
    done
}

# The version of RHEL 8; these two parameters of subprocess came with 3.7.
@test "it is written for Python 3.6" {
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 6))' "$info"
    run ! grep --word-regexp --extended-regexp 'text=True|capture_output' "$info"
}
