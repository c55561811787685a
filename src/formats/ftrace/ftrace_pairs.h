/* SPDX-License-Identifier: MIT */
/*
 * ftrace_pairs.h - trace events that begin and end something, as calls
 *
 * System calls, interrupts, softirqs and whatever else has events that end in
 * _entry and _exit: in a trace without a function graph they are its calls.
 */
#ifndef FORMATS_FTRACE_PAIRS_H
#define FORMATS_FTRACE_PAIRS_H

#include "core/capture.h"

/*
 * Make calls of the marks of @c, which has no call yet. Their durations are the
 * difference of two times; a task's calls nest. Marks stay.
 */
void ftrace_pairs(struct capture *c);

#endif
