/* SPDX-License-Identifier: MIT */
/*
 * perf_stat.c - tables of perf stat, one capture each
 *
 * A table begins at "Performance counter stats for", or at its first row if the text contains only
 * rows. It ends before the next table. Rows of two runs must stay in two tables, because such a
 * text usually compares the runs.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/counters/counter_label.h"
#include "formats/counters/stat_columns.h"
#include "formats/counters/stat_line.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

DECLARE_FORMAT(perf_stat);

/* maximum number of consecutive lines of other kinds inside a table, such as a wrapped command */
#define STAT_GAP    3u
#define STAT_BLANKS 8u
/* number of lines before a table in which the command "perf stat …" is searched */
#define STAT_ABOVE 4u
/*
 * maximum number of rows of a table that are stored. A later row with the name, key and time of a
 * stored row may begin another table
 */
#define STAT_SEEN         256u
#define STAT_TITLES_BYTES 1024u
/* maximum number of lines into which a mail program breaks a command */
#define STAT_HEAD_MAX 6u

static const struct diag_kind stat_lines = { "perf-stat-lines", DIAG_INFO,
					     "lines between rows of counters" };
static const struct diag_kind stat_past = { "perf-stat-rows-past-limit", DIAG_DATALOSS,
					    "rows past the limit" };

enum stat_kind {
	STAT_OTHER,
	STAT_BLANK,
	STAT_HEAD, /* "Performance counter stats for ...", or the titles of perf stat -I */
	STAT_ROW,
	/* a line that only continues the comment of the previous row: stat_line_more() */
	STAT_MORE,
	STAT_TITLES, /* a line of titles of metrics, which stat_columns.h reads */
	STAT_COLUMNS_ROW,
};

static bool stat_is_head(struct str line)
{
	return str_contains(line, STR("erformance counter stats for")) ||
	       (str_starts(str_ltrim(line), STR("#")) && str_contains(line, STR(" time ")) &&
		str_contains(line, STR("counts")) && str_contains(line, STR("events")));
}

/*
 * A fast check before stat_columns_head(): the first line of @rest, which is the row below the
 * titles, must end with a digit or '%'.
 */
static bool stat_may_be_titles(struct str t, struct str rest)
{
	struct str next;

	if (t.len > STAT_TITLES_BYTES || !str_line(&rest, &next))
		return false;
	next = str_trim(next);
	return next.len && (char_is_digit(next.p[next.len - 1]) || str_ends(next, STR("%")));
}

/*
 * The kind of @line; @rest: the following lines. @columns: the current titles of metrics. If @line
 * has titles of metrics, @columns is set to them.
 */
static enum stat_kind stat_kind_of(struct str line, struct str rest, struct stat_columns *columns,
				   struct stat_row *row)
{
	struct stat_row rows[STAT_COLUMNS];
	struct str t = str_trim(line);
	struct stat_row unused;

	if (t.len == 0)
		return STAT_BLANK;
	if (stat_is_head(t)) {
		*columns = (struct stat_columns){ .is_headed = true };
		return STAT_HEAD;
	}
	if (stat_columns_row(columns, line, rows)) {
		*row = rows[0];
		return STAT_COLUMNS_ROW;
	}
	if (stat_line(t, row))
		return STAT_ROW;
	unused = *row;
	if (stat_line_more(t, &unused))
		return STAT_MORE;
	return stat_may_be_titles(t, rest) && stat_columns_head(line, rest, columns) ? STAT_TITLES
										     : STAT_OTHER;
}

/*
 * Like stat_kind_of(). Also sets columns->is_below_text for the next line: it is true if @line is
 * ordinary text.
 */
static enum stat_kind stat_kind(struct str line, struct str rest, struct stat_columns *columns,
				struct stat_row *row)
{
	enum stat_kind kind = stat_kind_of(line, rest, columns, row);

	columns->is_below_text = kind == STAT_OTHER && !str_contains(line, STR("perf "));
	return kind;
}

/* State of perf_stat_find() for the current table. */
struct stat_find {
	uint64_t seen[STAT_SEEN]; /* hash of name, key and time of each row */
	size_t n_rows;
	size_t n_sure;
	size_t n_known;
	/* number of lines since the last row: of kind STAT_OTHER, and of kind STAT_BLANK */
	unsigned int others, blanks;
	bool has_begin, has_head, has_summary;
	bool has_times; /* the table has times (perf stat -I); last_ns: the time of the last row */
	uint64_t last_ns;
};

static bool stat_is_table(const struct stat_find *f)
{
	return f->n_rows && (f->has_head || (f->n_known && f->n_rows > 1) || f->n_sure > 1);
}

static uint64_t stat_hash(const struct stat_row *row)
{
	return hash_u64(hash_u64(hash_str(row->name), hash_str(row->key)), row->time_ns);
}

/*
 * Does @row begin another table? First, a blank line or a line of kind STAT_OTHER must precede
 * @row. Second, @row must repeat a row of the current table, or follow the summary of the current
 * table without being a part of it.
 */
static bool stat_is_next_table(const struct stat_find *f, const struct stat_row *row)
{
	uint64_t h = stat_hash(row);

	if (f->others == 0 && f->blanks == 0)
		return false;
	if (f->has_summary && !row->is_summary)
		return true;
	for (size_t i = 0; i < f->n_rows && i < STAT_SEEN; i++) {
		if (f->seen[i] == h)
			return true;
	}
	return false;
}

/*
 * Does @row, which stat_line() has parsed, belong to a table of perf stat? A row that other tools
 * also print belongs to it only if it closely follows another row or the title. A row that only
 * perf stat prints always belongs to it, with one exception: a row of the summary, such as "seconds
 * user". Such a row must follow another row, have a spread, or be "seconds time elapsed".
 */
static bool stat_takes(const struct stat_find *f, const struct stat_row *row)
{
	if (row->is_sure)
		return !row->is_summary || f->n_rows || row->spread >= 0 ||
		       str_eq(row->name, STR("seconds time elapsed"));
	return f->has_begin && (f->others == 0 || f->has_head) && f->blanks <= 1;
}

static void stat_count(struct stat_find *f, const struct stat_row *row)
{
	if (f->n_rows < STAT_SEEN)
		f->seen[f->n_rows] = stat_hash(row);
	f->n_rows++;
	f->n_sure += row->is_sure;
	f->n_known += row->is_known;
	f->has_summary |= row->is_summary;
	f->has_times |= row->has_time;
	f->last_ns = row->has_time ? row->time_ns : f->last_ns;
	f->others = f->blanks = 0;
}

/*
 * Does the same table continue after repeated titles? perf stat -I repeats its titles after each 25
 * intervals. It continues if the time of the first row in @rest is later than the time of the last
 * row.
 */
static bool stat_goes_on(const struct stat_find *f, struct str rest)
{
	struct stat_row row = { .spread = -1 };
	struct str line;

	if (!f->has_times || !str_line(&rest, &line))
		return false;
	line = str_trim(line);
	stat_line_start(&line, &row);
	return row.has_time && row.time_ns > f->last_ns;
}

static bool perf_stat_find(struct str text, size_t from, struct extent *ret)
{
	struct stat_find f = { .n_rows = 0 };
	struct stat_columns columns = { .n = 0 };
	struct str rest = str_skip(text, from);
	struct stat_row row = { .spread = -1 };
	struct str line;
	size_t at = from;

	for (; str_line(&rest, &line); at = text.len - rest.len) {
		enum stat_kind kind = stat_kind(line, rest, &columns, &row);

		if (kind == STAT_ROW && !stat_takes(&f, &row))
			kind = STAT_OTHER;
		if ((kind == STAT_HEAD || kind == STAT_TITLES) && stat_goes_on(&f, rest))
			continue;
		if (kind == STAT_TITLES)
			kind = f.has_head && f.n_rows == 0 ? STAT_MORE : STAT_HEAD;
		if (kind == STAT_COLUMNS_ROW)
			kind = STAT_ROW;
		if (stat_is_table(&f) &&
		    (kind == STAT_HEAD || (kind == STAT_ROW && stat_is_next_table(&f, &row))))
			break;
		if (kind == STAT_HEAD || (kind == STAT_ROW && !f.has_begin)) {
			f = (struct stat_find){ .has_begin = true, .has_head = kind == STAT_HEAD };
			ret->from = at;
		}
		if (kind == STAT_ROW || (kind == STAT_MORE && f.n_rows))
			ret->to = text.len - rest.len;
		if (kind == STAT_ROW)
			stat_count(&f, &row);
		f.others += kind == STAT_OTHER;
		f.blanks += kind == STAT_BLANK;
		if (f.has_begin &&
		    (f.others > (f.n_rows ? STAT_GAP : STAT_HEAD_MAX) || f.blanks > STAT_BLANKS)) {
			if (stat_is_table(&f))
				break;
			f = (struct stat_find){ .n_rows = 0 };
			columns = (struct stat_columns){ .n = 0 };
		}
	}
	if (!stat_is_table(&f))
		return false;
	ret->score = f.has_head ? 99 : 97;
	ret->name = ret->declined = NULL;
	return true;
}

static unsigned int perf_stat_probe(struct str head)
{
	struct extent e;

	return perf_stat_find(head, 0, &e) ? 85 : 0;
}

struct stat_reader {
	const struct region *in;
	struct capture *c;
	struct out head; /* all lines of the title, up to the first row, joined to one line */
	uint64_t time_ns;
	bool has_time;
};

static str_id stat_add_string(const struct stat_reader *r, struct str s)
{
	return s.len ? strings_add(capture_strings(r->c), s) : STR_ID_NONE;
}

static void stat_add(struct stat_reader *r, const struct stat_row *row, uint32_t line)
{
	struct counters *k = capture_counters(r->c);

	if (row->has_time && (!r->has_time || row->time_ns != r->time_ns)) {
		k->n_intervals += r->has_time;
		r->has_time = true;
		r->time_ns = row->time_ns;
	}
	if (counters_add(k, capture_strings(r->c),
			 (struct counter){
				 .name = stat_add_string(r, row->name),
				 .unit = stat_add_string(r, row->unit),
				 .key = stat_add_string(r, row->key),
				 .comment = stat_add_string(r, row->comment),
				 .value = row->value.value,
				 .decimals = row->value.decimals,
				 .spread = row->spread,
				 .running = row->running,
				 .time_ns = row->time_ns,
				 .interval = k->n_intervals - 1,
				 .line = line,
				 .state = row->state,
			 }) < 0)
		diag_count(&r->c->diag, &stat_past, line);
}

/* Parse "Performance counter stats for 'COMMAND' (5 runs):". */
static void stat_head(struct stat_reader *r)
{
	struct str head = out_view(&r->head);
	size_t quote = str_find_char(head, '\'');
	size_t last = str_rfind_char(head, '\'');
	size_t runs = str_find(head, STR(" runs)"));
	size_t open = str_rfind_char(str_sub(head, 0, runs), '(');
	struct str number = str_skip(head, open + 1);
	uint64_t n;

	if (quote < last && last < head.len)
		r->c->command = stat_add_string(r, str_trim(str_sub(head, quote + 1, last)));
	/* the title of a table for a running process: "for process id '4321':" */
	r->c->counters->is_attached =
		str_glob(STR("* process id *|* thread id *"), str_sub(head, 0, quote));
	if (runs < head.len && open < runs && str_u64(&number, &n) && n < UINT32_MAX)
		r->c->counters->runs = (uint32_t)n;
}

static void stat_rows(struct stat_reader *r)
{
	struct str text = r->in->text;
	struct stat_row last = { .spread = -1 };
	struct stat_row metrics[STAT_COLUMNS];
	struct stat_columns columns = { .n = 0 };
	struct stat_row metric;
	bool has_row = false;
	bool has_head = false;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct stat_row row = { .spread = -1 };
		enum stat_kind kind = stat_kind(line, text, &columns, &row);

		if (kind == STAT_COLUMNS_ROW) {
			size_t n_metrics = stat_columns_row(&columns, line, metrics);

			for (size_t i = 0; i < n_metrics; i++)
				stat_add(r, &metrics[i], region_line(r->in, n));
			has_row = true;
		} else if (kind == STAT_ROW) {
			stat_add(r, &row, region_line(r->in, n));
			last = row;
			has_row = true;
		} else if (kind == STAT_MORE && has_row && r->c->counters->rows.len) {
			struct counter *to =
				&r->c->counters->rows.data[r->c->counters->rows.len - 1];

			(void)stat_line_more(line, &last);
			row.comment = last.comment;
			to->spread = to->spread >= 0 ? to->spread : last.spread;
			to->running = to->running >= 0 ? to->running : last.running;
			if (to->comment.v == 0)
				to->comment = stat_add_string(r, last.comment);
		} else if (!has_row && kind != STAT_TITLES && (kind == STAT_HEAD || has_head)) {
			has_head = true;
			out_str(&r->head, str_trim(line));
			out_char(&r->head, ' ');
		} else if (kind == STAT_OTHER) {
			unread_rows_count(r->c, &stat_lines, line, region_line(r->in, n));
		}
		if (row.comment.len && stat_line_metric(row.comment, &metric)) {
			metric.key = last.key;
			metric.time_ns = last.time_ns;
			metric.has_time = last.has_time;
			stat_add(r, &metric, region_line(r->in, n));
		}
	}
}

/*
 * Find the duration in a command before the table, "10" in "perf stat -e ... -- sleep 10", and
 * store it as a fact of the capture. It is useful if an excerpt lacks the row with the elapsed
 * time.
 */
static void stat_asked(struct stat_reader *r)
{
	struct str above = r->in->doc ? r->in->doc->text : STR_NONE;

	if (r->in->text.p < above.p || r->in->text.p > above.p + above.len)
		return;
	above.len = (size_t)(r->in->text.p - above.p);
	for (uint32_t n = 1; above.len && n <= STAT_ABOVE && n <= r->in->first_line; n++) {
		struct str line;
		struct str rest;
		size_t at;
		uint64_t seconds;

		above.len--;
		at = str_rfind_char(above, '\n');
		line = at < above.len ? str_skip(above, at + 1) : above;
		above.len = at < above.len ? at + 1 : 0;
		rest = str_skip(line, str_find(line, STR(" sleep ")) + 7);
		if (!str_contains(line, STR("perf stat ")) || !str_u64(&rest, &seconds) ||
		    str_trim(rest).len || seconds == 0)
			continue;
		*VEC_PUSH(&r->c->facts) =
			(struct capture_fact){ stat_add_string(r, STR("seconds to count")), seconds,
					       document_line(r->in->doc, r->in->first_line - n) };
		return;
	}
}

static int perf_stat_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct stat_reader r = { .in = in,
				 .c = format_add_capture(&format_perf_stat, in, d),
				 .head = { .fd = -1 } };

	stat_rows(&r);
	if (r.c->counters) {
		stat_head(&r);
		stat_asked(&r);
		r.c->counters->tool = stat_add_string(&r, STR("perf stat"));
		r.c->counters->label = stat_add_string(&r, counter_label(in));
	}
	out_fini(&r.head);
	return r.c->counters ? OK : fail(err, ERR_FORMAT, "no row of perf stat");
}

const struct format format_perf_stat = {
	.name = "perf-stat",
	.summary = "counters of perf stat, as text, -x and -j",
	.kinds = KIND_COUNTERS,
	.probe = perf_stat_probe,
	.find = perf_stat_find,
	.read = perf_stat_read,
};
