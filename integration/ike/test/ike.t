#!/bin/bash
# integration/ike/test/ike.t bookworm|trixie [CASE...]
#
# TAP: IKEv2 with SM4 and SM3 by the plugin in integration/ike, with the unmodified strongSwan of that Debian: in
# user-mode Linux 7.2, two gateways and the wire between them. CASE are functions of "gateways", by their names;
# by default, all of them run. Their root tree has the plugin by its package, which is the same whoever makes it, when and where.
set -euo pipefail
# shellcheck source=integration/ike/test/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -ge 1 ]] || fail "usage: ike.t bookworm|trixie [CASE...]"

configurations=(netfilter.config)
prepare 7.2
# User-mode Linux has no ftrace, which sm4_fast_esp needs for this.
mkdir -p "$modules"/{xfrm,source/net/xfrm}
cp "$kernel/source/net/xfrm/xfrm_algo.c" "$modules/source/net/xfrm"
make --silent --directory="$repository" xfrm-patch SOURCE="$modules/source"
mv "$modules/source/net/xfrm/xfrm_algo.c" "$modules/xfrm"
echo 'obj-m := xfrm_algo.o' >"$modules/xfrm/Kbuild"
"$lab/build" "$kernel" "$modules/xfrm" | comment
install_modules
release=$(<"$kernel/objects/include/config/kernel.release")
install --mode=644 --target-directory="$modules/lib/modules/$release/updates" "$modules/xfrm/xfrm_algo.ko"
depmod --basedir "$modules" "$release"

mount_gateway "$1" Makefile debian packaging integration/{ike,{tls,xfrm}/Makefile} docs/ike.md test/{lab,vm}/guest
cp --recursive --no-target-directory "$modules/lib/modules" "$tree/usr/lib/modules"
install_plugin
build cp --recursive /root/clone /root/other
build sh -c 'umask 077 && TZ=Asia/Shanghai make --directory=/root/other ike-deb SOURCE=/usr/src/strongswan'
build diff --recursive /root/clone/dist /root/other/dist
build gcc -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -o /root/break.so /root/clone/$here/break.c -ldl
build gcc -std=gnu11 -O2 -Wall -fPIC -shared -include /root/clone/integration/ike/config.h \
    -isystem /usr/src/strongswan/src/libstrongswan -o /usr/lib/ipsec/plugins/libstrongswan-rival.so \
    /root/clone/$here/rival_plugin.c
"$lab/boot" --seconds 3000 --append 'loglevel=0 cryptomgr.notests=1' "$kernel" "$repository/$here/enter" "$tree" \
    /root/clone/$here/gateways "${@:2}"
