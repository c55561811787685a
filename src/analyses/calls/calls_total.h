/* SPDX-License-Identifier: MIT */
/*
 * calls_total.h - sums over the calls that match a pattern
 *
 * calls_summary.h defines total and self time.
 */
#ifndef ANALYSES_CALLS_TOTAL_H
#define ANALYSES_CALLS_TOTAL_H

#include "base/str.h"
#include "core/ids.h"

struct capture;
struct symbols;

/*
 * Whether the command line or header of the trace shows that the function graph tracer ran with the
 * option @option, such as "noirqs".
 */
bool calls_has_option(const struct capture *capture, struct str option);

/*
 * Whether @pattern matches the function's name, its name without compiler suffixes, or "name
 * [module]". '|' separates alternatives, as in str_glob().
 */
bool calls_matches(const struct symbols *symbols, sym_id sym, struct str pattern);

struct calls_total {
	uint64_t matching; /* number of calls of matching functions */
	uint64_t topmost;  /* number of matching calls without a timed matching caller */
	uint64_t total_ns; /* sum of the durations of the topmost calls */
	uint64_t self_ns;  /* sum of the self times of all matching calls */
	/* number of calls in the subtrees of the topmost calls, including the topmost calls */
	uint64_t below;
	uint32_t longest; /* the longest topmost call; INDEX_NONE: none */
};

/*
 * Selects calls by their functions. A call counts if its function matches `pattern` but not
 * `without`. It also counts if its function matches `inner`, and a direct or indirect caller
 * matches `around`. Patterns are those of calls_matches(): "_raw_*|* [nf_conntrack]". STR_NONE: no
 * pattern.
 */
struct calls_query {
	struct str pattern;
	struct str without; /* functions that do not count, although they match `pattern` */
	struct str inner;   /* functions that count only below a call that matches `around` */
	struct str around;
};

/*
 * Sum the calls that @query selects. Cost: O(symbols + calls). Temporary memory: 4 bytes and two
 * bits a call.
 */
struct calls_total calls_total_query(const struct capture *capture,
				     const struct calls_query *query);
/* Sum the calls of functions that match @pattern and not @without. */
struct calls_total calls_total_of(const struct capture *capture, struct str pattern,
				  struct str without);

#endif
