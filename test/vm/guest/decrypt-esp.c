// SPDX-License-Identifier: GPL-2.0
/*
 * decrypt-esp gcm|ccm KEY ICV-BYTES SPI [HIGH] <CAPTURE
 *
 * Reads packets of ESP from a capture of an Ethernet (pcap, as tcpdump writes
 * it), checks and decrypts those with this SPI by libgcrypt, and writes what
 * they carry to standard output, and how many there were to standard error: what
 * another implementation of RFC 4106 and RFC 4309 makes of them. KEY is in hex,
 * with the salt; SPI in decimal. With HIGH, sequence numbers are extended ones,
 * and HIGH is the upper half of the first. Exits with 1 if there is no such
 * packet or one is wrong.
 */
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libgcrypt.h"

#define KEY 16
#define IV 8
#define ETHERNET 14
#define ESP_HEADER 8
#define PROTOCOL_ESP 50
#define LONGEST 65536

struct association {
	int mode;
	uint8_t key[KEY], salt[4];
	size_t salt_bytes, icv_bytes;
	uint32_t spi;
	bool extended;
	/* Of the packet before */
	uint32_t high, low;
};

static void fail(const char *what)
{
	fprintf(stderr, "decrypt-esp: %s\n", what);
	exit(1);
}

static uint32_t read_be32(const uint8_t *bytes)
{
	uint32_t number;

	memcpy(&number, bytes, sizeof(number));
	return be32toh(number);
}

static void write_be32(uint8_t *bytes, uint32_t number)
{
	number = htobe32(number);
	memcpy(bytes, &number, sizeof(number));
}

/* SPI and sequence number, extended or not; returns their length. */
static size_t associated_data(struct association *sa, const uint8_t *header,
			      uint8_t *aad)
{
	uint32_t low = read_be32(header + 4);

	memcpy(aad, header, ESP_HEADER);
	if (!sa->extended)
		return ESP_HEADER;
	if (low < sa->low)
		sa->high++;
	sa->low = low;
	write_be32(aad + 4, sa->high);
	write_be32(aad + 8, low);
	return ESP_HEADER + 4;
}

static void decrypt(struct association *sa, uint8_t *packet, size_t length)
{
	uint8_t nonce[sizeof(sa->salt) + IV], aad[ESP_HEADER + 4];
	uint8_t *data = packet + ESP_HEADER + IV;
	size_t aad_bytes = associated_data(sa, packet, aad);
	gcry_cipher_hd_t cipher;

	if (length < ESP_HEADER + IV + sa->icv_bytes + 2)
		fail("a packet is too short");
	length -= ESP_HEADER + IV + sa->icv_bytes;
	memcpy(nonce, sa->salt, sa->salt_bytes);
	memcpy(nonce + sa->salt_bytes, packet + ESP_HEADER, IV);

	cipher = open_aead(sa->mode, sa->key, nonce, sa->salt_bytes + IV, aad,
			   aad_bytes, length, sa->icv_bytes);
	must(gcry_cipher_decrypt(cipher, data, length, NULL, 0));
	must(gcry_cipher_checktag(cipher, data + length, sa->icv_bytes));
	gcry_cipher_close(cipher);

	/* RFC 4303: the padding is 1, 2, 3, ..., its length and the protocol. */
	size_t padding = data[length - 2];

	if (padding + 2 > length)
		fail("there is more padding than packet");
	length -= 2 + padding;
	for (size_t i = 0; i < padding; i++)
		if (data[length + i] != i + 1)
			fail("the padding is wrong");
	fwrite(data, 1, length, stdout);
}

/* Where ESP begins in a frame, and its length, if that is what it carries */
static uint8_t *find_esp(uint8_t *frame, size_t frame_bytes, size_t *length)
{
	uint8_t *ip = frame + ETHERNET;
	size_t header, whole;
	uint8_t protocol;

	if (frame_bytes < ETHERNET + 40)
		return NULL;
	if (frame[12] == 0x08 && frame[13] == 0x00) {
		header = (ip[0] & 15) * 4;
		whole = ip[2] << 8 | ip[3];
		protocol = ip[9];
	} else if (frame[12] == 0x86 && frame[13] == 0xdd) {
		header = 40;
		whole = header + (ip[4] << 8 | ip[5]);
		protocol = ip[6];
	} else {
		return NULL;
	}
	if (protocol != PROTOCOL_ESP)
		return NULL;
	if (whole < header + ESP_HEADER || whole > frame_bytes - ETHERNET)
		fail("a packet is not all there");
	*length = whole - header;
	return ip + header;
}

static unsigned int decrypt_capture(struct association *sa)
{
	struct {
		uint32_t magic, version, zone, accuracy, longest, link;
	} file;
	struct {
		uint32_t seconds, microseconds, captured, length;
	} record;
	static uint8_t frame[LONGEST];
	unsigned int count = 0;

	if (fread(&file, sizeof(file), 1, stdin) != 1 ||
	    file.magic != 0xa1b2c3d4 || file.link != 1)
		fail("no capture of an Ethernet");
	while (fread(&record, sizeof(record), 1, stdin) == 1) {
		uint8_t *esp;
		size_t length;

		if (record.captured != record.length || record.length > LONGEST)
			fail("a frame is not all there");
		if (fread(frame, 1, record.length, stdin) != record.length)
			fail("the capture is cut off");
		esp = find_esp(frame, record.length, &length);
		if (esp && read_be32(esp) == sa->spi) {
			decrypt(sa, esp, length);
			count++;
		}
	}
	return count;
}

static void read_key(struct association *sa, const char *hex)
{
	uint8_t bytes[KEY + sizeof(sa->salt)];
	size_t length = KEY + sa->salt_bytes;

	if (strlen(hex) != 2 * length)
		fail("the key has another length than key and salt have");
	for (size_t i = 0; i < length; i++)
		if (sscanf(hex + 2 * i, "%2hhx", bytes + i) != 1)
			fail("the key is not in hex");
	memcpy(sa->key, bytes, KEY);
	memcpy(sa->salt, bytes + KEY, sa->salt_bytes);
}

int main(int argc, char **argv)
{
	struct association sa = { 0 };
	unsigned int count;

	if (argc != 5 && argc != 6)
		fail("usage: decrypt-esp gcm|ccm KEY ICV-BYTES SPI [HIGH] <CAPTURE");
	start_libgcrypt();

	if (!strcmp(argv[1], "gcm")) {
		sa.mode = GCRY_CIPHER_MODE_GCM;
		sa.salt_bytes = 4;
	} else if (!strcmp(argv[1], "ccm")) {
		sa.mode = GCRY_CIPHER_MODE_CCM;
		sa.salt_bytes = 3;
	} else {
		fail("there are gcm and ccm");
	}
	read_key(&sa, argv[2]);
	sa.icv_bytes = strtoul(argv[3], NULL, 10);
	sa.spi = strtoul(argv[4], NULL, 10);
	if (argc == 6) {
		sa.extended = true;
		sa.high = strtoul(argv[5], NULL, 10);
	}
	count = decrypt_capture(&sa);
	fprintf(stderr, "%u packets\n", count);
	return !count;
}
