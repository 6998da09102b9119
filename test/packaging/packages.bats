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
    grep --only-matching --extended-regexp '^    (sudo )?make\b.*|`make[^`]*`' docs/install.md | tr --delete '`' |
        tr ' ' '\n' | grep --extended-regexp --line-regexp '[a-z-]+' | grep --invert-match -e sudo -e '^make$' |
        sort --unique >named
    sed --quiet 's/^\.PHONY: //p' packaging/*.mk | tr ' ' '\n' |
        grep --invert-match -e files -e sources -e 'package$' -e release-packages -e remove | sort >targets
    diff named targets
}

@test "make deb makes a package from a fresh clone without git, and does not include a key that is there" {
    touch module-key.pem stray-key
    # Ubuntu's default
    DPKG_DEB_COMPRESSOR_TYPE=zstd make deb
    rm module-key.pem stray-key
    run ! grep key.pem <(tar --list --file "dist/sm4-fast-$version.tar.gz")
    run ! grep stray-key <(tar --list --file "dist/sm4-fast-$version.tar.gz")
    for package in sm4-fast sm4-fast-dkms; do
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
    for package in sm4-fast sm4-fast-dkms; do
        dpkg-deb --extract "dist/${package}_${version}_all.deb" unpacked
    done
    for file in $(linked_files); do
        [[ -e unpacked/usr/share/doc/sm4-fast/$file ]]
    done
    make --silent DESTDIR=expected install-dkms-sources install-files
    for page in docs/*.md docs/zh-CN/*.md; do
        cmp "$page" "unpacked/usr/share/doc/sm4-fast/$page"
    done
    rm -r unpacked/usr/share/doc
    # Manual pages are compressed in the package.
    find unpacked -name '*.gz' -exec gunzip {} +
    find unpacked -type d -empty -delete
    diff --recursive expected unpacked
    grep "^PACKAGE_VERSION=\"$version\"$" "unpacked/usr/src/sm4-fast-$version/dkms.conf"
}

@test "make rpm makes the packages without git" {
    make rpm
    rpm --query --package --list dist/sm4-fast{,-dkms}-"$version"-1.noarch.rpm >list
    for file in unpacked/usr/src/*/* unpacked/usr/src/*/*/*; do
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
    # $kernelver, which a version of DKMS sets to another kernel, does not count (deb.bats tests this with DKMS itself).
    # shellcheck disable=SC2016  # the inner shell expands it
    reads_it() { kernelver=6.1.0-1-amd64 bash -c 'source packaging/dkms.conf; echo "will: $AUTOINSTALL"' dkms "$@"; }
    run -0 reads_it autoinstall --kernelver 4.17.19
    [[ $output == 'sm4-fast: kernel 4.17.19 is not supported and is skipped'$'\n''will: ' ]]
    for command in 'autoinstall --kernelver 6.1.0-2-amd64' 'build sm4-fast/0.1 -k 4.17.19' status; do
        # shellcheck disable=SC2086  # words
        [[ $(reads_it $command 2>&1) == 'will: yes' ]]
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
END
    cat >"$BATS_TEST_TMPDIR/bin/cryptsetup" <<'END'
#!/bin/sh
case $* in
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
old    /dev/old    none  luks
plain  /dev/vdc    /key  plain,cipher=capi:xts(sm4)-plain64,size=256
behind /dev/vdd    none  header=/dev/secret,luks
others /dev/vde    none  luks
gone   UUID=0000   none  luks
END
    export PATH="$BATS_TEST_TMPDIR/bin:$PATH" TABFILE="$BATS_TEST_TMPDIR/crypttab"
}

# Those of them that need SM4
devices_with_sm4() {
    printf '    %s\n' 'root sm4-xts-plain64, which the root file system is on' 'sealed cmac(sm4)' \
        "secret sm4-gcm-random, in $TABFILE" "old sm4, in $TABFILE" "plain capi:xts(sm4)-plain64, in $TABFILE" \
        "behind sm4-gcm-random, in $TABFILE"
}

@test "the warning at a removal names each device that needs SM4, and why" {
    make_commands
    packaging/warn-users removal >warning
    cat warning
    diff <(grep '^    ' warning) <(devices_with_sm4)
}

@test "there is no warning at a removal if nothing needs SM4" {
    make_commands
    echo 'others /dev/vde none luks' >"$TABFILE"
    rm "$BATS_TEST_TMPDIR/bin/dmsetup"
    run -0 packaging/warn-users removal
    [[ -z $output ]]
}

@test "the script for the warning does not fail if all commands are missing" {
    mkdir "$BATS_TEST_TMPDIR/few"
    for command in awk sed tr head; do
        ln --symbolic "$(command -v $command)" "$BATS_TEST_TMPDIR/few"
    done
    run -0 env TABFILE=/nonexistent PATH="$BATS_TEST_TMPDIR/few" /bin/sh packaging/warn-users removal
    [[ -z $output ]]
}

@test "the packages warn when they are removed, and not when a later version replaces them" {
    make_commands
    mkdir control
    dpkg-deb --control "dist/sm4-fast-dkms_${version}_all.deb" control
    rpm --query --package --queryformat '%{PREUN}' "dist/sm4-fast-dkms-$version-1.noarch.rpm" >control/preun
    # It is in the folder of packaging/files, whatever folder a distribution has for such programs.
    rpmspec --define '_libexecdir /elsewhere' --parse packaging/sm4-fast.spec | grep ' /usr/libexec/sm4-fast/warn-users '
    sed --in-place "s|/usr/libexec/sm4-fast/|$PWD/packaging/|; s|/usr/src/sm4-fast-$version/|$PWD/packaging/|" \
        control/prerm control/preun
    # Do not use this machine's own DKMS.
    printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/dkms"
    chmod 755 "$BATS_TEST_TMPDIR/bin/dkms"
    for removal in 'prerm remove' 'preun 0'; do
        # shellcheck disable=SC2086  # two words
        run -0 sh control/$removal
        [[ $output == *'W: sm4-fast: THIS MACHINE HAS DEVICES'*'W: sm4-fast:     root sm4-xts'* ]]
    done
    for upgrade in 'prerm upgrade' 'preun 1'; do
        # shellcheck disable=SC2086  # two words
        run -0 sh control/$upgrade
        [[ $output != *sm4-xts* ]]
    done
}

@test "make uninstall and make dkms-uninstall also warn, except for a removal from another folder" {
    for target in uninstall dkms-uninstall; do
        make --dry-run $target >here
        grep --line-regexp 'packaging/warn-users removal >&2' here
        make --dry-run DESTDIR="$destination" $target >elsewhere
        run -1 grep warn-users elsewhere
    done
}

# (initramfs.bats tests what it says, with initramfs-tools.)
@test "there is no warning of a kernel with the module built in" {
    make_commands
    # shellcheck disable=SC2016  # the command expands it
    printf '#!/bin/sh\n[ "$1" = -k ] && echo "(builtin)"\n' >"$BATS_TEST_TMPDIR/bin/modinfo"
    chmod 755 "$BATS_TEST_TMPDIR/bin/modinfo"
    run -0 packaging/warn-users no-module 6.1.0-1-amd64 /boot/image
    [[ -z $output ]]
}

# (boot-disk.t tests it with dracut itself.)
@test "the module for dracut passes on what warn-users says, and fails if that does" {
    # shellcheck disable=SC2016  # the command expands it
    pretend bin warn-users '$@'
    # shellcheck disable=SC2016
    echo 'echo more; exit $STATUS' >>"$BATS_TEST_TMPDIR/bin/warn-users"
    sed "s|/usr/libexec/sm4-fast/|$BATS_TEST_TMPDIR/bin/|" packaging/dracut-module/module-setup.sh >module-setup.sh
    # Functions and variables that dracut provides
    dwarn() { echo "dracut: $*" >&2; }
    instmods() { :; }
    export kernel=6.1.0-1-amd64 outfile STATUS
    # shellcheck source=packaging/dracut-module/module-setup.sh
    source ./module-setup.sh
    # renew-initramfs has it make a file with this end.
    for outfile in /boot/image /boot/image.sm4-fast-new; do
        for STATUS in 0 1; do
            run -$STATUS installkernel
            [[ $output == $'dracut: sm4-fast: no-module 6.1.0-1-amd64 /boot/image\ndracut: sm4-fast: more' ]]
        done
    done
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

@test "without headers of the running kernel, make uses those of another, and says so; make dkms names each kernel without" {
    pretend bin uname 9.9.9-other
    run -0 env --unset KDIR PATH="$BATS_TEST_TMPDIR/bin:$PATH" make --dry-run MAKE=true modules
    [[ $output == *'The running kernel, 9.9.9-other, has no headers here: this is for '* ]]
    run -0 env --unset KDIR PATH="$BATS_TEST_TMPDIR/bin:$PATH" make --dry-run MAKE=true dkms
    [[ $output == */install-by-dkms* ]]
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
    for folder in a dkms sm4-fast z; do
        for name in sm4-fast sm4-fast-esp; do
            install -D "$BATS_TEST_TMPDIR/any.ko" "$modules/updates/$folder/$name.ko"
        done
    done
    touch "$modules"/modules.{order,builtin,builtin.modinfo}
    install -D packaging/prefer-package.depmod.conf "$BATS_TEST_TMPDIR/depmod.d/sm4-fast.conf"
    /sbin/depmod --basedir "$BATS_TEST_TMPDIR" --config "$BATS_TEST_TMPDIR/depmod.d" 6.12.0
    diff <(LC_ALL=C sort "$modules/modules.dep") - <<'END'
updates/sm4-fast/sm4-fast-esp.ko:
updates/sm4-fast/sm4-fast.ko:
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
    mkdir "$destination/boot"
    for leftover in boot/initramfs-6.1.0.img.sm4-fast-new "$(cd "$destination" && echo lib/modules/*)"/updates/.sm4-fast \
        usr/bin/.sm4-fast; do
        touch "$destination/$leftover"
    done
    make DESTDIR="$destination" uninstall
    rmdir "$destination/boot"
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

@test "make dkms-uninstall does not require DKMS, and removes everything" {
    # Without DKMS
    local path=/usr/bin:/bin
    run ! env PATH=$path sh -c 'command -v dkms'
    cp --recursive . "$BATS_TEST_TMPDIR/copy"
    cd "$BATS_TEST_TMPDIR/copy"
    printf '#!/bin/sh\necho asked >&2\nexit 1\n' >test/need
    # The second one is the package of earlier versions, for ESP.
    for name in "sm4-fast-$version" sm4-fast-xfrm-0.2; do
        mkdir --parents "$destination/usr/src/$name"
        touch "$destination/usr/src/$name/dkms.conf"
    done
    make DESTDIR="$destination" install-files
    run -0 env PATH=$path make DESTDIR="$destination" dkms-uninstall
    [[ -z $(find "$destination/usr" -name '*sm4*') ]]
    rm -r "${destination:?}/usr"
}

# Checks that the target $2 keeps the other files, because of the file $1 of another installation, and that it names this.
rest_stays_for() {
    install -D --mode=644 /dev/null "$destination/$1"
    make DESTDIR="$destination" install-files
    make DESTDIR="$destination" RELEASE=6.1.0-2-amd64 "$2" >left
    grep --line-regexp --fixed-strings "$destination/$1" left
    [[ -x $destination/usr/bin/sm4-fast-info ]]
    rm -rf "${destination:?}"/{lib,usr}
}

@test "make uninstall keeps the other files if DKMS has the module, or will have it" {
    rest_stays_for lib/modules/6.1.0-1-amd64/updates/dkms/sm4-fast.ko uninstall
    rest_stays_for lib/modules/6.1.0-1-amd64/updates/dkms/sm4-fast.ko.xz uninstall
    # In distributions with RPM
    rest_stays_for lib/modules/6.6.0-72.x86_64/extra/sm4-fast.ko.xz uninstall
    rest_stays_for "usr/src/sm4-fast-$version/dkms.conf" uninstall
}

@test "make dkms-uninstall keeps the other files if make has installed the module" {
    rest_stays_for lib/modules/6.1.0-1-amd64/updates/sm4-fast.ko dkms-uninstall
}

@test "make dkms builds the modules for all kernels" {
    make --dry-run dkms >commands
    grep --line-regexp "/usr/src/sm4-fast-$version/install-by-dkms" commands
}

@test "make install regenerates no initramfs for another machine" {
    make --dry-run install >here
    grep --line-regexp 'sync && packaging/renew-initramfs .*' here
    make --dry-run DESTDIR="$destination" install >elsewhere
    run ! grep renew-initramfs elsewhere
}

@test "this machine's DKMS is not called for a removal from another folder, and installs nothing there" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\necho "$@" >>%s/asked\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/bin/dkms"
    chmod 755 "$BATS_TEST_TMPDIR/bin/dkms"
    export PATH="$BATS_TEST_TMPDIR/bin:$PATH"
    make DESTDIR="$destination" dkms-uninstall
    [[ ! -e $BATS_TEST_TMPDIR/asked ]]
    run make --dry-run DESTDIR="$destination" dkms
    [[ $status -ne 0 && $output == *"DKMS knows no DESTDIR=$destination"* ]]
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
