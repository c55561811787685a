/* SPDX-License-Identifier: MIT */
/*
 * perf_data_stack.h - samples to their stacks
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_STACK_H
#define FORMATS_PERF_DATA_STACK_H

#include "base/vec.h"
#include "core/ids.h"
#include "formats/perf_data/perf_data_callers.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_sample.h"

struct diag;
struct perf_reader;
struct perf_rows;
struct profile;

#define PERF_THREADS 1024u /* cached thread states; a power of two */

/* Cached state of a thread. */
struct perf_thread {
	uint64_t version; /* version of the resolver at the look-up; 0: never */
	uint64_t state;   /* hash of the meaning of addresses, and of the command */
	uint32_t pid, tid;
	str_id comm;
	uint32_t attr; /* event of `row`; INDEX_NONE: none yet */
	uint32_t row;  /* of the thread in the profile of that event */
};

struct perf_stacks {
	struct perf_thread threads[PERF_THREADS];
	uint64_t version;           /* current version of the resolver */
	VEC(struct perf_rows) rows; /* by attribute */
	struct perf_sample sample;  /* current sample; of a known chain decoded only if needed */
	bool is_printed;            /* samples are printed as text */
	/* of the current new chain below its cached callers, outermost first: */
	VEC(uint64_t) hashes; /* by frame: hash of it and its callers */
	VEC(sym_id) syms;
	uint32_t root_attr; /* cached root node: its event, command and node */
	str_id root_comm;
	stack_id root;
	bool must_not_cache; /* the current chain is broken, or its key does not cover all of it */
	struct perf_callers callers;
	perf_words_vec joined; /* chain of the current sample with its deferred part */
};

/* Collect the frames of a sample, innermost first, in r->frames; counts broken chains. */
void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s, struct diag *diag);
/*
 * Whether the innermost user function in r->frames had not set up its frame, so that its caller
 * may be missing. Cost: a cached search.
 */
bool perf_leaf_has_no_frame(struct perf_reader *r, const struct perf_sample *s);
/* Add the frames in r->frames to the stacks of @p, below the command of @t; returns their node. */
stack_id perf_push_chain(struct perf_reader *r, struct profile *p, const struct perf_thread *t);

#endif
