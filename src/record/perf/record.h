/* SPDX-License-Identifier: MIT */
/*
 * record.h - sample what runs, through perf_event_open, into a perf.data file
 *
 * Layout of the file: tools/perf/Documentation/perf.data-file-format.txt; records
 * are those of the kernel (include/uapi/linux/perf_event.h), written straight from
 * its ring buffers.
 *
 * Rights: once all is open and the target runs, this process gives up its capabilities
 * but those to signal the command and to write beside the output (docs/record.md), and
 * gets them back at the end unless is_last.
 *
 * Nothing here prints or ends the process. SIGINT, SIGTERM, SIGHUP, SIGCHLD and
 * SIGUSR2 are blocked while a recording runs and put back afterwards.
 * One recording at a time, from one thread.
 */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include "base/newfile.h"
#include "base/str.h"
#include "base/vec.h"

enum record_chains { RECORD_FRAME_POINTERS, RECORD_DWARF, RECORD_NO_CHAINS };

/* What was seen so far. */
struct record_counts {
	uint64_t samples;
	uint64_t lost;  /* records that found no room in a buffer, samples among them */
	uint64_t bytes; /* of the file */
	uint64_t elapsed_ns;
};

#define RECORD_MAX_FILES 100u

/* What a recording may take the place of. */
extern const struct newfile_kind record_kind;

/* A file that was written of what is kept, before the end. */
struct record_file {
	const char *path; /* NULL: it could not be written, and @why says why */
	const char *why;  /* "SIGUSR2", or the condition and what its quantity is */
	struct record_counts counts;
};

/* What is recorded and how. All borrowed; a zeroed one with a target is valid. */
struct record_spec {
	/* the target: a command, threads, or all */
	char *const *argv;  /* started; NULL-terminated; NULL: no command */
	bool is_argv_mute;  /* what it has of the terminal is /dev/null for it */
	VEC(uint32_t) pids; /* processes, with all their threads and those to come */
	VEC(uint32_t) tids; /* single threads */
	bool is_system_wide;
	const char *cpus; /* "0,2-4"; NULL: all that are online */

	VEC(const char *) events; /* in the words of perf record -e; none: cycles or cpu-clock */
	uint64_t frequency;       /* samples a second and CPU; 0: record_frequency() */
	uint64_t period;          /* instead of that: events from sample to sample */
	enum record_chains chains;
	uint32_t stack_bytes; /* of RECORD_DWARF: dumped with a sample; 0: 8192 */
	bool has_no_user;
	bool has_no_kernel;
	bool has_no_inherit;
	bool has_off_cpu;    /* switches and wake-ups of threads, of all CPUs, besides */
	bool has_namespaces; /* records of namespaces */
	bool has_cgroups;    /* the control group of samples */
	bool has_no_map_ids; /* build ids in the header, for old readers, not in maps */
	bool has_perf_clock; /* perf's own clock, not CLOCK_MONOTONIC */

	const char *output;
	bool is_forced;       /* what is there is replaced, whatever it is */
	uint32_t zstd_level;  /* 0: not compressed */
	uint64_t ring_bytes;  /* of each CPU's buffer; 0: by rate */
	uint64_t duration_ns; /* 0: until the command ends or a signal comes */
	uint64_t max_bytes;   /* 0: no limit */

	/*
	 * The last keep_ns, and not more than keep_bytes, stay in memory in place of a file
	 * that grows; 0: without that bound, both 0: all goes to the file. A whole file is
	 * written on SIGUSR2 and when a condition begins to hold, as OUTPUT.001 and on, and
	 * at the end as OUTPUT.
	 */
	uint64_t keep_ns, keep_bytes;
	VEC(const char *) conditions; /* when.h */
	uint32_t max_files;           /* before the end; 0: RECORD_MAX_FILES */
	void (*written)(void *arg, const struct record_file *file); /* told of each; may be NULL */
	void *written_arg;

	bool is_last; /* nothing is done after it that takes rights: they go for good */

	char *const *command_line; /* for the header; NULL-terminated */

	/* told every tick_ns; NULL: nobody */
	void (*tick)(void *arg, const struct record_counts *counts);
	void *tick_arg;
	uint64_t tick_ns;
};

enum record_end {
	RECORD_ENDED,     /* the command or the processes have */
	RECORD_SIGNALLED, /* SIGINT or its like */
	RECORD_TIME_OVER,
	RECORD_SIZE_OVER,
	RECORD_DISK_FULL, /* or any other failure to write: see the notes */
};

struct record_result {
	struct record_counts counts;
	enum record_end end;
	bool is_straight; /* the output is a pipe or another that is no file of its own */
	bool has_status;  /* a command was started */
	int status;       /* its exit status, 128 + signal when that killed it */
	uint64_t frequency;
	uint64_t began_ns;  /* CLOCK_MONOTONIC */
	VEC(char *) events; /* names, as in the file */
	VEC(char *) notes;  /* sentences: what the recording cannot contain, what was lost */
};

/*
 * Record until the end. The file is whole when it returns OK, whatever ended it.
 * @ret is valid in any case; release it with record_result_fini().
 * Errors: ERR_PERM, ERR_NOTFOUND (no such process, command or event), ERR_USAGE,
 * ERR_IO, ERR_UNSUPPORTED, with a sentence. No file is left behind then.
 */
MUST_CHECK int record_run(const struct record_spec *spec, struct record_result *ret,
			  struct error *err);
void record_result_fini(struct record_result *r);
/* The frequency where none is asked for: fewer samples a CPU on large machines. */
uint64_t record_frequency(bool is_system_wide, uint32_t cpus);

#endif
