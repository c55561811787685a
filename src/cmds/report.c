/* SPDX-License-Identifier: MIT */
/*
 * report.c - `assay report`: tables and trees in perf's words
 */
#include "cmds/cmd.h"
#include "cmds/show.h"
#include "render/perf_stdio.h"

enum report_format { REPORT_OWN, REPORT_PERF };

struct report {
	struct session s;
	const char *sort;
	const char *graph;
	const char *per;
	struct args_list dsos;
	struct args_list symbols;
	struct args_list categories;
	const char *under;
	double percent_limit;
	bool children;
	bool relative;
	bool from_samples;
	unsigned int percentage; /* 1: relative */
	unsigned int format;     /* enum report_format */

	struct show_profile_options options;
	VEC(struct str) names; /* behind the filters of options.spec */
};

static int report_keys(struct report *r, struct error *err)
{
	struct str rest = str_of(r->sort);
	struct top_spec *spec = &r->options.spec;

	while (rest.len) {
		size_t comma = str_find_char(rest, ',');
		struct str word = str_trim(str_sub(rest, 0, comma));
		enum top_key key;

		if (!top_key_find(word, &key))
			return fail(err, ERR_USAGE,
				    "--sort does not know '" STR_FMT
				    "'; it knows comm, dso, sym, canonical, pid, tid, cpu, space, "
				    "category",
				    STR_ARG(word));
		if (spec->n_keys == TOP_MAX_KEYS)
			return fail(err, ERR_USAGE, "--sort takes at most %u keys", TOP_MAX_KEYS);
		spec->keys[spec->n_keys++] = (struct top_column){ key, 0 };
		rest = str_skip(rest, comma + 1);
	}
	r->options.has_keys = spec->n_keys > 0;
	return OK;
}

/* perf's -g: print type, limit, order … in any order; only the order matters here. */
static int report_graph(struct report *r, struct error *err)
{
	static const char *const words[] = { "none",   "caller", "callee",   "graph",   "fractal",
					     "flat",   "folded", "function", "address", "percent",
					     "period", "count",  "branch",   NULL };
	struct str rest = str_of(r->graph);

	while (rest.len) {
		size_t comma = str_find_char(rest, ',');
		struct str piece = str_sub(rest, 0, comma);
		struct str number = piece;
		uint64_t unused;
		unsigned int word;
		char z[32];
		size_t n;
		int e;

		rest = str_skip(rest, comma + 1);
		if (str_fixed(&number, 3, &unused, NULL) && number.len == 0) {
			(void)str_double(&piece, &r->options.spec.percent_limit);
			continue;
		}
		if (piece.len >= sizeof(z))
			return fail(err, ERR_USAGE, "-g knows caller, callee and none");
		memcpy(z, piece.p, piece.len);
		z[piece.len] = '\0';
		e = args_words(z, words, &word, 1, &n, err);
		if (e < 0)
			return fail(err, ERR_USAGE, "-g knows caller, callee and none, not '%s'",
				    z);
		r->options.has_tree = word != 0;
		if (word == 1 || word == 2)
			r->options.is_callers = word == 2;
	}
	return OK;
}

/* Room for all names must be there before: the specs point into the vec. */
static struct top_names report_names(struct report *r, const struct args_list *list)
{
	size_t from = r->names.len;

	VEC_FOREACH (item, &list->items) {
		struct str rest = str_of(*item);

		while (rest.len) {
			size_t comma = str_find_char(rest, ',');

			*VEC_PUSH(&r->names) = str_sub(rest, 0, comma);
			rest = str_skip(rest, comma + 1);
		}
	}
	return (struct top_names){ r->names.data + from, r->names.len - from };
}

static size_t report_count_names(const struct args_list *list)
{
	size_t n = 0;

	VEC_FOREACH (item, &list->items)
		n += strlen(*item) + 1;
	return n;
}

/* What perf's layout cannot hold must not be dropped in silence. */
static int report_check_perf(const struct report *r, struct error *err)
{
	const struct top_spec *spec = &r->options.spec;

	if (r->s.is_json || r->s.is_csv)
		return fail(err, ERR_USAGE, "--format perf is text: --json and --csv exclude it");
	if (r->options.has_keys || !select_is_empty(&r->s.select) || spec->dsos.n ||
	    spec->symbols.n || spec->categories.n || spec->under.len || r->relative ||
	    r->options.per.len)
		return fail(
			err, ERR_USAGE,
			"--format perf prints whole profiles: --sort, filters and --per exclude "
			"it");
	return OK;
}

static int report_options(struct report *r, struct error *err)
{
	struct top_spec *spec = &r->options.spec;
	int e;

	r->relative |= r->percentage == 1;
	VEC_RESERVE(&r->names,
		    report_count_names(&r->s.chosen[SELECT_COMM]) + report_count_names(&r->dsos) +
			    report_count_names(&r->symbols) + report_count_names(&r->categories));
	spec->comms = report_names(r, &r->s.chosen[SELECT_COMM]);
	spec->dsos = report_names(r, &r->dsos);
	spec->symbols = report_names(r, &r->symbols);
	spec->categories = report_names(r, &r->categories);
	spec->rows = &r->s.select;
	r->s.keeps_printed = true;
	r->s.select.is_relative = r->relative;
	spec->under = str_of(r->under);
	spec->percent_limit = r->percent_limit;
	spec->relative = r->relative;
	spec->no_children = !r->children;
	spec->sort_by_self = !r->children;
	spec->source = r->from_samples ? TOP_FROM_SAMPLES : TOP_AUTO;
	r->options.per = str_of(r->per);
	e = r->graph ? report_graph(r, err) : OK;
	if (e == OK && r->sort)
		e = report_keys(r, err);
	if (e == OK && r->format == REPORT_PERF)
		e = report_check_perf(r, err);
	return e;
}

/* Options about profiles leave other captures out. */
static bool report_wants(const struct report *r, const struct capture *c)
{
	const struct top_spec *spec = &r->options.spec;

	if (c->profile)
		return true;
	return !r->options.has_keys && !r->options.has_tree && !r->options.per.len &&
	       select_is_empty(&r->s.select) && !spec->dsos.n && !spec->symbols.n &&
	       !spec->categories.n && !spec->under.len;
}

static int report_show(struct report *r)
{
	CLEANUP(view_freep) struct view *v = session_view(&r->s);
	struct show s = { .session = &r->s, .v = v, .profile = &r->options };
	struct error err = { "" };
	int status = EXIT_DONE;

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-report-1");
	view_list(v, "captures");
	for (uint32_t i = 0; i < r->s.dossier->captures.len; i++) {
		const struct capture *c = r->s.dossier->captures.data[i];
		int e = OK;

		if (!report_wants(r, c))
			continue;
		if (c->profile && c->excerpt_of == INDEX_NONE)
			e = top_check(c, &r->options.spec, &err);
		if (e == OK)
			e = show_capture(&s, i, &err);
		if (e < 0) {
			complain(show_string(&s, c->path).p, "%s", err.msg);
			status = e == ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
		}
	}
	view_list_end(v);
	if (view_end(v, &err) < 0)
		status = EXIT_FAILED;
	arena_fini(&s.scratch);
	return status;
}

/* --format perf: each whole profile as perf report --stdio prints it. */
static int report_perf(struct report *r)
{
	const struct perf_stdio_options options = {
		.no_children = !r->children,
		.no_trees = r->graph && !r->options.has_tree,
		.caller_order = r->options.has_tree && !r->options.is_callers,
		.percent_limit = r->percent_limit > 0 ? r->percent_limit : -1,
	};
	struct out *out = session_open(&r->s);
	struct error err = { "" };
	unsigned int n = 0;

	if (!out)
		return EXIT_FAILED;
	VEC_FOREACH (c, &r->s.dossier->captures) {
		if (!(*c)->profile || (*c)->excerpt_of != INDEX_NONE)
			continue;
		if (perf_stdio_print(out, *c, &options, &err) < 0) {
			complain(strings_get(&r->s.dossier->strings, (*c)->path).p, "%s", err.msg);
			return EXIT_FAILED;
		}
		n++;
	}
	if (n == 0)
		complain(NULL, "no profile in it; try 'assay report' without --format perf");
	return n ? EXIT_DONE : EXIT_FAILED;
}

static void report_fini(struct report *r)
{
	VEC_FREE(&r->names);
	VEC_FREE(&r->dsos.items);
	VEC_FREE(&r->symbols.items);
	VEC_FREE(&r->categories.items);
}

static bool report_prepare(struct report *r, const struct args_spec *spec, int *ret_status)
{
	struct error err = { "" };

	if (report_options(r, &err) < 0) {
		complain(NULL, "%s; try '%s --help'", err.msg, spec->command);
		*ret_status = EXIT_USAGE;
		return false;
	}
	return true;
}

static int report_run(int argc, char **argv)
{
	struct report r = { .children = true };
	struct args_option options[] = {
		ARGS_HEADING("what is shown"),
		{ "sort", 's', ARGS_TEXT, "KEYS",
		  "rows by comm, dso, sym, canonical, pid, tid, cpu, space, category; several by "
		  "comma",
		  "comm,dso,sym", &r.sort },
		{ "call-graph", 'g', ARGS_TEXT, "ORDER",
		  "trees: caller (from the outermost function down), callee (from each function to "
		  "its callers), none; perf's longer forms are taken too",
		  "none", &r.graph },
		{ "children", 0, ARGS_FLAG, NULL,
		  "sort by what a function and its callees took (--no-children: itself)", NULL,
		  &r.children },
		ARGS_HEADING("which samples and rows"),
		SESSION_CHOICE(&r.s),
		{ "dso", 'd', ARGS_LIST, "NAMES", "only these shared objects", NULL, &r.dsos },
		{ "dsos", 0, ARGS_LIST, NULL, NULL, NULL, &r.dsos },
		{ "symbol", 'S', ARGS_LIST, "NAMES", "only these functions", NULL, &r.symbols },
		{ "symbols", 0, ARGS_LIST, NULL, NULL, NULL, &r.symbols },
		{ "category", 0, ARGS_LIST, "NAMES", "only these kinds of work", NULL,
		  &r.categories },
		{ "parent", 'p', ARGS_TEXT, "NAME", "only stacks that hold this function", NULL,
		  &r.under },
		ARGS_HEADING("figures"),
		{ "percent-limit", 0, ARGS_NUMBER, "P", "leave out rows below P percent", "0",
		  &r.percent_limit },
		{ "relative", 0, ARGS_FLAG, NULL, "percentages of what is shown, not of all", NULL,
		  &r.relative },
		{ "percentage", 0, ARGS_CHOICE, "absolute|relative", "the same, as perf says it",
		  "absolute", &r.percentage },
		{ "per", 0, ARGS_TEXT, "FACT",
		  "divide by a number that the input states: --per requests", NULL, &r.per },
		{ "from-samples", 0, ARGS_FLAG, NULL,
		  "add samples up, do not take printed rows as they are", NULL, &r.from_samples },
		{ "format", 0, ARGS_CHOICE, "assay|perf", "perf: as perf report --stdio prints",
		  "assay", &r.format },
		SESSION_JSON(&r.s),
		SESSION_CSV(&r.s),
		SESSION_SYMBOLS(&r.s),
		SESSION_OPTIONS(&r.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay report",
		.operands = "FILE...",
		.summary = "Tables and trees of what was measured, in perf's words.",
		.options = options,
		.tail = "examples:\n"
			"  assay report --no-children --sort dso,sym mail.txt\n"
			"  assay report -g callee -S memcpy_erms report.txt\n"
			"  assay report --sort category --per requests report.txt",
	};
	int status;

	session_init(&r.s);
	if (session_parse(&r.s, &spec, argc, argv, &status) && report_prepare(&r, &spec, &status) &&
	    session_load(&r.s, &spec, &status) && r.s.dossier->captures.len)
		status = r.format == REPORT_PERF ? report_perf(&r) : report_show(&r);
	report_fini(&r);
	return session_finish(&r.s, status);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "tables and trees in perf's words",
	.run = report_run,
};
