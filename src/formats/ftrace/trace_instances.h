/* SPDX-License-Identifier: MIT */
/*
 * trace_instances.h - trace-cmd report text of several trace instances
 *
 * With instances (record -B) a column holds the instance's name and ": "; lines of the main
 * buffer have blanks there. Each instance is a separate trace.
 */
#ifndef FORMATS_TRACE_INSTANCES_H
#define FORMATS_TRACE_INSTANCES_H

#include "base/str.h"
#include "base/vec.h"

#define TRACE_INSTANCES_MAX 64u

struct trace_instance {
	struct str name; /* as in the text; "": the main buffer */
	bool has_graph;  /* has lines of the graph tracer */
};

struct trace_instances {
	VEC(struct trace_instance) rows; /* in order of their first line */
	size_t n_graphs;                 /* instances with has_graph */
};

/*
 * Find the instances in @text. None unless one of its first lines names one, so that other
 * texts cost nothing. Cost: otherwise linear in the text. Owner of @ret: caller,
 * VEC_FREE(&ret->rows).
 */
void trace_instances_find(struct str text, struct trace_instances *ret);
/*
 * "inst" of "    inst:     sh-12 [001] ..."; "" if there is none.
 */
struct str trace_instance_of(struct str line);

#endif
