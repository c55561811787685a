/* SPDX-License-Identifier: MIT */
/*
 * Steps of a log fail after equal durations, slightly above a round number: a time limit ended
 * them. Each retry waits for the limit again.
 *
 * Thresholds: three failed steps of one kind end at most 5 % above the round number. It is a
 * warning if the limit is 1 s or more, or if the failed steps take half of the time of all
 * requests.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_requests.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/time_limit_names.h"

#include <inttypes.h>

DECLARE_RULE(time_limit);

#define LIMIT_LEAST   3u
#define LIMIT_ABOVE   1.05 /* maximum ratio of a step's duration to its time limit */
#define LIMIT_LEAD_NS UINT64_C(1000000000)
#define LIMIT_PCT     50.0
#define LIMIT_SURE    90u
#define LIMIT_KINDS   256u

/* All failed steps of one kind. */
struct limit_kind {
	uint64_t kind;
	uint64_t n;
	uint64_t least_ns, most_ns, half_ns;
	uint32_t first, last; /* indices of the first and the last step of this kind */
};

/*
 * The largest usual time limit that is not above @ns: 1, 1.2, 1.5, 1.8, 2, 2.5, 3 … 5, 6 … 9, times
 * a power of ten, in ns.
 */
static uint64_t limit_round(uint64_t ns)
{
	static const unsigned int tenths[] = { 90, 80, 70, 60, 50, 45, 40, 35,
					       30, 25, 20, 18, 15, 12, 10 };
	uint64_t scale = 1;

	while (ns / scale >= 100)
		scale *= 10;
	for (size_t i = 0; i < ARRAY_LEN(tenths); i++) {
		if (tenths[i] * scale <= ns)
			return tenths[i] * scale;
	}
	return 0;
}

/*
 * The time limit that ends all steps of @k, in ns; 0: there is no common limit. The shortest step
 * may be printed as less than the limit, because the log rounds it.
 */
static uint64_t limit_of(const struct limit_kind *k)
{
	const uint64_t least[] = { k->least_ns, k->least_ns + k->half_ns };

	for (size_t i = 0; k->least_ns && i < ARRAY_LEN(least); i++) {
		uint64_t limit = limit_round(least[i]);

		if ((double)k->most_ns <= (double)limit * LIMIT_ABOVE + (double)k->half_ns)
			return limit;
	}
	return 0;
}

/* The number of attempts that a record mentions: 3 in "attempt 2/3"; 0: not mentioned. */
static uint64_t limit_attempts(struct str text)
{
	static const char *const patterns[] = {
		"ttempt %u/%u",  "ttempt %u of %u", "ttempt=%u/%u", "etry %u/%u",
		"etry %u of %u", "ry %u/%u",        "ries=%u/%u",
	};
	struct log_match m;

	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		if (log_match_in(text, patterns[i], &m) && m.n[0] <= m.n[1] && m.n[1] > 1)
			return m.n[1];
	}
	return 0;
}

static const struct log_request_part *limit_part(const struct log_requests *r, uint64_t kind)
{
	VEC_FOREACH (p, &r->parts) {
		if (p->kind == kind && !p->is_parallel)
			return p;
	}
	return NULL;
}

static void limit_finding(const struct rule_input *in, struct findings *out,
			  const struct log_requests *r, const struct limit_kind *k)
{
	const struct log_request_part *p = limit_part(r, k->kind);
	const struct log_step *step = &r->steps.data[k->first];
	double share = p ? log_words_pct((double)p->ns, (double)r->total_ns) : 0;
	uint64_t attempts = limit_attempts(log_words_record(in, step->record)->text);
	uint64_t limit = limit_of(k);
	struct finding *f = finding_add(
		out, in, &rule_time_limit,
		limit >= LIMIT_LEAD_NS || share >= LIMIT_PCT ? FINDING_WARNING : FINDING_NOTE,
		LIMIT_SURE);
	const char *of = "";
	const char *tries = "";

	if (p)
		of = finding_name(
			out, ". They have %.1f %% of the time of %" PRIu64 " requests (%s of %s)",
			share, r->n, finding_duration(out, p->ns),
			finding_duration(out, r->total_ns));
	if (attempts)
		tries = finding_name(out, ", in up to %" PRIu64 " attempts each", attempts);
	finding_claim(out, f,
		      "%" PRIu64 " steps end at a time limit of %s without an answer%s: '" STR_FMT
		      "'%s",
		      k->n, finding_duration(out, limit), tries, STR_ARG(step->name), of);
	f->impact = share;
	finding_figure(f, "steps at the limit", (double)k->n, 0, "");
	finding_figure(f, "limit", (double)limit / 1e6, 0, "ms");
	if (p) {
		finding_figure(f, "share of the time of requests", share, 0, "%");
		finding_figure(f, "steps in a request", (double)p->n / (double)p->n_requests, 0,
			       "");
	}
	log_words_cite(out, f, in, step->record);
	log_words_cite(out, f, in, r->steps.data[k->last].record);
	if (r->n && p)
		log_words_cite(out, f, in, r->steps.data[r->slowest].record);
	if (str_glob(STR(LIMIT_OWN), log_words_record(in, step->record)->text)) {
		finding_usual_cause(
			out, f,
			"The steps wait for a free connection, thread or lock of this "
			"process: its users hold it too long, leak it, or it has too few");
		finding_because(out, f,
				"the durations are equal, at a round number, and the message names "
				"what was not free");
		finding_next(out, f, "stacks of the threads while steps wait: who holds it");
		return;
	}
	finding_usual_cause(out, f, "The other side is slow, overloaded or unreachable. %s",
			    attempts ? "Each attempt waits for the whole limit again and adds load"
				     : "Each step waits for the whole limit");
	finding_because(out, f,
			"the durations are equal, at a round number, and the log says that "
			"the steps failed");
	finding_next(out, f,
		     "curl -o /dev/null -sw '%%{time_connect} %%{time_starttransfer}\\n' URL from "
		     "the same machine: does it connect, and when does it answer; the log of the "
		     "other side at these times");
	if (attempts)
		finding_next(out, f,
			     "set a limit for all attempts together, a pause that grows, and a "
			     "circuit breaker");
}

static void limit_check(const struct rule_input *in, struct findings *out)
{
	VEC(struct limit_kind) kinds = { 0 };
	const struct limit_kind *best = NULL;
	const struct log_requests *r = in->requests;
	bool is_failed = false;

	for (uint32_t i = 0; i < r->steps.len; i++) {
		const struct log_step *s = &r->steps.data[i];
		size_t k = 0;

		if (!s->is_failed)
			continue;
		is_failed = true;
		while (k < kinds.len && kinds.data[k].kind != s->kind)
			k++;
		if (k == kinds.len && k < LIMIT_KINDS)
			*VEC_PUSH(&kinds) = (struct limit_kind){ .kind = s->kind,
								 .least_ns = s->ns,
								 .first = i };
		if (k == kinds.len)
			continue;
		kinds.data[k].n++;
		kinds.data[k].last = i;
		if (s->ns < kinds.data[k].least_ns)
			kinds.data[k].least_ns = s->ns;
		if (s->ns > kinds.data[k].most_ns)
			kinds.data[k].most_ns = s->ns;
		if (s->half_ns > kinds.data[k].half_ns)
			kinds.data[k].half_ns = s->half_ns;
	}
	VEC_FOREACH (k, &kinds) {
		if (k->n >= LIMIT_LEAST && limit_of(k) &&
		    (!best || k->n * k->least_ns > best->n * best->least_ns))
			best = k;
	}
	if (best)
		limit_finding(in, out, r, best);
	else if (is_failed)
		finding_clean(out, in, &rule_time_limit,
			      "fewer than three failed steps of one kind end at one round time");
	VEC_FREE(&kinds);
}

static const char *const limit_explains[] = { "repeated-trace", "message-burst", NULL };

const struct rule rule_time_limit = {
	.id = "time-limit",
	.title = "Steps end at a time limit",
	.needs = RULE_LOG,
	.explains = limit_explains,
	.check = limit_check,
	.is_measured = true,
	.is_effect = true,
};
