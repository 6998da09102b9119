#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TAP: tls/get-source in integration accepts only a source of OpenSSL 4 to which our patch applies, says why it refuses others,
# and then changes nothing. The sources are fake, with only the parts that are checked. openssl.t lets it fetch
# Debian's, and builds that. The other steps report missing files. `make tls-uninstall` removes the files that `make
# tls-install` has installed, and refuses any other folder.
set -euo pipefail
# shellcheck source=test/host/sources.sh
source "$(dirname "$0")/../../../test/host/sources.sh"

# Makes a source tree of version $1, with the kTLS header $2.
make_source() {
    mkdir -p "$work/source/include/internal"
    awk -F . '{ print "MAJOR=" $1 "\nMINOR=" $2 "\nPATCH=" $3 "\nPRE_RELEASE_TAG=" }' <<<"$1" >"$work/source/VERSION.dat"
    echo "$2" >"$work/source/include/internal/ktls.h"
}

mkdir "$work/source"
refuses tls 'refuses what is no source' 'is not the source of OpenSSL: it has no VERSION.dat' "$work/source"
echo 'no archive' >"$work/source.tar"
refuses tls 'refuses what is no archive' 'is not the source of OpenSSL, or is damaged' "$work/source.tar"
make_source 3.5.4 ''
refuses tls 'refuses the folder that it makes anew' 'is in the folder that is recreated' "$work/folder"
refuses tls 'refuses what is in that folder' 'is in the folder that is recreated' "$work/folder/before"
refuses tls 'refuses a version without RFC 8998' 'this is OpenSSL 3.5.4; TLS with SM4 begins with 4.0' "$work/source"
make_source 4.0.9 ''
refuses tls 'refuses a header that it does not know' 'our patch does not apply' "$work/source"
make_source 4.1.0 '#define OPENSSL_KTLS_SM4_GCM'
refuses tls 'refuses what has SM4 already' 'OpenSSL 4.1.0 already passes SM4 to the kernel' "$work/source"

printf 'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "/dev/null";\n' >"$work/apt.conf"
without_archive() {
    env APT_CONFIG="$work/apt.conf" XDG_CACHE_HOME="$work/cache" "$integration/tls/get-source" "$work/folder"
}
fails "tls/get-source says what there is to do without Debian's archive" 'Or name a source tree or a tarball' without_archive
works 'and that it is the archive, by its exit status' test "$(without_archive >/dev/null 2>&1; echo $?)" = 77

mkdir -p "$work"/include/linux "$work/empty"
: >"$work/include/linux/tls.h"
fails 'tls/build refuses headers of a kernel without SM4' 'they are older than 5.16' \
    env C_INCLUDE_PATH="$work/include" "$integration/tls/build" "$work/empty" /nowhere
fails 'tls/build says where the log is' "the log is $work/empty/build.log" "$integration/tls/build" "$work/empty" /nowhere

# Without a build
mkdir "$work/clone"
(cd "$repository" && cp --parents --target-directory="$work/clone" Makefile {packaging,integration}/*.mk integration/tls/handover.c)
fails 'make tls-install wants make tls first' 'It is not built yet: make tls' make --directory="$work/clone" tls-install
fails 'make tls-handover wants an OpenSSL 4' 'There is no OpenSSL 4.0 here to build with' \
    env -u PKG_CONFIG_PATH PKG_CONFIG_LIBDIR="$work" make --directory="$work/clone" tls-handover

mkdir -p "$work"/installed/opt/{openssl-sm4,other}
works 'make tls-uninstall' make --silent --directory="$repository" tls-uninstall openssl_prefix=/ DESTDIR="$work/installed"
works 'removes its own folder alone' test "$(cd "$work/installed" && echo opt/*)" = opt/other
plan
