/* SPDX-License-Identifier: MIT */
/*
 * The source line with the largest share of its function, and the kind of work that the words on
 * the line suggest: a call that formats, compiles a pattern or allocates; a slice that grows; a
 * copy that escapes.
 *
 * A user selects the listed function, so its heaviest line is always of interest. 30 % of the
 * function is a note. It is a warning if the line also has 30 % of the whole recording. Words prove
 * nothing: the certainty is 75 % at most, or 60 % if no word suggests a kind of work.
 */
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "explain/words/code_words.h"

#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/source_line_names.h"

#include <stdio.h>

DECLARE_RULE(source_line);

#define LINE_NOTE_PCT 30.0
/* minimum share of the line in the whole recording for a warning, percent */
#define LINE_LEAD_PCT 30.0
/* for a listed file: minimum share of the line in the whole recording, percent */
#define LINE_FILE_PCT  12.0
#define LINE_LIBRARIES "/usr/include/*|/usr/lib/*|*/sysdeps/*|*/include/c++/*"
#define LINE_SURE      75u
#define LINE_BARE_SURE 60u
/*
 * If at least this part (0 to 1) of a line's share is self share, the line itself takes the time,
 * and not its callees.
 */
#define LINE_OWN_PART 0.8
/*
 * A line calls a listed function if it contains the function's name, and if the function has at
 * least this part (0 to 1) of the line's share.
 */
#define LINE_SAME_PART 0.5
/*
 * If a line loads nothing from memory, but has LINE_SKID_PCT of the function's self share, it waits
 * for a load. This load is in one of the LINE_SKID lines above it.
 */
#define LINE_SKID_PCT 50.0
#define LINE_SKID     3u

/*
 * Kinds of work that are suggested by words on the line. The first row whose words occur is used.
 */
static const struct {
	const char *words;
	const char *does;
	const char *cause;
} line_kinds[] = { LINE_KINDS };

/*
 * The last LINE_VAGUE rows of line_kinds are vague. If the line calls a library function with a
 * known role, that role is used instead of a vague row.
 */
#define LINE_VAGUE 3u

/*
 * Two texts of source-line.names. If LINE_ADDS is the first kind of a line, as in "m[string(key)] =
 * v", LINE_CONVERTS is not listed: it is only the conversion of the key.
 */
#define LINE_ADDS     "adds to a map and copies the key"
#define LINE_CONVERTS "converts or copies a string"

/* texts for a line of a Go heap profile that contains none of the words in line_kinds */
#define LINE_ALLOCATES "allocates"
#define LINE_ESCAPES                                                                           \
	"This line creates heap objects: a value that escapes (its address is used later), a " \
	"closure, an interface, a string or slice that grows"
/* text for such a line in a language other than Go */
#define LINE_CREATES "This line creates objects, or its callees do"
/*
 * Text for a line in the output of memory_profiler, which charges a line with the growth of the
 * process while the line runs.
 */
#define LINE_GROWS                                                                       \
	"This line creates objects, or its callees do. What later lines release is not " \
	"subtracted: the column of memory in use shows it"

static const struct {
	const char *files;
	const char *next_memory;
	const char *next_time;
} line_languages[] = {
	{ "*.go", "go tool pprof -peek FUNCTION PROFILE: the callers of this function", NULL },
	{ "*.py",
	  "python3 -X tracemalloc=10 PROGRAM, then statistics('traceback') of a snapshot: callers "
	  "of this line",
	  "python3 -m cProfile -s cumulative PROGRAM: callees of this line and their calls" },
};

/*
 * The next step for a line of source file @file: for memory if @is_memory, otherwise for time.
 * NULL: unknown language.
 */
static const char *line_next(struct str file, bool is_memory)
{
	for (size_t i = 0; i < ARRAY_LEN(line_languages); i++) {
		if (str_glob(str_of(line_languages[i].files), file))
			return is_memory ? line_languages[i].next_memory
					 : line_languages[i].next_time;
	}
	return NULL;
}

struct line_facts {
	const struct code_function *fn;
	const struct code_row *row;
	/*
	 * self, cum: share of the line in its function, percent, without callees and with callees
	 */
	double self, cum;
	double of_all; /* share of the function in the whole recording, percent; 0: unknown */
	struct event_unit unit;
};

static bool line_is_name(char c)
{
	return char_is_word(c) || c == '.' || c == ':';
}

/* The role of the first library function that the line @text calls; ROLE_NONE: none. */
static enum role line_role(struct str text)
{
	for (size_t at = str_find_char(text, '('); at < text.len;
	     at += 1 + str_find_char(str_skip(text, at + 1), '(')) {
		size_t from = at;
		enum role role;

		while (from && line_is_name(text.p[from - 1]))
			from--;
		role = from < at ? role_of_name(str_sub(text, from, at), STR_NONE, SPACE_USER)
				 : ROLE_NONE;
		if (role_cause(role))
			return role;
	}
	return ROLE_NONE;
}

static void line_words(const struct line_facts *l, struct str text, bool is_go,
		       const char **ret_does, const char **ret_cause, bool *ret_is_noun)
{
	*ret_is_noun = false;
	*ret_does = NULL;
	*ret_cause = NULL;
	for (size_t i = 0; i < ARRAY_LEN(line_kinds) && !*ret_does; i++) {
		if (i == ARRAY_LEN(line_kinds) - LINE_VAGUE && role_cause(line_role(text))) {
			*ret_does = role_noun(line_role(text));
			*ret_cause = role_cause(line_role(text));
			*ret_is_noun = true;
		} else if (str_glob(str_of(line_kinds[i].words), text)) {
			*ret_does = line_kinds[i].does;
			*ret_cause = line_kinds[i].cause;
		}
	}
	if (l->unit.kind != EVENT_MEMORY)
		return;
	if (!*ret_does || str_eq(str_of(*ret_does), STR("looks up a map or an array"))) {
		*ret_does = LINE_ALLOCATES;
		*ret_cause = is_go                                              ? LINE_ESCAPES
			     : str_eq(str_of(l->unit.of), STR("memory growth")) ? LINE_GROWS
										: LINE_CREATES;
	}
}

/*
 * List the kinds of work that the words of @text suggest: "allocates, sorts". Vague rows are left
 * out. A line such as "m[string(key)] = v" converts the key of a map; this conversion is not listed
 * separately. NULL: there are fewer than two kinds.
 */
static const char *line_several(struct findings *out, struct str text)
{
	const char *all = "";
	unsigned int n = 0;

	for (size_t i = 0; i < ARRAY_LEN(line_kinds) - LINE_VAGUE; i++) {
		if (n && str_eq(str_of(all), STR(LINE_ADDS)) &&
		    str_eq(str_of(line_kinds[i].does), STR(LINE_CONVERTS)))
			continue;
		if (str_glob(str_of(line_kinds[i].words), text))
			all = finding_name(out, "%s%s%s", all, n++ ? ", " : "", line_kinds[i].does);
	}
	return n > 1 ? all : NULL;
}

/*
 * The row of the source line to which l->row belongs. If l->row is a call, "=> file:function
 * (10x)", this is the line above it that makes the call. Otherwise it is l->row itself.
 */
static const struct code_row *line_of_call(const struct rule_input *in, const struct line_facts *l)
{
	const struct code_row *first = &in->code->rows.data[l->fn->first];
	const struct code_row *row = l->row;

	while (row > first && str_starts(code_words_text(in, row), STR("=> ")))
		row--;
	return row;
}

/*
 * Parse the text of a call, "=> file:function (10x)". Returns the function; *@ret_calls: the number
 * of calls, "10". Both are empty if @text is no call.
 */
static struct str line_callee(struct str text, struct str *ret_calls)
{
	size_t at;

	*ret_calls = STR_NONE;
	if (!str_take(&text, STR("=> ")))
		return STR_NONE;
	at = str_find(text, STR(" ("));
	*ret_calls = str_skip(text, at + 2);
	*ret_calls = str_sub(*ret_calls, 0, str_find(*ret_calls, STR("x)")));
	text = str_sub(text, 0, at);
	at = str_find_char(text, ':');
	return at < text.len ? str_skip(text, at + 1) : text;
}

static void line_finding(const struct rule_input *in, struct findings *out,
			 const struct line_facts *l)
{
	const struct code_row *of = line_of_call(in, l);
	struct str calls;
	struct str callee = line_callee(code_words_text(in, l->row), &calls);
	struct str text = code_words_text(in, of);
	struct str file = strings_get(capture_strings(in->capture), l->fn->file);
	double most = l->cum > l->self ? l->cum : l->self;
	double of_all = most * l->of_all / 100;
	/* in a listing of a whole file, the share refers to the run and not to a function */
	bool is_file = in->code->run > 0 && !l->fn->sym.v;
	double share = is_file ? of_all : most;
	const char *does, *cause;
	const char *next = line_next(file, l->unit.kind == EVENT_MEMORY);
	const char *several = line_several(out, text);
	bool is_noun;
	struct finding *f;
	char place[32] = "";

	line_words(l, text, str_ends(file, STR(".go")), &does, &cause, &is_noun);
	if (several) {
		does = finding_name(out, "does several things (%s)", several);
		cause = "One of these takes the time, or each a part of it";
		is_noun = false;
	}
	if (callee.len) {
		enum role role = role_of_name(callee, STR_NONE, SPACE_USER);

		is_noun = role_cause(role) != NULL;
		does = is_noun ? role_noun(role) : NULL;
		cause = role_cause(role);
	}
	if (of->number)
		(void)snprintf(place, sizeof(place), "line %u%s", of->number,
			       file.len ? " of " : "");
	f = finding_add(out, in, &rule_source_line,
			of_all >= LINE_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
			does && !several ? LINE_SURE : LINE_BARE_SURE);
	f->impact = of_all > 0 ? of_all : most;
	finding_claim_of_code(
		out, f, "%.1f %% of %s%s" STR_FMT " %s on %s%s: '" STR_FMT "'%s%s%s", share,
		l->unit.of, l->fn->sym.v ? " of " : "", STR_ARG(facts_name(in->facts, l->fn->sym)),
		l->unit.is_plural ? "are" : "is", place,
		file.len && place[0] ? finding_name(out, STR_FMT, STR_ARG(file))
		: place[0]           ? ""
				     : "one line",
		STR_ARG(text),
		callee.len ? finding_name(out, ", in " STR_FMT " calls of " STR_FMT,
					  STR_ARG(calls.len ? calls : STR("its")), STR_ARG(callee))
			   : "",
		!does     ? ""
		: is_noun ? ", which is "
			  : ", which ",
		does ? does : "");
	finding_figure(f,
		       is_file        ? "share of the file"
		       : l->fn->sym.v ? "share of the function, with callees"
				      : "share of the listed lines, with callees",
		       most, 0, "%");
	if (!in->code->is_inclusive && !is_file)
		finding_figure(f,
			       l->fn->sym.v ? "share of the function, the line itself"
					    : "share of the listed lines, the line itself",
			       l->self, 0, "%");
	if (l->of_all > 0)
		finding_figure(f,
			       in->code->total > 0 && in->code->unit == WEIGHT_BYTES
				       ? finding_name(out, "share of the total of %s",
						      finding_bytes(out, in->code->total))
				       : "share of everything",
			       of_all, 0, "%");
	finding_evidence(out, f, in, of->line, "%.1f %% " STR_FMT, share, STR_ARG(text));
	if (callee.len)
		finding_evidence(out, f, in, l->row->line, STR_FMT,
				 STR_ARG(code_words_text(in, l->row)));
	if (l->fn->sym.v)
		finding_subject(f, l->fn->sym, SUBJECT_EXPLAINED);
	finding_usual_cause(
		out, f, "%s",
		cause ? cause
		: in->code->is_inclusive
			? "The line and its callees: this listing does not separate them"
		: l->self >= LINE_OWN_PART * most ? "The cost is the line's own, not in a callee"
						  : "The cost is in the callees of this line");
	finding_because(out, f,
			"the share is printed; the reason is inferred from the words on the line");
	finding_next(out, f, "%s",
		     next ? next
		     : l->unit.kind == EVENT_MEMORY
			     ? "print the call stacks of these allocations: which caller needs them"
			     : "count the runs of this line: bpftrace on the called function");
}

/* Whether @fn stands for a whole file, in a run whose total cost is known. */
static bool line_is_file(const struct code *code, const struct code_function *fn)
{
	return code->run > 0 && !fn->sym.v;
}

static double line_weight(const struct code_row *row)
{
	return row->cum > row->self ? row->cum : row->self;
}

/*
 * The heaviest line of @fn; NULL: no line has a weight. @is_self: compare only the cost of the line
 * itself, without its calls.
 */
static const struct code_row *line_heaviest(const struct code *code, const struct code_function *fn,
					    bool is_self)
{
	const struct code_row *ret = NULL;
	double most = 0;

	for (uint32_t i = fn->first; i < fn->first + fn->n; i++) {
		const struct code_row *row = &code->rows.data[i];
		double weight = is_self ? row->self : line_weight(row);

		if (weight > most) {
			most = weight;
			ret = row;
		}
	}
	return ret;
}

/*
 * Does the line @row call @fn? The line must contain the last part of the function's name and a
 * bracket ("match(" for main.match). And @fn must have LINE_SAME_PART of the line's share.
 */
static bool line_calls(const struct rule_input *in, const struct code_row *row,
		       const struct code_function *fn)
{
	struct str text = strings_get(capture_strings(in->capture), row->text);
	struct str name = facts_name(in->facts, fn->sym);
	size_t at;

	name = str_skip(name,
			str_rfind_char(name, '.') < name.len ? str_rfind_char(name, '.') + 1 : 0);
	name = str_skip(name,
			str_rfind_char(name, ':') < name.len ? str_rfind_char(name, ':') + 1 : 0);
	at = str_find(text, name);
	return name.len && at < text.len && str_starts(str_skip(text, at + name.len), STR("(")) &&
	       fn->whole >= LINE_SAME_PART * line_weight(row);
}

/*
 * Is the listing @f a whole file of a library, and not of the user? callgrind_annotate --auto=yes
 * lists both.
 */
static bool line_is_of_library(const struct rule_input *in, const struct code_function *f)
{
	return !f->sym.v &&
	       str_glob(STR(LINE_LIBRARIES), strings_get(capture_strings(in->capture), f->file));
}

/*
 * Is @row a call of a library function with a known kind of work, such as "=> strcmp.S:strcmp
 * (10x)"?
 */
static bool line_calls_work(const struct rule_input *in, const struct code_row *row)
{
	struct str calls;
	struct str callee = line_callee(code_words_text(in, row), &calls);

	return callee.len && role_cause(role_of_name(callee, STR_NONE, SPACE_USER));
}

/*
 * Whether a file of the user has a line whose own cost, without its calls, is a large part of the
 * cost of the file and of the whole run. The finding is then about this line. False: there is no
 * such line, or a call of a library function costs more.
 */
static bool line_has_own(const struct rule_input *in)
{
	const struct code *code = in->code;
	double own = 0, work = 0;

	VEC_FOREACH (f, &code->functions) {
		const struct code_row *row = line_heaviest(code, f, true);

		if (!line_is_file(code, f) || line_is_of_library(in, f))
			continue;
		if (row && row->self > own &&
		    100 * row->self >= LINE_NOTE_PCT * code_sum(code, f) &&
		    100 * row->self >= LINE_FILE_PCT * code->run)
			own = row->self;
		row = line_heaviest(code, f, false);
		if (row && row->cum > work && line_calls_work(in, row))
			work = row->cum;
	}
	return own > 0 && own >= work;
}

/*
 * Find the listed function whose heaviest line has the cost itself. The search begins at the
 * function with the largest share. While the heaviest line of a function calls another listed
 * function, the search goes on to that function. With @has_own, calls are not followed: the result
 * is the user's file with the largest own cost. NULL: no line has a weight.
 */
static const struct code_function *line_innermost(const struct rule_input *in, bool has_own)
{
	const struct code *code = in->code;
	const struct code_function *at = NULL;
	double most = 0;

	VEC_FOREACH (f, &code->functions) {
		double whole = has_own ? code_sum(code, f) : f->whole;

		if (line_heaviest(code, f, has_own) && (!at || whole > most) &&
		    !(has_own && line_is_of_library(in, f))) {
			at = f;
			most = whole;
		}
	}
	for (size_t i = 0; at && !has_own && i < code->functions.len; i++) {
		const struct code_row *row = line_heaviest(code, at, false);
		const struct code_function *callee = NULL;

		VEC_FOREACH (f, &code->functions) {
			if (f != at && row && line_heaviest(code, f, false) &&
			    line_calls(in, row, f))
				callee = f;
		}
		if (!callee)
			break;
		at = callee;
	}
	return at;
}

/*
 * Whether the line @text only computes, and loads nothing from memory: it has no call, pointer or
 * index.
 */
static bool line_is_plain(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char next = i + 1 < text.len ? text.p[i + 1] : ' ';

		if (text.p[i] == '[' || (text.p[i] == '-' && next == '>') ||
		    (text.p[i] == '.' && char_is_letter(next)) ||
		    (i && text.p[i] == '(' && line_is_name(text.p[i - 1])))
			return false;
	}
	return text.len > 0;
}

/*
 * Find the load for which @row waits: the nearest line above @row that reads through a pointer or
 * an index. Lines without a weight do not count among the LINE_SKID lines. NULL: none.
 */
static const struct code_row *line_load(const struct rule_input *in, const struct code_function *fn,
					const struct code_row *row)
{
	const struct code_row *first = &in->code->rows.data[fn->first];

	for (unsigned int n = 0; row > first && n < LINE_SKID;) {
		row--;
		if (line_weight(row) <= 0)
			continue;
		if (str_glob(STR(LINE_LOADS), code_words_text(in, row)))
			return row;
		n++;
	}
	return NULL;
}

/*
 * Add a finding if a line that only computes has most of the function's self share. Such a line
 * waits for a load in a line above it. *@ret_row: the line. False: there is no such line.
 */
static bool line_skid(const struct rule_input *in, struct findings *out, const struct line_facts *l,
		      const struct code_row **ret_row)
{
	const struct code_row *top = NULL;
	const struct code_row *load;
	struct finding *f;
	double sum = 0;
	double of_all;

	for (uint32_t i = l->fn->first; i < l->fn->first + l->fn->n; i++) {
		const struct code_row *row = &in->code->rows.data[i];

		sum += row->self;
		if (!top || row->self > top->self)
			top = row;
	}
	if (!top || sum <= 0 || 100 * top->self / sum < LINE_SKID_PCT || !top->is_source ||
	    l->unit.kind != EVENT_TIME || !line_is_plain(code_words_text(in, top)))
		return false;
	load = line_load(in, l->fn, top);
	if (!load)
		return false;
	of_all = l->of_all > 0 ? l->of_all * top->self / l->fn->whole : 0;
	f = finding_add(out, in, &rule_source_line,
			of_all >= LINE_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, LINE_BARE_SURE);
	f->impact = of_all;
	finding_claim_of_code(
		out, f,
		"'" STR_FMT "' only computes, but has %.1f %% of the self %s of " STR_FMT
		": it probably waits for shared memory that '" STR_FMT "' reads",
		STR_ARG(code_words_text(in, top)), 100 * top->self / sum, l->unit.of,
		STR_ARG(l->fn->sym.v ? facts_name(in->facts, l->fn->sym) : STR("this function")),
		STR_ARG(code_words_text(in, load)));
	finding_figure(f, "share of the function's own part", 100 * top->self / sum, 0, "%");
	finding_evidence(out, f, in, top->line, STR_FMT, STR_ARG(code_words_text(in, top)));
	finding_evidence(out, f, in, load->line, STR_FMT, STR_ARG(code_words_text(in, load)));
	if (l->fn->sym.v)
		finding_subject(f, l->fn->sym, SUBJECT_EXPLAINED);
	finding_usual_cause(
		out, f,
		"Samples skid: a load that misses the cache is charged to a later line. A "
		"line that other CPUs write misses each time");
	finding_because(out, f,
			"the share of the line is printed\n"
			"which of its instructions waits");
	finding_next(out, f,
		     "perf c2c record; perf c2c report --stdio: the shared line; or pprof -disasm: "
		     "the instruction after the load");
	*ret_row = top;
	return true;
}

static void line_function(const struct rule_input *in, struct findings *out,
			  const struct code_function *fn, bool has_own)
{
	const struct code *code = in->code;
	struct line_facts l = { .fn = fn, .unit = code_words_unit(in) };
	const struct code_row *skid = NULL;
	double whole = has_own ? code_sum(code, fn) : fn->whole;
	bool is_skid;
	double most;

	l.row = line_heaviest(code, fn, has_own);
	if (!l.row || whole <= 0)
		return;
	l.self = 100 * l.row->self / whole;
	l.cum = 100 * (has_own ? l.row->self : l.row->cum) / whole;
	l.of_all = line_is_file(code, fn) ? 100 * whole / code->run : code_words_of_all(in, fn);
	most = l.cum > l.self ? l.cum : l.self;
	is_skid = line_skid(in, out, &l, &skid);
	if (most < LINE_NOTE_PCT && !is_skid)
		finding_clean(out, in, &rule_source_line, "no line has %.0f %% of its %s",
			      LINE_NOTE_PCT, line_is_file(code, fn) ? "file" : "function");
	else if (most >= LINE_NOTE_PCT && l.row != skid)
		line_finding(in, out, &l);
}

static void line_check(const struct rule_input *in, struct findings *out)
{
	const struct code_function *f;
	bool has_own;

	if (in->code->is_percent)
		/* rule costly-instruction reports a listing of instructions (perf annotate) */
		return;
	has_own = line_has_own(in);
	f = line_innermost(in, has_own);
	if (f)
		line_function(in, out, f, has_own);
	else
		finding_not_assessed(out, in, &rule_source_line, "pprof -list FUNCTION",
				     "no source line has a figure");
}

const struct rule rule_source_line = {
	.id = "source-line",
	.title = "Hot source line",
	.needs = RULE_CODE,
	.check = line_check,
};
