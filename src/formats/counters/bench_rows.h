/* SPDX-License-Identifier: MIT */
/* bench_rows.h - lines that contain all figures of one benchmark */
#ifndef FORMATS_COUNTERS_BENCH_ROWS_H
#define FORMATS_COUNTERS_BENCH_ROWS_H

#include "base/str.h"
#include "formats/counters/counter_number.h"

#define BENCH_CELLS    4u /* figures of one line */
#define BENCH_NAME_MAX 120u

enum bench_kind {
	BENCH_OTHER,
	BENCH_HEAD,    /* of poop or hyperfine: "Benchmark 1 (3 runs): COMMAND" */
	BENCH_COMMAND, /* of GNU time -v, above its rows */
	BENCH_MORE,    /* a further line of the benchmark, without a figure that is kept */
	BENCH_ROW,
	BENCH_ALL,   /* all figures of a run in one line */
	BENCH_KEYED, /* all figures of one benchmark, named on this line or above */
};

struct bench_cell {
	struct str name;
	struct str unit;
	struct counter_number value;
	/*
	 * Percent of the value, < 0: unknown. Standard deviation over runs; of a keyed line the
	 * standard error of the mean.
	 */
	double deviation;
};

struct bench_line {
	enum bench_kind kind;
	const char *tool;
	struct bench_cell cells[BENCH_CELLS];
	size_t n;
	struct str title;   /* "Benchmark 1" */
	struct str command; /* of a head */
	struct str key;     /* name of one benchmark of several; may be in buffer */
	char buffer[BENCH_NAME_MAX];
	uint64_t runs;       /* 0: unknown */
	bool is_named_above; /* the line above is the key */
};

/* State that earlier lines set for the next one. Zeroed at first. */
struct bench_context {
	struct str above;             /* the line above, which may be a name */
	struct str unit;              /* of pytest-benchmark: "us" */
	size_t mean, deviation, runs; /* numbers of their columns, from 1; 0: missing */
};

/* Fill @ret, which is zeroed. False: no such line. */
bool bench_rows_line(struct bench_context *context, struct str line, struct bench_line *ret);

#endif
