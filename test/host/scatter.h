/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of one request: a message spread over the entries of a
 * scatterlist. Each entry lies in guarded memory of its own, at one of its ends
 * or anywhere in it, with known bytes around that have to stay as they are.
 */
#ifndef TEST_HOST_SCATTER_H
#define TEST_HOST_SCATTER_H

#include "case.h"
#include "shim/kernel.h"

#define SCATTER_PIECES_MAX	8

struct scatter {
	struct scatterlist list[SCATTER_PIECES_MAX];
	unsigned int pieces;
	struct guarded arena[SCATTER_PIECES_MAX];
};

/* Lay out @bytes anew, in one piece or in any number at random. */
void scatter_place(struct scatter *scatter, size_t bytes, bool in_pieces);

/* Copy to or from the message at @offset. */
void scatter_write(struct scatter *scatter, size_t offset, const void *from,
		   size_t bytes);
void scatter_check(struct scatter *scatter, size_t offset, const void *expected,
		   size_t bytes, const char *what);

/* Fail if anything around the entries changed since scatter_place(). */
void scatter_check_around(const struct scatter *scatter);

/* How source and destination of a request lie to each other */
struct placement {
	const char *name;
	bool in_place;
	bool two_lists;		/* in place, but by two lists of entries */
	bool in_pieces;
};

#define PLACEMENTS	5

extern const struct placement placements[PLACEMENTS];

/*
 * Source and destination by @placement. @source_bytes and @destination_bytes
 * are what the request needs of each; in place there is room for the longer.
 */
struct request_memory {
	struct scatter source, destination;
	struct scatterlist second_list[SCATTER_PIECES_MAX];
	struct scatter *output;
	struct scatterlist *src, *dst;
};

void request_place(struct request_memory *memory,
		   const struct placement *placement, size_t source_bytes,
		   size_t destination_bytes);

#endif
