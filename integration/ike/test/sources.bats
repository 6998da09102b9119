#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# ike/get-source in integration accepts only a source of the installed strongSwan, says why it refuses others, and then
# changes nothing; the other steps report missing files. strongSwan and sources are fake, with only the parts that are checked.
# ike.t here and test/docs/pages.t build with real ones. `make ike-uninstall` removes all files that `make ike-install`
# has installed.

# shellcheck source=integration/sources.bash
source "$BATS_TEST_DIRNAME/../../sources.bash"

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
    make --silent --directory="$work/clone" "$1" DESTDIR="$work/root"
}

installed() {
    (cd "$work/root" && find . -type f | sed "s|.$work/||" | sort | xargs)
}

@test "get-source wants strongSwan first" {
    program swanctl 'exit 1'
    fails 'strongSwan is not installed' "$integration/ike/get-source" "$work/folder"
}

@test "installed wants a library that has the path of its settings" {
    install_strongswan
    cp /bin/true lib/libstrongswan.so.0
    fails 'libstrongswan.so.0 has no path of strongswan.conf' "$integration/ike/installed"
}

@test "get-source refuses what is no source, and what is no archive" {
    install_strongswan
    refuses ike 'is not the source of strongSwan: it has no configure.ac' "$work/source"
    echo 'no archive' >source.tar
    refuses ike 'is not the source of strongSwan, or is damaged' "$work/source.tar"
}

@test "get-source refuses the folder that it makes anew" {
    install_strongswan
    refuses ike 'is in the folder that is recreated' "$work/folder"
}

@test "get-source refuses another version than the one that is installed" {
    install_strongswan
    echo 'AC_INIT([strongSwan],[6.0.1])' >source/configure.ac
    refuses ike 'this is the source of strongSwan 6.0.1, but 5.9.8 is installed' "$work/source"
    echo 'AC_INIT([strongSwan],[5.9.8])' >source/configure.ac
    "$integration/ike/get-source" "$work/folder" "$work/source"
    cmp source/configure.ac folder/configure.ac
}

@test "get-source says what to do without lists of Debian's packages" {
    install_strongswan
    program dpkg-query 'echo 5.9.8-1'
    fails 'has no lists of' without_archive "$integration/ike/get-source" "$work/folder"
}

@test "build wants libraries that have a build ID" {
    install_strongswan
    echo 'AC_INIT([strongSwan],[5.9.8])' >source/configure.ac
    "$integration/ike/get-source" "$work/folder" "$work/source"
    cp /bin/true lib/libstrongswan.so.0
    objcopy --remove-section=.note.gnu.build-id lib/libstrongswan.so.0
    echo '/etc/strongswan.conf' >>lib/libstrongswan.so.0
    fails 'libstrongswan.so.0 has no build ID' "$integration/ike/build" "$work/folder"
}

@test "package wants a strongSwan that is a package itself" {
    install_strongswan
    fails 'the installed strongSwan is not a Debian package. Without one: make ike' "$integration/ike/package" "$work/dist"
    [[ -z $(ls -A "$work/dist") ]]
}

@test "make ike-install wants make ike first; it keeps settings, and make ike-uninstall removes all" {
    install_strongswan
    copy_for_make integration/ike/{installed,sm4-fast.conf}
    fails 'It is not built yet: make ike' make --directory="$work/clone" ike-install
    touch clone/integration/ike/libstrongswan-sm4-fast.so
    to_root ike-install
    # As on Fedora: the library says where it reads its settings.
    [[ $(installed) == './etc/strongswan/strongswan.d/sm4-fast.conf lib/plugins/libstrongswan-sm4-fast.so' ]]
    echo '# ours' >root/etc/strongswan/strongswan.d/sm4-fast.conf
    to_root ike-install
    grep --quiet ours root/etc/strongswan/strongswan.d/sm4-fast.conf
    to_root ike-uninstall
    [[ -z $(installed) ]]
}
