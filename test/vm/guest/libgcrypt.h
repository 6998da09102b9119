/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SM4 by libgcrypt, for the programs that compare the kernel's answers with its.
 */
#include <gcrypt.h>
#include <stdint.h>

/* Each program's own: says what is wrong and ends it. */
static void fail(const char *what);

static inline void must(gcry_error_t error)
{
	if (error)
		fail(gcry_strerror(error));
}

/* Before anything else of it */
static inline void start_libgcrypt(void)
{
	gcry_check_version(NULL);
	gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
	gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

/*
 * SM4 in GCRY_CIPHER_MODE_GCM or CCM with a key of 16 bytes, ready for a text of
 * so many bytes. To be closed by gcry_cipher_close().
 */
static inline gcry_cipher_hd_t open_aead(int mode, const uint8_t *key,
					 const uint8_t *nonce, size_t nonce_bytes,
					 const uint8_t *aad, size_t aad_bytes,
					 size_t text_bytes, size_t tag_bytes)
{
	uint64_t lengths[3] = { text_bytes, aad_bytes, tag_bytes };
	gcry_cipher_hd_t cipher;

	must(gcry_cipher_open(&cipher, GCRY_CIPHER_SM4, mode, 0));
	must(gcry_cipher_setkey(cipher, key, 16));
	must(gcry_cipher_setiv(cipher, nonce, nonce_bytes));
	if (mode == GCRY_CIPHER_MODE_CCM)
		must(gcry_cipher_ctl(cipher, GCRYCTL_SET_CCM_LENGTHS, lengths,
				     sizeof(lengths)));
	must(gcry_cipher_authenticate(cipher, aad, aad_bytes));
	return cipher;
}
