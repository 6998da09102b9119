#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# get-source of integration/tls accepts only a source of OpenSSL 4 to which our patch applies, says why it refuses others,
# and then changes nothing. The sources are fake, with only the parts that are checked. openssl.t lets it fetch
# Debian's, and builds that. The other steps report missing files. `make tls-uninstall` removes the files that `make
# tls-install` has installed, and refuses any other folder.

bats_require_minimum_version 1.5.0

setup() {
    tls=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
    work=$BATS_TEST_TMPDIR
    # Variables of a make that runs this test must not reach the make that is tested.
    unset MAKEFLAGS MAKELEVEL MFLAGS
    cd "$work" || exit
}

# A command has to fail, with this text in its message: fails TEXT COMMAND...
fails() {
    run ! "${@:2}"
    # shellcheck disable=SC2154  # set by run
    [[ $output == *"$1"* ]]
}

# get-source has to refuse a source with this text in its message, and to leave what is there: refuses TEXT SOURCE
refuses() {
    mkdir folder
    touch folder/before
    fails "$1" "$tls/get-source" "$work/folder" "$2"
    [[ $(echo folder*/*) == folder/before ]]
    rm -r folder
}

# An archive of Debian that has nothing
without_archive() {
    printf 'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "/dev/null";\n' >apt.conf
    env APT_CONFIG="$work/apt.conf" XDG_CACHE_HOME="$work/cache" "$@"
}

# A copy of this folder, alone, with its Makefile and these files: copy_alone FILE...
copy_alone() {
    mkdir alone
    (cd "$tls" && cp --target-directory="$work/alone" Makefile "$@")
}

# Puts a program first in PATH.
program() {
    mkdir -p "$work/bin"
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
    PATH=$work/bin:$PATH
}

# Makes a source tree of version $1, with the kTLS header $2.
make_source() {
    mkdir -p "$work/source/include/internal"
    awk -F . '{ print "MAJOR=" $1 "\nMINOR=" $2 "\nPATCH=" $3 "\nPRE_RELEASE_TAG=" }' <<<"$1" >"$work/source/VERSION.dat"
    echo "$2" >"$work/source/include/internal/ktls.h"
}

@test "get-source refuses what is no source, and what is no archive" {
    mkdir source
    refuses 'is not the source of OpenSSL: it has no VERSION.dat' "$work/source"
    echo 'no archive' >source.tar
    refuses 'is not the source of OpenSSL, or is damaged' "$work/source.tar"
}

@test "get-source refuses the folder that it makes anew, and what is in it" {
    refuses 'is in the folder that is recreated' "$work/folder"
    refuses 'is in the folder that is recreated' "$work/folder/before"
}

@test "get-source refuses a version without RFC 8998" {
    make_source 3.5.4 ''
    refuses 'this is OpenSSL 3.5.4; TLS with SM4 begins with 4.0' "$work/source"
}

@test "get-source refuses a header that it does not know" {
    make_source 4.0.9 ''
    refuses 'our patch does not apply' "$work/source"
}

@test "get-source refuses what has SM4 already" {
    make_source 4.1.0 '#define OPENSSL_KTLS_SM4_GCM'
    refuses 'OpenSSL 4.1.0 already passes SM4 to the kernel' "$work/source"
}

@test "get-source says what there is to do without Debian's archive, also by its exit status" {
    run -77 without_archive "$tls/get-source" "$work/folder"
    [[ $output == *'Or name a source tree or a tarball'* ]]
}

@test "build refuses headers of a kernel without SM4" {
    mkdir -p include/linux empty
    : >include/linux/tls.h
    fails 'they are older than 5.16' env C_INCLUDE_PATH="$work/include" "$tls/build" "$work/empty" /nowhere
}

@test "build says where the log is" {
    mkdir empty
    fails "the log is $work/empty/build.log" "$tls/build" "$work/empty" /nowhere
}

@test "make tls-install wants make tls first, and make tls-handover an OpenSSL 4" {
    copy_alone handover.c
    fails 'It is not built yet: make tls' make --directory=alone tls-install
    install -D /dev/null alone/openssl/libssl.so
    program id 'echo 1000'
    fails 'This takes root: sudo make tls-install' make --directory=alone tls-install
    fails 'There is no OpenSSL 4.0 here to build with' \
        env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$work" make --directory=alone tls-handover
}

@test "make tls-tarball wants make tls first; it has what make tls-install installs, readable for all" {
    copy_alone
    fails 'It is not built yet: make tls' make --directory=alone tls-tarball
    mkdir alone/openssl
    cd alone/openssl
    touch libssl.so
    printf 'MAJOR=4\nMINOR=0\nPATCH=9\n' >VERSION.dat
    cat >Makefile <<'END'
install_sw:
	mkdir -p $(DESTDIR)/opt/openssl-sm4/bin
	touch $(DESTDIR)/opt/openssl-sm4/bin/openssl
END
    (umask 077 && make --directory="$work/alone" tls-tarball)
    run -0 tar --list --verbose --file "$work"/alone/dist/openssl-sm4-4.0.9-*.tar.gz
    [[ $(awk '{ print $1, $2, $NF }' <<<"$output") == "drwxr-xr-x root/root opt/openssl-sm4/
drwxr-xr-x root/root opt/openssl-sm4/bin/
-rw-r--r-- root/root opt/openssl-sm4/bin/openssl" ]]
}

@test "make tls-uninstall removes its own folder alone" {
    mkdir -p installed/opt/{openssl-sm4,other}
    make --silent --directory="$tls" tls-uninstall openssl_prefix=/ DESTDIR="$work/installed"
    [[ $(cd installed && echo opt/*) == opt/other ]]
}
