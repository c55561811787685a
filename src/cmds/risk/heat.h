/* SPDX-License-Identifier: MIT */
/*
 * heat.h - a profile's cost by the functions of a source tree
 *
 * Joined as analyses/function_index.h says. A name that several files define, in a
 * profile that does not tell files, gives its cost to each of them, marked as shared.
 * What meets no function is counted.
 */
#ifndef CMDS_HEAT_H
#define CMDS_HEAT_H

#include "analyses/function_index.h"
#include "cmds/run/session.h"
#include "metrics/risk.h"

struct heat_cell {
	double self;     /* percent of the capture; NaN: not in it */
	double children; /* percent; NaN: not known */
	double low;      /* of self: 95 % from the number of samples, or from rounding */
	double high;
	uint32_t shared; /* functions of the tree that it may be: 1, it is this one */
};

struct heat_unmatched {
	sym_id sym;
	double self;
};

struct heat {
	VEC(struct heat_cell) cells;          /* by function of the tree */
	VEC(struct heat_unmatched) unmatched; /* most first */
	double matched;                       /* percent of self that met a function */
	double matched_by_place;              /* of it, by the file that the profile names */
	double total;                         /* percent that was looked at */
	uint32_t n_matched;                   /* functions that are in the profile */
	uint32_t capture;
	uint64_t n_samples; /* 0: not known */
};

/* Owner: caller, heat_fini(). Errors: ERR_USAGE where no capture of @s is a profile. */
MUST_CHECK int heat_join(struct session *s, const struct risk_tree *t, struct heat *ret,
			 struct error *err);
void heat_fini(struct heat *h);

struct heat_met {
	uint32_t row;   /* the riskiest that a symbol may mean */
	uint32_t alike; /* of how many; 0: none */
};

/* A measured tree whose functions are found by symbols. */
struct heat_sources {
	struct risk_tree tree;
	struct function_index index;
	struct heat_met *met; /* by symbol, from heat_sources_join() on */
	size_t n_met;
};

/*
 * Measure what is under @path; @has_cache: what was measured before may be taken.
 * Owner of @ret: caller, heat_sources_fini(), also on error.
 * Errors: ERR_IO, ERR_NOTFOUND where there is no C file, ERR_UNSUPPORTED.
 */
MUST_CHECK int heat_sources_open(const char *path, bool has_cache, struct heat_sources *ret,
				 struct error *err);
/* Again when symbols were added. */
void heat_sources_join(struct heat_sources *s, const struct symbols *symbols);
/* The riskiest function that @sym is the code of, or NULL; @ret_alike have that name. */
const struct risk_function *heat_sources_find(const struct heat_sources *s, sym_id sym,
					      uint32_t *ret_alike);
/* "net/core/dev.c:123", and " (1 of 3)" where several have that name. */
void heat_sources_place(const struct heat_sources *s, const struct risk_function *f, uint32_t alike,
			struct out *out);
void heat_sources_fini(struct heat_sources *s);

#endif
