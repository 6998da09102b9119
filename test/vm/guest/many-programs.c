// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * many-programs [--absent] SECONDS PROCESSES [ALGORITHM...]
 *
 * Sends random requests to the running kernel, by AF_ALG, from many processes at once, for this
 * long: for each ALGORITHM, or all that AF_ALG has of test/requests/modes.c. The processes share
 * one key of each, in the kernel; for one request in eight they set a key of their own. With
 * --absent, they do that for each request, and the kernel may have no driver. Prints TAP without
 * numbers or plan, one line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "../../requests/modes.h"
#include "../af-alg.h"

#define ALGORITHMS_MAX	64

/* An algorithm, the key that processes share, and their sockets for it */
static struct shared {
	const struct mode *mode;
	struct af_alg driver;
	struct trial first;
	struct contents contents;
} algorithms[ALGORITHMS_MAX];
static unsigned int algorithm_count;

/* Whether the kernel may have no driver, and no key is shared */
static bool may_be_absent;

/* Counters of all processes */
static struct totals {
	_Atomic unsigned long requests, bytes, absent;
} *totals;

static struct contents contents;

static void end_process(void)
{
	exit(1);
}

static void open_algorithm(struct shared *algorithm)
{
	struct trial *r = &algorithm->first;

	describe("the kernel does not give it to AF_ALG");
	usual_trial(r, algorithm->mode);
	prepare_trial(r, &algorithm->contents);
	check_equal(af_alg_open(&algorithm->driver, algorithm->mode, algorithm->mode->name), 0);
	check_equal(af_alg_set_key(&algorithm->driver, r, &algorithm->contents), 0);
}

/* Half of them are long, for longer FPU sections. */
static void make_random(struct trial *r, const struct mode *mode)
{
	do {
		random_trial(r, mode);
		if (random_below(2))
			r->traits[TEXT] = 8192 + round_down(r->traits[TEXT] % 32768,
							    mode->granule);
	} while (!af_alg_takes(r));
}

static int ask(struct af_alg *driver, const struct trial *r)
{
	char text[256];
	int err;

	print_trial(r, text, sizeof(text));
	describe("%s", text);
	err = af_alg_ask(r, &contents, driver);
	check_equal(err, right_answer(r));
	totals->requests++;
	totals->bytes += r->traits[TEXT];
	return err;
}

static void ask_with_own_key(const struct shared *algorithm)
{
	struct af_alg driver;
	struct trial r;
	int err = af_alg_open(&driver, algorithm->mode, algorithm->mode->name);

	if (err == -ENOENT && may_be_absent) {
		totals->absent++;
		return;
	}
	describe("the kernel does not give it to AF_ALG");
	check_equal(err, 0);
	make_random(&r, algorithm->mode);
	contents.key = NULL;
	prepare_trial(&r, &contents);
	err = af_alg_set_key(&driver, &r, &contents);
	if (err) {
		describe("the key, or the length of tags, of a random request");
		check_equal(err, right_answer(&r));
	} else {
		af_alg_begin(&driver);
		ask(&driver, &r);
	}
	af_alg_close(&driver);
}

static void ask_with_shared_key(struct shared *algorithm)
{
	struct trial r;

	make_random(&r, algorithm->mode);
	r.traits[KEY] = algorithm->first.traits[KEY];
	r.traits[TAG] = algorithm->first.traits[TAG];
	contents.key = algorithm->contents.message.key;
	prepare_trial(&r, &contents);
	ask(&algorithm->driver, &r);
}

/* A process */
static void make_load(time_t end)
{
	unsigned int i;

	for (i = 0; !may_be_absent && i < algorithm_count; i++)
		af_alg_begin(&algorithms[i].driver);
	while (time(NULL) < end) {
		struct shared *algorithm = &algorithms[random_below(algorithm_count)];

		name_for_failures = algorithm->mode->name;
		if (may_be_absent || !random_below(8))
			ask_with_own_key(algorithm);
		else
			ask_with_shared_key(algorithm);
		/* Sometimes there is no user, so that the module can be unloaded. */
		if (may_be_absent)
			usleep(10000);
	}
}

static unsigned int await_processes(void)
{
	unsigned int failed = 0;
	int status;

	while (wait(&status) > 0) {
		if (!status)
			continue;
		failed++;
		if (WIFSIGNALED(status))
			printf("# a process was ended by signal %d\n", WTERMSIG(status));
	}
	return failed;
}

static void choose_algorithms(char **names)
{
	const struct mode *mode;

	for (; *names && algorithm_count < ALGORITHMS_MAX; names++)
		algorithms[algorithm_count++].mode = find_algorithm(*names);
	if (algorithm_count)
		return;
	for (mode = modes; mode < modes + mode_count; mode++)
		if (mode->kind != CIPHER)
			algorithms[algorithm_count++].mode = mode;
}

int main(int argc, char **argv)
{
	unsigned int i, processes, failed;
	time_t end;

	setvbuf(stdout, NULL, _IOLBF, 0);
	may_be_absent = argc > 1 && !strcmp(argv[1], "--absent");
	argv += 1 + may_be_absent;
	if (argc < 3 + may_be_absent) {
		fprintf(stderr,
			"usage: many-programs [--absent] SECONDS PROCESSES [ALGORITHM...]\n");
		return 2;
	}
	end = time(NULL) + atoi(argv[0]);
	processes = atoi(argv[1]);
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	end_after_failure = end_process;
	seed_random(0);
	choose_algorithms(argv + 2);
	for (i = 0; !may_be_absent && i < algorithm_count; i++) {
		name_for_failures = algorithms[i].mode->name;
		open_algorithm(&algorithms[i]);
	}
	for (i = 0; i < processes; i++) {
		pid_t child = fork();

		name_for_failures = "fork";
		describe("process %u", i);
		check(child >= 0);
		if (child)
			continue;
		seed_random(1 + i);
		make_load(end);
		exit(0);
	}
	failed = await_processes();
	printf("# %u processes, %lu requests, %lu bytes, %lu times absent\n", processes,
	       totals->requests, totals->bytes, totals->absent);
	printf("%s - many programs at once: AF_ALG answers as libgcrypt does\n",
	       failed || !totals->requests ? "not ok" : "ok");
	return 0;
}
