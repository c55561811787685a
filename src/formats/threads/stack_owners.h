/* SPDX-License-Identifier: MIT */
/*
 * stack_owners.h - locks and their owners that a dump prints apart from the stacks
 *
 * A kernel log:
 *
 *     INFO: task a:100 is blocked on a mutex likely owned by task b:200.
 *     2 locks held by a/100:
 *      #0: ffff8881003a4bd8 (&root->lock){+.+.}-{4:4}, at: a_write+0x20/0x90
 *
 * lockdep lists a lock as soon as a task waits for it. Therefore the last listed lock of a task
 * that waits for a lock is the wanted one; the others are held.
 *
 * A user asks gdb for the owner of a mutex. The expression has the address or the name of the
 * mutex. If it has neither, and all waiting threads wait for the same lock, the answer is about
 * that lock:
 *
 *     (gdb) p pool_mutex.__data.__owner
 *     $1 = 20415
 */
#ifndef FORMATS_THREADS_STACK_OWNERS_H
#define FORMATS_THREADS_STACK_OWNERS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

#define STACK_CLAIMS_MAX     65536u
#define STACK_LOCK_NAMES_MAX 256u
/* maximum number of debugger answers that are used; each costs a pass over all threads */
#define STACK_ANSWERS_MAX 64u

struct stack_claim {
	/*
	 * address of the lock, from a list "locks held by" or from the user's expression; 0:
	 * unknown
	 */
	uint64_t address;
	str_id id; /* id of the task that holds the lock or waits for it */
	/*
	 * id of the task that owns the lock which the task `id` waits for. STR_ID_NONE: the claim
	 * is from a list "locks held by", or is_answer is set
	 */
	str_id owner;
	str_id type;
	uint32_t snapshot;
	/*
	 * a debugger printed this claim: `id` is the owner of the lock, and `type` is the lock's
	 * name
	 */
	bool is_answer;
};

/* A lock whose name is printed next to its address: "mutex=0x55d0c0a041c0 <pool_mutex>". */
struct stack_lock_name {
	uint64_t address;
	str_id name;
};

struct stack_owners {
	VEC(struct stack_claim) claims;
	VEC(struct stack_lock_name) names;
	/* id of the task in the last title "locks held by"; the next lines list its locks */
	str_id holder;
	/* last expression that the user printed in gdb: "pool_mutex.__data.__owner" */
	str_id asked;
	uint32_t answers; /* number of elements of `claims` with is_answer */
};

/*
 * Read a line "INFO: task @task blocked on a @type likely owned by task @owner". @task and @owner
 * are parts of the printed line, with words around the name and id: "a:100 is", "b:200 <writer>.".
 */
void stack_owners_wait(struct stack_owners *o, struct capture *c, struct str task, struct str type,
		       struct str owner, uint32_t snapshot);
/*
 * Read a title "2 locks held by @task:". The locks in the next lines belong to @task, such as
 * "a/100".
 */
void stack_owners_holder(struct stack_owners *o, struct capture *c, struct str task);
void stack_owners_lock(struct stack_owners *o, struct capture *c, struct str address,
		       struct str type, uint32_t snapshot);
/* Read a gdb command that prints @expression, such as "pool_mutex.__data.__owner". */
void stack_owners_ask(struct stack_owners *o, struct capture *c, struct str expression);
/*
 * Read the debugger's answer, "$1 = 20415". @id: id of the thread that owns the mutex; 0: no owner.
 */
void stack_owners_answer(struct stack_owners *o, struct capture *c, struct str id, struct str line,
			 uint32_t snapshot);
/* Read the arguments of a frame, and keep names of locks: "mutex=0x55d0c0a041c0 <pool>". */
void stack_owners_args(struct stack_owners *o, struct capture *c, struct str args);
/*
 * Add the collected locks to the rows of @c. Call this function after the last thread was read.
 * Cost: O(threads + n log n) for n locks.
 */
void stack_owners_end(struct stack_owners *o, struct capture *c);
void stack_owners_fini(struct stack_owners *o);

#endif
