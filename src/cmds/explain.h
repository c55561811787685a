/* SPDX-License-Identifier: MIT */
/* explain.h - the page of `assay explain`, for the browser */
#ifndef CMDS_EXPLAIN_H
#define CMDS_EXPLAIN_H

#include <stdbool.h>

struct findings;
struct show;

/* Write the page of @f. @has_rules: the user chose the rules, so the other rules did not run. */
void explain_page(struct show *s, const struct findings *f, bool has_rules);

#endif
