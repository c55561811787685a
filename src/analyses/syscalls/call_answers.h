/* SPDX-License-Identifier: MIT */
/*
 * call_answers.h - errors that are a usual answer of a system call, and no failure
 *
 * For example, connect() returns EINPROGRESS if the socket does not block. open() returns ENOENT
 * for each directory of a search path until the file is found. The file call-answers.names lists
 * such errors with their conditions.
 */
#ifndef ANALYSES_CALL_ANSWERS_H
#define ANALYSES_CALL_ANSWERS_H

#include <stdint.h>

struct capture;

/*
 * Find the calls of the log @c that failed with a usual answer. Returns an array, indexed by call:
 * the number of the answer, for syscall_answer_means(); 0: the call did not fail, or its error is a
 * failure. NULL: no call has an answer. Owner: caller, free(). Cost: O(calls * ANSWERS_PENDING),
 * one byte a call.
 */
uint8_t *call_answers_find(const struct capture *c);
#endif
