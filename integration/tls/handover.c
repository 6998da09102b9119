// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * handover: sends a file by TLS 1.3 with SM4 (RFC 8998). The kernel encrypts and decrypts
 * it; OpenSSL 4.0 is unmodified.
 *
 *	handover send ADDRESS PORT CERTIFICATE KEY FILE
 *	handover receive HOST PORT CA >FILE
 *
 * OpenSSL's own kTLS code does not support SM4. So OpenSSL only performs the handshake:
 * this program derives the keys again from the traffic secrets, which its key-log
 * callback receives, and passes them to the socket. From then on, only the kernel
 * processes records. There may be no record before that, because the kernel begins with
 * number 0: so the server sends no tickets.
 *
 * "send" serves one connection. After the handshake, the other end may send tickets,
 * which are ignored, data, which "send" ignores, and alerts. Any other handshake message
 * is refused with an alert. The most important one is KeyUpdate: the kernel accepts a
 * second key only since 6.14.
 *
 * The program never falls back to user space. If the kernel cannot process records, it
 * says why.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tls.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SOL_TLS
#define SOL_TLS			282
#endif

/* RFC 8446, sections 4, 5.1 and 6 */
#define RECORD_ALERT		21
#define RECORD_HANDSHAKE	22
#define RECORD_DATA		23
#define MESSAGE_HEADER		4
#define NEW_SESSION_TICKET	4
#define KEY_UPDATE		24
#define ALERT_WARNING		1
#define ALERT_FATAL		2
#define CLOSE_NOTIFY		0
#define UNEXPECTED_MESSAGE	10
#define BAD_RECORD_MAC		20

/* Bytes for one call of sendfile(), and for one read */
#define PIECE			0x100000
#define SECRET			32

/* The kernel has a struct for each suite, with the same members. */
static const struct suite {
	unsigned int id;
	int type;
	const char *algorithm;
} suites[] = {
	{ TLS1_3_CK_SM4_GCM_SM3 & 0xffff, TLS_CIPHER_SM4_GCM, "gcm(sm4)" },
	{ TLS1_3_CK_SM4_CCM_SM3 & 0xffff, TLS_CIPHER_SM4_CCM, "ccm(sm4)" },
};

_Static_assert(sizeof(struct tls12_crypto_info_sm4_gcm) ==
	       sizeof(struct tls12_crypto_info_sm4_ccm), "one struct for both suites");

/* The secrets of the client and of the server, each for the records that it sends */
static struct secret {
	bool known;
	unsigned char bytes[SECRET];
} client, server;
static unsigned char piece[PIECE];

static void __attribute__((noreturn)) fail_in_library(const char *what)
{
	const char *data = "";
	unsigned long code = ERR_get_error_all(NULL, NULL, NULL, &data, NULL);
	const char *reason = ERR_reason_error_string(code);

	if (reason)
		errx(1, "%s: %s%s%s", what, reason, *data ? ": " : "", data);
	err(1, "%s", what);
}

/* ---- the handshake, by OpenSSL ---- */

static void keep_secret(const SSL *ssl, const char *line)
{
	static const struct {
		const char *label;
		struct secret *secret;
	} wanted[] = {
		{ "CLIENT_TRAFFIC_SECRET_0 ", &client },
		{ "SERVER_TRAFFIC_SECRET_0 ", &server },
	};

	(void)ssl;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct secret *secret = wanted[i].secret;
		const char *hex = strrchr(line, ' ') + 1;
		size_t length;

		if (strncmp(line, wanted[i].label, strlen(wanted[i].label)))
			continue;
		/* With another hash, it is longer, and the suite is none of ours. */
		secret->known = OPENSSL_hexstr2buf_ex(secret->bytes, SECRET,
						      &length, hex, '\0') &&
				length == SECRET;
	}
}

static SSL_CTX *make_context(const SSL_METHOD *method)
{
	SSL_CTX *context = SSL_CTX_new(method);

	if (!context ||
	    !SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) ||
	    !SSL_CTX_set_ciphersuites(context, "TLS_SM4_GCM_SM3:TLS_SM4_CCM_SM3"))
		fail_in_library("this OpenSSL has no TLS 1.3 with SM4");
	SSL_CTX_set_keylog_callback(context, keep_secret);
	return context;
}

static SSL_CTX *make_server_context(const char *certificate, const char *key)
{
	SSL_CTX *context = make_context(TLS_server_method());

	if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
		fail_in_library(certificate);
	if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
		fail_in_library(key);
	SSL_CTX_set_num_tickets(context, 0);
	return context;
}

static SSL_CTX *make_client_context(const char *authorities)
{
	SSL_CTX *context = make_context(TLS_client_method());

	if (!SSL_CTX_load_verify_file(context, authorities))
		fail_in_library(authorities);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	return context;
}

static SSL *make_session(SSL_CTX *context, int socket)
{
	SSL *ssl = SSL_new(context);

	if (!ssl || !SSL_set_fd(ssl, socket))
		fail_in_library("OpenSSL");
	return ssl;
}

static SSL *accept_handshake(SSL_CTX *context, int socket)
{
	SSL *ssl = make_session(context, socket);

	if (SSL_accept(ssl) != 1)
		fail_in_library("the handshake failed");
	return ssl;
}

static SSL *connect_handshake(SSL_CTX *context, int socket, const char *host)
{
	SSL *ssl = make_session(context, socket);
	int done;

	/* The name, which may be an address, has to be in the certificate. */
	if (!SSL_set1_ipaddr(ssl, host) &&
	    (!SSL_set1_dnsname(ssl, host) || !SSL_set_tlsext_host_name(ssl, host)))
		fail_in_library(host);
	ERR_clear_error();
	done = SSL_connect(ssl);
	if (SSL_get_verify_result(ssl) != X509_V_OK)
		errx(1, "the certificate of %s: %s", host,
		     X509_verify_cert_error_string(SSL_get_verify_result(ssl)));
	if (done != 1)
		fail_in_library("the handshake failed");
	return ssl;
}

/* ---- its keys, for the kernel ---- */

/* HKDF-Expand-Label(secret, label, "", bytes), of RFC 8446, section 7.1 */
static void derive(const struct secret *secret, char *label, unsigned char *to,
		   size_t bytes)
{
	OSSL_PARAM parameters[] = {
		OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_MODE, "EXPAND_ONLY", 0),
		OSSL_PARAM_utf8_string(OSSL_KDF_PARAM_DIGEST, "SM3", 0),
		OSSL_PARAM_octet_string(OSSL_KDF_PARAM_KEY,
					(void *)secret->bytes, SECRET),
		OSSL_PARAM_octet_string(OSSL_KDF_PARAM_PREFIX, "tls13 ", 6),
		OSSL_PARAM_octet_string(OSSL_KDF_PARAM_LABEL, label,
					strlen(label)),
		OSSL_PARAM_END
	};
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, "TLS13-KDF", NULL);
	EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);

	if (!context || EVP_KDF_derive(context, to, bytes, parameters) != 1)
		fail_in_library("no key could be derived");
	EVP_KDF_CTX_free(context);
	EVP_KDF_free(kdf);
}

/* Make the kernel encrypt (TLS_TX) or decrypt (TLS_RX) all records from now on. */
static void set_key(int socket, int direction, const struct suite *suite,
		    const struct secret *secret)
{
	struct tls12_crypto_info_sm4_gcm keys = {
		.info = { TLS_1_3_VERSION, suite->type },
	};
	unsigned char iv[sizeof(keys.salt) + sizeof(keys.iv)];
	int failed;

	derive(secret, "key", keys.key, sizeof(keys.key));
	derive(secret, "iv", iv, sizeof(iv));
	memcpy(keys.salt, iv, sizeof(keys.salt));
	memcpy(keys.iv, iv + sizeof(keys.salt), sizeof(keys.iv));
	failed = setsockopt(socket, SOL_TLS, direction, &keys, sizeof(keys));
	OPENSSL_cleanse(&keys, sizeof(keys));
	OPENSSL_cleanse(iv, sizeof(iv));
	if (failed && errno == ENOENT)
		errx(1, "the kernel has no %s: is the module sm4-fast installed?",
		     suite->algorithm);
	if (failed && errno == EINVAL)
		errx(1, "the kernel's TLS has no SM4: Linux 5.16 has, and later");
	if (failed)
		err(1, "the kernel does not take the keys of %s",
		    suite->algorithm);
}

/* From here on, the kernel processes records; ssl, which does not know that, is freed. */
static void hand_over(SSL *ssl, int socket, bool is_server)
{
	const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
	const struct suite *suite = suites;

	/* make_context() allows no others. */
	while (suite->id != SSL_CIPHER_get_protocol_id(cipher))
		suite++;
	if (!client.known || !server.known)
		errx(1, "OpenSSL did not log the secrets of %s",
		     SSL_CIPHER_get_name(cipher));
	if (SSL_has_pending(ssl))
		errx(1, "OpenSSL has read records already, which the kernel lacks");
	set_key(socket, TLS_TX, suite, is_server ? &server : &client);
	set_key(socket, TLS_RX, suite, is_server ? &client : &server);
	OPENSSL_cleanse(&client, sizeof(client));
	OPENSSL_cleanse(&server, sizeof(server));
	fprintf(stderr, "%s, %s, %s: keys given to the kernel\n",
		SSL_get_version(ssl), SSL_CIPHER_get_name(cipher),
		SSL_get0_group_name(ssl));
	SSL_free(ssl);
}

/* ---- records, by the kernel ---- */

static void send_alert(int socket, unsigned char level, unsigned char description)
{
	unsigned char alert[] = { level, description };
	char control[CMSG_SPACE(sizeof(unsigned char))] = { 0 };
	struct iovec content = { alert, sizeof(alert) };
	struct msghdr message = {
		.msg_iov = &content, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	header->cmsg_level = SOL_TLS;
	header->cmsg_type = TLS_SET_RECORD_TYPE;
	header->cmsg_len = CMSG_LEN(sizeof(unsigned char));
	*CMSG_DATA(header) = RECORD_ALERT;
	if (sendmsg(socket, &message, 0) < 0)
		warn("the alert could not be sent");
}

/*
 * Send an alert, as RFC 8446, section 5.2, requires. The kernel has recorded the error at
 * the socket, and sends nothing until the error has been read.
 */
static void __attribute__((noreturn)) refuse_record(int socket)
{
	int error;
	socklen_t size = sizeof(error);

	if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size))
		warn("the socket's error");
	send_alert(socket, ALERT_FATAL, BAD_RECORD_MAC);
	errx(1, "a record was altered, or has another key");
}

/*
 * Read with recvmsg() into piece: data of one record or more, or one record of another
 * type. Returns the number of bytes, 0 at the end, less than 0 if there is nothing yet
 * and flags say not to wait.
 */
static ssize_t receive_records(int socket, int flags, unsigned char *type)
{
	char control[CMSG_SPACE(sizeof(unsigned char))];
	struct iovec content = { piece, sizeof(piece) };
	struct msghdr message = {
		.msg_iov = &content, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t bytes = recvmsg(socket, &message, flags);
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);

	if (bytes < 0 && errno == EBADMSG)
		refuse_record(socket);
	if (bytes < 0 && errno != EAGAIN)
		err(1, "receiving");
	*type = RECORD_DATA;
	if (bytes > 0 && header && header->cmsg_level == SOL_TLS &&
	    header->cmsg_type == TLS_GET_RECORD_TYPE)
		*type = *CMSG_DATA(header);
	return bytes;
}

/* Accept tickets only: other messages would change the keys or require an answer. */
static void take_handshake(int socket, ssize_t bytes)
{
	ssize_t length;

	for (unsigned char *m = piece; m < piece + bytes; m += length) {
		length = piece + bytes - m;
		if (m[0] != NEW_SESSION_TICKET || length < MESSAGE_HEADER ||
		    length < MESSAGE_HEADER + (m[1] << 16 | m[2] << 8 | m[3])) {
			send_alert(socket, ALERT_FATAL, UNEXPECTED_MESSAGE);
			if (m[0] == KEY_UPDATE)
				errx(1, "the other end's KeyUpdate is refused");
			errx(1, "the other end's handshake message %d is refused",
			     m[0]);
		}
		length = MESSAGE_HEADER + (m[1] << 16 | m[2] << 8 | m[3]);
	}
}

/* Handle a record that is not data. Returns true if it is the end of the connection. */
static bool take_record(int socket, unsigned char type, ssize_t bytes)
{
	if (type == RECORD_HANDSHAKE) {
		take_handshake(socket, bytes);
		return false;
	}
	if (type != RECORD_ALERT || bytes != 2) {
		send_alert(socket, ALERT_FATAL, UNEXPECTED_MESSAGE);
		errx(1, "a record of type %d and %zd bytes, which is refused", type,
		     bytes);
	}
	if (piece[1] != CLOSE_NOTIFY)
		errx(1, "the other end has given up: %s",
		     SSL_alert_desc_string_long(piece[1]));
	return true;
}

/* Read the records of the other end of "send": all until its end, or only those that are there */
static void listen_to_receiver(int socket, int flags)
{
	unsigned char type;
	ssize_t bytes;

	do {
		bytes = receive_records(socket, flags, &type);
	} while (bytes > 0 &&
		 (type == RECORD_DATA || !take_record(socket, type, bytes)));
}

static void send_file(int socket, int file)
{
	long long total = 0;
	ssize_t sent;

	while ((sent = sendfile(socket, file, NULL, PIECE)) > 0) {
		total += sent;
		listen_to_receiver(socket, MSG_DONTWAIT);
	}
	if (sent < 0) {
		int error = errno;

		/* The other end may have sent the reason. */
		listen_to_receiver(socket, MSG_DONTWAIT);
		errno = error;
		err(1, "after %lld bytes, sendfile", total);
	}
	send_alert(socket, ALERT_WARNING, CLOSE_NOTIFY);
	shutdown(socket, SHUT_WR);
	listen_to_receiver(socket, 0);
	fprintf(stderr, "%lld bytes sent\n", total);
}

static void receive_file(int socket, FILE *file)
{
	long long total = 0;
	unsigned char type;

	for (;;) {
		ssize_t bytes = receive_records(socket, 0, &type);

		if (bytes == 0)
			errx(1, "ended after %lld bytes, without close_notify: perhaps not all",
			     total);
		if (type != RECORD_DATA) {
			if (take_record(socket, type, bytes))
				break;
			continue;
		}
		if (fwrite(piece, 1, bytes, file) != (size_t)bytes || fflush(file))
			err(1, "writing");
		total += bytes;
	}
	send_alert(socket, ALERT_WARNING, CLOSE_NOTIFY);
	fprintf(stderr, "%lld bytes received\n", total);
}

/* ---- TCP ---- */

/*
 * Returns a connected socket; if the socket listens, that of an accepted connection. The
 * kernel has to know now that it is for TLS, because later the other end may have sent
 * everything and closed. Without keys this has no effect yet.
 */
static int open_connection(const char *host, const char *port, bool listens)
{
	struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = listens ? AI_PASSIVE : 0,
	};
	struct addrinfo *addresses;
	int failed = getaddrinfo(host, port, &hints, &addresses);
	int on = 1, fd = -1;

	if (failed)
		errx(1, "%s, port %s: %s", host, port, gai_strerror(failed));
	for (struct addrinfo *a = addresses; a && fd < 0; a = a->ai_next) {
		int one = socket(a->ai_family, a->ai_socktype, a->ai_protocol);

		if (one < 0)
			continue;
		if (listens) {
			setsockopt(one, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
			if (!bind(one, a->ai_addr, a->ai_addrlen) &&
			    !listen(one, 1))
				fd = accept(one, NULL, NULL);
		} else if (!connect(one, a->ai_addr, a->ai_addrlen)) {
			fd = one;
		}
		if (fd != one)
			close(one);
	}
	if (fd < 0)
		err(1, "%s, port %s", host, port);
	freeaddrinfo(addresses);
	if (setsockopt(fd, SOL_TCP, TCP_ULP, "tls", sizeof("tls")))
		err(1, errno == ENOENT ?
		    "the kernel's module tls is not loaded (modprobe tls)" :
		    "the connection is not for TLS");
	return fd;
}

int main(int argc, char **argv)
{
	SSL_CTX *context;
	int connection;

	signal(SIGPIPE, SIG_IGN);
	if (argc == 7 && !strcmp(argv[1], "send")) {
		int file = open(argv[6], O_RDONLY);

		if (file < 0)
			err(1, "%s", argv[6]);
		context = make_server_context(argv[4], argv[5]);
		connection = open_connection(argv[2], argv[3], true);
		hand_over(accept_handshake(context, connection), connection, true);
		SSL_CTX_free(context);
		send_file(connection, file);
	} else if (argc == 5 && !strcmp(argv[1], "receive")) {
		context = make_client_context(argv[4]);
		connection = open_connection(argv[2], argv[3], false);
		hand_over(connect_handshake(context, connection, argv[2]),
			  connection, false);
		SSL_CTX_free(context);
		receive_file(connection, stdout);
	} else {
		fprintf(stderr,
			"usage: handover send ADDRESS PORT CERTIFICATE KEY FILE\n"
			"       handover receive HOST PORT CA >FILE\n");
		return 2;
	}
	return 0;
}
