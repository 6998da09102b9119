#!/bin/bash
# test/lab/signatures.t VERSION
#
# TAP: the user-mode Linux VERSION (6.12) with module.sig_enforce=1, which trusts one key: it loads the module that `make sign` has
# signed by that key, and refuses one without a signature, and one with another signature, by the words of docs/trouble.md, which
# sm4-fast-info shows.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: signatures.t VERSION"

# Builds and signs the modules, as docs/install.md describes, and puts them into a folder:
#
#     sign FOLDER KEY CERTIFICATE
sign() {
    local log
    log=$(make --directory="$modules/clone" sign KDIR="$kernel/objects" KEY="$2" CERT="$3" \
        ARCH=um NOSTDINC_FLAGS="-nostdinc -I$lab/include" 2>&1) || { comment <<<"$log"; exit 1; }
    install -D --mode=644 --target-directory="$modules/$1" "$modules"/clone/*.ko
}

if outside; then
    "$repository/test/need" gcc kmod openssl python3 >&2
    configurations=(signed.config)
    prepare "$1"
    install_modules
    fresh_clone "$modules/clone"
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj '/CN=a foreign machine/' -keyout "$modules/foreign.pem" \
        -outform DER -out "$modules/foreign.der" 2>/dev/null
    sign foreign "$modules/foreign.pem" "$modules/foreign.der"
    sign trusted "$kernel/objects/certs/signing_key.pem" "$kernel/objects/certs/signing_key.x509"
    command_line='loglevel=0 cryptomgr.notests=1 module.sig_enforce=1'
    run_inside
fi

release=$(uname --kernel-release)
refusal="modprobe: ERROR: could not insert 'sm4_fast': Key was rejected by service"
cp --recursive "$modules/lib/modules" /run/modules
mount --bind /run/modules /lib/modules

# Installs the modules of a folder.
install_from() {
    install --mode=644 --target-directory="/lib/modules/$release/updates" "$1"/*.ko
    depmod "$release"
}

# refused WHICH FOLDER REASON: the modules of a folder are refused, for the kernel's REASON, and sm4-fast-info shows both.
refused() {
    local said
    install_from "$2"
    said=$("$repository/tools/sm4-fast-info" --no-speed 2>&1) && said="exit status 0: $said"
    result "sm4-fast-info shows that $1 is refused" \
        "$([[ $said == "sm4-fast    not loaded"*"$refusal"*"$3"* ]] || echo "$said")"
    mark_log
    said=$(modprobe sm4-fast 2>&1 || true)
    result "$1 is refused, as docs/trouble.md says" "$([[ $said == "$refusal" ]] || echo "$said")"
    result "the kernel's reason: $3" "$([[ $(log_since_mark) == *"$3"* ]] || log_since_mark)"
    result 'there is no algorithm' "$(algorithms)"
}

result 'docs/trouble.md has the message' "$(grep --quiet --line-regexp --fixed-strings "$refusal" "$repository/docs/trouble.md" ||
    echo 'it has not')"
refused 'a module without a signature' "$modules/sm4-fast" 'Loading of unsigned module is rejected'
refused 'a module with a foreign signature' "$modules/foreign" 'Loading of module with unavailable key is rejected'

install_from "$modules/trusted"
result 'a module with a trusted signature is loaded' "$(modprobe sm4-fast 2>&1)"
result 'it has its algorithms' "$([[ $(drivers) == *xts-sm4-* ]] || echo 'there is no XTS')"
unload
end
