// SPDX-License-Identifier: GPL-2.0
/*
 * check-sectors CIPHER KEY-FILE VOLUME IMAGE OFFSET SECTOR-SIZE FIRST COUNT
 * check-sectors gcm-position IMAGE OFFSET SECTOR
 *
 * Reads sectors of an open LUKS2 volume, encrypts them with the reference of
 * test/host, and compares the result with the raw image, in which the volume's data begin
 * at OFFSET. CIPHER is cryptsetup's name, one of those in the table below; with
 * sm4-gcm-random, sectors have 512 bytes, and dm-integrity keeps their tags.
 * gcm-position prints the position of a sector's ciphertext in the image. It only
 * reads.
 */
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reference.h"

#define SECTOR 512
#define LONGEST 4096
#define TAG 16
#define IV 12

static void fail(const char *what)
{
	fprintf(stderr, "check-sectors: %s\n", what);
	exit(1);
}

static FILE *open_file(const char *name)
{
	FILE *file = fopen(name, "rb");

	if (!file)
		fail(name);
	return file;
}

static void read_at(FILE *file, uint64_t position, void *bytes, size_t length)
{
	if (fseek(file, position, SEEK_SET) ||
	    fread(bytes, 1, length, file) != length)
		fail("a file is too short");
}

/*
 * The places of the tags and the data of dm-integrity's first run of sectors,
 * in sectors from the start of the volume.
 */
struct layout {
	uint64_t tags, data;
	/* Number of consecutive sectors of data there */
	uint64_t run;
};

/*
 * From dm-integrity's superblock: eight sectors of superblock, the journal,
 * then runs of tags and data in turn. A section of the journal has eight
 * sectors of entries and a data sector for each entry; an entry is 16 bytes and
 * the tag, rounded up to 8; a sector contains as many as fit into 504 bytes.
 */
static struct layout read_layout(FILE *image, uint64_t offset)
{
	struct {
		uint8_t magic[8], version, log2_interleave;
		uint16_t tag_size;
		uint32_t journal_sections;
		uint64_t sectors;
		uint32_t flags;
		uint8_t log2_sectors_per_block;
	} __attribute__((packed)) superblock;
	struct layout layout;

	read_at(image, offset, &superblock, sizeof(superblock));
	if (memcmp(superblock.magic, "integrt", 8))
		fail("no superblock of dm-integrity there");
	if (le16toh(superblock.tag_size) != TAG + IV ||
	    superblock.log2_sectors_per_block)
		fail("not 512-byte sectors with a tag of 16 and an IV of 12 bytes each");

	uint64_t entry = (16 + TAG + IV + 7) / 8 * 8;
	uint64_t section = (504 / entry + 1) * 8;

	layout.tags = 8 + section * le32toh(superblock.journal_sections);
	layout.run = 1ull << superblock.log2_interleave;
	layout.data =
		layout.tags + (layout.run * (TAG + IV) + SECTOR - 1) / SECTOR;
	return layout;
}

/* A sector of the volume, and its ciphertext and tag in the image */
struct sector {
	uint64_t number;
	size_t bytes;
	const uint8_t *key;
	uint8_t text[LONGEST], ciphertext[LONGEST], tag_and_iv[TAG + IV];
};

/* plain64: the IV is the number of the sector, always in units of 512 bytes. */
static void check_xts(const char *algorithm, const struct sector *sector)
{
	uint64_t iv[2] = { htole64(sector->number * (sector->bytes / SECTOR)) };
	uint8_t expected[LONGEST];

	gcrypt_skcipher(find_mode(algorithm), sector->key,
			(const uint8_t *)iv, expected, sector->text,
			sector->bytes);
	if (memcmp(sector->ciphertext, expected, sector->bytes))
		fail("a sector is encrypted in another way");
}

/* dm-crypt: the AAD is the number of the sector and the IV. */
static void check_gcm(const char *algorithm, const struct sector *sector)
{
	uint64_t number = htole64(sector->number);
	uint8_t expected[LONGEST + TAG], aad[sizeof(number) + IV];
	const uint8_t *iv = sector->tag_and_iv + TAG;
	struct aead_message message = {
		.aad = aad, .aad_bytes = sizeof(aad),
		.text = sector->text, .text_bytes = sector->bytes,
		.key_bytes = BLOCK, .tag_bytes = TAG,
	};

	memcpy(message.key, sector->key, BLOCK);
	memcpy(message.iv, iv, IV);
	memcpy(aad, &number, sizeof(number));
	memcpy(aad + sizeof(number), iv, IV);
	gcrypt_aead(find_mode(algorithm), &message, expected);
	if (memcmp(sector->ciphertext, expected, sector->bytes) ||
	    memcmp(sector->tag_and_iv, expected + sector->bytes, TAG))
		fail("a sector is encrypted in another way");
}

static const struct cipher {
	const char *name, *algorithm;
	void (*check)(const char *algorithm, const struct sector *sector);
} ciphers[] = {
	{ "sm4-xts-plain64", "xts(sm4)", check_xts },
	{ "capi:gbt17964(xts(sm4))-plain64", "gbt17964(xts(sm4))", check_xts },
	{ "sm4-gcm-random", "gcm(sm4)", check_gcm },
	{ NULL }
};

static void read_sector(struct sector *sector, const struct cipher *cipher,
			FILE *volume, FILE *image, uint64_t offset)
{
	uint64_t position = sector->number * sector->bytes;

	read_at(volume, position, sector->text, sector->bytes);
	if (cipher->check == check_gcm) {
		struct layout layout = read_layout(image, offset);

		if (sector->number >= layout.run || sector->bytes != SECTOR)
			fail("the sector lies beyond the first run of data, or is long");
		read_at(image, offset + layout.tags * SECTOR +
			sector->number * sizeof(sector->tag_and_iv),
			sector->tag_and_iv, sizeof(sector->tag_and_iv));
		position += layout.data * SECTOR;
	}
	read_at(image, offset + position, sector->ciphertext, sector->bytes);
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
	const struct cipher *cipher = ciphers;
	uint8_t key[2 * BLOCK];

	if (argc == 5 && !strcmp(argv[1], "gcm-position")) {
		uint64_t offset = number(argv[3]);
		struct layout layout = read_layout(open_file(argv[2]), offset);

		printf("%llu\n", (unsigned long long)
		       (offset + (layout.data + number(argv[4])) * SECTOR));
		return 0;
	}
	while (argc == 9 && cipher->name && strcmp(argv[1], cipher->name))
		cipher++;
	if (argc != 9 || !cipher->name)
		fail("usage: check-sectors CIPHER KEY-FILE VOLUME IMAGE OFFSET "
		     "SECTOR-SIZE FIRST COUNT | gcm-position IMAGE OFFSET SECTOR");

	FILE *volume = open_file(argv[3]), *image = open_file(argv[4]);
	struct sector sector = {
		.number = number(argv[7]), .bytes = number(argv[6]), .key = key,
	};

	if (sector.bytes > LONGEST)
		fail("no sector is so long");
	read_at(open_file(argv[2]), 0, key,
		cipher->check == check_gcm ? BLOCK : 2 * BLOCK);
	for (uint64_t left = number(argv[8]); left; left--, sector.number++) {
		read_sector(&sector, cipher, volume, image, number(argv[5]));
		cipher->check(cipher->algorithm, &sector);
	}
	return 0;
}
