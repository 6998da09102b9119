// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * packets FROM TO ADDRESS BYTES
 *
 * Sends UDP packets of BYTES bytes from the network namespace FROM to ADDRESS
 * in the namespace TO, receives them there, and prints the TSC cycles of a
 * packet, from one end to the other, in the fastest of many samples. Both ends
 * are this one process, so that one CPU does all the work.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/time.h>
#include "sockets.h"

#define SAMPLES		200
#define PACKETS		32
#define PORT		7777
#define MAX_BYTES	2048

static int sender, receiver;
static char buffers[PACKETS][MAX_BYTES];
static struct iovec vectors[PACKETS];
static struct mmsghdr messages[PACKETS];

static void run_sample(void)
{
	check(sendmmsg(sender, messages, PACKETS, 0) == PACKETS, "sendmmsg");
	check(recvmmsg(receiver, messages, PACKETS, MSG_DONTWAIT, NULL) ==
	      PACKETS, "recvmmsg: packets are lost");
}

int main(int argc, char **argv)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(PORT),
	};
	unsigned int bytes = argc == 5 ? atoi(argv[4]) : 0, i;

	if (bytes < 1 || bytes > MAX_BYTES ||
	    inet_pton(AF_INET, argv[3], &address.sin_addr) != 1) {
		fprintf(stderr, "usage: packets FROM TO ADDRESS BYTES\n");
		return EXIT_FAILURE;
	}
	receiver = socket_in(argv[2], SOCK_DGRAM);
	check(!bind(receiver, (struct sockaddr *)&address, sizeof(address)),
	      "bind");
	sender = socket_in(argv[1], SOCK_DGRAM);
	check(!connect(sender, (struct sockaddr *)&address, sizeof(address)),
	      "connect");
	for (i = 0; i < PACKETS; i++) {
		vectors[i] = (struct iovec) { buffers[i], bytes };
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	/* The first packet waits until the address is resolved. */
	check(send(sender, buffers[0], bytes, 0) == (ssize_t)bytes, "send");
	check(recv(receiver, buffers[0], bytes, 0) == (ssize_t)bytes, "recv");
	time_samples(run_sample, SAMPLES, PACKETS);
	return EXIT_SUCCESS;
}
