/* SPDX-License-Identifier: MIT */
#include "analyses/calls/calls_lanes.h"

#include "analyses/calls/calls_summary.h"
#include "base/idmap.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/calls.h"

static void lanes_add(struct calls_group *to, const struct calls_group *from)
{
	to->calls += from->calls;
	to->topmost += from->topmost;
	to->total_ns = number_sum(to->total_ns, from->total_ns);
	to->self_ns = number_sum(to->self_ns, from->self_ns);
	to->asleep_ns += from->asleep_ns;
	to->irq_ns += from->irq_ns;
}

/*
 * Key of the sum to which a lane (a task on one CPU) belongs: its CPU, or with @by_task its task.
 * The key of a task is its pid, because threads change their names.
 */
static uint64_t lanes_key(const struct call_lane *lane, bool by_task)
{
	if (!by_task)
		return lane->cpu;
	/* all idle tasks have pid 0, so their key contains the CPU */
	return lane->has_pid && lane->pid
		       ? lane->pid
		       : UINT64_C(1) << 48 | (uint64_t)lane->comm.v << 16 | lane->cpu;
}

static int lanes_compare_total(const void *a, const void *b)
{
	const struct calls_lane_sum *x = a;
	const struct calls_lane_sum *y = b;

	return SORT_ORDER(y->sum.total_ns, x->sum.total_ns) ?: SORT_ORDER(x->lane, y->lane);
}

void calls_lanes_sum(const struct calls *c, const struct calls_group *lanes,
		     struct calls_summary *out)
{
	struct idmap tasks = { 0 };
	struct idmap cpus = { 0 };

	for (unsigned int pass = 0; pass < 2; pass++) {
		bool by_task = pass == 0;
		struct idmap *map = by_task ? &tasks : &cpus;

		if (by_task ? !c->has_tasks : !c->has_cpus)
			continue;
		for (uint32_t i = 0; i < c->lanes.len; i++) {
			uint64_t key = lanes_key(&c->lanes.data[i], by_task);
			struct idmap_probe p = idmap_first(map, hash_u64(key, 3));
			bool is_found = false;

			if (lanes[i].calls == 0)
				continue;
			while (!is_found && idmap_next(map, &p)) {
				struct calls_lane_sum *row =
					by_task ? &out->tasks.data[p.id] : &out->cpus.data[p.id];

				is_found = lanes_key(&c->lanes.data[row->lane], by_task) == key;
				if (is_found)
					lanes_add(&row->sum, &lanes[i]);
			}
			if (is_found)
				continue;
			idmap_insert(map, &p, (uint32_t)(by_task ? out->tasks.len : out->cpus.len));
			if (by_task)
				*VEC_PUSH(&out->tasks) = (struct calls_lane_sum){ i, lanes[i] };
			else
				*VEC_PUSH(&out->cpus) = (struct calls_lane_sum){ i, lanes[i] };
		}
	}
	VEC_SORT(&out->tasks, lanes_compare_total);
	VEC_SORT(&out->cpus, lanes_compare_total);
	idmap_fini(&tasks);
	idmap_fini(&cpus);
}
