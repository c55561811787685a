/* SPDX-License-Identifier: MIT */
/*
 * ftrace.h - record function graphs through tracefs into a trace.dat file
 *
 * The kernel's function_graph tracer writes into a trace instance of our own (from
 * Linux 6.12; before, into the main buffer if nobody else traces), with the sched
 * and irq events that tell sleep and interrupts apart from work. The pages of its
 * buffers go into the file as they are.
 *
 * Where the kernel has no such tracer, BPF programs make the same records, with
 * return values (graph_bpf.h); the file is of the same kind.
 *
 * A helper process holds a pipe of ours and puts every setting back when that
 * closes, however we end, SIGKILL included.
 *
 * Nothing here prints or ends the process. Signals as in record.h.
 */
#ifndef RECORD_FTRACE_H
#define RECORD_FTRACE_H

#include "record/perf/record.h"

enum ftrace_by {
	FTRACE_BY_ANY, /* tracefs; BPF where that has no graph tracer */
	FTRACE_BY_TRACEFS,
	FTRACE_BY_BPF,     /* the first of these that the kernel has */
	FTRACE_BY_SESSION, /* kprobe.session, Linux 6.10 */
	FTRACE_BY_MULTI,   /* kprobe.multi and kretprobe.multi, 5.18 */
	FTRACE_BY_FENTRY,  /* fentry and fexit, one function at a time, 5.15 */
};

struct ftrace_options {
	VEC(const char *) functions; /* names or globs: these, and all that they call */
	VEC(const char *) only;      /* below them, only these; none: all */
	enum ftrace_by by;
	uint32_t depth;        /* levels; 0: all */
	const char *root;      /* of tracefs; NULL: where it is mounted */
	uint64_t threshold_us; /* only ends of calls that took longer; 0: all calls */
};

/*
 * As record_run(), with the target, output, ring_bytes (of each CPU's buffer, 0: 8
 * MiB), duration_ns, max_bytes and tick of @spec. counts.samples is records in the
 * file, counts.lost records that found no room.
 * Errors: also ERR_UNSUPPORTED where the kernel has no such tracer, ERR_PERM where
 * somebody else uses it.
 */
MUST_CHECK int ftrace_record(const struct record_spec *spec, const struct ftrace_options *options,
			     struct record_result *ret, struct error *err);

#endif
