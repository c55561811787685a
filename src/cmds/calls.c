/* SPDX-License-Identifier: MIT */
/*
 * calls.c - `assay calls`: a function graph by function, module and kind of work
 */
#include "analyses/call_tree.h"
#include "analyses/calls_summary.h"
#include "cmds/calibrate.h"
#include "cmds/cmd.h"
#include "cmds/show.h"

#include <inttypes.h>

/* --total: time in the topmost calls of functions that match. */
static void calls_totals(struct show *s, const struct args_list *patterns)
{
	static const struct view_column columns[] = {
		{ "total_ns", "Total", 0 },
		{ "pct", "Share %", COLUMN_HEAT },
		{ "self_ns", "Self", 0 },
		{ "calls", "Calls", 0 },
		{ "topmost", "Topmost", 0 },
		{ "below", "Calls below", 0 },
		{ "pattern", "Pattern", COLUMN_FLEX },
		{ "capture", NULL, 0 },
	};
	static const struct view_table table = { .key = "totals",
						 .columns = columns,
						 .n_columns = ARRAY_LEN(columns) };
	struct dossier *d = s->session->dossier;

	if (patterns->items.len == 0)
		return;
	view_table(s->v, &table);
	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];
		struct calls_summary sum;

		if (!c->calls || calls_summary_compute(c, &s->session->cats, &sum, NULL) < 0)
			continue;
		VEC_FOREACH (pattern, &patterns->items) {
			struct calls_total t = calls_total_of(c, str_of(*pattern), STR_NONE);
			struct cell cells[] = {
				cell_ns(t.total_ns),
				sum.root_total_ns ? cell_real(100.0 * (double)t.total_ns /
								      (double)sum.root_total_ns,
							      3)
						  : cell_none(),
				cell_ns(t.self_ns),
				cell_count(t.matching),
				cell_count(t.topmost),
				cell_count(t.below),
				cell_text(str_of(*pattern)),
				cell_count(i),
			};

			view_row(s->v, cells);
		}
		calls_summary_fini(&sum);
	}
	view_table_end(s->v);
}

/* What `calls` was asked for beyond the patterns of --total. */
struct calls_request {
	const struct call_tree_options *tree;        /* NULL: tables */
	const struct tracer_cost_given *tracer_cost; /* NULL: estimate it */
	enum show_calls_by by;
};

static int calls_show(struct session *session, const struct args_list *patterns,
		      const struct calls_request *request)
{
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session,
			  .v = v,
			  .call_tree = request->tree,
			  .calls_by = request->by,
			  .tracer_cost = request->tracer_cost };
	struct error err = { "" };
	int status = EXIT_DONE;

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-calls-1");
	view_list(v, "captures");
	for (uint32_t i = 0; i < session->dossier->captures.len; i++) {
		if (!session->dossier->captures.data[i]->calls)
			continue;
		if (show_capture(&s, i, &err) < 0) {
			complain(NULL, "%s", err.msg);
			status = EXIT_FAILED;
		}
	}
	view_list_end(v);
	calls_totals(&s, patterns);
	if (view_end(v, &err) < 0)
		status = EXIT_FAILED;
	arena_fini(&s.scratch);
	return status;
}

static bool calls_has_any(const struct session *s)
{
	VEC_FOREACH (c, &s->dossier->captures) {
		if ((*c)->calls)
			return true;
	}
	if (s->dossier->captures.len)
		complain(NULL, "no function graph in it; try 'assay report'");
	return false;
}

/* --calibrate: what a call costs the tracer of this machine, as a file for --tracer-cost. */
static int calls_calibrate(struct session *session)
{
	struct tracer_cost_given cost;
	struct error err = { "" };
	struct view *v;
	int r = calibrate_measure(&cost, &err);

	if (r < 0) {
		complain("--calibrate", "%s", err.msg);
		return EXIT_FAILED;
	}
	session->is_json = true;
	v = session_view(session);
	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-tracer-cost-1");
	view_field(v, "leaf_ns", NULL, cell_real(cost.leaf_ns, 1));
	view_field(v, "nested_ns", NULL, cell_real(cost.nested.ns, 1));
	view_field(v, "nested_low_ns", NULL, cell_real(cost.nested.low_ns, 1));
	view_field(v, "nested_high_ns", NULL, cell_real(cost.nested.high_ns, 1));
	view_field(v, "calls", NULL, cell_count(cost.calls));
	view_field(v, "function", NULL, cell_text(str_of(cost.function)));
	view_field(v, "kernel", NULL, cell_text(str_of(cost.kernel)));
	r = view_end(v, &err);
	view_free(v);
	if (r < 0)
		complain(NULL, "%s", err.msg);
	return r < 0 ? EXIT_FAILED : EXIT_DONE;
}

static int calls_run(int argc, char **argv)
{
	struct session s;
	struct args_list patterns = { VEC_INIT };
	const char *under = NULL;
	const char *only = NULL;
	uint64_t levels = 0;
	const char *cost_text = NULL;
	bool is_calibration = false;
	struct tracer_cost_given cost;
	struct calls_request request;
	struct error err = { "" };
	unsigned int by = CALLS_BY_ALL;
	bool has_tree = false;
	struct call_tree_options tree;
	struct args_option options[] = {
		{ "total", 't', ARGS_LIST, "PATTERN",
		  "time in the topmost calls of functions that match: '*lock*|mutex_*', "
		  "'* [nf_nat]'; may be repeated",
		  NULL, &patterns },
		{ "by", 'b', ARGS_CHOICE, "all|function|module|category|task|cpu",
		  "one table, and no others", "all", &by },
		{ "tree", 'T', ARGS_FLAG, NULL, "who called whom: equal paths are one line", NULL,
		  &has_tree },
		{ "under", 'u', ARGS_TEXT, "PATTERN",
		  "the tree below the topmost calls of functions that match", NULL, &under },
		{ "only", 0, ARGS_TEXT, "PATTERN",
		  "the tree of functions that match, and no others", NULL, &only },
		{ "depth", 'd', ARGS_COUNT, "N", "levels of the tree", NULL, &levels },
		{ "tracer-cost", 0, ARGS_TEXT, "FILE|NS",
		  "take this for the tracer's cost of a call: a file of --calibrate, "
		  "nanoseconds, or INSIDE,ALTOGETHER",
		  NULL, &cost_text },
		{ "calibrate", 0, ARGS_FLAG, NULL,
		  "measure the tracer's cost on this machine (needs root); -o FILE keeps it", NULL,
		  &is_calibration },
		SESSION_JSON(&s),
		SESSION_CSV(&s),
		SESSION_OPTIONS(&s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay calls",
		.operands = "FILE...",
		.summary =
			"A function graph: calls, self and total time as printed and without the "
			"tracer's cost, gaps, slow calls and why.",
		.options = options,
	};
	int status;

	session_init(&s);
	if (!session_parse(&s, &spec, argc, argv, &status)) {
		;
	} else if (is_calibration) {
		status = calls_calibrate(&s);
	} else if (cost_text && calibrate_parse(cost_text, &cost, &err) < 0) {
		complain("--tracer-cost", "%s", err.msg);
		status = EXIT_USAGE;
	} else if (session_load(&s, &spec, &status)) {
		tree = (struct call_tree_options){
			.under = under ? str_of(under) : STR_NONE,
			.only = only ? str_of(only) : STR_NONE,
			.levels = levels > UINT32_MAX ? UINT32_MAX : (uint32_t)levels,
		};
		request = (struct calls_request){
			.tree = has_tree || under || only || levels ? &tree : NULL,
			.tracer_cost = cost_text ? &cost : NULL,
			.by = (enum show_calls_by)by,
		};
		status = calls_has_any(&s) ? calls_show(&s, &patterns, &request) : EXIT_FAILED;
	}
	VEC_FREE(&patterns.items);
	return session_finish(&s, status);
}

const struct cmd cmd_calls = {
	.name = "calls",
	.summary = "a function graph by function, module and kind of work",
	.run = calls_run,
};
