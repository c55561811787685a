/* SPDX-License-Identifier: MIT */
/*
 * perf_data_reader.h - state shared by the source files of the perf.data reader
 *
 * perf_data.c walks over records and sorts them by time. perf_data_stack.c processes samples.
 * perf_data_events.c processes records that change the meaning of addresses and threads.
 * perf_data_chunks.c processes compressed records.
 */
#ifndef FORMATS_PERF_DATA_READER_H
#define FORMATS_PERF_DATA_READER_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "formats/perf_data/fast/perf_data_queue.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_sample.h"
#include "formats/perf_data/perf_data_spots.h"
#include "symbols/names.h"
#include "symbols/resolver/resolver.h"

struct out;
struct script_mark;
struct capture;
struct document;
struct perf_deferred;
struct perf_script;
struct perf_stacks;
struct resolver;

/* A frame of a call chain. */
struct perf_frame {
	uint64_t ip;
	/*
	 * bits 0 to 2: enum cpumode. Bit 63: the flag PERF_FRAME_AFTER_CALL. Bits 3 to 62: if
	 * samples are printed, resolver_generation(), a hash of the process's maps; otherwise 0
	 */
	uint64_t where;
};

/* flag in perf_frame.where: ip is a return address */
#define PERF_FRAME_AFTER_CALL (UINT64_C(1) << 63)

struct perf_chunk {
	uint8_t *data;
	size_t len;
};

/* A control group from a PERF_RECORD_CGROUP. */
struct perf_cgroup {
	uint64_t id;
	str_id path;
};

/* Namespaces of a thread according to its latest PERF_RECORD_NAMESPACES. */
struct perf_namespaces {
	uint32_t pid, tid;
	str_id cgroup_id, all;
};

/* Cached field offsets for samples with one event id (perf_data_peek.h). */
struct perf_peek {
	/*
	 * number of event attributes when the cache was filled; more attributes may follow later.
	 * 0: the cache is empty
	 */
	size_t n_attrs;
	bool has_id;
	uint64_t id; /* event id of the samples, which is at offset `id_at` of their records */
	size_t id_at, time_at;
	/*
	 * index of the event in perf_file.attrs; PERF_QUEUED_SAMPLE: only the time is at a fixed
	 * offset
	 */
	uint32_t attr;
	size_t least; /* minimum size of a record for which these offsets can be used */
	struct perf_layout layout;
	uint64_t period; /* period of samples that have no period field */
};

/* Tracepoints that begin and end operations: perf_data_pairs.c. */
struct perf_pairs {
	/*
	 * one mark for each sample of a tracepoint that begins or ends an operation, such as a
	 * block request
	 */
	VEC(struct script_mark) marks;
	/* raw data of the samples in `marks`; perf_raw_item.sample is the index in `marks` */
	struct perf_raw raw;
	uint64_t past; /* number of samples that were dropped, because the limit was reached */
	bool is_on;
};

struct perf_reader {
	struct perf_file file;
	struct perf_peek peek;
	struct resolver *resolver;
	uint32_t command; /* process id of the recorded command; 0: not seen yet */
	uint64_t exec_ns; /* time of the recorded command's first exec */
	/*
	 * latest time in the queue when the first records were taken from it. If the header has no
	 * time, seen_ns is used as the time of the recording
	 */
	uint64_t seen_ns;
	unsigned int detail; /* enum resolver_detail */
	struct perf_queue queue;
	struct perf_stacks *stacks;    /* state of perf_data_stack.c */
	VEC(struct perf_frame) frames; /* frames of the current sample, innermost first */
	VEC(struct perf_chunk) chunks; /* decompressed data; chunk 0 stands for the file itself */
	size_t chunks_freed;           /* number of freed chunks */
	VEC(struct document *) others; /* other files of a directory recording, owned */
	/* start of a record whose rest is in the next compressed record */
	VEC(uint8_t) carry;
	void *zstd;    /* decoder of compressed records, a ZSTD_DStream */
	uint64_t lost; /* lost samples of all events */
	/* number of lost samples according to the counters at the end: PERF_RECORD_LOST_SAMPLES */
	uint64_t lost_counted;
	/* for each control group id, its latest path; unsorted */
	VEC(struct perf_cgroup) cgroups;
	VEC(struct perf_namespaces) namespaces;
	struct idmap namespaces_map; /* thread -> row of `namespaces` */
	/* number of requested fields that perf_data_task.c provides, such as "cgroup" */
	size_t n_task_fields;
	struct perf_raw raw; /* raw data of the samples with fields that the user requested */
	struct perf_pairs pairs;
	struct perf_spots spots;
	/*
	 * user parts of chains, collected from separate records; used in both passes over the file
	 */
	struct perf_deferred *deferred;
	VEC(struct profile_exit) exits;
	/*
	 * capture made from switch records; NULL: the caller did not request it, or the file has no
	 * such records
	 */
	struct capture *switches;
	struct profile_recording recording; /* record counts over the whole file */
	/* function names that the file contains, or names collected for a copy of the file */
	struct names names;
	/* the mapped file's pages before this address were given back to the kernel (madvise()) */
	const uint8_t *released;
	struct perf_script *script; /* state of perf_data_script.c; NULL: samples are not printed */
};

extern const struct diag_kind perf_data_bad_record;

/* A record starts with struct perf_event_header: u32 type; u16 misc; u16 size. */
static inline uint32_t perf_record_type(const struct perf_reader *r, const uint8_t *p)
{
	uint32_t type;

	memcpy(&type, p, sizeof(type));
	return r->file.all.is_swapped ? __builtin_bswap32(type) : type;
}

static inline uint16_t perf_record_u16(const struct perf_reader *r, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return r->file.all.is_swapped ? __builtin_bswap16(v) : v;
}

static inline uint16_t perf_record_misc(const struct perf_reader *r, const uint8_t *p)
{
	return perf_record_u16(r, p + 4);
}

static inline uint16_t perf_record_size(const struct perf_reader *r, const uint8_t *p)
{
	return perf_record_u16(r, p + 6);
}

/* Body of a record. The size of the record must have been checked. */
static inline struct perf_bytes perf_record_body(const struct perf_reader *r, const uint8_t *p)
{
	return (struct perf_bytes){ p + 8, perf_record_size(r, p) - 8u, 0, r->file.all.is_swapped,
				    false };
}

/*
 * Find pairs of events: one event begins an operation, the other ends it. Set perf_attr.is_of_pair
 * of both events. If there is a pair and options.with_operations is set, also set pairs.is_on.
 */
void perf_pairs_find(struct perf_reader *r);
/*
 * If the event of sample @s begins or ends operations, store the sample. @comm: command name of its
 * thread.
 */
void perf_pairs_add(struct perf_reader *r, const struct perf_sample *s, str_id comm);
/* After all samples: add a capture, the trace of the events that begin or end operations. */
void perf_pairs_finish(struct perf_reader *r);
void perf_pairs_fini(struct perf_reader *r);
/*
 * perf_data_switches.c: convert a switch record to a sample of sched:sched_switch, if the caller
 * needs thread switches.
 */
void perf_take_switch(struct perf_reader *r, const uint8_t *record);
/* After all records: complete the capture that perf_take_switch() filled. */
void perf_switches_finish(struct perf_reader *r);

/* perf_data_task.c: whether @field is about control groups or namespaces: "cgroup", "pod", ... */
bool perf_is_task_field(struct str field);
void perf_take_cgroup(struct perf_reader *r, const uint8_t *record);
void perf_take_namespaces(struct perf_reader *r, const uint8_t *record);
/*
 * Set those fields of sample @s that were requested and are about control groups or namespaces. The
 * sample is the last sample in @p.
 */
void perf_add_task_fields(struct perf_reader *r, struct profile *p, const struct perf_sample *s);
void perf_task_fields_fini(struct perf_reader *r);

/* perf_data_stack.c: convert samples to stacks in the captures of their events. */
void perf_stack_init(struct perf_reader *r);
void perf_stack_fini(struct perf_reader *r);
/* perf_data_peek.c: XXH3 hash of @words, which must have at least one word. */
uint64_t perf_words_hash(struct perf_words words, uint64_t seed);
/* Hash of a call chain, the address of its sample and the CPU mode. */
static inline uint64_t perf_chain_hash(uint64_t ip, enum cpumode mode, struct perf_words chain)
{
	uint64_t seed = hash_u64(ip, (uint64_t)mode);

	return chain.n ? perf_words_hash(chain, seed) : seed;
}
/* Process @n elements of @items. @order has their indices, sorted by time. */
void perf_take_records(struct perf_reader *r, const struct perf_queued *items,
		       const uint32_t *order, size_t n);
/*
 * After all samples: convert the sums of equal samples (perf_data_rows.h) to elements of the
 * profiles.
 */
void perf_stack_finish(struct perf_reader *r);

/*
 * perf_data_script.c: print sample @s to the dossier's output wanted.script. The frames of the
 * sample are in r->frames.
 */
void perf_script_sample(struct perf_reader *r, const struct perf_sample *s, str_id comm);
/* After all samples: print the samples that wait for the text of a tracepoint. */
void perf_script_finish(struct perf_reader *r);
void perf_script_free(struct perf_script *t);

/*
 * perf_data_names.c: the function names that the file contains. NULL: the file has no names, they
 * are damaged, or the user gave files with symbols. Exception: for a file without names in a
 * capsule (several inputs in one file), the result is an empty set of names.
 */
const struct names *perf_names_read(struct perf_reader *r);
/*
 * Write a copy of the file to which the names of its functions are added. Error: ERR_UNSUPPORTED,
 * with the reason in @err.
 */
MUST_CHECK int perf_names_write(struct perf_reader *r, struct out *o, struct error *err);

/* Append a frame to the frames of the current sample, as the caller of the last frame. */
void perf_add_frame(struct perf_reader *r, uint64_t ip, uint64_t where);

/*
 * perf_data_unwind.c: unwind the user stack of @s from its registers and its stack dump, and append
 * the user frames to r->frames.
 */
void perf_unwind(struct perf_reader *r, const struct perf_sample *s, uint64_t where,
		 struct diag *diag);

/*
 * perf_data.c: the time of @record. It comes from a field of a sample, or from the sample_id_all
 * trailer of any other record. False: the record has no time.
 */
bool perf_record_time(const struct perf_reader *r, const uint8_t *record, uint64_t *ret);
/*
 * Thread id of a record that is not a sample, from its sample_id_all trailer. False: no thread id.
 */
bool perf_record_tid(const struct perf_reader *r, const uint8_t *record, uint32_t *ret);

/* perf_data_events.c: process a kernel record other than a sample, in time order. */
void perf_take_event(struct perf_reader *r, const uint8_t *record);
/* Process a whole PERF_RECORD_HEADER_BUILD_ID, header included. */
void perf_take_build_id(struct perf_reader *r, struct str record);

/*
 * perf_data_chunks.c: decompress a record and append a chunk to r->chunks. The chunk has the
 * incomplete record in r->carry, followed by the decompressed data; r->carry becomes empty. A
 * damaged record is counted, and the data before the damage are used. False: this build has no
 * zstd.
 */
bool perf_chunk_add(struct perf_reader *r, struct perf_bytes body);
/*
 * Free the chunks with an index below @keep - 1. The chunk at index @keep - 1 is kept, because the
 * caller may still read it.
 */
void perf_chunks_drop(struct perf_reader *r, size_t keep);
/* Start another zstd stream: drop the decoder's state and the incomplete record in r->carry. */
void perf_chunks_restart(struct perf_reader *r);
void perf_chunks_fini(struct perf_reader *r);

#endif
