/* SPDX-License-Identifier: MIT */
/*
 * trace_instances.h - trace-cmd report text of several trace instances
 *
 * If a recording has instances (record -B), each line begins with a column that has the instance's
 * name and ": ". For the main buffer the column is blank. Each instance is a separate trace.
 */
#ifndef FORMATS_TRACE_INSTANCES_H
#define FORMATS_TRACE_INSTANCES_H

#include "base/str.h"
#include "base/vec.h"

#define TRACE_INSTANCES_MAX 64u

struct trace_instance {
	struct str name; /* name as in the text; "": the main buffer */
	bool has_graph;  /* lines of the graph tracer occur */
};

struct trace_instances {
	VEC(struct trace_instance) rows; /* in order of their first line */
	size_t n_graphs;                 /* number of instances with has_graph */
};

/*
 * Find the instances in @text. The result is empty unless one of the first lines names an instance,
 * so that other texts cost nothing. Otherwise the cost is linear in the text. Owner of @ret:
 * caller, VEC_FREE(&ret->rows).
 */
void trace_instances_find(struct str text, struct trace_instances *ret);
/* The instance in a line: "inst" in "    inst:     sh-12 [001] ..."; "": none. */
struct str trace_instance_of(struct str line);

#endif
