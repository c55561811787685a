/* SPDX-License-Identifier: MIT */
/*
 * The requests in a log print their total times and the durations of their steps. One kind of step
 * has most of the time: a wait, a call of another system, or many equal short steps for one request
 * (N+1). request-parts.names has the words of steps.
 *
 * Thresholds: the requests take 100 ms on average, which users notice; 1 s, which exceeds usual
 * limits, is a warning. One kind of step has half of their time. To exclude chance, the log must
 * have three requests, or a request must have at least eight equal steps (as in rule
 * repeated-calls).
 *
 * The rule also reports slow requests whose steps do not explain their time. There must be three
 * such requests, each with 100 ms and half of its time outside of the printed steps. If another
 * timed message ends at the same time as these requests, the finding names it.
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
 * If another step has at least this part (0 to 1) of the largest step's time, it is probably inside
 * the largest step. The finding then names this inner step.
 */
#define PARTS_INNER   0.8
#define PARTS_MANY    8.0
#define PARTS_LEAST   3u
#define PARTS_SURE    90u
#define PARTS_WORDS   128u
#define PARTS_WARNING 120u /* maximum number of bytes of a quoted warning in a claim */

/*
 * another timed message is close to a request if it ends at most this time before or after the
 * request
 */
#define PARTS_CLOSE_NS UINT64_C(20000000)
/* minimum part (0 to 1) of the slow requests that must be close to messages of one kind */
#define PARTS_CLOSE 0.8
/*
 * A request is close to a message by chance if there are too many messages of this kind. This is
 * the maximum part (0 to 1) of the log's time that is less than PARTS_CLOSE_NS before or after such
 * a message.
 */
#define PARTS_CHANCE 0.2
/* maximum number of comparisons of requests with messages of one kind */
#define PARTS_PAIRS     (UINT64_C(1) << 24)
#define PARTS_KINDS     16u /* maximum number of kinds of other messages to try */
#define PARTS_REST_SURE 75u

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

static bool parts_is_lower(struct str s, size_t i)
{
	return i < s.len && char_is_lower(s.p[i]);
}

/*
 * The words of @name in lower case, with blanks around each: " http call " of "httpCall". @ret has
 * PARTS_WORDS bytes.
 */
static struct str parts_words(struct str name, char *ret)
{
	size_t n = 0;

	ret[n++] = ' ';
	for (size_t i = 0; i < name.len && n + 3 < PARTS_WORDS; i++) {
		bool is_upper = char_is_upper(name.p[i]);
		bool is_word = is_upper || parts_is_lower(name, i) || char_is_digit(name.p[i]);
		/* a word also begins inside of "httpCall" and "TLSHandshake" */
		bool begins = is_upper && i &&
			      (!char_is_upper(name.p[i - 1]) || parts_is_lower(name, i + 1));

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
 * The row of request-parts.names whose words occur in the name of a step. NULL: none, or the name
 * means work of the program itself.
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
 * The step that has most of the requests' time; parallel steps are ignored. If a smaller step has
 * nearly the same time as the largest, it is inside the largest, and is returned instead. NULL: no
 * step has half of the time.
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
 * Index of the first warning in the log that may explain waits, because it names the holder of a
 * resource ("held by") or a leak. INDEX_NONE: none.
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

/* requests whose time is mostly outside of their printed steps */
struct parts_rest {
	uint64_t n;
	/* total times of the fastest and the slowest of these requests */
	uint64_t least_ns, most_ns;
	uint64_t parts_ns; /* largest sum of the printed steps of one request */
	uint64_t rest_ns;  /* sum of the time outside of steps */
	/* index of the step that states the total time of the slowest request */
	uint32_t slowest;
	/* the longest of the timed messages that end close to these requests; INDEX_NONE: none */
	uint32_t step;
	/*
	 * close: number of requests with such a message close to them; close_ns: largest difference
	 * between the end of a request and the end of its message
	 */
	uint64_t close, close_ns;
	uint64_t step_least_ns, step_most_ns; /* shortest and longest duration of these messages */
};

static bool parts_is_rest(const struct log_requests *r, const struct log_request *q)
{
	uint64_t ns = r->steps.data[q->total].ns;
	uint64_t rest = ns > q->parts_ns ? ns - q->parts_ns : 0;

	return (double)rest >= PARTS_NS && (double)rest * 100 >= PARTS_PCT * (double)ns;
}

static uint64_t parts_end(const struct rule_input *in, const struct log_requests *r, uint32_t step)
{
	return log_words_record(in, r->steps.data[step].record)->time_ns;
}

/*
 * Find the message in @others that ends closest to the time @end. If its distance is at most
 * PARTS_CLOSE_NS, count it in @t.
 */
static void parts_close(const struct rule_input *in, const struct log_requests *r,
			const uint32_t *others, size_t n, uint64_t end, struct parts_rest *t)
{
	uint64_t best = UINT64_MAX;
	uint32_t at = INDEX_NONE;
	uint64_t ns;

	for (size_t i = 0; i < n; i++) {
		uint64_t other = parts_end(in, r, others[i]);
		uint64_t apart = other > end ? other - end : end - other;

		if (apart <= PARTS_CLOSE_NS && apart < best) {
			best = apart;
			at = others[i];
		}
	}
	if (at == INDEX_NONE)
		return;
	ns = r->steps.data[at].ns;
	t->close++;
	t->close_ns = best > t->close_ns ? best : t->close_ns;
	t->step_least_ns = t->step == INDEX_NONE || ns < t->step_least_ns ? ns : t->step_least_ns;
	if (t->step == INDEX_NONE || ns > t->step_most_ns) {
		t->step_most_ns = ns;
		t->step = at;
	}
}

/*
 * Count the requests of @rest that end close to long messages of kind @kind. If the count is the
 * largest so far, and large enough (PARTS_CLOSE), store it and the messages in @rest.
 */
static void parts_try(const struct rule_input *in, const struct log_requests *r, uint64_t kind,
		      struct parts_rest *rest)
{
	struct parts_rest t = { .step = INDEX_NONE };
	VEC(uint32_t) others = { 0 };
	uint64_t from = UINT64_MAX, to = 0;

	for (uint32_t i = 0; i < r->steps.len; i++) {
		uint64_t end = parts_end(in, r, i);

		from = end < from ? end : from;
		to = end > to ? end : to;
		if (r->steps.data[i].kind == kind && (double)r->steps.data[i].ns >= PARTS_NS)
			*VEC_PUSH(&others) = i;
	}
	/* if there are many such messages, a request is close to one by chance */
	if (2.0 * (double)others.len * (double)PARTS_CLOSE_NS <=
		    PARTS_CHANCE * (double)(to - from) &&
	    others.len * rest->n <= PARTS_PAIRS) {
		VEC_FOREACH (q, &r->requests) {
			if (parts_is_rest(r, q))
				parts_close(in, r, others.data, others.len,
					    parts_end(in, r, q->total), &t);
		}
	}
	VEC_FREE(&others);
	if (t.step == INDEX_NONE || t.close <= rest->close ||
	    (double)t.close < PARTS_CLOSE * (double)rest->n)
		return;
	rest->step = t.step;
	rest->close = t.close;
	rest->close_ns = t.close_ns;
	rest->step_least_ns = t.step_least_ns;
	rest->step_most_ns = t.step_most_ns;
}

static bool parts_is_of_request(const struct log_requests *r, uint64_t kind)
{
	VEC_FOREACH (p, &r->parts) {
		if (p->kind == kind)
			return true;
	}
	return r->requests.len && r->steps.data[r->requests.data[0].total].kind == kind;
}

static void parts_rest_init(const struct rule_input *in, const struct log_requests *r,
			    struct parts_rest *ret)
{
	uint64_t kinds[PARTS_KINDS];
	size_t n = 0;

	*ret = (struct parts_rest){ .step = INDEX_NONE, .slowest = INDEX_NONE };
	VEC_FOREACH (q, &r->requests) {
		uint64_t ns = r->steps.data[q->total].ns;

		if (!parts_is_rest(r, q))
			continue;
		if (ret->n++ == 0 || ns < ret->least_ns)
			ret->least_ns = ns;
		if (ns > ret->most_ns) {
			ret->most_ns = ns;
			ret->slowest = q->total;
		}
		ret->parts_ns = q->parts_ns > ret->parts_ns ? q->parts_ns : ret->parts_ns;
		ret->rest_ns += ns - q->parts_ns;
	}
	if (ret->n < PARTS_LEAST)
		return;
	VEC_FOREACH (s, &r->steps) {
		size_t i = 0;

		while (i < n && kinds[i] != s->kind)
			i++;
		if (i < n || n == PARTS_KINDS || (double)s->ns < PARTS_NS ||
		    parts_is_of_request(r, s->kind))
			continue;
		kinds[n++] = s->kind;
		parts_try(in, r, s->kind, ret);
	}
}

static const char *parts_range(struct findings *out, uint64_t least, uint64_t most)
{
	const char *to = finding_duration(out, most);

	return least == most ? to : finding_name(out, "%s to %s", finding_duration(out, least), to);
}

static void parts_rest_finding(const struct rule_input *in, struct findings *out,
			       const struct log_requests *r, const struct parts_rest *rest)
{
	struct finding *f =
		finding_add(out, in, &rule_request_parts, FINDING_NOTE, PARTS_REST_SURE);
	const char *other = "";

	f->title = "Some requests are slow, and no printed step has the time";
	if (rest->step != INDEX_NONE)
		other = finding_name(out,
				     "; %" PRIu64 " of them end within %s of '" STR_FMT "' (%s)",
				     rest->close, finding_duration(out, rest->close_ns + 1),
				     STR_ARG(r->steps.data[rest->step].name),
				     parts_range(out, rest->step_least_ns, rest->step_most_ns));
	finding_claim(out, f,
		      "%" PRIu64 " of %" PRIu64
		      " requests take %s, at most %s of it in printed steps such as '" STR_FMT
		      "'%s",
		      rest->n, r->n, parts_range(out, rest->least_ns, rest->most_ns),
		      finding_duration(out, rest->parts_ns),
		      STR_ARG(r->steps.data[r->parts.data[0].step].name), other);
	f->impact = log_words_pct((double)rest->rest_ns, (double)r->total_ns);
	finding_figure(f, "share of the time of requests", f->impact,
		       log_words_pct((double)r->half_ns, (double)r->total_ns), "%");
	finding_figure(f, "slow requests", (double)rest->n, 0, "");
	log_words_cite(out, f, in, r->steps.data[rest->slowest].record);
	if (rest->step != INDEX_NONE) {
		log_words_cite(out, f, in, r->steps.data[rest->step].record);
		finding_usual_cause(out, f,
				    "That work holds a lock, or takes the CPU or the disk, while "
				    "these requests wait for it");
	} else {
		finding_usual_cause(out, f,
				    "They wait for a lock, a pause of the runtime or a CPU, or "
				    "run code that prints no time");
	}
	finding_because(out, f, "the log states the times of the requests and of their steps");
	finding_next(out, f,
		     "stacks of all threads while such a request runs (jstack, py-spy dump, "
		     "goroutine?debug=2): who holds the lock that it waits for");
}

static void parts_check(const struct rule_input *in, struct findings *out)
{
	const struct log_request_part *p;
	const struct log_requests *r = in->requests;
	struct parts_rest rest;

	p = r->n ? parts_main(r) : NULL;
	/* a step that ends at a time limit belongs to rule time-limit */
	if (p && !r->steps.data[p->step].is_failed &&
	    (double)r->total_ns >= PARTS_NS * (double)r->n &&
	    (r->n >= PARTS_LEAST || parts_is_many(p))) {
		parts_finding(in, out, r, p);
		return;
	}
	parts_rest_init(in, r, &rest);
	if (rest.n >= PARTS_LEAST)
		parts_rest_finding(in, out, r, &rest);
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
