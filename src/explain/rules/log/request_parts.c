/* SPDX-License-Identifier: MIT */
/*
 * Requests of a log print their totals and the durations of their steps. One kind of step has most
 * of the time: a wait, a call of another system, or many equal short steps for one request (N+1).
 * request-parts.names has the words of steps.
 *
 * Thresholds: the requests take 100 ms on average, which users notice, and one kind of step has
 * half of their time. At 1 s, requests exceed usual limits. The log must have three requests, so
 * that the result is no accident, or a request with eight equal steps, which are many (as in rule
 * repeated-calls).
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_requests.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/request_parts_names.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(request_parts);

#define PARTS_NS      100e6
#define PARTS_LEAD_NS 1e9
#define PARTS_PCT     50.0
/*
 * a step with at least this part (0 to 1) of the largest step's time is inside of that step, and is
 * named instead
 */
#define PARTS_INNER   0.8
#define PARTS_MANY    8.0
#define PARTS_LEAST   3u
#define PARTS_SURE    90u
#define PARTS_WORDS   128u
#define PARTS_WARNING 120u /* maximum number of bytes of a warning that a claim quotes */

enum parts_kind {
	PARTS_WORK,
	PARTS_WAIT,
	PARTS_CALL,
};

struct parts_row {
	const char *match;
	const char *what;
	const char *cause;
	const char *next;
	enum parts_kind kind;
};

static const struct parts_row parts_rows[] = { REQUEST_PART_ROWS };

static bool parts_is_upper(struct str s, size_t i)
{
	return i < s.len && s.p[i] >= 'A' && s.p[i] <= 'Z';
}

static bool parts_is_lower(struct str s, size_t i)
{
	return i < s.len && s.p[i] >= 'a' && s.p[i] <= 'z';
}

/*
 * The words of @name in small letters, each between blanks: " http call " of "httpCall". @ret has
 * PARTS_WORDS bytes.
 */
static struct str parts_words(struct str name, char *ret)
{
	size_t n = 0;

	ret[n++] = ' ';
	for (size_t i = 0; i < name.len && n + 3 < PARTS_WORDS; i++) {
		bool is_upper = parts_is_upper(name, i);
		bool is_word = is_upper || parts_is_lower(name, i) || char_is_digit(name.p[i]);
		/* "httpCall", "TLSHandshake" */
		bool begins = is_upper && i &&
			      (!parts_is_upper(name, i - 1) || parts_is_lower(name, i + 1));

		if ((!is_word || begins) && ret[n - 1] != ' ')
			ret[n++] = ' ';
		if (is_word)
			ret[n++] = (char)(is_upper ? name.p[i] | 32 : name.p[i]);
	}
	if (ret[n - 1] != ' ')
		ret[n++] = ' ';
	return (struct str){ ret, n };
}

/*
 * The row of request-parts.names whose words are in the name of a step; NULL: none, or the name is
 * that of work.
 */
static const struct parts_row *parts_row_of(struct str name)
{
	char words[PARTS_WORDS];
	struct str s = parts_words(name, words);

	if (str_glob(STR(REQUEST_PART_WORK), s) && !str_glob(STR(REQUEST_PART_WAITS), s))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(parts_rows); i++) {
		if (str_glob(str_of(parts_rows[i].match), s))
			return &parts_rows[i];
	}
	return NULL;
}

static double parts_share(const struct log_requests *r, const struct log_request_part *p)
{
	return log_words_pct((double)p->ns, (double)r->total_ns);
}

/*
 * The part of the requests that has most of their time; parallel parts do not count. If one part
 * has nearly the time of the largest one, it is inside of that one, and is returned instead. NULL:
 * no part has half.
 */
static const struct log_request_part *parts_main(const struct log_requests *r)
{
	const struct log_request_part *ret = NULL;

	VEC_FOREACH (p, &r->parts) {
		if (p->is_parallel || parts_share(r, p) < PARTS_PCT)
			continue;
		if (!ret || (double)p->ns >= PARTS_INNER * (double)r->parts.data[0].ns)
			ret = p;
	}
	return ret;
}

static bool parts_is_many(const struct log_request_part *p)
{
	return (double)p->n >= PARTS_MANY * (double)p->n_requests;
}

/*
 * Index of the first warning that names a holder or a leak, as a reason for waits; INDEX_NONE:
 * none.
 */
static uint32_t parts_holder(const struct rule_input *in)
{
	const struct records *records = in->capture->records;

	for (uint32_t i = 0; i < records->rows.len; i++) {
		const struct log_record *rec = &records->rows.data[i];

		if (rec->level >= LEVEL_WARN && (str_contains_nocase(rec->text, STR("held by")) ||
						 str_contains_nocase(rec->text, STR("leak"))))
			return i;
	}
	return INDEX_NONE;
}

static void parts_claim(struct findings *out, struct finding *f, const struct log_requests *r,
			const struct log_request_part *p, const struct parts_row *row,
			struct str holder)
{
	struct str name = r->steps.data[p->step].name;
	const char *whole = finding_duration(out, r->total_ns);
	const char *warns = holder.len ? finding_name(out, ". The log warns: '" STR_FMT "'",
						      STR_ARG(str_sub(holder, 0, PARTS_WARNING)))
				       : "";
	const char *what = row ? finding_name(out, ", by its name %s", row->what) : "";

	if (parts_is_many(p))
		finding_claim(out, f,
			      "Each request repeats one step %.0f times: '" STR_FMT
			      "'%s. This is %.1f %% of the time (%s of %s in %" PRIu64
			      " request%s). One step takes %s on average",
			      (double)p->n / (double)p->n_requests, STR_ARG(name), what,
			      parts_share(r, p), finding_duration(out, p->ns), whole, r->n,
			      r->n == 1 ? "" : "s", finding_duration(out, p->ns / p->n));
	else
		finding_claim(out, f,
			      "%.1f %% of the time of requests (%s of %s in %" PRIu64
			      " requests) is one step: '" STR_FMT "'%s%s",
			      parts_share(r, p), finding_duration(out, p->ns), whole, r->n,
			      STR_ARG(name), what, warns);
}

static void parts_finding(const struct rule_input *in, struct findings *out,
			  const struct log_requests *r, const struct log_request_part *p)
{
	const struct log_step *step = &r->steps.data[p->step];
	const struct parts_row *row = parts_row_of(step->name);
	double mean = (double)r->total_ns / (double)r->n;
	bool is_many = parts_is_many(p);
	uint32_t holder = row && row->kind == PARTS_WAIT ? parts_holder(in) : INDEX_NONE;
	bool is_lead = mean >= PARTS_LEAD_NS ||
		       (row && (row->kind == PARTS_WAIT || (row->kind == PARTS_CALL && is_many)));
	struct finding *f = finding_add(
		out, in, &rule_request_parts,
		is_lead && r->n >= PARTS_LEAST ? FINDING_WARNING : FINDING_NOTE, PARTS_SURE);

	parts_claim(out, f, r, p, row,
		    holder == INDEX_NONE ? STR_NONE : log_words_record(in, holder)->text);
	f->impact = parts_share(r, p);
	finding_figure(f, "share of the time of requests", f->impact,
		       log_words_pct((double)(p->half_ns + r->half_ns), (double)r->total_ns), "%");
	finding_figure(f, "mean of a request", mean / 1e6, (double)r->half_ns / (double)r->n / 1e6,
		       "ms");
	finding_figure(f, "mean of the step", (double)p->ns / (double)p->n / 1e6,
		       (double)p->half_ns / (double)p->n / 1e6, "ms");
	if (is_many)
		finding_figure(f, "steps in a request", (double)p->n / (double)p->n_requests, 0,
			       "");
	log_words_cite(out, f, in, step->record);
	if (r->slowest != INDEX_NONE && r->steps.data[r->slowest].record != step->record)
		log_words_cite(out, f, in, r->steps.data[r->slowest].record);
	if (holder != INDEX_NONE)
		log_words_cite(out, f, in, holder);
	if (is_many)
		finding_usual_cause(out, f,
				    "A loop asks for one element at a time (N+1): each round trip "
				    "waits for the one before");
	else if (row)
		finding_usual_cause(out, f, "%s", row->cause);
	finding_because(out, f, "the log states the times of the requests and of the step");
	if (is_many)
		finding_next(out, f,
			     "ask for all elements at once: IN (…) or a join, a batch call, or "
			     "several at a time");
	else
		finding_next(
			out, f, "%s",
			row ? row->next
			    : "top -H -p PID while this step runs: does it use a CPU? Then perf "
			      "record -g -p PID; else the stack of its thread (gdb, jstack, "
			      "py-spy dump)");
}

static void parts_check(const struct rule_input *in, struct findings *out)
{
	const struct log_request_part *p;
	const struct log_requests *r = in->requests;

	p = r->n ? parts_main(r) : NULL;
	/* rule time-limit reports steps that end at a time limit */
	if (p && !r->steps.data[p->step].is_failed &&
	    (double)r->total_ns >= PARTS_NS * (double)r->n &&
	    (r->n >= PARTS_LEAST || parts_is_many(p)))
		parts_finding(in, out, r, p);
	else if (r->n)
		finding_clean(out, in, &rule_request_parts,
			      "%" PRIu64 " request%s take%s %s on average%s", r->n,
			      r->n == 1 ? "" : "s", r->n == 1 ? "s" : "",
			      finding_duration(out, r->total_ns / r->n),
			      p ? "" : "; no kind of step has half of their time");
}

static const char *const parts_overrules[] = { "duration-parts", NULL };

const struct rule rule_request_parts = {
	.id = "request-parts",
	.title = "One step has most of the time of requests",
	.needs = RULE_LOG,
	.overrules = parts_overrules,
	.check = parts_check,
	.is_measured = true,
};
