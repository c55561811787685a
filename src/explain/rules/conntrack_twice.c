/* SPDX-License-Identifier: MIT */
/*
 * A packet passes conntrack twice.
 * Thresholds: two calls a topmost call, one of them below a tunnel's transmit function; from 5 % of
 * the trace a warning.
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
	.because = "nf_conntrack_in runs again below the transmit function of a tunnel",
	.next = "iptables -t raw -A OUTPUT -p udp --dport 4789 -j NOTRACK (and PREROUTING), or "
		"notrack in nftables",
};

/* Transmit functions below which the packet, wrapped, goes through the stack again. */
static const char conntrack_tunnels[] =
	"vxlan_xmit*|geneve_xmit*|ipip_tunnel_xmit|ipgre_xmit|gre_tap_xmit|erspan_xmit|wg_xmit|"
	"sit_tunnel_xmit|ip_tunnel_xmit|bareudp_xmit|xfrm_output*";

/* What all hooks of the outer packet take: not tracking it saves most of that. */
static void conntrack_outer(const struct rule_input *in, struct finding *f)
{
	struct calls_total hooks = calls_total_query(
		in->capture, &(struct calls_query){ .inner = STR("nf_hook_slow|nf_hook"),
						    .around = STR(conntrack_tunnels) });

	if (hooks.matching)
		finding_figure(f, "all hooks of the outer packet", (double)hooks.total_ns / 1000, 0,
			       "us");
}

/* Several packets below one call (a batch) pass it several times too: only a tunnel shows it. */
static void conntrack_twice_check(const struct rule_input *in, struct findings *out)
{
	struct call_signature s = conntrack_twice;
	struct calls_total outer = calls_total_query(
		in->capture, &(struct calls_query){ .inner = str_of(conntrack_twice.marker),
						    .around = STR(conntrack_tunnels) });

	size_t n = out->rows.len;

	if (outer.matching == 0)
		s.min_per_root = UINT32_MAX;
	call_signature_check(in, out, &s);
	if (out->rows.len > n)
		conntrack_outer(in, &out->rows.data[n]);
}

const struct rule rule_conntrack_twice = {
	.id = "conntrack-twice",
	.title = "a packet passes conntrack twice",
	.needs = RULE_CALLS,
	.check = conntrack_twice_check,
};
