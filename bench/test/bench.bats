#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers

@test "bench/kernel boots once more if a boot prints other lines than figures" {
    "$BATS_TEST_DIRNAME/disturbed-boots"
}

@test "bench/tables prints the figures of a machine that has none of the other implementations" {
    local figures=$BATS_TEST_DIRNAME/../figures/zen-4.json
    jq '(.results, .bursts) |= map(select(.impl == "sm4-fast"))' "$figures" >"$BATS_TEST_TMPDIR/ours.json"
    run "$BATS_TEST_DIRNAME/../tables" "$BATS_TEST_TMPDIR/ours.json"
    [[ $status -eq 0 && $output == *cbc*vaes-avx2* && $output != *'(2.'* ]]
}
