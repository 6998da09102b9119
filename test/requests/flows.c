// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/* Several requests with one key (flows.h). */
#include "flows.h"

/* The longest part */
#define PART_MAX	3000

/* ---- what is sent and read ---- */

/* While it is made: how much has been sent and read, and whether more follows */
struct plan {
	unsigned int sent, read;
	bool more, must_set_iv;
};

/*
 * From this step on, the flow comes to its end: the last part, and the rest is read. The part
 * before may have said that more follows, so there is room for two, each rounded up to a block.
 */
static bool is_ending(const struct flow *flow, const struct plan *plan)
{
	return flow->count >= FLOW_STEPS - 3 || plan->sent > FLOW_BYTES - 2 * (PART_MAX + BLOCK);
}

static void plan_sending(struct flow *flow, struct plan *plan)
{
	const struct mode *mode = flow->mode;
	struct flow_step *step = &flow->steps[flow->count];
	const unsigned int queued = plan->sent - plan->read;

	step->at = plan->sent;
	step->bytes = 1 + random_below(random_below(2) ? 100 : PART_MAX);
	step->more = !is_ending(flow, plan) && random_below(3);
	/* Most texts have a legal length. */
	if (!step->more && random_below(8))
		step->bytes = round_up(queued + step->bytes, mode->granule) - queued;
	step->sets_direction = !flow->count || plan->must_set_iv || !random_below(3);
	step->sets_iv = step->sets_direction && mode->iv_bytes &&
			(!flow->count || plan->must_set_iv || random_below(2));
	step->open = random_below(2);
	random_iv(step->iv);
	plan->more = step->more;
	plan->sent += step->bytes;
	plan->must_set_iv = false;
	flow->count++;
}

static void plan_reading(struct flow *flow, struct plan *plan, bool keeps_iv)
{
	struct flow_step *step = &flow->steps[flow->count];
	const unsigned int queued = plan->sent - plan->read;

	step->is_read = true;
	step->at = plan->read;
	step->room = is_ending(flow, plan) || !random_below(3) ?
		     queued + random_below(100) :
		     BLOCK * (1 + random_below(queued / BLOCK + 2));
	step->bytes = min(step->room, queued);
	if (plan->more || step->bytes < queued)
		step->bytes = round_down(step->bytes, BLOCK);
	plan->read += step->bytes;
	plan->must_set_iv = !keeps_iv && !is_legal_text(flow->mode, step->bytes);
	flow->count++;
}

static void plan_steps(struct flow *flow, bool keeps_iv)
{
	struct plan plan = { 0 };

	memset(flow->steps, 0, sizeof(flow->steps));
	flow->count = 0;
	do {
		const unsigned int queued = plan.sent - plan.read;

		/* A whole text is read before another is sent. */
		if (queued && (!plan.more || (queued >= BLOCK && random_below(2))))
			plan_reading(flow, &plan, keeps_iv);
		else
			plan_sending(flow, &plan);
	} while (plan.sent > plan.read || plan.more || !is_ending(flow, &plan));
}

/* ---- the requests, and their answers ---- */

/* The request of a step that reads, and its contents */
static void get_request(const struct flow *flow, const struct flow_step *step, struct trial *r,
			struct contents *c)
{
	usual_trial(r, flow->mode);
	r->open = step->open;
	r->is_sealed = true;
	r->traits[TEXT] = step->bytes;
	*c = flow->contents;
	c->text += step->at;
	c->sealed += step->at;
	c->message.text = c->text;
	c->message.text_bytes = step->bytes;
	memcpy(c->message.iv, step->iv, BLOCK);
}

static void make_contents(struct flow *flow)
{
	struct contents part;
	struct trial r;
	u8 iv[BLOCK];
	bool open = false;
	unsigned int i;

	for (i = 0; i < flow->count; i++) {
		struct flow_step *step = &flow->steps[i];

		if (!step->is_read) {
			if (step->sets_direction)
				open = step->open;
			if (step->sets_iv)
				memcpy(iv, step->iv, BLOCK);
			continue;
		}
		step->open = open;
		memcpy(step->iv, iv, BLOCK);
		get_request(flow, step, &r, &part);
		if (is_legal_text(flow->mode, step->bytes)) {
			r.open = false;
			reference_seal(&r, &part);
			leave_iv(flow->mode, iv, part.sealed, step->bytes);
		}
		memcpy(flow->in + step->at, open ? part.sealed : part.text, step->bytes);
	}
}

void make_flow(struct flow *flow, const struct mode *mode, bool keeps_iv)
{
	struct contents *c = &flow->contents;
	struct trial r;

	if (!c->text) {
		c->text = memory_allocate(FLOW_BYTES);
		c->sealed = memory_allocate(FLOW_BYTES);
		flow->in = memory_allocate(FLOW_BYTES);
	}
	flow->mode = mode;
	usual_trial(&r, mode);
	make_key_and_iv(&r, c->message.key, c->message.iv);
	c->message.key_bytes = r.traits[KEY];
	random_fill(c->text, FLOW_BYTES);
	random_fill(c->sealed, FLOW_BYTES);
	plan_steps(flow, keeps_iv);
	make_contents(flow);
}

void run_flow(const struct flow *flow, void *tfm)
{
	struct contents part;
	struct trial r;
	unsigned int i;

	for (i = 0; i < flow->count; i++) {
		const struct flow_step *step = &flow->steps[i];

		describe("step %u of a flow: %u bytes from %u on %s", i, step->bytes, step->at,
			 step->is_read ? step->open ? "are decrypted" : "are encrypted" :
			 step->more ? "are sent, and more follow" : "are sent");
		if (!step->is_read) {
			check_equal(send_of_flow(flow, step, tfm), 0);
			continue;
		}
		get_request(flow, step, &r, &part);
		check_equal(read_of_flow(step, &r, &part, tfm),
			    right_answer(&r) ?: (int)step->bytes);
	}
}

/* ---- series ---- */

void try_series(const struct trial *first, const struct contents *keyed, unsigned int count,
		ask_of_series *ask_one, void *tfm)
{
	static struct contents contents;
	char text[256];
	struct trial r;

	contents.key = keyed->message.key;
	while (count--) {
		random_trial(&r, first->mode);
		r.traits[KEY] = first->traits[KEY];
		r.traits[TAG] = first->traits[TAG];
		prepare_trial(&r, &contents);
		print_trial(&r, text, sizeof(text));
		describe("a request of a series with one key: %s", text);
		check_equal(ask_one(&r, &contents, tfm), right_answer(&r));
	}
}
