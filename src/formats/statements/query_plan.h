/* SPDX-License-Identifier: MIT */
/*
 * query_plan.h - add the lines of a query plan to a capture
 *
 * The readers of plans in text and in JSON share these functions. The reader of JSON converts a
 * plan to lines of text first.
 */
#ifndef FORMATS_STATEMENTS_QUERY_PLAN_H
#define FORMATS_STATEMENTS_QUERY_PLAN_H

#include "base/status.h"
#include "base/str.h"

struct dossier;
struct format;
struct plan_reader;
struct region;

/* Start a capture of format @of. The caller frees the result with query_plan_free(). */
struct plan_reader *query_plan_open(const struct format *of, const struct region *in,
				    struct dossier *d);
/*
 * Add one line in the form of PostgreSQL. The column of the arrow "->" shows the depth of a node;
 * the first node has no arrow. @at: line number in the input. The line number of a node must be
 * larger than that of the node before it.
 */
void query_plan_line(struct plan_reader *r, struct str line, uint32_t at);
/* Write profile and counters to the capture. Error: ERR_FORMAT if the plan has no node that ran. */
MUST_CHECK int query_plan_close(struct plan_reader *r, struct error *err);
void query_plan_free(struct plan_reader *r);
DEFINE_CLEANUP(struct plan_reader *, query_plan_free);

#endif
