/* SPDX-License-Identifier: MIT */
/*
 * calibrate.h - the cost of a traced call on this machine
 *
 * A loop calls a cheap system call (getppid) of this process, which is traced with a filter on its
 * kernel function. The trace is made in an instance of its own if the kernel supports that.
 * Otherwise the main buffer is used, if nobody traces there. All settings are restored.
 *
 * The total cost of a call is the difference of the loop's times with and without the tracer. A
 * part of it is counted in the call's own duration. This part is at most the shortest printed
 * duration.
 */
#ifndef CMDS_CALIBRATE_H
#define CMDS_CALIBRATE_H

#include "base/status.h"

struct tracer_cost_given;

/*
 * Measure for about a second. Errors, with a sentence: ERR_PERM, ERR_NOTFOUND or ERR_UNSUPPORTED if
 * tracing is forbidden or missing; ERR_LIMIT if the figures are implausible (the machine was too
 * busy).
 */
MUST_CHECK int calibrate_measure(struct tracer_cost_given *ret, struct error *err);

/*
 * Parse the value of "--tracer-cost": a file made by --calibrate; "NS", the total cost of a call;
 * or "INSIDE,TOTAL", with the part inside the call's own duration.
 */
MUST_CHECK int calibrate_parse(const char *text, struct tracer_cost_given *ret, struct error *err);

#endif
