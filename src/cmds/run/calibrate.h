/* SPDX-License-Identifier: MIT */
/*
 * calibrate.h - measure the cost of a traced call on this machine
 *
 * A loop calls a cheap system call (getppid), while the tracer records the kernel function that
 * executes it. If the kernel supports trace instances, the trace goes to a new instance. Otherwise
 * it goes to the main buffer, if ftrace is not in use there. All settings are restored.
 *
 * The loop also runs without the tracer. The difference of both times, per call, is the total cost
 * of a traced call. A part of this cost is inside the traced duration of the call. This part is at
 * most the shortest duration in the trace.
 */
#ifndef CMDS_RUN_CALIBRATE_H
#define CMDS_RUN_CALIBRATE_H

#include "base/status.h"

struct tracer_cost_given;

/*
 * Measure for about a second. Errors, with the reason in @err: ERR_LIMIT if the machine was too
 * busy, so that the figures are implausible. ERR_PERM, ERR_NOTFOUND or ERR_UNSUPPORTED if tracing
 * is forbidden or unavailable.
 */
MUST_CHECK int calibrate_measure(struct tracer_cost_given *ret, struct error *err);

/*
 * Parse the value of "--tracer-cost". It is the name of a file that --calibrate wrote, or "NS", the
 * total cost of a call, or "INSIDE,TOTAL". INSIDE is the part of the cost that is within the call's
 * own duration.
 */
MUST_CHECK int calibrate_parse(const char *text, struct tracer_cost_given *ret, struct error *err);

#endif
