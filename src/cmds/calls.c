/* SPDX-License-Identifier: MIT */
/*
 * calls.c - `assay calls`: a function graph by function, module and kind of work
 */
#include "analyses/call_tree.h"
#include "analyses/calls_summary.h"
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

static int calls_show(struct session *session, const struct args_list *patterns,
		      const struct call_tree_options *tree, enum show_calls_by by)
{
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session, .v = v, .call_tree = tree, .calls_by = by };
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

static int calls_run(int argc, char **argv)
{
	struct session s;
	struct args_list patterns = { VEC_INIT };
	const char *under = NULL;
	const char *only = NULL;
	uint64_t levels = 0;
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
	if (session_parse(&s, &spec, argc, argv, &status) && session_load(&s, &spec, &status)) {
		tree = (struct call_tree_options){
			.under = under ? str_of(under) : STR_NONE,
			.only = only ? str_of(only) : STR_NONE,
			.levels = levels > UINT32_MAX ? UINT32_MAX : (uint32_t)levels,
		};
		has_tree |= under || only || levels;
		status = calls_has_any(&s) ? calls_show(&s, &patterns, has_tree ? &tree : NULL,
							(enum show_calls_by)by)
					   : EXIT_FAILED;
	}
	VEC_FREE(&patterns.items);
	return session_finish(&s, status);
}

const struct cmd cmd_calls = {
	.name = "calls",
	.summary = "a function graph by function, module and kind of work",
	.run = calls_run,
};
