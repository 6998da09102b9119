#!/bin/bash
# test/lab/tls.t VERSION
#
# The kernel's own selftest of TLS sockets (tools/testing/selftests/net/tls.c), its part with SM4-GCM and SM4-CCM, as
# TAP, in the user-mode Linux VERSION (6.12 or 7.2) with all that notices memory, locks and arithmetic going wrong.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: tls.t VERSION"

"$repository/test/need" iproute2 >&2
prepare "$1"
# Of the kernel's headers for programs it wants this one as new as itself.
mkdir -p "$modules/include/linux"
cp "$kernel/source/include/uapi/linux/tls.h" "$modules/include/linux"
gcc -O2 -I "$modules/include" -I "$kernel/source/tools/testing/selftests" -o "$modules/tls" \
    "$kernel/source/tools/testing/selftests/net/tls.c"
"$lab/boot" --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$lab/guest/tls" "$modules/sm4-fast/sm4-fast.ko" "$modules/tls"
