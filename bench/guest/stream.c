// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * stream FROM TO ADDRESS
 *
 * Sends bytes by TCP from the network namespace FROM to ADDRESS in the namespace TO,
 * receives them there, and prints the TSC cycles of a KiB, from one end to the other,
 * in the fastest of many samples. Both ends are this one process, so that one CPU does
 * all the work, including that of gateways between them.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <string.h>
#include "sockets.h"

#define SAMPLES		400
#define KIBIBYTES	128
#define BYTES		(KIBIBYTES << 10)
#define PORT		7777

static int sender, receiver;
static char sent[BYTES], received[BYTES];

static void run_sample(void)
{
	check(send(sender, sent, BYTES, 0) == BYTES, "send");
	check(recv(receiver, received, BYTES, MSG_WAITALL) == BYTES, "recv");
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
	};
	int listener;

	if (argc != 4 || inet_pton(AF_INET, argv[3], &address.sin_addr) != 1) {
		fprintf(stderr, "usage: stream FROM TO ADDRESS\n");
		return EXIT_FAILURE;
	}
	memset(sent, 'a', sizeof(sent));
	listener = socket_in(argv[2], SOCK_STREAM);
	check(!bind(listener, (struct sockaddr *)&address, sizeof(address)) &&
	      !listen(listener, 1), "listen");
	sender = socket_in(argv[1], SOCK_STREAM);
	check(!connect(sender, (struct sockaddr *)&address, sizeof(address)),
	      "connect");
	receiver = accept(listener, NULL, NULL);
	check(receiver >= 0, "accept");
	time_samples(run_sample, SAMPLES, KIBIBYTES);
	check(!memcmp(received, sent, BYTES),
	      "what was received is not what was sent");
	return EXIT_SUCCESS;
}
