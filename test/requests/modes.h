/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* The table of all modes. */
#ifndef TEST_REQUESTS_MODES_H
#define TEST_REQUESTS_MODES_H

#include "mode.h"

extern const struct mode modes[];
extern const unsigned int mode_count;

/* NULL if there is no such mode */
const struct mode *mode_named(const char *name);

#endif
