/* SPDX-License-Identifier: MIT */
/*
 * How the rate of a load test grows with its clients. Clients that wait for each answer make a
 * closed loop: clients = rate * latency (Little's law).
 *
 *   (1) Several numbers of clients: the rate stops growing, and more clients only wait longer. The
 *       smallest number of clients with nine tenths of the highest rate is the knee. Thresholds:
 *       three numbers of clients, the last of which is at least twice the knee. A server without a
 *       limit would reach twice the rate with twice the clients.
 *   (2) The rate falls by a fifth after its peak: the clients hinder each other.
 *   (3) One client alone: its rate is the reciprocal of its latency, within a fifth, and does not
 *       show the capacity of the server.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>
#include <stdlib.h>

DECLARE_RULE(load_scaling);

#define SCALING_POINTS 64u
#define SCALING_LEAST  3u  /* minimum number of different client counts */
#define SCALING_KNEE   0.9 /* minimum rate at the knee, as a part (0 to 1) of the highest rate */
#define SCALING_TIMES  2.0
/* the rate falls if the last rate is at most this part (0 to 1) of the highest rate */
#define SCALING_FALLS  0.8
#define SCALING_LITTLE 0.2
#define SCALING_SURE   90u
#define SCALING_ONE    95u
/* if the busiest task uses less of a CPU (percent), it does not limit the rate */
#define SCALING_IDLE_PCT 50.0

/* One load: the rate that this number of clients reached. */
struct scaling_point {
	double clients, rate;
	double ns; /* mean latency; 0: not printed */
	uint32_t capture, line;
};

struct scaling {
	struct scaling_point points[SCALING_POINTS];
	size_t n;
};

static void scaling_add(struct scaling *s, struct scaling_point point)
{
	if (point.clients >= 1 && point.rate > 0 && s->n < SCALING_POINTS)
		s->points[s->n++] = point;
}

/* Add the rows of a table: the first column of rates and the first column of times are used. */
static void scaling_add_table(struct scaling *s, const struct capture *c, uint32_t number)
{
	const struct metrics *m = c->metrics;
	size_t rate = m->columns.len;
	size_t ns = m->columns.len;

	for (size_t i = m->columns.len; i-- > 0;) {
		struct str unit = strings_get(capture_strings(c), m->columns.data[i].unit);

		rate = str_eq(unit, STR("/s")) ? i : rate;
		ns = str_eq(unit, STR("ns")) ? i : ns;
	}
	for (size_t row = 0; rate < m->columns.len && row < m->n_rows; row++) {
		struct str name =
			strings_get(capture_strings(c),
				    symbols_get(capture_symbols(c), m->names.data[row])->canonical);
		struct scaling_point point = { .rate = metrics_value(m, row, rate),
					       .capture = number,
					       .line = m->lines.data[row] };
		double t = ns < m->columns.len ? metrics_value(m, row, ns) : 0;

		point.ns = t > 0 ? t : 0;
		if (str_double(&name, &point.clients))
			scaling_add(s, point);
	}
}

/* Add one point from the output of ab or pgbench: number of clients, rate, latency. */
static void scaling_add_run(struct scaling *s, const struct capture *c, uint32_t number)
{
	const struct strings *strings = capture_strings(c);
	struct scaling_point point = { .capture = number };

	if (!str_glob(STR("ab|pgbench"), strings_get(strings, c->counters->tool)))
		return;
	VEC_FOREACH (row, &c->counters->rows) {
		struct str name = strings_get(strings, row->name);
		struct str unit = strings_get(strings, row->unit);
		double value = counter_value(row);

		if (str_glob(STR("Concurrency Level|number of clients"), name)) {
			point.clients = value;
		} else if (str_glob(STR("Requests per second|tps"), name) && point.rate <= 0) {
			point.rate = value;
			point.line = row->line;
		} else if (str_glob(STR("Time per request|latency average"), name) &&
			   point.ns <= 0 && str_eq(unit, STR("ms"))) {
			point.ns = value * 1e6;
		}
	}
	scaling_add(s, point);
}

static int scaling_compare(const void *a, const void *b)
{
	const struct scaling_point *x = a;
	const struct scaling_point *y = b;

	return x->clients != y->clients ? (x->clients < y->clients ? -1 : 1)
	       : x->line < y->line      ? -1
					: x->line > y->line;
}

/* Latency of a point: the printed latency, or, without it, the latency by Little's law. */
static double scaling_ns(const struct scaling_point *p)
{
	return p->ns > 0 ? p->ns : p->clients / p->rate * 1e9;
}

static const char *scaling_rate(struct findings *out, double rate)
{
	return rate < 100 ? finding_amount(out, 3, rate) : finding_name(out, "%.0f", rate);
}

static struct finding *scaling_finding(const struct rule_input *in, struct findings *out,
				       const struct scaling_point *p, unsigned int sure,
				       struct rule_input *ret_at)
{
	*ret_at = *in;
	ret_at->capture = in->facts->dossier->captures.data[p->capture];
	ret_at->number = p->capture;
	return finding_add(out, ret_at, &rule_load_scaling, FINDING_NOTE, sure);
}

/* Add claim (1) or (2): the rate falls, or stops growing at @knee. */
static void scaling_limit(const struct rule_input *in, struct findings *out,
			  const struct scaling_point *knee, const struct scaling_point *top,
			  const struct scaling_point *last)
{
	bool is_falling = last->rate <= SCALING_FALLS * top->rate;
	const struct scaling_point *from = is_falling ? top : knee;
	const char *before = finding_duration(out, (uint64_t)scaling_ns(from));
	const char *after = finding_duration(out, (uint64_t)scaling_ns(last));
	struct rule_input at;
	struct finding *f = scaling_finding(in, out, last, SCALING_SURE, &at);

	f->is_kind = true;
	f->impact = 50;
	if (is_falling)
		finding_claim(
			out, f,
			"The rate falls from %s/s with %.0f clients to %s/s with %.0f: latency "
			"grows from %s to %s",
			scaling_rate(out, top->rate), top->clients, scaling_rate(out, last->rate),
			last->clients, before, after);
	else
		finding_claim(
			out, f,
			"The rate hardly grows above %.0f clients, with %s/s: %.0f clients get "
			"%s/s and wait longer, %s instead of %s",
			knee->clients, scaling_rate(out, knee->rate), last->clients,
			scaling_rate(out, last->rate), after, before);
	finding_figure(f, "highest rate", top->rate, 0, "/s");
	finding_figure(f, is_falling ? "clients at the highest rate" : "clients at the knee",
		       from->clients, 0, "");
	finding_figure(f, "latency there", scaling_ns(from), 0, "ns");
	finding_figure_text(f, before);
	finding_figure(f, "latency with the most clients", scaling_ns(last), 0, "ns");
	finding_figure_text(f, after);
	finding_evidence(out, f, &at, from->line, "%.0f clients: %s/s", from->clients,
			 scaling_rate(out, from->rate));
	finding_evidence(out, f, &at, last->line, "%.0f clients: %s/s", last->clients,
			 scaling_rate(out, last->rate));
	finding_usual_cause(
		out, f, "%s",
		is_falling
			? "More clients make each request dearer: contention for a lock or a row, "
			  "threads that push each other off the CPUs, or retries"
			: "Something is saturated: the CPUs of the server, a lock, a pool of "
			  "threads or connections, or the load generator itself");
	finding_because(out, f, "%s",
			from->ns > 0 && last->ns > 0
				? "rates and latencies are measured"
				: "rates are measured; the latency is clients / rate");
	finding_next(out, f,
		     "top -H, on the server and the load generator, with %.0f clients: who uses "
		     "whole CPUs; if nobody, assay record --off-cpu -p PID",
		     from->clients);
}

/* In tables of pidstat or top in the same text, find the task or thread that uses most of a CPU. */
static const struct counter_metric *scaling_task(const struct facts *facts, uint32_t *ret_capture)
{
	const struct counter_metric *ret = NULL;

	for (uint32_t i = 0; i < facts->dossier->captures.len; i++) {
		const struct counter_metric *m =
			facts->counters[i]
				? counter_metrics_find(facts->counters[i], "task-cpu|thread-cpu")
				: NULL;

		if (m && (!ret || m->value > ret->value)) {
			ret = m;
			*ret_capture = i;
		}
	}
	return ret;
}

static void scaling_one(const struct rule_input *in, struct findings *out,
			const struct scaling_point *p)
{
	uint32_t number = 0;
	const struct counter_metric *task = scaling_task(in->facts, &number);
	struct rule_input at;
	struct finding *f = scaling_finding(in, out, p, SCALING_ONE, &at);
	bool is_idle = task && task->value < SCALING_IDLE_PCT;

	f->is_kind = true;
	f->impact = 50;
	finding_claim(out, f,
		      "One client limits the rate: it waits %s for each answer, so %s/s is no "
		      "limit of the server",
		      finding_duration(out, (uint64_t)p->ns), scaling_rate(out, p->rate));
	finding_figure(f, "rate", p->rate, 0, "/s");
	finding_figure(f, "latency", p->ns, 0, "ns");
	finding_figure_text(f, finding_duration(out, (uint64_t)p->ns));
	finding_evidence(out, f, &at, p->line, "%s/s with 1 client", scaling_rate(out, p->rate));
	if (is_idle) {
		const struct capture *c = in->facts->dossier->captures.data[number];
		struct rule_input of = *in;
		bool is_thread;
		struct str name =
			counter_task_name(strings_get(capture_strings(c), task->key), &is_thread);
		const char *word = is_thread || c->counters->is_threads ? "thread" : "task";

		of.capture = c;
		of.number = number;
		finding_figure(f, finding_name(out, "CPU of the busiest %s", word), task->value, 0,
			       "%");
		finding_evidence(out, f, &of, task->line, "the busiest %s", word);
		finding_cause(out, f,
			      "One client sends a request only after the answer to the last one: "
			      "rate = 1 / latency. The busiest %s, " STR_FMT
			      ", uses %.1f %% of a CPU",
			      word, STR_ARG(str_sub(name, 0, 40)), task->value);
	} else {
		finding_cause(out, f,
			      "One client sends a request only after the answer to the last one: "
			      "rate = 1 / latency");
	}
	finding_because(out, f, "the product of rate and latency is one client");
	finding_next(out, f, "repeat the run with 2, 4, 8 … clients, until the rate stops growing");
}

/* Judge the points @p, which are sorted by clients. They are rows of one table, or several runs. */
static void scaling_judge(const struct rule_input *in, struct findings *out,
			  const struct scaling_point *p, size_t n)
{
	const struct scaling_point *top = p;
	const struct scaling_point *knee = p;
	const struct scaling_point *last = &p[n - 1];
	size_t n_clients = 1;

	for (size_t i = 1; i < n; i++) {
		n_clients += p[i].clients > p[i - 1].clients;
		top = p[i].rate > top->rate ? &p[i] : top;
	}
	while (knee->rate < SCALING_KNEE * top->rate)
		knee++;
	if (n_clients >= SCALING_LEAST && (last->clients >= SCALING_TIMES * knee->clients ||
					   last->rate <= SCALING_FALLS * top->rate))
		scaling_limit(in, out, knee, top, last);
	else if (n_clients >= SCALING_LEAST)
		finding_clean(out, in, &rule_load_scaling,
			      "the rate grows up to %.0f of %.0f clients", knee->clients,
			      last->clients);
	else if (n == 1 && p->clients == 1 && p->ns > 0 &&
		 fabs(p->rate * p->ns / 1e9 - 1) <= SCALING_LITTLE)
		scaling_one(in, out, p);
	else
		finding_not_assessed(
			out, in, &rule_load_scaling, "the same run with three numbers of clients",
			"the runs have %s",
			n_clients == 1 ? "one number of clients" : "two numbers of clients");
}

static void load_scaling_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct scaling runs = { .n = 0 };

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];
		struct scaling table = { .n = 0 };

		if (c->excerpt_of != INDEX_NONE)
			continue;
		if (c->counters)
			scaling_add_run(&runs, c, i);
		if (!c->metrics || !c->format || strcmp(c->format, "load-table") != 0)
			continue;
		scaling_add_table(&table, c, i);
		qsort(table.points, table.n, sizeof(*table.points), scaling_compare);
		if (table.n)
			scaling_judge(in, out, table.points, table.n);
	}
	qsort(runs.points, runs.n, sizeof(*runs.points), scaling_compare);
	if (runs.n)
		scaling_judge(in, out, runs.points, runs.n);
}

const struct rule rule_load_scaling = {
	.id = "load-scaling",
	.title = "Rate of a load test",
	.needs = RULE_DOSSIER,
	.check = load_scaling_check,
	.is_measured = true,
};
