// SPDX-License-Identifier: GPL-2.0
/*
 * sectors DEVICE read|write
 *
 * Reads or writes the block device DEVICE from its beginning, past the cache, and
 * prints the TSC cycles of a request of 64 KiB, in the fastest of many. What is
 * written are zeros.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "timing.h"

#define REQUESTS	1000
#define BYTES		(64 << 10)

static int device;
static char buffer[BYTES] __attribute__((aligned(4096)));

static void read_once(void)
{
	check(read(device, buffer, BYTES) == BYTES, "read");
}

static void write_once(void)
{
	check(write(device, buffer, BYTES) == BYTES, "write");
}

int main(int argc, char **argv)
{
	bool writes = argc == 3 && !strcmp(argv[2], "write");

	if (argc != 3 || (!writes && strcmp(argv[2], "read"))) {
		fprintf(stderr, "usage: sectors DEVICE read|write\n");
		return EXIT_FAILURE;
	}
	device = open(argv[1], O_DIRECT | (writes ? O_WRONLY : O_RDONLY));
	check(device >= 0, argv[1]);
	time_batches(writes ? write_once : read_once, REQUESTS, 1);
	return EXIT_SUCCESS;
}
