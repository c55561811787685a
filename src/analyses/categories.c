/* SPDX-License-Identifier: MIT */
/*
 * Patterns hang on a trie of their literal prefixes: a name walks down the trie
 * once and meets all patterns that can match it. Lines of a module alone (`*`)
 * hang on its root; which of them a module takes is cached by module.
 */
#include "analyses/categories.h"

struct category_text {
	const char *name;
	const char *title;
};

enum category_pattern_kind {
	PATTERN_EXACT,
	PATTERN_PREFIX, /* a literal and one '*' behind it */
	PATTERN_GLOB,
};

struct category_pattern {
	const char *pattern;
	const char *module; /* NULL: any */
	uint16_t score;     /* the highest wins, among equals the first */
	uint8_t category;
	uint8_t spaces; /* 1 kernel, 2 user */
	uint8_t kind;
};

struct category_node {
	uint16_t first_child;
	uint16_t first_pattern;
	uint16_t n_patterns;
	uint8_t n_children;
	char c;
};

#include "analyses/categories_table.h"

enum {
	SPACES_KERNEL = 1,
	SPACES_USER = 2,
	NOT_ASKED = 0,
	NO_PATTERN = 1, /* in by_module; else pattern + 2 */
};

/* The first entries of the table are the categories of what no pattern knows. */
enum {
	CATEGORY_OTHER,
	CATEGORY_UNSYMBOLISED,
	CATEGORY_APPLICATION,
	CATEGORY_KERNEL,
};

/* A match so far: -1 for none. */
struct category_best {
	int pattern;
	int score;
};

static unsigned int category_spaces(enum symbol_space space)
{
	switch (space) {
	case SPACE_KERNEL:
	case SPACE_GUEST_KERNEL:
	case SPACE_HYPERVISOR:
	case SPACE_BPF:
		return SPACES_KERNEL;
	case SPACE_USER:
	case SPACE_GUEST_USER:
	case SPACE_JIT:
	case SPACE_VDSO:
		return SPACES_USER;
	default:
		return SPACES_KERNEL | SPACES_USER;
	}
}

static void category_try(struct category_best *best, const struct category_node *node, size_t depth,
			 struct str name, struct str module, unsigned int spaces)
{
	for (unsigned int i = 0; i < node->n_patterns; i++) {
		unsigned int at = node->first_pattern + i;
		const struct category_pattern *p = &category_patterns[at];

		if (p->score <= best->score || !(p->spaces & spaces))
			continue;
		if (p->kind == PATTERN_EXACT && name.len != depth)
			continue;
		if (p->kind == PATTERN_GLOB && !str_glob(str_of(p->pattern), name))
			continue;
		if (p->module && !str_glob(str_of(p->module), module))
			continue;
		*best = (struct category_best){ (int)at, p->score };
	}
}

static const struct category_node *category_child(const struct category_node *node, char c)
{
	const struct category_node *child = &category_nodes[node->first_child];
	unsigned int low = 0;
	unsigned int high = node->n_children;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (child[mid].c == c)
			return &child[mid];
		if (child[mid].c < c)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/* Patterns that begin with a literal, from @node on. */
static void category_walk(struct category_best *best, const struct category_node *node,
			  struct str name, struct str module, unsigned int spaces)
{
	for (size_t depth = 0; depth < name.len; depth++) {
		node = category_child(node, name.p[depth]);
		if (!node)
			return;
		if (node->n_patterns)
			category_try(best, node, depth + 1, name, module, spaces);
	}
}

/* The wrappers that the kernel's macros put around a system call, by architecture and age. */
static bool category_is_syscall(struct str name, struct str *ret_call)
{
	static const struct str wrappers[] = {
		STR("__x64_sys_"),
		STR("__arm64_sys_"),
		STR("__se_sys_"),
		STR("__do_sys_"),
		STR("__sys_"),
		STR("ksys_"),
		STR("sys_"),
		STR("SyS_"),
		STR("SYSC_"),
		STR("__ia32_sys_"),
		STR("__ia32_compat_sys_"),
		STR("__x32_compat_sys_"),
		STR("__se_compat_sys_"),
		STR("__do_compat_sys_"),
		STR("__riscv_sys_"),
		STR("__s390x_sys_"),
		STR("__arm64_compat_sys_"),
		STR("compat_sys_"),
	};

	for (size_t i = 0; i < ARRAY_LEN(wrappers); i++) {
		if (str_starts(name, wrappers[i])) {
			*ret_call = str_skip(name, wrappers[i].len);
			return true;
		}
	}
	return false;
}

/* "SYS:read" stands for all wrappers of read. */
static void category_walk_syscall(struct category_best *best, struct str name, struct str module)
{
	const struct category_node *node = &category_nodes[0];
	struct str call;

	if (!category_is_syscall(name, &call))
		return;
	for (const char *p = "SYS:"; *p && node; p++)
		node = category_child(node, *p);
	if (!node)
		return;
	category_try(best, node, 0, call, module, SPACES_KERNEL);
	category_walk(best, node, call, module, SPACES_KERNEL);
}

static bool category_is_module_line(const struct category_pattern *p)
{
	return p->module && strcmp(p->pattern, "*") == 0;
}

/* Lines of a whole module. */
static void category_try_module(struct category_best *best, struct str module, unsigned int spaces)
{
	const struct category_node *root = &category_nodes[0];

	for (unsigned int i = 0; module.len && i < root->n_patterns; i++) {
		const struct category_pattern *p = &category_patterns[root->first_pattern + i];

		if (p->score > best->score && (p->spaces & spaces) && category_is_module_line(p) &&
		    str_glob(str_of(p->module), module))
			*best = (struct category_best){ (int)(root->first_pattern + i), p->score };
	}
}

/* Patterns that begin with a wild card: only where nothing else is known. */
static void category_try_endings(struct category_best *best, struct str name, struct str module,
				 unsigned int spaces)
{
	const struct category_node *root = &category_nodes[0];

	for (unsigned int i = 0; best->pattern < 0 && i < root->n_patterns; i++) {
		const struct category_pattern *p = &category_patterns[root->first_pattern + i];

		if ((p->spaces & spaces) && !category_is_module_line(p) &&
		    str_glob(str_of(p->pattern), name) &&
		    (!p->module || str_glob(str_of(p->module), module)))
			*best = (struct category_best){ (int)(root->first_pattern + i), 0 };
	}
}

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

/* @best holds what the module alone tells. */
static category_id category_decide(struct category_best best, struct str name, struct str module,
				   enum symbol_space space, bool is_address)
{
	unsigned int spaces = category_spaces(space);

	if (space == SPACE_COMM)
		return (category_id){ CATEGORY_OTHER };
	if (!is_address) {
		category_walk(&best, &category_nodes[0], name, module, spaces);
		if (spaces & SPACES_KERNEL)
			category_walk_syscall(&best, name, module);
		category_try_endings(&best, name, module, spaces);
	}
	if (best.pattern >= 0)
		return (category_id){ category_patterns[best.pattern].category };
	return category_fallback(space, is_address);
}

category_id category_of_name(struct str canonical, struct str module, enum symbol_space space,
			     bool is_address)
{
	struct category_best best = { -1, -1 };

	category_try_module(&best, module, category_spaces(space));
	return category_decide(best, canonical, module, space, is_address);
}

/* What the module of @s alone tells, by the cache. */
static struct category_best category_of_module(struct category_cache *c, struct str module,
					       const struct symbol *s)
{
	struct category_best best = { -1, -1 };
	unsigned int spaces = category_spaces(s->space);
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
		category_try_module(&best, module, spaces);
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

category_id category_top(category_id id)
{
	struct str own = str_of(category_name(id));
	category_id top = id;

	(void)category_find(str_sub(own, 0, str_find_char(own, '/')), &top);
	return top;
}
