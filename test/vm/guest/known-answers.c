// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * known-answers ALGORITHM DRIVER
 *
 * Sends requests for DRIVER to the running kernel, by AF_ALG: texts of the lengths in
 * test/requests/trials.c, random requests, right and wrong, series with one key, and flows.
 * ALGORITHM says what DRIVER must compute, such as xts(sm4): a mode of test/requests/modes.c, or a
 * template of the kernel (test/vm/af-alg.c). Prints TAP without numbers or plan, one line.
 *
 * This is for what only a whole kernel shows: that the drivers work with its walks over pages, its
 * vector unit and its templates. The same requests with all placements, keys and tags are for
 * test/host and test/kunit.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../af-alg.h"

static struct af_alg driver;
static struct contents contents;
static unsigned int count;

static void end_as_failed(void)
{
	printf("not ok - %s answers as libgcrypt does (after %u requests)\n", name_for_failures,
	       count);
	exit(0);
}

/* With a key of its own */
static void try_trial(struct trial *r, const char *what)
{
	char text[256];
	int err;

	if (!af_alg_takes(r))
		return;
	prepare_trial(r, &contents);
	print_trial(r, text, sizeof(text));
	describe("%s: %s", what, text);
	err = af_alg_set_key(&driver, r, &contents);
	if (!err) {
		af_alg_begin(&driver);
		err = af_alg_ask(r, &contents, &driver);
		af_alg_end(&driver);
	}
	check_equal(err, right_answer(r));
	count++;
}

static int ask_in_series(const struct trial *r, const struct contents *c, void *af_alg)
{
	if (!af_alg_takes(r))
		return right_answer(r);
	count++;
	return af_alg_ask(r, c, af_alg);
}

static void try_one_key(void)
{
	struct trial r;

	usual_trial(&r, driver.mode);
	prepare_trial(&r, &contents);
	check_equal(af_alg_set_key(&driver, &r, &contents), 0);
	af_alg_begin(&driver);
	try_series(&r, &contents, 10, ask_in_series, &driver);
	af_alg_end(&driver);
}

/* For these, AF_ALG has no list, or one without an end. */
static void try_empty(void)
{
	struct trial r;

	usual_trial(&r, driver.mode);
	r.traits[TEXT] = 0;
	r.traits[AAD] = 0;
	try_trial(&r, "nothing to encrypt");
	r.open = driver.mode->kind != MAC;
	try_trial(&r, "nothing to decrypt, or a tag only");
}

/* A template's errors may leave any IV. */
static void try_flow(void)
{
	static struct flow flow;
	struct trial r;

	make_flow(&flow, driver.mode, !strchr(name_for_failures, '('));
	usual_trial(&r, driver.mode);
	describe("the key of a flow");
	check_equal(af_alg_set_key(&driver, &r, &flow.contents), 0);
	af_alg_begin(&driver);
	run_flow(&flow, &driver);
	af_alg_end(&driver);
	count += flow.count;
}

int main(int argc, char **argv)
{
	const struct mode *mode;
	struct trial r;
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 3) {
		fprintf(stderr, "usage: known-answers ALGORITHM DRIVER\n");
		return 2;
	}
	/* If there is no such mode, that is also a result. */
	dup2(STDOUT_FILENO, STDERR_FILENO);
	mode = find_algorithm(argv[1]);
	name_for_failures = argv[2];
	end_after_failure = end_as_failed;
	seed_random(0);
	describe("the kernel does not give it to AF_ALG");
	check_equal(af_alg_open(&driver, mode, argv[2]), 0);
	for (i = 0; i < rule_count; i++)
		if (rules[i].trait == TEXT && !rules[i].set[FIRST])
			try_rule(&rules[i], mode, try_trial);
	for (i = 0; i < 100; i++) {
		random_trial(&r, mode);
		try_trial(&r, "a random request");
	}
	try_empty();
	for (i = 0; i < 5; i++)
		try_one_key();
	for (i = 0; i < 10 && mode->kind == SKCIPHER; i++)
		try_flow();
	printf("ok - %s answers as libgcrypt does (%u requests)\n", argv[2], count);
	return 0;
}
