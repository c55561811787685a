/* SPDX-License-Identifier: MIT */
/*
 * ftrace.h - record function graphs through tracefs into a trace.dat file
 *
 * From Linux 6.12 on, each trace instance has its own function_graph tracer, and the recorder makes
 * an instance. An older kernel has only one such tracer, which writes into the main buffer. The
 * recorder uses this buffer only if ftrace is not in use. Scheduler and interrupt events are
 * recorded as well, so that sleep and interrupts can be distinguished from work. Pages of the
 * kernel's buffers are copied to the file unchanged.
 *
 * If the kernel lacks the function_graph tracer, BPF programs (graph_bpf.h) produce the same
 * records for the same file format. They also record return values.
 *
 * A helper process waits on a pipe from the recorder. When the recorder ends, even by SIGKILL, the
 * pipe closes, and the helper restores all settings.
 *
 * Functions here neither print nor end the process. Signals are handled as in record.h.
 */
#ifndef RECORD_FTRACE_H
#define RECORD_FTRACE_H

#include "base/status.h"
#include "base/vec.h"

struct record_result;
struct record_spec;

enum ftrace_by {
	FTRACE_BY_ANY, /* tracefs; if it has no graph tracer, BPF */
	FTRACE_BY_TRACEFS,
	/* BPF, by the first of the three methods below that the kernel supports */
	FTRACE_BY_BPF,
	FTRACE_BY_SESSION, /* BPF, with kprobe.session, from Linux 6.10 */
	FTRACE_BY_MULTI,   /* BPF, with kprobe.multi and kretprobe.multi, from Linux 5.18 */
	FTRACE_BY_FENTRY,  /* BPF, with fentry and fexit for each function, from Linux 5.15 */
};

struct ftrace_options {
	/* names or globs of root functions; their calls are recorded, with all calls inside them */
	VEC(const char *) functions;
	/* names or globs of the callees that are recorded; empty: all callees */
	VEC(const char *) only;
	enum ftrace_by by;
	uint32_t depth;   /* maximum depth of recorded calls; 0: unlimited */
	const char *root; /* folder of tracefs; NULL: the mount point is searched */
	/*
	 * minimum duration of a recorded call in microseconds; 0: calls of any duration are
	 * recorded
	 */
	uint64_t threshold_us;
};

/*
 * Record a function graph; works like record_run(). Used members of @spec: target, output,
 * ring_bytes (buffer size per CPU, 0: 8 MiB), duration_ns, max_bytes, tick. Result: counts.samples
 * is the number of records in the file, and counts.lost the number of lost records. Errors: those
 * of record_run(), ERR_UNSUPPORTED if the kernel has no such tracer, ERR_PERM if the tracer is in
 * use.
 */
MUST_CHECK int ftrace_record(const struct record_spec *spec, const struct ftrace_options *options,
			     struct record_result *ret, struct error *err);

#endif
