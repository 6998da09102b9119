/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of one request: a message spread over the entries of a
 * scatterlist. Each entry is in its own guarded memory, at one of its ends
 * or anywhere in it, with known bytes around it that must not change.
 */
#ifndef TEST_HOST_SCATTER_H
#define TEST_HOST_SCATTER_H

#include "case.h"
#include "shim/kernel.h"

#define SCATTER_PIECES_MAX	8

/* An entry more than there are pieces, which stays empty: sg_next() must not go there. */
struct scatter {
	struct scatterlist list[SCATTER_PIECES_MAX + 1];
	unsigned int pieces;
	struct guarded arena[SCATTER_PIECES_MAX];
	bool read_only[SCATTER_PIECES_MAX];
};

/* Copy to or from the message at @offset. */
void scatter_write(struct scatter *scatter, size_t offset, const void *from,
		   size_t bytes);
void scatter_check(struct scatter *scatter, size_t offset, const void *expected,
		   size_t bytes, const char *what);

/* A part of a message: its length, and whether a request may write it */
struct part {
	size_t bytes;
	bool writable;
};

#define PARTS	4

/* Lay out a message again, each part in its own pages. */
void scatter_place_parts(struct scatter *scatter, const struct part parts[PARTS]);

/*
 * From here on, writing to a part that a request may not write, or to the pages around it, is a
 * memory fault, until it is released.
 */
void scatter_protect(const struct scatter *scatter);
void scatter_release(const struct scatter *scatter);

/* Fail if anything around the entries changed since they were laid out. */
void scatter_check_around(const struct scatter *scatter);

/* The place of an entry in its memory */
enum position { AT_RANDOM, AT_START, AT_END, ANYWHERE };

/* The places of source and destination of a request, relative to each other */
struct placement {
	const char *name;
	bool in_place;
	bool two_lists;		/* in place, but by two lists of entries */
	bool in_pieces;
	bool in_parts;		/* of an AEAD: by scatter_place_parts() */
	enum position position;
};

/* The last two are for AEADs. */
#define PLACEMENTS	7
#define PLACEMENTS_WITHOUT_PARTS	5
#define FLAT_PLACEMENTS	6

extern const struct placement placements[PLACEMENTS];

/* All places of flat memory, for functions that take no scatterlist */
extern const struct placement flat_placements[FLAT_PLACEMENTS];

/* For 0 bytes: what is no list. To look at it is a memory fault. */
struct scatterlist *scatter_none(void);

/*
 * Source and destination by @placement. @source_bytes and @destination_bytes
 * are the bytes that the request needs of each; in place there is room for the longer.
 * Where it needs none, there is no list; and some lists have no end, as AF_ALG's.
 */
struct request_memory {
	struct scatter source, destination;
	struct scatterlist second_list[SCATTER_PIECES_MAX + 1];
	struct scatter *output;
	struct scatterlist *src, *dst;
};

void request_place(struct request_memory *memory,
		   const struct placement *placement, size_t source_bytes,
		   size_t destination_bytes);

/* The same in one piece each: the source of a function, and a destination of that length */
struct flat {
	struct request_memory memory;
	u8 *src, *dst;
	size_t bytes;
};

void flat_place(struct flat *flat, const struct placement *placement,
		const void *in, size_t bytes);

/* Fail if the output is not @out, or if anything else has changed. */
void flat_check(struct flat *flat, const void *in, const void *out);

#endif
