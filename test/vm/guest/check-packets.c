// SPDX-License-Identifier: GPL-2.0
/*
 * check-packets SECONDS FROM ADDRESS TO ADDRESS
 *
 * Sends UDP packets of random lengths and bytes from an address in the network
 * namespace FROM to one in the namespace TO, receives them there, and compares
 * every one of them with what was sent. Prints how many packets and bytes there
 * were, and exits with 1 if one was lost, came twice or was changed. It knows
 * nothing of what lies between the two namespaces.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PORT 7777
/* As many as are under way at once: far fewer than any queue drops. */
#define BATCH 32
#define LONGEST 1400
/* A packet that takes longer than this has been lost. */
#define SECONDS_TO_WAIT 30

static uint8_t sent[BATCH][LONGEST];
static size_t lengths[BATCH];
static bool arrived[BATCH];
static unsigned long packets, bytes, failures;

static void check(bool ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static void failed(const char *what, unsigned long batch, unsigned int packet)
{
	/* The first few say enough. */
	if (failures++ < 5)
		printf("packet %u of batch %lu: %s\n", packet, batch, what);
}

/* A socket in this namespace and at this address; for sending, TO is given. */
static int open_socket(const char *namespace, const char *address,
		       const char *to)
{
	struct sockaddr_in place = {
		.sin_family = AF_INET,
		.sin_port = htons(to ? 0 : PORT),
	};
	struct timeval limit = { .tv_sec = SECONDS_TO_WAIT };
	char path[64];
	int fd, yes = 1;

	snprintf(path, sizeof(path), "/run/netns/%s", namespace);
	fd = open(path, O_RDONLY);
	check(fd >= 0 && !setns(fd, CLONE_NEWNET), path);
	close(fd);
	fd = socket(AF_INET, SOCK_DGRAM, 0);
	check(fd >= 0, "socket");
	/* Without UDP's checksum, or what is changed would not arrive. */
	check(!setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &yes, sizeof(yes)) &&
	      !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)),
	      "setsockopt");
	inet_pton(AF_INET, address, &place.sin_addr);
	check(!bind(fd, (struct sockaddr *)&place, sizeof(place)), "bind");
	if (to) {
		place.sin_port = htons(PORT);
		inet_pton(AF_INET, to, &place.sin_addr);
		check(!connect(fd, (struct sockaddr *)&place, sizeof(place)),
		      "connect");
	}
	return fd;
}

/* A packet is batch and number in the batch, then random bytes. */
static void send_packet(int sender, unsigned long batch, unsigned int number)
{
	uint8_t *packet = sent[number];
	const size_t header = sizeof(batch) + 1;

	lengths[number] = header + random() % (LONGEST - header + 1);
	arrived[number] = false;
	memcpy(packet, &batch, sizeof(batch));
	packet[sizeof(batch)] = number;
	for (size_t i = header; i < lengths[number]; i++)
		packet[i] = random();
	check(send(sender, packet, lengths[number], 0) ==
	      (ssize_t)lengths[number], "send");
	packets++;
	bytes += lengths[number];
}

static bool receive_packet(int receiver, unsigned long batch)
{
	uint8_t packet[LONGEST + 1] = { 0 };
	ssize_t length = recv(receiver, packet, sizeof(packet), 0);
	unsigned int number = packet[sizeof(batch)];

	if (length < 0)
		return false;
	if (length <= (ssize_t)sizeof(batch) || number >= BATCH)
		failed("came instead of one that was sent", batch, number);
	else if (length != (ssize_t)lengths[number] ||
		 memcmp(packet, sent[number], length))
		failed("is not as it was sent", batch, number);
	else if (arrived[number])
		failed("came twice", batch, number);
	else
		arrived[number] = true;
	return true;
}

static void run_batch(int sender, int receiver, unsigned long batch)
{
	unsigned int number;

	for (number = 0; number < BATCH; number++)
		send_packet(sender, batch, number);
	for (number = 0; number < BATCH; number++)
		if (!receive_packet(receiver, batch))
			break;
	for (number = 0; number < BATCH; number++)
		if (!arrived[number])
			failed("has not arrived", batch, number);
}

int main(int argc, char **argv)
{
	int sender, receiver;
	time_t end;

	if (argc != 6) {
		fprintf(stderr,
			"usage: check-packets SECONDS FROM ADDRESS TO ADDRESS\n");
		return 2;
	}
	receiver = open_socket(argv[4], argv[5], NULL);
	sender = open_socket(argv[2], argv[3], argv[5]);
	end = time(NULL) + atoi(argv[1]);
	for (unsigned long batch = 0; time(NULL) < end; batch++)
		run_batch(sender, receiver, batch);
	printf("%s to %s: %lu packets, %lu bytes, %lu failures\n", argv[3],
	       argv[5], packets, bytes, failures);
	return failures || !packets;
}
