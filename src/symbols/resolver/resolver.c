/* SPDX-License-Identifier: MIT */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/resolver/resolver.h"
#include "symbols/symtab.h"
#include "symbols/unwind/cfi.h"

#include <stdio.h>

struct resolver *resolver_new(struct symbols *symbols, const struct resolver_options *options)
{
	struct resolver *r = xcalloc(1, sizeof(*r));

	r->symbols = symbols;
	if (options)
		r->options = *options;
	r->version = 1;
	r->last_process = INDEX_NONE;
	r->next_change_ns = UINT64_MAX;
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	resolver_cache_give(r);
	VEC_FOREACH (m, &r->modules) {
		symtab_fini(&m->table);
		cfi_free(m->cfi);
	}
	resolver_lines_free(r);
	resolver_jit_free(r);
	resolver_places_free(r);
	VEC_FOREACH (p, &r->processes)
		resolver_drop_maps(r, p);
	VEC_FREE(&r->modules);
	VEC_FREE(&r->processes);
	VEC_FREE(&r->threads);
	VEC_FREE(&r->known_ids);
	if (r->answers)
		free_table(r->answers, (r->answers_mask + 1) * sizeof(*r->answers));
	VEC_FREE(&r->missing);
	VEC_FREE(&r->kernel_used);
	idmap_fini(&r->modules_map);
	idmap_fini(&r->processes_map);
	idmap_fini(&r->threads_map);
	for (unsigned int i = 0; i < KERNEL_TABLES; i++)
		kallsyms_fini(&r->kernel_tables[i].kallsyms);
	arena_fini(&r->scratch);
	free(r);
}

static struct thread *resolver_thread(struct resolver *r, uint32_t tid)
{
	struct idmap_probe p = idmap_first(&r->threads_map, hash_u64(tid, 2));

	while (idmap_next(&r->threads_map, &p)) {
		if (r->threads.data[p.id].tid == tid)
			return &r->threads.data[p.id];
	}
	idmap_insert(&r->threads_map, &p, (uint32_t)r->threads.len);
	*VEC_PUSH(&r->threads) = (struct thread){ .tid = tid };
	return &r->threads.data[r->threads.len - 1];
}

void resolver_comm(struct resolver *r, uint32_t pid, uint32_t tid, struct str comm)
{
	(void)pid;
	r->version++;
	resolver_thread(r, tid)->comm = strings_add(resolver_strings(r), comm);
}

void resolver_fork(struct resolver *r, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		   uint32_t parent_tid)
{
	str_id comm = resolver_thread(r, parent_tid)->comm;
	uint32_t parent = resolver_process_row(r, parent_pid);
	struct process *child;

	r->version++;
	resolver_thread(r, tid)->comm = comm;
	if (pid == parent_pid)
		return;
	child = resolver_process(r, pid);
	child->generation = r->processes.data[parent].generation;
	resolver_share_maps(r, child, &r->processes.data[parent]);
}

uint64_t resolver_version(const struct resolver *r)
{
	return r->version;
}

str_id resolver_thread_comm(struct resolver *r, uint32_t pid, uint32_t tid)
{
	struct thread *t = resolver_thread(r, tid);

	if (t->comm.v == 0 && pid == 0) {
		t->comm = strings_add(resolver_strings(r), STR("swapper"));
	} else if (t->comm.v == 0) {
		char name[16];

		/*
		 * like perf, name a thread without a name after its id, even if the id is -1: ":-1"
		 */
		(void)snprintf(name, sizeof(name), ":%d", (int)tid);
		t->comm = strings_add(resolver_strings(r), str_of(name));
	}
	return t->comm;
}

size_t resolver_unread(const struct resolver *r)
{
	size_t n = 0;

	VEC_FOREACH (m, &r->modules)
		n += m->is_unread;
	for (unsigned int i = 0; i < KERNEL_TABLES; i++)
		n += r->kernel_tables[i].is_unread;
	return n;
}

static int resolver_compare_missing(const void *a, const void *b)
{
	const struct resolver_missing *x = a;
	const struct resolver_missing *y = b;

	return SORT_ORDER(y->lookups, x->lookups);
}

const struct resolver_missing *resolver_missing(struct resolver *r, size_t *ret_n)
{
	r->missing.len = 0;
	VEC_FOREACH (m, &r->modules) {
		if (m->failed_lookups && m->kind != MODULE_NONE && m->table.entries.len == 0)
			*VEC_PUSH(&r->missing) = (struct resolver_missing){
				strings_get(resolver_strings(r), m->path), str_of(m->why.msg),
				m->failed_lookups, m->kind == MODULE_KERNEL
			};
	}
	if (r->lost_maps)
		*VEC_PUSH(&r->missing) =
			(struct resolver_missing){ STR("maps of processes"),
						   STR("there are too many"), r->lost_maps, false };
	VEC_SORT(&r->missing, resolver_compare_missing);
	*ret_n = r->missing.len;
	return r->missing.data;
}
