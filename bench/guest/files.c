// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * files PORT PATH BYTES DOWNLOADS
 *
 * Downloads a file of BYTES bytes from the web server on a port of this machine,
 * by TLS 1.3 with TLS_SM4_GCM_SM3, and prints the TSC cycles of the fastest of
 * DOWNLOADS, from connecting to the end. After the handshake, it counts the bytes
 * and does not decrypt them, so that the time is that of the server and TCP.
 * integration/tls/test/openssl.t checks the content.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "timing.h"

/* Bytes of a record, with its data, and of everything that is sent in addition to the file */
#define RECORD_BYTES	16384
#define RECORD_MORE	22
#define OTHER_BYTES	16384

static SSL_CTX *context;
static struct sockaddr_in address = { .sin_family = AF_INET };
static char request[256], buffer[1 << 18];
static int request_bytes;
static long long file_bytes;

static void check_library(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "%s: ", what);
		ERR_print_errors_fp(stderr);
		exit(EXIT_FAILURE);
	}
}

static void download(void)
{
	long long least = file_bytes + file_bytes / RECORD_BYTES * RECORD_MORE;
	int connection = socket(AF_INET, SOCK_STREAM, 0);
	SSL *ssl = SSL_new(context);
	long long all = 0;
	ssize_t bytes;

	check(connection >= 0 && !connect(connection, (void *)&address,
					  sizeof(address)), "connect");
	check_library(ssl && SSL_set_fd(ssl, connection) &&
		      SSL_connect(ssl) == 1, "the handshake");
	check_library(SSL_write(ssl, request, request_bytes) == request_bytes,
		      "the request");
	while ((bytes = recv(connection, buffer, sizeof(buffer), 0)) > 0) {
		all += bytes;
		/* s_server waits for the other end to close. */
		if (all >= least)
			shutdown(connection, SHUT_WR);
	}
	check(!bytes, "recv");
	SSL_free(ssl);
	close(connection);
	if (all < least || all > least + OTHER_BYTES) {
		fprintf(stderr, "%lld bytes came for a file of %lld\n", all,
			file_bytes);
		exit(EXIT_FAILURE);
	}
}

int main(int argc, char **argv)
{
	unsigned int downloads = argc == 5 ? atoi(argv[4]) : 0;

	if (!downloads) {
		fprintf(stderr, "usage: files PORT PATH BYTES DOWNLOADS\n");
		return EXIT_FAILURE;
	}
	address.sin_port = htons(atoi(argv[1]));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	request_bytes = snprintf(request, sizeof(request),
				 "GET %s HTTP/1.0\r\n\r\n", argv[2]);
	file_bytes = atoll(argv[3]);
	context = SSL_CTX_new(TLS_client_method());
	check_library(context &&
		      SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) &&
		      SSL_CTX_set_ciphersuites(context, "TLS_SM4_GCM_SM3"),
		      "TLS_SM4_GCM_SM3");
	time_samples(download, downloads, 1);
	return EXIT_SUCCESS;
}
