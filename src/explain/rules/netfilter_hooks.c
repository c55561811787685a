/* SPDX-License-Identifier: MIT */
/*
 * Netfilter hooks.
 * Thresholds: from 5 % of the trace; from 25 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature netfilter_hooks = {
	.marker = "nf_hook_slow|nf_hook",
	.scope = "ip_output*|ip_local_out*|__ip_local_out*|dev_queue_xmit*|__dev_queue_xmit*|ip_"
		 "rcv*|__netif_receive_skb*|udp_sendmsg|tcp_sendmsg*",
	.note_pct = 5,
	.lead_pct = 25,
	.sure = 99,
	.what = "netfilter hooks (conntrack, NAT, rules)",
	.name = "netfilter",
	.cause = "connection tracking, address translation and rules of this host",
	.because = "all of it is below nf_hook_slow",
	.next = "nft list ruleset, iptables-save -c: which rules are needed; conntrack only where "
		"it is used",
};

const struct rule rule_netfilter_hooks = {
	.id = "netfilter-hooks",
	.title = "netfilter hooks",
	.needs = RULE_CALLS,
	.call_signature = &netfilter_hooks,
};
