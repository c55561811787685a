/* SPDX-License-Identifier: MIT */
/*
 * An interface drops packets that it received, and its receive ring is shorter than the card
 * allows. A longer ring absorbs longer bursts.
 *
 * Thresholds: the ring has at most half of the possible entries, since the next larger size is at
 * least twice as long. The interface drops 10 packets per second, as in rule interface-drops, or
 * 0.01 % of the received packets, as in rule receive-drops. Sources: ethtool(8), -g and -G.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(receive_ring);

#define RING_MOST_PCT 50.0
#define RING_RATE     10.0 /* minimum rate of dropped packets, per second */
#define RING_SHARE    0.01 /* minimum share of dropped packets, percent of the received packets */
#define RING_SURE     70u

/*
 * Find dropped packets of the interface @name in another table of the input. The output of ethtool
 * -S has no interface name. It is assumed to be about the same interface as the ring. NULL: no
 * such number of drops. *@ret_is_few: the drops are shown, and they are fewer.
 */
static const struct counter_metric *ring_drops(const struct rule_input *in, struct str name,
					       uint32_t *ret_number, bool *ret_is_few)
{
	const struct dossier *d = in->facts->dossier;

	*ret_is_few = false;
	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct counter_metrics *counters = in->facts->counters[i];
		const struct counter_metric *rate, *share;

		if (!counters)
			continue;
		rate = counter_metrics_find(counters, "interface-drops");
		share = counter_metrics_find(counters, "receive-drop-share");
		*ret_number = i;
		if (rate && rate->value >= RING_RATE &&
		    str_eq(strings_get(capture_strings(d->captures.data[i]), rate->key), name))
			return rate;
		if (share && share->value >= RING_SHARE)
			return share;
		/* the rate is that of the interface with most drops */
		*ret_is_few |= share || (rate && rate->value < RING_RATE);
	}
	return NULL;
}

/*
 * Size of a ring, in entries: the value of the counter in input line @line; 0: there is no counter.
 */
static double ring_entries(const struct capture *c, uint32_t line)
{
	VEC_FOREACH (row, &c->counters->rows) {
		if (row->line == line && row->state == COUNTER_COUNTED)
			return counter_value(row);
	}
	return 0;
}

static void ring_finding(const struct rule_input *in, struct findings *out,
			 const struct counter_metric *ring, const struct counter_metric *drops,
			 uint32_t number)
{
	struct str name = str_sub(strings_get(capture_strings(in->capture), ring->key), 0, 32);
	struct rule_input other = *in;
	struct finding *f = finding_add(out, in, &rule_receive_ring, FINDING_NOTE, RING_SURE);

	other.number = number;
	other.capture = in->facts->dossier->captures.data[number];
	f->is_kind = true;
	finding_claim(out, f,
		      "The receive ring of " STR_FMT " has %.0f of %.0f possible entries, and the "
		      "interface drops packets: %s %s",
		      STR_ARG(name), ring_entries(in->capture, ring->line),
		      ring_entries(in->capture, ring->bottom_line),
		      finding_amount(out, 3, drops->value), drops->def->title);
	finding_figure(f, "receive ring in use", ring->value, 0, "%");
	finding_figure(f, drops->def->title, drops->value, 0, drops->def->unit);
	finding_evidence(out, f, in, ring->line, "entries of the ring");
	finding_evidence(out, f, in, ring->bottom_line, "possible entries");
	finding_evidence(out, f, &other, drops->line, "drops");
	finding_usual_cause(out, f,
			    "A burst is longer than the ring: the card drops packets until a CPU "
			    "has taken some. If the CPU is too slow on average, a longer ring "
			    "only delays the drops");
	finding_because(out, f,
			"the lengths of the ring are printed\n"
			"whether packets come in bursts");
	finding_next(out, f,
		     "ethtool -G " STR_FMT
		     " rx N with the maximum of ethtool -g: do the drops stop",
		     STR_ARG(name));
	finding_next(out, f,
		     "mpstat -P ALL 1: a CPU with %%soft near 100 takes all packets, and a "
		     "longer ring does not help");
}

static void ring_check(const struct rule_input *in, struct findings *out)
{
	const struct counter_metric *ring = counter_metrics_find(in->counters, "receive-ring");
	const struct counter_metric *drops;
	uint32_t number;
	bool is_few;

	if (!ring)
		return;
	if (ring->value > RING_MOST_PCT) {
		finding_clean(out, in, &rule_receive_ring,
			      "the receive ring has %.3g %% of its possible entries", ring->value);
		return;
	}
	drops = ring_drops(in, strings_get(capture_strings(in->capture), ring->key), &number,
			   &is_few);
	if (drops)
		ring_finding(in, out, ring, drops, number);
	else if (is_few)
		finding_clean(
			out, in, &rule_receive_ring,
			"the receive ring has %.3g %% of its possible entries, and hardly any "
			"packet is dropped",
			ring->value);
	else
		finding_not_assessed(out, in, &rule_receive_ring,
				     "sar -n EDEV 1 5, or ethtool -S DEV",
				     "the receive ring has %.3g %% of its possible entries; "
				     "whether packets are dropped is not shown",
				     ring->value);
}

const struct rule rule_receive_ring = {
	.id = "receive-ring",
	.title = "Short receive ring and dropped packets",
	.needs = RULE_COUNTERS,
	.check = ring_check,
	.is_measured = true,
};
