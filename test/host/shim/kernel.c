// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * The general and the x86 part of the shim: memory, scatterlists, messages,
 * module parameters, CPU features and FPU sections.
 *
 * A wrong use of the kernel by the module ends the running test here, by
 * fail_case(), as a debug kernel would report it.
 */
#define _GNU_SOURCE	/* REG_RIP */
#include <cpuid.h>
#include <fnmatch.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <ucontext.h>
#include "../case.h"
#include "control.h"

static struct {
	enum simd_policy simd_policy;
	struct {
		unsigned int feature;
		bool present;
	} pretended[16];
	unsigned int pretended_count;
	bool hygon_forgotten;
	u32 hygon_leaf;
	bool simd_was_usable;
	unsigned long fpu_sections;
	bool module_loaded;
	char messages[4096];
	bool allocation_failure_due;
	unsigned int allocations_left, live_allocations;
	struct tasklet_struct *tasklets[SHIM_CPUS];
	unsigned int live_tasklets;
	const char *option;
	u64 ns;
	unsigned int rcu_readers;
	struct rcu_head *rcu;
} state;

/* The state of a thread, which stands for a CPU */
static __thread struct {
	bool in_fpu_section;
	bool softirq;
	unsigned int bh_disabled, locks, rcu_readers;
} context;

__thread unsigned int shim_cpu;

/* Held around accesses to the shared parts of @state */
static bool shared;

static void lock_shared(void)
{
	while (__atomic_exchange_n(&shared, true, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void unlock_shared(void)
{
	__atomic_store_n(&shared, false, __ATOMIC_RELEASE);
}

int fips_enabled;
bool shim_ratelimit_allows = true;

struct module shim_module = { .name = "sm4_fast" };

/* ---- memory ---- */

void shim_fail_allocation_after(unsigned int successes)
{
	state.allocation_failure_due = true;
	state.allocations_left = successes;
}

/* Memory for allocations; those of more than a page begin at a page. */
static void *allocate(size_t bytes, gfp_t flags)
{
	void *memory;

	if (context.in_fpu_section)
		fail_case("memory allocated inside an FPU section");
	if (flags == GFP_KERNEL && (in_softirq() || context.rcu_readers))
		fail_case("memory allocated in a way that may sleep");
	if (state.allocation_failure_due && !state.allocations_left--) {
		state.allocation_failure_due = false;
		return NULL;
	}
	if (posix_memalign(&memory, bytes >= PAGE_SIZE ? PAGE_SIZE : 16, bytes))
		return NULL;
	__atomic_add_fetch(&state.live_allocations, 1, __ATOMIC_RELAXED);
	return memory;
}

void *kmalloc(size_t bytes, gfp_t flags)
{
	void *memory = allocate(bytes, flags);

	if (memory)
		memset(memory, 0x5a, bytes);
	return memory;
}

void *kzalloc(size_t bytes, gfp_t flags)
{
	void *memory = allocate(bytes, flags);

	return memory ? memset(memory, 0, bytes) : NULL;
}

void *kmemdup(const void *from, size_t bytes, gfp_t flags)
{
	void *memory = allocate(bytes, flags);

	return memory ? memcpy(memory, from, bytes) : NULL;
}

void kfree(const void *memory)
{
	if (memory)
		__atomic_sub_fetch(&state.live_allocations, 1, __ATOMIC_RELAXED);
	free((void *)memory);
}

/* ---- CPUs, softirqs, locks and RCU ---- */

void shim_enter(unsigned int cpu, bool softirq)
{
	shim_cpu = cpu;
	context.softirq = softirq;
}

bool in_softirq(void)
{
	return context.softirq || context.bh_disabled;
}

static struct tasklet_struct *take_tasklet(unsigned int cpu)
{
	struct tasklet_struct *tasklet;

	lock_shared();
	tasklet = state.tasklets[cpu];
	if (tasklet) {
		state.tasklets[cpu] = tasklet->next;
		tasklet->scheduled = false;
	}
	unlock_shared();
	return tasklet;
}

bool shim_run_tasklet(unsigned int cpu)
{
	const unsigned int previous_cpu = shim_cpu;
	const unsigned int locks = context.locks, readers = context.rcu_readers;
	struct tasklet_struct *tasklet = take_tasklet(cpu);
	const bool previous = context.softirq;

	if (!tasklet)
		return false;
	shim_enter(cpu, true);
	tasklet->callback(tasklet);
	/* It may run at the same time as one of another CPU, which holds locks. */
	if (context.locks != locks || context.rcu_readers != readers)
		fail_case("a tasklet ends with a lock");
	shim_enter(previous_cpu, previous);
	return true;
}

void shim_run_softirqs(unsigned int cpu)
{
	while (shim_run_tasklet(cpu))
		;
}

bool shim_is_enabled(const char *option)
{
	return state.option && !strcmp(option, state.option);
}

void shim_configure(const char *option)
{
	state.option = option;
}

u64 ktime_get_ns(void)
{
	return __atomic_load_n(&state.ns, __ATOMIC_RELAXED);
}

void shim_pass_time(u64 ns)
{
	__atomic_fetch_add(&state.ns, ns, __ATOMIC_RELAXED);
}

void local_bh_disable(void)
{
	context.bh_disabled++;
}

void local_bh_enable(void)
{
	if (!context.bh_disabled--)
		fail_case("softirqs enabled once too often");
	if (!in_softirq())
		shim_run_softirqs(shim_cpu);
}

void spin_lock_init(spinlock_t *lock)
{
	*lock = (spinlock_t) { .initialized = true };
}

/* Softirqs take all of the module's locks. So elsewhere, softirqs have to be off. */
void spin_lock(spinlock_t *lock)
{
	if (!in_softirq())
		fail_case("a lock of softirqs taken with them on");
	if (!lock->initialized)
		fail_case("a lock taken that was never initialized");
	if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == &context)
		fail_case("a lock taken twice");
	while (__atomic_exchange_n(&lock->locked, true, __ATOMIC_ACQUIRE))
		sched_yield();
	__atomic_store_n(&lock->owner, &context, __ATOMIC_RELAXED);
	context.locks++;
}

void spin_unlock(spinlock_t *lock)
{
	if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != &context)
		fail_case("a lock given back that is not held");
	__atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&lock->locked, false, __ATOMIC_RELEASE);
	context.locks--;
}

/* One thread registers and unregisters. */
void down_write(struct rw_semaphore *semaphore)
{
	semaphore->locked = true;
}

void up_write(struct rw_semaphore *semaphore)
{
	semaphore->locked = false;
}

bool shim_holds_locks(void)
{
	return context.locks;
}

void tasklet_setup(struct tasklet_struct *tasklet,
		   void (*callback)(struct tasklet_struct *tasklet))
{
	memset(tasklet, 0, sizeof(*tasklet));
	tasklet->callback = callback;
	state.live_tasklets++;
}

void tasklet_schedule(struct tasklet_struct *tasklet)
{
	struct tasklet_struct **last = &state.tasklets[shim_cpu];

	lock_shared();
	if (!tasklet->scheduled) {
		tasklet->scheduled = true;
		tasklet->next = NULL;
		while (*last)
			last = &(*last)->next;
		*last = tasklet;
	}
	unlock_shared();
}

/* In the kernel, this waits until it has run. */
void tasklet_kill(struct tasklet_struct *tasklet)
{
	unsigned int cpu;

	if (in_softirq())
		fail_case("tasklet_kill() in a softirq");
	for (cpu = 0; tasklet->scheduled && cpu < SHIM_CPUS; cpu++)
		shim_run_softirqs(cpu);
	tasklet->callback = NULL;
	state.live_tasklets--;
}

/* Ends as soon as there is no reader. */
static void end_grace_period(void)
{
	while (!state.rcu_readers && state.rcu) {
		void *memory = state.rcu->memory;

		state.rcu = state.rcu->next;
		kfree(memory);
	}
}

void rcu_read_lock(void)
{
	context.rcu_readers++;
	lock_shared();
	state.rcu_readers++;
	unlock_shared();
}

void rcu_read_unlock(void)
{
	context.rcu_readers--;
	lock_shared();
	state.rcu_readers--;
	end_grace_period();
	unlock_shared();
}

void shim_check_rcu(bool reads)
{
	if (!context.rcu_readers == reads)
		fail_case(reads ? "no section of RCU" : "a section of RCU without an end");
}

void shim_free_after_grace_period(struct rcu_head *head, void *memory)
{
	lock_shared();
	head->memory = memory;
	head->next = state.rcu;
	state.rcu = head;
	end_grace_period();
	unlock_shared();
}

void memzero_explicit(void *p, size_t bytes)
{
	explicit_bzero(p, bytes);
}

ssize_t strscpy(char *to, const char *from, size_t bytes)
{
	size_t length = snprintf(to, bytes, "%s", from);

	return length < bytes ? (ssize_t)length : -E2BIG;
}

/* ---- scatterlists ---- */

void sg_init_table(struct scatterlist *sg, unsigned int entries)
{
	memset(sg, 0, entries * sizeof(*sg));
	sg[entries - 1].is_last = true;
}

void sg_set_buf(struct scatterlist *sg, const void *p, unsigned int bytes)
{
	sg->address = (u8 *)p;
	sg->length = bytes;
}

void sg_init_one(struct scatterlist *sg, const void *p, unsigned int bytes)
{
	sg_init_table(sg, 1);
	sg_set_buf(sg, p, bytes);
}

void sg_mark_end(struct scatterlist *sg)
{
	sg->is_last = true;
}

/* The kernel's looks at the next entry, in case that it is a pointer to more. */
struct scatterlist *sg_next(struct scatterlist *sg)
{
	if (sg->is_last)
		return NULL;
	if (!sg[1].address)
		fail_case("sg_next() behind the bytes of the request");
	return sg + 1;
}

/* ---- messages ---- */

void shim_print(const char *format, ...)
{
	size_t used = strlen(state.messages);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(state.messages + used, sizeof(state.messages) - used, format,
		  arguments);
	va_end(arguments);
}

const char *shim_messages(void)
{
	return state.messages;
}

/* ---- modules; the linker defines the ends of the sections ---- */

extern const struct module_parameter *const __start_module_parameters[];
extern const struct module_parameter *const __stop_module_parameters[];
extern const char *const __start_module_aliases[];
extern const char *const __stop_module_aliases[];

/* The module's variables for each CPU; those of CPU 0 are where the linker puts them. */
extern u8 __start_per_cpu[], __stop_per_cpu[];
static u8 per_cpu_of_others[SHIM_CPUS][4096] __aligned(64);

void *shim_per_cpu_address(void *variable, unsigned int cpu)
{
	if (!cpu)
		return variable;
	if (!cpu_possible(cpu))
		fail_case("variables of CPU %u, which does not exist", cpu);
	return per_cpu_of_others[cpu == SHIM_FAR_CPU ? SHIM_CPUS - 1 : cpu - 1] +
	       ((u8 *)variable - __start_per_cpu);
}

static void clear_per_cpu(void)
{
	const size_t bytes = __stop_per_cpu - __start_per_cpu;

	check(bytes <= sizeof(per_cpu_of_others[0]));
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (cpu_possible(cpu))
			memset(shim_per_cpu_address(__start_per_cpu, cpu), 0, bytes);
}

static void check_nothing_left(void)
{
	if (state.live_tasklets)
		fail_case("tasklets may run after the module");
	if (state.live_allocations)
		fail_case("memory is left behind by the module");
}

int shim_load_module(void)
{
	int err;

	clear_per_cpu();
	shim_module.is_loading = true;
	err = shim_module_init();
	shim_module.is_loading = false;
	shim_check_rcu(false);
	if (err && shim_algorithm_count())
		fail_case("loading fails and leaves %s behind",
			  shim_algorithm(0)->cra_driver_name);
	state.module_loaded = !err;
	if (err)
		check_nothing_left();
	return err;
}

void shim_unload_module(void)
{
	state.module_loaded = false;
	shim_module_exit();
	check_nothing_left();
}

static const struct module_parameter *find_parameter(const char *name)
{
	const struct module_parameter *const *p;

	for (p = __start_module_parameters; p < __stop_module_parameters; p++) {
		if (!strcmp((*p)->name, name))
			return *p;
	}
	fail_case("the module has no parameter %s", name);
}

void shim_set_parameter(const char *name, const char *value)
{
	const struct module_parameter *parameter = find_parameter(name);

	if (!strcmp(parameter->type, "charp"))
		*(const char **)parameter->value = value;
	else if (!strcmp(parameter->type, "bool"))
		*(bool *)parameter->value = *value == 'Y';
	else
		fail_case("the shim cannot set a parameter of type %s",
			  parameter->type);
}

const char *shim_computed_parameter(const char *name)
{
	const struct module_parameter *parameter = find_parameter(name);
	const struct kernel_param_ops *operations = parameter->value;
	static char buffer[PAGE_SIZE];

	if (strcmp(parameter->type, "computed"))
		fail_case("the parameter %s is not a computed one", name);
	buffer[operations->get(buffer, &parameter->param)] = '\0';
	return buffer;
}

/* Like the kernel for a parameter of modprobe, without a check whether the function exists */
int shim_set_computed_parameter(const char *name, const char *value)
{
	const struct kernel_param_ops *operations = find_parameter(name)->value;

	return operations->set(value, NULL);
}

static void forget_parameters(void)
{
	const struct module_parameter *const *p;

	for (p = __start_module_parameters; p < __stop_module_parameters; p++) {
		if (!strcmp((*p)->type, "charp"))
			*(const char **)(*p)->value = NULL;
		else if (!strcmp((*p)->type, "bool"))
			*(bool *)(*p)->value = false;
	}
}

bool shim_has_alias(const char *name)
{
	const char *const *alias;

	for (alias = __start_module_aliases; alias < __stop_module_aliases;
	     alias++) {
		if (!fnmatch(*alias, name, 0))
			return true;
	}
	return false;
}

/* ---- CPU features ---- */

/* The words of feature bits in CPUID, as defined by the hardware */
static const struct {
	unsigned int word, leaf, subleaf, output;
} feature_words[] = {
	{ 4, 1, 0, 2 },
	{ 5, 0xc0000001, 0, 3 },
	{ 9, 7, 0, 1 },
	{ 12, 7, 1, 0 },
	{ 16, 7, 0, 2 },
};

bool boot_cpu_has(unsigned int feature)
{
	/* In a virtual machine, each such instruction takes long. */
	static struct {
		bool asked;
		unsigned int output[4];
	} words[ARRAY_SIZE(feature_words)];
	size_t i;

	for (i = 0; i < state.pretended_count; i++) {
		if (state.pretended[i].feature == feature)
			return state.pretended[i].present;
	}
	if (feature == X86_FEATURE_PREFER_YMM)
		return false;
	if (feature == SHIM_HYGON_SM4)
		return shim_has_hygon_sm4();
	for (i = 0; i < ARRAY_SIZE(feature_words); i++) {
		if (feature_words[i].word != feature / 32)
			continue;
		if (!words[i].asked)
			__get_cpuid_count(feature_words[i].leaf, feature_words[i].subleaf,
					  &words[i].output[0], &words[i].output[1],
					  &words[i].output[2], &words[i].output[3]);
		words[i].asked = true;
		return words[i].output[feature_words[i].output] >> feature % 32 & 1;
	}
	fail_case("the shim does not know feature %u*32+%u", feature / 32,
		  feature % 32);
}

void shim_set_feature(unsigned int feature, bool present)
{
	unsigned int i = 0;

	while (i < state.pretended_count && state.pretended[i].feature != feature)
		i++;
	if (i == ARRAY_SIZE(state.pretended))
		fail_case("too many features to pretend");
	state.pretended[i].feature = feature;
	state.pretended[i].present = present;
	state.pretended_count = max(state.pretended_count, i + 1);
}

void shim_forget_features(void)
{
	state.pretended_count = 0;
}

/* A Hygon with the leaf may or may not have them: the module tries them. */
__attribute__((weak))
bool shim_has_hygon_sm4(void)
{
	unsigned int leaf, vendor[3], unused;

	__cpuid(0, unused, vendor[0], vendor[2], vendor[1]);
	__cpuid(0x8c860000, leaf, unused, unused, unused);
	if (memcmp(vendor, "HygonGenuine", sizeof(vendor)) || leaf < 0x8c860000)
		return false;
	shim_fix_up_refused_instructions();
	return true;
}

struct cpuinfo_x86 boot_cpu_data;

unsigned int shim_hygon_sm4(void)
{
	return state.hygon_forgotten ? 0 : SHIM_HYGON_SM4;
}

u32 cpuid_eax(u32 leaf)
{
	return state.hygon_leaf;
}

void shim_forget_hygon(const char *vendor, u32 leaf)
{
	state.hygon_forgotten = true;
	state.hygon_leaf = leaf;
	strscpy(boot_cpu_data.x86_vendor_id, vendor,
		sizeof(boot_cpu_data.x86_vendor_id));
}

/* An entry of the exception table; each member is a distance from itself. */
struct extable_row {
	__s32 from, to;
};

extern const struct extable_row __start_shim_extable[], __stop_shim_extable[];

static void fix_up(int signal_number, siginfo_t *info, void *data)
{
	greg_t *rip = &((ucontext_t *)data)->uc_mcontext.gregs[REG_RIP];
	const struct extable_row *row;

	for (row = __start_shim_extable; row < __stop_shim_extable; row++) {
		if (*rip == (greg_t)&row->from + row->from) {
			*rip = (greg_t)&row->to + row->to;
			return;
		}
	}
	/* The instruction raises the signal again, which ends the program. */
	signal(signal_number, SIG_DFL);
}

void shim_fix_up_refused_instructions(void)
{
	const struct sigaction action = {
		.sa_sigaction = fix_up, .sa_flags = SA_SIGINFO,
	};
	struct sigaction before;

	check_equal(sigaction(SIGILL, NULL, &before), 0);
	if (before.sa_handler == SIG_DFL)
		check_equal(sigaction(SIGILL, &action, NULL), 0);
}

/* ---- FPU sections ---- */

bool crypto_simd_usable(void)
{
	if (context.in_fpu_section || state.simd_policy == SIMD_NEVER ||
	    (state.simd_policy == SIMD_RANDOM && random_below(2)))
		return false;
	__atomic_store_n(&state.simd_was_usable, true, __ATOMIC_RELAXED);
	return true;
}

void kernel_fpu_begin(void)
{
	if (context.in_fpu_section)
		fail_case("kernel_fpu_begin() inside an FPU section");
	if (state.simd_policy == SIMD_NEVER)
		fail_case("kernel_fpu_begin() where SIMD is not usable");
	context.in_fpu_section = true;
	__atomic_add_fetch(&state.fpu_sections, 1, __ATOMIC_RELAXED);
}

void kernel_fpu_end(void)
{
	if (!context.in_fpu_section)
		fail_case("kernel_fpu_end() outside of an FPU section");
	context.in_fpu_section = false;
}

enum simd_policy shim_set_simd_policy(enum simd_policy policy)
{
	enum simd_policy previous = state.simd_policy;

	state.simd_policy = policy;
	return previous;
}

bool shim_in_fpu_section(void)
{
	return context.in_fpu_section;
}

unsigned long shim_fpu_sections(void)
{
	return state.fpu_sections;
}

bool shim_simd_was_usable(void)
{
	return state.simd_was_usable;
}

void shim_reset(void)
{
	memset(&context, 0, sizeof(context));
	shim_cpu = 0;
	shim_forget_users();
	if (state.module_loaded)
		shim_unload_module();
	shim_reset_crypto();
	forget_parameters();
	fips_enabled = 0;
	shim_ratelimit_allows = true;
	memset(&state, 0, sizeof(state));
}
