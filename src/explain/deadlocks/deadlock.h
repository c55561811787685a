/* SPDX-License-Identifier: MIT */
/*
 * deadlock.h - kinds of deadlocks that the rule thread-deadlock reports
 *
 * Each function below adds at most one finding about the dump of @in. False: there is none. Cost:
 * linear in the frames of the dump, for pairs of waiting threads quadratic in these.
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
#define DEADLOCK_SURE_JOIN  85u /* one link is inferred */
#define DEADLOCK_SURE_GUESS 75u /* the owners are inferred */

/* limits */
#define DEADLOCK_CITED 4u /* maximum number of threads in a sentence */
/* minimum number of letters in a module name that is a prefix, as "shelf" in shelf_lock */
#define DEADLOCK_PREFIX 4u
#define DEADLOCK_FEW    6u /* maximum number of threads in a dump that a person selected */
/*
 * a critical section is shorter: two threads that wait longer inside each other's objects never
 * continue
 */
#define DEADLOCK_CROSS_NS UINT64_C(60000000000)

/* Add a finding of thread-deadlock that never ends; the caller fills it. */
struct finding *deadlock_add(const struct rule_input *in, struct findings *out, unsigned int sure);
/* Name, without its package, of the function in which thread @row waits. */
struct str deadlock_place(const struct rule_input *in, uint32_t row);
/*
 * Are the innermost frames of all threads in the kernel? Then the dump shows blocked tasks, and
 * no idle workers.
 */
bool deadlock_is_kernel(const struct rule_input *in);

/*
 * Thread @row waits for a lock that it may hold itself: it took the lock before, a caller has the
 * same receiver or module, or a signal handler interrupted the code that holds it.
 */
bool deadlock_self(const struct rule_input *in, struct findings *out, uint32_t row);
/* A checker of locks or the runtime reports the deadlock. */
bool deadlock_reported(const struct rule_input *in, struct findings *out);
/* Threads that wait, of a dump that does not print the owners of the locks. */
bool deadlock_inferred(const struct rule_input *in, struct findings *out);

#endif
