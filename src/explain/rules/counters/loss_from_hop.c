/* SPDX-License-Identifier: MIT */
/*
 * Packets are lost on the way, from one router on. The input is a report of mtr.
 *
 * A router may answer few probes or none, and still forward everything, so loss at one hop counts
 * only if it goes on to the last hop. If that one answers nothing, it may drop all probes.
 * Thresholds: 1 % of at least 50 packets at the last hop is a note, 5 % a warning. A hop belongs to
 * the loss if it loses at least half as much as the last one. Sources: mtr(8), --report; RFC
 * 1812, 4.3.2.8: routers may limit the rate of ICMP messages.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(loss_from_hop);

#define HOP_NOTE   1.0 /* percent */
#define HOP_LEAD   5.0
#define HOP_LEAST  50.0  /* packets */
#define HOP_SILENT 99.95 /* percent */
#define HOP_PART   0.5   /* of the loss at the last hop */
#define HOP_SURE   85u

struct hops {
	const struct counter *first; /* the hop from which on packets are lost */
	const struct counter *last;
	const struct counter *silent; /* a hop just before `first` that answers nothing, or NULL */
	double sent;                  /* to the last hop */
	bool is_local;                /* another hop has loss that does not go on */
	bool has_silent;              /* a hop after `first` answers nothing */
};

static bool hop_is(const struct rule_input *in, const struct counter *row, struct str name)
{
	return str_eq(strings_get(capture_strings(in->capture), row->name), name);
}

static void hops_gather(const struct rule_input *in, struct hops *h)
{
	const struct counter *silent = NULL;

	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (hop_is(in, row, STR("loss")))
			h->last = row;
		else if (hop_is(in, row, STR("sent")))
			h->sent = counter_value(row);
	}
	if (!h->last)
		return;
	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (!hop_is(in, row, STR("loss")))
			continue;
		if (counter_value(row) >= HOP_SILENT && row != h->last) {
			silent = row; /* no answer shows nothing about the packets */
			h->has_silent = h->first != NULL;
			continue;
		}
		if (counter_value(row) < HOP_PART * counter_value(h->last)) {
			h->is_local |= h->first != NULL;
			h->first = NULL;
		} else if (!h->first) {
			h->first = row;
			h->silent = silent;
			h->has_silent = false;
		}
		silent = NULL;
	}
}

static void hop_finding(const struct rule_input *in, struct findings *out, const struct hops *h)
{
	const struct strings *strings = capture_strings(in->capture);
	double loss = counter_value(h->last);
	struct str hop = strings_get(strings, h->first->key); /* its number and name */
	size_t blank = str_find_char(hop, ' ');
	struct finding *f =
		finding_add(out, in, &rule_loss_from_hop,
			    loss >= HOP_LEAD ? FINDING_WARNING : FINDING_NOTE, HOP_SURE);

	if (h->first == h->last)
		finding_claim(out, f, "%.1f %% of the packets are lost at the last hop, %s", loss,
			      finding_name(out, STR_FMT " (" STR_FMT ")",
					   STR_ARG(str_sub(hop, 0, blank)),
					   STR_ARG(str_skip(hop, blank + 1))));
	else
		finding_claim(out, f,
			      "%.1f %% of the packets are lost from hop " STR_FMT " (" STR_FMT
			      ") on: all later hops%s lose packets, too",
			      loss, STR_ARG(str_sub(hop, 0, blank)),
			      STR_ARG(str_skip(hop, blank + 1)),
			      h->has_silent ? " that answer" : "");
	finding_figure(f, "packets lost at the last hop", loss, 0, "%");
	finding_evidence(out, f, in, h->first->line, "the first hop that loses packets");
	if (h->first != h->last)
		finding_evidence(out, f, in, h->last->line, "the last hop");
	finding_usual_cause(
		out, f, "%s",
		h->first == h->last
			? "The host drops the probes: its firewall or its limit for ICMP, or "
			  "it is overloaded; otherwise the link to it"
			: "The link before this hop is full or damaged, or the router is "
			  "overloaded");
	finding_because(out, f,
			"mtr counts the answers to %.0f probes for each hop\n"
			"whether packets get lost on the way back, which may be another way%s",
			h->sent,
			h->silent ? "; or already at a hop before, which answers no probe" : "");
	finding_next(out, f,
		     "mtr --tcp --port PORT --report -c 200 HOST, and mtr from the other side: is "
		     "the loss at the same link");
}

static void loss_from_hop_check(const struct rule_input *in, struct findings *out)
{
	struct hops h = { .sent = 0 };

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("mtr")))
		return;
	hops_gather(in, &h);
	if (!h.last || h.sent < HOP_LEAST)
		finding_not_assessed(out, in, &rule_loss_from_hop, "mtr --report -c 200 HOST",
				     "%.0f packets were sent, too few to judge a loss of 1 %%",
				     h.sent);
	else if (counter_value(h.last) >= HOP_SILENT)
		finding_not_assessed(out, in, &rule_loss_from_hop,
				     "mtr --tcp --port PORT --report -c 200 HOST",
				     "the last hop answers no probe: it may drop all of them");
	else if (counter_value(h.last) >= HOP_NOTE)
		hop_finding(in, out, &h);
	else
		finding_clean(out, in, &rule_loss_from_hop,
			      "%.1f %% of %.0f packets are lost at the last hop%s",
			      counter_value(h.last), h.sent,
			      h.is_local ? "; hops before it only answer fewer probes" : "");
}

const struct rule rule_loss_from_hop = {
	.id = "loss-from-hop",
	.title = "Packets are lost from one hop on",
	.needs = RULE_COUNTERS,
	.check = loss_from_hop_check,
	.is_measured = true,
};
