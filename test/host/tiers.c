// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Every function of every tier that this CPU can run, called as the modes call them, on memory that
 * cannot be accessed before or after the buffers: compared with the C tier, and with the standards'
 * examples. modes.c compares the C tier, and all others again, with libgcrypt.
 */
#include "drivers.h"
#include "../requests/memory.h"
#include "../requests/vectors.h"
#include "sm3/sm3-message.h"

/* Every number of bytes or blocks up to this one is tried. */
#define SHORT_BLOCKS	80
#define SECTION_BLOCKS	(SM4_SECTION_SIZE / BLOCK)

struct subject;

struct text_key {
	struct sm4_key cipher;
	struct sm4_gcm_key gcm;
};

/* What a function keeps from one call to the next, apart from its key */
union state {
	u8 iv[BLOCK];	/* of operations, CBC-MAC and GHASH */
	struct sm4_ccm_state ccm;
	struct sm4_gcm_state gcm;
};

/* One call of a function for a text, with the arguments that it takes of these */
typedef void call_function(const struct subject *subject, const struct sm4_tier *tier,
			   const struct text_key *key, u8 *dst, const u8 *src,
			   union state *state, size_t bytes, unsigned int part);

/**
 * struct subject - a test case: a function of a tier, in one direction
 * @test: the test function
 * @applies: whether a tier has it; NULL: all of them have
 * @call: for test_text() and test_wraps(), the function
 * @operation: what @call calls, if there are several
 * @unit: number of bytes of which a text consists
 * @most: number of bytes of the longest text
 * @left: number of bytes of the state that are defined in the end
 * @has_no_output: whether it only reads the text
 */
struct subject {
	const char *name;
	void (*test)(const struct subject *subject);
	bool (*applies)(const struct sm4_tier *tier);
	call_function *call;
	enum sm4_operation operation;
	size_t unit, most, left;
	bool decrypts, has_no_output;
	const struct sm4_tier *tier;
	const struct sm3_tier *sm3_tier;
};

static struct flat flat, hashed;

static void begin(const struct sm4_tier *tier)
{
	check(sm4_begin(tier) == tier);
}

/* ---- functions of texts ---- */

/* The round keys of a direction are at the end of the memory that can be read, as they may be. */
static void call_operation(const struct subject *subject, const struct sm4_tier *tier,
			   const struct text_key *key, u8 *dst, const u8 *src,
			   union state *state, size_t bytes, unsigned int part)
{
	static struct guarded memory;
	struct sm4_round_keys *keys;

	if (!memory.start)
		memory = guarded_allocate(PAGE_SIZE);
	keys = (void *)(memory.start + PAGE_SIZE - sizeof(*keys));
	*keys = subject->decrypts ? key->cipher.dec : key->cipher.enc;
	sm4_tier_crypt(tier, subject->operation, keys, dst, src, state->iv, bytes);
}

static void call_cbc_mac(const struct subject *subject, const struct sm4_tier *tier,
			 const struct text_key *key, u8 *dst, const u8 *src,
			 union state *state, size_t bytes, unsigned int part)
{
	tier->cbc_mac(&key->cipher.enc, state->iv, src, bytes / BLOCK);
}

static void call_ccm(const struct subject *subject, const struct sm4_tier *tier,
		     const struct text_key *key, u8 *dst, const u8 *src,
		     union state *state, size_t bytes, unsigned int part)
{
	tier->ccm_crypt(&key->cipher.enc, dst, src, &state->ccm, bytes / BLOCK,
			subject->decrypts);
}

static void call_ghash(const struct subject *subject, const struct sm4_tier *tier,
		       const struct text_key *key, u8 *dst, const u8 *src,
		       union state *state, size_t bytes, unsigned int part)
{
	tier->ghash(&key->gcm.hash, state->iv, src, bytes / BLOCK);
}

static void call_gcm(const struct subject *subject, const struct sm4_tier *tier,
		     const struct text_key *key, u8 *dst, const u8 *src,
		     union state *state, size_t bytes, unsigned int part)
{
	const bool is_empty = !bytes && part == (SM4_GCM_FIRST | SM4_GCM_LAST);

	if (subject->decrypts)
		part |= SM4_GCM_DECRYPTS;
	/* sm4_tier_gcm() leaves no text to the narrower tier, if there is one. */
	if (is_empty)
		check_equal(tier->gcm(&key->gcm, dst, src, &state->gcm, bytes, part), 0);
	else
		sm4_tier_gcm(tier, &key->gcm, dst, src, &state->gcm, bytes, part);
}

/* A text, what the function makes of it, the state before and after it, and the key */
static struct {
	u8 in[SM4_SECTION_SIZE], out[SM4_SECTION_SIZE];
	union state before, after;
	struct text_key key;
} text;

static void set_key(const struct sm4_tier *tier, const u8 *raw)
{
	sm4_set_key(tier, &text.key.cipher, raw);
	if (sm4_tier_has_gcm(tier))
		sm4_gcm_set_key(tier, &text.key.gcm, raw);
}

static void randomize(size_t bytes)
{
	random_fill(text.in, bytes);
	random_fill(&text.before, sizeof(text.before));
}

/* Take the right answer from the C tier, and let the tier set the same key. */
static void answer(const struct subject *subject, size_t bytes)
{
	u8 raw[SM4_KEY_SIZE];

	random_fill(raw, sizeof(raw));
	set_key(&sm4_ttable, raw);
	memcpy(text.out, text.in, bytes);
	text.after = text.before;
	subject->call(subject, &sm4_ttable, &text.key, text.out, text.out, &text.after, bytes,
		      SM4_GCM_FIRST | SM4_GCM_LAST);
	set_key(subject->tier, raw);
}

/* In place of the number of bytes for the first of two calls */
#define AT_ONE_GO	SIZE_MAX

static void check_text(const struct subject *subject, size_t bytes, size_t first,
		       const struct placement *placement)
{
	const bool at_one_go = first == AT_ONE_GO;
	union state state = text.before;

	first = min(first, bytes);
	describe("%zu bytes, %zu of them first, %s", bytes, first, placement->name);
	flat_place(&flat, placement, text.in, bytes);
	begin(subject->tier);
	subject->call(subject, subject->tier, &text.key, flat.dst, flat.src, &state, first,
		      SM4_GCM_FIRST | (at_one_go ? SM4_GCM_LAST : 0));
	if (!at_one_go)
		subject->call(subject, subject->tier, &text.key, flat.dst + first,
			      flat.src + first, &state, bytes - first, SM4_GCM_LAST);
	sm4_end(subject->tier);
	flat_check(&flat, text.in, text.out);
	check_bytes(&state, &text.after, subject->left, "the state that is left");
}

/* A text in all places, in one call and in two */
static void check_everywhere(const struct subject *subject, size_t bytes)
{
	for (size_t i = 0; i < FLAT_PLACEMENTS; i++) {
		const struct placement *placement = &flat_placements[i];

		if (subject->has_no_output && !placement->in_place)
			continue;
		randomize(bytes);
		answer(subject, bytes);
		check_text(subject, bytes, AT_ONE_GO, placement);
		check_text(subject, bytes, BLOCK * random_below(bytes / BLOCK + 1), placement);
	}
}

/*
 * All lengths; but of long texts with partial blocks only some, and the longest.
 *
 * CBC decryption needs the ciphertext before each block. In place, it is lost when the block before
 * has been written: so groups have to be stored last to first, and those of a pass after its last
 * ciphertext block has been saved as the next IV.
 */
static void test_text(const struct subject *subject)
{
	size_t bytes;

	for (bytes = 0; bytes < subject->most; bytes += subject->unit) {
		check_everywhere(subject, bytes);
		if (subject->unit == 1 && bytes >= SHORT_BLOCKS * BLOCK)
			bytes += random_below(40);
	}
	check_everywhere(subject, subject->most);
}

/*
 * In CCM and GCM, a carry out of the last 32 bits is lost: then the rest of the text has the
 * counter of its beginning, with 0 there. GCM's first one is that of the mask.
 */
static void check_lost_carry(const struct subject *subject, size_t position, size_t blocks)
{
	const unsigned int masks = subject->call == call_gcm;
	const size_t first = min(position + 1 - masks, blocks) * BLOCK;
	u8 counter[BLOCK], out[SM4_SECTION_SIZE];

	memcpy(counter, text.before.gcm.counter, BLOCK);
	put_unaligned_be32(-1 - position + masks, counter + BLOCK - sizeof(u32));
	sm4_tier_crypt(&sm4_ttable, SM4_CTR, &text.key.cipher.enc, out, text.in, counter, first);
	memcpy(counter, text.before.gcm.counter, BLOCK);
	put_unaligned_be32(0, counter + BLOCK - sizeof(u32));
	sm4_tier_crypt(&sm4_ttable, SM4_CTR, &text.key.cipher.enc, out + first, text.in + first,
		       counter, blocks * BLOCK - first);
	check_bytes(text.out, out, blocks * BLOCK, "the right answer");
}

/*
 * A counter whose last @bits bits are all set after @position blocks. With 0 bits it is word 3
 * whose bits are set, after zeros.
 */
static void check_wrap(const struct subject *subject, unsigned int bits, size_t position,
		       size_t blocks)
{
	u8 *counter = subject->call == call_operation ? text.before.iv : text.before.gcm.counter;
	u8 *end = counter + BLOCK;

	randomize(blocks * BLOCK);
	memset(end - bits / 8, 0xff, bits / 8);
	if (!bits)
		memset(counter, 0, BLOCK);
	put_unaligned_be32(-1 - position, end - sizeof(u32));
	answer(subject, blocks * BLOCK);
	if (subject->call != call_operation)
		check_lost_carry(subject, position, blocks);
	check_text(subject, blocks * BLOCK, min(position, blocks) * BLOCK, &flat_placements[0]);
	check_text(subject, blocks * BLOCK, AT_ONE_GO, &flat_placements[3]);
}

static_assert(offsetof(struct sm4_ccm_state, counter) == offsetof(struct sm4_gcm_state, counter));

/*
 * Counters that carry out of their last 32, 64, 96 and 128 bits in any block, also in passes of all
 * groups, and before others. No request of GCM gets that far: from 2 on, it counts at most 2^28
 * blocks, as its length has 32 bits. So there is no answer of the kernel's template, which would
 * carry, to compare with.
 */
static void test_wraps(const struct subject *subject)
{
	unsigned int bits;
	size_t position;

	for (bits = 0; bits <= 128; bits += 32) {
		for (position = 0; position <= SHORT_BLOCKS; position++)
			check_wrap(subject, bits, position, SHORT_BLOCKS);
		for (position = 0; position <= subject->most / BLOCK;
		     position += 1 + random_below(9))
			check_wrap(subject, bits, position,
				   subject->most / BLOCK - random_below(SHORT_BLOCKS));
	}
}

/* ---- block by block, and keys ---- */

static void test_standard_examples(const struct subject *subject)
{
	const struct sm4_tier *tier = subject->tier;
	struct sm4_key key;
	unsigned int n;
	size_t i;

	for (i = 0; i < cipher_vector_count; i++) {
		const struct cipher_vector *vector = &cipher_vectors[i];
		u8 raw[BLOCK], plaintext[BLOCK], ciphertext[BLOCK];
		u8 block[BLOCK];

		describe("%s", vector->source);
		from_hex(raw, SM4_EXAMPLE_KEY);
		memcpy(plaintext, raw, BLOCK);
		from_hex(ciphertext, vector->ciphertext);
		sm4_set_key(tier, &key, raw);
		check_bytes(key.enc.plain, sm4_example_round_keys,
			    sizeof(key.enc.plain), "round keys");

		memcpy(block, plaintext, BLOCK);
		begin(tier);
		for (n = 0; n < vector->repetitions; n++)
			sm4_tier_crypt(tier, SM4_ECB, &key.enc, block, block,
				       NULL, BLOCK);
		check_bytes(block, ciphertext, BLOCK, "ciphertext");
		for (n = 0; n < vector->repetitions; n++)
			sm4_tier_crypt(tier, SM4_ECB, &key.dec, block, block,
				       NULL, BLOCK);
		sm4_end(tier);
		check_bytes(block, plaintext, BLOCK, "plaintext");
	}
}

static void test_key_schedule(const struct subject *subject)
{
	u32 plain_of_c_tier[SM4_ROUNDS];
	u8 raw[SM4_KEY_SIZE];
	int i;

	for (i = 0; i < 1000; i++) {
		struct request_memory *memory = &flat.memory;

		/* Round keys are words in a struct, and so aligned. The key need not be. */
		request_place(memory, &flat_placements[i % 2], 0,
			      sizeof(plain_of_c_tier));
		random_fill(raw, sizeof(raw));
		flat_place(&hashed, &flat_placements[3 + i % 3], raw,
			   sizeof(raw));
		begin(subject->tier);
		subject->tier->key_schedule((u32 *)memory->dst->address,
					    hashed.src);
		sm4_end(subject->tier);
		flat_check(&hashed, raw, raw);
		sm4_ttable.key_schedule(plain_of_c_tier, raw);
		scatter_check(memory->output, 0, plain_of_c_tier,
			      sizeof(plain_of_c_tier), "round keys");
		scatter_check_around(memory->output);
	}
}

/* ---- CBC encryption with SM3 ---- */

/*
 * CBC encryption with SM3. It hashes either other data, at any place,
 * or ciphertext of CBC that is @lag bytes behind. In two calls.
 */
static void check_cbc_sm3(const struct sm4_tier *tier, size_t passes,
			  const struct placement *placement, size_t lag)
{
	const size_t bytes = passes * SM4_PASS_SIZE;
	const size_t first = random_below(passes + 1);
	u8 in[2 * SM4_PASS_SIZE + SM4_CHAIN_SECTION_SIZE];
	u8 out[sizeof(in)], raw[SM4_KEY_SIZE], iv[BLOCK], next[BLOCK];
	struct sm4_hashing hashing;
	u32 state[SM3_WORDS];
	struct sm4_key key;
	u8 *src, *dst;

	describe("%zu and %zu passes, hashing %zu bytes behind, %s", first,
		 passes - first, lag, placement->name);
	random_fill(raw, sizeof(raw));
	random_fill(iv, sizeof(iv));
	random_fill(state, sizeof(state));
	random_fill(in, lag + bytes);
	random_fill(text.in, bytes);
	flat_place(&flat, placement, in, lag + bytes);
	flat_place(&hashed, placement, text.in, bytes);
	src = flat.src + lag;
	dst = flat.dst + lag;
	/* The bytes before are already encrypted. */
	memcpy(flat.dst, in, lag);
	memcpy(out, in, lag + bytes);
	memcpy(next, iv, BLOCK);
	sm4_set_key(tier, &key, raw);
	sm4_tier_crypt(&sm4_ttable, SM4_CBC_ENCRYPT, &key.enc, out + lag, out + lag, next, bytes);
	memcpy(hashing.state, state, sizeof(state));
	hashing.src = lag ? flat.dst : hashed.src;
	begin(tier);
	tier->cbc_encrypt_sm3(&key.enc, dst, src, iv, first, &hashing);
	check(hashing.src == (lag ? flat.dst : hashed.src));
	hashing.src += first * SM4_PASS_SIZE;
	tier->cbc_encrypt_sm3(&key.enc, dst + first * SM4_PASS_SIZE,
			      src + first * SM4_PASS_SIZE, iv, passes - first,
			      &hashing);
	sm4_end(tier);
	flat_check(&flat, in, out);
	check_bytes(iv, next, BLOCK, "IV");
	sm3_generic.blocks(state, lag ? out : text.in, passes);
	check_bytes(hashing.state, state, sizeof(state), "state of SM3");
}

static void test_cbc_sm3(const struct subject *subject)
{
	const size_t most = SM4_CHAIN_SECTION_SIZE / SM4_PASS_SIZE;
	size_t passes, i;

	for (passes = 0; passes <= most; passes++) {
		for (i = 0; i < FLAT_PLACEMENTS; i++)
			check_cbc_sm3(subject->tier, passes, &flat_placements[i],
				      0);
		for (i = 0; i < 8; i++)
			check_cbc_sm3(subject->tier, passes,
				      &flat_placements[i % FLAT_PLACEMENTS],
				      SM4_PASS_SIZE + random_below(SM4_PASS_SIZE));
		check_cbc_sm3(subject->tier, passes, &flat_placements[5],
			      SM4_PASS_SIZE);
	}
}

/* ---- several messages at once ---- */

/* Each lane has its own key, IV and text. */
static struct {
	struct sm4_lanes *lanes;
	u8 text[SM4_LANES][SM4_LANE_BLOCKS * BLOCK], iv[SM4_LANES][BLOCK];
} of_lanes;

/* Check that the lanes have the encrypted blocks from @done to @end. */
static void encrypt_lanes(const struct sm4_tier *tier, size_t done, size_t end)
{
	struct sm4_lanes *lanes = of_lanes.lanes;

	begin(tier);
	tier->cbc_encrypt_lanes(lanes, end - done);
	sm4_end(tier);
	for (size_t l = 0; l < SM4_LANES; l++) {
		const u8 *text = of_lanes.text[l];

		check_bytes(lanes->chain[l], end ? text + (end - 1) * BLOCK :
			    of_lanes.iv[l], BLOCK, "chain");
		for (size_t i = done; i < end; i++)
			check_bytes(lanes->text[i - done][l], text + i * BLOCK,
				    BLOCK, "output");
	}
}

/* CBC in lanes, in two calls */
static void check_cbc_lanes(const struct sm4_tier *tier, size_t blocks)
{
	struct sm4_lanes *lanes = of_lanes.lanes;
	const size_t first = random_below(blocks + 1);
	u8 raw[SM4_KEY_SIZE];
	struct sm4_key key;
	unsigned int l, i;

	describe("%zu and %zu blocks", first, blocks - first);
	random_fill(lanes, sizeof(*lanes));
	random_fill(of_lanes.text, sizeof(of_lanes.text));
	random_fill(of_lanes.iv, sizeof(of_lanes.iv));
	memcpy(lanes->chain, of_lanes.iv, sizeof(of_lanes.iv));
	for (l = 0; l < SM4_LANES; l++) {
		u8 *text = of_lanes.text[l];

		random_fill(raw, sizeof(raw));
		sm4_set_key(tier, &key, raw);
		for (i = 0; i < SM4_ROUNDS / 4; i++)
			memcpy(lanes->keys[i][l], key.enc.mapped + 4 * i, BLOCK);
		for (i = 0; i < blocks; i++)
			memcpy(lanes->text[i][l], text + i * BLOCK, BLOCK);
		gcrypt_skcipher(find_mode("cbc(sm4)"), raw,
				of_lanes.iv[l], text, text, blocks * BLOCK);
	}
	begin(tier);
	tier->set_lane_keys(lanes);
	sm4_end(tier);
	encrypt_lanes(tier, 0, first);
	memmove(lanes->text, lanes->text[first],
		(blocks - first) * sizeof(lanes->text[0]));
	encrypt_lanes(tier, first, blocks);
}

static void test_cbc_lanes(const struct subject *subject)
{
	unsigned int n;

	/* at the end of guarded memory: AVX needs them aligned */
	if (!of_lanes.lanes) {
		struct guarded memory =
			guarded_allocate(round_up(sizeof(*of_lanes.lanes),
						  PAGE_SIZE));

		of_lanes.lanes = (struct sm4_lanes *)
			(memory.start + memory.bytes -
			 round_up(sizeof(*of_lanes.lanes), (size_t)64));
	}
	for (n = 0; n < 8 * (SM4_LANE_BLOCKS + 1); n++)
		check_cbc_lanes(subject->tier, n % (SM4_LANE_BLOCKS + 1));
}

/* SM3 in lanes; the blocks of one lane are at an end of guarded memory. */
static void check_sm3_lanes(const struct sm4_tier *tier, size_t blocks,
			    unsigned int lane, const struct placement *placement)
{
	static u8 text[SM3_LANES_MAX][SM3_LANE_BLOCKS * SM3_BLOCK_SIZE];
	const size_t bytes = blocks * SM3_BLOCK_SIZE;
	struct sm3_lanes lanes;
	u32 state[SM3_LANES_MAX][SM3_WORDS];
	const u8 *src[SM3_LANES_MAX];
	unsigned int l, i;

	describe("%zu blocks, of lane %u %s", blocks, lane, placement->name);
	random_fill(&lanes, sizeof(lanes));
	random_fill(text, sizeof(text));
	flat_place(&hashed, placement, text[lane], bytes);
	for (l = 0; l < tier->sm3_lane_count; l++) {
		src[l] = l == lane ? hashed.src : text[l];
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

static void test_sm3_lanes(const struct subject *subject)
{
	unsigned int lane, i;
	size_t blocks;

	for (blocks = 0; blocks <= SM3_LANE_BLOCKS; blocks++)
		for (lane = 0; lane < subject->tier->sm3_lane_count; lane++)
			for (i = 0; i < FLAT_PLACEMENTS / 2; i++)
				check_sm3_lanes(subject->tier, blocks, lane,
						&flat_placements[i]);
}

/* ---- GHASH: its keys and its carries ---- */

/* A block of a single bit, or with all set */
static void make_extreme(u8 block[BLOCK], unsigned int bit)
{
	memset(block, bit < 128 ? 0 : 0xff, BLOCK);
	if (bit < 128)
		block[bit / 8] = 0x80 >> bit % 8;
}

/* Hash keys and blocks of a single bit, or with all set: where carries show */
static void test_ghash_extremes(const struct subject *subject)
{
	u8 h[BLOCK], src[BLOCK];
	unsigned int h_bit, bit;
	struct sm4_ghash_key key;

	for (h_bit = 0; h_bit <= 128; h_bit++) {
		make_extreme(h, h_bit);
		sm4_ttable.ghash_set_key(&key, h, GHASH_POWERS);
		for (bit = 0; bit <= 128; bit++) {
			u8 hash[BLOCK] = { 0 }, hash_of_c_tier[BLOCK] = { 0 };

			describe("H of bit %u, block of bit %u", h_bit, bit);
			make_extreme(src, bit);
			begin(subject->tier);
			subject->tier->ghash(&key, hash, src, 1);
			sm4_end(subject->tier);
			sm4_ttable.ghash(&key, hash_of_c_tier, src, 1);
			check_bytes(hash, hash_of_c_tier, BLOCK, "GHASH");
		}
	}
}

/* Check that the powers equal the C tier's for the same H, and that there are no more. */
static void check_hash_key(const struct sm4_tier *tier, const u8 *h,
			   unsigned int powers)
{
	static struct sm4_ghash_key key, key_of_c_tier;
	unsigned int i;

	memset(&key, 0x5a, sizeof(key));
	memset(&key_of_c_tier, 0x5a, sizeof(key_of_c_tier));
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

static void test_hash_key(const struct subject *subject)
{
	unsigned int i;
	u8 h[BLOCK];

	for (i = 1; i <= GHASH_POWERS; i++) {
		random_fill(h, BLOCK);
		flat_place(&flat, &flat_placements[3 + i % 3], h, BLOCK);
		check_hash_key(subject->tier, flat.src, i);
	}
	for (i = 0; i < 128; i++) {
		make_extreme(h, i);
		check_hash_key(subject->tier, h, GHASH_POWERS);
	}
}

/* ---- SM3 ---- */

/* From a random state on, in two calls */
static void check_sm3_blocks(const struct sm3_tier *tier, size_t blocks)
{
	const size_t bytes = blocks * SM3_BLOCK_SIZE, first = random_below(blocks + 1);
	u32 state[SM3_WORDS], state_of_c_tier[SM3_WORDS];
	u8 text[SM3_SECTION_SIZE];

	describe("%zu blocks, %zu of them first", blocks, first);
	random_fill(state, sizeof(state));
	random_fill(text, bytes);
	memcpy(state_of_c_tier, state, sizeof(state));
	flat_place(&flat, &flat_placements[3 + random_below(3)], text, bytes);
	check(sm4_begin_section(&tier->base, NULL) == &tier->base);
	tier->blocks(state, flat.src, first);
	tier->blocks(state, flat.src + first * SM3_BLOCK_SIZE, blocks - first);
	sm4_end_section(&tier->base);
	flat_check(&flat, text, text);
	sm3_generic.blocks(state_of_c_tier, text, blocks);
	check_bytes(state, state_of_c_tier, sizeof(state), "state");
}

static void test_sm3_blocks(const struct subject *subject)
{
	for (size_t blocks = 0; blocks <= SM3_SECTION_SIZE / SM3_BLOCK_SIZE; blocks++)
		for (int i = 0; i < 10; i++)
			check_sm3_blocks(subject->sm3_tier, blocks);
}

static void test_sm3_examples(const struct subject *subject)
{
	for (size_t i = 0; i < hash_vector_count; i++) {
		const struct hash_vector *vector = &hash_vectors[i];
		u8 digest[SM3_DIGEST_SIZE], expected[SM3_DIGEST_SIZE];
		struct sm3_message state;
		u8 text[16];
		size_t bytes = from_hex(text, vector->message);

		describe("%s", vector->source);
		from_hex(expected, vector->digest);
		sm3_message_begin(&state);
		for (unsigned int n = 1; n < vector->repetitions; n++)
			sm3_message_add(subject->sm3_tier, &state, text, bytes);
		sm3_message_end(subject->sm3_tier, &state, text, bytes, digest);
		check_bytes(digest, expected, sizeof(digest), "digest");
	}
}

/* ---- all of it, for each tier ---- */

static bool has_chains(const struct sm4_tier *tier)
{
	return tier->cbc_mac;
}

static bool has_lanes(const struct sm4_tier *tier)
{
	return tier->cbc_encrypt_lanes;
}

/*
 * A tier has all members for chains, lanes and a narrower tier, or none of each; no other member
 * may be missing. Other tests would not detect that, because the C tier gives right results.
 */
static void test_row(const struct subject *subject)
{
	const struct sm4_tier *tier = subject->tier;

	for (unsigned int i = 0; i < SM4_OPERATIONS; i++) {
		describe("operation %u", i);
		check(tier->crypt[i] || (i == SM4_CBC_ENCRYPT && !has_chains(tier)));
		check(!tier->narrower || tier->narrower->crypt[i]);
	}
	check(!tier->ccm_crypt == !has_chains(tier));
	check(!tier->crypt[SM4_CBC_ENCRYPT] == !has_chains(tier));
	check(tier->gcm && tier->ghash && tier->ghash_set_key && tier->ghash_powers);
	check(!tier->set_lane_keys == !has_lanes(tier));
	check(!tier->sm3_lanes == !has_lanes(tier));
	check(!tier->sm3_lane_count == !has_lanes(tier));
	check(!tier->narrower == !tier->narrower_bytes);
}

/* Of an operation; and of functions that process blocks one after another */
#define OPERATION	call_operation, .unit = BLOCK, .most = SM4_SECTION_SIZE, .left = BLOCK
#define CBC_MAC		call_cbc_mac, .unit = BLOCK, .most = SHORT_BLOCKS * BLOCK, .left = BLOCK, \
			.has_no_output = true
#define CCM		call_ccm, .unit = BLOCK, .most = SHORT_BLOCKS * BLOCK, \
			.left = sizeof(struct sm4_ccm_state)
#define GHASH		call_ghash, .unit = BLOCK, .most = SM4_SECTION_SIZE, .left = BLOCK, \
			.has_no_output = true
#define GCM		call_gcm, .unit = 1, .most = SM4_SECTION_SIZE, .left = BLOCK

static const struct subject subjects[] = {
	{ "row", test_row },
	{ "examples", test_standard_examples },
	{ "key schedule", test_key_schedule },
	{ "ecb encryption", test_text, NULL, OPERATION, .operation = SM4_ECB },
	{ "ecb decryption", test_text, NULL, OPERATION, .operation = SM4_ECB, .decrypts = true },
	{ "cbc encryption", test_text, has_chains, OPERATION, .operation = SM4_CBC_ENCRYPT },
	{ "cbc decryption", test_text, NULL, OPERATION, .operation = SM4_CBC_DECRYPT,
	  .decrypts = true },
	{ "ctr", test_text, NULL, call_operation, SM4_CTR, 1, SM4_SECTION_SIZE, BLOCK },
	{ "ctr, counters that wrap", test_wraps, NULL, OPERATION, .operation = SM4_CTR },
	{ "xts encryption", test_text, NULL, OPERATION, .operation = SM4_XTS },
	{ "xts decryption", test_text, NULL, OPERATION, .operation = SM4_XTS, .decrypts = true },
	{ "xts-gb encryption", test_text, NULL, OPERATION, .operation = SM4_XTS_GB },
	{ "xts-gb decryption", test_text, NULL, OPERATION, .operation = SM4_XTS_GB,
	  .decrypts = true },
	{ "cbc-mac", test_text, has_chains, CBC_MAC },
	{ "ccm encryption", test_text, has_chains, CCM },
	{ "ccm encryption, counters that wrap", test_wraps, has_chains, CCM },
	{ "ccm decryption", test_text, has_chains, CCM, .decrypts = true },
	{ "cbc encryption with sm3", test_cbc_sm3, sm4_tier_has_cbc_sm3 },
	{ "cbc encryption in lanes", test_cbc_lanes, has_lanes },
	{ "sm3 in lanes", test_sm3_lanes, has_lanes },
	{ "powers of the hash key", test_hash_key, sm4_tier_has_gcm },
	{ "ghash", test_text, sm4_tier_has_gcm, GHASH },
	{ "ghash, single bits", test_ghash_extremes, sm4_tier_has_gcm },
	{ "gcm encryption", test_text, sm4_tier_has_gcm, GCM },
	{ "gcm encryption, counters that wrap", test_wraps, sm4_tier_has_gcm, GCM },
	{ "gcm decryption", test_text, sm4_tier_has_gcm, GCM, .decrypts = true },
	{ "gcm decryption, counters that wrap", test_wraps, sm4_tier_has_gcm, GCM,
	  .decrypts = true },
};

static const struct subject sm3_subjects[] = {
	{ "examples", test_sm3_examples },
	{ "blocks", test_sm3_blocks },
};

static void test_subject(const void *argument)
{
	const struct subject *subject = argument;

	subject->test(subject);
}

static void add_cases(const struct sm4_tier_base *tier, const struct subject *of_kind,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct subject *subject;

		if (of_kind[i].applies && !of_kind[i].applies(to_sm4_tier(tier)))
			continue;
		subject = malloc(sizeof(*subject));
		*subject = of_kind[i];
		if (of_kind == sm3_subjects)
			subject->sm3_tier = to_sm3_tier(tier);
		else
			subject->tier = to_sm4_tier(tier);
		add_case(test_subject, subject, "/tiers/%s/%s", tier->name,
			 subject->name);
	}
}

int main(int argc, char **argv)
{
	start_cases(&argc, &argv);
	for (unsigned int i = 0; any_tier(i); i++) {
		if (!sm4_tier_usable(any_tier(i)))
			add_untried(any_tier(i));
		else if (is_of_sm3(any_tier(i)))
			add_cases(any_tier(i), sm3_subjects, ARRAY_SIZE(sm3_subjects));
		else
			add_cases(any_tier(i), subjects, ARRAY_SIZE(subjects));
	}
	return run_cases();
}
