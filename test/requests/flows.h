/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Several requests with one key: flows of a cipher without tags, in which each request continues
 * where the last one has ended, and series of requests of any mode.
 *
 * A flow is what a program does with AF_ALG. It sends a text in parts, of which all but the last
 * say that more follows (MSG_MORE). With a part, it may set the direction, and an IV. What it then
 * reads is one request, for as much as it has room for, in whole blocks unless that is the end; so
 * what it reads is shorter or longer than what it has sent. Some texts have a length that is
 * refused. The IV goes on through all this.
 */
#ifndef TEST_REQUESTS_FLOWS_H
#define TEST_REQUESTS_FLOWS_H

#include "trials.h"

#define FLOW_STEPS	24
#define FLOW_BYTES	16384

/**
 * struct flow_step - a part is sent, or one is read
 * @is_read: which of these
 * @at: where it begins, in all that is sent
 * @bytes: its length; that of the request
 * @room: bytes that the reader has room for
 * @more: more will be sent
 * @sets_direction: @open is sent with it.
 * @sets_iv: @iv is sent with it.
 * @open: whether to decrypt
 * @iv: the IV that is set, or that the request has to begin with
 */
struct flow_step {
	bool is_read;
	unsigned int at, bytes, room;
	bool more, sets_direction, sets_iv;
	bool open;
	u8 iv[BLOCK];
};

/*
 * The contents are those of all requests together, and @in is what is sent, to be encrypted or
 * decrypted. Initially all is 0.
 */
struct flow {
	const struct mode *mode;
	struct contents contents;
	u8 *in;
	struct flow_step steps[FLOW_STEPS];
	unsigned int count;
};

/*
 * Make a random flow, with its key, of a mode of a cipher. With @keeps_iv, a request that is
 * refused does not change the IV. The reference gives the answers.
 */
void make_flow(struct flow *flow, const struct mode *mode, bool keeps_iv);

/* Where @tfm has the key. Each answer has to be right: length, error and bytes. */
void run_flow(const struct flow *flow, void *tfm);

/* A random request to the key and tag of the first one, which have been set; it has this answer. */
typedef int ask_of_series(const struct trial *r, const struct contents *c, void *tfm);

/* Random requests, right and wrong, with the key and the tag's length of the trial @first. */
void try_series(const struct trial *first, const struct contents *keyed, unsigned int count,
		ask_of_series *ask_one, void *tfm);

#endif
