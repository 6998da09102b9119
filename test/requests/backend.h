/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * What the engine asks of the side that it runs on: the shim of test/host, a kernel (test/kunit),
 * or a program with AF_ALG (test/vm). The first two have a driver's own functions (ask.h,
 * memory.h), and define all of these functions, except for check_bytes() and those of flows; the
 * last one defines only those that trials.c and flows.c need.
 */
#ifndef TEST_REQUESTS_BACKEND_H
#define TEST_REQUESTS_BACKEND_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

struct contents;
struct flow;
struct flow_step;
struct trial;

/* ---- results ---- */

/* Describe the current trial, for the message of a failure; the latest call counts. */
void describe(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* End the running case as failed: it does not return. */
void fail_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

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

/* @what names the bytes in the failure's message. check.c has it for both sides. */
void check_bytes(const void *actual, const void *expected, size_t bytes,
		 const char *what);

/* ---- random numbers ---- */

unsigned int random_below(unsigned int limit);
void random_fill(void *p, size_t bytes);

/* ---- memory ---- */

/* Memory for a test's own data; if there is none, the case fails. */
void *memory_allocate(size_t bytes);
void memory_free(void *memory);

/*
 * Memory between two pages that cannot be accessed: an access beyond either end is detected.
 * Or @beyond bytes on both sides exist, and the engine watches whether they change.
 */
struct guarded {
	uint8_t *start;
	size_t bytes, beyond;
};

/*
 * Guarded memory whose address a function gets, and guarded memory for the entries of
 * scatterlists. @bytes is a multiple of 4096. It remains until the end of the tests.
 */
struct guarded guarded_allocate(size_t bytes);
struct guarded guarded_pages(size_t bytes);

/* An address at which nothing is: to look there is a memory fault. */
void *guarded_nothing(void);

/* From here on, writing to it may be a memory fault, until it is called again with false. */
void guarded_protect(const struct guarded *memory, bool read_only);

/* ---- the calls of a driver ---- */

/*
 * Called before and after each call of a driver, as the trial says: in between, SIMD may be
 * unusable, and allocations may fail.
 */
void begin_call(const struct trial *trial);
void end_call(const struct trial *trial);

/* Whether this error of a driver is all right, because an allocation has failed */
bool has_lacked_memory(int err);

/*
 * The right ciphertext with the tag after it, or the right MAC, of the message in @contents,
 * by an implementation of others, to @contents->sealed; the trial is legal.
 */
void reference_seal(const struct trial *trial, struct contents *contents);

/*
 * For authenc, whose tag is checked before the length of the text: the tag of a text that has
 * a partial block, as if this were the ciphertext. Returns whether this side can do that.
 */
bool reference_tag(const struct trial *trial, struct contents *contents);

/* ---- flows: ask.c has these for the shim and for a kernel ---- */

/* Send a part; returns an error, or 0. */
int send_of_flow(const struct flow *flow, const struct flow_step *step, void *tfm);

/*
 * Read the answer to a request. Returns its length, if its bytes are right, or the error.
 */
int read_of_flow(const struct flow_step *step, const struct trial *trial,
		 const struct contents *contents, void *tfm);

#endif
