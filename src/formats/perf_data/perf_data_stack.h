/* SPDX-License-Identifier: MIT */
/*
 * perf_data_stack.h - samples in flight to their stacks
 *
 * Samples are processed in batches (perf_data_stack.c): the row of each is prefetched while
 * earlier ones are processed. New chains of a batch are converted to stacks together
 * (perf_data_chain.c).
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_STACK_H
#define FORMATS_PERF_DATA_STACK_H

#include "base/vec.h"
#include "core/ids.h"
#include "formats/perf_data/perf_data_callers.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_queue.h"
#include "formats/perf_data/perf_data_sample.h"

struct diag;
struct perf_reader;
struct perf_rows;
struct resolver_key;
struct slot;

#define PERF_THREADS 1024u /* cached thread states; a power of two */
#define PERF_BATCH   16u   /* samples in flight */

/* Cached state of a thread. */
struct perf_thread {
	uint64_t version; /* version of the resolver at the look-up; 0: never */
	uint64_t state;   /* hash of the meaning of addresses, and of the command */
	uint32_t pid, tid;
	str_id comm;
	uint32_t attr; /* event whose profile has it as row, INDEX_NONE: none yet */
	uint32_t row;
};

/* A sample in flight; several overlap their memory accesses. */
struct perf_pending {
	const struct perf_queued *known;
	/* valid if is_decoded: for new chains, and if each sample is an element */
	struct perf_sample *s;
	bool is_decoded;
	bool is_new;      /* its chain is not cached */
	bool no_frame;    /* its user caller may be missing: samples.no_frame */
	uint64_t hash;    /* of chain and thread state */
	size_t home;      /* home slot of its row */
	struct slot *row; /* NULL: must not be cached, see must_not_cache */
	/* for new chains, or if each sample is an element: */
	str_id comm;
	uint32_t thread;   /* row of the profile, if needed */
	uint64_t state;    /* of the thread */
	uint32_t first, n; /* its functions in perf_stacks.syms */
	stack_id node;     /* the deepest node so far */
};

struct perf_stacks {
	struct perf_thread threads[PERF_THREADS];
	uint64_t version;           /* current version of the resolver */
	VEC(struct perf_rows) rows; /* by attribute */
	struct perf_pending batch[PERF_BATCH];
	struct perf_sample samples[PERF_BATCH]; /* storage for the batch */
	struct perf_queued own[PERF_BATCH];     /* items of samples that had to be decoded */
	bool is_printed;                        /* samples are printed as text */
	/* places of new chains in the batch, outermost first */
	VEC(struct resolver_key) places;
	VEC(uint64_t) hashes; /* by place: hash of it and its callers */
	VEC(sym_id) syms;
	VEC(stack_id) nodes; /* node of each of syms, while chains are pushed */
	uint32_t root_attr;  /* cached root node: its event, command and node */
	str_id root_comm;
	stack_id root;
	bool must_not_cache; /* the current chain is broken or incomplete in its key: must not be
				cached */
	struct perf_callers callers;
	perf_words_vec joined[PERF_BATCH]; /* chains of the batch with a deferred part */
};

/* Collect the frames of a sample, innermost first, in r->frames; counts broken chains. */
void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s, struct diag *diag);
/*
 * Whether the innermost user function in r->frames had not set up its frame, so that its caller
 * may be missing. Cost: a cached search.
 */
bool perf_leaf_has_no_frame(struct perf_reader *r, const struct perf_sample *s);
/* Add the frames in r->frames, of @q, to the batch. */
void perf_begin_chain(struct perf_reader *r, struct perf_pending *q);
/* Convert all new chains among the first @n samples to stacks, interleaved frame by frame. */
void perf_finish_chains(struct perf_reader *r, size_t n);

#endif
