/* SPDX-License-Identifier: MIT */
/*
 * heat.h - a profile's cost per function of a source tree
 *
 * Joined as in analyses/function_index.h. If several files define a name and the profile has no
 * file names, each definition gets the cost, marked as shared. Cost without a matching function
 * is counted.
 */
#ifndef CMDS_HEAT_H
#define CMDS_HEAT_H

#include "analyses/function_index.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "metrics/risk.h"

struct out;
struct session;
struct symbols;

struct heat_cell {
	double self;     /* percent of the capture; NaN: absent */
	double children; /* percent; NaN: unknown */
	double low;      /* of self: 95 % interval from the number of samples, or from rounding */
	double high;
	uint32_t shared; /* number of candidate functions; 1: unambiguous */
};

struct heat_unmatched {
	sym_id sym;
	double self;
};

struct heat {
	VEC(struct heat_cell) cells;          /* by function of the tree */
	VEC(struct heat_unmatched) unmatched; /* largest first */
	double matched;                       /* percent of self with a matching function */
	double matched_by_place;              /* part of it matched by the profile's file names */
	double total;                         /* percent in total */
	uint32_t n_matched;                   /* functions that occur in the profile */
	uint32_t capture;
	uint64_t n_samples; /* 0: unknown */
};

/* Owner: caller, heat_fini(). Errors: ERR_USAGE if no capture of @s is a profile. */
MUST_CHECK int heat_join(struct session *s, const struct risk_tree *t, struct heat *ret,
			 struct error *err);
void heat_fini(struct heat *h);

struct heat_met {
	uint32_t row;   /* riskiest candidate for a symbol */
	uint32_t alike; /* number of candidates; 0: none */
};

/* A measured tree with look-up by symbol. */
struct heat_sources {
	struct risk_tree tree;
	struct function_index index;
	struct heat_met *met; /* by symbol, valid after heat_sources_join() */
	size_t n_met;
};

/*
 * Measure the tree at @path; @has_cache: cached results may be used. Owner of @ret: caller,
 * heat_sources_fini(), also on error. Errors: ERR_IO, ERR_NOTFOUND if it has no C file,
 * ERR_UNSUPPORTED.
 */
MUST_CHECK int heat_sources_open(const char *path, bool has_cache, struct heat_sources *ret,
				 struct error *err);
/* Join with symbols; repeat after symbols were added. */
void heat_sources_join(struct heat_sources *s, const struct symbols *symbols);
/* The riskiest candidate function for @sym, or NULL; @ret_alike is the number of candidates. */
const struct risk_function *heat_sources_find(const struct heat_sources *s, sym_id sym,
					      uint32_t *ret_alike);
/* Append "net/core/dev.c:123", and " (1 of 3)" if several have that name. */
void heat_sources_place(const struct heat_sources *s, const struct risk_function *f, uint32_t alike,
			struct out *out);
void heat_sources_fini(struct heat_sources *s);

#endif
