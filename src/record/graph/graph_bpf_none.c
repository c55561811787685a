/* SPDX-License-Identifier: MIT */
/* Stub of graph_bpf.c, for builds without libbpf or clang: BPF is not supported. */
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
