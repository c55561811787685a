/* SPDX-License-Identifier: MIT */
/*
 * perf_data_deferred.h - user parts of call chains that the kernel recorded later
 *
 * Since Linux 6.19 the kernel can postpone the user part of a chain until the thread returns to
 * user space. The sample's chain then ends with PERF_CONTEXT_USER_DEFERRED and a cookie;
 * PERF_RECORD_CALLCHAIN_DEFERRED of the same thread has the cookie and the rest. It may come
 * seconds after the sample. Therefore a first pass over the file collects these records, and a
 * second pass joins them to the samples. perf instead delays the samples, which puts them out of
 * time order and under the thread's later name.
 *
 * Equal chains are stored once. Memory: 24 bytes a record, two index slots, 8 bytes a frame.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_DEFERRED_H
#define FORMATS_PERF_DATA_DEFERRED_H

#include "base/idmap.h"
#include "base/vec.h"
#include "formats/perf_data/perf_data_sample.h"

#define PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)

struct perf_deferred_chain {
	uint64_t cookie;
	uint32_t tid;
	uint32_t n;
	size_t at; /* in perf_deferred.words */
};

typedef VEC(uint64_t) perf_words_vec;

struct perf_deferred {
	VEC(struct perf_deferred_chain) chains;
	struct idmap by_cookie; /* tid and cookie -> chain */
	struct idmap by_words;  /* frames -> chain with these frames */
	perf_words_vec words;
	bool is_joining; /* the second pass */
};

/* Whether the user part of @chain comes in a record of its own. */
static inline bool perf_is_deferred(struct perf_words chain)
{
	return chain.n >= 2 && perf_word(chain, chain.n - 2) == PERF_CONTEXT_USER_DEFERRED;
}

void perf_deferred_fini(struct perf_deferred *d);
/* Add the chain of a record; ignored if @tid and @cookie are known. False: at a limit. */
bool perf_deferred_add(struct perf_deferred *d, uint32_t tid, uint64_t cookie,
		       struct perf_words chain);
/*
 * Complete the deferred chain of sample @s. The result is in @own, which must outlive the
 * sample. No effect if its record is missing.
 */
void perf_deferred_join(struct perf_deferred *d, struct perf_sample *s, perf_words_vec *own);

#endif
