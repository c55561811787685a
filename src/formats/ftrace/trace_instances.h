/* SPDX-License-Identifier: MIT */
/*
 * trace_instances.h - text of trace-cmd report from several trace instances
 *
 * With instances (record -B) each line begins with the name of one and ": ", in
 * a column of its own; lines of the main buffer have blanks there. Each instance
 * is a trace of its own.
 */
#ifndef FORMATS_TRACE_INSTANCES_H
#define FORMATS_TRACE_INSTANCES_H

#include "base/str.h"
#include "base/vec.h"

#define TRACE_INSTANCES_MAX 64u

struct trace_instance {
	struct str name; /* in the text; "": the main buffer */
	bool has_graph;  /* lines of the graph tracer */
};

struct trace_instances {
	VEC(struct trace_instance) rows; /* by first line */
	size_t n_graphs;                 /* of them with has_graph */
};

/*
 * The instances of @text. None unless one of its first lines names one, so that
 * other texts cost nothing. Cost: linear in the text else.
 * Owner of @ret: caller, VEC_FREE(&ret->rows).
 */
void trace_instances_find(struct str text, struct trace_instances *ret);
/* "inst" of "    inst:     sh-12 [001] ..."; "" where there is none. */
struct str trace_instance_of(struct str line);

#endif
