#!/bin/bash
# integration/tls/test/openssl.t VERSION
#
# TAP: OpenSSL with our patch, as `make tls` builds it from Debian's source package, and nginx with it: files and records with a
# real handshake and the kernel, in the user-mode Linux VERSION (6.12 or 7.2) with the kernel's checks of memory, locks
# and arithmetic. patched-openssl builds them first, unless they exist, which takes a quarter of an hour. Skipped
# if the archive does not have OpenSSL 4.0, and without nginx if it does not have that.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/../../../test/lab/common.sh"

[[ $# -eq 1 ]] || fail "usage: openssl.t VERSION"

make_or_skip "$(dirname "$0")/stock-openssl"
openssl=$made
"$repository/test/need" gcc iproute2 libc6-dev make pkg-config >&2
make_or_skip "$(dirname "$0")/patched-openssl"
built=$made
exec 9>"$built/lock"
flock --shared 9

prepare "$1"
"$lab/boot" --seconds 7200 --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$(dirname "$0")/openssl" "$modules/sm4-fast/sm4-fast.ko" "$openssl" "$built"
