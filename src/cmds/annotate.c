/* SPDX-License-Identifier: MIT */
/*
 * annotate.c - `assay annotate`: which lines and instructions of a function take the time
 *
 * The input is a text of perf annotate, pprof or callgrind_annotate, which already is a listing.
 * From a perf.data and the program that ran, assay makes the listing itself.
 */
#include "cmds/annotate.h"

#include "analyses/compare/compare.h"
#include "analyses/compare/compare_lines.h"
#include "analyses/plain_name.h"
#include "analyses/top/top.h"
#include "base/command/args.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "render/view.h"
#include "transform/select.h"
#include "transform/transform.h"

DECLARE_CMD(annotate);

/* without -S, only functions with at least this self share are listed */
#define ANNOTATE_HOT_PCT 5.0
/* maximum number of messages about functions that cannot be compared */
#define ANNOTATE_DECLINED  4u
#define ANNOTATE_FUNCTIONS 3u /* maximum number of listings in text output, without -S */

struct annotate_command {
	struct session *s;
	struct args_list functions; /* values of the option -S: functions to list */
	VEC(struct str) patterns;   /* the values of -S as strings */
	VEC(struct str) names;      /* names of the functions to compare; borrowed */
	const char *event;
	bool is_whole;
};

static const struct code *annotate_code(const struct capture *c)
{
	return c->code ? c->code : c->instructions;
}

/*
 * Whether @name matches a pattern of -S. The types and parameters in @name may be left out of the
 * pattern.
 */
static bool annotate_matches(const struct annotate_command *a, struct str name)
{
	struct plain_name plain;
	struct str typeless = plain_name_make(&plain, name);

	VEC_FOREACH (pattern, &a->patterns) {
		if (symbol_name_matches(name, *pattern) || str_eq(*pattern, typeless))
			return true;
	}
	return false;
}

static bool annotate_has_inlined(const struct annotate_command *a, const struct code *code,
				 const struct code_function *f)
{
	const struct symbols *symbols = &a->s->dossier->symbols;

	for (uint32_t i = f->first; i < f->first + f->n; i++) {
		const struct code_row *row = &code->rows.data[i];

		if (row->inlined.v && row->self > 0 &&
		    annotate_matches(a, symbols_name(symbols, row->inlined)))
			return true;
	}
	return false;
}

/*
 * Whether @f is to be listed. Without -S, @f must be hot. With -S, a pattern must match the name of
 * @f, or the name of a function that is inlined into @f.
 */
static bool annotate_is_asked(const struct annotate_command *a, const struct code *code,
			      const struct code_function *f)
{
	/*
	 * without filters, the listing of a recording has only hot functions: list all. With
	 * filters, it also has functions that are not hot (read_options.with_code_rows)
	 */
	if (a->patterns.len == 0)
		return select_is_empty(&a->s->change.select) || f->of_all >= ANNOTATE_HOT_PCT;
	return annotate_matches(a, symbols_name(&a->s->dossier->symbols, f->sym)) ||
	       annotate_has_inlined(a, code, f);
}

static bool annotate_is_of_event(const struct annotate_command *a, const struct capture *c)
{
	str_id event = c->profile         ? c->profile->event
		       : annotate_code(c) ? annotate_code(c)->event
					  : STR_ID_NONE;
	struct str name = strings_get(&a->s->dossier->strings, event);

	return !a->event || str_eq(name, str_of(a->event)) ||
	       str_eq(str_sub(name, 0, str_find_char(name, ':')), str_of(a->event));
}

/* The reason why @code has no listing of the function @sym, which has samples. */
static struct str annotate_why(const struct annotate_command *a, const struct code *code,
			       sym_id sym)
{
	const struct symbol *symbol = symbols_get(&a->s->dossier->symbols, sym);

	VEC_FOREACH (m, &code->missing) {
		if (m->sym.v == sym.v)
			return strings_get(&a->s->dossier->strings, m->why);
	}
	if (symbol->space == SPACE_KERNEL)
		return STR("code of the kernel, which assay does not disassemble; perf annotate "
			   "does, as root on that machine");
	if (symbol->space == SPACE_JIT)
		return STR("code that a runtime generated, which the recording does not contain");
	if (!select_is_empty(&a->s->change.select) && a->patterns.len == 0)
		return STR(
			"not among the hottest functions of the whole recording; -S NAME adds it");
	return STR("no function is known there: the program is stripped, not here, or of another "
		   "build");
}

static bool annotate_has(const struct code *code, sym_id sym)
{
	VEC_FOREACH (f, &code->functions) {
		if (f->sym.v == sym.v)
			return true;
	}
	return false;
}

/*
 * Print each function that has no listing in @c, with the reason. With -S, print only functions
 * that match a pattern; without -S, only hot functions. Returns the number of these functions. If
 * @s is NULL, only count them.
 */
static size_t annotate_missing(const struct annotate_command *a, struct show *s,
			       const struct capture *c)
{
	static const struct code none = { .unit = WEIGHT_PERCENT };
	const struct code *code = annotate_code(c) ? annotate_code(c) : &none;
	struct top top;
	size_t n = 0;

	if (!c->profile || top_by(c, NULL, TOP_SYM, &top, NULL) < 0)
		return 0;
	VEC_FOREACH (row, &top.rows) {
		sym_id sym = { row->keys[0] };
		struct str name = symbols_name(&a->s->dossier->symbols, sym);

		if (annotate_has(code, sym) || (a->patterns.len ? !annotate_matches(a, name)
								: row->self_pct < ANNOTATE_HOT_PCT))
			continue;
		n++;
		if (!s)
			continue;
		view_object(s->v, NULL, NULL);
		view_field(s->v, "function", NULL, cell_text(name));
		view_field(s->v, "of_all_pct", NULL, cell_real(row->self_pct, 2));
		view_field(s->v, "why", NULL, cell_text(annotate_why(a, code, sym)));
		view_line(s->v, n > 1 ? NULL : "No listing", STR_FMT " (%.1f %%): " STR_FMT,
			  STR_ARG(name), row->self_pct, STR_ARG(annotate_why(a, code, sym)));
		view_object_end(s->v);
	}
	top_fini(&top);
	return n;
}

/* Whether something can be printed for @c: a listing, or the reason why there is no listing. */
static bool annotate_has_any(const struct annotate_command *a, const struct capture *c)
{
	const struct code *code = annotate_code(c);

	if (code) {
		VEC_FOREACH (f, &code->functions) {
			if (annotate_is_asked(a, code, f))
				return true;
		}
	}
	return c->profile && str_eq(str_of(c->format), STR("perf-data")) &&
	       annotate_missing(a, NULL, c);
}

static void annotate_capture(const struct annotate_command *a, struct show *s, uint32_t capture)
{
	const struct capture *c = a->s->dossier->captures.data[capture];
	const struct code *code = annotate_code(c);
	bool is_limited = a->patterns.len == 0 && !a->s->to.is_json && !a->s->to.is_csv;
	struct str left = STR_NONE;
	size_t n = 0;

	view_object(s->v, NULL, NULL);
	show_selected(s, capture);
	view_list(s->v, "functions");
	for (size_t i = 0; code && i < code->functions.len; i++) {
		const struct code_function *f = &code->functions.data[i];

		if (!annotate_is_asked(a, code, f))
			continue;
		if (is_limited && n++ >= ANNOTATE_FUNCTIONS) {
			left = show_format(s, STR_FMT "%s" STR_FMT, STR_ARG(left),
					   left.len ? ", " : "",
					   STR_ARG(symbols_name(&a->s->dossier->symbols, f->sym)));
			continue;
		}
		show_annotate(s, c, f, a->is_whole);
	}
	view_list_end(s->v);
	view_list(s->v, "missing");
	(void)annotate_missing(a, s, c);
	view_list_end(s->v);
	if (diag_get(&c->diag, "perf-data-newer-source"))
		view_line(s->v, "Caution",
			  "source files changed after the program was built: lines may not match");
	if (left.len)
		view_line(s->v, "More", "-S NAME shows " STR_FMT, STR_ARG(left));
	view_object_end(s->v);
}

/*
 * Whether the capture number @c is from the input number @input, and is a recording that has
 * samples. With -e, the samples must be of that event.
 */
static bool annotate_is_side(const struct annotate_command *a, uint32_t input, uint32_t c)
{
	const struct capture *capture = a->s->dossier->captures.data[c];
	uint32_t first = input ? a->s->loaded.input_ends.data[input - 1] : 0;

	return c >= first && c < a->s->loaded.input_ends.data[input] && capture->profile &&
	       capture->profile->samples.code_row.len && annotate_is_of_event(a, capture);
}

/* The capture of the second input with the same event as @c; NULL: there is none. */
static const struct capture *annotate_other_side(const struct annotate_command *a,
						 const struct capture *c)
{
	const struct strings *strings = &a->s->dossier->strings;
	struct str event = compare_event(strings_get(strings, c->profile->event));

	for (uint32_t i = 0; i < a->s->dossier->captures.len; i++) {
		const struct capture *other = a->s->dossier->captures.data[i];

		if (annotate_is_side(a, 1, i) &&
		    str_eq(event, compare_event(strings_get(strings, other->profile->event))))
			return other;
	}
	return NULL;
}

/* Add the canonical name of @sym to a->names, if -S selects the function. */
static void annotate_pair_name(struct annotate_command *a, sym_id sym)
{
	const struct symbols *symbols = &a->s->dossier->symbols;
	struct str name = symbols_canonical(symbols, sym);

	if (!sym.v ||
	    !(annotate_matches(a, symbols_name(symbols, sym)) || annotate_matches(a, name)))
		return;
	VEC_FOREACH (known, &a->names) {
		if (str_eq(*known, name))
			return;
	}
	*VEC_PUSH(&a->names) = name;
}

/*
 * Collect in a->names the functions that -S selects and that have samples. Samples in an inlined
 * copy of a function also count as samples of this function.
 */
static void annotate_pair_names(struct annotate_command *a, const struct capture *const sides[2])
{
	a->names.len = 0;
	for (int side = 0; side < 2; side++) {
		const struct code *code = sides[side]->instructions;

		if (!code)
			continue;
		VEC_FOREACH (f, &code->functions)
			annotate_pair_name(a, f->sym);
		VEC_FOREACH (m, &code->missing)
			annotate_pair_name(a, m->sym);
		VEC_FOREACH (row, &code->rows) {
			if (row->self > 0)
				annotate_pair_name(a, row->inlined);
		}
	}
}

/*
 * Compare the functions a->names of two captures. Returns the number of comparisons that were
 * printed.
 */
static size_t annotate_pair(struct annotate_command *a, struct show *s,
			    const struct capture *const sides[2])
{
	struct compare_spec spec = {
		.a = { { sides[0] }, 1 },
		.b = { { sides[1] }, 1 },
		.is_forced = a->s->to.is_forced,
	};
	struct error err = { "" };
	size_t n = 0, n_declined = 0;

	annotate_pair_names(a, sides);
	if (a->names.len == 0)
		complain("-S",
			 "'%s' has no instructions with samples of its own: only its callees have "
			 "samples, or it is code of the kernel, or its program is stripped or not "
			 "here",
			 a->functions.items.data[0]);
	VEC_FOREACH (name, &a->names) {
		struct compare_lines lines;

		if (compare_lines(&spec, *name, &lines, &err) == OK) {
			show_annotate_pair(s, sides, &lines, a->is_whole);
			n++;
		} else if (n_declined++ < ANNOTATE_DECLINED) {
			complain("-S", "%s", err.msg);
		}
		compare_lines_fini(&lines);
	}
	if (n_declined > ANNOTATE_DECLINED)
		complain("-S", "%zu more functions cannot be compared",
			 n_declined - ANNOTATE_DECLINED);
	return n;
}

/* Compare the recordings BEFORE and AFTER line by line. */
static int annotate_show_pair(struct annotate_command *a)
{
	CLEANUP(view_freep) struct view *v = NULL;
	struct show s = { .session = a->s };
	size_t n_sides = 0, n = 0;

	for (uint32_t input = 0; input < 2; input++) {
		bool is_recording = false;

		for (uint32_t i = 0; i < a->s->dossier->captures.len; i++)
			is_recording = is_recording || annotate_is_side(a, input, i);
		n_sides += is_recording;
		if (!is_recording)
			complain(a->s->in.paths.items.data[input],
				 "no samples of instructions%s: two recordings (perf.data) with "
				 "times can be compared by line, listings cannot",
				 a->event ? " for this event" : "");
	}
	if (n_sides < 2)
		return EXIT_FAILED;
	v = session_view(a->s);
	if (!v)
		return EXIT_FAILED;
	s.v = v;
	view_begin(v, "assay-annotate-pair-1");
	view_list(v, "chosen");
	for (uint32_t i = 0; i < a->s->dossier->captures.len; i++) {
		if (!annotate_is_side(a, 0, i) && !annotate_is_side(a, 1, i))
			continue;
		view_object(v, NULL, NULL);
		show_selected(&s, i);
		view_object_end(v);
	}
	view_list_end(v);
	view_list(v, "functions");
	for (uint32_t i = 0; i < a->s->dossier->captures.len; i++) {
		const struct capture *sides[2] = { a->s->dossier->captures.data[i] };

		sides[1] = annotate_is_side(a, 0, i) ? annotate_other_side(a, sides[0]) : NULL;
		if (sides[1])
			n += annotate_pair(a, &s, sides);
	}
	view_list_end(v);
	return show_end(&s, n ? EXIT_DONE : EXIT_FAILED);
}

static int annotate_show(struct annotate_command *a)
{
	CLEANUP(view_freep) struct view *v = session_view(a->s);
	struct show s = { .session = a->s, .v = v };

	if (!v)
		return EXIT_FAILED;
	view_begin(v, "assay-annotate-1");
	view_list(v, "captures");
	for (uint32_t i = 0; i < a->s->dossier->captures.len; i++) {
		const struct capture *c = a->s->dossier->captures.data[i];

		if (annotate_is_of_event(a, c) && annotate_has_any(a, c))
			annotate_capture(a, &s, i);
	}
	view_list_end(v);
	return show_end(&s, EXIT_DONE);
}

/* Print that no function with samples matches -S. If there is a similar name, suggest it. */
static void annotate_unknown(const struct annotate_command *a)
{
	const struct symbols *symbols = &a->s->dossier->symbols;
	struct suggest like;

	suggest_init(&like, a->patterns.data[0]);
	VEC_FOREACH (c, &a->s->dossier->captures) {
		const struct code *code = annotate_code(*c);
		struct top top;

		for (size_t i = 0; code && i < code->functions.len; i++)
			suggest_try(&like, symbols_name(symbols, code->functions.data[i].sym));
		if (!(*c)->profile || top_by(*c, NULL, TOP_SYM, &top, NULL) < 0)
			continue;
		VEC_FOREACH (row, &top.rows) {
			struct str name = symbols_name(symbols, (sym_id){ row->keys[0] });

			if (row->self)
				suggest_try(&like, str_sub(name, 0, str_find_char(name, '(')));
		}
		top_fini(&top);
	}
	complain("-S", "no function '%s' has samples%s%s%s", a->functions.items.data[0],
		 like.best[0] ? "; did you mean '" : "", like.best, like.best[0] ? "'?" : "");
}

/*
 * Whether the filters can be applied to all inputs. A listing cannot be filtered, because it has no
 * samples. False: a message was printed.
 */
static bool annotate_can_select(const struct annotate_command *a)
{
	if (select_is_empty(&a->s->change.select))
		return true;
	VEC_FOREACH (c, &a->s->dossier->captures) {
		if (!(*c)->code)
			continue;
		complain(strings_get(&a->s->dossier->strings, (*c)->path).p,
			 "a listing has no samples to select from; annotate the recording itself");
		return false;
	}
	return true;
}

/* Whether there is something to print. False: a message was printed. */
static bool annotate_check(const struct annotate_command *a)
{
	bool is_recording = false;
	bool has_code = false;
	bool has_event = false;

	VEC_FOREACH (c, &a->s->dossier->captures) {
		has_event = has_event || annotate_is_of_event(a, *c);
		has_code = has_code || annotate_code(*c);
		is_recording = is_recording || str_eq(str_of((*c)->format), STR("perf-data"));
		if (annotate_is_of_event(a, *c) && annotate_has_any(a, *c))
			return true;
	}
	if (!has_event)
		complain("-e", "the input has no event '%s'; assay info lists its events",
			 a->event);
	else if (a->patterns.len && (has_code || is_recording))
		annotate_unknown(a);
	else if (is_recording)
		complain(NULL,
			 "no function takes 5 %% of the samples; -S NAME shows a smaller one");
	else
		complain(NULL, "no instructions or source lines: perf.data has them, and the text "
			       "of perf annotate, pprof -list and callgrind_annotate");
	return false;
}

bool annotate_page(struct show *s, struct str function, bool is_whole)
{
	struct annotate_command a = { .s = s->session, .is_whole = is_whole };
	bool has_any = false;

	if (function.len)
		*VEC_PUSH(&a.patterns) = function;
	for (uint32_t i = 0; i < a.s->dossier->captures.len; i++) {
		if (!annotate_has_any(&a, a.s->dossier->captures.data[i]))
			continue;
		annotate_capture(&a, s, i);
		has_any = true;
	}
	VEC_FREE(&a.patterns);
	return has_any;
}

static int annotate_run(int argc, char **argv)
{
	struct session session;
	struct annotate_command a = { .s = &session };
	struct args_option options[] = {
		OPT(LIST, "symbol", 'S', "NAMES", &a.functions,
		    "only these functions, inlined ones too; * and ? match"),
		OPT(LIST, "symbols", 0, NULL, &a.functions, NULL),
		OPT(TEXT, "event", 'e', "EVENT", &a.event, "only this event of several"),
		OPT_FLAG("all", 'a', &a.is_whole, "all rows, not only those near hot ones"),
		OPT(TEXT, "source", 0, "DIR", &a.s->in.wanted.sources,
		    "look for the source files below DIR first"),
		OPT_FLAG("debuginfod", 0, &a.s->in.wanted.debuginfod,
			 "download missing debug files from DEBUGINFOD_URLS"),
		OPT(TEXT, "symfs", 0, "DIR", &a.s->in.wanted.symfs,
		    "look for objects and debug files below DIR"),
		SESSION_CHOICE(a.s),
		SESSION_JSON(a.s),
		SESSION_CSV(a.s),
		SESSION_OPTIONS(a.s),
		SESSION_FORCE(a.s),
		ARGS_END,
	};
	struct args_spec spec = {
		.command = "assay annotate",
		.operands = "FILE... | BEFORE AFTER -S NAME",
		.summary = "Show which source line and which instruction of a function takes the "
			   "time, and what the instruction does; of two recordings, which line "
			   "takes more or less.",
		.options = options,
		.tail = "example:\n"
			"  assay annotate perf.data -S find_key\n"
			"  assay annotate before.data after.data -S find_key",
	};
	bool is_selected = false;
	bool is_pair;
	int status;

	session_init(a.s);
	if (session_parse(a.s, &spec, argc, argv, &status)) {
		VEC_FOREACH (name, &a.functions.items)
			*VEC_PUSH(&a.patterns) = str_of(*name);
		is_pair = a.patterns.len && a.s->in.paths.items.len == 2;
		for (enum select_kind k = 0; k < SELECT_KINDS; k++)
			is_selected |= a.s->in.chosen[k].items.len > 0;
		session_for_instructions(a.s, a.patterns.data, a.patterns.len,
					 is_pair || is_selected);
		if (session_load(a.s, &spec, &status) && a.s->dossier->captures.len)
			status = !annotate_can_select(&a) ? EXIT_USAGE
				 : !annotate_check(&a)    ? EXIT_FAILED
				 : is_pair                ? annotate_show_pair(&a)
							  : annotate_show(&a);
	}
	VEC_FREE(&a.patterns);
	VEC_FREE(&a.names);
	VEC_FREE(&a.functions.items);
	return session_finish(a.s, status);
}

const struct cmd cmd_annotate = {
	.name = "annotate",
	.summary = "show the source lines and instructions of a function with their time",
	.run = annotate_run,
};
