/* SPDX-License-Identifier: MIT */
/*
 * A packet passes connection tracking (conntrack) twice: as the inner packet, and later as the
 * outer packet, inside the transmit function of a tunnel. It is a warning if this has 5 % of the
 * trace or more.
 *
 * A packet that is exempt from tracking (NOTRACK) also enters nf_conntrack_in, but leaves it at
 * once. So a callee of nf_conntrack_in that does tracking work must occur inside the transmit
 * function. If the trace shows no such callee anywhere (limited depth), this condition is dropped.
 */
#include "explain/signatures/call_signature.h"

#include "analyses/calls/calls_total.h"
#include "base/str.h"
#include "explain/conntrack_twice_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(conntrack_twice);

#define CONNTRACK_IN "nf_conntrack_in*"

/*
 * Add the time of all netfilter hooks of the outer packet as a figure. If that packet were not
 * tracked, most of this time would be saved.
 */
static void conntrack_outer(const struct rule_input *in, struct finding *f)
{
	struct calls_total hooks = calls_total_query(
		in->capture, &(struct calls_query){ .inner = STR("nf_hook_slow|nf_hook"),
						    .around = STR(CONNTRACK_TUNNELS) });

	if (hooks.matching)
		finding_figure(f, "all hooks of the outer packet", (double)hooks.total_ns / 1000, 0,
			       "us");
}

/* Number of calls of @functions; with @around, only of calls inside a call of @around. */
static uint64_t conntrack_count(const struct rule_input *in, const char *functions,
				const char *around)
{
	struct calls_query q = { 0 };

	if (around)
		q = (struct calls_query){ .inner = str_of(functions), .around = str_of(around) };
	else
		q.pattern = str_of(functions);
	return calls_total_query(in->capture, &q).matching;
}

/*
 * Whether a packet passes conntrack both inside and outside of a tunnel's transmit function.
 * (Several passes outside of it may be of several packets.) If the trace has functions that look up
 * or change tracking entries, some of their calls must be inside of the transmit function, too.
 */
static bool conntrack_is_twice(const struct rule_input *in)
{
	uint64_t outer = conntrack_count(in, CONNTRACK_IN, CONNTRACK_TUNNELS);

	if (outer == 0 || conntrack_count(in, CONNTRACK_IN, NULL) <= outer)
		return false;
	return conntrack_count(in, CONNTRACK_WORK, NULL) == 0 ||
	       conntrack_count(in, CONNTRACK_WORK, CONNTRACK_TUNNELS) > 0;
}

static const struct call_signature conntrack_twice = {
	.marker = CONNTRACK_IN,
	.scope = CONNTRACK_IN,
	.note_pct = 0,
	.lead_pct = 5,
	.sure = 95,
	.what = "A packet passes connection tracking more than once",
	.name = "nf_conntrack_in",
	.cause = "Both the packet and its tunnel packet are tracked",
	.because = "nf_conntrack_in runs again below the transmit function of a tunnel",
	.next = "iptables-save | grep -c ctstate; nft list ruleset | grep -c 'ct state': if no "
		"rule "
		"needs the state of tunnel packets, exempt their UDP port (dstport of 'ip -d "
		"link') "
		"by CT --notrack in the raw table, OUTPUT and PREROUTING",
	.holds = conntrack_is_twice,
	.add = conntrack_outer,
};

const struct rule rule_conntrack_twice = {
	.id = "conntrack-twice",
	.title = "Packet passes conntrack twice",
	.needs = RULE_CALLS,
	.call_signature = &conntrack_twice,
	.is_measured = true,
};
