/* SPDX-License-Identifier: MIT */
/*
 * syscall_counts.c - tables of system or library calls: number, time, failures
 *
 * Such tables are printed by strace -c, ltrace -c, perf trace -s, truss -c, bcc syscount, dtruss -c
 * and kernel_delay.py. The same code reads all tables: the words of a line of titles define the
 * columns. Two kinds of rows are recognised without titles: those of strace -c, and those of a form
 * that no other table has, "writev:  1595  0.048 (15.1%)". Definitions: count.c of strace,
 * summary.c of ltrace, builtin-trace.c of perf, syscall.c of truss (FreeBSD), syscount.py of bcc;
 * usdt-scripts of Open vSwitch.
 */
#include "base/idmap.h"
#include "core/kinds/metrics.h"
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/context.h"
#include "formats/format.h"
#include "formats/syscalls/strace_command.h"
#include "formats/unread_rows.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(syscall_counts);

#define COUNTS_WORDS      16u
#define COUNTS_LINE_BYTES 256u
#define COUNTS_GAP        2u
/*
 * A table has wall-clock time, not CPU time, if it has a call that sleeps, such as nanosleep, with
 * a mean time of COUNTS_ASLEEP_NS or more. For COUNTS_ASLEEP_MANY calls or more, a mean time of
 * COUNTS_ASLEEP_MANY_NS is enough. For fewer calls, this mean time proves nothing: some kernels
 * count CPU time in ticks of up to 10 ms, and charge a whole tick to a short call.
 */
#define COUNTS_ASLEEP_NS      10e6
#define COUNTS_ASLEEP_MANY_NS 1e6
#define COUNTS_ASLEEP_MANY    100.0
/*
 * Minimum mean time of a sleep in wall-clock time: the timer slack of a thread, which is 50 us by
 * default (prctl(2), PR_SET_TIMERSLACK). If sleeps take less, the times are CPU time.
 */
#define COUNTS_SLEEP_LEAST_NS 50e3
/*
 * Calls that flush waited for the device if they take COUNTS_FLUSH_NS on average, over at least
 * COUNTS_FLUSH_MANY calls. The table must also show that each call was timed: no row has the time
 * 0, and at least COUNTS_TIMED_ROWS rows have one call and a time. If CPU time is counted in ticks,
 * most rows with one call have the time 0.
 */
#define COUNTS_FLUSH_NS   1e6
#define COUNTS_FLUSH_MANY 20.0
#define COUNTS_TIMED_ROWS 5u
/* largest rounding error of a printed share, in percent; tools print one or two decimals */
#define COUNTS_SHARE_ERROR 0.05

static const struct diag_kind counts_lines = { "syscall-counts-lines", DIAG_INFO,
					       "lines between rows that were not read" };
static const struct diag_kind counts_wrong_total = {
	"syscall-counts-total", DIAG_ERROR, "totals that are not the sum of the rows above"
};

enum counts_role {
	COUNTS_SKIP,
	COUNTS_NAME,
	COUNTS_CALLS,
	COUNTS_ERRORS, /* number of failed calls; the cell may be empty */
	COUNTS_TIME,
	COUNTS_MEAN,
	COUNTS_MAX,
	COUNTS_SHARE, /* share in the time of all calls, percent */
	COUNTS_ROLES,
};

/* The title of a column and the role of the column. @ns: unit of the column's times, in ns. */
struct counts_word {
	const char *word; /* the title; if it has several words, single blanks separate them */
	enum counts_role role;
	double ns;
};

/*
 * The layout of one tool's table. A table has this layout if its line of titles has all words of
 * `must`, in any order.
 */
struct counts_dialect {
	/* name that the column of times gets in the capture, such as "wall time" */
	const char *time;
	bool is_library;
	bool is_of_threads; /* the tool prints one table for each thread */
	/*
	 * the tool has an option that prints wall-clock time instead of CPU time, and the table
	 * does not show if this option was used
	 */
	bool may_be_wall;
	bool has_groups; /* numbers have commas between groups of three digits */
	/*
	 * rows have the form "NAME: calls seconds (share%)", which no other tool prints, so the
	 * table needs no titles
	 */
	bool is_marked;
	const char *must[4]; /* words in the titles that occur together only in this layout */
	/* titles of the columns, ended by NULL; if several match, the first is used */
	struct counts_word words[9];
};

static const struct counts_dialect counts_dialects[] = {
	{ .time = "system CPU time",
	  .may_be_wall = true,
	  .must = { "seconds", "usecs/call", "calls", "syscall" },
	  .words = { { "% time", COUNTS_SHARE, 0 },
		     { "seconds", COUNTS_TIME, 1e9 },
		     { "usecs/call", COUNTS_MEAN, 1e3 },
		     { "shortest", COUNTS_SKIP, 0 },
		     { "longest", COUNTS_MAX, 1e9 },
		     { "calls", COUNTS_CALLS, 0 },
		     { "errors", COUNTS_ERRORS, 0 },
		     { "syscall", COUNTS_NAME, 0 } } },
	{ .time = "wall time",
	  .is_library = true,
	  .must = { "seconds", "usecs/call", "calls", "function" },
	  .words = { { "% time", COUNTS_SHARE, 0 },
		     { "seconds", COUNTS_TIME, 1e9 },
		     { "usecs/call", COUNTS_MEAN, 1e3 },
		     { "calls", COUNTS_CALLS, 0 },
		     { "errors", COUNTS_ERRORS, 0 },
		     { "function", COUNTS_NAME, 0 } } },
	{ .time = "wall time",
	  .is_of_threads = true,
	  .must = { "syscall", "calls", "total", "stddev" },
	  .words = { { "syscall", COUNTS_NAME, 0 },
		     { "calls", COUNTS_CALLS, 0 },
		     { "errors", COUNTS_ERRORS, 0 },
		     { "total", COUNTS_TIME, 1e6 },
		     { "min", COUNTS_SKIP, 0 },
		     { "avg", COUNTS_MEAN, 1e6 },
		     { "max", COUNTS_MAX, 1e6 },
		     { "stddev", COUNTS_SKIP, 0 } } },
	{ .time = "system CPU time",
	  .must = { "syscall", "seconds", "calls", "errors" },
	  .words = { { "syscall", COUNTS_NAME, 0 },
		     { "seconds", COUNTS_TIME, 1e9 },
		     { "calls", COUNTS_CALLS, 0 },
		     { "errors", COUNTS_ERRORS, 0 } } },
	{ .time = "wall time",
	  .must = { "SYSCALL", "COUNT" },
	  .words = { { "SYSCALL", COUNTS_NAME, 0 },
		     { "COUNT", COUNTS_CALLS, 0 },
		     { "TIME (us)", COUNTS_TIME, 1e3 },
		     { "TIME (ms)", COUNTS_TIME, 1e6 } } },
	{ .time = "wall time",
	  .must = { "CALL", "COUNT" },
	  .words = { { "CALL", COUNTS_NAME, 0 }, { "COUNT", COUNTS_CALLS, 0 } } },
	{ .time = "wall time",
	  .is_of_threads = true,
	  .has_groups = true,
	  .must = { "NAME", "NUMBER", "COUNT", "TOTAL" },
	  .words = { { "NAME", COUNTS_NAME, 0 },
		     { "NUMBER", COUNTS_SKIP, 0 },
		     { "COUNT", COUNTS_CALLS, 0 },
		     { "TOTAL ns", COUNTS_TIME, 1 },
		     { "MAX ns", COUNTS_MAX, 1 } } },
	/* the column of seconds is not read, because it may be CPU time or wall-clock time */
	{ .time = "wall time",
	  .is_marked = true,
	  .must = { "syscall:", "calls", "seconds", "(%)" },
	  .words = { { "syscall:", COUNTS_NAME, 0 },
		     { "calls", COUNTS_CALLS, 0 },
		     { "seconds", COUNTS_SKIP, 0 },
		     { "(%)", COUNTS_SHARE, 0 } } },
};

struct counts_layout {
	const struct counts_dialect *dialect; /* NULL: no titles were found yet */
	uint8_t n;
	struct {
		uint8_t role;
		double ns;
	} columns[COUNTS_WORDS];
};

struct counts_row {
	struct str name;
	/* by enum counts_role; NAN: the table has no such column */
	double values[COUNTS_ROLES];
	bool is_total;
	/*
	 * only for a total: `values` is exact. If false, only values[COUNTS_CALLS] is set, and it
	 * is an upper limit
	 */
	bool is_exact;
};

static bool counts_has_word(struct str line, const char *word)
{
	struct str w;

	while (str_word(&line, &w)) {
		if (str_eq(w, str_of(word)))
			return true;
	}
	return false;
}

/*
 * Read the columns of a table from its titles. False: @line has a word that is no title of dialect
 * @d.
 */
static bool counts_columns(struct str line, const struct counts_dialect *d,
			   struct counts_layout *ret)
{
	*ret = (struct counts_layout){ .dialect = d };
	for (line = str_trim(line); line.len; line = str_ltrim(line)) {
		const struct counts_word *w = d->words;

		while (w->word &&
		       !(str_starts(line, str_of(w->word)) &&
			 (line.len == strlen(w->word) || char_is_blank(line.p[strlen(w->word)]))))
			w++;
		if (!w->word || ret->n == COUNTS_WORDS)
			return false;
		ret->columns[ret->n].role = (uint8_t)w->role;
		ret->columns[ret->n].ns = w->ns;
		ret->n++;
		line = str_skip(line, strlen(w->word));
	}
	return true;
}

static bool counts_head(struct str line, struct counts_layout *ret)
{
	line = str_trim(line);
	if (line.len < 10 || line.len > COUNTS_LINE_BYTES)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(counts_dialects); i++) {
		const struct counts_dialect *d = &counts_dialects[i];
		bool has_all = true;

		for (size_t k = 0; k < ARRAY_LEN(d->must) && d->must[k] && has_all; k++)
			has_all = counts_has_word(line, d->must[k]);
		if (has_all && counts_columns(line, d, ret))
			return true;
	}
	return false;
}

/* @word without the commas between groups of three digits; written to @buf. */
static struct str counts_without_groups(struct str word, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < word.len && n < size; i++) {
		if (word.p[i] != ',' || (word.len - i) % 4 != 0)
			buf[n++] = word.p[i];
	}
	return (struct str){ buf, n };
}

/*
 * Parse a number. In some locales, a comma is the decimal point: "0,002627". In a dialect with
 * has_groups, commas separate groups of three digits. False: @word is no number.
 */
static bool counts_number(struct str word, const struct counts_dialect *d, double *ret)
{
	size_t comma = str_find_char(word, ',');
	char point[32];

	if (d->has_groups && word.len < sizeof(point))
		word = counts_without_groups(word, point, sizeof(point));
	else if (comma > 0 && comma + 1 < word.len && word.len <= sizeof(point)) {
		memcpy(point, word.p, word.len);
		point[comma] = '.';
		word.p = point;
	}
	str_take(&word, STR("+"));
	if (d->is_marked && str_take(&word, STR("(")) && str_ends(word, STR(")")))
		word.len--;
	if (word.len && word.p[word.len - 1] == '%')
		word.len--;
	return word.len && (char_is_digit(word.p[0]) || word.p[0] == '.') &&
	       str_double(&word, ret) && word.len == 0 && isfinite(*ret) && *ret >= 0;
}

/*
 * Whether @name can be the name of a call. If not, the line belongs to another table of words and
 * numbers.
 */
static bool counts_name(struct str name, bool is_library)
{
	size_t n = 0;

	if (name.len == 0 || name.len > 200 || char_is_digit(name.p[0]))
		return false;
	while (n < name.len && (name.p[n] == '_' || char_is_digit(name.p[n]) ||
				((name.p[n] | 0x20) >= 'a' && (name.p[n] | 0x20) <= 'z')))
		n++;
	return n == name.len || is_library || str_glob(STR("*@*|*:*|[unknown*|*#*"), name);
}

/*
 * Parse the numbers of the row with the total. In the table of strace -c, the total is exact; the
 * cells "usecs/call" and "errors" of this row may be empty. In other tables, the total number of
 * calls is unknown, and the largest number of the row is its upper limit.
 */
static void counts_total(const struct counts_layout *l, const double *numbers, size_t n,
			 struct counts_row *row)
{
	static const enum counts_role roles[] = { COUNTS_SHARE, COUNTS_TIME, COUNTS_MEAN,
						  COUNTS_CALLS };
	size_t at = 2;

	row->is_total = true;
	row->is_exact = l->n > ARRAY_LEN(roles) && n > 2 && n <= 5;
	for (size_t i = 0; i < ARRAY_LEN(roles); i++)
		row->is_exact &= l->columns[i].role == roles[i];
	/*
	 * 4 numbers: the third is either the mean or the number of calls. It is the mean if its
	 * product with the fourth, the number of calls, is the time, up to rounding
	 */
	if (n == 5 ||
	    (n == 4 && fabs(numbers[1] * 1e6 - numbers[2] * numbers[3]) <= numbers[3] + 1))
		at = 3;
	for (size_t i = 0; i < COUNTS_ROLES; i++)
		row->values[i] = 0;
	if (row->is_exact) {
		row->values[COUNTS_TIME] = numbers[1] * 1e9;
		row->values[COUNTS_CALLS] = numbers[at];
		row->values[COUNTS_ERRORS] = at + 1 < n ? numbers[at + 1] : 0;
		row->values[COUNTS_MAX] = (double)NAN;
		return;
	}
	for (size_t i = 2; i < n; i++)
		row->values[COUNTS_CALLS] = fmax(row->values[COUNTS_CALLS], numbers[i]);
}

/*
 * Parse a row: the name of a call, with numbers before or after it in the order of the columns.
 * False: @line is no row.
 */
static bool counts_row_of(struct str line, const struct counts_layout *l, struct counts_row *row)
{
	bool is_name_first = l->columns[0].role == COUNTS_NAME;
	size_t most = (size_t)l->n - 1;
	double numbers[COUNTS_WORDS];
	struct str rest = str_trim(line);
	struct str word;
	size_t n = 0;
	size_t at = 0;
	bool has_errors = false;
	bool has_gap;

	for (size_t i = 0; i < l->n; i++)
		has_errors |= l->columns[i].role == COUNTS_ERRORS;
	if (rest.len > COUNTS_LINE_BYTES || (is_name_first && !str_word(&rest, &row->name)))
		return false;
	for (struct str next = rest; n < most && str_word(&next, &word); rest = next) {
		if (!counts_number(word, l->dialect, &numbers[n]))
			break;
		n++;
	}
	rest = str_trim(rest);
	if (is_name_first ? rest.len != 0 : rest.len == 0)
		return false;
	if (!is_name_first)
		row->name = rest;
	if (l->dialect->is_marked && str_ends(row->name, STR(":")))
		row->name.len--;
	if (n > 1 && str_eq(row->name, STR("total"))) {
		counts_total(l, numbers, n, row);
		return true;
	}
	has_gap = n + 1 == most && has_errors;
	if ((n != most && !has_gap) || !counts_name(row->name, l->dialect->is_library))
		return false;
	for (size_t i = 0; i < COUNTS_ROLES; i++)
		row->values[i] = (double)NAN;
	for (size_t i = 0; i < l->n; i++) {
		uint8_t role = l->columns[i].role;

		if (role == COUNTS_NAME)
			continue;
		if (role == COUNTS_ERRORS && has_gap) {
			row->values[role] = 0;
			continue;
		}
		row->values[role] = numbers[at++] * (l->columns[i].ns > 0 ? l->columns[i].ns : 1);
	}
	row->is_total = false;
	return row->values[COUNTS_CALLS] == floor(row->values[COUNTS_CALLS]);
}

/* Offset in the number @word of its decimal point, '.' or ','; word.len: none. */
static size_t counts_point(struct str word)
{
	size_t dot = str_find_char(word, '.');

	return dot < word.len ? dot : str_find_char(word, ',');
}

/*
 * Whether @line looks like a row of strace -c, which is recognised without titles:
 *   39.13 0.031757    67    468     read
 */
static bool counts_is_plain(struct str line)
{
	struct str word;
	size_t dot;

	return str_word(&line, &word) && (dot = counts_point(word)) + 3 == word.len && dot > 0 &&
	       str_word(&line, &word) && (dot = counts_point(word)) + 7 == word.len && dot > 0;
}

/* kernel_delay.py prints this text after a thread's name, in the line before its table of calls. */
#define COUNTS_OF_THREAD " [SYSCALL STATISTICS]"

/* Whether @line starts the tables of a recording of perf trace, which prints such a line once. */
static bool counts_is_recording(struct str line)
{
	return str_starts(str_trim(line), STR("Summary of events"));
}

/* Whether @line is a line that a tool prints before the table of a thread. */
static bool counts_is_lead(struct str line)
{
	return counts_is_recording(line) || str_contains(line, STR(" events, ")) ||
	       str_ends(line, STR(COUNTS_OF_THREAD));
}

/*
 * The name of the thread in @line, a line before its table: "find (123)", "123 revalidator12";
 * empty: none.
 */
static struct str counts_thread(struct str line)
{
	line = str_trim(line);
	if (str_contains(line, STR(" events, ")))
		return str_trim(str_sub(line, 0, str_find_char(line, ',')));
	if (str_ends(line, STR(COUNTS_OF_THREAD)))
		return str_trim(str_sub(line, 0, line.len - strlen(COUNTS_OF_THREAD)));
	return STR_NONE;
}

static bool counts_is_blank(struct str line)
{
	line = str_trim(line);
	return line.len == 0 || str_starts(line, STR("---")) || str_starts(line, STR("(msec)")) ||
	       /* a second total of kernel_delay.py, of all calls except poll: "TOTAL( - poll)" */
	       str_starts(line, STR("TOTAL( - ")) || counts_is_lead(line);
}

/*
 * Whether @line looks like a row of a dialect with is_marked, which is recognised without titles:
 *   writev:  1595  0.048337 (15.1%)
 */
static bool counts_is_marked(struct str line)
{
	struct str name, calls, seconds, share;
	uint64_t n;

	return str_word(&line, &name) && str_ends(name, STR(":")) && str_word(&line, &calls) &&
	       str_u64(&calls, &n) && calls.len == 0 && str_word(&line, &seconds) &&
	       counts_point(seconds) + 7 == seconds.len && str_word(&line, &share) &&
	       str_glob(STR("(?.*%)|(??.*%)|(100.*%)"), share) && str_trim(line).len == 0;
}

/*
 * Set @ret to the columns of a table without titles. @line: the table's first row. False: the
 * columns are unknown.
 */
static bool counts_plain_layout(struct str line, struct counts_layout *ret)
{
	if (counts_is_plain(line))
		return counts_columns(STR("% time seconds usecs/call calls errors syscall"),
				      &counts_dialects[0], ret);
	return counts_is_marked(line) && counts_head(STR("syscall: calls seconds (%)"), ret);
}

/*
 * Read one line. If @line has titles, or is the first row of a table without titles, set @l to the
 * columns of the table.
 */
static enum line_kind counts_take(struct str line, struct counts_layout *l, struct counts_row *row)
{
	struct counts_layout head;

	if (counts_is_blank(line))
		return LINE_BLANK;
	if (counts_head(line, &head)) {
		bool is_part = l->dialect == head.dialect && head.dialect->is_of_threads;

		*l = head;
		return is_part ? LINE_PART : LINE_HEAD;
	}
	if (l->dialect)
		return counts_row_of(line, l, row) ? LINE_ROW : LINE_OTHER;
	if (!counts_plain_layout(line, &head) || !counts_row_of(line, &head, row))
		return LINE_OTHER;
	*l = head;
	return LINE_ROW;
}

/* maximum number of names that are stored to find repeated names in a table */
#define COUNTS_NAMES 64u

/* Hashes of the names in a table, to find repeated names. */
struct counts_names {
	uint64_t hashes[COUNTS_NAMES];
	size_t n;
};

/*
 * Add the name of @row to @names. False: an earlier row has this name, so @row begins another
 * table.
 */
static bool counts_is_new(struct counts_names *names, const struct counts_row *row)
{
	uint64_t hash = hash_str(row->name);

	for (size_t i = 0; i < names->n; i++) {
		if (names->hashes[i] == hash)
			return false;
	}
	if (names->n < COUNTS_NAMES)
		names->hashes[names->n++] = hash;
	return true;
}

static bool counts_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct counts_layout l = { .dialect = NULL };
	struct counts_row row;
	struct counts_names names = { .n = 0 };
	struct str line;
	unsigned int others = 0;
	size_t rows = 0;
	size_t at = from;
	/*
	 * offset of the first line before the titles that belongs to the table; SIZE_MAX: there is
	 * none
	 */
	size_t lead = SIZE_MAX;

	for (; str_line(&rest, &line); at = text.len - rest.len) {
		bool was_open = l.dialect != NULL;
		enum line_kind kind = counts_take(line, &l, &row);

		if (rows && (kind == LINE_HEAD || counts_is_recording(line)))
			return true;
		if (kind == LINE_HEAD || (kind == LINE_ROW && !was_open)) {
			*ret = (struct extent){ .from = lead < at ? lead : at, .score = 99 };
			rows = 0;
			names.n = 0;
		}
		if (kind == LINE_OTHER)
			lead = SIZE_MAX;
		else if (kind == LINE_BLANK && lead == SIZE_MAX && counts_is_lead(str_trim(line)))
			lead = at;
		others = kind == LINE_OTHER && l.dialect ? others + 1 : 0;
		if (kind == LINE_ROW) {
			if (!l.dialect->is_of_threads && !counts_is_new(&names, &row))
				return true;
			rows++;
			ret->to = text.len - rest.len;
			if (row.is_total && !l.dialect->is_of_threads)
				return true;
		} else if (others > COUNTS_GAP) {
			if (rows)
				return true;
			l.dialect = NULL;
			others = 0;
		}
	}
	return rows > 0;
}

static unsigned int counts_probe(struct str head)
{
	struct extent e;

	return counts_find(head, 0, &e) ? 85 : 0;
}

static bool counts_is_asleep(const struct counts_row *row)
{
	double calls = row->values[COUNTS_CALLS];

	return calls > 0 &&
	       row->values[COUNTS_TIME] / calls >=
		       (calls >= COUNTS_ASLEEP_MANY ? COUNTS_ASLEEP_MANY_NS : COUNTS_ASLEEP_NS) &&
	       str_glob(STR("*nanosleep|poll|ppoll|select|pselect6|epoll_*wait*|wait4|waitid|pause|"
			    "futex|rt_sigsuspend|rt_sigtimedwait|accept|accept4|restart_syscall"),
			row->name);
}

enum { METRIC_CALLS, METRIC_ERRORS, METRIC_TIME, METRIC_MAX, METRIC_THREAD, METRIC_N };

struct counts_sums {
	double calls, time, errors;
	double share; /* sum of the shares of all rows; NAN: a row has no share */
	unsigned int rows;
	/* the row with the exact total; its name is empty if the table has no exact total */
	struct counts_row total;
	double total_calls; /* number of calls in the total; NAN: the table has no total */
	uint32_t total_line;
	bool is_wall;
	/* the row whose mean time shows that times are wall-clock times */
	struct counts_row asleep;
	/* the mean time of nanosleep is below COUNTS_SLEEP_LEAST_NS, so times are CPU time */
	bool is_cpu;
	/* calls that flush (fsync, ...) take COUNTS_FLUSH_NS or more on average */
	bool flushes_slowly;
	unsigned int n_timed;   /* number of rows with one call and a time above 0 */
	unsigned int n_untimed; /* number of rows that have calls but the time 0 */
};

static void counts_start(struct capture *c, const struct counts_layout *l)
{
	const struct line_column columns[METRIC_N] = {
		{ "calls", NULL, false },          { "errors", NULL, false },
		{ l->dialect->time, "ns", false }, { "longest", "ns", false },
		{ "thread", NULL, true },
	};

	line_table_columns(c, l->dialect->is_library ? "library call" : "system call",
			   l->dialect->time, columns, METRIC_N);
}

/* Update the fields of @sums that show whether times are wall-clock times of each call. */
static void counts_time_row(const struct counts_row *row, struct counts_sums *sums)
{
	double calls = row->values[COUNTS_CALLS];
	double ns = row->values[COUNTS_TIME];

	sums->is_cpu |= calls >= COUNTS_ASLEEP_MANY && ns / calls < COUNTS_SLEEP_LEAST_NS &&
			row->values[COUNTS_ERRORS] < calls / 2 &&
			str_glob(STR("nanosleep|clock_nanosleep"), row->name);
	sums->n_untimed += calls > 0 && ns <= 0;
	sums->n_timed += calls == 1 && ns > 0;
	if (calls >= COUNTS_FLUSH_MANY && ns / calls >= COUNTS_FLUSH_NS &&
	    str_glob(STR("fsync|fdatasync|sync_file_range|msync"), row->name)) {
		sums->flushes_slowly = true;
		sums->asleep = sums->is_wall ? sums->asleep : *row;
	}
}

/*
 * Whether the rows show that times are wall-clock times, because calls that sleep or flush take
 * long. They do not if the mean time of nanosleep is too short (is_cpu). @is_shown: the text has
 * the command, and the command has no -w; calls that flush are then no proof.
 */
static bool counts_is_wall(const struct counts_sums *sums, bool is_shown)
{
	if (sums->is_cpu)
		return false;
	return sums->is_wall || (sums->flushes_slowly && !is_shown && sums->n_untimed == 0 &&
				 sums->n_timed >= COUNTS_TIMED_ROWS);
}

/*
 * Add a note about the call @row, whose mean time shows that times are wall-clock times. Used if
 * the text has no command with -w.
 */
static void counts_note_wall(struct capture *c, const struct counts_row *row)
{
	char text[COUNTS_LINE_BYTES];
	int n = snprintf(text, sizeof(text), STR_FMT " takes %.1f ms a call", STR_ARG(row->name),
			 row->values[COUNTS_TIME] / row->values[COUNTS_CALLS] / 1e6);

	if (n > 0 && (size_t)n < sizeof(text)) {
		capture_note(c, STR(METRICS_NOTE_WALL), (struct str){ text, (size_t)n }, 0);
		c->notes.data[c->notes.len - 1].is_detail = true;
	}
}

static bool counts_add(struct capture *c, const struct counts_row *row,
		       const struct counts_layout *l, struct str thread, uint32_t line,
		       struct counts_sums *sums)
{
	const double values[METRIC_N] = { row->values[COUNTS_CALLS], row->values[COUNTS_ERRORS],
					  row->values[COUNTS_TIME], row->values[COUNTS_MAX],
					  (double)NAN };
	struct str texts[METRIC_N] = { STR_NONE };

	if (!c->metrics)
		counts_start(c, l);
	if (row->is_total) {
		/* the number of calls is exact or an upper limit, see counts_total() */
		sums->total_calls = row->values[COUNTS_CALLS];
		sums->total_line = line;
		sums->total = row->is_exact ? *row : sums->total;
		return true;
	}
	texts[METRIC_THREAD] = thread;
	sums->calls += row->values[COUNTS_CALLS];
	sums->time += row->values[COUNTS_TIME] > 0 ? row->values[COUNTS_TIME] : 0;
	sums->errors += row->values[COUNTS_ERRORS] > 0 ? row->values[COUNTS_ERRORS] : 0;
	sums->share += row->values[COUNTS_SHARE];
	sums->rows++;
	if (!sums->is_wall && counts_is_asleep(row)) {
		sums->is_wall = true;
		sums->asleep = *row;
	}
	counts_time_row(row, sums);
	return line_table_add(c,
			      symbols_add_text(capture_symbols(c), row->name, STR_NONE,
					       l->dialect->is_library ? SPACE_USER : SPACE_KERNEL,
					       0),
			      values, texts, line);
}

/*
 * If the total has more calls than all rows together, rows were removed from the table. Add a row
 * with the missing calls.
 */
static void counts_add_missing(struct capture *c, const struct counts_layout *l,
			       struct counts_sums *sums)
{
	struct counts_row row = sums->total;

	if (row.name.len == 0 || !(row.values[COUNTS_CALLS] > sums->calls))
		return;
	row.name = STR("(calls without a row)");
	row.is_total = false;
	row.values[COUNTS_CALLS] -= sums->calls;
	row.values[COUNTS_TIME] = fmax(0, row.values[COUNTS_TIME] - sums->time);
	row.values[COUNTS_ERRORS] =
		fmin(row.values[COUNTS_CALLS], fmax(0, row.values[COUNTS_ERRORS] - sums->errors));
	(void)counts_add(c, &row, l, STR_NONE, sums->total_line, sums);
}

/*
 * Read the command of strace -c before the table. With -w, the times are wall-clock times, which
 * the titles do not show. Without -f, the table is about one thread.
 */
static void counts_command(const struct region *in, struct capture *c,
			   const struct counts_sums *sums)
{
	struct strace_command command = { .is_wall = false };
	struct str text;
	bool is_shown = strace_command_above(in, &command);
	bool is_guessed = !command.is_wall && counts_is_wall(sums, is_shown);

	if (command.is_wall || is_guessed)
		c->metrics->columns.data[METRIC_TIME].name =
			strings_add(capture_strings(c), STR("wall time"));
	if (is_guessed)
		counts_note_wall(c, &sums->asleep);
	if (is_shown && !c->command.v && context_command(command.line, &text))
		c->command = strings_add(capture_strings(c), text);
	if (is_shown && !command.follows) {
		capture_note(c, STR(METRICS_NOTE_ONE_THREAD), STR("one thread"), 0);
		c->notes.data[c->notes.len - 1].is_detail = true;
	}
}

static int counts_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_syscall_counts, in, d);
	struct counts_sums sums = { .total_calls = (double)NAN };
	struct counts_layout l = { .dialect = NULL };
	struct str text = in->text;
	struct str thread = STR_NONE;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct counts_row row;
		enum line_kind kind = counts_take(line, &l, &row);

		if (kind == LINE_BLANK && counts_thread(line).len)
			thread = counts_thread(line);
		else if (kind == LINE_OTHER)
			unread_rows_count(c, &counts_lines, line, region_line(in, n));
		else if (kind == LINE_ROW &&
			 !counts_add(c, &row, &l, thread, region_line(in, n), &sums))
			break;
	}
	if (!c->metrics || c->metrics->n_rows == 0)
		return fail(err, ERR_FORMAT, "no row of a table of calls");
	if (l.dialect)
		counts_add_missing(c, &l, &sums);
	if (l.dialect->may_be_wall)
		counts_command(in, c, &sums);
	strace_command_note(in, c);
	strace_command_context(in, c);
	if (isnan(sums.total_calls) && sums.share + COUNTS_SHARE_ERROR * sums.rows < 100)
		c->metrics->listed_pct = sums.share;
	/*
	 * if the total is smaller than the sum of the rows, the table is damaged; if it is larger,
	 * rows were removed
	 */
	if (sums.total_calls < sums.calls)
		diag_count(&c->diag, &counts_wrong_total, sums.total_line);
	return OK;
}

const struct format format_syscall_counts = {
	.name = "syscall-counts",
	.title = "system call counts",
	.summary = "counts, errors and times by call, of strace -c, ltrace -c, perf trace -s",
	.kinds = KIND_METRICS,
	.probe = counts_probe,
	.find = counts_find,
	.read = counts_read,
};
