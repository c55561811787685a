/* SPDX-License-Identifier: MIT */
/*
 * event_table.c - tables with one event and its task per line: programs that start, files that are
 * opened, segments that are sent again
 *
 *     TIME(ms)   PID    PARENT           ARGS
 *     12         14538  collect.sh       cat /proc/uptime
 *
 * Each dialect has its own line of titles. The rows become counters: the number of all events, and
 * the number of events of each owner and of each object. If the rows have times, there is also a
 * rate. The texts of single events are not stored. Sources: bcc, tools/execsnoop.py, opensnoop.py,
 * statsnoop.py, tcpretrans.py; bpftrace, tools/execsnoop.bt, opensnoop.bt, statsnoop.bt.
 */
#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

DECLARE_FORMAT(event_table);

#define EVENTS_COLUMNS 10u
/* maximum number of consecutive lines inside a table that are not rows */
#define EVENTS_GAP   3u
#define EVENTS_LEAST 3u  /* minimum number of rows of a table */
#define EVENTS_NAME  60u /* maximum length of a printed object, in bytes */
#define EVENTS_SCORE 97u

static const struct diag_kind events_lines = { "event-table-lines", DIAG_INFO,
					       "lines between events" };
static const struct diag_kind events_past = { "event-table-past-limit", DIAG_DATALOSS,
					      "counters past the limit" };

enum events_time {
	EVENTS_NO_TIME,
	EVENTS_SECONDS, /* the time has the form "12.345" */
	EVENTS_MS,      /* the time has the form "12" */
	EVENTS_CLOCK,   /* the time has the form "10:00:01" */
};

struct events_dialect {
	const char *tool;
	const char *titles; /* the titles, with single blanks between them */
	uint8_t time;       /* enum events_time; the time is in the first column */
	/* index of a column with numbers, such as PID; a line without a number there is no row */
	uint8_t pid;
	/*
	 * index of the column with the owner of the event: its task, or the parent of a program
	 * that starts; < 0: none
	 */
	int8_t owner;
	/* index of the column with the object of the event: a program, a path or an address */
	int8_t object;
	/* the object is a command line, of which only the program is used */
	bool is_command;
	/*
	 * Index of the column FD; 0: none. statsnoop of bcc prints another number in this column:
	 * the 0 or -1 that stat(2) returns.
	 */
	uint8_t descriptor;
};

/* clang-format off */
static const struct events_dialect events_dialects[] = {
	{ "execsnoop", "TIME(ms) PID PARENT ARGS", EVENTS_MS, 1, 2, 3, true },
	{ "execsnoop", "TIME(ms) PID ARGS", EVENTS_MS, 1, -1, 2, true },
	{ "execsnoop", "TIME PID PPID ARGS", EVENTS_CLOCK, 1, 2, 3, true },
	{ "execsnoop", "PCOMM PID PPID RET ARGS", EVENTS_NO_TIME, 1, 2, 0, true },
	{ "execsnoop", "TIME PCOMM PID PPID RET ARGS", EVENTS_CLOCK, 2, 3, 1, true },
	{ "execsnoop", "TIME(s) PCOMM PID PPID RET ARGS", EVENTS_SECONDS, 2, 3, 1, true },
	{ "opensnoop", "PID COMM FD ERR PATH", EVENTS_NO_TIME, 0, 1, 4, false, 2 },
	{ "opensnoop", "TIME(s) PID COMM FD ERR PATH", EVENTS_SECONDS, 1, 2, 5, false, 3 },
	{ "statsnoop", "PID COMM ERR PATH", EVENTS_NO_TIME, 0, 1, 3, false },
	{ "tcpretrans", "TIME PID IP LADDR:LPORT T> RADDR:RPORT STATE", EVENTS_CLOCK, 1, -1, 5, false },
};
/* clang-format on */

struct events_row {
	struct str words[EVENTS_COLUMNS];
	size_t n;
};

/* Split @line into at most @columns words. The last word is the whole rest of the line. */
static size_t events_split(struct str line, size_t columns, struct str *ret)
{
	struct str rest = line;
	size_t n = 0;

	while (n + 1 < columns && str_word(&rest, &ret[n]))
		n++;
	rest = str_trim(rest);
	if (n + 1 == columns && rest.len)
		ret[n++] = rest;
	return n;
}

static size_t events_columns(const struct events_dialect *d)
{
	struct str rest = str_of(d->titles);
	struct str word;
	size_t n = 0;

	while (str_word(&rest, &word))
		n++;
	return n;
}

/* The dialect whose line of titles is @line; NULL: none. */
static const struct events_dialect *events_head(struct str line)
{
	for (size_t i = 0; i < ARRAY_LEN(events_dialects); i++) {
		struct str titles = str_of(events_dialects[i].titles);
		struct str rest = line;
		struct str want, word;
		bool is_same = true;

		while (is_same && str_word(&titles, &want))
			is_same = str_word(&rest, &word) && str_eq(word, want);
		if (is_same && !str_word(&rest, &word))
			return &events_dialects[i];
	}
	return NULL;
}

static bool events_number(struct str word)
{
	uint64_t n;

	return str_u64(&word, &n) && word.len == 0;
}

/* Parse @word, the time of a row. @ret: the time in ns. False: @word is no time. */
static bool events_time(const struct events_dialect *d, struct str word, uint64_t *ret)
{
	uint64_t h, m, s;

	if (d->time == EVENTS_CLOCK) {
		if (!str_u64(&word, &h) || !str_take(&word, STR(":")) || !str_u64(&word, &m) ||
		    !str_take(&word, STR(":")) || !str_u64(&word, &s) || h > 23 || m > 59 || s > 60)
			return false;
		*ret = ((h * 60 + m) * 60 + s) * UINT64_C(1000000000);
		return true;
	}
	if (!str_fixed(&word, 9, &s, NULL) || word.len)
		return false;
	*ret = d->time == EVENTS_MS ? s / 1000 : s;
	return true;
}

/* Parse a row below the titles of @d. False: @line is no such row. */
static bool events_row(const struct events_dialect *d, struct str line, struct events_row *ret)
{
	uint64_t ns;

	if (line.len > LIMIT_LINE_BYTES)
		return false;
	ret->n = events_split(line, events_columns(d), ret->words);
	return ret->n == events_columns(d) && events_number(ret->words[d->pid]) &&
	       (d->time == EVENTS_NO_TIME || events_time(d, ret->words[0], &ns));
}

static bool event_table_find(struct str text, size_t from, struct extent *ret)
{
	const struct events_dialect *d = NULL;
	struct str rest = str_skip(text, from);
	struct events_row row;
	unsigned int n = 0, others = 0;
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		const struct events_dialect *head = events_head(line);

		if (head && n < EVENTS_LEAST) {
			*ret = (struct extent){ .from = at, .score = EVENTS_SCORE };
			d = head;
			n = others = 0;
		} else if (d && events_row(d, line, &row)) {
			ret->to = text.len - rest.len;
			n++;
			others = 0;
		} else if (d && ++others > EVENTS_GAP) {
			if (n >= EVENTS_LEAST)
				break;
			d = NULL;
		}
	}
	return n >= EVENTS_LEAST;
}

static unsigned int event_table_probe(struct str head)
{
	struct extent e;

	return event_table_find(head, 0, &e) ? EVENTS_SCORE : 0;
}

/* A text in a column, and the number of events that have it. */
struct events_count {
	struct str text;
	uint64_t n;
	uint32_t line; /* line of the first event with this text */
};

struct events_counts {
	struct idmap map;
	VEC(struct events_count) rows;
};

static void events_count(struct events_counts *c, struct str text, uint32_t line)
{
	struct idmap_probe p = idmap_first(&c->map, hash_str(text));

	while (idmap_next(&c->map, &p)) {
		if (str_eq(c->rows.data[p.id].text, text)) {
			c->rows.data[p.id].n++;
			return;
		}
	}
	if (c->rows.len == LIMIT_ROWS)
		return;
	idmap_insert(&c->map, &p, (uint32_t)c->rows.len);
	*VEC_PUSH(&c->rows) = (struct events_count){ text, 1, line };
}

static void events_add(struct capture *c, struct str name, struct str key, uint64_t value,
		       uint8_t decimals, uint32_t line)
{
	struct strings *strings = capture_strings(c);

	if (counters_add(capture_counters(c), strings,
			 (struct counter){ .name = strings_add(strings, name),
					   .key = key.len ? strings_add(strings, key) : STR_ID_NONE,
					   .value = (int64_t)value,
					   .decimals = decimals,
					   .spread = -1,
					   .running = -1,
					   .line = line }) < 0)
		diag_count(&c->diag, &events_past, line);
}

static void events_add_all(struct capture *c, struct str name, struct events_counts *counts)
{
	VEC_FOREACH (row, &counts->rows)
		events_add(c, name, row->text, row->n, 0, row->line);
	VEC_FREE(&counts->rows);
	idmap_fini(&counts->map);
}

/* The object of the event in @row: a path, an address, or the program of a command line. */
static struct str events_object(const struct events_dialect *d, const struct events_row *row)
{
	struct str object = row->words[d->object];
	struct str program;

	if (!d->is_command)
		return str_sub(object, 0, EVENTS_NAME);
	return str_word(&object, &program) ? str_sub(program, 0, EVENTS_NAME) : STR_NONE;
}

/* Sums over all events of a table. */
struct events_sum {
	uint64_t n, first_ns, last_ns;
	uint32_t first_line, last_line;
	/* has_descriptor: the column FD has a number above 0. has_zero: it has a 0 */
	bool has_descriptor, has_zero;
};

/*
 * The tool that printed the table. The numbers in its column FD may show that the tool is
 * statsnoop.
 */
static const char *events_tool(const struct events_dialect *d, const struct events_sum *s)
{
	return !d->descriptor || s->has_descriptor ? d->tool
	       : s->has_zero                       ? "statsnoop"
						   : "opensnoop or statsnoop";
}

/*
 * Update what @s says about the numbers in the column FD. opensnoop rarely prints 0: a program gets
 * the descriptor 0 for a file only if its standard input is closed.
 */
static void events_descriptor(const struct events_dialect *d, const struct events_row *row,
			      struct events_sum *s)
{
	struct str word = d->descriptor ? row->words[d->descriptor] : STR_NONE;
	uint64_t n;

	if (!str_u64(&word, &n) || word.len)
		return;
	s->has_descriptor |= n > 0;
	s->has_zero |= n == 0;
}

static void events_add_sum(struct capture *c, const struct events_dialect *d,
			   const struct events_sum *s)
{
	uint64_t ns = s->last_ns > s->first_ns ? s->last_ns - s->first_ns : 0;

	events_add(c, STR("events"), STR_NONE, s->n, 0, s->first_line);
	if (d->time == EVENTS_NO_TIME || ns == 0)
		return;
	events_add(c, STR("milliseconds"), STR_NONE, ns / 1000000, 0, s->last_line);
	/* n events have n - 1 intervals between them, so divide n - 1 by the time */
	events_add(c, STR("events/s"), STR_NONE, (uint64_t)((double)(s->n - 1) * 1e11 / (double)ns),
		   2, s->last_line);
}

static int event_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_event_table, in, d);
	const struct events_dialect *dialect = NULL;
	struct events_counts owners = { .rows = VEC_INIT };
	struct events_counts objects = { .rows = VEC_INIT };
	struct events_sum sum = { .n = 0 };
	struct str text = in->text;
	struct events_row row;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		uint32_t number = region_line(in, n);
		uint64_t ns = 0;

		if (!dialect && (dialect = events_head(line)))
			continue;
		if (!dialect || !events_row(dialect, line, &row)) {
			if (!events_head(line))
				unread_rows_count(c, &events_lines, line, number);
			continue;
		}
		(void)events_time(dialect, row.words[0], &ns);
		sum.first_ns = sum.n ? sum.first_ns : ns;
		sum.first_line = sum.n ? sum.first_line : number;
		sum.last_ns = ns;
		sum.last_line = number;
		sum.n++;
		events_descriptor(dialect, &row, &sum);
		if (dialect->owner >= 0)
			events_count(&owners, row.words[dialect->owner], number);
		events_count(&objects, events_object(dialect, &row), number);
	}
	if (sum.n)
		events_add_sum(c, dialect, &sum);
	events_add_all(c, STR("events by"), &owners);
	events_add_all(c, STR("events of"), &objects);
	if (!sum.n)
		return fail(err, ERR_FORMAT, "no event");
	c->counters->n_intervals = 1;
	c->counters->tool = strings_add(capture_strings(c), str_of(events_tool(dialect, &sum)));
	return OK;
}

const struct format format_event_table = {
	.name = "event-table",
	.title = "counters",
	.summary = "tables of events with their tasks: execsnoop, opensnoop, statsnoop, tcpretrans",
	.kinds = KIND_COUNTERS,
	.probe = event_table_probe,
	.find = event_table_find,
	.read = event_table_read,
};
