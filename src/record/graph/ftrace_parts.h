/* SPDX-License-Identifier: MIT */
/*
 * ftrace_parts.h - state shared by the parts of the function graph recorder
 *
 * ftrace_settings.c finds tracefs, sets it up and has it restored; ftrace_buffers.c drains the
 * buffers; ftrace_file.c writes the file; ftrace.c is the loop. graph_bpf.h replaces the first
 * two.
 *
 * Private to src/record.
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

/* A source of records: tracefs, or BPF programs (graph_bpf.h). Steps in calling order. */
struct ftrace_source {
	/* Set up, including buffers; recording does not start yet. */
	int (*arm)(struct ftrace *t, struct error *err);
	/* Restrict to rec.tids, and with inheritance to their children. */
	int (*follow)(struct ftrace *t, struct error *err);
	int (*go)(struct ftrace *t, struct error *err);
	/* Drain the buffers. Errors go to rec.file.error. */
	void (*drain)(struct ftrace *t);
	/* Stop recording and drain the rest. */
	void (*stop)(struct ftrace *t);
	/* Number of drained and lost records. */
	void (*count)(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
	/* Write the file up to the table of CPU data. */
	void (*header)(const struct ftrace *t, struct out *o);
	/* Restore all settings. */
	void (*close)(struct ftrace *t);
};

/* An original setting; restored at the end, in reverse order. */
struct ftrace_saved {
	char *path;
	char *text;
};

struct ftrace_cpu {
	int fd;   /* its trace_pipe_raw; -1: offline */
	int data; /* temporary file */
	uint64_t bytes;
};

struct ftrace {
	struct rec rec; /* target, signals, notes */
	const struct ftrace_options *options;
	const struct ftrace_source *source;
	struct graph_bpf *bpf; /* set if it is the source */
	int wake_fd;           /* readable if the buffers have data; -1: none */
	const char *root;      /* mount point of tracefs */
	char dir[128];         /* folder used for tracing: an own instance, or root */
	bool is_own;
	VEC(struct ftrace_saved) saved;
	pid_t helper; /* 0: none */
	int helper_fd;
	VEC(struct ftrace_cpu) cpus; /* by CPU number */
	uint8_t *page;
	size_t page_bytes;
	uint64_t bytes; /* of all data */
};

/* ftrace_settings.c */
/* printf into @path, truncated: paths of kernel files are shorter. */
void ftrace_path(char path[FTRACE_PATH_BYTES], const char *fmt, ...) PRINTF(2, 3);
/* Find tracefs and possible conflicts, without changes. */
MUST_CHECK int ftrace_find(struct ftrace *t, struct error *err);
/* Save settings, start the helper, arm the tracer with tracing_on at 0. */
MUST_CHECK int ftrace_arm(struct ftrace *t, struct error *err);
/* Restrict to these threads, and with inheritance to their children. */
MUST_CHECK int ftrace_follow(struct ftrace *t, struct error *err);
/* Write @text to the file @name in the tracing folder. Returns 0 or errno. */
int ftrace_write(const struct ftrace *t, const char *name, const char *text);
/* Read a whole file in the tracing folder; NULL: unreadable. Owner: caller, free(). */
char *ftrace_read(const struct ftrace *t, const char *name, size_t *ret_len);
/* Restore everything; waits for the helper. */
void ftrace_disarm(struct ftrace *t);

/* ftrace_buffers.c: the tracefs source. */
MUST_CHECK int ftrace_buffers_open(struct ftrace *t, struct error *err);
void ftrace_buffers_drain(struct ftrace *t);
void ftrace_buffers_count(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
/* Add a temporary file for the next CPU to t->cpus. Errors: ERR_IO. */
MUST_CHECK int ftrace_buffers_add(struct ftrace *t, int fd, struct error *err);
/* Append @len bytes to the temporary file of @c. Errors go to rec.file.error. */
void ftrace_buffers_put(struct ftrace *t, struct ftrace_cpu *c, const void *data, size_t len);
void ftrace_buffers_fini(struct ftrace *t);

/* ftrace_file.c */
void ftrace_file_header(const struct ftrace *t, struct out *o);
/* Parts of a header; see trace-cmd.dat.v6.5.txt. */
void ftrace_put_number(struct out *o, uint64_t v, size_t bytes);
void ftrace_put_start(struct out *o, size_t page_bytes);
/* Write the size of a file, in @bytes bytes, and its content. */
void ftrace_put_blob(struct out *o, const char *path, size_t bytes);
void ftrace_put_option(struct out *o, unsigned int id, struct str data);
/* Write the command that made the file, followed by @how unless NULL. */
void ftrace_put_made_by(const struct ftrace *t, const char *how, struct out *o);
/* Kind of file that a trace.dat may overwrite. */
extern const struct newfile_kind ftrace_kind;
/* Write the file of @spec.output. Errors: ERR_IO. */
MUST_CHECK int ftrace_file_write(struct ftrace *t, struct error *err);

/* Events recorded with the graph, where the kernel has them: "group/name". */
extern const char *const ftrace_events[];

#endif
