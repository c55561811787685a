/* SPDX-License-Identifier: MIT */
/*
 * rec.h - what the parts of the recorder share
 *
 * rec_events.c decides on events, rec_words.c and rec_pmu.c know their names, rec_rings.c opens
 * them and empties their buffers, rec_file.c writes, rec_synth.c says what ran before,
 * rec_features.c and rec_tracing.c fill the header, rec_target.c starts the
 * command, rec_loop.c ends it, rec_keep.c keeps the last seconds; record.c is the
 * loop around them.
 *
 * Private to src/record.
 */
#ifndef RECORD_REC_H
#define RECORD_REC_H

#include "base/idmap.h"
#include "base/out.h"
#include "record/perf/record.h"
#include "record/window/when.h"
#include "record/window/window.h"
#include "symbols/elf_symbols.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <sys/uio.h>

/* Newer than the oldest headers that this builds with. */
#define REC_FORMAT_LOST    (1u << 4)
#define REC_COMPRESSED_MAX 65528u              /* a record, whole, of a size that is aligned */
#define REC_PACK_BYTES     (UINT32_C(1) << 19) /* that one of them holds, at most */

struct rec_event {
	struct perf_event_attr attr;
	char *name;
	bool is_tracepoint;
	bool is_tracking;           /* the dummy that follows maps and threads of what ran before */
	bool is_everywhere;         /* on all CPUs, whatever the target */
	uint64_t period, frequency; /* of its own; 0: as all */
	VEC(uint64_t) ids;          /* of its file descriptors */
};

struct rec_fd {
	int fd;
	uint32_t event;
	uint32_t ring;
	uint64_t id;
	uint64_t lost; /* samples, as far as they are in the file */
};

struct rec_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size; /* of the data: a power of two */
	uint64_t tail;
	uint64_t head; /* as read in this round */
	uint32_t cpu;
	bool is_watched;
};

/* Where the words of a sample are that are looked at on the way to the file. */
struct rec_layout {
	uint32_t time_at;  /* in bytes from the start of a sample; 0: none */
	uint32_t id_bytes; /* behind every other record */
};

/* A file that was mapped, or the kernel and its modules. */
struct rec_binary {
	char *name;
	uint32_t major, minor;
	uint64_t inode; /* 0: not known */
	struct build_id id;
	bool is_read; /* the id is what there is */
	bool is_kernel;
};

/* A place where the file may end, and how many samples stand before it. */
struct rec_round {
	uint64_t at;
	uint64_t samples;
};

/* The file. */
struct rec_file {
	int fd;
	const char *path;
	uint64_t data_at;
	uint64_t at;                  /* size */
	VEC(struct rec_round) rounds; /* ends of what was written whole */
	uint64_t raw_bytes;           /* before compression */
	int error;                    /* errno of the first failed write */
	void *zstd;
	uint8_t *packed; /* REC_COMPRESSED_MAX bytes */
	uint32_t zstd_level;
};

struct rec {
	const struct record_spec *spec;
	struct record_result *result;
	VEC(uint32_t) cpus;
	VEC(uint32_t) chosen_cpus; /* sampled; the others are only followed. None: all of them */
	VEC(uint32_t) tids;        /* opened; empty with is_system_wide */
	VEC(struct rec_event) events;
	VEC(struct rec_fd) fds;
	VEC(struct rec_ring) rings;
	VEC(struct iovec) iov;
	struct rec_layout layout;
	struct newfile output;
	struct rec_file file;
	struct out tracing; /* section of formats of tracepoints; empty: there is none */
	struct out synth;   /* records that describe what was there before */
	uint64_t frequency;
	bool is_filtered;           /* all is sampled, only what is asked for is written */
	uint64_t first_ns, last_ns; /* of samples */
	bool has_map_ids;           /* maps have build ids, else the header has */
	VEC(struct rec_binary) binaries;
	struct idmap binary_map;
	bool has_lost_counts;                     /* it counts lost samples of each event */
	bool has_kernel;                          /* some event samples the kernel */
	uint64_t reference_wall_ns, reference_ns; /* the same moment by two clocks */

	pid_t child;      /* 0: none, or reaped */
	int start_fd;     /* a byte to it starts the command */
	int status_fd;    /* why it could not */
	uint64_t cpu_ns;  /* that it and its children have used */
	VEC(int) pid_fds; /* of processes that are recorded and have not ended */

	sigset_t old_signals;
	bool has_signals; /* the old ones are to be put back */
	int signal_fd;
	int epoll_fd;
	uint64_t began_ns, flushed_ns, ticked_ns;
	bool is_asked; /* SIGUSR2 came */

	uint64_t kept_rights; /* capabilities that are needed to the end */

	struct window *window; /* what is kept; NULL: all goes to the file */
	VEC(struct when) conditions;
	VEC(uint32_t) processes; /* of the target: their first, where conditions look */
	uint64_t cut_ns, looked_ns;
	uint32_t files;    /* written before the end */
	uint64_t lost_any; /* LOST records, when the counters were read last */
};

/* record.c: the steps of a recording, for live.c too. */
void rec_init(struct rec *r, const struct record_spec *spec, struct record_result *result);
MUST_CHECK int rec_open(struct rec *r, struct error *err);
/* Records of what ran before and what was loaded, into r->synth. */
void rec_describe(struct rec *r);
/* Wait for buffers, signals and ends. True: stop. */
bool rec_poll(struct rec *r, int timeout_ms, bool *ret_has_data);
/* Put the names of events into the result. */
void rec_told(struct rec *r);
void rec_fini(struct rec *r);

/* A sentence for the user; said once. */
void rec_note(struct rec *r, const char *fmt, ...) PRINTF(2, 3);

/* rec_events.c: attributes of what is to be recorded, in r->events. */
MUST_CHECK int rec_events_choose(struct rec *r, struct error *err);
void rec_events_fini(struct rec *r);
/* perf_event_open(). -errno on failure. */
int rec_event_open(const struct perf_event_attr *attr, pid_t pid, int cpu);

/* rec_words.c: a name with its modifiers, as in perf record -e, into the event of @a. */
#define REC_DEVICES "/sys/bus/event_source/devices"
/* What stands between slashes and goes for more than the event's bits. */
struct rec_terms {
	struct str name; /* of the event in the file; empty: as it was given */
	uint64_t period, frequency;
};
/* Errors: ERR_USAGE; ERR_NOTFOUND: no such event or PMU. */
MUST_CHECK int rec_word_take(struct str word, const char *devices, struct perf_event_attr *a,
			     struct rec_terms *terms, struct error *err);
/* The part of @list up to the comma behind its first event; commas between slashes are its own. */
struct str rec_word_first(struct str list);

/* rec_pmu.c */
bool rec_pmu_is(const char *devices, struct str pmu);
bool rec_pmu_has_event(const char *devices, struct str pmu, struct str name);
/* "event=0x3c,umask=1" of @pmu, which may be empty where @a has an event. Errors: as above. */
MUST_CHECK int rec_pmu_take(const char *devices, struct str pmu, struct str list, struct str word,
			    struct perf_event_attr *a, struct rec_terms *terms, struct error *err);

/* rec_rings.c */
MUST_CHECK int rec_rings_open(struct rec *r, struct error *err);
void rec_rings_fini(struct rec *r);
void rec_rings_enable(struct rec *r, bool only_tracking);
void rec_rings_disable(struct rec *r);
/* Write what is in the buffers. False: nothing was. */
bool rec_rings_drain(struct rec *r);
/*
 * How many samples the kernel says it had no room for since this was asked last, as
 * records. Returns the sum.
 */
uint64_t rec_rings_lost(struct rec *r);

/*
 * rec_file.c: where the file goes, r->output. What is there and is not of @kind, or is a
 * word of the command, is not overwritten. Errors: ERR_USAGE, ERR_IO.
 */
MUST_CHECK int rec_output_find(struct rec *r, const struct newfile_kind *kind, struct error *err);
/* The file beside it. Errors: ERR_IO. */
MUST_CHECK int rec_output_make(struct rec *r, struct error *err);
/* Put it there; what was there becomes FILE.old. Errors: ERR_IO, and all is as it was. */
MUST_CHECK int rec_output_put(struct rec *r, struct error *err);

/* The recording, into r->output; failures are kept in file.error. */
MUST_CHECK int rec_file_create(struct rec *r, struct error *err);
void rec_file_write(struct rec_file *f, struct iovec *iov, size_t n);
/* The same, compressed where that is asked for. */
void rec_file_data(struct rec_file *f, struct iovec *iov, size_t n);
/* A FINISHED_ROUND: what comes behind is not older than what came before the last one. */
void rec_file_round(struct rec_file *f, uint64_t samples);
/* Put the size so far into the header: what is there can be read if we are killed. */
void rec_file_checkpoint(struct rec *r);
/* Header and features. Errors: ERR_IO. */
MUST_CHECK int rec_file_finish(struct rec *r, struct error *err);
void rec_file_fini(struct rec_file *f);
/*
 * A whole file of what r->window holds, to the end of @out. @sections: as
 * rec_features() makes them at 0, with their @bits.
 */
void rec_file_image(struct rec *r, struct str sections, const uint64_t bits[4], struct out *out);

/* rec_keep.c: the last seconds in memory. */
/* Whether a file can be made beside the output. Errors: ERR_IO. */
MUST_CHECK int rec_keep_try(struct rec *r, struct error *err);
/* Before events are enabled. Errors: ERR_USAGE, ERR_NOTFOUND, ERR_UNSUPPORTED, ERR_IO. */
MUST_CHECK int rec_keep_begin(struct rec *r, struct error *err);
/* What is due at @now: old records go, conditions are looked at, files written. */
void rec_keep_look(struct rec *r, uint64_t now);
/* A slice ends; records that were lost in it go into it. */
void rec_keep_cut(struct rec *r, uint64_t now);
/* When that is due next. */
uint64_t rec_keep_next(const struct rec *r);
/* Write spec.output. Errors: ERR_IO. */
MUST_CHECK int rec_keep_end(struct rec *r, struct error *err);
void rec_keep_fini(struct rec *r);

/* rec_features.c: the sections and their bits. @at is where their table will stand. */
void rec_features(struct rec *r, uint64_t at, uint64_t bits[4], struct out *out);
/* rec_tracing.c: section of formats of tracepoints. False: tracefs cannot be read. */
bool rec_tracing_data(const struct rec *r, struct out *out);
/* Number of tracepoint "group:name". Errors: ERR_NOTFOUND, ERR_PERM. */
MUST_CHECK int rec_tracing_id(struct str name, uint64_t *ret, struct error *err);

/* rec_loop.c: once all is open, and before the target runs. */
void rec_rights_drop(struct rec *r);
/* Once it runs: for good, if nothing comes after the recording. */
void rec_rights_forget(const struct rec *r);
/* At the end: what is not forgotten. */
void rec_rights_raise(void);

/* rec_synth.c: append to r->synth. */
void rec_synth_kernel(struct rec *r);
void rec_synth_process(struct rec *r, uint32_t pid);
void rec_synth_all(struct rec *r);

/* rec_build_ids.c */
/* Of the ELF file @path, if that is @of still. Cost: bounded, whatever the file is. */
void rec_build_id_file(const char *path, const struct rec_binary *of, struct build_id *ret);
/* Of a file that @pid has mapped; each is read once. */
void rec_build_ids_mapped(struct rec *r, uint32_t pid, const struct rec_binary *like,
			  struct str name, struct build_id *ret);
/* Of the kernel or a module, for the header. */
void rec_build_ids_known(struct rec *r, struct str name, const struct build_id *id);
/* A whole PERF_RECORD_MMAP2, for the header. */
void rec_build_ids_seen(struct rec *r, const uint8_t *record, size_t size);
bool rec_build_ids_section(struct rec *r, struct out *o);
void rec_build_ids_fini(struct rec *r);

/* rec_target.c */
MUST_CHECK int rec_target_start(struct rec *r, struct error *err);
/* Let it exec. Errors: why it cannot. */
MUST_CHECK int rec_target_go(struct rec *r, struct error *err);
/* Threads of the processes that are asked for, into r->tids. */
MUST_CHECK int rec_target_threads(struct rec *r, struct error *err);
/* Reap the command if it has ended. */
bool rec_target_ended(struct rec *r, bool wait);
void rec_target_fini(struct rec *r);

/* rec_loop.c */
MUST_CHECK int rec_signals_open(struct rec *r, struct error *err);
/* The signals as they were. */
void rec_signals_fini(struct rec *r);
/* What came. True: stop. */
bool rec_signals_take(struct rec *r);
/* Look at clocks and limits at @now, with @bytes written so far. True: stop. */
bool rec_check(struct rec *r, uint64_t bytes, uint64_t now);
/* The command, where it is still there: it was told to end, or is now. */
void rec_end_command(struct rec *r);

/* rec_proc.c: small files of /proc and /sys. */
/* Whole, NUL-terminated; NULL: cannot be read. Owner: caller, free(). */
char *rec_slurp(const char *path, size_t *ret_len);
/* The number in a file; @missing where there is none. */
int64_t rec_number(const char *path, int64_t missing);
/* "0,2-4" into numbers. False: no such list. */
bool rec_list(const char *text, uint32_t max, void (*take)(void *arg, uint32_t n), void *arg);
uint64_t rec_clock_ns(int clock);
/* Call @take with each thread of @pid, below @proc ("/proc"). False: there is no such process. */
bool rec_threads(const char *proc, uint32_t pid, void (*take)(void *arg, uint32_t tid), void *arg);
/* The process of a thread; itself where that is not to be seen. */
uint32_t rec_process_of(uint32_t tid);

#endif
