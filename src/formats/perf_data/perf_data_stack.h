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
	/* value of resolver_version() at the last look-up of this state; 0: not looked up yet */
	uint64_t version;
	/*
	 * hash over the command and the maps of the process. While the hash is equal, an address is
	 * in the same function
	 */
	uint64_t state;
	uint32_t pid, tid;
	str_id comm;
	uint32_t attr; /* event of the profile to which `row` belongs; INDEX_NONE: not set */
	uint32_t row;  /* row of the thread in the profile of event `attr` */
};

struct perf_stacks {
	struct perf_thread threads[PERF_THREADS];
	/*
	 * current value of resolver_version(), which grows when the maps or command of a process
	 * change
	 */
	uint64_t version;
	VEC(struct perf_rows) rows; /* one per row of perf_file.attrs */
	/* the current sample; not decoded if its chain is cached and no other field is needed */
	struct perf_sample sample;
	bool is_printed; /* samples are printed as text */
	/*
	 * the inner frames of a new chain that are not in the cache of callers, outermost first.
	 * hashes: per frame, a hash over the frame and its callers. syms: per frame, its symbol
	 */
	VEC(uint64_t) hashes;
	VEC(sym_id) syms;
	/*
	 * cache of the last root: `root` is the stack node of command `root_comm` in the profile of
	 * event `root_attr`
	 */
	uint32_t root_attr;
	str_id root_comm;
	stack_id root;
	/* the current chain is broken, or its cache key does not include all of its data */
	bool must_not_cache;
	struct perf_callers callers;
	/* chain of the current sample, joined with its user part from a separate record */
	perf_words_vec joined;
};

/*
 * Collect the frames of sample @s in r->frames, innermost first. Counts broken and truncated chains
 * in @diag.
 */
void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s, struct diag *diag);
/*
 * Whether the innermost user function of the sample had not set up its stack frame yet. Then the
 * caller of this function may be missing. Cost: one cached search.
 */
bool perf_leaf_has_no_frame(struct perf_reader *r, const struct perf_sample *s);
/*
 * Add the frames in r->frames to the stacks of @p, under the root node of the command of @t.
 * Returns the node of the innermost frame.
 */
stack_id perf_push_chain(struct perf_reader *r, struct profile *p, const struct perf_thread *t);

#endif
