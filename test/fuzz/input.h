/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEST_FUZZ_INPUT_H
#define TEST_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* From now on, take the choices of case.h from these bytes. */
void input_start(const uint8_t *bytes, size_t count);

#endif
