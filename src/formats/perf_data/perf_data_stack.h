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
	/* resolver_version() at the last look-up of this state; 0: not looked up yet */
	uint64_t version;
	/*
	 * hash over the command and the maps of the process. As long as it is the same, an address
	 * belongs to the same function
	 */
	uint64_t state;
	uint32_t pid, tid;
	str_id comm;
	uint32_t attr; /* event for which `row` is valid; INDEX_NONE: `row` is not set */
	uint32_t row;  /* row of the thread in the profile of the event `attr` */
	/*
	 * event for which `process` is valid, and the row of the process in profile.processes;
	 * INDEX_NONE: `process` is not set
	 */
	uint32_t process_attr, process;
};

struct perf_stacks {
	struct perf_thread threads[PERF_THREADS];
	/* resolver_version() now; it grows when the maps or the command of a process change */
	uint64_t version;
	/* cache and sums of each event; same indices as perf_file.attrs */
	VEC(struct perf_rows) rows;
	/* current sample; it is not decoded if its chain is cached and no other field is needed */
	struct perf_sample sample;
	bool is_printed; /* the dossier wants samples printed as text */
	/*
	 * Frames of a new chain that are not in the cache of callers, outermost first. hashes: for
	 * each frame, a hash over the frame and its callers. syms: the symbol of each frame
	 */
	VEC(uint64_t) hashes;
	VEC(sym_id) syms;
	/*
	 * cache of perf_root(): `root` is the stack node of the command `root_comm` in the profile
	 * of the event `root_attr`
	 */
	uint32_t root_attr;
	str_id root_comm;
	stack_id root;
	/*
	 * do not cache the current chain: it is broken, or it depends on data that are not in the
	 * key
	 */
	bool must_not_cache;
	struct perf_callers callers;
	/*
	 * call chain of the current sample, if its user part was in a separate record: the kernel
	 * part and the user part, joined
	 */
	perf_words_vec joined;
};

/*
 * Collect the frames of sample @s in r->frames, innermost first. Broken and truncated chains are
 * counted in @diag.
 */
void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s, struct diag *diag);
/*
 * Whether the innermost user function of the sample had not set up its stack frame yet. If so, its
 * caller may be missing in the chain. Cost: one cached search.
 */
bool perf_leaf_has_no_frame(struct perf_reader *r, const struct perf_sample *s);
/*
 * Add the frames in r->frames to the stacks of @p, under the root node of the command of thread @t.
 * Returns the node of the innermost frame.
 */
stack_id perf_push_chain(struct perf_reader *r, struct profile *p, const struct perf_thread *t);

#endif
