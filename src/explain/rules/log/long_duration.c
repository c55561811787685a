/* SPDX-License-Identifier: MIT */
/*
 * A log prints how long a step took, and no other rule explains why. The finding names the longest
 * step, and amounts that the log prints during this step.
 *
 * Threshold: 1 s, which users notice, and which exceeds many usual time limits. Some steps are
 * ignored: steps in the background (checkpoints, compactions), steps that run once at the start,
 * and poll intervals of ovs, which rule long-poll explains.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_durations.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/long_duration_names.h"
#include "explain/rule.h"

DECLARE_RULE(long_duration);

#define DURATION_NS   UINT64_C(1000000000)
#define DURATION_SURE 60u
/*
 * A message may have an amount of items, such as "numEndpoints=250011". Only an amount of at least
 * this can explain why a step takes long.
 */
#define DURATION_AMOUNT UINT64_C(1000)
#define DURATION_WITHIN 256u /* maximum number of records to search during the step */

/*
 * Steps below 1 s, and work in the background, are reported under two conditions. At least this
 * number of similar messages have a duration, as in "deleted 636 rows in 746ms". The median of
 * these durations is at least DURATION_AGAIN_NS.
 */
#define DURATION_AGAIN    5u
#define DURATION_AGAIN_NS UINT64_C(500000000)
#define DURATION_SEEDS    8u
/* two messages are alike if this many words at their start are equal */
#define DURATION_WORDS 3u

/* words in messages about the future, such as "retrying in 5s" */
#define DURATION_FUTURE                                                                       \
	"*etry*|*again*|* will *|*xpire*|* next *|*ait*|*chedul*|*imeout*|*imed out*|*leep*|" \
	"*elay*|*econnect*|*estart*"

struct duration_amount {
	struct str name, value;
	uint64_t n;
	uint32_t record;
};

/*
 * Store the largest amount in record @i, such as "numEndpoints=250011", in *@ret if it exceeds the
 * amount that is already there.
 */
static void duration_amounts(const struct records *r, uint32_t i, struct duration_amount *ret)
{
	struct str text = r->rows.data[i].text;
	struct str word;

	while (str_word(&text, &word)) {
		size_t at = str_find_char(word, '=');
		struct str name = str_sub(word, 0, at);
		struct str value = str_skip(word, at < word.len ? at + 1 : at);
		struct str rest = value;
		uint64_t n;

		if (!str_glob(STR(DURATION_COUNTS), name) || !str_u64(&rest, &n) ||
		    (rest.len && !str_glob(STR(",|;|)|]"), rest)) || n < DURATION_AMOUNT ||
		    n <= ret->n)
			continue;
		*ret = (struct duration_amount){ name, str_sub(value, 0, value.len - rest.len), n,
						 i };
	}
}

/*
 * The largest amount in the messages of the same stream during the step @d, such as 250011 in
 * "numEndpoints=250011". Member n of the result is 0 if no message has an amount.
 */
static struct duration_amount duration_amount(const struct rule_input *in,
					      const struct log_duration *d)
{
	const struct records *r = in->capture->records;
	const struct log_record *end = &r->rows.data[d->record];
	struct duration_amount ret = { .n = 0 };

	for (uint32_t k = 0; k <= d->record && k < DURATION_WITHIN; k++) {
		const struct log_record *one = &r->rows.data[d->record - k];

		if (one->stream != end->stream || !one->has_time)
			continue;
		if (one->time_ns + d->ns + d->half_ns < end->time_ns)
			break;
		duration_amounts(r, d->record - k, &ret);
	}
	return ret;
}

/*
 * The text before the duration, without quotes, brackets and separators at its end: `elapsed` of
 * `elapsed="`.
 */
static struct str duration_label(const struct log_duration *d)
{
	struct str s = d->what;

	while (s.len && memchr(" =:\"'([", s.p[s.len - 1], 8))
		s.len--;
	return s;
}

static void duration_finding(const struct rule_input *in, struct findings *out,
			     const struct log_durations *all, const struct log_duration *d)
{
	struct finding *f = finding_add(out, in, &rule_long_duration, FINDING_NOTE, DURATION_SURE);
	struct duration_amount amount = duration_amount(in, d);
	uint64_t sum = 0;
	uint32_t n = 0;

	VEC_FOREACH (one, &all->rows) {
		if (one->kind != d->kind)
			continue;
		sum += one->ns;
		n++;
	}
	finding_claim(out, f, "A %s took %s: '" STR_FMT "'%s%s", d->is_request ? "request" : "step",
		      finding_duration(out, d->ns), STR_ARG(duration_label(d)),
		      n > 1 ? finding_name(out, ", the longest of %u such; together %s", n,
					   finding_duration(out, sum))
			    : "",
		      amount.n ? finding_name(out, "; " STR_FMT " was " STR_FMT,
					      STR_ARG(amount.name), STR_ARG(amount.value))
			       : "");
	finding_figure(f, "longest", (double)d->ns / 1e9, (double)d->half_ns / 1e9, "s");
	if (n > 1)
		finding_figure(f, "steps with this message", n, 0, "");
	log_words_cite(out, f, in, d->record);
	if (amount.n && amount.record != d->record)
		log_words_cite(out, f, in, amount.record);
	if (amount.n)
		finding_usual_cause(out, f,
				    "The work of the step may grow with " STR_FMT " (" STR_FMT
				    "), or the step waits for a disk, a lock or an answer",
				    STR_ARG(amount.name), STR_ARG(amount.value));
	else if (d->is_request && n > 1)
		finding_usual_cause(out, f,
				    "Requests that differ only in parameters come again and again. "
				    "If each makes the server go through all objects and filter "
				    "them, their number is the cost; or they wait for each other, "
				    "or for the store behind the server");
	else
		finding_usual_cause(out, f,
				    "The %s computes, or waits for a disk, a lock or an "
				    "answer",
				    d->is_request ? "request" : "step");
	finding_because(out, f, "the log prints the duration, but not its parts");
	finding_next(out, f,
		     "top -H -p PID while the step runs: does it use a CPU? Then perf record -g -p "
		     "PID; else the stack of its thread (gdb, jstack, py-spy dump)");
}

/*
 * Find the duration in "deleted 636 rows in 746.3ms": a past participle, then "in" and a time.
 * False: none.
 */
static bool duration_in(struct str text, struct log_duration *ret)
{
	const struct str in = STR(" in ");
	char took[64] = "took ";
	struct str before, rest, word;
	bool is_past = false;
	size_t at = str_find(text, in);

	before = str_sub(text, 0, at);
	rest = str_skip(text, at + in.len);
	if (at >= text.len || rest.len == 0 || !char_is_digit(rest.p[0]) ||
	    str_glob(STR(DURATION_FUTURE), before))
		return false;
	for (struct str s = before; str_word(&s, &word);)
		is_past |= word.len > 4 && str_ends(word, STR("ed"));
	if (!is_past)
		return false;
	rest = str_sub(rest, 0, sizeof(took) - 6);
	memcpy(took + 5, rest.p, rest.len);
	if (!log_duration_of((struct str){ took, 5 + rest.len }, ret))
		return false;
	ret->what = before;
	return true;
}

/* Do both messages begin with the same words, apart from numbers? */
static bool duration_is_alike(struct str a, struct str b)
{
	struct str x, y;

	for (unsigned int i = 0; i < DURATION_WORDS; i++) {
		if (!str_word(&a, &x) || !str_word(&b, &y))
			return i > 0;
		if (!str_eq(x, y) && !(char_is_digit(x.p[0]) && char_is_digit(y.p[0])))
			return false;
	}
	return true;
}

static int duration_by_ns(const void *a, const void *b)
{
	const struct log_duration *x = a;
	const struct log_duration *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Durations of messages that are alike. */
struct duration_group {
	VEC(struct log_duration) rows;
};

/* Fill @ret with all messages that are like @of, shortest duration first. */
static void duration_group(struct duration_group *ret, const struct records *r, struct str of)
{
	struct log_duration one;

	ret->rows.len = 0;
	for (uint32_t i = 0; i < r->rows.len; i++) {
		if (!duration_in(r->rows.data[i].text, &one) || !duration_is_alike(one.what, of))
			continue;
		one.record = i;
		*VEC_PUSH(&ret->rows) = one;
	}
	VEC_SORT(&ret->rows, duration_by_ns);
}

/* The text of a message, without the name of its field: "removed 3 blobs" of `msg="removed 3
 * blobs`. */
static struct str duration_text(struct str what)
{
	size_t quote = str_find(what, STR("=\""));

	return str_sub(quote < what.len ? str_skip(what, quote + 2) : what, 0, 100);
}

static void duration_again_finding(const struct rule_input *in, struct findings *out,
				   const struct duration_group *g)
{
	const struct log_duration *most = &g->rows.data[g->rows.len - 1];
	const struct log_duration *median = &g->rows.data[g->rows.len / 2];
	struct finding *f = finding_add(out, in, &rule_long_duration, FINDING_NOTE, DURATION_SURE);

	finding_claim(out, f,
		      "A step comes %zu times and takes %s each (median; the longest %s): "
		      "'" STR_FMT "'",
		      g->rows.len, finding_duration(out, median->ns),
		      finding_duration(out, most->ns), STR_ARG(duration_text(most->what)));
	finding_figure(f, "median", (double)median->ns / 1e6, (double)median->half_ns / 1e6, "ms");
	finding_figure(f, "steps with this message", (double)g->rows.len, 0, "");
	log_words_cite(out, f, in, most->record);
	finding_usual_cause(out, f,
			    "The step computes, searches for its items, or waits for a disk or a "
			    "lock");
	finding_because(out, f, "the log prints the duration, but not its parts");
	finding_next(out, f,
		     "compare the times with the numbers of items in the messages: a search for "
		     "few items takes as long as one for many");
	finding_next(out, f,
		     "find the statement or loop of this message: in a database, EXPLAIN (ANALYZE) "
		     "shows whether an index fits its condition");
}

/*
 * Add a finding about a message with a duration that occurs again and again. False: there is none.
 * Only the first DURATION_SEEDS messages with a duration are tested.
 */
static bool duration_again(const struct rule_input *in, struct findings *out)
{
	const struct records *r = in->capture->records;
	struct duration_group g = { .rows = VEC_INIT };
	struct log_duration one;
	bool is_found = false;
	unsigned int seeds = 0;

	for (uint32_t i = 0; i < r->rows.len && seeds < DURATION_SEEDS && !is_found; i++) {
		if (!duration_in(r->rows.data[i].text, &one))
			continue;
		seeds++;
		duration_group(&g, r, one.what);
		is_found = g.rows.len >= DURATION_AGAIN &&
			   g.rows.data[g.rows.len / 2].ns >= DURATION_AGAIN_NS;
	}
	if (is_found)
		duration_again_finding(in, out, &g);
	VEC_FREE(&g.rows);
	return is_found;
}

static void long_duration_check(const struct rule_input *in, struct findings *out)
{
	const struct log_duration *longest = NULL;
	struct log_durations d;

	log_durations_init(&d, in->capture);
	VEC_FOREACH (one, &d.rows) {
		struct str text = in->capture->records->rows.data[one->record].text;

		if (one->ns >= DURATION_NS && !log_duration_is_background(text) &&
		    !str_glob(STR(DURATION_ONCE), text) && (!longest || one->ns > longest->ns))
			longest = one;
	}
	if (longest)
		duration_finding(in, out, &d, longest);
	else if (!duration_again(in, out) && d.rows.len)
		finding_clean(out, in, &rule_long_duration, "no logged step took 1 s");
	log_durations_fini(&d);
}

const struct rule rule_long_duration = {
	.id = "long-duration",
	.title = "Long duration in a log",
	.needs = RULE_LOG,
	.check = long_duration_check,
};
