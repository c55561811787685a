/* SPDX-License-Identifier: MIT */
/* c_measure.h - intermediate data about one function, shared by c_metrics.c and leopard.c */
#ifndef METRICS_C_MEASURE_H
#define METRICS_C_MEASURE_H

#include "base/vec.h"
#include "metrics/code/c_metrics.h"
#include "metrics/code/c_names.h"

struct c_node;
struct c_tree;

struct c_measure {
	/* sets of the different operators and operands, for Halstead's metrics */
	struct c_names operators;
	struct c_names operands;
	struct c_names variables; /* names of parameters and locals */
	/* is_pointer[variable]: 1 if the variable is declared as a pointer */
	VEC(uint8_t) is_pointer;
	/* is_checked[variable]: 1 if the variable occurs in a condition */
	VEC(uint8_t) is_checked;
	VEC(uint8_t) flags;   /* scratch memory, indexed by variable */
	VEC(uint32_t) counts; /* scratch memory, indexed by variable */
	/*
	 * counts_in[variable]: node of the last control statement whose condition was counted in
	 * counts[variable], so that each condition counts once
	 */
	VEC(uint32_t) counts_in;
	/*
	 * control[node]: innermost control statement (if, switch, loop) that contains the node;
	 * UINT32_MAX: none
	 */
	VEC(uint32_t) control;
	VEC(uint32_t) depth; /* depth[node]: number of control statements that contain the node */
	/* below[node]: number of control statements in the node's subtree, including the node */
	VEC(uint32_t) below;
	/*
	 * nesting[node]: number of control statements and ?: that contain the node. The `if` of an
	 * `else if` is not nested in the `if` before it
	 */
	VEC(uint32_t) nesting;
	VEC(uint32_t) loops; /* loops[node]: number of loops that contain the node */
	/*
	 * base[node]: node of the identifier at the start of the pointer expression: `p` in
	 * (p->a)->b[i]
	 */
	VEC(uint32_t) base;
	/* number of named parameters; they are the first elements of `variables` */
	uint32_t n_params;
};

/* Whether the `if` at node @i belongs to an `else if`. */
bool c_is_else_if(const struct c_tree *tree, uint32_t i);
bool c_is_loop(const struct c_node *n);
/* Whether the node is a control statement: if, switch or a loop. */
bool c_is_control(const struct c_node *n);
/* Whether the identifier at node @i names a called function, and not a variable. */
bool c_is_callee(const struct c_tree *tree, uint32_t i);
/*
 * Compute the metrics of leopard.c. Sets m->control, m->depth and m->is_checked; needs
 * m->variables.
 */
void leopard_measure(struct c_measure *m, const struct c_tree *tree, double *ret);

#endif
