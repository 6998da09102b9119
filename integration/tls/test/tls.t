#!/bin/bash
# integration/tls/test/tls.t VERSION
#
# TAP: the kernel's own selftest of TLS sockets (tools/testing/selftests/net/tls.c), its part with SM4-GCM and SM4-CCM,
# in the user-mode Linux VERSION (6.12 or 7.2) with the kernel's checks of memory, locks and arithmetic.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/../../../test/lab/common.sh"

[[ $# -eq 1 ]] || fail "usage: tls.t VERSION"

if outside; then
    "$repository/test/need" iproute2 >&2
    prepare "$1"
    # It needs this kernel header for programs in its own version.
    mkdir -p "$modules/include/linux"
    : >"$modules/excluded"
    cp "$kernel/source/include/uapi/linux/tls.h" "$modules/include/linux"
    selftest=$kernel/source/tools/testing/selftests/net/tls.c
    # Linux 6.12.117 took over the tests of key updates from Linux 6.14, but neither the parameter of tls_crypto_info_init()
    # that they pass nor the key updates themselves: its selftest does not compile, and these tests could not pass.
    compatibility=()
    if ! grep --quiet key_generation "$selftest"; then
        compatibility=('-Dtls_crypto_info_init(version, type, keys, ...)=tls_crypto_info_init(version, type, keys)')
    fi
    if ! grep --quiet --recursive --ignore-case rekey "$kernel/source/net/tls"; then
        sed -n 's/^TEST_F(tls, \(.*rekey.*\))$/-T\n\1/p' "$selftest" >"$modules/excluded"
    fi
    gcc -O2 "${compatibility[@]}" -I "$modules/include" -I "$kernel/source/tools/testing/selftests" -o "$modules/tls" \
        "$selftest"
    run_inside
fi

insmod "$modules/sm4-fast/sm4-fast.ko"
await_selftests
ip link set lo up
# The first option that a test matches decides.
mapfile -t options <"$modules/excluded"
options+=(-v 13_sm4_gcm -v 13_sm4_ccm)
# The selftest makes files in /tmp, which hides the modules.
cp "$modules/tls" /run/selftest
mount -t tmpfs tmpfs /tmp
# The selftest's output before a result belongs to that result.
said=
while IFS= read -r line; do
    case $line in
    'ok '* | 'not ok '*)
        result "${line##* }" "$([[ $line == ok* ]] || echo "$said")"
        said=
        ;;
    1..*) planned=${line#1..} ;;
    *) said+=$line$'\n' ;;
    esac
done < <(/run/selftest "${options[@]}" 2>&1)
result "it has tried SM4-GCM and SM4-CCM, each $((count / 2)) times" \
    "$([[ $count -gt 100 && $count -eq ${planned:-0} ]] || echo "$count of ${planned:-no} tests ran")"
end_without_reports
