/* SPDX-License-Identifier: MIT */
/*
 * perf_data_file.h - structure of a perf.data file: header, events, records
 *
 * Sources: tools/perf/Documentation/perf.data-file-format.txt for the file,
 * include/uapi/linux/perf_event.h for records and struct perf_event_attr. Sizes, counts and
 * offsets in the file are never trusted: reads go through perf_bytes, which returns zero past
 * the end and sets is_over. The readers of struct perf_layout, struct perf_words and record
 * headers use pointers instead; they run after a check of the record's size.
 *
 * Private to perf_data*.c.
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

/* A range of the file in its byte order. */
struct perf_bytes {
	const uint8_t *p;
	size_t len;
	size_t at;
	bool is_swapped;
	bool is_over; /* a read went past the end */
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

/* Take @n bytes; none if fewer are left. */
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

/* The range of @b from @from, at most @len bytes. */
struct perf_bytes perf_sub(const struct perf_bytes *b, uint64_t from, uint64_t len);

/* Time for which an event was enabled, and for which it had a counter. */
struct perf_times {
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* Offsets of sample fields from the start of the body; PERF_NOT_THERE: absent. */
#define PERF_NOT_THERE UINT8_MAX

struct perf_layout {
	/* all fields before the chain have fixed size, none follows it, no byte swap needed */
	bool is_plain;
	uint8_t ip, tid, time, addr, id, stream_id, cpu, period;
	uint8_t chain; /* offset of the length of the chain */
	uint8_t bytes; /* size without the addresses of the chain */
	/*
	 * The same, but these fields may follow the chain: user registers (`regs` words), a
	 * user stack dump, and `rest` single words.
	 */
	bool is_simple;
	bool has_regs, has_stack;
	uint8_t regs, rest;
};

struct perf_attr {
	uint32_t type;
	uint64_t config;
	uint64_t period; /* or frequency */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t regs_user; /* register masks of samples */
	uint64_t regs_intr;
	uint32_t stack_user;     /* size of the stack dump */
	struct perf_times times; /* sum over its ids, latest values */
	bool is_frequency;
	bool has_sample_id_all;
	bool is_of_command;    /* enable_on_exec: measures a command that perf started */
	bool has_other_chains; /* exclude_callchain_user: no user part from the kernel */
	bool has_deferred;     /* user parts of chains are in records of their own */
	bool has_switches;     /* context_switch: the file has switch records */
	bool has_map_ids;      /* build_id: maps have build ids */
	bool is_of_pair;       /* a tracepoint that begins or ends operations */
	bool is_monotonic;     /* its times are of CLOCK_MONOTONIC */
	bool has_uptime;       /* the clock of its times starts at boot */
	str_id name;
	struct perf_layout layout;
	uint32_t group;   /* 1 + row of its group leader; 0: no group */
	uint32_t capture; /* in dossier.captures, INDEX_NONE before the first sample */
};

#define PERF_SAMPLE_BRANCH_CALL_STACK (UINT64_C(1) << 11)

/* Source of the user part of call chains. */
static inline enum chain_source perf_chain_source(const struct perf_attr *a)
{
	/* the kernel left out user frames: assay unwound them while recording */
	bool is_unwound = a->has_other_chains && a->sample_type & PERF_SAMPLE_CALLCHAIN;

	return a->sample_type & PERF_SAMPLE_STACK_USER || is_unwound   ? CHAINS_UNWOUND
	       : a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK ? CHAINS_BRANCHES
	       : a->sample_type & PERF_SAMPLE_CALLCHAIN                ? CHAINS_FRAME_POINTERS
								       : CHAINS_UNKNOWN;
}

#define PERF_LAST_IDS 16u /* ids alternate, one per CPU */

struct perf_file {
	const struct region *in;
	struct dossier *dossier;
	struct perf_bytes all;
	struct perf_bytes data;
	bool is_big_endian; /* all.is_swapped: other byte order than this machine */
	bool is_pipe;
	bool is_directory; /* samples are in separate files: perf record --threads */
	VEC(struct perf_attr) attrs;
	struct idmap ids_map; /* event ids: row of `ids` */
	VEC(uint64_t) ids;
	VEC(uint32_t) id_attr;
	struct {
		uint64_t id;
		uint32_t attr; /* 1 + row of its event; 0: the slot is free */
	} last_ids[PERF_LAST_IDS];
	VEC(struct perf_times) id_times; /* latest times by row of ids; may be shorter */
	VEC(uint64_t) id_values;         /* latest count by row of ids; may be shorter */
	VEC(struct capture_note) notes;
	VEC(struct profile_cpu) cpus;     /* by number, as far as the header lists them */
	uint64_t last_ns;                 /* time of the last sample in the header; 0: unknown */
	struct str tracing_data;          /* section TRACING_DATA; empty: none */
	VEC(struct str) build_id_records; /* whole records, in the file's byte order */
	struct diag diag;
};

/*
 * Read header, attributes and feature sections; of a pipe only the header, because the rest
 * comes as records. Errors: ERR_FORMAT with a sentence.
 */
MUST_CHECK int perf_file_open(struct perf_file *f, const struct region *in, struct dossier *d,
			      struct error *err);
void perf_file_fini(struct perf_file *f);
/* Add a struct perf_event_attr and its ids. */
void perf_file_add_attr(struct perf_file *f, struct perf_bytes attr, struct perf_bytes ids);
/* Add an id to the event @attr. */
void perf_file_add_id(struct perf_file *f, uint64_t id, uint32_t attr);
/* Row of the event with @id; 0 if unknown. */
uint32_t perf_file_attr_of(struct perf_file *f, uint64_t id);
/* Record the times in a sample of id @id. Times that shrink are ignored. */
void perf_file_times(struct perf_file *f, uint32_t attr, uint64_t id, struct perf_times now);
/*
 * Record the count @value of event id @id. @ret_grown: the increase since its previous count;
 * @ret_attr: row of the event. False: unknown id.
 */
bool perf_file_count(struct perf_file *f, uint64_t id, uint64_t value, uint32_t *ret_attr,
		     uint64_t *ret_grown);
/*
 * perf_data_features.c: process a feature section, from the header or from a HEADER_FEATURE
 * record. It adds notes, event names, build ids and CPUs.
 */
void perf_file_feature(struct perf_file *f, unsigned int feature, struct perf_bytes body);
/* Add notes about the events, once all are known. */
void perf_file_note_events(struct perf_file *f);

#endif
