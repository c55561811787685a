/* SPDX-License-Identifier: MIT */
/*
 * rec.h - state shared by the parts of the recorder
 *
 * rec_events.c chooses events, rec_words.c and rec_pmu.c parse their names, rec_rings.c opens
 * them and drains their buffers, rec_file.c writes, rec_synth.c describes processes that
 * already run, rec_groups.c finds control groups, rec_waiting.c those of their threads that wait,
 * rec_chains.c makes call chains, rec_features.c and rec_tracing.c write the header, rec_target.c
 * starts the command, rec_loop.c ends it, rec_keep.c keeps the last seconds, record.c is the loop.
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

/* Constants newer than the oldest supported headers. */
#define REC_FORMAT_LOST    (1u << 4)
#define REC_COMPRESSED_MAX 65528u              /* size of a whole record, aligned */
#define REC_PACK_BYTES     (UINT32_C(1) << 19) /* uncompressed bytes in one such record, at most */

struct rec_event {
	struct perf_event_attr attr;
	char *name;
	bool is_tracepoint;
	/* the dummy event that tracks maps and threads of running processes */
	bool is_tracking;
	bool is_everywhere;         /* on all CPUs, independent of the target */
	const char *filter;         /* of a tracepoint's fields; NULL: none */
	uint64_t period, frequency; /* own values; 0: those of all events */
	VEC(uint64_t) ids;          /* ids of its file descriptors */
};

struct rec_fd {
	int fd;
	uint32_t event;
	uint32_t ring;
	uint64_t id;
	uint64_t lost; /* lost samples already reported in the file */
};

struct rec_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size; /* of the data; power of two */
	uint64_t tail;
	uint64_t head; /* as of this round */
	uint32_t cpu;
	bool is_watched;
};

/* Offsets of the sample fields that the recorder reads. */
struct rec_layout {
	uint32_t time_at;  /* offset in a sample in bytes; 0: none */
	uint32_t id_bytes; /* size of the sample id after every other record */
};

/* A mapped file, the kernel, or a kernel module. */
struct rec_binary {
	char *name;
	uint32_t major, minor;
	uint64_t inode; /* 0: unknown */
	struct build_id id;
	bool is_read; /* the id was read, though it may be empty */
	bool is_kernel;
};

/* A position at which the file may end, and the number of samples before it. */
struct rec_round {
	uint64_t at;
	uint64_t samples;
};

/* The output file. */
struct rec_file {
	int fd;
	const char *path;
	uint64_t data_at;
	uint64_t at;                  /* size */
	VEC(struct rec_round) rounds; /* ends of complete rounds */
	uint64_t raw_bytes;           /* before compression */
	int error;                    /* errno of the first failed write */
	void *zstd;
	uint8_t *packed; /* REC_COMPRESSED_MAX bytes */
	uint32_t zstd_level;
};

/* A control group to which events are limited. */
struct rec_group {
	char *path;
	int fd;
};

struct rec {
	const struct record_spec *spec;
	struct record_result *result;
	VEC(uint32_t) cpus;
	VEC(uint32_t) chosen_cpus;    /* sampled CPUs, the others are only tracked; empty: all */
	VEC(uint32_t) tids;           /* opened threads; empty with is_system_wide */
	VEC(struct rec_group) groups; /* none is inside another */
	VEC(struct rec_event) events;
	VEC(struct rec_fd) fds;
	VEC(struct rec_ring) rings;
	VEC(struct iovec) iov;
	struct rec_layout layout;
	struct newfile output;
	struct rec_file file;
	struct out tracing; /* section with tracepoint formats; may be empty */
	struct out synth;   /* records that describe processes that already run */
	uint64_t frequency;
	/* all processes are sampled, but only the targets are written */
	bool is_filtered;
	uint64_t first_ns, last_ns; /* of samples */
	uint64_t feature_bytes;  /* with max_bytes: of the sections behind the records, at the start
				  */
	uint64_t described_at;   /* and the end of the records that describe the target */
	bool has_map_ids;        /* maps contain build ids; otherwise the header does */
	bool has_switch_records; /* context_switch: waits without tracepoints */
	VEC(struct rec_binary) binaries;
	struct idmap binary_map;
	bool has_lost_counts;                     /* the kernel counts lost samples per event */
	bool has_kernel;                          /* an event samples the kernel */
	uint64_t reference_wall_ns, reference_ns; /* the same instant by two clocks */

	pid_t child;      /* 0: none, or reaped */
	int start_fd;     /* writing a byte starts the command */
	int status_fd;    /* reports why exec failed */
	uint64_t cpu_ns;  /* CPU time of the command and its children */
	VEC(int) pid_fds; /* recorded processes that still run */

	sigset_t old_signals;
	bool has_signals; /* the original signals must be restored */
	int signal_fd;
	int epoll_fd;
	uint64_t began_ns, flushed_ns, ticked_ns;
	bool is_asked; /* SIGUSR2 was received */

	uint64_t kept_rights; /* capabilities needed until the end */

	bool unwinds;              /* samples carry stacks, which the recorder unwinds */
	struct rec_chains *chains; /* NULL: records are written as the kernel made them */

	struct window *window; /* the kept window; NULL: everything goes to the file */
	VEC(struct when) conditions;
	VEC(uint32_t) processes; /* main processes of the target, for conditions */
	uint64_t cut_ns, looked_ns;
	uint32_t files;    /* files written before the end */
	uint64_t lost_any; /* number of LOST records when the counters were read last */
};

/* record.c: steps of a recording, also used by live.c. */
void rec_init(struct rec *r, const struct record_spec *spec, struct record_result *result);
MUST_CHECK int rec_open(struct rec *r, struct error *err);
/* Describe running processes and loaded modules in r->synth. */
void rec_describe(struct rec *r);
/* Wait for buffers, signals and ended processes. True: stop. */
bool rec_poll(struct rec *r, int timeout_ms, bool *ret_has_data);
/* Copy the event names to the result. */
void rec_fill_result(struct rec *r);
void rec_fini(struct rec *r);

/* Add a sentence for the user, once. */
void rec_note(struct rec *r, const char *fmt, ...) PRINTF(2, 3);

/* rec_events.c: bytes of user stack copied into a sample. */
uint32_t rec_stack_bytes(const struct rec *r);
/* Choose the events and their attributes, in r->events. */
MUST_CHECK int rec_events_choose(struct rec *r, struct error *err);
void rec_events_fini(struct rec *r);
/* perf_event_open(). -errno on failure. */
int rec_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);
/* The same for the threads of the control group whose folder is open as @group. */
int rec_event_open_group(const struct perf_event_attr *attr, int group, int cpu);

/* rec_words.c: parse an event name with modifiers, as for perf record -e, into @a. */
#define REC_DEVICES "/sys/bus/event_source/devices"
/* Terms between slashes that do not belong to the event code. */
struct rec_terms {
	struct str name; /* event name in the file; empty: as given */
	uint64_t period, frequency;
};
/* Errors: ERR_USAGE; ERR_NOTFOUND: no such event or PMU. */
MUST_CHECK int rec_word_take(struct str word, const char *devices, struct perf_event_attr *a,
			     struct rec_terms *terms, struct error *err);
/* The first event of @list; commas between slashes do not separate. */
struct str rec_word_first(struct str list);

/* rec_pmu.c */
bool rec_pmu_is(const char *devices, struct str pmu);
bool rec_pmu_has_event(const char *devices, struct str pmu, struct str name);
/* Parse "event=0x3c,umask=1" of @pmu, which may be empty if @a has an event. Errors: as above. */
MUST_CHECK int rec_pmu_take(const char *devices, struct str pmu, struct str list, struct str word,
			    struct perf_event_attr *a, struct rec_terms *terms, struct error *err);

/* rec_rings.c */
MUST_CHECK int rec_rings_open(struct rec *r, struct error *err);
void rec_rings_fini(struct rec *r);
void rec_rings_enable(struct rec *r, bool only_tracking);
void rec_rings_disable(struct rec *r);
/*
 * Write the content of the buffers; @is_last: nothing more will come. False: they were empty.
 */
bool rec_rings_drain(struct rec *r, bool is_last);
/*
 * Write records for samples lost since the last call, by the kernel's counters. Returns their
 * sum.
 */
uint64_t rec_rings_lost(struct rec *r);

/*
 * rec_file.c: find the place of the output, r->output. A file that is not of @kind, or is an
 * argument of the command, is not overwritten. Errors: ERR_USAGE, ERR_IO.
 */
MUST_CHECK int rec_output_find(struct rec *r, const struct newfile_kind *kind, struct error *err);
/* Create the temporary file. Errors: ERR_IO. */
MUST_CHECK int rec_output_make(struct rec *r, struct error *err);
/* Rename it into place; an existing file becomes FILE.old. Errors: ERR_IO; nothing changes then. */
MUST_CHECK int rec_output_put(struct rec *r, struct error *err);

/* Start the recording in r->output. Write errors are stored in file.error. */
MUST_CHECK int rec_file_create(struct rec *r, struct error *err);
void rec_file_write(struct rec_file *f, struct iovec *iov, size_t n);
/* The same, compressed if requested. */
void rec_file_data(struct rec_file *f, struct iovec *iov, size_t n);
/* Write a FINISHED_ROUND: later records are not older than those before the previous round. */
void rec_file_round(struct rec_file *f, uint64_t samples);
/* Update the size in the header, so that the file is readable if the process is killed. */
void rec_file_checkpoint(struct rec *r);
/* Refuse a --max-size without room for samples; call once the target is described: ERR_USAGE. */
MUST_CHECK int rec_file_fits(struct rec *r, struct error *err);
/* Write header and features; at most max_bytes are kept. Errors: ERR_IO. */
MUST_CHECK int rec_file_finish(struct rec *r, struct error *err);
void rec_file_fini(struct rec_file *f);
/*
 * Append a complete file with the content of r->window to @out. @sections and @bits: result of
 * rec_features() at 0.
 */
void rec_file_image(struct rec *r, struct str sections, const uint64_t bits[4], struct out *out);

/* rec_keep.c: the last seconds in memory. */
/* Check that a file can be created next to the output. Errors: ERR_IO. */
MUST_CHECK int rec_keep_try(struct rec *r, struct error *err);
/*
 * Start; call before events are enabled. Errors: ERR_USAGE, ERR_NOTFOUND, ERR_UNSUPPORTED,
 * ERR_IO.
 */
MUST_CHECK int rec_keep_begin(struct rec *r, struct error *err);
/* Do the work due at @now: drop old records, check conditions, write files. */
void rec_keep_look(struct rec *r, uint64_t now);
/* End a slice, which receives the records of its losses. */
void rec_keep_cut(struct rec *r, uint64_t now);
/* Time at which work is due next. */
uint64_t rec_keep_next(const struct rec *r);
/* Write spec.output. Errors: ERR_IO. */
MUST_CHECK int rec_keep_end(struct rec *r, struct error *err);
void rec_keep_fini(struct rec *r);

/* rec_features.c: write the sections and their bits. @at is the offset of their table. */
void rec_features(struct rec *r, uint64_t at, uint64_t bits[4], struct out *out);
/* rec_tracing.c: write the tracepoint formats. False: tracefs is unreadable. */
bool rec_tracing_data(const struct rec *r, struct out *out);
/* Id of tracepoint "group:name". Errors: ERR_NOTFOUND, ERR_PERM. */
MUST_CHECK int rec_tracing_id(struct str name, uint64_t *ret, struct error *err);

/* Format of tracepoint "group:name"; NULL: unreadable. Owner: caller, free(). */
char *rec_tracing_format(struct str name);

/*
 * rec_waiting.c: write a switch for each thread of the target that waits now, with its kernel
 * stack from /proc. Call after events are enabled, before rights are dropped.
 */
void rec_waiting(struct rec *r);

/* rec_loop.c: drop capabilities once everything is open, before the target runs. */
void rec_rights_drop(struct rec *r);
/* Drop them for good once the target runs, if no work follows the recording. */
void rec_rights_forget(const struct rec *r);
/* Restore those not dropped for good, at the end. */
void rec_rights_raise(void);

/* rec_synth.c: append to r->synth. */
void rec_synth_kernel(struct rec *r);
void rec_synth_process(struct rec *r, uint32_t pid);
void rec_synth_all(struct rec *r);
/* The namespaces of the command, with has_namespaces. */
void rec_synth_child(struct rec *r);
/* The control group whose folder is @path; @arg is the recorder. */
void rec_synth_group(void *arg, const char *path, struct str name);

/*
 * rec_chains.c: replace the registers and the stack copy of each sample by its callers, which
 * makes the file a hundredth. Needs samples and maps of all buffers in the order of time.
 */
void rec_chains_begin(struct rec *r);
/* The attributes of @e as its records are in the file. */
struct perf_event_attr rec_chains_attr(const struct rec *r, const struct rec_event *e);
/* Take records that are not from buffers: r->synth. */
void rec_chains_describe(struct rec *r);
/*
 * Queue the records of all buffers up to their heads, rewritten, in r->iov. Without @is_last
 * those of the last moment stay, and heads go back: an older one may come in another buffer.
 */
void rec_chains_take(struct rec *r, uint64_t now, bool is_last);
void rec_chains_fini(struct rec *r);

/* rec_rings.c: account a record. False: it is a sample of another process, not to be kept. */
bool rec_rings_account(struct rec *r, const uint8_t *record);

/* rec_build_ids.c */
/* Read the build id of @path if it is still the file @of. Cost: bounded for any file. */
void rec_build_id_file(const char *path, const struct rec_binary *of, struct build_id *ret);
/* Build id of a file mapped by @pid; each file is read once. */
void rec_build_ids_mapped(struct rec *r, uint32_t pid, const struct rec_binary *like,
			  struct str name, struct build_id *ret);
/* Add a known build id of the kernel or a module, for the header. */
void rec_build_ids_known(struct rec *r, struct str name, const struct build_id *id);
/* Take the file from a PERF_RECORD_MMAP2, for the header. */
void rec_build_ids_seen(struct rec *r, const uint8_t *record, size_t size);
bool rec_build_ids_section(struct rec *r, struct out *o);
void rec_build_ids_fini(struct rec *r);

/*
 * rec_groups.c: open the control groups of the spec. Errors: ERR_NOTFOUND with a similar name,
 * ERR_USAGE: several have it, ERR_UNSUPPORTED: none are mounted, ERR_IO.
 */
MUST_CHECK int rec_groups_open(struct rec *r, struct error *err);
/*
 * Find one below @root; @docker: folder with docker's containers. Owner of the path: caller,
 * free(). Errors: as above.
 */
MUST_CHECK int rec_groups_find(const char *root, const char *docker, const struct record_group *g,
			       char **ret_path, struct error *err);
/* Mount point of the hierarchy for perf events, by the text of /proc/self/mountinfo. */
bool rec_groups_root(const char *mounts, char *ret, size_t size);
/* Call @take for each process in the groups and below them. */
void rec_groups_processes(const struct rec *r, void (*take)(void *arg, uint32_t pid), void *arg);
/* Call @take for each control group of this machine, with the name that perf events have. */
void rec_groups_all(void (*take)(void *arg, const char *path, struct str name), void *arg);
void rec_groups_fini(struct rec *r);

/* rec_target.c */
MUST_CHECK int rec_target_start(struct rec *r, struct error *err);
/* Let the command exec. Errors: the reason of its failure. */
MUST_CHECK int rec_target_go(struct rec *r, struct error *err);
/* Collect the threads of the requested processes in r->tids. */
MUST_CHECK int rec_target_threads(struct rec *r, struct error *err);
/* Reap the command if it has ended. */
bool rec_target_ended(struct rec *r, bool wait);
void rec_target_fini(struct rec *r);

/* rec_loop.c */
MUST_CHECK int rec_signals_open(struct rec *r, struct error *err);
/* Restore the original signals. */
void rec_signals_fini(struct rec *r);
/* Handle received signals. True: stop. */
bool rec_signals_take(struct rec *r);
/* Check time and size limits at @now, with @bytes written so far. True: stop. */
bool rec_check(struct rec *r, uint64_t bytes, uint64_t now);
/* Wait for the command if it still runs; it was asked to end, or is asked now. */
void rec_end_command(struct rec *r);

/* rec_proc.c: read small files of /proc and /sys. */
/* Read a whole file, NUL-terminated; NULL: unreadable. Owner: caller, free(). */
char *rec_slurp(const char *path, size_t *ret_len);
/* Read a number from a file; @missing if the file does not exist. */
int64_t rec_number(const char *path, int64_t missing);
/* Parse "0,2-4". False: not a list. */
bool rec_list(const char *text, uint32_t max, void (*take)(void *arg, uint32_t n), void *arg);
uint64_t rec_clock_ns(int clock);
/* Call @take for each thread of @pid, below @proc ("/proc"). False: no such process. */
bool rec_threads(const char *proc, uint32_t pid, void (*take)(void *arg, uint32_t tid), void *arg);
/* The process of a thread; the id itself if that is hidden. */
uint32_t rec_process_of(uint32_t tid);

#endif
