/* SPDX-License-Identifier: MIT */
/*
 * The neighbour entry was not fresh.
 * Thresholds: any call; a note at any share.
 */
#include "explain/call_signature.h"

static const struct call_signature neighbour_work = {
	.marker = "__neigh_event_send",
	.scope = "neigh_resolve_output|ip_finish_output2|neigh_hh_output",
	.note_pct = 0,
	.lead_pct = 101,
	.sure = 90,
	.what = "the neighbour entry was not fresh",
	.name = "neighbour work",
	.cause = "a STALE entry starts a timer and the packet goes out; an unresolved one would "
		 "wait",
	.because = "the entry is looked at again only when it is not fresh",
	.next = "ip -s neigh show; trace a later packet before quoting a cost",
};

const struct rule rule_neighbour_work = {
	.id = "neighbour-work",
	.title = "the neighbour entry was not fresh",
	.needs = RULE_CALLS,
	.call_signature = &neighbour_work,
};
