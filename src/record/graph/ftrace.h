/* SPDX-License-Identifier: MIT */
/*
 * ftrace.h - record function graphs through tracefs into a trace.dat file
 *
 * The kernel's function_graph tracer writes into a trace instance of its own (from Linux 6.12).
 * Older kernels have one graph tracer, in the main buffer, which is used only if nobody else
 * traces. The sched and irq events are recorded as well, to distinguish sleep and interrupts from
 * work. Pages of the buffers go into the file unchanged.
 *
 * Where the kernel lacks this tracer, BPF programs produce the same records, with return values
 * (graph_bpf.h), in the same kind of file.
 *
 * A helper process holds a pipe from the recorder. When the pipe closes, even because of SIGKILL,
 * the helper restores every setting.
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
	FTRACE_BY_ANY, /* tracefs, or else BPF */
	FTRACE_BY_TRACEFS,
	/* BPF, by the first of the next three kinds of probes that the kernel supports */
	FTRACE_BY_BPF,
	FTRACE_BY_SESSION, /* kprobe.session, from Linux 6.10 */
	FTRACE_BY_MULTI,   /* kprobe.multi and kretprobe.multi, from Linux 5.18 */
	FTRACE_BY_FENTRY,  /* fentry and fexit for each function, from Linux 5.15 */
};

struct ftrace_options {
	/* names or globs of root functions, which are recorded with their callees */
	VEC(const char *) functions;
	VEC(const char *) only; /* names or globs of the callees to record; empty: all callees */
	enum ftrace_by by;
	uint32_t depth;        /* maximum depth of calls; 0: unlimited */
	const char *root;      /* tracefs to use; NULL: where it is mounted */
	uint64_t threshold_us; /* record only calls that took longer than this; 0: all calls */
};

/*
 * Record as record_run() does. The members of @spec that it uses are: target, output, ring_bytes
 * (per CPU, 0: 8 MiB), duration_ns, max_bytes and tick. counts.samples is the number of records in
 * the file, counts.lost the number of lost records. Errors: also ERR_UNSUPPORTED if the kernel has
 * no such tracer, ERR_PERM if the tracer is in use.
 */
MUST_CHECK int ftrace_record(const struct record_spec *spec, const struct ftrace_options *options,
			     struct record_result *ret, struct error *err);

#endif
