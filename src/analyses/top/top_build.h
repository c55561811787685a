/* SPDX-License-Identifier: MIT */
/* top_build.h - state shared by the files that implement top.h; private */
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

/* The properties of a printed row, or of a function on a stack, that keys are made of. */
struct top_item {
	sym_id sym;
	str_id comm;
	str_id dso;
	uint32_t pid; /* INDEX_NONE: unknown */
	uint32_t tid;
	uint32_t cpu;
	/* index of the row's first cell in extra columns; INDEX_NONE: none */
	uint32_t extra;
	uint32_t fields[TOP_MAX_KEYS]; /* str_id.v of each TOP_FIELD key, by key */
};

struct top_build {
	const struct capture *capture;
	const struct profile *profile;
	const struct strings *strings;
	const struct symbols *symbols;
	struct category_cache *cats;
	const struct top_spec *spec;
	struct top *top;
	struct idmap groups; /* finds a row of `top` by its keys */
	/* whether a symbol passes the filter, by symbol: 0 unknown, 1 no, 2 yes */
	VEC(uint8_t) sym_passes;
	bool filters;
	str_id nodigit_of, nodigit; /* cache: the last command, and its text for TOP_COMM_NODIGIT */
};

/* Whether the item passes all filters. */
bool top_passes(struct top_build *b, const struct top_item *item);
/* Index of the row for @item, added if it is missing. */
uint32_t top_group(struct top_build *b, const struct top_item *item);

/* Add a row for @item, which must not have one, and return its index. */
uint32_t top_new_group(struct top_build *b, const struct top_item *item);

void top_fill_from_rows(struct top_build *b);
void top_fill_from_samples(struct top_build *b);
/* @weight in percent, before percentages become relative. @whole: weight of the whole profile. */
double top_pct(const struct top *t, double weight, double whole);

/*
 * top_sort.c: sort rows heaviest first, see top.rows. @by_name: sort rows of equal weight by
 * name. Cost: O(rows), 40 bytes a row.
 */
void top_sort(const struct capture *c, struct top *t, bool by_children, bool by_name);

#endif
