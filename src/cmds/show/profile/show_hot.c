/* SPDX-License-Identifier: MIT */
/* show_hot.c - the functions of a table of metrics that are hot in profiles */
#include "analyses/event_unit.h"
#include "analyses/hot_metrics.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define HOT_ROWS_BRIEF 6u
#define HOT_METRICS    4u /* maximum number of metrics per function */
#define HOT_UNMATCHED  20u
#define HOT_NOT_SHOWN  2u

static bool hot_is_profile(const struct capture *c)
{
	return c->profile && c->excerpt_of == INDEX_NONE;
}

/*
 * Format file and line of a function, from columns of the table: "net/packet/af_packet.c:2170"; ""
 * if the table has no such columns.
 */
static struct str hot_place(struct show *s, const struct capture *table, uint32_t row)
{
	const struct metrics *m = table->metrics;
	size_t file = hot_metrics_column(table, "file");
	size_t line = hot_metrics_column(table, "line");
	struct str path;

	if (file == SIZE_MAX || line == SIZE_MAX || m->texts.len == 0)
		return STR("");
	path = show_string(s, m->texts.data[row * m->columns.len + file]);
	return show_format(s, STR_FMT ":%.0f", STR_ARG(path), metrics_value(m, row, line));
}

static void hot_both(struct show *s, const struct capture *c, const struct capture *table,
		     const struct hot_metrics *h)
{
	struct event_unit unit = event_unit_of(c);
	const struct hot_function *f = hot_metrics_hottest_risky(h);
	struct str name;
	struct str place;

	if (!h->risk_title) {
		view_line(s->v, "Both",
			  "cannot tell which of these are risky: no column is called rank, score, "
			  "cognitive or cyclomatic");
		return;
	}
	if (!f) {
		view_line(s->v, "Both", "none of the riskiest fifth by %s is hot", h->risk_title);
		return;
	}
	name = symbols_name(capture_symbols(table), table->metrics->names.data[f->row]);
	place = hot_place(s, table, f->row);
	view_object(s->v, "hot_and_risky", NULL);
	view_field(s->v, "name", NULL, cell_text(name));
	view_field(s->v, "place", NULL, place.len ? cell_text(place) : cell_none());
	view_field(s->v, "self", NULL, cell_real(f->self, 2));
	view_field(s->v, "low", NULL, cell_real(f->low, 3));
	view_field(s->v, "high", NULL, cell_real(f->high, 3));
	view_field(s->v, "rank", NULL, cell_count(f->rank));
	view_field(s->v, "rank_by", NULL, cell_word(h->risk_title));
	view_field(s->v, "alike", NULL, cell_count(f->alike));
	view_object_end(s->v);
	view_line(s->v, "Both",
		  "of the riskiest fifth the hottest is " STR_FMT "%s" STR_FMT "%s: %.2f %% of "
		  "%s (%.2f to %.2f), number %" PRIu32 " of %zu by %s%s",
		  STR_ARG(name), place.len ? " (" : "", STR_ARG(place), place.len ? ")" : "",
		  f->self, unit.of, f->low, f->high, f->rank, h->n_rows, h->risk_title,
		  f->alike > 1 ? "; several have this name, and the profile says no file" : "");
}

/* Choose the most informative columns of the table, at most HOT_METRICS. Returns their number. */
static size_t hot_columns_of(const struct capture *table, size_t ret[HOT_METRICS])
{
	static const char *const wanted[] = { "score", "cyclomatic", "cognitive",
					      "lines", "ccn",        "nloc" };
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(wanted) && n < HOT_METRICS; i++) {
		ret[n] = hot_metrics_column(table, wanted[i]);
		n += ret[n] != SIZE_MAX;
	}
	return n;
}

static struct cell hot_number(double v)
{
	return isnan(v) ? cell_null() : cell_real(v, v == floor(v) ? 0 : 1);
}

static void hot_rows(struct show *s, const struct capture *table, const struct hot_metrics *h)
{
	struct view_column columns[6 + HOT_METRICS] = {
		{ "self", "Self %", COLUMN_HEAT },
		{ "low", NULL, 0 },
		{ "high", NULL, 0 },
		{ "rank", h->risk_title ? "Rank" : NULL, 0 },
		{ "symbol", "Function", COLUMN_FLEX },
		{ "place", NULL, COLUMN_FLEX },
	};
	struct view_table view = { .key = "hot", .columns = columns, .n_columns = 6 };
	size_t chosen[HOT_METRICS];
	size_t n_chosen = hot_columns_of(table, chosen);
	size_t n = 0;

	if (h->functions.len && hot_place(s, table, 0).len)
		columns[5].title = "Place";
	for (size_t i = 0; i < n_chosen; i++) {
		str_id id = table->metrics->columns.data[chosen[i]].name;
		const char *name = arena_str(&s->scratch, show_string(s, id)).p;

		columns[view.n_columns++] = (struct view_column){ name, name, COLUMN_RIGHT };
	}
	view_table(s->v, &view);
	VEC_FOREACH (f, &h->functions) {
		struct str place = hot_place(s, table, f->row);
		struct cell cells[6 + HOT_METRICS] = {
			cell_real(f->self, 2),
			cell_real(f->low, 3),
			cell_real(f->high, 3),
			f->rank ? cell_count(f->rank) : cell_none(),
			cell_text(symbols_name(capture_symbols(table),
					       table->metrics->names.data[f->row])),
			place.len ? cell_text(place) : cell_none(),
		};

		if (n++ >= show_rows(s, HOT_ROWS_BRIEF))
			break;
		for (size_t i = 0; i < n_chosen; i++)
			cells[6 + i] = hot_number(metrics_value(table->metrics, f->row, chosen[i]));
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

static void hot_not_here(struct show *s, const struct hot_metrics *h)
{
	const struct symbols *symbols = &s->session->dossier->symbols;
	size_t n = 0;

	view_list(s->v, "unmatched");
	VEC_FOREACH (u, &h->unmatched) {
		struct str name = symbols_name(symbols, u->sym);
		struct str module = symbols_module(symbols, u->sym);
		bool is_bracketed = str_starts(module, STR("["));

		if (n == HOT_UNMATCHED)
			break;
		view_object(s->v, NULL, NULL);
		view_field(s->v, "symbol", NULL, cell_text(name));
		view_field(s->v, "module", NULL, cell_text(module));
		view_field(s->v, "self", NULL, cell_real(u->self, 2));
		view_object_end(s->v);
		if (n++ < HOT_NOT_SHOWN)
			view_line(s->v, n == 1 ? "Not here" : NULL,
				  "%.2f %% " STR_FMT "%s" STR_FMT "%s", u->self, STR_ARG(name),
				  !module.len    ? ""
				  : is_bracketed ? " "
						 : " [",
				  STR_ARG(module), module.len && !is_bracketed ? "]" : "");
	}
	view_list_end(s->v);
}

static const char *hot_match_words(const struct hot_metrics *h)
{
	if (h->matched_by_place == 0)
		return "by name";
	return h->matched_by_place >= h->matched ? "by name and file"
						 : "by name, where the profile says it by file too";
}

static void hot_profile(struct show *s, const struct capture *c, uint32_t number,
			const struct capture *table, bool has_several)
{
	struct event_unit unit = event_unit_of(c);
	struct hot_metrics h;
	struct error err;

	if (hot_metrics_join(c, table, &s->session->cats, &h, &err) < 0)
		return;
	view_object(s->v, NULL, NULL);
	view_field(s->v, "capture", NULL, cell_count(number));
	view_field(s->v, "matched_pct", NULL, cell_real(h.matched, 2));
	view_field(s->v, "matched_by_file_pct", NULL, cell_real(h.matched_by_place, 2));
	view_field(s->v, "total_pct", NULL, cell_real(h.total, 2));
	view_field(s->v, "matched_functions", NULL, cell_count(h.functions.len));
	if (has_several)
		view_line(s->v, "Profile", STR_FMT " " STR_FMT " " STR_FMT,
			  STR_ARG(show_string(s, c->path)),
			  STR_ARG(show_lines(s, c->first_line, c->last_line)),
			  STR_ARG(show_string(s, c->profile->event)));
	if (h.functions.len) {
		view_line(s->v, "Heat", "%.2f of %.2f %% of %s %s in " STR_FMT " of these, %s",
			  h.matched, h.total, unit.of, unit.is_plural ? "are" : "is",
			  STR_ARG(show_plural(s, h.functions.len, "function", "functions")),
			  hot_match_words(&h));
		hot_both(s, c, table, &h);
	} else {
		view_line(s->v, "Heat",
			  "cannot tell: no function of the profile (%.2f %% of %s) is one of "
			  "these by name",
			  h.total, unit.of);
	}
	hot_not_here(s, &h);
	hot_rows(s, table, &h);
	view_object_end(s->v);
	hot_metrics_fini(&h);
}

void show_hot(struct show *s, const struct capture *table)
{
	const struct dossier *d = s->session->dossier;
	size_t n = 0;

	VEC_FOREACH (c, &d->captures)
		n += hot_is_profile(*c);
	if (n == 0 || !hot_metrics_is_table(table))
		return;
	view_list(s->v, "profiles");
	for (uint32_t i = 0; i < d->captures.len; i++) {
		if (hot_is_profile(d->captures.data[i]))
			hot_profile(s, d->captures.data[i], i, table, n > 1);
	}
	view_list_end(s->v);
}

void show_sources(struct show *s, const struct capture *c)
{
	const struct session_sources *m = &s->session->sources;
	bool is_small = m->bytes < 1000000;

	view_field(s->v, "functions", NULL, cell_count(c->metrics->n_rows));
	view_field(s->v, "files", NULL, cell_count(m->n_files));
	view_field(s->v, "bytes", NULL, cell_count(m->bytes));
	view_field(s->v, "functions_with_errors", NULL, cell_count(m->n_errors));
	view_line(s->v, "Sources",
		  STR_FMT " in " STR_FMT ", %.1f %s; assay risk ranks them and explains the counts",
		  STR_ARG(show_plural(s, c->metrics->n_rows, "function", "functions")),
		  STR_ARG(show_plural(s, m->n_files, "file", "files")),
		  (double)m->bytes / (is_small ? 1e3 : 1e6), is_small ? "kB" : "MB");
	show_hot(s, c);
}
