/* SPDX-License-Identifier: MIT */
/*
 * compat.c - compute the columns of the legacy table (compat.h) from the source text, by the rules
 * of the tool that printed it
 */
#include "metrics/compat/compat.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_functions.h"
#include "metrics/code/c_names.h"
#include "metrics/code/c_tokens.h"
#include "metrics/compat/compat_cflow.h"

#include <math.h>

#define COMPAT_MIN_LINES 6u

static bool compat_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || char_is_digit(c) ||
	       (unsigned char)c >= 0x80;
}

/* Count the occurrences of @word in @text as a whole word. */
static double compat_words(struct str text, struct str word)
{
	double n = 0;
	size_t at = 0;

	for (;;) {
		size_t hit = at + str_find(str_skip(text, at), word);

		if (hit >= text.len)
			return n;
		if ((hit == 0 || !compat_is_word(text.p[hit - 1])) &&
		    (hit + word.len == text.len || !compat_is_word(text.p[hit + word.len])))
			n++;
		at = hit + 1;
	}
}

/* Count the occurrences of @piece in @text that do not overlap. */
static double compat_count(struct str text, struct str piece)
{
	double n = 0;

	for (;;) {
		size_t hit = str_find(text, piece);

		if (hit >= text.len)
			return n;
		n++;
		text = str_skip(text, hit + piece.len);
	}
}

static double compat_cyclomatic(struct str text)
{
	static const char *const words[] = {
		"if", "else if", "while", "for", "do", "case", "goto"
	};
	double n = 1;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		n += compat_words(text, str_of(words[i]));
	return n + compat_count(text, STR("&&")) + compat_count(text, STR("||"));
}

/*
 * Compute Halstead's effort by the rules of the legacy tool. The characters listed below are
 * operators. Words and '.' are operands. All other characters are ignored.
 */
static double compat_effort(struct str body)
{
	struct c_names operators = { 0 };
	struct c_names operands = { 0 };
	double n1_all = 0;
	double n2_all = 0;
	double n1;
	double n2;
	double effort = 0;

	for (size_t i = 0; i < body.len;) {
		size_t from = i;

		while (i < body.len && compat_is_word(body.p[i]))
			i++;
		if (i > from || body.p[i] == '.') {
			i += i == from;
			c_names_add(&operands, str_sub(body, from, i));
			n2_all++;
			continue;
		}
		if (body.p[i] && strchr("+-*/=(){}[];,", body.p[i])) {
			c_names_add(&operators, str_sub(body, i, i + 1));
			n1_all++;
		}
		i++;
	}
	n1 = (double)operators.names.len;
	n2 = (double)operands.names.len;
	/* keep this order of operations: it gives the same rounding errors as the legacy tool */
	if (n2 > 0)
		effort = ((n1 / 2) * (n2_all / n2)) * ((n1_all + n2_all) * log2(n1 + n2));
	c_names_fini(&operators);
	c_names_fini(&operands);
	return effort;
}

static struct str compat_skip_spaces(struct str s)
{
	while (s.len && char_is_space(s.p[0]))
		s = str_skip(s, 1);
	return s;
}

static struct str compat_skip_word(struct str s)
{
	size_t n = 0;

	while (n < s.len && compat_is_word(s.p[n]))
		n++;
	return str_skip(s, n);
}

/* If *@s starts with @word and white space, skip both and return true. */
static bool compat_take(struct str *s, const char *word)
{
	struct str rest;

	if (!str_starts(*s, str_of(word)))
		return false;
	rest = str_skip(*s, strlen(word));
	if (!rest.len || !char_is_space(rest.p[0]))
		return false;
	*s = compat_skip_spaces(rest);
	return true;
}

/*
 * Whether the regular expression \w+[ \t]+\*?[A-Za-z_]\w*\s*(?:=.*?)?; matches at the start of @s.
 */
static bool compat_declares(struct str s)
{
	struct str rest = compat_skip_word(s);
	size_t blanks = 0;

	if (rest.len == s.len)
		return false;
	while (blanks < rest.len && char_is_blank(rest.p[blanks]))
		blanks++;
	if (!blanks)
		return false;
	rest = str_skip(rest, blanks);
	if (rest.len && rest.p[0] == '*')
		rest = str_skip(rest, 1);
	if (!rest.len || !compat_is_word(rest.p[0]) || char_is_digit(rest.p[0]))
		return false;
	rest = compat_skip_spaces(compat_skip_word(rest));
	if (!rest.len)
		return false;
	return rest.p[0] == ';' || (rest.p[0] == '=' && str_find_char(rest, ';') < rest.len);
}

/*
 * Whether the line looks like the declaration of a variable. Keywords such as "static" may precede
 * the type.
 */
static bool compat_is_variable(struct str line)
{
	struct str s = compat_skip_spaces(line);

	/*
	 * the first word may be the type, so try this first; if it is no declaration then, skip
	 * keywords before the type
	 */
	if (compat_declares(s))
		return true;
	if (compat_take(&s, "const") || compat_take(&s, "static")) {
		if (compat_declares(s))
			return true;
	}
	if (compat_take(&s, "struct") || compat_take(&s, "union") || compat_take(&s, "enum")) {
		if (compat_declares(s))
			return true;
	}
	return false;
}

/* Whether the regular expression \w+\s+\w+\s*\([^)]*\)\s*\{ matches anywhere in the line. */
static bool compat_is_head(struct str line)
{
	for (size_t i = 1; i < line.len; i++) {
		size_t open = i;
		size_t from;
		struct str rest;

		if (line.p[i] != '(')
			continue;
		while (open > 0 && char_is_space(line.p[open - 1]))
			open--;
		from = open;
		while (from > 0 && compat_is_word(line.p[from - 1]))
			from--;
		if (from == open || from == 0 || !char_is_space(line.p[from - 1]))
			continue;
		while (from > 0 && char_is_space(line.p[from - 1]))
			from--;
		if (from == 0 || !compat_is_word(line.p[from - 1]))
			continue;
		rest = str_skip(line, i);
		rest = str_skip(rest, str_find_char(rest, ')'));
		if (!rest.len)
			return false;
		rest = compat_skip_spaces(str_skip(rest, 1));
		if (rest.len && rest.p[0] == '{')
			return true;
	}
	return false;
}

static void compat_variables(struct str text, struct compat_row *row)
{
	struct str line;
	bool is_inside = false;

	row->c[8] = 0;
	row->c[9] = 0;
	while (str_line(&text, &line)) {
		if (compat_is_head(line)) {
			is_inside = true;
		} else if (is_inside && str_find_char(line, '}') < line.len) {
			is_inside = false;
		}
		if (compat_is_variable(line))
			row->c[is_inside ? 8 : 9]++;
	}
}

static double compat_depth(struct str text)
{
	int depth = 0;
	int deepest = 0;

	for (size_t i = 0; i < text.len; i++) {
		depth += (text.p[i] == '{') - (text.p[i] == '}');
		if (depth > deepest)
			deepest = depth;
	}
	return deepest;
}

static double compat_lines(struct str text)
{
	return compat_count(text, STR("\n")) + 1;
}

static double compat_quality(struct str body, double callers)
{
	double penalty = 0;

	if (compat_lines(body) > 50)
		penalty += 0.2;
	if (compat_words(body, STR("if")) > 3)
		penalty += 0.2;
	if (callers > 5)
		penalty += 0.2;
	if (compat_count(body, STR("lock")) + compat_count(body, STR("unlock")) +
		    compat_count(body, STR("free")) >
	    2)
		penalty += 0.2;
	if (compat_count(body, STR("copy_from_user")) + compat_count(body, STR("copy_to_user")) > 0)
		penalty += 0.2;
	return 1.0 - penalty;
}

static double compat_parameters(const struct c_tokens *t, const struct c_function *f)
{
	if (f->returns_pointer)
		return 0;
	/* like the legacy tool, count (void) as one parameter, and "..." as one */
	if (f->n_params == 0 && f->params + 2 == f->params_end &&
	    str_eq(c_token_text(t, f->params + 1), STR("void")))
		return 1;
	return f->n_params + (f->is_variadic ? 1 : 0);
}

void compat_init(struct compat_table *table, const struct c_tokens *t, const struct c_functions *f)
{
	struct cflow_size *sizes = xcalloc(f->items.len + 1, sizeof(*sizes));

	*table = (struct compat_table){ 0 };
	table->is_cut = !cflow_sizes(t, f, sizes);
	VEC_FOREACH (x, &f->items) {
		uint32_t i = (uint32_t)(x - f->items.data);
		uint32_t end = t->items.data[x->end].at + t->items.data[x->end].len;
		struct str text = str_sub(t->text, t->items.data[x->head].at, end);
		struct str body = str_sub(t->text, t->items.data[x->body].at, end);
		struct compat_row row = { .name = x->name, .function = i };

		/*
		 * skip the functions that the legacy tool does not find: short functions, functions
		 * with annotations after the parameters, and functions that a macro defines
		 */
		if (compat_lines(body) < COMPAT_MIN_LINES || x->is_annotated || x->macro.len)
			continue;
		row.c[1] = compat_parameters(t, x);
		row.c[2] = compat_cyclomatic(text);
		row.c[3] = compat_effort(body);
		row.c[4] = NAN;
		row.c[5] = sizes[i].level;
		row.c[6] = sizes[i].callees;
		row.c[7] = sizes[i].callers;
		compat_variables(text, &row);
		row.c[10] = compat_depth(text);
		row.c[11] = compat_quality(body, row.c[7]);
		*VEC_PUSH(&table->rows) = row;
	}
	free(sizes);
}

void compat_fini(struct compat_table *table)
{
	VEC_FREE(&table->rows);
}
