/* SPDX-License-Identifier: MIT */
/*
 * calls_total.h - calls that a pattern names, added up
 *
 * What total and self mean is said in calls_summary.h.
 */
#ifndef ANALYSES_CALLS_TOTAL_H
#define ANALYSES_CALLS_TOTAL_H

#include "core/capture.h"

/*
 * Whether the trace was made with a graph option ("noirqs"), as far as its
 * command line or header says.
 */
bool calls_has_option(const struct capture *capture, struct str option);

/*
 * Whether the function matches @pattern: str_glob() of the name, of the canonical
 * name, or of "name [module]", with '|' between alternatives.
 */
bool calls_matches(const struct symbols *symbols, sym_id sym, struct str pattern);

struct calls_total {
	uint64_t matching; /* calls of functions that match */
	uint64_t topmost;  /* of them without a matching timed call above */
	uint64_t total_ns; /* durations of the topmost ones */
	uint64_t self_ns;  /* of all matching ones */
	uint64_t below;    /* calls in the subtrees of the topmost ones, themselves included */
};

/*
 * Which calls to add up. Patterns are str_glob() of the name, of the canonical
 * name, or of "name [module]", with '|' between alternatives:
 * "_raw_*|* [nf_conntrack]". STR_NONE: nothing.
 */
struct calls_query {
	struct str pattern;
	struct str without; /* takes functions out of pattern again */
	struct str inner;   /* functions that count too, but only below `around` */
	struct str around;
};

/*
 * Calls that the query names.
 * Cost: O(symbols + calls). Memory while it runs: 4 bytes a call and two bits.
 */
struct calls_total calls_total_query(const struct capture *capture,
				     const struct calls_query *query);
/* The same for functions that match @pattern and not @without. */
struct calls_total calls_total_of(const struct capture *capture, struct str pattern,
				  struct str without);

#endif
