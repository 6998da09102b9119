// SPDX-License-Identifier: GPL-2.0
/*
 * Network devices for two gateways, and packets that come to them in bursts, as from a
 * card that is polled. bench/guest/time-users moves the devices into the namespaces of
 * the gateways, "lan-west" and "wan-west" into one, "wan-east" and "lan-east" into the
 * other, and says what to do with them. What it then writes to the parameter "measure",
 *
 *	BYTES BURST FLOWS
 *
 * has IP packets of so many bytes, and so many at a time, come from lan-west to
 * 203.0.113.1 and the addresses after that, one for each flow, in turn; what leaves by
 * wan-west comes from wan-east then; and what leaves by lan-east is at its end. The
 * kernel's log has the TSC cycles of a packet in both gateways, in the fastest burst:
 *
 *	sm4-gateway: WEST EAST
 */
#define pr_fmt(fmt) "sm4-gateway: " fmt

#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/if_arp.h>
#include <linux/inet.h>
#include <linux/ip.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/ip.h>

#define BURSTS		400
#define MAX_BURST	64
#define MAX_BYTES	1500
#define HEADROOM	128

/* So often a fiftieth of a second, to wait for packets */
#define PATIENCE	50

enum { LAN_WEST, WAN_WEST, WAN_EAST, LAN_EAST, DEVICES };

static const char *const names[DEVICES] = {
	"lan-west", "wan-west", "wan-east", "lan-east",
};

static struct net_device *devices[DEVICES];

/* What has left by wan-west, and how many by lan-east */
static struct sk_buff *between[MAX_BURST];
static unsigned int between_count, end_count;

static netdev_tx_t leave(struct sk_buff *skb, struct net_device *dev)
{
	if (dev == devices[WAN_WEST] && between_count < MAX_BURST) {
		between[between_count++] = skb;
		return NETDEV_TX_OK;
	}
	end_count += dev == devices[LAN_EAST];
	dev_consume_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = { .ndo_start_xmit = leave };

/* Like a tunnel's: IP packets without anything before them */
static void set_up(struct net_device *dev)
{
	dev->netdev_ops = &operations;
	dev->type = ARPHRD_NONE;
	dev->flags = IFF_NOARP | IFF_POINTOPOINT;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->mtu = MAX_BYTES;
	dev->needs_free_netdev = true;
}

static struct sk_buff *make_packet(unsigned int bytes, unsigned int flow)
{
	struct sk_buff *skb = alloc_skb(HEADROOM + bytes, GFP_KERNEL);
	struct udphdr *udp;
	struct iphdr *ip;

	if (!skb)
		return NULL;
	skb_reserve(skb, HEADROOM);
	ip = skb_put_zero(skb, bytes);
	ip->version = 4;
	ip->ihl = sizeof(*ip) / 4;
	ip->tot_len = htons(bytes);
	ip->ttl = 64;
	ip->protocol = IPPROTO_UDP;
	ip->saddr = in_aton("198.51.100.2");
	ip->daddr = htonl(ntohl(in_aton("203.0.113.1")) + flow);
	ip_send_check(ip);
	udp = (struct udphdr *)(ip + 1);
	udp->len = htons(bytes - sizeof(*ip));
	return skb;
}

static u64 read_tsc(void)
{
	u32 low, high;

	asm volatile("lfence; rdtsc; lfence"
		     : "=a" (low), "=d" (high) : : "memory");
	return (u64)high << 32 | low;
}

/*
 * Have packets come from a device, and wait until all are in @done. Returns what it took;
 * nothing that counts where the kernel has left some of it to its thread for softirqs.
 */
static u64 receive(struct net_device *dev, struct sk_buff **packets,
		   unsigned int count, const unsigned int *done)
{
	unsigned int i;
	u64 cycles;

	for (i = 0; i < count; i++) {
		struct sk_buff *skb = packets[i];

		skb_scrub_packet(skb, true);
		skb->dev = dev;
		skb->protocol = htons(ETH_P_IP);
		skb->pkt_type = PACKET_HOST;
		skb_reset_mac_header(skb);
		skb_reset_network_header(skb);
	}
	cycles = read_tsc();
	local_bh_disable();
	for (i = 0; i < count; i++)
		netif_receive_skb(packets[i]);
	local_bh_enable();
	cycles = read_tsc() - cycles;
	if (READ_ONCE(*done) == count)
		return cycles;
	for (i = 0; READ_ONCE(*done) != count && i < PATIENCE; i++)
		msleep(20);
	return U64_MAX;
}

/* A burst, through both; whether all of it came to its end */
static bool try_burst(unsigned int bytes, unsigned int count,
		      unsigned int flows, u64 *west, u64 *east)
{
	static struct sk_buff *packets[MAX_BURST];
	unsigned int i;

	for (i = 0; i < count; i++)
		packets[i] = make_packet(bytes, i % flows);
	for (i = 0; i < count; i++)
		if (!packets[i])
			goto no_memory;
	between_count = 0;
	end_count = 0;
	*west = min(*west, receive(devices[LAN_WEST], packets, count,
				   &between_count));
	*east = min(*east, receive(devices[WAN_EAST], between, between_count,
				   &end_count));
	return end_count == count;
no_memory:
	for (i = 0; i < count; i++)
		kfree_skb(packets[i]);
	return false;
}

static int measure(const char *text, const struct kernel_param *parameter)
{
	unsigned int bytes, count, flows, i;
	u64 west = U64_MAX, east = U64_MAX;

	if (sscanf(text, "%u %u %u", &bytes, &count, &flows) != 3 ||
	    bytes < sizeof(struct iphdr) + sizeof(struct udphdr) ||
	    bytes > MAX_BYTES || !count || count > MAX_BURST || !flows)
		return -EINVAL;
	for (i = 0; i < BURSTS; i++) {
		if (!try_burst(bytes, count, flows, &west, &east)) {
			pr_err("of %u packets of %u bytes, %u came out of one gateway and %u of both\n",
			       count, bytes, between_count, end_count);
			return -EIO;
		}
		cond_resched();
	}
	pr_info("%llu %llu\n", west / count, east / count);
	return 0;
}

static const struct kernel_param_ops measure_ops = { .set = measure };

module_param_cb(measure, &measure_ops, NULL, 0200);
MODULE_PARM_DESC(measure, "BYTES BURST FLOWS: have so many packets pass both gateways");

static void remove_devices(unsigned int count)
{
	while (count)
		unregister_netdev(devices[--count]);
}

static int __init sm4_gateway_init(void)
{
	unsigned int i;

	for (i = 0; i < DEVICES; i++) {
		int err = -ENOMEM;

		devices[i] = alloc_netdev(0, names[i], NET_NAME_USER, set_up);
		if (devices[i])
			err = register_netdev(devices[i]);
		if (err) {
			if (devices[i])
				free_netdev(devices[i]);
			remove_devices(i);
			return err;
		}
	}
	return 0;
}

static void __exit sm4_gateway_exit(void)
{
	remove_devices(DEVICES);
}

module_init(sm4_gateway_init);
module_exit(sm4_gateway_exit);

MODULE_DESCRIPTION("packets in bursts for two gateways, and what they cost them");
MODULE_LICENSE("GPL");
