/* SPDX-License-Identifier: MIT */
/*
 * Write-back and its completion cost: many small dirty ranges are written and completed
 * one by one, or long chains of them in one go.
 *
 * Thresholds, of the time that is not idle: Buffered writing costs 3 to 5 % in write-back.
 */
#include "explain/signature.h"

#define WRITEBACK_NOTE_PCT 6.0
#define WRITEBACK_LEAD_PCT 15.0

static const struct signature writeback = {
	.functions = "balance_dirty_pages*|iomap_finish_ioend*|iomap_ioend*|"
		     "iomap_writepage*|iomap_do_writepage|xfs_end_io|xfs_end_ioend|"
		     "xfs_end_bio|xfs_iomap_write_unwritten|write_cache_pages|"
		     "writeback_iter|writeback_get_folio|folio_end_writeback*|"
		     "__folio_end_writeback|__folio_start_writeback|end_page_writeback|"
		     "test_clear_page_writeback|__test_set_page_writeback|"
		     "folio_clear_dirty_for_io|clear_page_dirty_for_io|"
		     "domain_dirty_limits|wb_over_bg*|node_dirty_ok|global_dirty_limits|"
		     "wb_calc_thresh|tag_pages_for_writeback|mpage_prepare_extent*|"
		     "mpage_process_page*|btrfs_finish_ordered*|"
		     "btrfs_finish_one_ordered|end_bio_extent_writepage|"
		     "xfs_reflink_end_cow*",
	.under = "xfs_end_io|xfs_end_ioend|iomap_finish_ioends|ext4_end_io_rsv_work|"
		 "btrfs_finish_ordered_io|wb_workfn|balance_dirty_pages",
	.note_pct = WRITEBACK_NOTE_PCT,
	.lead_pct = WRITEBACK_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 74,
	.what = "writes dirty pages back or completes such writes",
	.name = "write-back and its completion",
	.cause = "many small dirty ranges are written and completed one by one, or "
		 "long chains of them in one go",
	.because = "these functions run for each page or extent that is written back",
	.next = { "perf record -a -g: is it submission or completion; iostat -x 1",
		  "larger writes, preallocated (written) extents, vm.dirty_* limits, "
		  "O_DIRECT for random overwrites" },
};

const struct rule rule_writeback = {
	.id = "writeback",
	.title = "write-back and its completion cost",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &writeback,
};
