/* SPDX-License-Identifier: MIT */
/*
 * operations.h - operations of a trace or log, which one text begins and another one ends
 *
 * Two texts belong to one operation if they are equal without the words of operations.tsv and
 * have the same key: an id, a sector, a pointer. The key is a field learned from the first
 * OPERATIONS_LEARN events: the one by which most events find their counterpart, with no second
 * begin in between.
 */
#ifndef ANALYSES_OPERATIONS_H
#define ANALYSES_OPERATIONS_H

#include "analyses/operation_key.h"
#include "base/str.h"
#include "base/vec.h"

struct capture;

#define OPERATIONS_LEARN 1024u
/* maximum number of kinds of operations in a capture */
#define OPERATIONS_KINDS 64u
/* maximum number of different texts, without their fields */
#define OPERATIONS_NAMES 4096u
/* maximum number of events that begin or end an operation */
#define OPERATIONS_MAX (UINT32_C(1) << 20)

/* The text that begins or ends an operation. */
struct operation_place {
	struct str text;
	uint64_t time_ns;
	uint32_t line; /* line in the input */
	uint32_t thread;
	uint32_t stream; /* stream of a log; fields are compared only within a stream */
};

struct operation {
	struct operation_place from;
	struct operation_place to; /* line 0: the end is missing */
	struct str key;            /* value of the key; empty: the key is the thread */
};

struct operation_kind {
	struct str begin, end; /* names of the texts that begin and end such an operation */
	struct operation_key key;
	VEC(struct operation) done; /* in order of their ends */
	VEC(struct operation) open; /* operations without an end, in order of their begins */
	uint64_t begins;
	uint64_t only_ends; /* number of ends without a begin */
	/*
	 * number of operations that begin while one with the same key is open: the key does not
	 * distinguish them
	 */
	uint64_t again;
	/* number of different values of the key in the events from which it was learned */
	uint64_t distinct;
	bool is_matched; /* the key distinguishes the operations */
};

struct operations {
	VEC(struct operation_kind) kinds;
	uint64_t first_ns, last_ns; /* first and last time of all events */
	uint64_t events;            /* number of events that have a time */
	uint64_t tick_ns;           /* resolution of printed times; 0: exact */
	uint64_t lost;              /* number of times that the trace reports lost events */
	/* number of texts that begin an operation, but have no counterpart in the capture */
	uint64_t lone;
	struct str lone_name; /* name of the first of these texts */
};

/*
 * Find the operations in the events of @c, or in its log. @o borrows from @c. Owner: caller,
 * operations_fini(). Cost: O(events log events), and O(events + OPERATIONS_LEARN * fields) for
 * each kind.
 */
void operations_of_calls(struct operations *o, const struct capture *c);
void operations_of_log(struct operations *o, const struct capture *c);
void operations_fini(struct operations *o);

static inline uint64_t operation_ns(const struct operation *op)
{
	return op->to.time_ns > op->from.time_ns ? op->to.time_ns - op->from.time_ns : 0;
}

#endif
