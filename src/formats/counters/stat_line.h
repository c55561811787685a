/* SPDX-License-Identifier: MIT */
/*
 * stat_line.h - one line of perf stat in any of its layouts
 *
 * Layouts: the table (of 2.6.31 to 6.x, -r, -I, -A, per socket, die, core, node and
 * thread), -x with any separator, and -j. Definition: tools/perf/util/stat-display.c of
 * Linux.
 */
#ifndef FORMATS_STAT_LINE_H
#define FORMATS_STAT_LINE_H

#include "base/str.h"
#include "formats/counters/counter_number.h"

struct stat_row {
	struct counter_number value;
	struct str name;
	struct str unit;
	struct str key;     /* "CPU0", "S0-D0"; empty: of all */
	struct str comment; /* "1.25 insn per cycle" */
	double spread;      /* percent; < 0: unknown */
	double running;     /* percent; < 0: unknown */
	uint64_t time_ns;
	uint8_t state; /* enum counter_state */
	bool has_time;
	bool is_sure;    /* no other tool prints such a line, or the event is a well-known one */
	bool is_known;   /* the event is a well-known one */
	bool is_metric;  /* a metric that perf computed: "23.4 % tma_backend_bound" */
	bool is_summary; /* "seconds time elapsed" and the lines below it */
};

bool stat_line(struct str line, struct stat_row *row);
/* Take a further metric from a comment: "23.4 %  tma_backend_bound". */
bool stat_line_metric(struct str comment, struct stat_row *row);
/*
 * Whether @line is "# 0.50 GHz ( +- 1 % )" alone: the rest of @row, which a mail broke,
 * or further metrics below it. Its values are set in @row.
 */
bool stat_line_more(struct str line, struct stat_row *row);

#endif
