/* SPDX-License-Identifier: MIT */
/*
 * lock_stat.c - contentions, waits and holds by lock: /proc/lock_stat, HAProxy with DEBUG_THREAD
 *
 * A row of /proc/lock_stat is the lock's class, a colon and 12 numbers. Before Linux 3.12, which
 * added the means, there are 10 numbers. Times are microseconds. The contention points below a row
 * are not read. Definition: Documentation/locking/lockstat.rst of Linux.
 *
 * HAProxy prints a title and several lines for each lock. Its number of waits includes all
 * acquisitions, although most acquisitions do not wait. Definition: show_lock_stats() in
 * src/thread.c of HAProxy.
 */
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "formats/counters/counter_label.h"
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <math.h>
#include <stdio.h>

DECLARE_FORMAT(lock_stat);

static const struct diag_kind stat_points = { "lock-stat-points", DIAG_INFO,
					      "lines of contention points, not read" };

static const struct line_column stat_columns[] = {
	{ "contended", NULL, false },    { "total wait", "ns", false },
	{ "max wait", "ns", false },     { "avg wait", "ns", false },
	{ "acquisitions", NULL, false }, { "total hold", "ns", false },
	{ "max hold", "ns", false },
};

enum {
	STAT_CONTENDED,
	STAT_TOTAL,
	STAT_MAX,
	STAT_AVG,
	STAT_TAKEN,
	STAT_HOLD,
	STAT_HOLD_MAX,
	STAT_N
};

#define STAT_NUMBERS 12u
#define STAT_TITLE   "Stats about Lock "

/*
 * Whether @name contains a letter, as the name of a lock class does. Lines of other tables also
 * have numbers after a colon, but no letters before the colon.
 */
static bool stat_is_class(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if ((name.p[i] | 0x20) >= 'a' && (name.p[i] | 0x20) <= 'z')
			return true;
	}
	return false;
}

/* @line without a line number at its start, as in a listing: "07   &mm->mmap_sem". */
static struct str stat_unnumbered(struct str line)
{
	size_t digits = 0;

	while (digits < line.len && char_is_digit(line.p[digits]))
		digits++;
	if (digits == 0 || (digits < line.len && line.p[digits] != '-' &&
			    !str_starts(str_skip(line, digits), STR("  "))))
		return line;
	return str_skip(line, digits);
}

static bool stat_row_of(struct str line, struct str *ret_name, double values[STAT_N])
{
	size_t colon = str_rfind_char(line, ':');
	struct str rest = str_skip(line, colon + 1);
	struct str word;
	double v[STAT_NUMBERS];
	size_t n = 0;
	bool has_avg;

	*ret_name = str_trim(str_sub(line, 0, colon));
	/* sar prints "Average:" before its means, so it is no lock */
	if (colon == line.len || !stat_is_class(*ret_name) || str_eq(*ret_name, STR("Average")))
		return false;
	while (str_word(&rest, &word)) {
		if (n == STAT_NUMBERS || !str_double(&word, &v[n]) || word.len || v[n] < 0)
			return false;
		n++;
	}
	has_avg = n == STAT_NUMBERS;
	if (!has_avg && n != STAT_NUMBERS - 2)
		return false;
	values[STAT_CONTENDED] = v[1];
	values[STAT_TOTAL] = v[4] * 1e3;
	values[STAT_MAX] = v[3] * 1e3;
	values[STAT_AVG] = v[1] > 0 ? v[4] * 1e3 / v[1] : 0;
	values[STAT_TAKEN] = v[has_avg ? 7 : 6];
	values[STAT_HOLD] = v[has_avg ? 10 : 9] * 1e3;
	values[STAT_HOLD_MAX] = v[has_avg ? 9 : 8] * 1e3;
	return true;
}

/*
 * Parse a line about a lock of HAProxy, such as "# wait time for write  : 9208.409 msec".
 * @ret_words: the words before the colon; @ret: the number. False: @line is no such line.
 */
static bool stat_total_of(struct str line, struct str *ret_words, double *ret)
{
	size_t colon = str_find_char(line, ':');
	struct str rest = str_ltrim(str_skip(line, colon + 1));

	(void)str_take(&line, STR("# "));
	colon = str_find_char(line, ':');
	*ret_words = str_trim(str_sub(line, 0, colon));
	return colon < line.len && rest.len && char_is_digit(rest.p[0]) && str_double(&rest, ret) &&
	       str_glob(STR("write lock|write unlock|seek lock|seek unlock|read lock|read unlock|"
			    "wait time for *"),
			*ret_words);
}

static enum line_kind stat_kind(struct str line)
{
	double value;

	struct str name;
	double values[STAT_N];

	line = str_trim(stat_unnumbered(line));
	if (line.len == 0 || str_starts(line, STR("---")) || str_starts(line, STR("...")))
		return LINE_BLANK;
	if (str_contains(line, STR("con-bounces")) && str_contains(line, STR("waittime-max")))
		return LINE_HEAD;
	if (str_starts(line, STR(STAT_TITLE)))
		return LINE_PART;
	if (stat_total_of(line, &name, &value))
		return LINE_ROW;
	return stat_row_of(line, &name, values) ? LINE_ROW : LINE_OTHER;
}

/* .gap: below a row are up to eight lines with contention points, which are not rows. */
static const struct line_table stat_table = {
	.kind = stat_kind, .gap = 12, .min_rows = 1, .score = 98
};

static unsigned int lock_stat_probe(struct str head)
{
	return line_table_probe(&stat_table, head);
}

static bool lock_stat_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&stat_table, text, from, ret);
}

/* The lock of HAProxy that the current lines describe. */
struct stat_total {
	struct str lock; /* name of the current lock; empty: no title was read yet */
	double taken;
};

static bool stat_add(struct capture *c, const char *name, const double values[STAT_N],
		     uint32_t line)
{
	return line_table_add(
		c, symbols_add_text(capture_symbols(c), str_of(name), STR_NONE, SPACE_UNKNOWN, 0),
		values, NULL, line);
}

/*
 * Read a line of HAProxy about a lock: the title, then a number of acquisitions ("write lock :
 * 9872564"), or then the total wait of these acquisitions. The line with the wait completes a row.
 * False: @line is none of these.
 */
static bool stat_total(struct stat_total *t, struct capture *c, struct str line, uint32_t at)
{
	double values[STAT_N] = { 0 };
	char name[128];
	struct str what;
	double value;

	if (str_take(&line, STR(STAT_TITLE))) {
		*t = (struct stat_total){ .lock = str_sub(line, 0, str_find_char(line, ':')) };
		return true;
	}
	if (!t->lock.len || !stat_total_of(line, &what, &value))
		return false;
	if (str_glob(STR("write lock|seek lock|read lock"), what))
		t->taken = value;
	if (!str_take(&what, STR("wait time for ")) || str_find_char(what, '/') < what.len)
		return true;
	values[STAT_CONTENDED] = t->taken;
	values[STAT_TOTAL] = value * 1e6;
	values[STAT_AVG] = t->taken > 0 ? values[STAT_TOTAL] / t->taken : 0;
	values[STAT_TAKEN] = values[STAT_MAX] = values[STAT_HOLD] = values[STAT_HOLD_MAX] =
		(double)NAN;
	(void)snprintf(name, sizeof(name), STR_FMT " (" STR_FMT ")",
		       STR_ARG(str_sub(t->lock, 0, 80)), STR_ARG(str_sub(what, 0, 20)));
	return stat_add(c, name, values, at);
}

static int lock_stat_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_lock_stat, in, d);
	struct stat_total total = { .taken = 0 };
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "class of lock", "total wait", stat_columns, ARRAY_LEN(stat_columns));
	c->metrics->label = strings_add(capture_strings(c), counter_label(in));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		double values[STAT_N];
		struct str name;

		if (stat_total(&total, c, str_trim(line), region_line(in, n)))
			continue;
		line = stat_unnumbered(line);
		if (!stat_row_of(str_trim(line), &name, values)) {
			if (stat_kind(line) == LINE_OTHER)
				diag_count(&c->diag, &stat_points, region_line(in, n));
			continue;
		}
		if (!line_table_add(
			    c,
			    symbols_add_text(capture_symbols(c), name, STR_NONE, SPACE_UNKNOWN, 0),
			    values, NULL, region_line(in, n)))
			break;
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no row of lock_stat");
}

const struct format format_lock_stat = {
	.name = "lock-stat",
	.summary = "contentions by lock, of /proc/lock_stat and HAProxy",
	.kinds = KIND_METRICS,
	.probe = lock_stat_probe,
	.find = lock_stat_find,
	.read = lock_stat_read,
};
