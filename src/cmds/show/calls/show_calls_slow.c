/* SPDX-License-Identifier: MIT */
/*
 * show_calls_slow.c - time inside calls that their callees do not explain, and causes of slow calls
 */
#include "cmds/show/calls/show_calls.h"

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/retvals.h"
#include "analyses/slow/slow_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/show/show.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define SLOW_GAPS_BRIEF   5u
#define SLOW_GAPS_SHOWN   100u
#define SLOW_HIDDEN_NAMED 3u
#define SLOW_ROWS_BRIEF   3u
/* maximum number of rows that text prints as sentences; a table has the further rows */
#define SLOW_ROWS_TEXT  10u
#define SLOW_ROWS_SHOWN 100u

static struct str slow_symbol(const struct show *s, sym_id sym)
{
	return symbols_name(&s->session->dossier->symbols, sym);
}

static struct cell slow_module(const struct show *s, sym_id sym)
{
	return show_name(s, symbols_get(&s->session->dossier->symbols, sym)->module);
}

static struct cell slow_ns(double ns)
{
	return cell_ns((uint64_t)llround(fmax(ns, 0)));
}

struct str show_us(struct show *s, double ns)
{
	double us = fmax(ns, 0) / 1e3;

	if (us >= 1e7)
		return show_format(s, "%.2f s", us / 1e6);
	if (us >= 1e4)
		return show_format(s, "%.1f ms", us / 1e3);
	return show_format(s, "%.*f \xc2\xb5s", us < 10 ? 2 : us < 1000 ? 1 : 0, us);
}

static struct str gaps_why(struct show *s, const struct call_gap *g)
{
	if (g->interrupts == 0)
		return show_format(s, "%s",
				   g->peers > 1 ? "other calls take less"
						: "own work or hidden time");
	if (g->calls == 1)
		return show_format(s, "an interrupt is proven");
	return show_format(s, "an interrupt is proven in %" PRIu64, g->interrupts);
}

/*
 * Format the position of a call: its line, " L118", or in a recording, which has no lines, its time
 * in seconds, " at 7.061681". Returns "" if both are unknown.
 */
static struct str slow_place_of(struct show *s, const struct calls *c, uint32_t line, uint32_t call)
{
	uint64_t at = call < c->start_ns.len ? c->start_ns.data[call] : UINT64_MAX;

	if (line)
		return show_format(s, " L%" PRIu32, line);
	if (at == UINT64_MAX)
		return STR("");
	return show_format(s, " at %" PRIu64 ".%06" PRIu64, at / 1000000000,
			   at % 1000000000 / 1000);
}

static void gaps_hidden(struct show *s, const struct calls *c, const struct call_gaps *gaps)
{
	struct out text = { .fd = -1 };
	size_t n = 0;

	VEC_FOREACH (h, &gaps->interrupts) {
		if (n++ >= SLOW_HIDDEN_NAMED)
			break;
		out_z(&text, n > 1 ? ", " : "");
		out_str(&text, str_ltrim(slow_place_of(s, c, h->line, h->call)));
		if (h->parent != INDEX_NONE)
			out_printf(&text, " in " STR_FMT,
				   STR_ARG(slow_symbol(s, c->sym.data[h->parent])));
		if (h->in_tracer)
			out_z(&text, " (in the tracer's own return hook)");
	}
	if (gaps->n_interrupts > SLOW_HIDDEN_NAMED)
		out_z(&text, ", ...");
	out_char(&text, '\0');
	view_line(s->v, "Hidden",
		  "%" PRIu64 " interrupt%s of which only the entry is traced (noirqs): %s",
		  gaps->n_interrupts, gaps->n_interrupts == 1 ? "" : "s", text.data);
	out_fini(&text);
}

static void gaps_interrupts(struct show *s, const struct calls *c, const struct call_gaps *gaps)
{
	static const struct view_column columns[] = {
		{ "line", NULL, 0 },
		{ "symbol", NULL, 0 },
		{ "parent_line", NULL, 0 },
		{ "in_tracer", NULL, 0 },
	};
	const struct view_table table = { .key = "hidden_interrupts",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns),
					  .is_json_only = true };

	view_table(s->v, &table);
	VEC_FOREACH (h, &gaps->interrupts) {
		bool has = h->parent != INDEX_NONE;
		struct cell cells[] = {
			cell_line(h->line),
			has ? cell_text(slow_symbol(s, c->sym.data[h->parent])) : cell_none(),
			has ? cell_line(c->line.data[h->parent]) : cell_none(),
			cell_bool(h->in_tracer),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

void show_call_gaps_text(struct show *s, const struct capture *c, const struct call_gaps *gaps)
{
	/*
	 * the front page does not print this line, because it prints the table `gaps` and the
	 * finding about gaps
	 */
	if (gaps->rows.len && !s->is_brief)
		view_line(s->v, "Gaps",
			  STR_FMT " in %" PRIu64 " call%s are their own work or hidden time: "
				  "neither traced callees nor tracing",
			  STR_ARG(show_us(s, gaps->sum.ns)), gaps->calls,
			  gaps->calls == 1 ? "" : "s");
	if (gaps->n_interrupts)
		gaps_hidden(s, c->calls, gaps);
}

void show_call_gaps(struct show *s, const struct capture *c, const struct call_gaps *gaps)
{
	static const struct view_column columns[] = {
		{ "gap_ns", "Gap", 0 },        { "low_ns", NULL, 0 },
		{ "high_ns", NULL, 0 },        { "calls", "Calls", COLUMN_MINOR },
		{ "peers", NULL, 0 },          { "symbol", "In", 0 },
		{ "module", NULL, 0 },         { "worst_ns", NULL, 0 },
		{ "line", "Worst at", 0 },     { "interrupts", NULL, 0 },
		{ "why", "Why", COLUMN_FLEX },
	};
	const struct view_table table = { .key = "gaps",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (g, &gaps->rows) {
		struct cell cells[] = {
			slow_ns(g->sum.ns),        slow_ns(g->sum.low_ns),
			slow_ns(g->sum.high_ns),   cell_count(g->calls),
			cell_count(g->peers),      cell_text(slow_symbol(s, g->sym)),
			slow_module(s, g->sym),    slow_ns(g->worst.ns),
			cell_line(g->worst_line),  cell_count(g->interrupts),
			cell_text(gaps_why(s, g)),
		};

		if (n++ >= show_rows_of(s, SLOW_GAPS_BRIEF, SLOW_GAPS_SHOWN))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
	gaps_interrupts(s, c->calls, gaps);
}

static struct str slow_where(struct show *s, const struct slow_call *r)
{
	return r->because_line ? show_format(s, STR_FMT " L%" PRIu32,
					     STR_ARG(slow_symbol(s, r->because)), r->because_line)
			       : slow_symbol(s, r->because);
}

static struct str slow_child_why(struct show *s, const struct slow_call *r)
{
	struct str where = slow_where(s, r);
	struct str took = show_us(s, (double)r->because_ns);

	if (r->because_call == INDEX_NONE)
		return show_format(s, "all calls of " STR_FMT " below were slower: " STR_FMT,
				   STR_ARG(where), STR_ARG(took));
	if (r->because_typical_ns < 0)
		return show_format(s, STR_FMT " below took " STR_FMT, STR_ARG(where),
				   STR_ARG(took));
	return show_format(s, STR_FMT " below took " STR_FMT ", else " STR_FMT, STR_ARG(where),
			   STR_ARG(took), STR_ARG(show_us(s, r->because_typical_ns)));
}

static struct str slow_why(struct show *s, const struct slow_call *r)
{
	struct str where = slow_where(s, r);
	struct str took = show_us(s, (double)r->because_ns);

	switch ((enum slow_cause)r->cause) {
	case SLOW_OWN_TIME:
		return show_format(s, "%s",
				   r->is_certain
					   ? "its own time, not in its callees"
					   : "its own time, or calls below that have no duration");
	case SLOW_CHILD:
		return slow_child_why(s, r);
	case SLOW_RARE_PATH:
		return show_format(s, STR_FMT " below took " STR_FMT "; others do not call it",
				   STR_ARG(where), STR_ARG(took));
	case SLOW_ALLOCATION:
		return show_format(s,
				   STR_FMT " below took " STR_FMT
					   ": the allocator had to refill, others did not",
				   STR_ARG(where), STR_ARG(took));
	case SLOW_MORE_CALLS:
		return show_format(s, "%" PRIu64 " calls of " STR_FMT " below, else %.1f",
				   r->because_calls, STR_ARG(slow_symbol(s, r->because)),
				   r->because_typical_calls);
	case SLOW_SLEEP:
		return r->is_certain ? show_format(s, "slept in " STR_FMT ": " STR_FMT,
						   STR_ARG(where), STR_ARG(took))
				     : show_format(s,
						   "gave the CPU away in " STR_FMT
						   " (a task switch is inside)",
						   STR_ARG(where));
	case SLOW_INTERRUPT:
		return r->is_certain
			       ? show_format(s, "an interrupt ran inside: " STR_FMT ", " STR_FMT,
					     STR_ARG(where), STR_ARG(took))
			       : show_format(s,
					     "own time of " STR_FMT
					     "; an interrupt of unknown duration hit it",
					     STR_ARG(where));
	case SLOW_LOST_EVENTS:
		return show_format(s, "cannot tell: events were lost in " STR_FMT, STR_ARG(where));
	case SLOW_SPREAD:
	case SLOW_CAUSES:
		break;
	}
	return show_format(s, "longer in several places, none of them most of it");
}

/*
 * Write the stored slow calls of row @r to JSON. A row stores at most SLOW_CALLS_EACH_MAX of them.
 */
static void slow_json_each(struct show *s, const struct calls *c, const struct slow_calls *slow,
			   const struct slow_call *r)
{
	view_list(s->v, "each");
	for (uint32_t i = 0; i < r->kept; i++) {
		uint32_t call = slow->each.data[r->first + i];
		bool has_start = call < c->start_ns.len && c->start_ns.data[call] != UINT64_MAX;

		view_object(s->v, NULL, NULL);
		view_field(s->v, "line", NULL, cell_line(c->line.data[call]));
		view_field(s->v, "total_ns", NULL, cell_ns(calls_duration(c, call)));
		view_field(s->v, "start_ns", NULL,
			   has_start ? cell_count(c->start_ns.data[call]) : cell_none());
		view_object_end(s->v);
	}
	view_list_end(s->v);
}

static void slow_json(struct show *s, const struct calls *c, const struct slow_calls *slow,
		      const struct slow_call *r)
{
	view_object(s->v, NULL, NULL);
	view_field(s->v, "symbol", NULL, cell_text(slow_symbol(s, r->sym)));
	view_field(s->v, "module", NULL, slow_module(s, r->sym));
	view_field(s->v, "line", NULL, cell_line(r->line));
	view_field(s->v, "total_ns", NULL, cell_ns(r->total_ns));
	view_field(s->v, "typical_ns", NULL, cell_ns(r->typical_ns));
	view_field(s->v, "calls", NULL, cell_count(r->calls));
	view_field(s->v, "peers", NULL, cell_count(r->peers));
	view_field(s->v, "excess_ns", NULL, cell_ns(r->sum_excess_ns));
	view_field(s->v, "cause", NULL, cell_word(slow_cause_name(r->cause)));
	view_field(s->v, "certain", NULL, cell_bool(r->is_certain));
	view_field(s->v, "why", NULL, cell_text(slow_why(s, r)));
	view_object(s->v, "because", NULL);
	view_field(s->v, "symbol", NULL, cell_text(slow_symbol(s, r->because)));
	view_field(s->v, "module", NULL, slow_module(s, r->because));
	view_field(s->v, "line", NULL, cell_line(r->because_line));
	view_field(s->v, "ns", NULL, cell_ns(r->because_ns));
	view_field(s->v, "typical_ns", NULL,
		   r->because_typical_ns >= 0 ? slow_ns(r->because_typical_ns) : cell_null());
	view_object_end(s->v);
	slow_json_each(s, c, slow, r);
	view_object_end(s->v);
}

static void slow_text(struct show *s, const struct slow_calls *slow)
{
	static const struct view_column columns[] = {
		{ NULL, "Slow", 0 },     { NULL, "Typical", 0 },  { NULL, "Calls", COLUMN_MINOR },
		{ NULL, "Function", 0 }, { NULL, "Worst at", 0 }, { NULL, "Why", COLUMN_FLEX },
	};
	const struct view_table table = { .columns = columns, .n_columns = ARRAY_LEN(columns) };

	view_table(s->v, &table);
	for (size_t i = SLOW_ROWS_TEXT; i < slow->rows.len && i < SLOW_ROWS_SHOWN; i++) {
		const struct slow_call *r = &slow->rows.data[i];
		struct cell cells[] = {
			cell_ns(r->total_ns), cell_ns(r->typical_ns),
			cell_count(r->calls), cell_text(slow_symbol(s, r->sym)),
			cell_line(r->line),   cell_text(slow_why(s, r)),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
	if (slow->rows.len > SLOW_ROWS_SHOWN)
		view_line(s->v, NULL, "... and %zu more kinds", slow->rows.len - SLOW_ROWS_SHOWN);
}

void show_slow_calls_text(struct show *s, const struct capture *c, const struct slow_calls *slow)
{
	size_t limit = show_rows_of(s, SLOW_ROWS_BRIEF, SLOW_ROWS_TEXT);

	for (size_t i = 0; i < slow->rows.len && i < limit; i++) {
		const struct slow_call *r = &slow->rows.data[i];
		struct str many = r->calls == 1
					  ? STR_NONE
					  : show_format(s, "%" PRIu64 " calls, worst ", r->calls);

		view_line(s->v, i ? NULL : "Slow",
			  STR_FMT STR_FMT ": " STR_FMT STR_FMT " instead of " STR_FMT "; " STR_FMT,
			  STR_ARG(slow_symbol(s, r->sym)),
			  STR_ARG(slow_place_of(s, c->calls, r->line, r->call)), STR_ARG(many),
			  STR_ARG(show_us(s, (double)r->total_ns)),
			  STR_ARG(show_us(s, (double)r->typical_ns)), STR_ARG(slow_why(s, r)));
	}
	if (s->is_brief && slow->rows.len > limit)
		view_line(s->v, NULL, "%zu more kinds: assay calls " STR_FMT,
			  slow->rows.len - limit, STR_ARG(show_file(s)));
}

struct slow_one {
	uint32_t call, row;
};

static int slow_compare_ones(const void *a, const void *b)
{
	const struct slow_one *x = a;
	const struct slow_one *y = b;

	return x->call < y->call ? -1 : x->call > y->call;
}

/* All stored slow calls, in the order of the trace. Owner: caller, free(). */
static struct slow_one *slow_ones(const struct slow_calls *slow)
{
	struct slow_one *ones = xcalloc(slow->each.len, sizeof(*ones));

	for (uint32_t i = 0; i < slow->rows.len; i++) {
		const struct slow_call *r = &slow->rows.data[i];

		for (uint32_t k = r->first; k < r->first + r->kept; k++)
			ones[k] = (struct slow_one){ slow->each.data[k], i };
	}
	if (slow->each.len)
		qsort(ones, slow->each.len, sizeof(*ones), slow_compare_ones);
	return ones;
}

void show_each_slow_call(struct show *s, const struct capture *c, const struct slow_calls *slow)
{
	static const struct view_column columns[] = {
		{ "total_ns", "Took", 0 },     { "typical_ns", "Typical", 0 },
		{ "symbol", "Function", 0 },   { "line", "Line", 0 },
		{ "start_ns", NULL, 0 },       { "cause", NULL, 0 },
		{ "why", "Why", COLUMN_FLEX },
	};
	const struct view_table table = { .key = "each_slow_call",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns),
					  .is_main = true };
	const struct calls *calls = c->calls;
	struct slow_one *ones = slow_ones(slow);

	view_table(s->v, &table);
	for (size_t i = 0; i < slow->each.len; i++) {
		const struct slow_call *r = &slow->rows.data[ones[i].row];
		uint32_t call = ones[i].call;
		bool has_start =
			call < calls->start_ns.len && calls->start_ns.data[call] != UINT64_MAX;
		struct cell cells[] = {
			cell_ns(calls_duration(calls, call)),
			cell_ns(r->typical_ns),
			cell_text(slow_symbol(s, r->sym)),
			cell_line(calls->line.data[call]),
			has_start ? cell_count(calls->start_ns.data[call]) : cell_none(),
			cell_word(slow_cause_name(r->cause)),
			call == r->call ? cell_text(slow_why(s, r))
					: cell_word(slow_cause_name(r->cause)),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
	if (slow->calls > slow->each.len)
		view_line(s->v, NULL, "... and %" PRIu64 " more", slow->calls - slow->each.len);
	if (slow->calls == 0)
		view_line(s->v, NULL, "no call took far longer than others of its function");
	free(ones);
}

void show_slow_calls(struct show *s, const struct capture *c, const struct slow_calls *slow)
{
	size_t limit = show_rows(s, SLOW_ROWS_BRIEF);

	if (slow->rows.len > SLOW_ROWS_TEXT && !s->is_brief)
		slow_text(s, slow);
	view_list(s->v, "slow_calls");
	for (size_t i = 0; i < slow->rows.len && i < limit; i++)
		slow_json(s, c->calls, slow, &slow->rows.data[i]);
	view_list_end(s->v);
}

void show_retval_errors(struct show *s, const struct retval_errors *errors)
{
	static const struct view_column columns[] = {
		{ "error", "Error", 0 },
		{ "value", NULL, 0 },
		{ "calls", "Calls", 0 },
		{ "of", "Of", 0 },
		{ "symbol", "Returned by", COLUMN_FLEX },
		{ "module", NULL, 0 },
		{ "line", "First at", 0 },
	};
	const struct view_table table = { .key = "errors",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	size_t n = 0;

	view_table(s->v, &table);
	VEC_FOREACH (e, &errors->rows) {
		struct cell cells[] = {
			cell_word(retval_errno_name(e->error)),
			cell_fixed(e->error, 0),
			cell_count(e->calls),
			cell_count(e->of),
			cell_text(slow_symbol(s, e->sym)),
			slow_module(s, e->sym),
			cell_line(e->line),
		};

		if (n++ >= show_rows_of(s, SLOW_GAPS_BRIEF, SLOW_GAPS_SHOWN))
			break;
		view_row(s->v, cells);
	}
	view_table_end(s->v);
}
