/* SPDX-License-Identifier: MIT */
/*
 * Rings of devices: descriptors, completions and packets that a device wrote are read
 * for the first time, which is a cache miss or an uncached read each. Where moving
 * packets is the work this is no defect: it stays a note.
 *
 * Thresholds, of the time that is not idle: 12 % is a note.
 */
#include "explain/signature.h"

#define DEVICE_RINGS_NOTE_PCT 12.0
#define DEVICE_RINGS_LEAD_PCT 30.0

#define RING_NAMES                                                                             \
	"*_clean_rx*|*_clean_tx*|*_poll_rx*|*_poll_tx*|*_rx_poll|*_tx_poll|"                   \
	"*poll_cq|*_poll_cq_*|*_get_cqe*|*_rx_swbm*|*_rx_hwbm*|"                               \
	"*_parse_*desc*|*_rx_desc*|*_tx_desc*|*_desc_ring*|*_dst_ring*|"                       \
	"*_src_ring*|*_srng_*|*_process_rx*|*_rx_process*|*_rx_pkt|"                           \
	"*_rx_int|*_rx_ring*|*_tx_ring*|*_handle_rx*|*_recv_pkts*|"                            \
	"*_xmit_pkts*|virtqueue_*|detach_buf*|virtnet_receive|"                                \
	"virtnet_xsk_*|vring_*|*_fetch_rx*|nvme_poll|nvme_process_cq|"                         \
	"nvme_poll_cq|nvme_handle_cqe|*_complete_cmd*|complete_cmd_*|"                         \
	"*_process_cqe*|mvneta_poll|mvpp2_rx*|stmmac_rx*|fec_enet_rx*|"                        \
	"gfar_clean_*|cpsw_*handler|dpaa2_eth_*|ena_clean_*|gve_rx*|"                          \
	"gve_clean*|bnxt_*rx*|bnxt_*tx*|bnx2x_rx_int|ixgbe_xmit_frame*|"                       \
	"mlx5e_handle_rx*|mlx5e_skb_from_cqe*|mlx5e_xmit*|mlx4_en_process_*|*_rx_burst*|*_tx_" \
	"burst*|*_recv_raw_pkts*"

static const struct signature device_rings = {
	.functions = RING_NAMES,
	.note_pct = DEVICE_RINGS_NOTE_PCT,
	.lead_pct = DEVICE_RINGS_LEAD_PCT,
	.sure_note = 58,
	.sure_lead = 60,
	.is_minor = true,
	.also_user = true,
	.what = "reads and fills rings of a device",
	.name = "rings of devices",
	.cause = "what a device wrote (a descriptor, a completion, a packet) is "
		 "touched for the first time: a cache miss, or an uncached read "
		 "where the memory is not coherent, for each of them",
	.because = "the names are those of drivers; whether moving packets is the "
		   "work itself a profile does not say",
	.next = { "perf annotate FUNCTION: one load with most of it is the miss; "
		  "prefetch the next descriptor, read it once into a cached copy",
		  "larger batches (NAPI budget, coalescing), fewer and larger "
		  "packets (GRO, TSO), more queues" },
};

const struct rule rule_device_rings = {
	.id = "device-rings",
	.title = "rings of a device are read and filled",
	.needs = RULE_PROFILE,
	.signature = &device_rings,
};
