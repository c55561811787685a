/* SPDX-License-Identifier: MIT */
/*
 * show_calls.h - parts of show_calls() that say what the figures are worth and why
 */
#ifndef CMDS_SHOW_CALLS_H
#define CMDS_SHOW_CALLS_H

#include "analyses/tracer_cost.h"
#include "cmds/show.h"

/* `tracer_cost`: the tracer's share of the time. */
void show_tracer_cost(struct show *s, const struct calls_summary *sum,
		      const struct tracer_cost *cost);

#endif
