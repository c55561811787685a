/* SPDX-License-Identifier: MIT */
/*
 * perf_data_deferred.h - user parts of call chains that the kernel recorded later
 *
 * Since Linux 6.19, the kernel can postpone the user part of a chain until the thread returns to
 * user space. The sample's chain then ends with PERF_CONTEXT_USER_DEFERRED and a cookie. The user
 * part is in a PERF_RECORD_CALLCHAIN_DEFERRED of the same thread, with the same cookie. This record
 * may come seconds after the sample. So a first pass over the file collects these records, and a
 * second pass joins them to the samples. perf has no second pass, but delays such a sample until
 * its user part is read. So perf shows the sample out of time order, and with the name that the
 * thread has later.
 *
 * Equal chains are stored once. Memory: 24 bytes and two index slots per record, 8 bytes per frame.
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
	size_t at; /* index of the first frame in perf_deferred.words */
};

typedef VEC(uint64_t) perf_words_vec;

struct perf_deferred {
	VEC(struct perf_deferred_chain) chains;
	struct idmap by_cookie; /* thread id and cookie -> index in chains */
	/* hash of frames -> index in chains of the first chain with these frames */
	struct idmap by_words;
	perf_words_vec words;
	/*
	 * this is the second pass over the file, which joins the stored user parts to the samples
	 */
	bool is_joining;
};

/* Whether the user part of @chain is in a separate record. */
static inline bool perf_is_deferred(struct perf_words chain)
{
	return chain.n >= 2 && perf_word(chain, chain.n - 2) == PERF_CONTEXT_USER_DEFERRED;
}

void perf_deferred_fini(struct perf_deferred *d);
/*
 * Store the user part of a call chain. @chain: the frames of a PERF_RECORD_CALLCHAIN_DEFERRED. If a
 * record with the same @tid and @cookie is already stored, nothing is added. False: the limit of
 * stored chains or frames is reached.
 */
bool perf_deferred_add(struct perf_deferred *d, uint32_t tid, uint64_t cookie,
		       struct perf_words chain);
/*
 * Append the stored user part to the call chain of sample @s. Does nothing if no user part is
 * stored for it. @own: memory of the joined chain, which must outlive the sample.
 */
void perf_deferred_join(struct perf_deferred *d, struct perf_sample *s, perf_words_vec *own);

#endif
