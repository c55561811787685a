/* SPDX-License-Identifier: MIT */
/*
 * ftrace_parts.h - what the parts of the function graph recorder share
 *
 * ftrace_settings.c finds tracefs, sets it up and has it put back; ftrace_buffers.c
 * empties the buffers; ftrace_file.c writes the file; ftrace.c is the loop around
 * them. graph_bpf.h has what takes the place of the first two.
 *
 * Private to src/record.
 */
#ifndef RECORD_FTRACE_PARTS_H
#define RECORD_FTRACE_PARTS_H

#include "record/graph/ftrace.h"
#include "record/perf/rec.h"

#define FTRACE_PATH_BYTES 320u

struct ftrace;

/* Where records come from: tracefs, or BPF programs (graph_bpf.h). Steps in the order of a
 * recording.
 */
struct ftrace_source {
	/* Set up, buffers too; nothing is recorded yet. */
	int (*arm)(struct ftrace *t, struct error *err);
	/* Only rec.tids, and with inheritance what they start. */
	int (*follow)(struct ftrace *t, struct error *err);
	int (*go)(struct ftrace *t, struct error *err);
	/* Take what is in the buffers. Errors go to rec.file.error. */
	void (*drain)(struct ftrace *t);
	/* No record comes any more; all are taken. */
	void (*stop)(struct ftrace *t);
	/* Records taken and lost. */
	void (*count)(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
	/* The file up to the places of the CPUs' data. */
	void (*header)(const struct ftrace *t, struct out *o);
	/* Everything as it was. */
	void (*close)(struct ftrace *t);
};

/* A setting as it was: written back when all is over, the last one first. */
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
	struct graph_bpf *bpf; /* of that source */
	int wake_fd;           /* readable when there is something to take; -1: none */
	const char *root;      /* of tracefs */
	char dir[128];         /* where we trace: an instance of ours, or root */
	bool is_own;
	VEC(struct ftrace_saved) saved;
	pid_t helper; /* 0: none */
	int helper_fd;
	VEC(struct ftrace_cpu) cpus; /* by number */
	uint8_t *page;
	size_t page_bytes;
	uint64_t bytes; /* of all data */
};

/* ftrace_settings.c */
/* printf into @path, cut at its end: names of the kernel's files are shorter. */
void ftrace_path(char path[FTRACE_PATH_BYTES], const char *fmt, ...) PRINTF(2, 3);
/* Find tracefs and what is in the way; nothing is changed. */
MUST_CHECK int ftrace_find(struct ftrace *t, struct error *err);
/* Save settings, start the helper, arm the tracer with tracing_on at 0. */
MUST_CHECK int ftrace_arm(struct ftrace *t, struct error *err);
/* Only these threads, and with inheritance what they start. */
MUST_CHECK int ftrace_follow(struct ftrace *t, struct error *err);
/* Write @text to the file @name of where we trace. 0, or errno. */
int ftrace_write(const struct ftrace *t, const char *name, const char *text);
/* Whole file below where we trace; NULL: cannot be read. Owner: caller, free(). */
char *ftrace_read(const struct ftrace *t, const char *name, size_t *ret_len);
/* Everything as it was; waits for the helper. */
void ftrace_disarm(struct ftrace *t);

/* ftrace_buffers.c: those of tracefs. */
MUST_CHECK int ftrace_buffers_open(struct ftrace *t, struct error *err);
void ftrace_buffers_drain(struct ftrace *t);
void ftrace_buffers_count(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
/* The temporary file of one more CPU, into t->cpus. Errors: ERR_IO. */
MUST_CHECK int ftrace_buffers_add(struct ftrace *t, int fd, struct error *err);
/* @len bytes to the temporary file of @c. Errors go to rec.file.error. */
void ftrace_buffers_put(struct ftrace *t, struct ftrace_cpu *c, const void *data, size_t len);
void ftrace_buffers_fini(struct ftrace *t);

/* ftrace_file.c */
void ftrace_file_header(const struct ftrace *t, struct out *o);
/* Parts of a header: see trace-cmd.dat.v6.5.txt. */
void ftrace_put_number(struct out *o, uint64_t v, size_t bytes);
void ftrace_put_start(struct out *o, size_t page_bytes);
/* Size, in @bytes, and content of a file. */
void ftrace_put_blob(struct out *o, const char *path, size_t bytes);
void ftrace_put_option(struct out *o, unsigned int id, struct str data);
/* What made the file; @how is set behind it, if it is not NULL. */
void ftrace_put_made_by(const struct ftrace *t, const char *how, struct out *o);
/* What a trace.dat may take the place of. */
extern const struct newfile_kind ftrace_kind;
/* Write the file of @spec.output. Errors: ERR_IO. */
MUST_CHECK int ftrace_file_write(struct ftrace *t, struct error *err);

/* Events that are recorded beside the graph, where the kernel has them: "group/name". */
extern const char *const ftrace_events[];

#endif
