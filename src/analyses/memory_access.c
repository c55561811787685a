/* SPDX-License-Identifier: MIT */
#include "analyses/memory_access.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdio.h>
#include <stdlib.h>

/* Sums over the rows of one function, and the input line of its heaviest row. */
struct memory_function {
	uint64_t self;
	uint64_t traits[MEMORY_TRAITS];
	uint32_t line;
	uint64_t line_self;
};

struct memory_sum {
	const struct capture *c;
	struct memory_access *ret;
	uint32_t columns[MEMORY_LOCKED + 1];
	struct memory_function *functions; /* indexed by symbol */
	/* sum over all rows of latency times number of accesses, to compute the mean latency */
	double weight;
};

static const struct str memory_titles[] = {
	[MEMORY_LEVEL] = STR("Memory access"), [MEMORY_WEIGHT] = STR("Local Weight"),
	[MEMORY_SNOOP] = STR("Snoop"),         [MEMORY_TLB] = STR("TLB access"),
	[MEMORY_LOCKED] = STR("Locked"),
};

/*
 * Classes of memory levels, by the names that perf_mem__lvl_scnprintf() prints in old and new
 * versions (tools/perf/util/mem-events.c). The first matching pattern counts. A level such as "L1
 * or L2" has no class.
 */
static const struct {
	struct str pattern;
	enum memory_class class;
} memory_classes[] = {
	{ STR("* or *|*miss|Any cache*"), MEMORY_UNKNOWN },
	{ STR("Remote*RAM*|Remote*PMEM*"), MEMORY_REMOTE_RAM },
	{ STR("Remote*"), MEMORY_REMOTE_CACHE },
	{ STR("*RAM*|*PMEM*|*CXL*"), MEMORY_RAM },
	{ STR("LFB*"), MEMORY_FILL_BUFFER },
	{ STR("L1*"), MEMORY_L1 },
	{ STR("L2*"), MEMORY_L2 },
	{ STR("L3*|L4*"), MEMORY_L3 },
};

struct str memory_access_title(enum memory_column column)
{
	return memory_titles[column];
}

uint32_t memory_access_column(const struct capture *c, enum memory_column column)
{
	const struct profile_table *t = &c->profile->table;

	for (uint32_t i = 0; i < t->extra_columns.len; i++) {
		struct str title = strings_get(capture_strings(c), t->extra_columns.data[i]);

		if (str_eq(title, memory_titles[column]) ||
		    (column == MEMORY_WEIGHT && str_eq(title, STR("Weight"))))
			return i;
	}
	return INDEX_NONE;
}

static struct str memory_cell(const struct memory_sum *m, const struct profile_row *row,
			      enum memory_column column)
{
	const struct profile_table *t = &m->c->profile->table;

	if (m->columns[column] == INDEX_NONE || row->extra == INDEX_NONE)
		return STR_NONE;
	return str_trim(strings_get(capture_strings(m->c),
				    t->extra_cells.data[row->extra + m->columns[column]]));
}

/*
 * Shorten the name of a level: "L1 or L1 hit" to "L1 hit", "Local RAM or RAM hit" to "Local RAM
 * hit". perf prints a level twice if the CPU reports it both in an old and in a new field.
 */
static void memory_name(struct str cell, char *ret, size_t size)
{
	struct str sep = STR(" or ");
	size_t used = 0;
	struct str whole = cell;
	struct str tail = STR_NONE;

	if (str_ends(cell, STR(" hit")))
		tail = STR(" hit");
	else if (str_ends(cell, STR(" miss")))
		tail = STR(" miss");
	whole.len -= tail.len;
	cell = whole;
	ret[0] = '\0';
	while (cell.len) {
		size_t end = str_find(cell, sep);
		struct str one = str_sub(cell, 0, end);

		cell = str_skip(cell, end + sep.len);
		if (one.len == 0 || str_contains((struct str){ ret, used }, one) ||
		    used + one.len + sep.len + tail.len + 1 > size)
			continue;
		used += (size_t)snprintf(ret + used, size - used, "%s" STR_FMT, used ? " or " : "",
					 STR_ARG(one));
	}
	(void)snprintf(ret + used, size - used, STR_FMT, STR_ARG(tail));
}

/* The entry of the level @name, added if it is new; NULL: there are too many levels. */
static struct memory_level *memory_level(struct memory_access *m, const char *name)
{
	struct memory_level *level;
	struct str text = str_of(name);

	for (unsigned int i = 0; i < m->n_levels; i++) {
		if (str_eq(str_of(m->levels[i].name), text))
			return &m->levels[i];
	}
	if (m->n_levels == MEMORY_LEVELS)
		return NULL;
	level = &m->levels[m->n_levels++];
	*level = (struct memory_level){ .class = MEMORY_UNKNOWN };
	(void)snprintf(level->name, sizeof(level->name), "%s", name);
	for (size_t i = 0; i < ARRAY_LEN(memory_classes); i++) {
		if (str_glob(memory_classes[i].pattern, text)) {
			level->class = memory_classes[i].class;
			break;
		}
	}
	return level;
}

static struct memory_level *memory_level_of(const struct memory_sum *m,
					    const struct profile_row *row)
{
	struct str cell = memory_cell(m, row, MEMORY_LEVEL);
	char name[40];

	if (cell.len == 0 || str_eq(cell, STR("N/A")))
		return NULL;
	memory_name(cell, name, sizeof(name));
	return name[0] ? memory_level(m->ret, name) : NULL;
}

/*
 * Whether the accesses of @row have the trait. A miss of the first-level TLB alone does not count
 * as a TLB miss, because it costs little.
 */
static bool memory_has(const struct memory_sum *m, const struct profile_row *row,
		       enum memory_trait trait)
{
	struct str cell;

	switch (trait) {
	case MEMORY_HITM:
		return str_eq_nocase(memory_cell(m, row, MEMORY_SNOOP), STR("HitM"));
	case MEMORY_TLB_MISS:
		cell = memory_cell(m, row, MEMORY_TLB);
		return str_ends(cell, STR(" miss")) && !str_eq(cell, STR("L1 miss"));
	case MEMORY_ATOMIC:
		return str_eq(memory_cell(m, row, MEMORY_LOCKED), STR("Yes"));
	default:
		return false;
	}
}

static void memory_heaviest(uint64_t self, uint32_t line, uint64_t *line_self, uint32_t *ret)
{
	if (*ret && self <= *line_self)
		return;
	*line_self = self;
	*ret = line;
}

static void memory_row(struct memory_sum *m, const struct profile_row *row)
{
	struct memory_access *ret = m->ret;
	struct memory_level *level = memory_level_of(m, row);
	struct memory_function *f = &m->functions[row->sym.v];
	struct str weight = memory_cell(m, row, MEMORY_WEIGHT);
	uint64_t latency;

	ret->total += row->self;
	if (str_u64(&weight, &latency) && latency && (row->has & ROW_HAS_SAMPLES)) {
		m->weight += (double)latency * (double)row->samples;
		ret->n += row->samples;
	}
	if (!level) {
		ret->unknown += row->self;
		return;
	}
	level->self += row->self;
	memory_heaviest(row->self, row->line, &level->line_self, &level->line);
	f->self += row->self;
	memory_heaviest(row->self, row->line, &f->line_self, &f->line);
	for (unsigned int i = 0; i < MEMORY_TRAITS; i++) {
		struct memory_trait_sum *t = &ret->traits[i];

		if (!memory_has(m, row, i))
			continue;
		t->self += row->self;
		f->traits[i] += row->self;
		memory_heaviest(row->self, row->line, &t->line_self, &t->line);
		if (row->sym.v && f->traits[i] > t->top_self) {
			t->top = row->sym;
			t->top_self = f->traits[i];
		}
	}
	if (row->sym.v && f->self > ret->top_self) {
		ret->top = row->sym;
		ret->top_self = f->self;
		ret->top_line = f->line;
	}
}

static int memory_compare(const void *pa, const void *pb)
{
	const struct memory_level *a = pa;
	const struct memory_level *b = pb;

	return SORT_ORDER(b->self, a->self);
}

bool memory_access_sum(const struct capture *c, struct memory_access *ret)
{
	struct memory_sum m = { .c = c, .ret = ret };

	*ret = (struct memory_access){ .total = 0 };
	if (!c->profile || memory_access_column(c, MEMORY_LEVEL) == INDEX_NONE)
		return false;
	for (unsigned int i = 0; i <= MEMORY_LOCKED; i++)
		m.columns[i] = memory_access_column(c, i);
	ret->traits[MEMORY_HITM].has_column = m.columns[MEMORY_SNOOP] != INDEX_NONE;
	ret->traits[MEMORY_TLB_MISS].has_column = m.columns[MEMORY_TLB] != INDEX_NONE;
	ret->traits[MEMORY_ATOMIC].has_column = m.columns[MEMORY_LOCKED] != INDEX_NONE;
	ret->has_symbols = c->profile->table.columns & ROW_HAS_SYMBOL;
	m.functions = xcalloc(capture_symbols(c)->rows.len + 1, sizeof(*m.functions));
	VEC_FOREACH (row, &c->profile->table.rows)
		memory_row(&m, row);
	VEC_FOREACH (row, &c->profile->table.rows) {
		struct memory_level *level =
			ret->top.v && row->sym.v == ret->top.v ? memory_level_of(&m, row) : NULL;

		if (level)
			level->top_self += row->self;
	}
	free(m.functions);
	if (ret->n)
		ret->mean = m.weight / (double)ret->n;
	qsort(ret->levels, ret->n_levels, sizeof(ret->levels[0]), memory_compare);
	return true;
}
