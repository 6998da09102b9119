// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * add-as-owner SRC DST SPI
 *
 * Adds an ESP state with SM4-CBC and HMAC-SM3 in a new network namespace, as an ordinary user in
 * the initial namespaces: he owns the user namespace that the network belongs to, and so has all
 * capabilities in it. Prints why the kernel refuses it. To be run by root.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <grp.h>
#include <linux/netlink.h>
#include <linux/xfrm.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USER = 1000, KEY_BYTES = 16, MAC_KEY_BYTES = 32 };

/*
 * The socket of a network namespace that belongs to this user. A process that shares our table of
 * files opens it.
 */
static int socket_of_own_network(void)
{
	int status, next = dup(STDIN_FILENO);
	pid_t child;

	close(next);
	child = syscall(SYS_clone, CLONE_FILES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
			err(1, "unshare");
		if (socket(AF_NETLINK, SOCK_RAW, NETLINK_XFRM) != next)
			err(1, "NETLINK_XFRM");
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		err(1, "clone");
	if (status)
		exit(1);
	return next;
}

int main(int argc, char **argv)
{
	struct {
		struct nlmsghdr header;
		struct xfrm_usersa_info state;
		struct nlattr cipher_attribute;
		struct xfrm_algo cipher;
		char key[KEY_BYTES];
		struct nlattr mac_attribute;
		struct xfrm_algo_auth mac;
		char mac_key[MAC_KEY_BYTES];
	} request = {
		.header = { .nlmsg_len = sizeof(request), .nlmsg_type = XFRM_MSG_NEWSA,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.state = { .id.proto = IPPROTO_ESP, .family = AF_INET, .mode = XFRM_MODE_TRANSPORT,
			   .lft = { XFRM_INF, XFRM_INF, XFRM_INF, XFRM_INF } },
		.cipher_attribute = { .nla_len = sizeof(struct nlattr) + sizeof(struct xfrm_algo) +
						 KEY_BYTES,
				      .nla_type = XFRMA_ALG_CRYPT },
		.cipher = { .alg_name = "cbc(sm4)", .alg_key_len = 8 * KEY_BYTES },
		.mac_attribute = { .nla_len = sizeof(struct nlattr) +
					      sizeof(struct xfrm_algo_auth) + MAC_KEY_BYTES,
				   .nla_type = XFRMA_ALG_AUTH_TRUNC },
		.mac = { .alg_name = "hmac(sm3)", .alg_key_len = 8 * MAC_KEY_BYTES,
			 .alg_trunc_len = 128 },
	};
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[1024];
	} answer;
	int kernel;

	if (argc != 4 || inet_pton(AF_INET, argv[1], &request.state.saddr.a4) != 1 ||
	    inet_pton(AF_INET, argv[2], &request.state.id.daddr.a4) != 1)
		errx(1, "usage: add-as-owner SRC DST SPI, the addresses of IPv4");
	request.state.id.spi = htonl(strtoul(argv[3], NULL, 0));
	if (setgroups(0, NULL) || setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		err(1, "to become an ordinary user");
	kernel = socket_of_own_network();
	if (send(kernel, &request, sizeof(request), 0) < 0 ||
	    recv(kernel, &answer, sizeof(answer), 0) < 0)
		err(1, "NETLINK_XFRM");
	errno = -answer.error.error;
	if (errno)
		err(1, "XFRM_MSG_NEWSA");
	return 0;
}
