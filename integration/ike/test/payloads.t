#!/bin/bash
# integration/ike/test/payloads.t bookworm|trixie [COUNT]
#
# TAP: the unmodified strongSwan of that Debian, with our plugin built with sanitizers, refuses COUNT (10000; at least 1000)
# malformed key exchange payloads of curveSM2, and still works after that. Then strongSwan is updated, and the plugin's package
# removed. It runs here, in the gateways' root tree and
# its own network: AddressSanitizer needs more memory than user-mode Linux has.
set -euo pipefail
# shellcheck source=integration/ike/test/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 || $# -eq 2 ]] || fail "usage: payloads.t bookworm|trixie [COUNT]"

"$repository/test/need" kmod >&2
mount_gateway "$1" Makefile debian packaging integration/{ike,{tls,xfrm}/Makefile} test/vm/guest
export CFLAGS='-g -fsanitize=address,undefined -fno-sanitize-recover'
install_plugin
in_tree unshare --net /root/clone/$here/gateway "${2:-10000}"
