/* SPDX-License-Identifier: MIT */
/*
 * c_measure.h - what c_metrics.c and leopard.c share about one function
 *
 * Private to metrics/.
 */
#ifndef METRICS_C_MEASURE_H
#define METRICS_C_MEASURE_H

#include "metrics/c_metrics.h"
#include "metrics/c_names.h"

struct c_measure {
	struct c_names operators; /* distinct, for Halstead */
	struct c_names operands;
	struct c_names variables; /* parameters and locals */
	VEC(uint8_t) is_pointer;  /* by variable */
	VEC(uint8_t) is_checked;  /* by variable: a condition looks at it */
	VEC(uint8_t) flags;       /* by variable, scratch */
	VEC(uint32_t) counts;     /* by variable, scratch */
	VEC(uint32_t) counts_in;  /* by variable: the last control statement that counted it */
	VEC(uint32_t) control;    /* by node: the control statement around it, UINT32_MAX */
	VEC(uint32_t) depth;      /* by node: of control statements around it */
	VEC(uint32_t) below;      /* by node: control statements inside, itself included */
	uint32_t n_params;        /* named ones: the first variables */
};

/* Is the `if` at @i the arm of an else? */
bool c_is_else_if(const struct c_tree *tree, uint32_t i);
bool c_is_loop(const struct c_node *n);
/* if, switch, and loops. */
bool c_is_control(const struct c_node *n);
/* A name that is a function in a call, not a variable. */
bool c_is_callee(const struct c_tree *tree, uint32_t i);
/* Fill control and depth; variables must be known. */
void leopard_measure(struct c_measure *m, const struct c_tree *tree, double *ret);

#endif
