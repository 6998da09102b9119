#!/bin/bash
# test/lab/openssl.t VERSION
#
# OpenSSL with our patch, as `make tls` builds it from Debian's source package, and nginx with it: files and records by a
# real handshake and the kernel, as TAP, in the user-mode Linux VERSION (6.12 or 7.2) with all that notices memory, locks
# and arithmetic going wrong. Skipped where the archive has no libssl4. What is built is kept in the cache folder until
# the folder tls, the Makefile or this script changes; it takes a quarter of an hour.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/common.sh"

[[ $# -eq 1 ]] || fail "usage: openssl.t VERSION"

get_openssl 'OpenSSL with SM4 for kTLS'
"$repository/test/need" gcc libc6-dev make perl patch dpkg-dev >&2

built=$cache/lab/openssl-sm4-$(cat "$repository"/{tls/{*.patch,suite,get-source,build},Makefile} "$0" | sha256sum |
    cut --bytes=-12)
mkdir -p "$built"
exec 9>"$built/lock"
flock 9
# What was built from others goes, unless a test has it.
for folder in "$cache"/lab/openssl-sm4-*; do
    [[ $folder == "$built" ]] || flock --nonblock "$folder/lock" rm -rf "$folder" || true
done

# Runs a step of the build; what it says is told if it fails, and the program then ends before it has a plan.
step() {
    if ! "$@" >"$built/log" 2>&1; then
        echo "# failed: $*"
        tail --lines=30 "$built/log" | comment
        exit 1
    fi
}

fetch_nginx() (
    mkdir "$built/nginx-source" && cd "$built/nginx-source" &&
        "$repository/test/archive" trixie apt-get source --quiet=2 nginx && mv nginx-*/ nginx
)

# Without OCSP: what this nginx has of it is for the insides of OpenSSL 3.
build_nginx() (
    prefix=$built/root/opt/openssl-sm4
    cd "$built/nginx-source/nginx" &&
        ./configure --with-http_ssl_module --without-http_{rewrite,gzip,proxy,fastcgi,uwsgi,scgi,grpc}_module \
            --with-cc-opt="-I $prefix/include -Wno-error -DOPENSSL_NO_OCSP" \
            --with-ld-opt="-L $prefix/lib -Wl,-rpath,/opt/openssl-sm4/lib -Wl,-rpath-link,$prefix/lib" &&
        nice make --jobs="$(nproc)" && cp objs/nginx "$built/nginx"
)

if [[ ! -f $built/complete ]]; then
    need_space "$built" 1500 'OpenSSL, with its source,'
    rm -rf "$built"/{clone,root,nginx-source}
    mkdir "$built"/{clone,root}
    git -C "$repository" ls-files -z --cached --others --exclude-standard |
        (cd "$repository" && xargs --null cp --parents --target-directory="$built/clone")
    step nice make --directory="$built/clone" tls
    step make --directory="$built/clone" tls-install DESTDIR="$built/root"
    step fetch_nginx
    step build_nginx
    rm -rf "$built"/{clone,nginx-source}
    touch "$built/complete"
fi

prepare "$1"
"$lab/boot" --seconds 7200 --append 'loglevel=0 cryptomgr.notests=1' "$kernel" \
    "$lab/guest/openssl" "$modules/sm4-fast/sm4-fast.ko" "$openssl" "$built"
