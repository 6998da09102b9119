/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The memory of one request: a message spread over regions, each of which is contiguous. Each is
 * in its own guarded memory, at one of its ends or anywhere in it, with known bytes around it that
 * must not change. The entries of a scatterlist follow the regions, and may cut them.
 */
#ifndef TEST_REQUESTS_MEMORY_H
#define TEST_REQUESTS_MEMORY_H

#include <linux/scatterlist.h>
#include "backend.h"

/* Of a region: for the longest message, with as much associated data and a tag */
#define MEMORY_BYTES	(36 * PAGE_SIZE)

#define REGIONS_MAX	8

/* More bytes than the memory has, if it is used repeatedly */
struct region {
	struct guarded memory;
	u8 *start;
	size_t bytes;
	bool read_only;
};

/* An entry more than there are bytes for, which stays empty: sg_next() must not go there. */
struct scatter {
	struct region regions[REGIONS_MAX];
	unsigned int count;
	struct scatterlist *list;
	size_t room;	/* entries of @list */
};

/* Copy to the message at @offset; or compare with it. */
void scatter_write(struct scatter *scatter, size_t offset, const void *from,
		   size_t bytes);
void scatter_check(struct scatter *scatter, size_t offset, const void *expected,
		   size_t bytes, const char *what);

/*
 * From here on, writing to a part that a request may not write, or to the pages around it, may be
 * a memory fault, until it is released.
 */
void scatter_protect(const struct scatter *scatter);
void scatter_release(const struct scatter *scatter);

/* Fail if anything around the regions changed since they were laid out. */
void scatter_check_around(const struct scatter *scatter);

/* The place of a region in its memory */
enum position { RANDOM_PLACE, AT_START, AT_END, ANYWHERE, AT_OFFSET };

/**
 * struct placement - the places of source and destination of a request
 * @name: for messages
 * @in_place: they are the same
 * @two_lists: in place, but by two lists of entries
 * @in_pieces: in a random number of regions
 * @in_parts: each part of a message is in a region of its own (request_place_parts())
 * @has_ends: even for no bytes there are lists, and all have an end
 * @position: of each region
 * @offset: with AT_OFFSET, of the source; the destination begins that many bytes before a block
 * @entry: maximum bytes of an entry of a list, or 0
 * @empty: unless 0, this entry of the list, and those a multiple later, have no bytes
 * @overlap: unless 0, the distance of the destination after the source, in the same memory
 */
struct placement {
	const char *name;
	bool in_place, two_lists, in_pieces, in_parts, has_ends;
	enum position position;
	unsigned int offset, entry, empty, overlap;
};

#define PLACEMENTS	7

/* Without the last two, for what protects no memory */
#define PLACEMENTS_WITHOUT_PARTS	5
#define FLAT_PLACEMENTS	6

extern const struct placement placements[PLACEMENTS];

/* All places of flat memory, for functions that take no scatterlist */
extern const struct placement flat_placements[FLAT_PLACEMENTS];

/*
 * Where a request needs no bytes of a list, there is no list: to look at it is a memory fault. And
 * some lists have no end, as AF_ALG's. @output is the destination: in place, the source; if it
 * overlaps the source, @second, which is otherwise for a second list of the source.
 */
struct request_memory {
	struct scatter source, destination, second;
	struct scatter *output;
	struct scatterlist *src, *dst;
};

/*
 * Lay out source and destination by @placement, each of the bytes that the request needs of it;
 * in place there is room for the longer.
 */
void request_place(struct request_memory *memory,
		   const struct placement *placement, size_t source_bytes,
		   size_t destination_bytes);

/* A part of a message: its length, and whether a request may write it */
struct part {
	size_t bytes;
	bool writable;
};

#define PARTS	4

/*
 * Lay out source and destination in parts, each part in its own pages. In place, the source is
 * as the destination.
 */
void request_place_parts(struct request_memory *memory, const struct placement *placement,
			 const struct part source[PARTS], const struct part destination[PARTS]);

/* Fail if anything around source or destination changed since they were laid out. */
void request_check_around(const struct request_memory *memory);

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
