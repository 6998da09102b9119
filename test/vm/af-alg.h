/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * The engine of test/requests for programs that send requests to the running kernel by AF_ALG; the
 * reference is libgcrypt, which shares no code with the module. Beside the modes of
 * test/requests/modes.c, there are the kernel's templates over them. A failure ends the program.
 */
#ifndef TEST_VM_AF_ALG_H
#define TEST_VM_AF_ALG_H

#include "../requests/flows.h"

/* A driver, with the sockets for its key, and for requests with that */
struct af_alg {
	const struct mode *mode;
	int key_socket, socket;
};

/* Ends the program if there is no such mode and no such template. */
const struct mode *find_algorithm(const char *name);

/* By the name of the driver or the algorithm; returns an error, or 0. */
int af_alg_open(struct af_alg *driver, const struct mode *mode, const char *name);
void af_alg_close(struct af_alg *driver);

/* A new key and length of tags, while there are no requests; returns the kernel's error, or 0. */
int af_alg_set_key(struct af_alg *driver, const struct trial *r, const struct contents *c);

/* Another socket for requests with that key, also in another process */
void af_alg_begin(struct af_alg *driver);
void af_alg_end(struct af_alg *driver);

/* Before 5.9, AF_ALG takes no request of a cipher that has no bytes. */
bool af_alg_takes(const struct trial *r);

/* One request (ask_of_series of test/requests/flows.h). Returns the kernel's error, or 0. */
int af_alg_ask(const struct trial *r, const struct contents *c, void *driver);

/* Numbers are the same in every run, for each @seed. */
void seed_random(uint64_t seed);

/* The failure's message begins with this name. */
extern const char *name_for_failures;

/* What ends the program, after the message; it does not return. */
extern void (*end_after_failure)(void);

#endif
