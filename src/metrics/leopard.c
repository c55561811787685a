/* SPDX-License-Identifier: MIT */
/*
 * leopard.c - metrics of LEOPARD, a method that finds functions likely to have security bugs
 *
 * Source: Du et al., "LEOPARD: Identifying Vulnerable Code for Vulnerability Assessment through
 * Program Metrics", ICSE 2019, sections II-B (complexity, C1 to C4) and II-C (vulnerability, V1 to
 * V11).
 *
 * The paper leaves some details open. Here, V6 counts all pairs of a control statement and another
 * control statement that contains it. An `else if` is not nested in its `if`. a[i] is a pointer
 * operation; a.m is not.
 */
#include "metrics/code/c_measure.h"

#include "base/vec.h"
#include "metrics/code/c_names.h"
#include "metrics/code/c_tree.h"

/* value in m->base: the base of this node is not computed yet */
#define LEOPARD_UNKNOWN (UINT32_MAX - 1)

/*
 * Innermost control statement that contains node @i; UINT32_MAX: none. An `else if` is not nested
 * in its `if`. Parents precede their children, so m->control of the parent is already set.
 */
static uint32_t leopard_control(const struct c_measure *m, const struct c_tree *tree, uint32_t i)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t parent;

	if (c_is_else_if(tree, i))
		return m->control.data[n[n[i].parent].parent];
	parent = n[i].parent;
	if (parent == UINT32_MAX)
		return UINT32_MAX;
	return c_is_control(&n[parent]) ? parent : m->control.data[parent];
}

static void leopard_nesting(struct c_measure *m, const struct c_tree *tree, double *ret)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t len = (uint32_t)tree->nodes.len;
	double loops = 0;
	double nested = 0;
	double pairs = 0;
	uint32_t deepest = 0;
	uint32_t loop_nesting = 0;
	uint32_t largest = 0;

	VEC_RESERVE(&m->control, len);
	VEC_RESERVE(&m->depth, len);
	VEC_RESERVE(&m->below, len);
	VEC_RESERVE(&m->loops, len);
	for (uint32_t i = 0; i < len; i++) {
		uint32_t outer;
		uint32_t around;

		m->control.data[i] = outer = leopard_control(m, tree, i);
		m->depth.data[i] = outer == UINT32_MAX ? 0 : m->depth.data[outer] + 1;
		m->below.data[i] = 0;
		around = outer == UINT32_MAX ? 0 : m->loops.data[outer] + c_is_loop(&n[outer]);
		m->loops.data[i] = around;
		if (!c_is_control(&n[i]))
			continue;
		pairs += m->depth.data[i];
		if (m->depth.data[i] + 1 > deepest)
			deepest = m->depth.data[i] + 1;
		if (!c_is_loop(&n[i]))
			continue;
		loops++;
		nested += around > 0;
		if (around + 1 > loop_nesting)
			loop_nesting = around + 1;
	}
	for (uint32_t i = len; i-- > 0;) {
		if (!c_is_control(&n[i]))
			continue;
		m->below.data[i]++;
		if (m->below.data[i] > largest)
			largest = m->below.data[i];
		if (m->control.data[i] != UINT32_MAX)
			m->below.data[m->control.data[i]] += m->below.data[i];
	}
	ret[CM_LOOPS] = loops;
	ret[CM_NESTED_LOOPS] = nested;
	ret[CM_LOOP_NESTING] = loop_nesting;
	ret[CM_NESTING] = deepest;
	ret[CM_LEOPARD_V6] = pairs;
	ret[CM_LEOPARD_V7] = deepest;
	ret[CM_LEOPARD_V8] = largest;
}

static double leopard_cyclomatic(const struct c_tree *tree)
{
	const struct c_node *n = tree->nodes.data;
	double c = 1;

	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		uint8_t kind = n[i].kind;

		c += kind == N_IF || c_is_loop(&n[i]) || kind == N_CONDITIONAL;
		c += kind == N_CASE_WORD && n[i].parent != UINT32_MAX &&
		     n[n[i].parent].kind == N_CASE;
		c += (kind == N_AND || kind == N_OR) && n[i].parent != UINT32_MAX &&
		     n[n[i].parent].kind == N_BINARY;
	}
	return c;
}

static void leopard_clear(struct c_measure *m)
{
	size_t n = m->variables.names.len;

	VEC_RESERVE(&m->flags, n);
	VEC_RESERVE(&m->counts, n);
	VEC_RESERVE(&m->counts_in, n);
	for (size_t i = 0; i < n; i++) {
		m->flags.data[i] = 0;
		m->counts.data[i] = 0;
		m->counts_in.data[i] = UINT32_MAX;
	}
}

static uint32_t leopard_variable(const struct c_measure *m, const struct c_tree *tree, uint32_t i)
{
	if (tree->nodes.data[i].kind != N_IDENTIFIER || c_is_callee(tree, i))
		return UINT32_MAX;
	return c_names_find(&m->variables, c_node_text(tree, i));
}

/* Compute V2: the number of different variables that occur in arguments of calls. */
static double leopard_arguments(struct c_measure *m, const struct c_tree *tree)
{
	const struct c_node *n = tree->nodes.data;
	double count = 0;
	/*
	 * index of the first node after the outermost argument list that contains the current node
	 */
	uint32_t end = 0;

	leopard_clear(m);
	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		uint32_t id;

		if (n[i].kind == N_ARGUMENTS && n[i].end > end)
			end = n[i].end;
		if (i >= end)
			continue;
		id = leopard_variable(m, tree, i);
		if (id != UINT32_MAX && !m->flags.data[id]) {
			m->flags.data[id] = 1;
			count++;
		}
	}
	return count;
}

/*
 * Return the part of the pointer expression @i from which its pointer variable is found: `p->a` in
 * (p->a)[i]. UINT32_MAX: none.
 */
static uint32_t leopard_inner(const struct c_tree *tree, uint32_t i)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t inner = c_node_field(tree, i, F_ARGUMENT);

	if (inner == UINT32_MAX && n[i].kind == N_PARENTHESES && i + 2 < n[i].end)
		inner = n[i + 1].end; /* skip the node of the '(' character */
	if (inner == UINT32_MAX)
		inner = c_node_field(tree, i, F_VALUE);
	if (inner == UINT32_MAX)
		inner = c_node_field(tree, i, F_LEFT);
	return inner;
}

/*
 * The identifier at the start of a pointer expression: `p` in (p->a)->b[i]. UINT32_MAX: none.
 * Stores the result in m->base for each node on the way, so that no node is visited twice.
 */
static uint32_t leopard_base(struct c_measure *m, const struct c_tree *tree, uint32_t first)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t base = first;
	uint32_t end;

	while (base != UINT32_MAX && n[base].kind != N_IDENTIFIER &&
	       m->base.data[base] == LEOPARD_UNKNOWN)
		base = leopard_inner(tree, base);
	end = base;
	if (base != UINT32_MAX && n[base].kind != N_IDENTIFIER)
		base = m->base.data[base];
	for (uint32_t i = first; i != end; i = leopard_inner(tree, i))
		m->base.data[i] = base;
	return base;
}

static uint32_t leopard_child(const struct c_tree *tree, uint32_t i, enum c_node_kind kind)
{
	const struct c_node *n = tree->nodes.data;

	for (uint32_t c = i + 1; c < n[i].end; c = n[c].end) {
		if (n[c].kind == kind)
			return c;
	}
	return UINT32_MAX;
}

/*
 * If the sum or difference at node @i has an operand that is a pointer variable (pointer
 * arithmetic), return the node of this operand; otherwise UINT32_MAX.
 */
static uint32_t leopard_sum(const struct c_measure *m, const struct c_tree *tree, uint32_t i)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t hit = UINT32_MAX;

	if (leopard_child(tree, i, N_PLUS) == UINT32_MAX)
		return UINT32_MAX;
	for (uint32_t c = i + 1; c < n[i].end; c = n[c].end) {
		uint32_t id;

		if (n[c].kind != N_IDENTIFIER)
			continue;
		id = c_names_find(&m->variables, c_node_text(tree, c));
		if (id != UINT32_MAX && m->is_pointer.data[id])
			hit = c;
	}
	return hit;
}

/*
 * Whether node @i is a pointer operation: *p, p->a, p[i], p + 1. *@ret_name: node of the
 * identifier, `p`; UINT32_MAX: none.
 */
static bool leopard_is_pointer_work(struct c_measure *m, const struct c_tree *tree, uint32_t i,
				    uint32_t *ret_name)
{
	const struct c_node *n = tree->nodes.data;
	uint32_t argument = c_node_field(tree, i, F_ARGUMENT);
	uint32_t id;

	switch (n[i].kind) {
	case N_FIELD:
		if (leopard_child(tree, i, N_ARROW) == UINT32_MAX)
			return false;
		break;
	case N_POINTER:
		if (i + 1 >= n[i].end || n[i + 1].kind != N_STAR)
			return false;
		break;
	case N_SUBSCRIPT:
		break;
	case N_UPDATE:
		if (argument == UINT32_MAX || n[argument].kind != N_IDENTIFIER)
			return false;
		id = c_names_find(&m->variables, c_node_text(tree, argument));
		*ret_name = argument;
		return id != UINT32_MAX && m->is_pointer.data[id];
	case N_BINARY:
	case N_ASSIGNMENT:
		*ret_name = leopard_sum(m, tree, i);
		return *ret_name != UINT32_MAX;
	default:
		return false;
	}
	*ret_name = argument == UINT32_MAX ? UINT32_MAX : leopard_base(m, tree, argument);
	return true;
}

/*
 * Compute V3 to V5, which count pointer operations. Identifiers that the function does not declare,
 * such as globals, count too.
 */
static void leopard_pointers(struct c_measure *m, const struct c_tree *tree, double *ret)
{
	double work = 0;
	uint32_t most = 0;

	c_names_clear(&m->operands); /* used here for the identifiers in pointer operations */
	m->counts.len = 0;
	VEC_RESERVE(&m->base, tree->nodes.len);
	for (uint32_t i = 0; i < tree->nodes.len; i++)
		m->base.data[i] = LEOPARD_UNKNOWN;
	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		uint32_t name = UINT32_MAX;
		uint32_t id;

		if (!leopard_is_pointer_work(m, tree, i, &name))
			continue;
		work++;
		if (name == UINT32_MAX)
			continue;
		id = c_names_add(&m->operands, c_node_text(tree, name));
		if (id >= m->counts.len)
			*VEC_PUSH(&m->counts) = 0;
		if (++m->counts.data[id] > most)
			most = m->counts.data[id];
	}
	ret[CM_LEOPARD_V3] = work;
	ret[CM_LEOPARD_V4] = (double)m->operands.names.len;
	ret[CM_LEOPARD_V5] = most;
}

/* Compute V9 to V11, about conditions of control statements, and set m->is_checked. */
static void leopard_conditions(struct c_measure *m, const struct c_tree *tree, double *ret)
{
	const struct c_node *n = tree->nodes.data;
	double variables = 0;
	double without_else = 0;
	uint32_t most = 0;

	leopard_clear(m);
	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		uint32_t condition;

		if (!c_is_control(&n[i]))
			continue;
		without_else += n[i].kind == N_IF && leopard_child(tree, i, N_ELSE) == UINT32_MAX;
		condition = c_node_field(tree, i, F_CONDITION);
		for (uint32_t c = condition; c != UINT32_MAX && c < n[condition].end; c++) {
			uint32_t id = leopard_variable(m, tree, c);

			if (id == UINT32_MAX || m->counts_in.data[id] == i)
				continue;
			m->counts_in.data[id] = i;
			variables += m->counts.data[id] == 0;
			m->is_checked.data[id] = 1;
			if (++m->counts.data[id] > most)
				most = m->counts.data[id];
		}
	}
	ret[CM_LEOPARD_V9] = most;
	ret[CM_LEOPARD_V10] = without_else;
	ret[CM_LEOPARD_V11] = variables;
}

void leopard_measure(struct c_measure *m, const struct c_tree *tree, double *ret)
{
	leopard_nesting(m, tree, ret);
	ret[CM_LEOPARD_C1] = leopard_cyclomatic(tree);
	ret[CM_LEOPARD_V2] = leopard_arguments(m, tree);
	leopard_pointers(m, tree, ret);
	leopard_conditions(m, tree, ret);
}
