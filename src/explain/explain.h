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
 * Run every rule over @facts, and add the findings to the empty @ret. A rule adds nothing if the
 * input has no capture of its kind. Findings are sorted by importance: severity, share of cost and
 * certainty. Overruled findings are last. Owner of @ret: caller, findings_fini().
 */
void explain_run(struct facts *facts, const struct explain_options *options, struct findings *ret);

#endif
