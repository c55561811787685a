/* SPDX-License-Identifier: MIT */
/*
 * compare_names.h - match the functions of two sides
 *
 * A function matches a function of the other side if its name and its object match. Names match
 * without additions of compilers, linkers and tools (`.isra.0`, `@plt`, `@@GLIBC_2.14`,
 * ` [clone …]`, `(inlined)`, the tag of BPF programs). Objects match without their version
 * ("libc-2.31.so" is "libc.so.6", "[kernel.vmlinux]" is "[kernel.kallsyms]");
 * compare_objects_init() matches objects with different names. A name left over on both sides
 * matches across objects if it is unique on each side. A long name also matches a name that lacks
 * its last letters, because printed names are truncated. Raw addresses differ from run to run:
 * all raw addresses of an object form one row, "[no symbol]".
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
	/* the first name seen on each side, as id in compare_names.strings; NONE: absent */
	str_id name[2];
	str_id dso[2];
	sym_id best; /* the symbol with the most information, preferably one with an object */
	uint8_t space;
	bool is_many;       /* the row combines all raw addresses of an object */
	bool is_inlined[2]; /* all symbols of the group on this side are inlined */
	/* index + 1 of the group that this one was merged into; 0: not merged */
	uint32_t merged;
};

/* An object whose name differs between the sides. Both names are base names. */
struct compare_alias {
	str_id b, a;
};

struct compare_names {
	const struct symbols *symbols; /* borrowed */
	struct strings strings;
	VEC(struct compare_group) functions;
	VEC(struct compare_group) objects;
	uint32_t *function_of; /* index in `functions` by symbol; INDEX_NONE: none */
	uint32_t *object_of;   /* index in `objects` by symbol; INDEX_NONE: none */
	struct idmap functions_map;
	VEC(uint64_t) function_keys;
	struct idmap objects_map;
	VEC(str_id) object_keys;
	VEC(struct compare_alias) aliases;
	uint64_t n_base, n_inlined, n_dso;
	uint32_t example; /* index of a function matched by its base name; INDEX_NONE: none */
};

/*
 * Match the names of both sides. @a, @b: captures with profiles, or with traces of calls. Cost:
 * O(rows + stack nodes + calls).
 */
void compare_names_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			const struct capture *const *b, size_t n_b);
void compare_names_fini(struct compare_names *n);

/*
 * compare_objects.c: find objects with different names on the two sides, as "slow2", a rebuilt
 * "slow", and fill @n->aliases. Only objects seen on one side are candidates. Two of them match if
 * at least half of the functions of the smaller object are in both, or if the names differ only in
 * a version ("python3.11", "node-20"). Cost: O(symbols).
 */
void compare_objects_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			  const struct capture *const *b, size_t n_b);
/*
 * @dso without its version, as a view. *ret_is_marked: a '.', '-' or '_' before the digits shows
 * that they are a version.
 */
struct str compare_object_stem(struct str dso, bool *ret_is_marked);

/* The object of a row that has no symbol. INDEX_NONE: none. */
uint32_t compare_object(struct compare_names *n, struct str dso, int side);

/*
 * @name without marks of inlining, clones, the PLT and symbol versions, and without compiler
 * suffixes, as a view.
 */
struct str compare_base_name(struct str name);
/* "libc" for "/lib/libc-2.31.so"; "[kernel]" for each of the kernel's names. */
struct str compare_base_dso(struct str dso);

#endif
