// SPDX-License-Identifier: GPL-2.0
/*
 * break.so, preloaded to charon: what the plugin takes for granted of strongSwan and of
 * OpenSSL is not so. The environment variable BREAK says what: ivs, length, length-later,
 * keymat, sm3, sm4.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define IKEV1 1

#define REAL(function) ((typeof(function) *)dlsym(RTLD_NEXT, #function))
/* A plugin has loaded it, and nothing else sees it. */
#define REAL_OPENSSL(function) \
	((typeof(function) *)dlsym(dlopen("libcrypto.so.3", RTLD_LAZY), #function))

static bool broken(const char *what)
{
	return !strcmp(getenv("BREAK") ?: "", what);
}

/* No IVs */
void *iv_gen_create_for_alg(int cipher)
{
	return broken("ivs") ? NULL : REAL(iv_gen_create_for_alg)(cipher);
}

/* Keys of 512 bits; "later" is after the plugin has looked. */
int keymat_get_keylen_integ(int algorithm)
{
	static bool looked;
	bool later = looked;

	looked = true;
	if (broken("length") || (broken("length-later") && later))
		return 512;
	return REAL(keymat_get_keylen_integ)(algorithm);
}

/* A keymat of other functions */
void *keymat_create(int version, bool initiator)
{
	return REAL(keymat_create)(broken("keymat") ? IKEV1 : version, initiator);
}

void *EVP_MD_fetch(void *context, const char *name, const char *properties)
{
	if (broken("sm3") && !strcmp(name, "SM3"))
		return NULL;
	return REAL_OPENSSL(EVP_MD_fetch)(context, name, properties);
}

void *EVP_CIPHER_fetch(void *context, const char *name, const char *properties)
{
	if (broken("sm4") && !strcmp(name, "SM4-CBC"))
		return NULL;
	return REAL_OPENSSL(EVP_CIPHER_fetch)(context, name, properties);
}
