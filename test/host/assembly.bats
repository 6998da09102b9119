#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# Two checks that read every instruction of the assembly, as test/host has built it.

@test "a tier's functions use no instruction of a CPU feature that the tier does not name" {
    "$BATS_TEST_DIRNAME/features"
}

@test "no branch and no address of the assembly depends on a secret" {
    "$BATS_TEST_DIRNAME/../constant-time/assembly"
}
