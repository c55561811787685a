/* SPDX-License-Identifier: MIT */
/*
 * trace_instances.h - trace-cmd report text of several trace instances
 *
 * A recording may have several instances (trace buffers: trace-cmd record -B NAME). Each line then
 * begins with a column for the name of the instance, and ": ". In lines of the main buffer, this
 * column is blank. Each instance is a separate trace.
 */
#ifndef FORMATS_TRACE_INSTANCES_H
#define FORMATS_TRACE_INSTANCES_H

#include "base/str.h"
#include "base/vec.h"

#define TRACE_INSTANCES_MAX 64u

struct trace_instance {
	struct str name; /* name as printed; "": the main trace buffer */
	bool has_graph;  /* has lines of the function_graph tracer */
};

struct trace_instances {
	VEC(struct trace_instance) rows; /* the instances, in order of their first lines */
	size_t n_graphs;                 /* number of instances with has_graph */
};

/*
 * Find the instances in @text. The result is empty if none of the first 200 lines names an
 * instance. Otherwise the cost is linear in the text. Owner of @ret: caller, VEC_FREE(&ret->rows).
 */
void trace_instances_find(struct str text, struct trace_instances *ret);
/*
 * The name of the instance in a line: "inst" in "    inst:     sh-12 [001] ...". "": no name, or a
 * line of the main buffer.
 */
struct str trace_instance_of(struct str line);

#endif
