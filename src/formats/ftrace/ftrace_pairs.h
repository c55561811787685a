/* SPDX-License-Identifier: MIT */
/*
 * ftrace_pairs.h - calls from pairs of begin and end events
 *
 * System calls, interrupts, softirqs and other events whose names end in _entry and _exit
 * become the calls of a trace without a function graph.
 */
#ifndef FORMATS_FTRACE_PAIRS_H
#define FORMATS_FTRACE_PAIRS_H

struct capture;

/*
 * Make calls from the event marks of @c, unless @c has calls already. A call lasts from its begin
 * event to its end event. Calls nest within a task. The marks remain.
 */
void ftrace_pairs(struct capture *c);

#endif
