#!/usr/bin/env bats
# bats --formatter tap test/packaging/packages.bats
#
# Tests of installing that need no virtual machine: the packages, their checkers, installation into a folder, and
# signing. Does not change the machine's own modules.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    "$repository/test/need" git make gcc kmod openssl linux-headers-amd64 lintian rpmlint
    fresh_clone "$BATS_FILE_TMPDIR/clone"
    # The newest headers, for a kernel that need not be the running one
    KDIR=$(printf '%s\n' /lib/modules/*/build | sort --reverse --version-sort | head --lines=1)
    export KDIR
}

setup() {
    cd "$BATS_FILE_TMPDIR/clone" || exit
    destination=$BATS_FILE_TMPDIR/destination
}

@test "docs/install.md names only targets of the Makefile, and all those for installing" {
    # shellcheck disable=SC2016  # a backtick of Markdown
    grep --only-matching --extended-regexp '^ +(sudo )?make\b.*|`make[^`]*`' docs/install.md | tr --delete '`' |
        tr ' ' '\n' | grep --extended-regexp --line-regexp '[a-z-]+' | grep --invert-match -e sudo -e '^make$' |
        sort --unique >named
    sed --quiet --expression 's/^\.PHONY: //p' --expression 's/^packages := //p' packaging/*.mk | tr ' ' '\n' |
        grep --invert-match -e files -e sources -e 'package$' -e signer -e '[$]' | sort >targets
    diff named targets
}

@test "make deb makes a package from a fresh clone without git, and does not include a key that is there" {
    touch module-key.pem stray-key
    # Ubuntu's default
    DPKG_DEB_COMPRESSOR_TYPE=zstd make deb
    rm module-key.pem stray-key
    run ! grep key.pem <(tar --list --file "dist/sm4-fast-$version.tar.gz")
    run ! grep stray-key <(tar --list --file "dist/sm4-fast-$version.tar.gz")
    for package in sm4-fast sm4-fast-dkms sm4-fast-ipsec; do
        [[ $(ar t "dist/${package}_${version}_all.deb") == $'debian-binary\ncontrol.tar.xz\ndata.tar.xz' ]]
    done
    git status --short
    [[ -z $(git status --short dist) ]]
}

# The version of Debian's policy is that of Debian 12, which a newer lintian considers out of date.
# Of the service, which matters only where xfrm_user is built in, there is no script for other inits than systemd.
@test "lintian reports nothing about the Debian packages" {
    run -0 lintian --allow-root --pedantic --display-info \
        --suppress-tags out-of-date-standards-version,package-supports-alternative-init-but-no-init.d-script \
        "dist/sm4-fast_${version}_amd64.changes"
    [[ -z $output ]]
}

# The files to which the links of README lead
linked_files() {
    grep --no-filename --only-matching --perl-regexp '\]\(\K[^):\s#]+' README.md README.zh-CN.md | sort --unique
}

@test "the Debian packages have the sources, and the files that packaging/files lists" {
    mkdir unpacked
    for package in sm4-fast sm4-fast-dkms sm4-fast-ipsec; do
        dpkg-deb --extract "dist/${package}_${version}_all.deb" unpacked
    done
    for file in $(linked_files); do
        [[ -e unpacked/usr/share/doc/sm4-fast/$file ]]
    done
    make --silent DESTDIR=expected install-dkms-sources install-files install-ipsec-files
    for page in docs/*.md docs/zh-CN/*.md; do
        cmp "$page" "unpacked/usr/share/doc/sm4-fast/$page"
    done
    rm -r unpacked/usr/share/doc
    # Manual pages are compressed in the package.
    find unpacked -name '*.gz' -exec gunzip {} +
    find unpacked -type d -empty -delete
    diff --recursive expected unpacked
    grep "^PACKAGE_VERSION=\"$version\"$" unpacked/usr/share/sm4-fast/dkms/dkms.conf
}

@test "make rpm makes the packages without git" {
    make rpm
    rpm --query --package --list dist/sm4-fast{,-dkms,-ipsec}-"$version"-1.noarch.rpm >list
    for file in unpacked/usr/share/sm4-fast/dkms/* unpacked/usr/share/sm4-fast/dkms/*/* unpacked/usr/lib/modprobe.d/*; do
        grep --line-regexp --fixed-strings "${file#unpacked}" list
    done
    for file in $(linked_files); do
        grep "/sm4-fast[^/]*/$file\$" list
    done
    [[ -z $(git status --short dist) ]]
}

@test "make deb refuses a folder without a list of its files" {
    cp --recursive . "$BATS_TEST_TMPDIR/copy"
    rm -rf "$BATS_TEST_TMPDIR/copy"/{.git,dist}
    run make --directory="$BATS_TEST_TMPDIR/copy" deb
    [[ $status -ne 0 && $output == *'which files belong into a package'* && ! -e $BATS_TEST_TMPDIR/copy/dist ]]
}

@test "make refuses a path with a space in one sentence, and writes nothing" {
    git clone --quiet . "$BATS_TEST_TMPDIR/a clone"
    cp --recursive Makefile packaging integration "$BATS_TEST_TMPDIR/a clone"
    find "$BATS_TEST_TMPDIR" | sort >before
    for target in modules deb rpm install uninstall; do
        run make --no-print-directory --directory="$BATS_TEST_TMPDIR/a clone" DESTDIR="$destination" $target
        [[ $status -ne 0 && ${#lines[@]} -eq 1 && $output == *"There is a space in \"$BATS_TEST_TMPDIR/a clone\""* ]]
    done
    diff before <(find "$BATS_TEST_TMPDIR" | sort)
    [[ ! -e $destination ]]
    run make KDIR="$BATS_TEST_TMPDIR/a clone" modules
    [[ $status -ne 0 && $output == *'a clone" (KDIR)'* ]]
    run make DESTDIR="$BATS_TEST_TMPDIR/a clone" install-files
    [[ $status -ne 0 && $output == *'a clone" (DESTDIR)'* ]]
}

@test "rpmlint reports nothing about the RPM packages" {
    run -0 rpmlint --config packaging/rpmlint.toml dist/*.rpm
    [[ $output == *' 0 errors, 0 warnings'* ]]
}

@test "the fields of packaging/owner are in all packages, except for empty ones" {
    dpkg-deb --field "dist/sm4-fast-dkms_${version}_all.deb" >fields
    cat fields
    run ! grep ^Homepage fields
    [[ $(dpkg-deb --field "dist/sm4-fast-dkms_${version}_all.deb" Maintainer) == *' <'*'@'*'.invalid>' ]]
    dpkg-deb --fsys-tarfile "dist/sm4-fast_${version}_all.deb" |
        tar --extract --to-stdout ./usr/share/doc/sm4-fast/SECURITY.md >security
    grep --line-regexp '    nobody yet: .*' security
    cp --recursive . "$BATS_TEST_TMPDIR/owned"
    cd "$BATS_TEST_TMPDIR/owned"
    rm -r dist
    # With characters that are special in sed
    cat >packaging/owner <<'END'
Maintainer: A & B|C
Email: a@b.test
Report-To: https://b.test/report?a=1&b
Homepage: https://b.test/sm4-fast?x&y
Vcs-Git: https://b.test/sm4-fast.git
Vcs-Browser: https://b.test/sm4-fast
END
    make deb rpm
    local deb=dist/sm4-fast-dkms_${version}_all.deb rpm=dist/sm4-fast-dkms-$version-1.noarch.rpm
    [[ $(dpkg-deb --field "$deb" Maintainer) == 'A & B|C <a@b.test>' ]]
    [[ $(dpkg-deb --field "$deb" Homepage) == 'https://b.test/sm4-fast?x&y' ]]
    grep --line-regexp 'Vcs-Git: https://b.test/sm4-fast.git' "dist/sm4-fast_$version.dsc"
    grep --line-regexp 'Vcs-Browser: https://b.test/sm4-fast' "dist/sm4-fast_$version.dsc"
    grep --line-regexp 'Changed-By: A & B|C <a@b.test>' "dist/sm4-fast_${version}_amd64.changes"
    [[ $(rpm --query --package --queryformat '%{URL} %{PACKAGER}' "$rpm") == \
        'https://b.test/sm4-fast?x&y A & B|C <a@b.test>' ]]
    dpkg-deb --fsys-tarfile "dist/sm4-fast_${version}_all.deb" |
        tar --extract --to-stdout ./usr/share/doc/sm4-fast/SECURITY.md >security
    grep --line-regexp '    https://b.test/report?a=1&b' security
}

@test "without Python, make install says that sm4-fast-info needs it" {
    make --dry-run install-files | sed --quiet '/python3/,$p' >hint
    run -0 env PATH=/nonexistent /bin/sh ./hint
    [[ $output == *'sm4-fast-info needs Python'* ]]
    run -0 sh ./hint
    [[ -z $output ]]
    make --dry-run DESTDIR="$destination" install-files >elsewhere
    run ! grep python3 elsewhere
}

@test "DKMS skips unsupported kernels" {
    BUILD_EXCLUSIVE_KERNEL=$(sed --quiet 's/^BUILD_EXCLUSIVE_KERNEL="\(.*\)"$/\1/p' packaging/dkms.conf)
    for release in 4.18.0-553.el8_10.x86_64 4.19.90-2112.8.0.0131.oe1.x86_64 4.20.17 5.0.0-65-generic 5.1.21 \
        5.4.0-216-generic 5.9.16 5.10.0-216.0.0.115.oe2203.x86_64 5.14.0-611.el9.x86_64 5.15.0-91-generic 6.0.1 6.1.0-47-amd64 \
        6.6.0-72.0.0.76.oe2403.x86_64 6.12.94+deb13-amd64 7.3.4+deb13-amd64 10.1.0; do
        [[ $release =~ $BUILD_EXCLUSIVE_KERNEL ]]
    done
    for release in 3.10.0-1160.el7.x86_64 4.1.52 4.9.0-19-amd64 4.15.0-213-generic 4.17.19 4.180.1; do
        [[ ! $release =~ $BUILD_EXCLUSIVE_KERNEL ]]
    done
}

# Makes commands that list devices: a mapped root that needs SM4, a mapped MAC with its key, LUKS volumes, and others; and a
# table of volumes
make_commands() {
    mkdir "$BATS_TEST_TMPDIR/bin"
    cat >"$BATS_TEST_TMPDIR/bin/dmsetup" <<'END'
#!/bin/sh
echo 'root: 0 1363968 crypt sm4-xts-plain64 :32:logon:cryptsetup:5e1b-d0 0 254:0 32768'
echo 'sm4-logs: 0 1363968 crypt aes-xts-plain64 :64:logon:cryptsetup:5e1c-d0 0 254:1 32768'
echo 'sealed: 0 81920 integrity 254:2 0 16 J 1 internal_hash:cmac(sm4):00112233445566778899aabbccddeeff'
echo 'marked: 0 81920 integrity 254:3 0 32 J 1 internal_hash:hmac(sm3):00112233445566778899aabbccddeeff'
echo 'read-only: 0 32768 verity 1 7:0 7:1 4096 4096 4096 1 sm3 5e1d 00'
echo 'verified: 0 32768 verity 1 7:2 7:3 4096 4096 4096 1 sha256 5e1d 00'
END
    cat >"$BATS_TEST_TMPDIR/bin/cryptsetup" <<'END'
#!/bin/sh
case $* in
'luksDump ') exit 1 ;;
'luksDump /dev/secret')
    printf '%s\n' 'LUKS header information' 'Version:       	2' 'Label:         	cipher' \
        'Data segments:' '  0: crypt' '	cipher: sm4-gcm-random' ;;
'luksDump /dev/old')
    printf '%s\n' 'LUKS header information for /dev/old' 'Version:       	1' \
        'Cipher name:   	sm4' 'Cipher mode:   	cbc-plain' ;;
*)
    printf '%s\n' 'Label:         	sm4' '	cipher: aes-xts-plain64' ;;
esac
END
    printf '#!/bin/sh\necho /dev/mapper/pool-root\n' >"$BATS_TEST_TMPDIR/bin/findmnt"
    printf '#!/bin/sh\nprintf "%%s\\n" pool-root root vda2 vda\n' >"$BATS_TEST_TMPDIR/bin/lsblk"
    # shellcheck disable=SC2016  # the command expands it
    printf '#!/bin/sh\n[ "$1" = UUID=5e1b ] && echo /dev/secret\n' >"$BATS_TEST_TMPDIR/bin/findfs"
    chmod 755 "$BATS_TEST_TMPDIR"/bin/*
    cat >"$BATS_TEST_TMPDIR/crypttab" <<'END'
# sm4 UUID=5e1b none luks

root   /dev/vda2   none  luks,initramfs
secret UUID="5e1b" none  luks,discard
old    /dev/old    none  luks,cipher=aes-xts-plain64
swap   /dev/secret none  luks,swap
plain  /dev/vdc    /key  plain,cipher=capi:xts(sm4)-plain64,size=256
behind /dev/vdd    none  header=/dev/secret,luks
others /dev/vde    none  luks
gone   UUID=0000   none  luks
END
    export PATH="$BATS_TEST_TMPDIR/bin:$PATH" TABFILE="$BATS_TEST_TMPDIR/crypttab"
}

# Those of them that need SM4, or may
devices_with_sm4() {
    printf '%s\n' 'root sm4-xts-plain64' 'sealed cmac(sm4)' 'marked hmac(sm3)' 'read-only sm3' \
        "secret sm4-gcm-random, in $TABFILE" "old sm4, in $TABFILE" "swap sm4-gcm-random, in $TABFILE" \
        "plain capi:xts(sm4)-plain64, in $TABFILE" "behind sm4-gcm-random, in $TABFILE" "gone unknown, in $TABFILE"
}

@test "sm4-fast-devices names each device that needs SM4, and those of which it cannot know" {
    make_commands
    diff <(packaging/sm4-fast-devices) <(devices_with_sm4)
    # A device that is there, and has no LUKS header
    printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/bin/cryptsetup"
    printf '%s\n' 'other /dev/null none luks' 'swap /dev/vdz /dev/urandom swap' 'foreign /dev/vdz none tcrypt' >"$TABFILE"
    rm "$BATS_TEST_TMPDIR/bin/dmsetup"
    run -0 packaging/sm4-fast-devices
    [[ -z $output ]]
}

@test "sm4-fast-devices does not fail if all commands are missing: then a header cannot be read" {
    mkdir "$BATS_TEST_TMPDIR/few"
    for command in awk sed tr head cat; do
        ln --symbolic "$(command -v $command)" "$BATS_TEST_TMPDIR/few"
    done
    # Its own PATH has the folders of administrators.
    sed 's/^PATH=.*//' packaging/sm4-fast-devices >"$BATS_TEST_TMPDIR/sm4-fast-devices"
    run -0 env TABFILE=/nonexistent PATH="$BATS_TEST_TMPDIR/few" /bin/sh "$BATS_TEST_TMPDIR/sm4-fast-devices"
    [[ -z $output ]]
    echo 'secret /dev/null none' >"$BATS_TEST_TMPDIR/crypttab"
    run -0 env TABFILE="$BATS_TEST_TMPDIR/crypttab" PATH="$BATS_TEST_TMPDIR/few" /bin/sh "$BATS_TEST_TMPDIR/sm4-fast-devices"
    [[ $output == "secret unknown, in $BATS_TEST_TMPDIR/crypttab" ]]
}

# A machine with two kernels, in the folder machine, and a may-remove for it
make_machine() {
    machine=$BATS_TEST_TMPDIR/machine
    make_commands
    pretend bin uname 6.1.0-1-amd64
    mkdir --parents "$machine"/{boot,lib/modules/6.1.0-{1,2}-amd64/updates}
    # Debian's installkernel leaves .old, other scripts a link.
    touch "$machine"/boot/vmlinuz-{6.1.0-1-amd64,6.1.0-2-amd64,6.1.0-2-amd64.old,0-rescue-ab,linux}
    # A file that is empty is no module.
    # shellcheck disable=SC2016  # the command expands it
    printf '#!/bin/sh\n[ -s "$3" ]\n' >"$BATS_TEST_TMPDIR/bin/modinfo"
    chmod 755 "$BATS_TEST_TMPDIR/bin/modinfo"
    for release in 6.1.0-1-amd64 6.1.0-2-amd64; do
        echo module >"$machine/lib/modules/$release/updates/sm4-fast.ko.xz"
    done
    for script in may-remove sm4-fast-devices; do
        sed "s|/boot/|$machine&|g; s|/lib/modules|$machine&|g; s|/run/|$machine/|" packaging/$script >"$machine/$script"
        chmod 755 "$machine/$script"
    done
}

@test "may-remove refuses in eight lines of 73 columns to take the only module of the running kernel, or of the newest" {
    make_machine
    # The removal of both, that of the newest one's, and that of the running one's
    for pattern in /updates/ 6.1.0-2-amd64/updates 6.1.0-1-amd64/updates; do
        run -1 "$machine/may-remove" $pattern
        echo "$output"
        [[ ${#lines[@]} -eq 8 && $(wc --max-line-length <<<"${output//$machine}") -le 73 ]]
        [[ $output == 'sm4-fast: NOT REMOVED'*'    root sm4-xts-plain64'*'    and others: '*/sm4-fast-not-needed ]]
    done
    [[ $output == *'Kernel 6.1.0-1-amd64 would have no module for them.'* ]]
    # Another module stays, or none is taken. It has to be one.
    run -0 "$machine/may-remove" /updates/dkms/
    for release in 6.1.0-1-amd64 6.1.0-2-amd64; do
        echo module >"$machine/lib/modules/$release/sm4_fast.ko"
    done
    run -0 "$machine/may-remove" /updates/
    for release in 6.1.0-1-amd64 6.1.0-2-amd64; do
        mv "$machine/lib/modules/$release/sm4_fast.ko" "$machine/lib/modules/$release/sm4_fast.ko.bak"
        : >"$machine/lib/modules/$release/sm4_fast.ko"
        ln --symbolic gone "$machine/lib/modules/$release/sm4-fast.ko.xz"
    done
    run -1 "$machine/may-remove" /updates/
    rm "$machine"/lib/modules/*/sm4*
    # An older kernel that is not running
    printf '#!/bin/sh\necho 6.1.0-2-amd64\n' >"$BATS_TEST_TMPDIR/bin/uname"
    run -0 "$machine/may-remove" 6.1.0-1-amd64/updates
    run -1 "$machine/may-remove" 6.1.0-2-amd64/updates
    # dpkg has not asked.
    run -0 "$machine/may-remove" --removed 6.1.0-2-amd64
    rm "$machine"/lib/modules/*/updates/sm4-fast.ko.xz
    run -0 "$machine/may-remove" --removed 6.1.0-1-amd64
    run -1 "$machine/may-remove" --removed 6.1.0-2-amd64
    [[ $output == 'sm4-fast: REMOVED:'*'Kernel 6.1.0-2-amd64 has no module for them any more.'* ]]
    touch "$machine/sm4-fast-not-needed"
    run -0 "$machine/may-remove" --removed 6.1.0-2-amd64
}

@test "may-remove finds the newest kernel where kernel-install puts it, and lets through what nothing needs" {
    make_machine
    touch "$machine/lib/modules/6.1.0-2-amd64/vmlinuz"
    rm "$machine"/boot/vmlinuz-*
    run -1 "$machine/may-remove" 6.1.0-2-amd64/updates
    rm "$BATS_TEST_TMPDIR/bin/dmsetup" "$TABFILE"
    run -0 "$machine/may-remove" /updates/
    [[ -z $output ]]
}

@test "the packages ask may-remove before a removal, and not when a later version replaces them" {
    mkdir control
    dpkg-deb --control "dist/sm4-fast-dkms_${version}_all.deb" control
    for part in '' -dkms; do
        rpm --query --package --queryformat '%{PREUN}' "dist/sm4-fast$part-$version-1.noarch.rpm" >control/preun$part
    done
    # It is in the folder of packaging/files, whatever folder a distribution has for such programs.
    run ! grep libexecdir packaging/sm4-fast.spec
    # The program, which refuses, and what would remove the modules
    pretend libexec may-remove REFUSED
    echo 'exit 1' >>"$BATS_TEST_TMPDIR/libexec/may-remove"
    pretend libexec by-dkms REMOVES
    sed --in-place "s|/usr/libexec/sm4-fast/|$BATS_TEST_TMPDIR/libexec/|" control/p*
    for removal in 'prerm remove' 'preun 0' 'preun-dkms 0'; do
        # shellcheck disable=SC2086  # two words
        run -1 sh control/$removal
        [[ $output == REFUSED ]]
    done
    for upgrade in 'prerm upgrade' 'preun 1' 'preun-dkms 1'; do
        # shellcheck disable=SC2086  # two words
        run -0 sh control/$upgrade
        [[ -z $output ]]
    done
}

@test "make uninstall and make dkms-uninstall also ask, except for a removal from another folder" {
    for target in uninstall dkms-uninstall; do
        make --dry-run $target >here
        grep '^packaging/may-remove ' here
    done
    make --dry-run DESTDIR="$destination" uninstall >elsewhere
    run ! grep may-remove elsewhere
}

# (boot-disk.t tests it with dracut itself.)
@test "the module for dracut fails if the kernel has no module, and devices need it" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    # shellcheck disable=SC2016  # the command expands it
    printf '#!/bin/sh\n%s\n' 'printf "%s" "$DEVICES"' >"$BATS_TEST_TMPDIR/bin/sm4-fast-devices"
    chmod 755 "$BATS_TEST_TMPDIR"/bin/*
    sed "s|/usr/libexec/sm4-fast/|$BATS_TEST_TMPDIR/bin/|" packaging/dracut-module/module-setup.sh >module-setup.sh
    export kernel=6.1.0-1-amd64 DEVICES
    modinfo() { return "$STATUS"; }
    # Functions that dracut provides
    dfatal() { echo "dracut: $*" >&2; }
    instmods() { echo "$*"; }
    # shellcheck source=packaging/dracut-module/module-setup.sh
    source ./module-setup.sh
    for STATUS in 0 1; do
        DEVICES=
        run -0 installkernel
        [[ $output == 'sm4_fast dm_integrity' ]]
    done
    DEVICES='root sm4-xts-plain64' STATUS=0
    run -0 installkernel
    STATUS=1
    run -1 installkernel
    [[ $output == *'dracut: sm4-fast: kernel 6.1.0-1-amd64 has no module sm4-fast for these devices: root sm4-xts-plain64' ]]
}

# Makes a program with the name $2 in the folder $1 of this test, which prints $3.
pretend() {
    mkdir --parents "$BATS_TEST_TMPDIR/$1"
    printf '#!/bin/sh\necho "%s"\n' "$3" >"$BATS_TEST_TMPDIR/$1/$2"
    chmod 755 "$BATS_TEST_TMPDIR/$1/$2"
}

# Checks that make, with the programs in the folder bin of this test, fails with $1 in its message, which has one line.
refuses() {
    local message
    if message=$(PATH=$BATS_TEST_TMPDIR/bin:$PATH make --no-print-directory "${@:2}" 2>&1); then return 1; fi
    echo "$message"
    [[ $message != *$'\n'* && $message == *"$1"* ]]
}

@test "make says in one sentence that headers are missing or incomplete" {
    refuses 'KDIR= names no folder' KDIR=
    refuses 'There are no kernel headers in KDIR=/nonexistent' KDIR=/nonexistent
    refuses "There are no kernel headers in KDIR=$BATS_TEST_TMPDIR" KDIR="$BATS_TEST_TMPDIR" sign
    echo "include $BATS_TEST_TMPDIR/common/Makefile" >"$BATS_TEST_TMPDIR/Makefile"
    for file in include/generated/autoconf.h include/generated/utsrelease.h include/config/auto.conf \
                scripts/basic/fixdep scripts/mod/modpost common/Makefile; do
        refuses "incomplete, $BATS_TEST_TMPDIR/$file is missing" KDIR="$BATS_TEST_TMPDIR"
        refuses 'apt-get install --reinstall' KDIR="$BATS_TEST_TMPDIR" sign
        install -D /dev/null "$BATS_TEST_TMPDIR/$file"
    done
    # It names the package that has the missing files.
    scripts=$(realpath "$KDIR/scripts")
    package=$(dpkg-query --search "$scripts/basic/fixdep")
    # shellcheck disable=SC2016  # the inner shell expands it
    run unshare --mount sh -c 'mount --types tmpfs none "$1" && make --no-print-directory' sh "$scripts/basic"
    [[ $status -ne 0 && ${#lines[@]} -eq 1 && "$output " =~ --reinstall.*" ${package%%:*}"[\ .] ]]
}

@test "without headers of the running kernel, make uses those of another, and says so" {
    pretend bin uname 9.9.9-other
    run -0 env --unset KDIR PATH="$BATS_TEST_TMPDIR/bin:$PATH" make --dry-run MAKE=true modules
    [[ $output == *'The running kernel, 9.9.9-other, has no headers here: this is for '* ]]
    run -0 env --unset KDIR PATH="$BATS_TEST_TMPDIR/bin:$PATH" make --dry-run MAKE=true dkms
    [[ $output == */by-dkms* ]]
    # They do not say so if the headers are named.
    run -0 env PATH="$BATS_TEST_TMPDIR/bin:$PATH" make --dry-run MAKE=true KDIR="$KDIR" modules
    [[ $output != *9.9.9-other* ]]
}

@test "changes of the system require root; make says so in one sentence" {
    pretend bin id 1000
    for target in {,dkms-,tls-,ike-}uninstall install dkms; do
        refuses "This takes root: sudo make $target" --dry-run MAKE=true "$target"
    done
    PATH=$BATS_TEST_TMPDIR/bin:$PATH make --dry-run DESTDIR="$destination" uninstall
}

@test "make finds the programs that ordinary users of Debian do not have in their PATH" {
    pretend sbin swanctl 'strongSwan 5.9.8 swanctl'
    pretend bin ldd "libstrongswan.so.0 => $BATS_TEST_TMPDIR/lib/libstrongswan.so.0 (0x1)"
    mkdir --parents "$BATS_TEST_TMPDIR/lib/plugins"
    echo /etc/strongswan.conf >"$BATS_TEST_TMPDIR/lib/libstrongswan.so.0"
    # shellcheck disable=SC2016  # the inner shell expands it
    run -0 env PATH="$BATS_TEST_TMPDIR/bin:/usr/local/bin:/usr/bin:/bin" unshare --mount \
        sh -c 'mount --bind "$1" /usr/sbin && integration/ike/installed' sh "$BATS_TEST_TMPDIR/sbin"
    [[ $output == "5.9.8 $BATS_TEST_TMPDIR/lib /etc/strongswan.d" ]]
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj '/CN=a key without sbin/' \
        -keyout "$BATS_TEST_TMPDIR/key.pem" -outform DER -out "$BATS_TEST_TMPDIR/certificate.der"
    run -0 env PATH=/usr/local/bin:/usr/bin:/bin \
        make sign KEY="$BATS_TEST_TMPDIR/key.pem" CERT="$BATS_TEST_TMPDIR/certificate.der"
    [[ $output == *'Signed by: a key without sbin.'* ]]
    # The tests need these, too.
    run -0 env PATH=/usr/local/bin:/usr/bin:/bin bash -c 'source test/vm/common.sh; command -v depmod chroot losetup'
}

@test "make install requires KDIR if the running kernel has no headers" {
    if [[ -e /lib/modules/$(uname --kernel-release)/build ]]; then
        skip "the running kernel has its headers here"
    fi
    run env --unset KDIR make DESTDIR="$destination" install
    [[ $status -ne 0 && $output == *"linux-headers-"*"KDIR="* && ! -e $destination ]]
}

@test "make install installs the modules, the main one with its version, and says that it is for one kernel" {
    run -0 make DESTDIR="$destination" install
    [[ $(cd "$destination"/lib/modules/*/updates && ls) == $(printf '%s\n' sm4-fast-esp.ko sm4-fast.ko) ]]
    [[ $output == *'Repeat this for each new kernel before'* ]]
    module=$(echo "$destination"/lib/modules/*/updates/sm4-fast.ko)
    [[ $(modinfo --field version "$module") == "$version" ]]
    grep 'sm4_fast$' "$destination"/lib/modules/*/modules.alias
}

@test "where sm4-fast-esp cannot be built, make installs sm4-fast with a stand-in for it, and says so" {
    cp sm4-fast-esp.c "$BATS_TEST_TMPDIR"
    # A header has changed; a function that it calls is gone.
    for change in '#error' 'void sm4_gone(void); void (*sm4_calls)(void) = sm4_gone;'; do
        sed "s/^#include <linux.ftrace.h>/&\n$change/" "$BATS_TEST_TMPDIR/sm4-fast-esp.c" >sm4-fast-esp.c
        run -0 make DESTDIR="$destination" install
        [[ $output == *'sm4-fast-esp CANNOT BE BUILT for this kernel'* ]]
        [[ $(modinfo --field version "$destination"/lib/modules/*/updates/sm4-fast.ko) == "$version" ]]
        [[ -n $(modinfo --field stand_in "$destination"/lib/modules/*/updates/sm4-fast-esp.ko) ]]
    done
    # If sm4-fast itself cannot be built, it is an error.
    cp sm4-fast-glue.c "$BATS_TEST_TMPDIR"
    echo '#error' >>sm4-fast-glue.c
    run ! make DESTDIR="$destination" install
    cp "$BATS_TEST_TMPDIR"/sm4-fast-{glue,esp}.c .
    make DESTDIR="$destination" install
    [[ -z $(modinfo --field stand_in "$destination"/lib/modules/*/updates/sm4-fast-esp.ko) ]]
}

# Folders of updates are equal otherwise, and the first that depmod happens to read wins.
@test "depmod takes the modules of a package before those of DKMS and of make" {
    modules=$BATS_TEST_TMPDIR/lib/modules/6.12.0
    gcc -xc -c -o "$BATS_TEST_TMPDIR/any.ko" - <<<'const char license[] __attribute__((section(".modinfo"))) = "license=GPL";'
    for name in a/sm4-fast a/sm4-fast-esp dkms/sm4-fast dkms/sm4-fast-esp sm4-fast/sm4_fast sm4-fast/sm4_fast_esp z/sm4-fast; do
        install -D "$BATS_TEST_TMPDIR/any.ko" "$modules/updates/$name.ko"
    done
    touch "$modules"/modules.{order,builtin,builtin.modinfo}
    install -D packaging/prefer-package.depmod.conf "$BATS_TEST_TMPDIR/depmod.d/sm4-fast.conf"
    /sbin/depmod --basedir "$BATS_TEST_TMPDIR" --config "$BATS_TEST_TMPDIR/depmod.d" 6.12.0
    diff <(LC_ALL=C sort "$modules/modules.dep") - <<'END'
updates/sm4-fast/sm4_fast.ko:
updates/sm4-fast/sm4_fast_esp.ko:
END
}

@test "make uninstall keeps the other files if another kernel has the module" {
    other=$destination/lib/modules/other/updates
    install -D --mode=644 sm4-fast.ko "$other/sm4-fast.ko"
    make DESTDIR="$destination" uninstall
    [[ $(find "$destination" -name sm4-fast.ko) == "$other/sm4-fast.ko" && -x $destination/usr/bin/sm4-fast-info ]]
    rm -r "${other%/updates}"
    make DESTDIR="$destination" install
}

@test "make uninstall removes everything, also what a power cut has left of an installation" {
    for leftover in "$(cd "$destination" && echo lib/modules/*)"/updates/.sm4-fast \
        usr/bin/.sm4-fast; do
        touch "$destination/$leftover"
    done
    make DESTDIR="$destination" uninstall
    [[ -z $(find "$destination" -name '*sm4*') && ! -e $destination/usr ]]
    [[ -z $(find "$destination" -type d -empty) ]]
    # It also succeeds when there is nothing to remove.
    make DESTDIR="$destination" uninstall
    run ! grep --recursive sm4_fast "$destination"
}

@test "make uninstall needs no headers, and removes nothing else" {
    updates=$destination/lib/modules/6.1.0-1-amd64/updates
    install -D --mode=644 sm4-fast.ko "$updates/sm4-fast.ko"
    cp sm4-fast.ko "$updates/other.ko"
    env --unset KDIR make DESTDIR="$destination" RELEASE=6.1.0-1-amd64 uninstall
    [[ $(ls "$updates") == other.ko ]]
    updates=$destination/lib/modules/$(uname --kernel-release)/updates
    install -D --mode=644 sm4-fast.ko "$updates/sm4-fast.ko"
    env --unset KDIR make DESTDIR="$destination" uninstall
    [[ ! -e $updates ]]
}

@test "make uninstall removes nothing if it does not know from which kernel" {
    # The name of a release is missing.
    install -D --mode=644 sm4-fast.ko "$destination/lib/modules/updates/sm4-fast.ko"
    for kernel in KDIR=/nonexistent KDIR= RELEASE= RELEASE=../modules; do
        run make DESTDIR="$destination" "$kernel" uninstall
        [[ $status -ne 0 && $output == *RELEASE=* ]]
    done
    [[ -e $destination/lib/modules/updates/sm4-fast.ko ]]
    rm -r "$destination/lib/modules/updates"
}

# Checks that make uninstall keeps the other files, because of the file $1 of another installation, and that it names this.
rest_stays_for() {
    install -D --mode=644 /dev/null "$destination/$1"
    make DESTDIR="$destination" install-files
    make DESTDIR="$destination" RELEASE=6.1.0-2-amd64 uninstall >left
    grep --line-regexp --fixed-strings "$destination/$1" left
    [[ -x $destination/usr/bin/sm4-fast-info ]]
    rm -rf "${destination:?}"/{lib,usr}
}

@test "make uninstall keeps the other files if DKMS has the module, or will have it" {
    rest_stays_for lib/modules/6.1.0-1-amd64/updates/dkms/sm4-fast.ko
    rest_stays_for lib/modules/6.1.0-1-amd64/updates/dkms/sm4-fast.ko.xz
    # In distributions with RPM
    rest_stays_for lib/modules/6.6.0-72.x86_64/extra/sm4-fast.ko.xz
    rest_stays_for usr/share/sm4-fast/dkms/dkms.conf
}

@test "make dkms builds the modules for all kernels" {
    make --dry-run dkms >commands
    grep --line-regexp /usr/libexec/sm4-fast/by-dkms\ install commands
}

@test "make install regenerates no initramfs for another machine" {
    make --dry-run install >here
    grep --line-regexp 'packaging/renew-initramfs .*' here
    make --dry-run DESTDIR="$destination" install >elsewhere
    run ! grep renew-initramfs elsewhere
}

@test "make dkms and make dkms-uninstall are for this machine only" {
    for target in dkms dkms-uninstall; do
        run make --dry-run DESTDIR="$destination" $target
        [[ $status -ne 0 && $output == *"DKMS knows no DESTDIR=$destination"* ]]
    done
}

@test "make help lists all targets for installing" {
    run -0 make help
    while read -r target; do
        grep --word-regexp "make $target" <<<"$output"
    done <targets
}

@test "make sign says what it needs" {
    run make sign
    [[ $status -ne 0 && $output == *KEY=FILE* ]]
}

@test "make sign signs, and make install keeps the signature" {
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj '/CN=a throwaway key/' -keyout key.pem \
        -outform DER -out certificate.der
    make sign KEY=key.pem CERT=certificate.der
    make sign KEY=key.pem CERT=certificate.der
    make DESTDIR="$destination" install
    for module in sm4-fast sm4-fast-esp; do
        module=$(echo "$destination"/lib/modules/*/updates/$module.ko)
        [[ $(modinfo --field signer "$module") == 'a throwaway key' ]]
        # One signature, though it was signed twice
        [[ $(grep --text --count 'Module signature appended' "$module") -eq 1 ]]
    done
}

@test "make sign takes the passphrase of a key from KBUILD_SIGN_PIN" {
    openssl req -new -x509 -newkey rsa:2048 -passout pass:secret -days 1 -subj '/CN=a key with a passphrase/' \
        -keyout key.pem -outform DER -out certificate.der
    run ! env KBUILD_SIGN_PIN=wrong make sign KEY=key.pem CERT=certificate.der
    KBUILD_SIGN_PIN=secret run -0 make sign KEY=key.pem CERT=certificate.der
    [[ $output == *'Signed by: a key with a passphrase.'* ]]
}

@test "make sign fails with an invalid key" {
    echo nonsense >key.pem
    run ! make sign KEY=key.pem CERT=certificate.der
}
