#!/bin/bash
# integration/tls/test/handover.t VERSION
#
# TAP: the program integration/tls/handover with Debian's unmodified OpenSSL 4.0: a real handshake, then SM4 by the kernel,
# both ends at the same time on two processors, in the user-mode Linux VERSION (7.2) with the kernel's checks of memory, locks
# and arithmetic. Skipped if the archive has no libssl4.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/../../../test/lab/common.sh"

[[ $# -eq 1 ]] || fail "usage: handover.t VERSION"

make_or_skip "$(dirname "$0")/stock-openssl"
openssl=$made
"$repository/test/need" iproute2 strace >&2
prepare "$1"
# The linker would find other versions of these libraries' own dependencies than they need.
messages=$(gcc -std=gnu11 -O2 -Wall -Wextra -isystem "$openssl/usr/include" -isystem "$openssl/usr/include/x86_64-linux-gnu" \
    -o "$modules/handover" "$repository/integration/tls/handover.c" -L "$openssl/usr/lib/x86_64-linux-gnu" \
    -Wl,--unresolved-symbols=ignore-in-shared-libs -lssl -lcrypto 2>&1) || true
if [[ -n $messages ]]; then
    echo '# integration/tls/handover does not build without a warning:'
    comment <<<"$messages"
    exit 1
fi
"$lab/boot" --processors 2 --seconds 1800 --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$(dirname "$0")/handover" "$modules/sm4-fast/sm4-fast.ko" "$openssl" "$modules/handover"
