/* SPDX-License-Identifier: MIT */
/*
 * Packets that leave the account of their socket before they are sent.
 * Thresholds: any call; always a note.
 */
#include "explain/call_signature.h"

static const struct call_signature early_orphan = {
	.marker = "sock_wfree|tcp_wfree|__sock_wfree",
	.below = "vxlan_xmit*|geneve_xmit*|ip_tunnel_xmit|iptunnel_xmit*|udp_tunnel_xmit_skb|"
		 "veth_xmit|loopback_xmit|gre_tap_xmit|ipgre_xmit|bareudp_xmit",
	.scope = "sock_wfree|tcp_wfree|vxlan_xmit*|geneve_xmit*|ip_tunnel_xmit|veth_xmit",
	.note_pct = 0,
	.lead_pct = 101,
	.sure = 85,
	.what = "a tunnel takes the packet off its socket's account before it is sent",
	.name = "write space given back early",
	.cause = "the tunnel orphans the packet, so that the queue of the device does not hold the "
		 "sender back, and a waiting writer is woken now",
	.because = "the destructor of the packet runs below the transmit function of the tunnel",
	.next = "watch drops of the device below: tc -s qdisc show dev DEV, ip -s link",
};

const struct rule rule_early_orphan = {
	.id = "early-orphan",
	.title = "packets taken off their socket before they are sent",
	.needs = RULE_CALLS,
	.call_signature = &early_orphan,
};
