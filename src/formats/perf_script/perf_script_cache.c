/* SPDX-License-Identifier: MIT */
#include "formats/perf_script/perf_script_cache.h"

#include "base/arena.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "symbols/demangle.h"

#include "base/alloc.h"

#define CACHE_FRAMES 32768u /* maximum number of slots of the cache */

/*
 * The smallest power of two that is at least @want, limited to the range from 64 to @most. @most: a
 * power of two.
 */
static size_t cache_slots(size_t want, size_t most)
{
	size_t n = 64;

	while (n < want && n < most)
		n *= 2;
	return n;
}

void script_cache_init(struct script_cache *c, struct dossier *d, size_t text_bytes)
{
	memset(c, 0, sizeof(*c));
	c->dossier = d;
	c->frames_mask = cache_slots(text_bytes / 64, CACHE_FRAMES) - 1;
	c->frames = xcalloc(c->frames_mask + 1, sizeof(*c->frames));
}

void script_cache_fini(struct script_cache *c)
{
	free(c->frames);
	memset(c, 0, sizeof(*c));
}

static enum symbol_space cache_space(struct str module, bool is_kernel_address)
{
	enum symbol_space space = symbol_space_of_module(module);

	if (space != SPACE_UNKNOWN)
		return space;
	if (is_kernel_address)
		return SPACE_KERNEL;
	/* the module is the path of a file, so the address is in user space */
	if (module.len && !str_starts(module, STR("[unknown")) && !str_eq(module, STR("inlined")) &&
	    module.p[0] != '[')
		return SPACE_USER;
	return SPACE_UNKNOWN;
}

static uint64_t cache_tail(struct str s)
{
	uint64_t v = 0;

	memcpy(&v, s.p + (s.len > 8 ? s.len - 8 : 0), s.len > 8 ? 8 : s.len);
	return v ^ (uint64_t)s.len << 56;
}

static bool cache_is(const struct script_frame_slot *slot, struct str name, struct str module,
		     bool is_kernel_address)
{
	return slot->name && slot->name_len == name.len && slot->module_len == module.len &&
	       slot->is_kernel_address == is_kernel_address &&
	       memcmp(slot->name, name.p, name.len) == 0 &&
	       memcmp(slot->module, module.p, module.len) == 0;
}

/* The symbol of a frame. @ret_stored: the copy of @name in the string table. */
static sym_id cache_symbol(struct symbols *symbols, struct str name, struct str module,
			   enum symbol_space space, struct str *ret_stored)
{
	struct arena scratch = { .blocks = NULL };
	sym_id sym;

	if (LIKELY(!demangle_is_mangled(name))) {
		sym = symbols_add_text(symbols, name, module, space, 0);
		*ret_stored = strings_get(symbols->strings, symbols_get(symbols, sym)->name);
		return sym;
	}
	/*
	 * the name is mangled: perf script --no-demangle printed it, or it has Rust's v0 mangling,
	 * which old versions of perf cannot demangle
	 */
	sym = symbols_add_text(symbols, demangle(&scratch, name), module, space, 0);
	*ret_stored = strings_get(symbols->strings, strings_add(symbols->strings, name));
	arena_fini(&scratch);
	return sym;
}

sym_id script_cache_frame(struct script_cache *c, struct str name, struct str module,
			  bool is_kernel_address)
{
	struct script_frame_slot *slot;
	struct script_frame_slot *other;
	uint64_t hash;
	struct symbols *symbols = &c->dossier->symbols;
	const struct symbol *sym;
	struct str stored;

	if (!module.p)
		module = STR(""); /* the frame has no dso; memcmp() needs a valid pointer */
	hash = hash_u64(hash_str(name), cache_tail(module) + is_kernel_address);
	slot = &c->frames[hash & c->frames_mask];
	other = &c->frames[(hash & c->frames_mask) ^ 1];
	if (LIKELY(cache_is(slot, name, module, is_kernel_address)))
		return slot->sym;
	if (cache_is(other, name, module, is_kernel_address))
		return other->sym;
	if (slot->name)
		*other = *slot;
	slot->sym = cache_symbol(symbols, name, module, cache_space(module, is_kernel_address),
				 &stored);
	sym = symbols_get(symbols, slot->sym);
	slot->name = stored.p;
	slot->name_len = (uint32_t)name.len;
	slot->module = strings_get(symbols->strings, sym->module).p;
	slot->module_len = (uint32_t)module.len;
	slot->is_kernel_address = is_kernel_address;
	/*
	 * the string table truncated the name: empty the slot, because a longer name with the same
	 * start must not match it
	 */
	if (stored.len != name.len || strings_get(symbols->strings, sym->module).len != module.len)
		slot->name = NULL;
	return slot->sym;
}

bool script_cache_line(struct script_cache *c, struct str line, sym_id *ret)
{
	const char *p = line.p;
	const char *end = line.p + line.len;
	const char *open;
	const char *hex;
	struct str name;
	struct str module;

	if (line.len < 24 || p[0] != '\t' || p[17] != ' ' || p[18] == ' ' || p[18] == '(' ||
	    end[-1] != ')' || end[-2] == ')' || char_hex(p[16]) < 0)
		return false;
	open = memrchr(p + 18, '(', (size_t)(end - p) - 18);
	if (!open || open[-1] != ' ' || open[-2] == ' ')
		return false;
	module = (struct str){ open + 1, (size_t)(end - open) - 2 };
	name = (struct str){ p + 18, (size_t)(open - p) - 19 };
	hex = open - 2;
	while (char_hex(*hex) >= 0)
		hex--;
	if (hex - 2 > name.p && hex[0] == 'x' && hex[-1] == '0' && hex[-2] == '+' && hex < open - 2)
		name.len = (size_t)(hex - 2 - name.p);
	/*
	 * two kinds of frames are left to script_frame(): inlined frames, and frames of Java that
	 * contain several functions
	 */
	if (module.len == 7 && memcmp(module.p, "inlined", 7) == 0)
		return false;
	if (module.len > 4 && memcmp(module.p + module.len - 4, ".map", 4) == 0 &&
	    str_contains(name, STR("->")))
		return false;
	*ret = script_cache_frame(c, name, module, memcmp(p + 1, "ffff", 4) == 0);
	return true;
}
