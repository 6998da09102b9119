# Sourced by the tests of TLS in the debug kernel that begin with a real handshake: functions for certificates, for a program
# that waits for another one, and for the kernel's counters. They work in /run, on port 4433.
# shellcheck shell=bash
# shellcheck disable=SC2034  # what the functions set is for the tests that source this

ip link set lo up
cd /run || exit

# Makes an SM2 certificate for this machine, server.crt with server.key, and that of its issuer, ca.crt, with the command
# $1, an openssl. If that fails, the test fails.
make_certificates() {
    local log

    log=$(certificates_by "$1" 2>&1) && return
    result 'certificates of SM2' "${log:-they cannot be made}"
    end
}

certificates_by() {
    "$1" genpkey -algorithm SM2 -out ca.key &&
        "$1" req -x509 -new -key ca.key -sm3 -days 30 -subj '/CN=SM2 CA' -out ca.crt \
            -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign &&
        "$1" genpkey -algorithm SM2 -out server.key &&
        "$1" req -new -key server.key -sm3 -subj /CN=localhost -out server.csr \
            -addext subjectAltName=DNS:localhost,IP:127.0.0.1 &&
        "$1" x509 -req -in server.csr -CA ca.crt -CAkey ca.key -sm3 -days 30 -copy_extensions copyall \
            -extfile /dev/null -out server.crt
}

# Makes nginx/nginx.conf for a server with that certificate, with TLS_SM4_GCM_SM3, for all files in /run, with the
# additional directives $1.
configure_nginx() {
    mkdir -p nginx/logs nginx/temporary
    cat >nginx/nginx.conf <<END_OF_CONFIGURATION
worker_processes 1;
daemon off;
user root;
pid nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    sendfile on;
    client_body_temp_path temporary;
    server {
        listen 127.0.0.1:4433 ssl;
        ssl_certificate /run/server.crt;
        ssl_certificate_key /run/server.key;
        ssl_protocols TLSv1.3;
        ssl_ecdh_curve curveSM2;
        ssl_conf_command Ciphersuites TLS_SM4_GCM_SM3;
        root /run;
        $1
    }
}
END_OF_CONFIGURATION
}

# Starts a program and waits until it listens, or has ended. It has the input of this function, and its output goes to
# server.out and server.err.
start() {
    timeout 300 "$@" <&0 >server.out 2>server.err &
    server=$!
    await_listener 4433 "$server"
}

# Waits until a process listens on port $1, or the process $2 has ended.
await_listener() {
    local _ port

    port=$(printf %04X "$1")
    for _ in {1..300}; do
        # 0A is LISTEN.
        if grep --quiet ":$port [0-9A-F]*:0000 0A " /proc/net/tcp /proc/net/tcp6 2>/dev/null || ! kill -0 "$2"; then
            return
        fi
        sleep 0.1
    done 2>/dev/null
}

# Waits for its end. Sets server_status.
await_end() {
    server_status=0
    wait "$server" || server_status=$?
}

# Like await_end, for a program that does not end by itself
stop() {
    kill "$server" 2>/dev/null || true
    await_end
}

# Runs the other end. It has the input of this function, and its output goes to client.out and client.err. Sets
# client_status.
client() {
    client_status=0
    timeout 300 "$@" >client.out 2>client.err || client_status=$?
}

# Prints a complaint if the file $2 does not contain the text $1.
says() {
    grep --quiet --fixed-strings -- "$1" "$2" || echo "$2 does not say \"$1\", but:"$'\n'"$(tail --lines=20 "$2")"
}

# Prints a complaint, with the program's name, if the exit status $1 is not $2.
ended_with() {
    [[ $1 -eq $2 ]] || echo "$3 ended with $1, not $2:"$'\n'"$(tail --lines=20 "$3".err)"
}

# The kernel's counters: connections that it has encrypted and decrypted in software, and invalid
# records
counters() {
    awk '/^Tls(TxSw|RxSw|DecryptError)[ \t]/ { print $2 }' /proc/net/tls_stat | xargs
}

# Prints the difference, if since reset_counters the kernel has not counted $1 connections that it encrypts, as many that it
# decrypts, and no record in error.
reset_counters() {
    read -r tx rx errors < <(counters)
}

counted() {
    local now expected

    now=$(counters)
    expected="$((tx + $1)) $((rx + $1)) $errors"
    [[ $now == "$expected" ]] || echo "TlsTxSw, TlsRxSw, TlsDecryptError are $now, and not $expected"
}
