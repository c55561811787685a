/* SPDX-License-Identifier: MIT */
/* bench_rows.h - lines that contain all figures of one benchmark */
#ifndef FORMATS_COUNTERS_BENCH_ROWS_H
#define FORMATS_COUNTERS_BENCH_ROWS_H

#include "base/str.h"
#include "formats/counters/counter_number.h"

#define BENCH_CELLS    4u /* maximum number of figures on a line */
#define BENCH_NAME_MAX 120u

enum bench_kind {
	BENCH_OTHER,
	BENCH_HEAD,    /* first line of poop or hyperfine: "Benchmark 1 (3 runs): COMMAND" */
	BENCH_COMMAND, /* the command that GNU time -v prints before its rows */
	BENCH_MORE,    /* a line of the benchmark from which only the number of runs is used */
	BENCH_ROW,
	BENCH_ALL, /* a line with all figures of one run, without a name of a benchmark */
	/* all figures of one benchmark, whose name is in this line or in the previous one */
	BENCH_KEYED,
};

struct bench_cell {
	struct str name;
	struct str unit;
	struct counter_number value;
	/*
	 * Standard deviation over the runs, in percent of the value; negative: unknown. In lines of
	 * kind BENCH_KEYED it is the standard error of the mean instead.
	 */
	double deviation;
};

struct bench_line {
	enum bench_kind kind;
	const char *tool;
	struct bench_cell cells[BENCH_CELLS];
	size_t n;
	struct str title;   /* title of the benchmark: "Benchmark 1" */
	struct str command; /* the measured command; empty: not in this line */
	/* name of the benchmark, for tables with several benchmarks; may point into `buffer` */
	struct str key;
	char buffer[BENCH_NAME_MAX];
	uint64_t runs;       /* number of runs; 0: unknown */
	bool is_named_above; /* the name of the benchmark is the previous line */
};

/* State from the previous lines. The caller zeroes it before the first line. */
struct bench_context {
	struct str above; /* previous line, which may be a long name printed by criterion */
	struct str unit;  /* time unit in pytest-benchmark's column titles: "us" */
	/*
	 * numbers of the columns of pytest-benchmark with these figures, from 1; 0: no such column
	 */
	size_t mean, deviation, runs;
};

/*
 * Parse a line into @ret, which the caller has zeroed. False: no line of Go, Google Benchmark,
 * Rust, JMH, criterion or pytest-benchmark.
 */
bool bench_rows_line(struct bench_context *context, struct str line, struct bench_line *ret);

#endif
