#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# tools/generate-constants writes each of the committed headers of constants. The script itself checks its output against
# the standards. Changes no file of the tree.

@test "tools/generate-constants writes the committed headers" {
    cd "$BATS_TEST_DIRNAME/../.."
    tools/generate-constants "$BATS_TEST_TMPDIR"
    diff -u generated "$BATS_TEST_TMPDIR"
}
