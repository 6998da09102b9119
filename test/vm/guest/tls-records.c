// SPDX-License-Identifier: GPL-2.0
/*
 * tls-records
 *
 * The kernel's TLS 1.3 (kTLS) with SM4-GCM and SM4-CCM beside libgcrypt, as TAP:
 * what sendfile() sends is read from the socket as it is on the wire, and each
 * record is decrypted by libgcrypt; records that libgcrypt has encrypted are
 * written to a socket, and the kernel decrypts them. How programs use sockets with
 * TLS is for the kernel's own selftest to try.
 *
 * A record is, by RFC 8446, section 5.2: five bytes of header, which are the
 * associated data; the ciphertext of content, content type and zeros; the tag.
 * The nonce is the IV XOR the number of the record.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <linux/tls.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>
#include "reference.h"

#define HEADER		5
#define TAG		16
#define NONCE		12
#define CONTENT		16384
#define RECORD		(HEADER + CONTENT + 1 + TAG)
#define APPLICATION_DATA	23
#define FILE_BYTES	(20 * CONTENT + 4321)
/* So that the number's lower half runs over after some records */
#define FIRST_RECORD	0xfffffffaULL

static const struct cipher {
	const char *name;
	int kernel;
	const char *algorithm;
} ciphers[] = {
	{ "SM4-GCM", TLS_CIPHER_SM4_GCM, "gcm(sm4)" },
	{ "SM4-CCM", TLS_CIPHER_SM4_CCM, "ccm(sm4)" },
};

static uint8_t key[TLS_CIPHER_SM4_GCM_KEY_SIZE], iv[NONCE];
static uint8_t content[FILE_BYTES], received[FILE_BYTES];
static unsigned int tests;

static void check(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! %s: %m\n", what);
	exit(EXIT_FAILURE);
}

static void result(bool good, const struct cipher *cipher, const char *what)
{
	printf("%sok %u - %s: %s\n", good ? "" : "not ", ++tests, cipher->name,
	       what);
	fflush(stdout);
}

/* Two ends of a TCP connection */
static void connect_both(int ends[2])
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check(!bind(listener, (struct sockaddr *)&address, length) &&
	      !listen(listener, 1) &&
	      !getsockname(listener, (struct sockaddr *)&address, &length),
	      "listen");
	ends[0] = socket(AF_INET, SOCK_STREAM, 0);
	check(!connect(ends[0], (struct sockaddr *)&address, length), "connect");
	ends[1] = accept(listener, NULL, NULL);
	check(ends[1] >= 0, "accept");
	close(listener);
}

static void close_both(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

/* From here on, the kernel encrypts (TLS_TX) or decrypts (TLS_RX). */
static void use_tls(int socket, int direction, const struct cipher *cipher)
{
	/* The structure for CCM has the same members. */
	struct tls12_crypto_info_sm4_gcm info = {
		.info.version = TLS_1_3_VERSION,
		.info.cipher_type = cipher->kernel,
	};
	uint64_t number = htobe64(FIRST_RECORD);

	memcpy(info.key, key, sizeof(key));
	memcpy(info.salt, iv, sizeof(info.salt));
	memcpy(info.iv, iv + sizeof(info.salt), sizeof(info.iv));
	memcpy(info.rec_seq, &number, sizeof(number));
	check(!setsockopt(socket, SOL_TCP, TCP_ULP, "tls", sizeof("tls")),
	      "TCP_ULP");
	check(!setsockopt(socket, SOL_TLS, direction, &info, sizeof(info)),
	      cipher->name);
}

/* The record with this number, length of text, and header and text @record */
static struct aead_message message_of(const struct mode *mode,
				      unsigned int number, size_t bytes,
				      const uint8_t *record)
{
	struct aead_message message = {
		.aad = record, .aad_bytes = HEADER,
		.text = record + HEADER, .text_bytes = bytes,
		.key_bytes = sizeof(key), .tag_bytes = TAG,
	};
	uint8_t *nonce = message.iv;
	uint64_t low;

	/* The IV begins with the length, less one, of CCM's counter. */
	if (is_ccm(mode))
		*nonce++ = BLOCK - 1 - NONCE - 1;
	memcpy(message.key, key, sizeof(key));
	memcpy(nonce, iv, NONCE);
	memcpy(&low, nonce + 4, sizeof(low));
	low ^= htobe64(FIRST_RECORD + number);
	memcpy(nonce + 4, &low, sizeof(low));
	return message;
}

/* Decrypts a record in place; returns the length of its content, or -1. */
static ssize_t decrypt(const struct cipher *cipher, unsigned int number,
		       uint8_t *record, size_t length)
{
	const struct mode *mode = find_mode(cipher->algorithm);
	uint8_t *text = record + HEADER;
	size_t bytes = length - HEADER - TAG;
	struct aead_message message = message_of(mode, number, bytes, record);

	if (!gcrypt_decrypt_aead(mode, &message, text))
		return -1;
	while (bytes && !text[bytes - 1])
		bytes--;
	if (!bytes || text[bytes - 1] != APPLICATION_DATA)
		return -1;
	return bytes - 1;
}

/* Makes a record of this content and so many zeros; returns its length. */
static size_t encrypt(const struct cipher *cipher, unsigned int number,
		      const uint8_t *from, size_t length, size_t zeros,
		      uint8_t *record)
{
	const struct mode *mode = find_mode(cipher->algorithm);
	size_t bytes = length + 1 + zeros;
	struct aead_message message = message_of(mode, number, bytes, record);

	record[0] = APPLICATION_DATA;
	record[1] = 3;
	record[2] = 3;
	record[3] = (bytes + TAG) >> 8;
	record[4] = (bytes + TAG) & 0xff;
	memcpy(record + HEADER, from, length);
	record[HEADER + length] = APPLICATION_DATA;
	memset(record + HEADER + length + 1, 0, zeros);
	gcrypt_aead(mode, &message, record + HEADER);
	return HEADER + bytes + TAG;
}

static void read_whole(int socket, void *buffer, size_t length)
{
	check(recv(socket, buffer, length, MSG_WAITALL) == (ssize_t)length,
	      "recv");
}

/* A process that sends the file by sendfile() and ends */
static void send_file(int socket)
{
	FILE *file = tmpfile();
	off_t offset = 0;

	check(file && fwrite(content, FILE_BYTES, 1, file) == 1 && !fflush(file),
	      "a file");
	if (!fork()) {
		while (offset < FILE_BYTES)
			check(sendfile(socket, fileno(file), &offset,
				       FILE_BYTES - offset) > 0, "sendfile");
		_exit(0);
	}
	fclose(file);
}

static void sent_records(const struct cipher *cipher)
{
	uint8_t record[RECORD];
	size_t have = 0;
	unsigned int number;
	ssize_t bytes = 0;
	int ends[2];

	connect_both(ends);
	use_tls(ends[0], TLS_TX, cipher);
	send_file(ends[0]);
	for (number = 0; have < FILE_BYTES; number++, have += bytes) {
		size_t length;

		read_whole(ends[1], record, HEADER);
		length = record[3] << 8 | record[4];
		if (record[0] != APPLICATION_DATA || length < 1 + TAG ||
		    HEADER + length > RECORD)
			break;
		read_whole(ends[1], record + HEADER, length);
		bytes = decrypt(cipher, number, record, HEADER + length);
		if (bytes < 0 || have + bytes > FILE_BYTES ||
		    memcmp(record + HEADER, content + have, bytes))
			break;
	}
	printf("# %u records\n", number);
	result(have == FILE_BYTES, cipher,
	       "libgcrypt decrypts each record of a file that sendfile sent");
	close_both(ends);
}

static void received_records(const struct cipher *cipher)
{
	static const struct {
		size_t bytes, zeros;
	} records[] = {
		{ 1, 0 }, { 15, 0 }, { 16, 0 }, { 17, 3 }, { 1000, 0 },
		{ 1420, 100 }, { 4096, 0 }, { 5000, 1 }, { CONTENT, 0 },
		{ CONTENT - 7, 7 },
	};
	size_t have = 0;
	int ends[2];

	connect_both(ends);
	use_tls(ends[1], TLS_RX, cipher);
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		uint8_t record[RECORD];
		size_t length = encrypt(cipher, i, content + have,
					records[i].bytes, records[i].zeros,
					record);

		check(send(ends[0], record, length, 0) == (ssize_t)length,
		      "send");
		read_whole(ends[1], received + have, records[i].bytes);
		have += records[i].bytes;
	}
	result(!memcmp(content, received, have), cipher,
	       "the kernel decrypts records of libgcrypt, padded ones, too");
	close_both(ends);
}

int main(void)
{
	check(!getentropy(key, sizeof(key)) && !getentropy(iv, sizeof(iv)),
	      "getentropy");
	for (size_t i = 0; i < FILE_BYTES; i++)
		content[i] = rand() >> 7;
	for (const struct cipher *cipher = ciphers; cipher < ciphers + 2;
	     cipher++) {
		sent_records(cipher);
		received_records(cipher);
	}
	printf("1..%u\n", tests);
	return EXIT_SUCCESS;
}
