/* SPDX-License-Identifier: MIT */
/*
 * Clone the leader's PREPARE for the other replicas, so that it passes through the network stack
 * only once.
 *
 * The program runs for each packet at the interface's egress hook of tc (traffic control). A
 * datagram to the marker port is cloned for each replica except the sender. Each clone gets the
 * port of its replica, and goes to the same interface by bpf_clone_redirect(). The original
 * datagram is dropped. Other packets pass unchanged.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/pkt_cls.h>
#include <linux/udp.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "broadcast.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct broadcast_ports);
} ports SEC(".maps");

/* Index 0: number of datagrams to the marker port; index 1: number of clones sent. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

static __always_inline void broadcast_count(__u32 slot)
{
	__u64 *n = bpf_map_lookup_elem(&counts, &slot);

	if (n)
		__sync_fetch_and_add(n, 1);
}

SEC("tc")
int broadcast(struct __sk_buff *skb)
{
	const __u32 port_at = ETH_HLEN + sizeof(struct iphdr) + offsetof(struct udphdr, dest);
	void *data = (void *)(long)skb->data;
	void *end = (void *)(long)skb->data_end;
	struct iphdr *ip = data + ETH_HLEN;
	struct udphdr *udp = data + ETH_HLEN + sizeof(*ip);
	struct broadcast_ports *p;
	__u32 zero = 0;
	__u16 source;

	p = bpf_map_lookup_elem(&ports, &zero);
	if (!p || skb->protocol != bpf_htons(ETH_P_IP) || (void *)(udp + 1) > end ||
	    ip->protocol != IPPROTO_UDP || ip->ihl != 5 || udp->dest != bpf_htons(p->marker))
		return TC_ACT_OK;
	source = bpf_ntohs(udp->source);
	broadcast_count(0);
	for (__u32 i = 0; i < BROADCAST_REPLICAS; i++) {
		__be16 to = bpf_htons(p->first + i);

		if (i >= p->n_replicas || p->first + i == source)
			continue;
		if (bpf_skb_store_bytes(skb, port_at, &to, sizeof(to), 0) == 0 &&
		    bpf_clone_redirect(skb, skb->ifindex, 0) == 0)
			broadcast_count(1);
	}
	/* not TC_ACT_SHOT, so that the sender gets no error */
	return TC_ACT_STOLEN;
}

char broadcast_license[] SEC("license") = "Dual MIT/GPL";
