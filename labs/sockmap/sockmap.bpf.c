/* SPDX-License-Identifier: MIT */
/*
 * Redirect a message from one socket of a pair to the receive queue of the other socket. The
 * message bypasses TCP, IP and the network device.
 */
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "sockmap.h"

struct {
	__uint(type, BPF_MAP_TYPE_SOCKHASH);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, __u64);
} sockets SEC(".maps");

SEC("sk_msg")
int redirect(struct sk_msg_md *msg)
{
	__u32 key = msg->local_port; /* local_port is in host byte order */

	if (key == SOCKMAP_PORT)
		key = bpf_ntohl(msg->remote_port) | SOCKMAP_TO_CLIENT;
	return (int)bpf_msg_redirect_hash(msg, &sockets, &key, BPF_F_INGRESS);
}

char sockmap_license[] SEC("license") = "Dual MIT/GPL";
