/* SPDX-License-Identifier: MIT */
/*
 * record.h - sample running code with perf_event_open, and write a perf.data file
 *
 * File format: tools/perf/Documentation/perf.data-file-format.txt. Records are written unchanged
 * from the kernel's ring buffers; their format is in include/uapi/linux/perf_event.h.
 *
 * Capabilities: when all files are open and the target runs, the process drops its capabilities
 * (docs/record.md). It keeps those that it needs to signal the command, and to write files in the
 * folder of the output. Dropped capabilities are restored at the end, unless spec.is_last is set.
 *
 * Functions here neither print nor end the process. SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGUSR2
 * are blocked during a recording; the original signal mask is restored afterwards. Not thread safe;
 * a process can make one recording at a time.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/newfile.h"
#include "base/status.h"
#include "base/vec.h"

enum record_chains {
	RECORD_FRAME_POINTERS, /* the kernel finds call chains by frame pointers */
	/*
	 * the kernel copies the stack, and the recorder unwinds it to a call chain (rec_chains.c)
	 */
	RECORD_UNWOUND,
	/* the file contains the stack copies, and the reader of the file unwinds them */
	RECORD_DWARF,
	/* branch records of the processor in call-stack mode (LBR) contain the call chain */
	RECORD_BRANCHES,
	RECORD_NO_CHAINS,
};

/* How the user specifies a control group. */
enum record_group_kind {
	/*
	 * by path: a path in the file system, a path relative to the root of the hierarchy, or the
	 * end of such a path
	 */
	RECORD_GROUP_PATH,
	RECORD_GROUP_UNIT, /* by systemd unit; a name without a suffix means a service */
	/* by container: its id, a prefix of its id, or its name in docker */
	RECORD_GROUP_CONTAINER,
};

struct record_group {
	enum record_group_kind kind;
	const char *name;
};

/* Counts of a recording so far. */
struct record_counts {
	uint64_t samples;
	/* number of lost records, including samples; they are lost when a buffer is full */
	uint64_t lost;
	uint64_t bytes; /* size of the file */
	uint64_t elapsed_ns;
};

#define RECORD_MAX_FILES 100u

/*
 * kind of the files that this recorder writes: without --force, an existing file of another kind is
 * not overwritten
 */
extern const struct newfile_kind record_kind;

/* Description of a file with the last seconds, which was written while the recording continues. */
struct record_file {
	/* path of the file; NULL: the file could not be written, and `why` has the error message */
	const char *path;
	/*
	 * reason for writing the file: "SIGUSR2", or a condition and its value, formatted by
	 * when_describe()
	 */
	const char *why;
	struct record_counts counts;
};

/*
 * What to record and how. All pointers are borrowed. A zeroed struct is valid if a target is added.
 */
struct record_spec {
	/* The target: a command, threads, or all processes. */
	char *const *argv; /* command to start, as a NULL-terminated array; NULL: none */
	char *setting;     /* "NAME=VALUE" to add to the command's environment; NULL: none */
	/* redirect those streams of the command that are a terminal to /dev/null */
	bool is_argv_mute;
	VEC(uint32_t) pids; /* processes to record, with their current and future threads */
	VEC(uint32_t) tids; /* single threads to record */
	bool is_system_wide;
	/*
	 * only with is_system_wide: control groups to record, including groups inside them; empty:
	 * all
	 */
	VEC(struct record_group) groups;
	const char *cpus; /* CPUs to record, such as "0,2-4"; NULL: all online CPUs */

	/*
	 * events to record, named as in perf record -e; empty: cycles or, without a PMU, cpu-clock
	 */
	VEC(const char *) events;
	/* samples per second and CPU; 0: default, which depends on the number of CPUs */
	uint64_t frequency;
	/* number of events between two samples; if set, `frequency` is ignored */
	uint64_t period;
	enum record_chains chains;
	/* size in bytes of the stack copy in a sample; 0: 8192, or 16384 with RECORD_UNWOUND */
	uint32_t stack_bytes;
	bool has_no_user;
	bool has_no_kernel;
	bool has_no_inherit;
	bool has_off_cpu;    /* also record context switches and wake-ups of threads, on all CPUs */
	bool has_namespaces; /* record the namespaces of processes */
	bool has_cgroups;    /* store the control group in each sample */
	/*
	 * store build ids in a header section and not in map records, because old readers do not
	 * know map records with build ids
	 */
	bool has_no_map_ids;
	bool has_perf_clock; /* use perf's clock instead of CLOCK_MONOTONIC */

	const char *output;
	const char *shown;   /* name of the output in messages; NULL: `output` */
	bool is_forced;      /* overwrite an existing file of any kind */
	uint32_t zstd_level; /* zstd compression level; 0: no compression */
	uint64_t ring_bytes; /* buffer size per CPU in bytes; 0: chosen by the sampling rate */
	/* maximum duration of the recording; 0: until the command ends or a signal arrives */
	uint64_t duration_ns;
	uint64_t max_bytes; /* maximum size of the file; 0: no limit */

	/*
	 * Limits of the records that are kept in memory: maximum age in ns, and maximum size in
	 * bytes; 0: no such limit. If both are 0, all records are written directly to the file.
	 * Otherwise, the kept records are written to OUTPUT.001, OUTPUT.002 … on SIGUSR2 and when a
	 * condition becomes true, and to OUTPUT at the end.
	 */
	uint64_t keep_ns, keep_bytes;
	VEC(const char *) conditions; /* conditions that cause a file to be written; see when.h */
	/* maximum number of files that are written before the end; 0: RECORD_MAX_FILES */
	uint32_t max_files;
	/* called after each attempt to write a file for SIGUSR2 or a condition; may be NULL */
	void (*written)(void *arg, const struct record_file *file);
	void *written_arg;

	/* drop capabilities permanently: the caller will not need them after the recording */
	bool is_last;

	/* command line of this program, to be stored in the header; NULL-terminated */
	char *const *command_line;

	/* called every tick_ns to report progress; NULL: never */
	void (*tick)(void *arg, const struct record_counts *counts);
	void *tick_arg;
	uint64_t tick_ns;
};

enum record_end {
	RECORD_ENDED,     /* the command, or all recorded processes, ended */
	RECORD_SIGNALLED, /* SIGINT, SIGTERM or SIGHUP arrived */
	RECORD_TIME_OVER,
	RECORD_SIZE_OVER,
	/* a write failed, usually because the disk is full; a note has the reason */
	RECORD_DISK_FULL,
};

struct record_result {
	struct record_counts counts;
	enum record_end end;
	/*
	 * number of times that the kernel throttled an event, that is stopped it until the next
	 * timer tick
	 */
	uint64_t throttled;
	bool is_straight; /* the output is a pipe or another special file, written directly */
	bool has_status;  /* a command was started, so `status` is valid */
	/* exit status of the command; if a signal killed it, 128 + the number of the signal */
	int status;
	uint64_t frequency;
	bool is_unwound;    /* the recorder converted stack copies to call chains */
	int pid;            /* process id of the command */
	uint64_t began_ns;  /* start of the recording in ns, by CLOCK_MONOTONIC */
	VEC(char *) events; /* names of the events in the file */
	/* sentences for the user about losses and other limits of the recording */
	VEC(char *) notes;
};

/*
 * Make a recording, and return when it has ended. OK: the file is complete, whatever ended the
 * recording. After an error, there is no file. @ret is valid in both cases; release it with
 * record_result_fini(). Errors, with the reason in @err: ERR_PERM, ERR_NOTFOUND (no such process,
 * command or event), ERR_USAGE, ERR_IO, ERR_UNSUPPORTED.
 */
MUST_CHECK int record_run(const struct record_spec *spec, struct record_result *ret,
			  struct error *err);
void record_result_fini(struct record_result *r);

#define RECORD_HINT_BYTES 160u

/*
 * Write a sentence to @text that advises which -F or --for would give a better recording. Returns
 * false if there is no advice. A recording with one event and a sampling rate can get advice, for
 * one of these reasons: the kernel throttled sampling; at least 1 % of the samples were lost; there
 * are fewer than 400 samples. @most: kernel.perf_event_max_sample_rate; 0: unknown.
 */
bool record_hint(const struct record_spec *spec, const struct record_result *r, uint64_t most,
		 char text[RECORD_HINT_BYTES]);
/* Read kernel.perf_event_max_sample_rate; 0: unknown. */
uint64_t record_rate_limit(void);

#endif
