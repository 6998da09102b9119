// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The memory of requests (memory.h): its place, and the watched bytes around it. */
#include <linux/scatterlist.h>
#include "memory.h"
#include "message.h"

/* Number of bytes that are watched on both sides of a region, and their value */
#define AROUND		64
#define AROUND_VALUE	0xa5

const struct placement placements[PLACEMENTS] = {
	{ "apart, in one piece" },
	{ "apart, in pieces", .in_pieces = true },
	{ "in place, in one piece", .in_place = true },
	{ "in place, in pieces", .in_place = true, .in_pieces = true },
	{ "in place, by two lists", .in_place = true, .in_pieces = true,
	  .two_lists = true },
	{ "apart, in parts", .in_parts = true },
	{ "in place, in parts", .in_place = true, .in_parts = true },
};

const struct placement flat_placements[FLAT_PLACEMENTS] = {
	{ "apart, at the end", .position = AT_END },
	{ "apart, at the start", .position = AT_START },
	{ "apart, anywhere", .position = ANYWHERE },
	{ "in place, at the end", .in_place = true, .position = AT_END },
	{ "in place, at the start", .in_place = true, .position = AT_START },
	{ "in place, anywhere", .in_place = true, .position = ANYWHERE },
};

/* ---- regions ---- */

/* The watched bytes before and after a region, as far as they are there */
static u8 *around_start(const struct region *region)
{
	return max(region->memory.start - region->memory.beyond, region->start - AROUND);
}

static u8 *around_end(const struct region *region)
{
	return min(region->memory.start + region->memory.bytes + region->memory.beyond,
		   region->start + region->bytes + AROUND);
}

static u8 *place_region(const struct guarded *memory, size_t bytes, enum position position,
			size_t offset)
{
	size_t room = memory->bytes - min_t(size_t, bytes, memory->bytes);

	switch (position ?: AT_START + random_below(3)) {
	case AT_START:
		return memory->start;
	case AT_END:
		return memory->start + room;
	case AT_OFFSET:
		return memory->start + min(offset, room);
	default:
		return memory->start + random_below(room + 1);
	}
}

/* Append a region whose place is known. */
static struct region *append(struct scatter *scatter, u8 *start, size_t bytes)
{
	struct region *region = &scatter->regions[scatter->count++];

	region->start = start;
	region->bytes = bytes;
	region->read_only = false;
	memset(around_start(region), AROUND_VALUE, around_end(region) - around_start(region));
	return region;
}

/* The length of the next piece, of @bytes that are left: often short */
static size_t piece_length(size_t bytes)
{
	size_t limit = random_below(2) ? min_t(size_t, bytes, 33) : bytes;

	return limit ? 1 + random_below(limit) : 0;
}

/* Lay out @bytes again, in memory for lists or, if it is @flat, for addresses. */
static void lay_out(struct scatter *scatter, size_t bytes, const struct placement *placement,
		    size_t offset, bool flat)
{
	scatter->count = 0;
	do {
		struct guarded *memory = &scatter->regions[scatter->count].memory;
		size_t length = bytes;

		if (!memory->start)
			*memory = flat ? guarded_allocate(MEMORY_BYTES) :
					 guarded_pages(MEMORY_BYTES);
		if (placement->in_pieces && scatter->count < REGIONS_MAX - 1)
			length = piece_length(bytes);
		append(scatter, place_region(memory, length, placement->position, offset), length);
		bytes -= length;
	} while (bytes);
}

static void lay_out_parts(struct scatter *scatter, const struct part parts[PARTS])
{
	unsigned int i;

	scatter->count = 0;
	for (i = 0; i < PARTS; i++) {
		struct guarded *memory = &scatter->regions[scatter->count].memory;

		if (!parts[i].bytes)
			continue;
		if (!memory->start)
			*memory = guarded_pages(MEMORY_BYTES);
		append(scatter, place_region(memory, parts[i].bytes, RANDOM_PLACE, 0),
		       parts[i].bytes)->read_only = !parts[i].writable;
	}
}

void scatter_protect(const struct scatter *scatter)
{
	unsigned int i;

	for (i = 0; i < scatter->count; i++)
		if (scatter->regions[i].read_only)
			guarded_protect(&scatter->regions[i].memory, true);
}

void scatter_release(const struct scatter *scatter)
{
	unsigned int i;

	for (i = 0; i < scatter->count; i++)
		if (scatter->regions[i].read_only)
			guarded_protect(&scatter->regions[i].memory, false);
}

/* Copy between @p and the message at @offset. */
static void copy(struct scatter *scatter, size_t offset, u8 *p, size_t bytes, bool to_message)
{
	const struct region *region = scatter->regions;

	while (bytes) {
		size_t skipped = min(offset, region->bytes);
		size_t here = min(bytes, region->bytes - skipped);

		if (to_message)
			memcpy(region->start + skipped, p, here);
		else
			memcpy(p, region->start + skipped, here);
		offset -= skipped;
		p += here;
		bytes -= here;
		region++;
	}
}

void scatter_write(struct scatter *scatter, size_t offset, const void *from,
		   size_t bytes)
{
	copy(scatter, offset, (u8 *)from, bytes, true);
}

void scatter_check(struct scatter *scatter, size_t offset, const void *expected,
		   size_t bytes, const char *what)
{
	static u8 actual[MEMORY_BYTES];

	copy(scatter, offset, actual, bytes, false);
	check_bytes(actual, expected, bytes, what);
}

static void check_around(const struct region *region)
{
	const u8 *memory_end = region->memory.start + region->memory.bytes;
	const u8 *end = around_end(region), *p;

	for (p = around_start(region); p < end; p++) {
		if (p == region->start)
			p += min_t(size_t, region->bytes, memory_end - p);
		if (p < end && *p != AROUND_VALUE)
			fail_case("byte %td written, outside of a region of %zu bytes",
				  p - region->start, region->bytes);
	}
}

void scatter_check_around(const struct scatter *scatter)
{
	unsigned int i;

	for (i = 0; i < scatter->count; i++)
		check_around(&scatter->regions[i]);
}

/* ---- lists ---- */

/* Make room for a list of a region for each of these, and an entry more. */
static void reserve(struct scatter *scatter, unsigned int largest, bool has_empty)
{
	size_t entries = 1;
	unsigned int i;

	/* All entries are the largest, except at the end of the memory; every other is empty. */
	for (i = 0; i < scatter->count; i++)
		entries += (scatter->regions[i].bytes / largest +
			    scatter->regions[i].bytes / MEMORY_BYTES + 2) * (has_empty ? 2 : 1);
	if (scatter->room < entries) {
		memory_free(scatter->list);
		scatter->list = memory_allocate(entries * sizeof(*scatter->list));
		scatter->room = entries;
	}
	sg_init_table(scatter->list, scatter->room);
}

/*
 * Make the list of the regions. One that is longer than its memory continues at its start when the
 * end is reached. A region of no bytes has one empty entry.
 */
static void make_list(struct scatter *scatter, const struct placement *placement, bool has_end)
{
	unsigned int largest = placement->entry ?: MEMORY_BYTES;
	unsigned int empty = placement->empty, i, entry = 0;

	reserve(scatter, largest, empty);
	for (i = 0; i < scatter->count; i++) {
		const struct region *region = &scatter->regions[i];
		u8 *end = region->memory.start + region->memory.bytes, *at = region->start;
		size_t left = region->bytes, n;

		do {
			n = min3(left, (size_t)largest, (size_t)(end - at));
			if (empty && entry % (empty + 1) == 0)
				n = 0;
			sg_set_buf(&scatter->list[entry++], at, n);
			left -= n;
			at += n;
			if (at == end && left)
				at = region->memory.start;
		} while (left);
	}
	if (has_end)
		sg_mark_end(&scatter->list[entry - 1]);
}

static bool may_end(const struct placement *placement)
{
	return placement->in_parts || placement->has_ends || random_below(2);
}

/* ---- source and destination ---- */

/* The destination in the memory of the source, at a distance. It is watched as the source. */
static void overlap(struct request_memory *memory, unsigned int distance, size_t bytes)
{
	memory->second.count = 0;
	memory->second.regions[0].memory = memory->source.regions[0].memory;
	append(&memory->second, memory->source.regions[0].start + distance, bytes);
	memory->output = &memory->second;
}

static void lay_out_request(struct request_memory *memory, const struct placement *placement,
			    size_t source_bytes, size_t destination_bytes, bool flat)
{
	const unsigned int offset = placement->offset;
	size_t source_room = source_bytes;

	if (placement->in_place || placement->overlap)
		source_room = max(source_bytes, placement->overlap + destination_bytes);
	lay_out(&memory->source, source_room, placement, offset, flat);
	memory->output = &memory->source;
	if (placement->overlap) {
		overlap(memory, placement->overlap, destination_bytes);
	} else if (!placement->in_place) {
		lay_out(&memory->destination, destination_bytes, placement,
			round_down(offset, BLOCK) + BLOCK - offset % BLOCK, flat);
		memory->output = &memory->destination;
	}
}

static void make_lists(struct request_memory *memory, const struct placement *placement)
{
	make_list(&memory->source, placement, may_end(placement));
	if (!placement->in_place)
		make_list(memory->output, placement, may_end(placement));
	memory->src = memory->source.list;
	memory->dst = memory->output->list;
	if (placement->two_lists) {
		memory->second.count = memory->source.count;
		memcpy(memory->second.regions, memory->source.regions,
		       sizeof(memory->second.regions));
		make_list(&memory->second, placement, may_end(placement));
		memory->dst = memory->second.list;
	}
}

void request_place(struct request_memory *memory,
		   const struct placement *placement, size_t source_bytes,
		   size_t destination_bytes)
{
	lay_out_request(memory, placement, source_bytes, destination_bytes, false);
	make_lists(memory, placement);
	if (placement->has_ends)
		return;
	if (!source_bytes && (memory->src != memory->dst || !destination_bytes))
		memory->src = guarded_nothing();
	if (!destination_bytes && (memory->src != memory->dst || !source_bytes))
		memory->dst = guarded_nothing();
}

void request_place_parts(struct request_memory *memory, const struct placement *placement,
			 const struct part source[PARTS], const struct part destination[PARTS])
{
	lay_out_parts(&memory->source, placement->in_place ? destination : source);
	memory->output = &memory->source;
	if (!placement->in_place) {
		lay_out_parts(&memory->destination, destination);
		memory->output = &memory->destination;
	}
	make_lists(memory, placement);
}

void request_check_around(const struct request_memory *memory)
{
	scatter_check_around(&memory->source);
	/* What is around an overlapping destination is in the source. */
	if (memory->output != &memory->second)
		scatter_check_around(memory->output);
}

/* ---- flat memory ---- */

void flat_place(struct flat *flat, const struct placement *placement,
		const void *in, size_t bytes)
{
	lay_out_request(&flat->memory, placement, bytes, bytes, true);
	scatter_write(&flat->memory.source, 0, in, bytes);
	flat->src = flat->memory.source.regions[0].start;
	flat->dst = flat->memory.output->regions[0].start;
	flat->bytes = bytes;
}

void flat_check(struct flat *flat, const void *in, const void *out)
{
	check_bytes(flat->dst, out, flat->bytes, "output");
	if (flat->src != flat->dst)
		check_bytes(flat->src, in, flat->bytes, "source");
	request_check_around(&flat->memory);
}
