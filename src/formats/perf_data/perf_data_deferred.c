/* SPDX-License-Identifier: MIT */
/*
 * The format is that of PERF_RECORD_CALLCHAIN_DEFERRED in include/uapi/linux/perf_event.h of Linux
 * 6.19. The user part is joined to the sample's chain as perf does it:
 * sample__merge_deferred_callchain() in tools/perf/util/callchain.c.
 */
#include "formats/perf_data/perf_data_deferred.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/vec.h"
#include "formats/perf_data/perf_data_reader.h"
#include "formats/perf_data/perf_data_sample.h"

/* maximum number of stored frames in perf_deferred.words; chains with equal frames share them */
#define PERF_DEFERRED_WORDS (UINT32_C(1) << 24)

void perf_deferred_fini(struct perf_deferred *d)
{
	VEC_FREE(&d->chains);
	VEC_FREE(&d->words);
	idmap_fini(&d->by_cookie);
	idmap_fini(&d->by_words);
}

/*
 * Store the frames of @chain in d->words. If an earlier chain has equal frames, reuse these.
 * Returns the index in d->words of the first frame.
 */
static size_t perf_deferred_words(struct perf_deferred *d, struct perf_words chain)
{
	size_t at = d->words.len;
	struct idmap_probe p;
	struct perf_words own;

	for (uint64_t i = 0; i < chain.n; i++)
		*VEC_PUSH(&d->words) = perf_word(chain, i);
	own = (struct perf_words){ (const uint8_t *)(d->words.data + at), chain.n, false };
	p = idmap_first(&d->by_words, perf_words_hash(own, 0));
	while (idmap_next(&d->by_words, &p)) {
		const struct perf_deferred_chain *known = &d->chains.data[p.id];

		if (known->n == chain.n &&
		    memcmp(d->words.data + known->at, own.p, chain.n * sizeof(uint64_t)) == 0) {
			d->words.len = at;
			return known->at;
		}
	}
	idmap_insert(&d->by_words, &p, (uint32_t)d->chains.len);
	return at;
}

/*
 * Index in d->chains of the user part with @tid and @cookie; UINT32_MAX: no such part. If there is
 * none, @p is the place at which idmap_insert() can add the part to d->by_cookie.
 */
static uint32_t perf_deferred_find(struct perf_deferred *d, uint32_t tid, uint64_t cookie,
				   struct idmap_probe *p)
{
	*p = idmap_first(&d->by_cookie, hash_u64(cookie, tid));
	while (idmap_next(&d->by_cookie, p)) {
		const struct perf_deferred_chain *known = &d->chains.data[p->id];

		if (known->tid == tid && known->cookie == cookie)
			return p->id;
	}
	return UINT32_MAX;
}

bool perf_deferred_add(struct perf_deferred *d, uint32_t tid, uint64_t cookie,
		       struct perf_words chain)
{
	struct idmap_probe p;
	size_t at;

	if (chain.n == 0 || perf_deferred_find(d, tid, cookie, &p) != UINT32_MAX)
		return true;
	if (d->chains.len >= LIMIT_SAMPLES || chain.n > PERF_DEFERRED_WORDS - d->words.len)
		return false;
	at = perf_deferred_words(d, chain);
	idmap_insert(&d->by_cookie, &p, (uint32_t)d->chains.len);
	*VEC_PUSH(&d->chains) = (struct perf_deferred_chain){ cookie, tid, (uint32_t)chain.n, at };
	return true;
}

void perf_deferred_join(struct perf_deferred *d, struct perf_sample *s, perf_words_vec *own)
{
	const struct perf_deferred_chain *found;
	struct idmap_probe p;
	uint32_t row;

	if (!perf_is_deferred(s->chain))
		return;
	row = perf_deferred_find(d, s->tid, perf_word(s->chain, s->chain.n - 1), &p);
	if (row == UINT32_MAX)
		return;
	found = &d->chains.data[row];
	own->len = 0;
	for (uint64_t i = 0; i + 2 < s->chain.n; i++)
		*VEC_PUSH(own) = perf_word(s->chain, i);
	VEC_APPEND(own, d->words.data + found->at, found->n);
	s->chain = (struct perf_words){ (const uint8_t *)own->data, own->len, false };
}
