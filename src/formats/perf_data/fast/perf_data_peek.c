/* SPDX-License-Identifier: MIT */
#include "formats/perf_data/fast/perf_data_peek.h"

#include "formats/format.h"
#include "formats/perf_data/fast/perf_data_queue.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_sample.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t perf_words_hash(struct perf_words words, uint64_t seed)
{
	return XXH3_64bits_withSeed(words.p, (size_t)words.n * 8, seed);
}

/*
 * Whether a sample's stack depends only on fields in the cache key. The key is a hash of the fields
 * up to the call chain.
 */
static bool perf_peek_knows(const struct perf_reader *r, const struct perf_layout *l)
{
	/*
	 * a stack dump may follow the chain, and is not in the key. It matters only for the
	 * callers, so it can be ignored if without_callers omits them
	 */
	return l->is_plain || (l->is_simple && r->file.in->options.without_callers);
}

bool perf_peek_fill(struct perf_reader *r, const uint8_t *record, uint16_t size)
{
	const struct perf_attr *first = r->file.attrs.data;
	struct perf_bytes body = { record + 8, size - 8u, 0, false, false };
	struct perf_peek *p = &r->peek;
	uint32_t attr;

	p->n_attrs = 0;
	if (r->file.attrs.len == 0 || r->file.all.is_swapped ||
	    first->layout.time == PERF_NOT_THERE || body.len < first->layout.bytes)
		return false;
	attr = perf_sample_attr(&r->file, body);
	*p = (struct perf_peek){
		.n_attrs = r->file.attrs.len,
		.has_id = r->file.attrs.len > 1 && first->layout.id != PERF_NOT_THERE,
		.id_at = 8u + (first->sample_type & PERF_SAMPLE_IDENTIFIER ? 0u : first->layout.id),
		.time_at = 8u + first->layout.time,
		.attr = PERF_QUEUED_SAMPLE,
		.least = 8u + first->layout.bytes,
	};
	if (p->has_id)
		memcpy(&p->id, record + p->id_at, sizeof(p->id));
	if (attr < r->file.attrs.len && perf_peek_knows(r, &r->file.attrs.data[attr].layout)) {
		const struct perf_attr *a = &r->file.attrs.data[attr];

		p->attr = attr;
		p->layout = a->layout;
		p->period = a->is_frequency ? 1 : a->period;
		if (p->least < 8u + a->layout.bytes)
			p->least = 8u + a->layout.bytes;
	}
	return true;
}
