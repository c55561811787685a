/* SPDX-License-Identifier: MIT */
/* calls_lanes.h - sums of calls by task and by CPU, for calls_summary.c */
#ifndef ANALYSES_CALLS_LANES_H
#define ANALYSES_CALLS_LANES_H

struct calls;
struct calls_group;
struct calls_summary;

/*
 * Fill in out->tasks and out->cpus. @lanes: the sums of each lane, a task on one CPU. Cost:
 * O(lanes).
 */
void calls_lanes_sum(const struct calls *c, const struct calls_group *lanes,
		     struct calls_summary *out);

#endif
