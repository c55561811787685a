/* SPDX-License-Identifier: MIT */
/*
 * Copy the leader's PREPARE for the other replicas by XDP, so that the leader sends it only once.
 *
 * Replica I has a veth pair: "node<I>" is its end, "port<I>" is the switch's. A PREPARE leaves
 * through the leader's node<I> as a broadcast frame. At port<I> the program 'copy' redirects it to
 * all other ports, by a map of devices and BPF_F_BROADCAST: XDP cannot clone a frame by itself. At
 * the node of each other replica the program 'deliver' sets the replica's address and port.
 *
 * The address cannot be set where the frame is copied: copies made for generic XDP share their
 * data. Before a program at a device runs, the kernel gives the frame data of its own.
 */
#include "broadcast.bpf.h"

/* The ports, by replica. */
struct {
	__uint(type, BPF_MAP_TYPE_DEVMAP_HASH);
	__uint(max_entries, BROADCAST_REPLICAS);
	__type(key, __u32);
	__type(value, struct bpf_devmap_val);
} devices SEC(".maps");

/* The replica's UDP port, by the index of its node. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, BROADCAST_REPLICAS);
	__type(key, __u32);
	__type(value, __u16);
} nodes SEC(".maps");

/* The IP header of a datagram to the marker port; NULL: another frame. */
static __always_inline struct iphdr *xdp_datagram(struct xdp_md *frame)
{
	struct broadcast_ports *p = broadcast_config();

	return p ? broadcast_datagram((void *)(long)frame->data, (void *)(long)frame->data_end,
				      p->marker)
		 : 0;
}

SEC("xdp")
int copy(struct xdp_md *frame)
{
	if (!xdp_datagram(frame))
		return XDP_PASS;
	broadcast_count(0);
	return (int)bpf_redirect_map(&devices, 0, BPF_F_BROADCAST | BPF_F_EXCLUDE_INGRESS);
}

SEC("xdp")
int deliver(struct xdp_md *frame)
{
	const __be32 to = bpf_htonl(INADDR_LOOPBACK);
	struct iphdr *ip = xdp_datagram(frame);
	__u32 node = frame->ingress_ifindex;
	struct udphdr *udp;
	__u32 sum;
	__u16 *port;

	port = bpf_map_lookup_elem(&nodes, &node);
	if (!ip || !port)
		return XDP_PASS;
	/* the checksum of the IP header with another address (RFC 1624); UDP has none here */
	sum = (__u16)~ip->check + (__u16)~ip->daddr + (__u16) ~(ip->daddr >> 16) + (__u16)to +
	      (__u16)(to >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	ip->check = (__u16)~sum;
	ip->daddr = to;
	udp = (void *)(ip + 1);
	udp->dest = bpf_htons(*port);
	broadcast_count(1);
	return XDP_PASS;
}
