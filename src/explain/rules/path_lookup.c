/* SPDX-License-Identifier: MIT */
/*
 * Walking of path names (open, stat, access) has a large part of the time.
 *
 * Thresholds, of the time that is not idle: Servers that keep their files open have
 * below 2 % there.
 */
#include "explain/signature.h"

#define PATH_LOOKUP_NOTE_PCT 6.0
#define PATH_LOOKUP_LEAD_PCT 20.0

static const struct signature path_lookup = {
	.functions = "link_path_walk*|walk_component|__d_lookup*|d_lookup|"
		     "lookup_fast|__lookup_slow|lookup_slow|lookup_open*|"
		     "step_into|pick_link|path_lookupat*|path_openat|path_init|"
		     "path_parentat*|do_filp_open|filename_lookup|complete_walk|"
		     "unlazy_*|legitimize_*|try_to_unlazy*|d_alloc_parallel|"
		     "d_alloc|__d_alloc|getname_flags*|strncpy_from_user|"
		     "inode_permission|generic_permission|may_open|full_name_hash|"
		     "hash_name|follow_managed|__follow_mount_rcu|traverse_mounts|"
		     "__traverse_mounts|__lookup_mnt|lookup_mnt|proc_sys_compare|"
		     "proc_sys_lookup|ext4_lookup|ext4_find_entry*|"
		     "ext4_dx_find_entry|ext4_search_dir|xfs_vn_lookup|"
		     "ovl_lookup*|ovl_permission|do_sys_openat2|vfs_statx*|"
		     "do_statx|cp_new_stat|vfs_fstatat|user_path_at*",
	.needs = "link_path_walk*|walk_component|__d_lookup*|lookup_fast|"
		 "path_openat|path_lookupat*|filename_lookup|d_alloc_parallel",
	.note_pct = PATH_LOOKUP_NOTE_PCT,
	.lead_pct = PATH_LOOKUP_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 78,
	.what = "looks up names of files",
	.name = "path names",
	.cause = "files are opened or asked for by name again and again: a configuration that is "
		 "stated at each request, a search path, many small files",
	.because = "the walk of a name costs 0.2 to 1 \xc2\xb5s a component; only many calls make "
		   "it visible",
	.next = { "perf trace -p PID -s -e openat,newfstatat,access,statx; strace -c: how often, "
		  "for which names",
		  "keep descriptors, cache what stat said, openat() below a directory descriptor, "
		  "shorter search paths" },
};

const struct rule rule_path_lookup = {
	.id = "path-lookup",
	.title = "names of files are looked up all the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &path_lookup,
};
