#!/bin/bash
# integration/tls/test/openssl.t VERSION
#
# TAP: OpenSSL with our patch, as `make tls` builds it from Debian's source package, and nginx with it: files and records with a
# real handshake and the kernel, in the user-mode Linux VERSION (6.12 or 7.2) with the kernel's checks of memory, locks
# and arithmetic. patched-openssl builds them first, unless they exist, which takes a quarter of an hour. Skipped
# if the archive does not have OpenSSL 4.0, and without nginx if it does not have that.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/../../../test/lab/common.sh"

[[ $# -eq 1 ]] || fail "usage: openssl.t VERSION"

if outside; then
    make_or_skip "$(dirname "$0")/stock-openssl"
    user=$made
    "$repository/test/need" gcc iproute2 libc6-dev make pkg-config >&2
    make_or_skip "$(dirname "$0")/patched-openssl"
    built=$made
    exec 9>"$built/lock"
    flock --shared 9

    prepare "$1"
    ln --symbolic "$user" "$modules/user"
    ln --symbolic "$built" "$modules/built"
    run_inside
fi

# shellcheck source=integration/tls/test/tls.bash
source "$(dirname "$0")/tls.bash"

# One openssl works in user space, the other passes SM4 to the kernel.
user=$modules/user/openssl
patched=/opt/openssl-sm4/bin/openssl
nginx=$modules/built/nginx
mount --bind "$modules/built/root/opt" /opt

exec </dev/null
# As in docs/tls.md, with the openssl.cnf of this machine
make_certificates "$patched"
head --bytes=3333333 /dev/urandom >file
printf 'GET /file HTTP/1.0\r\n\r\n' >request

# The options of s_server and s_client
listens=(-accept 127.0.0.1:4433 -naccept 1 -cert server.crt -key server.key -groups curveSM2)
connects=(-connect 127.0.0.1:4433 -CAfile ca.crt -verify_return_error -servername localhost -groups curveSM2
          -sigalgs sm2sig_sm3)

# Prints the complaints, if the client requested the file and did not get it.
got_file() {
    ended_with $client_status 0 client
    tail --bytes=3333333 client.out | cmp - file 2>&1 || tail --lines=20 server.err
}

reset_counters
start "$patched" s_server "${listens[@]}" -ciphersuites TLS_SM4_GCM_SM3 -WWW -ktls -sendfile
client "$user" s_client "${connects[@]}" -quiet -ciphersuites TLS_SM4_GCM_SM3 <request
stop
result 'without the module, s_server sends the file from user space, and says so' \
    "$(got_file; counted 0; says 'Warning: sendfile requested but KTLS is not available' server.err)"

insmod "$modules/sm4-fast/sm4-fast.ko"
await_selftests

for mode in GCM CCM; do
    suite=TLS_SM4_${mode}_SM3

    reset_counters
    start "$patched" s_server "${listens[@]}" -ciphersuites $suite -WWW -ktls -sendfile
    client "$user" s_client "${connects[@]}" -quiet -ciphersuites $suite <request
    stop
    result "SM4-$mode: the kernel sends the file, and a client in user space gets it" "$(got_file; counted 1)"

    reset_counters
    start "$user" s_server "${listens[@]}" -ciphersuites $suite -WWW
    client "$patched" s_client "${connects[@]}" -quiet -ciphersuites $suite -ktls <request
    stop
    result "SM4-$mode: the kernel receives the file from a server in user space" "$(got_file; counted 1)"

    reset_counters
    start "$patched" s_server "${listens[@]}" -ciphersuites $suite -WWW -ktls -sendfile
    client "$patched" s_client "${connects[@]}" -quiet -ciphersuites $suite -ktls <request
    stop
    result "SM4-$mode: the kernel at both ends" "$(got_file; counted 2)"
done

# The stock library ignores -ktls.
reset_counters
start "$user" s_server "${listens[@]}" -ciphersuites TLS_SM4_GCM_SM3 -WWW -ktls -sendfile
client "$user" s_client "${connects[@]}" -quiet -ciphersuites TLS_SM4_GCM_SM3 <request
stop
result 'an OpenSSL without the patch stays in user space' \
    "$(got_file; counted 0; says 'Warning: sendfile requested but KTLS is not available' server.err)"

# A line with one letter is a command, here for a new key (KeyUpdate).
start "$patched" s_server "${listens[@]}" -ciphersuites TLS_SM4_GCM_SM3 -ktls < <(sleep 300)
client "$patched" s_client "${connects[@]}" -ciphersuites TLS_SM4_GCM_SM3 -ktls < <(echo k; sleep 9)
stop
result 'a new key ends the connection, by the words of docs/tls.md' \
    "$(cat client.err >>server.err; says 'no suitable record layer' server.err
       says 'no suitable record layer' "$repository/docs/tls.md")"

# ---- nginx ----

if [[ -x $nginx ]]; then
    configure_nginx 'ssl_conf_command Options KTLS;'
    reset_counters
    start "$nginx" -p /run/nginx/ -e stderr -c nginx.conf
    client "$user" s_client "${connects[@]}" -quiet -ciphersuites TLS_SM4_GCM_SM3 <request
    stop
    result 'nginx sends the file by the kernel' "$(got_file; counted 1)"
else
    skipped 'nginx sends the file by the kernel' 'the source of nginx cannot be fetched'
fi

# ---- integration/tls/handover, which can do without the patch, by make with this library ----

(cd "$repository" && cp --parents integration/tls/{Makefile,handover.c} --target-directory=/run)
{ make --directory=/run/integration/tls tls-handover PKG_CONFIG_PATH=/opt/openssl-sm4/lib/pkgconfig &&
    ldd integration/tls/handover; } >build.log 2>&1 || true
result 'make tls-handover builds a program that finds the library that it was built with' \
    "$(says 'libssl.so.4 => /opt/openssl-sm4/lib/' build.log)"

reset_counters
start integration/tls/handover send 127.0.0.1 4433 server.crt server.key file
client integration/tls/handover receive 127.0.0.1 4433 ca.crt
await_end
result 'integration/tls/handover sends and receives the file with it' \
    "$(ended_with $server_status 0 server; ended_with $client_status 0 client; cmp file client.out 2>&1; counted 2)"

client setpriv --reuid=65534 --clear-groups integration/tls/handover send 127.0.0.1 4433 server.crt server.key file
result 'it says which file it may not read' \
    "$(ended_with $client_status 1 client; says 'server.key: Permission denied' client.err)"

umount /opt
end_without_reports
