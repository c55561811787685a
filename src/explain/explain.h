/* SPDX-License-Identifier: MIT */
/*
 * explain.h - run the rules, weigh them against each other, order the findings
 */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "base/str.h"
#include "explain/rule.h"

struct facts;
struct findings;

struct explain_options {
	struct str only; /* ids of rules, "a|b*"; STR_NONE: all */
};

/*
 * Run every rule over @facts into @ret, which is empty. Rules that have nothing
 * to look at (no capture of their kind) say nothing.
 * Order: findings that another one overrules go last; then by severity, share of
 * cost and certainty. Owner of @ret: caller, findings_fini().
 */
void explain_run(struct facts *facts, const struct explain_options *options, struct findings *ret);

#endif
