/* SPDX-License-Identifier: MIT */
/*
 * perf_data_peek.h - decode samples early, while their records are in the CPU cache
 *
 * Nearly all records of a file are samples of a few events. Their fields are at fixed offsets, and
 * their call chains have occurred before. When such a record is queued, it is in the CPU cache, and
 * perf_peek() extracts all needed data. Reading the record again after sorting would take 1.2 to
 * 1.5 times the CPU time if chains repeat, and 1.0 to 1.2 times if chains vary.
 */
#ifndef FORMATS_PERF_DATA_PEEK_H
#define FORMATS_PERF_DATA_PEEK_H

#include "base/status.h"
#include "formats/format.h"
#include "formats/perf_data/fast/perf_data_queue.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_reader.h"
#include "formats/perf_data/perf_data_sample.h"
#include "symbols/resolver/resolver.h"

/*
 * Fill r->peek with the field offsets for samples of the same event as @record. False: no event is
 * known yet, its samples have no time, @record is too short, or the byte order of the file differs
 * from this machine's.
 */
bool perf_peek_fill(struct perf_reader *r, const uint8_t *record, uint16_t size);

/*
 * Whether a record is long enough for all fields that follow its call chain @chain in layout @l.
 * @end: end of the record.
 */
static inline bool perf_peek_is_whole(const struct perf_layout *l, struct perf_words chain,
				      const uint8_t *end)
{
	const uint8_t *at = chain.p + 8 * chain.n;
	size_t left = (size_t)(end - at);
	size_t need = 8u * l->rest;
	uint64_t size;

	if (l->has_regs) {
		size_t regs;

		if (left < 8)
			return false;
		regs = 8u + (perf_plain_u64(at, 0, 0) ? 8u * l->regs : 0u);
		if (left < regs)
			return false;
		at += regs;
		left -= regs;
	}
	if (l->has_stack) {
		if (left < 8)
			return false;
		size = perf_plain_u64(at, 0, 0);
		left -= 8;
		if (size > left)
			return false;
		left -= (size_t)size;
		/* u64 dyn_size follows the dump if the dump is not empty */
		need += size ? 8u : 0u;
	}
	return left >= need;
}

/*
 * Decode the sample @record of @size bytes into @ret. The member chunk is not set. False: not even
 * the offset of the time is known.
 *
 * Some samples cannot be decoded completely: their fields have no fixed offsets, the record is too
 * short, or the user part of the chain is in another record. For these, only time and record are
 * set, and attr is PERF_QUEUED_SAMPLE. perf_take_records() decodes them later.
 */
static inline bool perf_peek(struct perf_reader *r, const uint8_t *record, uint16_t size,
			     struct perf_queued *ret)
{
	const struct perf_peek *p = &r->peek;
	const struct perf_layout *l = &p->layout;
	const uint8_t *body = record + 8;
	struct perf_words chain;

	if (UNLIKELY(p->n_attrs != r->file.attrs.len || p->n_attrs == 0 || size < p->least ||
		     (p->has_id && perf_plain_u64(record, (uint8_t)p->id_at, 0) != p->id)) &&
	    !perf_peek_fill(r, record, size))
		return false;
	memcpy(&ret->time, record + p->time_at, sizeof(ret->time));
	ret->record = record;
	ret->attr = PERF_QUEUED_SAMPLE;
	if (UNLIKELY(p->attr == PERF_QUEUED_SAMPLE || size < p->least))
		return true;
	chain = (struct perf_words){ body + l->bytes, perf_plain_u64(body, l->chain, 0), false };
	if (UNLIKELY(chain.n > (size - 8u - l->bytes) / 8))
		return true;
	if (UNLIKELY(!l->is_plain) && !perf_peek_is_whole(l, chain, body + size - 8u))
		return true;
	if (r->file.in->options.without_callers)
		chain.n = 0;
	if (UNLIKELY(perf_is_deferred(chain)))
		return true;
	ret->attr = p->attr;
	ret->pid = perf_plain_u32(body, l->tid, 0, 0);
	ret->tid = perf_plain_u32(body, l->tid, 4, 0);
	ret->period = perf_plain_u64(body, l->period, p->period);
	ret->hash = perf_chain_hash(perf_plain_u64(body, l->ip, 0),
				    (enum cpumode)(perf_record_misc(r, record) & 7), chain);
	return true;
}

#endif
