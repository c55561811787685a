/* SPDX-License-Identifier: MIT */
#include "cmds/record/record_graph.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/graph/ftrace.h"

#include <stdlib.h>

/* Split comma-separated function names of options, and append them to @ret. */
static int record_graph_names(const struct args_list *lists, bool are_only,
			      struct ftrace_options *ret, struct error *err)
{
	VEC_FOREACH (text, &lists->items) {
		struct str list = str_of(*text);

		while (list.len) {
			size_t n = str_find_char(list, ',');

			if (n == 0 || n > 200)
				return fail(err, ERR_USAGE,
					    "--graph%s takes function names, not '%s'",
					    are_only ? "-only" : "", *text);
			*(are_only ? VEC_PUSH(&ret->only) : VEC_PUSH(&ret->functions)) =
				xmemdupz(list.p, n);
			list = str_skip(list, n + 1);
		}
	}
	return OK;
}

int record_graph_options(const struct record_graph *o, struct ftrace_options *ret,
			 struct error *err)
{
	int status;

	*ret = (struct ftrace_options){ .by = (enum ftrace_by)o->by,
					.depth = (uint32_t)o->depth,
					.threshold_us = o->threshold };
	if (o->depth > 50)
		return fail(err, ERR_USAGE, "--depth: the kernel traces 50 levels at most");
	status = record_graph_names(&o->functions, false, ret, err);
	return status == OK ? record_graph_names(&o->only, true, ret, err) : status;
}

void record_graph_fini(struct ftrace_options *options)
{
	VEC_FOREACH (name, &options->functions)
		free((void *)(uintptr_t)*name);
	VEC_FOREACH (name, &options->only)
		free((void *)(uintptr_t)*name);
	VEC_FREE(&options->functions);
	VEC_FREE(&options->only);
}
