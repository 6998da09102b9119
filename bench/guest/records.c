// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * records BYTES
 *
 * Sends TLS 1.3 records of BYTES bytes with SM4-GCM over a TCP connection to
 * itself, encrypted and decrypted by the kernel (kTLS), and prints the TSC cycles
 * of a record, from one end to the other, in the fastest of many samples. Both
 * ends are this one process, so that one CPU does all the work.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include "sockets.h"

#define SAMPLES		400
#define RECORDS		4
#define MAX_BYTES	16384

#ifndef SOL_TLS
#define SOL_TLS		282
#endif

static int client, server;
static unsigned int bytes;
static char sent[MAX_BYTES], received[RECORDS * MAX_BYTES];

static void connect_both(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int listener = buffered_socket(SOCK_STREAM);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check(!bind(listener, (struct sockaddr *)&address, length) &&
	      !listen(listener, 1) &&
	      !getsockname(listener, (struct sockaddr *)&address, &length),
	      "listen");
	client = buffered_socket(SOCK_STREAM);
	check(!connect(client, (struct sockaddr *)&address, length), "connect");
	server = accept(listener, NULL, NULL);
	check(server >= 0, "accept");
}

static void use_tls(int socket, int direction)
{
	struct tls12_crypto_info_sm4_gcm crypto = {
		.info.version = TLS_1_3_VERSION,
		.info.cipher_type = TLS_CIPHER_SM4_GCM,
		.key = "SM4: 16 byte key",
	};

	check(!setsockopt(socket, SOL_TCP, TCP_ULP, "tls", sizeof("tls")),
	      "TCP_ULP");
	check(!setsockopt(socket, SOL_TLS, direction, &crypto, sizeof(crypto)),
	      "TLS_CIPHER_SM4_GCM");
}

static void run_sample(void)
{
	unsigned int all = RECORDS * bytes, have = 0;
	int i;

	for (i = 0; i < RECORDS; i++)
		check(send(client, sent, bytes, 0) == (ssize_t)bytes, "send");
	while (have < all) {
		ssize_t n = recv(server, received + have, all - have, 0);

		check(n > 0, "recv");
		have += n;
	}
}

int main(int argc, char **argv)
{
	bytes = argc == 2 ? atoi(argv[1]) : 0;
	if (bytes < 1 || bytes > MAX_BYTES) {
		fprintf(stderr, "usage: records BYTES\n");
		return EXIT_FAILURE;
	}
	memset(sent, 'a', sizeof(sent));
	connect_both();
	use_tls(client, TLS_TX);
	use_tls(server, TLS_RX);
	time_samples(run_sample, SAMPLES, RECORDS);
	check(received[0] == 'a' && !memcmp(received, received + 1,
					    RECORDS * bytes - 1),
	      "what was received is not what was sent");
	return EXIT_SUCCESS;
}
