/* SPDX-License-Identifier: MIT */
/*
 * deadlock.h - kinds of deadlocks that the rule thread-deadlock reports
 *
 * Each function adds at most one finding about the dump of @in. False: it added none. Cost: linear
 * in the frames of the dump, and quadratic in the waiting threads if pairs of them are compared.
 */
#ifndef EXPLAIN_DEADLOCK_H
#define EXPLAIN_DEADLOCK_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct finding;
struct findings;
struct rule_input;

/* certainties, in percent */
#define DEADLOCK_SURE_CYCLE 97u /* the dump prints who holds each lock, or a checker reports it */
#define DEADLOCK_SURE_JOIN  85u /* the owner of one of the locks is inferred */
#define DEADLOCK_SURE_GUESS 75u /* the owners of all locks are inferred */

#define DEADLOCK_CITED 4u /* maximum number of threads in a sentence */
/*
 * minimum length of a module name that is the prefix of function names, such as "shelf" in
 * shelf_lock
 */
#define DEADLOCK_PREFIX 4u
/* a dump with at most this number of threads was probably reduced by a person */
#define DEADLOCK_FEW 6u
/*
 * If two threads wait inside each other's objects for at least this time, neither will continue. No
 * ordinary critical section is so long.
 */
#define DEADLOCK_CROSS_NS UINT64_C(60000000000)

/*
 * Add a finding of the rule thread-deadlock about a wait that never ends. The caller sets its
 * texts.
 */
struct finding *deadlock_add(const struct rule_input *in, struct findings *out, unsigned int sure);
/* The name of the function in which thread @row waits, without its package. */
struct str deadlock_place(const struct rule_input *in, uint32_t row);
/*
 * Whether the innermost frames of all threads that have a stack are in the kernel. The dump then
 * shows blocked tasks, and no idle workers.
 */
bool deadlock_is_kernel(const struct rule_input *in);

/*
 * Report that thread @row waits for a lock that it may hold itself. The signs: the thread already
 * called the same lock function; a caller has the same object or module; a signal handler
 * interrupted the code that holds the lock.
 */
bool deadlock_self(const struct rule_input *in, struct findings *out, uint32_t row);
/*
 * Report that thread @row waits for an event, of the kernel, which only the code further out on its
 * own stack can bring about.
 */
bool deadlock_own_event(const struct rule_input *in, struct findings *out, uint32_t row);
/* Report the deadlock that a checker of locks or the runtime reports. */
bool deadlock_reported(const struct rule_input *in, struct findings *out);
/*
 * Report a likely deadlock of waiting threads, in a dump that does not print the owners of the
 * locks.
 */
bool deadlock_inferred(const struct rule_input *in, struct findings *out);
/*
 * Report two threads, each of which waits for a lock in a function that the other one is inside of.
 */
bool deadlock_mutual(const struct rule_input *in, struct findings *out);

#endif
