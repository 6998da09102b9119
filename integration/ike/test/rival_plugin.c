// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 sm4-fast maintainers
/*
 * A plugin for strongSwan, for a test: it has a cipher with the number that stands in for
 * SM4-CBC in our plugin, and that cipher does not work.
 */
#include <library.h>
#include <plugins/plugin_feature.h>

static void destroy_crypter(crypter_t *this)
{
	free(this);
}

static crypter_t *create(encryption_algorithm_t algorithm, size_t key_size)
{
	crypter_t *this = malloc_thing(crypter_t);

	*this = (crypter_t) {
		.destroy = destroy_crypter,
	};
	return this;
}

static char *get_name(plugin_t *this)
{
	return "rival";
}

static int get_features(plugin_t *this, plugin_feature_t *features[])
{
	static plugin_feature_t f[] = {
		PLUGIN_REGISTER(CRYPTER, create),
			PLUGIN_PROVIDE(CRYPTER, ENCR_3IDEA, 16),
	};

	*features = f;
	return countof(f);
}

static void destroy(plugin_t *this)
{
	free(this);
}

plugin_t *rival_plugin_create(void)
{
	plugin_t *this = malloc_thing(plugin_t);

	*this = (plugin_t) {
		.get_name = get_name,
		.get_features = get_features,
		.destroy = destroy,
	};
	return this;
}
