/* SPDX-License-Identifier: MIT */
/* Replaces graph_bpf.c in builds without libbpf or clang. */
#include "record/graph/graph_bpf.h"

#include "base/status.h"
#include "record/graph/ftrace_parts.h"

const struct ftrace_source graph_bpf_source;

int graph_bpf_find(const struct ftrace *t, struct error *err)
{
	(void)t;
	return fail(err, ERR_UNSUPPORTED,
		    "this build has no BPF (libbpf-dev and clang, -Dbpf=enabled)");
}
