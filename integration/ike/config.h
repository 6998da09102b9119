/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/* Macros that strongSwan's headers need from its own config.h, on Linux with glibc */
#define CONFIG_H_INCLUDED
#define HAVE_ALLOCA_H 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_CLOSEFROM 1
#define HAVE_CONDATTR_CLOCK_MONOTONIC 1
#define HAVE_EXPLICIT_BZERO 1
#define HAVE_FMEMOPEN 1
#define HAVE_GCC_ATOMIC_OPERATIONS 1
#define HAVE_INT128 1
#define HAVE_MEMRCHR 1
#define HAVE_SIGWAITINFO 1
#define HAVE_STDBOOL_H 1
#define HAVE_SYS_PARAM_H 1
