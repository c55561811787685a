/* SPDX-License-Identifier: MIT */
#include "formats/counters/counter_split.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "formats/format.h"

#define SPLIT_INTERVALS 2u
#define SPLIT_DEVICES   64u /* maximum number of devices; a comparison by hand has few */
/* maximum number of words in a label; a longer line before the table is prose */
#define SPLIT_LABEL 4u

/* The devices of one interval, in the order of their rows. */
struct split_part {
	str_id keys[SPLIT_DEVICES];
	size_t n;
};

/* If @cell is the first cell of a row, add the row. False: there are too many rows. */
static bool split_take(struct split_part *part, const struct counter *cell, uint32_t *line)
{
	if (cell->line == *line)
		return true;
	if (part->n == SPLIT_DEVICES)
		return false;
	part->keys[part->n++] = cell->key;
	*line = cell->line;
	return true;
}

/*
 * Are the rows of @k two groups with the same devices in the same order, without a line in between?
 */
static bool split_is_pair(const struct counters *k)
{
	struct split_part parts[SPLIT_INTERVALS] = { { .n = 0 } };
	uint32_t line = 0, first = 0;

	VEC_FOREACH (cell, &k->rows) {
		first = first ? first : cell->line;
		if (!cell->key.v || !split_take(&parts[cell->interval], cell, &line))
			return false;
	}
	if (parts[0].n != parts[1].n || line - first + 1 != 2 * parts[0].n)
		return false;
	for (size_t i = 0; i < parts[0].n; i++) {
		if (parts[0].keys[i].v != parts[1].keys[i].v)
			return false;
	}
	return true;
}

/*
 * Is @label, the text before the table, the name of one of two compared measurements, such as "With
 * the patch"? Then all rows belong to this measurement.
 */
static bool split_has_side(struct str label)
{
	struct str rest = label;
	struct str word;
	size_t n = 0;

	while (str_word(&rest, &word))
		n++;
	return n <= SPLIT_LABEL && side_of_words(label) != SIDE_UNKNOWN;
}

void counter_split_rows(const struct format *f, const struct region *in, struct capture *c)
{
	struct counters *k = c->counters;
	struct counters *other;
	struct strings *names = capture_strings(c);
	struct capture *second;
	size_t kept = 0;

	if (k->n_intervals != SPLIT_INTERVALS ||
	    !str_eq(strings_get(names, k->tool), STR("iostat")) ||
	    split_has_side(strings_get(names, k->label)) || !split_is_pair(k))
		return;
	second = format_add_capture(f, in, c->dossier);
	other = capture_counters(second);
	other->tool = k->tool;
	other->n_intervals = k->n_intervals = 1;
	other->is_paired = k->is_paired = true;
	k->is_since_boot = false;
	VEC_FOREACH (cell, &k->rows) {
		struct counter row = *cell;

		if (row.interval == 0) {
			k->rows.data[kept++] = row;
			continue;
		}
		if (other->rows.len == 0) {
			second->first_line = row.line;
			c->last_line = row.line - 1;
		}
		row.interval = 0;
		if (counters_add(other, names, row) < 0)
			break;
	}
	k->rows.len = kept;
	k->label = STR_ID_NONE;
}
