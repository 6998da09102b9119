// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * migrate-esp in|out SRC DST NEW-SRC NEW-DST
 *
 * Makes the kernel give the ESP states from SRC to DST, in transport mode, and their policy,
 * new addresses (XFRM_MSG_MIGRATE), as IKE daemons do for a peer that has moved, and asks to
 * offload them to lo, which new kernels then try. All addresses are IPv4's. ip cannot do this.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <linux/netlink.h>
#include <linux/xfrm.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static xfrm_address_t parse(const char *text)
{
	xfrm_address_t address = { 0 };

	if (inet_pton(AF_INET, text, &address.a4) != 1)
		errx(1, "%s is no address", text);
	return address;
}

int main(int argc, char **argv)
{
	struct {
		struct nlmsghdr header;
		struct xfrm_userpolicy_id policy;
		struct nlattr attribute;
		struct xfrm_user_migrate migrate;
		struct nlattr offload_attribute;
		struct xfrm_user_offload offload;
	} request = {
		.header = { .nlmsg_len = sizeof(request), .nlmsg_type = XFRM_MSG_MIGRATE,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK },
		.attribute = { .nla_len = sizeof(request.attribute) + sizeof(request.migrate),
			       .nla_type = XFRMA_MIGRATE },
		.offload_attribute = { .nla_len = sizeof(request.offload_attribute) +
						  sizeof(request.offload),
				       .nla_type = XFRMA_OFFLOAD_DEV },
		.offload = { .ifindex = 1 },
	};
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char rest[1024];
	} answer;
	int kernel = socket(AF_NETLINK, SOCK_RAW, NETLINK_XFRM);

	if (argc != 6)
		errx(1, "usage: migrate-esp in|out SRC DST NEW-SRC NEW-DST");
	request.policy.dir = strcmp(argv[1], "in") ? XFRM_POLICY_OUT : XFRM_POLICY_IN;
	request.policy.sel.family = AF_INET;
	request.policy.sel.saddr = parse(argv[2]);
	request.policy.sel.daddr = parse(argv[3]);
	request.policy.sel.prefixlen_s = 32;
	request.policy.sel.prefixlen_d = 32;
	request.migrate.old_saddr = parse(argv[2]);
	request.migrate.old_daddr = parse(argv[3]);
	request.migrate.new_saddr = parse(argv[4]);
	request.migrate.new_daddr = parse(argv[5]);
	request.migrate.old_family = AF_INET;
	request.migrate.new_family = AF_INET;
	request.migrate.proto = IPPROTO_ESP;
	request.migrate.mode = XFRM_MODE_TRANSPORT;
	if (kernel < 0 || send(kernel, &request, sizeof(request), 0) < 0 ||
	    recv(kernel, &answer, sizeof(answer), 0) < 0)
		err(1, "NETLINK_XFRM");
	errno = -answer.error.error;
	if (errno)
		err(1, "XFRM_MSG_MIGRATE");
	return 0;
}
