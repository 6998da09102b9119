// SPDX-License-Identifier: GPL-2.0
/*
 * Bad requests: what a driver of the crypto API has to answer to keys, tags,
 * IVs, lengths and lists that it must refuse, or that are unusual and must not
 * be refused. The rules are a table, below. Each is tried on a driver of
 * sm4-fast and on mainline's C code for the same algorithm:
 *
 *  - both answer the errno that the rule tells. Where ours is another one on
 *    purpose, the rule tells mainline's as well, and why.
 *  - where both do the work, both write the same.
 *  - ours, where it refuses, writes nothing, and neither writes elsewhere.
 *
 * Random requests, legal or not, are compared in the same way; in half of them
 * SIMD is not usable.
 *
 * With no_memory=1 there is, besides, no memory for one thing after the other
 * that a request needs, from the transform on. Then ours answers ENOMEM, or with
 * what is right.
 *
 * The module is loaded once for each driver. It says in the kernel's log
 *
 *	sm4-requests: DRIVER: N requests, no memory for M of them, beside MAINLINE
 *
 * and before that each request that went wrong. It does not stay loaded: it ends
 * with EAGAIN whenever it could try everything.
 */
#define pr_fmt(fmt) "sm4-requests: " fmt

#include <linux/module.h>
#include <linux/prandom.h>
#include <linux/rtnetlink.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <crypto/aead.h>
#include <crypto/authenc.h>
#include <crypto/hash.h>
#include <crypto/internal/cipher.h>
#include <crypto/internal/simd.h>
#include <crypto/skcipher.h>

static char *driver;
module_param(driver, charp, 0);
MODULE_PARM_DESC(driver, "name of the driver, such as xts-sm4-ttable-fast");

static unsigned int random;
module_param(random, uint, 0);
MODULE_PARM_DESC(random, "random requests to try besides");

static unsigned int longest = SZ_1M;
module_param(longest, uint, 0);
MODULE_PARM_DESC(longest, "leave out what has more bytes of text than that");

static bool no_memory;
module_param(no_memory, bool, 0);
MODULE_PARM_DESC(no_memory, "let allocations of memory fail, too");

#define KEY_BYTES	16
#define BLOCK_BYTES	16
#define USUAL_TAG	16

/* authenc's: what tells the length of SM4's, that of the MAC, SM4's */
#define KEY_HEAD	8
#define MAX_KEY		(KEY_HEAD + 300 + KEY_BYTES)

/* A request's memory; a longer list leads through it more than once. */
#define AREA_BYTES	SZ_64K
#define GUARD_BYTES	256

/* Complaints about a driver, of which one is mostly like the other */
#define MAX_COMPLAINTS	20

enum mode {
	SM4, ECB, CBC, CTS, CTR, XTS, XTS_GB, GCM, RFC4106, CCM, RFC4309,
	AUTHENC, AUTHENCESN, CMAC, XCBC, CBCMAC,
};

#define BOTH_XTS	(BIT(XTS) | BIT(XTS_GB))
#define SKCIPHERS	(BIT(ECB) | BIT(CBC) | BIT(CTS) | BIT(CTR) | BOTH_XTS)
#define RFCS		(BIT(RFC4106) | BIT(RFC4309))
#define AEADS		(BIT(GCM) | BIT(CCM) | RFCS)
#define MACS		(BIT(CMAC) | BIT(XCBC) | BIT(CBCMAC))
#define AUTHENCS	(BIT(AUTHENC) | BIT(AUTHENCESN))
#define CIPHERS		(SKCIPHERS | AEADS | AUTHENCS)
#define ALL		(BIT(SM4) | CIPHERS | MACS)

/* What mainline's GHASH in C is called */
#if IS_ENABLED(CONFIG_CRYPTO_GHASH)
#define GCM_GENERIC	"gcm_base(ctr(sm4-generic),ghash-generic)"
#else
#define GCM_GENERIC	"gcm_base(ctr(sm4-generic),ghash-lib)"
#endif
#define CCM_GENERIC	"ccm_base(ctr(sm4-generic),cbcmac(sm4-generic))"

/* and its SM3 in C */
#if IS_ENABLED(CONFIG_CRYPTO_SM3_GENERIC)
#define SM3_GENERIC	"sm3-generic"
#else
#define SM3_GENERIC	"sm3-lib"
#endif
#define CBC_AND_HMAC	"(hmac(" SM3_GENERIC "),cbc(sm4-generic))"

static const struct {
	const char *prefix;	/* of our drivers' names */
	const char *mainline;
	unsigned int key;	/* bytes */
	unsigned int aad;	/* bytes, where it does not matter */
} modes[] = {
	[SM4] = { "sm4-", "sm4-generic", KEY_BYTES },
	[ECB] = { "ecb-sm4-", "ecb(sm4-generic)", KEY_BYTES },
	[CBC] = { "cbc-sm4-", "cbc(sm4-generic)", KEY_BYTES },
	[CTS] = { "cts-cbc-sm4-", "cts(cbc(sm4-generic))", KEY_BYTES },
	[CTR] = { "ctr-sm4-", "ctr(sm4-generic)", KEY_BYTES },
	[XTS] = { "xts-sm4-", "xts(ecb(sm4-generic))", 2 * KEY_BYTES },
	/* Mainline lacks it: only the answers are alike. */
	[XTS_GB] = {
		"gbt17964-xts-sm4-", "xts(ecb(sm4-generic))", 2 * KEY_BYTES,
	},
	[GCM] = { "gcm-sm4-", GCM_GENERIC, KEY_BYTES, 20 },
	[RFC4106] = {
		"rfc4106-gcm-sm4-", "rfc4106(" GCM_GENERIC ")", KEY_BYTES + 4, 16,
	},
	[CCM] = { "ccm-sm4-", CCM_GENERIC, KEY_BYTES, 20 },
	[RFC4309] = {
		"rfc4309-ccm-sm4-", "rfc4309(" CCM_GENERIC ")", KEY_BYTES + 3, 16,
	},
	[AUTHENC] = {
		"authenc-hmac-sm3-cbc-sm4-", "authenc" CBC_AND_HMAC,
		KEY_HEAD + 32 + KEY_BYTES, 24,
	},
	[AUTHENCESN] = {
		"authencesn-hmac-sm3-cbc-sm4-", "authencesn" CBC_AND_HMAC,
		KEY_HEAD + 32 + KEY_BYTES, 28,
	},
	[CMAC] = { "cmac-sm4-", "cmac(sm4-generic)", KEY_BYTES },
	[XCBC] = { "xcbc-sm4-", "xcbc(sm4-generic)", KEY_BYTES },
	[CBCMAC] = { "cbcmac-sm4-", "cbcmac(sm4-generic)", KEY_BYTES },
};

/**
 * enum trait - what a request is like
 * @TEXT: bytes of text
 * @AAD: bytes of associated data
 * @TAG: bytes of the tag
 * @KEY: bytes of the key
 * @SEALED: bytes of text and tag that are to be opened, the tag having 16
 * @FIRST: the first byte of the IV, which tells CCM how long a length is
 * @ENTRY: bytes that an entry of a list has at most
 * @EMPTY: this entry of the list, and those a multiple later, have no bytes
 * @ALIGN: where the source begins; the destination begins as far before a block
 * @KEY_ALIGN: where the key begins
 * @IV_ALIGN: where the IV begins
 * @OVERLAP: how far behind the source in the same memory the destination begins
 * @IN_PLACE: one list for both, or (2) two lists of the same memory
 * @WRONG_TEXT: this byte of the text to be opened is wrong
 * @WRONG_AAD: this byte of the associated data is wrong
 * @WRONG_TAG: this byte of the tag is wrong
 * @WRONG_IV: this byte of the IV is wrong
 * @NO_KEY: no key is set
 * @BAD_KEY: a good key is set, then one of so many bytes, and it is used still
 * @WEAK_KEY: both halves are equal, and that is forbidden (1) or not (2)
 * @NO_LIST: there are no lists at all
 * @NO_SIMD: SIMD is not usable
 * @HEAD: bytes that authenc's key tells of its own head
 * @HEAD_TYPE: what that says it is
 * @CIPHER_KEY: bytes of SM4's key that it tells
 */
enum trait {
	TEXT, AAD, TAG, KEY, SEALED, FIRST, ENTRY, EMPTY, ALIGN, KEY_ALIGN,
	IV_ALIGN, OVERLAP, IN_PLACE, WRONG_TEXT, WRONG_AAD, WRONG_TAG, WRONG_IV,
	NO_KEY, BAD_KEY, WEAK_KEY, NO_LIST, NO_SIMD, HEAD, HEAD_TYPE,
	CIPHER_KEY, TRAITS,
};

/* A byte's place; 0 means no byte */
#define PLACE(i)	((i) + 1)

/* 0 for a trait that is usually something else */
#define NONE		UINT_MAX

enum direction { SEAL = 1, OPEN = 2, BOTH = 3 };

/**
 * struct rule - requests that have to get a certain answer
 * @what: is tried
 * @modes: bits of enum mode that it is true of
 * @directions: and whether in encryption, decryption or both
 * @trait: is given each value of @first, @first + @step ... @last
 * @answer: errno expected
 * @set: values of other traits, if not as usual
 * @mainline: errno of mainline's C code, if @because tells why ours differs
 * @stand_in: bits of the modes of which our own C tier tells what is right, since
 *	      mainline's code cannot
 */
struct rule {
	const char *what;
	unsigned int modes;
	enum direction directions;
	enum trait trait;
	unsigned int first, last, step;
	int answer;
	unsigned int set[TRAITS];
	int mainline;
	const char *because;
	unsigned int stand_in;
};

/*
 * In a long list the same memory comes again and again. What mainline's templates
 * write there for these modes they read once more when all of it is written: it
 * has been overwritten by then. (Besides, mainline's GCM has 32 bits for the number
 * of bits of the text.)
 */
#define SEVERAL_PASSES	(BIT(XTS) | BIT(GCM) | BIT(RFC4106) | AUTHENCS)

/* So it is never asked for that at random. */
#define ESN_OVERWRITTEN	"mainline copies the text over itself, four bytes on"
#define CCM_OVERFLOW	"mainline takes one byte too many, whose length is then 0"

static const struct rule rules[] = {
	/* keys */
	{ "a key too short", ALL & ~BOTH_XTS & ~AUTHENCS, BOTH, KEY, 0, 15, 1, -EINVAL },
	{ "a key too long", ALL & ~RFCS & ~BOTH_XTS & ~AUTHENCS, BOTH, KEY, 17, 64, 1, -EINVAL },
	{ "a key of one length for XTS", BOTH_XTS, BOTH, KEY, 0, 31, 1, -EINVAL },
	{ "a key too long for XTS", BOTH_XTS, BOTH, KEY, 33, 64, 1, -EINVAL },
	{ "a key without a nonce", RFCS, BOTH, KEY, 16, 18, 1, -EINVAL },
	{ "a nonce too short or too long", BIT(RFC4106), BOTH, KEY, 19, 21, 2, -EINVAL },
	{ "a nonce too long", RFCS, BOTH, KEY, 21, 64, 1, -EINVAL },
	{ "a nonce too long for RFC 4309", BIT(RFC4309), BOTH, KEY, 20, 20, 1, -EINVAL },
	{ "no key", ALL & ~BIT(SM4), BOTH, NO_KEY, 1, 1, 1, -ENOKEY },
	{ "a key that was refused", AEADS | AUTHENCS | MACS, BOTH, BAD_KEY, 1, 15, 1, -ENOKEY },
	{ "the key before one that was refused", BIT(SM4) | BIT(CTR) | BIT(CTS) | BOTH_XTS, BOTH,
	  BAD_KEY, 1, 15, 1 },
	{ "the key before one that was refused", BIT(ECB) | BIT(CBC), BOTH, BAD_KEY, 1, 15, 1,
	  .mainline = -ENOKEY,
	  .because = "mainline's is an lskcipher, for which the API forgets it" },
	{ "equal halves, forbidden", BOTH_XTS, BOTH, WEAK_KEY, 1, 1, 1, -EINVAL },
	{ "equal halves, allowed", BOTH_XTS, BOTH, WEAK_KEY, 2, 2, 1 },
	{ "a key anywhere in memory", ALL & ~AUTHENCS, BOTH, KEY_ALIGN, 0, 63, 1 },
	{ "a key at a whole word", AUTHENCS, BOTH, KEY_ALIGN, 0, 60, 4 },
	{ "less than authenc's head and SM4's key", AUTHENCS, BOTH, KEY, 0, 23, 1, -EINVAL },
	{ "any key for the MAC", AUTHENCS, BOTH, KEY, 24, MAX_KEY, 1 },
	{ "too few bytes for SM4's key", AUTHENCS, BOTH, CIPHER_KEY, 0, 15, 1, -EINVAL },
	{ "too many bytes for SM4's key", AUTHENCS, BOTH, CIPHER_KEY, 17, 64, 1, -EINVAL },
	{ "a head that says it is shorter", AUTHENCS, BOTH, HEAD, 0, 7, 1, -EINVAL },
	{ "a head that says it is longer", AUTHENCS, BOTH, HEAD, 9, 64, 1, -EINVAL },
	{ "a head of no type", AUTHENCS, BOTH, HEAD_TYPE, 0, 0, 1, -EINVAL },
	{ "a head of another type", AUTHENCS, BOTH, HEAD_TYPE, 2, 4, 1, -EINVAL },

	/* lengths of text */
	{ "whole blocks", BIT(SM4) | BIT(ECB) | BIT(CBC) | AUTHENCS, BOTH, TEXT, 0, 128, 16 },
	{ "no whole blocks to seal", AUTHENCS, SEAL, TEXT, 1, 15, 1, -EINVAL },
	{ "more than some blocks to seal", AUTHENCS, SEAL, TEXT, 4097, 4111, 1, -EINVAL },
	{ "no whole blocks, of which the tag cannot be", AUTHENCS, OPEN, TEXT, 1, 15, 1, -EBADMSG },
	{ "not even a block", BIT(ECB) | BIT(CBC), BOTH, TEXT, 1, 15, 1, -EINVAL },
	{ "more than a block", BIT(ECB) | BIT(CBC), BOTH, TEXT, 17, 31, 1, -EINVAL },
	{ "more than some blocks", BIT(ECB) | BIT(CBC), BOTH, TEXT, 4097, 4111, 1, -EINVAL },
	{ "not a block to steal from", BIT(CTS) | BOTH_XTS, BOTH, TEXT, 0, 15, 1, -EINVAL },
	{ "stolen from a block or not", BIT(CTS) | BOTH_XTS, BOTH, TEXT, 16, 80, 1 },
	{ "any text", BIT(CTR) | AEADS | MACS, BOTH, TEXT, 0, 80, 1 },
	{ "a text longer than a page", CIPHERS, BOTH, TEXT, 4096, 8192, 2048 },
	{ "no lists", BIT(ECB) | BIT(CBC) | BIT(CTR), BOTH, NO_LIST, 1, 1, 1,
	  .set = { [TEXT] = NONE } },
	{ "no lists, nothing to steal from", BIT(CTS) | BOTH_XTS, BOTH, NO_LIST, 1, 1, 1, -EINVAL,
	  .set = { [TEXT] = NONE } },

	/* AEADs */
	{ "no tag", AEADS | AUTHENCS, BOTH, TAG, 0, 0, 1, -EINVAL },
	{ "any tag of HMAC", BIT(AUTHENC), BOTH, TAG, 1, 32, 1 },
	{ "no place in the tag for half an ESN", BIT(AUTHENCESN), BOTH, TAG, 1, 3, 1, -EINVAL },
	{ "any other tag of HMAC", BIT(AUTHENCESN), BOTH, TAG, 4, 32, 1 },
	{ "a tag longer than HMAC", AUTHENCS, BOTH, TAG, 33, 64, 1, -EINVAL },
	{ "a tag shorter than 4 bytes", AEADS, BOTH, TAG, 1, 3, 1, -EINVAL },
	{ "a tag of 4 bytes", BIT(GCM) | BIT(CCM), BOTH, TAG, 4, 4, 1 },
	{ "a tag of 4 bytes in ESP", RFCS, BOTH, TAG, 4, 4, 1, -EINVAL },
	{ "a tag of odd length", AEADS & ~BIT(GCM), BOTH, TAG, 5, 15, 2, -EINVAL },
	{ "a tag of odd length for GCM", BIT(GCM), BOTH, TAG, 5, 11, 2, -EINVAL },
	{ "a tag of 6 bytes", AEADS & ~BIT(CCM), BOTH, TAG, 6, 6, 1, -EINVAL },
	{ "a tag of 10 bytes", AEADS & ~BIT(CCM), BOTH, TAG, 10, 10, 1, -EINVAL },
	{ "a tag of 14 bytes in ESP", RFCS, BOTH, TAG, 14, 14, 1, -EINVAL },
	{ "a tag of even length", BIT(CCM), BOTH, TAG, 4, 16, 2 },
	{ "a tag of at least 12 bytes", BIT(GCM), BOTH, TAG, 12, 16, 1 },
	{ "a tag of 8, 12 or 16 bytes", AEADS, BOTH, TAG, 8, 16, 4 },
	{ "a tag longer than a block", AEADS, BOTH, TAG, 17, 64, 1, -EINVAL },
	{ "less to open than a tag", AEADS | AUTHENCS, OPEN, SEALED, 0, 15, 1, -EINVAL },
	{ "any associated data", BIT(GCM) | BIT(CCM) | BIT(AUTHENC), BOTH, AAD, 0, 80, 1 },
	{ "not both halves of an ESN", BIT(AUTHENCESN), BOTH, AAD, 0, 7, 1, -EINVAL },
	{ "an ESN, and any other associated data", BIT(AUTHENCESN), BOTH, AAD, 8, 80, 1 },
	{ "associated data with a longer length", BIT(CCM), BOTH, AAD, 0xfeff, 0xff01, 1 },
	{ "less associated data than in ESP", RFCS, BOTH, AAD, 0, 15, 1, -EINVAL },
	{ "associated data between those of ESP", RFCS, BOTH, AAD, 17, 19, 1, -EINVAL },
	{ "associated data as in ESP", RFCS, BOTH, AAD, 16, 20, 4 },
	{ "more associated data than in ESP", RFCS, BOTH, AAD, 21, 80, 1, -EINVAL },
	{ "a wrong text", AEADS | AUTHENCS, OPEN, WRONG_TEXT, PLACE(0), PLACE(47), 1, -EBADMSG },
	{ "wrong associated data", BIT(GCM) | BIT(CCM) | AUTHENCS, OPEN, WRONG_AAD, PLACE(0),
	  PLACE(19), 1, -EBADMSG },
	{ "wrong associated data in ESP", RFCS, OPEN, WRONG_AAD, PLACE(0), PLACE(7), 1, -EBADMSG },
	{ "the IV's copy in ESP is not looked at", RFCS, OPEN, WRONG_AAD, PLACE(8), PLACE(15), 1 },
	{ "a wrong tag", AEADS | AUTHENCS, OPEN, WRONG_TAG, PLACE(0), PLACE(15), 1, -EBADMSG },
	{ "a wrong short tag", BIT(GCM) | BIT(CCM), OPEN, WRONG_TAG, PLACE(0), PLACE(3), 1,
	  -EBADMSG, .set = { [TAG] = 4 } },
	{ "a wrong tag of no text", AEADS | AUTHENCS, OPEN, WRONG_TAG, PLACE(0), PLACE(15), 1,
	  -EBADMSG, .set = { [TEXT] = NONE } },
	{ "a wrong IV", BIT(GCM), OPEN, WRONG_IV, PLACE(0), PLACE(11), 1, -EBADMSG },
	{ "a wrong IV in ESP", RFCS, OPEN, WRONG_IV, PLACE(0), PLACE(7), 1, -EBADMSG },
	{ "a wrong nonce", BIT(CCM), OPEN, WRONG_IV, PLACE(1), PLACE(11), 1, -EBADMSG },

	/* CCM: how many bytes a length has, less 1 */
	{ "a length of one byte", BIT(CCM), BOTH, FIRST, 0, 0, 1, -EINVAL },
	{ "a length of 2 to 8 bytes", BIT(CCM), BOTH, FIRST, 1, 7, 1 },
	{ "a length of more than 8 bytes", BIT(CCM), BOTH, FIRST, 8, 255, 1, -EINVAL },
	{ "the longest text for two bytes", BIT(CCM), SEAL, TEXT, 65534, 65535, 1,
	  .set = { [FIRST] = 1 } },
	{ "a text one byte too long for two", BIT(CCM), SEAL, TEXT, 65536, 65536, 1, -EOVERFLOW,
	  .set = { [FIRST] = 1 }, .mainline = 0, .because = CCM_OVERFLOW },
	{ "a text too long for two bytes", BIT(CCM), BOTH, TEXT, 65537, 65600, 21, -EOVERFLOW,
	  .set = { [FIRST] = 1 } },
	{ "the longest text for three bytes", BIT(CCM), SEAL, TEXT, 0xffffff, 0xffffff, 1,
	  .set = { [FIRST] = 2 } },
	{ "a text one byte too long for three", BIT(CCM), SEAL, TEXT, 0x1000000, 0x1000000, 1,
	  -EOVERFLOW, .set = { [FIRST] = 2 }, .mainline = 0, .because = CCM_OVERFLOW },
	{ "a text too long for three bytes", BIT(CCM), BOTH, TEXT, 0x1000001, 0x1000002, 1,
	  -EOVERFLOW, .set = { [FIRST] = 2 } },

	/* lists and memory */
	{ "entries of few bytes", CIPHERS, BOTH, ENTRY, 1, 33, 1, .set = { [TEXT] = 160 } },
	{ "entries of few bytes, some empty", CIPHERS, BOTH, EMPTY, 1, 4, 1,
	  .set = { [ENTRY] = 7, [TEXT] = 160 } },
	{ "long entries, some empty", CIPHERS, BOTH, EMPTY, 1, 4, 1,
	  .set = { [ENTRY] = 4000, [TEXT] = 16000 } },
	{ "memory anywhere", BIT(SM4) | CIPHERS, BOTH, ALIGN, 0, 63, 1, .set = { [TEXT] = 560 } },
	{ "memory across pages", CIPHERS, BOTH, ALIGN, 4040, 4100, 3,
	  .set = { [TEXT] = 560, [ENTRY] = 100 } },
	{ "an IV anywhere in memory", CIPHERS, BOTH, IV_ALIGN, 0, 63, 1 },
	{ "in place", BIT(SM4) | CIPHERS, BOTH, IN_PLACE, 1, 1, 1, .set = { [TEXT] = 5600 } },
	{ "in place, entries of few bytes", CIPHERS, BOTH, IN_PLACE, 1, 1, 1,
	  .set = { [TEXT] = 5600, [ENTRY] = 13 } },
	{ "in place, two lists", BIT(SM4) | (CIPHERS & ~BIT(AUTHENCESN)), BOTH, IN_PLACE, 2, 2, 1,
	  .set = { [TEXT] = 5600 } },
	{ "in place, two lists of few bytes", CIPHERS & ~BIT(AUTHENCESN), BOTH, IN_PLACE, 2, 2, 1,
	  .set = { [TEXT] = 5600, [ENTRY] = 13 } },
	{ "in place, two lists", BIT(AUTHENCESN), SEAL, IN_PLACE, 2, 2, 1,
	  .set = { [TEXT] = 5600 } },
	{ "in place, two lists", BIT(AUTHENCESN), OPEN, IN_PLACE, 2, 2, 1, .set = { [TEXT] = 5600 },
	  .mainline = -EBADMSG, .because = ESN_OVERWRITTEN },
	{ "a destination that overlaps", CIPHERS, SEAL, OVERLAP, 1, 400, 21,
	  .set = { [TEXT] = 560 } },

	/* longer than a signed int can tell */
	{ "2 GiB of whole blocks", CIPHERS, SEAL, TEXT, 0x80000000U, 0x80000000U, 1,
	  .stand_in = SEVERAL_PASSES },
	{ "2 GiB and some bytes", CIPHERS & ~BIT(ECB) & ~BIT(CBC) & ~AUTHENCS, SEAL, TEXT,
	  0x80000001U, 0x80000001U, 1, .stand_in = SEVERAL_PASSES },
	{ "2 GiB to decrypt", BIT(ECB) | BIT(CBC), OPEN, TEXT, 0x80000000U, 0x80000000U, 1 },
	{ "2 GiB and some bytes to decrypt", BIT(CTS) | BIT(CTR) | BOTH_XTS, OPEN, TEXT,
	  0x80000001U, 0x80000001U, 1, .stand_in = SEVERAL_PASSES },
	{ "2 GiB that nobody has sealed", AEADS, OPEN, TEXT, 0x80000001U, 0x80000001U, 1,
	  -EBADMSG },
};

/* A request as a driver is asked for it */
struct request {
	enum mode mode;
	bool open;
	unsigned int traits[TRAITS];
};

/* One of the two that are compared, and what it did with the request */
struct contender {
	const char *name;
	int answer;
	u8 *memory;	/* the destination with its guards, or the digest */
	unsigned int begin, end;	/* of what may be written to it */
};

static struct contender ours, mainline;
static unsigned int requests, without_memory, complaints;
static enum mode mode;
static struct rnd_state rng;

/* What is read, and what a destination was before, each with guards */
static u8 *source, *before;
#define MEMORY_BYTES	(GUARD_BYTES + AREA_BYTES + GUARD_BYTES)

static u8 iv_memory[BLOCK_BYTES], key_memory[64 + MAX_KEY];

static bool is_aead(enum mode m)
{
	return BIT(m) & (AEADS | AUTHENCS);
}

static bool is_authenc(enum mode m)
{
	return BIT(m) & AUTHENCS;
}

static bool is_mac(enum mode m)
{
	return BIT(m) & MACS;
}

/* Bytes before the text, and of text and tag as they are given to a driver */
static unsigned int aad_bytes(const struct request *r)
{
	return is_aead(r->mode) ? r->traits[AAD] : 0;
}

static unsigned int given_bytes(const struct request *r)
{
	if (!is_aead(r->mode) || !r->open)
		return r->traits[TEXT];
	if (r->traits[SEALED] != NONE)
		return r->traits[SEALED];
	return r->traits[TEXT] + r->traits[TAG];
}

static unsigned int written_bytes(const struct request *r)
{
	unsigned int tag = is_aead(r->mode) ? r->traits[TAG] : 0;

	if (!r->open)
		return r->traits[TEXT] + tag;
	return given_bytes(r) - min(given_bytes(r), tag);
}

/*
 * A list of @bytes that begin at @begin in @memory, and go on there once its end
 * is reached. A list of no bytes has one empty entry.
 */
static int make_list(struct sg_table *table, const struct request *r,
		     u8 *memory, unsigned int begin, u64 bytes)
{
	unsigned int largest = r->traits[ENTRY] ?: AREA_BYTES;
	unsigned int empty = r->traits[EMPTY];
	unsigned int at = begin, i, n, count = 0;
	struct scatterlist *sg;
	u64 left;
	int err, pass;

	for (pass = 0; pass < 2; pass++) {
		sg = pass ? table->sgl : NULL;
		at = begin;
		left = bytes;
		for (i = 0; left || !i; i++) {
			n = min3(left, (u64)largest,
				 (u64)GUARD_BYTES + AREA_BYTES - at);
			if (empty && i % (empty + 1) == 0)
				n = 0;
			if (pass) {
				sg_set_buf(sg, memory + at, n);
				sg = sg_next(sg);
			}
			left -= n;
			at += n;
			if (at == GUARD_BYTES + AREA_BYTES)
				at = GUARD_BYTES;
		}
		count = i;
		if (!pass) {
			err = sg_alloc_table(table, count, GFP_KERNEL);
			if (err)
				return err;
		}
	}
	return 0;
}

/*
 * With no_memory, this allocation in what ask() asks for fails, and whether there
 * were so many
 */
static unsigned int failing;
static bool failed;

/* Around each call of a driver: it may find that SIMD is not usable. */
static void begin_call(const struct request *r)
{
	if (!r->traits[NO_SIMD])
		return;
	preempt_disable();
	__this_cpu_write(crypto_simd_disabled_for_test, true);
}

static void end_call(const struct request *r)
{
	if (!r->traits[NO_SIMD])
		return;
	__this_cpu_write(crypto_simd_disabled_for_test, false);
	preempt_enable();
}

static int set_key(const struct request *r, void *tfm, const u8 *key,
		   unsigned int bytes)
{
	if (r->mode == SM4)
		return crypto_cipher_setkey(tfm, key, bytes);
	if (is_mac(r->mode))
		return crypto_shash_setkey(tfm, key, bytes);
	if (is_aead(r->mode))
		return crypto_aead_setkey(tfm, key, bytes);
	return crypto_skcipher_setkey(tfm, key, bytes);
}

/* The keys that a request has: one, none, or one and a bad one after it */
static int set_keys(const struct request *r, void *tfm, const u8 *key)
{
	int err;

	if (r->traits[NO_KEY])
		return 0;
	begin_call(r);
	err = set_key(r, tfm, key, r->traits[KEY]);
	end_call(r);
	if (!err && r->traits[BAD_KEY] &&
	    !set_key(r, tfm, key, r->traits[BAD_KEY]))
		return -EEXIST;
	return err;
}

static int ask_skcipher(const struct request *r, const char *name,
			struct scatterlist *src, struct scatterlist *dst,
			const u8 *key, u8 *iv)
{
	struct crypto_skcipher *tfm = crypto_alloc_skcipher(name, 0, 0);
	struct skcipher_request *req;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	if (r->traits[WEAK_KEY] == 1)
		crypto_skcipher_set_flags(tfm, CRYPTO_TFM_REQ_FORBID_WEAK_KEYS);
	req = skcipher_request_alloc(tfm, GFP_KERNEL);
	err = req ? set_keys(r, tfm, key) : -ENOMEM;
	if (!err) {
		skcipher_request_set_callback(req, 0, NULL, NULL);
		skcipher_request_set_crypt(req, src, dst, given_bytes(r), iv);
		begin_call(r);
		err = r->open ? crypto_skcipher_decrypt(req) :
				crypto_skcipher_encrypt(req);
		end_call(r);
	}
	skcipher_request_free(req);
	crypto_free_skcipher(tfm);
	return err;
}

static int ask_aead(const struct request *r, const char *name,
		    struct scatterlist *src, struct scatterlist *dst,
		    const u8 *key, u8 *iv)
{
	struct crypto_aead *tfm = crypto_alloc_aead(name, 0, 0);
	struct aead_request *req;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	req = aead_request_alloc(tfm, GFP_KERNEL);
	err = req ? set_keys(r, tfm, key) : -ENOMEM;
	if (!err)
		err = crypto_aead_setauthsize(tfm, r->traits[TAG]);
	if (!err) {
		aead_request_set_callback(req, 0, NULL, NULL);
		aead_request_set_crypt(req, src, dst, given_bytes(r), iv);
		aead_request_set_ad(req, r->traits[AAD]);
		begin_call(r);
		err = r->open ? crypto_aead_decrypt(req) :
				crypto_aead_encrypt(req);
		end_call(r);
	}
	aead_request_free(req);
	crypto_free_aead(tfm);
	return err;
}

/* The bare cipher, a block at a time; a last one that is not whole stays. */
static int ask_cipher(const struct request *r, const char *name, const u8 *key,
		      const u8 *src, u8 *dst)
{
	struct crypto_cipher *tfm = crypto_alloc_cipher(name, 0, 0);
	unsigned int at;
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = set_keys(r, tfm, key);
	begin_call(r);
	for (at = 0; !err && at + BLOCK_BYTES <= given_bytes(r);
	     at += BLOCK_BYTES)
		(r->open ? crypto_cipher_decrypt_one : crypto_cipher_encrypt_one)
			(tfm, dst + at, src + at);
	end_call(r);
	crypto_free_cipher(tfm);
	return err;
}

static int ask_mac(const struct request *r, const char *name, const u8 *key,
		   const u8 *text, u8 *digest)
{
	struct crypto_shash *tfm = crypto_alloc_shash(name, 0, 0);
	int err;

	if (IS_ERR(tfm))
		return PTR_ERR(tfm);
	err = set_keys(r, tfm, key);
	if (!err) {
		begin_call(r);
		err = crypto_shash_tfm_digest(tfm, text, given_bytes(r), digest);
		end_call(r);
	}
	crypto_free_shash(tfm);
	return err;
}

/* Ask a contender for a request, and keep its answer. */
static void ask(struct contender *c, const struct request *r)
{
	const unsigned int *t = r->traits;
	unsigned int src_begin = GUARD_BYTES + t[ALIGN];
	unsigned int dst_begin = src_begin + t[OVERLAP];
	bool same_memory = t[IN_PLACE] || t[OVERLAP];
	u8 *src_memory = same_memory ? c->memory : source;
	unsigned int src_bytes = aad_bytes(r) + given_bytes(r);
	u64 dst_bytes = (u64)aad_bytes(r) + written_bytes(r);
	struct sg_table src = {}, dst = {};
	u8 *key = key_memory + t[KEY_ALIGN];
	u8 iv_copy[64 + BLOCK_BYTES], *iv = iv_copy + t[IV_ALIGN];

	if (!same_memory)
		dst_begin = GUARD_BYTES + (t[ALIGN] / BLOCK_BYTES + 1) *
			    BLOCK_BYTES - t[ALIGN] % BLOCK_BYTES;
	memcpy(c->memory, same_memory ? source : before, MEMORY_BYTES);
	memcpy(iv, iv_memory, BLOCK_BYTES);
	c->begin = dst_begin;
	c->end = min_t(u64, dst_begin + dst_bytes, GUARD_BYTES + AREA_BYTES);
	if (is_mac(r->mode)) {
		c->begin = GUARD_BYTES;
		c->end = GUARD_BYTES + BLOCK_BYTES;
	} else if (dst_begin + dst_bytes > GUARD_BYTES + AREA_BYTES) {
		c->begin = GUARD_BYTES;
	}
	/* The tag that is opened in place stands behind what is written. */
	if (t[IN_PLACE] == 1)
		dst_bytes = max_t(u64, dst_bytes, src_bytes);
	c->answer = -ENOBUFS;
	if (make_list(&src, r, src_memory, src_begin,
		      t[IN_PLACE] == 1 ? dst_bytes : src_bytes) ||
	    make_list(&dst, r, c->memory, dst_begin, dst_bytes))
		goto out;

	current->fail_nth = failing;
	if (r->mode == SM4)
		c->answer = ask_cipher(r, c->name, key, src_memory + src_begin,
				       c->memory + dst_begin);
	else if (is_mac(r->mode))
		c->answer = ask_mac(r, c->name, key, src_memory + src_begin,
				    c->memory + c->begin);
	else if (t[NO_LIST])
		c->answer = ask_skcipher(r, c->name, NULL, NULL, key, iv);
	else
		c->answer = (is_aead(r->mode) ? ask_aead : ask_skcipher)
			(r, c->name, src.sgl,
			 t[IN_PLACE] == 1 ? src.sgl : dst.sgl, key, iv);
	failed = failing && !current->fail_nth;
	current->fail_nth = 0;
out:
	sg_free_table(&src);
	sg_free_table(&dst);
}

/*
 * Mainline tells what is right, and is spared what it cannot do: its MACs take
 * an empty entry for the end of the list (6.12), and its GCM allocates memory in
 * order to set a key, which it must not where preemption is disabled.
 */
static void ask_mainline(const struct request *r)
{
	struct request spared = *r;

	spared.traits[EMPTY] = 0;
	spared.traits[NO_SIMD] = 0;
	ask(&mainline, &spared);
}

static void complain(const struct request *r, const char *what,
		     const char *how)
{
	static const char * const names[TRAITS] = {
		"text", "aad", "tag", "key", "sealed", "first", "entry", "empty",
		"align", "key_align", "iv_align", "overlap", "in_place",
		"wrong_text", "wrong_aad", "wrong_tag", "wrong_iv", "no_key",
		"bad_key", "weak_key", "no_list", "no_simd", "head", "head_type",
		"cipher_key",
	};
	char text[256] = "";
	int i, length;

	if (complaints++ >= MAX_COMPLAINTS)
		return;
	length = failed ? scnprintf(text, sizeof(text), " no_memory=%u",
				    failing) : 0;
	for (i = 0; i < TRAITS; i++)
		if (r->traits[i] && r->traits[i] != NONE)
			length += scnprintf(text + length, sizeof(text) - length,
					    " %s=%u", names[i], r->traits[i]);
	pr_err("%s: %s: %s: ours answers %d, mainline's %d; %s,%s\n", driver,
	       what, how, ours.answer, mainline.answer,
	       r->open ? "decryption" : "encryption", text);
}

/* What a contender has written that it must not */
static bool wrote_elsewhere(const struct contender *c, const struct request *r,
			    unsigned int begin, unsigned int end)
{
	const u8 *was = r->traits[IN_PLACE] || r->traits[OVERLAP] ?
			source : before;

	return memcmp(c->memory, was, begin) ||
	       memcmp(c->memory + end, was + end, MEMORY_BYTES - end);
}

/* Whether a driver has to leave alone what it does not make the right thing of */
static bool refused(const struct request *r, int answer)
{
	return answer && (answer != -EBADMSG || is_authenc(r->mode));
}

/*
 * Whether they have written the same, if both know how. Nobody cares for
 * associated data there.
 */
static bool same_output(const struct request *r)
{
	unsigned int begin = ours.begin + aad_bytes(r);

	if (r->traits[OVERLAP] || r->mode == XTS_GB || refused(r, ours.answer))
		return true;
	if (ours.end == GUARD_BYTES + AREA_BYTES)
		begin = ours.begin;
	return !memcmp(ours.memory + begin, mainline.memory + begin,
		       ours.end - begin);
}

static bool told_no_memory(void)
{
	return failed && ours.answer == -ENOMEM;
}

/* The one place where it is judged what is right: what went wrong, or NULL */
static const char *judge(const struct request *r, int answer, int mainlines)
{
	if (mainline.answer != mainlines)
		return "mainline's answer is not as expected";
	if (ours.answer != answer && !told_no_memory())
		return "the wrong answer";
	if (ours.answer == mainline.answer && !same_output(r))
		return "not what mainline makes of it";
	if (refused(r, ours.answer) && !told_no_memory() &&
	    wrote_elsewhere(&ours, r, MEMORY_BYTES, MEMORY_BYTES))
		return "refused, and written all the same";
	if (wrote_elsewhere(&ours, r, ours.begin, ours.end))
		return "written elsewhere";
	return NULL;
}

/*
 * Ask ours and mainline. With no_memory ours is asked until no allocation fails
 * any longer: the first, the second and so on; after many, some are left out.
 */
static void compare(const struct request *r, const char *what, int answer,
		    int mainlines)
{
	const char *wrong;

	ask_mainline(r);
	failing = no_memory;
	do {
		ask(&ours, r);
		wrong = judge(r, answer, mainlines);
		if (wrong)
			complain(r, what, wrong);
		requests++;
		without_memory += told_no_memory();
		failing += 1 + failing / 40;
		cond_resched();
	} while (failed);
	failing = 0;
}

static void usual_request(struct request *r)
{
	memset(r, 0, sizeof(*r));
	r->mode = mode;
	r->traits[TEXT] = 48;
	r->traits[AAD] = modes[mode].aad;
	r->traits[KEY] = modes[mode].key;
	r->traits[TAG] = USUAL_TAG;
	r->traits[SEALED] = NONE;
	r->traits[FIRST] = 3;
	r->traits[HEAD] = KEY_HEAD;
	r->traits[HEAD_TYPE] = CRYPTO_AUTHENC_KEYA_PARAM;
	r->traits[CIPHER_KEY] = KEY_BYTES;
}

/* A new key and IV; the text may be that of the request before. */
static void new_key_and_iv(const struct request *r)
{
	u8 *key = key_memory + r->traits[KEY_ALIGN];

	prandom_bytes_state(&rng, iv_memory, BLOCK_BYTES);
	prandom_bytes_state(&rng, key, MAX_KEY);
	if (r->traits[WEAK_KEY])
		memcpy(key + KEY_BYTES, key, KEY_BYTES);
	if (r->mode == CCM)
		iv_memory[0] = r->traits[FIRST];
	if (is_authenc(r->mode)) {
		const struct rtattr head = {
			.rta_len = r->traits[HEAD],
			.rta_type = r->traits[HEAD_TYPE],
		};

		memcpy(key, &head, sizeof(head));
		put_unaligned_be32(r->traits[CIPHER_KEY], key + sizeof(head));
	}
}

/*
 * Put what mainline makes of the text into its place, so that it can be opened.
 * Where mainline refuses, it stays as it is.
 */
static void seal(const struct request *r)
{
	struct request sealing = *r;
	unsigned int begin = GUARD_BYTES + r->traits[ALIGN] + aad_bytes(r);

	sealing.open = false;
	sealing.traits[IN_PLACE] = 1;
	ask_mainline(&sealing);
	if (!mainline.answer)
		memcpy(source + begin, mainline.memory + begin,
		       written_bytes(&sealing));
}

static void damage(const struct request *r)
{
	u8 *aad = source + GUARD_BYTES + r->traits[ALIGN];
	u8 *text = aad + aad_bytes(r);
	u8 *tag = text + r->traits[TEXT];

	if (r->traits[WRONG_AAD])
		aad[r->traits[WRONG_AAD] - PLACE(0)] ^= 0x80;
	if (r->traits[WRONG_TEXT])
		text[r->traits[WRONG_TEXT] - PLACE(0)] ^= 1;
	if (r->traits[WRONG_TAG])
		tag[r->traits[WRONG_TAG] - PLACE(0)] ^= 0x10;
	if (r->traits[WRONG_IV])
		iv_memory[r->traits[WRONG_IV] - PLACE(0)] ^= 4;
}

static void prepare(struct request *r)
{
	new_key_and_iv(r);
	if (r->open && is_aead(mode) && given_bytes(r) <= AREA_BYTES / 2)
		seal(r);
	damage(r);
}

static void try_rule(const struct rule *rule, bool open)
{
	char stand_in[CRYPTO_MAX_ALG_NAME];
	u64 value;
	int i;

	snprintf(stand_in, sizeof(stand_in), "%sttable-fast",
		 modes[mode].prefix);
	if (rule->stand_in & BIT(mode))
		mainline.name = stand_in;
	for (value = rule->first; value <= rule->last; value += rule->step) {
		struct request r;

		usual_request(&r);
		r.open = open;
		for (i = 0; i < TRAITS; i++)
			if (rule->set[i])
				r.traits[i] = rule->set[i] == NONE ? 0 :
					      rule->set[i];
		r.traits[rule->trait] = value;
		if (r.traits[TEXT] > longest)
			continue;
		prepare(&r);
		compare(&r, rule->what, rule->answer,
			rule->because ? rule->mainline : rule->answer);
	}
	mainline.name = modes[mode].mainline;
}

static unsigned int below(unsigned int limit)
{
	return prandom_u32_state(&rng) % limit;
}

/*
 * A request as no user would send it: half of the traits as usual, lengths
 * mostly short. What is right for it, mainline tells.
 */
static void try_random(void)
{
	struct request r;
	unsigned int *t = r.traits;

	usual_request(&r);
	r.open = below(2);
	t[TEXT] = below(below(4) ? 600 : 20000);
	if (BIT(mode) & (BIT(ECB) | BIT(CBC)) && below(8))
		t[TEXT] = round_down(t[TEXT], BLOCK_BYTES);
	if (is_authenc(mode)) {
		t[KEY] = 24 + below(MAX_KEY - 23);
		if (below(8))
			t[TEXT] = round_down(t[TEXT], BLOCK_BYTES);
	}
	t[AAD] = BIT(mode) & RFCS && below(8) ? 16 + 4 * below(2) : below(100);
	if (below(2))
		t[TAG] = below(8) ? 8 + 4 * below(3) : below(40);
	t[FIRST] = below(8) ? 1 + below(7) : below(10);
	t[ENTRY] = below(2) ? 1 + below(below(2) ? 40 : 5000) : 0;
	t[EMPTY] = below(4) ? 0 : 1 + below(4);
	t[ALIGN] = below(4200);
	/* Mainline reads words of authenc's. */
	t[KEY_ALIGN] = is_authenc(mode) ? 4 * below(16) : below(64);
	t[IV_ALIGN] = below(64);
	t[IN_PLACE] = below(mode == AUTHENCESN && r.open ? 2 : 3);
	t[WRONG_TAG] = below(6) || !t[TAG] ? 0 : PLACE(below(t[TAG]));
	t[NO_SIMD] = below(2);
	prepare(&r);

	/* The rule is that mainline is right. */
	ask_mainline(&r);
	compare(&r, "a random request", mainline.answer, mainline.answer);
}

static int find_mode(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (driver && strstarts(driver, modes[i].prefix))
			return i;
	return -EINVAL;
}

static void try_everything(struct work_struct *work)
{
	unsigned int i;

	prandom_bytes_state(&rng, source, MEMORY_BYTES);
	prandom_bytes_state(&rng, before, MEMORY_BYTES);
	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		if (!(rules[i].modes & BIT(mode)))
			continue;
		if (rules[i].directions & SEAL)
			try_rule(&rules[i], false);
		if (rules[i].directions & OPEN && !is_mac(mode))
			try_rule(&rules[i], true);
		cond_resched();
	}
	for (i = 0; i < random; i++) {
		try_random();
		cond_resched();
	}
}

/*
 * Not by the thread that loads the module: with each allocation of memory a debug
 * kernel keeps a trace of the stack, and that of user-mode Linux takes time for
 * each word. Below a worker there are few.
 */
static DECLARE_WORK(everything, try_everything);

static int __init sm4_requests_init(void)
{
	int found = find_mode();
	int err = -ENOMEM;

	if (found < 0)
		return found;
	mode = found;
	ours.name = driver;
	mainline.name = modes[mode].mainline;
	prandom_seed_state(&rng, 1);
	source = kmalloc(MEMORY_BYTES, GFP_KERNEL);
	before = kmalloc(MEMORY_BYTES, GFP_KERNEL);
	ours.memory = kmalloc(MEMORY_BYTES, GFP_KERNEL);
	mainline.memory = kmalloc(MEMORY_BYTES, GFP_KERNEL);
	if (source && before && ours.memory && mainline.memory) {
		schedule_work(&everything);
		flush_work(&everything);
		pr_info("%s: %u requests, no memory for %u of them, beside %s\n",
			driver, requests, without_memory, mainline.name);
		err = -EAGAIN;
	}
	kfree(source);
	kfree(before);
	kfree(ours.memory);
	kfree(mainline.memory);
	return err;
}
module_init(sm4_requests_init);

/* As MODULE_IMPORT_NS(), whose argument is a string in newer kernels only */
MODULE_INFO(import_ns, "CRYPTO_INTERNAL");
MODULE_DESCRIPTION("bad requests for drivers of the crypto API");
MODULE_LICENSE("GPL");
