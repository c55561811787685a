/* SPDX-License-Identifier: MIT */
/*
 * record.h - sample running code through perf_event_open into a perf.data file
 *
 * File layout: tools/perf/Documentation/perf.data-file-format.txt. Records are those of the kernel
 * (include/uapi/linux/perf_event.h), written directly from its ring buffers.
 *
 * Capabilities: once everything is open and the target runs, the process drops its capabilities
 * (docs/record.md). It keeps those for signals to the command and for files in the folder of the
 * output. Dropped capabilities are restored at the end, unless spec.is_last is set.
 *
 * Functions here neither print nor end the process. SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGUSR2
 * are blocked during a recording, and restored afterwards. Not thread safe; a process can make one
 * recording at a time.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/newfile.h"
#include "base/status.h"
#include "base/vec.h"

enum record_chains {
	RECORD_FRAME_POINTERS, /* call chains by frame pointers, which the kernel follows */
	/* the kernel copies the stack, and the recorder unwinds it (rec_chains.c) */
	RECORD_UNWOUND,
	/* the kernel copies the stack to the file, and the reader of the file unwinds it */
	RECORD_DWARF,
	/* call chains from the processor's branch records in call-stack mode (LBR) */
	RECORD_BRANCHES,
	RECORD_NO_CHAINS,
};

/* How the user names a control group. */
enum record_group_kind {
	/* a path: from the root of the hierarchy, from "/", or only its last components */
	RECORD_GROUP_PATH,
	RECORD_GROUP_UNIT,      /* a systemd unit; a name without a suffix means a service */
	RECORD_GROUP_CONTAINER, /* a container: id, prefix of an id, or name in docker */
};

struct record_group {
	enum record_group_kind kind;
	const char *name;
};

/* Progress of a recording so far. */
struct record_counts {
	uint64_t samples;
	/* number of records lost because a buffer was full; samples are records, too */
	uint64_t lost;
	uint64_t bytes; /* size of the file */
	uint64_t elapsed_ns;
};

#define RECORD_MAX_FILES 100u

/* The kind of file that a new recording may overwrite without --force. */
extern const struct newfile_kind record_kind;

/* A file with the last seconds, written while the recording continues. */
struct record_file {
	/* path of the file; NULL: it could not be written, and @why is the reason */
	const char *path;
	/*
	 * reason for writing the file: "SIGUSR2", or the condition with its value, as
	 * when_describe() formats it
	 */
	const char *why;
	struct record_counts counts;
};

/* What to record and how. All pointers are borrowed; a zeroed struct with a target is valid. */
struct record_spec {
	/* The target: a command, threads, or all processes. */
	char *const *argv;  /* command to start, NULL-terminated; NULL: none */
	char *setting;      /* "NAME=VALUE" for the command's environment; NULL: none */
	bool is_argv_mute;  /* redirect the command's terminal to /dev/null */
	VEC(uint32_t) pids; /* processes to record, with all their present and future threads */
	VEC(uint32_t) tids; /* threads to record, without the other threads of their process */
	bool is_system_wide;
	/* if is_system_wide is set: record only these control groups and their descendants */
	VEC(struct record_group) groups;
	const char *cpus; /* CPUs, such as "0,2-4"; NULL: all online CPUs */

	/* events, named as in perf record -e; empty: cycles or cpu-clock */
	VEC(const char *) events;
	uint64_t frequency; /* samples per second and CPU; 0: depends on the number of CPUs */
	/* number of events per sample; if not 0, it replaces the frequency */
	uint64_t period;
	enum record_chains chains;
	/* size of the stack copy in a sample; 0: 8192, or 16384 if RECORD_UNWOUND */
	uint32_t stack_bytes;
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
	uint64_t ring_bytes; /* buffer size per CPU in bytes; 0: depends on the sampling rate */
	/* maximum duration; 0: record until the command ends or a signal arrives */
	uint64_t duration_ns;
	uint64_t max_bytes; /* maximum size of the file; 0: unlimited */

	/*
	 * Keep only the records of the last keep_ns nanoseconds, and at most keep_bytes bytes, in
	 * memory. A value of 0 means no such limit. If both are 0, all records are written to the
	 * file. On SIGUSR2, and when a condition becomes true, the records are written to
	 * OUTPUT.001, OUTPUT.002 …; at the end they are written to OUTPUT.
	 */
	uint64_t keep_ns, keep_bytes;
	VEC(const char *) conditions; /* conditions that trigger writing a file; see when.h */
	/* maximum number of files that are written while recording; 0: RECORD_MAX_FILES */
	uint32_t max_files;
	/* called after each file that SIGUSR2 or a condition triggered; may be NULL */
	void (*written)(void *arg, const struct record_file *file);
	void *written_arg;

	/* the caller will not need capabilities after the recording: drop them permanently */
	bool is_last;

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
	RECORD_DISK_FULL, /* the disk is full, or another write failed; a note says which */
};

struct record_result {
	struct record_counts counts;
	enum record_end end;
	/* number of times that the kernel stopped an event for the rest of a timer tick */
	uint64_t throttled;
	bool is_straight; /* the output is a pipe or another special file */
	bool has_status;  /* a command was started, so `status` is valid */
	int status;       /* exit status of the command, or 128 + signal */
	uint64_t frequency;
	bool is_unwound;    /* the recorder has unwound the call chains */
	int pid;            /* process id of the command */
	uint64_t began_ns;  /* start of the recording, by CLOCK_MONOTONIC */
	VEC(char *) events; /* names of the events in the file */
	/* sentences for the user about limits of the recording and about losses */
	VEC(char *) notes;
};

/*
 * Record until the end. On OK the file is complete, for any reason of the end. @ret is valid in any
 * case; release it with record_result_fini(). Errors: ERR_PERM, ERR_NOTFOUND (no such process,
 * command or event), ERR_USAGE, ERR_IO, ERR_UNSUPPORTED, with the reason in @err. After an error
 * there is no file.
 */
MUST_CHECK int record_run(const struct record_spec *spec, struct record_result *ret,
			  struct error *err);
void record_result_fini(struct record_result *r);

#define RECORD_HINT_BYTES 160u

/*
 * Write a sentence to @text that advises which -F or --for gives a better recording. There is
 * advice only for recordings of one event by frequency: if samples were throttled, if at least 1 %
 * of the samples were lost, or if there are fewer than 400 samples. @most:
 * kernel.perf_event_max_sample_rate; 0: unknown. False: no advice.
 */
bool record_hint(const struct record_spec *spec, const struct record_result *r, uint64_t most,
		 char text[RECORD_HINT_BYTES]);
/* Read kernel.perf_event_max_sample_rate; 0: unknown. */
uint64_t record_rate_limit(void);

#endif
