/* SPDX-License-Identifier: MIT */
/*
 * call_answers.h - errors that are a usual answer of a system call, and no failure
 *
 * connect() on a socket that does not block returns EINPROGRESS; a search path returns ENOENT until
 * the file is found. call-answers.names has the errors and their conditions.
 */
#ifndef ANALYSES_CALL_ANSWERS_H
#define ANALYSES_CALL_ANSWERS_H

#include <stdint.h>

struct capture;

/*
 * For each call of the log @c: the number of its answer, as syscall_answer_means() takes it; 0: the
 * call did not fail, or its error is a failure. NULL: no call has an answer. Owner: caller, free().
 * Cost: O(calls * ANSWERS_PENDING), one byte a call.
 */
uint8_t *call_answers_find(const struct capture *c);
#endif
