/* SPDX-License-Identifier: MIT */
/*
 * memory_access.h - memory accesses by function and memory level, from the table of perf mem
 *
 * perf prints a row for each combination of latency, level, function and address. The rows are
 * added up by function and by level, with the weights that perf printed.
 */
#ifndef ANALYSES_MEMORY_ACCESS_H
#define ANALYSES_MEMORY_ACCESS_H

#include "base/str.h"
#include "core/ids.h"

struct capture;

enum memory_column { MEMORY_LEVEL, MEMORY_WEIGHT, MEMORY_SNOOP, MEMORY_TLB, MEMORY_LOCKED };

/* The level of the memory hierarchy that supplied the data. */
enum memory_class {
	MEMORY_UNKNOWN, /* the level was not measured, or perf prints several levels */
	MEMORY_L1,
	MEMORY_FILL_BUFFER,
	MEMORY_L2,
	MEMORY_L3,
	MEMORY_RAM,
	MEMORY_REMOTE_RAM,
	MEMORY_REMOTE_CACHE,
};

/* Properties of an access besides its level. */
enum memory_trait {
	MEMORY_HITM,     /* another CPU had modified the cache line (HITM) */
	MEMORY_TLB_MISS, /* the address was in no TLB */
	MEMORY_ATOMIC,   /* the instruction has a lock prefix */
	MEMORY_TRAITS,
};

#define MEMORY_LEVELS 16u

struct memory_level {
	char name[40]; /* name of the level: "L1 hit", "Local RAM hit" */
	enum memory_class class;
	uint64_t self;
	uint64_t top_self; /* largest weight that one function has at this level */
	uint32_t line;     /* line of the heaviest row at this level */
	uint64_t line_self;
};

/*
 * Sums over the rows whose accesses have a trait, such as TLB misses. `top`: the function with the
 * most weight in these rows.
 */
struct memory_trait_sum {
	bool has_column;
	uint64_t self;
	sym_id top;
	uint64_t top_self;
	uint32_t line;
	uint64_t line_self;
};

struct memory_access {
	struct memory_level levels[MEMORY_LEVELS]; /* heaviest first, without "N/A" */
	unsigned int n_levels;
	uint64_t total;   /* weight of all rows */
	uint64_t unknown; /* weight of the rows without a level */
	bool has_symbols;
	sym_id top; /* function with most weight at a known level */
	uint64_t top_self;
	uint32_t top_line; /* line of the heaviest row of `top` */
	struct memory_trait_sum traits[MEMORY_TRAITS];
	double mean; /* mean latency of the accesses in printed rows; 0: unknown */
	uint64_t n;  /* number of accesses in printed rows; 0: unknown */
};

/* Title of a column, as perf prints it. */
struct str memory_access_title(enum memory_column column);
/* Index of the column in table.extra_columns; INDEX_NONE: perf did not print it. */
uint32_t memory_access_column(const struct capture *c, enum memory_column column);
/*
 * Sum the rows of @c by function, level and trait. False: @c is no profile with a column of memory
 * levels. Cost: linear in rows and symbols.
 */
bool memory_access_sum(const struct capture *c, struct memory_access *ret);

#endif
