/* SPDX-License-Identifier: MIT */
/*
 * ftrace.h - record function graphs through tracefs into a trace.dat file
 *
 * From Linux 6.12, the kernel's function_graph tracer writes into a trace instance that belongs to
 * the recorder. Older kernels have only one graph tracer, which writes into the main buffer. The
 * recorder uses this buffer only if ftrace is not in use. Events of the scheduler and of interrupts
 * are recorded as well, to distinguish sleep and interrupts from work. Pages of the kernel's
 * buffers are copied to the file unchanged.
 *
 * If the kernel lacks this tracer, BPF programs (graph_bpf.h) make the same records for the same
 * kind of file. They also record return values.
 *
 * A helper process waits on a pipe from the recorder. When the recorder ends, even by SIGKILL, the
 * pipe closes, and the helper restores every setting.
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
	FTRACE_BY_ANY, /* tracefs; BPF if tracefs has no graph tracer */
	FTRACE_BY_TRACEFS,
	/* BPF, with the first of the next three methods that the kernel supports */
	FTRACE_BY_BPF,
	FTRACE_BY_SESSION, /* BPF, with kprobe.session, from Linux 6.10 */
	FTRACE_BY_MULTI,   /* BPF, with kprobe.multi and kretprobe.multi, from Linux 5.18 */
	FTRACE_BY_FENTRY,  /* BPF, with fentry and fexit for each function, from Linux 5.15 */
};

struct ftrace_options {
	/* names or globs of root functions, which are recorded with their callees */
	VEC(const char *) functions;
	VEC(const char *) only; /* names or globs of the callees to record; empty: all callees */
	enum ftrace_by by;
	uint32_t depth;        /* maximum depth of calls; 0: unlimited */
	const char *root;      /* folder of tracefs; NULL: where it is mounted */
	uint64_t threshold_us; /* record only calls that took longer than this; 0: all calls */
};

/*
 * Record as record_run() does. The members of @spec that it uses are: target, output, ring_bytes
 * (per CPU, 0: 8 MiB), duration_ns, max_bytes and tick. In the result, counts.samples is the number
 * of records in the file, counts.lost the number of lost records. Errors: also ERR_UNSUPPORTED if
 * the kernel has no such tracer, ERR_PERM if the tracer is in use.
 */
MUST_CHECK int ftrace_record(const struct record_spec *spec, const struct ftrace_options *options,
			     struct record_result *ret, struct error *err);

#endif
