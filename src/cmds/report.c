/* SPDX-License-Identifier: MIT */
/* report.c - `assay report`: tables and call trees, with the terms and options of perf */
#include "analyses/top/top.h"
#include "base/arena.h"
#include "base/command/args.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "cmds/risk/heat.h"
#include "cmds/run/cmd.h"
#include "cmds/run/confine.h"
#include "cmds/run/session.h"
#include "cmds/show/profile/show_profile.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "formats/format.h"
#include "render/perf_stdio.h"
#include "render/view.h"
#include "transform/name_list.h"
#include "transform/select.h"
#include "transform/transform.h"

DECLARE_CMD(report);

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
	const char *risk_dir;
	struct heat_sources risk;
	double percent_limit;
	bool children;
	bool relative;
	bool from_samples;
	const char *columns;
	const char *event;
	bool header;
	bool header_only;
	bool counts; /* option -n of perf: print the number of samples of each row */
	bool group;
	struct arena words;
	VEC(struct str) fields;  /* names of sample fields that are keys of --sort */
	unsigned int percentage; /* value of --percentage: 0: absolute, 1: relative */
	unsigned int format;     /* enum report_format */

	struct show_profile_options options;
	/* values of filter options; the filters in options.spec point to the elements */
	VEC(struct str) names;
};

/*
 * If @key needs source lines or files, request them before the recording is read: the resolver then
 * makes a symbol for each line or file of a function. A text input may already have a column of
 * lines or files.
 */
static void report_wants_lines(struct report *r, enum top_key key)
{
	r->s.in.wanted.line_keys |= key == TOP_SRCLINE;
	r->s.in.wanted.source_keys |= key == TOP_SRCFILE;
}

/* Add a key of --sort or --fields: a built-in key, or the name of a field of events. */
static int report_key(struct report *r, struct str word, struct error *err)
{
	struct top_spec *spec = &r->options.spec;
	struct top_column *column = &spec->keys[spec->n_keys];

	if (!word.len)
		return fail(err, ERR_USAGE, "--sort has an empty key");
	/* "latency" is no key but selects how rows are weighted, as in perf */
	if (str_eq(word, STR("latency"))) {
		r->s.change.is_latency = true;
		return OK;
	}
	r->s.change.has_parallelism |= str_eq(word, STR("parallelism"));
	if (spec->n_keys == TOP_MAX_KEYS)
		return fail(err, ERR_USAGE, "--sort takes at most %u keys", TOP_MAX_KEYS);
	spec->n_keys++;
	if (top_key_find(word, &column->key)) {
		report_wants_lines(r, column->key);
		return OK;
	}
	/* perf's notation for a field of an event: sched:sched_switch.prev_comm */
	if (str_rfind_char(word, '.') < word.len)
		word = str_skip(word, str_rfind_char(word, '.') + 1);
	column->key = TOP_FIELD;
	column->name = arena_str(&r->words, word);
	*VEC_PUSH(&r->fields) = column->name;
	return OK;
}

static int report_keys(struct report *r, struct error *err)
{
	struct str rest = str_of(r->sort);

	while (rest.len) {
		size_t comma = str_find_char(rest, ',');
		int e = report_key(r, str_trim(str_sub(rest, 0, comma)), err);

		if (e < 0)
			return e;
		rest = str_skip(rest, comma + 1);
	}
	r->options.has_keys = r->options.spec.n_keys > 0;
	return OK;
}

/* Parse the option -F of perf. Its list contains columns with figures and keys of rows. */
static int report_columns(struct report *r, struct error *err)
{
	static const struct {
		const char *word;
		unsigned int column;
	} columns[] = {
		{ "overhead", SHOW_SELF },
		{ "overhead_self", SHOW_SELF },
		{ "overhead_children", SHOW_CHILDREN },
		{ "children", SHOW_CHILDREN },
		{ "self", SHOW_SELF },
		{ "sample", SHOW_SAMPLES },
		{ "samples", SHOW_SAMPLES },
		{ "period", SHOW_PERIOD },
	};
	struct str rest = str_of(r->columns);

	while (rest.len) {
		size_t comma = str_find_char(rest, ',');
		struct str word = str_trim(str_sub(rest, 0, comma));
		size_t i = 0;
		int e;

		rest = str_skip(rest, comma + 1);
		while (i < ARRAY_LEN(columns) && !str_eq(word, str_of(columns[i].word)))
			i++;
		if (i < ARRAY_LEN(columns)) {
			r->options.columns |= columns[i].column;
			continue;
		}
		e = report_key(r, word, err);
		if (e < 0)
			return e;
	}
	if (!(r->options.columns & SHOW_CHILDREN))
		r->children = false;
	r->options.has_keys = r->options.spec.n_keys > 0;
	return OK;
}

/*
 * Parse the option -g of perf. Its list contains a tree style, an order and a least share, in any
 * order.
 */
static int report_graph(struct report *r, struct error *err)
{
	static const char *const words[] = { "none",   "caller", "callee",   "graph",   "fractal",
					     "flat",   "folded", "function", "address", "percent",
					     "period", "count",  "branch",   NULL };
	struct str rest = str_of(r->graph);
	bool has_limit = false;

	r->options.has_tree = true;
	r->options.is_callers = false;
	while (rest.len) {
		size_t comma = str_find_char(rest, ',');
		struct str piece = str_sub(rest, 0, comma);
		struct str number = piece;
		uint64_t unused;
		unsigned int word;
		char z[32];
		size_t n;

		rest = str_skip(rest, comma + 1);
		if (str_fixed(&number, 3, &unused, NULL) && number.len == 0) {
			/*
			 * a second number is perf's maximum number of entries: ignore it and print
			 * all entries
			 */
			if (!has_limit)
				(void)str_double(&piece, &r->options.tree_limit);
			has_limit = true;
			continue;
		}
		if (piece.len >= sizeof(z))
			return fail(err, ERR_USAGE,
				    "-g knows graph, fractal, flat, folded, none, "
				    "caller and callee");
		memcpy(z, piece.p, piece.len);
		z[piece.len] = '\0';
		if (args_words(z, words, &word, 1, &n, err) < 0)
			return fail(err, ERR_USAGE,
				    "-g knows graph, fractal, flat, folded, none, caller and "
				    "callee, not '%s'",
				    z);
		if (word == 0)
			r->options.has_tree = false;
		if (word == 1 || word == 2)
			r->options.is_callers = word == 2;
		if (word >= 3 && word <= 6)
			r->options.tree_style = word - 3;
	}
	return OK;
}

/*
 * Append the comma-separated names of @list to r->names, and return the new elements. Filters point
 * to these elements, so r->names must already have the capacity for them.
 */
static struct name_list report_names(struct report *r, const struct args_list *list)
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
	return (struct name_list){ r->names.data + from, r->names.len - from };
}

static size_t report_count_names(const struct args_list *list)
{
	size_t n = 0;

	VEC_FOREACH (item, &list->items)
		n += strlen(*item) + 1;
	return n;
}

/* Refuse options that --format perf would silently ignore. */
static int report_check_perf(const struct report *r, struct error *err)
{
	const struct top_spec *spec = &r->options.spec;

	if (r->s.to.is_json || r->s.to.is_csv)
		return fail(err, ERR_USAGE, "--format perf is text: --json and --csv exclude it");
	if (r->group || r->columns || r->options.tree_style)
		return fail(err, ERR_USAGE,
			    "--format perf has graph trees and its own columns: --group, "
			    "--fields and other trees exclude it");
	if (r->options.has_keys || !select_is_empty(&r->s.change.select) || spec->dsos.n ||
	    spec->symbols.n || spec->categories.n || spec->under.len || r->relative ||
	    r->options.per.len)
		return fail(
			err, ERR_USAGE,
			"--format perf prints whole profiles: --sort, filters and --per exclude "
			"it");
	return OK;
}

/* Refuse --risk if rows are not functions, because its columns describe functions. */
static int report_check_risk(const struct report *r, struct error *err)
{
	const struct top_spec *spec = &r->options.spec;
	bool has_function = spec->n_keys == 0;

	for (size_t i = 0; i < spec->n_keys; i++)
		has_function |= spec->keys[i].key == TOP_SYM;
	if (!has_function || r->group || r->format == REPORT_PERF)
		return fail(err, ERR_USAGE,
			    "--risk adds to rows of functions: --sort must name sym, and --group "
			    "and --format perf exclude it");
	return OK;
}

static int report_options(struct report *r, struct error *err)
{
	struct top_spec *spec = &r->options.spec;
	int e;

	r->relative |= r->percentage == 1;
	VEC_RESERVE(&r->names, report_count_names(&r->s.in.chosen[SELECT_COMM]) +
				       report_count_names(&r->dsos) +
				       report_count_names(&r->symbols) +
				       report_count_names(&r->categories));
	spec->comms = report_names(r, &r->s.in.chosen[SELECT_COMM]);
	spec->dsos = report_names(r, &r->dsos);
	spec->symbols = report_names(r, &r->symbols);
	spec->categories = report_names(r, &r->categories);
	spec->rows = &r->s.change.select;
	r->s.change.filters_rows_itself = true;
	r->s.change.select.is_relative = r->relative;
	spec->under = str_of(r->under);
	spec->percent_limit = r->percent_limit;
	spec->relative = r->relative;
	if (r->columns && report_columns(r, err) < 0)
		return ERR_USAGE;
	spec->no_children = !r->children;
	spec->sort_by_self = !r->children;
	spec->source = r->from_samples ? TOP_FROM_SAMPLES : TOP_AUTO;
	r->options.per = str_of(r->per);
	r->options.has_header = r->header || r->header_only;
	e = r->graph ? report_graph(r, err) : OK;
	if (e == OK && r->sort)
		e = report_keys(r, err);
	if (e == OK && r->format == REPORT_PERF)
		e = report_check_perf(r, err);
	if (e == OK && r->risk_dir)
		e = report_check_risk(r, err);
	r->s.change.has_parallelism |= r->s.change.is_latency;
	r->s.in.fields = r->fields.data;
	r->s.in.n_fields = r->fields.len;
	return e;
}

/* Whether --event selects the capture. "cycles" selects "cycles:u", too. */
static bool report_is_of_event(const struct report *r, const struct capture *c)
{
	struct str event;
	struct str wanted = str_of(r->event);

	if (!r->event)
		return true;
	if (!c->profile)
		return false;
	event = strings_get(capture_strings(c), c->profile->event);
	return str_eq(event, wanted) || str_glob(wanted, event) ||
	       str_eq(str_sub(event, 0, str_rfind_char(event, ':')), wanted);
}

/*
 * Check that --event selects a capture. False: it selects none; the available events were printed.
 */
static bool report_check_event(struct report *r)
{
	struct out known = { .fd = -1 };
	bool found = false;

	VEC_FOREACH (c, &r->s.dossier->captures) {
		found |= report_is_of_event(r, *c);
		if ((*c)->profile && (*c)->profile->event.v)
			out_printf(
				&known, "%s" STR_FMT, known.len ? ", " : "; events in it: ",
				STR_ARG(strings_get(&r->s.dossier->strings, (*c)->profile->event)));
	}
	if (!found)
		complain(NULL, "no capture has the event '%s'" STR_FMT, r->event,
			 STR_ARG(out_view(&known)));
	out_fini(&known);
	return found;
}

/*
 * Append the names of the numbers that the input states: "replicas, requests" if it states "3
 * replicas" and "10000 requests".
 */
static void report_stated(const struct report *r, struct out *ret, struct suggest *like)
{
	VEC_FOREACH (c, &r->s.dossier->captures) {
		VEC_FOREACH (f, &(*c)->facts) {
			struct str name = strings_get(&r->s.dossier->strings, f->name);

			suggest_try(like, name);
			if (!str_contains(out_view(ret), name))
				out_printf(ret, "%s" STR_FMT, ret->len ? ", " : "", STR_ARG(name));
		}
	}
}

/*
 * Check that --per and the sort keys are valid for at least one profile. If they are not, print one
 * message, instead of one for each profile, and return false.
 */
static bool report_check_options(struct report *r)
{
	struct error first = { "" };
	struct out stated = { .fd = -1 };
	struct suggest like;
	uint64_t by;
	bool has_profile = false;
	bool is_stated = !r->options.per.len;
	bool is_known = false;

	suggest_init(&like, r->options.per);
	VEC_FOREACH (c, &r->s.dossier->captures) {
		struct error err = { "" };

		if (!(*c)->profile || (*c)->excerpt_of != INDEX_NONE || !report_is_of_event(r, *c))
			continue;
		is_stated |= r->options.per.len && top_fact(*c, r->options.per, &by);
		is_known |= top_check(*c, &r->options.spec, &err) >= 0;
		first = has_profile ? first : err;
		has_profile = true;
	}
	if (!has_profile)
		return true;
	if (!is_known)
		complain(NULL, "%s", first.msg);
	else if (!is_stated)
		report_stated(r, &stated, &like);
	if (is_known && !is_stated && stated.len)
		complain(NULL, "--per: the input states no number of '%s', only of " STR_FMT "%s%s",
			 r->per, STR_ARG(out_view(&stated)), like.best[0] ? "; did you mean " : "",
			 like.best);
	else if (is_known && !is_stated)
		complain(NULL,
			 "--per: the input states no number of '%s'. Add a line such as "
			 "\"10000 %s\" above the profile",
			 r->per, r->per);
	out_fini(&stated);
	return is_known && is_stated;
}

/*
 * Whether the options apply to the capture. If options for profiles are given, other captures are
 * not shown.
 */
static bool report_wants(const struct report *r, const struct capture *c)
{
	const struct top_spec *spec = &r->options.spec;

	if (c->profile)
		return report_is_of_event(r, c);
	return !r->event && !r->options.has_keys && !r->options.has_tree && !r->options.per.len &&
	       select_is_empty(&r->s.change.select) && !spec->dsos.n && !spec->symbols.n &&
	       !spec->categories.n && !spec->under.len;
}

/* Append a filter option as the user wrote it: "--dso a,b". */
static void report_asked(const char *option, const struct args_list *list, struct out *ret)
{
	if (list->items.len)
		out_printf(ret, "%s--%s ", ret->len ? " and " : "", option);
	for (size_t i = 0; i < list->items.len; i++)
		out_printf(ret, "%s%s", i ? "," : "", list->items.data[i]);
}

/* Report that no row of @c passes the filters, and list the values that rows have. */
static void report_warn_empty(const struct report *r, const struct capture *c)
{
	const struct top_spec *spec = &r->options.spec;
	struct out asked = { .fd = -1 };
	struct out offer = { .fd = -1 };

	for (enum select_kind k = 0; k < SELECT_KINDS; k++)
		report_asked(select_kind_name(k), &r->s.in.chosen[k], &asked);
	report_asked("dso", &r->dsos, &asked);
	report_asked("symbol", &r->symbols, &asked);
	report_asked("category", &r->categories, &asked);
	if (r->under)
		out_printf(&asked, "%s--parent %s", asked.len ? " and " : "", r->under);
	if (spec->symbols.n || spec->under.len)
		select_offer(c, SELECT_SYMBOL, &offer);
	else if (spec->dsos.n)
		select_offer(c, SELECT_DSO, &offer);
	else if (spec->comms.n)
		select_offer(c, SELECT_COMM, &offer);
	else if (spec->categories.n)
		out_z(&offer, "--sort category shows the kinds of work in it");
	complain(strings_get(capture_strings(c), c->path).p,
		 "nothing matches " STR_FMT "%s" STR_FMT, STR_ARG(out_view(&asked)),
		 offer.len ? "; " : "", STR_ARG(out_view(&offer)));
	out_fini(&asked);
	out_fini(&offer);
}

/*
 * Whether no row of any profile passes the filters. If so, a message was printed instead of empty
 * tables.
 */
static bool report_is_empty(struct report *r)
{
	const struct top_spec *spec = &r->options.spec;
	const struct capture *first = NULL;

	if (!spec->comms.n && !spec->dsos.n && !spec->symbols.n && !spec->categories.n &&
	    !spec->under.len && select_is_empty(&r->s.change.select))
		return false;
	VEC_FOREACH (c, &r->s.dossier->captures) {
		struct error err;
		struct top top;
		bool has_rows;

		if (!(*c)->profile || (*c)->excerpt_of != INDEX_NONE || !report_is_of_event(r, *c))
			continue;
		/* an error here is reported later, when the table is printed */
		if (top_compute(*c, &r->s.cats, spec, &top, &err) < 0)
			return false;
		has_rows = top.n_rows > 0;
		top_fini(&top);
		if (has_rows)
			return false;
		first = first ? first : *c;
	}
	if (first)
		report_warn_empty(r, first);
	return first;
}

static int report_show(struct report *r)
{
	CLEANUP(view_freep) struct view *v = session_view(&r->s);
	struct show s = { .session = &r->s, .v = v, .profile = &r->options };
	struct error err = { "" };
	int status = EXIT_DONE;

	if (!v)
		return EXIT_FAILED;
	if (r->risk_dir) {
		heat_sources_join(&r->risk, &r->s.dossier->symbols);
		r->options.risk = &r->risk;
	}
	/*
	 * The view limits tables in text and CSV, but not in JSON. In all formats, tables of
	 * profiles apply the option --limit themselves.
	 */
	v->row_limit = r->s.to.is_json ? 0 : r->options.limit;
	view_begin(v, "assay-report-1");
	view_list(v, "captures");
	if (r->group && show_groups(&s, &err) < 0) {
		complain(NULL, "%s", err.msg);
		status = EXIT_USAGE;
	}
	for (uint32_t i = 0; i < r->s.dossier->captures.len; i++) {
		const struct capture *c = r->s.dossier->captures.data[i];
		int e = OK;

		if (!report_wants(r, c) || (r->group && c->profile && !c->profile->table.rows.len))
			continue;
		if (r->header_only) {
			show_header(&s, i);
			continue;
		}
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
	if (r->s.change.is_off_cpu && !r->header_only)
		show_all_waits(&s);
	return show_end(&s, status);
}

/* Execute --format perf: print each whole profile in the format of perf report --stdio. */
static int report_perf(struct report *r)
{
	const struct perf_stdio_options options = {
		.no_children = !r->children,
		.no_trees = r->graph && !r->options.has_tree,
		.caller_order = r->options.has_tree && !r->options.is_callers,
		.percent_limit = r->options.tree_limit > 0 ? r->options.tree_limit
				 : r->percent_limit > 0    ? r->percent_limit
							   : -1,
		.has_samples = r->counts,
		.has_header = r->options.has_header,
	};
	struct out *out = session_open(&r->s);
	struct error err = { "" };
	str_id path = STR_ID_NONE;
	unsigned int n = 0;

	if (!out)
		return EXIT_FAILED;
	VEC_FOREACH (c, &r->s.dossier->captures) {
		if (!(*c)->profile || (*c)->excerpt_of != INDEX_NONE || !report_is_of_event(r, *c))
			continue;
		if (r->options.has_header && path.v != (*c)->path.v)
			perf_stdio_header(out, *c);
		path = (*c)->path;
		n++;
		if (r->header_only)
			continue;
		if (perf_stdio_print(out, *c, &options, &err) < 0) {
			complain(strings_get(&r->s.dossier->strings, (*c)->path).p, "%s", err.msg);
			return EXIT_FAILED;
		}
	}
	if (n == 0)
		complain(NULL, "no profile found; try 'assay report' without --format perf");
	return n ? EXIT_DONE : EXIT_FAILED;
}

static void report_fini(struct report *r)
{
	VEC_FREE(&r->names);
	VEC_FREE(&r->fields);
	arena_fini(&r->words);
	VEC_FREE(&r->dsos.items);
	VEC_FREE(&r->symbols.items);
	VEC_FREE(&r->categories.items);
	heat_sources_fini(&r->risk);
}

/*
 * Set which data of samples the tables do not need. Readers can then skip this data, which makes
 * large recordings faster to read.
 */
static void report_leave_out(struct report *r)
{
	const struct top_spec *spec = &r->options.spec;
	bool is_text = !r->s.to.is_json && !r->s.to.is_csv && r->format == REPORT_OWN;

	r->s.change.drops_helpers = !r->event;
	if (r->s.change.is_off_cpu && !r->event)
		r->event = "off-cpu";
	if (r->fields.len || r->s.change.is_off_cpu)
		return;
	for (size_t i = 0; i < spec->n_keys; i++) {
		if (spec->keys[i].key != TOP_COMM && spec->keys[i].key != TOP_DSO &&
		    spec->keys[i].key != TOP_SYM && spec->keys[i].key != TOP_SPACE &&
		    spec->keys[i].key != TOP_SRCLINE && spec->keys[i].key != TOP_SRCFILE &&
		    spec->keys[i].key != TOP_CATEGORY && spec->keys[i].key != TOP_COMM_NODIGIT)
			return;
	}
	r->s.in.read.without = SAMPLE_TIME | SAMPLE_CPU | SAMPLE_THREAD;
	r->s.in.read.without_callers = is_text && r->graph && !r->options.has_tree &&
				       !r->children && !spec->under.len && !r->group;
}

static bool report_prepare(struct report *r, const struct args_spec *spec, int *ret_status)
{
	const char *const trees[] = { r->risk_dir, NULL };
	struct error err = { "" };

	if (report_options(r, &err) < 0) {
		complain(NULL, "%s; try '%s --help'", err.msg, spec->command);
		*ret_status = EXIT_USAGE;
		return false;
	}
	report_leave_out(r);
	r->s.in.wanted.places = r->risk_dir != NULL;
	if (r->risk_dir && !session_confine(&r->s, trees, ret_status))
		return false;
	if (r->risk_dir &&
	    heat_sources_open(r->risk_dir, r->s.sources.has_cache, &r->risk, &err) < 0) {
		complain(NULL, "%s", err.msg);
		*ret_status = EXIT_FAILED;
		return false;
	}
	return true;
}

static int report_run(int argc, char **argv)
{
	struct report r = { .children = true };
	struct args_option options[] = {
		ARGS_HEADING("output"),
		OPT_DEFAULT(TEXT, "sort", 's', "KEYS", "comm,dso,sym", &r.sort,
			    "rows by comm, dso, sym, canonical, pid, tid, cpu, socket, node, "
			    "space, category, srcline, srcfile, comm_nodigit, parallelism (threads "
			    "that ran at that moment), latency (as --latency), or a field of the "
			    "event (trace, prev_comm, ...); several joined by commas"),
		OPT_DEFAULT(TEXT, "call-graph", 'g', "ORDER", "none", &r.graph,
			    "call trees: caller (from the outermost function down), callee (from "
			    "each function to its callers) or none; optional: graph, fractal, flat "
			    "or folded, and a minimum in percent"),
		OPT(TEXT, "fields", 'F', "COLUMNS", &r.columns,
		    "columns: overhead, overhead_children, sample, period, and keys of --sort"),
		OPT(TEXT, "risk", 0, "DIR", &r.risk_dir,
		    "columns from these C sources: risk score, cyclomatic complexity and place of "
		    "each function"),
		SESSION_CACHE(&r.s),
		OPT_FLAG("group", 0, &r.group, "show the events of a recording side by side"),
		OPT_FLAG("header", 0, &r.header,
			 "also print the whole header (--header-only: nothing else)"),
		OPT_FLAG("header-only", 0, &r.header_only, NULL),
		OPT_FLAG("show-nr-samples", 'n', &r.counts, NULL),
		OPT_FLAG("children", 0, &r.children,
			 "sort by total: function with callees (--no-children: by self)"),
		ARGS_HEADING("samples and rows"),
		OPT(TEXT, "event", 'e', "EVENT", &r.event, "only this event of several"),
		SESSION_CHOICE(&r.s),
		SESSION_OFF_CPU(&r.s),
		OPT_FLAG("latency", 0, &r.s.change.is_latency,
			 "weigh samples by wall time: each is divided by the number of threads "
			 "that ran at that moment; needs switches of threads"),
		OPT(LIST, "dso", 'd', "NAMES", &r.dsos, "only these shared objects"),
		OPT(LIST, "dsos", 0, NULL, &r.dsos, NULL),
		OPT(LIST, "symbol", 'S', "NAMES", &r.symbols, "only these functions"),
		OPT(LIST, "symbols", 0, NULL, &r.symbols, NULL),
		OPT(LIST, "category", 0, "NAMES", &r.categories, "only these kinds of work"),
		OPT(TEXT, "parent", 'p', "NAME", &r.under,
		    "only stacks that contain this function"),
		ARGS_HEADING("figures"),
		OPT_DEFAULT(COUNT, "limit", 0, "N", "0", &r.options.limit,
			    "print the first N rows of each table; 0: all"),
		OPT_DEFAULT(NUMBER, "percent-limit", 0, "P", "0", &r.percent_limit,
			    "omit rows below P percent"),
		OPT_FLAG("relative", 0, &r.relative,
			 "percentages of the selected samples, not of all"),
		OPT_DEFAULT(CHOICE, "percentage", 0, "absolute|relative", "absolute", &r.percentage,
			    "the same, with perf's option name"),
		OPT(TEXT, "per", 0, "FACT", &r.per,
		    "divide by a number stated in the input: --per requests"),
		OPT_FLAG("from-samples", 0, &r.from_samples,
			 "sum samples instead of using printed rows"),
		OPT_DEFAULT(CHOICE, "format", 0, "assay|perf", "assay", &r.format,
			    "perf: the layout of perf report --stdio"),
		SESSION_JSON(&r.s),
		SESSION_CSV(&r.s),
		SESSION_SYMBOLS(&r.s),
		SESSION_OPTIONS(&r.s),
		SESSION_FORCE(&r.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay report",
		.operands = "FILE...",
		.summary = "Print tables and call trees with the options of perf report.",
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
		status = !report_check_event(&r) || !report_check_options(&r) || report_is_empty(&r)
				 ? EXIT_USAGE
			 : r.format == REPORT_PERF ? report_perf(&r)
						   : report_show(&r);
	report_fini(&r);
	return session_finish(&r.s, status);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "print tables and call trees with the options of perf report",
	.run = report_run,
};
