/* SPDX-License-Identifier: GPL-2.0 */
/* Copyright (C) 2026 sm4-fast maintainers */
/*
 * Sockets for the programs of bench/guest in which one process has both ends. The buffers
 * hold a whole sample, because the process sends everything before it receives. Needs
 * _GNU_SOURCE and, for the buffers, CAP_NET_ADMIN.
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>
#include "timing.h"

/* Returns a socket of AF_INET, or ends the program. */
static inline int buffered_socket(int type)
{
	int bytes = 16 << 20, yes = 1, result = socket(AF_INET, type, 0);

	check(result >= 0 &&
	      !setsockopt(result, SOL_SOCKET, SO_RCVBUFFORCE, &bytes,
			  sizeof(bytes)) &&
	      !setsockopt(result, SOL_SOCKET, SO_SNDBUFFORCE, &bytes,
			  sizeof(bytes)) &&
	      !setsockopt(result, SOL_SOCKET, SO_REUSEADDR, &yes,
			  sizeof(yes)), "socket");
	return result;
}

/* The same in a network namespace of ip-netns; the process stays there. */
static inline int socket_in(const char *namespace, int type)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", namespace);
	fd = open(path, O_RDONLY);
	check(fd >= 0 && !setns(fd, CLONE_NEWNET), path);
	close(fd);
	return buffered_socket(type);
}

#endif
