/* SPDX-License-Identifier: MIT */
#include "analyses/compare/compare_lines.h"

#include "analyses/compare/compare_lines_build.h"

#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *compare_lines_by_name(enum compare_lines_by by)
{
	static const char *const names[] = { "code", "text", "number", "address" };

	return names[by];
}

/* Find the function in the listing of a side: its own code, and its inlined copies. */
static void lines_find(struct compare_lines_build *l, struct compare_lines_side *s)
{
	VEC_FOREACH (f, &s->code->functions) {
		bool is_own = compare_lines_is_named(s, f->sym, l->name);

		if (is_own) {
			s->own = f;
			s->n_own++;
		}
		for (uint32_t i = f->first; i < f->first + f->n; i++) {
			const struct code_row *row = &s->code->rows.data[i];
			bool is_here =
				row->self > 0 && compare_lines_is_named(s, row->inlined, l->name);

			s->is_inlined |= is_here && !is_own;
			s->has_lines |= (is_here || is_own) && !row->is_source && row->number;
		}
	}
}

/*
 * Whether all lines of the function with samples have a source text, and no source file is newer
 * than the recorded build.
 */
static bool lines_has_texts(const struct compare_lines_build *l, const struct compare_lines_side *s)
{
	if (diag_get(&s->capture->diag, "perf-data-newer-source"))
		return false;
	VEC_FOREACH (f, &s->code->functions) {
		for (uint32_t i = f->first; i < f->first + f->n; i++) {
			const struct code_row *row = &s->code->rows.data[i];

			if (compare_lines_has(l, s, f, i) && row->number && row->self > 0 &&
			    !compare_lines_text_of(s, row->file, row->number))
				return false;
		}
	}
	return true;
}

/* Index of @key in l->keys, plus 1. Cost: O(keys), which are the lines of one function. */
static uint32_t lines_add_key(struct compare_lines_build *l, struct compare_lines_key key)
{
	VEC_FOREACH (k, &l->keys) {
		if (k->file.v == key.file.v && k->number == key.number &&
		    k->inlined.v == key.inlined.v && k->offset == key.offset &&
		    k->is_only_in_a == key.is_only_in_a)
			return (uint32_t)(k - l->keys.data) + 1;
	}
	*VEC_PUSH(&l->keys) = key;
	return (uint32_t)l->keys.len;
}

static struct compare_lines_key lines_key_of(const struct compare_lines_build *l,
					     const struct compare_lines_side *s,
					     const struct code_function *f, uint32_t i)
{
	const struct code_row *row = &s->code->rows.data[i];
	const struct symbols *symbols = capture_symbols(s->capture);
	struct compare_lines_key key = { .file = row->file, .number = row->number };
	const struct compare_lines_text *text = NULL;

	if (l->by == COMPARE_LINES_BY_ADDRESS)
		return (struct compare_lines_key){
			.offset =
				row->address -
				s->code->rows.data[compare_lines_instruction(s->code, f, f->first)]
					.address
		};
	if (!row->number)
		return (struct compare_lines_key){ .number = 0 };
	if (!l->is_innermost && row->inlined.v)
		key.inlined = symbols_get(symbols, row->inlined)->canonical;
	if (l->by == COMPARE_LINES_BY_TEXT && s == &l->sides[0])
		text = compare_lines_text_of(s, row->file, row->number);
	if (l->by == COMPARE_LINES_BY_NUMBER && s == &l->sides[0] && !key.inlined.v &&
	    row->file.v == l->file.v)
		key.number = (uint32_t)(row->number + l->shift);
	if (text) {
		key.is_only_in_a = !text->match;
		key.number = text->match ? text->match : row->number;
	}
	return key;
}

static void lines_keys(struct compare_lines_build *l)
{
	/* B comes first, because lines of A get the keys of the matching lines of B */
	for (int side = 2; side-- > 0;) {
		struct compare_lines_side *s = &l->sides[side];

		if (side == 0 && l->by == COMPARE_LINES_BY_CODE) {
			(void)compare_lines_walk_code(l, true);
			continue;
		}
		VEC_FOREACH (f, &s->code->functions) {
			for (uint32_t i = f->first; i < f->first + f->n; i++) {
				if (compare_lines_has(l, s, f, i))
					s->key_of[i] = lines_add_key(l, lines_key_of(l, s, f, i));
			}
		}
	}
}

/*
 * Make a capture from the samples of a side. The stack of a sample has one function, named by its
 * line ("L5" for key 5), so that compare_profiles() compares lines. @is_whole: all lines have one
 * name. *@ret_samples: number of samples in the compared function.
 */
static struct capture *lines_capture(struct dossier *d, const struct compare_lines_side *s,
				     bool is_whole, uint64_t *ret_samples)
{
	const struct profile *from = s->capture->profile;
	struct strings *strings = capture_strings(s->capture);
	struct capture *c = dossier_add(d, s->capture->format);
	struct profile *p = capture_profile(c);
	stack_id rest =
		stacks_push(&p->stacks, STACK_ROOT,
			    symbols_add_text(&d->symbols, STR("rest"), STR_NONE, SPACE_COMM, 0));

	*ret_samples = 0;
	c->path = strings_add(&d->strings, strings_get(strings, s->capture->path));
	VEC_FOREACH (note, &s->capture->notes)
		capture_note(c, strings_get(strings, note->key), strings_get(strings, note->value),
			     0);
	p->event = strings_add(&d->strings, strings_get(strings, from->event));
	p->event_count = from->event_count;
	p->has_event_count = from->has_event_count;
	p->n_samples = from->n_samples;
	p->has_n_samples = from->has_n_samples;
	p->unit = from->unit;
	p->decimals = from->decimals;
	p->recording = from->recording;
	p->left_out = from->left_out;
	p->is_selected = from->is_selected;
	for (size_t i = 0; i < from->samples.n; i++) {
		uint32_t row = from->samples.code_row.data[i];
		uint32_t key = row ? s->key_of[row - 1] : 0;
		stack_id stack = rest;
		char name[16];

		if (key) {
			(void)snprintf(name, sizeof(name), "L%u", is_whole ? 0 : key);
			stack = stacks_push(&p->stacks, STACK_ROOT,
					    symbols_add_text(&d->symbols, str_of(name), STR_NONE,
							     SPACE_USER, 0));
			*ret_samples += profile_samples_at(from, i);
		}
		if (profile_add_sample(p, stack, from->samples.weight.data[i]) < 0)
			break;
		if (from->samples.time_ns.len)
			*VEC_PUSH(&p->samples.time_ns) = from->samples.time_ns.data[i];
		if (from->samples.count.len)
			*VEC_PUSH(&p->samples.count) = from->samples.count.data[i];
	}
	return c;
}

/* Compare the shares of all lines or, with @is_whole, of the whole function. */
static int lines_judge(struct compare_lines_build *l, const struct compare_spec *spec,
		       bool is_whole, struct category_cache *cats, struct compare_lines *ret,
		       struct compare *ret_all, struct error *err)
{
	struct compare_spec own = *spec;

	own.is_of_lines = true;
	own.a = (struct compare_side){
		{ lines_capture(ret->made, &l->sides[0], is_whole, &ret->samples_a) }, 1
	};
	own.b = (struct compare_side){
		{ lines_capture(ret->made, &l->sides[1], is_whole, &ret->samples_b) }, 1
	};
	return compare_profiles(&own, cats, ret_all, err);
}

/* The text of the line or instruction at row @row of side @s. */
static str_id lines_row_text(const struct compare_lines_build *l,
			     const struct compare_lines_side *s, uint32_t row)
{
	const struct code_row *r = &s->code->rows.data[row];
	const struct compare_lines_text *text;

	if (l->by == COMPARE_LINES_BY_ADDRESS)
		return r->text;
	text = r->number ? compare_lines_text_of(s, r->file, r->number) : NULL;
	return text ? text->text : STR_ID_NONE;
}

/* Fill in the line number and the text of a line, from the first row with its key on each side. */
static void lines_place(const struct compare_lines_build *l, uint32_t key, struct compare_line *ret)
{
	for (int side = 0; side < 2; side++) {
		const struct compare_lines_side *s = &l->sides[side];

		for (uint32_t i = 0; i < s->code->rows.len; i++) {
			const struct code_row *row = &s->code->rows.data[i];
			str_id text;

			if (s->key_of[i] != key)
				continue;
			*(side ? &ret->b_number : &ret->a_number) = row->number;
			text = lines_row_text(l, s, i);
			ret->text = text.v ? text : ret->text;
			break;
		}
	}
}

static void lines_take(const struct compare_lines_build *l, struct compare_lines *ret)
{
	VEC_FOREACH (r, &ret->all.tables[COMPARE_SYMBOL].rows) {
		struct str name = str_skip(r->name, 1);
		const struct compare_lines_key *key;
		struct compare_line *line;
		uint64_t at;

		/* the row "rest": samples that belong to no line of the function */
		if (!str_u64(&name, &at))
			continue;
		key = &l->keys.data[at - 1];
		line = VEC_PUSH(&ret->rows);
		*line = (struct compare_line){
			.file = key->file,
			.inlined = key->inlined,
			.offset = key->offset,
			.a_self = ret->function.a > 0 ? 100 * r->a / ret->function.a : 0,
			.b_self = ret->function.b > 0 ? 100 * r->b / ret->function.b : 0,
			.row = *r,
		};
		lines_place(l, (uint32_t)at, line);
	}
}

/* Choose how lines are matched. Fails if no method applies. */
static int lines_choose(struct compare_lines_build *l, struct compare_lines *ret, struct error *err)
{
	struct compare_lines_side *a = &l->sides[0];
	struct compare_lines_side *b = &l->sides[1];
	bool is_same = !l->is_innermost && compare_lines_walk_code(l, false);

	if (!a->has_lines || !b->has_lines) {
		if (is_same) {
			l->by = COMPARE_LINES_BY_ADDRESS;
			return OK;
		}
		return fail(err, ERR_UNSUPPORTED,
			    "%s no source lines for " STR_FMT ", and its code differs: build %s "
			    "with -g, or let --symfs or --debuginfod find the debug information",
			    a->has_lines   ? "B has"
			    : b->has_lines ? "A has"
					   : "both have",
			    STR_ARG(l->name),
			    a->has_lines || b->has_lines ? "that program" : "both programs");
	}
	compare_lines_read_texts(a);
	compare_lines_read_texts(b);
	if (is_same)
		l->by = COMPARE_LINES_BY_CODE;
	else if (lines_has_texts(l, a) && lines_has_texts(l, b) && compare_lines_align(l))
		l->by = COMPARE_LINES_BY_TEXT;
	else
		l->by = COMPARE_LINES_BY_NUMBER;
	/* if lines are matched by code or text, only the texts of B are shown */
	ret->is_changed = diag_get(&b->capture->diag, "perf-data-newer-source") ||
			  (l->by == COMPARE_LINES_BY_NUMBER &&
			   diag_get(&a->capture->diag, "perf-data-newer-source"));
	if (l->by != COMPARE_LINES_BY_NUMBER)
		return OK;
	if (!compare_lines_find_shift(l))
		return fail(err, ERR_UNSUPPORTED,
			    "the builds have code for different lines of " STR_FMT
			    ", and %s: keep the source of each build in its own folder, build "
			    "there, and record again",
			    STR_ARG(l->name),
			    ret->is_changed ? "its source changed after a program was built"
					    : "their source texts, which would match the lines, "
					      "are not here");
	return OK;
}

/* Reason why the listing of side @s lacks the function; STR_NONE: no reason is recorded. */
static struct str lines_missing(const struct compare_lines_build *l,
				const struct compare_lines_side *s)
{
	if (!s->code)
		return STR_NONE;
	VEC_FOREACH (m, &s->code->missing) {
		if (compare_lines_is_named(s, m->sym, l->name))
			return strings_get(capture_strings(s->capture), m->why);
	}
	return STR_NONE;
}

static int lines_open(struct compare_lines_build *l, const struct compare_spec *spec,
		      struct error *err)
{
	static const struct code none = { .unit = WEIGHT_PERCENT };

	for (int side = 0; side < 2; side++) {
		struct compare_lines_side *s = &l->sides[side];
		struct str why;

		s->capture = side ? spec->b.captures[0] : spec->a.captures[0];
		s->code = s->capture->instructions ? s->capture->instructions : &none;
		s->key_of = xcalloc(s->code->rows.len + 1, sizeof(*s->key_of));
		lines_find(l, s);
		if (s->own || s->is_inlined)
			continue;
		why = lines_missing(l, s);
		if (why.len)
			return fail(err, ERR_UNSUPPORTED,
				    "%c has no instructions of " STR_FMT ": " STR_FMT,
				    side ? 'B' : 'A', STR_ARG(l->name), STR_ARG(why));
		return fail(
			err, ERR_UNSUPPORTED,
			"%c has no samples in " STR_FMT
			" itself: it did not run, is inlined without -g, or has no symbol there; "
			"assay diff compares functions",
			side ? 'B' : 'A', STR_ARG(l->name));
	}
	l->is_innermost = l->sides[0].is_inlined || l->sides[1].is_inlined;
	return OK;
}

double compare_line_needs(const struct compare_row *row)
{
	double factor = row->visible / fabs(row->delta);

	return row->delta != 0 && row->visible > 0 ? factor * factor : NAN;
}

int compare_lines(const struct compare_spec *spec, struct str name, struct compare_lines *ret,
		  struct error *err)
{
	/* a category cache is indexed by the symbols of one dossier, here of ret->made */
	struct category_cache cats = { .by_sym = VEC_INIT };
	struct compare_lines_build l = { .name = name };
	struct compare whole = { .scale = 0 };
	int e;

	*ret = (struct compare_lines){ .name = name, .made = dossier_new() };
	e = lines_open(&l, spec, err);
	if (e == OK)
		e = lines_choose(&l, ret, err);
	if (e == OK) {
		lines_keys(&l);
		e = lines_judge(&l, spec, true, &cats, ret, &whole, err);
	}
	if (e == OK && whole.tables[COMPARE_SYMBOL].rows.len) {
		ret->function = whole.tables[COMPARE_SYMBOL].rows.data[0];
		ret->function.name = name;
		e = lines_judge(&l, spec, false, &cats, ret, &ret->all, err);
	}
	if (e == OK) {
		ret->by = l.by;
		ret->is_inlined = l.is_innermost;
		lines_take(&l, ret);
	}
	compare_fini(&whole);
	category_cache_fini(&cats);
	for (int side = 0; side < 2; side++) {
		VEC_FREE(&l.sides[side].texts);
		free(l.sides[side].key_of);
	}
	VEC_FREE(&l.keys);
	return e;
}

void compare_lines_fini(struct compare_lines *l)
{
	VEC_FREE(&l->rows);
	compare_fini(&l->all);
	dossier_free(l->made);
	l->made = NULL;
}
