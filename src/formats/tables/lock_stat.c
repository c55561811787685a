/* SPDX-License-Identifier: MIT */
/*
 * lock_stat.c - /proc/lock_stat: contentions, waits and holds by class of lock
 *
 * A row is the class, a colon and 12 numbers (10 before Linux 3.12, which added the means);
 * times are microseconds. The contention points under a row are not read. Definition:
 * Documentation/locking/lockstat.rst of Linux.
 */
#include "core/kinds/metrics.h"
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/symbols.h"
#include "formats/format.h"

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

/* Classes have names; other tables of numbers have a colon, too. */
static bool stat_is_class(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if ((name.p[i] | 0x20) >= 'a' && (name.p[i] | 0x20) <= 'z')
			return true;
	}
	return false;
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
	if (colon == line.len || !stat_is_class(*ret_name))
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

static enum line_kind stat_kind(struct str line)
{
	struct str name;
	double values[STAT_N];

	line = str_trim(line);
	if (line.len == 0 || str_starts(line, STR("---")) || str_starts(line, STR("...")))
		return LINE_BLANK;
	if (str_contains(line, STR("con-bounces")) && str_contains(line, STR("waittime-max")))
		return LINE_HEAD;
	return stat_row_of(line, &name, values) ? LINE_ROW : LINE_OTHER;
}

/* Under a row stand contention points of two kinds, up to four of each. */
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

static int lock_stat_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_lock_stat, in, d);
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "class of lock", stat_columns, ARRAY_LEN(stat_columns));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		double values[STAT_N];
		struct str name;

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
	.summary = "contentions by class of lock, of /proc/lock_stat",
	.kinds = KIND_METRICS,
	.probe = lock_stat_probe,
	.find = lock_stat_find,
	.read = lock_stat_read,
};
