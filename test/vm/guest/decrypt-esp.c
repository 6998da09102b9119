// SPDX-License-Identifier: GPL-2.0
/*
 * decrypt-esp gcm|ccm|cbc-sm3 KEY ICV-BYTES SPI [HIGH] <CAPTURE
 *
 * Reads packets of ESP from a capture of an Ethernet (pcap, as tcpdump writes
 * it), checks and decrypts those with this SPI by libgcrypt, and writes what
 * they carry to standard output, and how many there were to standard error: what
 * another implementation of RFC 4106 and RFC 4309 makes of them, and of GM/T 0022,
 * which has CBC and HMAC-SM3. KEY is in hex, with the salt or with the 32 bytes of
 * the MAC's; SPI in decimal. With HIGH, sequence numbers are extended ones,
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
#define IV_MOST 16
#define SALT_MOST 4
#define MAC_KEY 32
#define ETHERNET 14
#define ESP_HEADER 8
#define PROTOCOL_ESP 50
#define LONGEST 65536

/* @more is what follows SM4's key: the salt, or the key of the MAC */
struct association {
	int mode;
	uint8_t key[KEY], more[MAC_KEY];
	size_t more_bytes, iv_bytes, icv_bytes;
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

/* RFC 4106, RFC 4309: @length bytes behind the IV, and the ICV behind these */
static void open_masked(struct association *sa, uint8_t *packet, size_t length)
{
	uint8_t nonce[SALT_MOST + IV_MOST], aad[ESP_HEADER + 4];
	uint8_t *data = packet + ESP_HEADER + sa->iv_bytes;
	size_t aad_bytes = associated_data(sa, packet, aad);
	gcry_cipher_hd_t cipher;

	memcpy(nonce, sa->more, sa->more_bytes);
	memcpy(nonce + sa->more_bytes, packet + ESP_HEADER, sa->iv_bytes);

	cipher = open_aead(sa->mode, sa->key, nonce, sa->more_bytes + sa->iv_bytes,
			   aad, aad_bytes, length, sa->icv_bytes);
	must(gcry_cipher_decrypt(cipher, data, length, NULL, 0));
	must(gcry_cipher_checktag(cipher, data + length, sa->icv_bytes));
	gcry_cipher_close(cipher);
}

/*
 * RFC 4303, section 3.3.2.1: the MAC is over the whole packet but for itself, and
 * the upper half of an extended sequence number comes behind that.
 */
static void open_cbc(struct association *sa, uint8_t *packet, size_t length)
{
	uint8_t aad[ESP_HEADER + 4];
	uint8_t *data = packet + ESP_HEADER + sa->iv_bytes;
	gcry_cipher_hd_t cipher;
	gcry_mac_hd_t mac;

	associated_data(sa, packet, aad);
	must(gcry_mac_open(&mac, GCRY_MAC_HMAC_SM3, 0, NULL));
	must(gcry_mac_setkey(mac, sa->more, sa->more_bytes));
	must(gcry_mac_write(mac, packet, ESP_HEADER + sa->iv_bytes + length));
	if (sa->extended)
		must(gcry_mac_write(mac, aad + 4, 4));
	must(gcry_mac_verify(mac, data + length, sa->icv_bytes));
	gcry_mac_close(mac);

	must(gcry_cipher_open(&cipher, GCRY_CIPHER_SM4, sa->mode, 0));
	must(gcry_cipher_setkey(cipher, sa->key, KEY));
	must(gcry_cipher_setiv(cipher, packet + ESP_HEADER, sa->iv_bytes));
	must(gcry_cipher_decrypt(cipher, data, length, NULL, 0));
	gcry_cipher_close(cipher);
}

static void decrypt(struct association *sa, uint8_t *packet, size_t length)
{
	uint8_t *data = packet + ESP_HEADER + sa->iv_bytes;

	if (length < ESP_HEADER + sa->iv_bytes + sa->icv_bytes + 2)
		fail("a packet is too short");
	length -= ESP_HEADER + sa->iv_bytes + sa->icv_bytes;
	if (sa->mode == GCRY_CIPHER_MODE_CBC)
		open_cbc(sa, packet, length);
	else
		open_masked(sa, packet, length);

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
	uint8_t bytes[KEY + sizeof(sa->more)];
	size_t length = KEY + sa->more_bytes;

	if (strlen(hex) != 2 * length)
		fail("the key has another length than it should");
	for (size_t i = 0; i < length; i++)
		if (sscanf(hex + 2 * i, "%2hhx", bytes + i) != 1)
			fail("the key is not in hex");
	memcpy(sa->key, bytes, KEY);
	memcpy(sa->more, bytes + KEY, sa->more_bytes);
}

int main(int argc, char **argv)
{
	struct association sa = { 0 };
	unsigned int count;

	if (argc != 5 && argc != 6)
		fail("usage: decrypt-esp gcm|ccm|cbc-sm3 KEY ICV-BYTES SPI [HIGH] <CAPTURE");
	start_libgcrypt();

	sa.iv_bytes = 8;
	if (!strcmp(argv[1], "gcm")) {
		sa.mode = GCRY_CIPHER_MODE_GCM;
		sa.more_bytes = 4;
	} else if (!strcmp(argv[1], "ccm")) {
		sa.mode = GCRY_CIPHER_MODE_CCM;
		sa.more_bytes = 3;
	} else if (!strcmp(argv[1], "cbc-sm3")) {
		sa.mode = GCRY_CIPHER_MODE_CBC;
		sa.more_bytes = MAC_KEY;
		sa.iv_bytes = 16;
	} else {
		fail("there are gcm, ccm and cbc-sm3");
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
