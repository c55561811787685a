/* SPDX-License-Identifier: MIT */
/* calls.c - `assay calls`: the times of a function graph by function, module and kind of work */
#include "core/calls.h"
#include "analyses/calls/call_tree.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "analyses/tracer/tracer_cost.h"
#include "analyses/tracer/tracer_joint.h"
#include "base/alloc.h"
#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/calibrate.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/show/calls/show_calls.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "render/view.h"

#include <inttypes.h>

DECLARE_CMD(calls);

/*
 * Print the table of --total: for each pattern, the total time of calls of matching functions. A
 * call inside another matching call is not counted twice.
 */
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

		if (!c->calls || c->calls->log_of ||
		    calls_summary_compute(c, &s->session->cats, &sum, NULL) < 0)
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

/* The options of `calls`, without the patterns of --total. */
struct calls_request {
	/* options of the call tree; NULL: print tables instead of a tree */
	const struct call_tree_options *tree;
	/* tracing cost of one call, which the user gave; NULL: estimate the cost */
	const struct tracer_cost_given *tracer_cost;
	enum show_calls_by by;
	uint64_t limit; /* maximum number of rows of each table; 0: all */
	/*
	 * index of a trace that contains all calls: the capture of --complete. SIZE_MAX: the option
	 * is not given; search for such a trace. From this trace, the tracing overhead of traces
	 * with a depth limit is computed (tracer_joint.h)
	 */
	size_t complete;
};

static bool calls_is_graph(const struct capture *c)
{
	return c->calls && c->calls->log_of == CALLS_OF_FUNCTIONS;
}

/* All function graphs of the inputs. The estimate of the tracing cost uses all of them. */
struct calls_joint {
	/*
	 * array with an element for each capture. The element of a function graph has the tracing
	 * cost of this graph. NULL: the inputs have fewer than two function graphs
	 */
	struct tracer_joint *traces;
	struct calls_summary *sums;
	size_t n;
};

static void calls_joint_init(struct calls_joint *j, struct session *session,
			     const struct calls_request *request)
{
	const struct dossier *d = session->dossier;
	size_t n = 0;

	*j = (struct calls_joint){ .n = d->captures.len };
	for (size_t i = 0; i < j->n; i++)
		n += calls_is_graph(d->captures.data[i]) && d->captures.data[i]->calls->n;
	if (n < 2)
		return;
	j->traces = xcalloc(j->n, sizeof(*j->traces));
	j->sums = xcalloc(j->n, sizeof(*j->sums));
	for (size_t i = 0; i < j->n; i++) {
		struct tracer_joint *t = &j->traces[i];

		t->capture = d->captures.data[i];
		if (!calls_is_graph(t->capture) ||
		    calls_summary_compute(t->capture, &session->cats, &j->sums[i], NULL) < 0)
			continue;
		t->sum = &j->sums[i];
		if (request->tracer_cost)
			tracer_cost_take(t->capture, t->sum, request->tracer_cost, &t->cost);
		else
			tracer_cost_estimate(t->capture, t->sum, &t->cost);
	}
	tracer_joint_solve(j->traces, j->n, request->complete);
}

static void calls_joint_fini(struct calls_joint *j)
{
	for (size_t i = 0; j->traces && i < j->n; i++) {
		tracer_joint_fini(&j->traces[i]);
		if (j->traces[i].sum)
			calls_summary_fini(&j->sums[i]);
	}
	free(j->traces);
	free(j->sums);
}

/* Whether the inputs have a depth-limited trace, and another trace of the same workload. */
static bool calls_are_joined(const struct calls_joint *j)
{
	for (size_t i = 0; j->traces && i < j->n; i++) {
		if (j->traces[i].role == TRACER_CUT)
			return true;
	}
	return false;
}

/*
 * Whether @c has a call of the functions that --under and --only select. If it has none, its call
 * tree has no row, and the trace is not printed. Always true if @tree is NULL.
 */
static bool calls_have_tree(const struct capture *c, const struct call_tree_options *tree)
{
	if (!tree)
		return true;
	return (!tree->under.len || calls_total_of(c, tree->under, STR_NONE).matching) &&
	       (!tree->only.len || calls_total_of(c, tree->only, STR_NONE).matching);
}

static int calls_show(struct session *session, const struct args_list *patterns,
		      const struct calls_request *request)
{
	CLEANUP(view_freep) struct view *v = session_view(session);
	struct show s = { .session = session,
			  .v = v,
			  .call_tree = request->tree,
			  .calls_by = request->by,
			  .tracer_cost = request->tracer_cost };
	struct calls_joint joint;
	struct error err = { "" };
	int status = EXIT_DONE;
	size_t others = 0;

	if (!v)
		return EXIT_FAILED;
	calls_joint_init(&joint, session, request);
	s.joint = joint.traces;
	v->row_limit = session->to.is_json ? 0 : request->limit;
	view_begin(v, "assay-calls-1");
	if (calls_are_joined(&joint))
		show_joined(&s, joint.traces, joint.n);
	view_list(v, "captures");
	for (uint32_t i = 0; i < session->dossier->captures.len; i++) {
		const struct capture *c = session->dossier->captures.data[i];

		if (!c->calls)
			continue;
		if (!calls_have_tree(c, request->tree)) {
			others++;
			continue;
		}
		if (show_capture(&s, i, &err) < 0) {
			complain(NULL, "%s", err.msg);
			status = EXIT_FAILED;
		}
	}
	view_list_end(v);
	if (others)
		view_line(v, "Left out", "%zu trace%s no such call", others,
			  others == 1 ? " has" : "s have");
	calls_totals(&s, patterns);
	calls_joint_fini(&joint);
	return show_end(&s, status);
}

/*
 * Index of the first capture of the first input that has calls; with --complete, the first input is
 * the file of this option. SIZE_MAX: there is no such capture.
 */
static size_t calls_complete(const struct session *s)
{
	size_t end = s->loaded.input_ends.len ? s->loaded.input_ends.data[0] : 0;

	for (size_t i = 0; i < end; i++) {
		if (s->dossier->captures.data[i]->calls)
			return i;
	}
	return SIZE_MAX;
}

static bool calls_has_any(const struct session *s)
{
	VEC_FOREACH (c, &s->dossier->captures) {
		if ((*c)->calls)
			return true;
	}
	if (s->dossier->captures.len)
		complain(NULL, "no function graph found; try 'assay report'");
	return false;
}

/*
 * Whether the function pattern @text matches a call. @is_line: @text can also be the line number of
 * a call, such as "L12".
 */
static bool calls_have(const struct session *s, const char *text, bool is_line)
{
	struct str rest = str_of(text);
	uint64_t line;

	if (is_line)
		(void)str_take(&rest, STR("L"));
	is_line = is_line && str_u64(&rest, &line) && rest.len == 0;
	VEC_FOREACH (one, &s->dossier->captures) {
		const struct capture *c = *one;

		if (!c->calls)
			continue;
		if (!is_line && calls_total_of(c, str_of(text), STR_NONE).matching)
			return true;
		for (size_t i = 0; is_line && i < c->calls->line.len; i++) {
			if (c->calls->line.data[i] == line)
				return true;
		}
	}
	return false;
}

/* Refuse an option whose pattern matches no function or call. False: a message was printed. */
static bool calls_check(const struct session *s, const struct args_list *totals,
			const struct call_tree_options *tree)
{
	const struct {
		const char *option;
		struct str pattern;
		bool is_line;
	} named[] = { { "--under", tree->under, false },
		      { "--only", tree->only, false },
		      { "--expand", tree->expand, true } };
	bool has_total = totals->items.len == 0;

	for (size_t i = 0; i < ARRAY_LEN(named); i++) {
		if (!named[i].pattern.len || calls_have(s, named[i].pattern.p, named[i].is_line))
			continue;
		complain(named[i].option,
			 "no call matches '%s'; --by function lists the functions in it",
			 named[i].pattern.p);
		return false;
	}
	VEC_FOREACH (pattern, &totals->items)
		has_total = has_total || calls_have(s, *pattern, false);
	if (!has_total)
		complain("--total",
			 "no call matches '%s'%s; --by function lists the functions in it",
			 totals->items.data[0], totals->items.len > 1 ? " or the others" : "");
	return has_total;
}

/*
 * Execute --calibrate: measure the cost of a traced call, and print it as a file for --tracer-cost.
 */
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
	session->to.is_json = true;
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

/*
 * Read the inputs. The file of --complete becomes the first input. False: the command ends with
 * *@ret_status.
 */
static bool calls_load(struct session *s, const struct args_spec *spec, const char *complete,
		       int *ret_status)
{
	if (complete) {
		(void)VEC_PUSH(&s->in.paths.items);
		memmove(&s->in.paths.items.data[1], &s->in.paths.items.data[0],
			(s->in.paths.items.len - 1) * sizeof(s->in.paths.items.data[0]));
		s->in.paths.items.data[0] = complete;
	}
	if (!session_load(s, spec, ret_status))
		return false;
	if (complete && calls_complete(s) == SIZE_MAX) {
		complain(complete, "no function graph found");
		*ret_status = EXIT_FAILED;
		return false;
	}
	return true;
}

static int calls_run(int argc, char **argv)
{
	struct session s;
	struct args_list patterns = { VEC_INIT };
	const char *under = NULL;
	const char *only = NULL;
	const char *expand = NULL;
	uint64_t levels = 0;
	uint64_t limit = 0;
	const char *cost_text = NULL;
	const char *complete = NULL;
	bool is_calibration = false;
	struct tracer_cost_given cost;
	struct calls_request request;
	struct error err = { "" };
	unsigned int by = CALLS_BY_ALL;
	bool has_tree = false;
	bool has_slow = false;
	struct call_tree_options tree;
	struct args_option options[] = {
		OPT(LIST, "total", 't', "PATTERN", &patterns,
		    "total time of the topmost calls of matching functions: '*lock*|mutex_*', '* "
		    "[nf_nat]'; may be repeated"),
		OPT_DEFAULT(CHOICE, "by", 'b', "all|function|module|category|task|cpu", "all", &by,
			    "show only this table"),
		OPT_FLAG("slow", 0, &has_slow,
			 "list calls that took far longer than usual for their function, and why"),
		OPT_FLAG("tree", 'T', &has_tree, "call tree; equal call paths share a line"),
		OPT(TEXT, "under", 'u', "PATTERN", &under,
		    "call tree below the topmost calls of matching functions"),
		OPT(TEXT, "only", 0, "PATTERN", &only, "call tree of matching functions only"),
		OPT(TEXT, "expand", 0, "PATTERN|LINE", &expand,
		    "show each call that matches, or of that line, separately in the tree"),
		OPT(COUNT, "depth", 'd', "N", &levels, "show N levels of the tree"),
		OPT_DEFAULT(COUNT, "limit", 0, "N", "0", &limit,
			    "print the first N rows of each table; 0: all"),
		OPT(TEXT, "tracer-cost", 0, "FILE|NS", &cost_text,
		    "tracer's cost per call: a file from --calibrate, nanoseconds, or "
		    "INSIDE,TOTAL"),
		OPT(TEXT, "complete", 0, "FILE", &complete,
		    "trace of the same workload without a depth limit; calls that the other traces "
		    "hide are counted in it"),
		OPT_FLAG("calibrate", 0, &is_calibration,
			 "measure the tracer's cost on this machine (needs root); -o saves it"),
		SESSION_JSON(&s),
		SESSION_CSV(&s),
		SESSION_OPTIONS(&s),
		SESSION_FORCE(&s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay calls",
		.operands = "FILE...",
		.summary = "Function graph: calls, self and total time, slow calls, and the cost "
			   "of the tracer itself.",
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
	} else if (calls_load(&s, &spec, complete, &status)) {
		tree = (struct call_tree_options){
			.under = under ? str_of(under) : STR_NONE,
			.only = only ? str_of(only) : STR_NONE,
			.expand = expand ? str_of(expand) : STR_NONE,
			.levels = levels > UINT32_MAX ? UINT32_MAX : (uint32_t)levels,
		};
		request = (struct calls_request){
			.tree = has_tree || under || only || expand || levels ? &tree : NULL,
			.tracer_cost = cost_text ? &cost : NULL,
			.limit = limit,
			.by = has_slow ? CALLS_BY_SLOW : (enum show_calls_by)by,
			.complete = complete ? calls_complete(&s) : SIZE_MAX,
		};
		status = !calls_has_any(&s)                   ? EXIT_FAILED
			 : !calls_check(&s, &patterns, &tree) ? EXIT_USAGE
							      : calls_show(&s, &patterns, &request);
	}
	VEC_FREE(&patterns.items);
	return session_finish(&s, status);
}

const struct cmd cmd_calls = {
	.name = "calls",
	.summary = "summarize a function graph by function, module and kind of work",
	.run = calls_run,
};
