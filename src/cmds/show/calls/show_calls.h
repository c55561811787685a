/* SPDX-License-Identifier: MIT */
/*
 * show_calls.h - parts of show_calls() about the accuracy of the figures and their reasons
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

/* `tracer_cost`: the tracer's share of the time. */
void show_tracer_cost(struct show *s, const struct tracer_joint *trace);
/* `joined`: traces of one workload at several depths, side by side. */
void show_joined(struct show *s, const struct tracer_joint *traces, size_t n);
/* Text: sentences of the head. */
void show_call_gaps_said(struct show *s, const struct capture *c, const struct call_gaps *gaps);
/* `gaps`, `hidden_interrupts`: time that no traced call accounts for. */
void show_call_gaps(struct show *s, const struct capture *c, const struct call_gaps *gaps);
/* "29.3 us", with the digits that matter. */
struct str show_us(struct show *s, double ns);
/*
 * `unseen`: sleep, interrupts and calls that the trace omits, and the effect of its options;
 * sentences and JSON.
 */
void show_unseen(struct show *s, const struct capture *c, const struct calls_summary *sum,
		 const struct tracer_cost *cost);
/* Text: the worst in sentences. */
void show_slow_calls_said(struct show *s, const struct slow_calls *slow);
/* --slow: `each_slow_call`, in order of the trace. */
void show_each_slow_call(struct show *s, const struct slow_calls *slow);
/* `slow_calls`: single calls against the typical one, by kind; `each` has all of a kind. */
void show_slow_calls(struct show *s, const struct slow_calls *slow);
/* `errors`: return values that are errors. */
void show_retval_errors(struct show *s, const struct retval_errors *errors);
/* `events`: trace events by name. */
void show_call_events(struct show *s, const struct capture *c);
/* `tree`: the calls by path. */
void show_call_tree(struct show *s, const struct tracer_joint *trace);

#endif
