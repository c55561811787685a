/* SPDX-License-Identifier: MIT */
/*
 * Calls of poll() and select() with many descriptors: each call asks all of them again.
 *
 * Thresholds, of the time that is not idle: with a few descriptors a call costs below 5 %.
 */
#include "explain/signature.h"

#define DESCRIPTOR_SCAN_NOTE_PCT 12.0
#define DESCRIPTOR_SCAN_LEAD_PCT 28.0

static const struct signature descriptor_scan = {
	.functions = "do_sys_poll|do_poll*|do_pollfd|do_select|core_sys_select|sys_poll|"
		     "sys_select|__pollwait|poll_freewait|free_poll_entry|poll_select_*|"
		     "sock_poll|tcp_poll|udp_poll|unix_poll|datagram_poll|pipe_poll|"
		     "eventfd_poll|tty_poll|__fget_light|__fdget|__fget|fget_light|fput|"
		     "fput_many|add_wait_queue|remove_wait_queue|compat_sys_poll",
	.needs = "do_sys_poll|do_poll*|do_pollfd|do_select|core_sys_select",
	.note_pct = DESCRIPTOR_SCAN_NOTE_PCT,
	.lead_pct = DESCRIPTOR_SCAN_LEAD_PCT,
	.sure_note = 62,
	.sure_lead = 70,
	.what = "asks descriptors whether they are ready",
	.name = "asking descriptors",
	.cause = "poll() and select() go through all descriptors in each call: there are many, "
		 "or the calls are",
	.because = "these functions run once for each descriptor of each call; which of the two "
		   "is large a share does not tell",
	.next = { "perf trace -e poll,ppoll,select,pselect6 -p PID: how many "
		  "descriptors, how many of them ready",
		  "epoll or io_uring: the kernel keeps the set, and tells only what "
		  "is ready" },
};

const struct rule rule_descriptor_scan = {
	.id = "descriptor-scan",
	.title = "poll or select asks many descriptors again in each call",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &descriptor_scan,
};
