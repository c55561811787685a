/* SPDX-License-Identifier: MIT */
/*
 * Several servers of a Raft cluster accept writes at the same time. Each Raft entry names the entry
 * that must precede it (its prerequisite). If several entries name the same prerequisite, the first
 * one wins. The others are refused ("prerequisite mismatch") and retried. Rates are computed for
 * the time in which such messages occur.
 *
 * The rate limit of the log prints five such messages at once, then one per minute (ovsdb/raft.c of
 * Open vSwitch), and the number of dropped messages only with the next one. So after five messages
 * within a second, the log does not show whether more followed. Without the rate limit
 * (vlog/disable-rate-limit), the printed messages give the rate.
 *
 * Threshold: ten mismatches per second. A few are normal for optimistic concurrency. Of printed
 * messages, the fastest 20 in a row count, so that a burst of a few does not, and a race of a
 * minute does in a log of a day.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/alloc.h"
#include "base/plural.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(prerequisite_race);

#define RACE_RATE    10.0
#define RACE_PRINTED 20u
/* a burst of this many messages in RACE_BURST_SECONDS uses up the rate limit */
#define RACE_BURST         5u
#define RACE_BURST_SECONDS 1.0

struct race_facts {
	uint64_t logged;
	uint64_t dropped;
	uint64_t active;
	/* rates of dropped messages, per second: the lowest and the highest printed one */
	double low, high;
	uint32_t reports;
	/*
	 * time of the fastest RACE_PRINTED mismatches that a process printed in a row; rate: their
	 * number per second, 0 if there are fewer
	 */
	double seconds, rate;
	uint32_t fastest; /* record of the first of them; INDEX_NONE: none */
	/* the last printed mismatches are a burst after which the rate limit hides others */
	bool ends_in_burst;
};

/* Find the fastest mismatches in a row of one process. */
static void race_fastest(const struct rule_input *in, struct race_facts *r)
{
	size_t n = in->log->prerequisites.len;
	struct sort_item *rows = xcalloc(n, sizeof(*rows));

	for (size_t i = 0; i < n; i++) {
		uint32_t record = in->log->prerequisites.data[i].record;

		rows[i] = (struct sort_item){ log_words_record(in, record)->stream, record };
	}
	sort_items(rows, n);
	for (size_t i = RACE_PRINTED - 1; i < n; i++) {
		const struct sort_item *first = &rows[i + 1 - RACE_PRINTED];
		double tick = (double)log_words_stream(in, first->value)->tick_ns / 1e9;
		double seconds;

		if (first->key != rows[i].key ||
		    !log_words_seconds(in, first->value, rows[i].value, &seconds) || seconds < 0)
			continue;
		seconds = seconds > tick ? seconds : tick;
		if (seconds > 0 && (r->rate <= 0 || seconds < r->seconds)) {
			r->seconds = seconds;
			r->rate = (RACE_PRINTED - 1) / seconds;
			r->fastest = first->value;
		}
	}
	free(rows);
}

/* Compute the figures of the printed mismatches. */
static void race_printed(const struct rule_input *in, struct race_facts *r)
{
	size_t n = in->log->prerequisites.len;
	const struct log_prerequisite *p = in->log->prerequisites.data;
	double seconds;

	race_fastest(in, r);
	r->ends_in_burst =
		n >= RACE_BURST && n < RACE_PRINTED &&
		log_words_seconds(in, p[n - RACE_BURST].record, p[n - 1].record, &seconds) &&
		seconds >= 0 && seconds <= RACE_BURST_SECONDS;
}

static void race_gather(const struct rule_input *in, struct race_facts *r)
{
	const struct log_prerequisite *first = in->log->prerequisites.data;
	str_id module = log_words_record(in, first->record)->module;

	r->logged = in->log->prerequisites.len;
	VEC_FOREACH (d, &in->log->dropped) {
		double rate = (double)d->dropped / (double)d->active_seconds;

		if (log_words_record(in, d->record)->module.v != module.v)
			continue;
		r->low = r->reports == 0 || rate < r->low ? rate : r->low;
		r->high = rate > r->high ? rate : r->high;
		r->dropped += d->dropped;
		r->active += d->active_seconds;
		r->reports++;
		/* the number of dropped messages is known */
		if (d->record > in->log->prerequisites.data[r->logged - 1].record)
			r->ends_in_burst = false;
	}
}

/* Do the dropped messages show the race, or else the printed ones? */
static bool race_is_dropped(const struct race_facts *r)
{
	return r->high >= RACE_RATE;
}

static void race_claim(struct findings *out, struct finding *f, const struct race_facts *r)
{
	if (race_is_dropped(r))
		finding_claim(
			out, f,
			"Transactions race on one prerequisite: %llu mismatch%s logged, %llu more "
			"messages dropped, at %s%.0f per second",
			(unsigned long long)r->logged, plural_of(r->logged, "", "es"),
			(unsigned long long)r->dropped,
			r->high - r->low < 1 ? "" : finding_name(out, "%.0f to ", r->low), r->high);
	else
		finding_claim(
			out, f,
			"Transactions race on one prerequisite: %llu mismatches logged, up to "
			"%.0f per second",
			(unsigned long long)r->logged, r->rate);
}

/* The rate is below the threshold: say so, or say that the log does not show it. */
static void race_rare(const struct rule_input *in, struct findings *out, const struct race_facts *r)
{
	if (r->ends_in_burst)
		finding_not_assessed(out, in, &rule_prerequisite_race,
				     "ovs-appctl vlog/disable-rate-limit raft, then the log",
				     "the rate limit of the log may hide mismatches after a burst "
				     "of them");
	else
		finding_clean(out, in, &rule_prerequisite_race,
			      "%llu entr%s did not match %s prerequisite; no more were dropped "
			      "at a rate above %.0f/s",
			      (unsigned long long)r->logged, plural_of(r->logged, "y", "ies"),
			      plural_of(r->logged, "its", "their"), RACE_RATE);
}

static void race_check(const struct rule_input *in, struct findings *out)
{
	struct race_facts r = { .fastest = INDEX_NONE };
	struct finding *f;
	uint32_t cited = 0;
	bool is_printed;

	if (in->log->prerequisites.len == 0)
		return;
	race_printed(in, &r);
	race_gather(in, &r);
	is_printed = r.rate >= RACE_RATE;
	if (r.high < RACE_RATE && !is_printed) {
		race_rare(in, out, &r);
		return;
	}
	f = finding_add(out, in, &rule_prerequisite_race, FINDING_WARNING,
			race_is_dropped(&r) ? 85 : 95);
	race_claim(out, f, &r);
	finding_usual_cause(out, f,
			    "Clients of different servers write at once, fail, and retry at once");
	finding_because(out, f, "%s",
			race_is_dropped(&r)
				? "dropped messages are assumed to be of the printed kind"
				: "the server prints each refused entry");
	finding_figure(f, "logged", (double)r.logged, 0, "");
	finding_figure(f, "dropped", (double)r.dropped, 0, "");
	if (race_is_dropped(&r)) {
		finding_figure(f, "rate over the active time", (double)r.dropped / (double)r.active,
			       0, "/s");
		finding_figure(f, "highest rate of a report", r.high, 0, "/s");
	} else {
		finding_figure(f, "rate of the fastest 20 in a row", r.rate, 0, "/s");
		finding_figure(f, "their time", r.seconds, 0, "s");
	}
	VEC_FOREACH (d, &in->log->dropped) {
		if (cited < LOG_EVIDENCE_MAX &&
		    log_words_record(in, d->record)->module.v ==
			    log_words_record(in, in->log->prerequisites.data[0].record)->module.v) {
			log_words_cite(out, f, in, d->record);
			cited++;
		}
	}
	log_words_cite(out, f, in,
		       race_is_dropped(&r) ? in->log->prerequisites.data[0].record : r.fastest);
	finding_next(out, f, "make all writers use the leader (--leader-only in clients)");
	finding_next(out, f, "ovs-appctl coverage/show: retries, and raft entries per second");
}

const struct rule rule_prerequisite_race = {
	.id = "prerequisite-race",
	.title = "Transactions race and retry",
	.needs = RULE_LOG,
	.check = race_check,
};
