/* SPDX-License-Identifier: MIT */
/*
 * rec.h - state shared by the source files of the recorder
 *
 * - record.c has the loop, rec_loop.c code for the loops of all recorders.
 * - rec_events.c chooses events; rec_words.c and rec_pmu.c parse their names.
 * - rec_rings.c opens events and drains their buffers; rec_chains.c unwinds their samples.
 * - rec_file.c writes the file; rec_features.c and rec_tracing.c write its sections.
 * - rec_synth.c describes running processes; rec_waiting.c records waiting threads.
 * - rec_groups.c finds control groups; rec_target.c starts the command.
 * - rec_build_ids.c reads build ids; rec_keep.c keeps the last seconds in memory.
 * - rec_branches.c requests branch records; rec_proc.c reads /proc; rec_hint.c advises the
 *   user after a recording.
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

/* PERF_FORMAT_LOST, for builds with kernel headers that lack it */
#define REC_FORMAT_LOST (1u << 4)
/* maximum size of a PERF_RECORD_COMPRESSED record; a multiple of 8 */
#define REC_COMPRESSED_MAX 65528u
/* maximum number of uncompressed bytes in a PERF_RECORD_COMPRESSED record */
#define REC_PACK_BYTES (UINT32_C(1) << 19)

struct rec_event {
	struct perf_event_attr attr;
	char *name;
	bool is_tracepoint;
	/* this is the dummy event, which takes no samples and only records maps and threads */
	bool is_tracking;
	/* the event is opened for all threads on all CPUs, and not only for the target */
	bool is_everywhere;
	/* filter expression on the fields of the tracepoint, "op != 1"; NULL: none */
	const char *filter;
	/*
	 * period and frequency that the user wrote in the event, as in
	 * "cpu/event=0x3c,period=1000/"; 0: use those of record_spec or rec.frequency
	 */
	uint64_t period, frequency;
	VEC(uint64_t) ids; /* perf ids of the file descriptors that were opened for this event */
};

struct rec_fd {
	int fd;
	uint32_t event;
	uint32_t ring;
	uint64_t id;
	/* number of lost samples that the file already reports for this descriptor */
	uint64_t lost;
};

struct rec_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size; /* size of the buffer's data in bytes; a power of two */
	uint64_t tail;
	/*
	 * offset after the last record that the current call of rec_rings_drain() takes; counted
	 * like `tail`
	 */
	uint64_t head;
	uint32_t cpu;
	bool is_watched;
};

/* Offsets and sizes of those fields of records that the recorder reads. */
struct rec_layout {
	uint32_t time_at; /* offset in bytes of the time in a sample record */
	/* size in bytes of the sample id, which ends each record except samples */
	uint32_t id_bytes;
};

/* A file with code: the kernel, a kernel module, or a mapped file. */
struct rec_binary {
	char *name;
	uint32_t major, minor;
	uint64_t inode; /* inode number; 0: unknown */
	struct build_id id;
	bool is_read; /* the build id was searched; if none was found, `id` is empty */
	bool is_kernel;
};

/* An offset at which the file may be cut, and the number of samples before that offset. */
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
	/*
	 * offsets at which the file may be cut: the end of each round of records
	 * (PERF_RECORD_FINISHED_ROUND)
	 */
	VEC(struct rec_round) rounds;
	uint64_t raw_bytes; /* total size of the records before compression */
	int error;          /* errno of the first failed write */
	void *zstd;
	uint8_t *packed; /* output buffer of REC_COMPRESSED_MAX bytes; NULL: do not compress */
	uint32_t zstd_level;
};

/* A control group whose processes are sampled. */
struct rec_group {
	char *path;
	int fd;
};

struct rec {
	const struct record_spec *spec;
	struct record_result *result;
	VEC(uint32_t) cpus;
	/* CPUs to sample; empty: all. On the other CPUs, only maps and threads are recorded */
	VEC(uint32_t) chosen_cpus;
	/* threads for which events are opened; empty if is_system_wide is set */
	VEC(uint32_t) tids;
	VEC(struct rec_group) groups; /* control groups to sample; no group is inside another one */
	VEC(struct rec_event) events;
	VEC(struct rec_fd) fds;
	VEC(struct rec_ring) rings;
	VEC(struct iovec) iov;
	struct rec_layout layout;
	struct newfile output;
	struct rec_file file;
	/* file section with the formats of tracepoints; empty if there are none */
	struct out tracing;
	/*
	 * generated records about the kernel, and about processes that run before the start of the
	 * recording
	 */
	struct out synth;
	uint64_t frequency;
	/*
	 * the events are open for all processes, because the target has more threads than files may
	 * be open; samples of other processes are dropped
	 */
	bool is_filtered;
	uint64_t first_ns, last_ns; /* times of the first and of the last sample */
	/*
	 * estimated size of the feature sections in bytes, to check max_bytes during the recording
	 */
	uint64_t feature_bytes;
	/*
	 * size of the file in bytes when the records that describe running processes had been
	 * written; used only with max_bytes
	 */
	uint64_t described_at;
	/*
	 * map records contain the build ids of the mapped files; otherwise, a header section
	 * contains them
	 */
	bool has_map_ids;
	/*
	 * context switches are recorded as switch records (attr.context_switch), not by tracepoints
	 */
	bool has_switch_records;
	VEC(struct rec_binary) binaries;
	struct idmap binary_map;
	/* read() of an event's descriptor returns its number of lost samples */
	bool has_lost_counts;
	bool has_kernel; /* at least one event also takes samples in the kernel */
	/* CLOCK_REALTIME and CLOCK_MONOTONIC, read at the same time */
	uint64_t reference_wall_ns, reference_ns;

	pid_t child; /* process id of the command; 0: none, or already reaped */
	/* socket to the child process; a byte written to it makes the child execute the command */
	int start_fd;
	int status_fd;    /* pipe on which the child reports the errno if exec fails */
	uint64_t cpu_ns;  /* CPU time of the command and its children */
	VEC(int) pid_fds; /* pidfds of the recorded processes that still run */

	sigset_t old_signals;
	/* the signals are blocked, and old_signals has the original mask, which must be restored */
	bool has_signals;
	int signal_fd;
	int epoll_fd;
	uint64_t began_ns, flushed_ns, ticked_ns;
	/* SIGUSR2 has arrived: the user requests a file with the data recorded so far */
	bool is_asked;

	uint64_t kept_rights; /* capabilities that the recorder keeps while recording */

	/* samples have copies of the stack, and the recorder converts these to call chains */
	bool unwinds;
	/* state of the unwinder; NULL: records are written without unwinding */
	struct rec_chains *chains;

	/* the last seconds of records, in memory; NULL: records are written to the file */
	struct window *window;
	VEC(struct when) conditions;
	/* pids of the target's processes, for conditions such as "cpu:target>90%" */
	VEC(uint32_t) processes;
	uint64_t cut_ns, looked_ns;
	char *online;        /* list of the online CPUs at the start, such as "0-7" */
	uint64_t online_ns;  /* time at which the list of online CPUs was last read */
	bool has_other_cpus; /* the list of online CPUs differs from `online` */
	uint32_t files;      /* number of files that --ring wrote during the recording */
	/* result.counts.lost at the previous call of rec_keep_cut() */
	uint64_t lost_any;
};

/* the functions below are in record.c: steps of a recording, which live.c also uses */
void rec_init(struct rec *r, const struct record_spec *spec, struct record_result *result);
MUST_CHECK int rec_open(struct rec *r, struct error *err);
/* Append records about the kernel and the running processes to r->synth. */
void rec_describe(struct rec *r);
/*
 * Wait at most @timeout_ms until a buffer has data, a signal arrives or a process ends. Returns
 * true if the recording must stop. @ret_has_data: a buffer has data.
 */
bool rec_poll(struct rec *r, int timeout_ms, bool *ret_has_data);
/* Store the names of the events and the frequency in the result. */
void rec_fill_result(struct rec *r);
void rec_fini(struct rec *r);

/* Add a sentence for the user to the result's notes. A sentence is added only once. */
void rec_note(struct rec *r, const char *fmt, ...) PRINTF(2, 3);

/*
 * The functions up to rec_event_open_group() are in rec_events.c. rec_stack_bytes() returns the
 * size of the stack copy in a sample, in bytes.
 */
uint32_t rec_stack_bytes(const struct rec *r);
/* Choose the events and their attributes, and add them to r->events. */
MUST_CHECK int rec_events_choose(struct rec *r, struct error *err);
void rec_events_fini(struct rec *r);
/* Call perf_event_open(). Returns a descriptor, or -errno. */
int rec_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);
/*
 * Call perf_event_open() for a control group. @group: open descriptor of the group's folder.
 * Returns a descriptor, or -errno.
 */
int rec_event_open_group(const struct perf_event_attr *attr, int group, int cpu);

/*
 * the functions below are in rec_words.c, and parse event names with modifiers, as in perf record
 * -e
 */
#define REC_DEVICES "/sys/bus/event_source/devices"
/*
 * Settings of an event that are no part of perf_event_attr.config, such as the period in
 * "cpu/event=0x3c,period=1000/".
 */
struct rec_terms {
	/* name of the event in the file; empty: the text that the user wrote */
	struct str name;
	uint64_t period, frequency;
};
/*
 * Parse the event @word into @a and @terms. @devices: folder with the PMUs, REC_DEVICES except in
 * tests. Errors: ERR_USAGE; ERR_NOTFOUND if there is no such event or PMU.
 */
MUST_CHECK int rec_word_take(struct str word, const char *devices, struct perf_event_attr *a,
			     struct rec_terms *terms, struct error *err);
/* The first event of the comma-separated @list. A comma between slashes does not end an event. */
struct str rec_word_first(struct str list);

/* the functions below are in rec_branches.c */
/* Whether a PMU in hardware counts the event @a, so that its samples can have branch records. */
bool rec_branches_are_of(const struct perf_event_attr *a);
/*
 * If a PMU in hardware counts the event @a, request branch records in its samples. These branch
 * records contain the call chain.
 */
void rec_branches_set(struct perf_event_attr *a);
/*
 * If spec.chains is RECORD_BRANCHES, check that this machine supports call chains by branch
 * records. Errors: ERR_USAGE, ERR_UNSUPPORTED, with the reason in @err.
 */
MUST_CHECK int rec_branches_check(const struct rec *r, struct error *err);

/* the functions below are in rec_pmu.c */
bool rec_pmu_is(const char *devices, struct str pmu);
bool rec_pmu_has_event(const char *devices, struct str pmu, struct str name);
/*
 * Parse the terms @list of the PMU @pmu, such as "event=0x3c,umask=1", into @a and @terms. @pmu is
 * empty for an event without a PMU, such as "cpu-clock/period=1000000/"; then the caller has stored
 * the event in @a before. @word: the whole event, for error messages. Errors: those of
 * rec_word_take().
 */
MUST_CHECK int rec_pmu_take(const char *devices, struct str pmu, struct str list, struct str word,
			    struct perf_event_attr *a, struct rec_terms *terms, struct error *err);

/* the functions below are in rec_rings.c */
MUST_CHECK int rec_rings_open(struct rec *r, struct error *err);
void rec_rings_fini(struct rec *r);
void rec_rings_enable(struct rec *r, bool only_tracking);
void rec_rings_disable(struct rec *r);
/*
 * Move the records of all buffers to the file or to the window. @is_last: recording has stopped, so
 * take all records. Otherwise, the newest records may stay in the buffers until the next call
 * (rec_chains_take()). Returns false if all buffers were empty.
 */
bool rec_rings_drain(struct rec *r, bool is_last);
/*
 * Read the kernel's counters of lost samples. For each descriptor that lost samples since the
 * previous call, write a record with their number. Returns the total number of these samples.
 */
uint64_t rec_rings_lost(struct rec *r);

/*
 * The functions up to rec_file_image() are in rec_file.c. rec_output_find() prepares r->output, and
 * checks that the file may be written. An existing file must be of @kind, unless spec.is_forced is
 * set. The file must not be an argument of the command. Errors: ERR_USAGE, ERR_IO.
 */
MUST_CHECK int rec_output_find(struct rec *r, const struct newfile_kind *kind, struct error *err);
/* Create the temporary file for the output. Errors: ERR_IO. */
MUST_CHECK int rec_output_make(struct rec *r, struct error *err);
/*
 * Rename the temporary file to its final name FILE. An existing FILE is renamed to FILE.old first.
 * After ERR_IO, both files are as before.
 */
MUST_CHECK int rec_output_put(struct rec *r, struct error *err);

/*
 * Write the start of a perf.data file to r->output. Errors of later writes are stored in
 * file.error.
 */
MUST_CHECK int rec_file_create(struct rec *r, struct error *err);
void rec_file_write(struct rec_file *f, struct iovec *iov, size_t n);
/* Write records like rec_file_write(), but compress them if the user requested compression. */
void rec_file_data(struct rec_file *f, struct iovec *iov, size_t n);
/*
 * Write a PERF_RECORD_FINISHED_ROUND. It tells readers that no later record is older than the
 * records before the previous FINISHED_ROUND, so that they can sort and process these records.
 * @samples: number of samples in the file so far.
 */
void rec_file_round(struct rec_file *f, uint64_t samples);
/*
 * Write the current size of the data to the file's header. If this process is killed later, the
 * file is readable up to this point.
 */
void rec_file_checkpoint(struct rec *r);
/*
 * Check that --max-size leaves space for samples. Call this function after the records that
 * describe running processes are written. Errors: ERR_USAGE.
 */
MUST_CHECK int rec_file_fits(struct rec *r, struct error *err);
/*
 * Finish the file: drop records that exceed max_bytes, then write the feature sections and the
 * header. After a write error, such as a full disk, drop the last records to make space, and add a
 * note. Errors: ERR_IO if even this fails.
 */
MUST_CHECK int rec_file_finish(struct rec *r, struct error *err);
void rec_file_fini(struct rec_file *f);
/*
 * Append a complete perf.data file with the records of r->window to @out. @sections, @bits: the
 * feature sections and their bits, as rec_features() returns them for @at 0.
 */
void rec_file_image(struct rec *r, struct str sections, const uint64_t bits[4], struct out *out);

/* the functions below are in rec_keep.c, and keep the last seconds in memory */
/*
 * Check that a file can be created in the folder of the output, so that an error is reported before
 * the recording. Errors: ERR_IO.
 */
MUST_CHECK int rec_keep_try(struct rec *r, struct error *err);
/*
 * Start to keep records in memory. Call this function before events are enabled. Errors: ERR_USAGE,
 * ERR_NOTFOUND, ERR_UNSUPPORTED, ERR_IO.
 */
MUST_CHECK int rec_keep_begin(struct rec *r, struct error *err);
/* Do the periodic work at time @now: drop old records, check conditions, write files. */
void rec_keep_look(struct rec *r, uint64_t now);
/*
 * End the current time slice of r->window. If samples were lost, add a record with their number
 * first.
 */
void rec_keep_cut(struct rec *r, uint64_t now);
/* The time at which rec_keep_look() must be called next. */
uint64_t rec_keep_next(const struct rec *r);
/* Write the window to spec.output. Errors: ERR_IO. */
MUST_CHECK int rec_keep_end(struct rec *r, struct error *err);
void rec_keep_fini(struct rec *r);

/*
 * rec_features() is in rec_features.c. It appends the feature sections to @out, and sets their bits
 * in @bits. @at: offset in the file at which the caller will write @out.
 */
void rec_features(struct rec *r, uint64_t at, uint64_t bits[4], struct out *out);
/*
 * The functions up to rec_tracing_format() are in rec_tracing.c. rec_tracing_data() writes the
 * formats of the recorded tracepoints. Returns false if there are no tracepoints, or tracefs is
 * unreadable.
 */
bool rec_tracing_data(const struct rec *r, struct out *out);
/*
 * Read the id of the tracepoint @name, such as "sched:sched_switch". Errors: ERR_NOTFOUND,
 * ERR_PERM.
 */
MUST_CHECK int rec_tracing_id(struct str name, uint64_t *ret, struct error *err);

/*
 * Read the format of the tracepoint @name, such as "sched:sched_switch". NULL: unreadable. Owner:
 * caller, free().
 */
char *rec_tracing_format(struct str name);

/*
 * rec_waiting() is in rec_waiting.c. For each thread of the target that is waiting when the
 * recording starts, it writes a context switch with the kernel stack from /proc. Call it after
 * events are enabled and before capabilities are dropped.
 */
void rec_waiting(struct rec *r);

/*
 * The functions up to rec_rights_raise() are in rec_loop.c. rec_rights_drop() drops all
 * capabilities except kept_rights. Call it when all files are open, and before the target runs.
 */
void rec_rights_drop(struct rec *r);
/*
 * If spec.is_last is set, permanently drop all capabilities except kept_rights. Call this function
 * when the target runs.
 */
void rec_rights_forget(const struct rec *r);
/* Restore the dropped capabilities at the end, except those that were dropped permanently. */
void rec_rights_raise(void);

/*
 * the functions below are in rec_synth.c; they append records about the kernel, running processes
 * and control groups to r->synth
 */
void rec_synth_kernel(struct rec *r);
void rec_synth_process(struct rec *r, uint32_t pid);
void rec_synth_all(struct rec *r);
/* If spec.has_namespaces is set, append a record with the namespaces of the command. */
void rec_synth_child(struct rec *r);
/*
 * Append a record about the control group @name with the folder @path. @arg: pointer to the struct
 * rec.
 */
void rec_synth_group(void *arg, const char *path, struct str name);

/*
 * The functions up to rec_chains_take() are in rec_chains.c. They replace the copies of registers
 * and stack in each sample by a call chain, which makes the file about a hundred times smaller.
 * They process the records of all buffers in order of time.
 */
void rec_chains_begin(struct rec *r);
/*
 * The attributes of @e for the file header: they say that samples have a call chain, and no stack
 * copy.
 */
struct perf_event_attr rec_chains_attr(const struct rec *r, const struct rec_event *e);
/* Initialise the unwinder with the maps of running processes, from r->synth. */
void rec_chains_describe(struct rec *r);
/*
 * Take the records of all buffers in order of time, convert them, and queue the results in r->iov.
 * Records later than @now are not taken, because another buffer may still receive an older record.
 * If @is_last or spec.has_perf_clock is set, all records are taken. The function sets the head of
 * each buffer to the first record that was not taken.
 */
void rec_chains_take(struct rec *r, uint64_t now, bool is_last);
void rec_chains_fini(struct rec *r);

/*
 * rec_rings_account() is in rec_rings.c. It counts @record in the result. Returns false if @record
 * is a sample of another process, which must be dropped.
 */
bool rec_rings_account(struct rec *r, const uint8_t *record);

/* the functions below are in rec_build_ids.c */
/*
 * Read the build id of the regular file @path. If the inode of @of is known, the file must have the
 * same inode. @ret: empty if there is no build id. The amount of work is limited, even for a
 * malicious file.
 */
void rec_build_id_file(const char *path, const struct rec_binary *of, struct build_id *ret);
/*
 * Get the build id of the file @name that the process @pid has mapped. @like: device and inode of
 * this file. Each file is read only once.
 */
void rec_build_ids_mapped(struct rec *r, uint32_t pid, const struct rec_binary *like,
			  struct str name, struct build_id *ret);
/* Store the build id of the kernel or of a kernel module, for the header section. */
void rec_build_ids_known(struct rec *r, struct str name, const struct build_id *id);
/*
 * Add the file in the PERF_RECORD_MMAP2 @record to the list of files for the header section with
 * build ids.
 */
void rec_build_ids_seen(struct rec *r, const uint8_t *record, size_t size);
bool rec_build_ids_section(struct rec *r, struct out *o);
void rec_build_ids_fini(struct rec *r);

/*
 * The functions up to rec_groups_all() are in rec_groups.c. rec_groups_open() opens the control
 * groups of the spec. Errors: ERR_NOTFOUND if there is no such group (the message suggests a
 * similar name); ERR_USAGE if several groups have the name; ERR_UNSUPPORTED if no control groups
 * are mounted; ERR_IO.
 */
MUST_CHECK int rec_groups_open(struct rec *r, struct error *err);
/*
 * Find the folder of the control group @g below the mount point @root. @docker: folder with
 * docker's containers. @ret: path; owner: caller, free(). Errors: those of rec_groups_open().
 */
MUST_CHECK int rec_groups_find(const char *root, const char *docker, const struct record_group *g,
			       char **ret_path, struct error *err);
/*
 * Find the mount point of the control groups that perf events use. @mounts: text of
 * /proc/self/mountinfo. Returns false if these control groups are not mounted.
 */
bool rec_groups_root(const char *mounts, char *ret, size_t size);
/* Call @take for each process in the opened control groups and in groups inside them. */
void rec_groups_processes(const struct rec *r, void (*take)(void *arg, uint32_t pid), void *arg);
/*
 * Call @take for each control group of this machine. @path: folder of the group; @name: its name in
 * perf's records.
 */
void rec_groups_all(void (*take)(void *arg, const char *path, struct str name), void *arg);
void rec_groups_fini(struct rec *r);

/* the functions below are in rec_target.c */
/*
 * The reason why the kernel disables the command's events at exec, such as "is set-user-id". NULL:
 * the events stay enabled. Source: begin_new_exec() in fs/exec.c, get_dumpable().
 */
const char *rec_target_privileged(const struct rec *r);
MUST_CHECK int rec_target_start(struct rec *r, struct error *err);
/* Make the child process execute the command. Errors: the reason why exec failed. */
MUST_CHECK int rec_target_go(struct rec *r, struct error *err);
/* Set r->tids to the threads of the target. */
MUST_CHECK int rec_target_threads(struct rec *r, struct error *err);
/*
 * Reap the command if it has ended. @wait: wait until it ends. Returns true if this call reaped the
 * command.
 */
bool rec_target_ended(struct rec *r, bool wait);
void rec_target_fini(struct rec *r);

/* the functions below are in rec_loop.c */
MUST_CHECK int rec_signals_open(struct rec *r, struct error *err);
/* Restore the original signal mask of the process. */
void rec_signals_fini(struct rec *r);
/* Handle the signals that have arrived. Returns true if the recording must stop. */
bool rec_signals_take(struct rec *r);
/*
 * Check the limits of time and size. @bytes: size of the file; @now: current time. Returns true if
 * the recording must stop.
 */
bool rec_check(struct rec *r, uint64_t bytes, uint64_t now);
/*
 * End the command. If a signal ended the recording, the command has received the same signal: wait
 * up to 2 s. If it then still runs, and in all other cases, send SIGTERM and wait again. If it does
 * not end, let it run, and add a note.
 */
void rec_end_command(struct rec *r);

/* the functions below are in rec_proc.c, and read files of /proc and /sys */
/*
 * Read the whole file @path, up to about 64 MiB. Returns its text, which ends with NUL, or NULL if
 * the file is unreadable. @ret_len: if not NULL, receives the length. Owner: caller, free().
 */
char *rec_slurp(const char *path, size_t *ret_len);
/*
 * Read a number from the file @path. Returns @missing if the file is unreadable or has no number.
 */
int64_t rec_number(const char *path, int64_t missing);
/*
 * Call @take for each number of the list @text, such as "0,2-4", with numbers up to @max. Returns
 * false if the list is invalid.
 */
bool rec_list(const char *text, uint32_t max, void (*take)(void *arg, uint32_t n), void *arg);
uint64_t rec_clock_ns(int clock);
/*
 * Call @take for each thread of the process @pid. @proc: mount point of procfs. Returns false if
 * there is no such process.
 */
bool rec_threads(const char *proc, uint32_t pid, void (*take)(void *arg, uint32_t tid), void *arg);
/* The process id of the thread @tid. Returns @tid if /proc does not show the process. */
uint32_t rec_process_of(uint32_t tid);

#endif
