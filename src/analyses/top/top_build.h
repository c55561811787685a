/* SPDX-License-Identifier: MIT */
/*
 * top_build.h - what the parts of top.c share; not for others
 */
#ifndef ANALYSES_TOP_BUILD_H
#define ANALYSES_TOP_BUILD_H

#include "analyses/top/top.h"

/* What a printed row or a function on a stack is, before keys are taken from it. */
struct top_item {
	sym_id sym;
	str_id comm;
	str_id dso;
	uint32_t pid; /* INDEX_NONE: not said */
	uint32_t tid;
	uint32_t cpu;
	uint32_t extra;                /* first cell of the row, or INDEX_NONE */
	uint32_t fields[TOP_MAX_KEYS]; /* by key: str_id.v of TOP_FIELD */
};

struct top_build {
	const struct capture *capture;
	const struct profile *profile;
	const struct strings *strings;
	const struct symbols *symbols;
	struct category_cache *cats;
	const struct top_spec *spec;
	struct top *top;
	struct idmap groups;     /* rows of top by keys */
	VEC(uint8_t) sym_passes; /* of the symbol filter: 0 not asked, 1 no, 2 yes */
	bool filters;
};

/* False: a filter keeps it out. */
bool top_passes(struct top_build *b, const struct top_item *item);
/* The row that @item belongs to, made on first use. */
uint32_t top_group(struct top_build *b, const struct top_item *item);

/* The same of an item that no row has yet. */
uint32_t top_new_group(struct top_build *b, const struct top_item *item);

void top_fill_from_rows(struct top_build *b);
void top_fill_from_samples(struct top_build *b);
/* Percent of a weight, before relative percentages. @whole: weight of the whole profile. */
double top_pct(const struct top *t, double weight, double whole);

/*
 * top_sort.c: heaviest first, as struct top says; @by_name: equal ones by name.
 * Cost: O(rows), 40 bytes a row.
 */
void top_sort(const struct capture *c, struct top *t, bool by_children, bool by_name);

#endif
