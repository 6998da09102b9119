// SPDX-License-Identifier: GPL-2.0
/*
 * decrypt-esp ALGORITHM KEY ICV-BYTES [HIGH] <CAPTURE
 *
 * Reads a capture of an Ethernet (pcap, as tcpdump writes it), with only
 * packets of ESP in IPv4 by one security association. Checks and decrypts them
 * with the reference of test/host, and writes their content to standard output, and
 * their number to standard error: the results of another implementation of RFC 4106,
 * RFC 4309 and GM/T 0022. ALGORITHM is the one that ESP requests from the kernel,
 * such as rfc4106(gcm(sm4)). KEY is in hex, in the kernel's format: with the salt
 * after it, or with the MAC's key before it. With HIGH, sequence numbers are
 * extended, and HIGH is the upper half of all. Exits with 1 if there is no
 * packet or one is wrong.
 */
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reference.h"

#define ETHERNET 14
#define ESP_HEADER 8
#define LONGEST 65536

struct association {
	const struct mode *mode;
	struct aead_message message;
	bool extended;
	uint32_t high;
};

static void fail(const char *what)
{
	fprintf(stderr, "decrypt-esp: %s\n", what);
	exit(1);
}

/* SPI and sequence number, extended or not, and the IV; returns their length. */
static size_t associated_data(struct association *sa, const uint8_t *packet,
			      uint8_t *aad)
{
	const uint32_t high = htobe32(sa->high);
	size_t bytes = ESP_HEADER;

	memcpy(aad, packet, ESP_HEADER);
	if (sa->extended) {
		memcpy(aad + 4, &high, sizeof(high));
		memcpy(aad + 8, packet + 4, 4);
		bytes += 4;
	}
	memcpy(aad + bytes, packet + ESP_HEADER, sa->mode->iv_bytes);
	return bytes + sa->mode->iv_bytes;
}

static void decrypt(struct association *sa, uint8_t *packet, size_t length)
{
	size_t before = ESP_HEADER + sa->mode->iv_bytes, padding;
	uint8_t aad[ESP_HEADER + 4 + BLOCK], *data = packet + before;

	if (length < before + 2 + sa->message.tag_bytes)
		fail("a packet is too short");
	length -= before + sa->message.tag_bytes;
	sa->message.text_bytes = length;
	sa->message.aad = aad;
	sa->message.aad_bytes = associated_data(sa, packet, aad);
	memcpy(sa->message.iv, packet + ESP_HEADER, sa->mode->iv_bytes);
	if (!gcrypt_decrypt_aead(sa->mode, &sa->message, data))
		fail("the ICV is wrong");

	/* RFC 4303: the padding is 1, 2, 3, ..., its length and the protocol. */
	padding = data[length - 2];
	if (padding + 2 > length)
		fail("there is more padding than packet");
	length -= 2 + padding;
	for (size_t i = 0; i < padding; i++)
		if (data[length + i] != i + 1)
			fail("the padding is wrong");
	fwrite(data, 1, length, stdout);
}

/* The beginning of ESP in a frame, and its length */
static uint8_t *find_esp(uint8_t *frame, size_t frame_bytes, size_t *length)
{
	uint8_t *ip = frame + ETHERNET;
	size_t header = (ip[0] & 15) * 4, whole = ip[2] << 8 | ip[3];

	if (whole < header + ESP_HEADER || ETHERNET + whole > frame_bytes)
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
		decrypt(sa, esp, length);
		count++;
	}
	return count;
}

/* The reference does not need the head of authenc's key. */
static void read_key(struct association *sa, const char *hex)
{
	uint8_t *key = sa->message.key;
	size_t begin = is_authenc(sa->mode) ? AUTHENC_KEY_HEAD : 0;
	size_t length = strlen(hex) / 2;

	if (sa->mode->key_bytes ? length != sa->mode->key_bytes :
				  length < BLOCK || begin + length > AEAD_KEY_MAX)
		fail("the key has another length than it should");
	for (size_t i = 0; i < length; i++)
		if (sscanf(hex + 2 * i, "%2hhx", key + begin + i) != 1)
			fail("the key is not in hex");
	sa->message.key_bytes = begin + length;
}

int main(int argc, char **argv)
{
	struct association sa = { 0 };
	unsigned int count;

	if (argc != 4 && argc != 5)
		fail("usage: decrypt-esp ALGORITHM KEY ICV-BYTES [HIGH] <CAPTURE");
	sa.mode = find_mode(argv[1]);
	read_key(&sa, argv[2]);
	sa.message.tag_bytes = strtoul(argv[3], NULL, 10);
	if (argc == 5) {
		sa.extended = true;
		sa.high = strtoul(argv[4], NULL, 10);
	}
	count = decrypt_capture(&sa);
	fprintf(stderr, "%u packets\n", count);
	return !count;
}
