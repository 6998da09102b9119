// SPDX-License-Identifier: GPL-2.0
/* The memory of requests (scatter.h): its place, and the watched bytes around it. */
#include <sys/mman.h>
#include "scatter.h"

/* The longest message is 70,000 bytes, with as much associated data and a tag */
#define ARENA_BYTES	(36 * PAGE_SIZE)

/* Number of bytes that are watched on both sides of an entry, and their value */
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

/* The watched bytes before and after an entry, as far as they are in its arena */
static u8 *around_start(const struct scatter *scatter, unsigned int i)
{
	return max(scatter->arena[i].start, scatter->list[i].address - AROUND);
}

static u8 *around_end(const struct scatter *scatter, unsigned int i)
{
	const struct scatterlist *sg = &scatter->list[i];

	return min(scatter->arena[i].start + scatter->arena[i].bytes,
		   sg->address + sg->length + AROUND);
}

static u8 *place_piece(const struct guarded *arena, size_t bytes,
		       enum position position)
{
	size_t room = arena->bytes - bytes;

	switch (position ?: AT_START + random_below(3)) {
	case AT_START:
		return arena->start;
	case AT_END:
		return arena->start + room;
	default:
		return arena->start + random_below(room + 1);
	}
}

/* The length of the next piece, of @bytes that are left: often short */
static size_t piece_length(size_t bytes)
{
	size_t limit = random_below(2) ? min_t(size_t, bytes, 33) : bytes;

	return limit ? 1 + random_below(limit) : 0;
}

static void scatter_begin(struct scatter *scatter)
{
	scatter->pieces = 0;
	sg_init_table(scatter->list, ARRAY_SIZE(scatter->list));
}

/* Append an entry, which is the last one so far. */
static void scatter_append(struct scatter *scatter, size_t bytes,
			   enum position position, bool read_only)
{
	const unsigned int i = scatter->pieces++;
	struct guarded *arena = &scatter->arena[i];

	if (!arena->start)
		*arena = guarded_allocate(ARENA_BYTES);
	sg_set_buf(&scatter->list[i], place_piece(arena, bytes, position), bytes);
	memset(around_start(scatter, i), AROUND_VALUE,
	       around_end(scatter, i) - around_start(scatter, i));
	scatter->read_only[i] = read_only;
	scatter->list[i].is_last = true;
	if (i)
		scatter->list[i - 1].is_last = false;
}

/* Lay out @bytes again, in one piece or in a random number of pieces. */
static void scatter_place(struct scatter *scatter, size_t bytes,
			  const struct placement *placement)
{
	scatter_begin(scatter);
	do {
		size_t length = bytes;

		if (placement->in_pieces && scatter->pieces < SCATTER_PIECES_MAX - 1)
			length = piece_length(bytes);
		scatter_append(scatter, length, placement->position, false);
		bytes -= length;
	} while (bytes);
	scatter->list[scatter->pieces - 1].is_last = random_below(2);
}

struct scatterlist *scatter_none(void)
{
	static struct guarded memory;

	if (!memory.start)
		memory = guarded_allocate(PAGE_SIZE);
	return (void *)(memory.start + memory.bytes);
}

void scatter_place_parts(struct scatter *scatter, const struct part parts[PARTS])
{
	scatter_begin(scatter);
	for (unsigned int i = 0; i < PARTS; i++)
		if (parts[i].bytes)
			scatter_append(scatter, parts[i].bytes, AT_RANDOM,
				       !parts[i].writable);
}

static void set_protection(const struct scatter *scatter, int protection)
{
	for (unsigned int i = 0; i < scatter->pieces; i++) {
		const struct guarded *arena = &scatter->arena[i];

		if (scatter->read_only[i])
			check(!mprotect(arena->start, arena->bytes, protection));
	}
}

void scatter_protect(const struct scatter *scatter)
{
	set_protection(scatter, PROT_READ);
}

void scatter_release(const struct scatter *scatter)
{
	set_protection(scatter, PROT_READ | PROT_WRITE);
}

void scatter_write(struct scatter *scatter, size_t offset, const void *from,
		   size_t bytes)
{
	scatterwalk_map_and_copy((void *)from, scatter->list, offset, bytes, 1);
}

void scatter_check(struct scatter *scatter, size_t offset, const void *expected,
		   size_t bytes, const char *what)
{
	static u8 actual[ARENA_BYTES];

	scatterwalk_map_and_copy(actual, scatter->list, offset, bytes, 0);
	check_bytes(actual, expected, bytes, what);
}

void scatter_check_around(const struct scatter *scatter)
{
	unsigned int i;

	for (i = 0; i < scatter->pieces; i++) {
		const struct scatterlist *sg = &scatter->list[i];
		const u8 *p;

		for (p = around_start(scatter, i); p < around_end(scatter, i);
		     p++) {
			if (p == sg->address)
				p += sg->length;
			if (p < around_end(scatter, i) && *p != AROUND_VALUE)
				fail_case("byte %td written, outside of entry %u of %u bytes",
					  p - sg->address, i, sg->length);
		}
	}
}

void request_place(struct request_memory *memory,
		   const struct placement *placement, size_t source_bytes,
		   size_t destination_bytes)
{
	if (placement->in_place) {
		scatter_place(&memory->source,
			      max(source_bytes, destination_bytes), placement);
		memory->output = &memory->source;
	} else {
		scatter_place(&memory->source, source_bytes, placement);
		scatter_place(&memory->destination, destination_bytes,
			      placement);
		memory->output = &memory->destination;
	}
	memory->src = memory->source.list;
	memory->dst = memory->output->list;
	if (placement->two_lists) {
		memcpy(memory->second_list, memory->dst,
		       sizeof(memory->second_list));
		memory->dst = memory->second_list;
	}
	if (!source_bytes && (memory->src != memory->dst || !destination_bytes))
		memory->src = scatter_none();
	if (!destination_bytes && (memory->src != memory->dst || !source_bytes))
		memory->dst = scatter_none();
}

void flat_place(struct flat *flat, const struct placement *placement,
		const void *in, size_t bytes)
{
	request_place(&flat->memory, placement, bytes, bytes);
	scatter_write(&flat->memory.source, 0, in, bytes);
	flat->src = flat->memory.source.list->address;
	flat->dst = flat->memory.output->list->address;
	flat->bytes = bytes;
}

void flat_check(struct flat *flat, const void *in, const void *out)
{
	check_bytes(flat->dst, out, flat->bytes, "output");
	if (flat->src != flat->dst)
		check_bytes(flat->src, in, flat->bytes, "source");
	scatter_check_around(&flat->memory.source);
	scatter_check_around(flat->memory.output);
}
