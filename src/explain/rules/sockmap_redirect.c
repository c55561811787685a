/* SPDX-License-Identifier: MIT */
/*
 * A redirect between sockets that bypasses TCP/IP.
 * Thresholds: any call; a note at any share.
 */
#include "explain/call_signature.h"

static const struct call_signature sockmap_redirect = {
	.marker = "tcp_bpf_sendmsg_redir*",
	.scope = "tcp_bpf_sendmsg*|sk_psock_msg_verdict*",
	.absent = "ip_queue_xmit*|__ip_queue_xmit*|ip_output|ip_local_out*|__dev_queue_xmit*|dev_"
		  "queue_xmit*|tcp_write_xmit|__tcp_transmit_skb",
	.note_pct = 0,
	.lead_pct = 101,
	.sure = 97,
	.what = "the message is redirected to another socket and bypasses TCP/IP",
	.name = "redirect and what is below",
	.cause = "a BPF program of the socket map gave the verdict redirect",
	.because = "no function of TCP output, IP or a device is in the trace",
	.next = "nothing to do: the bypass works",
};

const struct rule rule_sockmap_redirect = {
	.id = "sockmap-redirect",
	.title = "a redirect between sockets that bypasses TCP/IP",
	.needs = RULE_CALLS,
	.call_signature = &sockmap_redirect,
};
