/* SPDX-License-Identifier: MIT */
/*
 * Connection tracking searches its table: chains of the hash are long, or many entries
 * expire at once.
 *
 * Thresholds, of the time that is not idle: One look-up per packet costs 2 to 5 % of a
 * forwarding CPU.
 */
#include "explain/signature.h"

#define CONNTRACK_LOOKUP_NOTE_PCT 8.0
#define CONNTRACK_LOOKUP_LEAD_PCT 20.0

static const struct signature conntrack_lookup = {
	.functions = "__nf_conntrack_find_get|nf_conntrack_find_get|"
		     "____nf_conntrack_find|nf_conntrack_tuple_taken|hash_conntrack*|"
		     "gc_worker|nf_ct_gc_expired|nf_conntrack_double_lock|early_drop*|"
		     "nf_ct_tuple_equal|__nf_conntrack_confirm|"
		     "nf_conntrack_hash_check_insert|nf_nat_used_tuple*|get_unique_tuple",
	.note_pct = CONNTRACK_LOOKUP_NOTE_PCT,
	.lead_pct = CONNTRACK_LOOKUP_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 70,
	.what = "searches the table of connections",
	.name = "the table of tracked connections",
	.cause = "each packet is looked up: many packets, long chains of the hash, or many "
		 "entries that expire at once",
	.because = "a look-up in a table of the right size costs a few hundred cycles; how many "
		   "there are a share does not tell",
	.next = { "conntrack -S; conntrack -C; sysctl "
		  "net.netfilter.nf_conntrack_buckets net.netfilter.nf_conntrack_max",
		  "raise nf_conntrack_buckets, or exempt flows that need no tracking "
		  "(-j CT --notrack)" },
};

const struct rule rule_conntrack_lookup = {
	.id = "conntrack-lookup",
	.title = "connection tracking searches its table",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &conntrack_lookup,
};
