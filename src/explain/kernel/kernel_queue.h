/* SPDX-License-Identifier: MIT */
/*
 * kernel_queue.h - which work item holds up a workqueue, from the lines of a lockup report
 *
 * Source: kernel/workqueue.c, wq_watchdog_timer_fn(), show_pwq(), show_one_worker_pool().
 */
#ifndef EXPLAIN_KERNEL_QUEUE_H
#define EXPLAIN_KERNEL_QUEUE_H

#include "base/str.h"

#include <stdint.h>

struct findings;
struct rule_input;

struct kernel_queue {
	/* function of the first item that a worker of the pool runs; empty: not printed */
	struct str running;
	uint64_t pid; /* its worker */
	uint32_t running_record;
	uint64_t n_pending;      /* number of items that wait for the pool */
	uint32_t pending_record; /* record of the first of them; not set if there is none */
	uint64_t seconds;        /* time without progress of the pool; 0: not printed */
};

/* Read the report whose title is record @first. The texts are borrowed from the records. */
void kernel_queue_read(const struct rule_input *in, uint32_t first, struct kernel_queue *ret);
/* The claim of a finding about @q. NULL: the report names no running item. */
const char *kernel_queue_says(struct findings *out, const struct kernel_queue *q);

#endif
