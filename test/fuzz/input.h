/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEST_FUZZ_INPUT_H
#define TEST_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Take the choices of case.h from these bytes from now on. */
void input_start(const uint8_t *bytes, size_t count);

#endif
