/* SPDX-License-Identifier: MIT */
/*
 * metrics.h - a table of numbers per function, lock, task or statement
 *
 * A column without a title has no name and no unit; readers do not guess them. Values are doubles,
 * and are printed as the shortest text that reads back as the same value. A cell that is not a
 * number is stored as text and counted in diag.
 */
#ifndef CORE_METRICS_H
#define CORE_METRICS_H

#include "base/vec.h"
#include "core/ids.h"

/*
 * Names of columns and notes of a table that compares kernels. lkp, the kernel test robot, prints
 * such tables. Notes whose names begin with "commit" have the hash and title of a commit.
 * METRICS_NOTE_METRIC has the name of the metric that the report is about: "fio.bw".
 * METRICS_NOTE_VERDICT has the verdict of the robot on this metric: "51.1% regression".
 */
#define METRICS_BEFORE       "before"
#define METRICS_BEFORE_DEV   "before stddev"
#define METRICS_CHANGE       "change"
#define METRICS_POINTS       "change points"
#define METRICS_AFTER        "after"
#define METRICS_AFTER_DEV    "after stddev"
#define METRICS_THIRD        "third kernel"
#define METRICS_THIRD_DEV    "third stddev"
#define METRICS_NOTE_BEFORE  "commit before"
#define METRICS_NOTE_AFTER   "commit after"
#define METRICS_NOTE_THIRD   "commit of the third kernel"
#define METRICS_NOTE_METRIC  "reported metric"
#define METRICS_NOTE_VERDICT "reported change"

/*
 * Key of a note of a table of calls. The note means that the times are probably wall-clock times.
 * Its value is a call that would take too long for CPU time: "epoll_wait takes 3.9 ms a call".
 */
#define METRICS_NOTE_WALL "wall-clock because"

/*
 * Note of a table that has the calls of only one thread, because the command of strace has no -f.
 */
#define METRICS_NOTE_ONE_THREAD "traced"
/* Key of the note with the number of the process that the tool attached to. */
#define METRICS_NOTE_PROCESS "attached process"
/* Name of the fact that states for how many seconds the tool counted. */
#define METRICS_FACT_SECONDS "seconds to trace"
/*
 * Key of a note which says that the command above the table does not filter calls. The table then
 * has all kinds of calls.
 */
#define METRICS_NOTE_NO_FILTER "filter of calls"

struct metric_column {
	str_id name;     /* title of the column; STR_ID_NONE: the table has no header */
	str_id unit;     /* unit of the column; STR_ID_NONE: unknown */
	bool is_integer; /* no value of the column was written with '.' or an exponent */
	bool is_text;    /* the column holds text; values are NaN, see texts */
	/* the colon before the value is the full-width colon U+FF1A */
	uint8_t separator_is_fullwidth;
};

struct metrics {
	VEC(struct metric_column) columns; /* all columns except the column of names */
	VEC(sym_id) names;                 /* name of each row */
	VEC(uint32_t) lines;               /* line of each row */
	/* cell at index row * columns.len + column; NaN: empty or not a number */
	VEC(double) values;
	/*
	 * texts of cells, at the same index as in `values`; STR_ID_NONE: the cell has no text. The
	 * vector may be shorter than `values` or empty: the remaining cells have no text
	 */
	VEC(str_id) texts;
	/* name of the measurement in the text above the table, "with cache"; STR_ID_NONE: none */
	str_id label;
	str_id name_column; /* title of the column of names; STR_ID_NONE: none */
	size_t n_rows;
	/* the rows are from a tool (locks, tasks, statements); false: metrics of source code */
	bool is_tool;
	/*
	 * if is_tool: number of the column by which rows are ranked; INDEX_NONE: rows stay in the
	 * printed order
	 */
	uint32_t cost;
	/*
	 * sum of the printed shares of the rows, in percent, if rows are missing; 0: no row is
	 * missing, or the tool printed no shares
	 */
	double listed_pct;
};

void metrics_init(struct metrics *m);
void metrics_fini(struct metrics *m);

static inline double metrics_value(const struct metrics *m, size_t row, size_t column)
{
	return m->values.data[row * m->columns.len + column];
}

#endif
