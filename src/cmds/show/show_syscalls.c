/* SPDX-License-Identifier: MIT */
/* show_syscalls.c - system calls and library calls, by call, error, path and thread */
#include "analyses/calls/retvals.h"
#include "analyses/quality/quality.h"
#include "analyses/syscalls/syscalls.h"
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define SYSCALLS_ROWS_BRIEF 8u
#define SYSCALLS_SIDE_BRIEF 5u
/*
 * a system call with fewer failures is not reported; even the start of a program has about ten
 * failed calls
 */
#define SYSCALLS_FAILED 15u
/* shares of an excerpt from here on have one decimal */
#define SYSCALLS_ROUNDED_PCT 5.0

static struct cell syscalls_ns(double ns)
{
	return ns >= 0 && ns < 1.8e19 ? cell_ns(number_whole(round(ns))) : cell_none();
}

/*
 * @is_part: rows may be missing, so the second decimal of a large share is not that of the tool,
 * which knew the total
 */
static struct cell syscalls_share(double part, double whole, bool is_part)
{
	double pct = part / whole * 100;

	return part >= 0 && whole > 0
		       ? cell_real(pct, is_part && pct >= SYSCALLS_ROUNDED_PCT ? 1 : 2)
		       : cell_none();
}

static struct cell syscalls_symbol(const struct show *s, sym_id sym)
{
	return cell_text(symbols_name(&s->session->dossier->symbols, sym));
}

static void syscalls_rows(struct show *s, const struct capture *c,
			  const struct syscalls_summary *sum)
{
	static const char *const clocks[] = { "time_ns", "cpu_ns", "wall_ns" };
	static const char *const titles[] = { NULL, "CPU time", "Time" };
	/* in text, the first column is the one by which the rows are sorted */
	const struct view_column columns[] = {
		{ NULL, sum->clock ? "Time %" : NULL, COLUMN_HEAT },
		{ NULL, titles[sum->clock], 0 },
		{ "calls_pct", "Calls %", COLUMN_HEAT },
		{ "calls", "Calls", 0 },
		{ "errors", NULL, 0 },
		{ NULL, "Failed", COLUMN_NO_ZERO },
		{ "time_pct", NULL, 0 },
		{ clocks[sum->clock], NULL, 0 },
		{ "mean_ns", sum->clock ? "A call" : NULL, COLUMN_UNIT },
		{ "max_ns", sum->clock == SYSCALL_WALL_TIME ? "Longest" : NULL, COLUMN_MINOR },
		{ "bytes_per_call", sum->is_log ? "Bytes a call" : NULL, COLUMN_MINOR },
		{ "call", sum->is_library ? "Function" : "System call", COLUMN_FLEX },
		{ "kind", "Kind", COLUMN_FLEX | COLUMN_MINOR },
		{ "line", "Line", COLUMN_MINOR },
	};
	const struct view_table table = {
		.key = "rows", .columns = columns, .n_columns = ARRAY_LEN(columns), .is_main = true
	};
	bool is_part = !sum->is_log && quality_is_part(c);
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (row, &sum->rows) {
		double calls = (double)row->calls;
		struct cell cells[] = {
			syscalls_share(row->time_ns, sum->time_ns, is_part),
			syscalls_ns(row->time_ns),
			syscalls_share(calls, (double)sum->calls, false),
			cell_count(row->calls),
			cell_count(row->errors),
			cell_count(row->errors - row->answers),
			syscalls_share(row->time_ns, sum->time_ns, is_part),
			syscalls_ns(row->time_ns),
			calls > 0 ? syscalls_ns(row->time_ns / calls) : cell_none(),
			syscalls_ns(row->max_ns),
			row->io_calls ? cell_real((double)row->io_bytes / (double)row->io_calls, 1)
				      : cell_none(),
			syscalls_symbol(s, row->sym),
			row->kind ? cell_word(syscall_kind_name(row->kind)) : cell_none(),
			cell_line(row->line),
		};

		if (n++ >= show_rows(s, SYSCALLS_ROWS_BRIEF))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
	if (sum->rows.len > show_rows(s, SYSCALLS_ROWS_BRIEF))
		view_line(s->v, NULL, "%zu more calls: assay report " STR_FMT,
			  sum->rows.len - SYSCALLS_ROWS_BRIEF, STR_ARG(show_file(s)));
}

/*
 * A cell for an error that is a usual answer of the call, not a failure: the number of such errors
 * and their meaning, "2: found in another directory". For other errors, the cell is empty.
 */
static struct cell syscalls_answer(struct show *s, const struct syscall_error *e)
{
	return e->answer ? cell_text(show_format(s, "%" PRIu64 ": %s", e->answers,
						 syscall_answer_means(e->answer)))
			 : cell_none();
}

static void syscalls_errors(struct show *s, const struct syscalls_summary *sum)
{
	static const struct view_column columns[] = {
		{ "calls", NULL, 0 },
		{ "answers", NULL, 0 },
		{ NULL, "Failed", COLUMN_NO_ZERO },
		{ "call", "Call", COLUMN_FLEX },
		{ "error", "Error", 0 },
		{ "line", "First at", COLUMN_MINOR },
		{ "means", "No failure", COLUMN_FLEX },
	};
	static const struct view_table table = { .key = "errors",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (e, &sum->errors) {
		const char *name = retval_errno_name(e->error);
		struct cell cells[] = { cell_count(e->calls),
					cell_count(e->answers),
					cell_count(e->calls - e->answers),
					syscalls_symbol(s, e->sym),
					name ? cell_word(name) : cell_real(e->error, 0),
					cell_line(e->line),
					syscalls_answer(s, e) };

		if (n++ >= show_rows(s, SYSCALLS_SIDE_BRIEF))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void syscalls_objects(struct show *s, const struct syscalls_summary *sum)
{
	static const struct view_column columns[] = {
		{ "calls", "Calls", 0 },
		{ "errors", NULL, 0 },
		{ "time_ns", NULL, 0 },
		{ "call", "Call", 0 },
		{ "about", "Path or descriptor", COLUMN_FLEX },
		{ "line", "First at", COLUMN_MINOR },
	};
	static const struct view_table table = { .key = "objects",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (o, &sum->objects) {
		struct cell cells[] = { cell_count(o->calls),    cell_count(o->errors),
					syscalls_ns(o->time_ns), syscalls_symbol(s, o->sym),
					show_name(s, o->name),   cell_line(o->line) };

		if (n++ >= show_rows(s, SYSCALLS_SIDE_BRIEF))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void syscalls_threads(struct show *s, const struct capture *c,
			     const struct syscalls_summary *sum)
{
	static const struct view_column columns[] = {
		{ "calls", "Calls", 0 },
		{ "time_ns", "In calls", 0 },
		{ "span_ns", "Seen for", 0 },
		{ "pid", "Thread", 0 },
		{ "comm", "Command", COLUMN_FLEX },
		{ "in", "Ends inside", COLUMN_FLEX },
	};
	static const struct view_table table = { .key = "threads",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (t, &sum->threads) {
		const struct call_lane *lane = &c->calls->lanes.data[t->lane];
		struct cell cells[] = {
			cell_count(t->calls),
			syscalls_ns(t->time_ns),
			t->span_ns ? cell_ns(t->span_ns) : cell_none(),
			lane->has_pid ? cell_count(lane->pid) : cell_none(),
			show_name(s, lane->comm),
			t->open != INDEX_NONE ? syscalls_symbol(s, c->calls->sym.data[t->open])
					      : cell_none(),
		};

		if (t->calls == 0 || (n++ >= show_rows(s, SYSCALLS_SIDE_BRIEF)))
			continue;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

/*
 * Print which call failed most often, for a table that has no error codes. The printed mean time of
 * a call includes failed calls.
 */
static void syscalls_failed(struct show *s, const struct syscalls_summary *sum)
{
	const struct syscall_row *most = NULL;

	VEC_FOREACH (row, &sum->rows) {
		if (row->errors >= SYSCALLS_FAILED && (!most || row->errors > most->errors))
			most = row;
	}
	if (most)
		view_line(s->v, NULL,
			  "failed most often: " STR_FMT ", %" PRIu64 " of %" PRIu64
			  " calls (L%" PRIu32 "); a table has no error codes%s",
			  STR_ARG(symbols_name(&s->session->dossier->symbols, most->sym)),
			  most->errors, most->calls, most->line,
			  sum->clock ? ", and the time a call is that of failed ones, too" : "");
}

/* Whether strace started the program and traced all calls, according to its command line. */
static bool syscalls_shows_all(struct str command)
{
	return str_glob(STR("*strace *"), command) &&
	       !str_glob(STR("* -e*|* -p*|* --trace*|* --attach*|* -?e*|* -?p*|* -??e*|* -??p*"),
			 command);
}

static void syscalls_sentences(struct show *s, const struct capture *c,
			       const struct syscalls_summary *sum)
{
	static const char *const clocks[] = { "", "CPU time in the kernel", "wall-clock time" };
	const char *what = sum->is_library ? "library calls" : "system calls";
	struct str because = capture_note_of(c, STR(METRICS_NOTE_WALL));

	view_field(s->v, "calls", NULL, cell_count(sum->calls));
	view_field(s->v, "failed", NULL, cell_count(sum->failed));
	view_field(s->v, "answers", NULL, cell_count(sum->answers));
	view_field(s->v, "clock", NULL,
		   sum->clock ? cell_word(sum->clock == SYSCALL_CPU_TIME ? "cpu" : "wall")
			      : cell_none());
	view_field(s->v, "time_ns", NULL, syscalls_ns(sum->time_ns));
	/*
	 * print the number of failed calls only if it is known: a table may have no column of
	 * errors
	 */
	view_line(s->v, "What", "%" PRIu64 " %s of %zu %s%s%s%s%s", sum->calls, what, sum->rows.len,
		  sum->rows.len == 1 ? "kind" : "kinds",
		  sum->is_log || sum->failed
			  ? show_format(s, ", %" PRIu64 " failed", sum->failed - sum->answers).p
			  : "",
		  sum->clock ? "; times are " : "", because.len ? "probably " : "",
		  clocks[sum->clock]);
	if (because.len)
		view_line(s->v, NULL,
			  STR_FMT ", which is long for CPU time; no command with -w is shown",
			  STR_ARG(because));
	if (capture_note_of(c, STR(METRICS_NOTE_ONE_THREAD)).len)
		view_line(s->v, NULL,
			  "only of the threads that strace started or attached to (no -f)");
	if (!sum->is_log)
		syscalls_failed(s, sum);
	if (!sum->is_log && c->metrics->listed_pct > 0)
		view_line(s->v, NULL, "rows are missing: the printed ones have %.0f %% of the time",
			  c->metrics->listed_pct);
	else if (syscalls_has_no_start(sum, c) && syscalls_shows_all(show_string(s, c->command)))
		view_line(s->v, NULL, "rows are missing: the text has no execve");
	else if (syscalls_has_no_start(sum, c))
		view_line(s->v, NULL,
			  "no execve: other calls are filtered (-e) or cut, or strace was attached "
			  "(-p)");
	if (sum->signals)
		view_line(s->v, NULL, "%" PRIu64 " signals, most often " STR_FMT " (%" PRIu64 ")",
			  sum->signals, STR_ARG(show_string(s, sum->signal)), sum->signal_calls);
}

void show_syscalls(struct show *s, const struct capture *c)
{
	struct syscalls_summary sum;

	syscalls_summary_init(&sum, c);
	syscalls_sentences(s, c, &sum);
	syscalls_rows(s, c, &sum);
	if (sum.is_log) {
		view_side_by_side(s->v);
		syscalls_errors(s, &sum);
		syscalls_objects(s, &sum);
		view_side_by_side_end(s->v);
		if (!s->is_brief || c->calls->lanes.len > 1)
			syscalls_threads(s, c, &sum);
	}
	syscalls_summary_fini(&sum);
}
