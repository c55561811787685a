/* SPDX-License-Identifier: MIT */
/*
 * compare_names.h - which functions of two sides are the same one
 *
 * By name without what compilers, linkers and tools add (`.isra.0`, `@plt`,
 * `@@GLIBC_2.14`, ` [clone …]`, `(inlined)`, the tag of BPF programs), in the same
 * object without its version ("libc-2.31.so" is "libc.so.6", "[kernel.vmlinux]" is
 * "[kernel.kallsyms]"). A name that then stands alone on either side, in
 * different objects, is one too, and so is one that lacks the last letters of a
 * long name alone on the other side: printed names are cut. Raw addresses differ from run to run:
 * those of an object are one row, "[no symbol]".
 */
#ifndef ANALYSES_COMPARE_NAMES_H
#define ANALYSES_COMPARE_NAMES_H

#include "core/dossier.h"

/* A function, an object or a kind of work of both sides. */
struct compare_group {
	str_id name[2]; /* first seen on A, on B; of the strings of compare_names; NONE: not there
			 */
	str_id dso[2];
	sym_id best; /* the symbol that says most: of a side that names objects */
	uint8_t space;
	bool is_many;       /* all addresses of an object */
	bool is_inlined[2]; /* every symbol of that side is */
	uint32_t merged;    /* position + 1 of the group that it became part of; 0: itself */
};

struct compare_names {
	const struct symbols *symbols; /* borrowed */
	struct strings strings;
	VEC(struct compare_group) functions;
	VEC(struct compare_group) objects;
	uint32_t *function_of; /* by symbol: position in functions, INDEX_NONE: none */
	uint32_t *object_of;   /* by symbol */
	struct idmap functions_map;
	VEC(uint64_t) function_keys;
	struct idmap objects_map;
	VEC(str_id) object_keys;
	uint64_t n_base, n_inlined, n_dso;
	uint32_t example; /* a function matched by its base name; INDEX_NONE */
};

/* @a, @b: captures with profiles, else calls. Cost: O(rows + stack nodes + calls). */
void compare_names_init(struct compare_names *n, const struct capture *const *a, size_t n_a,
			const struct capture *const *b, size_t n_b);
void compare_names_fini(struct compare_names *n);

/* The object of a row that has one but no symbol. INDEX_NONE: it has none. */
uint32_t compare_object(struct compare_names *n, struct str dso, int side);

/* A view into @name without what is added to it. */
struct str compare_base_name(struct str name);
/* "libc" of "/lib/libc-2.31.so"; "[kernel]" of all names of the kernel. */
struct str compare_base_dso(struct str dso);

#endif
