// SPDX-License-Identifier: GPL-2.0
/*
 * Every function of every tier that this CPU can run, called as the modes call
 * them: compared with libgcrypt and with the C tier, on memory that cannot be
 * accessed before or after the buffers.
 */
#include "drivers.h"
#include "scatter.h"
#include "sm3/sm3-message.h"
#include "vectors.h"

/*
 * Every number of blocks up to this one is tried, and of larger ones, up to a full
 * section, those next to a multiple of a group's blocks.
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

/**
 * struct subject - a test case: a function of a tier, in one direction
 * @test: the test function
 * @applies: whether a tier has it; NULL: all of them have
 * @operation, @mode: for operations; the mode gives the right answer.
 */
struct subject {
	const char *name;
	void (*test)(const struct subject *subject);
	bool (*applies)(const struct sm4_tier *tier);
	enum sm4_operation operation;
	const char *mode;
	bool decrypts;
	const struct sm4_tier *tier;
	const struct sm3_tier *sm3_tier;
};

static struct flat flat, hashed;

static void begin(const struct sm4_tier *tier)
{
	check(sm4_begin(tier) == tier);
}

/* In place of the number of bytes for the first of two calls */
#define AT_ONE_GO	SIZE_MAX

/* A message of @bytes bytes in all places, in one call and in two */
static void check_everywhere(const struct subject *subject, size_t bytes,
			     void check_one(const struct subject *subject,
					    size_t bytes, size_t first,
					    const struct placement *placement))
{
	for (size_t i = 0; i < FLAT_PLACEMENTS; i++) {
		const struct placement *placement = &flat_placements[i];

		check_one(subject, bytes, AT_ONE_GO, placement);
		check_one(subject, bytes,
			  BLOCK * random_below(bytes / BLOCK + 1), placement);
	}
}

static void describe_call(size_t bytes, size_t first,
			  const struct placement *placement)
{
	describe("%zu bytes, %zu of them first, %s", bytes, first,
		 placement->name);
}

/* ---- the operations ---- */

/* A message, its right answer, and what a tier needs to work on it */
static struct {
	u8 key[2 * SM4_KEY_SIZE], iv[BLOCK];
	u8 in[SM4_SECTION_SIZE], out[SM4_SECTION_SIZE];
	u8 tier_iv[BLOCK];	/* the tier's IV: XTS encrypts the IV */
} message;

/* Make a random message of that length, with the key and IV in @message. */
static void make_message(const struct subject *subject, size_t bytes)
{
	u8 *plaintext = subject->decrypts ? message.out : message.in;
	u8 *ciphertext = subject->decrypts ? message.in : message.out;

	random_fill(plaintext, bytes);
	memcpy(message.tier_iv, message.iv, BLOCK);
	if (subject->operation == SM4_XTS || subject->operation == SM4_XTS_GB)
		encrypt_block(message.key + SM4_KEY_SIZE, message.tier_iv,
			      message.iv);
	gcrypt_skcipher(find_mode(subject->mode), message.key,
			message.iv, ciphertext, plaintext, bytes);
}

static void call_crypt(const struct subject *subject,
		       const struct sm4_tier *tier, const struct sm4_key *key,
		       u8 *dst, const u8 *src, u8 *iv, size_t bytes)
{
	begin(tier);
	sm4_tier_crypt(tier, subject->operation,
		       subject->decrypts ? &key->dec : &key->enc, dst, src, iv,
		       bytes);
	sm4_end(tier);
}

/*
 * Let the tier process @message, and check its output and the IV
 * that it leaves, which has to equal the C tier's.
 */
static void check_crypt(const struct subject *subject, size_t bytes,
			size_t first, const struct placement *placement)
{
	const struct sm4_tier *tier = sm4_tier_for(subject->tier,
						   subject->operation);
	u8 iv[BLOCK], iv_of_c_tier[BLOCK], out_of_c_tier[SM4_SECTION_SIZE];
	struct sm4_key key;

	first = min(first, bytes);
	describe_call(bytes, first, placement);
	flat_place(&flat, placement, message.in, bytes);
	sm4_set_key(tier, &key, message.key);
	memcpy(iv, message.tier_iv, BLOCK);
	call_crypt(subject, tier, &key, flat.dst, flat.src, iv, first);
	call_crypt(subject, tier, &key, flat.dst + first, flat.src + first, iv,
		   bytes - first);
	flat_check(&flat, message.in, message.out);

	memcpy(iv_of_c_tier, message.tier_iv, BLOCK);
	call_crypt(subject, &sm4_ttable, &key, out_of_c_tier, message.in,
		   iv_of_c_tier, bytes);
	check_bytes(out_of_c_tier, message.out, bytes, "the C tier's output");
	check_bytes(iv, iv_of_c_tier, BLOCK, "the IV that is left");
}

static void check_crypt_everywhere(const struct subject *subject, size_t bytes)
{
	random_fill(message.key, sizeof(message.key));
	random_fill(message.iv, sizeof(message.iv));
	make_message(subject, bytes);
	check_everywhere(subject, bytes, check_crypt);
}

static void test_operation(const struct subject *subject)
{
	size_t blocks;

	for (blocks = 0; blocks <= SECTION_BLOCKS; blocks = next_length(blocks))
		check_crypt_everywhere(subject, blocks * BLOCK);
}

/*
 * CBC decryption needs the ciphertext before each block. In place, it is lost when
 * the block before has been written: so groups have to be stored last to first,
 * and those of a pass after its last ciphertext block has been saved as the next IV.
 */
static void test_cbc_in_place(const struct subject *subject)
{
	static const struct placement in_place = {
		"in place, at the end", .in_place = true, .position = AT_END,
	};
	size_t blocks;

	random_fill(message.key, sizeof(message.key));
	for (blocks = 1; blocks <= SECTION_BLOCKS; blocks++) {
		random_fill(message.iv, sizeof(message.iv));
		make_message(subject, blocks * BLOCK);
		check_crypt(subject, blocks * BLOCK, AT_ONE_GO, &in_place);
	}
}

static void test_ctr_partial_blocks(const struct subject *subject)
{
	size_t bytes;

	for (bytes = 0; bytes <= SHORT_BLOCKS * BLOCK; bytes++)
		check_crypt_everywhere(subject, bytes);
	for (; bytes <= SM4_SECTION_SIZE; bytes += 1 + random_below(40))
		check_crypt_everywhere(subject, bytes);
}

/*
 * A counter whose last @bits bits are all set after @blocks blocks. With 0 bits it is word 3
 * whose bits are set, after zeros.
 */
static void check_ctr_wrap(const struct subject *subject, unsigned int bits,
			   size_t position, size_t blocks)
{
	u8 *end = message.iv + BLOCK;

	random_fill(message.iv, BLOCK);
	memset(end - bits / 8, 0xff, bits / 8);
	if (!bits)
		memset(message.iv, 0, BLOCK);
	put_unaligned_be32(-1 - position, end - sizeof(u32));
	make_message(subject, blocks * BLOCK);
	check_crypt(subject, blocks * BLOCK, min(position, blocks) * BLOCK,
		    &flat_placements[0]);
	check_crypt(subject, blocks * BLOCK, AT_ONE_GO, &flat_placements[3]);
}

/*
 * Counters that carry out of their last 32, 64, 96 and 128 bits in any block, also
 * in passes of all groups, and before others
 */
static void test_ctr_wraps(const struct subject *subject)
{
	unsigned int bits;
	size_t position;

	random_fill(message.key, sizeof(message.key));
	for (bits = 0; bits <= 128; bits += 32) {
		for (position = 0; position <= SHORT_BLOCKS; position++)
			check_ctr_wrap(subject, bits, position, SHORT_BLOCKS);
		for (position = 0; position <= SECTION_BLOCKS;
		     position += 1 + random_below(9))
			check_ctr_wrap(subject, bits, position, SECTION_BLOCKS -
				       random_below(SHORT_BLOCKS));
	}
}

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
		from_hex(raw, vector->key);
		from_hex(plaintext, vector->plaintext);
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

/* ---- the MACs ---- */

static void test_cbc_mac(const struct subject *subject)
{
	const struct sm4_tier *tier = subject->tier;

	for (size_t i = 0; i < 2 * (SHORT_BLOCKS + 1); i++) {
		const size_t blocks = i / 2, bytes = blocks * BLOCK;
		const size_t first = i % 2 ? random_below(blocks + 1) : 0;
		u8 raw[SM4_KEY_SIZE], expected[BLOCK], mac[BLOCK] = { 0 };
		struct sm4_key key;

		describe("%zu blocks, %zu of them first", blocks, first);
		random_fill(raw, sizeof(raw));
		random_fill(message.in, bytes);
		flat_place(&flat, &flat_placements[3 + blocks % 3], message.in,
			   bytes);
		gcrypt_mac(find_mode("cbcmac(sm4)"), raw, message.in,
			   bytes, expected);
		sm4_set_key(tier, &key, raw);
		begin(tier);
		tier->cbc_mac(&key.enc, mac, flat.src, first);
		tier->cbc_mac(&key.enc, mac, flat.src + first * BLOCK,
			      blocks - first);
		sm4_end(tier);
		check_bytes(mac, expected, BLOCK, "MAC");
		flat_check(&flat, message.in, message.in);
	}
}

/* ---- CCM ---- */

/* A message, its right answer, and the blocks before its text */
static struct {
	u8 plaintext[SHORT_BLOCKS * BLOCK], ciphertext[SHORT_BLOCKS * BLOCK];
	struct sm4_key key;
	struct sm4_ccm_state start, end;
} ccm;

/* Make a random one. Only its counter's last 32 bits may overflow, and change no others. */
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

static void check_ccm(const struct subject *subject, size_t bytes,
		      size_t first, const struct placement *placement)
{
	const struct sm4_tier *tier = subject->tier;
	const u8 *in = subject->decrypts ? ccm.ciphertext : ccm.plaintext;
	const u8 *out = subject->decrypts ? ccm.plaintext : ccm.ciphertext;
	struct sm4_ccm_state state = ccm.start;

	first = min(first, bytes);
	describe_call(bytes, first, placement);
	flat_place(&flat, placement, in, bytes);
	begin(tier);
	tier->ccm_crypt(&ccm.key.enc, flat.dst, flat.src, &state,
			first / BLOCK, subject->decrypts);
	tier->ccm_crypt(&ccm.key.enc, flat.dst + first, flat.src + first,
			&state, (bytes - first) / BLOCK, subject->decrypts);
	sm4_end(tier);
	flat_check(&flat, in, out);
	check_bytes(&state, &ccm.end, sizeof(state), "state that is left");
}

static void test_ccm(const struct subject *subject)
{
	size_t blocks;

	for (blocks = 0; blocks <= SHORT_BLOCKS; blocks++) {
		make_ccm_message(subject->tier, blocks);
		check_everywhere(subject, blocks * BLOCK, check_ccm);
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
	random_fill(message.in, bytes);
	flat_place(&flat, placement, in, lag + bytes);
	flat_place(&hashed, placement, message.in, bytes);
	src = flat.src + lag;
	dst = flat.dst + lag;
	/* The bytes before are already encrypted. */
	memcpy(flat.dst, in, lag);
	memcpy(out, in, lag);
	gcrypt_skcipher(find_mode("cbc(sm4)"), raw, iv, out + lag,
			in + lag, bytes);
	memcpy(next, bytes ? out + lag + bytes - BLOCK : iv, BLOCK);
	sm4_set_key(tier, &key, raw);
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
	sm3_generic.blocks(state, lag ? out : message.in, passes);
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

/* ---- GHASH ---- */

/*
 * GHASH of @blocks of associated data and the block of lengths, computed from a
 * GCM tag, which is this GHASH xored with the encrypted first counter.
 */
static void ghash_by_gcm(const u8 *key, const u8 *src, size_t blocks,
			 u8 lengths[BLOCK], u8 ghash[BLOCK])
{
	struct aead_message gcm = {
		.aad = src, .aad_bytes = blocks * BLOCK, .tag_bytes = BLOCK,
	};
	u8 counter[BLOCK] = { [15] = 1 };

	memcpy(gcm.key, key, SM4_KEY_SIZE);
	gcrypt_aead(find_mode("gcm(sm4)"), &gcm, ghash);
	encrypt_block(key, counter, counter);
	crypto_xor(ghash, counter, BLOCK);
	memset(lengths, 0, BLOCK);
	put_unaligned_be64(blocks * BLOCK * 8, lengths);
}

static void check_ghash(const struct subject *subject, size_t blocks)
{
	const struct sm4_tier *tier = subject->tier;
	const u8 zeros[BLOCK] = { 0 };
	u8 raw[SM4_KEY_SIZE], h[BLOCK], hash[BLOCK];
	u8 lengths[BLOCK], expected[BLOCK];
	struct sm4_ghash_key key;

	random_fill(raw, sizeof(raw));
	encrypt_block(raw, h, zeros);
	sm4_ttable.ghash_set_key(&key, h, GHASH_POWERS);
	for (size_t i = 3; i < FLAT_PLACEMENTS; i++) {
		const size_t first = i > 3 ? random_below(blocks + 1) : 0;

		describe("%zu blocks, %zu of them first", blocks, first);
		random_fill(message.in, blocks * BLOCK);
		flat_place(&flat, &flat_placements[i], message.in,
			   blocks * BLOCK);
		ghash_by_gcm(raw, message.in, blocks, lengths, expected);
		memset(hash, 0, BLOCK);
		begin(tier);
		tier->ghash(&key, hash, flat.src, first);
		tier->ghash(&key, hash, flat.src + first * BLOCK,
			    blocks - first);
		tier->ghash(&key, hash, lengths, 1);
		sm4_end(tier);
		check_bytes(hash, expected, BLOCK, "GHASH");
		flat_check(&flat, message.in, message.in);
	}
}

static void test_ghash(const struct subject *subject)
{
	size_t blocks;

	for (blocks = 0; blocks <= SHORT_BLOCKS; blocks++)
		check_ghash(subject, blocks);
	check_ghash(subject, SECTION_BLOCKS - 1);
}

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

/* ---- GCM ---- */

/* A message, its right answer, and what a tier needs to work on it */
static struct {
	u8 in[SM4_SECTION_SIZE], out[SM4_SECTION_SIZE];
	u8 tag[BLOCK];
	struct sm4_gcm_key key;
	struct sm4_gcm_state state;	/* before the text */
} gcm;

/* Make a random one, whose hash includes @aad_bytes of associated data. */
static void make_gcm_message(const struct subject *subject, size_t bytes,
			     size_t aad_bytes)
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
	gcrypt_aead(find_mode("gcm(sm4)"), &sealing, sealed);
	memcpy(gcm.in, subject->decrypts ? sealed : text, bytes);
	memcpy(gcm.out, subject->decrypts ? text : sealed, bytes);
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

/* In two parts, the first of which may have no bytes, or in one */
static void check_gcm(const struct subject *subject, size_t bytes,
		      size_t first, const struct placement *placement)
{
	const unsigned int way = subject->decrypts ? SM4_GCM_DECRYPTS : 0;
	struct sm4_gcm_state state = gcm.state;
	unsigned int part = way | SM4_GCM_FIRST;

	if (first == AT_ONE_GO) {
		part |= SM4_GCM_LAST;
		first = bytes;
	}
	describe_call(bytes, first, placement);
	flat_place(&flat, placement, gcm.in, bytes);
	random_fill(state.mask, BLOCK);	/* unset before the first part */
	begin(subject->tier);
	sm4_tier_gcm(subject->tier, &gcm.key, flat.dst, flat.src, &state, first,
		     part);
	if (!(part & SM4_GCM_LAST))
		sm4_tier_gcm(subject->tier, &gcm.key, flat.dst + first,
			     flat.src + first, &state, bytes - first,
			     way | SM4_GCM_LAST);
	sm4_end(subject->tier);
	flat_check(&flat, gcm.in, gcm.out);
	check_bytes(state.hash, gcm.tag, BLOCK, "tag");
}

/* No text. sm4_tier_gcm() leaves it to the narrower tier, if there is one. */
static void check_gcm_without_text(const struct subject *subject)
{
	unsigned int part = SM4_GCM_FIRST | SM4_GCM_LAST;
	struct sm4_gcm_state state;

	make_gcm_message(subject, 0, BLOCK);
	describe("no text");
	flat_place(&flat, &flat_placements[0], gcm.in, 0);
	state = gcm.state;
	if (subject->decrypts)
		part |= SM4_GCM_DECRYPTS;
	begin(subject->tier);
	check_equal(subject->tier->gcm(&gcm.key, flat.dst, flat.src, &state, 0, part), 0);
	sm4_end(subject->tier);
	flat_check(&flat, gcm.in, gcm.out);
	check_bytes(state.hash, gcm.tag, BLOCK, "tag");
}

static void test_gcm(const struct subject *subject)
{
	size_t bytes;

	check_gcm_without_text(subject);

	for (bytes = 0; bytes <= SHORT_BLOCKS * BLOCK; bytes++) {
		make_gcm_message(subject, bytes, random_below(4 * BLOCK + 1));
		check_everywhere(subject, bytes, check_gcm);
	}
	for (; bytes <= SM4_SECTION_SIZE; bytes += 1 + random_below(40)) {
		make_gcm_message(subject, bytes, 0);
		check_everywhere(subject, bytes, check_gcm);
	}
	make_gcm_message(subject, SM4_SECTION_SIZE, BLOCK);
	check_everywhere(subject, SM4_SECTION_SIZE, check_gcm);
}

/* Every split of a message into two parts */
static void test_gcm_parts(const struct subject *subject)
{
	const size_t bytes = 2 * SHORT_BLOCKS * BLOCK;
	size_t first;

	make_gcm_message(subject, bytes, BLOCK);
	for (first = 0; first <= bytes; first += BLOCK)
		check_gcm(subject, bytes, first, &flat_placements[0]);
}

/* A J0 whose last 32 bits overflow after @blocks blocks */
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
	gcrypt_skcipher(find_mode("ecb(sm4)"), raw, NULL, counters,
			counters, bytes + BLOCK);
	random_fill(gcm.in, bytes);
	crypto_xor_cpy(gcm.out, gcm.in, counters + BLOCK, bytes);

	sm4_gcm_set_key(subject->tier, &gcm.key, raw);
	memset(&gcm.state, 0, sizeof(gcm.state));
	memcpy(gcm.state.counter, j0, BLOCK);
	sm4_ttable.ghash(&gcm.key.hash, hash, gcm.out, blocks);
	sm4_ttable.ghash(&gcm.key.hash, hash, gcm.state.lengths, 1);
	crypto_xor_cpy(gcm.tag, hash, counters, BLOCK);
	check_gcm(subject, bytes, AT_ONE_GO, &flat_placements[0]);
	check_gcm(subject, bytes, BLOCK * random_below(blocks + 1),
		  &flat_placements[3]);
}

/* The counter's last 32 bits overflow at any block, and no others change. */
static void test_gcm_wraps(const struct subject *subject)
{
	size_t position;

	for (position = 0; position <= SHORT_BLOCKS + 1; position++)
		check_gcm_wrap(subject, position, SHORT_BLOCKS);
	for (position = 0; position <= SECTION_BLOCKS + 1;
	     position += 1 + random_below(9))
		check_gcm_wrap(subject, position,
			       SECTION_BLOCKS - random_below(SHORT_BLOCKS));
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

static const struct subject subjects[] = {
	{ "row", test_row },
	{ "examples", test_standard_examples },
	{ "key schedule", test_key_schedule },
	{ "ecb encryption", test_operation, NULL, SM4_ECB, "ecb(sm4)" },
	{ "ecb decryption", test_operation, NULL, SM4_ECB, "ecb(sm4)", true },
	{ "cbc encryption", test_operation, NULL, SM4_CBC_ENCRYPT, "cbc(sm4)" },
	{ "cbc decryption", test_operation, NULL, SM4_CBC_DECRYPT, "cbc(sm4)",
	  true },
	{ "cbc decryption, in place", test_cbc_in_place, NULL, SM4_CBC_DECRYPT,
	  "cbc(sm4)", true },
	{ "ctr", test_operation, NULL, SM4_CTR, "ctr(sm4)" },
	{ "ctr, partial blocks", test_ctr_partial_blocks, NULL, SM4_CTR,
	  "ctr(sm4)" },
	{ "ctr, counters that wrap", test_ctr_wraps, NULL, SM4_CTR, "ctr(sm4)" },
	{ "xts encryption", test_operation, NULL, SM4_XTS, "xts(sm4)" },
	{ "xts decryption", test_operation, NULL, SM4_XTS, "xts(sm4)", true },
	{ "xts-gb encryption", test_operation, NULL, SM4_XTS_GB,
	  "gbt17964(xts(sm4))" },
	{ "xts-gb decryption", test_operation, NULL, SM4_XTS_GB,
	  "gbt17964(xts(sm4))", true },
	{ "cbc-mac", test_cbc_mac, has_chains },
	{ "cbc encryption with sm3", test_cbc_sm3, sm4_tier_has_cbc_sm3 },
	{ "cbc encryption in lanes", test_cbc_lanes, has_lanes },
	{ "sm3 in lanes", test_sm3_lanes, has_lanes },
	{ "ccm encryption", test_ccm, has_chains },
	{ "ccm decryption", test_ccm, has_chains, .decrypts = true },
	{ "powers of the hash key", test_hash_key, sm4_tier_has_gcm },
	{ "ghash", test_ghash, sm4_tier_has_gcm },
	{ "ghash, single bits", test_ghash_extremes, sm4_tier_has_gcm },
	{ "gcm encryption", test_gcm, sm4_tier_has_gcm },
	{ "gcm encryption, in two parts", test_gcm_parts, sm4_tier_has_gcm },
	{ "gcm encryption, counters that wrap", test_gcm_wraps,
	  sm4_tier_has_gcm },
	{ "gcm decryption", test_gcm, sm4_tier_has_gcm, .decrypts = true },
	{ "gcm decryption, in two parts", test_gcm_parts, sm4_tier_has_gcm,
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
