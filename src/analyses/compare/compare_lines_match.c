/* SPDX-License-Identifier: MIT */
/* Match the lines of two builds: by code, by text or by number. */
#include "analyses/compare/compare_lines.h"
#include "analyses/compare/compare_lines_build.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/strings.h"
#include "core/symbols.h"

bool compare_lines_is_named(const struct compare_lines_side *s, sym_id sym, struct str name)
{
	return sym.v && str_eq(symbols_canonical(capture_symbols(s->capture), sym), name);
}

bool compare_lines_has(const struct compare_lines_build *l, const struct compare_lines_side *s,
		       const struct code_function *f, uint32_t i)
{
	const struct code_row *row = &s->code->rows.data[i];
	bool is_own = compare_lines_is_named(s, f->sym, l->name);

	if (row->is_source)
		return false;
	if (!l->is_innermost)
		return is_own;
	return compare_lines_is_named(s, row->inlined, l->name) || (is_own && !row->inlined.v);
}

static int lines_compare_texts(const void *x, const void *y)
{
	const struct compare_lines_text *a = x;
	const struct compare_lines_text *b = y;

	return SORT_ORDER(a->file.v, b->file.v) ?: SORT_ORDER(a->number, b->number);
}

void compare_lines_read_texts(struct compare_lines_side *s)
{
	struct strings *strings = capture_strings(s->capture);
	size_t n = 0;

	VEC_FOREACH (row, &s->code->rows) {
		if (row->is_source && row->number)
			*VEC_PUSH(&s->texts) = (struct compare_lines_text){
				.file = row->file,
				.number = row->number,
				.text = strings_add(strings,
						    str_trim(strings_get(strings, row->text))),
			};
	}
	VEC_SORT(&s->texts, lines_compare_texts);
	for (size_t i = 0; i < s->texts.len; i++) {
		if (n == 0 || lines_compare_texts(&s->texts.data[n - 1], &s->texts.data[i]))
			s->texts.data[n++] = s->texts.data[i];
	}
	s->texts.len = n;
}

struct compare_lines_text *compare_lines_text_of(const struct compare_lines_side *s, str_id file,
						 uint32_t number)
{
	struct compare_lines_text want = { .file = file, .number = number };

	return s->texts.len == 0 ? NULL
				 : bsearch(&want, s->texts.data, s->texts.len,
					   sizeof(*s->texts.data), lines_compare_texts);
}

/*
 * Match lines of one file by the longest common subsequence of their texts: the @n_a lines @a of A
 * with the @n_b lines @b of B. Cost: O(n_a * n_b).
 */
static void lines_align(struct compare_lines_text *a, size_t n_a,
			const struct compare_lines_text *b, size_t n_b)
{
	size_t width = n_b + 1;
	/*
	 * longest[i * width + k]: length of the longest common subsequence of a[i...] and b[k...]
	 */
	CLEANUP(freep) uint16_t *longest = xcalloc((n_a + 1) * width, sizeof(*longest));
	size_t i, k;

	for (i = n_a; i-- > 0;) {
		for (k = n_b; k-- > 0;) {
			uint16_t down = longest[(i + 1) * width + k];
			uint16_t right = longest[i * width + k + 1];

			longest[i * width + k] =
				a[i].text.v == b[k].text.v
					? (uint16_t)(longest[(i + 1) * width + k + 1] + 1)
				: down > right ? down
					       : right;
		}
	}
	for (i = k = 0; i < n_a && k < n_b;) {
		if (a[i].text.v == b[k].text.v)
			a[i++].match = b[k++].number;
		else if (longest[(i + 1) * width + k] >= longest[i * width + k + 1])
			i++;
		else
			k++;
	}
}

bool compare_lines_align(struct compare_lines_build *l)
{
	struct compare_lines_side *a = &l->sides[0];
	const struct compare_lines_side *b = &l->sides[1];
	size_t k = 0;

	for (size_t i = 0; i < a->texts.len;) {
		str_id file = a->texts.data[i].file;
		size_t end = i, from;

		while (end < a->texts.len && a->texts.data[end].file.v == file.v)
			end++;
		while (k < b->texts.len && b->texts.data[k].file.v < file.v)
			k++;
		from = k;
		while (k < b->texts.len && b->texts.data[k].file.v == file.v)
			k++;
		if (end - i > COMPARE_LINES_TEXTS || k - from > COMPARE_LINES_TEXTS)
			return false;
		if (k > from)
			lines_align(&a->texts.data[i], end - i, &b->texts.data[from], k - from);
		i = end;
	}
	return true;
}

/*
 * Take the next character of an instruction. A number becomes a single '0'; the text ends before a
 * symbol such as "<name+0x10>".
 */
static char lines_next(struct str *text)
{
	char c;

	if (text->len == 0 || str_starts(*text, STR(" <")))
		return '\0';
	c = text->p[0];
	if (!char_is_digit(c)) {
		*text = str_skip(*text, 1);
		return c;
	}
	while (text->len && (char_hex(text->p[0]) >= 0 || text->p[0] == 'x'))
		*text = str_skip(*text, 1);
	return '0';
}

/* Whether two instructions are the same, apart from numbers such as jump targets. */
static bool lines_is_same_instruction(struct str a, struct str b)
{
	char c;

	do {
		c = lines_next(&a);
		if (c != lines_next(&b))
			return false;
	} while (c);
	return true;
}

uint32_t compare_lines_instruction(const struct code *code, const struct code_function *f,
				   uint32_t i)
{
	while (i < f->first + f->n && code->rows.data[i].is_source)
		i++;
	return i;
}

bool compare_lines_walk_code(struct compare_lines_build *l, bool set)
{
	struct compare_lines_side *a = &l->sides[0];
	struct compare_lines_side *b = &l->sides[1];
	const struct strings *strings = capture_strings(a->capture);
	uint32_t i, k;

	if (a->n_own != 1 || b->n_own != 1)
		return false;
	i = compare_lines_instruction(a->code, a->own, a->own->first);
	k = compare_lines_instruction(b->code, b->own, b->own->first);
	while (i < a->own->first + a->own->n && k < b->own->first + b->own->n) {
		const struct code_row *x = &a->code->rows.data[i];
		const struct code_row *y = &b->code->rows.data[k];

		if (!lines_is_same_instruction(strings_get(strings, x->text),
					       strings_get(strings, y->text)) ||
		    x->address - a->code->rows
					    .data[compare_lines_instruction(a->code, a->own,
									    a->own->first)]
					    .address !=
			    y->address - b->code->rows
						 .data[compare_lines_instruction(b->code, b->own,
										 b->own->first)]
						 .address)
			return false;
		if (set)
			a->key_of[i] = b->key_of[k];
		i = compare_lines_instruction(a->code, a->own, i + 1);
		k = compare_lines_instruction(b->code, b->own, k + 1);
	}
	return i == a->own->first + a->own->n && k == b->own->first + b->own->n;
}

typedef VEC(uint32_t) lines_numbers;

static int lines_compare_numbers(const void *x, const void *y)
{
	return SORT_ORDER(*(const uint32_t *)x, *(const uint32_t *)y);
}

/* Collect the line numbers of the function itself, ascending, in its first file, *@ret_file. */
static void lines_collect(const struct compare_lines_build *l, const struct compare_lines_side *s,
			  lines_numbers *ret, str_id *ret_file)
{
	size_t n = 0;

	*ret_file = STR_ID_NONE;
	VEC_FOREACH (f, &s->code->functions) {
		for (uint32_t i = f->first; i < f->first + f->n; i++) {
			const struct code_row *row = &s->code->rows.data[i];

			if (!compare_lines_has(l, s, f, i) || !row->number ||
			    (row->inlined.v && !compare_lines_is_named(s, row->inlined, l->name)))
				continue;
			*ret_file = ret_file->v ? *ret_file : row->file;
			if (row->file.v == ret_file->v)
				*VEC_PUSH(ret) = row->number;
		}
	}
	VEC_SORT(ret, lines_compare_numbers);
	for (size_t i = 0; i < ret->len; i++) {
		if (n == 0 || ret->data[n - 1] != ret->data[i])
			ret->data[n++] = ret->data[i];
	}
	ret->len = n;
}

bool compare_lines_find_shift(struct compare_lines_build *l)
{
	lines_numbers a = VEC_INIT, b = VEC_INIT;
	str_id file_b;
	bool is_same;

	lines_collect(l, &l->sides[0], &a, &l->file);
	lines_collect(l, &l->sides[1], &b, &file_b);
	is_same = a.len == b.len && a.len && l->file.v == file_b.v;
	l->shift = is_same ? (int64_t)b.data[0] - a.data[0] : 0;
	for (size_t i = 0; is_same && i < a.len; i++)
		is_same = (int64_t)b.data[i] - a.data[i] == l->shift;
	if (!is_same)
		l->shift = 0;
	VEC_FREE(&a);
	VEC_FREE(&b);
	return is_same;
}
