/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Framework of the user-space tests: test cases with names made at run time, on
 * GLib's test runner, which prints TAP. Each program is a list of cases:
 *
 *	int main(int argc, char **argv)
 *	{
 *		start_cases(&argc, &argv);
 *		add_case(function, argument, "/path/of/%s", name);
 *		return run_cases();
 *	}
 *
 * and can be asked for some of them only (-p PATH), or for their names (-l).
 * Random choices come from a seed that is printed (--seed=... repeats a run).
 */
#ifndef TEST_HOST_CASE_H
#define TEST_HOST_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef void case_function(const void *argument);

void start_cases(int *argc, char ***argv);
void add_case(case_function *function, const void *argument,
	      const char *path_format, ...)
	__attribute__((format(printf, 3, 4)));
int run_cases(void);

/* Whether the program was started with -m slow */
bool is_long_run(void);

/* Describe the current trial, for the message of a failure; the latest call counts. */
void describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* End the running case: as failed, or as skipped with a reason */
void fail_case(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void skip_case(const char *reason) __attribute__((noreturn));

#define check(condition) do { \
	if (!(condition)) \
		fail_case("%s:%d: not so: %s", __FILE__, __LINE__, \
			  #condition); \
} while (0)

/* For error codes and counts */
#define check_equal(actual, expected) do { \
	long actual_ = (actual), expected_ = (expected); \
\
	if (actual_ != expected_) \
		fail_case("%s:%d: %s is %ld, not %ld", __FILE__, __LINE__, \
			  #actual, actual_, expected_); \
} while (0)

/* For messages: @text has @part in it, or is empty if that is NULL. */
#define check_log(text, part) do { \
	const char *text_ = (text), *part_ = (part); \
\
	if (part_ ? !strstr(text_, part_) : *text_) \
		fail_case("%s:%d: not %s, but: %s", __FILE__, __LINE__, \
			  part_ ? part_ : "nothing", *text_ ? text_ : "nothing"); \
} while (0)

/* @what names the bytes in the failure's message */
void check_bytes(const void *actual, const void *expected, size_t bytes,
		 const char *what);

unsigned int random_below(unsigned int limit);
void random_fill(void *p, size_t bytes);

/*
 * Memory between two pages that cannot be accessed: an access beyond either end is
 * detected. @bytes is a multiple of 4096.
 */
struct guarded {
	uint8_t *start;
	size_t bytes;
};

struct guarded guarded_allocate(size_t bytes);

#endif
