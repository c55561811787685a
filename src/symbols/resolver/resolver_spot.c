/* SPDX-License-Identifier: MIT */
/*
 * resolver_spot.c - find the symbol of an address, and the values that perf script prints with a
 * symbol
 */
#include "symbols/resolver/resolver_state.h"

#include "core/symbols.h"
#include "symbols/resolver/resolver.h"

static void place_in_kernel(struct resolver *r, uint64_t address, struct resolver_spot *ret)
{
	const struct symbol *s = symbols_get(r->symbols, ret->sym);

	ret->module = s->module;
	ret->offset = address - s->address;
}

static void place_in_file(struct resolver *r, uint32_t pid, uint64_t address,
			  struct resolver_spot *ret)
{
	const struct map *map = resolver_find_map(resolver_process(r, pid), address);
	const struct module *m;

	if (!map) {
		ret->module = symbols_get(r->symbols, ret->sym)->module;
		return;
	}
	m = &r->modules.data[map->module];
	ret->module = m->path;
	if (m->kind == MODULE_FILE)
		ret->shown = address - map->start + map->offset;
	ret->offset = ret->shown - symbols_get(r->symbols, ret->sym)->address;
}

void resolver_spot(struct resolver *r, uint32_t pid, enum cpumode mode, uint64_t address,
		   struct resolver_spot *ret)
{
	*ret = (struct resolver_spot){ .sym = resolver_symbol(r, pid, mode, address),
				       .shown = address };
	if (mode == CPUMODE_KERNEL)
		place_in_kernel(r, address, ret);
	else if (mode == CPUMODE_USER)
		place_in_file(r, pid, address, ret);
	else
		ret->module = symbols_get(r->symbols, ret->sym)->module;
}
