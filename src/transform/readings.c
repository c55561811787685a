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

/*
 * Files of the kernel whose counters are sums since a start, such as the boot. In some files, a few
 * counters are levels: current values, such as nr_free_pages. Levels stay as they were read.
 */
static const struct {
	const char *tool;
	const char *difference; /* name of the tool for a capture of differences */
	const char *levels;     /* pattern of str_glob() that matches the names of levels */
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
/*
 * If a sum grew by more than this factor, the two readings are of different files, such as the
 * files of two cgroups.
 */
#define READINGS_MAX_GROWTH 100
/* Two readings of one file may be at most this number of captures apart. */
#define READINGS_MAX_DISTANCE 256u

/* The counter of @of with the same name and key as @row; NULL: none. */
static const struct counter *readings_same(const struct counters *of, const struct counter *row)
{
	VEC_FOREACH (other, &of->rows) {
		if (other->name.v == row->name.v && other->key.v == row->key.v)
			return other;
	}
	return NULL;
}

/* Index in readings_files of the kind of file of @c; READINGS_FILES: @c is of another tool. */
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
 * Whether @later is a later reading of the file that @before is from. Then both have the same
 * counters, no sum has become smaller, and the input gives the same name for both files.
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
	/*
	 * go backwards through the captures. A reading becomes the difference to an earlier
	 * reading, so the earlier one must not have become a difference before
	 */
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
	 * Rename the tool of all differences, and set is_only_since_boot of differences to false.
	 * With three readings, the loop above has set it for the second one, too.
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
