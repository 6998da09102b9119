// SPDX-License-Identifier: GPL-2.0
// Copyright (C) 2026 sm4-fast maintainers
/*
 * Network devices for two gateways, and packets that arrive in bursts, as from a card
 * that is polled. bench/guest/time-users moves the devices into the namespaces of the
 * gateways: "lan-west" and "wan-west" into one, "wan-east" and "lan-east" into the other.
 * Then it writes to a parameter. To the parameter "measure", it writes
 *
 *	BYTES BURST FLOWS
 *
 * Then BURST IP packets of BYTES bytes at a time arrive from lan-west. They are for
 * 203.0.113.1 and the following addresses, one for each flow, in turn. Packets that leave
 * by wan-west arrive from wan-east, and those that leave by lan-east are dropped. The
 * kernel's log has the TSC cycles of a packet in both gateways, in the fastest burst:
 *
 *	sm4-gateway: WEST EAST
 *
 * To the parameter "load", it writes
 *
 *	BYTES FLOWS CPUS
 *
 * Then full bursts arrive from lan-west on CPUS CPUs at once for a second, as long as the
 * number of packets in flight is small enough. Each CPU has a flow; if there are fewer
 * flows, CPUs share them. Packets that leave by wan-west are dropped. The log has the
 * number of packets that left in a second, and the longest time in microseconds that a
 * thread has waited for its CPU:
 *
 *	sm4-gateway: PACKETS WAIT
 */
#define pr_fmt(fmt) "sm4-gateway: " fmt

#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/if_arp.h>
#include <linux/inet.h>
#include <linux/ip.h>
#include <linux/kthread.h>
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
#define MAX_CPUS	8

/* With "load": milliseconds, and the maximum number of packets of a CPU in flight */
#define DURATION	1000
#define WINDOW		256

/* Maximum time to wait for packets, in fiftieths of a second */
#define PATIENCE	50

enum { LAN_WEST, WAN_WEST, WAN_EAST, LAN_EAST, DEVICES };

static const char *const names[DEVICES] = {
	"lan-west", "wan-west", "wan-east", "lan-east",
};

static struct net_device *devices[DEVICES];

/* The packets that have left by wan-west, and the number of those that left by lan-east */
static struct sk_buff *between[MAX_BURST];
static unsigned int between_count, end_count;

/* With "load": the counts of all CPUs so far */
static bool loaded;
static atomic_long_t come_count, left_count;

static netdev_tx_t leave(struct sk_buff *skb, struct net_device *dev)
{
	if (loaded) {
		atomic_long_inc(&left_count);
		dev_consume_skb_any(skb);
		return NETDEV_TX_OK;
	}
	if (dev == devices[WAN_WEST] && between_count < MAX_BURST) {
		between[between_count++] = skb;
		return NETDEV_TX_OK;
	}
	end_count += dev == devices[LAN_EAST];
	dev_consume_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops operations = { .ndo_start_xmit = leave };

/* Like a tunnel's devices: IP packets without a link-layer header */
static void set_up(struct net_device *dev)
{
	dev->netdev_ops = &operations;
	dev->type = ARPHRD_NONE;
	dev->flags = IFF_NOARP | IFF_POINTOPOINT;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->lltx = true;
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

/* Let packets arrive from a device. Returns the cycles that this took. */
static u64 receive(struct net_device *dev, struct sk_buff **packets,
		   unsigned int count)
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
	return read_tsc() - cycles;
}

/*
 * The same, and wait until all packets are in @done. The time does not count if the
 * kernel has left some of them to its thread for softirqs.
 */
static u64 receive_all(struct net_device *dev, struct sk_buff **packets,
		       unsigned int count, const unsigned int *done)
{
	u64 cycles = receive(dev, packets, count);
	unsigned int i;

	if (READ_ONCE(*done) == count)
		return cycles;
	for (i = 0; READ_ONCE(*done) != count && i < PATIENCE; i++)
		msleep(20);
	return U64_MAX;
}

/* Make packets of @flows flows in turn, from the first one on. */
static bool make_packets(struct sk_buff **packets, unsigned int bytes,
			 unsigned int count, unsigned int first,
			 unsigned int flows)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		packets[i] = make_packet(bytes, first + i % flows);
		if (!packets[i])
			break;
	}
	if (i == count)
		return true;
	while (i)
		kfree_skb(packets[--i]);
	return false;
}

/* Send a burst through both gateways. Returns whether all packets arrived. */
static bool try_burst(unsigned int bytes, unsigned int count,
		      unsigned int flows, u64 *west, u64 *east)
{
	static struct sk_buff *packets[MAX_BURST];

	if (!make_packets(packets, bytes, count, 0, flows))
		return false;
	between_count = 0;
	end_count = 0;
	*west = min(*west, receive_all(devices[LAN_WEST], packets, count,
				       &between_count));
	*east = min(*east, receive_all(devices[WAN_EAST], between,
				       between_count, &end_count));
	return end_count == count;
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

struct load {
	unsigned int bytes;
	unsigned int flow;
	long window;
};

static long on_their_way(void)
{
	return atomic_long_read(&come_count) - atomic_long_read(&left_count);
}

/* The thread that lets packets arrive on a CPU */
static int come(void *data)
{
	const struct load *load = data;
	struct sk_buff *packets[MAX_BURST];

	while (!kthread_should_stop()) {
		if (on_their_way() >= load->window) {
			usleep_range(20, 40);
			continue;
		}
		if (!make_packets(packets, load->bytes, MAX_BURST, load->flow,
				  1)) {
			msleep(20);
			continue;
		}
		atomic_long_add(MAX_BURST, &come_count);
		receive(devices[LAN_WEST], packets, MAX_BURST);
		cond_resched();
	}
	return 0;
}

/* A thread with very little work. Returns its longest delay, in microseconds. */
static int be_late(void *data)
{
	s64 latest = 0;

	while (!kthread_should_stop()) {
		ktime_t begin = ktime_get();

		usleep_range(1000, 1001);
		latest = max(latest, ktime_us_delta(ktime_get(), begin) - 1000);
	}
	return latest;
}

static int measure_load(const char *text,
			const struct kernel_param *parameter)
{
	struct task_struct *threads[2 * MAX_CPUS];
	unsigned int bytes, flows, cpus, i;
	struct load loads[MAX_CPUS];
	long left, latest = 0;
	ktime_t begin;
	int err = 0;

	if (sscanf(text, "%u %u %u", &bytes, &flows, &cpus) != 3 ||
	    bytes < sizeof(struct iphdr) + sizeof(struct udphdr) ||
	    bytes > MAX_BYTES || !flows || !cpus || cpus > MAX_CPUS ||
	    cpus > num_online_cpus())
		return -EINVAL;
	atomic_long_set(&come_count, 0);
	atomic_long_set(&left_count, 0);
	loaded = true;
	for (i = 0; i < 2 * cpus; i++) {
		loads[i / 2] = (struct load) {
			.bytes = bytes,
			.flow = i / 2 % flows,
			.window = cpus * WINDOW,
		};
		threads[i] = kthread_run_on_cpu(i % 2 ? be_late : come,
						&loads[i / 2], i / 2,
						"sm4-gateway/%u");
	}
	msleep(100);
	begin = ktime_get();
	left = atomic_long_read(&left_count);
	msleep(DURATION);
	left = atomic_long_read(&left_count) - left;
	left = left * USEC_PER_SEC / ktime_us_delta(ktime_get(), begin);
	for (i = 0; i < 2 * cpus; i++) {
		if (IS_ERR(threads[i]))
			err = PTR_ERR(threads[i]);
		else
			latest = max(latest, (long)kthread_stop(threads[i]));
	}
	for (i = 0; on_their_way() && i < PATIENCE; i++)
		msleep(20);
	if (on_their_way()) {
		pr_err("%ld packets of %u bytes never came out\n",
		       on_their_way(), bytes);
		err = -EIO;
	}
	loaded = false;
	if (!err)
		pr_info("%ld %ld\n", left, latest);
	return err;
}

static const struct kernel_param_ops load_ops = { .set = measure_load };

module_param_cb(load, &load_ops, NULL, 0200);
MODULE_PARM_DESC(load, "BYTES FLOWS CPUS: let packets leave one gateway on CPUS CPUs at once");

static const struct kernel_param_ops measure_ops = { .set = measure };

module_param_cb(measure, &measure_ops, NULL, 0200);
MODULE_PARM_DESC(measure, "BYTES BURST FLOWS: send BURST packets through both gateways");

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
