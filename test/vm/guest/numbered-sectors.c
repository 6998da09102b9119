// SPDX-License-Identifier: GPL-2.0
/*
 * numbered-sectors NAME DEVICE SECTOR-SIZE find
 * numbered-sectors NAME DEVICE SECTOR-SIZE fill|write NUMBER
 *
 * Writes to a device in such a way that one can tell, after the power was cut,
 * what has become of every write, and finds that out. It does not judge.
 *
 * Every write has a number, from NUMBER on. Each sector that it writes is full
 * of words that follow from the sector and from the number, which is the first
 * of them. What happens is told on standard output:
 *
 *     NAME begin NUMBER SECTOR COUNT   before the write of COUNT sectors
 *     NAME end NUMBER                  when it has returned: it is acknowledged
 *     NAME found SECTOR WHAT           WHAT is the number of the write that the
 *                                      sector is of; unreadable, when reading it
 *                                      is an error; or garbage
 *
 * fill writes the whole device once. write writes it at random places until
 * someone ends it, from several threads, each having a part of the device. All
 * writes bypass the cache and return when the device has them for good
 * (O_DIRECT, O_DSYNC).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define WRITERS 8
/* At once, of a write at a random place */
#define MOST_SECTORS 16
#define MOST_BYTES_OF_A_SECTOR 4096
#define MOST_BYTES (MOST_SECTORS * MOST_BYTES_OF_A_SECTOR)

static const char *name;
static int device;
static size_t sector_size;
static uint64_t sectors;
static atomic_uint_least64_t next_number;

static void fail(const char *what)
{
	fprintf(stderr, "numbered-sectors: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* A line is one write(2): lines of several threads do not mix. */
static void tell(const char *line, int length)
{
	if (write(STDOUT_FILENO, line, length) != length)
		fail("standard output");
}

static void *sector_buffer(void)
{
	void *buffer;

	if (posix_memalign(&buffer, MOST_BYTES_OF_A_SECTOR, MOST_BYTES))
		fail("memory");
	return buffer;
}

/* SplitMix64's output function: words without a pattern */
static uint64_t mix(uint64_t word)
{
	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
	word = (word ^ word >> 27) * 0x94d049bb133111eb;
	return word ^ word >> 31;
}

static void compose(uint64_t *words, uint64_t sector, uint64_t number)
{
	words[0] = number;
	for (size_t i = 1; i < sector_size / sizeof(*words); i++)
		words[i] = mix(mix(mix(sector) + number) + i);
}

static void tell_found(uint64_t sector, const uint64_t *words)
{
	uint64_t expected[MOST_BYTES_OF_A_SECTOR / sizeof(uint64_t)];

	compose(expected, sector, words[0]);
	printf("%s found %" PRIu64 " ", name, sector);
	if (memcmp(words, expected, sector_size))
		puts("garbage");
	else
		printf("%" PRIu64 "\n", words[0]);
}

/* Where many sectors cannot be read at once, one or more of them cannot. */
static void find_sectors(uint64_t first, size_t count, uint64_t *words)
{
	if (pread(device, words, count * sector_size, first * sector_size) ==
	    (ssize_t)(count * sector_size))
		for (size_t i = 0; i < count; i++)
			tell_found(first + i,
				   words + i * sector_size / sizeof(*words));
	else if (count == 1)
		printf("%s found %" PRIu64 " unreadable\n", name, first);
	else
		for (size_t i = 0; i < count; i++)
			find_sectors(first + i, 1, words);
}

static void write_sectors(uint64_t first, size_t count, uint64_t *words)
{
	uint64_t number = next_number++;
	char line[100];

	for (size_t i = 0; i < count; i++)
		compose(words + i * sector_size / sizeof(*words), first + i,
			number);
	tell(line, sprintf(line, "%s begin %" PRIu64 " %" PRIu64 " %zu\n",
			   name, number, first, count));
	if (pwrite(device, words, count * sector_size, first * sector_size) !=
	    (ssize_t)(count * sector_size))
		fail("write");
	tell(line, sprintf(line, "%s end %" PRIu64 "\n", name, number));
}

static void all_sectors(void (*work)(uint64_t, size_t, uint64_t *))
{
	const size_t most = MOST_BYTES / sector_size;
	uint64_t *words = sector_buffer();

	for (uint64_t first = 0; first < sectors; first += most)
		work(first, sectors - first < most ? sectors - first : most,
		     words);
}

/* Within a part, one write follows the other: the last one is what remains. */
static void *write_part(void *part)
{
	uint64_t length = sectors / WRITERS;
	uint64_t start = (uintptr_t)part * length;
	uint64_t *words = sector_buffer();
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		fail("random numbers");
	for (;;) {
		random = mix(random + 0x9e3779b97f4a7c15);
		write_sectors(start + random % (length - MOST_SECTORS),
			      1 + (random >> 32) % MOST_SECTORS, words);
	}
	return NULL;
}

static void write_at_random(void)
{
	pthread_t threads[WRITERS];

	for (uintptr_t part = 0; part < WRITERS; part++) {
		errno = pthread_create(&threads[part], NULL, write_part,
				       (void *)part);
		if (errno)
			fail("thread");
	}
	pthread_join(threads[0], NULL);
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return 2;
	name = argv[1];
	device = open(argv[2], O_RDWR | O_DIRECT | O_DSYNC);
	if (device < 0)
		fail(argv[2]);
	sector_size = strtoul(argv[3], NULL, 10);
	sectors = lseek(device, 0, SEEK_END) / sector_size;
	if (argc > 5)
		next_number = strtoull(argv[5], NULL, 10);
	if (!strcmp(argv[4], "find"))
		all_sectors(find_sectors);
	else if (!strcmp(argv[4], "fill"))
		all_sectors(write_sectors);
	else if (!strcmp(argv[4], "write"))
		write_at_random();
	return 0;
}
