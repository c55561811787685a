/* SPDX-License-Identifier: MIT */
/*
 * The first packet of a flow.
 * Thresholds: any call; from 10 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature first_packet = {
	.marker = "init_conntrack*",
	.cost = "init_conntrack*|nf_nat_setup_info|__nf_conntrack_confirm",
	/* NAT rules are asked, and room for NAT is made, for new entries only */
	.inner = "ipt_do_table|ip6t_do_table|nft_do_chain|__nf_ct_ext_add*|nf_ct_ext_add*",
	.around = "nf_nat_ipv4_fn*|nf_nat_ipv6_fn*|nf_nat_inet_fn*",
	.scope = "nf_conntrack_in*",
	.note_pct = 0,
	.lead_pct = 10,
	.sure = 97,
	.what = "this is the first packet of a flow, whose entry conntrack makes",
	.name = "making the entry of a flow",
	.cause = "work that later packets of the flow do not do",
	.because = "init_conntrack runs only where no entry is found",
	.next = "trace a later packet of the same flow before quoting a cost per packet",
};

const struct rule rule_first_packet = {
	.id = "first-packet",
	.title = "the first packet of a flow",
	.needs = RULE_CALLS,
	.call_signature = &first_packet,
};
