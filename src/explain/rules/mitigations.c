/* SPDX-License-Identifier: MIT */
/*
 * Protection against CPU vulnerabilities costs: indirect calls and returns go through
 * thunks, or barriers flush predictors.
 *
 * Thresholds, of the time that is not idle: Retpolines of one hot loop cost 1 to 3 %.
 */
#include "explain/signature.h"

#define MITIGATIONS_NOTE_PCT 4.0
#define MITIGATIONS_LEAD_PCT 12.0

static const struct signature mitigations = {
	.functions = "__x86_indirect_*|__x86_return_thunk|x86_return_thunk|"
		     "__x86_return_skl|retbleed_*|srso_*|zen_untrain_ret|entry_ibpb|"
		     "entry_untrain_ret|clear_bhb_loop|__clear_bhb_loop|"
		     "__x86_retpoline_*|indirect_branch_prediction_barrier|write_ibpb|"
		     "x86_clear_cpu_buffers|mds_clear_*|mds_user_clear_*|mds_idle_clear*|l1d_flush*"
		     "|__switch_to_xtra|"
		     "speculation_ctrl_update|its_return_thunk|call_depth_return_thunk|spectre_bhb_"
		     "*|arm64_apply_bp_hardening",
	.note_pct = MITIGATIONS_NOTE_PCT,
	.lead_pct = MITIGATIONS_LEAD_PCT,
	.sure_note = 80,
	.sure_lead = 92,
	.what = "is protection against CPU vulnerabilities (thunks, flushes)",
	.name = "thunks and flushes",
	.cause = "indirect calls and returns go through thunks, or barriers flush "
		 "predictors",
	.because = "nothing else runs in these functions",
	.next = { "grep . /sys/devices/system/cpu/vulnerabilities/*",
		  "fewer indirect calls in the hot path (direct calls, batching); "
		  "measure once with mitigations=off to know the price, do not run so" },
};

const struct rule rule_mitigations = {
	.id = "mitigations",
	.title = "protection against CPU vulnerabilities costs",
	.needs = RULE_PROFILE,
	.signature = &mitigations,
};
