/* SPDX-License-Identifier: MIT */
#include "symbols/resolver/resolver_cache.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "symbols/elf_symbols.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kallsyms_index.h"
#include "symbols/resolver/resolver_state.h"
#include "symbols/symtab.h"
#include "symbols/unwind/cfi.h"

/* a module is dropped after it was not used for this many rounds (updates of assay top) */
#define CACHE_IDLE_ROUNDS 16u
/* the kernel's symbols, and files without build id, are read again after this many rounds */
#define CACHE_LOOSE_ROUNDS 128u
/* a module that was not found is searched again after this many rounds */
#define CACHE_AGAIN_ROUNDS 16u
/* a perf-PID.map may have grown: it is read again after this many rounds */
#define CACHE_GROWS_ROUNDS 4u
#define CACHE_MODULES_MAX  4096u

struct cache_module {
	uint64_t hash; /* hash of path and build id */
	char *path;
	/*
	 * ids of strings in `module` are invalid, because the cache lives longer than the table of
	 * strings
	 */
	struct module module;
	unsigned int idle, age;
};

struct resolver_cache {
	VEC(struct cache_module) modules;
	struct kernel_table kernel[KERNEL_TABLES];
	struct error kernel_error;
	uint64_t kernel_address; /* address of the symbol _text in the recorded kernel */
	bool has_kernel;
	unsigned int kernel_age;
};

struct resolver_cache *resolver_cache_new(void)
{
	return xcalloc(1, sizeof(struct resolver_cache));
}

static void cache_drop(struct cache_module *m)
{
	symtab_fini(&m->module.table);
	cfi_free(m->module.cfi);
	free(m->path);
}

static void cache_drop_kernel(struct resolver_cache *c)
{
	for (unsigned int i = 0; i < KERNEL_TABLES; i++)
		kallsyms_fini(&c->kernel[i].kallsyms);
	memset(c->kernel, 0, sizeof(c->kernel));
	c->has_kernel = false;
}

void resolver_cache_free(struct resolver_cache *c)
{
	if (!c)
		return;
	VEC_FOREACH (m, &c->modules)
		cache_drop(m);
	VEC_FREE(&c->modules);
	cache_drop_kernel(c);
	free(c);
}

static bool cache_is_old(const struct cache_module *m)
{
	if (m->idle > CACHE_IDLE_ROUNDS)
		return true;
	if (m->module.kind == MODULE_JIT)
		return m->age > CACHE_GROWS_ROUNDS;
	if (!m->module.is_found)
		return m->age > CACHE_AGAIN_ROUNDS;
	return m->module.build_id.len == 0 && m->age > CACHE_LOOSE_ROUNDS;
}

void resolver_cache_age(struct resolver_cache *c)
{
	size_t kept = 0;

	VEC_FOREACH (m, &c->modules) {
		m->idle++;
		m->age++;
		if (cache_is_old(m))
			cache_drop(m);
		else
			c->modules.data[kept++] = *m;
	}
	c->modules.len = kept;
	/*
	 * read the kernel's tables again after some rounds, because kernel modules are loaded and
	 * unloaded
	 */
	if (c->has_kernel && ++c->kernel_age > CACHE_LOOSE_ROUNDS)
		cache_drop_kernel(c);
}

static uint64_t cache_hash(struct str path, const struct build_id *id)
{
	return hash_u64(hash_str(path), hash_str((struct str){ (const char *)id->bytes, id->len }));
}

static void cache_reset(struct symtab *t)
{
	VEC_FOREACH (e, &t->entries)
		e->sym = SYM_ID_NONE;
}

bool resolver_cache_take(struct resolver *r, struct module *m)
{
	struct resolver_cache *c = r->options.loaded;
	struct str path = strings_get(resolver_strings(r), m->path);
	uint64_t hash = cache_hash(path, &m->build_id);

	for (size_t i = 0; c && i < c->modules.len; i++) {
		struct cache_module *from = &c->modules.data[i];

		if (from->hash != hash || from->module.kind != m->kind ||
		    !str_eq(path, str_of(from->path)) ||
		    !build_id_eq(&m->build_id, &from->module.build_id))
			continue;
		m->table = from->module.table;
		/*
		 * unwinding may already have loaded the call frame information of @m: keep this,
		 * and free the cached one
		 */
		if (m->is_cfi_tried) {
			cfi_free(from->module.cfi);
		} else {
			m->cfi = from->module.cfi;
			m->is_cfi_tried = from->module.is_cfi_tried;
		}
		m->is_found = from->module.is_found;
		m->is_unread = from->module.is_unread;
		m->why = from->module.why;
		m->cache_age = from->age + 1;
		free(from->path);
		*from = c->modules.data[--c->modules.len];
		return true;
	}
	return false;
}

static void cache_give_module(struct resolver *r, struct module *m)
{
	struct resolver_cache *c = r->options.loaded;
	struct str path = strings_get(resolver_strings(r), m->path);

	if (!m->is_loaded || (m->kind != MODULE_FILE && m->kind != MODULE_JIT) ||
	    c->modules.len >= CACHE_MODULES_MAX)
		return;
	cache_reset(&m->table);
	*VEC_PUSH(&c->modules) = (struct cache_module){
		.hash = cache_hash(path, &m->build_id),
		.path = xmemdupz(path.p, path.len),
		.module = { .kind = m->kind,
			    .build_id = m->build_id,
			    .is_found = m->is_found,
			    .is_unread = m->is_unread,
			    .is_cfi_tried = m->is_cfi_tried,
			    .cfi = m->cfi,
			    .table = m->table,
			    .why = m->why },
		.age = m->cache_age ? m->cache_age - 1 : 0,
	};
	memset(&m->table, 0, sizeof(m->table));
	m->cfi = NULL;
}

void resolver_cache_give(struct resolver *r)
{
	struct resolver_cache *c = r->options.loaded;

	if (!c)
		return;
	VEC_FOREACH (m, &r->modules)
		cache_give_module(r, m);
	if (c->has_kernel || !(r->kernel_tables[0].is_tried || r->kernel_tables[1].is_tried))
		return;
	for (unsigned int i = 0; i < KERNEL_TABLES; i++) {
		c->kernel[i] = r->kernel_tables[i];
		VEC_FOREACH (m, &c->kernel[i].kallsyms.modules)
			cache_reset(&m->table);
		if (c->kernel[i].kallsyms.index)
			kallsyms_index_reset(c->kernel[i].kallsyms.index);
	}
	c->kernel_error = r->kernel_error;
	c->kernel_address = r->reference_address;
	c->has_kernel = true;
	memset(r->kernel_tables, 0, sizeof(r->kernel_tables));
}

void resolver_cache_take_kernel(struct resolver *r)
{
	struct resolver_cache *c = r->options.loaded;

	if (!c || !c->has_kernel || c->kernel_address != r->reference_address)
		return;
	memcpy(r->kernel_tables, c->kernel, sizeof(c->kernel));
	r->kernel_error = c->kernel_error;
	memset(c->kernel, 0, sizeof(c->kernel));
	c->has_kernel = false;
}
