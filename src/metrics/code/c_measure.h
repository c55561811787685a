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
	struct c_names operators; /* distinct operators and operands, for Halstead's metrics */
	struct c_names operands;
	struct c_names variables; /* names of parameters and locals */
	VEC(uint8_t) is_pointer;  /* is_pointer[variable]: 1 if it is declared as a pointer */
	VEC(uint8_t) is_checked;  /* is_checked[variable]: 1 if a condition uses it */
	VEC(uint8_t) flags;       /* scratch memory, indexed by variable */
	VEC(uint32_t) counts;     /* scratch memory, indexed by variable */
	/* counts_in[variable]: the last control statement that was counted for the variable */
	VEC(uint32_t) counts_in;
	/* control[node]: node of the innermost control statement around it; UINT32_MAX: none */
	VEC(uint32_t) control;
	VEC(uint32_t) depth; /* depth[node]: number of control statements around it */
	/* below[node]: number of control statements in its subtree, itself included */
	VEC(uint32_t) below;
	/* nesting[node]: number of control statements and ?: around it; `else if` does not count */
	VEC(uint32_t) nesting;
	VEC(uint32_t) loops; /* loops[node]: number of loops around it */
	VEC(uint32_t) base;  /* base[node]: variable of the pointer expression; see leopard.c */
	uint32_t n_params;   /* number of named parameters, which are the first variables */
};

/* Is the `if` at node @i part of an `else if`? */
bool c_is_else_if(const struct c_tree *tree, uint32_t i);
bool c_is_loop(const struct c_node *n);
/* Is the node an if, a switch or a loop? */
bool c_is_control(const struct c_node *n);
/* Is the identifier at node @i the function of a call, and no variable? */
bool c_is_callee(const struct c_tree *tree, uint32_t i);
/*
 * Compute the metrics of leopard.c. Sets m->control, m->depth and m->is_checked; needs
 * m->variables.
 */
void leopard_measure(struct c_measure *m, const struct c_tree *tree, double *ret);

#endif
