/* SPDX-License-Identifier: MIT */
/*
 * ftrace_parts.h - state shared by the parts of the function graph recorder
 *
 * ftrace.c has the recorder's loop. ftrace_settings.c finds tracefs, sets it up and restores it.
 * ftrace_buffers.c drains its buffers. ftrace_file.c writes the file. If BPF programs make the
 * records, the parts in graph_bpf.h replace ftrace_settings.c and ftrace_buffers.c.
 */
#ifndef RECORD_FTRACE_PARTS_H
#define RECORD_FTRACE_PARTS_H

#include "base/newfile.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "record/perf/rec.h"

struct ftrace_options;
struct graph_bpf;
struct out;

#define FTRACE_PATH_BYTES 320u

struct ftrace;

/*
 * A source of records: tracefs, or BPF programs (graph_bpf.h). The recorder calls the members in
 * this order.
 */
struct ftrace_source {
	/* Set up the tracer and its buffers; recording does not start yet. */
	int (*arm)(struct ftrace *t, struct error *err);
	/*
	 * Record only the threads in rec.tids and, unless spec.has_no_inherit is set, their
	 * children.
	 */
	int (*follow)(struct ftrace *t, struct error *err);
	int (*go)(struct ftrace *t, struct error *err);
	/* Read the buffers. Errors are stored in rec.file.error. */
	void (*drain)(struct ftrace *t);
	/* Stop recording, and read the remaining data. */
	void (*stop)(struct ftrace *t);
	/* Return the numbers of recorded and of lost records. */
	void (*count)(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
	/* Write the start of the trace.dat file, up to the table of CPU data. */
	void (*header)(const struct ftrace *t, struct out *o);
	/* Restore all settings. */
	void (*close)(struct ftrace *t);
};

/* A setting and its original value. Settings are restored in reverse order. */
struct ftrace_saved {
	char *path;
	char *text;
};

struct ftrace_cpu {
	int fd;   /* trace_pipe_raw of the CPU; -1: the CPU is offline, or BPF is the source */
	int data; /* temporary file with the CPU's records */
	uint64_t bytes;
};

struct ftrace {
	struct rec rec; /* target, signals and notes of the recording */
	const struct ftrace_options *options;
	const struct ftrace_source *source;
	struct graph_bpf *bpf; /* state of the BPF source; NULL: tracefs is the source */
	/* epoll descriptor, readable when a buffer has data; -1: unavailable */
	int wake_fd;
	const char *root; /* mount point of tracefs */
	/* folder used for tracing: an instance that the recorder made, or `root` */
	char dir[128];
	bool is_own;
	VEC(struct ftrace_saved) saved;
	pid_t helper; /* process that restores the settings; 0: not started */
	int helper_fd;
	VEC(struct ftrace_cpu) cpus; /* indexed by CPU number */
	uint8_t *page;
	size_t page_bytes;
	uint64_t bytes; /* size of all temporary files */
};

/* functions in ftrace_settings.c */
/* Format @path as printf does. It may be truncated, but paths of kernel files are shorter. */
void ftrace_path(char path[FTRACE_PATH_BYTES], const char *fmt, ...) PRINTF(2, 3);
/* Find tracefs, and check that its graph tracer can be used. Changes nothing. */
MUST_CHECK int ftrace_find(struct ftrace *t, struct error *err);
/*
 * Save the settings, start the helper, and set up the tracer. Recording does not start yet
 * (tracing_on is 0).
 */
MUST_CHECK int ftrace_arm(struct ftrace *t, struct error *err);
/* Record only the threads in rec.tids and, unless spec.has_no_inherit is set, their children. */
MUST_CHECK int ftrace_follow(struct ftrace *t, struct error *err);
/* Write @text to the file @name in the tracing folder. Returns 0 or errno. */
int ftrace_write(const struct ftrace *t, const char *name, const char *text);
/*
 * Read a whole file in the tracing folder. *@ret_len: its length, unless @ret_len is NULL. NULL:
 * unreadable. Owner: caller, free().
 */
char *ftrace_read(const struct ftrace *t, const char *name, size_t *ret_len);
/* Restore all settings, and wait for the helper to end. */
void ftrace_disarm(struct ftrace *t);

/* functions in ftrace_buffers.c, which read the buffers of tracefs */
MUST_CHECK int ftrace_buffers_open(struct ftrace *t, struct error *err);
void ftrace_buffers_drain(struct ftrace *t);
void ftrace_buffers_count(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
/*
 * Add the next CPU to t->cpus, with a temporary file for its records. @fd: its trace_pipe_raw, or
 * -1. Errors: ERR_IO.
 */
MUST_CHECK int ftrace_buffers_add(struct ftrace *t, int fd, struct error *err);
/* Append @len bytes to the temporary file of @c. Errors are stored in rec.file.error. */
void ftrace_buffers_put(struct ftrace *t, struct ftrace_cpu *c, const void *data, size_t len);
void ftrace_buffers_fini(struct ftrace *t);

/* functions in ftrace_file.c */
void ftrace_file_header(const struct ftrace *t, struct out *o);
/* Functions that write parts of the header; the format is in trace-cmd.dat.v6.5.txt. */
void ftrace_put_number(struct out *o, uint64_t v, size_t bytes);
void ftrace_put_start(struct out *o, size_t page_bytes);
/* Write the size of the file @path as a number of @bytes bytes, then its content. */
void ftrace_put_blob(struct out *o, const char *path, size_t bytes);
void ftrace_put_option(struct out *o, unsigned int id, struct str data);
/* Write assay's command line, then @how unless that is NULL. */
void ftrace_put_made_by(const struct ftrace *t, const char *how, struct out *o);
/* The kind of file that a new trace.dat may overwrite. */
extern const struct newfile_kind ftrace_kind;
/* Write the recording to the file spec.output. Errors: ERR_IO. */
MUST_CHECK int ftrace_file_write(struct ftrace *t, struct error *err);

/* Events ("group/name") that are recorded with the graph, if the kernel has them. */
extern const char *const ftrace_events[];

#endif
