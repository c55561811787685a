/* SPDX-License-Identifier: MIT */
/* c_tree.c - parse function bodies with tree-sitter */
#include "metrics/code/c_tree.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/vec.h"
#include "config.h"
#include "metrics/code/c_functions.h"
#include "metrics/code/c_tokens.h"

uint32_t c_node_field(const struct c_tree *tree, uint32_t i, enum c_field field)
{
	const struct c_node *n = tree->nodes.data;

	for (uint32_t c = i + 1; c < n[i].end; c = n[c].end) {
		if (n[c].field == field)
			return c;
	}
	return UINT32_MAX;
}

void c_tree_fini(struct c_tree *tree)
{
	VEC_FREE(&tree->nodes);
}

#if HAVE_TREE_SITTER

#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_c(void);

struct c_parser {
	TSParser *parser;
	TSTreeCursor cursor;
	bool has_cursor;
	VEC(uint8_t) kinds;  /* kinds[symbol of tree-sitter]: enum c_node_kind */
	VEC(uint8_t) fields; /* fields[field id of tree-sitter]: enum c_field */
	/* text of the body, in which preprocessor lines are replaced by blanks */
	VEC(char) text;
	VEC(uint32_t) open; /* indices of the nodes from the root to the current node */
};

struct c_kind_name {
	const char *name;
	uint8_t kind;
	bool is_named;
};

static const struct c_kind_name c_kind_names[] = {
	{ "compound_statement", N_COMPOUND, true },
	{ "if_statement", N_IF, true },
	{ "else_clause", N_ELSE, true },
	{ "for_statement", N_FOR, true },
	{ "while_statement", N_WHILE, true },
	{ "do_statement", N_DO, true },
	{ "switch_statement", N_SWITCH, true },
	{ "case_statement", N_CASE, true },
	{ "conditional_expression", N_CONDITIONAL, true },
	{ "binary_expression", N_BINARY, true },
	{ "&&", N_AND, false },
	{ "||", N_OR, false },
	{ "+", N_PLUS, false },
	{ "-", N_PLUS, false },
	{ "+=", N_PLUS, false },
	{ "-=", N_PLUS, false },
	{ "goto_statement", N_GOTO, true },
	{ "return_statement", N_RETURN, true },
	{ "break_statement", N_BREAK, true },
	{ "continue_statement", N_CONTINUE, true },
	{ "expression_statement", N_STATEMENT, true },
	{ "declaration", N_DECLARATION, true },
	{ "init_declarator", N_INIT_DECLARATOR, true },
	{ "pointer_declarator", N_POINTER_DECLARATOR, true },
	{ "array_declarator", N_ARRAY_DECLARATOR, true },
	{ "function_declarator", N_FUNCTION_DECLARATOR, true },
	{ "call_expression", N_CALL, true },
	{ "argument_list", N_ARGUMENTS, true },
	{ "identifier", N_IDENTIFIER, true },
	{ "field_expression", N_FIELD, true },
	{ "->", N_ARROW, false },
	{ "pointer_expression", N_POINTER, true },
	{ "*", N_STAR, false },
	{ "subscript_expression", N_SUBSCRIPT, true },
	{ "update_expression", N_UPDATE, true },
	{ "assignment_expression", N_ASSIGNMENT, true },
	{ "parenthesized_expression", N_PARENTHESES, true },
	{ "cast_expression", N_CAST, true },
	{ "case", N_CASE_WORD, false },
};

static const struct {
	const char *name;
	uint8_t field;
} c_field_names[] = {
	{ "condition", F_CONDITION }, { "declarator", F_DECLARATOR }, { "function", F_FUNCTION },
	{ "argument", F_ARGUMENT },   { "arguments", F_ARGUMENTS },   { "left", F_LEFT },
	{ "right", F_RIGHT },         { "value", F_VALUE },           { "body", F_BODY },
	{ "operator", F_OPERATOR },
};

static void c_parser_tables(struct c_parser *p, const TSLanguage *language)
{
	uint32_t n = ts_language_symbol_count(language);
	uint32_t n_fields = ts_language_field_count(language) + 1;

	for (uint32_t i = 0; i < n; i++) {
		const char *name = ts_language_symbol_name(language, (TSSymbol)i);
		bool is_named =
			ts_language_symbol_type(language, (TSSymbol)i) == TSSymbolTypeRegular;

		*VEC_PUSH(&p->kinds) = N_OTHER;
		/*
		 * tree-sitter may have several symbols with the same name (aliases), so look up the
		 * kind by name for each symbol
		 */
		for (size_t k = 0; name && k < ARRAY_LEN(c_kind_names); k++) {
			if (c_kind_names[k].is_named == is_named &&
			    strcmp(c_kind_names[k].name, name) == 0)
				p->kinds.data[i] = c_kind_names[k].kind;
		}
	}
	for (uint32_t i = 0; i < n_fields; i++)
		*VEC_PUSH(&p->fields) = F_NONE;
	for (size_t k = 0; k < ARRAY_LEN(c_field_names); k++) {
		const char *name = c_field_names[k].name;
		TSFieldId id =
			ts_language_field_id_for_name(language, name, (uint32_t)strlen(name));

		if (id && id < n_fields)
			p->fields.data[id] = c_field_names[k].field;
	}
}

struct c_parser *c_parser_new(void)
{
	struct c_parser *p = xcalloc(1, sizeof(*p));
	const TSLanguage *language = tree_sitter_c();

	/*
	 * let tree-sitter use xmalloc() and similar: with its own allocator, tree-sitter would
	 * abort the process when memory is exhausted
	 */
	ts_set_allocator(xmalloc, xcalloc, xrealloc, free);
	p->parser = ts_parser_new();
	if (!p->parser || !ts_parser_set_language(p->parser, language)) {
		c_parser_free(p);
		return NULL;
	}
	c_parser_tables(p, language);
	return p;
}

void c_parser_free(struct c_parser *p)
{
	if (!p)
		return;
	if (p->has_cursor)
		ts_tree_cursor_delete(&p->cursor);
	if (p->parser)
		ts_parser_delete(p->parser);
	VEC_FREE(&p->kinds);
	VEC_FREE(&p->fields);
	VEC_FREE(&p->text);
	VEC_FREE(&p->open);
	free(p);
}

/* Whether the tokens [from, to) are complete statements. An empty range counts as complete. */
static bool c_is_whole(const struct c_tokens *t, uint32_t from, uint32_t to)
{
	int parens = 0;
	int braces = 0;
	char last = ';';

	for (uint32_t i = from; i < to; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->kind == C_DIRECTIVE)
			continue;
		last = k->kind == C_OPERATOR && k->len == 1 ? k->first : 'a';
		if (k->kind != C_OPERATOR || k->len != 1)
			continue;
		parens += (k->first == '(') - (k->first == ')');
		braces += (k->first == '{') - (k->first == '}');
		if (parens < 0 || braces < 0)
			return false;
	}
	return parens == 0 && braces == 0 && (last == ';' || last == '}' || last == ':');
}

static void c_blank(struct c_parser *p, const struct c_tokens *t, const struct c_function *f,
		    uint32_t from, uint32_t to)
{
	uint32_t base = t->items.data[f->body].at;

	for (uint32_t i = from; i < to; i++) {
		const struct c_token *k = &t->items.data[i];

		for (uint32_t b = k->at - base; b < k->at - base + k->len; b++) {
			if (p->text.data[b] != '\n')
				p->text.data[b] = ' ';
		}
	}
}

/*
 * Replace by blanks: preprocessor lines, code under `#if 0`, and all arms of an #if except the
 * first. A later arm is kept if both the first arm and the later arm consist of complete
 * statements.
 */
static void c_blank_arms(struct c_parser *p, const struct c_tokens *t, const struct c_function *f)
{
	uint32_t before = f->body + 1; /* first token after the previous preprocessor line */
	bool is_before_whole = true;

	for (uint32_t i = f->body + 1; i <= f->end; i++) {
		const struct c_token *k = &t->items.data[i];
		uint32_t to = i;

		if (k->kind != C_DIRECTIVE && i < f->end)
			continue;
		if (before < to) {
			uint8_t arm = t->items.data[before].arm;
			bool is_whole = c_is_whole(t, before, to);

			if (arm == C_ARM_NEVER ||
			    (arm == C_ARM_OTHER && !(is_whole && is_before_whole)))
				c_blank(p, t, f, before, to);
			if (arm != C_ARM_OTHER)
				is_before_whole = is_whole;
		}
		if (k->kind == C_DIRECTIVE)
			c_blank(p, t, f, i, i + 1);
		before = i + 1;
	}
}

static bool c_is_too_deep(const struct c_tokens *t, const struct c_function *f)
{
	uint32_t depth = 0;

	for (uint32_t i = f->body; i <= f->end; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->kind != C_OPERATOR || k->len != 1)
			continue;
		if (k->first == '{' || k->first == '(' || k->first == '[') {
			if (++depth > LIMIT_SOURCE_NESTING)
				return true;
		} else if (depth && (k->first == '}' || k->first == ')' || k->first == ']')) {
			depth--;
		}
	}
	return false;
}

static void c_flatten(struct c_parser *p, TSNode root, uint32_t base, struct c_tree *tree)
{
	TSTreeCursor *cursor = &p->cursor;

	if (p->has_cursor)
		ts_tree_cursor_reset(cursor, root);
	else
		*cursor = ts_tree_cursor_new(root);
	p->has_cursor = true;
	p->open.len = 0;
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(cursor);
		TSSymbol symbol = ts_node_symbol(node);
		TSFieldId field = ts_tree_cursor_current_field_id(cursor);
		uint32_t at = (uint32_t)tree->nodes.len;

		*VEC_PUSH(&tree->nodes) = (struct c_node){
			.from = base + ts_node_start_byte(node),
			.to = base + ts_node_end_byte(node),
			.parent = p->open.len ? p->open.data[p->open.len - 1] : UINT32_MAX,
			.end = at + 1,
			.kind = symbol < p->kinds.len ? p->kinds.data[symbol] : (uint8_t)N_ERROR,
			.field = field < p->fields.len ? p->fields.data[field] : (uint8_t)F_NONE,
		};
		if (ts_tree_cursor_goto_first_child(cursor)) {
			*VEC_PUSH(&p->open) = at;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(cursor)) {
			if (!p->open.len || !ts_tree_cursor_goto_parent(cursor))
				return;
			tree->nodes.data[p->open.data[--p->open.len]].end =
				(uint32_t)tree->nodes.len;
		}
	}
}

bool c_parser_body(struct c_parser *p, const struct c_tokens *t, const struct c_function *f,
		   struct c_tree *tree)
{
	uint32_t from = t->items.data[f->body].at;
	uint32_t to = t->items.data[f->end].at + t->items.data[f->end].len;
	TSTree *parsed;

	tree->text = t->text;
	tree->nodes.len = 0;
	tree->has_error = false;
	if (c_is_too_deep(t, f))
		return false;
	p->text.len = 0;
	VEC_APPEND(&p->text, t->text.p + from, to - from);
	c_blank_arms(p, t, f);
	parsed = ts_parser_parse_string(p->parser, NULL, p->text.data, to - from);
	if (!parsed)
		return false;
	tree->has_error = ts_node_has_error(ts_tree_root_node(parsed));
	c_flatten(p, ts_tree_root_node(parsed), from, tree);
	ts_tree_delete(parsed);
	return true;
}

#else

struct c_parser *c_parser_new(void)
{
	return NULL;
}

void c_parser_free(struct c_parser *p)
{
	(void)p;
}

bool c_parser_body(struct c_parser *p, const struct c_tokens *t, const struct c_function *f,
		   struct c_tree *tree)
{
	(void)p;
	(void)t;
	(void)f;
	tree->nodes.len = 0;
	return false;
}

#endif
