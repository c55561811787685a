/* SPDX-License-Identifier: MIT */
#include "explain/steps.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/kinds/counters.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"

/* the only next step, if steps.tsv drops all steps of the finding */
#define STEPS_ANY_TOOL "record it again with the same tool, with call stacks and source lines"

static const struct step {
	const char *formats;
	const char *step;    /* text with which a next step begins; "{}" matches one word */
	const char *instead; /* the text that replaces the step; "-": drop the step */
} steps[] = {
#include "steps_table.h"
};

/*
 * Length of the shell word at the start of @s. The word ends at a blank, or at ": ", which
 * separates the command from its explanation. Blanks inside quotes are part of the word.
 */
static size_t step_word(struct str s)
{
	char quote = '\0';
	size_t i = 0;

	for (; i < s.len &&
	       (quote || (s.p[i] != ' ' && !(s.p[i] == ':' && i + 1 < s.len && s.p[i + 1] == ' ')));
	     i++) {
		if (s.p[i] == '\'')
			quote = quote ? '\0' : '\'';
	}
	return i;
}

/* Does @text begin with @step? *@ret_word: the word of @text that "{}" matches. */
static bool step_matches(struct str step, struct str text, struct str *ret_word)
{
	size_t mark = str_find(step, STR("{}"));
	struct str after = str_skip(step, mark + 2);

	*ret_word = STR_NONE;
	if (!str_starts(text, str_sub(step, 0, mark)))
		return false;
	if (mark == step.len)
		return true;
	text = str_skip(text, mark);
	*ret_word = str_sub(text, 0, step_word(text));
	return ret_word->len && str_starts(str_skip(text, ret_word->len), after);
}

/* The rest of @text after the start that matches @step. @word: the word that "{}" matches. */
static struct str step_rest(struct str text, struct str step, struct str word)
{
	size_t mark = str_find(step, STR("{}"));

	return str_skip(text, mark < step.len ? step.len - 2 + word.len : step.len);
}

/*
 * The text @instead with each "{}" replaced by @word, and with "..." at its end replaced by @rest.
 */
static struct str step_text(struct findings *all, struct str instead, struct str word,
			    struct str rest)
{
	bool has_rest = str_ends(instead, STR("..."));
	struct out text = { .fd = -1 };
	struct str ret;

	instead = str_sub(instead, 0, instead.len - (has_rest ? 3 : 0));

	while (instead.len) {
		size_t mark = str_find(instead, STR("{}"));

		out_str(&text, str_sub(instead, 0, mark));
		if (mark < instead.len)
			out_str(&text, word);
		instead = str_skip(instead, mark + 2);
	}
	out_str(&text, has_rest ? rest : STR_NONE);
	ret = str_of(finding_name(all, STR_FMT, STR_ARG(out_view(&text))));
	out_fini(&text);
	return ret;
}

/* Is @text equal to one of the first @n next steps? */
static bool steps_have(const struct finding *f, size_t n, struct str text)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(f->next.data[i], text))
			return true;
	}
	return false;
}

/* Does any capture have one of @formats? Their names are separated by '|'. */
static bool step_is_for_any(struct str formats, const struct dossier *d)
{
	VEC_FOREACH (c, &d->captures) {
		if (str_glob(formats, str_of((*c)->format)))
			return true;
	}
	return false;
}

/*
 * Has assay disassembled the function @name of the recording @c, or a function into which @name is
 * inlined?
 */
static bool step_has_listing(const struct capture *c, struct str name)
{
	const struct symbols *symbols = capture_symbols(c);
	const struct code *code = c->instructions;

	if (!code)
		return false;
	if (str_take(&name, STR("'")))
		name = str_sub(name, 0, name.len - (name.len > 0));
	VEC_FOREACH (f, &code->functions) {
		if (symbol_name_matches(symbols_name(symbols, f->sym), name))
			return true;
	}
	VEC_FOREACH (row, &code->rows) {
		if (row->inlined.v && row->self > 0 &&
		    symbol_name_matches(symbols_name(symbols, row->inlined), name))
			return true;
	}
	return false;
}

/* Does any capture have a counter whose name is one of @names? They are separated by '|'. */
static bool step_has_counter(struct str names, const struct dossier *d)
{
	VEC_FOREACH (c, &d->captures) {
		if (!(*c)->counters)
			continue;
		VEC_FOREACH (row, &(*c)->counters->rows) {
			if (str_glob(names, strings_get(&d->strings, row->name)))
				return true;
		}
	}
	return false;
}

/* Is a function that @f explains in @names? The names are separated by '|'. */
static bool step_shows(struct str names, const struct finding *f, const struct capture *c)
{
	VEC_FOREACH (s, &f->subjects) {
		if (s->role == SUBJECT_EXPLAINED &&
		    str_glob(names, symbols_name(capture_symbols(c), s->sym)))
			return true;
	}
	return false;
}

/*
 * Does a row of steps.tsv with these @formats apply to @f, a finding about capture @c? @formats are
 * names of formats, and the format of @c must be one of them. A prefix changes this condition:
 * - "!": the format of @c must not be one of them.
 * - "listing:": assay must also have disassembled the function @word.
 * - "chains:": a printed table of @c must also show that call chains were recorded.
 * - "shows:": the names are functions instead of formats, and @f must be about one of them.
 */
static bool step_is_for(struct str formats, const struct finding *f, const struct capture *c,
			struct str word)
{
	if (str_take(&formats, STR("shows:")))
		return step_shows(formats, f, c);
	if (str_take(&formats, STR("listing:")) && !step_has_listing(c, word))
		return false;
	if (str_take(&formats, STR("chains:")) &&
	    (!c->profile || !(c->profile->table.columns & ROW_HAS_CHILDREN) ||
	     c->profile->table.nodes.len))
		return false;
	return str_take(&formats, STR("!")) ? !str_glob(formats, str_of(c->format))
					    : str_glob(formats, str_of(c->format));
}

/*
 * Replace or drop the next steps of @f, a finding about @c, according to steps.tsv. Repeated steps
 * are dropped, too.
 */
static void steps_fit_one(struct findings *all, struct finding *f, const bool *is_for_any,
			  const struct capture *c)
{
	size_t kept = 0;

	VEC_FOREACH (next, &f->next) {
		const struct step *found = NULL;
		struct str word = STR_NONE;
		struct str text;

		for (size_t k = 0; k < ARRAY_LEN(steps) && !found; k++) {
			if (step_matches(str_of(steps[k].step), *next, &word) &&
			    (is_for_any[k] || step_is_for(str_of(steps[k].formats), f, c, word)))
				found = &steps[k];
		}
		text = found ? step_text(all, str_of(found->instead), word,
					 step_rest(*next, str_of(found->step), word))
			     : *next;
		if (!str_eq(text, STR("-")) && !steps_have(f, kept, text))
			f->next.data[kept++] = text;
	}
	/* steps.tsv dropped all steps */
	if (!kept && f->next.len)
		f->next.data[kept++] = STR(STEPS_ANY_TOOL);
	f->next.len = kept;
}

void steps_fit(const struct facts *facts, struct findings *f)
{
	/*
	 * Does row k of steps.tsv apply because of any capture of the dossier? If its formats begin
	 * with "+", one capture must have one of the formats. If they begin with "has:", one
	 * capture must have a counter with one of these names.
	 */
	bool is_for_any[ARRAY_LEN(steps)];

	for (size_t k = 0; k < ARRAY_LEN(steps); k++) {
		struct str formats = str_of(steps[k].formats);

		if (str_take(&formats, STR("has:")))
			is_for_any[k] = step_has_counter(formats, facts->dossier);
		else
			is_for_any[k] = str_starts(formats, STR("+")) &&
					step_is_for_any(str_skip(formats, 1), facts->dossier);
	}
	VEC_FOREACH (row, &f->rows) {
		if (row->capture != INDEX_NONE)
			steps_fit_one(f, row, is_for_any,
				      facts->dossier->captures.data[row->capture]);
	}
}
