/* SPDX-License-Identifier: MIT */
/*
 * calibrate.h - what a call costs the function graph tracer of this machine
 *
 * Traces one cheap system call (getppid) of this process with a filter on its
 * kernel function, in a trace instance of its own where the kernel can, else in
 * the main buffer if nobody traces there; everything is put back as it was.
 * The cost of a call altogether is the difference between the loop with and
 * without the tracer; what of it is inside the call's own duration is at most
 * the shortest duration that the tracer printed.
 */
#ifndef CMDS_CALIBRATE_H
#define CMDS_CALIBRATE_H

#include "analyses/tracer/tracer_cost.h"

/*
 * Errors: ERR_PERM, ERR_NOTFOUND, ERR_UNSUPPORTED with a sentence when tracing is
 * not allowed or not there; ERR_LIMIT when the figures make no sense (the machine was too busy).
 * Takes about a second.
 */
MUST_CHECK int calibrate_measure(struct tracer_cost_given *ret, struct error *err);

/* "--tracer-cost": a file of --calibrate, "NS" for a call altogether, or "INSIDE,ALTOGETHER". */
MUST_CHECK int calibrate_parse(const char *text, struct tracer_cost_given *ret, struct error *err);

#endif
