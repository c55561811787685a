/* SPDX-License-Identifier: MIT */
/*
 * broadcast.bpf.h - what both BPF programs have: their maps 'ports' and 'counts', and which frames
 * they copy
 */
#ifndef LABS_REPLICA_BROADCAST_BPF_H
#define LABS_REPLICA_BROADCAST_BPF_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
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

/* Index 0: number of datagrams to the marker port; index 1: number of copies. */
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

static __always_inline struct broadcast_ports *broadcast_config(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&ports, &zero);
}

/* The IP header of a datagram to the port @marker in the frame from @data to @end; NULL: another
 * frame. */
static __always_inline struct iphdr *broadcast_datagram(void *data, void *end, __u16 marker)
{
	struct ethhdr *ethernet = data;
	struct iphdr *ip = data + sizeof(*ethernet);
	struct udphdr *udp = (void *)(ip + 1);

	if ((void *)(udp + 1) > end || ethernet->h_proto != bpf_htons(ETH_P_IP) ||
	    ip->protocol != IPPROTO_UDP || ip->ihl != 5 || udp->dest != bpf_htons(marker))
		return 0;
	return ip;
}

char broadcast_license[] SEC("license") = "Dual MIT/GPL";

#endif
