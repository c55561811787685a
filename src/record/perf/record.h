/* SPDX-License-Identifier: MIT */
/*
 * record.h - sample running code through perf_event_open into a perf.data file
 *
 * File layout: tools/perf/Documentation/perf.data-file-format.txt. Records are those of the kernel
 * (include/uapi/linux/perf_event.h), written directly from its ring buffers.
 *
 * Capabilities: once everything is open and the target runs, the process drops its capabilities,
 * except those needed to signal the command and to write next to the output (docs/record.md). They
 * are restored at the end, unless spec.is_last is set.
 *
 * Nothing here prints or ends the process. SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGUSR2 are blocked
 * during a recording and restored afterwards. One recording at a time, from one thread.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/newfile.h"
#include "base/status.h"
#include "base/vec.h"

enum record_chains {
	RECORD_FRAME_POINTERS, /* the kernel follows frame pointers */
	RECORD_UNWOUND,        /* the recorder unwinds a stack dump (rec_chains.c) */
	/* the stack dump goes to the file, and the file's reader unwinds it */
	RECORD_DWARF,
	RECORD_BRANCHES, /* the processor's branch records in call-stack mode (LBR) */
	RECORD_NO_CHAINS,
};

/* How the user names a control group. */
enum record_group_kind {
	/* a path from the root or from the mount point, or the last components of a path */
	RECORD_GROUP_PATH,
	RECORD_GROUP_UNIT,      /* a systemd unit; a name without a suffix means a service */
	RECORD_GROUP_CONTAINER, /* a container id, the start of a container id, or a docker name */
};

struct record_group {
	enum record_group_kind kind;
	const char *name;
};

/* Progress of a recording so far. */
struct record_counts {
	uint64_t samples;
	uint64_t lost;  /* records lost because a buffer was full, samples included */
	uint64_t bytes; /* size of the file */
	uint64_t elapsed_ns;
};

#define RECORD_MAX_FILES 100u

/* The kind of file that a new recording may overwrite. */
extern const struct newfile_kind record_kind;

/* A file with the last seconds, written before the end of the recording. */
struct record_file {
	const char *path; /* path of the file; NULL: it could not be written, for the reason @why */
	const char *why;  /* why the file was written: "SIGUSR2", or the condition with its value */
	struct record_counts counts;
};

/* What to record and how. All pointers are borrowed; a zeroed struct with a target is valid. */
struct record_spec {
	/* The target: a command, threads, or all processes. */
	char *const *argv;  /* command to start, NULL-terminated; NULL: none */
	char *setting;      /* "NAME=VALUE" for the command's environment; NULL: none */
	bool is_argv_mute;  /* replace the command's terminal by /dev/null */
	VEC(uint32_t) pids; /* processes, with all their present and future threads */
	VEC(uint32_t) tids; /* threads to record, without other threads of their process */
	bool is_system_wide;
	/* if is_system_wide: record only these control groups and the groups inside them */
	VEC(struct record_group) groups;
	const char *cpus; /* CPUs, such as "0,2-4"; NULL: all online CPUs */

	VEC(const char *) events; /* events as in perf record -e; empty: cycles or cpu-clock */
	uint64_t frequency;       /* samples per second and CPU; 0: depends on the number of CPUs */
	uint64_t period;          /* number of events between two samples, instead of a frequency */
	enum record_chains chains;
	uint32_t stack_bytes; /* size of a stack dump; 0: 8192, or 16384 if RECORD_UNWOUND */
	bool has_no_user;
	bool has_no_kernel;
	bool has_no_inherit;
	bool has_off_cpu;    /* also record switches and wake-ups of threads, on all CPUs */
	bool has_namespaces; /* record namespaces */
	bool has_cgroups;    /* record the control group of each sample */
	/* store build ids in the header instead of in map records, for old readers */
	bool has_no_map_ids;
	bool has_perf_clock; /* use perf's clock instead of CLOCK_MONOTONIC */

	const char *output;
	const char *shown;   /* name of the output in messages; NULL: output */
	bool is_forced;      /* overwrite any existing file */
	uint32_t zstd_level; /* compression level of zstd; 0: uncompressed */
	uint64_t ring_bytes; /* buffer size per CPU; 0: depends on the sampling rate */
	/* maximum duration; 0: record until the command ends or a signal arrives */
	uint64_t duration_ns;
	uint64_t max_bytes; /* maximum size of the file; 0: unlimited */

	/*
	 * Keep the records of the last keep_ns nanoseconds, and at most keep_bytes of them, in
	 * memory instead of in a growing file. 0: no such limit; both 0: write all records to the
	 * file. On SIGUSR2, and when a condition becomes true, the records are written to
	 * OUTPUT.001, OUTPUT.002 …; at the end they are written to OUTPUT.
	 */
	uint64_t keep_ns, keep_bytes;
	VEC(const char *) conditions; /* conditions that trigger writing a file; see when.h */
	/* maximum number of files that are written before the end; 0: RECORD_MAX_FILES */
	uint32_t max_files;
	/* called after a file was written before the end; may be NULL */
	void (*written)(void *arg, const struct record_file *file);
	void *written_arg;

	bool is_last; /* the caller has no later work that needs capabilities: drop them for good */

	char *const *command_line; /* command line to store in the header; NULL-terminated */

	/* called every tick_ns; NULL: never */
	void (*tick)(void *arg, const struct record_counts *counts);
	void *tick_arg;
	uint64_t tick_ns;
};

enum record_end {
	RECORD_ENDED,     /* the command or the processes ended */
	RECORD_SIGNALLED, /* SIGINT, SIGTERM or SIGHUP */
	RECORD_TIME_OVER,
	RECORD_SIZE_OVER,
	RECORD_DISK_FULL, /* disk full, or another write error: see the notes */
};

struct record_result {
	struct record_counts counts;
	enum record_end end;
	/* how often the kernel stopped an event for the rest of a timer tick */
	uint64_t throttled;
	bool is_straight; /* the output is a pipe or another special file */
	bool has_status;  /* a command was started, so `status` is valid */
	int status;       /* exit status of the command, or 128 + signal */
	uint64_t frequency;
	bool is_unwound;    /* the recorder made the call chains */
	int pid;            /* process id of the command */
	uint64_t began_ns;  /* start of the recording, by CLOCK_MONOTONIC */
	VEC(char *) events; /* names of the events in the file */
	VEC(char *) notes;  /* sentences about limits of the recording, and about losses */
};

/*
 * Record until the end. On OK the file is complete, whatever ended the recording. @ret is always
 * valid; release it with record_result_fini(). Errors: ERR_PERM, ERR_NOTFOUND (no such process,
 * command or event), ERR_USAGE, ERR_IO, ERR_UNSUPPORTED, with a sentence. After an error there is
 * no file.
 */
MUST_CHECK int record_run(const struct record_spec *spec, struct record_result *ret,
			  struct error *err);
void record_result_fini(struct record_result *r);

#define RECORD_HINT_BYTES 160u

/*
 * Write a sentence that advises which -F or --for gives a better recording. There is advice if
 * samples were throttled, if 1 % or more were lost, or if there are fewer than 400. @most:
 * kernel.perf_event_max_sample_rate; 0: unknown. False: no advice.
 */
bool record_hint(const struct record_spec *spec, const struct record_result *r, uint64_t most,
		 char text[RECORD_HINT_BYTES]);
/* Read kernel.perf_event_max_sample_rate; 0: unknown. */
uint64_t record_rate_limit(void);

#endif
