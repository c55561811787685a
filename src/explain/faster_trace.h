/* SPDX-License-Identifier: MIT */
/* faster_trace.h - the order of findings about several traces of one operation */
#ifndef EXPLAIN_FASTER_TRACE_H
#define EXPLAIN_FASTER_TRACE_H

struct facts;
struct findings;

/*
 * Order the findings of a text that compares several traces of one operation. The finding that
 * reports which trace is slower is first. Findings about only the fastest trace are last, as notes.
 */
void faster_trace_order(const struct facts *facts, struct findings *f);

#endif
