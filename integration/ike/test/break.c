// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * break.so, preloaded into charon: violates an assumption of the plugin about strongSwan or
 * OpenSSL. The environment variable BREAK names it: ivs, length, length-later,
 * keymat, sm3, sm4, curve. With keys, private keys are
 * appended to /run/private-keys.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IKEV1 1

#define REAL(function) ((typeof(function) *)dlsym(RTLD_NEXT, #function))
/* A plugin has loaded the library, and its symbols are not global. */
#define REAL_OPENSSL_SYMBOL(name) dlsym(dlopen("libcrypto.so.3", RTLD_LAZY), name)
#define REAL_OPENSSL(function) ((typeof(function) *)REAL_OPENSSL_SYMBOL(#function))

static bool broken(const char *what)
{
	return !strcmp(getenv("BREAK") ?: "", what);
}

/* No IVs */
void *iv_gen_create_for_alg(int cipher)
{
	return broken("ivs") ? NULL : REAL(iv_gen_create_for_alg)(cipher);
}

/* Keys of 512 bits; "later" means after the plugin's check. */
int keymat_get_keylen_integ(int algorithm)
{
	static bool looked;
	bool later = looked;

	looked = true;
	if (broken("length") || (broken("length-later") && later))
		return 512;
	return REAL(keymat_get_keylen_integ)(algorithm);
}

/* A keymat with other functions */
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

static void append_private_key(void *key)
{
	int (*get)(void *key, const char *name, void **value) =
		REAL_OPENSSL_SYMBOL("EVP_PKEY_get_bn_param");
	char *(*to_hex)(void *number) = REAL_OPENSSL_SYMBOL("BN_bn2hex");
	FILE *file = fopen("/run/private-keys", "a");
	void *number = NULL;

	if (get(key, "priv", &number))
		fprintf(file, "%s\n", to_hex(number));
	fclose(file);
}

/* The plugin passes one name after the type. */
void *EVP_PKEY_Q_keygen(void *context, const char *properties, const char *type, ...)
{
	void *key;
	va_list arguments;

	if (broken("curve"))
		return NULL;
	va_start(arguments, type);
	key = REAL_OPENSSL(EVP_PKEY_Q_keygen)(context, properties, type,
					      va_arg(arguments, char *));
	va_end(arguments);
	if (broken("keys"))
		append_private_key(key);
	return key;
}
