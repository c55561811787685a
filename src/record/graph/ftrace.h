/* SPDX-License-Identifier: MIT */
/*
 * ftrace.h - record function graphs through tracefs into a trace.dat file
 *
 * The kernel's function_graph tracer writes into an own trace instance (from Linux 6.12;
 * before, into the main buffer if nobody else traces). The sched and irq events are recorded as
 * well, to distinguish sleep and interrupts from work. Pages of the buffers go into the file
 * unchanged.
 *
 * Where the kernel lacks this tracer, BPF programs produce the same records, with return values
 * (graph_bpf.h), in the same kind of file.
 *
 * A helper process holds a pipe from the recorder. When the pipe closes, for whatever reason,
 * SIGKILL included, the helper restores every setting.
 *
 * Nothing here prints or ends the process. Signals as in record.h.
 */
#ifndef RECORD_FTRACE_H
#define RECORD_FTRACE_H

#include "base/status.h"
#include "base/vec.h"

struct record_result;
struct record_spec;

enum ftrace_by {
	FTRACE_BY_ANY, /* tracefs; BPF if the kernel has no graph tracer */
	FTRACE_BY_TRACEFS,
	FTRACE_BY_BPF,     /* the first of the following that the kernel supports */
	FTRACE_BY_SESSION, /* kprobe.session, Linux 6.10 */
	FTRACE_BY_MULTI,   /* kprobe.multi and kretprobe.multi, 5.18 */
	FTRACE_BY_FENTRY,  /* fentry and fexit per function, 5.15 */
};

struct ftrace_options {
	VEC(const char *) functions; /* names or globs: these functions with all their callees */
	VEC(const char *) only;      /* callees to record; empty: all */
	enum ftrace_by by;
	uint32_t depth;        /* levels of calls; 0: all */
	const char *root;      /* of tracefs; NULL: the mount point */
	uint64_t threshold_us; /* record only calls that took longer; 0: all calls */
};

/*
 * Record as record_run(), with the target, output, ring_bytes (per CPU, 0: 8 MiB), duration_ns,
 * max_bytes and tick of @spec. counts.samples is the number of records in the file, counts.lost
 * that of lost records. Errors: also ERR_UNSUPPORTED if the kernel has no such tracer, ERR_PERM
 * if the tracer is in use.
 */
MUST_CHECK int ftrace_record(const struct record_spec *spec, const struct ftrace_options *options,
			     struct record_result *ret, struct error *err);

#endif
