/* SPDX-License-Identifier: MIT */
/* top_build.h - shared by the parts of top.c; private to these */
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

/* Data of a printed row or a stack's function from which keys are taken. */
struct top_item {
	sym_id sym;
	str_id comm;
	str_id dso;
	uint32_t pid; /* INDEX_NONE: unknown */
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
	struct idmap groups;     /* keys -> row of top */
	VEC(uint8_t) sym_passes; /* result of the symbol filter: 0 unknown, 1 no, 2 yes */
	bool filters;
	str_id nodigit_of, nodigit; /* the last command without numbers */
};

/* Whether the item passes all filters. */
bool top_passes(struct top_build *b, const struct top_item *item);
/* The row of @item, made on first use. */
uint32_t top_group(struct top_build *b, const struct top_item *item);

/* The same for an item known to have no row yet. */
uint32_t top_new_group(struct top_build *b, const struct top_item *item);

void top_fill_from_rows(struct top_build *b);
void top_fill_from_samples(struct top_build *b);
/* Percent of a weight, before relative percentages. @whole: weight of the profile. */
double top_pct(const struct top *t, double weight, double whole);

/*
 * top_sort.c: sort heaviest first, as struct top states; @by_name: equal rows by name. Cost:
 * O(rows), 40 bytes a row.
 */
void top_sort(const struct capture *c, struct top *t, bool by_children, bool by_name);

#endif
