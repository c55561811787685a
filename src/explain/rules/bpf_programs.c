/* SPDX-License-Identifier: MIT */
/*
 * BPF programs, their maps and helpers are hot. Where BPF does the work (a load balancer in XDP)
 * this is no defect: it stays a note.
 *
 * Thresholds, of the time that is not idle: Tracing agents in health cost below 2 %.
 */
#include "explain/signature.h"

#define BPF_PROGRAMS_NOTE_PCT 8.0
#define BPF_PROGRAMS_LEAD_PCT 25.0

static const struct signature bpf_programs = {
	.functions = "bpf_prog_*|___bpf_prog_run*|__bpf_prog_run*|"
		     "__bpf_prog_enter*|__bpf_prog_exit*|bpf_dispatcher_*|"
		     "htab_map_*|__htab_map_*|htab_lru_*|htab_percpu_*|"
		     "lookup_nulls_elem_raw|lookup_elem_raw|array_map_*|"
		     "percpu_array_map_*|trie_lookup_elem|trie_update_elem|"
		     "lpm_trie_*|longest_prefix_match*|bpf_map_*|bpf_lru_*|"
		     "bpf_ringbuf_*|__bpf_ringbuf_*|bpf_perf_event_output*|"
		     "bpf_probe_read*|bpf_get_current_*|bpf_ktime_*|bpf_skb_*|"
		     "bpf_fib_lookup*|bpf_redirect*|bpf_sk_*|cls_bpf_*|"
		     "sk_filter_*|xsk_*|dev_map_*|cpu_map_*|bpf_tcp_*|sock_map_*",
	.through = "bpf_*|__bpf_*|htab_*|__htab_*|lookup_*|trie_*|array_map_*",
	.note_pct = BPF_PROGRAMS_NOTE_PCT,
	.lead_pct = BPF_PROGRAMS_LEAD_PCT,
	.sure_note = 50,
	.sure_lead = 60,
	.is_minor = true,
	.what = "runs BPF programs, their maps and helpers",
	.name = "BPF programs and maps",
	.cause = "programs are attached to a hot path: each packet, call or switch runs them",
	.because =
		"the names are of programs and maps; which of them is the work is not in a profile",
	.next = { "bpftool prog show (run_time_ns after sysctl kernel.bpf_stats_enabled=1): time "
		  "and runs of each",
		  "bpftool prog profile, bpftool map: full hash maps and long prefixes are slow; "
		  "detach what nobody reads" },
};

const struct rule rule_bpf_programs = {
	.id = "bpf-programs",
	.title = "BPF programs have a large part of the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &bpf_programs,
};
