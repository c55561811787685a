/* SPDX-License-Identifier: MIT */
/*
 * trace_instances.h - trace-cmd report text of several trace instances
 *
 * If a recording has several instances (trace buffers: trace-cmd record -B NAME), each line begins
 * with a column for the instance's name and ": ". It is blank for the main buffer. Each instance is
 * a separate trace.
 */
#ifndef FORMATS_TRACE_INSTANCES_H
#define FORMATS_TRACE_INSTANCES_H

#include "base/str.h"
#include "base/vec.h"

#define TRACE_INSTANCES_MAX 64u

struct trace_instance {
	struct str name; /* name as in the text; "": the main trace buffer */
	bool has_graph;  /* has lines of the function_graph tracer */
};

struct trace_instances {
	VEC(struct trace_instance) rows; /* in order of their first line */
	size_t n_graphs;                 /* number of instances with has_graph */
};

/*
 * Find the instances in @text. If none of its first 200 lines names an instance, the result is
 * empty. Otherwise the cost is linear in the text. Owner of @ret: caller, VEC_FREE(&ret->rows).
 */
void trace_instances_find(struct str text, struct trace_instances *ret);
/*
 * The instance that a line names: "inst" in "    inst:     sh-12 [001] ..."; "": none, or the main
 * buffer.
 */
struct str trace_instance_of(struct str line);

#endif
