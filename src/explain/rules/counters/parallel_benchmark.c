/* SPDX-License-Identifier: MIT */
/*
 * An operation of a benchmark takes longer with more CPUs: Go's -cpu 1,2,4,8, or the threads of
 * Google Benchmark. If CPUs share no data, the operation takes the same time. It takes less time if
 * the CPUs divide the operations among them (RunParallel of Go).
 *
 * The number of CPUs is at the end of the name ("BenchmarkCounter-8",
 * "BM_Counter/threads:8/real_time"). But a name can end with another number ("BenchmarkSHA-256").
 * So the smallest number must be 1 or 2, and each number at most four times the previous one.
 *
 * Thresholds: the time at the largest number is compared with the time at the smallest one. A
 * factor of 1.5 is a note, 3 a warning. Lower clock rates when many cores run explain up to 1.4.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(parallel_benchmark);

#define PARALLEL_NOTE   1.5
#define PARALLEL_LEAD   3.0
#define PARALLEL_STEP   4u   /* maximum ratio of a number of CPUs to the previous one */
#define PARALLEL_MOST   512u /* a larger number is not a number of CPUs */
#define PARALLEL_SERIES 256u /* maximum number of benchmarks to examine */
#define PARALLEL_ROWS   16u  /* maximum number of rows of one benchmark */
#define PARALLEL_SURE   75u

struct parallel_series {
	struct str name;
	const struct counter *rows[PARALLEL_ROWS];
	uint64_t cpus[PARALLEL_ROWS];
	size_t n;
};

struct parallel_all {
	struct parallel_series rows[PARALLEL_SERIES];
	size_t n;
};

/*
 * Split the name @key into the number of CPUs and the rest of the name. A name of Go without a
 * number ran on one CPU. False: the key has no number of CPUs.
 */
static bool parallel_key(struct str key, bool is_go, struct str *ret_name, uint64_t *ret_cpus)
{
	struct str mark = is_go ? STR("-") : STR("/threads:");
	size_t at = is_go ? str_rfind_char(key, '-') : str_find(key, mark);
	struct str rest = str_skip(key, at + mark.len);

	*ret_name = key;
	*ret_cpus = 1;
	if (at >= key.len)
		return is_go;
	if (!str_u64(&rest, ret_cpus) || (rest.len && (is_go || rest.p[0] != '/')) || !*ret_cpus ||
	    *ret_cpus > PARALLEL_MOST) {
		*ret_cpus = 1;
		return is_go;
	}
	*ret_name = str_sub(key, 0, at);
	return true;
}

static void parallel_add(struct parallel_all *all, struct str name, uint64_t cpus,
			 const struct counter *row)
{
	struct parallel_series *s;
	size_t i = 0;

	while (i < all->n && !str_eq(all->rows[i].name, name))
		i++;
	if (i == PARALLEL_SERIES)
		return;
	if (i == all->n)
		all->rows[all->n++] = (struct parallel_series){ .name = name };
	s = &all->rows[i];
	/*
	 * a number that is not larger than the previous one belongs to another run of this
	 * benchmark
	 */
	if (s->n == PARALLEL_ROWS || (s->n && cpus <= s->cpus[s->n - 1]))
		return;
	s->rows[s->n] = row;
	s->cpus[s->n++] = cpus;
}

static void parallel_collect(const struct rule_input *in, bool is_go, struct parallel_all *all)
{
	const struct strings *strings = capture_strings(in->capture);

	VEC_FOREACH (row, &in->capture->counters->rows) {
		struct str figure = strings_get(strings, row->name);
		struct str name;
		uint64_t cpus;

		if (str_eq(figure, is_go ? STR("ns/op") : STR("CPU")) && counter_value(row) > 0 &&
		    parallel_key(strings_get(strings, row->key), is_go, &name, &cpus))
			parallel_add(all, name, cpus, row);
	}
}

/*
 * How many times longer the operation takes at the largest number of CPUs than at the smallest one.
 * 0: the numbers in the names are no numbers of CPUs.
 */
static double parallel_growth(const struct parallel_series *s)
{
	if (s->n < 2 || s->cpus[0] > 2)
		return 0;
	for (size_t i = 1; i < s->n; i++) {
		if (s->cpus[i] > PARALLEL_STEP * s->cpus[i - 1])
			return 0;
	}
	return counter_value(s->rows[s->n - 1]) / counter_value(s->rows[0]);
}

static const char *parallel_cpus(struct findings *out, uint64_t n, bool is_go)
{
	return finding_name(out, "%" PRIu64 " %s%s", n, is_go ? "CPU" : "thread",
			    n == 1 ? "" : "s");
}

static const char *parallel_value(const struct rule_input *in, struct findings *out,
				  const struct counter *row)
{
	struct str unit = strings_get(capture_strings(in->capture), row->unit);

	return finding_name(out, "%.*f " STR_FMT, row->decimals, counter_value(row),
			    STR_ARG(unit.len ? unit : STR("ns")));
}

static void parallel_finding(const struct rule_input *in, struct findings *out, bool is_go,
			     const struct parallel_series *s, size_t n_grown)
{
	const struct counter *a = s->rows[0], *b = s->rows[s->n - 1];
	double growth = parallel_growth(s);
	struct finding *f = finding_add(out, in, &rule_parallel_benchmark,
					growth >= PARALLEL_LEAD ? FINDING_WARNING : FINDING_NOTE,
					PARALLEL_SURE);

	finding_claim(out, f,
		      STR_FMT " needs %.1f times as long for an operation on %s as on %s: %s "
			      "instead of %s%s%s",
		      STR_ARG(s->name), growth, parallel_cpus(out, s->cpus[s->n - 1], is_go),
		      parallel_cpus(out, s->cpus[0], is_go), parallel_value(in, out, b),
		      parallel_value(in, out, a), is_go ? "" : " of CPU time",
		      growth / ((double)s->cpus[s->n - 1] / (double)s->cpus[0]) >= 1
			      ? " (negative scaling)"
			      : "");
	finding_figure(f, "times as long", growth, 0, "x");
	if (n_grown > 1)
		finding_figure(f, "other benchmarks that grow so", (double)(n_grown - 1), 0, "");
	finding_evidence(out, f, in, a->line, STR_FMT ": %s on %s", STR_ARG(s->name),
			 parallel_value(in, out, a), parallel_cpus(out, s->cpus[0], is_go));
	finding_evidence(out, f, in, b->line, STR_FMT ": %s on %s", STR_ARG(s->name),
			 parallel_value(in, out, b), parallel_cpus(out, s->cpus[s->n - 1], is_go));
	finding_usual_cause(out, f,
			    "All CPUs write one cache line (an atomic counter, a reference count, "
			    "neighbouring counters: false sharing), or they wait for one lock "
			    "(lock contention)");
	finding_because(out, f,
			"the figures are printed\n"
			"what the CPUs share");
	if (is_go)
		finding_next(out, f,
			     "go test -run XXX -bench NAME -mutexprofile m.out -cpuprofile c.out, "
			     "then assay: a lock has waits, a cache line only CPU time");
	finding_next(out, f,
		     "perf c2c record on the benchmark, then perf c2c report: lines that several "
		     "CPUs write; then pad the counters, or give each CPU its own");
}

static void parallel_benchmark_check(const struct rule_input *in, struct findings *out)
{
	struct str tool = strings_get(capture_strings(in->capture), in->capture->counters->tool);
	struct parallel_all all = { .n = 0 };
	const struct parallel_series *worst = NULL;
	bool is_go = str_eq(tool, STR("go test"));
	size_t n_grown = 0, n_judged = 0;

	if (!is_go && !str_eq(tool, STR("Google Benchmark")))
		return;
	parallel_collect(in, is_go, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct parallel_series *s = &all.rows[i];
		double growth = parallel_growth(s);

		n_judged += growth > 0;
		if (growth < PARALLEL_NOTE)
			continue;
		n_grown++;
		if (!worst || growth > parallel_growth(worst))
			worst = s;
	}
	if (worst)
		parallel_finding(in, out, is_go, worst, n_grown);
	else if (n_judged)
		finding_clean(out, in, &rule_parallel_benchmark,
			      "%zu benchmark%s at several numbers of CPUs: no operation takes %.1f "
			      "times as long",
			      n_judged, n_judged == 1 ? "" : "s", PARALLEL_NOTE);
	else
		finding_not_assessed(out, in, &rule_parallel_benchmark,
				     is_go ? "go test -bench . -cpu 1,2,4,8"
					   : "a benchmark with ThreadRange(1, 8)",
				     "no benchmark ran at several numbers of CPUs");
}

const struct rule rule_parallel_benchmark = {
	.id = "parallel-benchmark",
	.title = "Operation slower on more CPUs",
	.needs = RULE_COUNTERS,
	.check = parallel_benchmark_check,
};
