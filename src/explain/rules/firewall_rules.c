/* SPDX-License-Identifier: MIT */
/*
 * Packets pass long lists of firewall rules: each packet is compared with rule after rule
 * until one matches.
 *
 * Thresholds, of the time that is not idle: A handful of rules costs 1 to 4 % of a
 * forwarding CPU.
 */
#include "explain/signature.h"

#define FIREWALL_RULES_NOTE_PCT 8.0
#define FIREWALL_RULES_LEAD_PCT 20.0

static const struct signature firewall_rules = {
	.functions = "ipt_do_table|ip6t_do_table|ebt_do_table|arpt_do_table|"
		     "nft_do_chain*|nft_*_eval|nft_rbtree_lookup*|__nft_rbtree_lookup*|"
		     "nft_pipapo_lookup*|nft_pipapo_avx2_lookup*|comment_mt*|addrtype_mt*|"
		     "multiport_mt*|conntrack_mt*|mark_mt*|tcp_mt|udp_mt|set_match_v*|"
		     "iprange_mt*|physdev_mt*|state_mt|limit_mt*|recent_mt*|"
		     "hashlimit_mt*|statistic_mt|string_mt",
	.note_pct = FIREWALL_RULES_NOTE_PCT,
	.lead_pct = FIREWALL_RULES_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 78,
	.what = "goes through tables of firewall rules",
	.name = "firewall rules",
	.cause = "each packet is compared with rule after rule until one matches: long lists, "
		 "or many packets",
	.because = "these functions compare packets with rules and do nothing else; how long the "
		   "lists are a share does not tell",
	.next = { "iptables-save | wc -l; nft list ruleset | wc -l; iptables -L -v "
		  "-n: which rules count packets",
		  "put addresses into a set (ipset, nft sets or maps), accept "
		  "established flows first" },
};

const struct rule rule_firewall_rules = {
	.id = "firewall-rules",
	.title = "packets pass long lists of firewall rules",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &firewall_rules,
};
