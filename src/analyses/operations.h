/* SPDX-License-Identifier: MIT */
/*
 * operations.h - operations of a trace or log: a text that says "begin" and one that says "end"
 *
 * Two texts belong to one operation if they are equal without the words of operations.tsv and
 * share a field: an id, a sector, a pointer. The field is learned: it is the one by which most
 * of the first OPERATIONS_LEARN events find their other end without a second begin in between.
 */
#ifndef ANALYSES_OPERATIONS_H
#define ANALYSES_OPERATIONS_H

#include "analyses/operation_key.h"
#include "base/str.h"
#include "base/vec.h"

struct capture;

#define OPERATIONS_LEARN 1024u
#define OPERATIONS_KINDS 64u                 /* of one capture */
#define OPERATIONS_NAMES 4096u               /* texts without their fields */
#define OPERATIONS_MAX   (UINT32_C(1) << 20) /* events that begin or end one */

/* A text that begins or ends an operation. */
struct operation_place {
	struct str text;
	uint64_t time_ns;
	uint32_t line; /* of the original input */
	uint32_t thread;
	uint32_t stream; /* of a log; its fields count only in it */
};

struct operation {
	struct operation_place from;
	struct operation_place to; /* line 0: the end is missing */
	struct str key;            /* empty: by thread */
};

struct operation_kind {
	struct str begin, end; /* names */
	struct operation_key key;
	VEC(struct operation) done; /* in order of their ends */
	VEC(struct operation) open; /* without an end, in order of their begins */
	uint64_t begins;
	uint64_t only_ends; /* ends without a begin */
	uint64_t again;     /* operations that begin while an equal one is open: the field does not
			       distinguish them */
	uint64_t distinct;  /* distinct values of the field in the events used to choose it */
	bool is_matched;    /* the field distinguishes the operations */
};

struct operations {
	VEC(struct operation_kind) kinds;
	uint64_t first_ns, last_ns; /* of all timed events */
	uint64_t events;            /* timed events */
	uint64_t tick_ns;           /* unit of the printed times; 0: they are exact */
	uint64_t lost;              /* lost events that the trace reports */
	uint64_t lone;              /* texts that begin an operation, without a text that ends it */
	struct str lone_name;       /* the first of them */
};

/*
 * The operations in the events of @c, or in its log. Borrows from @c. Owner: caller,
 * operations_fini(). Cost: O(events log events), and O(events + OPERATIONS_LEARN *
 * fields) a kind.
 */
void operations_of_calls(struct operations *o, const struct capture *c);
void operations_of_log(struct operations *o, const struct capture *c);
void operations_fini(struct operations *o);

static inline uint64_t operation_ns(const struct operation *op)
{
	return op->to.time_ns > op->from.time_ns ? op->to.time_ns - op->from.time_ns : 0;
}

#endif
