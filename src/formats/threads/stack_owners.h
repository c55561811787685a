/* SPDX-License-Identifier: MIT */
/*
 * stack_owners.h - locks of tasks that a kernel log reports apart from the stacks
 *
 *     INFO: task a:100 is blocked on a mutex likely owned by task b:200.
 *     2 locks held by a/100:
 *      #0: ffff8881003a4bd8 (&root->lock){+.+.}-{4:4}, at: a_write+0x20/0x90
 *
 * lockdep lists a lock as soon as a task waits for it. Therefore the last listed lock of a task
 * that waits for a lock is the wanted one; the others are held.
 */
#ifndef FORMATS_THREADS_STACK_OWNERS_H
#define FORMATS_THREADS_STACK_OWNERS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

#include <stdint.h>

struct capture;

#define STACK_CLAIMS_MAX 65536u

struct stack_claim {
	uint64_t address; /* address of the lock, if it is in a list "locks held by" */
	str_id id;        /* id of the task that holds the lock or waits */
	/* id of the task that `id` waits for; STR_ID_NONE: this is a listed lock */
	str_id owner;
	str_id type;
	uint32_t snapshot;
};

struct stack_owners {
	VEC(struct stack_claim) claims;
	str_id holder; /* id of the task whose locks the next lines list */
};

/* @task waits for a lock of @owner. Both are texts as printed: "a:100 is", "b:200 <writer>.". */
void stack_owners_wait(struct stack_owners *o, struct capture *c, struct str task, struct str type,
		       struct str owner, uint32_t snapshot);
/* @task, such as "a/100", is the holder of the locks in the next lines. */
void stack_owners_holder(struct stack_owners *o, struct capture *c, struct str task);
void stack_owners_lock(struct stack_owners *o, struct capture *c, struct str address,
		       struct str type, uint32_t snapshot);
/*
 * Add the locks to the rows of @c. Call it after the last row. Cost: O(rows + n log n) for n
 * reported locks.
 */
void stack_owners_end(struct stack_owners *o, struct capture *c);
void stack_owners_fini(struct stack_owners *o);

#endif
