#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
#
# tls/get-source in integration accepts only a source of OpenSSL 4 to which our patch applies, says why it refuses others,
# and then changes nothing. The sources are fake, with only the parts that are checked. openssl.t lets it fetch
# Debian's, and builds that. The other steps report missing files. `make tls-uninstall` removes the files that `make
# tls-install` has installed, and refuses any other folder.

# shellcheck source=integration/sources.bash
source "$BATS_TEST_DIRNAME/../../sources.bash"

# Makes a source tree of version $1, with the kTLS header $2.
make_source() {
    mkdir -p "$work/source/include/internal"
    awk -F . '{ print "MAJOR=" $1 "\nMINOR=" $2 "\nPATCH=" $3 "\nPRE_RELEASE_TAG=" }' <<<"$1" >"$work/source/VERSION.dat"
    echo "$2" >"$work/source/include/internal/ktls.h"
}

@test "get-source refuses what is no source, and what is no archive" {
    mkdir source
    refuses tls 'is not the source of OpenSSL: it has no VERSION.dat' "$work/source"
    echo 'no archive' >source.tar
    refuses tls 'is not the source of OpenSSL, or is damaged' "$work/source.tar"
}

@test "get-source refuses the folder that it makes anew, and what is in it" {
    refuses tls 'is in the folder that is recreated' "$work/folder"
    refuses tls 'is in the folder that is recreated' "$work/folder/before"
}

@test "get-source refuses a version without RFC 8998" {
    make_source 3.5.4 ''
    refuses tls 'this is OpenSSL 3.5.4; TLS with SM4 begins with 4.0' "$work/source"
}

@test "get-source refuses a header that it does not know" {
    make_source 4.0.9 ''
    refuses tls 'our patch does not apply' "$work/source"
}

@test "get-source refuses what has SM4 already" {
    make_source 4.1.0 '#define OPENSSL_KTLS_SM4_GCM'
    refuses tls 'OpenSSL 4.1.0 already passes SM4 to the kernel' "$work/source"
}

@test "get-source says what there is to do without Debian's archive, also by its exit status" {
    run -77 without_archive "$integration/tls/get-source" "$work/folder"
    [[ $output == *'Or name a source tree or a tarball'* ]]
}

@test "build refuses headers of a kernel without SM4" {
    mkdir -p include/linux empty
    : >include/linux/tls.h
    fails 'they are older than 5.16' env C_INCLUDE_PATH="$work/include" "$integration/tls/build" "$work/empty" /nowhere
}

@test "build says where the log is" {
    mkdir empty
    fails "the log is $work/empty/build.log" "$integration/tls/build" "$work/empty" /nowhere
}

@test "make tls-install wants make tls first, and make tls-handover an OpenSSL 4" {
    copy_for_make integration/tls/handover.c
    fails 'It is not built yet: make tls' make --directory="$work/clone" tls-install
    fails 'There is no OpenSSL 4.0 here to build with' \
        env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$work" make --directory="$work/clone" tls-handover
}

@test "make tls-tarball wants make tls first; it has what make tls-install installs, readable for all" {
    copy_for_make
    fails 'It is not built yet: make tls' make --directory="$work/clone" tls-tarball
    mkdir -p clone/integration/tls/openssl
    cd clone/integration/tls/openssl
    touch libssl.so
    printf 'MAJOR=4\nMINOR=0\nPATCH=9\n' >VERSION.dat
    cat >Makefile <<'END'
install_sw:
	mkdir -p $(DESTDIR)/opt/openssl-sm4/bin
	touch $(DESTDIR)/opt/openssl-sm4/bin/openssl
END
    (umask 077 && make --directory="$work/clone" tls-tarball)
    run -0 tar --list --verbose --file "$work"/clone/dist/openssl-sm4-4.0.9-*.tar.gz
    [[ $(awk '{ print $1, $2, $NF }' <<<"$output") == "drwxr-xr-x root/root opt/openssl-sm4/
drwxr-xr-x root/root opt/openssl-sm4/bin/
-rw-r--r-- root/root opt/openssl-sm4/bin/openssl" ]]
}

@test "make tls-uninstall removes its own folder alone" {
    mkdir -p installed/opt/{openssl-sm4,other}
    make --silent --directory="$repository" tls-uninstall openssl_prefix=/ DESTDIR="$work/installed"
    [[ $(cd installed && echo opt/*) == opt/other ]]
}
