/* SPDX-License-Identifier: MIT */
/*
 * heat.h - the cost of each function of a source tree, according to a profile
 *
 * analyses/function_index.h describes how functions of the profile are matched to functions of the
 * tree. Several files may define a function of the same name. If the profile has no file names,
 * each of these definitions gets the full cost and is marked as shared. Functions of the profile
 * without a match are listed separately, with their cost.
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
	/* self share of the function, in percent; NaN: the function is not in the profile */
	double self;
	double children; /* share with callees, percent; NaN: unknown */
	/*
	 * `low` and `high`: 95 % interval of `self`, from the number of samples or from the
	 * rounding of printed shares
	 */
	double low;
	double high;
	/*
	 * number of functions in the tree with this name; each of them gets the whole cost. 1: the
	 * match is unambiguous
	 */
	uint32_t shared;
};

struct heat_unmatched {
	sym_id sym;
	double self;
};

struct heat {
	VEC(struct heat_cell) cells; /* indexed by number of the function in the tree */
	/* functions of the profile without a match, heaviest first */
	VEC(struct heat_unmatched) unmatched;
	double matched; /* sum of the self shares of functions with a match, in percent */
	/* sum of the self shares of functions whose name and source file match, in percent */
	double matched_by_place;
	double total;       /* sum of all self shares, in percent */
	uint32_t n_matched; /* number of functions of the tree that occur in the profile */
	uint32_t capture;
	uint64_t n_samples; /* number of samples; 0: unknown */
};

/*
 * Match the profile of @s to the functions of @t. Owner: caller, heat_fini(). Errors: ERR_USAGE if
 * no capture of @s is a profile.
 */
MUST_CHECK int heat_join(struct session *s, const struct risk_tree *t, struct heat *ret,
			 struct error *err);
void heat_fini(struct heat *h);

struct heat_met {
	uint32_t row;   /* index of the riskiest function that matches the symbol */
	uint32_t alike; /* number of functions that match the symbol; 0: none */
};

/* A measured source tree whose functions can be found by symbol. */
struct heat_sources {
	struct risk_tree tree;
	struct function_index index;
	struct heat_met *met; /* indexed by symbol; valid after heat_sources_join() */
	size_t n_met;
};

/*
 * Measure the tree at @path. @has_cache: use cached results. Owner of @ret: caller,
 * heat_sources_fini(), also on error. Errors: ERR_IO, ERR_NOTFOUND if the tree has no C file,
 * ERR_UNSUPPORTED.
 */
MUST_CHECK int heat_sources_open(const char *path, bool has_cache, struct heat_sources *ret,
				 struct error *err);
/* Find the functions that match each symbol. Call again after symbols were added. */
void heat_sources_join(struct heat_sources *s, const struct symbols *symbols);
/* The riskiest function that matches @sym, or NULL. *@ret_alike: number of functions that match. */
const struct risk_function *heat_sources_find(const struct heat_sources *s, sym_id sym,
					      uint32_t *ret_alike);
/*
 * Append file and line of @f: "net/core/dev.c:123". @alike: number of functions with this name. If
 * it is above 1, append it as well: " (1 of 3)".
 */
void heat_sources_place(const struct heat_sources *s, const struct risk_function *f, uint32_t alike,
			struct out *out);
void heat_sources_fini(struct heat_sources *s);

#endif
