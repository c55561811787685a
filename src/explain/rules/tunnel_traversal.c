/* SPDX-License-Identifier: MIT */
/*
 * The stack is passed again for a tunnel.
 * Thresholds: any call; from 20 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature tunnel_traversal = {
	.marker = "vxlan_xmit|geneve_xmit|ipip_tunnel_xmit|ipgre_xmit|gre_tap_xmit|erspan_xmit|wg_"
		  "xmit|sit_tunnel_xmit",
	.scope = "ip_output*|ip_local_out*|__ip_local_out*|dev_queue_xmit*|__dev_queue_xmit*|ip_"
		 "rcv*|__netif_receive_skb*|udp_sendmsg|tcp_sendmsg*",
	.note_pct = 0,
	.lead_pct = 20,
	.sure = 99,
	.what = "a tunnel sends the packet through the stack a second time",
	.name = "tunnel and what is below",
	.cause = "an overlay network wraps the packet and routes it again",
	.because = "the device's own xmit function is in the trace",
	.next = "compare with the host's network: the difference is the price of the overlay",
};

const struct rule rule_tunnel_traversal = {
	.id = "tunnel-traversal",
	.title = "the stack is passed again for a tunnel",
	.needs = RULE_CALLS,
	.call_signature = &tunnel_traversal,
};
