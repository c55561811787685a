/* SPDX-License-Identifier: MIT */
/*
 * show_calls.h - parts of show_calls(): accuracy and causes of the times in a function graph
 *
 * Names in backquotes are JSON keys of the parts.
 */
#ifndef CMDS_SHOW_CALLS_H
#define CMDS_SHOW_CALLS_H

#include "base/str.h"

struct call_gaps;
struct calls_summary;
struct capture;
struct retval_errors;
struct show;
struct slow_calls;
struct tracer_cost;
struct tracer_joint;

/* Write the part `tracer_cost`: how much of the traced time is tracing overhead. */
void show_tracer_cost(struct show *s, const struct tracer_joint *trace);
/*
 * Write the part `joined`, which compares traces of the same workload with different depth limits.
 */
void show_joined(struct show *s, const struct tracer_joint *traces, size_t n);
/*
 * For text: sentences at the start of the page about time inside calls that their callees do not
 * explain.
 */
void show_call_gaps_text(struct show *s, const struct capture *c, const struct call_gaps *gaps);
/*
 * Write the parts `gaps` and `hidden_interrupts`: time inside calls that their callees do not
 * explain.
 */
void show_call_gaps(struct show *s, const struct capture *c, const struct call_gaps *gaps);
/* Format a duration with about three significant digits: "29.3 µs". */
struct str show_us(struct show *s, double ns);
/*
 * Write the part `unseen`, and sentences in text. They report the effect of the tracer's options,
 * sleep and interrupts, and calls that are missing from the trace.
 */
void show_unseen(struct show *s, const struct capture *c, const struct calls_summary *sum,
		 const struct tracer_cost *cost);
/* For text: sentences about the slowest calls. */
void show_slow_calls_text(struct show *s, const struct capture *c, const struct slow_calls *slow);
/*
 * Write the part `each_slow_call`, for --slow: a row for each slow call, in the order of the trace.
 */
void show_each_slow_call(struct show *s, const struct capture *c, const struct slow_calls *slow);
/*
 * Write the part `slow_calls`: calls that took longer than usual, by function and cause. In JSON,
 * the member `each` lists every call.
 */
void show_slow_calls(struct show *s, const struct capture *c, const struct slow_calls *slow);
/* Write the part `errors`: calls that returned an error code. */
void show_retval_errors(struct show *s, const struct retval_errors *errors);
/* Write the part `events`: number of trace events by name. */
void show_call_events(struct show *s, const struct capture *c);
/* Write the part `tree`: calls by chain of callers. */
void show_call_tree(struct show *s, const struct tracer_joint *trace);

#endif
