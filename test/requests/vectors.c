// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* The examples of standards and drafts (vectors.h). */
#ifdef __KERNEL__
#include <linux/kernel.h>
#endif
#include "vectors.h"

const struct cipher_vector cipher_vectors[] = {
	{
		"GB/T 32907-2016, A.1", "681edf34d206965e86b3e94f536e4246", 1,
	}, {
		"GB/T 32907-2016, A.2", "595298c7c6fd271f0402f804c33d3f66", 1000000,
	},
};

const size_t cipher_vector_count =
	sizeof(cipher_vectors) / sizeof(cipher_vectors[0]);

const uint32_t sm4_example_round_keys[32] = {
	0xf12186f9, 0x41662b61, 0x5a6ab19a, 0x7ba92077,
	0x367360f4, 0x776a0c61, 0xb6bb89b3, 0x24763151,
	0xa520307c, 0xb7584dbd, 0xc30753ed, 0x7ee55b57,
	0x6988608c, 0x30d895b7, 0x44ba14af, 0x104495a1,
	0xd120b428, 0x73b55fa3, 0xcc874966, 0x92244439,
	0xe89e641f, 0x98ca015a, 0xc7159060, 0x99e1fd2e,
	0xb79bd80c, 0x1d2115b0, 0x0e228aeb, 0xf1780c81,
	0x428d3654, 0x62293496, 0x01cf72e5, 0x9124a012,
};

/* draft-ribose-cfrg-sm4-10, A.2: common values of its examples */
#define DRAFT_KEY_1	SM4_EXAMPLE_KEY
#define DRAFT_KEY_2	"fedcba98765432100123456789abcdef"
#define DRAFT_IV	"000102030405060708090a0b0c0d0e0f"
#define DRAFT_SHORT	"aaaaaaaabbbbbbbbccccccccdddddddd" \
			"eeeeeeeeffffffffaaaaaaaabbbbbbbb"
#define DRAFT_LONG	"aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb" \
			"ccccccccccccccccdddddddddddddddd" \
			"eeeeeeeeeeeeeeeeffffffffffffffff" \
			"aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"

/* RFC 8998, appendix A: common values of its two examples */
#define RFC8998_NONCE	"00001234567800000000abcd"
#define RFC8998_AAD	"feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define RFC8998_TEXT	"aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb" \
			"ccccccccccccccccdddddddddddddddd" \
			"eeeeeeeeeeeeeeeeffffffffffffffff" \
			"eeeeeeeeeeeeeeeeaaaaaaaaaaaaaaaa"

/*
 * With only associated data, authenc's tag is its HMAC-SM3 (GB/T 15852.2). Its key
 * begins with a struct rtattr, which says that its last 16 bytes are for SM4.
 */
#define HMAC_SM3(key)	"authenc(hmac(sm3),cbc(sm4))", \
			"0800010000000010" key SM4_EXAMPLE_KEY, \
			"00000000000000000000000000000000"
#define ALPHABET	"6162636462636465636465666465666765666768666768696768696a" \
			"68696a6b696a6b6c6a6b6c6d6b6c6d6e6c6d6e6f6d6e6f706e6f7071"
#define TEN_BYTES	"cdcdcdcdcdcdcdcdcdcd"

const struct mode_vector mode_vectors[] = {
	{
		"draft-ribose-cfrg-sm4-10, A.2.1.1", "ecb(sm4)",
		DRAFT_KEY_1, "", DRAFT_SHORT,
		"5ec8143de509cff7b5179f8f474b8619"
		"2f1d305a7fb17df985f81c8482192304",
	}, {
		"draft-ribose-cfrg-sm4-10, A.2.1.2", "ecb(sm4)",
		DRAFT_KEY_2, "", DRAFT_SHORT,
		"c5876897e4a59bbba72a10c83872245b"
		"12dd90bc2d200692b529a4155ac9e600",
	}, {
		"draft-ribose-cfrg-sm4-10, A.2.2.1", "cbc(sm4)",
		DRAFT_KEY_1, DRAFT_IV, DRAFT_SHORT,
		"78ebb11cc40b0a48312aaeb2040244cb"
		"4cb7016951909226979b0d15dc6a8f6d",
	}, {
		"draft-ribose-cfrg-sm4-10, A.2.2.2", "cbc(sm4)",
		DRAFT_KEY_2, DRAFT_IV, DRAFT_SHORT,
		"0d3a6ddc2d21c698857215587b7bb59a"
		"91f2c147911a4144665e1fa1d40bae38",
	}, {
		"draft-ribose-cfrg-sm4-10, A.2.5.1", "ctr(sm4)",
		DRAFT_KEY_1, DRAFT_IV, DRAFT_LONG,
		"ac3236cb970cc20791364c395a1342d1"
		"a3cbc1878c6f30cd074cce385cdd70c7"
		"f234bc0e24c11980fd1286310ce37b92"
		"6e02fcd0faa0baf38b2933851d824514",
	}, {
		"draft-ribose-cfrg-sm4-10, A.2.5.2", "ctr(sm4)",
		DRAFT_KEY_2, DRAFT_IV, DRAFT_LONG,
		"5dcccd25b95ab07417a08512ee160e2f"
		"8f661521cbbab44cc87138445bc29e5c"
		"0ae0297205d62704173b21239b887f6c"
		"8cb5b800917a2488284bde9e16ea2906",
	}, {
		/* of 56 bytes, with a partial block */
		"GB/T 17964-2021, XTS", "gbt17964(xts(sm4))",
		"2b7e151628aed2a6abf7158809cf4f3c"
		"000102030405060708090a0b0c0d0e0f",
		"f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
		"6bc1bee22e409f96e93d7e117393172a"
		"ae2d8a571e03ac9c9eb76fac45af8e51"
		"30c81c46a35ce411e5fbc1191a0a52ef"
		"f69f2445df4f9b17",
		"e9538251c71d7b80bbe4483fef497bd1"
		"2c5c581bd6242fc51e08964fb4f60fdb"
		"0ba42f63499279213d318d2c11f6886e"
		"903be7f93a1b3479",
	}, {
		"RFC 8998, A.1", "gcm(sm4)", SM4_EXAMPLE_KEY, RFC8998_NONCE,
		RFC8998_TEXT,
		"17f399f08c67d5ee19d0dc9969c4bb7d"
		"5fd46fd3756489069157b282bb200735"
		"d82710ca5c22f0ccfa7cbf93d496ac15"
		"a56834cbcf98c397b4024a2691233b8d"
		"83de3541e4c2b58177e065a9bf7b62ec",
		RFC8998_AAD,
	}, {
		/* The IV of ccm(sm4): length of the counter less one, nonce */
		"RFC 8998, A.2", "ccm(sm4)", SM4_EXAMPLE_KEY,
		"02" RFC8998_NONCE "000000", RFC8998_TEXT,
		"48af93501fa62adbcd414cce6034d895"
		"dda1bf8f132f042098661572e7483094"
		"fd12e518ce062c98acee28d95df4416b"
		"ed31a2f04476c18bb40c84a74b97dc5b"
		"16842d4fa186f56ab33256971fa110f4",
		RFC8998_AAD,
	}, {
		"GM/T 0042, D.3, 1",
		HMAC_SM3("0102030405060708090a0b0c0d0e0f10"
			 "1112131415161718191a1b1c1d1e1f20"),
		"", "ca05e144ed05d1857840d1f318a4a866"
		"9e559fc8391f414485bfdf7bb408963a",
		ALPHABET ALPHABET,
	}, {
		"GM/T 0042, D.3, 2",
		HMAC_SM3("0102030405060708090a0b0c0d0e0f10"
			 "1112131415161718191a1b1c1d1e1f202122232425"),
		"", "220bf579ded555393f0159f66c998778"
		"22a3ecf610d1552154b41d44b94db3ae",
		TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES TEN_BYTES,
	}, {
		"GM/T 0042, D.3, 3",
		HMAC_SM3("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"
			 "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"),
		"", "c0ba18c68b90c88bc07de794bfc7d2c8"
		"d19ec31ed8773bc2b390c9604e0be11e",
		"4869205468657265",
	}, {
		"GM/T 0042, D.3, 4", HMAC_SM3("4a656665"),
		"", "2e87f1d16862e6d964b50a5200bf2b10"
		"b764faa9680a296a2405f24bec39f882",
		"7768617420646f2079612077616e7420"
		"666f72206e6f7468696e673f",
	},
};

const size_t mode_vector_count =
	sizeof(mode_vectors) / sizeof(mode_vectors[0]);

const struct hash_vector hash_vectors[] = {
	{
		"GB/T 32905, A.1", "616263",
		"66c7f0f462eeedd9d1f2d46bdc10e4e2"
		"4167c4875cf2f7a2297da02b8f4ba8e0", 1,
	}, {
		"GB/T 32905, A.2", "61626364",
		"debe9ff92275b8a138604889c18e5a4d"
		"6fdb70e5387e5765293dcba39c0c5732", 16,
	},
};

const size_t hash_vector_count =
	sizeof(hash_vectors) / sizeof(hash_vectors[0]);

size_t from_hex(uint8_t *bytes, const char *hex)
{
	size_t n;

	for (n = 0; hex[2 * n]; n++) {
		int numbers = sscanf(hex + 2 * n, "%2hhx", &bytes[n]);

		check_equal(numbers, 1);
	}
	return n;
}

void prepare_example(const struct mode_vector *vector, const struct mode *mode, struct trial *r,
		     struct contents *c)
{
	struct aead_message *m = &c->message;

	usual_trial(r, mode);
	/* Makes room. */
	prepare_trial(r, c);
	m->key_bytes = from_hex(m->key, vector->key);
	check_equal(from_hex(m->iv, vector->iv), mode->iv_bytes);
	m->text_bytes = from_hex(c->text, vector->plaintext);
	m->aad_bytes = vector->aad ? from_hex(c->aad, vector->aad) : 0;
	m->tag_bytes = from_hex(c->sealed, vector->ciphertext) - m->text_bytes;
	r->traits[KEY] = m->key_bytes;
	r->traits[TEXT] = m->text_bytes;
	r->traits[AAD] = m->aad_bytes;
	r->traits[TAG] = m->tag_bytes;
	r->is_sealed = true;
}
