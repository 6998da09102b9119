#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# get-source of integration/ike accepts only a source of the installed strongSwan, says why it refuses others, and then
# changes nothing; the other steps report missing files. strongSwan and sources are fake, with only the parts that are checked.
# ike.t here and test/docs/pages.t build with real ones. `make ike-uninstall` removes all files that `make ike-install`
# has installed.

bats_require_minimum_version 1.5.0

setup() {
    ike=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
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
    fails "$1" "$ike/get-source" "$work/folder" "$2"
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
    (cd "$ike" && cp --target-directory="$work/alone" Makefile "$@")
}

# Puts a program first in PATH.
program() {
    mkdir -p "$work/bin"
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
    PATH=$work/bin:$PATH
}

# strongSwan of a version that get-source knows is installed.
install_strongswan() {
    program swanctl 'echo "strongSwan 5.9.8 swanctl"'
    program ldd "echo 'libstrongswan.so.0 => $work/lib/libstrongswan.so.0 (0x1)'"
    mkdir -p lib/plugins source
    echo '/etc/strongswan/strongswan.conf' >lib/libstrongswan.so.0
}

to_root() {
    make --silent --directory="$work/alone" "$1" DESTDIR="$work/root"
}

installed() {
    (cd "$work/root" && find . -type f | sed "s|.$work/||" | sort | xargs)
}

@test "get-source wants strongSwan first" {
    program swanctl 'exit 1'
    fails 'strongSwan is not installed' "$ike/get-source" "$work/folder"
}

@test "installed wants a library that has the path of its settings" {
    install_strongswan
    cp /bin/true lib/libstrongswan.so.0
    fails 'libstrongswan.so.0 has no path of strongswan.conf' "$ike/installed"
}

@test "get-source refuses what is no source, and what is no archive" {
    install_strongswan
    refuses 'is not the source of strongSwan: it has no configure.ac' "$work/source"
    echo 'no archive' >source.tar
    refuses 'is not the source of strongSwan, or is damaged' "$work/source.tar"
}

@test "get-source refuses the folder that it makes anew" {
    install_strongswan
    refuses 'is in the folder that is recreated' "$work/folder"
}

@test "get-source refuses another version than the one that is installed" {
    install_strongswan
    echo 'AC_INIT([strongSwan],[6.0.1])' >source/configure.ac
    refuses 'this is the source of strongSwan 6.0.1, but 5.9.8 is installed' "$work/source"
    echo 'AC_INIT([strongSwan],[5.9.8])' >source/configure.ac
    "$ike/get-source" "$work/folder" "$work/source"
    cmp source/configure.ac folder/configure.ac
}

@test "get-source says what to do without lists of Debian's packages" {
    install_strongswan
    program dpkg-query 'echo 5.9.8-1'
    fails 'has no lists of' without_archive "$ike/get-source" "$work/folder"
}

@test "build wants libraries that have a build ID" {
    install_strongswan
    echo 'AC_INIT([strongSwan],[5.9.8])' >source/configure.ac
    "$ike/get-source" "$work/folder" "$work/source"
    cp /bin/true lib/libstrongswan.so.0
    objcopy --remove-section=.note.gnu.build-id lib/libstrongswan.so.0
    echo '/etc/strongswan.conf' >>lib/libstrongswan.so.0
    fails 'libstrongswan.so.0 has no build ID' "$ike/build" "$work/folder"
}

@test "package wants a strongSwan that is a package itself" {
    install_strongswan
    fails 'the installed strongSwan is not a Debian package. Without one: make ike' "$ike/package" "$work/dist"
    [[ -z $(ls -A "$work/dist") ]]
}

@test "make ike-install wants make ike first; it keeps settings, and make ike-uninstall removes all" {
    install_strongswan
    copy_alone installed sm4-fast.conf
    fails 'It is not built yet: make ike' make --directory=alone ike-install
    touch alone/libstrongswan-sm4-fast.so
    program id 'echo 1000'
    fails 'This takes root: sudo make ike-install' make --directory=alone ike-install
    to_root ike-install
    # As on Fedora: the library says where it reads its settings.
    [[ $(installed) == './etc/strongswan/strongswan.d/sm4-fast.conf lib/plugins/libstrongswan-sm4-fast.so' ]]
    echo '# ours' >root/etc/strongswan/strongswan.d/sm4-fast.conf
    to_root ike-install
    grep --quiet ours root/etc/strongswan/strongswan.d/sm4-fast.conf
    to_root ike-uninstall
    [[ -z $(installed) ]]
}
