/* SPDX-License-Identifier: MIT */
/*
 * claim.h - a claim about a recording: "malloc self < 5% of cycles"
 *
 * docs/check.md has the grammar. In struct claim, the members `text`, `name`, `under`, `caller`,
 * `base` and `of` point into the text of the claim.
 */
#ifndef EXPLAIN_CLAIM_H
#define EXPLAIN_CLAIM_H

#include "base/status.h"
#include "base/str.h"

#include <stdbool.h>

#define CLAIM_SCOPES_MAX 4u
#define CLAIM_BYTES_MAX  4096u

enum claim_kind {
	CLAIM_FIGURE,     /* compares a figure with a limit */
	CLAIM_FINDING,    /* states that a rule reports a finding */
	CLAIM_NO_FINDING, /* states that a rule reports no finding */
	CLAIM_CALLER,     /* states which function is the main caller of another one */
	/* compares a figure with the same figure of another recording: members change and base */
	CLAIM_CHANGED,
	CLAIM_SAME, /* states that all functions have the same shares as in another recording */
};

enum claim_measure {
	/* for one function: its share with callees; for several: the sum of their self shares */
	CLAIM_SHARE,
	CLAIM_SELF,     /* self share of functions: without callees */
	CLAIM_CHILDREN, /* share of functions with callees */
	CLAIM_SAMPLES,
	CLAIM_TIME,
	CLAIM_CALLS,
	CLAIM_MEAN,
	CLAIM_MIN,
	CLAIM_MAX,
	CLAIM_QUANTILE,
	CLAIM_PART,  /* part of the values that is beyond a limit */
	CLAIM_VALUE, /* value of a counter */
	CLAIM_WAIT,
	CLAIM_MEASURE_COUNT,
};

enum claim_target {
	CLAIM_OF_ALL,
	CLAIM_OF_FUNCTION,
	CLAIM_OF_ROLE,
	CLAIM_OF_KIND, /* functions of one kind of work (a category) */
	CLAIM_OF_DSO,
	CLAIM_OF_COMM,
};

enum claim_scope_kind { CLAIM_IN_COMM, CLAIM_IN_PID, CLAIM_IN_TID, CLAIM_IN_CPU, CLAIM_IN_TIME };

/*
 * Restricts a claim to samples of a command, thread, process, CPU or range of time. For
 * CLAIM_IN_TIME, `from` and `to` are nanoseconds since the first sample; with is_percent, they are
 * percentages of the recording's length. For CLAIM_IN_PID, CLAIM_IN_TID and CLAIM_IN_CPU, `from` is
 * the number.
 */
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
	CLAIM_BETWEEN, /* from limit to limit_high */
};

/*
 * How a figure changed since the recording `base`. CLAIM_GREW, CLAIM_FELL: by more than the limit.
 * CLAIM_WITHIN: by at most the limit.
 */
enum claim_change { CLAIM_GREW, CLAIM_FELL, CLAIM_WITHIN };

enum claim_unit { CLAIM_NUMBER, CLAIM_PERCENT, CLAIM_NS };

struct claim {
	struct str text;
	enum claim_kind kind;
	enum claim_measure measure;
	double quantile; /* for CLAIM_QUANTILE: 0.99 is p99 */
	/*
	 * for CLAIM_PART: CLAIM_LESS, CLAIM_AT_MOST, CLAIM_MORE or CLAIM_AT_LEAST. With CLAIM_MORE,
	 * the part has the values that are more than `beyond`
	 */
	enum claim_compare beyond_compare;
	enum claim_unit beyond_unit;
	double beyond;
	enum claim_target target;
	/*
	 * pattern for the names of functions, roles or other targets: "mem*". For CLAIM_FINDING,
	 * pattern for ids of rules. STR_NONE: no name given, so all samples or rules count
	 */
	struct str name;
	/*
	 * the pattern NAME of the clause "under NAME": only samples with such a caller count;
	 * STR_NONE: all samples count
	 */
	struct str under;
	struct str caller; /* for CLAIM_CALLER: pattern of the claimed caller */
	struct str base;   /* path of the recording to compare with */
	enum claim_change change;
	/*
	 * the name after "of": an event, a counted object, or "wall", "total" or "time";
	 * STR_NONE: not given
	 */
	struct str of;
	struct claim_scope in[CLAIM_SCOPES_MAX];
	unsigned int n_in;
	enum claim_compare compare;
	enum claim_unit unit;
	double limit, limit_high;
	unsigned int severity; /* for CLAIM_FINDING: the lowest enum finding_severity that counts */
	unsigned int sure;     /* for CLAIM_FINDING: the lowest certainty that counts, percent */
	/*
	 * for CLAIM_FINDING: pattern for a function that the finding names; STR_NONE: any function
	 */
	struct str about;
	/* for CLAIM_FINDING: the claim also compares the figure of the finding with `limit` */
	bool has_limit;
	bool is_net_of_tracer;
	bool may_be_absent; /* a name that matches nothing counts as 0 samples */
};

/*
 * Parse @text into @ret. The strings of @ret point into @text. Errors: ERR_USAGE, with the column
 * (from 1) and the expected word. Cost: O(bytes).
 */
MUST_CHECK int claim_parse(struct str text, struct claim *ret, struct error *err);
/*
 * The word for @measure in the text of a claim, a static string: "share", "self"; "p" for
 * CLAIM_QUANTILE.
 */
const char *claim_measure_name(enum claim_measure measure);

#endif
