/* SPDX-License-Identifier: MIT */
/*
 * Segmentation in software.
 * Thresholds: any call; from 5 % of the trace a warning.
 */
#include "explain/call_signature.h"

static const struct call_signature software_segmentation = {
	.marker = "__skb_gso_segment|skb_mac_gso_segment",
	.scope = "ip_output*|ip_local_out*|__ip_local_out*|dev_queue_xmit*|__dev_queue_xmit*|ip_"
		 "rcv*|__netif_receive_skb*|udp_sendmsg|tcp_sendmsg*",
	.note_pct = 0,
	.lead_pct = 5,
	.sure = 85,
	.what = "the packet is larger than the device takes and is cut up in software",
	.name = "segmentation",
	.cause = "the MTU of the tunnel is smaller than the datagram, the device offloads no "
		 "such segments, or a queueing discipline splits them",
	.because = "these functions run only where the device does not segment",
	.next = "ethtool -k DEV (tx-udp_tnl-segmentation, tx-udp-segmentation); send less than the "
		"MTU or raise it",
};

const struct rule rule_software_segmentation = {
	.id = "software-segmentation",
	.title = "segmentation in software",
	.needs = RULE_CALLS,
	.call_signature = &software_segmentation,
};
