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
#include "broadcast.bpf.h"

#include <linux/pkt_cls.h>

SEC("tc")
int broadcast(struct __sk_buff *skb)
{
	const __u32 port_at = ETH_HLEN + sizeof(struct iphdr) + offsetof(struct udphdr, dest);
	struct broadcast_ports *p = broadcast_config();
	struct iphdr *ip;
	__u16 source;

	if (!p)
		return TC_ACT_OK;
	ip = broadcast_datagram((void *)(long)skb->data, (void *)(long)skb->data_end, p->marker);
	if (!ip)
		return TC_ACT_OK;
	source = bpf_ntohs(((struct udphdr *)(ip + 1))->source);
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
