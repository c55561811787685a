/* SPDX-License-Identifier: MIT */
/*
 * A log prints how long a step took, and no other rule says why: the finding names the longest one
 * and the amounts that the log prints during it.
 *
 * Threshold: 1 s, which exceeds what a user waits for without noticing and many usual time limits.
 * Steps that run in the background (checkpoints, compactions) or once, at the start, are left out,
 * and poll intervals of ovs, which the rule long-poll explains.
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
/* a printed amount from this value on may explain a long step */
#define DURATION_AMOUNT UINT64_C(1000)
#define DURATION_WITHIN 256u /* maximum number of records during the step that are searched */

struct duration_amount {
	struct str name, value;
	uint64_t n;
	uint32_t record;
};

/* Keep the largest amount, "numEndpoints=250011", of record @i in @ret. */
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

/* The largest amount that the stream of @d prints in the time of @d. n is 0: none. */
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

/* The text before the number, without the signs at its end: `elapsed="`. */
static struct str duration_what(const struct log_duration *d)
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
	finding_claim(out, f, "A step took %s: '" STR_FMT "'%s%s", finding_duration(out, d->ns),
		      STR_ARG(duration_what(d)),
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
				    "The step works on a large number (" STR_FMT " = " STR_FMT
				    ") and its time grows with it, or it waits",
				    STR_ARG(amount.name), STR_ARG(amount.value));
	else
		finding_usual_cause(out, f,
				    "The step computes, or waits for a disk, a lock or an "
				    "answer");
	finding_because(out, f, "the log prints the duration, but not what it went into");
	finding_next(out, f,
		     "top -H -p PID while the step runs: does it use a CPU? Then perf record -g -p "
		     "PID; else the stack of its thread (gdb, jstack, py-spy dump)");
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
	else if (d.rows.len)
		finding_clean(out, in, &rule_long_duration, "no logged step took 1 s");
	log_durations_fini(&d);
}

const struct rule rule_long_duration = {
	.id = "long-duration",
	.title = "Long duration in a log",
	.needs = RULE_LOG,
	.check = long_duration_check,
};
