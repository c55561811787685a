/* SPDX-License-Identifier: MIT */
/*
 * ftrace_parts.h - state shared by the source files of the function graph recorder
 *
 * ftrace.c has the recorder's loop. ftrace_settings.c finds tracefs, sets it up and restores it.
 * ftrace_buffers.c reads the buffers of tracefs. ftrace_file.c writes the file. If BPF programs
 * produce the records, the files described in graph_bpf.h replace ftrace_settings.c and
 * ftrace_buffers.c.
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
 * A source of records: tracefs, or BPF programs (graph_bpf.h). The recorder calls these functions
 * in the order of the members.
 */
struct ftrace_source {
	/* Set up the tracer and its buffers; recording does not start yet. */
	int (*arm)(struct ftrace *t, struct error *err);
	/*
	 * Restrict recording to the threads in rec.tids and, unless spec.has_no_inherit is set, to
	 * their children.
	 */
	int (*follow)(struct ftrace *t, struct error *err);
	int (*go)(struct ftrace *t, struct error *err);
	/* Read the records in all buffers. An error is stored in rec.file.error. */
	void (*drain)(struct ftrace *t);
	/* Stop recording, and read the remaining data. */
	void (*stop)(struct ftrace *t);
	/* Return the numbers of recorded and of lost records. */
	void (*count)(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
	/* Write the first part of the trace.dat file, which ends before the table of CPU data. */
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
	struct graph_bpf *bpf; /* state of the BPF source; NULL if tracefs is the source */
	/* epoll descriptor that becomes readable when a buffer has data; -1: not available */
	int wake_fd;
	const char *root; /* mount point of tracefs */
	/* tracefs folder that is used for tracing: an instance made by the recorder, or `root` */
	char dir[128];
	bool is_own;
	VEC(struct ftrace_saved) saved;
	pid_t helper; /* process that restores the settings; 0: not started */
	int helper_fd;
	VEC(struct ftrace_cpu) cpus; /* indexed by CPU number */
	uint8_t *page;
	size_t page_bytes;
	uint64_t bytes; /* total size of all temporary files in bytes */
};

/* declarations of functions in ftrace_settings.c follow */
/* Format @path like printf. A long path is truncated, but paths of kernel files are shorter. */
void ftrace_path(char path[FTRACE_PATH_BYTES], const char *fmt, ...) PRINTF(2, 3);
/* Find tracefs, and check that its graph tracer can be used. Does not change any setting. */
MUST_CHECK int ftrace_find(struct ftrace *t, struct error *err);
/*
 * Save all settings, start the helper process, and set up the tracer. Recording does not start yet:
 * tracing_on is 0.
 */
MUST_CHECK int ftrace_arm(struct ftrace *t, struct error *err);
/*
 * Restrict recording to the threads in rec.tids and, unless spec.has_no_inherit is set, to their
 * children.
 */
MUST_CHECK int ftrace_follow(struct ftrace *t, struct error *err);
/* Write @text to the file @name in the tracing folder (ftrace.dir). Returns 0 or an errno. */
int ftrace_write(const struct ftrace *t, const char *name, const char *text);
/*
 * Read the whole file @name in the tracing folder (ftrace.dir). Returns its text, or NULL if it is
 * unreadable. @ret_len: if not NULL, receives the length. Owner: caller, free().
 */
char *ftrace_read(const struct ftrace *t, const char *name, size_t *ret_len);
/* Restore all settings, and wait for the helper to end. */
void ftrace_disarm(struct ftrace *t);

/* the functions below are in ftrace_buffers.c, and read the buffers of tracefs */
MUST_CHECK int ftrace_buffers_open(struct ftrace *t, struct error *err);
void ftrace_buffers_drain(struct ftrace *t);
void ftrace_buffers_count(const struct ftrace *t, uint64_t *ret_events, uint64_t *ret_lost);
/*
 * Append a CPU to t->cpus, and create a temporary file for its records. @fd: trace_pipe_raw of this
 * CPU, or -1. Errors: ERR_IO.
 */
MUST_CHECK int ftrace_buffers_add(struct ftrace *t, int fd, struct error *err);
/* Append @len bytes of @data to the temporary file of @c. An error is stored in rec.file.error. */
void ftrace_buffers_put(struct ftrace *t, struct ftrace_cpu *c, const void *data, size_t len);
void ftrace_buffers_fini(struct ftrace *t);

/* the functions below are in ftrace_file.c */
void ftrace_file_header(const struct ftrace *t, struct out *o);
/*
 * The functions down to ftrace_put_made_by() each write one part of the header of the trace.dat
 * file. Format: trace-cmd.dat.v6.5.txt.
 */
void ftrace_put_number(struct out *o, uint64_t v, size_t bytes);
void ftrace_put_start(struct out *o, size_t page_bytes);
/* Write a copy of the file @path: its size in @bytes bytes, then its content. */
void ftrace_put_blob(struct out *o, const char *path, size_t bytes);
void ftrace_put_option(struct out *o, unsigned int id, struct str data);
/*
 * Write assay's command line. If @how is not NULL, append it in parentheses, such as "by BPF,
 * fentry".
 */
void ftrace_put_made_by(const struct ftrace *t, const char *how, struct out *o);
/*
 * kind of the files that this recorder writes: an existing file of another kind is not overwritten
 */
extern const struct newfile_kind ftrace_kind;
/* Write the recording to the file spec.output. Errors: ERR_IO. */
MUST_CHECK int ftrace_file_write(struct ftrace *t, struct error *err);

/*
 * Events that are recorded in addition to calls, as "group/name". Events that the kernel lacks are
 * skipped.
 */
extern const char *const ftrace_events[];

#endif
