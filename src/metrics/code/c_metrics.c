/* SPDX-License-Identifier: MIT */
/* c_metrics.c - metrics of one function from its tokens and syntax tree */
#include "metrics/code/c_metrics.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_functions.h"
#include "metrics/code/c_measure.h"
#include "metrics/code/c_names.h"
#include "metrics/code/c_tokens.h"
#include "metrics/code/c_tree.h"

#include <math.h>

const struct c_metric_info c_metric_infos[C_METRIC_COUNT] = {
#define C_METRIC_INFO(id, title, unit, definition, source) { title, unit, definition, source },
	C_METRICS(C_METRIC_INFO)
#undef C_METRIC_INFO
};

struct c_measure *c_measure_new(void)
{
	return xcalloc(1, sizeof(struct c_measure));
}

void c_measure_free(struct c_measure *m)
{
	if (!m)
		return;
	c_names_fini(&m->operators);
	c_names_fini(&m->operands);
	c_names_fini(&m->variables);
	VEC_FREE(&m->is_pointer);
	VEC_FREE(&m->is_checked);
	VEC_FREE(&m->flags);
	VEC_FREE(&m->counts);
	VEC_FREE(&m->counts_in);
	VEC_FREE(&m->control);
	VEC_FREE(&m->depth);
	VEC_FREE(&m->below);
	VEC_FREE(&m->nesting);
	VEC_FREE(&m->loops);
	VEC_FREE(&m->base);
	free(m);
}

static void c_measure_lines(const struct c_tokens *t, const struct c_function *f, double *ret)
{
	uint32_t code = 0;
	uint32_t comments = 0;

	for (uint32_t i = f->head_line; i <= f->last_line && i <= t->lines.len; i++) {
		code += (t->lines.data[i - 1] & C_LINE_CODE) != 0;
		comments += (t->lines.data[i - 1] & C_LINE_COMMENT) != 0;
	}
	ret[CM_LINES] = f->last_line - f->head_line + 1;
	ret[CM_CODE_LINES] = code;
	ret[CM_COMMENT_LINES] = comments;
	ret[CM_PARAMETERS] = f->n_params;
}

/*
 * Whether the token is a keyword, such as sizeof or if, that counts as an operator in Halstead's
 * metrics.
 */
static bool c_is_operator_word(const struct c_token *k)
{
	return k->kind == C_WORD && k->keyword != C_NO_KEYWORD;
}

static void c_measure_halstead(struct c_measure *m, const struct c_tokens *t,
			       const struct c_function *f, double *ret)
{
	double length;
	double vocabulary;
	double n1_all = 0;
	double n2_all = 0;
	double volume;
	double difficulty = 0;

	c_names_clear(&m->operators);
	c_names_clear(&m->operands);
	for (uint32_t i = f->body; i <= f->end; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->kind == C_DIRECTIVE || k->arm == C_ARM_NEVER ||
		    (k->kind == C_OPERATOR && k->len == 1 && strchr(")]}", k->first)))
			continue;
		if (k->kind == C_OPERATOR || c_is_operator_word(k)) {
			c_names_add(&m->operators, c_token_text(t, i));
			n1_all++;
		} else {
			c_names_add(&m->operands, c_token_text(t, i));
			n2_all++;
		}
	}
	length = n1_all + n2_all;
	vocabulary = (double)(m->operators.names.len + m->operands.names.len);
	volume = vocabulary > 0 ? length * log2(vocabulary) : 0;
	if (m->operands.names.len)
		difficulty =
			(double)m->operators.names.len / 2 * n2_all / (double)m->operands.names.len;
	ret[CM_HALSTEAD_LENGTH] = length;
	ret[CM_HALSTEAD_VOCABULARY] = vocabulary;
	ret[CM_HALSTEAD_VOLUME] = volume;
	ret[CM_HALSTEAD_DIFFICULTY] = difficulty;
	ret[CM_HALSTEAD_EFFORT] = difficulty * volume;
}

/*
 * Compute McCabe's cyclomatic complexity. It needs only tokens, so it is available even if
 * tree-sitter cannot parse the body.
 */
static void c_measure_cyclomatic(const struct c_tokens *t, const struct c_function *f, double *ret)
{
	uint32_t branches = 0; /* number of if, for, while, ?: */
	uint32_t cases = 0;
	uint32_t switches = 0;
	uint32_t links = 0; /* number of && and || */
	uint32_t gotos = 0;
	uint32_t returns = 0;

	for (uint32_t i = f->body; i <= f->end; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->arm == C_ARM_NEVER)
			continue;
		if (k->kind == C_OPERATOR) {
			branches += k->len == 1 && k->first == '?';
			links += k->len == 2 && (k->first == '&' || k->first == '|') &&
				 t->text.p[k->at + 1] == k->first;
		}
		if (k->kind != C_WORD)
			continue;
		branches += k->keyword == C_IF || k->keyword == C_FOR || k->keyword == C_WHILE;
		cases += k->keyword == C_CASE;
		switches += k->keyword == C_SWITCH;
		gotos += k->keyword == C_GOTO;
		returns += k->keyword == C_RETURN;
	}
	ret[CM_CYCLOMATIC] = 1.0 + branches + cases + links;
	ret[CM_CYCLOMATIC_MODIFIED] = 1.0 + branches + switches + links;
	ret[CM_CYCLOMATIC_PLAIN] = 1.0 + branches + cases;
	ret[CM_GOTOS] = gotos;
	ret[CM_RETURNS] = returns;
}

bool c_is_loop(const struct c_node *n)
{
	return n->kind == N_FOR || n->kind == N_WHILE || n->kind == N_DO;
}

bool c_is_control(const struct c_node *n)
{
	return n->kind == N_IF || n->kind == N_SWITCH || c_is_loop(n);
}

bool c_is_else_if(const struct c_tree *tree, uint32_t i)
{
	const struct c_node *n = &tree->nodes.data[i];

	return n->kind == N_IF && n->parent != UINT32_MAX &&
	       tree->nodes.data[n->parent].kind == N_ELSE;
}

bool c_is_callee(const struct c_tree *tree, uint32_t i)
{
	const struct c_node *n = &tree->nodes.data[i];

	return n->field == F_FUNCTION && n->parent != UINT32_MAX &&
	       tree->nodes.data[n->parent].kind == N_CALL;
}

static void c_add_variable(struct c_measure *m, struct str name, bool is_pointer)
{
	size_t before = m->variables.names.len;
	uint32_t id = c_names_add(&m->variables, name);

	if (m->variables.names.len > before) {
		*VEC_PUSH(&m->is_pointer) = 0;
		*VEC_PUSH(&m->is_checked) = 0;
	}
	m->is_pointer.data[id] |= is_pointer;
}

/* Add the parameter whose tokens are [from, to) to m->variables. */
static void c_parameter(struct c_measure *m, const struct c_tokens *t, uint32_t from, uint32_t to)
{
	uint32_t name = UINT32_MAX;
	uint32_t words = 0;
	bool is_pointer = false;

	for (uint32_t i = from; i < to; i++) {
		const struct c_token *k = &t->items.data[i];

		/* in `int (*callback)(void *arg)`, the name is in the first parentheses */
		if (c_token_is(k, '(') && i + 1 < to && c_token_is(&t->items.data[i + 1], '*')) {
			uint32_t close = c_close(t, i, to);

			for (uint32_t j = i; j < close; j++) {
				if (t->items.data[j].kind == C_WORD &&
				    t->items.data[j].keyword == C_NO_KEYWORD)
					name = j;
			}
			words = 2;
			is_pointer = true;
			break;
		}
		if (c_token_is(k, '[')) {
			is_pointer = true;
			i = c_close(t, i, to);
			continue;
		}
		if (c_token_is(k, '('))
			i = c_close(t, i, to);
		is_pointer |= c_token_is(k, '*');
		if (k->kind != C_WORD)
			continue;
		words += k->keyword != C_QUALIFIER && k->keyword != C_STORAGE;
		if (k->keyword == C_NO_KEYWORD)
			name = i;
	}
	/* a parameter of a single word is a type without a name */
	if (name != UINT32_MAX && words >= 2)
		c_add_variable(m, c_token_text(t, name), is_pointer);
}

static void c_parameters(struct c_measure *m, const struct c_tokens *t, const struct c_function *f)
{
	uint32_t from = f->params + 1;
	uint32_t depth = 0;

	for (uint32_t i = from; i <= f->params_end; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->kind != C_OPERATOR || k->len != 1)
			continue;
		if (i == f->params_end || (k->first == ',' && depth == 0)) {
			c_parameter(m, t, from, i);
			from = i + 1;
		} else if (k->first == '(' || k->first == '[') {
			depth++;
		} else if (depth && (k->first == ')' || k->first == ']')) {
			depth--;
		}
	}
	m->n_params = (uint32_t)m->variables.names.len;
}

/* Add the variables of a declaration to m->variables. Returns their number. */
static uint32_t c_declared(struct c_measure *m, const struct c_tree *tree, uint32_t declaration)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t count = 0;

	for (uint32_t c = declaration + 1; c < n[declaration].end; c = n[c].end) {
		bool is_pointer = false;
		uint32_t at = c;

		if (n[c].field != F_DECLARATOR)
			continue;
		/* find the name in nested declarators, such as *a[3] */
		while (at < n[c].end && n[at].kind != N_IDENTIFIER) {
			uint32_t inner = c_node_field(tree, at, F_DECLARATOR);

			is_pointer |= n[at].kind == N_POINTER_DECLARATOR ||
				      n[at].kind == N_ARRAY_DECLARATOR;
			at = inner != UINT32_MAX ? inner : at + 1;
		}
		if (at < n[c].end) {
			c_add_variable(m, c_node_text(tree, at), is_pointer);
			count++;
		}
	}
	return count;
}

/*
 * Compute m->nesting for cognitive complexity: for each node, the number of control statements and
 * ?: that contain it. An `else if` has the same nesting as its `if`. Parents precede their
 * children, so the nesting of a node's parent is already known.
 */
static void c_measure_nesting(struct c_measure *m, const struct c_tree *tree)
{
	const struct c_node *n = tree->nodes.data;

	m->nesting.len = 0;
	VEC_RESERVE(&m->nesting, tree->nodes.len);
	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		uint32_t around = n[i].parent;
		uint32_t nesting = 0;

		if (c_is_else_if(tree, i)) {
			around = n[around].parent;
			nesting = around != UINT32_MAX ? m->nesting.data[around] : 0;
		} else if (around != UINT32_MAX) {
			nesting = m->nesting.data[around] +
				  (c_is_control(&n[around]) || n[around].kind == N_CONDITIONAL);
		}
		*VEC_PUSH(&m->nesting) = nesting;
	}
}

/*
 * The kind of the operator of binary expression @i if it is && or ||: N_AND or N_OR. 0: another
 * operator.
 */
static uint8_t c_link(const struct c_tree *tree, uint32_t i)
{
	uint32_t op = c_node_field(tree, i, F_OPERATOR);

	if (op == UINT32_MAX)
		return 0;
	op = tree->nodes.data[op].kind;
	return op == N_AND || op == N_OR ? (uint8_t)op : 0;
}

static bool c_starts_run(const struct c_tree *tree, uint32_t i)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t parent = n[i].parent;
	uint8_t link = c_link(tree, i);

	while (parent != UINT32_MAX && n[parent].kind == N_PARENTHESES)
		parent = n[parent].parent;
	return link && !(parent != UINT32_MAX && n[parent].kind == N_BINARY &&
			 c_link(tree, parent) == link);
}

/* Compute cognitive complexity. */
static double c_measure_cognitive(struct c_measure *m, const struct c_tree *tree, struct str name)
{
	const struct c_node *n = tree->nodes.data;
	double points = 0;
	bool is_recursive = false;

	c_measure_nesting(m, tree);
	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		switch (n[i].kind) {
		case N_IF:
			points += c_is_else_if(tree, i) ? 0 : 1 + m->nesting.data[i];
			break;
		case N_ELSE: /* an else adds 1, and so does the else of an `else if` */
		case N_GOTO:
			points++;
			break;
		case N_SWITCH:
		case N_FOR:
		case N_WHILE:
		case N_DO:
		case N_CONDITIONAL:
			points += 1 + m->nesting.data[i];
			break;
		case N_BINARY:
			points += c_starts_run(tree, i);
			break;
		case N_IDENTIFIER:
			is_recursive |= c_is_callee(tree, i) && str_eq(c_node_text(tree, i), name);
			break;
		default:
			break;
		}
	}
	return points + is_recursive;
}

/*
 * For a function @name that copies memory, return the index of the argument with the length: 2 for
 * memcpy. Returns -2 if the function has no such argument, as strcpy, and -1 if it does not copy
 * memory.
 */
static int c_copy_length_argument(struct str name)
{
	static const struct {
		const char *name;
		int argument;
	} copies[] = {
		{ "memcpy", 2 },           { "memmove", 2 },        { "bcopy", 2 },
		{ "__builtin_memcpy", 2 }, { "copy_from_user", 2 }, { "__copy_from_user", 2 },
		{ "copy_to_user", 2 },     { "__copy_to_user", 2 }, { "memcpy_from_msg", 2 },
		{ "strcpy", -2 },          { "strcat", -2 },        { "sprintf", -2 },
		{ "vsprintf", -2 },        { "gets", -2 },          { "stpcpy", -2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(copies); i++) {
		if (str_eq(name, str_of(copies[i].name)))
			return copies[i].argument;
	}
	return -1;
}

/*
 * Whether @call copies memory, and the caller does not check the length: either the called function
 * has no length argument (strcpy), or the length argument contains a variable that occurs in no
 * condition of the caller.
 */
static bool c_is_unchecked(const struct c_measure *m, const struct c_tree *tree, uint32_t call)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t callee = c_node_field(tree, call, F_FUNCTION);
	uint32_t arguments = c_node_field(tree, call, F_ARGUMENTS);
	int want;
	int at = -1;

	if (callee == UINT32_MAX || n[callee].kind != N_IDENTIFIER || arguments == UINT32_MAX)
		return false;
	want = c_copy_length_argument(c_node_text(tree, callee));
	if (want < 0)
		return want == -2;
	for (uint32_t c = arguments + 1; c < n[arguments].end; c = n[c].end) {
		/* skip commas and parentheses, which are nodes of one byte */
		if (n[c].to == n[c].from + 1 && strchr("(,)", tree->text.p[n[c].from]))
			continue;
		if (++at != want)
			continue;
		for (uint32_t i = c; i < n[c].end; i++) {
			uint32_t id;

			if (n[i].kind != N_IDENTIFIER)
				continue;
			id = c_names_find(&m->variables, c_node_text(tree, i));
			if (id != UINT32_MAX && !m->is_checked.data[id] &&
			    !str_starts(c_node_text(tree, c), STR("sizeof")))
				return true;
		}
	}
	return false;
}

static void c_measure_tree(struct c_measure *m, const struct c_function *f,
			   const struct c_tree *tree, double *ret)
{
	const struct c_node *n = tree->nodes.data;
	double statements = 0;
	double casts = 0;
	double calls = 0;
	double locals = 0;
	double copies = 0;

	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		uint8_t kind = n[i].kind;

		statements += (kind >= N_IF && kind <= N_SWITCH && kind != N_ELSE) ||
			      (kind >= N_GOTO && kind <= N_DECLARATION);
		casts += kind == N_CAST;
		calls += kind == N_CALL;
		if (kind == N_DECLARATION)
			locals += c_declared(m, tree, i);
	}
	leopard_measure(m, tree, ret);
	for (uint32_t i = 0; i < tree->nodes.len; i++)
		copies += n[i].kind == N_CALL && c_is_unchecked(m, tree, i);
	ret[CM_STATEMENTS] = statements;
	ret[CM_CASTS] = casts;
	ret[CM_CALL_SITES] = calls;
	ret[CM_LOCALS] = locals;
	ret[CM_UNCHECKED_COPIES] = copies;
	ret[CM_COGNITIVE] = c_measure_cognitive(m, tree, f->name);
}

void c_measure_function(struct c_measure *m, const struct c_tokens *t, const struct c_function *f,
			const struct c_tree *tree, double *ret)
{
	for (unsigned int i = 0; i < C_METRIC_COUNT; i++)
		ret[i] = NAN;
	c_measure_lines(t, f, ret);
	c_measure_halstead(m, t, f, ret);
	c_measure_cyclomatic(t, f, ret);
	c_names_clear(&m->variables);
	m->is_pointer.len = 0;
	m->is_checked.len = 0;
	c_parameters(m, t, f);
	ret[CM_LEOPARD_V1] = m->n_params;
	if (tree->nodes.len)
		c_measure_tree(m, f, tree, ret);
}
