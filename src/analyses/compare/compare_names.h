/* SPDX-License-Identifier: MIT */
/*
 * compare_names.h - match the functions of two sides
 *
 * A function matches a function of the other side if its name and its object match. Names match
 * without additions of compilers, linkers and tools (`.isra.0`, `@plt`, `@@GLIBC_2.14`, ` [clone
 * …]`, `(inlined)`, the tag of BPF programs). Objects match without their version ("libc-2.31.so"
 * is "libc.so.6", "[kernel.vmlinux]" is "[kernel.kallsyms]"); compare_objects_init() matches
 * objects with different names. Functions that are still unmatched match across objects if their
 * name is unique on each side. A long name also matches a name that lacks its last letters, because
 * printed names are truncated. Raw addresses differ from run to run: all raw addresses of an object
 * form one row, "[no symbol]".
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

/* A function, object or category, with its name on each side. */
struct compare_group {
	/*
	 * first name of the function, object or category on each side, in compare_names.strings;
	 * STR_ID_NONE: it is not on this side
	 */
	str_id name[2];
	str_id dso[2];
	/*
	 * the symbol with most details, of all symbols of the group on both sides; preferably one
	 * with an object
	 */
	sym_id best;
	uint8_t space;
	bool is_many;       /* the row combines all raw addresses of an object */
	bool is_inlined[2]; /* all symbols of the group on this side are inlined */
	/* index of the group into which this group was merged, plus 1; 0: not merged */
	uint32_t merged;
};

/* An object with different base names on the two sides. */
struct compare_alias {
	str_id b, a;
};

struct compare_names {
	const struct symbols *symbols; /* borrowed */
	struct strings strings;
	VEC(struct compare_group) functions;
	VEC(struct compare_group) objects;
	uint32_t *function_of; /* indexed by symbol: index in `functions`; INDEX_NONE: none */
	uint32_t *object_of;   /* indexed by symbol: index in `objects`; INDEX_NONE: none */
	struct idmap functions_map;
	VEC(uint64_t) function_keys;
	struct idmap objects_map;
	VEC(str_id) object_keys;
	VEC(struct compare_alias) aliases;
	uint64_t n_base, n_inlined, n_dso;
	/*
	 * index of the first function whose names on both sides differ in a suffix, as "foo.isra.0"
	 * and "foo"; INDEX_NONE: none
	 */
	uint32_t example;
};

/*
 * Match the names of both sides. @a, @b: captures with profiles, or with traces of calls. Cost:
 * O(rows + stack nodes + calls).
 */
void compare_names_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			const struct capture *const *b, size_t n_b);
void compare_names_fini(struct compare_names *n);

/*
 * compare_objects.c: find objects whose names differ between the sides, such as "slow" and its
 * rebuilt version "slow2". Enter them in @n->aliases. Candidates are objects on one side only. Two
 * objects match if at least half of the functions of the smaller one are in both. They also match
 * if their names differ only in a version ("python3.11", "node-20"). Cost: O(symbols).
 */
void compare_objects_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			  const struct capture *const *b, size_t n_b);
/*
 * @dso without its version: "python" for "python3.11". *@ret_is_marked: a '.', '-' or '_' precedes
 * the digits, as in "node-20", so the digits are certainly a version.
 */
struct str compare_object_stem(struct str dso, bool *ret_is_marked);

/*
 * Index in n->objects of the object @dso on side @side, for printed rows without a symbol.
 * INDEX_NONE: none.
 */
uint32_t compare_object(struct compare_names *n, struct str dso, int side);

/*
 * The part of @name before compiler suffixes and marks: "foo" for "foo.isra.0", "foo@plt", "foo
 * (inlined)".
 */
struct str compare_base_name(struct str name);
/*
 * The base name of an object: "libc" for "/lib/libc-2.31.so"; "[kernel]" for all names of the
 * kernel.
 */
struct str compare_base_dso(struct str dso);

#endif
