/* SPDX-License-Identifier: MIT */
/*
 * A packet passes conntrack twice.
 * Thresholds: At least 2 calls below one topmost call; any call; from 5 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature conntrack_twice = {
	.rule = &rule_conntrack_twice,
	.marker = "nf_conntrack_in*",
	.cost = NULL,
	.scope = "nf_conntrack_in*",
	.absent = NULL,
	.min_per_root = 2,
	.note_pct = 0,
	.lead_pct = 5,
	.sure = 95,
	.what = "every packet passes connection tracking more than once",
	.name = "nf_conntrack_in",
	.cause = "the packet and the tunnel around it are both tracked",
	.because = "nf_conntrack_in runs twice or more below one topmost call",
	.next = "iptables -t raw -A OUTPUT -p udp --dport 4789 -j NOTRACK (and PREROUTING), or "
		"notrack in nftables",
};

static void conntrack_twice_check(const struct rule_input *in, struct findings *out)
{
	call_signature_check(in, out, &conntrack_twice);
}

const struct rule rule_conntrack_twice = {
	.id = "conntrack-twice",
	.title = "a packet passes conntrack twice",
	.needs = RULE_CALLS,
	.check = conntrack_twice_check,
};
