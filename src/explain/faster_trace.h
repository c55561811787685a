/* SPDX-License-Identifier: MIT */
/* faster_trace.h - the order of findings about several traces of one operation */
#ifndef EXPLAIN_FASTER_TRACE_H
#define EXPLAIN_FASTER_TRACE_H

struct facts;
struct findings;

/*
 * Several traces of one operation in a text are a comparison. The finding that says which of them
 * is slower comes first, and the findings about the fastest trace alone come last, as notes.
 */
void faster_trace_order(const struct facts *facts, struct findings *f);

#endif
