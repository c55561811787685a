/* SPDX-License-Identifier: MIT */
/*
 * perf_data_stack.h - convert samples to stacks
 */
#ifndef FORMATS_PERF_DATA_STACK_H
#define FORMATS_PERF_DATA_STACK_H

#include "base/vec.h"
#include "core/ids.h"
#include "formats/perf_data/fast/perf_data_callers.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_sample.h"

struct diag;
struct perf_reader;
struct perf_rows;
struct profile;

#define PERF_THREADS 1024u /* number of threads whose state is cached; a power of two */

/* Cached state of a thread. */
struct perf_thread {
	uint64_t version; /* value of resolver_version() when this state was looked up; 0: never */
	/*
	 * hash over the command and the maps of the process: with equal hashes, an address is in
	 * the same function
	 */
	uint64_t state;
	uint32_t pid, tid;
	str_id comm;
	uint32_t attr; /* event whose profile `row` belongs to; INDEX_NONE: not set */
	uint32_t row;  /* number of the thread in the profile of event `attr` */
};

struct perf_stacks {
	struct perf_thread threads[PERF_THREADS];
	/* current value of resolver_version(), which grows when a process changes */
	uint64_t version;
	VEC(struct perf_rows) rows; /* one per row of perf_file.attrs */
	/* the current sample; not decoded if its chain is cached and no other field is needed */
	struct perf_sample sample;
	bool is_printed; /* samples are printed as text */
	/*
	 * inner frames of a new chain that the cache of callers lacks, outermost first. hashes: for
	 * each frame, a hash over the frame and its callers. syms: their symbols
	 */
	VEC(uint64_t) hashes;
	VEC(sym_id) syms;
	/*
	 * cache: `root` is the stack node of command `root_comm` in the profile of event
	 * `root_attr`
	 */
	uint32_t root_attr;
	str_id root_comm;
	stack_id root;
	/* the current chain is broken, or its cache key does not cover all of its data */
	bool must_not_cache;
	struct perf_callers callers;
	/* chain of the current sample, joined with its user part from a separate record */
	perf_words_vec joined;
};

/*
 * Collect the frames of sample @s in r->frames, innermost first. Broken and truncated chains are
 * counted in @diag.
 */
void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s, struct diag *diag);
/*
 * Whether the sample hit the innermost user function before it had set up its stack frame. Then the
 * caller of this function may be missing. Cost: one cached search.
 */
bool perf_leaf_has_no_frame(struct perf_reader *r, const struct perf_sample *s);
/*
 * Add the frames in r->frames to the stacks of @p, under the root node of the command of @t.
 * Returns the node of the innermost frame.
 */
stack_id perf_push_chain(struct perf_reader *r, struct profile *p, const struct perf_thread *t);

#endif
