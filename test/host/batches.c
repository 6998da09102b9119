// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The drivers that process several requests of authenc() at once, on two CPUs whose softirqs
 * run when a case says so: each answer is compared with libgcrypt's. Also tests the order of
 * completions, and limits. test/lab/batches.t has two CPUs that do this at the same time, and
 * transforms that a completion frees.
 */
#include "registered.h"
#include "requests.h"

#define BURST_MAX	80

/* As in sm4-fast-batch.c */
#define QUEUE_MAX	1000
#define FLOW_MAX	1000

/* A case is for a tier and circumstances */
struct subject {
	const struct sm4_tier *tier;
	void (*function)(const struct subject *subject);
	enum simd_policy simd_policy;
	bool memory_fails;
};

/* ---- flows: the requests to one transform ---- */

struct flow {
	struct keyed_aead aead;
	unsigned int submitted, completed;
};

static struct crypto_aead *allocate(const struct sm4_tier *tier, bool esn)
{
	char name[CRYPTO_MAX_ALG_NAME];

	snprintf(name, sizeof(name), "authenc%s-hmac-sm3-cbc-sm4-batch-%s-fast",
		 esn ? "esn" : "", tier->base.name);
	return shim_allocate_transform(name);
}

static void make_flow(struct flow *flow, const struct sm4_tier *tier, bool esn)
{
	memset(flow, 0, sizeof(*flow));
	set_random_key(&flow->aead, find_mode(esn ? "authencesn(hmac(sm3),cbc(sm4))" :
						    "authenc(hmac(sm3),cbc(sm4))"),
		       allocate(tier, esn));
}

static void free_flow(struct flow *flow)
{
	shim_free_transform(flow->aead.tfm);
}

/* ---- requests ---- */

struct request {
	struct async_request async;
	struct flow *flow;
	unsigned int number;
	u64 ns;		/* that its completion takes */
	void (*completed)(struct request *request);
};

static void complete(void *data, int err)
{
	struct request *request = data;

	/* The order of submission, for each transform */
	check_equal(request->flow->completed++, request->number);
	async_complete(&request->async, err);
	shim_pass_time(request->ns);
	if (request->completed)
		request->completed(request);
}

/* Anywhere in memory, in pieces or not */
static const struct placement *anywhere(void)
{
	return &placements[random_below(PLACEMENTS)];
}

/* Make the rest of a request, after its trial. */
static void prepare(struct request *request, struct flow *flow,
		    const struct placement *placement)
{
	async_prepare(&request->async, &flow->aead, placement);
	aead_request_set_callback(request->async.request, 0, complete, request);
	request->flow = flow;
	request->ns = 0;
	request->completed = NULL;
}

/* Make a small request that encrypts, in one piece of memory, so that many take little time. */
static void make_small(struct request *request, struct flow *flow)
{
	usual_trial(&request->async.trial, flow->aead.mode);
	prepare(request, flow, &flat_placements[random_below(2) ? 0 : 3]);
}

/* Texts and associated data are mostly like a packet's. */
static void make_random(struct request *request, struct flow *flow)
{
	struct trial *r = &request->async.trial;

	random_trial(r, flow->aead.mode);
	if (random_below(4))
		r->traits[AAD] = 24;
	if (random_below(8))
		r->traits[TEXT] = BLOCK * random_below(100);
	prepare(request, flow, anywhere());
}

static int submit(struct request *request)
{
	struct flow *flow = request->flow;
	int err;

	request->number = flow->submitted++;
	err = async_submit(&request->async);
	/* A request that is processed or refused immediately is not completed. */
	if (err != -EINPROGRESS)
		flow->submitted--;
	return err;
}

/* ---- cases ---- */

/* Each case uses a flow of authenc, one of authencesn, and requests. */
static struct flow flow, esn_flow;
static struct request requests[QUEUE_MAX + 40];

static void start(enum simd_policy simd_policy)
{
	shim_set_parameter("tiers", "all");
	shim_set_parameter("batch", "Y");
	shim_set_simd_policy(simd_policy);
	check_equal(shim_load_module(), 0);
}

static void run_case_of_tier(const void *argument)
{
	const struct subject *subject = argument;

	start(subject->simd_policy);
	make_flow(&flow, subject->tier, false);
	make_flow(&esn_flow, subject->tier, true);
	subject->function(subject);
	free_flow(&flow);
	free_flow(&esn_flow);
	shim_unload_module();
}

static unsigned long parameter(const char *name)
{
	return strtoul(shim_computed_parameter(name), NULL, 10);
}

static void check_answers(unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		async_check(&requests[i].async, "a request in a batch");
}

/* Let both CPUs process the waiting requests. */
static void check_all_answers(unsigned int count)
{
	shim_enter(0, false);
	shim_run_softirqs(1);
	shim_run_softirqs(0);
	check_answers(count);
}

/* A burst of requests with several keys, on both CPUs in turn */
static void check_burst(const struct subject *subject, struct flow *flows,
			unsigned int flow_count)
{
	unsigned int count = 1 + random_below(BURST_MAX), i;

	shim_set_steps_cross_pages(random_below(2));
	for (i = 0; i < count; i++)
		make_random(&requests[i], &flows[random_below(flow_count)]);
	if (subject->memory_fails)
		shim_fail_allocation_after(random_below(count));
	for (i = 0; i < count; i++) {
		shim_enter(random_below(10) ? 0 : 1, true);
		submit(&requests[i]);
	}
	check_all_answers(count);
}

static void test_answers(const struct subject *subject)
{
	struct flow flows[6];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flows); i++)
		make_flow(&flows[i], subject->tier, i % 2);
	for (i = 0; i < 150; i++)
		check_burst(subject, flows, 1 + i % ARRAY_SIZE(flows));
	check(parameter("batched") > 150);
	for (i = 0; i < ARRAY_SIZE(flows); i++)
		free_flow(&flows[i]);
}

/* Submit @count small requests on a CPU. */
static void submit_many(struct flow *of, unsigned int cpu, unsigned int from,
			unsigned int count)
{
	unsigned int i;

	shim_enter(cpu, true);
	for (i = from; i < from + count; i++) {
		make_small(&requests[i], of);
		check_equal(submit(&requests[i]), -EINPROGRESS);
	}
	shim_enter(0, false);
}

/* Submit one more on a CPU, whose list is full. */
static void submit_refused(struct flow *of, unsigned int cpu)
{
	struct request *refused = &requests[ARRAY_SIZE(requests) - 1];

	shim_enter(cpu, true);
	make_small(refused, of);
	refused->async.request->base.flags = CRYPTO_TFM_REQ_MAY_SLEEP;
	check_equal(submit(refused), -ENOSPC);
	check_equal(refused->async.request->base.flags, CRYPTO_TFM_REQ_MAY_SLEEP);
	attempt_check(&refused->async.attempt, -ENOSPC);
	free(refused->async.request);
	shim_enter(0, false);
}

/* While one CPU completes requests, another processes more requests of the same flow. */
static void run_other_cpu(struct request *request)
{
	shim_run_softirqs(1);
	/* That CPU leaves its requests to the CPU that completes. */
	check_equal(request->flow->completed, 1);
}

static void test_order_while_completing(const struct subject *subject)
{
	submit_many(&flow, 0, 0, 1);
	submit_many(&flow, 1, 1, 10);
	submit_many(&flow, 0, 11, 9);
	requests[0].completed = run_other_cpu;
	shim_run_softirqs(0);
	check_equal(flow.completed, 20);
	check_answers(20);
}

/* Process context does not wait, but must not overtake requests that wait. */
static void test_process_context(const struct subject *subject)
{
	struct request *sleeper = &requests[2];

	make_small(&requests[0], &flow);
	check_equal(submit(&requests[0]), 0);
	submit_many(&flow, 0, 1, 1);
	/* on another CPU, whose softirqs run immediately, but not before the earlier request */
	shim_enter(1, false);
	usual_trial(&sleeper->async.trial, flow.aead.mode);
	sleeper->async.trial.traits[TEXT] = 8192;
	/* in pieces, with a walk that may sleep only in process context */
	prepare(sleeper, &flow, &placements[1]);
	sleeper->async.request->base.flags = CRYPTO_TFM_REQ_MAY_SLEEP;
	check_equal(submit(sleeper), -EINPROGRESS);
	check(!sleeper->async.done);
	make_small(&requests[3], &esn_flow);
	check_equal(submit(&requests[3]), 0);
	shim_run_softirqs(0);
	check_equal(sleeper->async.request->base.flags, CRYPTO_TFM_REQ_MAY_SLEEP);
	check_answers(4);
}

/* It may not overtake a request whose completion has not returned, either. */
static void submit_beside_completion(struct request *request)
{
	shim_enter(1, false);
	make_small(&requests[1], &flow);
	check_equal(submit(&requests[1]), -EINPROGRESS);
	shim_enter(0, true);
}

static void test_beside_completion(const struct subject *subject)
{
	submit_many(&flow, 0, 0, 1);
	requests[0].completed = submit_beside_completion;
	check_all_answers(2);
}

static void test_full_list(const struct subject *subject)
{
	struct request *at_once = &requests[QUEUE_MAX + 1];

	submit_many(&flow, 0, 0, QUEUE_MAX / 2);
	submit_many(&esn_flow, 0, QUEUE_MAX / 2, QUEUE_MAX / 2);
	submit_refused(&flow, 0);
	shim_enter(0, true);
	make_small(at_once, &flow);
	at_once->async.request->base.flags = CRYPTO_TFM_REQ_MAY_BACKLOG;
	check_equal(submit(at_once), 0);
	check_equal(at_once->async.request->base.flags, CRYPTO_TFM_REQ_MAY_BACKLOG);
	shim_enter(0, false);
	async_check(&at_once->async, "a request at once");
	/* The list of the other CPU is not full. */
	submit_many(&flow, 1, QUEUE_MAX, 1);
	shim_run_softirqs(0);
	shim_run_softirqs(1);
	check_answers(QUEUE_MAX + 1);
	check_equal(parameter("batched"), QUEUE_MAX + 1);
	check_equal(parameter("batches"),
		    DIV_ROUND_UP(QUEUE_MAX, SM4_LANES) + 1);
}

static void make_completions_slow(unsigned int count, u64 ns)
{
	for (unsigned int i = 0; i < count; i++)
		requests[i].ns = ns;
}

#define SLOW_NS		200000

/* A flow's requests on all CPUs count, until they are completed. */
static void test_full_flow(const struct subject *subject)
{
	unsigned int completed;

	submit_many(&flow, 0, 0, FLOW_MAX / 2);
	submit_many(&flow, 1, FLOW_MAX / 2, FLOW_MAX / 2);
	make_completions_slow(FLOW_MAX, SLOW_NS);
	submit_refused(&flow, 0);
	submit_refused(&flow, 1);
	shim_run_softirqs(1);
	submit_refused(&flow, 1);
	check(shim_run_tasklet(0));
	completed = flow.completed;
	check(completed && completed < SM4_LANES);
	submit_many(&flow, 1, FLOW_MAX, completed);
	submit_refused(&flow, 0);
	submit_many(&esn_flow, 0, FLOW_MAX + completed, 1);
	shim_run_softirqs(0);
	shim_run_softirqs(1);
	check_answers(FLOW_MAX + completed + 1);
}

/* A run exceeds its time by at most the completions between two readings of the clock. */
static void test_slow_completions(const struct subject *subject)
{
	unsigned int runs = 0;

	submit_many(&flow, 0, 0, 200);
	submit_many(&esn_flow, 0, 200, 200);
	make_completions_slow(400, SLOW_NS);
	do {
		unsigned long batched = parameter("batched");
		u64 begin = ktime_get_ns();

		check(shim_run_tasklet(0));
		/* The time of the first one is over after one batch. */
		if (!runs++)
			check_equal(parameter("batched"), SM4_LANES);
		check(ktime_get_ns() - begin <= 2 * (1000000 + 8 * SLOW_NS));
		/* Each encrypts one batch, as long as there is one. */
		check(parameter("batched") >= min(batched + SM4_LANES, 400UL));
	} while (flow.completed + esn_flow.completed < 400);
	check(runs > 400 / SM4_LANES);
	check(!shim_run_tasklet(0));
	check_answers(400);
}

/* Two slow flows take turns, and a later flow has its own time. */
static void test_turns(const struct subject *subject)
{
	const unsigned int each = 3 * SM4_LANES;
	struct flow third;

	make_flow(&third, subject->tier, false);
	submit_many(&flow, 0, 0, each);
	submit_many(&esn_flow, 0, each, each);
	make_completions_slow(2 * each, SLOW_NS);
	for (unsigned int i = 0; i < 2 * each; i += SM4_LANES)
		check(shim_run_tasklet(0));
	check(flow.completed && flow.completed < each);
	check(esn_flow.completed && esn_flow.completed < each);
	submit_many(&third, 0, 2 * each, 1);
	check(shim_run_tasklet(0));
	check_equal(third.completed, 1);
	shim_run_softirqs(0);
	check_answers(2 * each + 1);
	free_flow(&third);
}

/* A whole flow waits for the other CPU's requests: then each run completes it for its full time. */
static void test_late_completions(const struct subject *subject)
{
	unsigned int completed;

	submit_many(&flow, 1, 0, SM4_LANES);
	submit_many(&flow, 0, SM4_LANES, 200);
	make_completions_slow(SM4_LANES + 200, 20000);
	shim_run_softirqs(0);
	check_equal(flow.completed, 0);
	check(shim_run_tasklet(1));
	completed = flow.completed;
	check(shim_run_tasklet(1));
	check(flow.completed >= completed + 1000000 / 20000);
	check(flow.completed < SM4_LANES + 200);
	shim_run_softirqs(1);
	check_answers(SM4_LANES + 200);
}

/* Requests that arrive during a run have to wait for the next run. */
static void submit_follower(struct request *request)
{
	if (request->number == 0) {
		make_small(&requests[40], &flow);
		check_equal(submit(&requests[40]), -EINPROGRESS);
	}
	check(!requests[40].async.done);
}

static void test_requests_of_completions(const struct subject *subject)
{
	submit_many(&flow, 0, 0, 40);
	for (unsigned int i = 0; i < 40; i++)
		requests[i].completed = submit_follower;
	check_all_answers(41);
	/* The first run processes 40 of them. */
	check_equal(parameter("batches"), DIV_ROUND_UP(40, SM4_LANES) + 1);
}

static bool is_batch_driver(const struct crypto_alg *alg)
{
	return strstr(alg->cra_driver_name, "-batch-");
}

static unsigned int count_batch_drivers(void)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < shim_algorithm_count(); i++)
		count += is_batch_driver(shim_algorithm(i));
	return count;
}

/*
 * They exist only if requested, on the tiers with lanes, and rank above those for one packet
 * of all tiers.
 */
static void test_registration(const void *argument)
{
	static const char name[] = "authenc(hmac(sm3),cbc(sm4))";
	int lowest_batch = INT_MAX, highest_single;
	unsigned int expected = 0;

	load("all");
	check_equal(count_batch_drivers(), 0);
	highest_single = find(NULL, name).priority;
	unload();

	shim_set_parameter("batch", "Y");
	load("all");
	for (unsigned int i = 0; sm4_tiers[i]; i++) {
		const struct found found = find(sm4_tiers[i]->name, name);

		if (!found.count || !to_sm4_tier(sm4_tiers[i])->cbc_encrypt_lanes)
			continue;
		check_equal(found.count, 2);
		lowest_batch = min(lowest_batch, found.priority);
		expected += 2;
	}
	check(lowest_batch > highest_single);
	check_equal(count_batch_drivers(), expected);
	for (unsigned int i = 0; i < shim_algorithm_count(); i++) {
		const struct crypto_alg *alg = shim_algorithm(i);

		check_equal(!(alg->cra_flags & CRYPTO_ALG_ASYNC), !is_batch_driver(alg));
		check(shim_has_alias(alg->cra_driver_name));
	}
	unload();
}

/* Only SM4 in C counts, not SM3: packets with a wrong tag, which SM4 does not touch, do not. */
static void test_fallbacks(const struct subject *subject)
{
	for (unsigned int forged = 0; forged < 2; forged++) {
		unsigned long before = parameter("fpu_fallbacks");

		shim_set_simd_policy(SIMD_ALWAYS);
		shim_enter(0, true);
		for (unsigned int i = 0; i < SM4_LANES; i++) {
			struct trial *r = &requests[i].async.trial;

			usual_trial(r, flow.aead.mode);
			r->open = forged;
			r->traits[WRONG_TAG] = forged;
			prepare(&requests[i], &flow, &flat_placements[0]);
			check_equal(submit(&requests[i]), -EINPROGRESS);
		}
		shim_set_simd_policy(SIMD_NEVER);
		check_all_answers(SM4_LANES);
		check_equal(parameter("fpu_fallbacks") - before, forged ? 0 : SM4_LANES);
	}
}

/* If "batch" has no effect, one line says why. */
static void test_no_effect(const void *argument)
{
	static const struct {
		const char *tiers, *option, *reason;
		bool gmi;
	} obstacles[] = {
		{ "ttable", NULL, "none of the registered tiers" },
		{ "avx2,ttable", NULL, "none of the registered tiers" },
		{ "all", "CONFIG_PREEMPT_RT", "PREEMPT_RT" },
		{ NULL, "CONFIG_PREEMPT_RT_FULL", "PREEMPT_RT" },
		{ NULL, NULL, "GMI", .gmi = true },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(obstacles); i++) {
		static const char prefix[] = "batch=1 has no effect: ";
		const char *message;

		describe("%s", obstacles[i].reason);
		shim_set_parameter("tiers", obstacles[i].tiers);
		shim_set_parameter("batch", "Y");
		shim_configure(obstacles[i].option);
		shim_set_feature(X86_FEATURE_CCS, obstacles[i].gmi);
		shim_set_feature(X86_FEATURE_CCS_EN, obstacles[i].gmi);
		shim_set_vendors_driver(obstacles[i].gmi ? "ecb-sm4-gmi" : NULL);
		check_equal(shim_load_module(), 0);
		check_equal(count_batch_drivers(), 0);
		message = strstr(shim_messages(), prefix);
		check(message && strstr(message, obstacles[i].reason));
		check(message && !strstr(message + 1, prefix));
		shim_reset();
	}
	/* Without the parameter, there is no message. */
	shim_set_parameter("tiers", "ttable");
	check_equal(shim_load_module(), 0);
	check(!strstr(shim_messages(), "batch"));
	shim_unload_module();
}

/* Without memory for the lists, the other drivers exist; without memory for a flow, no tfm. */
static void test_no_memory(const void *argument)
{
	const struct sm4_tier *tier = argument;
	unsigned int cpu;

	shim_set_parameter("tiers", tier->base.name);
	for (cpu = 0; cpu < SHIM_CPUS; cpu++) {
		shim_set_parameter("batch", "Y");
		shim_fail_allocation_after(cpu);
		check_equal(shim_load_module(), 0);
		check_log(shim_messages(), "batch=1 has no effect: no memory");
		shim_unload_module();
	}
	start(SIMD_ALWAYS);
	shim_fail_allocation_after(0);
	check_equal(PTR_ERR(allocate(tier, false)), -ENOMEM);
	shim_unload_module();
}

static const struct {
	const char *name;
	struct subject subject;
} cases[] = {
	{ "answers", { NULL, test_answers } },
	{ "answers, SIMD at random", { NULL, test_answers, SIMD_RANDOM } },
	{ "answers, no SIMD", { NULL, test_answers, SIMD_NEVER } },
	{ "fallbacks", { NULL, test_fallbacks } },
	{ "answers, memory fails", { NULL, test_answers, .memory_fails = true } },
	{ "order while completing", { NULL, test_order_while_completing } },
	{ "process context", { NULL, test_process_context } },
	{ "process context during a completion",
	  { NULL, test_beside_completion } },
	{ "full list", { NULL, test_full_list } },
	{ "full flow", { NULL, test_full_flow } },
	{ "slow completions", { NULL, test_slow_completions } },
	{ "turns", { NULL, test_turns } },
	{ "late completions", { NULL, test_late_completions } },
	{ "requests of completions", { NULL, test_requests_of_completions } },
};

static void add_tier(const struct sm4_tier *tier)
{
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct subject *subject = malloc(sizeof(*subject));

		*subject = cases[i].subject;
		subject->tier = tier;
		add_case(run_case_of_tier, subject, "/batches/%s/%s",
			 tier->base.name, cases[i].name);
	}
	add_case(test_no_memory, tier, "/batches/%s/no memory", tier->base.name);
}

int main(int argc, char **argv)
{
	unsigned int i;

	start_cases(&argc, &argv);
	add_case(test_registration, NULL, "/batches/registration");
	add_case(test_no_effect, NULL, "/batches/no effect");
	for (i = 0; sm4_tiers[i]; i++)
		if (to_sm4_tier(sm4_tiers[i])->cbc_encrypt_lanes &&
		    sm4_tier_usable(sm4_tiers[i]))
			add_tier(to_sm4_tier(sm4_tiers[i]));
	return run_cases();
}
