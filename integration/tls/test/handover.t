#!/bin/bash
# integration/tls/test/handover.t VERSION
#
# TAP: the program integration/tls/handover with Debian's unmodified OpenSSL 4.0: a real handshake, then SM4 by the kernel,
# both ends at the same time on two processors, in the user-mode Linux VERSION (7.2) with the kernel's checks of memory, locks
# and arithmetic. Skipped if the archive has no libssl4.
set -euo pipefail
# shellcheck source=test/lab/common.sh
source "$(dirname "$0")/../../../test/lab/common.sh"

[[ $# -eq 1 ]] || fail "usage: handover.t VERSION"

if outside; then
    make_or_skip "$(dirname "$0")/stock-openssl"
    openssl=$made
    "$repository/test/need" iproute2 procps strace >&2
    prepare "$1"
    # The linker would find other versions of these libraries' own dependencies than they need.
    messages=$(gcc -std=gnu11 -O2 -Wall -Wextra -isystem "$openssl/usr/include" \
        -isystem "$openssl/usr/include/x86_64-linux-gnu" -o "$modules/handover" \
        "$repository/integration/tls/handover.c" -L "$openssl/usr/lib/x86_64-linux-gnu" \
        -Wl,--unresolved-symbols=ignore-in-shared-libs -lssl -lcrypto 2>&1) || true
    if [[ -n $messages ]]; then
        echo '# integration/tls/handover does not build without a warning:'
        comment <<<"$messages"
        exit 1
    fi
    ln --symbolic "$openssl" "$modules/openssl"
    boot+=(--processors 2)
    run_inside
fi

# shellcheck source=integration/tls/test/tls.bash
source "$(dirname "$0")/tls.bash"

openssl=$modules/openssl/openssl
handover=("$modules/openssl/run" "$modules/handover")
send=("${handover[@]}" send 127.0.0.1 4433 server.crt server.key file)
receive=("${handover[@]}" receive 127.0.0.1 4433 ca.crt)
s_client=("$openssl" s_client -connect 127.0.0.1:4433 -CAfile ca.crt -verify_return_error -servername localhost
          -groups curveSM2 -sigalgs sm2sig_sm3)
s_server=("$openssl" s_server -accept 127.0.0.1:4433 -naccept 1 -cert server.crt -key server.key -groups curveSM2)

exec </dev/null
make_certificates "$openssl"
head --bytes=3333333 /dev/urandom >file

# Input for s_server: if there is something to read before the end of the handshake, it can wait for ever.
after_handshake() {
    until grep --quiet 'keys given to the kernel' client.err; do sleep 0.1; done
    "$@"
}

# ---- without sm4-fast ----

reset_counters
start "${send[@]}"
client "${s_client[@]}" -ciphersuites TLS_SM4_GCM_SM3
await_end
result 'without the module, the sender says that the kernel has no gcm(sm4)' \
    "$(ended_with $server_status 1 server; says 'the kernel has no gcm(sm4): is the module sm4-fast installed?' server.err
       counted 0)"
start "${s_server[@]}" -ciphersuites TLS_SM4_CCM_SM3 < <(sleep 300)
client "${receive[@]}"
stop
result 'the receiver says that it has no ccm(sm4)' \
    "$(ended_with $client_status 1 client; says 'the kernel has no ccm(sm4): is the module sm4-fast installed?' client.err
       counted 0)"

insmod "$modules/sm4-fast/sm4-fast.ko"
await_selftests

# ---- files ----

for mode in GCM CCM; do
    suite=TLS_SM4_${mode}_SM3
    reset_counters
    start "${send[@]}"
    client "${s_client[@]}" -quiet -ciphersuites $suite
    await_end
    result "$suite: a client in user space gets the file that the kernel encrypts" \
        "$(ended_with $server_status 0 server; ended_with $client_status 0 client; cmp file client.out 2>&1
           says "$suite, curveSM2: keys given to the kernel" server.err; says '3333333 bytes sent' server.err
           counted 1)"

    # Its tickets come first. It sends its input, and then ends without close_notify.
    seq 200000 >numbers
    reset_counters
    : >client.err
    start "${s_server[@]}" -ciphersuites $suite < <(after_handshake cat numbers)
    client "${receive[@]}"
    await_end
    result "$suite: the kernel decrypts what a server in user space sends after its tickets, and its end is noticed" \
        "$(cmp numbers client.out 2>&1; ended_with $client_status 1 client; counted 1
           says "ended after $(stat --format=%s numbers) bytes, without close_notify" client.err)"
done

reset_counters
start "${send[@]}"
client "${receive[@]}"
await_end
result 'the kernel at both ends: the file, and its end by close_notify' \
    "$(ended_with $server_status 0 server; ended_with $client_status 0 client; cmp file client.out 2>&1
       says '3333333 bytes received' client.err; counted 2)"

: >nothing
start "${send[@]/%file/nothing}"
client "${receive[@]}"
await_end
result 'an empty file: the sender is at its end before the receiver has read the handshake' \
    "$(ended_with $server_status 0 server; ended_with $client_status 0 client; cmp nothing client.out 2>&1
       says '0 bytes received' client.err)"

# ---- errors ----

# A line with one letter is a command, here to change the key.
: >client.err
start "${s_server[@]}" -ciphersuites TLS_SM4_GCM_SM3 < <(after_handshake echo K; sleep 9)
client "${receive[@]}"
stop
result 'the receiver refuses KeyUpdate, and says so to both' \
    "$(ended_with $client_status 1 client; says 'KeyUpdate is refused' client.err
       says 'alert unexpected message' server.err)"

# s_client reads a command only when nothing comes from the sender, which therefore stops.
key_update() {
    until grep --quiet 'keys given to the kernel' server.err; do sleep 0.1; done
    pkill -STOP --full '/handover send'
    echo k
    sleep 3
    pkill -CONT --full '/handover send'
    sleep 9
}
truncate --size=300M file
start "${send[@]}"
client "${s_client[@]}" -ciphersuites TLS_SM4_GCM_SM3 < <(key_update)
await_end
result 'the sender refuses KeyUpdate, and says so to both' \
    "$(ended_with $server_status 1 server; says 'KeyUpdate is refused' server.err
       says 'alert unexpected message' client.err)"

start "${send[@]}"
client "${s_client[@]}" -ciphersuites TLS_AES_128_GCM_SHA256
await_end
result 'no suite in common' "$(ended_with $server_status 1 server; says 'the handshake failed: no shared cipher' server.err)"

start "${send[@]}"
client "${handover[@]}" receive 127.0.0.1 4433 server.crt
await_end
result 'a certificate that nobody has signed whom the receiver trusts' \
    "$(ended_with $client_status 1 client; says 'the certificate of 127.0.0.1: ' client.err
       says 'unknown ca' server.err)"

for missing in file server.crt server.key; do
    client "${send[@]/%$missing/missing}"
    result "there is no $missing" \
        "$(ended_with $client_status 1 client; says 'missing: No such file or directory' client.err)"
done

# A test: if the kernel answers setsockopt() number NUMBER, TCP_ULP and then TLS_TX, with ERROR, the receiver prints
# MESSAGE. This kernel does not do that, so strace injects the error.
#
#     try_refusal NAME NUMBER ERROR MESSAGE
try_refusal() {
    start "${s_server[@]}" -ciphersuites TLS_SM4_GCM_SM3 < <(sleep 300)
    client strace -o trace -e trace=setsockopt -e "inject=setsockopt:error=$3:when=$2" "${receive[@]}"
    stop
    result "$1" "$(ended_with $client_status 1 client; says "$4" client.err)"
}

try_refusal "the kernel has no TLS, or it is not loaded" 1 ENOENT "the kernel's module tls is not loaded (modprobe tls)"
try_refusal "the kernel's TLS has no SM4" 2 EINVAL "the kernel's TLS has no SM4: Linux 5.16 has, and later"
try_refusal "the kernel does not take keys" 2 EPERM \
    'the kernel does not take the keys of gcm(sm4): Operation not permitted'

client "${receive[@]}"
result 'connection refused' "$(ended_with $client_status 1 client; says '127.0.0.1, port 4433: Connection refused' client.err)"

# A proxy between the two ends changes byte 500000 of the sender's data.
start "${send[@]}"
python3 - 2>/dev/null <<'END_OF_PROXY' &
import socket
import threading

def pass_on(source, target, changed):
    total = 0
    while data := source.recv(65536):
        if changed and total <= 500000 < total + len(data):
            data = data[:500000 - total] + bytes([data[500000 - total] ^ 1]) + data[500001 - total:]
        total += len(data)
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)

with socket.create_server(("127.0.0.1", 4434)) as listener:
    near, _ = listener.accept()
far = socket.create_connection(("127.0.0.1", 4433))
threading.Thread(target=pass_on, args=(near, far, False)).start()
pass_on(far, near, True)
END_OF_PROXY
proxy=$!
await_listener 4434 "$proxy"
client "${handover[@]}" receive 127.0.0.1 4434 ca.crt
await_end
kill $proxy 2>/dev/null || true
result 'the receiver refuses a record that was altered, and says so to both' \
    "$(ended_with $client_status 1 client; says 'a record was altered, or has another key' client.err
       ended_with $server_status 1 server; says 'the other end has given up: bad record mac' server.err)"

end_without_reports
