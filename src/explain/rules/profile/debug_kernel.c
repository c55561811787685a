/* SPDX-License-Identifier: MIT */
/*
 * The kernel was built with debug options (lockdep, KASAN, kmemleak, checks of lists, slabs or file
 * systems). Their checks take time and distort the profile. The next step checks the options that
 * these functions prove.
 *
 * Thresholds are shares of the non-idle time. Production kernels keep some checks (list validation
 * in hardened ones), which cost below 3 %.
 *
 * With DEBUG_SPINLOCK, do_raw_spin_lock() is no longer inlined, and checks the lock. But it still
 * takes the lock, so its time may be waiting. Therefore the time of such functions alone is no
 * warning.
 */
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "base/status.h"
#include "explain/debug_kernel_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdio.h>
#include <string.h>

DECLARE_RULE(debug_kernel);

#define DEBUG_NOTE_PCT 3.0
#define DEBUG_LEAD_PCT 10.0
#define DEBUG_NEXT     "measure again on a production kernel: debug checks change the shares"

/* Options of the kernel's configuration, and the functions that they add. */
struct debug_option {
	const char *proof;  /* functions that only a kernel with this option has; NULL: none */
	const char *others; /* functions that other kernels have, too; NULL: none */
	/* names of the options, "A|B", without "CONFIG_"; NULL: no option adds the functions */
	const char *options;
};

static const struct debug_option debug_options[] = { DEBUG_OPTIONS };

static const struct signature debug_checks = {
	.functions = DEBUG_OPTIONS_PROOF "|" DEBUG_OPTIONS_OTHERS,
	.needs = DEBUG_OPTIONS_PROOF,
	.note_pct = DEBUG_NOTE_PCT,
	.lead_pct = DEBUG_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 93,
	.headline = "Debug kernel",
	.what = "is debug checks of the kernel",
	.name = "checks of a debug kernel",
	.cause = "The kernel was built with debug options, such as lockdep, KASAN, or checks of "
		 "preemption, lists and slabs",
	.because = "debug options add these functions; some kernels in production have a few of "
		   "them, too",
};

/* Are functions of @pattern in the kernel part of the profile? */
static bool debug_has(const struct rule_input *in, const char *pattern)
{
	struct fact_names names = { .pattern = pattern, .is_kernel = true };

	return pattern && facts_sum_of(in->profile, &names).functions > 0;
}

/* Name the options that add the functions of this profile, "A|B|C". */
static const char *debug_options_of(const struct rule_input *in, struct findings *out)
{
	const char *ret = NULL;

	for (size_t i = 0; i < ARRAY_LEN(debug_options); i++) {
		const struct debug_option *o = &debug_options[i];

		if (o->options && (debug_has(in, o->proof) || debug_has(in, o->others)))
			ret = ret ? finding_name(out, "%s|%s", ret, o->options) : o->options;
	}
	return ret ? ret : "DEBUG_KERNEL";
}

static void debug_kernel_check(const struct rule_input *in, struct findings *out)
{
	struct fact_names locks = { .pattern = DEBUG_LOCK_WORK, .is_kernel = true };
	struct signature s = debug_checks;
	struct signature_share share;
	struct finding *f;
	double lock;

	if (!signature_can_judge(in, out, &rule_debug_kernel))
		return;
	share = signature_measure(in, &s);
	lock = facts_sum_of(in->profile, &locks).self;
	if (lock > 0) {
		s.what = "is debug checks, or lock work in functions with such checks";
		s.name = "debug checks, and locks with such checks";
		s.because = "debug options add these functions. do_raw_spin_lock and its siblings "
			    "also take and release the lock, so their time may be waiting";
		s.is_minor = share.busy_pct - signature_of_busy(in, lock) < DEBUG_LEAD_PCT;
	}
	f = signature_find(in, out, &rule_debug_kernel, &s, &share);
	if (f) {
		if (lock > 0)
			finding_figure(f, "lock work with checks", lock, 0, "%");
		finding_next(out, f,
			     "grep -E '^CONFIG_(%s)=y' /boot/config-$(uname -r): the options that "
			     "add these functions",
			     debug_options_of(in, out));
		finding_next(out, f, DEBUG_NEXT);
	} else if (!share.has_needs && share.busy_pct >= DEBUG_NOTE_PCT) {
		finding_not_assessed(out, in, &rule_debug_kernel, "perf record -a -g",
				     "%.1f %% in %s; the profile does not show the purpose",
				     share.pct, s.name);
	} else {
		signature_rule_out(in, out, &rule_debug_kernel, &s, &share);
	}
}

const struct rule rule_debug_kernel = {
	.id = "debug-kernel",
	.title = "Debug kernel",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &debug_checks,
	.check = debug_kernel_check,
};
