/* SPDX-License-Identifier: MIT */
/*
 * Journals and logs of file systems: transactions are created, copied and committed, and
 * threads wait for space in the journal or for its locks.
 *
 * Thresholds, of the non-idle time: a healthy file server has 2 to 6 %.
 */
#include "explain/signature.h"

#include "analyses/event_unit.h"
#include "explain/facts.h"
#include "explain/journal_work_names.h"
#include "explain/rule.h"

DECLARE_RULE(journal_work);

#define JOURNAL_WORK_NOTE_PCT 10.0
#define JOURNAL_WORK_LEAD_PCT 22.0

/* Commits requested by fsync(), one at a time. */
#define JOURNAL_FAST "ext4_fc_*"
/* Least part of the share that decides its kind. */
#define JOURNAL_PART 0.5

enum journal_kind {
	JOURNAL_OF_CHANGES,
	JOURNAL_OF_SPACE,
	JOURNAL_OF_COMMITS,
};

static const struct signature journal_work[] = {
	[JOURNAL_OF_CHANGES] = {
		.functions = JOURNAL_FUNCTIONS,
		.through = JOURNAL_THROUGH,
		.note_pct = JOURNAL_WORK_NOTE_PCT,
		.lead_pct = JOURNAL_WORK_LEAD_PCT,
		.sure_note = 62,
		.sure_lead = 74,
		.what = "is file system journaling",
		.name = "file system journals",
		.cause = "Many small metadata changes, each with a transaction, or many commits. The profile cannot tell which",
		.because = "these functions only write the journal",
		.next = { "how often is fsync() called (perf trace -s); cat "
			  "/proc/fs/jbd2/*/info, xfs_stats: commits a second, waits for space",
			  "use fewer fsync() calls, larger transactions, lazytime and noatime" },
	},
	[JOURNAL_OF_SPACE] = {
		.functions = JOURNAL_FUNCTIONS,
		.through = JOURNAL_THROUGH,
		.note_pct = JOURNAL_WORK_NOTE_PCT,
		.lead_pct = JOURNAL_WORK_LEAD_PCT,
		.sure_note = 62,
		.sure_lead = 74,
		.what = "is file system journaling",
		.name = "file system journals",
		.cause = "Writers make or wait for space in the journal. It is small for the rate "
			 "of changes, or its content is written in place slowly",
		.because = "most of this time is in functions that make space or wait for it",
		.next = { "cat /proc/fs/jbd2/*/info; xfs_stats; iostat -x 1: waits for space",
			  "use a larger journal or log (mkfs -J size=, -l size=), or a faster device for it" },
	},
	[JOURNAL_OF_COMMITS] = {
		.functions = JOURNAL_FUNCTIONS,
		.through = JOURNAL_THROUGH,
		.note_pct = JOURNAL_WORK_NOTE_PCT,
		.lead_pct = JOURNAL_WORK_LEAD_PCT,
		.sure_note = 62,
		.sure_lead = 74,
		.what = "is file system journaling",
		.name = "file system journals",
		.cause = "Each fsync() commits the queue of changed inodes, and commits run one at a time. The queue is long, fsync() is frequent, or commits wait for each other's lock",
		.because = "most of this time is in ext4 fast commits, which only fsync() triggers",
		.next = { "perf trace -s -e fsync,fdatasync: who calls fsync, how often; cat /proc/fs/ext4/*/fc_info",
			  "call fsync() less often, or once for many files; perf annotate: a locked instruction waits, a load walks the queue" },
	},
};

static void journal_check(const struct rule_input *in, struct findings *out)
{
	struct signature_share share;
	enum journal_kind kind = JOURNAL_OF_CHANGES;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_journal_work))
		return;
	share = signature_measure(in, &journal_work[kind]);
	if (facts_sum(in->profile, JOURNAL_FAST).self >= share.sum.self * JOURNAL_PART)
		kind = JOURNAL_OF_COMMITS;
	else if (facts_sum(in->profile, JOURNAL_SPACE).self >= share.sum.self * JOURNAL_PART)
		kind = JOURNAL_OF_SPACE;
	if (!signature_find(in, out, &rule_journal_work, &journal_work[kind], &share))
		signature_rule_out(in, out, &rule_journal_work, &journal_work[kind], &share);
}

const struct rule rule_journal_work = {
	.id = "journal-work",
	.title = "File system journal",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &journal_work[JOURNAL_OF_CHANGES],
	.check = journal_check,
};
