/* SPDX-License-Identifier: MIT */
/*
 * record.h - sample running code through perf_event_open into a perf.data file
 *
 * File layout: tools/perf/Documentation/perf.data-file-format.txt. Records are those of the
 * kernel (include/uapi/linux/perf_event.h), written directly from its ring buffers.
 *
 * Rights: once everything is open and the target runs, the process drops its capabilities
 * except those needed to signal the command and to write next to the output (docs/record.md).
 * They come back at the end unless is_last.
 *
 * Nothing here prints or ends the process. SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGUSR2 are
 * blocked during a recording and restored afterwards. One recording at a time, from one thread.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/newfile.h"
#include "base/status.h"
#include "base/vec.h"

enum record_chains {
	RECORD_FRAME_POINTERS, /* by the kernel */
	RECORD_UNWOUND,        /* by the recorder, from a copy of the stack (rec_chains.c) */
	RECORD_DWARF,          /* the copy goes to the file, its reader unwinds */
	RECORD_NO_CHAINS,
};

/* What the name of a control group is. */
enum record_group_kind {
	RECORD_GROUP_PATH,      /* its path, from the root or the mount point, or the end of it */
	RECORD_GROUP_UNIT,      /* a unit of systemd; without a suffix a service */
	RECORD_GROUP_CONTAINER, /* an id or its beginning; a name of docker */
};

struct record_group {
	enum record_group_kind kind;
	const char *name;
};

/* Progress so far. */
struct record_counts {
	uint64_t samples;
	uint64_t lost;  /* records that did not fit a buffer, samples included */
	uint64_t bytes; /* size of the file */
	uint64_t elapsed_ns;
};

#define RECORD_MAX_FILES 100u

/* Kind of file that a recording may overwrite. */
extern const struct newfile_kind record_kind;

/* A file with the kept window, written before the end. */
struct record_file {
	const char *path; /* NULL: it could not be written; @why is the reason */
	const char *why;  /* "SIGUSR2", or the condition and the value of its quantity */
	struct record_counts counts;
};

/* What to record and how. All pointers are borrowed; a zeroed struct with a target is valid. */
struct record_spec {
	/* target: a command, threads, or all processes */
	char *const *argv;  /* command to start; NULL-terminated; NULL: none */
	char *setting;      /* "NAME=VALUE", for the environment of the command; NULL: none */
	bool is_argv_mute;  /* replace its terminal by /dev/null */
	VEC(uint32_t) pids; /* processes, with all current and future threads */
	VEC(uint32_t) tids; /* single threads */
	bool is_system_wide;
	/* with is_system_wide: only these control groups, and those below them */
	VEC(struct record_group) groups;
	const char *cpus; /* "0,2-4"; NULL: all online CPUs */

	VEC(const char *) events; /* as for perf record -e; empty: cycles or cpu-clock */
	uint64_t frequency;       /* samples a second per CPU; 0: by the number of CPUs */
	uint64_t period;          /* instead of a frequency: events per sample */
	enum record_chains chains;
	uint32_t stack_bytes; /* size of a stack copy; 0: 8192, unwound: 16384 */
	bool has_no_user;
	bool has_no_kernel;
	bool has_no_inherit;
	bool has_off_cpu;    /* record also switches and wake-ups of threads, on all CPUs */
	bool has_namespaces; /* record namespaces */
	bool has_cgroups;    /* record the control group of samples */
	bool has_no_map_ids; /* build ids in the header instead of maps, for old readers */
	bool has_perf_clock; /* use perf's clock instead of CLOCK_MONOTONIC */

	const char *output;
	bool is_forced;       /* overwrite any existing file */
	uint32_t zstd_level;  /* 0: uncompressed */
	uint64_t ring_bytes;  /* buffer size per CPU; 0: by rate */
	uint64_t duration_ns; /* 0: until the command ends or a signal arrives */
	uint64_t max_bytes;   /* 0: no limit */

	/*
	 * Keep the last keep_ns, and at most keep_bytes, in memory instead of a growing file;
	 * 0: no such bound; both 0: write everything to the file. A whole file is written as
	 * OUTPUT.001, OUTPUT.002 … on SIGUSR2 and when a condition becomes true, and as OUTPUT
	 * at the end.
	 */
	uint64_t keep_ns, keep_bytes;
	VEC(const char *) conditions; /* see when.h */
	uint32_t max_files;           /* written before the end; 0: RECORD_MAX_FILES */
	/* called for each file; may be NULL */
	void (*written)(void *arg, const struct record_file *file);
	void *written_arg;

	bool is_last; /* no later work needs rights: drop them for good */

	char *const *command_line; /* stored in the header; NULL-terminated */

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
	RECORD_DISK_FULL, /* or another write error: see the notes */
};

struct record_result {
	struct record_counts counts;
	enum record_end end;
	uint64_t throttled; /* times that the kernel stopped an event for the rest of a tick */
	bool is_straight;   /* the output is a pipe or another special file */
	bool has_status;    /* a command was started */
	int status;         /* its exit status, or 128 + signal */
	uint64_t frequency;
	bool is_unwound;    /* the recorder made the call chains */
	int pid;            /* of the command */
	uint64_t began_ns;  /* CLOCK_MONOTONIC */
	VEC(char *) events; /* names as in the file */
	VEC(char *) notes;  /* sentences: limits of the recording, losses */
};

/*
 * Record until the end. On OK the file is complete, whatever ended the recording. @ret is
 * always valid; release it with record_result_fini(). Errors: ERR_PERM, ERR_NOTFOUND (no such
 * process, command or event), ERR_USAGE, ERR_IO, ERR_UNSUPPORTED, with a sentence; no file
 * remains then.
 */
MUST_CHECK int record_run(const struct record_spec *spec, struct record_result *ret,
			  struct error *err);
void record_result_fini(struct record_result *r);

#define RECORD_HINT_BYTES 160u

/*
 * The -F or --for that gives a better recording, in a sentence: after throttling, losses of 1 %
 * or more, or with fewer than 400 samples. @most: kernel.perf_event_max_sample_rate; 0: unknown.
 * False: no advice.
 */
bool record_hint(const struct record_spec *spec, const struct record_result *r, uint64_t most,
		 char text[RECORD_HINT_BYTES]);
/* kernel.perf_event_max_sample_rate; 0: unknown. */
uint64_t record_rate_limit(void);

#endif
