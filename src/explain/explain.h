/* SPDX-License-Identifier: MIT */
/* explain.h - run the rules, resolve conflicts, order the findings */
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
 * Run every rule over @facts into @ret, which is empty. Rules without a capture of their kind
 * report nothing. Order: overruled findings last; then by severity, share of cost and
 * certainty. Owner of @ret: caller, findings_fini().
 */
void explain_run(struct facts *facts, const struct explain_options *options, struct findings *ret);

#endif
