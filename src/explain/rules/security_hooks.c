/* SPDX-License-Identifier: MIT */
/*
 * SELinux, AppArmor, audit, seccomp and their hooks have a noticeable part of the time.
 *
 * Thresholds, of the time that is not idle: With default policies a server has 1 to 2
 * % there.
 */
#include "explain/signature.h"

#define SECURITY_HOOKS_NOTE_PCT 3.0
#define SECURITY_HOOKS_LEAD_PCT 10.0

static const struct signature security_hooks = {
	.functions = "avc_*|selinux_*|security_*|sidtab_*|context_struct_*|"
		     "apparmor_*|aa_*|common_perm*|common_file_perm|audit_*|"
		     "__audit_*|smack_*|smk_*|tomoyo_*|seccomp_run_filters|"
		     "__seccomp_filter|seccomp_filter*|bpf_lsm_*|cap_capable*|"
		     "cap_inode_*|landlock_*|hook_file_open|"
		     "current_check_access_path|ima_*|process_measurement|evm_*|"
		     "fanotify_*|fsnotify|fsnotify_*|__fsnotify_*|inotify_*",
	.through = "security_*|avc_*|selinux_*|apparmor_*|aa_*|fsnotify*|"
		   "__fsnotify*",
	.note_pct = SECURITY_HOOKS_NOTE_PCT,
	.lead_pct = SECURITY_HOOKS_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 78,
	.what = "checks accesses for security modules, audit and watchers",
	.name = "security, audit and watch hooks",
	.cause = "each system call is checked, logged or reported to a watcher; rules, contexts or "
		 "watchers are many",
	.because = "the hooks run on behalf of the calls of the workload: fewer calls or fewer "
		   "rules make less of it",
	.next = { "auditctl -s; auditctl -l: rules and lost events; ausearch for what is logged",
		  "perf record -a -g: which call pays; avcstat 1: misses of the SELinux cache",
		  "narrow the rules, watch fewer files, leave the agent out for a test" },
};

const struct rule rule_security_hooks = {
	.id = "security-hooks",
	.title = "access checks of security modules cost much",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &security_hooks,
};
