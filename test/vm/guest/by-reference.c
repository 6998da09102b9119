// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * by-reference <REQUESTS
 *
 * Answers scripts by the reference of test/host. Each line of the standard input is a
 * request, in hex except for the first and the last word:
 *
 *	ALGORITHM KEY IV AAD TEXT TAG-BYTES
 *
 * Encrypts the text, and for an AEAD prints the tag after it. If TAG-BYTES is negative, it decrypts
 * a text that ends with a tag of so many bytes, and prints "wrong" if that is wrong. "-" stands for
 * no bytes. KEY is in the kernel's format, for authenc without the head.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reference.h"

#define LONGEST 65536

/* The next word of the line as bytes; returns their number. */
static size_t next_bytes(uint8_t *bytes, size_t room)
{
	static const char digits[] = "0123456789abcdef";
	const char *word = strtok(NULL, "\n ");
	size_t n;

	for (n = 0; word && *word && *word != '-'; n++, word += 2) {
		const char *high = strchr(digits, word[0]);
		const char *low = word[1] ? strchr(digits, word[1]) : NULL;

		if (!high || !low || n == room) {
			fprintf(stderr, "by-reference: no hex, or too long\n");
			exit(1);
		}
		bytes[n] = (high - digits) << 4 | (low - digits);
	}
	return n;
}

int main(void)
{
	static uint8_t text[LONGEST], answer[LONGEST + TAG_MAX], aad[64];
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, stdin) > 0) {
		const struct mode *mode = find_mode(strtok(line, " "));
		size_t head = is_authenc(mode) ? KEY_HEAD : 0;
		struct aead_message message = { .text = text, .aad = aad };
		long tag_bytes, length;

		message.key_bytes = head + next_bytes(message.key + head,
						      MAX_KEY - head);
		next_bytes(message.iv, sizeof(message.iv));
		message.aad_bytes = next_bytes(aad, sizeof(aad));
		message.text_bytes = next_bytes(text, sizeof(text));
		tag_bytes = atol(strtok(NULL, "\n "));
		message.tag_bytes = labs(tag_bytes);
		length = message.text_bytes + tag_bytes;
		if (tag_bytes < 0) {
			message.text_bytes = length;
			memcpy(answer, text, sizeof(text));
			if (length < 0 || !gcrypt_decrypt_aead(mode, &message, answer)) {
				puts("wrong");
				continue;
			}
		} else if (mode->kind == AEAD) {
			gcrypt_aead(mode, &message, answer);
		} else {
			gcrypt_skcipher(mode, message.key, message.iv, answer, text,
					message.text_bytes);
		}
		for (long n = 0; n < length; n++)
			printf("%02x", answer[n]);
		putchar('\n');
	}
	return 0;
}
