/* SPDX-License-Identifier: MIT */
/*
 * perf_lock.c - output of `perf lock contention`: waits by caller, lock or task
 *
 * A row has a count, the total, longest and mean wait, and a key. The key is one of three: the kind
 * of lock with its caller, a lock, or a task. Stacks below a row (-v) are not read. Definition:
 * tools/perf/builtin-lock.c of Linux.
 */
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

DECLARE_FORMAT(perf_lock);

static const struct diag_kind lock_lines = { "perf-lock-lines", DIAG_INFO,
					     "lines between rows (stacks under them, totals)" };

static const struct line_column lock_columns[] = {
	{ "contended", NULL, false }, { "total wait", "ns", false }, { "max wait", "ns", false },
	{ "avg wait", "ns", false },  { "type", NULL, true },
};

enum { LOCK_CONTENDED, LOCK_TOTAL, LOCK_MAX, LOCK_AVG, LOCK_TYPE, LOCK_N };

struct lock_row {
	double values[LOCK_N];
	struct str type;
	struct str name;
};

static bool lock_is_type(struct str word)
{
	return str_glob(STR("spinlock|rwlock*|rwsem*|mutex|rt-mutex|rtmutex|percpu-rwsem*|"
			    "pcpu-sem*|mmap_lock*|siglock|rq_lock|unknown"),
			word);
}

static bool lock_row_of(struct str line, struct lock_row *row)
{
	struct str rest = str_ltrim(line);
	struct str word;
	uint64_t n;

	*row = (struct lock_row){ .type = STR_NONE };
	if (rest.len == 0 || !char_is_digit(rest.p[0]) || !str_u64(&rest, &n) || rest.len == 0 ||
	    !char_is_blank(rest.p[0]))
		return false;
	row->values[LOCK_CONTENDED] = (double)n;
	for (int i = LOCK_TOTAL; i <= LOCK_AVG; i++) {
		if (!line_table_duration(&rest, &row->values[i]))
			return false;
	}
	rest = str_trim(rest);
	row->name = rest;
	if (str_word(&rest, &word) && lock_is_type(word)) {
		row->type = word;
		row->name = str_trim(rest);
	}
	if (row->name.len == 0)
		row->name = row->type;
	return row->name.len > 0;
}

static enum line_kind lock_kind(struct str line)
{
	struct lock_row row;

	line = str_trim(line);
	if (line.len == 0 || line.p[0] == '#' || line.p[0] == '=')
		return LINE_BLANK;
	if (str_starts(line, STR("contended")) && str_contains(line, STR("total wait")))
		return LINE_HEAD;
	return lock_row_of(line, &row) ? LINE_ROW : LINE_OTHER;
}

/* .gap: a call stack of up to eight addresses may be below a row. */
static const struct line_table lock_table = {
	.kind = lock_kind, .gap = 9, .min_rows = 2, .score = 98
};

static unsigned int perf_lock_probe(struct str head)
{
	return line_table_probe(&lock_table, head);
}

static bool perf_lock_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&lock_table, text, from, ret);
}

/*
 * What the rows are named after: "task", "owner" or "caller". @head: the line above the rows, whose
 * last title shows this. With -t, the titles are "pid comm", and a name is the task that waits.
 * With -o, they are "pid owner", and a name is the task that holds the lock.
 */
static const char *lock_names(struct str head)
{
	head = str_rtrim(head);
	if (str_ends(head, STR(" comm")))
		return "task";
	return str_ends(head, STR(" owner")) ? "owner" : "caller";
}

/* The function in @name: "do_sys_poll" in "do_sys_poll+0x26f". */
static struct str lock_function(struct str name)
{
	size_t plus = str_rfind_char(name, '+');

	return plus < name.len && plus && str_starts(str_skip(name, plus), STR("+0x"))
		       ? str_sub(name, 0, plus)
		       : name;
}

static int perf_lock_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_perf_lock, in, d);
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "caller", "total wait", lock_columns, ARRAY_LEN(lock_columns));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct str texts[LOCK_N] = { STR_NONE };
		struct lock_row row;

		if (!lock_row_of(line, &row)) {
			if (lock_kind(line) == LINE_HEAD)
				c->metrics->name_column =
					strings_add(capture_strings(c), str_of(lock_names(line)));
			if (lock_kind(line) == LINE_OTHER)
				unread_rows_count(c, &lock_lines, line, region_line(in, n));
			continue;
		}
		texts[LOCK_TYPE] = row.type;
		if (!line_table_add(c,
				    symbols_add_text(capture_symbols(c), lock_function(row.name),
						     STR_NONE, SPACE_KERNEL, 0),
				    row.values, texts, region_line(in, n)))
			break;
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no row of perf lock");
}

const struct format format_perf_lock = {
	.name = "perf-lock",
	.summary = "waits for locks, of perf lock contention",
	.kinds = KIND_METRICS,
	.probe = perf_lock_probe,
	.find = perf_lock_find,
	.read = perf_lock_read,
};
