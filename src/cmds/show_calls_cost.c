/* SPDX-License-Identifier: MIT */
/*
 * show_calls_cost.c - how much of the printed times is the tracer
 */
#include "cmds/show_calls.h"

#include <inttypes.h>
#include <math.h>

static const char cost_method[] =
	"inside a call: the shortest leaf; outside it, in the caller: self time of callers by call "
	"below them, over the cheapest of each pair of function and number of calls below; low: "
	"the least of them, high: what a fifth of the calls stay under";

static struct cell cost_ns(double ns)
{
	return cell_ns((uint64_t)llround(fmax(ns, 0)));
}

static void cost_line(struct show *s, const struct calls_summary *sum,
		      const struct tracer_cost *cost)
{
	double total = (double)sum->root_total_ns;
	double rest_low = fmax(total - cost->total.high_ns, 0);
	double rest_high = fmax(total - cost->total.low_ns, 0);
	double share = floor(100 * cost->total.low_ns / total); /* cut: it is a lower bound */
	double unit = total < 1e7 ? 1e3 : total < 1e10 ? 1e6 : 1e9;
	const char *unit_name = total < 1e7 ? "\xc2\xb5s" : total < 1e10 ? "ms" : "s";
	int decimals = total < 1e7 ? 1 : 2;

	view_line(s->v, "Tracer",
		  "%s %.0f %% of the time is the tracer itself: %.3f to %.3f \xc2\xb5s a call, of "
		  "which %.3f inside its own duration; without it %.*f to %.*f of %.*f %s are left",
		  share >= 1 ? "\xe2\x89\xa5" : "about", share, cost->nested.low_ns / 1e3,
		  cost->nested.high_ns / 1e3, cost->leaf.ns / 1e3, decimals, rest_low / unit,
		  decimals, rest_high / unit, decimals, total / unit, unit_name);
	if (cost->cut_depth)
		view_line(s->v, NULL,
			  "the trace looks cut at depth %" PRIu32
			  " (max_graph_depth): calls below it "
			  "cost the tracer time that is still in these figures",
			  cost->cut_depth);
}

void show_tracer_cost(struct show *s, const struct calls_summary *sum,
		      const struct tracer_cost *cost)
{
	struct tracer_span rest;
	bool is_above;

	if (cost->why_not) {
		view_line(s->v, "Tracer", "not taken out: %s", cost->why_not);
		view_object(s->v, "tracer_cost", NULL);
		view_field(s->v, "why_not", NULL, cell_word(cost->why_not));
		view_object_end(s->v);
		return;
	}
	is_above =
		tracer_cost_without(cost, TRACER_COST_TOTAL, sum->root_total_ns, sum->root_topmost,
				    sum->root_below - sum->root_topmost, &rest);
	cost_line(s, sum, cost);
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
	view_field(s->v, "method", NULL,
		   cell_word(cost->is_given ? "given by --tracer-cost" : cost_method));
	view_object_end(s->v);
}

void show_call_tree(struct show *s, const struct capture *c, const struct tracer_cost *cost)
{
	const struct view_column columns[] = {
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
	struct call_tree tree;

	call_tree_build(c, s->call_tree, &tree);
	view_table(s->v, &table);
	for (uint32_t i = tree.first; i != INDEX_NONE; i = call_tree_next(&tree, i)) {
		const struct call_node *n = &tree.nodes.data[i];
		const struct symbol *sym = symbols_get(&s->session->dossier->symbols, n->sym);
		struct tracer_span net = { 0 };
		bool has_net =
			!cost->why_not && tracer_cost_without(cost, TRACER_COST_TOTAL, n->total_ns,
							      n->timed, n->below - n->timed, &net);
		struct cell cells[] = {
			n->timed ? cell_ns(n->total_ns) : cell_null(),
			has_net ? cost_ns(net.ns) : cell_null(),
			cell_ns(n->self_ns),
			n->timed ? cell_ns(n->max_ns) : cell_null(),
			cell_count(n->calls),
			show_name(s, sym->name),
			show_name(s, sym->module),
			cell_line(n->line),
		};

		view_node(s->v, cells, n->depth);
	}
	view_table_end(s->v);
	if (tree.not_kept)
		view_line(s->v, NULL, "%" PRIu64 " calls are deeper and not shown", tree.not_kept);
	call_tree_fini(&tree);
}
