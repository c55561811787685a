/* SPDX-License-Identifier: MIT */
/*
 * perf_data_sample.h - decode a PERF_RECORD_SAMPLE
 *
 * Layout: include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE, in the order of the kernel's
 * perf_output_sample(). Arrays are not copied: they point into the record and keep its byte order.
 * perf_word() reads an element in this machine's byte order.
 */
#ifndef FORMATS_PERF_DATA_SAMPLE_H
#define FORMATS_PERF_DATA_SAMPLE_H

#include "base/str.h"
#include "formats/perf_data/perf_data_file.h"
#include "symbols/resolver/resolver.h"

/* @n values of 8 bytes inside a record. */
struct perf_words {
	const uint8_t *p; /* NULL: no values */
	uint64_t n;
	bool is_swapped;
};

/* Value @i of @w; @i must be below w.n. */
static inline uint64_t perf_word(struct perf_words w, uint64_t i)
{
	uint64_t v;

	memcpy(&v, w.p + 8 * i, sizeof(v));
	return w.is_swapped ? __builtin_bswap64(v) : v;
}

/* Sampled registers: one value per bit of @mask, in bit order. No values if abi is 0. */
struct perf_regs {
	uint64_t abi; /* enum perf_sample_regs_abi: 0 none, 1 32 bits, 2 64 bits */
	uint64_t mask;
	struct perf_words values;
};

/* The fields of a sample. A field that attr.sample_type does not select is 0; cpu is UINT32_MAX. */
struct perf_sample {
	uint32_t attr;     /* row of perf_file.attrs */
	uint16_t misc;     /* misc field of the record's header */
	bool is_plain;     /* all fields that are not in struct perf_layout are zero */
	enum cpumode mode; /* misc & 7 */
	uint32_t pid, tid, cpu;
	uint64_t ip, time, addr, id, stream_id;
	uint64_t period; /* period of the sample; if it has none, that of its event's attribute */
	uint64_t weight, data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	/*
	 * all words of the PERF_SAMPLE_READ field; for an event group they start with the number of
	 * values
	 */
	struct perf_words read;
	struct perf_words chain;
	/* raw fields of a tracepoint, in the recorded machine's byte order */
	struct str raw;
	struct perf_words branches; /* three words per branch: from, to, flags */
	uint64_t branch_hw_idx;     /* UINT64_MAX: not recorded */
	struct perf_regs user_regs;
	struct perf_regs intr_regs;
	struct str user_stack; /* dumped bytes, from the stack pointer upwards */
};

/* Count of an event at the time of a sample. */
struct perf_count {
	uint64_t id;
	uint64_t value;
};

/*
 * The 64-bit field at offset @at of @body, whose byte order must be this machine's. @other: result
 * if @at is PERF_NOT_THERE.
 */
static inline uint64_t perf_plain_u64(const uint8_t *body, uint8_t at, uint64_t other)
{
	uint64_t v;

	if (at == PERF_NOT_THERE)
		return other;
	memcpy(&v, body + at, sizeof(v));
	return v;
}

/*
 * The 32-bit field at offset @at + @behind of @body; result @other if @at is PERF_NOT_THERE. Pid
 * and tid, for example, must not be read as one 64-bit word: their order depends on the byte order.
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

/*
 * Number of (id, value) pairs in @s->read, one pair per event of the group. 0: no group, or no ids.
 */
size_t perf_sample_counts(const struct perf_attr *a, const struct perf_sample *s);
/* Pair @i of @s->read; @i must be below perf_sample_counts(). */
struct perf_count perf_sample_count(const struct perf_attr *a, const struct perf_sample *s,
				    size_t i);
/*
 * Row in @f->attrs of the event of a sample with body @body. If the file has several events, the id
 * in the sample decides.
 */
uint32_t perf_sample_attr(struct perf_file *f, struct perf_bytes body);
/*
 * Whether samples of @a are waits recorded by perf record --off-cpu. Their raw bytes name the
 * thread that waited.
 */
bool perf_attr_is_off_cpu(const struct perf_file *f, const struct perf_attr *a);
/*
 * Decode @body, the body of a sample of event @attr; @misc comes from the record's header. False:
 * truncated or inconsistent. Before the call, @ret must be zeroed, or hold the result of an earlier
 * call.
 */
bool perf_sample_decode(const struct perf_file *f, uint32_t attr, uint16_t misc,
			struct perf_bytes body, struct perf_sample *ret);

#endif
