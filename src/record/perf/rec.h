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
 * - rec_branches.c asks for branch records; rec_proc.c reads /proc; rec_hint.c advises
 *   after a recording.
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

/* PERF_FORMAT_LOST, which the oldest supported kernel headers lack */
#define REC_FORMAT_LOST (1u << 4)
/* maximum size of a PERF_RECORD_COMPRESSED record; a multiple of 8 */
#define REC_COMPRESSED_MAX 65528u
/* maximum number of uncompressed bytes in a PERF_RECORD_COMPRESSED record */
#define REC_PACK_BYTES (UINT32_C(1) << 19)

struct rec_event {
	struct perf_event_attr attr;
	char *name;
	bool is_tracepoint;
	/* the dummy event: its only purpose is to record maps and threads */
	bool is_tracking;
	/* the event is opened on all CPUs for all threads, instead of for the target */
	bool is_everywhere;
	const char *filter; /* filter expression on the tracepoint's fields; NULL: none */
	/*
	 * period and frequency that the user gave with the event, as in
	 * "cpu/event=0x3c,period=1000/"; 0: use those of record_spec or rec.frequency
	 */
	uint64_t period, frequency;
	VEC(uint64_t) ids; /* ids of the event's file descriptors */
};

struct rec_fd {
	int fd;
	uint32_t event;
	uint32_t ring;
	uint64_t id;
	uint64_t lost; /* number of lost samples that records in the file already report */
};

struct rec_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size; /* size of the data in bytes; power of two */
	uint64_t tail;
	uint64_t head; /* offset after the records that are drained in this round */
	uint32_t cpu;
	bool is_watched;
};

/* Positions in records of the fields that the recorder reads. */
struct rec_layout {
	uint32_t time_at; /* offset of the time in a sample record, in bytes */
	/* size in bytes of the sample id at the end of each record that is not a sample */
	uint32_t id_bytes;
};

/* A file with code: the kernel, a kernel module, or a mapped file. */
struct rec_binary {
	char *name;
	uint32_t major, minor;
	uint64_t inode; /* inode of the file; 0: unknown */
	struct build_id id;
	bool is_read; /* the search for the build id has been done; `id` is empty if it failed */
	bool is_kernel;
};

/* An offset at which the file may end, and the number of samples before that offset. */
struct rec_round {
	uint64_t at;
	uint64_t samples;
};

/* The output file. */
struct rec_file {
	int fd;
	const char *path;
	uint64_t data_at;
	uint64_t at; /* current size of the file */
	/* offsets at which complete rounds end (PERF_RECORD_FINISHED_ROUND) */
	VEC(struct rec_round) rounds;
	uint64_t raw_bytes; /* size of the records before compression */
	int error;          /* errno of the first failed write */
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
	 * CPUs to sample; on other CPUs, only maps and threads are recorded; empty: sample all CPUs
	 */
	VEC(uint32_t) chosen_cpus;
	VEC(uint32_t) tids;           /* threads to open events for; empty if is_system_wide */
	VEC(struct rec_group) groups; /* control groups to sample; none is an ancestor of another */
	VEC(struct rec_event) events;
	VEC(struct rec_fd) fds;
	VEC(struct rec_ring) rings;
	VEC(struct iovec) iov;
	struct rec_layout layout;
	struct newfile output;
	struct rec_file file;
	struct out tracing; /* section with the formats of tracepoints; may be empty */
	/*
	 * records about the kernel and about processes that already run when the recording starts
	 */
	struct out synth;
	uint64_t frequency;
	/* all processes are sampled, but only samples of the target are written */
	bool is_filtered;
	uint64_t first_ns, last_ns; /* times of the first and last sample */
	/*
	 * if max_bytes is set: size of the feature sections, as estimated before the first sample
	 */
	uint64_t feature_bytes;
	/* if max_bytes is set: size of the file after the records that describe the target */
	uint64_t described_at;
	/* map records contain build ids; otherwise a header section contains them */
	bool has_map_ids;
	/*
	 * context switches are recorded as switch records (attr.context_switch) instead of
	 * tracepoints
	 */
	bool has_switch_records;
	VEC(struct rec_binary) binaries;
	struct idmap binary_map;
	bool has_lost_counts; /* read() of an event returns its number of lost samples */
	bool has_kernel;      /* at least one event also samples the kernel */
	/* the times of CLOCK_REALTIME and CLOCK_MONOTONIC at the same instant */
	uint64_t reference_wall_ns, reference_ns;

	pid_t child;      /* process id of the command; 0: none, or already reaped */
	int start_fd;     /* socket to the command; writing a byte starts it */
	int status_fd;    /* pipe on which the command reports why exec failed */
	uint64_t cpu_ns;  /* CPU time of the command and its children */
	VEC(int) pid_fds; /* pidfds of recorded processes, until they end */

	sigset_t old_signals;
	bool has_signals; /* the original signal mask is in old_signals, and must be restored */
	int signal_fd;
	int epoll_fd;
	uint64_t began_ns, flushed_ns, ticked_ns;
	bool is_asked; /* SIGUSR2 was received: write the data recorded so far */

	uint64_t kept_rights; /* set of capabilities that the recorder needs until the end */

	/* samples contain copies of the stack, which the recorder unwinds to call chains */
	bool unwinds;
	struct rec_chains *chains; /* state of the unwinder; NULL: records are written unchanged */

	/* records of the last seconds in memory; NULL: records go to the file */
	struct window *window;
	VEC(struct when) conditions;
	/* ids of the target's processes, which conditions such as "cpu:target>90%" measure */
	VEC(uint32_t) processes;
	uint64_t cut_ns, looked_ns;
	char *online;        /* list of the CPUs that were online at the start */
	uint64_t online_ns;  /* time of the previous look at that list */
	bool has_other_cpus; /* the list of online CPUs has changed */
	uint32_t files;      /* number of files that --ring has written before the end */
	/* value of result.counts.lost at the previous call of rec_keep_cut() */
	uint64_t lost_any;
};

/* functions in record.c: steps of a recording, which live.c also uses */
void rec_init(struct rec *r, const struct record_spec *spec, struct record_result *result);
MUST_CHECK int rec_open(struct rec *r, struct error *err);
/* Append records about the kernel and running processes to r->synth. */
void rec_describe(struct rec *r);
/*
 * Wait until buffers have data, a signal arrives or a process ends, at most @timeout_ms. True: stop
 * recording.
 */
bool rec_poll(struct rec *r, int timeout_ms, bool *ret_has_data);
/* Copy event names and frequency to the result. */
void rec_fill_result(struct rec *r);
void rec_fini(struct rec *r);

/* Add a sentence for the user to the notes, unless it is already there. */
void rec_note(struct rec *r, const char *fmt, ...) PRINTF(2, 3);

/*
 * Functions in rec_events.c. rec_stack_bytes() returns how many bytes of the user stack the kernel
 * copies into a sample.
 */
uint32_t rec_stack_bytes(const struct rec *r);
/* Choose events and their attributes, and add them to r->events. */
MUST_CHECK int rec_events_choose(struct rec *r, struct error *err);
void rec_events_fini(struct rec *r);
/* Call perf_event_open(). Returns -errno on failure. */
int rec_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);
/*
 * Call perf_event_open() for a control group. @group: open descriptor of its folder. Returns -errno
 * on failure.
 */
int rec_event_open_group(const struct perf_event_attr *attr, int group, int cpu);

/* functions in rec_words.c, which parse event names with modifiers, as in perf record -e */
#define REC_DEVICES "/sys/bus/event_source/devices"
/*
 * Terms of an event that do not belong to perf_event_attr.config, such as the period in
 * "cpu/event=0x3c,period=1000/".
 */
struct rec_terms {
	/* name of the event in the file; empty: use the text that the user wrote */
	struct str name;
	uint64_t period, frequency;
};
/*
 * Parse the event @word into @a and @terms. @devices: REC_DEVICES, except in tests. Errors:
 * ERR_USAGE; ERR_NOTFOUND: no such event or PMU.
 */
MUST_CHECK int rec_word_take(struct str word, const char *devices, struct perf_event_attr *a,
			     struct rec_terms *terms, struct error *err);
/* The first event of the comma-separated @list. Commas between slashes belong to an event. */
struct str rec_word_first(struct str list);

/* functions in rec_branches.c */
/* Whether the event is counted by hardware (a PMU), so that its samples can have branch records. */
bool rec_branches_are_of(const struct perf_event_attr *a);
/*
 * If @a is counted by hardware, request branch records in its samples; they make up a call chain.
 */
void rec_branches_set(struct perf_event_attr *a);
/*
 * If spec.chains is RECORD_BRANCHES, check that this machine supports it. Errors: ERR_USAGE,
 * ERR_UNSUPPORTED, with the reason in @err.
 */
MUST_CHECK int rec_branches_check(const struct rec *r, struct error *err);

/* functions in rec_pmu.c */
bool rec_pmu_is(const char *devices, struct str pmu);
bool rec_pmu_has_event(const char *devices, struct str pmu, struct str name);
/*
 * Parse the terms @list, such as "event=0x3c,umask=1", of @pmu into @a and @terms. @pmu may be
 * empty if @a already has an event. @word: the whole event, for messages. Errors: as
 * rec_word_take().
 */
MUST_CHECK int rec_pmu_take(const char *devices, struct str pmu, struct str list, struct str word,
			    struct perf_event_attr *a, struct rec_terms *terms, struct error *err);

/* functions in rec_rings.c */
MUST_CHECK int rec_rings_open(struct rec *r, struct error *err);
void rec_rings_fini(struct rec *r);
void rec_rings_enable(struct rec *r, bool only_tracking);
void rec_rings_disable(struct rec *r);
/*
 * Move the records in all buffers to the file or to the window. @is_last: recording has stopped.
 * False: the buffers were empty.
 */
bool rec_rings_drain(struct rec *r, bool is_last);
/*
 * Write records about the samples that were lost since the previous call, by the kernel's counters.
 * Returns their number.
 */
uint64_t rec_rings_lost(struct rec *r);

/*
 * Functions in rec_file.c. rec_output_find() prepares r->output, and checks that the file may be
 * written: an existing file must be of @kind (unless spec.is_forced is set), and must not be an
 * argument of the command. Errors: ERR_USAGE, ERR_IO.
 */
MUST_CHECK int rec_output_find(struct rec *r, const struct newfile_kind *kind, struct error *err);
/* Create the temporary file of the output. Errors: ERR_IO. */
MUST_CHECK int rec_output_make(struct rec *r, struct error *err);
/*
 * Rename the temporary file to FILE, the name of the output. An existing FILE is renamed to
 * FILE.old. On ERR_IO, nothing has changed.
 */
MUST_CHECK int rec_output_put(struct rec *r, struct error *err);

/* Start a perf.data file in r->output. Errors of later writes are stored in file.error. */
MUST_CHECK int rec_file_create(struct rec *r, struct error *err);
void rec_file_write(struct rec_file *f, struct iovec *iov, size_t n);
/* As rec_file_write(), but compressed if the user requested it. */
void rec_file_data(struct rec_file *f, struct iovec *iov, size_t n);
/*
 * Write a PERF_RECORD_FINISHED_ROUND. It is a promise to readers: no later record is older than the
 * records before the previous FINISHED_ROUND. @samples: number of samples in the file.
 */
void rec_file_round(struct rec_file *f, uint64_t samples);
/*
 * Update the size of the data in the header, so that the file is readable if this process is
 * killed.
 */
void rec_file_checkpoint(struct rec *r);
/*
 * Check that --max-size leaves room for samples. Call it after the records about the target are
 * written. Errors: ERR_USAGE.
 */
MUST_CHECK int rec_file_fits(struct rec *r, struct error *err);
/*
 * Drop records that exceed max_bytes, then write the feature sections and the header. After a write
 * error, such as a full disk, also drop the last records to make room, and add a note. Errors:
 * ERR_IO if this does not help.
 */
MUST_CHECK int rec_file_finish(struct rec *r, struct error *err);
void rec_file_fini(struct rec_file *f);
/*
 * Append a complete perf.data file with the records of r->window to @out. @sections and @bits: the
 * feature sections and their bits, from rec_features() with @at 0.
 */
void rec_file_image(struct rec *r, struct str sections, const uint64_t bits[4], struct out *out);

/* functions in rec_keep.c, which keep the last seconds in memory */
/*
 * Check that files can be created in the folder of the output, to report errors early. Errors:
 * ERR_IO.
 */
MUST_CHECK int rec_keep_try(struct rec *r, struct error *err);
/*
 * Start keeping records in memory; call before events are enabled. Errors: ERR_USAGE, ERR_NOTFOUND,
 * ERR_UNSUPPORTED, ERR_IO.
 */
MUST_CHECK int rec_keep_begin(struct rec *r, struct error *err);
/* Do the work due at @now: drop old records, check conditions, write files. */
void rec_keep_look(struct rec *r, uint64_t now);
/*
 * End the current time slice of r->window. If samples were lost in this slice, add a record of
 * their number.
 */
void rec_keep_cut(struct rec *r, uint64_t now);
/* Time at which rec_keep_look() must be called next. */
uint64_t rec_keep_next(const struct rec *r);
/* Write the window to spec.output. Errors: ERR_IO. */
MUST_CHECK int rec_keep_end(struct rec *r, struct error *err);
void rec_keep_fini(struct rec *r);

/*
 * In rec_features.c. Append the feature sections to @out, and set their bits in @bits. @at: offset
 * at which the caller will write @out to the file.
 */
void rec_features(struct rec *r, uint64_t at, uint64_t bits[4], struct out *out);
/*
 * Functions in rec_tracing.c. rec_tracing_data() writes the formats of the recorded tracepoints.
 * False: no tracepoint is recorded, or tracefs is unreadable.
 */
bool rec_tracing_data(const struct rec *r, struct out *out);
/* Read the id of the tracepoint @name, "group:name". Errors: ERR_NOTFOUND, ERR_PERM. */
MUST_CHECK int rec_tracing_id(struct str name, uint64_t *ret, struct error *err);

/*
 * Read the format of the tracepoint @name, "group:name". NULL: unreadable. Owner: caller, free().
 */
char *rec_tracing_format(struct str name);

/*
 * In rec_waiting.c. For each thread of the target that waits when the recording starts, write a
 * context switch with the kernel stack from /proc. Call after events are enabled, and before
 * capabilities are dropped.
 */
void rec_waiting(struct rec *r);

/*
 * Functions in rec_loop.c. rec_rights_drop() drops capabilities, except those in kept_rights. Call
 * it once everything is open, before the target runs.
 */
void rec_rights_drop(struct rec *r);
/*
 * If spec.is_last is set, permanently drop all capabilities except those in kept_rights. Call it
 * once the target runs.
 */
void rec_rights_forget(const struct rec *r);
/* At the end, raise the capabilities that were not dropped permanently. */
void rec_rights_raise(void);

/*
 * functions in rec_synth.c, which append records to r->synth about the kernel, running processes
 * and control groups
 */
void rec_synth_kernel(struct rec *r);
void rec_synth_process(struct rec *r, uint32_t pid);
void rec_synth_all(struct rec *r);
/* Append a record with the namespaces of the command, if spec.has_namespaces is set. */
void rec_synth_child(struct rec *r);
/* Append a record about the control group @name, whose folder is @path. @arg: the struct rec. */
void rec_synth_group(void *arg, const char *path, struct str name);

/*
 * Functions in rec_chains.c. They replace the copies of registers and stack in each sample by a
 * call chain. The file is then about a hundred times smaller. Records of all buffers are processed
 * in the order of time.
 */
void rec_chains_begin(struct rec *r);
/* The attributes of @e to write to the file: its samples have a call chain and no stack copy. */
struct perf_event_attr rec_chains_attr(const struct rec *r, const struct rec_event *e);
/* Read the maps of running processes from r->synth. */
void rec_chains_describe(struct rec *r);
/*
 * Rewrite the records of all buffers up to their heads, and queue them in r->iov. Records after the
 * time @now stay in their buffers, because another buffer may still get an older record. With
 * @is_last or spec.has_perf_clock, no record stays. Sets the head of each buffer to the first
 * record that stays.
 */
void rec_chains_take(struct rec *r, uint64_t now, bool is_last);
void rec_chains_fini(struct rec *r);

/*
 * In rec_rings.c. Count a record in the result. False: the record is a sample of another process
 * and must be dropped.
 */
bool rec_rings_account(struct rec *r, const uint8_t *record);

/* functions in rec_build_ids.c */
/*
 * Read the build id of the regular file @path. If the inode of @of is known, the file must have it.
 * @ret is empty if there is no build id. A malicious file cannot make this expensive.
 */
void rec_build_id_file(const char *path, const struct rec_binary *of, struct build_id *ret);
/*
 * Get the build id of the file @name that @pid has mapped. @like: device and inode of the file.
 * Each file is read only once.
 */
void rec_build_ids_mapped(struct rec *r, uint32_t pid, const struct rec_binary *like,
			  struct str name, struct build_id *ret);
/* Store the build id of the kernel or of a module, for the header section. */
void rec_build_ids_known(struct rec *r, struct str name, const struct build_id *id);
/*
 * Add the file of the PERF_RECORD_MMAP2 @record to the files whose build ids are in the header
 * section.
 */
void rec_build_ids_seen(struct rec *r, const uint8_t *record, size_t size);
bool rec_build_ids_section(struct rec *r, struct out *o);
void rec_build_ids_fini(struct rec *r);

/*
 * Functions in rec_groups.c. rec_groups_open() opens the control groups of the spec. Errors:
 * ERR_NOTFOUND with a similar name, ERR_USAGE (several groups have the name), ERR_UNSUPPORTED (no
 * control groups are mounted), ERR_IO.
 */
MUST_CHECK int rec_groups_open(struct rec *r, struct error *err);
/*
 * Find the folder of the control group @g under @root. @docker: folder with docker's containers.
 * Owner of the path: caller, free(). Errors: as rec_groups_open().
 */
MUST_CHECK int rec_groups_find(const char *root, const char *docker, const struct record_group *g,
			       char **ret_path, struct error *err);
/*
 * Find the mount point of the control group hierarchy that perf events use. @mounts: text of
 * /proc/self/mountinfo. False: it is not mounted.
 */
bool rec_groups_root(const char *mounts, char *ret, size_t size);
/* Call @take for each process in the opened control groups and their descendants. */
void rec_groups_processes(const struct rec *r, void (*take)(void *arg, uint32_t pid), void *arg);
/*
 * Call @take for each control group of this machine. @path: its folder; @name: its name in perf's
 * records.
 */
void rec_groups_all(void (*take)(void *arg, const char *path, struct str name), void *arg);
void rec_groups_fini(struct rec *r);

/* functions in rec_target.c */
/*
 * The reason why the kernel ends the events of the process when it executes the command's file,
 * such as "is set-user-id". NULL: the kernel keeps the events. Source: begin_new_exec() in
 * fs/exec.c, get_dumpable().
 */
const char *rec_target_privileged(const struct rec *r);
MUST_CHECK int rec_target_start(struct rec *r, struct error *err);
/* Let the child process execute the command. Errors: the reason why exec failed. */
MUST_CHECK int rec_target_go(struct rec *r, struct error *err);
/* Set r->tids to the threads of the target. */
MUST_CHECK int rec_target_threads(struct rec *r, struct error *err);
/*
 * Reap the command if it has ended; with @wait, wait for that. Returns whether this call reaped the
 * command.
 */
bool rec_target_ended(struct rec *r, bool wait);
void rec_target_fini(struct rec *r);

/* functions in rec_loop.c */
MUST_CHECK int rec_signals_open(struct rec *r, struct error *err);
/* Restore the original signal mask. */
void rec_signals_fini(struct rec *r);
/* Handle received signals. True: stop recording. */
bool rec_signals_take(struct rec *r);
/*
 * Check the limits of time and size. @bytes: size of the file, @now: current time. True: stop
 * recording.
 */
bool rec_check(struct rec *r, uint64_t bytes, uint64_t now);
/*
 * End the command. If a signal ended the recording, the command has received that signal, too: wait
 * up to 2 s for its end. If it still runs, and in all other cases, send SIGTERM. If the command
 * does not end then either, let it run, and add a note.
 */
void rec_end_command(struct rec *r);

/* functions in rec_proc.c, which read files of /proc and /sys */
/*
 * Read the whole file @path, at most about 64 MiB, NUL-terminated. *@ret_len: its length, unless
 * @ret_len is NULL. NULL: unreadable. Owner: caller, free().
 */
char *rec_slurp(const char *path, size_t *ret_len);
/* Read a number from the file @path; return @missing if the file is unreadable or has none. */
int64_t rec_number(const char *path, int64_t missing);
/*
 * Parse a list of numbers up to @max, such as "0,2-4", and call @take for each. False: invalid
 * list.
 */
bool rec_list(const char *text, uint32_t max, void (*take)(void *arg, uint32_t n), void *arg);
uint64_t rec_clock_ns(int clock);
/* Call @take for each thread of @pid. @proc: mount point of procfs. False: no such process. */
bool rec_threads(const char *proc, uint32_t pid, void (*take)(void *arg, uint32_t tid), void *arg);
/* The process id of the thread @tid; @tid itself if /proc hides the process. */
uint32_t rec_process_of(uint32_t tid);

#endif
