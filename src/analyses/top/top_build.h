/* SPDX-License-Identifier: MIT */
/* top_build.h - state that the files of top.h share; private to top*.c */
#ifndef ANALYSES_TOP_BUILD_H
#define ANALYSES_TOP_BUILD_H

#include "analyses/top/top.h"
#include "base/idmap.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;
struct profile;
struct strings;
struct symbols;

/* A printed row, or a function on a sampled stack, with the properties that keys may need. */
struct top_item {
	sym_id sym;
	str_id comm;
	str_id dso;
	uint32_t pid; /* INDEX_NONE: unknown */
	uint32_t tid;
	uint32_t cpu;
	/* index of the row's first cell in table.extra_cells; INDEX_NONE: none */
	uint32_t extra;
	/* indexed like top.keys: for each TOP_FIELD key, its value (str_id.v) */
	uint32_t fields[TOP_MAX_KEYS];
};

struct top_build {
	const struct capture *capture;
	const struct profile *profile;
	const struct strings *strings;
	const struct symbols *symbols;
	struct category_cache *cats;
	const struct top_spec *spec;
	struct top *top;
	struct idmap groups; /* finds the row of `top` with given values of the keys */
	/* indexed by symbol: cached result of the filter: 0 not computed yet, 1 fails, 2 passes */
	VEC(uint8_t) sym_passes;
	bool filters;
	/* cache: the last command for which TOP_COMM_NODIGIT was computed, and the result */
	str_id nodigit_of, nodigit;
};

/* Whether the item passes all filters. */
bool top_passes(struct top_build *b, const struct top_item *item);
/*
 * Index in top.rows of the row whose keys have the values of @item. The row is added if it is new.
 */
uint32_t top_group(struct top_build *b, const struct top_item *item);

/*
 * Add a row whose keys have the values of @item, and return its index in top.rows. Such a row must
 * not exist yet.
 */
uint32_t top_new_group(struct top_build *b, const struct top_item *item);

void top_fill_from_rows(struct top_build *b);
void top_fill_from_samples(struct top_build *b);
/*
 * @weight in percent of @whole, the weight of the whole profile. top_spec.relative has no effect
 * here.
 */
double top_pct(const struct top *t, double weight, double whole);

/*
 * top_sort.c: sort rows by `children` if @by_children, else by `self`, heaviest first. Rows of
 * equal weight are sorted by name if @by_name, else in print order. Cost: O(rows), 40 bytes a row.
 */
void top_sort(const struct capture *c, struct top *t, bool by_children, bool by_name);

#endif
