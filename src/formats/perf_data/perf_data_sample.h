/* SPDX-License-Identifier: MIT */
/*
 * perf_data_sample.h - one PERF_RECORD_SAMPLE as a struct
 *
 * Layout: include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE, in the order that
 * perf_output_sample() writes. Arrays are not copied: they point into the record
 * and stay in its byte order; take their elements with perf_word().
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_SAMPLE_H
#define FORMATS_PERF_DATA_SAMPLE_H

#include "formats/perf_data/perf_data_file.h"
#include "symbols/resolver.h"

/* @n values of 8 bytes inside a record. */
struct perf_words {
	const uint8_t *p; /* NULL: none */
	uint64_t n;
	bool is_swapped;
};

/* Element @i, which must be below n. */
static inline uint64_t perf_word(struct perf_words w, uint64_t i)
{
	uint64_t v;

	memcpy(&v, w.p + 8 * i, sizeof(v));
	return w.is_swapped ? __builtin_bswap64(v) : v;
}

/* Registers as they were: those of @mask in order of their bits, none where abi is 0. */
struct perf_regs {
	uint64_t abi; /* enum perf_sample_regs_abi: 0 none, 1 32 bits, 2 64 bits */
	uint64_t mask;
	struct perf_words values;
};

/* A field that attr.sample_type does not have is zero, cpu UINT32_MAX. */
struct perf_sample {
	uint32_t attr;     /* row of perf_file.attrs */
	uint16_t misc;     /* of the record's header */
	bool is_plain;     /* fields that struct perf_layout does not have are zero */
	enum cpumode mode; /* misc & 7 */
	uint32_t pid, tid, cpu;
	uint64_t ip, time, addr, id, stream_id;
	uint64_t period; /* the attribute's where samples have none */
	uint64_t weight, data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	struct perf_words read; /* whole read_format of the attribute, a group's number first */
	struct perf_words chain;
	struct str raw;             /* a tracepoint's fields, in the byte order of the machine */
	struct perf_words branches; /* from, to, flags: three words each */
	uint64_t branch_hw_idx;     /* UINT64_MAX: not recorded */
	struct perf_regs user_regs;
	struct perf_regs intr_regs;
	struct str user_stack; /* bytes from the stack pointer upwards, that were really dumped */
};

/* What an event had counted when a sample was taken. */
struct perf_count {
	uint64_t id;
	uint64_t value;
};

/* A field of a plain layout at @at of @body; @other where it is not there. */
static inline uint64_t perf_plain_u64(const uint8_t *body, uint8_t at, uint64_t other)
{
	uint64_t v;

	if (at == PERF_NOT_THERE)
		return other;
	memcpy(&v, body + at, sizeof(v));
	return v;
}

/*
 * The same of the 32 bits @behind that. Two fields of 32 bits are no word of 64: which one
 * comes first would hang on the order of bytes.
 */
static inline uint32_t perf_plain_u32(const uint8_t *body, uint8_t at, size_t behind,
				      uint32_t other)
{
	uint32_t v;

	if (at == PERF_NOT_THERE)
		return other;
	memcpy(&v, body + at + behind, sizeof(v));
	return v;
}

/* How many counts with an id @s has read, of events of its group; 0: none, or without ids. */
size_t perf_sample_counts(const struct perf_attr *a, const struct perf_sample *s);
/* The @i th, which must be below that. */
struct perf_count perf_sample_count(const struct perf_attr *a, const struct perf_sample *s,
				    size_t i);
/*
 * The event that @body, of a sample, belongs to: row of @f->attrs, by its id
 * where there are several.
 */
uint32_t perf_sample_attr(struct perf_file *f, struct perf_bytes body);
/*
 * Decode @body, of a sample of event @attr with @misc in its header.
 * False: it is cut or contradicts its own size. @ret is zeroed or was filled before.
 */
bool perf_sample_decode(const struct perf_file *f, uint32_t attr, uint16_t misc,
			struct perf_bytes body, struct perf_sample *ret);

#endif
