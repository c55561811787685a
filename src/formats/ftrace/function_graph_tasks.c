/* SPDX-License-Identifier: MIT */
/* function_graph_tasks.c - find the CPU and task of a function-graph line: see fg_place() */
#include "formats/ftrace/function_graph_build.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/ftrace/function_graph_line.h"

/* Make a task, and add it to g->tasks. */
static struct fg_task *fg_new_task(struct fg *g, uint64_t key)
{
	struct fg_task *t = arena_alloc(&g->arena, sizeof(*t));

	memset(t, 0, sizeof(*t));
	t->key = key;
	t->index = (uint32_t)g->tasks.len;
	*VEC_PUSH(&g->tasks) = t;
	return t;
}

uint64_t fg_task_key(const struct fg *g, const struct fg_cpu *cpu, uint32_t pid)
{
	return pid ? pid : (uint64_t)(cpu - g->cpus + 1) << 32;
}

struct fg_task *fg_task_of(struct fg *g, uint64_t key, struct fg_task *anonymous)
{
	uint64_t hash = hash_u64(key, 1);
	struct idmap_probe p = idmap_first(&g->tasks_map, hash);

	while (idmap_next(&g->tasks_map, &p)) {
		if (g->tasks.data[p.id]->key == key)
			return g->tasks.data[p.id];
	}
	if (g->tasks.len >= LIMIT_CALL_LANES) {
		fg_count(g, FG_COUNT_TOO_MANY_TASKS);
		return g->tasks.data[0];
	}
	if (anonymous) {
		anonymous->key = key;
		idmap_insert(&g->tasks_map, &p, anonymous->index);
		return anonymous;
	}
	idmap_insert(&g->tasks_map, &p, (uint32_t)g->tasks.len);
	return fg_new_task(g, key);
}

static uint16_t fg_lane_cpu(const struct fg *g, const struct fg_cpu *cpu)
{
	size_t n = (size_t)(cpu - g->cpus);

	return n == 0 ? UINT16_MAX : (uint16_t)(n - 1);
}

void fg_run(struct fg *g, struct fg_cpu *cpu, str_id comm, uint32_t pid)
{
	uint64_t key = fg_task_key(g, cpu, pid);

	if (cpu->task && cpu->task->key == key && cpu->comm.v == comm.v)
		return;
	if (g->calls->lanes.len >= LIMIT_CALL_LANES)
		fg_count(g, FG_COUNT_TOO_MANY_TASKS);
	cpu->task = fg_task_of(g, key, NULL);
	cpu->comm = comm;
	cpu->pid = pid;
	cpu->has_pid = true;
	cpu->field_len = 0;
	cpu->lane =
		calls_lane(g->calls, (struct call_lane){ comm, pid, fg_lane_cpu(g, cpu), true });
	g->calls->has_tasks = true;
}

static void fg_run_nobody(struct fg *g, struct fg_cpu *cpu)
{
	cpu->task = fg_new_task(g, 0);
	cpu->comm = STR_ID_NONE;
	cpu->lane = calls_lane(g->calls,
			       (struct call_lane){ STR_ID_NONE, 0, fg_lane_cpu(g, cpu), false });
}

static void fg_grow_cpus(struct fg *g, uint32_t want)
{
	want = want < 2 * g->n_cpus ? 2 * g->n_cpus : want;
	g->cpus = xreallocarray(g->cpus, want, sizeof(*g->cpus));
	memset(g->cpus + g->n_cpus, 0, (want - g->n_cpus) * sizeof(*g->cpus));
	g->n_cpus = want;
}

struct fg_cpu *fg_cpu_of(struct fg *g, uint32_t n)
{
	if (n >= FG_MAX_CPUS) {
		fg_count(g, FG_COUNT_BAD_CPU);
		return NULL;
	}
	if (n + 1 >= g->n_cpus)
		fg_grow_cpus(g, n + 2);
	g->last_cpu = n + 1;
	g->calls->has_cpus = true;
	return &g->cpus[n + 1];
}

struct fg_cpu *fg_place(struct fg *g, const struct fg_line *l)
{
	uint32_t n = l->columns & FG_CPU ? l->cpu + 1 : 0;
	struct fg_cpu *cpu;
	struct str comm;
	uint32_t pid;

	if (l->columns & FG_CPU && l->cpu >= FG_MAX_CPUS) {
		fg_count(g, FG_COUNT_BAD_CPU);
		return NULL;
	}
	if (n >= g->n_cpus)
		fg_grow_cpus(g, n + 1);
	cpu = &g->cpus[n];
	g->last_cpu = n;
	g->calls->has_cpus |= n != 0;
	if (l->columns & FG_TASK && fg_task_split(l->task, &comm, &pid)) {
		fg_run(g, cpu, strings_add(&g->dossier->strings, comm), pid);
		if (l->task_field.len && l->task_field.len <= FG_FIELD_BYTES) {
			memcpy(cpu->field, l->task_field.p, l->task_field.len);
			cpu->field_len = (uint32_t)l->task_field.len;
		}
	} else if (!cpu->task) {
		fg_run_nobody(g, cpu);
	}
	return cpu;
}
