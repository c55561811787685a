/* SPDX-License-Identifier: MIT */
/*
 * calibrate.h - the cost of a traced call on this machine
 *
 * Traces a cheap system call (getppid) of this process with a filter on its kernel function. It
 * uses an own trace instance if the kernel can, else the main buffer if nobody traces there;
 * all settings are restored. The total cost of a call is the difference of the loop's time with
 * and without the tracer. The part inside the call's own duration is at most the shortest
 * printed duration.
 */
#ifndef CMDS_CALIBRATE_H
#define CMDS_CALIBRATE_H

#include "base/status.h"

struct tracer_cost_given;

/*
 * Measure for about a second. Errors: ERR_PERM, ERR_NOTFOUND, ERR_UNSUPPORTED, with a sentence,
 * if tracing is forbidden or missing; ERR_LIMIT if the figures are implausible (the machine was
 * too busy).
 */
MUST_CHECK int calibrate_measure(struct tracer_cost_given *ret, struct error *err);

/*
 * Parse the value of "--tracer-cost": a file of --calibrate, "NS" for the total cost of a call,
 * or "INSIDE,TOTAL".
 */
MUST_CHECK int calibrate_parse(const char *text, struct tracer_cost_given *ret, struct error *err);

#endif
