/* SPDX-License-Identifier: MIT */
/*
 * Look up categories. The pattern that matches a module is cached, because all functions of the
 * module need it.
 */
#include "analyses/categories.h"

#include "analyses/name_table.h"
#include "core/symbols.h"

struct category_text {
	const char *name;
	const char *title;
};

#include "analyses/categories_table.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

static const struct name_table category_table = { category_patterns, category_nodes };

enum {
	NOT_ASKED = 0,
	/*
	 * value in category_cache.by_module: no pattern matches the module. A larger value v means
	 * that pattern number v - 2 matches
	 */
	NO_PATTERN = 1,
};

/* Categories of functions that no pattern matches. They are the first entries of the table. */
enum {
	CATEGORY_OTHER,
	CATEGORY_UNSYMBOLISED,
	CATEGORY_APPLICATION,
	CATEGORY_KERNEL,
};

static category_id category_fallback(enum symbol_space space, bool is_address)
{
	category_id id = { CATEGORY_OTHER };

	if (is_address)
		id.v = CATEGORY_UNSYMBOLISED;
	else if (space == SPACE_KERNEL || space == SPACE_GUEST_KERNEL)
		id.v = CATEGORY_KERNEL;
	else if (space == SPACE_USER || space == SPACE_GUEST_USER)
		id.v = CATEGORY_APPLICATION;
	else if (space == SPACE_BPF)
		(void)category_find(STR("bpf"), &id);
	else if (space == SPACE_VDSO)
		(void)category_find(STR("vdso"), &id);
	else if (space == SPACE_JIT)
		(void)category_find(STR("jit"), &id);
	else if (space == SPACE_HYPERVISOR)
		(void)category_find(STR("virtualization"), &id);
	return id;
}

/*
 * Choose the category of the function @name. @best: the pattern that matches its module. A pattern
 * that matches @name is used instead if it has a higher score (name_pattern.score).
 */
static category_id category_decide(struct name_match best, struct str name, struct str module,
				   enum symbol_space space, bool is_address)
{
	unsigned int spaces = name_table_spaces(space);

	if (space == SPACE_COMM)
		return (category_id){ CATEGORY_OTHER };
	if (!is_address)
		best = name_table_of_name(&category_table, best, name, module, spaces);
	if (best.pattern >= 0)
		return (category_id){ category_patterns[best.pattern].value };
	return category_fallback(space, is_address);
}

/* The pattern that matches the module of @s, from the cache if possible. */
static struct name_match category_of_module(struct category_cache *c, struct str module,
					    const struct symbol *s)
{
	struct name_match best = { -1, -1 };
	unsigned int spaces = name_table_spaces(s->space);
	size_t slot = (size_t)s->module.v * 3 + spaces - 1;
	size_t old = c->by_module.len;

	if (module.len == 0)
		return best;
	if (slot >= old) {
		VEC_RESERVE(&c->by_module, slot + 1);
		c->by_module.len = c->by_module.cap;
		memset(c->by_module.data + old, 0, (c->by_module.len - old) * sizeof(uint16_t));
	}
	if (c->by_module.data[slot] == NOT_ASKED) {
		best = name_table_of_module(&category_table, module, spaces);
		c->by_module.data[slot] =
			(uint16_t)(best.pattern < 0 ? NO_PATTERN : best.pattern + 2);
	} else if (c->by_module.data[slot] != NO_PATTERN) {
		best.pattern = c->by_module.data[slot] - 2;
		best.score = category_patterns[best.pattern].score;
	}
	return best;
}

category_id category_of(struct category_cache *c, const struct symbols *symbols, sym_id sym)
{
	const struct symbol *s = symbols_get(symbols, sym);
	struct str module;
	category_id id;

	if (sym.v >= symbols->rows.len)
		return (category_id){ CATEGORY_OTHER };
	if (sym.v >= c->by_sym.len) {
		size_t old = c->by_sym.len;

		VEC_RESERVE(&c->by_sym, symbols->rows.len);
		c->by_sym.len = symbols->rows.len;
		memset(c->by_sym.data + old, 0, (c->by_sym.len - old) * sizeof(uint16_t));
	}
	if (c->by_sym.data[sym.v])
		return (category_id){ (uint16_t)(c->by_sym.data[sym.v] - 1) };
	module = symbols_module(symbols, sym);
	id = category_decide(category_of_module(c, module, s),
			     s->flags & SYMBOL_ADDRESS ? STR_NONE : symbols_canonical(symbols, sym),
			     module, s->space, s->flags & SYMBOL_ADDRESS);
	c->by_sym.data[sym.v] = (uint16_t)(id.v + 1);
	return id;
}

void category_cache_fini(struct category_cache *c)
{
	VEC_FREE(&c->by_sym);
	VEC_FREE(&c->by_module);
}

uint16_t category_count(void)
{
	return ARRAY_LEN(category_texts);
}

const char *category_name(category_id id)
{
	return category_texts[id.v < ARRAY_LEN(category_texts) ? id.v : 0].name;
}

const char *category_title(category_id id)
{
	return category_texts[id.v < ARRAY_LEN(category_texts) ? id.v : 0].title;
}

bool category_find(struct str name, category_id *ret)
{
	for (uint16_t i = 0; i < ARRAY_LEN(category_texts); i++) {
		if (str_eq(str_of(category_texts[i].name), name)) {
			ret->v = i;
			return true;
		}
	}
	return false;
}

bool category_is_in(category_id id, struct str name)
{
	struct str own = str_of(category_name(id));

	return str_starts(own, name) && (own.len == name.len || own.p[name.len] == '/');
}

bool category_is_meant(category_id id, struct str pattern)
{
	return category_is_in(id, pattern) || str_glob(pattern, str_of(category_name(id)));
}

category_id category_top(category_id id)
{
	struct str own = str_of(category_name(id));
	category_id top = id;

	(void)category_find(str_sub(own, 0, str_find_char(own, '/')), &top);
	return top;
}
