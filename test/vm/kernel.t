#!/bin/bash
# test/vm/kernel.t KERNEL
#
# Everything that is tested of the module on one of Debian's kernels (6.1, 6.12, 7.2, 7.3), as TAP: the root tree is made
# or taken from the cache, the module is built in it without a warning, and the tests of test/vm/guest run in a virtual
# machine that boots it. What its kernel says goes to log/KERNEL.log in the cache folder.
set -euo pipefail
# shellcheck source=test/vm/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: kernel.t 6.1|6.12|7.2|7.3"
kernel=$1
count=0

result() {
    count=$((count + 1))
    echo "$1 - kernel $kernel: $2"
}

comment() {
    sed 's/^/# /'
}

end() {
    echo "1..$count"
    exit
}

messages=$(mktemp)
trap 'rm -f "$messages"' EXIT

status=0
tree=$("$repository/test/vm/root-tree" "$kernel" 2>"$messages") || status=$?
comment <"$messages"
case $status in
0) result ok 'a root tree' ;;
"$suite_gone")
    echo "1..0 # SKIP $(<"$messages")"
    exit
    ;;
*)
    result 'not ok' 'a root tree'
    end
    ;;
esac

# One user of a tree at a time: the module is installed in it.
exec 8>"$tree.in-use"
flock 8

booted=$(bootable_release "$tree")
for modules in "$tree"/lib/modules/*; do
    release=${modules##*/}
    if "$repository/test/vm/build" "$tree" "$release" >"$messages" 2>&1 && [[ ! -s $messages ]]; then
        result ok "the module builds for $release without a warning"
    else
        result 'not ok' "the module builds for $release without a warning"
        comment <"$messages"
    fi
    if [[ $release != "$booted" ]]; then
        result ok "boot $release # SKIP the archive has its headers, but no image yet"
    fi
done
if [[ ! -f $tree/lib/modules/$booted/updates/sm4-fast.ko ]]; then
    end
fi

mkdir -p "$cache/log"
finished=0
while IFS= read -r line; do
    case $line in
    'ok - '* | 'not ok - '*) result "${line%% - *}" "${line#* - }" ;;
    'boot: ended with 0') finished=1 ;;
    *) echo "$line" ;;
    esac
done < <(
    status=0
    "$repository/test/vm/boot" --seconds 1500 --log "$cache/log/$kernel.log" "$tree" test/vm/guest/tests || status=$?
    echo "boot: ended with $status"
)
if [[ $finished -eq 1 ]]; then
    result ok 'the tests in the virtual machine ran to their end'
else
    result 'not ok' 'the tests in the virtual machine ran to their end'
fi
end
