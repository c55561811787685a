/* SPDX-License-Identifier: MIT */
/*
 * bench_rows.c - lines that contain all figures of one benchmark
 *
 * Sources: BenchmarkResult.String() of Go's testing; console_reporter.cc of Google Benchmark;
 * libtest of Rust; TextResultFormat of JMH; src/report.rs of criterion; table.py of
 * pytest-benchmark.
 */
#include "formats/counters/bench_rows.h"

#include "base/stats.h"
#include "base/str.h"
#include "formats/counters/counter_number.h"

#include <math.h>

/* Take a number and its unit from the start of @s: "12345 ns/op", "12,345 ns/iter". */
static bool rows_figure(struct str *s, struct counter_number *value, struct str *unit)
{
	struct str rest = str_ltrim(*s);

	if (!counter_number(&rest, value) || !str_word(&rest, unit) ||
	    !str_glob(STR("*/op|*/s|ns|us|ms|s|*/iter|\xc2\xb5s"), *unit))
		return false;
	*s = rest;
	return true;
}

/*
 * Parse a row of Go ("BenchmarkEncode-8  100000  12345 ns/op  4100 B/op"), of Google Benchmark
 * ("BM_Sort/8  12 ns  11 ns  5000") or of Rust ("test sort ... bench:  12,345 ns/iter (+/- 123)").
 */
static bool rows_keyed(struct str line, struct bench_line *ret)
{
	struct str rest = line;
	uint64_t runs;
	bool is_go, is_rust;

	is_rust = str_take(&rest, STR("test "));
	if (!str_word(&rest, &ret->key))
		return false;
	is_go = str_starts(ret->key, STR("Benchmark"));
	rest = str_ltrim(rest);
	if (is_rust ? !str_take(&rest, STR("... bench:")) : is_go && !str_u64(&rest, &runs))
		return false;
	while (ret->n < BENCH_CELLS) {
		struct bench_cell *cell = &ret->cells[ret->n];

		if (!rows_figure(&rest, &cell->value, &cell->unit))
			break;
		cell->deviation = -1;
		if (is_rust)
			cell->value = counter_number_whole(cell->value);
		cell->name = is_go || is_rust ? cell->unit : ret->n ? STR("CPU") : STR("Time");
		if (is_go || is_rust)
			cell->unit = STR_NONE;
		ret->n++;
	}
	ret->tool = is_go ? "go test" : is_rust ? "libtest" : "Google Benchmark";
	ret->kind = BENCH_KEYED;
	if (is_go || is_rust)
		return ret->n > 0;
	rest = str_trim(rest);
	return ret->n == 2 && str_eq(ret->cells[0].unit, ret->cells[1].unit) &&
	       str_u64(&rest, &runs) && (rest.len == 0 || char_is_blank(rest.p[0]));
}

/*
 * Student's t for a 99.9 % interval with @df degrees of freedom, as a series in 1 / @df. For few
 * runs the result is too small. Then standard errors, which are an interval divided by this result,
 * are too large: an error on the safe side. Source: Abramowitz and Stegun, 26.7.5.
 */
static double rows_t(double df)
{
	const double z = 3.290527, z2 = z * z;
	double a = (z2 + 1) * z / 4;
	double b = ((5 * z2 + 16) * z2 + 3) * z / 96;
	double c = (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384;

	return z + a / df + b / (df * df) + c / (df * df * df);
}

static bool rows_number(struct str s, struct counter_number *ret)
{
	return counter_number(&s, ret) && s.len == 0;
}

/*
 * Parse a row of JMH: "Index.get  1000  thrpt  5  9123.456 ± 81.231  ops/s". The number after ± is
 * half the width of the 99.9 % interval.
 */
static bool rows_jmh(struct str line, struct bench_line *ret)
{
	struct bench_cell *cell = &ret->cells[0];
	struct counter_number error;
	struct str rest = line;
	struct str word;
	uint64_t runs;
	size_t n = 0;

	while (str_word(&rest, &word) && !str_glob(STR("thrpt|avgt|sample|ss"), word)) {
		/*
		 * JMH aligns its columns. So separate name and parameters by one blank, to get the
		 * same key in all tables.
		 */
		if (n + word.len + 1 > sizeof(ret->buffer))
			return false;
		if (n)
			ret->buffer[n++] = ' ';
		memcpy(ret->buffer + n, word.p, word.len);
		n += word.len;
	}
	ret->key = (struct str){ ret->buffer, n };
	ret->tool = "JMH";
	if (!str_contains(ret->key, STR(".")) || !str_word(&rest, &word))
		return false;
	cell->deviation = -1;
	if (str_u64(&word, &runs) && word.len == 0) {
		ret->runs = runs;
		if (!str_word(&rest, &word))
			return false;
	}
	if (!rows_number(word, &cell->value) || !str_word(&rest, &word))
		return false;
	if (str_eq(word, STR("\xc2\xb1")) || str_eq(word, STR("?"))) {
		if (!str_word(&rest, &word) || !rows_number(word, &error) ||
		    !str_word(&rest, &word))
			return false;
		if (ret->runs > 1 && cell->value.value > 0)
			cell->deviation = 100 * counter_number_double(&error) /
					  counter_number_double(&cell->value) /
					  rows_t((double)(ret->runs - 1));
	}
	cell->name = word;
	ret->kind = BENCH_KEYED;
	ret->n = 1;
	return str_glob(STR("ops/*|*/op"), word) && str_trim(rest).len == 0;
}

/* Is @line a line of criterion that has no figure to store? */
static bool rows_criterion_other(struct str line)
{
	return str_glob(STR("Benchmarking *: *|Found * outliers among * measurements (*|"
			    "* (*%) high mild|* (*%) high severe|* (*%) low mild|* (*%) low severe|"
			    "change: [*|thrpt: *[*|Performance has regressed.|"
			    "Performance has improved.|No change in performance detected.|"
			    "Change within noise threshold.|time: *[*%*"),
			line);
}

/* Parse "[1.2011 µs 1.2103 µs 1.2201 µs]": lower bound of the 95 % interval, mean, upper bound. */
static bool rows_criterion_time(struct str s, struct bench_cell *ret)
{
	struct counter_number values[3];
	struct str unit = STR_NONE;

	if (!str_take(&s, STR("[")))
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (!counter_number(&s, &values[i]) || values[i].is_scaled)
			return false;
		s = str_ltrim(s);
		unit = str_sub(s, 0, str_find_char(s, i == 2 ? ']' : ' '));
		if (!str_glob(STR("ps|ns|us|ms|s|\xc2\xb5s"), unit))
			return false;
		s = str_ltrim(str_skip(s, unit.len));
	}
	*ret = (struct bench_cell){ .name = STR("time"), .unit = unit, .value = values[1] };
	if (values[1].value <= 0)
		return false;
	ret->deviation = 100 *
			 (counter_number_double(&values[2]) - counter_number_double(&values[0])) /
			 (2 * STATS_Z95 * counter_number_double(&values[1]));
	return ret->deviation >= 0 && ret->deviation < 100;
}

/*
 * Parse a line of criterion: "parse/small  time:  [...]". Criterion prints a long name in a line of
 * its own before this line.
 */
static bool rows_criterion(const struct bench_context *context, struct str line,
			   struct bench_line *ret)
{
	size_t at = str_find(line, STR("time:"));

	ret->tool = "criterion";
	ret->key = str_trim(str_sub(line, 0, at));
	if (ret->key.len == 0)
		ret->key = context->above;
	ret->is_named_above = at == 0;
	if (at < line.len && ret->key.len && ret->key.len < BENCH_NAME_MAX &&
	    rows_criterion_time(str_ltrim(str_skip(line, at + 5)), &ret->cells[0])) {
		ret->kind = BENCH_KEYED;
		ret->n = 1;
		return true;
	}
	ret->key = STR_NONE;
	ret->kind = BENCH_MORE;
	return rows_criterion_other(line);
}

/* Parse the titles of pytest-benchmark: "Name (time in us)  Min  Max  Mean  StdDev ... Rounds". */
static bool rows_pytest_head(struct bench_context *context, struct str line)
{
	size_t open = str_find(line, STR("(time in "));
	struct str rest = str_skip(line, open + 9);
	struct str word;
	size_t n = 0;

	if (!str_starts(line, STR("Name (time in ")))
		return false;
	context->unit = str_sub(rest, 0, str_find_char(rest, ')'));
	rest = str_skip(rest, context->unit.len + 1);
	context->mean = context->deviation = context->runs = 0;
	while (str_word(&rest, &word)) {
		if (word.p[0] == '(')
			continue;
		n++;
		if (str_eq(word, STR("Mean")))
			context->mean = n;
		if (str_eq(word, STR("StdDev")))
			context->deviation = n;
		if (str_eq(word, STR("Rounds")))
			context->runs = n;
	}
	return context->mean > 0;
}

/*
 * Parse a row of pytest-benchmark: "test_parse  12.1110 (1.0)  91.2000 (1.0)  13.2010 (1.0) ...".
 * The line of column titles also returns true, with the kind BENCH_MORE.
 */
static bool rows_pytest(struct bench_context *context, struct str line, struct bench_line *ret)
{
	struct bench_cell *cell = &ret->cells[0];
	struct counter_number deviation = { .value = 0 };
	struct str rest = line;
	struct str word;
	size_t n = 0;

	ret->tool = "pytest-benchmark";
	if (rows_pytest_head(context, line)) {
		ret->kind = BENCH_MORE;
		return true;
	}
	if (context->mean == 0 || !str_word(&rest, &ret->key))
		return false;
	cell->deviation = -1;
	while (str_word(&rest, &word)) {
		if (word.p[0] == '(')
			continue;
		n++;
		if (n == context->mean && !rows_number(word, &cell->value))
			return false;
		if (n == context->deviation && !rows_number(word, &deviation))
			return false;
		if (n == context->runs && (!str_u64(&word, &ret->runs) || word.len))
			return false;
	}
	if (n < context->mean || n < context->runs || n < context->deviation)
		return false;
	if (deviation.value > 0 && cell->value.value > 0 && ret->runs > 1)
		cell->deviation = 100 * counter_number_double(&deviation) /
				  counter_number_double(&cell->value) / sqrt((double)ret->runs);
	cell->name = STR("time");
	cell->unit = context->unit;
	ret->kind = BENCH_KEYED;
	ret->n = 1;
	return true;
}

bool bench_rows_line(struct bench_context *context, struct str line, struct bench_line *ret)
{
	if (rows_keyed(line, ret))
		return true;
	*ret = (struct bench_line){ .kind = BENCH_OTHER };
	if (rows_jmh(line, ret))
		return true;
	*ret = (struct bench_line){ .kind = BENCH_OTHER };
	if (rows_criterion(context, line, ret))
		return true;
	*ret = (struct bench_line){ .kind = BENCH_OTHER };
	return rows_pytest(context, line, ret);
}
