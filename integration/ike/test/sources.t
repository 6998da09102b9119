#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# TAP: ike/get-source in integration accepts only a source of the installed strongSwan, says why it refuses others, and then
# changes nothing; the other steps report missing files. strongSwan and sources are fake, with only the parts that are checked.
# ike.t here and test/docs/pages.t build with real ones. `make ike-uninstall` removes all files that `make ike-install`
# has installed.
set -euo pipefail
# shellcheck source=test/host/sources.sh
source "$(dirname "$0")/../../../test/host/sources.sh"

# Puts a program first in PATH.
program() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

mkdir -p "$work"/{bin,lib/plugins,source}
PATH=$work/bin:$PATH
program swanctl 'exit 1'
fails 'ike/get-source wants strongSwan first' 'strongSwan is not installed' "$integration/ike/get-source" "$work/folder"
program swanctl 'echo "strongSwan 5.9.8 swanctl"'
program ldd "echo 'libstrongswan.so.0 => $work/lib/libstrongswan.so.0 (0x1)'"

refuses ike 'refuses what is no source' 'is not the source of strongSwan: it has no configure.ac' "$work/source"
echo 'no archive' >"$work/source.tar"
refuses ike 'refuses what is no archive' 'is not the source of strongSwan, or is damaged' "$work/source.tar"
refuses ike 'refuses the folder that it makes anew' 'is in the folder that is recreated' "$work/folder"
echo 'AC_INIT([strongSwan],[6.0.1])' >"$work/source/configure.ac"
refuses ike 'refuses another version' 'this is the source of strongSwan 6.0.1, but 5.9.8 is installed' "$work/source"
echo 'AC_INIT([strongSwan],[5.9.8])' >"$work/source/configure.ac"
works 'ike/get-source takes the version that is installed' "$integration/ike/get-source" "$work/folder" "$work/source"
works 'and puts it there' cmp "$work/source/configure.ac" "$work/folder/configure.ac"
program dpkg-query 'echo 5.9.8-1'
printf 'Dir::Etc::SourceList "/dev/null";\nDir::Etc::SourceParts "/dev/null";\n' >"$work/apt.conf"
fails "ike/get-source says what to do without lists of Debian's packages" 'has no lists of' \
    env APT_CONFIG="$work/apt.conf" "$integration/ike/get-source" "$work/folder"
cp /bin/true "$work/lib/libstrongswan.so.0"
objcopy --remove-section=.note.gnu.build-id "$work/lib/libstrongswan.so.0"
fails 'ike/build wants libraries that have a build ID' 'libstrongswan.so.0 has no build ID' \
    "$integration/ike/build" "$work/folder"

# Without a build
mkdir "$work/clone"
(cd "$repository" && cp --parents --target-directory="$work/clone" Makefile {packaging,integration}/*.mk integration/ike/{installed,sm4-fast.conf})
fails 'make ike-install wants make ike first' 'It is not built yet: make ike' make --directory="$work/clone" ike-install

touch "$work/clone/integration/ike/libstrongswan-sm4-fast.so"
to_root() {
    make --silent --directory="$work/clone" "$1" DESTDIR="$work/root"
}
installed() {
    (cd "$work/root" && find . -type f | sed "s|.$work/||" | sort | xargs)
}
works 'make ike-install' to_root ike-install
works 'installs two files' test "$(installed)" = './etc/strongswan.d/sm4-fast.conf lib/plugins/libstrongswan-sm4-fast.so'
echo '# ours' >"$work/root/etc/strongswan.d/sm4-fast.conf"
to_root ike-install >"$work/output" 2>&1
works 'and keeps settings that are there' grep --quiet ours "$work/root/etc/strongswan.d/sm4-fast.conf"
works 'make ike-uninstall' to_root ike-uninstall
works 'removes both' test "$(installed)" = ''
plan
