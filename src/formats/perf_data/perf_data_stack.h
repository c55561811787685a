/* SPDX-License-Identifier: MIT */
/*
 * perf_data_stack.h - samples on their way to their stacks
 *
 * Samples come in batches (perf_data_stack.c): the row of each is fetched while those
 * before it are looked at. Chains that were not met before are made into stacks
 * together, too (perf_data_chain.c).
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_STACK_H
#define FORMATS_PERF_DATA_STACK_H

#include "formats/perf_data/perf_data_callers.h"
#include "formats/perf_data/perf_data_reader.h"

#define PERF_THREADS 1024u /* threads whose state is remembered; a power of two */
#define PERF_BATCH   16u   /* samples on their way at once */

/* What a sample needs to know of its thread. */
struct perf_thread {
	uint64_t version; /* of the resolver when it was looked up; 0: never */
	uint64_t state;   /* what addresses mean, and the command */
	uint32_t pid, tid;
	str_id comm;
	uint32_t attr; /* whose profile has it as row, INDEX_NONE: none yet */
	uint32_t row;
};

/* A sample on its way, with others, so that looking for one's frames waits for no memory. */
struct perf_pending {
	const struct perf_queued *known;
	struct perf_sample *s; /* is_decoded: of new chains, and where each is an element */
	bool is_decoded;
	bool is_new;      /* its chain was not met before */
	bool no_frame;    /* and its caller in the program may be missing: samples.no_frame */
	uint64_t hash;    /* of chain and state */
	size_t home;      /* where its row is looked for */
	struct slot *row; /* NULL: of no row, see is_odd */
	/* where the chain is new, or each sample is an element: */
	str_id comm;
	uint32_t thread;   /* row of the profile, where it is wanted */
	uint64_t state;    /* of the thread */
	uint32_t first, n; /* its functions in perf_stacks.syms */
	stack_id node;     /* how far they have come */
};

struct perf_stacks {
	struct perf_thread threads[PERF_THREADS];
	uint64_t version;           /* of the resolver, now */
	VEC(struct perf_rows) rows; /* by attribute */
	struct perf_pending batch[PERF_BATCH];
	struct perf_sample samples[PERF_BATCH]; /* of the batch */
	struct perf_queued own[PERF_BATCH];     /* of those that had to be looked at closer */
	bool is_printed;                        /* samples are wanted as text */
	VEC(struct resolver_key) places;        /* of new chains of the batch, outermost first */
	VEC(uint64_t) hashes;                   /* of each of these and its callers */
	VEC(sym_id) syms;
	VEC(stack_id) nodes; /* of syms, while those of a chain are made */
	uint32_t root_attr;  /* of the root frame made last: its event, command and node */
	str_id root_comm;
	stack_id root;
	bool is_odd; /* the chain at hand was counted as broken: do not remember it */
	struct perf_callers callers;
};

/* Frames of a sample, innermost first, into r->frames; what is odd in them is counted. */
void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s, struct diag *diag);
/*
 * Was the caller of the program's innermost function in r->frames not to be had, as it
 * had no frame yet? Cost: a cached search.
 */
bool perf_leaf_has_no_frame(struct perf_reader *r, const struct perf_sample *s);
/* The frames in r->frames, of @q, join those of the batch. */
void perf_begin_chain(struct perf_reader *r, struct perf_pending *q);
/* All new chains of the first @n of the batch become stacks, a frame of each in turn. */
void perf_finish_chains(struct perf_reader *r, size_t n);

#endif
