// SPDX-License-Identifier: GPL-2.0
/*
 * decrypt-sectors xts KEY-FILE IMAGE OFFSET SECTOR-SIZE FIRST COUNT
 * decrypt-sectors gbt17964-xts KEY-FILE IMAGE OFFSET SECTOR-SIZE FIRST COUNT
 * decrypt-sectors has-gbt17964-xts
 * decrypt-sectors gcm KEY-FILE IMAGE OFFSET FIRST COUNT
 * decrypt-sectors gcm-position IMAGE OFFSET SECTOR
 *
 * Reads sectors of a LUKS2 volume from the raw image file, where its data begin
 * at OFFSET, decrypts them with libgcrypt and writes the plaintext to standard
 * output: what a reader without the kernel sees. xts is sm4-xts-plain64; gcm is
 * sm4-gcm-random over dm-integrity, with sectors of 512 bytes, whose tags it
 * checks. gcm-position prints where in the image the ciphertext of a sector
 * lies. gbt17964-xts is gbt17964(xts(sm4)) with plain64, which OpenSSL decrypts;
 * has-gbt17964-xts fails if this OpenSSL cannot. It only reads.
 */
#include <endian.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libgcrypt.h"

#define SECTOR 512
#define TAG 16
#define IV 12

static void fail(const char *what)
{
	fprintf(stderr, "decrypt-sectors: %s\n", what);
	exit(1);
}

static void read_at(FILE *image, uint64_t position, void *bytes, size_t length)
{
	if (fseek(image, position, SEEK_SET) ||
	    fread(bytes, 1, length, image) != length)
		fail("the image is too short");
}

static void read_key(const char *key_file, uint8_t key[32], size_t key_length)
{
	FILE *file = fopen(key_file, "rb");

	if (!file || fread(key, 1, 32, file) != key_length)
		fail("the key file has not as many bytes as the mode asks for");
	fclose(file);
}

static gcry_cipher_hd_t open_cipher(int mode, const char *key_file,
				    size_t key_length)
{
	uint8_t key[32];
	gcry_cipher_hd_t cipher;

	read_key(key_file, key, key_length);
	must(gcry_cipher_open(&cipher, GCRY_CIPHER_SM4, mode, 0));
	must(gcry_cipher_setkey(cipher, key, key_length));
	return cipher;
}

/* A library's way to decrypt one sector of XTS where it is */
typedef void decrypt_function(const void *key, const uint8_t iv[16],
			      uint8_t *data, size_t length);

static void decrypt_with_libgcrypt(const void *cipher, const uint8_t iv[16],
				   uint8_t *data, size_t length)
{
	gcry_cipher_hd_t handle = (gcry_cipher_hd_t)cipher;

	must(gcry_cipher_setiv(handle, iv, 16));
	must(gcry_cipher_decrypt(handle, data, length, NULL, 0));
}

/* Its SM4-XTS is that of GB/T 17964 unless set otherwise. */
static void decrypt_with_openssl(const void *key, const uint8_t iv[16],
				 uint8_t *data, size_t length)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "SM4-XTS", NULL);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int written;

	if (!EVP_DecryptInit_ex2(context, cipher, key, iv, NULL) ||
	    !EVP_DecryptUpdate(context, data, &written, data, length))
		fail("OpenSSL does not decrypt");
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
}

static bool has_gbt17964_xts(void)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "SM4-XTS", NULL);
	bool has = cipher;

	EVP_CIPHER_free(cipher);
	return has;
}

/* plain64: the IV is the number of the sector, always in units of 512 bytes. */
static void decrypt_xts(decrypt_function *decrypt, const void *key, FILE *image,
			uint64_t offset, size_t sector_size, uint64_t sector)
{
	uint64_t iv[2] = { htole64(sector * (sector_size / SECTOR)) };
	uint8_t data[4096];

	read_at(image, offset + sector * sector_size, data, sector_size);
	decrypt(key, (const uint8_t *)iv, data, sector_size);
	fwrite(data, 1, sector_size, stdout);
}

/*
 * Where dm-integrity keeps the tags and the data of the first run of sectors,
 * in sectors from the start of the volume.
 */
struct layout {
	uint64_t tags, data;
	/* How many sectors of data follow each other there. */
	uint64_t run;
};

/*
 * From dm-integrity's superblock: eight sectors of superblock, the journal,
 * then runs of tags and data in turn. A section of the journal has eight
 * sectors of entries and a data sector for each entry; an entry is 16 bytes and
 * the tag, rounded up to 8; a sector holds as many as fit into 504 bytes.
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

/*
 * dm-crypt: tag, then IV, for each sector; the AAD is the number of the sector
 * and the IV.
 */
static void decrypt_gcm(gcry_cipher_hd_t cipher, FILE *image, uint64_t offset,
			uint64_t sector)
{
	struct layout layout = read_layout(image, offset);
	uint8_t tag_and_iv[TAG + IV], data[SECTOR];
	uint64_t number = htole64(sector);

	if (sector >= layout.run)
		fail("the sector lies beyond the first run of data");
	read_at(image,
		offset + layout.tags * SECTOR + sector * sizeof(tag_and_iv),
		tag_and_iv, sizeof(tag_and_iv));
	read_at(image, offset + (layout.data + sector) * SECTOR, data, SECTOR);
	must(gcry_cipher_setiv(cipher, tag_and_iv + TAG, IV));
	must(gcry_cipher_authenticate(cipher, &number, sizeof(number)));
	must(gcry_cipher_authenticate(cipher, tag_and_iv + TAG, IV));
	must(gcry_cipher_decrypt(cipher, data, SECTOR, NULL, 0));
	must(gcry_cipher_checktag(cipher, tag_and_iv, TAG));
	fwrite(data, 1, SECTOR, stdout);
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 10);
}

static FILE *open_image(const char *name)
{
	FILE *image = fopen(name, "rb");

	if (!image)
		fail("cannot open the image");
	return image;
}

int main(int argc, char **argv)
{
	start_libgcrypt();

	if (argc == 8 && (!strcmp(argv[1], "xts") ||
			  !strcmp(argv[1], "gbt17964-xts"))) {
		decrypt_function *decrypt = decrypt_with_openssl;
		FILE *image = open_image(argv[3]);
		uint64_t first = number(argv[6]);
		uint8_t raw_key[32];
		const void *key = raw_key;

		read_key(argv[2], raw_key, sizeof(raw_key));
		if (!strcmp(argv[1], "xts")) {
			decrypt = decrypt_with_libgcrypt;
			key = open_cipher(GCRY_CIPHER_MODE_XTS, argv[2], 32);
		}
		for (uint64_t sector = first; sector < first + number(argv[7]);
		     sector++)
			decrypt_xts(decrypt, key, image, number(argv[4]),
				    number(argv[5]), sector);
	} else if (argc == 2 && !strcmp(argv[1], "has-gbt17964-xts")) {
		return !has_gbt17964_xts();
	} else if (argc == 7 && !strcmp(argv[1], "gcm")) {
		gcry_cipher_hd_t cipher =
			open_cipher(GCRY_CIPHER_MODE_GCM, argv[2], 16);
		FILE *image = open_image(argv[3]);
		uint64_t first = number(argv[5]);

		for (uint64_t sector = first; sector < first + number(argv[6]);
		     sector++)
			decrypt_gcm(cipher, image, number(argv[4]), sector);
	} else if (argc == 5 && !strcmp(argv[1], "gcm-position")) {
		struct layout layout =
			read_layout(open_image(argv[2]), number(argv[3]));

		printf("%llu\n",
		       (unsigned long long)(number(argv[3]) +
					    (layout.data + number(argv[4])) *
						    SECTOR));
	} else {
		fail("usage: decrypt-sectors xts KEY-FILE IMAGE OFFSET SECTOR-SIZE FIRST COUNT\n"
		     "       decrypt-sectors gbt17964-xts KEY-FILE IMAGE OFFSET SECTOR-SIZE FIRST COUNT\n"
		     "       decrypt-sectors has-gbt17964-xts\n"
		     "       decrypt-sectors gcm KEY-FILE IMAGE OFFSET FIRST COUNT\n"
		     "       decrypt-sectors gcm-position IMAGE OFFSET SECTOR");
	}
	return 0;
}
