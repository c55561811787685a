/* SPDX-License-Identifier: MIT */
/*
 * ftrace_pairs.h - calls from pairs of begin and end events
 *
 * A trace without a function graph gets calls from pairs of events. Such pairs are events of system
 * calls, interrupts and softirqs, and other events whose names end in _entry and _exit.
 */
#ifndef FORMATS_FTRACE_PAIRS_H
#define FORMATS_FTRACE_PAIRS_H

struct capture;

/*
 * Make calls from the event marks of @c, unless @c already has calls. A call lasts from its begin
 * event to its end event. Calls of the same task nest. The marks are kept.
 */
void ftrace_pairs(struct capture *c);

#endif
