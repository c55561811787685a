/* SPDX-License-Identifier: MIT */
/* show_calls_cost.c - how much of the printed times is tracing overhead */
#include "cmds/show/calls/show_calls.h"
#include "core/capture.h"

#include "analyses/calls/call_tree.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/hidden_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "analyses/tracer/tracer_joint.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/show/show.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

/*
 * For view_budget(), which chooses the rows of the call tree. COST_TREE_LEAST_PCT: smallest share
 * of a row, in percent. COST_TREE_WORTH: factor by which view_weigh() multiplies the worth of a
 * row. It is low, because shares include callees: a row and the rows of its callers count the same
 * time.
 */
#define COST_TREE_LEAST_PCT 0.5
#define COST_TREE_WORTH     0.15

static const char cost_method[] =
	"inside a call: the shortest leaf; outside it, in the caller: self time of callers by call "
	"below them, over the cheapest of each pair of function and number of calls below; low: "
	"the least of them, high: what a fifth of the calls stay under";

static struct cell cost_ns(double ns)
{
	return cell_ns((uint64_t)llround(fmax(ns, 0)));
}

/* Print how the number of calls below the depth limit was found, or why the net time is unknown. */
static void cost_hidden_line(struct show *s, const struct tracer_joint *t)
{
	const struct tracer_cost *cost = &t->cost;
	const struct hidden_calls *hidden = &t->hidden;
	bool is_known = hidden->levels && cost->has_hidden && !isnan(hidden->topmost.n);

	if (t->why_not)
		view_line(s->v, NULL, "not measured by the complete trace: %s", t->why_not);
	if (t->is_filtered)
		view_line(s->v, NULL,
			  "%.0f calls of the complete trace are not in it and cost nothing: they "
			  "were "
			  "not traced",
			  hidden->topmost.n);
	if (!cost->cut_depth)
		return;
	if (!is_known) {
		view_line(s->v, NULL,
			  "The trace is cut at depth %" PRIu32
			  " (max_graph_depth): these figures still contain the tracing overhead of "
			  "an unknown number of deeper calls. --complete FILE takes a trace of the "
			  "same without the limit",
			  cost->cut_depth);
		return;
	}
	view_line(s->v, NULL,
		  "%.0f calls below depth %" PRIu32
		  " are not in it and cost %.3f to %.3f \xc2\xb5s each; counted %s",
		  hidden->topmost.n, cost->cut_depth, cost->hidden.low_ns / 1e3,
		  cost->hidden.high_ns / 1e3,
		  t->role == TRACER_CUT ? "in the complete trace"
					: "by calls of the same functions above that depth");
}

static void cost_line(struct show *s, const struct tracer_joint *t, bool is_above,
		      const struct tracer_span *rest)
{
	const struct tracer_cost *cost = &t->cost;
	double total = (double)t->sum->root_total_ns;
	/* rounded down, because the page prints "at least" */
	double share = floor(100 * cost->total.low_ns / total);
	double unit = total < 1e7 ? 1e3 : total < 1e10 ? 1e6 : 1e9;
	const char *unit_name = total < 1e7 ? "\xc2\xb5s" : total < 1e10 ? "ms" : "s";
	int decimals = total < 1e7 ? 1 : 2;
	struct str left;

	if (is_above || !cost->cut_depth)
		left = show_format(s, "%.*f to %.*f of %.*f %s are left", decimals,
				   rest->low_ns / unit, decimals, rest->high_ns / unit, decimals,
				   total / unit, unit_name);
	else
		left = show_format(s, "at most %.*f of %.*f %s are left", decimals,
				   rest->high_ns / unit, decimals, total / unit, unit_name);
	view_line(s->v, "Tracer",
		  "Tracing takes %s %.0f %% of the time. Without it (net) " STR_FMT "%s",
		  share >= 1 ? "at least" : "about", share, STR_ARG(left),
		  s->is_brief
			  ? ""
			  : show_format(s,
					". A call costs %.3f to %.3f \xc2\xb5s, of which %.3f are "
					"inside the call itself",
					cost->nested.low_ns / 1e3, cost->nested.high_ns / 1e3,
					cost->leaf.ns / 1e3)
				    .p);
	cost_hidden_line(s, t);
}

/* Compute the duration of all outermost calls minus the tracing overhead. False: it is unknown. */
static bool cost_left(const struct tracer_joint *t, struct tracer_span *ret)
{
	struct tracer_paid paid = {
		.n = t->sum->root_topmost,
		.below = t->sum->root_below - t->sum->root_topmost,
		.hidden = t->hidden.topmost,
	};

	/* the trace has a depth limit, and the number of calls below the limit is unknown */
	if (t->cost.cut_depth && !t->hidden.levels)
		paid.hidden.n = (double)NAN;
	return tracer_cost_without(&t->cost, TRACER_COST_TOTAL, t->sum->root_total_ns, &paid, ret);
}

static void cost_hidden(struct show *s, const struct tracer_joint *t)
{
	const struct tracer_cost *cost = &t->cost;
	const struct hidden_calls *hidden = &t->hidden;

	if (!hidden->levels)
		return;
	view_object(s->v, "hidden", NULL);
	view_field(s->v, "calls", NULL,
		   isnan(hidden->topmost.n) ? cell_null() : cell_real(hidden->topmost.n, -1));
	view_field(s->v, "ns", NULL,
		   cost->has_hidden ? cell_real(cost->hidden.ns, -1) : cell_null());
	view_field(s->v, "low_ns", NULL,
		   cost->has_hidden ? cell_real(cost->hidden.low_ns, -1) : cell_null());
	view_field(s->v, "high_ns", NULL,
		   cost->has_hidden ? cell_real(cost->hidden.high_ns, -1) : cell_null());
	view_field(s->v, "pairs", NULL, cell_count(t->pairs));
	view_field(s->v, "cut", NULL, cell_count(hidden->cut));
	view_field(s->v, "on_path", NULL, cell_count(hidden->on_path));
	view_field(s->v, "by_name", NULL, cell_count(hidden->by_name));
	view_field(s->v, "unknown", NULL, cell_count(hidden->unknown));
	view_field(s->v, "by", NULL,
		   cell_word(t->role == TRACER_CUT ? "the complete trace" : "itself"));
	view_object_end(s->v);
}

void show_joined(struct show *s, const struct tracer_joint *traces, size_t n)
{
	static const struct view_column columns[] = {
		{ "capture", NULL, 0 },
		{ "depth_limit", "Depth", 0 },
		{ "calls", "Calls", 0 },
		{ "hidden_calls", "Not in it", 0 },
		{ "hidden_call_ns", "ns each", COLUMN_MINOR },
		{ "printed_ns", "Printed", 0 },
		{ "corrected_ns", "Net", 0 },
		{ "corrected_low_ns", "from", 0 },
		{ "corrected_high_ns", "to", 0 },
		{ "typical_printed_ns", "Typical", 0 },
		{ "typical_ns", "Net", 0 },
		{ "typical_low_ns", NULL, 0 },
		{ "typical_high_ns", NULL, 0 },
		{ "ratio", "to complete", 0 },
		{ "path", "Trace", COLUMN_FLEX },
	};
	static const struct view_table table = { .key = "joined",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	struct tracer_span whole = { 0 };
	const struct tracer_joint *complete = NULL;
	bool has_whole = false;

	for (size_t i = 0; i < n; i++) {
		if (traces[i].role != TRACER_COMPLETE)
			continue;
		complete = &traces[i];
		has_whole = cost_left(complete, &whole);
	}
	view_table(s->v, &table);
	for (size_t i = 0; i < n; i++) {
		const struct tracer_joint *t = &traces[i];
		bool is_cut = t->role == TRACER_CUT;
		struct tracer_span left;
		bool has_left = cost_left(t, &left);
		double ratio = 0;

		if (t->role == TRACER_ALONE)
			continue;
		if (t->has_typical && complete && complete->has_typical)
			ratio = t->typical.ns / complete->typical.ns;
		else if (has_left && has_whole)
			ratio = left.ns / whole.ns;
		struct cell cells[] = {
			cell_count(i),
			is_cut && !t->is_filtered ? cell_count(t->hidden.levels) : cell_null(),
			cell_count(t->sum->calls),
			is_cut ? cell_real(t->hidden.topmost.n, 0) : cell_null(),
			is_cut ? cell_real(t->cost.hidden.ns, 0) : cell_null(),
			cell_ns(t->sum->root_total_ns),
			has_left ? cost_ns(left.ns) : cell_null(),
			has_left ? cost_ns(left.low_ns) : cell_null(),
			cost_ns(left.high_ns),
			t->has_typical ? cost_ns(t->typical_printed_ns) : cell_null(),
			t->has_typical ? cost_ns(t->typical.ns) : cell_null(),
			t->has_typical ? cost_ns(t->typical.low_ns) : cell_null(),
			t->has_typical ? cost_ns(t->typical.high_ns) : cell_null(),
			ratio > 0 ? cell_real(ratio, 3) : cell_null(),
			show_name(s, t->capture->path),
		};

		view_row(s->v, cells);
	}
	view_table_end(s->v);
}

void show_tracer_cost(struct show *s, const struct tracer_joint *t)
{
	const struct tracer_cost *cost = &t->cost;
	struct tracer_span rest;
	bool is_above;

	if (cost->why_not) {
		if (t->sum->calls)
			view_line(s->v, "Tracer", "overhead not subtracted: %s", cost->why_not);
		view_object(s->v, "tracer_cost", NULL);
		view_field(s->v, "why_not", NULL, cell_word(cost->why_not));
		view_object_end(s->v);
		return;
	}
	is_above = cost_left(t, &rest);
	cost_line(s, t, is_above, &rest);
	view_object(s->v, "tracer_cost", NULL);
	view_field(s->v, "leaf_ns", NULL, cell_real(cost->leaf.ns, -1));
	view_field(s->v, "nested_ns", NULL, cell_real(cost->nested.ns, -1));
	view_field(s->v, "nested_low_ns", NULL, cell_real(cost->nested.low_ns, -1));
	view_field(s->v, "nested_high_ns", NULL, cell_real(cost->nested.high_ns, -1));
	view_field(s->v, "noise_ns", NULL, cell_real(cost->noise_ns, -1));
	view_field(s->v, "total_ns", NULL, cost_ns(cost->total.ns));
	view_field(s->v, "low_ns", NULL, cost_ns(cost->total.low_ns));
	view_field(s->v, "high_ns", NULL, cost_ns(cost->total.high_ns));
	view_field(s->v, "corrected_ns", NULL, is_above ? cost_ns(rest.ns) : cell_null());
	view_field(s->v, "corrected_low_ns", NULL, cost_ns(rest.low_ns));
	view_field(s->v, "corrected_high_ns", NULL, cost_ns(rest.high_ns));
	view_field(s->v, "leaf_functions", NULL, cell_count(cost->leaf_functions));
	view_field(s->v, "shapes", NULL, cell_count(cost->shapes));
	view_field(s->v, "points", NULL, cell_count(cost->points));
	view_field(s->v, "cut_depth", NULL,
		   cost->cut_depth ? cell_count(cost->cut_depth) : cell_null());
	cost_hidden(s, t);
	view_field(s->v, "method", NULL,
		   cell_word(cost->is_given ? "given by --tracer-cost" : cost_method));
	view_object_end(s->v);
}

static double cost_share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

void show_call_tree(struct show *s, const struct tracer_joint *trace)
{
	const struct tracer_cost *cost = &trace->cost;
	const struct view_column columns[] = {
		{ NULL, s->is_budget ? "Total %" : NULL, COLUMN_HEAT },
		{ "total_ns", "Total", 0 },
		{ "corrected_total_ns", cost->why_not ? NULL : "Net total", COLUMN_MINOR },
		{ "self_ns", "Self", 0 },
		{ "max_ns", "Max", COLUMN_MINOR },
		{ "calls", "Calls", 0 },
		{ "symbol", "Function", COLUMN_TREE | COLUMN_FLEX },
		{ "module", "Module", COLUMN_MINOR },
		{ "line", "First at", 0 },
	};
	const struct view_table table = { .key = "tree",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	struct call_tree_options options = *s->call_tree;
	struct call_tree tree;
	size_t light = 0;

	options.hidden = trace->hidden.levels ? &trace->hidden : NULL;
	call_tree_build(trace->capture, &options, &tree);
	view_weigh(s->v, COST_TREE_WORTH);
	view_table(s->v, &table);
	for (uint32_t i = tree.first; i != INDEX_NONE; i = call_tree_next(&tree, i)) {
		const struct call_node *n = &tree.nodes.data[i];
		double share = cost_share(n->total_ns, trace->sum->root_total_ns);
		const struct symbol *sym = symbols_get(&s->session->dossier->symbols, n->sym);
		const struct tracer_paid paid = {
			.n = n->timed,
			.below = n->below - n->timed,
			.hidden = n->hidden,
		};
		struct tracer_span net = { 0 };
		bool has_net = !cost->why_not && tracer_cost_without(cost, TRACER_COST_TOTAL,
								     n->total_ns, &paid, &net);
		struct cell cells[] = {
			cell_real(share, 1),
			n->timed ? cell_ns(n->total_ns) : cell_null(),
			has_net ? cost_ns(net.ns) : cell_null(),
			cell_ns(n->self_ns),
			n->timed ? cell_ns(n->max_ns) : cell_null(),
			cell_count(n->calls),
			show_name(s, sym->name),
			show_name(s, sym->module),
			cell_line(n->line),
		};

		if (s->is_budget && share < COST_TREE_LEAST_PCT) {
			light++;
			/*
			 * the rows of its callees follow. Their shares are smaller, so this test
			 * skips them, too.
			 */
			continue;
		}
		view_node(s->v, cells, n->depth);
	}
	view_table_end(s->v);
	view_weigh(s->v, 1);
	if (light)
		view_line(s->v, NULL, "%zu paths of less than %.1f %% are not in the tree", light,
			  COST_TREE_LEAST_PCT);
	if (tree.not_kept)
		view_line(s->v, NULL, "%" PRIu64 " calls are deeper and not shown", tree.not_kept);
	call_tree_fini(&tree);
}
