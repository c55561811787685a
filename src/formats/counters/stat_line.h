/* SPDX-License-Identifier: MIT */
/*
 * stat_line.h - one line of perf stat in any of its layouts
 *
 * perf stat prints a table, a list with any separator (-x), or JSON (-j). The table may come from
 * perf 2.6.31 to 6.x, may have the columns of -r, -I or -A, and may have a row for each socket,
 * die, core, node or thread. Source: tools/perf/util/stat-display.c of Linux.
 */
#ifndef FORMATS_STAT_LINE_H
#define FORMATS_STAT_LINE_H

#include "base/str.h"
#include "formats/counters/counter_number.h"

struct stat_row {
	struct counter_number value;
	struct str name;
	struct str unit;
	/* the counted CPUs or thread: "CPU0", "S0-D0", "comm-1234"; empty: all */
	struct str key;
	struct str comment; /* text after '#': "1.25 insn per cycle" */
	double spread;      /* standard error in percent; < 0: unknown */
	double running;     /* percentage of time in which the event was counted; < 0: unknown */
	uint64_t time_ns;
	uint8_t state; /* state of the counter, a value of enum counter_state */
	bool has_time;
	/* certainly a row of perf stat: no other tool prints such rows, or is_known is set */
	bool is_sure;
	/* the event has a role (counter_role_of()), and its name is no common word such as "user"
	 */
	bool is_known;
	bool is_metric;  /* a metric that perf computed from events: "23.4 % tma_backend_bound" */
	bool is_summary; /* a row of the summary: "seconds time elapsed" and the rows after it */
};

/* Parse a row in any layout. False: not a row; @row is then undefined. */
bool stat_line(struct str line, struct stat_row *row);
/*
 * Take the time (-I) and the key (thread or part of the machine) from the start of a row. A row
 * without them leaves @s unchanged.
 */
void stat_line_start(struct str *s, struct stat_row *row);
/*
 * Parse the comment of a row, "23.4 %  tma_backend_bound", into a row of its own. False: the
 * comment is no metric, or assay computes the metric from the counted events ("insn per cycle").
 */
bool stat_line_metric(struct str comment, struct stat_row *row);
/*
 * Parse a line that has only a comment, a spread or a share of time: "# 0.50 GHz ( +- 1 % )". Such
 * a line is the end of @row, if a mail program broke the line, or has further metrics of @row. Sets
 * comment, spread and running of @row, if the line has them. False: @line has other text.
 */
bool stat_line_more(struct str line, struct stat_row *row);

#endif
