/* SPDX-License-Identifier: MIT */
/* record_graph.h - the options of `assay record` for tracing calls */
#ifndef CMDS_RECORD_GRAPH_H
#define CMDS_RECORD_GRAPH_H

#include "base/command/args.h"
#include "base/status.h"

struct ftrace_options;

#define RECORD_GRAPH_BY "any|tracefs|bpf|kprobe.session|kprobe.multi|fentry"

struct record_graph {
	struct args_list functions, only;
	uint64_t depth;
	uint64_t threshold;
	unsigned int by; /* enum ftrace_by: index of a name in RECORD_GRAPH_BY */
};

/*
 * Convert the options @o to @ret. Release @ret with record_graph_fini(), also after an error.
 * Errors: ERR_USAGE.
 */
MUST_CHECK int record_graph_options(const struct record_graph *o, struct ftrace_options *ret,
				    struct error *err);
void record_graph_fini(struct ftrace_options *options);

#endif
