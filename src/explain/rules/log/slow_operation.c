/* SPDX-License-Identifier: MIT */
/*
 * Operations in a trace or log, such as a block request. Each lasts from a text that begins it
 * (block_rq_issue) to a text that ends it (block_rq_complete). The rule finds an operation that
 * takes most of the traced time, takes far longer than the others, or never ends.
 *
 * Thresholds: an operation below 10 ms is not reported for its share of the time, because devices
 * answer within some ms, and users notice 100 ms. An operation is slow if it takes ten times the
 * median or more; a busy queue alone causes a factor of three. With fewer than five operations the
 * median means nothing. A state, such as a mode or a held lock, is no operation: its intended
 * duration is unknown, so the finding is a note.
 */
#include "explain/rule.h"

#include "analyses/operations/operation_key.h"
#include "analyses/operations/operations.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/words/log_words.h"

#include <stdlib.h>

DECLARE_RULE(slow_operation);

#define SLOW_NS  UINT64_C(10000000)
#define SLOW_PCT 50.0
/* minimum sum of the durations of all operations of one kind, ns, for a finding about the sum */
#define SLOW_SUM_NS UINT64_C(1000000000)
/*
 * If an operation has at least this percentage of the time, the trace was probably recorded because
 * of it, so the finding is only a note.
 */
#define SLOW_WHOLE_PCT 99.0
#define SLOW_TAIL      10u
/* minimum difference between a slow operation and the median, ns */
#define SLOW_TAIL_NS UINT64_C(1000000)
#define SLOW_LEAST   5u
/*
 * Minimum duration of an operation, or mean duration of several operations, in units of the last
 * printed digit. A shorter duration is rounded so much that a share of the time cannot be computed.
 */
#define SLOW_TICKS 10u
/*
 * An operation without an end is reported if it has already lasted this many times longer than the
 * longest operation that ended.
 */
#define SLOW_OPEN 10u
/*
 * Words that say that an operation failed. They are searched in the SLOW_FAILED_WITHIN messages
 * after the begin of the operation. If SLOW_FAILED_MOST operations have failed, operations without
 * an end are no longer judged.
 */
#define SLOW_FAILED                                                                               \
	"*fail*|*Fail*|*FAIL*|*refused*|*rejected*|*timed out*|*timeout*|*abort*|*cancel*|*gave " \
	"up*|*giving up*"
#define SLOW_FAILED_WITHIN 256u
#define SLOW_FAILED_MOST   64u
#define SLOW_SURE          75u
/* certainty if operations have no key, so that begins and ends may be paired wrongly */
#define SLOW_SURE_BARE 60u
#define SLOW_TEXT      160u
/*
 * If the time per item of a slow operation is at most this many times the median time per item, the
 * operation is only slow because it has more items.
 */
#define SLOW_EACH    3u
#define SLOW_AMOUNTS "rows|bytes|items|records|entries|files|pages|size|len|length|count|nr|n"

#define SLOW_OF_STATE "A mode, a role or a held lock lasts as long as it is wanted"

struct slow_stats {
	const struct operation *longest;
	uint64_t median_ns, p90_ns, sum_ns;
	uint64_t slow; /* number of operations that take more than SLOW_TAIL times the median */
};

static int slow_by_ns(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * A limit for printed durations. An operation with a longer printed duration certainly takes more
 * than @times times @ns, even though printed times are rounded to o->tick_ns.
 */
static uint64_t slow_least(const struct operations *o, uint64_t ns, unsigned int times)
{
	return (ns + o->tick_ns) * times + o->tick_ns;
}

static struct slow_stats slow_stats_of(const struct operations *o, const struct operation_kind *k)
{
	struct slow_stats s = { 0 };
	VEC(uint64_t) ns = VEC_INIT;

	VEC_FOREACH (op, &k->done) {
		if (!s.longest || operation_ns(op) > operation_ns(s.longest))
			s.longest = op;
		s.sum_ns += operation_ns(op);
		*VEC_PUSH(&ns) = operation_ns(op);
	}
	if (ns.len) {
		VEC_SORT(&ns, slow_by_ns);
		s.median_ns = ns.data[(ns.len - 1) / 2];
		s.p90_ns = ns.data[(ns.len - 1) * 9 / 10];
		for (size_t i = 0; i < ns.len; i++)
			s.slow += ns.data[i] > slow_least(o, s.median_ns, SLOW_TAIL);
	}
	VEC_FREE(&ns);
	return s;
}

/*
 * An operation as a part of a sentence: "from 'block_rq_issue' to 'block_rq_complete' of 2000".
 * 2000 is the key of the operation.
 */
static const char *slow_name(struct findings *out, const struct operation_kind *k,
			     const struct operation *op)
{
	const char *key = "";

	if (k->distinct > 1 && op->key.len && k->key.kind == OPERATION_KEY_NAME)
		key = finding_name(out, " of " STR_FMT " " STR_FMT, STR_ARG(k->key.name),
				   STR_ARG(str_sub(op->key, 0, 64)));
	else if (k->distinct > 1 && op->key.len)
		key = finding_name(out, " of " STR_FMT, STR_ARG(str_sub(op->key, 0, 64)));
	return finding_name(out, "from '" STR_FMT "' to '" STR_FMT "'%s",
			    STR_ARG(str_sub(k->begin, 0, 80)), STR_ARG(str_sub(k->end, 0, 80)),
			    key);
}

static void slow_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct operation_place *place)
{
	if (place->text.len)
		finding_evidence(out, f, in, place->line, STR_FMT,
				 STR_ARG(str_sub(place->text, 0, SLOW_TEXT)));
}

/*
 * Whether the two texts of @k mark the begin and end of a state (a mode, a role, a held lock), and
 * not of work.
 */
static bool slow_is_state(const struct rule_input *in, const struct operation_kind *k)
{
	static const char *const states[] = { "enter", "acquired", "locked", "suspend" };

	for (size_t i = 0; i < ARRAY_LEN(states) && in->capture->records; i++) {
		if (str_contains_nocase(k->begin, str_of(states[i])))
			return true;
	}
	return false;
}

static unsigned int slow_sure(const struct operations *o, const struct operation_kind *k)
{
	return k->distinct > 1 && !o->lost ? SLOW_SURE : SLOW_SURE_BARE;
}

static void slow_end(const struct rule_input *in, struct findings *out, struct finding *f,
		     const struct operations *o, const struct operation_kind *k,
		     const struct slow_stats *s, const struct operation *op)
{
	finding_figure(f, "operations", (double)k->done.len, 0, "");
	if (k->done.len >= SLOW_LEAST) {
		finding_figure(f, "median", (double)s->median_ns / 1e6, 0, "ms");
		finding_figure(f, "90 % take at most", (double)s->p90_ns / 1e6, 0, "ms");
	}
	if (k->open.len)
		finding_figure(f, "without an end", (double)k->open.len, 0, "");
	if (k->only_ends)
		finding_figure(f, "without a begin", (double)k->only_ends, 0, "");
	slow_cite(in, out, f, &op->from);
	slow_cite(in, out, f, &op->to);
	if (in->log)
		log_words_meanwhile(out, f, in, op->from.stream, op->from.time_ns,
				    op->to.line ? op->to.time_ns : o->last_ns);
	finding_because(out, f, "%s",
			k->distinct > 1 ? "both events name the same operation"
					: "the two events share no field that tells operations "
					  "apart");
	if (slow_is_state(in, k)) {
		finding_next(out, f,
			     "read the records around both: who asked for this state, and what "
			     "ended it");
		return;
	}
	finding_next(out, f,
		     "trace-cmd record -p function_graph -P PID, or the stacks of the waiting "
		     "threads (/proc/PID/stack): which step of the operation waits");
}

/* Add a finding if the longest operation takes most of the traced time. False: it does not. */
static bool slow_share(const struct rule_input *in, struct findings *out,
		       const struct operations *o, const struct operation_kind *k,
		       const struct slow_stats *s)
{
	uint64_t ns = operation_ns(s->longest);
	uint64_t span = o->last_ns - o->first_ns;
	bool is_state = slow_is_state(in, k);
	bool is_whole;
	struct finding *f;
	double pct;

	if (ns < SLOW_NS || ns < o->tick_ns * SLOW_TICKS)
		return false;
	pct = (double)ns / (double)span * 100; /* the span includes the operation */
	is_whole = pct >= SLOW_WHOLE_PCT;
	if (pct < SLOW_PCT)
		return false;
	f = finding_add(out, in, &rule_slow_operation,
			is_whole || is_state ? FINDING_NOTE : FINDING_WARNING, slow_sure(o, k));
	finding_claim(out, f, "One %s %s, %.1f %% of the %s traced: %s",
		      is_state ? "state lasts" : "operation takes", finding_duration(out, ns), pct,
		      finding_duration(out, span), slow_name(out, k, s->longest));
	finding_figure(f, "longest", (double)ns / 1e6, (double)o->tick_ns / 1e6, "ms");
	finding_figure(f, "share of the traced time", pct, 0, "%");
	finding_usual_cause(
		out, f, "%s",
		is_state   ? SLOW_OF_STATE
		: is_whole ? "The trace covers this operation alone: what is inside it is the "
			     "question"
			   : "The operation waits or works between these two events: the events "
			     "between them show how far it came");
	slow_end(in, out, f, o, k, s, s->longest);
	return true;
}

/* The number of items or bytes in the texts of an operation: 100 for "rows=100"; 0: none. */
static uint64_t slow_amount(const struct operation *op)
{
	struct str texts[] = { op->from.text, op->to.text };

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct str word;

		while (str_word(&texts[i], &word)) {
			size_t sign = str_find_char(word, '=');
			struct str value = str_skip(word, sign + 1);
			uint64_t ret;

			if (sign < word.len &&
			    str_glob(STR(SLOW_AMOUNTS), str_sub(word, 0, sign)) &&
			    str_u64(&value, &ret) && ret)
				return ret;
		}
	}
	return 0;
}

/*
 * Whether the slow operations only have more to do: none of them takes much longer per item than
 * the median operation.
 */
static bool slow_is_large(const struct operations *o, const struct operation_kind *k,
			  const struct slow_stats *s)
{
	VEC(uint64_t) each = VEC_INIT; /* time per item, picoseconds */
	uint64_t most = 0;
	bool ret = false;

	VEC_FOREACH (op, &k->done) {
		uint64_t n = slow_amount(op);
		uint64_t ns = operation_ns(op);
		uint64_t ps = n && ns < UINT64_MAX / 1000 ? ns * 1000 / n : UINT64_MAX;

		*VEC_PUSH(&each) = ps;
		if (ns > slow_least(o, s->median_ns, SLOW_TAIL) && ps > most)
			most = ps;
	}
	if (each.len && most != UINT64_MAX) {
		VEC_SORT(&each, slow_by_ns);
		ret = each.data[(each.len - 1) / 2] >= most / SLOW_EACH;
	}
	VEC_FREE(&each);
	return ret;
}

/* Add a finding if the longest operation takes far longer than the others. False: it does not. */
static bool slow_tail(const struct rule_input *in, struct findings *out, const struct operations *o,
		      const struct operation_kind *k, const struct slow_stats *s)
{
	uint64_t ns = operation_ns(s->longest);
	struct interval share;
	struct finding *f;

	if (k->done.len < SLOW_LEAST || ns <= slow_least(o, s->median_ns, SLOW_TAIL) ||
	    ns - s->median_ns < SLOW_TAIL_NS || slow_is_large(o, k, s))
		return false;
	share = stats_wilson((double)s->slow, (double)k->done.len, 1.96);
	f = finding_add(out, in, &rule_slow_operation,
			ns - s->median_ns >= SLOW_NS && !slow_is_state(in, k) ? FINDING_WARNING
									      : FINDING_NOTE,
			slow_sure(o, k));
	finding_claim(out, f,
		      "%llu of %llu operations take more than %u times the median of %s, "
		      "the longest %s: %s",
		      (unsigned long long)s->slow, (unsigned long long)k->done.len, SLOW_TAIL,
		      finding_duration(out, s->median_ns), finding_duration(out, ns),
		      slow_name(out, k, s->longest));
	finding_figure(f, "longest", (double)ns / 1e6, (double)o->tick_ns / 1e6, "ms");
	finding_figure_interval(f, "slow operations", (double)s->slow / (double)k->done.len * 100,
				share.low, share.high, "%");
	finding_usual_cause(out, f, "%s",
			    slow_is_state(in, k)
				    ? SLOW_OF_STATE
				    : "Most operations are fast and these are not: they wait for "
				      "something that the others do not need");
	slow_end(in, out, f, o, k, s, s->longest);
	return true;
}

/*
 * Add a finding if the operations of a log, one after another, take most of its time together.
 * They must not overlap, and the log must be long enough.
 */
static void slow_sum(const struct rule_input *in, struct findings *out, const struct operations *o,
		     const struct operation_kind *k, const struct slow_stats *s)
{
	uint64_t span = o->last_ns - o->first_ns;
	uint64_t sum = 0;
	double pct;
	struct finding *f;

	VEC_FOREACH (op, &k->done)
		sum += operation_ns(op);
	if (!in->capture->records || k->done.len < 2 || sum < SLOW_SUM_NS)
		return;
	pct = (double)sum / (double)span * 100;
	if (pct < SLOW_PCT || pct > 100 || sum < o->tick_ns * SLOW_TICKS * k->done.len ||
	    slow_is_state(in, k))
		return;
	f = finding_add(out, in, &rule_slow_operation, FINDING_NOTE, slow_sure(o, k));
	finding_claim(out, f,
		      "%zu operations take %s together, %.1f %% of the %s of the log, the longest "
		      "%s: %s",
		      k->done.len, finding_duration(out, sum), pct, finding_duration(out, span),
		      finding_duration(out, operation_ns(s->longest)),
		      slow_name(out, k, s->longest));
	f->impact = pct;
	finding_figure(f, "all together", (double)sum / 1e9, 0, "s");
	finding_figure(f, "share of the log's time", pct, 0, "%");
	finding_usual_cause(
		out, f,
		"Each of them computes or waits for long. A number in its text that grows with its "
		"time (rows, files, vertices) is the size of its work");
	slow_end(in, out, f, o, k, s, s->longest);
}

/*
 * Does the log say that the operation failed? Then a message of the same stream follows soon, which
 * begins with the same words and contains a word of failure: "peer 4: connecting", "peer 4: attempt
 * failed".
 */
static bool slow_has_failed(const struct rule_input *in, const struct operation *op)
{
	const struct records *r = in->capture->records;
	const struct log_record *begin = NULL;
	struct str about;
	size_t low = 0, high = r ? r->rows.len : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->rows.data[middle].line < op->from.line)
			low = middle + 1;
		else
			high = middle;
	}
	if (!r || low == r->rows.len)
		return false;
	begin = &r->rows.data[low];
	about = str_sub(begin->text, 0, str_rfind_char(begin->text, ' ') + 1);
	if (begin->line != op->from.line || about.len >= begin->text.len)
		return false;
	for (size_t i = low + 1; i < r->rows.len && i - low < SLOW_FAILED_WITHIN; i++) {
		const struct log_record *later = &r->rows.data[i];

		if (later->stream == begin->stream && str_starts(later->text, about) &&
		    str_glob(STR(SLOW_FAILED), later->text))
			return true;
	}
	return false;
}

/*
 * Add a finding about an operation that begins in the trace but does not end.
 */
static void slow_open(const struct rule_input *in, struct findings *out, const struct operations *o,
		      const struct operation_kind *k, const struct slow_stats *s)
{
	const struct operation *op = NULL;
	uint64_t longest = operation_ns(s->longest);
	uint64_t later = 0;
	unsigned int failed = 0;
	struct finding *f;
	uint64_t ns;

	VEC_FOREACH (other, &k->open) {
		if (op && other->from.time_ns >= op->from.time_ns)
			continue;
		if (failed == SLOW_FAILED_MOST)
			return;
		if (slow_has_failed(in, other))
			failed++;
		else
			op = other;
	}
	/*
	 * Count the operations that began after the open operation, and ended. They prove that the
	 * trace still recorded the ends of operations at that time.
	 */
	VEC_FOREACH (other, &k->done)
		later += op && other->from.time_ns > op->from.time_ns;
	if (later < SLOW_LEAST || o->lost)
		return;
	ns = o->last_ns - op->from.time_ns;
	if (ns < SLOW_NS || ns <= slow_least(o, longest, SLOW_OPEN))
		return;
	f = finding_add(out, in, &rule_slow_operation, FINDING_WARNING, slow_sure(o, k));
	finding_claim(out, f, "One operation does not end within %s, while %llu others end %s: %s",
		      finding_duration(out, ns), (unsigned long long)k->done.len,
		      longest ? finding_name(out, "within %s", finding_duration(out, longest))
			      : "at the same time stamp",
		      slow_name(out, k, op));
	finding_figure(f, "open until the end of the trace", (double)ns / 1e6, 0, "ms");
	finding_figure(f, "longest that ends", (double)longest / 1e6, 0, "ms");
	finding_usual_cause(out, f, "The operation is lost or stuck, or its end has another form");
	slow_end(in, out, f, o, k, s, op);
}

static void slow_check_all(const struct rule_input *in, struct findings *out,
			   const struct operations *o)
{
	uint64_t pairs = 0;
	size_t n = out->rows.len;
	const struct operation_kind *unmatched = NULL;

	VEC_FOREACH (k, &o->kinds) {
		struct slow_stats s = slow_stats_of(o, k);

		if (!k->is_matched) {
			unmatched = k;
			continue;
		}
		pairs += k->done.len;
		if (!slow_share(in, out, o, k, &s) && !slow_tail(in, out, o, k, &s))
			slow_sum(in, out, o, k, &s);
		slow_open(in, out, o, k, &s);
	}
	if (out->rows.len > n)
		return;
	if (pairs)
		finding_clean(out, in, &rule_slow_operation,
			      "%llu operations with a begin and an end; none stands out",
			      (unsigned long long)pairs);
	else if (unmatched)
		finding_not_assessed(out, in, &rule_slow_operation,
				     "record the event with a field that names the operation",
				     "no field of '" STR_FMT "' and '" STR_FMT
				     "' tells which of them belong together",
				     STR_ARG(unmatched->begin), STR_ARG(unmatched->end));
	/* a text about a failure or an end is not the begin of an operation */
	else if (o->lone &&
		 !str_glob(STR("*fail*|*Fail*|*error*|*finish*|*Finish*|*complete*|*end_*"),
			   o->lone_name))
		finding_not_assessed(out, in, &rule_slow_operation,
				     "record the event that ends it, too",
				     "'" STR_FMT "' begins an operation, and no event ends it",
				     STR_ARG(o->lone_name));
}

static void slow_check(const struct rule_input *in, struct findings *out)
{
	struct operations o;

	if (in->capture->calls && in->calls) {
		operations_of_calls(&o, in->capture);
		slow_check_all(in, out, &o);
		operations_fini(&o);
	}
	if (in->capture->records && in->log) {
		operations_of_log(&o, in->capture);
		slow_check_all(in, out, &o);
		operations_fini(&o);
	}
}

const struct rule rule_slow_operation = {
	.id = "slow-operation",
	.title = "Slow or unfinished operation",
	.needs = RULE_CALLS | RULE_LOG,
	.check = slow_check,
};
