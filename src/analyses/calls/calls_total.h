/* SPDX-License-Identifier: MIT */
/*
 * calls_total.h - sums of calls that match a pattern
 *
 * calls_summary.h defines total and self.
 */
#ifndef ANALYSES_CALLS_TOTAL_H
#define ANALYSES_CALLS_TOTAL_H

#include "base/str.h"
#include "core/ids.h"

struct capture;
struct symbols;

/* Whether the trace was made with a graph option ("noirqs"), by its command line or header. */
bool calls_has_option(const struct capture *capture, struct str option);

/*
 * Whether the function matches @pattern: str_glob() of the name, of the canonical
 * name, or of "name [module]", with '|' between alternatives.
 */
bool calls_matches(const struct symbols *symbols, sym_id sym, struct str pattern);

struct calls_total {
	uint64_t matching; /* calls of matching functions */
	uint64_t topmost;  /* those without a matching timed caller */
	uint64_t total_ns; /* durations of the topmost calls */
	uint64_t self_ns;  /* of all matching calls */
	uint64_t below;    /* calls in the subtrees of topmost calls, themselves included */
};

/*
 * Calls to add up. Patterns are str_glob() of the name, of the canonical name, or of "name
 * [module]", with '|' between alternatives: "_raw_*|* [nf_conntrack]". STR_NONE: none.
 */
struct calls_query {
	struct str pattern;
	struct str without; /* excludes functions from pattern */
	struct str inner;   /* functions that match only below `around` */
	struct str around;
};

/*
 * Sum the calls of the query. Cost: O(symbols + calls). Temporary memory: 4 bytes and two bits
 * a call.
 */
struct calls_total calls_total_query(const struct capture *capture,
				     const struct calls_query *query);
/* The same for functions that match @pattern and not @without. */
struct calls_total calls_total_of(const struct capture *capture, struct str pattern,
				  struct str without);

#endif
