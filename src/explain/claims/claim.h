/* SPDX-License-Identifier: MIT */
/*
 * claim.h - a claim about a recording: "malloc self < 5% of cycles"
 *
 * docs/check.md has the grammar. A claim borrows from its text: names are views into it.
 */
#ifndef EXPLAIN_CLAIM_H
#define EXPLAIN_CLAIM_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

#define CLAIM_SCOPES_MAX 4u
#define CLAIM_BYTES_MAX  4096u

enum claim_kind {
	CLAIM_FIGURE,     /* a figure and an amount */
	CLAIM_FINDING,    /* a finding exists */
	CLAIM_NO_FINDING, /* none exists */
	CLAIM_CALLER,     /* the main caller of a function */
	CLAIM_CHANGED,    /* a figure and that of another recording: change, base */
	CLAIM_SAME,       /* all functions have the same shares as in another recording */
};

enum claim_measure {
	CLAIM_SHARE,    /* of a function with callees; of a group by its own functions */
	CLAIM_SELF,     /* without callees */
	CLAIM_CHILDREN, /* with callees */
	CLAIM_SAMPLES,
	CLAIM_TIME,
	CLAIM_CALLS,
	CLAIM_MEAN,
	CLAIM_MIN,
	CLAIM_MAX,
	CLAIM_QUANTILE,
	CLAIM_WAIT,
	CLAIM_MEASURE_COUNT,
};

enum claim_target {
	CLAIM_OF_ALL,
	CLAIM_OF_FUNCTION,
	CLAIM_OF_ROLE,
	CLAIM_OF_KIND, /* kind of work: a category */
	CLAIM_OF_DSO,
	CLAIM_OF_COMM,
};

enum claim_scope_kind { CLAIM_IN_COMM, CLAIM_IN_PID, CLAIM_IN_TID, CLAIM_IN_CPU, CLAIM_IN_TIME };

/* Samples of these only. Times in ns from the first sample, or in percent of the recording. */
struct claim_scope {
	enum claim_scope_kind kind;
	struct str name;
	double from, to;
	bool is_percent;
};

enum claim_compare {
	CLAIM_LESS,
	CLAIM_AT_MOST,
	CLAIM_MORE,
	CLAIM_AT_LEAST,
	CLAIM_EQUAL,
	CLAIM_NOT_EQUAL,
	CLAIM_BETWEEN, /* limit to limit_high */
};

/* Of a figure since the base, by more than the limit; CLAIM_WITHIN: by no more than it. */
enum claim_change { CLAIM_GREW, CLAIM_FELL, CLAIM_WITHIN };

enum claim_unit { CLAIM_NUMBER, CLAIM_PERCENT, CLAIM_NS };

struct claim {
	struct str text;
	enum claim_kind kind;
	enum claim_measure measure;
	double quantile; /* of CLAIM_QUANTILE: 0.99 */
	enum claim_target target;
	struct str name;   /* a pattern; CLAIM_FINDING: of rules, STR_NONE: any */
	struct str under;  /* only with this function among the callers; STR_NONE: all */
	struct str caller; /* CLAIM_CALLER */
	struct str base;   /* path of the other recording */
	enum claim_change change;
	struct str of; /* "cycles", "wall"; STR_NONE: none */
	struct claim_scope in[CLAIM_SCOPES_MAX];
	unsigned int n_in;
	enum claim_compare compare;
	enum claim_unit unit;
	double limit, limit_high;
	unsigned int severity; /* CLAIM_FINDING: at least this enum finding_severity */
	bool is_net_of_tracer;
	bool may_be_absent; /* a name without a match has no samples */
};

/*
 * Parse @text, which must live as long as @ret. Errors: ERR_USAGE, with the column (from 1) and
 * what is expected there. Cost: O(bytes).
 */
MUST_CHECK int claim_parse(struct str text, struct claim *ret, struct error *err);
/* "share", "self"; "p" for a quantile; static. */
const char *claim_measure_name(enum claim_measure measure);

#endif
