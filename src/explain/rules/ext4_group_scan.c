/* SPDX-License-Identifier: MIT */
/*
 * Ext4 searches its groups for free blocks: no group has the run of blocks that it wants:
 * an odd stripe= of the mount, or free space that is nearly gone or in pieces.
 *
 * Thresholds, of the time that is not idle: A write-back worker that finds blocks at once
 * spends 1 to 3 % here; every public case of the stripe problem had more than 30 %.
 */
#include "explain/signature.h"

#define EXT4_GROUP_SCAN_NOTE_PCT 10.0
#define EXT4_GROUP_SCAN_LEAD_PCT 25.0

static const struct signature ext4_group_scan = {
	.functions = "ext4_mb_good_group*|ext4_get_group_info|ext4_mb_scan_aligned|"
		     "ext4_mb_find_good_group*|ext4_mb_regular_allocator|"
		     "ext4_mb_scan_groups*|ext4_mb_choose_next_group*|"
		     "ext4_mb_simple_scan_group|ext4_mb_complex_scan_group|"
		     "ext4_mb_prefetch*|ext4_mb_load_buddy*|ext4_mb_unload_buddy|"
		     "mb_find_extent|mb_find_order_for_block",
	.needs = "ext4_mb_good_group*|ext4_get_group_info|ext4_mb_scan_aligned|"
		 "ext4_mb_find_good_group*|ext4_mb_scan_groups*",
	.note_pct = EXT4_GROUP_SCAN_NOTE_PCT,
	.lead_pct = EXT4_GROUP_SCAN_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 88,
	.what = "searches block groups for free blocks",
	.name = "the block allocator of ext4",
	.cause = "no group has the run of blocks that it wants: an odd stripe= of "
		 "the mount, or free space that is nearly gone or in pieces",
	.because = "these functions only look at groups; an allocator that finds what "
		   "it wants leaves them at once",
	.next = { "mount | grep stripe; mount -o remount,stripe=0 MOUNTPOINT and "
		  "measure again",
		  "cat /proc/fs/ext4/DEVICE/mb_stats; dumpe2fs -h DEVICE; df -h "
		  "MOUNTPOINT" },
};

static const char *const ext4_group_scan_overrules[] = { "hot-function", "tight-loop", NULL };

const struct rule rule_ext4_group_scan = {
	.id = "ext4-group-scan",
	.title = "ext4 searches its groups for free blocks",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.overrules = ext4_group_scan_overrules,
	.signature = &ext4_group_scan,
};
