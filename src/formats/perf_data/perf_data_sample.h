/* SPDX-License-Identifier: MIT */
/*
 * perf_data_sample.h - decode a PERF_RECORD_SAMPLE
 *
 * Layout: include/uapi/linux/perf_event.h, PERF_RECORD_SAMPLE, in the order of the kernel's
 * perf_output_sample(). Arrays are not copied. They point into the record and keep its byte order.
 * perf_word() reads an element and converts it to this machine's byte order.
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

/* Element @i of @w; @i must be below w.n. */
static inline uint64_t perf_word(struct perf_words w, uint64_t i)
{
	uint64_t v;

	memcpy(&v, w.p + 8 * i, sizeof(v));
	return w.is_swapped ? __builtin_bswap64(v) : v;
}

/*
 * Registers at a sample: one value for each bit of `mask`, in the order of the bits. If abi is 0,
 * there are no values.
 */
struct perf_regs {
	uint64_t abi; /* enum perf_sample_regs_abi: 0 none, 1 32-bit, 2 64-bit */
	uint64_t mask;
	struct perf_words values;
};

/*
 * The fields of a sample. Fields that attr.sample_type does not select are 0, except cpu, which is
 * UINT32_MAX.
 */
struct perf_sample {
	uint32_t attr; /* event: index in perf_file.attrs */
	uint16_t misc; /* misc field of the record's header */
	/*
	 * the sample was decoded by fixed offsets, so fields that are not in struct perf_layout are
	 * zero
	 */
	bool is_plain;
	enum cpumode mode; /* CPU mode: misc & 7 */
	uint32_t pid, tid, cpu;
	uint64_t ip, time, addr, id, stream_id;
	/*
	 * period field of the sample; if the sample has none, the period of the event's attribute
	 */
	uint64_t period;
	uint64_t weight, data_src, transaction, phys_addr, cgroup;
	uint64_t data_page_size, code_page_size;
	/*
	 * all words of the PERF_SAMPLE_READ field; in an event group, the first word is the number
	 * of counts
	 */
	struct perf_words read;
	struct perf_words chain;
	/* raw fields of a tracepoint, in the recorded machine's byte order */
	struct str raw;
	struct perf_words branches; /* three words per branch: from, to, flags */
	/* hardware index of the latest branch (hw_idx); UINT64_MAX: not recorded */
	uint64_t branch_hw_idx;
	struct perf_regs user_regs;
	struct perf_regs intr_regs;
	/* bytes of the stack dump, from the stack pointer to higher addresses */
	struct str user_stack;
};

/* Count of an event at the time of a sample. */
struct perf_count {
	uint64_t id;
	uint64_t value;
};

/*
 * The 64-bit field at offset @at of @body, in the byte order of this machine. If @at is
 * PERF_NOT_THERE, the result is @other.
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
 * The 32-bit field at offset @at + @behind of @body. If @at is PERF_NOT_THERE, the result is
 * @other. Adjacent fields such as pid and tid must not be read as one 64-bit word, because their
 * order in the word depends on the byte order.
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
 * Number of pairs of id and value in @s->read: one pair per event of the group, or one pair for a
 * single event. 0: the sample has no such field, or its counts have no ids.
 */
size_t perf_sample_counts(const struct perf_attr *a, const struct perf_sample *s);
/* Pair @i of @s->read; @i must be below perf_sample_counts(). */
struct perf_count perf_sample_count(const struct perf_attr *a, const struct perf_sample *s,
				    size_t i);
/*
 * Index in @f->attrs of the event of a sample. @body: body of the sample. If the file has several
 * events, the id in the sample selects the event.
 */
uint32_t perf_sample_attr(struct perf_file *f, struct perf_bytes body);
/*
 * Whether samples of @a are waits that perf record --off-cpu recorded. In such samples, the raw
 * data name the thread that waited.
 */
bool perf_attr_is_off_cpu(const struct perf_file *f, const struct perf_attr *a);
/*
 * Decode @body, the body of a sample, into @ret. @attr: index of its event in @f->attrs. @misc:
 * field misc of the record's header. Before the call, @ret must be zero, or contain the result of
 * an earlier call. False: @body is truncated or inconsistent.
 */
bool perf_sample_decode(const struct perf_file *f, uint32_t attr, uint16_t misc,
			struct perf_bytes body, struct perf_sample *ret);

#endif
