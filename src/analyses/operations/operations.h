/* SPDX-License-Identifier: MIT */
/*
 * operations.h - operations in a trace or log, each from its begin to its end
 *
 * An operation begins with one event or message and ends with another. The two belong together if
 * operation_words.h matches their texts, and if they have the same key: a field with an id, a
 * sector or a pointer. The first OPERATIONS_LEARN events decide which field is the key. It is the
 * field that pairs most begins with ends, without a second begin in between.
 */
#ifndef ANALYSES_OPERATIONS_OPERATIONS_H
#define ANALYSES_OPERATIONS_OPERATIONS_H

#include "analyses/operations/operation_key.h"
#include "base/str.h"
#include "base/vec.h"

struct capture;

#define OPERATIONS_LEARN 1024u
/* maximum number of kinds of operations, such as "block_rq_issue to block_rq_complete" */
#define OPERATIONS_KINDS 64u
/* maximum number of different texts; texts that differ only in their fields count once */
#define OPERATIONS_NAMES 4096u
/* maximum number of events that begin or end an operation */
#define OPERATIONS_MAX (UINT32_C(1) << 20)

/* The event or message that begins or ends an operation. */
struct operation_place {
	struct str text;
	uint64_t time_ns;
	uint32_t line; /* line of the event or message in the input */
	uint32_t thread;
	/*
	 * in a log: index in records.streams; a stream is the output of one process or thread.
	 * Equal keys match only within one stream
	 */
	uint32_t stream;
};

struct operation {
	struct operation_place from;
	struct operation_place to; /* the end of the operation; line 0: the capture lacks it */
	/* value of the key field, such as "12"; empty: the thread is the key, instead of a field */
	struct str key;
};

struct operation_kind {
	/*
	 * names of the events or messages that begin and end the operation: "block_rq_issue" and
	 * "block_rq_complete"
	 */
	struct str begin, end;
	struct operation_key key;
	VEC(struct operation) done; /* completed operations, in the order of their ends */
	VEC(struct operation) open; /* operations without an end, in the order of their begins */
	uint64_t begins;
	uint64_t only_ends; /* number of ends without an open operation */
	/*
	 * number of begins while an operation with the same value of the key was open. Many such
	 * begins show that the key is wrong
	 */
	uint64_t again;
	/* number of different values of the key in the first OPERATIONS_LEARN events */
	uint64_t distinct;
	bool is_matched; /* false: no key identifies the operations well enough */
};

struct operations {
	VEC(struct operation_kind) kinds;
	uint64_t first_ns, last_ns; /* first and last time of all events, in ns */
	uint64_t events;            /* number of events that have a time */
	uint64_t tick_ns;           /* resolution of printed times; 0: exact */
	uint64_t lost;              /* number of times that the trace reports lost events */
	/* number of texts that look like a begin, while the capture has no matching end */
	uint64_t lone;
	struct str lone_name; /* name of the first such text */
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
