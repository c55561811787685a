/* SPDX-License-Identifier: MIT */
/*
 * Journals and logs of file systems: transactions are made, copied and committed, and
 * others wait for space in the journal or for its locks.
 *
 * Thresholds, of the time that is not idle: a file server in good health has 2 to 6 %.
 */
#include "explain/signature.h"

#define JOURNAL_WORK_NOTE_PCT 10.0
#define JOURNAL_WORK_LEAD_PCT 22.0

static const struct signature journal_work = {
	.functions = "jbd2_*|__jbd2_*|start_this_handle|add_transaction_credits|"
		     "wait_transaction_*|do_get_write_access|ext4_fc_*|ext4_journal_*|"
		     "__ext4_journal_*|xlog_*|__xlog_*|xfs_log_*|xfsaild*|xfs_ail_*|"
		     "xfs_trans_ail_*|xfs_trans_committed*|xfs_cil_*|xfs_buf_item_*|"
		     "xfs_inode_item_*|xfs_trans_reserve|xfs_trans_commit|"
		     "__xfs_trans_commit|btrfs_commit_transaction*|"
		     "btrfs_run_delayed_refs*|__btrfs_run_delayed_*|btrfs_sync_log*|"
		     "f2fs_write_checkpoint|gfs2_log_*|ocfs2_journal_*|"
		     "reiserfs_journal_*|do_journal_*|zil_commit*|zil_lwb_*",
	.through = "jbd2_*|__jbd2_*|xlog_*|xfs_log_*|ext4_journal_*|__ext4_*",
	.note_pct = JOURNAL_WORK_NOTE_PCT,
	.lead_pct = JOURNAL_WORK_LEAD_PCT,
	.sure_note = 62,
	.sure_lead = 76,
	.what = "goes into the journal of a file system",
	.name = "journals of file systems",
	.cause = "many small changes of metadata, each with a transaction; a "
		 "journal that is too small makes writers wait for its space",
	.because = "these functions do nothing but journal",
	.next = { "how often is fsync() called (perf trace -s); cat "
		  "/proc/fs/jbd2/*/info, xfs_stats: commits a second, waits for space",
		  "a larger journal or log (mkfs -J size=, -l size=), fewer fsync() "
		  "calls, larger transactions, lazytime and noatime" },
};

const struct rule rule_journal_work = {
	.id = "journal-work",
	.title = "the journal of a file system is hot",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &journal_work,
};
