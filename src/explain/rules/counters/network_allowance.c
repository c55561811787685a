/* SPDX-License-Identifier: MIT */
/*
 * A cloud limits the network of a virtual machine by the size of the machine. For each limit, the
 * driver counts the packets that exceeded it, and that were queued or dropped outside of the
 * machine. Source: counters of the Amazon ENA driver, ena_ethtool.c (ena_stats_eni_strings).
 *
 * Thresholds: 100 packets are a note. Only the difference of two readings can be a warning, because
 * a single reading includes all packets since the driver was loaded.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(network_allowance);

#define ALLOWANCE_NAMES "*_allowance_exceeded"
#define ALLOWANCE_NOTE  100.0
#define ALLOWANCE_SURE  85u

static const struct {
	const char *name;
	const char *limit;
} allowance_limits[] = {
	{ "bw_in*", "bandwidth of received data" },
	{ "bw_out*", "bandwidth of sent data" },
	{ "pps*", "packets per second" },
	{ "conntrack*", "tracked connections" },
	{ "linklocal*", "packets per second to services of the host (DNS, time, metadata)" },
	{ "*", "network" },
};

static const char *allowance_limit(struct str name)
{
	size_t i = 0;

	while (!str_glob(str_of(allowance_limits[i].name), name))
		i++;
	return allowance_limits[i].limit;
}

static void allowance_finding(const struct rule_input *in, struct findings *out,
			      const struct counter *most, size_t others)
{
	const struct capture *c = in->capture;
	struct str name = strings_get(capture_strings(c), most->name);
	bool is_between =
		str_contains(strings_get(capture_strings(c), c->counters->tool), STR("difference"));
	struct finding *f =
		finding_add(out, in, &rule_network_allowance,
			    is_between ? FINDING_WARNING : FINDING_NOTE, ALLOWANCE_SURE);

	finding_claim(out, f,
		      "The cloud limits the network of this machine: %.0f packets were above the "
		      "%s that its size allows (" STR_FMT ")%s",
		      counter_value(most), allowance_limit(name), STR_ARG(name),
		      others ? finding_name(out, "; %zu more limit%s exceeded", others,
					    others == 1 ? " was" : "s were")
			     : "");
	finding_figure(f, "packets above the limit", counter_value(most), 0, "");
	finding_evidence(out, f, in, most->line, STR_FMT, STR_ARG(name));
	finding_cause(out, f,
		      "The host queues or drops packets above the limit, before the machine sees "
		      "them");
	finding_because(out, f,
			is_between ? "the driver counts each such packet; these are those between "
				     "the two readings"
				   : "the driver counts each such packet since it was loaded\n"
				     "when they came");
	finding_next(out, f,
		     "ethtool -S DEV, twice, a minute apart, under load: does the count grow; then "
		     "a larger machine, or less traffic (compression, a cache)");
}

static void network_allowance_check(const struct rule_input *in, struct findings *out)
{
	const struct capture *c = in->capture;
	const struct counter *most = NULL;
	size_t n = 0, exceeded = 0;

	VEC_FOREACH (row, &c->counters->rows) {
		if (row->state != COUNTER_COUNTED ||
		    !str_glob(STR(ALLOWANCE_NAMES), strings_get(capture_strings(c), row->name)))
			continue;
		n++;
		exceeded += counter_value(row) >= ALLOWANCE_NOTE;
		if (!most || counter_value(row) > counter_value(most))
			most = row;
	}
	if (exceeded)
		allowance_finding(in, out, most, exceeded - 1);
	else if (n)
		finding_clean(out, in, &rule_network_allowance,
			      "at most %.0f packets were above a limit of the cloud",
			      counter_value(most));
}

const struct rule rule_network_allowance = {
	.id = "network-allowance",
	.title = "Network limit of a cloud machine",
	.needs = RULE_COUNTERS,
	.check = network_allowance_check,
	.is_measured = true,
};
