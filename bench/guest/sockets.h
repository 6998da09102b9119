/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sockets of the programs of bench/guest whose two ends are one process: with buffers
 * that hold a whole batch, as the end that sends comes before the one that receives.
 * Needs _GNU_SOURCE and, for the buffers, CAP_NET_ADMIN.
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>
#include "timing.h"

/* A socket of AF_INET; ends the program if there is none */
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

/* The same in a network namespace of ip-netns, in which the process then stays */
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
