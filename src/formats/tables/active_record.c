/* SPDX-License-Identifier: MIT */
/*
 * active_record.c - statements in the log of Ruby on Rails, added up by statement
 *
 *     [7c1d39ff-...]   User Load (0.2ms)  SELECT `users`.* FROM `users` WHERE `users`.`id` = 40
 *     [7c1d39ff-...]   CACHE User Load (0.0ms)  SELECT `users`.* FROM ... [["id", 40]]
 *
 * Statements that differ only in literals share one row. One of the row's columns is the largest
 * number of executions in a single request. The lines of a request have a tag of their own. Without
 * tags, a request begins with a line "Started GET ...".
 *
 * Source: Rails, activerecord/lib/active_record/log_subscriber.rb, sql(); railties,
 * lib/rails/rack/logger.rb, started_request_message().
 */
#include "formats/tables/line_table.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/names/statement.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <stdlib.h>

DECLARE_FORMAT(active_record);

#define RECORD_LEAST 2u  /* minimum number of statements */
#define RECORD_NAME  48u /* maximum length of the name before the time, in bytes */
/* minimum length of a tag that identifies a request, in bytes */
#define RECORD_TAG 16u

static const struct diag_kind record_lines = { "active-record-lines", DIAG_INFO,
					       "lines between statements" };
static const struct diag_kind record_past = { "active-record-past-limit", DIAG_DATALOSS,
					      "statements past the limit" };

enum { RECORD_CALLS, RECORD_TIME, RECORD_REQUEST, RECORD_CACHED, RECORD_N };

static const struct line_column record_columns[RECORD_N] = {
	[RECORD_CALLS] = { "calls", "calls", false },
	[RECORD_TIME] = { "time", "ns", false },
	[RECORD_REQUEST] = { "in one request", "calls", false },
	[RECORD_CACHED] = { "cached", "calls", false },
};

struct record_line {
	struct str statement;
	double ns;
	/* the query cache gave the result, so the database did not run the statement */
	bool is_cached;
};

/* Executions of a statement in one request. */
struct record_run {
	uint64_t request;
	sym_id sym;
	uint32_t n;
	uint32_t line; /* line of the statement's first execution in the request */
};

struct record_row {
	sym_id sym;
	uint32_t line; /* line of the first execution in the request with most executions */
	double values[RECORD_N];
};

struct record_reader {
	struct capture *c;
	VEC(struct record_run) runs;
	struct idmap run_map;
	VEC(struct record_row) rows;
	struct idmap row_map;
	uint64_t started; /* number of lines "Started ..." so far; each begins a request */
};

/* Parse "User Load (0.2ms)  SELECT ..." after any prefix. False: @line has another form. */
static bool record_line_of(struct str line, struct record_line *ret)
{
	size_t end = str_find(line, STR("ms)  "));
	size_t open = str_rfind_char(str_sub(line, 0, end), '(');
	struct str number = str_sub(line, open + 1, end);
	struct str name = str_sub(line, open > RECORD_NAME ? open - RECORD_NAME : 0, open);
	struct str statement;

	if (end >= line.len || open >= end || !str_double(&number, &ret->ns) || number.len)
		return false;
	statement = str_ltrim(str_skip(line, end + strlen("ms)  ")));
	if (!str_glob(STR("SELECT *|INSERT *|UPDATE *|DELETE *|WITH *|select *|insert *|update *|"
			  "delete *|with *"),
		      str_sub(statement, 0, 16)))
		return false;
	/* remove the values of parameters, which follow the statement: [["id", 40248]] */
	ret->statement = str_rtrim(str_sub(statement, 0, str_find(statement, STR("  [["))));
	ret->ns *= 1e6;
	ret->is_cached = str_contains(name, STR("CACHE "));
	return true;
}

static enum line_kind record_kind(struct str line)
{
	struct record_line r;

	if (str_trim(line).len == 0)
		return LINE_BLANK;
	return record_line_of(line, &r) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table record_table = {
	.kind = record_kind, .gap = 40, .min_rows = RECORD_LEAST, .score = 97
};

static unsigned int active_record_probe(struct str head)
{
	return line_table_probe(&record_table, head);
}

static bool active_record_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&record_table, text, from, ret);
}

/*
 * A number that identifies the request of @line. It is the hash of the tag in brackets or, without
 * a tag, the number of lines "Started" so far.
 */
static uint64_t record_request(const struct record_reader *r, struct str line)
{
	size_t open = str_find_char(line, '[');
	struct str tag = str_skip(line, open + 1);

	tag = str_sub(tag, 0, str_find_char(tag, ']'));
	return tag.len >= RECORD_TAG && str_find_char(tag, ' ') == tag.len &&
			       str_find_char(tag, '-') < tag.len
		       ? hash_str(tag)
		       : r->started;
}

static struct record_run *record_run_of(struct record_reader *r, uint64_t request, sym_id sym,
					uint32_t line)
{
	struct idmap_probe probe = idmap_first(&r->run_map, hash_u64(sym.v, request));

	while (idmap_next(&r->run_map, &probe)) {
		struct record_run *run = &r->runs.data[probe.id];

		if (run->sym.v == sym.v && run->request == request)
			return run;
	}
	if (r->runs.len >= LIMIT_ROWS)
		return NULL;
	idmap_insert(&r->run_map, &probe, (uint32_t)r->runs.len);
	*VEC_PUSH(&r->runs) = (struct record_run){ .request = request, .sym = sym, .line = line };
	return &r->runs.data[r->runs.len - 1];
}

static struct record_row *record_row_of(struct record_reader *r, sym_id sym)
{
	struct idmap_probe probe = idmap_first(&r->row_map, hash_u64(sym.v, 0));

	while (idmap_next(&r->row_map, &probe)) {
		if (r->rows.data[probe.id].sym.v == sym.v)
			return &r->rows.data[probe.id];
	}
	if (r->rows.len >= LIMIT_ROWS)
		return NULL;
	idmap_insert(&r->row_map, &probe, (uint32_t)r->rows.len);
	*VEC_PUSH(&r->rows) = (struct record_row){ .sym = sym };
	return &r->rows.data[r->rows.len - 1];
}

static void record_add(struct record_reader *r, struct str line, const struct record_line *l,
		       uint32_t number)
{
	char shape[STATEMENT_BYTES];
	size_t n = statement_shape(l->statement, STATEMENT_SQL, shape, 0, STATEMENT_BYTES);
	sym_id sym = symbols_add_text(capture_symbols(r->c), (struct str){ shape, n }, STR_NONE,
				      SPACE_UNKNOWN, 0);
	struct record_run *run = record_run_of(r, record_request(r, line), sym, number);
	struct record_row *row = record_row_of(r, sym);

	if (!run || !row) {
		diag_count(&r->c->diag, &record_past, number);
		return;
	}
	run->n++;
	row->values[RECORD_CALLS]++;
	row->values[RECORD_TIME] += l->ns;
	row->values[RECORD_CACHED] += l->is_cached;
	if (run->n > row->values[RECORD_REQUEST]) {
		row->values[RECORD_REQUEST] = run->n;
		row->line = run->line;
	}
}

static int record_cmp(const void *va, const void *vb)
{
	const struct record_row *a = va;
	const struct record_row *b = vb;
	double more = b->values[RECORD_REQUEST] - a->values[RECORD_REQUEST];

	if (more < 0 || more > 0)
		return more < 0 ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static int active_record_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct record_reader r = { .c = format_add_capture(&format_active_record, in, d) };
	struct str text = in->text;
	struct record_line l;
	struct str line;
	bool is_any;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (record_line_of(line, &l)) {
			record_add(&r, line, &l, region_line(in, n));
			continue;
		}
		r.started +=
			str_contains(line, STR("Started ")) && str_contains(line, STR(" for "));
		if (str_trim(line).len)
			diag_count(&r.c->diag, &record_lines, region_line(in, n));
	}
	VEC_SORT(&r.rows, record_cmp);
	line_table_columns(r.c, "Statement", "in one request", record_columns, RECORD_N);
	VEC_FOREACH (row, &r.rows)
		(void)line_table_add(r.c, row->sym, row->values, NULL, row->line);
	is_any = r.rows.len > 0;
	VEC_FREE(&r.rows);
	VEC_FREE(&r.runs);
	idmap_fini(&r.row_map);
	idmap_fini(&r.run_map);
	return is_any ? OK : fail(err, ERR_FORMAT, "no statement of Rails");
}

const struct format format_active_record = {
	.name = "active-record",
	.title = "statements of Rails",
	.summary = "statements in logs of Ruby on Rails, added up",
	.kinds = KIND_METRICS,
	.probe = active_record_probe,
	.find = active_record_find,
	.read = active_record_read,
};
