// SPDX-License-Identifier: GPL-2.0
/*
 * A program for libFuzzer: every driver that the module registers here, through
 * the crypto API, compared with libgcrypt. The input determines everything: the
 * driver, the number of requests at once, lengths, directions, places in
 * memory, the pieces, the pieces for which the vector unit cannot be
 * used, and changes of a message. Every input is legal.
 */
#include "input.h"
#include "requests.h"
#include "shim/control.h"

static void fuzz_request(const struct crypto_alg *alg)
{
	void *tfm = shim_allocate_transform(alg->cra_driver_name);
	static struct contents contents;
	struct trial r;
	char text[128];
	int err;

	random_trial(&r, find_mode(alg->cra_name));
	print_trial(&r, text, sizeof(text));
	describe("%s: %s", alg->cra_driver_name, text);
	prepare_trial(&r, &contents);
	err = set_keys(&r, &contents, tfm);
	check_equal(err ?: ask(&r, &contents, tfm, &placements[random_below(PLACEMENTS)]),
		    right_answer(&r));
	shim_free_transform(tfm);
}

#define BURST_MAX	40
#define BURST_TFMS	3

/* Messages in both directions, with several keys, submitted in softirq */
static void fuzz_burst(const struct crypto_alg *alg)
{
	const struct mode *mode = find_mode(alg->cra_name);
	unsigned int count = 1 + random_below(BURST_MAX), i;
	static struct async_request burst[BURST_MAX];
	struct keyed_aead aeads[BURST_TFMS];

	for (i = 0; i < BURST_TFMS; i++)
		set_random_key(&aeads[i], mode, shim_allocate_transform(alg->cra_driver_name));
	shim_enter(0, true);
	for (i = 0; i < count; i++) {
		random_trial(&burst[i].trial, mode);
		async_prepare(&burst[i], &aeads[random_below(BURST_TFMS)],
			      &placements[random_below(PLACEMENTS)]);
		async_submit(&burst[i]);
	}
	shim_enter(0, false);
	shim_set_steps_cross_pages(random_below(2));
	shim_run_softirqs(0);
	for (i = 0; i < count; i++)
		async_check(&burst[i], alg->cra_driver_name);
	for (i = 0; i < BURST_TFMS; i++)
		shim_free_transform(aeads[i].tfm);
}

static void fuzz_driver(const struct crypto_alg *alg)
{
	/* In process context, it also processes requests one by one. */
	if (alg->cra_flags & CRYPTO_ALG_ASYNC && random_below(4))
		return fuzz_burst(alg);
	fuzz_request(alg);
}

/*
 * libFuzzer sees only the C code that an input reaches. These counters show it the drivers,
 * so that its corpus has all of them.
 */
static u8 reached[SHIM_ALGORITHMS_MAX] __attribute__((__section__("__libfuzzer_extra_counters")));
static unsigned long runs[ARRAY_SIZE(reached)];

static void print_runs(void)
{
	unsigned int i, tried = 0;

	for (i = 0; i < shim_algorithm_count(); i++)
		tried += !!runs[i];
	fprintf(stderr, "tried %u of %u drivers\n", tried, shim_algorithm_count());
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	shim_reset();
	shim_set_parameter("tiers", "all");
	shim_set_parameter("batch", "Y");
	check_equal(shim_load_module(), 0);
	atexit(print_runs);
	return 0;
}

int LLVMFuzzerTestOneInput(const u8 *bytes, size_t count)
{
	unsigned int choice;

	input_start(bytes, count);
	choice = random_below(shim_algorithm_count());
	reached[choice] = 1;
	runs[choice]++;
	shim_set_simd_policy(random_below(SIMD_POLICIES));
	fuzz_driver(shim_algorithm(choice));
	return 0;
}
