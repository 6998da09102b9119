#!/bin/bash
# integration/ike/test/payloads.t bookworm|trixie [COUNT]
#
# TAP: the unmodified strongSwan of that Debian, with our plugin built with sanitizers, refuses COUNT (10000; at least 1000)
# malformed key exchange payloads of curveSM2, and still works after that. It runs here, in the gateways' root tree and
# its own network: AddressSanitizer needs more memory than user-mode Linux has.
set -euo pipefail
# shellcheck source=integration/ike/test/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 || $# -eq 2 ]] || fail "usage: payloads.t bookworm|trixie [COUNT]"

# Mounts of this script end with it.
if [[ -z ${OWN_MOUNTS-} ]]; then
    OWN_MOUNTS=1 exec unshare --mount "$0" "$@"
fi

"$repository/test/need" kmod >&2
mount_gateway "$1" Makefile packaging integration/{ike,install.mk} test/vm/guest
if ! log=$({
    in_tree env CFLAGS='-g -fsanitize=address,undefined -fno-sanitize-recover' \
        make --directory=/root/clone ike SOURCE=/usr/src/strongswan &&
        in_tree make --directory=/root/clone ike-install
} 2>&1); then
    echo 'not ok 1 - make ike, make ike-install'
    comment <<<"$log"
    echo 1..1
    exit
fi
in_tree unshare --net /root/clone/$here/gateway "${2:-10000}"
