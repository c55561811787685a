/* SPDX-License-Identifier: MIT */
/*
 * Maps of a process are an array by start address; processes are few and maps
 * change seldom, so a change copies and samples only search. The answer for an
 * address is cached under (generation, address): a process that maps something
 * gets a new generation, and old answers die with the old one.
 */
#include "symbols/resolver.h"

#include "base/limits.h"
#include "base/vec.h"
#include "symbols/demangle.h"
#include "symbols/kallsyms.h"
#include "symbols/module_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define RESOLVER_KERNEL_PID UINT32_MAX
#define RESOLVER_NO_MODULE  UINT32_MAX

enum module_kind {
	MODULE_FILE,   /* ELF, addresses are file offsets */
	MODULE_KERNEL, /* addresses are virtual */
	MODULE_JIT,    /* perf-PID.map, addresses are virtual */
	MODULE_NONE,   /* [stack], [heap], anon: no code of a file */
};

struct module {
	str_id path;
	str_id name; /* as perf shows it: last part of the path, [module], [vdso] */
	struct build_id build_id;
	enum module_kind kind;
	enum symbol_space space;
	bool is_loaded; /* it was tried */
	bool is_found;
	struct symtab table;
	uint64_t failed_lookups;
	struct error why;
};

struct map {
	uint64_t start, end, offset;
	uint32_t module;
};

struct process {
	uint32_t pid;
	uint32_t generation;
	VEC(struct map) maps; /* by start, not overlapping */
};

struct thread {
	uint32_t tid;
	str_id comm;
};

struct known_id {
	str_id path;
	struct build_id id;
};

struct answer {
	uint64_t address;
	uint32_t generation;
	sym_id sym;
};

struct resolver {
	struct symbols *symbols;
	struct resolver_options options;
	VEC(struct module) modules;
	struct idmap modules_map;
	VEC(struct process) processes;
	struct idmap processes_map;
	VEC(struct thread) threads;
	struct idmap threads_map;
	VEC(struct known_id) known_ids;
	VEC(struct answer) answers;
	struct idmap answers_map;
	VEC(struct resolver_missing) missing;
	struct arena scratch;
	struct kallsyms kallsyms;
	bool kallsyms_tried;
	bool has_kallsyms;
	struct error kallsyms_error;
	uint64_t reference_address; /* of _text when recorded; 0: not said */
	int64_t kernel_shift;       /* recorded minus table */
	uint32_t generations;
	uint32_t last_process; /* row of the process looked up last */
};

struct resolver *resolver_new(struct symbols *symbols, const struct resolver_options *options)
{
	struct resolver *r = xcalloc(1, sizeof(*r));

	r->symbols = symbols;
	if (options)
		r->options = *options;
	r->generations = 1;
	r->last_process = INDEX_NONE;
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	VEC_FOREACH (m, &r->modules)
		symtab_fini(&m->table);
	VEC_FOREACH (p, &r->processes)
		VEC_FREE(&p->maps);
	VEC_FREE(&r->modules);
	VEC_FREE(&r->processes);
	VEC_FREE(&r->threads);
	VEC_FREE(&r->known_ids);
	VEC_FREE(&r->answers);
	VEC_FREE(&r->missing);
	idmap_fini(&r->modules_map);
	idmap_fini(&r->processes_map);
	idmap_fini(&r->threads_map);
	idmap_fini(&r->answers_map);
	kallsyms_fini(&r->kallsyms);
	arena_fini(&r->scratch);
	free(r);
}

static struct strings *resolver_strings(struct resolver *r)
{
	return r->symbols->strings;
}

static uint32_t resolver_process_row(struct resolver *r, uint32_t pid)
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
	*VEC_PUSH(&r->processes) = (struct process){ .pid = pid, .generation = ++r->generations };
	return r->last_process = (uint32_t)r->processes.len - 1;
}

static struct process *resolver_process(struct resolver *r, uint32_t pid)
{
	uint32_t row = resolver_process_row(r, pid); /* may move the array */

	return &r->processes.data[row];
}

uint32_t resolver_generation(struct resolver *r, uint32_t pid)
{
	return resolver_process(r, pid)->generation;
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
	resolver_thread(r, tid)->comm = strings_add(resolver_strings(r), comm);
}

void resolver_fork(struct resolver *r, uint32_t pid, uint32_t tid, uint32_t parent_pid,
		   uint32_t parent_tid)
{
	str_id comm = resolver_thread(r, parent_tid)->comm;
	uint32_t parent = resolver_process_row(r, parent_pid);
	struct process *child;

	resolver_thread(r, tid)->comm = comm;
	if (pid == parent_pid)
		return;
	child = resolver_process(r, pid);
	child->generation = ++r->generations;
	child->maps.len = 0;
	VEC_APPEND(&child->maps, r->processes.data[parent].maps.data,
		   r->processes.data[parent].maps.len);
}

str_id resolver_thread_comm(struct resolver *r, uint32_t pid, uint32_t tid)
{
	struct thread *t = resolver_thread(r, tid);

	if (t->comm.v == 0 && pid == 0) {
		t->comm = strings_add(resolver_strings(r), STR("swapper"));
	} else if (t->comm.v == 0) {
		char name[16];

		(void)snprintf(name, sizeof(name), ":%d", (int)tid); /* as perf does: -1 too */
		t->comm = strings_add(resolver_strings(r), str_of(name));
	}
	return t->comm;
}

void resolver_build_id(struct resolver *r, struct str path, const struct build_id *id)
{
	*VEC_PUSH(&r->known_ids) = (struct known_id){ strings_add(resolver_strings(r), path), *id };
}

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" is "[ext4]"; '-' becomes '_', as in lsmod. */
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
		(void)snprintf(jit, sizeof(jit), "perf-%u.map", pid);
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

/* The module of @path; one for each process where the path is not a file. */
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
		    (m->kind != MODULE_JIT || owner == pid))
			return p.id;
	}
	idmap_insert(&r->modules_map, &p, (uint32_t)r->modules.len);
	m = VEC_PUSH(&r->modules);
	memset(m, 0, sizeof(*m));
	m->path = name;
	if (id)
		m->build_id = *id;
	VEC_FOREACH (k, &r->known_ids) {
		if (m->build_id.len == 0 && k->path.v == name.v)
			m->build_id = k->id;
	}
	resolver_module_init(r, m, path, pid);
	return (uint32_t)r->modules.len - 1;
}

/* First of the maps that ends behind @address. */
static size_t resolver_lower(const struct process *p, uint64_t address)
{
	size_t low = 0;
	size_t high = p->maps.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (p->maps.data[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Put the new map in the place of what it overlaps; what sticks out stays. */
static void resolver_insert_map(struct process *p, struct map new)
{
	size_t from = resolver_lower(p, new.start);
	size_t to = from;
	struct map put[3];
	size_t n = 0;

	while (to < p->maps.len && p->maps.data[to].start < new.end)
		to++;
	if (to > from && p->maps.data[from].start < new.start) {
		put[n] = p->maps.data[from];
		put[n++].end = new.start;
	}
	put[n++] = new;
	if (to > from && p->maps.data[to - 1].end > new.end) {
		put[n] = p->maps.data[to - 1];
		put[n].offset += new.end - put[n].start;
		put[n++].start = new.end;
	}
	VEC_RESERVE(&p->maps, p->maps.len + 2);
	memmove(p->maps.data + from + n, p->maps.data + to,
		(p->maps.len - to) * sizeof(*p->maps.data));
	memcpy(p->maps.data + from, put, n * sizeof(*put));
	p->maps.len = p->maps.len - (to - from) + n;
}

void resolver_map(struct resolver *r, uint32_t pid, uint64_t start, uint64_t length,
		  uint64_t offset, struct str path, const struct build_id *id)
{
	struct map m = { .start = start, .offset = offset };
	struct process *p;

	if (length == 0 || __builtin_add_overflow(start, length, &m.end))
		m.end = UINT64_MAX;
	if (pid == RESOLVER_KERNEL_PID && str_starts(path, STR("[kernel.kallsyms]")) &&
	    path.len > sizeof("[kernel.kallsyms]") - 1)
		r->reference_address = offset;
	m.module = resolver_module(r, path, pid, id);
	p = resolver_process(r, pid);
	if (p->maps.len >= LIMIT_PROCESS_MAPS)
		return;
	p->generation = ++r->generations;
	resolver_insert_map(p, m);
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
		symtab_add(&m->table, start, length, name, SYMTAB_GLOBAL, false);
		symtab_finish(&m->table);
		m->is_loaded = true;
	}
}

static const struct map *resolver_find_map(const struct process *p, uint64_t address)
{
	size_t at = resolver_lower(p, address);

	return at < p->maps.len && p->maps.data[at].start <= address ? &p->maps.data[at] : NULL;
}

/* The table of the running kernel, or the one that was asked for. */
static void resolver_load_kallsyms(struct resolver *r)
{
	const char *path = r->options.kallsyms ? r->options.kallsyms : "/proc/kallsyms";
	CLEANUP(freep) char *text = NULL;
	struct build_id recorded = { .len = 0 };
	size_t len = 0;

	r->kallsyms_tried = true;
	VEC_FOREACH (k, &r->known_ids) {
		if (str_starts(strings_get(resolver_strings(r), k->path), STR("[kernel.kallsyms]")))
			recorded = k->id;
	}
	if (!r->options.kallsyms && module_files_kernel_check(&recorded, &r->kallsyms_error) < 0)
		return;
	if (module_files_slurp(path, &text, &len, &r->kallsyms_error) < 0)
		return;
	if (kallsyms_read(&r->kallsyms, (struct str){ text, len }, &r->kallsyms_error) < 0)
		return;
	r->has_kallsyms = true;
	VEC_FOREACH (e, &r->kallsyms.modules.data[0].table.entries) {
		if (r->reference_address && str_eq(e->name, STR("_text")))
			r->kernel_shift = (int64_t)(r->reference_address - e->start);
	}
}

static void resolver_load_jit(struct module *m, struct str path)
{
	CLEANUP(freep) char *text = NULL;
	struct str rest;
	struct str line;
	size_t len = 0;

	if (module_files_slurp(path.p, &text, &len, &m->why) < 0)
		return;
	rest = (struct str){ text, len };
	while (str_line(&rest, &line)) {
		uint64_t start;
		uint64_t size;

		if (str_hex64(&line, &start) && str_take(&line, STR(" ")) &&
		    str_hex64(&line, &size) && str_take(&line, STR(" ")) && line.len)
			symtab_add(&m->table, start, size, line, SYMTAB_GLOBAL, false);
	}
	symtab_finish(&m->table);
}

static void resolver_load(struct resolver *r, struct module *m)
{
	struct str path = strings_get(resolver_strings(r), m->path);

	m->is_loaded = true;
	if (m->kind == MODULE_JIT)
		resolver_load_jit(m, path);
	else if (m->kind == MODULE_FILE)
		m->is_found = module_files_load(path, &m->build_id, r->options.root,
						r->options.cache, &m->table, &m->why) == OK;
}

/* Entry of the kernel's table or of one of its modules'. */
static struct symtab_entry *resolver_kernel_entry(struct resolver *r, uint64_t address,
						  struct str *ret_module)
{
	if (!r->kallsyms_tried)
		resolver_load_kallsyms(r);
	if (!r->has_kallsyms)
		return NULL;
	address -= (uint64_t)r->kernel_shift;
	for (size_t i = 0; i < r->kallsyms.modules.len; i++) {
		struct kallsyms_module *m = &r->kallsyms.modules.data[i];
		struct symtab_entry *first = m->table.entries.data;
		struct symtab_entry *e;

		if (m->table.entries.len == 0 || address < first->start ||
		    address >= first[m->table.entries.len - 1].end)
			continue;
		e = symtab_find(&m->table, address);
		if (e) {
			*ret_module = m->name;
			return e;
		}
	}
	return NULL;
}

static sym_id resolver_entry_symbol(struct resolver *r, struct symtab_entry *e, str_id module,
				    enum symbol_space space)
{
	struct str name;

	if (e->sym.v)
		return e->sym;
	name = space == SPACE_USER || space == SPACE_JIT ? demangle(&r->scratch, e->name) : e->name;
	e->sym = symbols_add_at(r->symbols, strings_add(resolver_strings(r), name), module, space,
				e->start);
	arena_clear(&r->scratch);
	return e->sym;
}

static sym_id resolver_address(struct resolver *r, uint64_t address, str_id module,
			       enum symbol_space space)
{
	char name[24];

	/* perf: "%-#.*llx", which prints a bare zero without 0x */
	if (address)
		(void)snprintf(name, sizeof(name), "0x%016llx", (unsigned long long)address);
	else
		(void)snprintf(name, sizeof(name), "0000000000000000");
	return symbols_add_text(r->symbols, str_of(name), strings_get(resolver_strings(r), module),
				space, SYMBOL_ADDRESS);
}

static enum symbol_space resolver_space(enum cpumode mode)
{
	static const enum symbol_space spaces[] = {
		[CPUMODE_UNKNOWN] = SPACE_UNKNOWN,
		[CPUMODE_KERNEL] = SPACE_KERNEL,
		[CPUMODE_USER] = SPACE_USER,
		[CPUMODE_HYPERVISOR] = SPACE_HYPERVISOR,
		[CPUMODE_GUEST_KERNEL] = SPACE_GUEST_KERNEL,
		[CPUMODE_GUEST_USER] = SPACE_GUEST_USER,
	};

	return (unsigned int)mode < ARRAY_LEN(spaces) ? spaces[mode] : SPACE_UNKNOWN;
}

static sym_id resolver_kernel_symbol_at(struct resolver *r, uint64_t address)
{
	const struct map *map =
		resolver_find_map(resolver_process(r, RESOLVER_KERNEL_PID), address);
	struct module *m = map ? &r->modules.data[map->module] : NULL;
	struct symtab_entry *e = m ? symtab_find(&m->table, address) : NULL;
	str_id unknown = strings_add(resolver_strings(r), STR("[unknown]"));
	struct str name;

	if (e)
		return resolver_entry_symbol(r, e, m->name, m->space);
	e = resolver_kernel_entry(r, address, &name);
	/* the recorded map ends before the kernel's init text, which perf names all the same */
	if (e && (m || name.len == 0))
		return resolver_entry_symbol(
			r, e,
			m ? m->name : strings_add(resolver_strings(r), STR("[kernel.kallsyms]")),
			SPACE_KERNEL);
	if (!m)
		return resolver_address(r, address, unknown, SPACE_KERNEL);
	m->failed_lookups++;
	if (!m->why.msg[0] && r->kallsyms_error.msg[0])
		m->why = r->kallsyms_error;
	return resolver_address(r, address, m->name, SPACE_KERNEL);
}

static sym_id resolver_user_symbol(struct resolver *r, uint32_t pid, enum cpumode mode,
				   uint64_t address)
{
	const struct map *map = resolver_find_map(resolver_process(r, pid), address);
	str_id unknown;
	struct module *m;
	struct symtab_entry *e;
	uint64_t offset;

	if (!map) {
		unknown = strings_add(resolver_strings(r), STR("[unknown]"));
		return resolver_address(r, address, unknown, resolver_space(mode));
	}
	m = &r->modules.data[map->module];
	if (!m->is_loaded)
		resolver_load(r, m);
	offset = m->kind == MODULE_FILE ? address - map->start + map->offset : address;
	e = symtab_find(&m->table, offset);
	if (e)
		return resolver_entry_symbol(r, e, m->name, m->space);
	m->failed_lookups++;
	return resolver_address(r, offset, m->name, m->space);
}

sym_id resolver_symbol(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address)
{
	bool is_kernel = mode == CPUMODE_KERNEL;
	uint32_t generation = resolver_generation(r, is_kernel ? RESOLVER_KERNEL_PID : pid);
	struct idmap_probe p =
		idmap_first(&r->answers_map, hash_u64(address, (uint64_t)generation << 3 | mode));
	sym_id sym;

	while (idmap_next(&r->answers_map, &p)) {
		const struct answer *a = &r->answers.data[p.id];

		if (a->address == address && a->generation == (generation << 3 | mode))
			return a->sym;
	}
	if (is_kernel)
		sym = resolver_kernel_symbol_at(r, address);
	else if (mode == CPUMODE_USER)
		sym = resolver_user_symbol(r, pid, mode, address);
	else
		sym = resolver_address(r, address,
				       strings_add(resolver_strings(r), STR("[unknown]")),
				       resolver_space(mode));
	if (r->answers.len < LIMIT_RESOLVER_ANSWERS) {
		idmap_insert(&r->answers_map, &p, (uint32_t)r->answers.len);
		*VEC_PUSH(&r->answers) = (struct answer){ address, generation << 3 | mode, sym };
	}
	return sym;
}

static int resolver_compare_missing(const void *a, const void *b)
{
	const struct resolver_missing *x = a;
	const struct resolver_missing *y = b;

	return x->lookups < y->lookups ? 1 : x->lookups > y->lookups ? -1 : 0;
}

const struct resolver_missing *resolver_missing(struct resolver *r, size_t *ret_n)
{
	r->missing.len = 0;
	VEC_FOREACH (m, &r->modules) {
		if (m->failed_lookups && m->kind != MODULE_NONE && m->table.entries.len == 0)
			*VEC_PUSH(&r->missing) =
				(struct resolver_missing){ strings_get(resolver_strings(r),
								       m->path),
							   str_of(m->why.msg), m->failed_lookups };
	}
	if (r->missing.len)
		qsort(r->missing.data, r->missing.len, sizeof(*r->missing.data),
		      resolver_compare_missing);
	*ret_n = r->missing.len;
	return r->missing.data;
}
