/* SPDX-License-Identifier: MIT */
/*
 * All hardware queues are run for one completion: each completion restarts every queue of
 * the host or device instead of its own.
 *
 * Thresholds, of the time that is not idle: One run of one queue per request costs 1 to 2
 * %.
 */
#include "explain/signature.h"

#define HW_QUEUE_WALK_NOTE_PCT 6.0
#define HW_QUEUE_WALK_LEAD_PCT 12.0

static const struct signature hw_queue_walk = {
	.functions = "sbitmap_any_bit_set|blk_mq_run_hw_queues|blk_mq_run_hw_queue|"
		     "blk_mq_delay_run_hw_queue*|blk_mq_hctx_has_pending|"
		     "__sbitmap_weight|sbitmap_weight|blk_mq_sched_restart*|"
		     "scsi_run_queue|scsi_run_queue_async|scsi_starved_list_run|"
		     "blk_mq_hctx_mark_pending",
	.needs = "blk_mq_run_hw_queues|blk_mq_hctx_has_pending|sbitmap_any_bit_set|"
		 "scsi_starved_list_run",
	.note_pct = HW_QUEUE_WALK_NOTE_PCT,
	.lead_pct = HW_QUEUE_WALK_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 78,
	.what = "looks through all hardware queues for work",
	.name = "running of hardware queues",
	.cause = "each completion probably restarts every queue of the host or device "
		 "instead of its own",
	.because = "these functions look whether queues hold requests; a queue with "
		   "requests is dispatched by others",
	.next = { "perf record -a -g: who calls blk_mq_run_hw_queues",
		  "compare with fewer queues (module parameter of the driver) and "
		  "with nr_requests below the shared depth" },
};

const struct rule rule_hw_queue_walk = {
	.id = "hw-queue-walk",
	.title = "all hardware queues are run for one completion",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &hw_queue_walk,
};
