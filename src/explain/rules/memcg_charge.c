/* SPDX-License-Identifier: MIT */
/*
 * Each operation is charged to a memory control group: objects are charged one at a time
 * (GFP_ACCOUNT), or counters of a group are shared by all CPUs.
 *
 * Thresholds, of the time that is not idle: Accounting costs 2 to 4 % in workloads that
 * allocate.
 */
#include "explain/signature.h"

#define MEMCG_CHARGE_NOTE_PCT 8.0
#define MEMCG_CHARGE_LEAD_PCT 15.0

static const struct signature memcg_charge = {
	.functions = "page_counter_*|try_charge*|obj_cgroup_*|mod_objcg_state|"
		     "refill_obj_stock|consume_obj_stock|drain_obj_stock|"
		     "mem_cgroup_charge*|__mem_cgroup_charge*|charge_memcg|"
		     "__memcg_slab_*|memcg_slab_*|slab_post_alloc_hook|__memcg_kmem_*|"
		     "uncharge_*|mem_cgroup_uncharge*|__mem_cgroup_uncharge*|"
		     "__mod_memcg_*|refill_stock|consume_stock|cancel_charge|"
		     "get_obj_cgroup_from_current|current_obj_cgroup|"
		     "__count_memcg_events|memcg_account_kmem|get_mem_cgroup_from_*",
	.needs = "mod_objcg_state|page_counter_*|try_charge*|refill_obj_stock|"
		 "obj_cgroup_*|charge_memcg|__memcg_slab_*|__mod_memcg_*",
	.note_pct = MEMCG_CHARGE_NOTE_PCT,
	.lead_pct = MEMCG_CHARGE_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 85,
	.what = "is accounting of memory control groups",
	.name = "charging memory to control groups",
	.cause = "objects are charged one at a time (GFP_ACCOUNT), or counters of a "
		 "group are shared by all CPUs",
	.because = "these functions only count; they run once for each object or page",
	.next = { "perf record -a -g: which allocation is accounted",
		  "charge in batches or once for the object's life; boot with "
		  "cgroup.memory=nokmem to measure the price" },
};

const struct rule rule_memcg_charge = {
	.id = "memcg-charge",
	.title = "each operation is charged to a memory control group",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &memcg_charge,
};
