/* SPDX-License-Identifier: MIT */
/*
 * Copies of data: data is copied from buffer to buffer; when moving data is the job, this
 * is the job.
 *
 * Thresholds, of the time that is not idle: Reading and writing through the page cache
 * costs 10 to 40 % in copies: the rule never leads.
 */
#include "explain/signature.h"

#define COPYING_NOTE_PCT 12.0
#define COPYING_LEAD_PCT 30.0

static const struct signature copying = {
	.functions = "copy_user_*|__copy_user*|rep_movs_alternative|_copy_to_iter|"
		     "_copy_from_iter*|copyin|copyout|_copy_from_user|_copy_to_user|"
		     "__arch_copy_*|copy_page|copy_page_*|memcpy|memcpy_*|__memcpy*|"
		     "__memmove_*|memmove|__pi_memcpy*|__pi___memcpy*|copy_mc_*|"
		     "csum_partial_copy*|csum_and_copy*|__asm_copy_*|"
		     "fallback_scalar_usercopy*|__GI_memcpy|skb_copy_datagram*|"
		     "copy_page_to_iter|copy_page_from_iter*|memcpy_orig|memcpy_erms",
	.through = "copy_*|_copy_*|memcpy*|__memcpy*|__memmove*|memmove|rep_movs*|"
		   "skb_copy*|copyin|copyout",
	.note_pct = COPYING_NOTE_PCT,
	.lead_pct = COPYING_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 75,
	.is_minor = true,
	.is_user = true,
	.what = "copies data",
	.name = "copies",
	.cause = "data is copied from buffer to buffer; when moving data is the "
		 "job, this is the job",
	.because = "that it copies is certain; whether it must, the profile does not "
		   "show",
	.next = { "perf record -a -g: who copies, how often the same data",
		  "larger blocks, zero copy (sendfile, splice, MSG_ZEROCOPY, "
		  "O_DIRECT, mmap), fewer layers" },
};

const struct rule rule_copying = {
	.id = "copying",
	.title = "copies of data",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &copying,
	.is_general = true,
};
