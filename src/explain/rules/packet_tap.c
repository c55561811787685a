/* SPDX-License-Identifier: MIT */
/*
 * A packet tap is open.
 * Thresholds: any call; from 3 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature packet_tap = {
	.marker = "dev_queue_xmit_nit",
	.scope = "ip_output*|ip_local_out*|__ip_local_out*|dev_queue_xmit*|__dev_queue_xmit*|ip_"
		 "rcv*|__netif_receive_skb*|udp_sendmsg|tcp_sendmsg*",
	.note_pct = 0,
	.lead_pct = 3,
	.sure = 80,
	.what = "somebody taps packets: each one sent is looked at for a tap",
	.name = "taps",
	.cause = "tcpdump, lldpd or a DHCP client has a packet socket open",
	.because = "the function runs only where a tap is registered",
	.next = "ss -0lp; cat /proc/net/packet; cat /proc/net/ptype",
};

const struct rule rule_packet_tap = {
	.id = "packet-tap",
	.title = "a packet tap is open",
	.needs = RULE_CALLS,
	.call_signature = &packet_tap,
};
