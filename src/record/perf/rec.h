/* SPDX-License-Identifier: MIT */
/*
 * rec.h - state shared by the parts of the recorder
 *
 * - record.c is the loop, rec_loop.c holds code for all loops.
 * - rec_events.c chooses events; rec_words.c and rec_pmu.c parse their names.
 * - rec_rings.c opens events and drains their buffers; rec_chains.c unwinds their samples.
 * - rec_file.c writes the file; rec_features.c and rec_tracing.c write its sections.
 * - rec_synth.c describes running processes; rec_waiting.c records waiting threads.
 * - rec_groups.c finds control groups; rec_target.c starts the command.
 * - rec_build_ids.c reads build ids; rec_keep.c keeps the last seconds in memory.
 *
 * Private to src/record.
 */
#ifndef RECORD_REC_H
#define RECORD_REC_H

#include "base/idmap.h"
#include "base/newfile.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/uio.h>

struct iovec;
struct rec_chains;
struct perf_event_attr;
struct perf_event_mmap_page;
struct record_group;
struct record_result;
struct record_spec;
struct when;
struct window;

/* Kernel constants that the oldest supported headers lack. */
#define REC_FORMAT_LOST (1u << 4)
/* maximum size of a PERF_RECORD_COMPRESSED, a multiple of 8 */
#define REC_COMPRESSED_MAX 65528u
/* maximum number of uncompressed bytes in a PERF_RECORD_COMPRESSED */
#define REC_PACK_BYTES (UINT32_C(1) << 19)

struct rec_event {
	struct perf_event_attr attr;
	char *name;
	bool is_tracepoint;
	/* the dummy event that tracks maps and threads of running processes */
	bool is_tracking;
	/* the event is opened on all CPUs for all threads, not only for the target */
	bool is_everywhere;
	const char *filter; /* filter on the tracepoint's fields; NULL: none */
	/*
	 * values that the user gave with the event; 0: rec.frequency or the values of record_spec
	 */
	uint64_t period, frequency;
	VEC(uint64_t) ids; /* ids of the event's file descriptors */
};

struct rec_fd {
	int fd;
	uint32_t event;
	uint32_t ring;
	uint64_t id;
	uint64_t lost; /* number of lost samples for which the file already has records */
};

struct rec_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size; /* size of the data in bytes; power of two */
	uint64_t tail;
	uint64_t head; /* end of the data that is read in this round */
	uint32_t cpu;
	bool is_watched;
};

/* Where the recorder finds fields in records. */
struct rec_layout {
	uint32_t time_at;  /* offset of the time in a sample, in bytes */
	uint32_t id_bytes; /* size of the sample id at the end of every other record */
};

/* The kernel, a kernel module, or a mapped file. */
struct rec_binary {
	char *name;
	uint32_t major, minor;
	uint64_t inode; /* inode of the file; 0: unknown */
	struct build_id id;
	bool is_read; /* reading the build id was tried; the id may still be empty */
	bool is_kernel;
};

/* An offset at which the file may end, and the number of samples before this offset. */
struct rec_round {
	uint64_t at;
	uint64_t samples;
};

/* The output file. */
struct rec_file {
	int fd;
	const char *path;
	uint64_t data_at;
	uint64_t at;                  /* current size of the file */
	VEC(struct rec_round) rounds; /* offsets at which complete rounds end */
	uint64_t raw_bytes;           /* size of the records before compression */
	int error;                    /* errno of the first failed write */
	void *zstd;
	uint8_t *packed; /* output buffer of REC_COMPRESSED_MAX bytes; NULL: no compression */
	uint32_t zstd_level;
};

/* A control group to which events are restricted. */
struct rec_group {
	char *path;
	int fd;
};

struct rec {
	const struct record_spec *spec;
	struct record_result *result;
	VEC(uint32_t) cpus;
	/*
	 * CPUs to sample; on other CPUs, only maps and threads are tracked; empty: sample all CPUs
	 */
	VEC(uint32_t) chosen_cpus;
	VEC(uint32_t) tids;           /* threads to open events for; empty if is_system_wide */
	VEC(struct rec_group) groups; /* control groups to sample; none is inside another */
	VEC(struct rec_event) events;
	VEC(struct rec_fd) fds;
	VEC(struct rec_ring) rings;
	VEC(struct iovec) iov;
	struct rec_layout layout;
	struct newfile output;
	struct rec_file file;
	struct out tracing; /* section with tracepoint formats; may be empty */
	struct out synth;   /* records about the kernel and about processes that already run */
	uint64_t frequency;
	/* all processes are sampled, but only samples of the target are written */
	bool is_filtered;
	uint64_t first_ns, last_ns; /* times of the first and last sample */
	/* if max_bytes is set: size of the feature sections, estimated before the first sample */
	uint64_t feature_bytes;
	/* if max_bytes is set: offset after the records that describe the target */
	uint64_t described_at;
	bool has_map_ids; /* map records contain build ids; if not, the header contains them */
	/* waits are recorded by switch records (attr.context_switch), not by tracepoints */
	bool has_switch_records;
	VEC(struct rec_binary) binaries;
	struct idmap binary_map;
	bool has_lost_counts; /* the kernel counts lost samples per event */
	bool has_kernel;      /* at least one event samples the kernel */
	/* the same instant by two clocks: CLOCK_REALTIME and CLOCK_MONOTONIC */
	uint64_t reference_wall_ns, reference_ns;

	pid_t child;      /* process id of the command; 0: none, or already reaped */
	int start_fd;     /* socket to the command; writing a byte starts it */
	int status_fd;    /* pipe on which the command reports why exec failed */
	uint64_t cpu_ns;  /* CPU time of the command and its children */
	VEC(int) pid_fds; /* pidfds of recorded processes that still run */

	sigset_t old_signals;
	bool has_signals; /* old_signals must be restored */
	int signal_fd;
	int epoll_fd;
	uint64_t began_ns, flushed_ns, ticked_ns;
	bool is_asked; /* SIGUSR2 was received: write the window */

	uint64_t kept_rights; /* set of capabilities that the recorder needs until the end */

	bool unwinds;              /* samples contain stack dumps, which the recorder unwinds */
	struct rec_chains *chains; /* state of the unwinder; NULL: records are written unchanged */

	/* records of the last seconds in memory; NULL: records go to the file */
	struct window *window;
	VEC(struct when) conditions;
	/* processes that the conditions measure: those of the target's threads */
	VEC(uint32_t) processes;
	uint64_t cut_ns, looked_ns;
	uint32_t files; /* number of files written before the end */
	/* value of result.counts.lost when the kernel's counters were last read */
	uint64_t lost_any;
};

/* functions in record.c: steps of a recording, which live.c uses, too */
void rec_init(struct rec *r, const struct record_spec *spec, struct record_result *result);
MUST_CHECK int rec_open(struct rec *r, struct error *err);
/* Describe the kernel and running processes in r->synth. */
void rec_describe(struct rec *r);
/* Wait for data in buffers, for signals and for ends of processes. True: stop. */
bool rec_poll(struct rec *r, int timeout_ms, bool *ret_has_data);
/* Copy event names and frequency to the result. */
void rec_fill_result(struct rec *r);
void rec_fini(struct rec *r);

/* Add a sentence for the user to the notes, unless it is already there. */
void rec_note(struct rec *r, const char *fmt, ...) PRINTF(2, 3);

/*
 * Functions in rec_events.c. rec_stack_bytes() returns the size of the user stack that the kernel
 * copies into a sample.
 */
uint32_t rec_stack_bytes(const struct rec *r);
/* Choose events and their attributes, and store them in r->events. */
MUST_CHECK int rec_events_choose(struct rec *r, struct error *err);
void rec_events_fini(struct rec *r);
/* Call perf_event_open(). Returns -errno on failure. */
int rec_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);
/* Call perf_event_open() for a control group. @group: open descriptor of its folder. */
int rec_event_open_group(const struct perf_event_attr *attr, int group, int cpu);

/* functions in rec_words.c: parse an event name with modifiers, as in perf record -e, into @a */
#define REC_DEVICES "/sys/bus/event_source/devices"
/* Terms between the slashes of an event that are not part of its code. */
struct rec_terms {
	struct str name; /* name of the event in the file; empty: as the user wrote it */
	uint64_t period, frequency;
};
/* Parse the event @word into @a. Errors: ERR_USAGE; ERR_NOTFOUND: no such event or PMU. */
MUST_CHECK int rec_word_take(struct str word, const char *devices, struct perf_event_attr *a,
			     struct rec_terms *terms, struct error *err);
/* The first event of @list. Commas inside slashes do not separate events. */
struct str rec_word_first(struct str list);

/* functions in rec_branches.c */
/* Whether the event comes from a PMU, so that its samples can have branches. */
bool rec_branches_are_of(const struct perf_event_attr *a);
/* Let samples of @a have the branches that make a call chain; software events stay as they are. */
void rec_branches_set(struct perf_event_attr *a);
/*
 * Check if this machine has the call chains of RECORD_BRANCHES, if they are wanted. Errors:
 * ERR_USAGE, ERR_UNSUPPORTED, with a sentence.
 */
MUST_CHECK int rec_branches_check(const struct rec *r, struct error *err);

/* functions in rec_pmu.c */
bool rec_pmu_is(const char *devices, struct str pmu);
bool rec_pmu_has_event(const char *devices, struct str pmu, struct str name);
/*
 * Parse terms such as "event=0x3c,umask=1" of @pmu into @a. @pmu may be empty if @a already has an
 * event. Errors: as rec_word_take().
 */
MUST_CHECK int rec_pmu_take(const char *devices, struct str pmu, struct str list, struct str word,
			    struct perf_event_attr *a, struct rec_terms *terms, struct error *err);

/* functions in rec_rings.c */
MUST_CHECK int rec_rings_open(struct rec *r, struct error *err);
void rec_rings_fini(struct rec *r);
void rec_rings_enable(struct rec *r, bool only_tracking);
void rec_rings_disable(struct rec *r);
/*
 * Move the data of all buffers to the file or to the window. @is_last: recording has stopped.
 * False: the buffers were empty.
 */
bool rec_rings_drain(struct rec *r, bool is_last);
/*
 * Write records for the samples that were lost since the last call, according to the kernel's
 * counters. Returns the number of these samples.
 */
uint64_t rec_rings_lost(struct rec *r);

/*
 * Functions in rec_file.c. Find where to write the output, and store it in r->output. A file is not
 * overwritten if its kind is not @kind, or if it is an argument of the command. Errors: ERR_USAGE,
 * ERR_IO.
 */
MUST_CHECK int rec_output_find(struct rec *r, const struct newfile_kind *kind, struct error *err);
/* Create the temporary file of the output. Errors: ERR_IO. */
MUST_CHECK int rec_output_make(struct rec *r, struct error *err);
/*
 * Rename the temporary file to the name of the output, FILE; an existing file becomes FILE.old. On
 * ERR_IO, nothing has changed.
 */
MUST_CHECK int rec_output_put(struct rec *r, struct error *err);

/* Start a perf.data file in r->output. Later write errors are stored in file.error. */
MUST_CHECK int rec_file_create(struct rec *r, struct error *err);
void rec_file_write(struct rec_file *f, struct iovec *iov, size_t n);
/* As rec_file_write(), but compress the data if requested. */
void rec_file_data(struct rec_file *f, struct iovec *iov, size_t n);
/*
 * Write a FINISHED_ROUND, which promises that no later record is older than the records before the
 * previous FINISHED_ROUND.
 */
void rec_file_round(struct rec_file *f, uint64_t samples);
/* Update the data size in the header, so that the file is readable if this process is killed. */
void rec_file_checkpoint(struct rec *r);
/*
 * Check that --max-size leaves room for samples. Call this after the records that describe the
 * target are written. Errors: ERR_USAGE.
 */
MUST_CHECK int rec_file_fits(struct rec *r, struct error *err);
/* Write header and feature sections. Records beyond max_bytes are dropped. Errors: ERR_IO. */
MUST_CHECK int rec_file_finish(struct rec *r, struct error *err);
void rec_file_fini(struct rec_file *f);
/*
 * Append a complete perf.data file with the content of r->window to @out. @sections and @bits:
 * results of rec_features() with @at 0.
 */
void rec_file_image(struct rec *r, struct str sections, const uint64_t bits[4], struct out *out);

/* functions in rec_keep.c, which keep the last seconds in memory */
/*
 * Check that a file can be created next to the output, so that errors are reported early. Errors:
 * ERR_IO.
 */
MUST_CHECK int rec_keep_try(struct rec *r, struct error *err);
/*
 * Start keeping records; call before events are enabled. Errors: ERR_USAGE, ERR_NOTFOUND,
 * ERR_UNSUPPORTED, ERR_IO.
 */
MUST_CHECK int rec_keep_begin(struct rec *r, struct error *err);
/* Do the work due at @now: drop old records, check conditions, write files. */
void rec_keep_look(struct rec *r, uint64_t now);
/* End a time slice of the window. The samples lost in this slice are recorded in it. */
void rec_keep_cut(struct rec *r, uint64_t now);
/* Time at which rec_keep_look() has work next. */
uint64_t rec_keep_next(const struct rec *r);
/* Write the window to spec.output. Errors: ERR_IO. */
MUST_CHECK int rec_keep_end(struct rec *r, struct error *err);
void rec_keep_fini(struct rec *r);

/*
 * Functions in rec_features.c. Write the feature sections to @out and set their bits in @bits. @at:
 * file offset at which @out will be written.
 */
void rec_features(struct rec *r, uint64_t at, uint64_t bits[4], struct out *out);
/* Functions in rec_tracing.c. Write the tracepoint formats. False: tracefs is unreadable. */
bool rec_tracing_data(const struct rec *r, struct out *out);
/* Look up the id of tracepoint "group:name". Errors: ERR_NOTFOUND, ERR_PERM. */
MUST_CHECK int rec_tracing_id(struct str name, uint64_t *ret, struct error *err);

/* Read the format of tracepoint "group:name"; NULL: unreadable. Owner: caller, free(). */
char *rec_tracing_format(struct str name);

/*
 * In rec_waiting.c. For each thread of the target that waits now, write a context switch with the
 * thread's kernel stack from /proc. Call after events are enabled, before capabilities are dropped.
 */
void rec_waiting(struct rec *r);

/*
 * Functions in rec_loop.c. Drop capabilities. Call this once everything is open, before the target
 * runs.
 */
void rec_rights_drop(struct rec *r);
/*
 * Drop the capabilities for good, if no work follows the recording (is_last). Call this once the
 * target runs.
 */
void rec_rights_forget(const struct rec *r);
/* At the end, restore the capabilities that were not dropped for good. */
void rec_rights_raise(void);

/*
 * functions in rec_synth.c, which append records about the kernel, processes and control groups to
 * r->synth
 */
void rec_synth_kernel(struct rec *r);
void rec_synth_process(struct rec *r, uint32_t pid);
void rec_synth_all(struct rec *r);
/* Append a record with the namespaces of the command, if spec.has_namespaces is set. */
void rec_synth_child(struct rec *r);
/* Append a record for the control group @name, whose folder is @path. @arg: the struct rec. */
void rec_synth_group(void *arg, const char *path, struct str name);

/*
 * Functions in rec_chains.c. They replace the registers and the stack dump of each sample by its
 * callers, which makes the file about a hundred times smaller. Records of all buffers are processed
 * in the order of time.
 */
void rec_chains_begin(struct rec *r);
/* The attributes of @e for the file: they describe the rewritten samples. */
struct perf_event_attr rec_chains_attr(const struct rec *r, const struct rec_event *e);
/* Learn maps and processes from r->synth. */
void rec_chains_describe(struct rec *r);
/*
 * Rewrite the records of all buffers up to their heads, and queue them in r->iov. Unless @is_last,
 * records after @now stay in the buffers, because another buffer may still get an older record;
 * heads are moved back to the first of them.
 */
void rec_chains_take(struct rec *r, uint64_t now, bool is_last);
void rec_chains_fini(struct rec *r);

/*
 * In rec_rings.c. Count a record. False: the record is a sample of another process and must be
 * dropped.
 */
bool rec_rings_account(struct rec *r, const uint8_t *record);

/* functions in rec_build_ids.c */
/* Read the build id of @path if it is still the file @of. Cost: bounded for any file. */
void rec_build_id_file(const char *path, const struct rec_binary *of, struct build_id *ret);
/* Get the build id of the file @name that @pid has mapped. Each file is read once. */
void rec_build_ids_mapped(struct rec *r, uint32_t pid, const struct rec_binary *like,
			  struct str name, struct build_id *ret);
/* Add the known build id of the kernel or of a module to the header. */
void rec_build_ids_known(struct rec *r, struct str name, const struct build_id *id);
/* Add the file of a PERF_RECORD_MMAP2 to the header's build ids. */
void rec_build_ids_seen(struct rec *r, const uint8_t *record, size_t size);
bool rec_build_ids_section(struct rec *r, struct out *o);
void rec_build_ids_fini(struct rec *r);

/*
 * Functions in rec_groups.c. Open the control groups of the spec. Errors: ERR_NOTFOUND with a
 * similar name, ERR_USAGE (several groups have the name), ERR_UNSUPPORTED (no control groups are
 * mounted), ERR_IO.
 */
MUST_CHECK int rec_groups_open(struct rec *r, struct error *err);
/*
 * Find the folder of the control group @g under @root. @docker: folder with docker's containers.
 * Owner of the path: caller, free(). Errors: as rec_groups_open().
 */
MUST_CHECK int rec_groups_find(const char *root, const char *docker, const struct record_group *g,
			       char **ret_path, struct error *err);
/*
 * Find the mount point of the hierarchy that perf events use. @mounts: text of
 * /proc/self/mountinfo.
 */
bool rec_groups_root(const char *mounts, char *ret, size_t size);
/* Call @take for each process in the opened control groups and in the groups inside these. */
void rec_groups_processes(const struct rec *r, void (*take)(void *arg, uint32_t pid), void *arg);
/*
 * Call @take for each control group of this machine, with its folder and its name in perf events.
 */
void rec_groups_all(void (*take)(void *arg, const char *path, struct str name), void *arg);
void rec_groups_fini(struct rec *r);

/* functions in rec_target.c */
MUST_CHECK int rec_target_start(struct rec *r, struct error *err);
/* Let the command start its program. Errors: the reason why exec failed. */
MUST_CHECK int rec_target_go(struct rec *r, struct error *err);
/* Collect the threads of the target in r->tids. */
MUST_CHECK int rec_target_threads(struct rec *r, struct error *err);
/* Reap the command if it has ended, or with @wait when it ends. Returns whether it has ended. */
bool rec_target_ended(struct rec *r, bool wait);
void rec_target_fini(struct rec *r);

/* functions in rec_loop.c */
MUST_CHECK int rec_signals_open(struct rec *r, struct error *err);
/* Unblock the signals as they were before. */
void rec_signals_fini(struct rec *r);
/* Handle received signals. True: stop. */
bool rec_signals_take(struct rec *r);
/* Check time and size limits at @now, with @bytes written so far. True: stop. */
bool rec_check(struct rec *r, uint64_t bytes, uint64_t now);
/*
 * Wait until the command ends. If the recorder was signalled, the command got this signal too. If
 * the recorder was not signalled, or if the command does not end in time, the command gets SIGTERM.
 */
void rec_end_command(struct rec *r);

/* functions in rec_proc.c, which read small files of /proc and /sys */
/* Read a whole file, NUL-terminated; NULL: unreadable. Owner: caller, free(). */
char *rec_slurp(const char *path, size_t *ret_len);
/* Read a number from a file; return @missing if the file does not exist. */
int64_t rec_number(const char *path, int64_t missing);
/* Parse a list such as "0,2-4", and call @take for each number. False: not a list. */
bool rec_list(const char *text, uint32_t max, void (*take)(void *arg, uint32_t n), void *arg);
uint64_t rec_clock_ns(int clock);
/* Call @take for each thread of @pid. @proc: mount point of procfs. False: no such process. */
bool rec_threads(const char *proc, uint32_t pid, void (*take)(void *arg, uint32_t tid), void *arg);
/* The process id of a thread; @tid if the process is hidden. */
uint32_t rec_process_of(uint32_t tid);

#endif
