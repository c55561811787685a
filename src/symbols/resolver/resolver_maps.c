/* SPDX-License-Identifier: MIT */
#include "symbols/resolver/resolver_state.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/elf_symbols.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>

uint32_t resolver_process_row(struct resolver *r, uint32_t pid)
{
	struct idmap_probe p;

	if (r->last_process != INDEX_NONE && r->processes.data[r->last_process].pid == pid)
		return r->last_process;
	p = idmap_first(&r->processes_map, hash_u64(pid, 1));
	while (idmap_next(&r->processes_map, &p)) {
		if (r->processes.data[p.id].pid == pid)
			return r->last_process = p.id;
	}
	idmap_insert(&r->processes_map, &p, (uint32_t)r->processes.len);
	*VEC_PUSH(&r->processes) = (struct process){ .pid = pid };
	return r->last_process = (uint32_t)r->processes.len - 1;
}

struct process *resolver_process(struct resolver *r, uint32_t pid)
{
	/* get the index first, because resolver_process_row() may reallocate the array */
	uint32_t row = resolver_process_row(r, pid);

	return &r->processes.data[row];
}

uint64_t resolver_generation(struct resolver *r, uint32_t pid)
{
	const struct process *p = resolver_process(r, pid);

	return p->generation + resolver_jit_state(r, p);
}

void resolver_build_id(struct resolver *r, struct str path, const struct build_id *id)
{
	*VEC_PUSH(&r->known_ids) = (struct known_id){ strings_add(resolver_strings(r), path), *id };
}

/*
 * perf's name for the kernel module at @path: "[ext4]" for
 * "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz". As in lsmod, '-' becomes '_'.
 */
static str_id resolver_kernel_module_name(struct resolver *r, struct str path)
{
	size_t slash = str_rfind_char(path, '/');
	struct str base = slash < path.len ? str_skip(path, slash + 1) : path;
	size_t dot = str_find(base, STR(".ko"));
	char name[80];
	size_t n = 0;

	base = str_sub(base, 0, dot);
	name[n++] = '[';
	for (size_t i = 0; i < base.len && n < sizeof(name) - 2; i++)
		name[n++] = base.p[i] == '-' ? '_' : base.p[i];
	name[n++] = ']';
	return strings_add(resolver_strings(r), (struct str){ name, n });
}

static bool resolver_is_anon(struct str path)
{
	return str_starts(path, STR("//anon")) || str_starts(path, STR("/anon_hugepage")) ||
	       str_starts(path, STR("/dev/zero")) || str_starts(path, STR("/SYSV"));
}

static void resolver_module_init(struct resolver *r, struct module *m, struct str path,
				 uint32_t pid)
{
	struct strings *s = resolver_strings(r);
	size_t slash = str_rfind_char(path, '/');
	char jit[32];

	m->space = SPACE_USER;
	m->name = m->path;
	if (pid == RESOLVER_KERNEL_PID) {
		m->kind = MODULE_KERNEL;
		m->space = SPACE_KERNEL;
		if (str_starts(path, STR("[kernel.kallsyms]")))
			m->name = strings_add(s, STR("[kernel.kallsyms]"));
		else if (path.len && path.p[0] != '[')
			m->name = resolver_kernel_module_name(r, path);
	} else if (resolver_is_anon(path)) {
		m->kind = MODULE_JIT;
		m->space = SPACE_JIT;
		/* perf's name for code in anonymous memory */
		(void)snprintf(jit, sizeof(jit), "[JIT] tid %u", pid);
		m->name = strings_add(s, str_of(jit));
		(void)snprintf(jit, sizeof(jit), "/tmp/perf-%u.map", pid);
		m->path = strings_add(s, str_of(jit));
	} else if (str_eq(path, STR("[vdso]"))) {
		m->kind = MODULE_FILE;
		m->space = SPACE_VDSO;
	} else if (path.len && path.p[0] == '[') {
		m->kind = MODULE_NONE;
	} else {
		m->kind = MODULE_FILE;
		if (slash < path.len)
			m->name = strings_add(s, str_skip(path, slash + 1));
	}
}

/*
 * Whether @id and the build id of @m are known and differ. In containers, the same path can lead to
 * different builds.
 */
static bool resolver_is_other_build(const struct module *m, const struct build_id *id)
{
	return id && id->len && m->build_id.len && !build_id_eq(id, &m->build_id);
}

/*
 * Return the index of the module with @path and @id, which is added if necessary. Processes share
 * the module of a file. The anonymous memory of each process is a module of its own, and modules of
 * the kernel's maps are not shared with processes.
 */
static uint32_t resolver_module(struct resolver *r, struct str path, uint32_t pid,
				const struct build_id *id)
{
	str_id name = strings_add(resolver_strings(r), path);
	uint32_t owner = pid == RESOLVER_KERNEL_PID || resolver_is_anon(path) ? pid : 0;
	struct idmap_probe p = idmap_first(&r->modules_map, hash_u64(name.v, owner));
	struct module *m;

	while (idmap_next(&r->modules_map, &p)) {
		m = &r->modules.data[p.id];
		if ((m->path.v == name.v || m->kind == MODULE_JIT) &&
		    (m->kind != MODULE_JIT || owner == pid) && !resolver_is_other_build(m, id))
			return p.id;
	}
	idmap_insert(&r->modules_map, &p, (uint32_t)r->modules.len);
	m = VEC_PUSH(&r->modules);
	memset(m, 0, sizeof(*m));
	m->path = name;
	m->pid = pid;
	if (id)
		m->build_id = *id;
	VEC_FOREACH (k, &r->known_ids) {
		if (m->build_id.len == 0 && k->path.v == name.v)
			m->build_id = k->id;
	}
	resolver_module_init(r, m, path, pid);
	return (uint32_t)r->modules.len - 1;
}

void resolver_drop_maps(struct resolver *r, struct process *p)
{
	struct map_set *set = p->set;

	p->set = NULL;
	if (!set || --set->n_users)
		return;
	r->n_maps -= set->maps.len;
	VEC_FREE(&set->maps);
	free(set);
}

void resolver_share_maps(struct resolver *r, struct process *child, const struct process *parent)
{
	struct map_set *set = parent->set;

	if (set)
		set->n_users++;
	resolver_drop_maps(r, child);
	child->set = set;
}

/*
 * Return the maps of @p as a set that no other process uses. If other processes share the set, it
 * is copied first; the copy has space for @n more maps. NULL: a limit is reached.
 */
static struct map_set *resolver_own_maps(struct resolver *r, struct process *p, size_t n,
					 size_t limit)
{
	struct map_set *shared = p->set;
	size_t len = shared ? shared->maps.len : 0;
	bool is_own = shared && shared->n_users == 1;

	if (len >= limit || r->n_maps + n + (is_own ? 0 : len) > LIMIT_MAPS) {
		r->lost_maps++;
		return NULL;
	}
	if (is_own)
		return shared;
	p->set = xcalloc(1, sizeof(*p->set));
	p->set->n_users = 1;
	if (shared) {
		VEC_RESERVE(&p->set->maps, len + n);
		VEC_APPEND(&p->set->maps, shared->maps.data, len);
		shared->n_users--;
		r->n_maps += len;
	}
	return p->set;
}

/* Index of the first map that ends after @address. Maps are sorted. */
static size_t resolver_lower(const struct map_set *s, uint64_t address)
{
	return VEC_PARTITION(&s->maps, it, it->end <= address);
}

/*
 * Update p->generation, a sum of hashes: add the map @m if @is_new is set, otherwise subtract it.
 */
static void resolver_map_count(struct process *p, const struct map *m, bool is_new)
{
	uint64_t hash = hash_u64(hash_u64(m->start, m->end), hash_u64(m->offset, m->module));

	p->generation += is_new ? hash : -hash;
}

/*
 * Insert the map @new. It replaces the parts of earlier maps that it overlaps. Returns false if a
 * limit is reached.
 */
static bool resolver_insert_map(struct resolver *r, struct process *p, struct map new, size_t limit)
{
	struct map put[3];
	struct map_set *set = resolver_own_maps(r, p, 2, limit);
	struct map *maps;
	size_t from;
	size_t to;
	size_t n = 0;

	if (!set)
		return false;
	VEC_RESERVE(&set->maps, set->maps.len + 2);
	maps = set->maps.data;
	from = resolver_lower(set, new.start);
	to = from;
	while (to < set->maps.len && maps[to].start < new.end)
		to++;
	if (to > from && maps[from].start < new.start) {
		put[n] = maps[from];
		put[n++].end = new.start;
	}
	put[n++] = new;
	if (to > from && maps[to - 1].end > new.end) {
		put[n] = maps[to - 1];
		put[n].offset += new.end - put[n].start;
		put[n++].start = new.end;
	}
	for (size_t i = from; i < to; i++)
		resolver_map_count(p, &maps[i], false);
	for (size_t i = 0; i < n; i++)
		resolver_map_count(p, &put[i], true);
	memmove(maps + from + n, maps + to, (set->maps.len - to) * sizeof(*maps));
	memcpy(maps + from, put, n * sizeof(*put));
	set->maps.len = set->maps.len - (to - from) + n;
	r->n_maps += n - (to - from);
	return true;
}

void resolver_map_data(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		       uint64_t offset, struct str path, const struct build_id *id)
{
	struct map m = { .start = start, .offset = offset, .is_data = true };
	struct process *p;

	if (length == 0 || __builtin_add_overflow(start, length, &m.end))
		return;
	m.module = resolver_module(r, path, pid, id);
	p = resolver_process(r, pid);
	/* allow data maps only half of the limit, so that there is always space for code maps */
	if (resolver_insert_map(r, p, m, LIMIT_PROCESS_MAPS / 2))
		r->version++;
}

/*
 * Handle a map of the kernel. Its name is "[kernel.kallsyms]_text", and its file offset is the
 * address of the symbol _text.
 */
static void resolver_take_kernel_map(struct resolver *r, const struct map *m, struct str path,
				     const struct build_id *id)
{
	if (id && id->len)
		resolver_build_id(r, STR("[kernel.kallsyms]"), id);
	if (path.len == sizeof("[kernel.kallsyms]") - 1)
		return;
	r->reference_address = m->offset;
	if (str_ends(path, STR("]_text")))
		resolver_recorded_kernel(r, m->offset, m->end);
}

void resolver_map_file(struct resolver *r, uint32_t pid, struct str path,
		       const struct resolver_file *file)
{
	uint32_t at = resolver_module(r, path, pid, NULL);

	r->modules.data[at].file = *file;
}

void resolver_map(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		  uint64_t offset, struct str path, const struct build_id *id)
{
	struct map m = { .start = start, .offset = offset };
	struct process *p;
	uint64_t generation;

	if (length == 0 || __builtin_add_overflow(start, length, &m.end))
		m.end = UINT64_MAX;
	if (pid == RESOLVER_KERNEL_PID && str_starts(path, STR("[kernel.kallsyms]")))
		resolver_take_kernel_map(r, &m, path, id);
	m.module = resolver_module(r, path, pid, id);
	p = resolver_process(r, pid);
	generation = p->generation;
	if (!resolver_insert_map(r, p, m, LIMIT_PROCESS_MAPS))
		return;
	resolver_jit_mark(r, p, path, m.module);
	r->version++;
	if (pid == RESOLVER_KERNEL_PID && p->generation != generation)
		r->kernel_state++;
}

void resolver_kernel_symbol(struct resolver *r, uint64_t start, uint32_t length, struct str name,
			    bool is_gone)
{
	uint32_t at;
	struct module *m;

	if (is_gone)
		return;
	resolver_map(r, RESOLVER_KERNEL_PID, start, length, start, name, NULL);
	at = resolver_module(r, name, RESOLVER_KERNEL_PID, NULL);
	m = &r->modules.data[at];
	m->name = m->path;
	m->space = SPACE_BPF;
	if (!m->is_loaded) {
		symtab_add(&m->table, start, length, name, SYMTAB_GLOBAL);
		symtab_finish(&m->table, false);
		m->is_loaded = true;
	}
}

const struct map *resolver_find_map(struct process *p, uint64_t address)
{
	const struct map_set *set = p->set;
	const struct map *last;
	size_t at;

	if (!set || set->maps.len == 0)
		return NULL;
	last = set->maps.data + p->last_map;
	if (p->last_map < set->maps.len && address >= last->start && address < last->end)
		return last;
	/* fast check, because most words on a stack are small numbers and not addresses */
	if (address < set->maps.data[0].start)
		return NULL;
	at = resolver_lower(set, address);
	if (at == set->maps.len || set->maps.data[at].start > address)
		return NULL;
	p->last_map = (uint32_t)at;
	return &set->maps.data[at];
}
