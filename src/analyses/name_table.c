/* SPDX-License-Identifier: MIT */
#include "analyses/name_table.h"

#include "base/status.h"
#include "base/str.h"

#include <string.h>

/* maximum length of "SYS:" and the name of a system call; all names are shorter */
#define NAME_TABLE_SYSCALL_MAX 64u

enum {
	SPACES_KERNEL = 1,
	SPACES_USER = 2,
};

unsigned int name_table_spaces(enum symbol_space space)
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

/*
 * Whether @module matches the module of pattern @p. The brackets of a kernel module are ignored:
 * perf prints nf_nat as [nf_nat].
 */
static bool name_table_has_module(const struct name_pattern *p, struct str module)
{
	if (str_glob(str_of(p->module), module))
		return true;
	return module.len > 2 && module.p[0] == '[' && module.p[module.len - 1] == ']' &&
	       (p->spaces & SPACES_KERNEL) &&
	       str_glob(str_of(p->module), str_sub(module, 1, module.len - 1));
}

static void name_table_try(const struct name_table *t, struct name_match *best,
			   const struct name_node *node, size_t depth, struct str name,
			   struct str module, unsigned int spaces)
{
	for (unsigned int i = 0; i < node->n_patterns; i++) {
		unsigned int at = node->first_pattern + i;
		const struct name_pattern *p = &t->patterns[at];

		if (p->score <= best->score || !(p->spaces & spaces))
			continue;
		if (p->kind == PATTERN_EXACT && name.len != depth)
			continue;
		if (p->kind == PATTERN_GLOB && !str_glob(str_of(p->pattern), name))
			continue;
		if (p->module && !name_table_has_module(p, module))
			continue;
		*best = (struct name_match){ (int)at, p->score };
	}
}

static const struct name_node *name_table_child(const struct name_table *t,
						const struct name_node *node, struct str rest)
{
	const struct name_node *child = &t->nodes[node->first_child];
	unsigned int low = 0;
	unsigned int high = node->n_children;

	while (low < high && rest.len) {
		unsigned int mid = (low + high) / 2;
		const struct name_node *c = &child[mid];

		if (c->label[0] == rest.p[0])
			return str_starts(rest, (struct str){ c->label, c->len }) ? c : NULL;
		if (c->label[0] < rest.p[0])
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

/*
 * Try the patterns whose literal prefix, the characters before the first wild card, is a prefix of
 * @name.
 */
static void name_table_walk(const struct name_table *t, struct name_match *best, struct str name,
			    struct str module, unsigned int spaces)
{
	const struct name_node *node = &t->nodes[0];
	size_t depth = 0;

	while ((node = name_table_child(t, node, str_skip(name, depth)))) {
		depth += node->len;
		if (node->n_patterns)
			name_table_try(t, best, node, depth, name, module, spaces);
	}
}

/*
 * Whether @name is a wrapper that kernel macros generate for a system call. Knows the names of all
 * architectures and kernel versions. *@ret_call: name of the system call.
 */
static bool name_table_is_syscall(struct str name, struct str *ret_call)
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

/*
 * If @name is a wrapper of a system call, try the pattern for this call: "SYS:read" for
 * __x64_sys_read.
 */
static void name_table_walk_syscall(const struct name_table *t, struct name_match *best,
				    struct str name, struct str module)
{
	char text[NAME_TABLE_SYSCALL_MAX] = "SYS:";
	struct str call;

	if (!name_table_is_syscall(name, &call) || call.len > sizeof(text) - 4)
		return;
	memcpy(text + 4, call.p, call.len);
	name_table_walk(t, best, (struct str){ text, 4 + call.len }, module, SPACES_KERNEL);
}

static bool name_table_is_module_line(const struct name_pattern *p)
{
	return p->module && strcmp(p->pattern, "*") == 0;
}

/* Try the lines of the table that match whole modules. */
static void name_table_try_module(const struct name_table *t, struct name_match *best,
				  struct str module, unsigned int spaces)
{
	const struct name_node *root = &t->nodes[0];

	for (unsigned int i = 0; module.len && i < root->n_patterns; i++) {
		const struct name_pattern *p = &t->patterns[root->first_pattern + i];

		if (p->score > best->score && (p->spaces & spaces) &&
		    name_table_is_module_line(p) && name_table_has_module(p, module))
			*best = (struct name_match){ (int)(root->first_pattern + i), p->score };
	}
}

/* If no pattern has matched yet, try the patterns that begin with a wild card. */
static void name_table_try_endings(const struct name_table *t, struct name_match *best,
				   struct str name, struct str module, unsigned int spaces)
{
	const struct name_node *root = &t->nodes[0];

	for (unsigned int i = 0; best->pattern < 0 && i < root->n_patterns; i++) {
		const struct name_pattern *p = &t->patterns[root->first_pattern + i];

		if ((p->spaces & spaces) && !name_table_is_module_line(p) &&
		    str_glob(str_of(p->pattern), name) &&
		    (!p->module || name_table_has_module(p, module)))
			*best = (struct name_match){ (int)(root->first_pattern + i), 0 };
	}
}

struct name_match name_table_of_module(const struct name_table *t, struct str module,
				       unsigned int spaces)
{
	struct name_match best = { -1, -1 };

	name_table_try_module(t, &best, module, spaces);
	return best;
}

struct name_match name_table_of_name(const struct name_table *t, struct name_match best,
				     struct str name, struct str module, unsigned int spaces)
{
	name_table_walk(t, &best, name, module, spaces);
	if (spaces & SPACES_KERNEL)
		name_table_walk_syscall(t, &best, name, module);
	name_table_try_endings(t, &best, name, module, spaces);
	return best;
}
