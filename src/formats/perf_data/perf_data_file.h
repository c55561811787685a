/* SPDX-License-Identifier: MIT */
/*
 * perf_data_file.h - structure of a perf.data file: header, events, records
 *
 * Sources: tools/perf/Documentation/perf.data-file-format.txt for the file,
 * include/uapi/linux/perf_event.h for records and struct perf_event_attr. Sizes, counts and offsets
 * in the file are never trusted. Reads go through struct perf_bytes: a read past the end returns
 * zero and sets is_over. Record headers, struct perf_words and the fields in struct perf_layout are
 * read directly through pointers, after a check of the record's size.
 */
#ifndef FORMATS_PERF_DATA_FILE_H
#define FORMATS_PERF_DATA_FILE_H

#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "formats/format.h"

struct capture_note;
struct dossier;

extern const struct diag_kind perf_data_bad_feature;

/* number of bits in the file header that announce feature sections */
#define PERF_FEATURES 256u

enum perf_sample_type {
	PERF_SAMPLE_IP = 1u << 0,
	PERF_SAMPLE_TID = 1u << 1,
	PERF_SAMPLE_TIME = 1u << 2,
	PERF_SAMPLE_ADDR = 1u << 3,
	PERF_SAMPLE_READ = 1u << 4,
	PERF_SAMPLE_CALLCHAIN = 1u << 5,
	PERF_SAMPLE_ID = 1u << 6,
	PERF_SAMPLE_CPU = 1u << 7,
	PERF_SAMPLE_PERIOD = 1u << 8,
	PERF_SAMPLE_STREAM_ID = 1u << 9,
	PERF_SAMPLE_RAW = 1u << 10,
	PERF_SAMPLE_BRANCH_STACK = 1u << 11,
	PERF_SAMPLE_REGS_USER = 1u << 12,
	PERF_SAMPLE_STACK_USER = 1u << 13,
	PERF_SAMPLE_WEIGHT = 1u << 14,
	PERF_SAMPLE_DATA_SRC = 1u << 15,
	PERF_SAMPLE_IDENTIFIER = 1u << 16,
	PERF_SAMPLE_TRANSACTION = 1u << 17,
	PERF_SAMPLE_REGS_INTR = 1u << 18,
	PERF_SAMPLE_PHYS_ADDR = 1u << 19,
	PERF_SAMPLE_AUX = 1u << 20,
	PERF_SAMPLE_CGROUP = 1u << 21,
	PERF_SAMPLE_DATA_PAGE_SIZE = 1u << 22,
	PERF_SAMPLE_CODE_PAGE_SIZE = 1u << 23,
	PERF_SAMPLE_WEIGHT_STRUCT = 1u << 24,
};

enum perf_record_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST = 2,
	PERF_RECORD_COMM = 3,
	PERF_RECORD_EXIT = 4,
	PERF_RECORD_THROTTLE = 5,
	PERF_RECORD_UNTHROTTLE = 6,
	PERF_RECORD_FORK = 7,
	PERF_RECORD_READ = 8,
	PERF_RECORD_SAMPLE = 9,
	PERF_RECORD_MMAP2 = 10,
	PERF_RECORD_AUX = 11,
	PERF_RECORD_ITRACE_START = 12,
	PERF_RECORD_LOST_SAMPLES = 13,
	PERF_RECORD_SWITCH = 14,
	PERF_RECORD_SWITCH_CPU_WIDE = 15,
	PERF_RECORD_NAMESPACES = 16,
	PERF_RECORD_KSYMBOL = 17,
	PERF_RECORD_BPF_EVENT = 18,
	PERF_RECORD_CGROUP = 19,
	PERF_RECORD_TEXT_POKE = 20,
	PERF_RECORD_AUX_OUTPUT_HW_ID = 21,
	PERF_RECORD_CALLCHAIN_DEFERRED = 22,
	PERF_RECORD_KERNEL_MAX = 23,
};

/*
 * A range of bytes in the file, and a read position in it. Offsets count from the start of the
 * range.
 */
struct perf_bytes {
	const uint8_t *p;
	size_t len;
	size_t at;
	bool is_swapped;
	bool is_over; /* a read went past the end of the range */
};

static inline const uint8_t *perf_need(struct perf_bytes *b, size_t n)
{
	const uint8_t *p = b->p + b->at;

	if (UNLIKELY(b->len - b->at < n)) {
		b->is_over = true;
		b->at = b->len;
		return NULL;
	}
	b->at += n;
	return p;
}

static inline uint64_t perf_u64(struct perf_bytes *b)
{
	const uint8_t *p = perf_need(b, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return b->is_swapped ? __builtin_bswap64(v) : v;
}

static inline uint32_t perf_u32(struct perf_bytes *b)
{
	const uint8_t *p = perf_need(b, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return b->is_swapped ? __builtin_bswap32(v) : v;
}

static inline uint16_t perf_u16(struct perf_bytes *b)
{
	const uint8_t *p = perf_need(b, 2);
	uint16_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return b->is_swapped ? __builtin_bswap16(v) : v;
}

/* Take the next @n bytes; STR_NONE: fewer bytes are left. */
static inline struct str perf_take(struct perf_bytes *b, size_t n)
{
	const uint8_t *p = perf_need(b, n);

	return p ? (struct str){ (const char *)p, n } : STR_NONE;
}

/* Take a NUL-terminated text from the next @n bytes. */
static inline struct str perf_text(struct perf_bytes *b, size_t n)
{
	struct str s = perf_take(b, n < b->len - b->at ? n : b->len - b->at);

	return str_sub(s, 0, str_find_char(s, '\0'));
}

/* The bytes of @b from offset @from on, at most @len bytes, as a range of its own. */
struct perf_bytes perf_sub(const struct perf_bytes *b, uint64_t from, uint64_t len);

/*
 * Times of an event: how long it was enabled, and how long a hardware counter actually counted it.
 */
struct perf_times {
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/*
 * Special value of the members ip to period in struct perf_layout: the sample does not have this
 * field. Other values are offsets from the start of the sample's body.
 */
#define PERF_NOT_THERE UINT8_MAX

struct perf_layout {
	/*
	 * reading by fixed offsets is possible: all fields before the call chain have a fixed size,
	 * the chain is the last field, and the file has the byte order of this machine
	 */
	bool is_plain;
	uint8_t ip, tid, time, addr, id, stream_id, cpu, period;
	uint8_t chain; /* offset of the field with the length of the chain */
	uint8_t bytes; /* size of the sample without the chain's addresses */
	/*
	 * like is_plain, but three kinds of fields may follow the chain: `regs` user registers, a
	 * dump of the user stack, and `rest` fields of 64 bits each
	 */
	bool is_simple;
	bool has_regs, has_stack;
	uint8_t regs, rest;
};

struct perf_attr {
	uint32_t type;
	uint64_t config;
	/* number of events per sample; if is_frequency, number of samples per second */
	uint64_t period;
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user; /* registers that each sample has, one bit per register */
	uint64_t regs_intr;
	uint32_t stack_user; /* requested size of the user stack dump, in bytes */
	/*
	 * how long the event was enabled and counted, as a sum over its event ids (one id per CPU)
	 */
	struct perf_times times;
	bool is_frequency;
	bool has_sample_id_all;
	bool is_of_command; /* enable_on_exec: the event measures a command that perf started */
	bool excludes_user_chain; /* exclude_callchain_user: the kernel recorded no user frames */
	bool has_deferred;        /* user parts of chains are in separate records */
	bool has_switches;        /* context_switch: the file contains switch records */
	bool has_map_ids;         /* build_id: map records contain build ids */
	/*
	 * the event is a tracepoint that begins or ends an operation, such as a block request
	 * (perf_data_pairs.c)
	 */
	bool is_of_pair;
	bool is_monotonic; /* sample times come from CLOCK_MONOTONIC */
	bool has_uptime;   /* sample times count from boot */
	str_id name;
	struct perf_layout layout;
	/* index in perf_file.attrs of the group's leader, plus 1; 0: the event is in no group */
	uint32_t group;
	/* index in dossier.captures of the event's capture; INDEX_NONE: no sample yet */
	uint32_t capture;
};

#define PERF_TYPE_TRACEPOINT          2u /* a value of perf_attr.type */
#define PERF_SAMPLE_BRANCH_CALL_STACK (UINT64_C(1) << 11)

/* How the user part of the call chains of @a was obtained. */
static inline enum chain_source perf_chain_source(const struct perf_attr *a)
{
	/*
	 * assay itself made such a recording: the samples have call chains, but the kernel recorded
	 * no user frames. assay has unwound the user frames and added them
	 */
	bool is_unwound = a->excludes_user_chain && a->sample_type & PERF_SAMPLE_CALLCHAIN;

	return a->sample_type & PERF_SAMPLE_STACK_USER || is_unwound   ? CHAINS_UNWOUND
	       : a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK ? CHAINS_BRANCHES
	       : a->sample_type & PERF_SAMPLE_CALLCHAIN                ? CHAINS_FRAME_POINTERS
								       : CHAINS_UNKNOWN;
}

/*
 * Number of event ids that are cached. Several are needed, because an event has one id per CPU, and
 * samples of different CPUs alternate.
 */
#define PERF_LAST_IDS 16u

struct perf_file {
	const struct region *in;
	struct dossier *dossier;
	struct perf_bytes all;
	struct perf_bytes data;
	/*
	 * the file is big-endian; all.is_swapped is set if its byte order differs from this
	 * machine's
	 */
	bool is_big_endian;
	bool is_pipe;
	bool is_directory; /* samples are in separate files: perf record --threads */
	VEC(struct perf_attr) attrs;
	struct idmap ids_map; /* event id -> row of `ids` */
	VEC(uint64_t) ids;
	VEC(uint32_t) id_attr; /* for each row of `ids`: index in `attrs` of the event */
	struct {
		uint64_t id;
		/* index in `attrs` of the event with this id, plus 1; 0: the slot is free */
		uint32_t attr;
	} last_ids[PERF_LAST_IDS];
	/*
	 * for each row of `ids`: the times in the latest sample with this event id. May have fewer
	 * rows than `ids`: the missing rows had no sample with times so far
	 */
	VEC(struct perf_times) id_times;
	/*
	 * for each row of `ids`: the count in the latest sample with this event id. May have fewer
	 * rows than `ids`: the missing rows had no sample with counts so far
	 */
	VEC(uint64_t) id_values;
	VEC(struct capture_note) notes;
	VEC(struct profile_cpu) cpus; /* indexed by CPU number; only CPUs that the header lists */
	/* time of the last sample according to the header; 0: unknown */
	uint64_t last_ns;
	/* content of section TRACING_DATA; empty: no such section */
	struct str tracing_data;
	/*
	 * content of section NAMES, a table of function names (symbols/names.h); empty: no such
	 * section
	 */
	struct str names;
	VEC(struct str) build_id_records; /* whole build id records, in the file's byte order */
	struct diag diag;
};

/*
 * Read file header, event attributes and feature sections. For a pipe, read only the file header,
 * because its records contain the attributes and features. Error: ERR_FORMAT with a message.
 */
MUST_CHECK int perf_file_open(struct perf_file *f, const struct region *in, struct dossier *d,
			      struct error *err);
void perf_file_fini(struct perf_file *f);
/* Add an event. @attr: its struct perf_event_attr. @ids: the ids of the event. */
void perf_file_add_attr(struct perf_file *f, struct perf_bytes attr, struct perf_bytes ids);
/* Add @id as an id of the event at index @attr in f->attrs. */
void perf_file_add_id(struct perf_file *f, uint64_t id, uint32_t attr);
/* Index in f->attrs of the event with the id @id; 0 if the id is unknown. */
uint32_t perf_file_attr_of(struct perf_file *f, uint64_t id);
/*
 * Store @now, the times in a sample with the event id @id. Also add their increase since the
 * previous sample with this id to the times of the event at index @attr. Times that decrease are
 * ignored.
 */
void perf_file_times(struct perf_file *f, uint32_t attr, uint64_t id, struct perf_times now);
/*
 * Store @value, the count of the event id @id. @ret_grown: increase since the previous count of
 * this id; @ret_attr: index of its event in f->attrs. False: unknown id.
 */
bool perf_file_count(struct perf_file *f, uint64_t id, uint64_t value, uint32_t *ret_attr,
		     uint64_t *ret_grown);
/*
 * perf_data_features.c: process a feature section, which has facts about the machine and the
 * recording. It comes from the header or from a HEADER_FEATURE record. Adds notes, event names,
 * build ids and CPUs.
 */
void perf_file_feature(struct perf_file *f, unsigned int feature, struct perf_bytes body);
/* Add notes about the events. Call this when all events are known. */
void perf_file_note_events(struct perf_file *f);

#endif
