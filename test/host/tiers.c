// SPDX-License-Identifier: GPL-2.0
/*
 * Every function of every tier that this CPU can run, called as the modes call
 * them: against libgcrypt and against the C tier, on memory that cannot be
 * touched before or behind the buffers; and what they leave in registers and on
 * the stack.
 */
#include "case.h"
#include "reference.h"
#include "shim/control.h"
#include "sm3/sm3-fast.h"
#include "sm4-fast-core.h"
#include "vectors.h"
#include "watched-call.h"

/*
 * Every number of blocks up to this one is tried, and of others, up to a full
 * section, those beside a multiple of what a group has.
 */
#define SHORT_BLOCKS	80
#define SECTION_BLOCKS	(SM4_SECTION_SIZE / BLOCK)
#define GROUP_BLOCKS	8

static size_t next_length(size_t blocks)
{
	do {
		blocks++;
	} while (blocks > SHORT_BLOCKS && (blocks + 1) % GROUP_BLOCKS > 2);
	return blocks;
}

/* An operation in one direction, and the mode that knows the right answer */
struct operation {
	const char *name;
	enum sm4_operation operation;
	const char *mode;
	bool decrypts;
};

static const struct operation operations[] = {
	{ "ecb encryption", SM4_ECB, "ecb(sm4)", .decrypts = false },
	{ "ecb decryption", SM4_ECB, "ecb(sm4)", .decrypts = true },
	{ "cbc encryption", SM4_CBC_ENCRYPT, "cbc(sm4)", .decrypts = false },
	{ "cbc decryption", SM4_CBC_DECRYPT, "cbc(sm4)", .decrypts = true },
	{ "ctr", SM4_CTR, "ctr(sm4)", .decrypts = false },
	{ "xts encryption", SM4_XTS, "xts(sm4)", .decrypts = false },
	{ "xts decryption", SM4_XTS, "xts(sm4)", .decrypts = true },
	{ "xts-gb encryption", SM4_XTS_GB, "gbt17964(xts(sm4))",
	  .decrypts = false },
	{ "xts-gb decryption", SM4_XTS_GB, "gbt17964(xts(sm4))",
	  .decrypts = true },
};

/* What a test case is about */
struct subject {
	const struct sm4_tier *tier;
	const struct operation *operation;	/* if it is about one */
};

/* ---- memory ---- */

enum position { AT_END, AT_START, ANYWHERE, POSITIONS };

static struct guarded source_memory, destination_memory, hashed_memory;
static struct guarded lanes_memory;

static u8 *place(const struct guarded *memory, enum position position,
		 size_t bytes)
{
	size_t room = memory->bytes - bytes;

	switch (position) {
	case AT_END:
		return memory->start + room;
	case AT_START:
		return memory->start;
	default:
		return memory->start + random_below(room + 1);
	}
}

/* So many bytes on both sides of a destination are watched, too. */
#define AROUND		64
#define AROUND_VALUE	0x5a

static size_t around_before(const struct guarded *memory, const u8 *p)
{
	return min_t(size_t, AROUND, p - memory->start);
}

static size_t around_after(const struct guarded *memory, const u8 *end)
{
	return min_t(size_t, AROUND, memory->start + memory->bytes - end);
}

static void fill_around(const struct guarded *memory, u8 *p, size_t bytes)
{
	size_t before = around_before(memory, p);

	memset(p - before, AROUND_VALUE, before);
	memset(p + bytes, AROUND_VALUE, around_after(memory, p + bytes));
}

static void check_around(const struct guarded *memory, const u8 *p,
			 size_t bytes)
{
	size_t before = around_before(memory, p);
	u8 expected[AROUND];

	memset(expected, AROUND_VALUE, sizeof(expected));
	check_bytes(p - before, expected, before, "memory before");
	check_bytes(p + bytes, expected, around_after(memory, p + bytes),
		    "memory behind");
}

/* ---- calling a tier ---- */

static void begin(const struct sm4_tier *tier)
{
	check(sm4_begin(tier) == tier);
}

static void call_crypt(const struct sm4_tier *tier,
		       const struct operation *operation,
		       const struct sm4_key *key, u8 *dst, const u8 *src,
		       u8 *iv, size_t bytes)
{
	begin(tier);
	tier->crypt[operation->operation](operation->decrypts ? &key->dec :
					  &key->enc, dst, src, iv, bytes);
	sm4_end(tier);
}

/* ---- the operations ---- */

/* A message, its right answer, and what a tier needs to work on it */
static struct {
	u8 key[2 * SM4_KEY_SIZE], iv[BLOCK];
	u8 in[SM4_SECTION_SIZE], out[SM4_SECTION_SIZE];
	u8 tier_iv[BLOCK];	/* what the tier takes: XTS encrypts the IV */
} message;

static void encrypt_block(const u8 *key, u8 *dst, const u8 *src)
{
	libgcrypt.skcipher(find_skcipher_mode("ecb(sm4)"), key, NULL, dst, src,
			   BLOCK);
}

/* A random message of that length by the key and IV in @message */
static void make_message(const struct operation *operation, size_t bytes)
{
	u8 *plaintext = operation->decrypts ? message.out : message.in;
	u8 *ciphertext = operation->decrypts ? message.in : message.out;

	random_fill(plaintext, bytes);
	memcpy(message.tier_iv, message.iv, BLOCK);
	if (operation->operation == SM4_XTS ||
	    operation->operation == SM4_XTS_GB)
		encrypt_block(message.key + SM4_KEY_SIZE, message.tier_iv,
			      message.iv);
	if (bytes)
		libgcrypt.skcipher(find_skcipher_mode(operation->mode),
				   message.key, message.iv, ciphertext,
				   plaintext, bytes);
}

/*
 * Let the tier work on the message in @message, at one go or in two, and look
 * at its output and at the IV that it leaves, which the C tier has to agree on.
 */
static void check_crypt(const struct subject *subject, size_t bytes,
			size_t first, enum position position, bool in_place)
{
	const struct operation *operation = subject->operation;
	const struct sm4_tier *tier = sm4_tier_for(subject->tier,
						   operation->operation);
	u8 *src = place(&source_memory, position, bytes);
	u8 *dst = in_place ? src : place(&destination_memory, position, bytes);
	u8 iv[BLOCK], iv_of_c_tier[BLOCK], out_of_c_tier[SM4_SECTION_SIZE];
	struct sm4_key key;

	describe("%s of %zu bytes, %zu of them first, position %d, %s",
		 operation->name, bytes, first, position,
		 in_place ? "in place" : "apart");
	fill_around(in_place ? &source_memory : &destination_memory, dst,
		    bytes);
	memcpy(src, message.in, bytes);
	sm4_set_key(tier, &key, message.key);
	memcpy(iv, message.tier_iv, BLOCK);
	call_crypt(tier, operation, &key, dst, src, iv, first);
	call_crypt(tier, operation, &key, dst + first, src + first, iv,
		   bytes - first);
	check_bytes(dst, message.out, bytes, "output");
	if (!in_place)
		check_bytes(src, message.in, bytes, "source");
	check_around(in_place ? &source_memory : &destination_memory, dst,
		     bytes);

	memcpy(iv_of_c_tier, message.tier_iv, BLOCK);
	call_crypt(&sm4_ttable, operation, &key, out_of_c_tier, message.in,
		   iv_of_c_tier, bytes);
	check_bytes(out_of_c_tier, message.out, bytes, "the C tier's output");
	check_bytes(iv, iv_of_c_tier, BLOCK, "the IV that is left");
}

static void check_crypt_everywhere(const struct subject *subject, size_t bytes)
{
	enum position position;
	int in_place;

	random_fill(message.key, sizeof(message.key));
	random_fill(message.iv, sizeof(message.iv));
	make_message(subject->operation, bytes);
	for (position = 0; position < POSITIONS; position++) {
		for (in_place = 0; in_place <= 1; in_place++) {
			size_t blocks = bytes / BLOCK;

			check_crypt(subject, bytes, 0, position, in_place);
			check_crypt(subject, bytes,
				    BLOCK * random_below(blocks + 1), position,
				    in_place);
		}
	}
}

static void test_operation(const void *argument)
{
	const struct subject *subject = argument;
	size_t blocks;

	for (blocks = 0; blocks <= SECTION_BLOCKS; blocks = next_length(blocks))
		check_crypt_everywhere(subject, blocks * BLOCK);
}

/*
 * CBC decryption wants the ciphertext before each block, which in place is gone once
 * the block before has been written: so groups have to be written last one first,
 * and of a batch after its next IV has been kept.
 */
static void test_cbc_in_place(const void *argument)
{
	size_t blocks;

	random_fill(message.key, sizeof(message.key));
	for (blocks = 1; blocks <= SECTION_BLOCKS; blocks++) {
		random_fill(message.iv, sizeof(message.iv));
		make_message(((const struct subject *)argument)->operation,
			     blocks * BLOCK);
		check_crypt(argument, blocks * BLOCK, 0, AT_END, true);
	}
}

static void test_ctr_partial_blocks(const void *argument)
{
	size_t bytes;

	for (bytes = 0; bytes <= SHORT_BLOCKS * BLOCK; bytes++)
		check_crypt_everywhere(argument, bytes);
	for (; bytes <= SM4_SECTION_SIZE; bytes += 1 + random_below(40))
		check_crypt_everywhere(argument, bytes);
}

/* A counter whose last bits are all set after so many blocks */
static void check_ctr_wrap(const struct subject *subject, unsigned int bits,
			   size_t position, size_t blocks)
{
	u8 *end = message.iv + BLOCK;

	random_fill(message.iv, BLOCK);
	memset(end - bits / 8, 0xff, bits / 8);
	put_unaligned_be32(-1 - position, end - sizeof(u32));
	make_message(subject->operation, blocks * BLOCK);
	check_crypt(subject, blocks * BLOCK, min(position, blocks) * BLOCK,
		    AT_END, false);
	check_crypt(subject, blocks * BLOCK, 0, AT_END, true);
}

/*
 * Counters that carry out of their last 32, 64, 96 and 128 bits in any block, also
 * of batches of all groups, and before others
 */
static void test_ctr_wraps(const void *argument)
{
	unsigned int bits;
	size_t position;

	random_fill(message.key, sizeof(message.key));
	for (bits = 32; bits <= 128; bits += 32) {
		for (position = 0; position <= SHORT_BLOCKS; position++)
			check_ctr_wrap(argument, bits, position, SHORT_BLOCKS);
		for (position = 0; position <= SECTION_BLOCKS;
		     position += 1 + random_below(9))
			check_ctr_wrap(argument, bits, position, SECTION_BLOCKS -
				       random_below(SHORT_BLOCKS));
	}
}

static void test_standard_examples(const void *argument)
{
	const struct subject *subject = argument;
	const struct sm4_tier *tier = subject->tier;
	struct sm4_key key;
	unsigned int n;
	size_t i;

	for (i = 0; i < cipher_vector_count; i++) {
		const struct cipher_vector *vector = &cipher_vectors[i];
		u8 raw[BLOCK], plaintext[BLOCK], ciphertext[BLOCK];
		u8 block[BLOCK];

		describe("%s", vector->source);
		from_hex(raw, vector->key);
		from_hex(plaintext, vector->plaintext);
		from_hex(ciphertext, vector->ciphertext);
		sm4_set_key(tier, &key, raw);
		check_bytes(key.enc.plain, sm4_example_round_keys,
			    sizeof(key.enc.plain), "round keys");

		memcpy(block, plaintext, BLOCK);
		begin(tier);
		for (n = 0; n < vector->repetitions; n++)
			tier->crypt[SM4_ECB](&key.enc, block, block, NULL,
					     BLOCK);
		check_bytes(block, ciphertext, BLOCK, "ciphertext");
		for (n = 0; n < vector->repetitions; n++)
			tier->crypt[SM4_ECB](&key.dec, block, block, NULL,
					     BLOCK);
		sm4_end(tier);
		check_bytes(block, plaintext, BLOCK, "plaintext");
	}
}

static void test_key_schedule(const void *argument)
{
	const struct subject *subject = argument;
	u32 plain_of_c_tier[SM4_ROUNDS];
	u8 raw[SM4_KEY_SIZE];
	int i;

	for (i = 0; i < 1000; i++) {
		u8 *key = place(&source_memory, i % POSITIONS, SM4_KEY_SIZE);
		/* Round keys are words in a struct, hence aligned. */
		u32 *plain = (u32 *)place(&destination_memory, i % 2,
					  sizeof(plain_of_c_tier));

		random_fill(raw, sizeof(raw));
		memcpy(key, raw, sizeof(raw));
		begin(subject->tier);
		subject->tier->key_schedule(plain, key);
		sm4_end(subject->tier);
		sm4_ttable.key_schedule(plain_of_c_tier, raw);
		check_bytes(plain, plain_of_c_tier, sizeof(plain_of_c_tier),
			    "round keys");
	}
}

/* ---- the MACs ---- */

static void test_cbc_mac(const void *argument)
{
	const struct subject *subject = argument;
	const struct sm4_tier *tier = subject->tier;
	const struct mac_mode *mode = find_mac_mode("cbcmac(sm4)");
	size_t blocks;

	for (blocks = 0; blocks <= SHORT_BLOCKS; blocks++) {
		size_t first = random_below(blocks + 1);
		u8 *src = place(&source_memory, blocks % POSITIONS,
				blocks * BLOCK);
		u8 raw[SM4_KEY_SIZE], expected[BLOCK], mac[BLOCK] = { 0 };
		struct sm4_key key;

		describe("%zu blocks", blocks);
		random_fill(raw, sizeof(raw));
		random_fill(src, blocks * BLOCK);
		libgcrypt.mac(mode, raw, src, blocks * BLOCK, expected);
		sm4_set_key(tier, &key, raw);
		begin(tier);
		tier->cbc_mac(&key.enc, mac, src, first);
		tier->cbc_mac(&key.enc, mac, src + first * BLOCK,
			      blocks - first);
		sm4_end(tier);
		check_bytes(mac, expected, BLOCK, "MAC");
	}
}

/* ---- CCM ---- */

/* A message, its right answer, and what there is before its text */
static struct {
	u8 plaintext[SHORT_BLOCKS * BLOCK], ciphertext[SHORT_BLOCKS * BLOCK];
	struct sm4_key key;
	struct sm4_ccm_state start, end;
} ccm;

/* A random one, whose counter's last 32 bits may overflow, and no others change */
static void make_ccm_message(const struct sm4_tier *tier, size_t blocks)
{
	u8 raw[SM4_KEY_SIZE];
	u32 count = -random_below(2 * SHORT_BLOCKS);
	size_t i;

	random_fill(raw, sizeof(raw));
	random_fill(&ccm.start, sizeof(ccm.start));
	random_fill(ccm.plaintext, blocks * BLOCK);
	sm4_set_key(tier, &ccm.key, raw);
	put_unaligned_be32(count, ccm.start.counter + BLOCK - sizeof(u32));
	ccm.end = ccm.start;
	for (i = 0; i < blocks; i++) {
		u8 *plaintext = ccm.plaintext + i * BLOCK;
		u8 *ciphertext = ccm.ciphertext + i * BLOCK;

		crypto_xor(ccm.end.mac, ccm.end.text, BLOCK);
		encrypt_block(raw, ccm.end.mac, ccm.end.mac);
		memcpy(ccm.end.text, plaintext, BLOCK);
		encrypt_block(raw, ciphertext, ccm.end.counter);
		crypto_xor(ciphertext, plaintext, BLOCK);
		put_unaligned_be32(++count, ccm.end.counter + BLOCK -
				   sizeof(u32));
	}
}

/* Let the tier work on the message, at one go or in two. */
static void check_ccm(const struct sm4_tier *tier, bool decrypts,
		      size_t blocks, size_t first, enum position position,
		      bool in_place)
{
	const u8 *in = decrypts ? ccm.ciphertext : ccm.plaintext;
	const u8 *out = decrypts ? ccm.plaintext : ccm.ciphertext;
	const struct guarded *written = in_place ? &source_memory :
						   &destination_memory;
	u8 *src = place(&source_memory, position, blocks * BLOCK);
	u8 *dst = in_place ? src : place(&destination_memory, position,
					 blocks * BLOCK);
	struct sm4_ccm_state state = ccm.start;

	describe("%s of %zu blocks, %zu of them first, position %d, %s",
		 decrypts ? "decryption" : "encryption", blocks, first,
		 position, in_place ? "in place" : "apart");
	fill_around(written, dst, blocks * BLOCK);
	memcpy(src, in, blocks * BLOCK);
	begin(tier);
	tier->ccm_crypt(&ccm.key.enc, dst, src, &state, first, decrypts);
	tier->ccm_crypt(&ccm.key.enc, dst + first * BLOCK, src + first * BLOCK,
			&state, blocks - first, decrypts);
	sm4_end(tier);
	check_bytes(dst, out, blocks * BLOCK, "output");
	check_bytes(&state, &ccm.end, sizeof(state), "state that is left");
	if (!in_place)
		check_bytes(src, in, blocks * BLOCK, "source");
	check_around(written, dst, blocks * BLOCK);
}

static void test_ccm(const void *argument)
{
	const struct subject *subject = argument;
	enum position position;
	size_t blocks;
	int way;

	for (blocks = 0; blocks <= SHORT_BLOCKS; blocks++) {
		make_ccm_message(subject->tier, blocks);
		for (position = 0; position < POSITIONS; position++) {
			for (way = 0; way < 4; way++) {
				check_ccm(subject->tier, way & 1, blocks, 0,
					  position, way & 2);
				check_ccm(subject->tier, way & 1, blocks,
					  random_below(blocks + 1), position,
					  way & 2);
			}
		}
	}
}

/* ---- CBC encryption beside SM3 ---- */

/*
 * CBC encryption with SM3 beside it, which hashes what is elsewhere, at any place,
 * or a little of what that has encrypted before: @lag bytes of it. In two calls.
 */
static void check_cbc_sm3(const struct sm4_tier *tier, size_t passes,
			  enum position position, bool in_place, size_t lag)
{
	const size_t bytes = passes * SM4_PASS_SIZE;
	const size_t first = random_below(passes + 1);
	u8 *dst = place(&destination_memory, lag ? ANYWHERE : position,
			bytes + lag) + lag;
	u8 *src = in_place ? dst : place(&source_memory, position, bytes);
	u8 *hashed = lag ? dst - lag : place(&hashed_memory, position, bytes);
	u8 raw[SM4_KEY_SIZE], iv[BLOCK], next[BLOCK];
	u8 before[2 * SM4_PASS_SIZE], expected[SM4_CHAIN_SECTION_SIZE];
	struct sm4_hashing hashing;
	u32 state[SM3_WORDS];
	struct sm4_key key;

	describe("%zu and %zu passes, hashing %zu bytes behind, %s", first,
		 passes - first, lag, in_place ? "in place" : "apart");
	random_fill(raw, sizeof(raw));
	random_fill(iv, sizeof(iv));
	random_fill(state, sizeof(state));
	random_fill(hashed, lag ? lag : bytes);
	memcpy(before, hashed, lag);
	random_fill(src, bytes);
	libgcrypt.skcipher(find_skcipher_mode("cbc(sm4)"), raw, iv, expected,
			   src, bytes);
	memcpy(next, bytes ? expected + bytes - BLOCK : iv, BLOCK);
	sm4_set_key(tier, &key, raw);
	memcpy(hashing.state, state, sizeof(state));
	hashing.src = hashed;
	fill_around(&destination_memory, dst - lag, bytes + lag);
	begin(tier);
	tier->cbc_encrypt_sm3(&key.enc, dst, src, iv, first, &hashing);
	check(hashing.src == hashed);
	hashing.src += first * SM4_PASS_SIZE;
	tier->cbc_encrypt_sm3(&key.enc, dst + first * SM4_PASS_SIZE,
			      src + first * SM4_PASS_SIZE, iv, passes - first,
			      &hashing);
	sm4_end(tier);
	check_bytes(dst, expected, bytes, "output");
	check_bytes(iv, next, BLOCK, "IV");
	check_bytes(dst - lag, before, lag, "what was hashed");
	check_around(&destination_memory, dst - lag, bytes + lag);
	sm3_generic.blocks(state, hashed, passes);
	check_bytes(hashing.state, state, sizeof(state), "state of SM3");
}

static void test_cbc_sm3(const void *argument)
{
	const struct subject *subject = argument;
	const size_t most = SM4_CHAIN_SECTION_SIZE / SM4_PASS_SIZE;
	size_t passes, position;

	for (passes = 0; passes <= most; passes++) {
		for (position = 0; position < POSITIONS; position++) {
			check_cbc_sm3(subject->tier, passes, position, false, 0);
			check_cbc_sm3(subject->tier, passes, position, true, 0);
		}
		for (position = 0; position < 8; position++) {
			size_t lag = SM4_PASS_SIZE + random_below(SM4_PASS_SIZE);

			check_cbc_sm3(subject->tier, passes, AT_END,
				      position % 2, lag);
		}
		check_cbc_sm3(subject->tier, passes, AT_END, true,
			      SM4_PASS_SIZE);
	}
}

/* ---- several messages at once ---- */

/* CBC in lanes, each with a key, an IV and a text of its own, in two calls */
static void check_cbc_lanes(const struct sm4_tier *tier, size_t blocks)
{
	/* at the end of their memory: AVX wants them aligned */
	struct sm4_lanes *lanes = (struct sm4_lanes *)
		(lanes_memory.start + lanes_memory.bytes -
		 round_up(sizeof(*lanes), (size_t)64));
	static u8 text[SM4_LANES][SM4_LANE_BLOCKS * BLOCK];
	u8 raw[SM4_KEY_SIZE], iv[SM4_LANES][BLOCK];
	const size_t first = random_below(blocks + 1);
	struct sm4_key key;
	unsigned int l, i;

	describe("%zu and %zu blocks", first, blocks - first);
	random_fill(lanes, sizeof(*lanes));
	random_fill(text, sizeof(text));
	random_fill(iv, sizeof(iv));
	memcpy(lanes->chain, iv, sizeof(iv));
	for (l = 0; l < SM4_LANES; l++) {
		random_fill(raw, sizeof(raw));
		sm4_set_key(tier, &key, raw);
		for (i = 0; i < SM4_ROUNDS / 4; i++)
			memcpy(lanes->keys[i][l], key.enc.mapped + 4 * i, BLOCK);
		for (i = 0; i < blocks; i++)
			memcpy(lanes->text[i][l], text[l] + i * BLOCK, BLOCK);
		if (blocks)
			libgcrypt.skcipher(find_skcipher_mode("cbc(sm4)"), raw,
					   iv[l], text[l], text[l],
					   blocks * BLOCK);
	}
	begin(tier);
	tier->set_lane_keys(lanes);
	tier->cbc_encrypt_lanes(lanes, first);
	sm4_end(tier);
	for (l = 0; l < SM4_LANES; l++) {
		check_bytes(lanes->chain[l], first ? text[l] + first * BLOCK - BLOCK :
			    iv[l], BLOCK, "chain");
		for (i = 0; i < first; i++)
			check_bytes(lanes->text[i][l], text[l] + i * BLOCK,
				    BLOCK, "output");
	}
	memmove(lanes->text, lanes->text[first],
		(blocks - first) * sizeof(lanes->text[0]));
	begin(tier);
	tier->cbc_encrypt_lanes(lanes, blocks - first);
	sm4_end(tier);
	for (l = 0; l < SM4_LANES; l++) {
		check_bytes(lanes->chain[l], blocks ? text[l] + blocks * BLOCK - BLOCK :
			    iv[l], BLOCK, "chain in the end");
		for (i = 0; i < blocks - first; i++)
			check_bytes(lanes->text[i][l],
				    text[l] + (first + i) * BLOCK, BLOCK,
				    "output in the end");
	}
}

static void test_cbc_lanes(const void *argument)
{
	const struct subject *subject = argument;
	unsigned int n;

	for (n = 0; n < 8 * (SM4_LANE_BLOCKS + 1); n++)
		check_cbc_lanes(subject->tier, n % (SM4_LANE_BLOCKS + 1));
}

/* SM3 in lanes, of which one has its blocks at an end of memory that ends there */
static void check_sm3_lanes(const struct sm4_tier *tier, size_t blocks,
			    unsigned int lane, enum position position)
{
	static u8 text[SM3_LANES_MAX][SM3_LANE_BLOCKS * SM3_BLOCK_SIZE];
	const size_t bytes = blocks * SM3_BLOCK_SIZE;
	struct sm3_lanes lanes;
	u32 state[SM3_LANES_MAX][SM3_WORDS];
	const u8 *src[SM3_LANES_MAX];
	unsigned int l, i;

	describe("%zu blocks, of lane %u at %d", blocks, lane, position);
	random_fill(&lanes, sizeof(lanes));
	random_fill(text, sizeof(text));
	for (l = 0; l < tier->sm3_lane_count; l++) {
		src[l] = l == lane ? place(&hashed_memory, position, bytes) :
			 text[l];
		if (l == lane)
			memcpy((u8 *)src[l], text[l], bytes);
		lanes.src[l] = src[l];
		for (i = 0; i < SM3_WORDS; i++)
			state[l][i] = lanes.state[i][l];
		sm3_generic.blocks(state[l], text[l], blocks);
	}
	begin(tier);
	tier->sm3_lanes(&lanes, blocks);
	sm4_end(tier);
	for (l = 0; l < tier->sm3_lane_count; l++) {
		check(lanes.src[l] == src[l] + bytes);
		for (i = 0; i < SM3_WORDS; i++)
			check_equal(lanes.state[i][l], state[l][i]);
	}
}

static void test_sm3_lanes(const void *argument)
{
	const struct subject *subject = argument;
	enum position position;
	unsigned int lane;
	size_t blocks;

	for (blocks = 0; blocks <= SM3_LANE_BLOCKS; blocks++)
		for (lane = 0; lane < subject->tier->sm3_lane_count; lane++)
			for (position = 0; position < POSITIONS; position++)
				check_sm3_lanes(subject->tier, blocks, lane,
						position);
}

/* ---- GHASH ---- */

/*
 * GHASH of @blocks of associated data and the block of lengths, by way of a
 * GCM tag: that is this GHASH, xored with the encrypted first counter.
 */
static void ghash_by_gcm(const u8 *key, const u8 *src, size_t blocks,
			 u8 lengths[BLOCK], u8 ghash[BLOCK])
{
	struct aead_message gcm = {
		.aad = src, .aad_bytes = blocks * BLOCK, .tag_bytes = BLOCK,
	};
	u8 counter[BLOCK] = { [15] = 1 };

	memcpy(gcm.key, key, SM4_KEY_SIZE);
	libgcrypt.aead(find_aead_mode("gcm(sm4)"), &gcm, ghash);
	encrypt_block(key, counter, counter);
	crypto_xor(ghash, counter, BLOCK);
	memset(lengths, 0, BLOCK);
	put_unaligned_be64(blocks * BLOCK * 8, lengths);
}

static void check_ghash(const struct sm4_tier *tier, size_t blocks)
{
	const u8 zeros[BLOCK] = { 0 };
	size_t first = random_below(blocks + 1);
	u8 raw[SM4_KEY_SIZE], h[BLOCK], hash[BLOCK] = { 0 };
	u8 lengths[BLOCK], expected[BLOCK];
	struct sm4_ghash_key key;
	enum position position;

	describe("%zu blocks", blocks);
	random_fill(raw, sizeof(raw));
	encrypt_block(raw, h, zeros);
	sm4_ttable.ghash_set_key(&key, h, GHASH_POWERS);
	for (position = 0; position < POSITIONS; position++) {
		u8 *src = place(&source_memory, position, blocks * BLOCK);

		random_fill(src, blocks * BLOCK);
		ghash_by_gcm(raw, src, blocks, lengths, expected);
		memset(hash, 0, BLOCK);
		begin(tier);
		tier->ghash(&key, hash, src, first);
		tier->ghash(&key, hash, src + first * BLOCK, blocks - first);
		tier->ghash(&key, hash, lengths, 1);
		sm4_end(tier);
		check_bytes(hash, expected, BLOCK, "GHASH");
	}
}

static void test_ghash(const void *argument)
{
	const struct subject *subject = argument;
	size_t blocks;

	for (blocks = 0; blocks <= SHORT_BLOCKS; blocks++)
		check_ghash(subject->tier, blocks);
	check_ghash(subject->tier, SECTION_BLOCKS - 1);
}

/* Hash keys and blocks of a single bit, or with all set: where carries show */
static void test_ghash_extremes(const void *argument)
{
	const struct subject *subject = argument;
	u8 h[BLOCK], src[BLOCK], hash[BLOCK], hash_of_c_tier[BLOCK];
	unsigned int h_bit, bit;
	struct sm4_ghash_key key;

	for (h_bit = 0; h_bit <= 128; h_bit++) {
		memset(h, h_bit < 128 ? 0 : 0xff, BLOCK);
		if (h_bit < 128)
			h[h_bit / 8] = 0x80 >> h_bit % 8;
		sm4_ttable.ghash_set_key(&key, h, GHASH_POWERS);
		for (bit = 0; bit <= 128; bit++) {
			describe("H of bit %u, block of bit %u", h_bit, bit);
			memset(src, bit < 128 ? 0 : 0xff, BLOCK);
			if (bit < 128)
				src[bit / 8] = 0x80 >> bit % 8;
			memset(hash, 0, BLOCK);
			memset(hash_of_c_tier, 0, BLOCK);
			begin(subject->tier);
			subject->tier->ghash(&key, hash, src, 1);
			sm4_end(subject->tier);
			sm4_ttable.ghash(&key, hash_of_c_tier, src, 1);
			check_bytes(hash, hash_of_c_tier, BLOCK, "GHASH");
		}
	}
}

/* What the C tier makes of the same H, power by power, and no more of them */
static void check_hash_key(const struct sm4_tier *tier, const u8 *h,
			   unsigned int powers)
{
	static struct sm4_ghash_key key, key_of_c_tier;
	unsigned int i;

	memset(&key, AROUND_VALUE, sizeof(key));
	memset(&key_of_c_tier, AROUND_VALUE, sizeof(key_of_c_tier));
	begin(tier);
	tier->ghash_set_key(&key, h, powers);
	sm4_end(tier);
	sm4_ttable.ghash_set_key(&key_of_c_tier, h, powers);
	for (i = 0; i < GHASH_POWERS; i++) {
		describe("%u powers, of them H^%u", powers, GHASH_POWERS - i);
		check_bytes(key.powers[i], key_of_c_tier.powers[i],
			    sizeof(key.powers[i]), "power");
		check_bytes(&key.middle[i][0], &key_of_c_tier.middle[i][0],
			    sizeof(key.middle[i][0]), "middle factor");
	}
}

static void test_hash_key(const void *argument)
{
	const struct subject *subject = argument;
	unsigned int i;
	u8 *h;

	for (i = 1; i <= GHASH_POWERS; i++) {
		h = place(&source_memory, i % POSITIONS, BLOCK);
		random_fill(h, BLOCK);
		check_hash_key(subject->tier, h, i);
	}
	for (i = 0; i < 128; i++) {
		memset(h, 0, BLOCK);
		h[i / 8] = 0x80 >> i % 8;
		check_hash_key(subject->tier, h, GHASH_POWERS);
	}
}

/* ---- GCM ---- */

/* A message, its right answer, and what a tier needs to work on it */
static struct {
	u8 in[SM4_SECTION_SIZE], out[SM4_SECTION_SIZE];
	u8 tag[BLOCK];
	struct sm4_gcm_key key;
	struct sm4_gcm_state state;	/* before the text */
} gcm;

/* A random one, with the hash of @aad_bytes of associated data taken in */
static void make_gcm_message(const struct subject *subject, bool decrypts,
			     size_t bytes, size_t aad_bytes)
{
	static u8 text[SM4_SECTION_SIZE], sealed[SM4_SECTION_SIZE + BLOCK];
	u8 aad[4 * BLOCK] = { 0 };
	struct aead_message sealing = {
		.aad = aad, .aad_bytes = aad_bytes, .text = text,
		.text_bytes = bytes, .tag_bytes = BLOCK,
	};

	random_fill(sealing.key, sizeof(sealing.key));
	random_fill(sealing.iv, sizeof(sealing.iv));
	random_fill(aad, aad_bytes);
	random_fill(text, bytes);
	libgcrypt.aead(find_aead_mode("gcm(sm4)"), &sealing, sealed);
	memcpy(gcm.in, decrypts ? sealed : text, bytes);
	memcpy(gcm.out, decrypts ? text : sealed, bytes);
	memcpy(gcm.tag, sealed + bytes, BLOCK);

	sm4_gcm_set_key(subject->tier, &gcm.key, sealing.key);
	memset(&gcm.state, 0, sizeof(gcm.state));
	memcpy(gcm.state.counter, sealing.iv, BLOCK - sizeof(u32));
	put_unaligned_be32(1, gcm.state.counter + BLOCK - sizeof(u32));
	put_unaligned_be64(aad_bytes * 8, gcm.state.lengths);
	put_unaligned_be64(bytes * 8, gcm.state.lengths + 8);
	begin(subject->tier);
	subject->tier->ghash(&gcm.key.hash, gcm.state.hash, aad,
			     DIV_ROUND_UP(aad_bytes, BLOCK));
	sm4_end(subject->tier);
}

#define AT_ONE_GO	SIZE_MAX

/*
 * Let the tier work on the message, in two parts, of which the @first may have no
 * bytes, or AT_ONE_GO.
 */
static void check_gcm(const struct subject *subject, bool decrypts,
		      size_t bytes, size_t first, enum position position,
		      bool in_place)
{
	sm4_gcm_function *crypt = subject->tier->gcm;
	u8 *src = place(&source_memory, position, bytes);
	u8 *dst = in_place ? src : place(&destination_memory, position, bytes);
	const struct guarded *written = in_place ? &source_memory :
						   &destination_memory;
	struct sm4_gcm_state state = gcm.state;
	unsigned int way = decrypts ? SM4_GCM_DECRYPTS : 0;
	unsigned int part = way | SM4_GCM_FIRST;

	if (first == AT_ONE_GO) {
		part |= SM4_GCM_LAST;
		first = bytes;
	}
	describe("%s of %zu bytes, %zu of them first, position %d, %s",
		 decrypts ? "decryption" : "encryption", bytes, first, position,
		 in_place ? "in place" : "apart");
	fill_around(written, dst, bytes);
	memcpy(src, gcm.in, bytes);
	random_fill(state.mask, BLOCK);	/* unset before the first part */
	begin(subject->tier);
	crypt(&gcm.key, dst, src, &state, first, part);
	if (!(part & SM4_GCM_LAST))
		crypt(&gcm.key, dst + first, src + first, &state, bytes - first,
		      way | SM4_GCM_LAST);
	sm4_end(subject->tier);
	check_bytes(dst, gcm.out, bytes, "output");
	check_bytes(state.hash, gcm.tag, BLOCK, "tag");
	if (!in_place)
		check_bytes(src, gcm.in, bytes, "source");
	check_around(written, dst, bytes);
}

static void check_gcm_everywhere(const struct subject *subject, bool decrypts,
				 size_t bytes)
{
	enum position position;
	int in_place;

	for (position = 0; position < POSITIONS; position++) {
		for (in_place = 0; in_place <= 1; in_place++) {
			size_t blocks = bytes / BLOCK;

			check_gcm(subject, decrypts, bytes, AT_ONE_GO, position,
				  in_place);
			check_gcm(subject, decrypts, bytes,
				  BLOCK * random_below(blocks + 1), position,
				  in_place);
		}
	}
}

static void test_gcm(const struct subject *subject, bool decrypts)
{
	size_t bytes;

	for (bytes = 0; bytes <= SHORT_BLOCKS * BLOCK; bytes++) {
		make_gcm_message(subject, decrypts, bytes,
				 random_below(4 * BLOCK + 1));
		check_gcm_everywhere(subject, decrypts, bytes);
	}
	for (; bytes <= SM4_SECTION_SIZE; bytes += 1 + random_below(40)) {
		make_gcm_message(subject, decrypts, bytes, 0);
		check_gcm_everywhere(subject, decrypts, bytes);
	}
	make_gcm_message(subject, decrypts, SM4_SECTION_SIZE, BLOCK);
	check_gcm_everywhere(subject, decrypts, SM4_SECTION_SIZE);
}

static void test_gcm_encryption(const void *argument)
{
	test_gcm(argument, false);
}

static void test_gcm_decryption(const void *argument)
{
	test_gcm(argument, true);
}

/* Every split of a message into two parts */
static void test_gcm_parts(const void *argument)
{
	const struct subject *subject = argument;
	const size_t bytes = 2 * SHORT_BLOCKS * BLOCK;
	size_t first;
	int decrypts;

	for (decrypts = 0; decrypts <= 1; decrypts++) {
		make_gcm_message(subject, decrypts, bytes, BLOCK);
		for (first = 0; first <= bytes; first += BLOCK)
			check_gcm(subject, decrypts, bytes, first, AT_END,
				  false);
	}
}

/* A counter of which J0 is so many blocks before its last 32 bits overflow */
static void check_gcm_wrap(const struct subject *subject, size_t position,
			   size_t blocks)
{
	static u8 counters[SM4_SECTION_SIZE + BLOCK];
	const size_t bytes = blocks * BLOCK;
	u8 raw[SM4_KEY_SIZE], j0[BLOCK], hash[BLOCK] = { 0 };
	size_t i;

	random_fill(raw, sizeof(raw));
	random_fill(j0, sizeof(j0));
	for (i = 0; i <= blocks; i++) {
		u8 *counter = counters + i * BLOCK;

		memcpy(counter, j0, BLOCK);
		put_unaligned_be32(i - position, counter + BLOCK - sizeof(u32));
	}
	memcpy(j0, counters, BLOCK);
	libgcrypt.skcipher(find_skcipher_mode("ecb(sm4)"), raw, NULL, counters,
			   counters, bytes + BLOCK);
	random_fill(gcm.in, bytes);
	crypto_xor_cpy(gcm.out, gcm.in, counters + BLOCK, bytes);

	sm4_gcm_set_key(subject->tier, &gcm.key, raw);
	memset(&gcm.state, 0, sizeof(gcm.state));
	memcpy(gcm.state.counter, j0, BLOCK);
	sm4_ttable.ghash(&gcm.key.hash, hash, gcm.out, blocks);
	sm4_ttable.ghash(&gcm.key.hash, hash, gcm.state.lengths, 1);
	crypto_xor_cpy(gcm.tag, hash, counters, BLOCK);
	check_gcm(subject, false, bytes, AT_ONE_GO, AT_END, false);
	check_gcm(subject, false, bytes, BLOCK * random_below(blocks + 1),
		  AT_END, true);
}

/* The counter's last 32 bits overflow, and no others change, at any block. */
static void test_gcm_wraps(const void *argument)
{
	size_t position;

	for (position = 0; position <= SHORT_BLOCKS + 1; position++)
		check_gcm_wrap(argument, position, SHORT_BLOCKS);
	for (position = 0; position <= SECTION_BLOCKS + 1;
	     position += 1 + random_below(9))
		check_gcm_wrap(argument, position,
			       SECTION_BLOCKS - random_below(SHORT_BLOCKS));
}

/* ---- what is left behind ---- */

/*
 * Call a function twice, each time with other keys and data in the same places:
 * then nothing that depends on either may be different afterwards in registers
 * or on the stack. A counter is no secret.
 */
struct leftovers {
	struct watched_call call;
	struct {
		struct sm4_gcm_key key;
		u32 round_keys[SM4_ROUNDS];
		u8 data[SM4_SECTION_SIZE], iv[BLOCK];
		struct sm4_ccm_state ccm;
	} secret;
	u8 counter[BLOCK], counter_byte;	/* which is all of its bytes at first */
	struct sm4_gcm_state gcm;
	struct sm4_hashing hashing;
	struct sm4_lanes lanes;
	struct sm3_lanes sm3_lanes;
};

static void check_leftovers(struct leftovers *leftovers, const char *name)
{
	struct watched_call first;
	int n, i;

	for (n = 0; n < 2; n++) {
		random_fill(&leftovers->secret, sizeof(leftovers->secret));
		memset(leftovers->counter, leftovers->counter_byte, BLOCK);
		memset(leftovers->secret.ccm.counter, leftovers->counter_byte,
		       BLOCK);
		memset(&leftovers->gcm, 0xff, sizeof(leftovers->gcm));
		random_fill(leftovers->gcm.hash, BLOCK);
		random_fill(leftovers->hashing.state,
			    sizeof(leftovers->hashing.state));
		random_fill(&leftovers->lanes, sizeof(leftovers->lanes));
		random_fill(leftovers->sm3_lanes.state,
			    sizeof(leftovers->sm3_lanes.state));
		for (i = 0; i < SM3_LANES_MAX; i++)
			leftovers->sm3_lanes.src[i] = leftovers->secret.data;
		watched_call(&leftovers->call);
		if (!n)
			first = leftovers->call;
	}
	describe("%s of %lu bytes or blocks", name,
		 (unsigned long)leftovers->call.arguments[4]);
	check_same_left(&leftovers->call, &first);
}

static void watch(struct leftovers *leftovers, const char *name,
		  const void *function, void *a, void *b, void *c, void *d,
		  u64 e, u64 f)
{
	struct watched_call *call = &leftovers->call;

	if (!function)
		return;
	call->function = function;
	call->arguments[0] = (uintptr_t)a;
	call->arguments[1] = (uintptr_t)b;
	call->arguments[2] = (uintptr_t)c;
	call->arguments[3] = (uintptr_t)d;
	call->arguments[4] = e;
	call->arguments[5] = f;
	check_leftovers(leftovers, name);
}

/*
 * A counter that overflows in the first batch, which is then counted block by block,
 * and one that never does
 */
static void watch_ctr(struct leftovers *leftovers, const struct sm4_tier *tier,
		      size_t bytes)
{
	static const u8 counter_bytes[] = { 0xff, 0 };
	typeof(leftovers->secret) *secret = &leftovers->secret;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counter_bytes); i++) {
		leftovers->counter_byte = counter_bytes[i];
		watch(leftovers, "CTR", tier->crypt[SM4_CTR],
		      &secret->key.cipher.enc, secret->data, secret->data,
		      leftovers->counter, bytes, 0);
	}
}

/* Every set of parts; only the last part may end within a block. */
static void watch_gcm(struct leftovers *leftovers, const struct sm4_tier *tier,
		      size_t bytes)
{
	typeof(leftovers->secret) *secret = &leftovers->secret;
	unsigned int part;

	for (part = 0; part < 2 * SM4_GCM_DECRYPTS; part++) {
		size_t less = part & SM4_GCM_LAST && bytes ?
			      random_below(BLOCK) : 0;

		watch(leftovers, "GCM", tier->gcm, &secret->key, secret->data,
		      secret->data, &leftovers->gcm, bytes - less, part);
	}
}

static void test_leftovers(const void *argument)
{
	const struct subject *subject = argument;
	const struct sm4_tier *tier = subject->tier;
	struct leftovers *leftovers = aligned_alloc(64, sizeof(*leftovers));
	typeof(leftovers->secret) *secret = &leftovers->secret;
	size_t blocks, i;

	memset(leftovers, 0, sizeof(*leftovers));
	leftovers->call.has_avx512 =
		boot_cpu_has(X86_FEATURE_AVX512F) &&
		cpu_has_xfeatures(XFEATURE_MASK_AVX512, NULL);
	watch(leftovers, "keys of lanes", tier->set_lane_keys,
	      &leftovers->lanes, NULL, NULL, NULL, 0, 0);
	for (blocks = 0; blocks <= SM4_LANE_BLOCKS; blocks++) {
		watch(leftovers, "CBC in lanes", tier->cbc_encrypt_lanes,
		      &leftovers->lanes, (void *)blocks, NULL, NULL, blocks, 0);
		watch(leftovers, "SM3 in lanes", tier->sm3_lanes,
		      &leftovers->sm3_lanes, (void *)blocks, NULL, NULL, blocks,
		      0);
	}
	watch(leftovers, "key schedule", tier->key_schedule, secret->round_keys,
	      secret->data, NULL, NULL, 0, 0);
	for (blocks = 0; blocks <= SECTION_BLOCKS; blocks = next_length(blocks)) {
		for (i = 0; i < ARRAY_SIZE(operations); i++) {
			enum sm4_operation operation = operations[i].operation;

			if (operation != SM4_CTR)
				watch(leftovers, operations[i].name,
				      tier->crypt[operation],
				      &secret->key.cipher.enc, secret->data,
				      secret->data, secret->iv,
				      blocks * BLOCK, 0);
		}
		watch_ctr(leftovers, tier, blocks * BLOCK);
		if (blocks)
			watch_ctr(leftovers, tier,
				  blocks * BLOCK - 1 - random_below(BLOCK - 1));
		watch(leftovers, "CBC-MAC", tier->cbc_mac,
		      &secret->key.cipher.enc, secret->iv, secret->data,
		      (void *)blocks, blocks, 0);
		leftovers->hashing.src = secret->data;
		watch(leftovers, "CBC encryption beside SM3",
		      tier->cbc_encrypt_sm3, &secret->key.cipher.enc,
		      secret->data, secret->data, secret->iv,
		      blocks * BLOCK / SM4_PASS_SIZE,
		      (uintptr_t)&leftovers->hashing);
		for (i = 0; i <= 1; i++)
			watch(leftovers, "CCM", tier->ccm_crypt,
			      &secret->key.cipher.enc, secret->data,
			      secret->data, &secret->ccm, blocks, i);
		if (!sm4_tier_has_gcm(tier))
			continue;
		watch(leftovers, "powers of H", tier->ghash_set_key,
		      &secret->key.hash, secret->data,
		      (void *)(1 + blocks % GHASH_POWERS), NULL, blocks, 0);
		watch(leftovers, "GHASH", tier->ghash, &secret->key.hash,
		      secret->iv, secret->data, (void *)blocks, blocks, 0);
		watch_gcm(leftovers, tier, blocks * BLOCK);
	}
	free(leftovers);
}

/* H, which is a block of zeros, encrypted */
static void test_hash_key_wiped(const void *argument)
{
	const struct subject *subject = argument;
	u8 raw[SM4_KEY_SIZE], h[BLOCK] = { 0 };

	random_fill(raw, sizeof(raw));
	encrypt_block(raw, h, h);
	shim_forget_wiped();
	sm4_gcm_set_key(subject->tier, &gcm.key, raw);
	check(shim_wiped(h, BLOCK));
}

/* What the C tier works on at a time, and what fills it twice and begins once more */
#define BATCH_BLOCKS	4
#define WIPED_BLOCKS	(2 * BATCH_BLOCKS + 1)

/* In the end a batch has the secrets of so many last blocks of a message. */
static void check_batch_wiped(const u8 *secrets, size_t blocks)
{
	size_t i = blocks > BATCH_BLOCKS ? blocks - BATCH_BLOCKS : 0;

	for (; i < blocks; i++) {
		describe("block %zu of %zu", i, blocks);
		check(shim_wiped(secrets + i * BLOCK, BLOCK));
	}
}

/* The keystream and the tweaks of messages that fill batches or do not */
static void check_batches_wiped(const struct sm4_key *key)
{
	u8 text[WIPED_BLOCKS * BLOCK], tweaks[WIPED_BLOCKS * BLOCK];
	u8 tweak[BLOCK];
	size_t blocks, i;

	for (blocks = 1; blocks <= WIPED_BLOCKS; blocks++) {
		memset(text, 0, sizeof(text));
		random_fill(message.iv, BLOCK);
		shim_forget_wiped();
		sm4_ttable.crypt[SM4_CTR](&key->enc, text, text, message.iv,
					  blocks * BLOCK);
		check_batch_wiped(text, blocks);

		random_fill(tweak, BLOCK);
		memcpy(tweaks, tweak, BLOCK);
		for (i = BLOCK; i < sizeof(tweaks); i += BLOCK) {
			memcpy(tweaks + i, tweaks + i - BLOCK, BLOCK);
			sm4_xts_next_tweak(tweaks + i);
		}
		shim_forget_wiped();
		sm4_ttable.crypt[SM4_XTS](&key->enc, text, text, tweak,
					  blocks * BLOCK);
		check_batch_wiped(tweaks, blocks);
	}
}

/* Karatsuba's three factors of a power, of each 60 bits by their position modulo 4 */
static void check_factors_wiped(const u64 power[2])
{
	const u64 words[] = { power[0], power[1], power[0] ^ power[1] };
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		u64 classes[4];

		for (n = 0; n < ARRAY_SIZE(classes); n++)
			classes[n] = words[i] & 0x0111111111111111 << n;
		describe("factor %zu", i);
		check(shim_wiped(classes, sizeof(classes)));
	}
}

/* The C tier's words of the key, its keystream, and what GHASH works on */
static void test_c_tier_wipes(const void *argument)
{
	const struct subject *subject = argument;
	const struct sm4_tier *tier = subject->tier;
	u8 raw[SM4_KEY_SIZE], h[BLOCK], hash[BLOCK] = { 0 };
	u8 keystream[BLOCK] = { 0 };
	struct sm4_ghash_key hash_key;
	struct sm4_gcm_state state = { 0 };
	struct sm4_key key;
	u64 product[2];

	random_fill(raw, sizeof(raw));
	shim_forget_wiped();
	sm4_set_key(tier, &key, raw);
	check(shim_wiped(key.enc.plain + SM4_ROUNDS - 4, BLOCK));

	check_batches_wiped(&key);

	random_fill(&ccm.start, sizeof(ccm.start));
	shim_forget_wiped();
	tier->ccm_crypt(&key.enc, keystream, keystream, &ccm.start, 1, false);
	check(shim_wiped(keystream, BLOCK));
	check(shim_wiped(ccm.start.mac, BLOCK));
	memset(keystream, 0, BLOCK);

	sm4_gcm_set_key(tier, &gcm.key, raw);
	shim_forget_wiped();
	tier->gcm(&gcm.key, keystream, keystream, &state, BLOCK, SM4_GCM_FIRST);
	check(shim_wiped(keystream, BLOCK));
	check_factors_wiped(gcm.key.hash.powers[GHASH_POWERS - 1]);

	random_fill(h, BLOCK);
	shim_forget_wiped();
	tier->ghash_set_key(&hash_key, h, 1);
	check_factors_wiped(hash_key.powers[GHASH_POWERS - 1]);
	shim_forget_wiped();
	tier->ghash(&hash_key, hash, h, 1);
	product[0] = get_unaligned_be64(hash + 8);
	product[1] = get_unaligned_be64(hash);
	check(shim_wiped(product, BLOCK));
	check_factors_wiped(hash_key.powers[GHASH_POWERS - 1]);

	/* The same for a power too many, which is not kept */
	tier->ghash_set_key(&hash_key, h, 2);
	memcpy(product, hash_key.powers[GHASH_POWERS - 2], BLOCK);
	shim_forget_wiped();
	tier->ghash_set_key(&hash_key, h, 1);
	check(shim_wiped(product, BLOCK));
}

/* ---- all of it, for each tier ---- */

static void test_unusable(const void *argument)
{
	const struct subject *subject = argument;

	skip_case("this CPU lacks a feature that %s needs",
		  subject->tier->name);
}

static void add(case_function *function, const struct sm4_tier *tier,
		const struct operation *operation, const char *name)
{
	struct subject *subject = malloc(sizeof(*subject));

	*subject = (struct subject){ tier, operation };
	add_case(function, subject, "/tiers/%s/%s", tier->name, name);
}

static void add_tier(const struct sm4_tier *tier)
{
	const struct operation *ctr = NULL;
	size_t i;

	if (!sm4_tier_usable(tier)) {
		add(test_unusable, tier, NULL, "all");
		return;
	}
	add(test_standard_examples, tier, NULL, "GB/T 32907");
	add(test_key_schedule, tier, NULL, "key schedule");
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		add(test_operation, tier, &operations[i], operations[i].name);
		if (operations[i].operation == SM4_CTR)
			ctr = &operations[i];
		if (operations[i].operation == SM4_CBC_DECRYPT)
			add(test_cbc_in_place, tier, &operations[i],
			    "cbc decryption, in place");
	}
	add(test_ctr_partial_blocks, tier, ctr, "ctr, partial blocks");
	add(test_ctr_wraps, tier, ctr, "ctr, counters that wrap");
	if (tier->cbc_mac)
		add(test_cbc_mac, tier, NULL, "cbc-mac");
	if (sm4_tier_has_cbc_sm3(tier))
		add(test_cbc_sm3, tier, NULL, "cbc encryption beside sm3");
	if (tier->cbc_encrypt_lanes)
		add(test_cbc_lanes, tier, NULL, "cbc encryption in lanes");
	if (tier->sm3_lanes)
		add(test_sm3_lanes, tier, NULL, "sm3 in lanes");
	if (tier->ccm_crypt)
		add(test_ccm, tier, NULL, "ccm");
	if (tier->features[0])
		add(test_leftovers, tier, NULL,
		    "registers and stack afterwards");
	else
		add(test_c_tier_wipes, tier, NULL, "secrets wiped");
	if (!sm4_tier_has_gcm(tier))
		return;
	add(test_hash_key, tier, NULL, "powers of the hash key");
	add(test_ghash, tier, NULL, "ghash");
	add(test_ghash_extremes, tier, NULL, "ghash, single bits");
	add(test_gcm_encryption, tier, NULL, "gcm encryption");
	add(test_gcm_decryption, tier, NULL, "gcm decryption");
	add(test_gcm_parts, tier, NULL, "gcm, in two parts");
	add(test_gcm_wraps, tier, NULL, "gcm, counters that wrap");
	add(test_hash_key_wiped, tier, NULL, "hash key wiped");
}

int main(int argc, char **argv)
{
	unsigned int i;

	start_cases(&argc, &argv);
	source_memory = guarded_allocate(2 * SM4_SECTION_SIZE);
	destination_memory = guarded_allocate(2 * SM4_SECTION_SIZE);
	hashed_memory = guarded_allocate(SM4_SECTION_SIZE);
	lanes_memory = guarded_allocate(round_up(sizeof(struct sm4_lanes),
						 PAGE_SIZE));
	for (i = 0; i < sm4_tier_count; i++)
		add_tier(sm4_tiers[i]);
	return run_cases();
}
