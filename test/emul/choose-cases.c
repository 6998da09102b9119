// SPDX-License-Identifier: GPL-2.0
/*
 * What makes the emulated test programs of those in test/host: linked with
 * --wrap, so that they call the __wrap_ functions here and the same objects need
 * not be built twice. The CPU seems to have the features that the emulator
 * provides, and of all test cases only those remain that are about a tier which
 * the CPU could not run; another tier becomes one case that says why it is
 * skipped. It must not know the name of a tier, nor what a test does.
 */
#include <glib.h>
#include "case.h"
#include "emulator.h"
#include "sm4-fast-core.h"
#include "sm3/sm3-fast.h"

static const unsigned int emulated_features[] = {
	X86_FEATURE_GFNI, X86_FEATURE_VAES, X86_FEATURE_VPCLMULQDQ,
	SM4_FEATURE_INTEL_SM4, SM4_FEATURE_INTEL_SM3,
	SHIM_HYGON_SM4,
};

/* What the linker calls the wrapped functions themselves */
typeof(boot_cpu_has) __real_boot_cpu_has;
typeof(add_case) __real_add_case;

typeof(boot_cpu_has) __wrap_boot_cpu_has;
typeof(add_case) __wrap_add_case;

/*
 * The first example of GB/T 32907 alone: the second one is a million blocks one
 * after another, and each of them up to 64 signals.
 */
const size_t __wrap_cipher_vector_count = 1;

/*
 * The emulator knows no instruction in the encoding of AVX-512. A CPU that has this
 * and lacks GFNI can run no tier that needs both.
 */
bool __wrap_boot_cpu_has(unsigned int feature)
{
	size_t i;

	if (feature == X86_FEATURE_AVX512F)
		return false;
	for (i = 0; i < ARRAY_SIZE(emulated_features); i++)
		if (feature == emulated_features[i])
			return true;
	return __real_boot_cpu_has(feature);
}

__attribute__((constructor))
static void start_emulator(void)
{
	emulate_what_the_cpu_lacks();
}

static bool lacks(const u16 *features, size_t count)
{
	size_t i;

	for (i = 0; i < count && features[i]; i++)
		if (features[i] == SM4_FEATURE_CIS ||
		    !__real_boot_cpu_has(features[i]))
			return true;
	return false;
}

/* A tier, of SM4 or of SM3 */
struct subject {
	const char *name;
	bool needs_emulation, usable;
};

/*
 * Whether a path is about a tier: /tiers/TIER/... or /MODE-sm4-TIER-fast/... or, of
 * SM3, /TIER-fast/..., and no other names end in one
 */
static bool is_about(const char *path, const char *name)
{
	char **parts = g_strsplit(path, "/", 0), **part;
	char *end = g_strconcat("sm4-", name, "-fast", NULL);
	bool found = false;

	for (part = parts; *part && !found; part++)
		found = !strcmp(*part, name) || g_str_has_suffix(*part, end) ||
			!strcmp(*part, end + strlen("sm4-"));
	g_free(end);
	g_strfreev(parts);
	return found;
}

static bool find_subject(const char *path, struct subject *subject)
{
	unsigned int i;

	for (i = 0; i < sm4_all_tier_count; i++) {
		const struct sm4_tier *tier = sm4_tiers[i];

		if (!is_about(path, tier->name))
			continue;
		*subject = (struct subject){
			tier->name,
			lacks(tier->features, SM4_TIER_FEATURES) ||
			lacks(tier->gcm_features, SM4_GCM_FEATURES),
			sm4_tier_usable(tier),
		};
		return true;
	}
	return false;
}

static void skip_native(const void *argument)
{
	skip_case("the CPU runs it: the tests in test/host have it");
}

static void skip_unusable(const void *argument)
{
	skip_case("it needs more than is emulated here, such as AVX-512: see test/emul/bochs.t");
}

static void add_once(case_function *function, const char *tier)
{
	static const char *added[SM4_TIERS_MAX];
	size_t i;

	for (i = 0; added[i]; i++)
		if (added[i] == tier)
			return;
	added[i] = tier;
	__real_add_case(function, NULL, "/emulated/%s", tier);
}

void __wrap_add_case(case_function *function, const void *argument,
		     const char *path_format, ...)
{
	struct subject subject;
	va_list arguments;
	char *path;

	va_start(arguments, path_format);
	path = g_strdup_vprintf(path_format, arguments);
	va_end(arguments);
	if (!find_subject(path, &subject))
		g_error("%s: this test case is about no tier", path);
	else if (!subject.needs_emulation)
		add_once(skip_native, subject.name);
	else if (!subject.usable)
		add_once(skip_unusable, subject.name);
	else
		__real_add_case(function, argument, "/emulated%s", path);
	g_free(path);
}
