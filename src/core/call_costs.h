/* SPDX-License-Identifier: MIT */
/*
 * call_costs.h - costs of functions and of their calls, as call graph profilers count them
 *
 * Such a tool counts a cost at a function, and for each pair of caller and callee the cost of
 * these calls with callees. The cost of a function with its callees is the sum over the calls
 * to it from other functions. For a function without callers it is its self cost plus the cost
 * of its calls. In a cycle of several functions such costs overlap.
 */
#ifndef CORE_CALL_COSTS_H
#define CORE_CALL_COSTS_H

#include "base/slots.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct call_cost {
	sym_id sym;
	double self;
	double called; /* by other functions, with callees */
	double calls;  /* of other functions */
	uint32_t line;
};

struct call_edge {
	uint32_t caller, callee; /* functions */
	double cost;
	uint32_t line;
};

/* A zeroed struct is empty. */
struct call_costs {
	VEC(struct call_cost) functions;
	VEC(struct call_edge) edges;
	struct slots by_symbol; /* function + 1 */
	struct slots by_edge;   /* caller, callee: edge + 1 */
	double whole;           /* of all functions, without callees */
};

void call_costs_fini(struct call_costs *c);
/* The function @sym, made on first use at @line; INDEX_NONE past LIMIT_ROWS. */
uint32_t call_costs_function(struct call_costs *c, sym_id sym, uint32_t line);
/* Ignore the function INDEX_NONE, and calls from a function to itself. */
void call_costs_add_self(struct call_costs *c, uint32_t function, double cost);
void call_costs_add_call(struct call_costs *c, uint32_t caller, uint32_t callee, double cost,
			 uint32_t line);
/*
 * Write a row for each function and a chain of two for each pair into the table of @to, as
 * percent, rounded down to the decimals of its profile. Returns the number of functions that
 * cost more than the whole (their share is then 100 %); @ret_line: line of the last one.
 */
size_t call_costs_write(const struct call_costs *c, struct capture *to, uint32_t *ret_line);

#endif
