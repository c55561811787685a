/* SPDX-License-Identifier: MIT */
/*
 * Several servers of a Raft cluster accept writes at the same time. Each Raft entry names the entry
 * that must precede it (its prerequisite). If several entries name the same prerequisite, the first
 * one wins. The others are refused ("prerequisite mismatch") and retried. Rates are computed for
 * the time in which such messages occur.
 *
 * Threshold: ten mismatches per second. A few are normal for optimistic concurrency.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/plural.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(prerequisite_race);

#define RACE_RATE 10.0

struct race_facts {
	uint64_t logged;
	uint64_t dropped;
	uint64_t active;
	/* rates of dropped messages, per second: the lowest and the highest printed one */
	double low, high;
	uint32_t reports;
};

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
	}
}

static void race_check(const struct rule_input *in, struct findings *out)
{
	struct race_facts r = { .reports = 0 };
	struct finding *f;
	uint32_t cited = 0;

	if (in->log->prerequisites.len == 0)
		return;
	race_gather(in, &r);
	if (r.high < RACE_RATE) {
		finding_clean(out, in, &rule_prerequisite_race,
			      "%llu entr%s did not match %s prerequisite; no more were dropped "
			      "at a rate above %.0f/s",
			      (unsigned long long)r.logged, plural_of(r.logged, "y", "ies"),
			      plural_of(r.logged, "its", "their"), RACE_RATE);
		return;
	}
	f = finding_add(out, in, &rule_prerequisite_race, FINDING_WARNING, 85);
	finding_claim(out, f,
		      "Transactions race on one prerequisite: %llu mismatch%s logged, %llu more "
		      "messages dropped, at %s%.0f per second",
		      (unsigned long long)r.logged, plural_of(r.logged, "", "es"),
		      (unsigned long long)r.dropped,
		      r.high - r.low < 1 ? "" : finding_name(out, "%.0f to ", r.low), r.high);
	finding_usual_cause(out, f,
			    "Clients of different servers write at once, fail, and retry at once");
	finding_because(out, f, "dropped messages are assumed to be of the printed kind");
	finding_figure(f, "logged", (double)r.logged, 0, "");
	finding_figure(f, "dropped", (double)r.dropped, 0, "");
	finding_figure(f, "rate over the active time", (double)r.dropped / (double)r.active, 0,
		       "/s");
	finding_figure(f, "highest rate of a report", r.high, 0, "/s");
	VEC_FOREACH (d, &in->log->dropped) {
		if (cited < LOG_EVIDENCE_MAX &&
		    log_words_record(in, d->record)->module.v ==
			    log_words_record(in, in->log->prerequisites.data[0].record)->module.v) {
			log_words_cite(out, f, in, d->record);
			cited++;
		}
	}
	log_words_cite(out, f, in, in->log->prerequisites.data[0].record);
	finding_next(out, f, "make all writers use the leader (--leader-only in clients)");
	finding_next(out, f, "ovs-appctl coverage/show: retries, and raft entries per second");
}

const struct rule rule_prerequisite_race = {
	.id = "prerequisite-race",
	.title = "Transactions race and retry",
	.needs = RULE_LOG,
	.check = race_check,
};
