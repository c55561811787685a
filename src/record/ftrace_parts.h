/* SPDX-License-Identifier: MIT */
/*
 * ftrace_parts.h - what the parts of the function graph recorder share
 *
 * ftrace_settings.c finds tracefs, sets it up and has it put back; ftrace_file.c
 * empties the buffers and writes the file; ftrace.c is the loop around them.
 *
 * Private to src/record.
 */
#ifndef RECORD_FTRACE_PARTS_H
#define RECORD_FTRACE_PARTS_H

#include "record/ftrace.h"
#include "record/rec.h"

#define FTRACE_PATH_BYTES 320u

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
	const char *root; /* of tracefs */
	char dir[128];    /* where we trace: an instance of ours, or root */
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

/* ftrace_file.c */
MUST_CHECK int ftrace_buffers_open(struct ftrace *t, struct error *err);
/* Take what is in the buffers of CPUs that are @ready (NULL: of all). Errors go to rec.file.error.
 */
void ftrace_buffers_drain(struct ftrace *t);
/* Records taken and lost, by the kernel's own counts. */
void ftrace_buffers_count(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
/* Write the file of @spec.output. Errors: ERR_IO. */
MUST_CHECK int ftrace_file_write(struct ftrace *t, struct error *err);
void ftrace_buffers_fini(struct ftrace *t);

/* Events that are recorded beside the graph, where the kernel has them: "group/name". */
extern const char *const ftrace_events[];

#endif
