/* SPDX-License-Identifier: MIT */
/*
 * call_costs.h - costs of functions and of their calls, as call graph profilers count them
 *
 * Such a profiler counts the self cost of each function. For each pair of caller and callee, it
 * also counts the cost of the calls from the caller to the callee. The cost of a call includes all
 * calls inside this call. The cost of a function with its callees is the sum of the costs of all
 * calls to it by other functions. A function without callers costs its self cost plus the cost of
 * the calls that it makes. If functions call each other recursively, several of them count the same
 * cost.
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
	double called; /* cost of the calls to this function by other functions */
	double calls;  /* cost of the calls that this function makes to other functions */
	uint32_t line;
};

struct call_edge {
	uint32_t caller, callee; /* indices in call_costs.functions */
	double cost;
	uint32_t line;
};

/* A zeroed struct is empty. */
struct call_costs {
	VEC(struct call_cost) functions;
	VEC(struct call_edge) edges;
	struct slots by_symbol; /* symbol -> index in functions, plus 1 */
	struct slots by_edge;   /* caller and callee -> index in edges, plus 1 */
	double whole;           /* sum of the self costs of all functions */
};

void call_costs_fini(struct call_costs *c);
/* Return the index of function @sym, which is added on first use; INDEX_NONE past LIMIT_ROWS. */
uint32_t call_costs_function(struct call_costs *c, sym_id sym, uint32_t line);
/*
 * Add @cost to the self cost of @function, or to the cost of the calls from @caller to @callee.
 * Both functions do nothing if @function, @caller or @callee is INDEX_NONE. call_costs_add_call()
 * ignores calls from a function to itself.
 */
void call_costs_add_self(struct call_costs *c, uint32_t function, double cost);
void call_costs_add_call(struct call_costs *c, uint32_t caller, uint32_t callee, double cost,
			 uint32_t line);
/*
 * Write the costs into the table of @to: a row for each function, and a chain of two functions for
 * each pair of caller and callee (profile_rows_trace()). Costs become percentages of `whole`,
 * rounded down to profile.decimals decimals. Returns how many functions cost more than `whole` with
 * their callees; the share of these functions is set to 100 %. @ret_line: line of the last of them.
 */
size_t call_costs_write(const struct call_costs *c, struct capture *to, uint32_t *ret_line);

#endif
