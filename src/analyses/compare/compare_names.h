/* SPDX-License-Identifier: MIT */
/*
 * compare_names.h - match the functions of two sides
 *
 * Functions match by name without additions of compilers, linkers and tools (`.isra.0`, `@plt`,
 * `@@GLIBC_2.14`, ` [clone …]`, `(inlined)`, the tag of BPF programs), in the same object
 * without its version ("libc-2.31.so" is "libc.so.6", "[kernel.vmlinux]" is
 * "[kernel.kallsyms]"). Objects under another name are joined (compare_objects_init). A name
 * that is then unique on either side matches across objects. So
 * does a long name that lacks its last letters on the other side, because printed names are
 * truncated. Raw addresses differ from run to run: those of an object form one row, "[no
 * symbol]".
 */
#ifndef ANALYSES_COMPARE_NAMES_H
#define ANALYSES_COMPARE_NAMES_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"

struct capture;
struct symbols;

/* A function, object or category over both sides. */
struct compare_group {
	str_id name[2]; /* first name on A, on B, in the strings of compare_names; NONE: absent */
	str_id dso[2];
	sym_id best; /* the most informative symbol: from a side with objects */
	uint8_t space;
	bool is_many;       /* combines all addresses of an object */
	bool is_inlined[2]; /* all symbols of that side are inlined */
	uint32_t merged;    /* index + 1 of the group it was merged into; 0: not merged */
};

/* An object of B, and the name of the same object in A. Both are base names. */
struct compare_alias {
	str_id b, a;
};

struct compare_names {
	const struct symbols *symbols; /* borrowed */
	struct strings strings;
	VEC(struct compare_group) functions;
	VEC(struct compare_group) objects;
	uint32_t *function_of; /* by symbol: index in functions, INDEX_NONE: none */
	uint32_t *object_of;   /* by symbol */
	struct idmap functions_map;
	VEC(uint64_t) function_keys;
	struct idmap objects_map;
	VEC(str_id) object_keys;
	VEC(struct compare_alias) aliases;
	uint64_t n_base, n_inlined, n_dso;
	uint32_t example; /* a function matched by its base name; INDEX_NONE: none */
};

/* @a, @b: captures with profiles, or with calls. Cost: O(rows + stack nodes + calls). */
void compare_names_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			const struct capture *const *b, size_t n_b);
void compare_names_fini(struct compare_names *n);

/*
 * compare_objects.c: find the objects that have another name on either side, a rebuilt program
 * "slow2" for "slow", and fill @n->aliases. Objects of one side only are joined if half of the
 * functions of the one with fewer are in both, or if their names differ in a version only
 * ("python3.11", "node-20"). Cost: O(symbols).
 */
void compare_objects_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			  const struct capture *const *b, size_t n_b);
/*
 * A view into @dso without its version; *ret_is_marked: a '.', '-' or '_' shows that the digits
 * are a version.
 */
struct str compare_object_stem(struct str dso, bool *ret_is_marked);

/* The object of a row without a symbol. INDEX_NONE: none. */
uint32_t compare_object(struct compare_names *n, struct str dso, int side);

/*
 * A view into @name without marks of inlining, clones, the PLT and symbol versions, and without
 * suffixes of the compiler.
 */
struct str compare_base_name(struct str name);
/* "libc" for "/lib/libc-2.31.so"; "[kernel]" for all names of the kernel. */
struct str compare_base_dso(struct str dso);

#endif
