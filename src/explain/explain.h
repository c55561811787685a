/* SPDX-License-Identifier: MIT */
/* explain.h - run the rules, resolve conflicts, order the findings */
#ifndef EXPLAIN_EXPLAIN_H
#define EXPLAIN_EXPLAIN_H

#include "base/str.h"
#include "explain/rule.h"

struct facts;
struct findings;

struct explain_options {
	struct str only; /* patterns of rule ids, "a|b*"; STR_NONE: all rules */
};

/*
 * Run every rule over @facts into @ret, which is empty. A rule reports nothing if the input has no
 * capture of its kind. Overruled findings come last; the others are sorted by severity, share of
 * cost and certainty. Owner of @ret: caller, findings_fini().
 */
void explain_run(struct facts *facts, const struct explain_options *options, struct findings *ret);

#endif
