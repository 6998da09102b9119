// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Test cases on GLib's test runner (case.h). GLib ends a program at the first
 * failure; here a failure ends its case only, by a long jump.
 */
#include <glib.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "case.h"
#include "shim/control.h"

/* A list of all cases: reachable memory does not count as a leak. */
struct test_case {
	case_function *function;
	const void *argument;
	struct test_case *next;
};

static struct test_case *cases;
static char **arguments_of_glib;
static sigjmp_buf end_of_case;
static char description[256];

/* Report an access outside of a buffer: mostly to a page of guarded memory. */
static void memory_fault(int number, siginfo_t *information, void *context)
{
	fail_case("signal %d: memory fault at %p", number,
		  information->si_addr);
}

bool is_long_run(void)
{
	return g_test_slow();
}

void start_cases(int *argc, char ***argv)
{
	const struct sigaction catch_fault = {
		.sa_sigaction = memory_fault, .sa_flags = SA_SIGINFO,
	};
	int count = *argc;

	/* -k: go on after a failure */
	arguments_of_glib = g_new0(char *, count + 2);
	memcpy(arguments_of_glib, *argv, count * sizeof(**argv));
	arguments_of_glib[count++] = "-k";
	*argc = count;
	*argv = arguments_of_glib;
	g_test_init(argc, argv, NULL);
	sigaction(SIGSEGV, &catch_fault, NULL);
	sigaction(SIGBUS, &catch_fault, NULL);
	shim_reset();
}

static void run_case(const void *data)
{
	const struct test_case *test = data;

	description[0] = '\0';
	if (!sigsetjmp(end_of_case, true))
		test->function(test->argument);
	shim_reset();
}

void add_case(case_function *function, const void *argument,
	      const char *path_format, ...)
{
	struct test_case *test = g_new(struct test_case, 1);
	va_list arguments;
	char *path;

	va_start(arguments, path_format);
	path = g_strdup_vprintf(path_format, arguments);
	va_end(arguments);
	test->function = function;
	test->argument = argument;
	test->next = cases;
	cases = test;
	g_test_add_data_func(path, test, run_case);
	g_free(path);
}

int run_cases(void)
{
	int status = g_test_run();

	/* An optimizing compiler removes a pointer that is only written. */
	g_free(arguments_of_glib);
	return status;
}

void describe(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(description, sizeof(description), format, arguments);
	va_end(arguments);
}

void fail_case(const char *format, ...)
{
	char message[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	g_test_fail_printf("%s%s%s", message, *description ? ": " : "",
			   description);
	siglongjmp(end_of_case, 1);
}

void skip_case(const char *reason)
{
	g_test_skip(reason);
	siglongjmp(end_of_case, 1);
}

unsigned int random_below(unsigned int limit)
{
	return g_test_rand_int_range(0, limit);
}

/* The linear congruence of Numerical Recipes, because GLib's takes a lock for each number */
void random_fill(void *p, size_t bytes)
{
	uint64_t generator = g_test_rand_int();
	uint8_t *byte = p;

	while (bytes--) {
		generator = generator * 6364136223846793005 + 1442695040888963407;
		*byte++ = generator >> 56;
	}
}
