#!/bin/bash
# integration/tls/test/tls.t VERSION
#
# TAP: the kernel's own selftest of TLS sockets (tools/testing/selftests/net/tls.c), its part with SM4-GCM and SM4-CCM,
# in the user-mode Linux VERSION (6.12 or 7.2) with the kernel's checks of memory, locks and arithmetic.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/../../../test/lab/common.sh"

[[ $# -eq 1 ]] || fail "usage: tls.t VERSION"

"$repository/test/need" iproute2 >&2
prepare "$1"
# It needs this kernel header for programs in its own version.
mkdir -p "$modules/include/linux"
cp "$kernel/source/include/uapi/linux/tls.h" "$modules/include/linux"
selftest=$kernel/source/tools/testing/selftests/net/tls.c
# Linux 6.12.117 took over the tests of key updates from Linux 6.14, but neither the parameter of tls_crypto_info_init()
# that they pass nor the key updates themselves: its selftest does not compile, and these tests could not pass.
compatibility=()
excluded=()
if ! grep --quiet key_generation "$selftest"; then
    compatibility=('-Dtls_crypto_info_init(version, type, keys, ...)=tls_crypto_info_init(version, type, keys)')
fi
if ! grep --quiet --recursive --ignore-case rekey "$kernel/source/net/tls"; then
    mapfile -t excluded < <(sed -n 's/^TEST_F(tls, \(.*rekey.*\))$/\1/p' "$selftest")
fi
gcc -O2 "${compatibility[@]}" -I "$modules/include" -I "$kernel/source/tools/testing/selftests" -o "$modules/tls" \
    "$selftest"
"$lab/boot" --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$(dirname "$0")/tls" "$modules/sm4-fast/sm4-fast.ko" "$modules/tls" "${excluded[@]}"
