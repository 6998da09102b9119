#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0

@test "bench/kernel boots once more if a boot prints other lines than figures" {
    "$BATS_TEST_DIRNAME/bench-kernel"
}
