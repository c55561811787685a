/* SPDX-License-Identifier: MIT */
/*
 * operations.h - operations in a trace or log: one event or message begins them, another one ends
 * them
 *
 * Two texts belong to one operation if operation_words.h says so, and if they have the same key: a
 * field with an id, a sector or a pointer. Which field is the key is learned from the first
 * OPERATIONS_LEARN events. It is the field by which most events find their counterpart, with no
 * second begin in between.
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
/* maximum number of different texts, not counting differences in fields */
#define OPERATIONS_NAMES 4096u
/* maximum number of events that begin or end an operation */
#define OPERATIONS_MAX (UINT32_C(1) << 20)

/* The event or message that begins or ends an operation. */
struct operation_place {
	struct str text;
	uint64_t time_ns;
	uint32_t line; /* line in the input */
	uint32_t thread;
	uint32_t stream; /* index of the stream in a log; keys are compared only within a stream */
};

struct operation {
	struct operation_place from;
	struct operation_place to; /* line 0: the end is not in the capture */
	struct str key;            /* value of the key; empty: the key is the thread */
};

struct operation_kind {
	struct str begin, end; /* names of the texts that begin and end such an operation */
	struct operation_key key;
	VEC(struct operation) done; /* completed operations, in the order of their ends */
	VEC(struct operation) open; /* operations without an end, in the order of their begins */
	uint64_t begins;
	uint64_t only_ends; /* number of ends for which no operation was open */
	/*
	 * number of operations that began while one with the same key was open: the key does not
	 * identify them
	 */
	uint64_t again;
	/* number of different keys in the events from which the key was learned */
	uint64_t distinct;
	bool is_matched; /* the key identifies the operations */
};

struct operations {
	VEC(struct operation_kind) kinds;
	uint64_t first_ns, last_ns; /* first and last time of all events */
	uint64_t events;            /* number of events that have a time */
	uint64_t tick_ns;           /* resolution of printed times; 0: exact */
	uint64_t lost;              /* number of times that the trace reports lost events */
	/* number of begins and ends without a counterpart anywhere in the capture */
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
