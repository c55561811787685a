/* SPDX-License-Identifier: MIT */
/*
 * heat.h - a profile's cost by the functions of a source tree
 *
 * Joined by canonical name: compiler suffixes are dropped, `__x64_sys_openat`,
 * `__se_sys_openat`, `__do_sys_openat` and the like mean the definition by
 * SYSCALL_DEFINE. A name that several files define gives its cost to each of
 * them, marked as shared. What meets no function is counted.
 */
#ifndef CMDS_HEAT_H
#define CMDS_HEAT_H

#include "cmds/session.h"
#include "metrics/risk.h"

struct heat_cell {
	double self;     /* percent of the capture; NaN: not in it */
	double children; /* percent; NaN: not known */
	double low;      /* of self: 95 % from the number of samples, or from rounding */
	double high;
	uint32_t shared; /* functions of the tree with this name */
};

struct heat_unmatched {
	sym_id sym;
	double self;
};

struct heat {
	VEC(struct heat_cell) cells;          /* by function of the tree */
	VEC(struct heat_unmatched) unmatched; /* most first */
	double matched;                       /* percent of self that met a function */
	double total;                         /* percent that was looked at */
	uint32_t n_matched;                   /* functions that are in the profile */
	uint32_t capture;
	uint64_t n_samples; /* 0: not known */
};

/* Owner: caller, heat_fini(). Errors: ERR_USAGE where no capture of @s is a profile. */
MUST_CHECK int heat_join(struct session *s, const struct risk_tree *t, struct heat *ret,
			 struct error *err);
void heat_fini(struct heat *h);

#endif
