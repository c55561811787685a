/* SPDX-License-Identifier: MIT */
#include "transform/readings.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "transform/transform.h"

/* Files whose counters are sums, except for the levels: a level keeps the value of its reading. */
static const struct {
	const char *tool;
	const char *difference; /* name of the tool in a capture of differences */
	const char *levels;     /* str_glob pattern of the names of levels */
} readings_files[] = {
	{ "cpu.stat", "cpu.stat, difference", "" },
	{ "memory.stat", "memory.stat, difference",
	  "anon|file|kernel|kernel_stack|pagetables|sec_pagetables|percpu|sock|vmalloc|shmem|zswap|"
	  "zswapped|file_*|swapcached|anon_thp|shmem_thp|inactive_*|active_*|unevictable|slab*|"
	  "hugetlb" },
	{ "memory.events", "memory.events, difference", "" },
	{ "/proc/vmstat", "/proc/vmstat, difference", "nr_*" },
};
#define READINGS_FILES ARRAY_LEN(readings_files)
/* A sum that grew by more than this factor is from another file, such as that of another group. */
#define READINGS_MAX_GROWTH 100
/* Two readings of a file are at most this number of captures apart. */
#define READINGS_MAX_DISTANCE 256u

/* The counter of @of with the name and key of @row; NULL: none. */
static const struct counter *readings_same(const struct counters *of, const struct counter *row)
{
	VEC_FOREACH (other, &of->rows) {
		if (other->name.v == row->name.v && other->key.v == row->key.v)
			return other;
	}
	return NULL;
}

/* Index in readings_files of the file of @c; READINGS_FILES: another tool. */
static size_t readings_file(const struct capture *c)
{
	size_t i = 0;

	while (i < READINGS_FILES &&
	       (!c->counters || !str_eq(strings_get(capture_strings(c), c->counters->tool),
					str_of(readings_files[i].tool))))
		i++;
	return i;
}

static bool readings_is_level(const struct capture *c, const struct counter *row)
{
	return str_glob(str_of(readings_files[readings_file(c)].levels),
			strings_get(capture_strings(c), row->name));
}

/*
 * Is @later a later reading of the same file as @before? Then both have the same counters, no sum
 * has become smaller, and lines above that name a file name the same file.
 */
static bool readings_follow(const struct capture *before, const struct capture *later)
{
	const struct counters *a = before->counters;
	const struct counters *b = later->counters;

	if (a->tool.v != b->tool.v || a->rows.len != b->rows.len || a->source.v != b->source.v ||
	    a->label.v != b->label.v)
		return false;
	VEC_FOREACH (row, &b->rows) {
		const struct counter *old = readings_same(a, row);

		if (old && readings_is_level(later, row))
			continue;
		if (!old || old->decimals != row->decimals || row->value < old->value ||
		    (old->value > 0 && row->value / READINGS_MAX_GROWTH > old->value))
			return false;
	}
	return true;
}

int readings_step(struct dossier *d, struct transform *t, struct error *err)
{
	(void)err;
	/* start with the last reading: the earlier readings then still have sums */
	for (size_t i = d->captures.len; i-- > t->first + 1;) {
		const struct capture *later = d->captures.data[i];
		size_t back =
			i - t->first > READINGS_MAX_DISTANCE ? i - READINGS_MAX_DISTANCE : t->first;

		for (size_t k = i; readings_file(later) < READINGS_FILES && k-- > back;) {
			struct capture *before = d->captures.data[k];

			if (!before->counters || !readings_follow(before, later))
				continue;
			VEC_FOREACH (row, &later->counters->rows)
				row->value -= readings_is_level(later, row)
						      ? 0
						      : readings_same(before->counters, row)->value;
			later->counters->is_difference = true;
			before->counters->is_only_since_boot = true;
			break;
		}
	}
	/*
	 * all differences, even those between two other readings, get the tool's name for
	 * differences
	 */
	for (size_t i = t->first; i < d->captures.len; i++) {
		struct counters *k = d->captures.data[i]->counters;
		size_t file = readings_file(d->captures.data[i]);

		if (!k || !k->is_difference || file == READINGS_FILES)
			continue;
		k->is_only_since_boot = false;
		k->tool = strings_add(capture_strings(d->captures.data[i]),
				      str_of(readings_files[file].difference));
	}
	return OK;
}
