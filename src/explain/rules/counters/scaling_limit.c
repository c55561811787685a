/* SPDX-License-Identifier: MIT */
/*
 * A benchmark does not get faster with more threads, clients, cores or nodes. The input is a table
 * with one row for each number of them.
 *
 * The speed of a row is its throughput, or the reciprocal of its time. For latencies it is the
 * number of clients divided by the latency, because each client waits for an answer before it sends
 * the next request. Scaling ends at the first row whose speed no later row exceeds by 10 %. The
 * table must continue to twice the number of this row. Scaling is negative if a later row has at
 * most 75 % of the best speed.
 *
 * A time that is the same in all rows gets no finding: each thread may bring its own work.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/names/scaling_words.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(scaling_limit);

#define SCALING_ROWS   3u
#define SCALING_STEP   1.10
#define SCALING_BEYOND 2.0
#define SCALING_DROP   0.75
/* if the speed in a column of times grows by a smaller factor, the time counts as constant */
#define SCALING_GAIN    1.20
#define SCALING_CPU_UP  2.0 /* minimum growth of CPU time that is reported */
#define SCALING_SURE    90u
#define SCALING_LATENT  60u /* certainty if the throughput is computed from latencies */
#define SCALING_COLUMNS 24u
#define SCALING_CITED   64u /* maximum number of rows of a table to examine */

/* The rows of one column of the table. */
struct scaling_series {
	str_id name;
	enum scaling_value kind;
	size_t n;
	const struct counter *rows[SCALING_CITED];
	/* per row: number of threads (or clients, …), and the speed */
	double x[SCALING_CITED], v[SCALING_CITED];
	/*
	 * indices of three rows: the row where scaling ends, the row with the best speed, and the
	 * row with the worst speed after the best one
	 */
	size_t end, best, worst;
	bool is_negative, is_limited;
};

static double scaling_x(const struct rule_input *in, const struct counter *row)
{
	struct str key = strings_get(capture_strings(in->capture), row->key);
	uint64_t n = 0;

	return str_u64(&key, &n) ? (double)n : 0;
}

/* The unit of the number in a row, such as "threads". Empty: the row has no number. */
static struct str scaling_things(const struct rule_input *in, const struct counter *row)
{
	struct str key = strings_get(capture_strings(in->capture), row->key);
	uint64_t n;

	return str_u64(&key, &n) ? str_trim(key) : STR_NONE;
}

/* The number of a row with its unit: "16 threads", "1 NUMA node". */
static const char *scaling_at(const struct rule_input *in, struct findings *out,
			      const struct counter *row)
{
	struct str things = scaling_things(in, row);
	double x = scaling_x(in, row);

	if (x <= 1 && str_ends(things, STR("s")))
		things.len--;
	return finding_name(out, "%.0f " STR_FMT, x, STR_ARG(things));
}

static const char *scaling_amount(const struct rule_input *in, struct findings *out,
				  const struct counter *row)
{
	struct str unit = strings_get(capture_strings(in->capture), row->unit);

	return finding_name(out, "%.*f%s" STR_FMT, row->decimals, counter_value(row),
			    unit.len ? " " : "", STR_ARG(unit));
}

static double scaling_speed(enum scaling_value kind, double x, double value)
{
	if (value <= 0)
		return 0;
	return kind == SCALING_RATE ? value : kind == SCALING_LATENCY ? x / value : 1 / value;
}

static void scaling_judge(struct scaling_series *s)
{
	double best = 0;

	if (s->n < SCALING_ROWS || s->x[s->n - 1] < SCALING_BEYOND * s->x[0])
		return;
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i] <= 0)
			return;
		if (s->v[i] > best) {
			best = s->v[i];
			s->best = s->worst = i;
		} else if (s->v[i] < s->v[s->worst]) {
			s->worst = i;
		}
	}
	s->is_negative = s->v[s->worst] <= SCALING_DROP * best;
	for (s->end = 0; s->end < s->best; s->end++) {
		if (best <= SCALING_STEP * s->v[s->end])
			break;
	}
	s->is_limited = s->x[s->n - 1] >= SCALING_BEYOND * s->x[s->end];
	/*
	 * the time is constant, as it should be if each thread brings its own work (weak scaling)
	 */
	if (s->kind == SCALING_TIME && !s->is_negative && best < SCALING_GAIN * s->v[0])
		s->is_limited = false;
}

static size_t scaling_collect(const struct rule_input *in, struct scaling_series *series)
{
	const struct strings *strings = capture_strings(in->capture);
	size_t n = 0;

	VEC_FOREACH (row, &in->capture->counters->rows) {
		struct str unit = strings_get(strings, row->unit);
		struct scaling_series *s = NULL;
		double x = scaling_x(in, row);

		for (size_t i = 0; i < n && !s; i++)
			s = series[i].name.v == row->name.v ? &series[i] : NULL;
		if (!s) {
			if (n == SCALING_COLUMNS)
				continue;
			s = &series[n++];
			*s = (struct scaling_series){ .name = row->name };
			s->kind = scaling_value_of(strings_get(strings, row->name), unit);
			if (scaling_words_is_ambiguous(scaling_things(in, row)) &&
			    s->kind != SCALING_RATE)
				s->kind = SCALING_NONE;
		}
		if (s->n == SCALING_CITED || (s->n && x <= s->x[s->n - 1]) ||
		    (s->n && row->unit.v != s->rows[0]->unit.v))
			continue;
		s->rows[s->n] = row;
		s->x[s->n] = x;
		s->v[s->n++] = scaling_speed(s->kind, x, counter_value(row));
	}
	return n;
}

/*
 * Whether column @a scales worse than column @b. Negative scaling is worst; then an earlier end of
 * scaling; then a smaller gain.
 */
static bool scaling_is_worse(const struct scaling_series *a, const struct scaling_series *b)
{
	if (a->is_negative != b->is_negative)
		return a->is_negative;
	if (a->is_negative)
		return a->v[a->worst] / a->v[a->best] < b->v[b->worst] / b->v[b->best];
	if (a->end != b->end)
		return a->end < b->end;
	return a->v[a->n - 1] / a->v[0] < b->v[b->n - 1] / b->v[0];
}

/*
 * Find the column of CPU time that belongs to @s (its title begins with the same word) and grows
 * most, by a factor of SCALING_CPU_UP or more. NULL: none.
 */
static const struct scaling_series *scaling_cpu(const struct rule_input *in,
						const struct scaling_series *series, size_t n,
						const struct scaling_series *s)
{
	const struct strings *strings = capture_strings(in->capture);
	struct str title = strings_get(strings, s->name);
	struct str first = str_sub(title, 0, str_find_char(title, ' '));
	const struct scaling_series *ret = NULL;
	double most = SCALING_CPU_UP;

	for (size_t i = 0; i < n; i++) {
		const struct scaling_series *c = &series[i];
		double growth;

		if (c->kind != SCALING_CPU || c->n < SCALING_ROWS ||
		    !str_starts(strings_get(strings, c->name), first) ||
		    counter_value(c->rows[0]) <= 0)
			continue;
		growth = counter_value(c->rows[c->n - 1]) / counter_value(c->rows[0]);
		if (growth >= most) {
			most = growth;
			ret = c;
		}
	}
	return ret;
}

static void scaling_finding(const struct rule_input *in, struct findings *out,
			    const struct scaling_series *s, const struct scaling_series *cpu)
{
	size_t to = s->is_negative ? s->worst : s->n - 1;
	size_t from = s->is_negative ? s->best : s->end;
	const struct counter *a = s->rows[from], *b = s->rows[to];
	struct str name = strings_get(capture_strings(in->capture), s->name);
	bool is_numa = str_eq(scaling_things(in, a), STR(SCALING_NUMA));
	struct finding *f = finding_add(out, in, &rule_scaling_limit,
					s->is_negative || cpu ? FINDING_WARNING : FINDING_NOTE,
					s->kind == SCALING_LATENCY ? SCALING_LATENT : SCALING_SURE);

	finding_claim(out, f, "%s past %s: " STR_FMT " is %s there and %s at %s",
		      s->is_negative ? "Negative scaling" : "Scaling stops", scaling_at(in, out, a),
		      STR_ARG(name), scaling_amount(in, out, a), scaling_amount(in, out, b),
		      scaling_at(in, out, b));
	finding_figure(f, "speed at the end, of the first row", s->v[to] / s->v[0], 0, "x");
	finding_figure(f, "number at the end, of the first row", s->x[to] / s->x[0], 0, "x");
	finding_evidence(out, f, in, a->line, STR_FMT " is %s at %s", STR_ARG(name),
			 scaling_amount(in, out, a), scaling_at(in, out, a));
	finding_evidence(out, f, in, b->line, STR_FMT " is %s at %s", STR_ARG(name),
			 scaling_amount(in, out, b), scaling_at(in, out, b));
	if (cpu)
		finding_figure(f, "growth of CPU time",
			       counter_value(cpu->rows[cpu->n - 1]) / counter_value(cpu->rows[0]),
			       0, "x");
	if (is_numa)
		finding_usual_cause(out, f,
				    "Threads use memory of another node (remote memory access), or "
				    "migrate between nodes; or they share a lock or a cache line");
	else if (cpu)
		finding_usual_cause(
			out, f,
			STR_FMT " grows from %s at %s to %s at %s: CPU time without more speed is "
				"contention, threads that spin for a lock or write one cache line",
			STR_ARG(strings_get(capture_strings(in->capture), cpu->name)),
			scaling_amount(in, out, cpu->rows[0]), scaling_at(in, out, cpu->rows[0]),
			scaling_amount(in, out, cpu->rows[cpu->n - 1]),
			scaling_at(in, out, cpu->rows[cpu->n - 1]));
	else
		finding_usual_cause(out, f,
				    "They share something that is used up: a lock, a cache line, "
				    "memory bandwidth, or the cores of the machine");
	finding_because(out, f,
			"%s\n"
			"what they share",
			s->kind == SCALING_LATENCY
				? "the speed is computed: each client waits for its answer before "
				  "it asks again"
				: "the figures are printed");
	finding_next(out, f,
		     "perf record -ag at both numbers, then assay diff: which functions take more");
	finding_next(out, f,
		     is_numa ? "numactl -N 0 -m 0, and numastat -p PID: memory of other "
			       "nodes"
			     : "nproc: are there so many cores; perf lock contention -ab "
			       "sleep 10: waits for locks");
}

static void scaling_limit_check(const struct rule_input *in, struct findings *out)
{
	struct scaling_series series[SCALING_COLUMNS];
	const struct scaling_series *worst = NULL;
	bool has_rate = false, is_judged = false;
	size_t n;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("scaling table")))
		return;
	n = scaling_collect(in, series);
	for (size_t i = 0; i < n; i++)
		has_rate |= series[i].kind == SCALING_RATE;
	for (size_t i = 0; i < n; i++) {
		struct scaling_series *s = &series[i];

		/*
		 * if the table has a throughput, judge only the throughput. Times in such a table
		 * are the length of the test, or follow from the throughput
		 */
		if (s->kind == SCALING_NONE || s->kind == SCALING_CPU ||
		    (has_rate && s->kind != SCALING_RATE))
			continue;
		scaling_judge(s);
		is_judged |= s->n >= SCALING_ROWS;
		if ((s->is_negative || s->is_limited) && (!worst || scaling_is_worse(s, worst)))
			worst = s;
	}
	if (worst)
		scaling_finding(in, out, worst, scaling_cpu(in, series, n, worst));
	else if (is_judged)
		finding_clean(out, in, &rule_scaling_limit,
			      "the speed grows up to the last rows, or the time is the same in all "
			      "rows");
}

const struct rule rule_scaling_limit = {
	.id = "scaling-limit",
	.title = "Scaling stops",
	.needs = RULE_COUNTERS,
	.check = scaling_limit_check,
	.is_measured = true,
};
