/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
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

#include "../requests/backend.h"

typedef void case_function(const void *argument);

void start_cases(int *argc, char ***argv);
void add_case(case_function *function, const void *argument,
	      const char *path_format, ...)
	__attribute__((format(printf, 3, 4)));
int run_cases(void);

/* Whether the program was started with -m slow */
bool is_long_run(void);

/* The functions of backend.h; the case ends by a long jump. */
void fail_case(const char *format, ...) __attribute__((noreturn));
void skip_case(const char *reason) __attribute__((noreturn));

/* For messages: @text has @part in it, or is empty if that is NULL. */
#define check_log(text, part) do { \
	const char *text_ = (text), *part_ = (part); \
\
	if (part_ ? !strstr(text_, part_) : *text_) \
		fail_case("%s:%d: not %s, but: %s", __FILE__, __LINE__, \
			  part_ ? part_ : "nothing", *text_ ? text_ : "nothing"); \
} while (0)

#endif
