/* SPDX-License-Identifier: MIT */
/*
 * In place of graph_bpf.c where there was no libbpf or no clang when assay was built.
 */
#include "record/graph/graph_bpf.h"

const struct ftrace_source graph_bpf_source;

int graph_bpf_find(const struct ftrace *t, struct error *err)
{
	(void)t;
	return fail(err, ERR_UNSUPPORTED,
		    "this assay was built without it (libbpf-dev and clang, -Dbpf=enabled)");
}
