// SPDX-License-Identifier: GPL-2.0
/*
 * The general and the x86 part of the shim: memory, scatterlists, messages,
 * module parameters, CPU features and FPU sections.
 *
 * A wrong use of the kernel by the module ends the running test here, by
 * fail_case(), as a debug kernel would report it.
 */
#define _GNU_SOURCE	/* memmem() */
#include <cpuid.h>
#include <fnmatch.h>
#include <stdarg.h>
#include "../case.h"
#include "control.h"
#include "internal.h"

const char *const simd_policy_names[SIMD_POLICIES] = {
	[SIMD_ALWAYS] = "SIMD usable",
	[SIMD_NEVER] = "SIMD never usable",
	[SIMD_RANDOM] = "SIMD usable at random",
};

static struct {
	enum simd_policy simd_policy;
	struct {
		unsigned int feature;
		bool present;
	} pretended[4];
	unsigned int pretended_count;
	u64 hidden_xfeatures;
	bool in_fpu_section;
	bool simd_was_usable;
	unsigned long fpu_sections;
	bool module_loaded;
	char messages[4096];
} state;

int fips_enabled;

struct module shim_module = { .name = "sm4_fast" };

/* ---- memory ---- */

void *kcalloc(size_t count, size_t bytes, gfp_t flags)
{
	(void)flags;
	if (state.in_fpu_section)
		fail_case("memory allocated inside an FPU section");
	return calloc(count, bytes);
}

void *kzalloc(size_t bytes, gfp_t flags)
{
	return kcalloc(1, bytes, flags);
}

/* All that was wiped, one after the other, as far as there is room */
static struct {
	u8 bytes[1 << 16];
	size_t used;
} wiped;

void memzero_explicit(void *p, size_t bytes)
{
	size_t n = min(bytes, sizeof(wiped.bytes) - wiped.used);

	memcpy(wiped.bytes + wiped.used, p, n);
	wiped.used += n;
	explicit_bzero(p, bytes);
}

unsigned int shim_wiped(const void *p, size_t bytes)
{
	const u8 *end = wiped.bytes + wiped.used;
	const u8 *found = wiped.bytes;
	unsigned int count = 0;

	while ((found = memmem(found, end - found, p, bytes))) {
		count++;
		found++;
	}
	return count;
}

void shim_forget_wiped(void)
{
	wiped.used = 0;
}

ssize_t strscpy(char *to, const char *from, size_t bytes)
{
	size_t length = strnlen(from, bytes);

	if (!bytes)
		return -E2BIG;
	if (length == bytes) {
		memcpy(to, from, bytes - 1);
		to[bytes - 1] = '\0';
		return -E2BIG;
	}
	memcpy(to, from, length + 1);
	return length;
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

struct scatterlist *sg_next(struct scatterlist *sg)
{
	if (sg->is_last)
		return NULL;
	sg++;
	return sg->chain ? sg->chain : sg;
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

int shim_load_module(void)
{
	int err;

	shim_module.is_loading = true;
	err = shim_module_init();
	shim_module.is_loading = false;
	if (err && shim_algorithm_count())
		fail_case("loading fails and leaves %s behind",
			  shim_algorithm(0)->cra_driver_name);
	state.module_loaded = !err;
	return err;
}

void shim_unload_module(void)
{
	state.module_loaded = false;
	shim_module_exit();
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
	buffer[operations->get(buffer, NULL)] = '\0';
	return buffer;
}

/* As the kernel does for a parameter of modprobe, without asking for the function */
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

/* What CPUID returns for the words of feature bits; facts of the hardware */
static const struct {
	unsigned int word, leaf, subleaf, output;
} feature_words[] = {
	{ 0, 1, 0, 3 },
	{ 4, 1, 0, 2 },
	{ 5, 0xc0000001, 0, 3 },
	{ 9, 7, 0, 1 },
	{ 12, 7, 1, 0 },
	{ 16, 7, 0, 2 },
};

bool boot_cpu_has(unsigned int feature)
{
	unsigned int output[4];
	size_t i;

	for (i = 0; i < state.pretended_count; i++) {
		if (state.pretended[i].feature == feature)
			return state.pretended[i].present;
	}
	if (feature == X86_FEATURE_PREFER_YMM)
		return false;
	for (i = 0; i < ARRAY_SIZE(feature_words); i++) {
		if (feature_words[i].word != feature / 32)
			continue;
		return __get_cpuid_count(feature_words[i].leaf,
					 feature_words[i].subleaf, &output[0],
					 &output[1], &output[2], &output[3]) &&
		       output[feature_words[i].output] >> feature % 32 & 1;
	}
	fail_case("the shim does not know feature %u*32+%u", feature / 32,
		  feature % 32);
}

int cpu_has_xfeatures(u64 mask, const char **missing)
{
	u32 low = 0, high = 0;

	if (missing)
		*missing = "some register state";
	if (boot_cpu_has(X86_FEATURE_OSXSAVE))
		asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return !(mask & (~((u64)high << 32 | low) | state.hidden_xfeatures));
}

void shim_set_feature(unsigned int feature, bool present)
{
	if (state.pretended_count == ARRAY_SIZE(state.pretended))
		fail_case("too many features to pretend");
	state.pretended[state.pretended_count].feature = feature;
	state.pretended[state.pretended_count++].present = present;
}

void shim_forget_features(void)
{
	state.pretended_count = 0;
}

void shim_hide_xfeatures(u64 mask)
{
	state.hidden_xfeatures = mask;
}

/* ---- FPU sections ---- */

bool crypto_simd_usable(void)
{
	if (state.in_fpu_section || state.simd_policy == SIMD_NEVER ||
	    (state.simd_policy == SIMD_RANDOM && random_below(2)))
		return false;
	state.simd_was_usable = true;
	return true;
}

void kernel_fpu_begin(void)
{
	if (state.in_fpu_section)
		fail_case("kernel_fpu_begin() inside an FPU section");
	if (state.simd_policy == SIMD_NEVER)
		fail_case("kernel_fpu_begin() where SIMD is not usable");
	state.in_fpu_section = true;
	state.fpu_sections++;
}

void kernel_fpu_end(void)
{
	if (!state.in_fpu_section)
		fail_case("kernel_fpu_end() outside of an FPU section");
	state.in_fpu_section = false;
}

void shim_set_simd_policy(enum simd_policy policy)
{
	state.simd_policy = policy;
}

bool shim_in_fpu_section(void)
{
	return state.in_fpu_section;
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
	state.in_fpu_section = false;
	shim_forget_users();
	if (state.module_loaded)
		shim_unload_module();
	shim_reset_crypto();
	forget_parameters();
	fips_enabled = 0;
	memset(&state, 0, sizeof(state));
}
