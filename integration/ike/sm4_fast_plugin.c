// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 sm4-fast maintainers
/*
 * A plugin for strongSwan's charon: IKEv2 with SM4 and SM3. ESP gets them from the kernel,
 * through kernel-netlink; IKE itself has SM4-CBC, HMAC-SM3, PRF-HMAC-SM3 and the key exchange on
 * curveSM2 from OpenSSL. strongSwan is not changed.
 *
 * IANA has assigned no numbers to these algorithms. The numbers are from the ranges for private
 * use, unless the settings have others.
 *
 * Where strongSwan has no interface for such a plugin, this one depends on its internals. All
 * such code is in the part "The insides of strongSwan" below. check_insides() and
 * check_stand_in() check its assumptions when the plugin is loaded, and refuse to load it if
 * one is wrong. Assumptions that can only be checked later are checked each time.
 */
#define _GNU_SOURCE /* for link.h */
#include <daemon.h>
#include <crypto/iv/iv_gen_rand.h>
#include <crypto/mac.h>
#include <crypto/prfs/mac_prf.h>
#include <crypto/signers/mac_signer.h>
#include <plugins/plugin_feature.h>
#include <sa/ikev2/keymat_v2.h>

#include <elf.h>
#include <link.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

#define SM4_SIZE 16 /* of a key, a block, an IV */
#define SM3_SIZE HASH_SIZE_SHA256
#define CURVE_SIZE 32 /* of a coordinate of a point on curveSM2 */

/* The algorithms that the plugin adds, with their names in proposals */
static struct algorithm {
	const transform_type_t type;
	char *const token, *const name, *const kernel_name;
	/*
	 * For ESP: the bytes of the key, and an algorithm of strongSwan's own that takes as
	 * many, with its size in bits
	 */
	const size_t key_size;
	const uint16_t like, like_bits;
	/* On the wire; the default of the setting that goes by the token */
	uint16_t number;
} algorithms[] = {
	{ ENCRYPTION_ALGORITHM, "sm4", "SM4_CBC", "cbc(sm4)",
	  SM4_SIZE, ENCR_AES_CBC, 128, 1031 },
	{ ENCRYPTION_ALGORITHM, "sm4gcm16", "SM4_GCM_16", NULL,
	  SM4_SIZE + 4, ENCR_AES_GCM_ICV16, 128, 1032 },
	{ INTEGRITY_ALGORITHM, "sm3", "HMAC_SM3_256", "hmac(sm3)",
	  SM3_SIZE, AUTH_HMAC_SHA2_256_256, 0, 1032 },
	{ PSEUDO_RANDOM_FUNCTION, "prfsm3", "PRF_HMAC_SM3", NULL,
	  0, 0, 0, 1029 },
	{ KEY_EXCHANGE_METHOD, "curvesm2", "CURVE_SM2", NULL,
	  0, 0, 0, 1041 },
};

#define SM4_CBC (&algorithms[0])
#define SM4_GCM (&algorithms[1])
#define HMAC_SM3 (&algorithms[2])
#define PRF_SM3 (&algorithms[3])
#define CURVE_SM2 (&algorithms[4])

/* The kernel's name of SM4-GCM in ESP */
#define KERNEL_GCM "rfc4106(gcm(sm4))"

/* ---- SM4-CBC for IKE ---- */

struct crypter {
	crypter_t public;
	EVP_CIPHER_CTX *context;
	uint8_t key[SM4_SIZE];
};

static bool crypt_cbc(struct crypter *this, chunk_t data, chunk_t iv, chunk_t *result,
		      int encrypt)
{
	uint8_t *out = data.ptr;
	int length;

	if (iv.len != SM4_SIZE || data.len % SM4_SIZE || data.len > INT_MAX)
		return FALSE;
	if (result) {
		*result = chunk_alloc(data.len);
		out = result->ptr;
	}
	if (EVP_CipherInit_ex(this->context, EVP_sm4_cbc(), NULL, this->key, iv.ptr, encrypt) &&
	    EVP_CIPHER_CTX_set_padding(this->context, 0) &&
	    EVP_CipherUpdate(this->context, out, &length, data.ptr, data.len))
		return TRUE;
	if (result)
		chunk_clear(result);
	return FALSE;
}

METHOD(crypter_t, encrypt, bool, struct crypter *this, chunk_t data, chunk_t iv, chunk_t *result)
{
	return crypt_cbc(this, data, iv, result, 1);
}

METHOD(crypter_t, decrypt, bool, struct crypter *this, chunk_t data, chunk_t iv, chunk_t *result)
{
	return crypt_cbc(this, data, iv, result, 0);
}

METHOD(crypter_t, get_size, size_t, struct crypter *this)
{
	return SM4_SIZE;
}

METHOD(crypter_t, crypter_set_key, bool, struct crypter *this, chunk_t key)
{
	if (key.len != SM4_SIZE)
		return FALSE;
	memcpy(this->key, key.ptr, SM4_SIZE);
	return TRUE;
}

METHOD(crypter_t, crypter_destroy, void, struct crypter *this)
{
	EVP_CIPHER_CTX_free(this->context);
	memwipe(this->key, SM4_SIZE);
	free(this);
}

static crypter_t *crypter_create(encryption_algorithm_t algorithm, size_t key_size)
{
	struct crypter *this;

	if (key_size && key_size != SM4_SIZE)
		return NULL;
	this = malloc_thing(struct crypter);
	*this = (struct crypter) {
		.public = {
			.encrypt = _encrypt,
			.decrypt = _decrypt,
			.get_block_size = _get_size,
			.get_iv_size = _get_size,
			.get_key_size = _get_size,
			.set_key = _crypter_set_key,
			.destroy = _crypter_destroy,
		},
		.context = EVP_CIPHER_CTX_new(),
	};
	return &this->public;
}

/* ---- HMAC-SM3 for IKE ---- */

struct mac {
	mac_t public;
	EVP_MAC_CTX *context;
};

METHOD(mac_t, mac_set_key, bool, struct mac *this, chunk_t key)
{
	OSSL_PARAM parameters[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SM3", 0),
		OSSL_PARAM_construct_end(),
	};

	/* A null pointer would mean the previous key. */
	return EVP_MAC_init(this->context, key.ptr ?: (u_char *)"", key.len, parameters);
}

METHOD(mac_t, get_mac, bool, struct mac *this, chunk_t data, uint8_t *out)
{
	if (!EVP_MAC_update(this->context, data.ptr, data.len))
		return FALSE;
	/* The next message has the same key. */
	return !out || (EVP_MAC_final(this->context, out, NULL, SM3_SIZE) &&
			EVP_MAC_init(this->context, NULL, 0, NULL));
}

METHOD(mac_t, get_mac_size, size_t, struct mac *this)
{
	return SM3_SIZE;
}

METHOD(mac_t, mac_destroy, void, struct mac *this)
{
	EVP_MAC_CTX_free(this->context);
	free(this);
}

static mac_t *mac_create(void)
{
	EVP_MAC *hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
	struct mac *this = malloc_thing(struct mac);

	*this = (struct mac) {
		.public = {
			.get_mac = _get_mac,
			.get_mac_size = _get_mac_size,
			.set_key = _mac_set_key,
			.destroy = _mac_destroy,
		},
		.context = EVP_MAC_CTX_new(hmac),
	};
	EVP_MAC_free(hmac);
	return &this->public;
}

static prf_t *prf_create(pseudo_random_function_t algorithm)
{
	return mac_prf_create(mac_create());
}

static signer_t *signer_create(integrity_algorithm_t algorithm)
{
	return mac_signer_create(mac_create(), SM3_SIZE);
}

/*
 * ---- prf and prf+ of RFC 7296, 2.13, with HMAC-SM3 ----
 *
 * strongSwan's own plugins have these only for their own hashes, or not at all.
 */

struct kdf {
	kdf_t public;
	key_derivation_function_t type;
	prf_t *prf;
	chunk_t key, salt;
};

METHOD(kdf_t, kdf_get_type, key_derivation_function_t, struct kdf *this)
{
	return this->type;
}

METHOD(kdf_t, kdf_get_length, size_t, struct kdf *this)
{
	return this->type == KDF_PRF ? SM3_SIZE : SIZE_MAX;
}

METHOD(kdf_t, kdf_get_bytes, bool, struct kdf *this, size_t size, uint8_t *out)
{
	prf_t *prf = this->prf;
	uint8_t block[SM3_SIZE], count = 1;
	chunk_t last = chunk_empty;
	bool success;

	/* The salt consists of the nonces, which are the key of the first step. */
	if (this->type == KDF_PRF)
		return size == SM3_SIZE && prf->set_key(prf, this->salt) &&
		       prf->get_bytes(prf, this->key, out);

	success = size <= 255 * SM3_SIZE && prf->set_key(prf, this->key);
	while (success && size) {
		size_t part = min(size, SM3_SIZE);

		success = prf->get_bytes(prf, last, NULL) &&
			  prf->get_bytes(prf, this->salt, NULL) &&
			  prf->get_bytes(prf, chunk_from_thing(count), block);
		memcpy(out, block, part);
		out += part;
		size -= part;
		count++;
		last = chunk_from_thing(block);
	}
	memwipe(block, sizeof(block));
	return success;
}

METHOD(kdf_t, kdf_allocate_bytes, bool, struct kdf *this, size_t size, chunk_t *chunk)
{
	*chunk = chunk_alloc(size ?: SM3_SIZE);
	if (kdf_get_bytes(this, chunk->len, chunk->ptr))
		return TRUE;
	chunk_clear(chunk);
	return FALSE;
}

METHOD(kdf_t, kdf_set_param, bool, struct kdf *this, kdf_param_t parameter, ...)
{
	chunk_t *place = parameter == KDF_PARAM_KEY ? &this->key : &this->salt, value;

	VA_ARGS_GET(parameter, value);
	chunk_clear(place);
	*place = chunk_clone(value);
	return TRUE;
}

METHOD(kdf_t, kdf_destroy, void, struct kdf *this)
{
	this->prf->destroy(this->prf);
	chunk_clear(&this->key);
	chunk_clear(&this->salt);
	free(this);
}

static kdf_t *kdf_create(key_derivation_function_t type, va_list arguments)
{
	struct kdf *this;
	pseudo_random_function_t prf;

	VA_ARGS_VGET(arguments, prf);
	if (prf != PRF_SM3->number)
		return NULL;
	this = malloc_thing(struct kdf);
	*this = (struct kdf) {
		.public = {
			.get_type = _kdf_get_type,
			.get_length = _kdf_get_length,
			.get_bytes = _kdf_get_bytes,
			.allocate_bytes = _kdf_allocate_bytes,
			.set_param = _kdf_set_param,
			.destroy = _kdf_destroy,
		},
		.type = type,
		.prf = prf_create(prf),
	};
	return &this->public;
}

/*
 * ---- Ephemeral ECDH on curveSM2 for IKE ----
 *
 * Public keys have the format that RFC 5903 has for other curves: x and y. The secret is x of the
 * common point. OpenSSL wipes its private keys when it frees them.
 */

struct exchange {
	key_exchange_t public;
	EVP_PKEY *key, *peer;
};

/* OpenSSL's format of a point: a byte for the form, x, y */
#define POINT_SIZE (1 + 2 * CURVE_SIZE)

METHOD(key_exchange_t, get_public_key, bool, struct exchange *this, chunk_t *value)
{
	uint8_t *point = NULL;
	bool success = EVP_PKEY_get1_encoded_public_key(this->key, &point) == POINT_SIZE;

	if (success)
		*value = chunk_clone(chunk_create(point + 1, 2 * CURVE_SIZE));
	OPENSSL_free(point);
	return success;
}

METHOD(key_exchange_t, set_public_key, bool, struct exchange *this, chunk_t value)
{
	uint8_t point[POINT_SIZE] = { POINT_CONVERSION_UNCOMPRESSED };
	EVP_PKEY *peer;

	if (value.len != 2 * CURVE_SIZE)
		return FALSE;
	memcpy(point + 1, value.ptr, value.len);
	/*
	 * OpenSSL takes no point that is not on the curve. In this form infinity has no
	 * encoding, and the cofactor is 1: any other point has the order of the group.
	 */
	peer = EVP_PKEY_new();
	if (!EVP_PKEY_copy_parameters(peer, this->key) ||
	    !EVP_PKEY_set1_encoded_public_key(peer, point, sizeof(point))) {
		EVP_PKEY_free(peer);
		return FALSE;
	}
	EVP_PKEY_free(this->peer);
	this->peer = peer;
	return TRUE;
}

METHOD(key_exchange_t, get_shared_secret, bool, struct exchange *this, chunk_t *secret)
{
	size_t size = CURVE_SIZE;
	EVP_PKEY_CTX *context;
	bool success;

	if (!this->peer)
		return FALSE;
	context = EVP_PKEY_CTX_new_from_pkey(NULL, this->key, NULL);
	*secret = chunk_alloc(size);
	success = context && EVP_PKEY_derive_init(context) > 0 &&
		  EVP_PKEY_derive_set_peer(context, this->peer) > 0 &&
		  EVP_PKEY_derive(context, secret->ptr, &size) > 0 && size == CURVE_SIZE;
	EVP_PKEY_CTX_free(context);
	if (!success)
		chunk_clear(secret);
	return success;
}

METHOD(key_exchange_t, get_method, key_exchange_method_t, struct exchange *this)
{
	return CURVE_SM2->number;
}

METHOD(key_exchange_t, exchange_destroy, void, struct exchange *this)
{
	EVP_PKEY_free(this->key);
	EVP_PKEY_free(this->peer);
	free(this);
}

static key_exchange_t *exchange_create(key_exchange_method_t method, ...)
{
	EVP_PKEY *key = EVP_EC_gen("SM2");
	struct exchange *this;

	if (!key)
		return NULL;
	this = malloc_thing(struct exchange);
	*this = (struct exchange) {
		.public = {
			.get_shared_secret = _get_shared_secret,
			.set_public_key = _set_public_key,
			.get_public_key = _get_public_key,
			.get_method = _get_method,
			.destroy = _exchange_destroy,
		},
		.key = key,
	};
	return &this->public;
}

/* ---- The insides of strongSwan ---- */

#define REFUSE(format, ...) ({ DBG1(DBG_LIB, "sm4-fast: " format, ##__VA_ARGS__); FALSE; })

/* strongSwan derives keys from one key exchange, or since 6.0 from an array of them. */
#if STRONGSWAN_MAJOR < 6
#define key_exchanges_t key_exchange_t
#else
#define key_exchanges_t array_t
#endif

/*
 * This code needs exactly the libraries whose headers the plugin was built with, because
 * structures differ between versions. The libraries do not contain their version, but the linker
 * gives each build an ID.
 */
struct library {
	const char *const name, *const build_id;
	bool found;
};

/* Called for each loaded library: whether it is that library, and that build of it */
static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
	struct library *library = data;
	int i;

	if (strcmp(strrchr(info->dlpi_name, '/') ?: "", library->name))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *header = &info->dlpi_phdr[i];
		const char *note = (char *)info->dlpi_addr + header->p_vaddr;
		const char *end = note + header->p_memsz;

		while (header->p_type == PT_NOTE && note < end) {
			const Elf64_Nhdr *start = (Elf64_Nhdr *)note;
			const char *text = note + sizeof(*start) + round_up(start->n_namesz, 4);
			chunk_t id = chunk_create((u_char *)text, start->n_descsz);

			if (start->n_type == NT_GNU_BUILD_ID) {
				id = chunk_to_hex(id, NULL, FALSE);
				library->found = streq((char *)id.ptr, library->build_id);
				chunk_free(&id);
			}
			note = text + round_up(start->n_descsz, 4);
		}
	}
	return 1;
}

static bool check_version(void)
{
	struct library libraries[] = {
		{ .name = "/libstrongswan.so.0", .build_id = LIBSTRONGSWAN_BUILD_ID },
		{ .name = "/libcharon.so.0", .build_id = LIBCHARON_BUILD_ID },
	};
	int i;

	for (i = 0; i < countof(libraries); i++) {
		dl_iterate_phdr(find_library, &libraries[i]);
		if (!libraries[i].found)
			return REFUSE("this strongSwan is another build than the "
				      STRONGSWAN_VERSION " that the plugin was built for; "
				      "build it anew: make ike");
	}
	return TRUE;
}

/*
 * Names of numbers, for the log and swanctl. strongSwan has linked lists of them, to which this
 * appends. A number that already has a name has another meaning in this strongSwan, and has been
 * refused before.
 */
static enum_name_t *names_of(transform_type_t type)
{
	return type == ENCRYPTION_ALGORITHM ? encryption_algorithm_names :
	       type == INTEGRITY_ALGORITHM ? integrity_algorithm_names :
	       type == KEY_EXCHANGE_METHOD ? key_exchange_method_names :
	       pseudo_random_function_names;
}

static void add_name(struct algorithm *ours)
{
	enum_name_t *last = names_of(ours->type), *added;

	while (last->next)
		last = last->next;
	/* They outlive the plugin. */
	added = calloc(1, sizeof(*added) + sizeof(added->names[0]));
	added->first = ours->number;
	added->last = ours->number;
	added->names[0] = strdup(ours->name);
	last->next = added;
}

/*
 * IVs of IKE's cipher: strongSwan has a table of the methods that generate them, by the cipher's
 * number, and no method for a number that is not in the table. So in IKE's keymat a stand-in takes
 * the place of SM4-CBC: a cipher in CBC mode, with random IVs, that no plugin implements.
 */
#define STAND_IN_CBC ENCR_3IDEA

static bool check_ivs(void)
{
	iv_gen_t *generator = iv_gen_create_for_alg(STAND_IN_CBC);
	iv_gen_t *random = iv_gen_rand_create();
	bool same = generator && generator->get_iv == random->get_iv;

	random->destroy(random);
	DESTROY_IF(generator);
	return same || REFUSE("this strongSwan makes no random IVs for %N",
			      encryption_algorithm_names, STAND_IN_CBC);
}

/* Whether the number of the stand-in gives our cipher, which it does if it was registered first */
static bool check_stand_in(void)
{
	crypter_t *crypter = lib->crypto->create_crypter(lib->crypto, STAND_IN_CBC, SM4_SIZE);
	bool ours = crypter && crypter->encrypt == _encrypt;

	DESTROY_IF(crypter);
	return ours || REFUSE("another plugin has %N, which stands in for SM4-CBC",
			      encryption_algorithm_names, STAND_IN_CBC);
}

/*
 * Lengths of keys: strongSwan has tables of them by number, which cannot be extended. So the
 * keymat, which derives keys of these lengths, gets a proposal for keys that are as long as ours.
 * For that, its two methods are wrapped.
 */
static typeof(((keymat_v2_t *)NULL)->derive_child_keys) derive_child_keys_before;
static typeof(((keymat_v2_t *)NULL)->derive_ike_keys) derive_ike_keys_before;

/* The algorithm of this type that was negotiated, if it is ours */
static struct algorithm *find(proposal_t *proposal, transform_type_t type)
{
	uint16_t number;
	int i;

	if (!proposal->get_algorithm(proposal, type, &number, NULL))
		return NULL;
	for (i = 0; i < countof(algorithms); i++) {
		if (algorithms[i].type == type && algorithms[i].number == number)
			return &algorithms[i];
	}
	return NULL;
}

static proposal_t *stand_in_for(proposal_t *proposal)
{
	static const transform_type_t types[] = {
		ENCRYPTION_ALGORITHM, INTEGRITY_ALGORITHM, PSEUDO_RANDOM_FUNCTION,
	};
	protocol_id_t protocol = proposal->get_protocol(proposal);
	proposal_t *result = proposal_create(protocol, 0);
	uint16_t number, bits;
	int i;

	for (i = 0; i < countof(types); i++) {
		struct algorithm *ours = find(proposal, types[i]);

		if (!proposal->get_algorithm(proposal, types[i], &number, &bits))
			continue;
		if (protocol == PROTO_IKE && ours == SM4_CBC) {
			number = STAND_IN_CBC;
		} else if (protocol != PROTO_IKE && ours) {
			number = ours->like;
			bits = ours->like_bits;
		}
		result->add_algorithm(result, types[i], number, bits);
	}
	return result;
}

/*
 * Keys of any other length are refused, and so is a proposal that has too many or too few
 * algorithms in addition to SM4.
 */
static bool check_child(proposal_t *proposal, chunk_t encryption, chunk_t integrity)
{
	struct algorithm *cipher = find(proposal, ENCRYPTION_ALGORITHM);
	struct algorithm *mac = find(proposal, INTEGRITY_ALGORITHM);
	bool with_mac = proposal->get_algorithm(proposal, INTEGRITY_ALGORITHM, NULL, NULL);

	if (cipher == SM4_GCM && with_mac)
		return REFUSE("the proposal has an integrity algorithm in addition to sm4gcm16");
	if (cipher == SM4_CBC && !with_mac)
		return REFUSE("the proposal has sm4 without an integrity algorithm; take sm4-sm3");
	if ((cipher && encryption.len != cipher->key_size) ||
	    (mac && integrity.len != mac->key_size))
		return REFUSE("this strongSwan derives keys of other lengths than it did");
	return TRUE;
}

METHOD(keymat_v2_t, derive_child_keys, bool,
	keymat_v2_t *this, proposal_t *proposal, key_exchanges_t *exchange,
	chunk_t nonce_i, chunk_t nonce_r, chunk_t *encr_i, chunk_t *integ_i, chunk_t *encr_r,
	chunk_t *integ_r)
{
	proposal_t *stand_in = stand_in_for(proposal);
	bool success = derive_child_keys_before(this, stand_in, exchange, nonce_i, nonce_r,
						encr_i, integ_i, encr_r, integ_r);

	stand_in->destroy(stand_in);
	if (!success)
		return FALSE;
	if (check_child(proposal, *encr_i, *integ_i) && check_child(proposal, *encr_r, *integ_r))
		return TRUE;
	chunk_clear(encr_i);
	chunk_clear(integ_i);
	chunk_clear(encr_r);
	chunk_clear(integ_r);
	return FALSE;
}

METHOD(keymat_v2_t, derive_ike_keys, bool,
	keymat_v2_t *this, proposal_t *proposal, key_exchanges_t *exchange,
	chunk_t nonce_i, chunk_t nonce_r, ike_sa_id_t *id,
	pseudo_random_function_t rekey_function, chunk_t rekey_skd)
{
	proposal_t *stand_in = stand_in_for(proposal);
	bool success = derive_ike_keys_before(this, stand_in, exchange, nonce_i, nonce_r, id,
					      rekey_function, rekey_skd);

	stand_in->destroy(stand_in);
	return success;
}

static keymat_t *keymat_create_sm4(bool initiator)
{
	keymat_v2_t *keymat = keymat_v2_create(initiator);

	keymat->derive_child_keys = _derive_child_keys;
	keymat->derive_ike_keys = _derive_ike_keys;
	return &keymat->keymat;
}

/* There can be only one constructor of the keymat; another plugin may have set its own. */
static bool check_keymat(void)
{
	keymat_v2_t *stock = keymat_v2_create(TRUE);
	keymat_v2_t *used = (keymat_v2_t *)keymat_create(IKEV2, TRUE);
	bool same = used && used->derive_child_keys == stock->derive_child_keys &&
		    used->derive_ike_keys == stock->derive_ike_keys;

	derive_child_keys_before = stock->derive_child_keys;
	derive_ike_keys_before = stock->derive_ike_keys;
	stock->keymat.destroy(&stock->keymat);
	if (used)
		used->keymat.destroy(&used->keymat);
	if (!same)
		return REFUSE("another plugin derives the keys");
	/* For AES, the proposal itself contains the length. */
	if (keymat_get_keylen_integ(HMAC_SM3->like) != 8 * SM3_SIZE)
		return REFUSE("this strongSwan has keys of another length for %N",
			      integrity_algorithm_names, HMAC_SM3->like);
	return TRUE;
}

/*
 * GCM in the kernel: kernel-netlink decides by the number whether a cipher is an AEAD. So it gets
 * a stand-in, an AEAD with an ICV of 16 bytes for which it has no name. It then looks up the name:
 * only while we add such an SA, the result is the name of SM4-GCM. If it does not look it up, it
 * has its own name for the stand-in, and has added another cipher.
 */
#define STAND_IN_GCM ENCR_CAMELLIA_CCM_ICV16

static typeof(((kernel_interface_t *)NULL)->add_sa) add_sa_before;
static typeof(((kernel_interface_t *)NULL)->lookup_algorithm) lookup_algorithm_before;
static __thread bool adding_gcm, asked_for_gcm;

METHOD(kernel_interface_t, lookup_algorithm, bool,
	kernel_interface_t *this, uint16_t number, transform_type_t type,
	uint16_t *kernel_number, char **kernel_name)
{
	if (!adding_gcm || type != ENCRYPTION_ALGORITHM || number != STAND_IN_GCM)
		return lookup_algorithm_before(this, number, type, kernel_number,
					       kernel_name);
	asked_for_gcm = TRUE;
	*kernel_name = KERNEL_GCM;
	return TRUE;
}

static status_t add_gcm_sa(kernel_interface_t *this, kernel_ipsec_sa_id_t *id,
			   kernel_ipsec_add_sa_t *data)
{
	kernel_ipsec_add_sa_t stand_in = *data;
	kernel_ipsec_del_sa_t added = { .cpi = data->cpi };
	status_t status;

	stand_in.enc_alg = STAND_IN_GCM;
	adding_gcm = TRUE;
	asked_for_gcm = FALSE;
	status = add_sa_before(this, id, &stand_in);
	adding_gcm = FALSE;
	if (status != SUCCESS) {
		DBG1(DBG_KNL, "the kernel took no SA with " KERNEL_GCM
		     ": are sm4-fast and sm4-fast-esp loaded?");
	} else if (!asked_for_gcm) {
		DBG1(DBG_KNL, "kernel-netlink has a name of its own for %N: no SA with SM4-GCM",
		     encryption_algorithm_names, STAND_IN_GCM);
		this->del_sa(this, id, &added);
		status = FAILED;
	}
	return status;
}

METHOD(kernel_interface_t, add_sa, status_t,
	kernel_interface_t *this, kernel_ipsec_sa_id_t *id, kernel_ipsec_add_sa_t *data)
{
	status_t status;

	if (data->enc_alg == SM4_GCM->number)
		return add_gcm_sa(this, id, data);
	status = add_sa_before(this, id, data);
	if (status != SUCCESS &&
	    (data->enc_alg == SM4_CBC->number || data->int_alg == HMAC_SM3->number))
		DBG1(DBG_KNL, "the kernel took no SA with cbc(sm4) and hmac(sm3): "
		     "is sm4-fast there?");
	return status;
}

/* Whether the setting is a number, if it is set; settings->get_int() accepts anything. */
static bool read_number(struct algorithm *ours)
{
	char *end, *text = lib->settings->get_str(lib->settings, "%s.plugins.sm4-fast.%s",
						  NULL, lib->ns, ours->token);
	unsigned long number;

	if (!text)
		return TRUE;
	number = strtoul(text, &end, 10);
	if (*end || number < 1 || number > UINT16_MAX)
		return REFUSE("%s = %s is no number from 1 to 65535", ours->token, text);
	ours->number = number;
	return TRUE;
}

static bool check_insides(void)
{
	int i;

	/* This comes first, because all other checks read structures. */
	if (!check_version())
		return FALSE;
	for (i = 0; i < countof(algorithms); i++) {
		struct algorithm *ours = &algorithms[i];

		if (!read_number(ours))
			return FALSE;
		if (enum_to_name(names_of(ours->type), ours->number))
			return REFUSE("this strongSwan has another %N with number %d, that of %s",
				      transform_type_names, ours->type, ours->number, ours->name);
	}
	if (SM4_CBC->number == SM4_GCM->number)
		return REFUSE("SM4_CBC and SM4_GCM_16 both have number %d", SM4_CBC->number);
	return check_ivs() && check_keymat();
}

/* ---- The plugin ---- */

struct plugin {
	plugin_t public;
	plugin_feature_t features[14];
};

static bool check_openssl(void)
{
	EVP_CIPHER *sm4 = EVP_CIPHER_fetch(NULL, "SM4-CBC", NULL);
	EVP_MD *sm3 = EVP_MD_fetch(NULL, "SM3", NULL);
	EVP_PKEY *key = EVP_EC_gen("SM2");
	bool all = sm4 && sm3 && key;

	EVP_CIPHER_free(sm4);
	EVP_MD_free(sm3);
	EVP_PKEY_free(key);
	return all || REFUSE("this OpenSSL lacks SM4-CBC, SM3 or curveSM2, or its configuration "
			     "leaves them out");
}

static bool take_part(struct plugin *this, plugin_feature_t *feature, bool begin, void *data)
{
	kernel_interface_t *kernel = charon->kernel;
	int i;

	if (!begin) {
		kernel->add_sa = add_sa_before;
		kernel->lookup_algorithm = lookup_algorithm_before;
		keymat_register_constructor(IKEV2, NULL);
		return TRUE;
	}
	if (!check_stand_in())
		return FALSE;
	for (i = 0; i < countof(algorithms); i++) {
		struct algorithm *ours = &algorithms[i];

		add_name(ours);
		lib->proposal->register_token(lib->proposal, ours->token, ours->type,
					      ours->number, 0);
		if (ours->kernel_name)
			kernel->register_algorithm(kernel, ours->number, ours->type, 0,
						   ours->kernel_name);
	}
	add_sa_before = kernel->add_sa;
	lookup_algorithm_before = kernel->lookup_algorithm;
	kernel->add_sa = _add_sa;
	kernel->lookup_algorithm = _lookup_algorithm;
	keymat_register_constructor(IKEV2, keymat_create_sm4);
	return TRUE;
}

METHOD(plugin_t, get_name, char *, struct plugin *this)
{
	return "sm4-fast";
}

METHOD(plugin_t, get_features, int, struct plugin *this, plugin_feature_t *features[])
{
	plugin_feature_t f[] = {
		PLUGIN_REGISTER(CRYPTER, crypter_create),
			PLUGIN_PROVIDE(CRYPTER, STAND_IN_CBC, SM4_SIZE),
		PLUGIN_REGISTER(SIGNER, signer_create),
			PLUGIN_PROVIDE(SIGNER, HMAC_SM3->number),
		PLUGIN_REGISTER(PRF, prf_create),
			PLUGIN_PROVIDE(PRF, PRF_SM3->number),
		PLUGIN_REGISTER(KE, exchange_create),
			PLUGIN_PROVIDE(KE, CURVE_SM2->number),
		PLUGIN_REGISTER(KDF, kdf_create),
			PLUGIN_PROVIDE(KDF, KDF_PRF),
			PLUGIN_PROVIDE(KDF, KDF_PRF_PLUS),
		PLUGIN_CALLBACK((plugin_feature_callback_t)take_part, NULL),
			PLUGIN_PROVIDE(CUSTOM, "sm4-fast"),
				PLUGIN_DEPENDS(CRYPTER, STAND_IN_CBC, SM4_SIZE),
	};

	_Static_assert(sizeof(f) == sizeof(this->features), "room for all features");
	memcpy(this->features, f, sizeof(f));
	*features = this->features;
	return countof(f);
}

METHOD(plugin_t, plugin_destroy, void, struct plugin *this)
{
	free(this);
}

plugin_t *sm4_fast_plugin_create(void)
{
	struct plugin *this;

	if (!check_insides() || !check_openssl())
		return NULL;
	this = malloc_thing(struct plugin);
	*this = (struct plugin) {
		.public = {
			.get_name = _get_name,
			.get_features = _get_features,
			.destroy = _plugin_destroy,
		},
	};
	return &this->public;
}
