/* SPDX-License-Identifier: MIT */
/* budget_choose.c - select the most important items whose text fits into a limit of bytes */
#include "render/budget_part.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "render/view.h"

/*
 * in the first step, one item of each part (table or group of sentences) is kept; together, these
 * items may take at most this share of the limit
 */
#define BUDGET_FLOOR_SHARE 0.6

/* The total size of the items kept so far, and its current limit. */
struct budget_choice {
	size_t bytes;
	size_t limit;
	uint8_t *has_section; /* indexed by section: the section's heading is included in `bytes` */
};

/*
 * Return the number of bytes of the lines that must be printed before an item of @part: heading,
 * title and column titles. A line that is already needed for another kept item is not counted.
 */
static size_t budget_head_bytes(const struct budget_view *b, const struct budget_part *part,
				const struct budget_choice *choice)
{
	size_t bytes = 0;

	if (part->section != INDEX_NONE && !choice->has_section[part->section])
		/* 2 bytes for the line end and a blank line */
		bytes += b->sections.data[part->section].len + 2;
	if (part->kept)
		return bytes;
	bytes += part->title.len ? part->title.len + 1 : 0;
	bytes += part->head.len ? part->head.len + 1 : 0;
	return bytes + (part->constant.len ? part->constant.len + 3 : 0);
}

static size_t budget_cost(const struct budget_view *b, const struct budget_item *item,
			  const struct budget_choice *choice)
{
	const struct budget_part *part = &b->parts.data[item->part];
	size_t bytes = item->text.len + 1;

	if (part->is_whole) {
		for (uint32_t i = part->first + 1; i < part->first + part->n; i++)
			bytes += b->items.data[i].text.len + 1;
	}
	return bytes + budget_head_bytes(b, part, choice);
}

static bool budget_may_take(const struct budget_view *b, const struct budget_item *item)
{
	const struct budget_part *part = &b->parts.data[item->part];

	if (item->is_kept)
		return false;
	if (part->is_whole && (part->unseen || item != &b->items.data[part->first]))
		return false;
	if (item->parent != INDEX_NONE && !b->items.data[item->parent].is_kept)
		return false;
	return item->previous == INDEX_NONE || b->items.data[item->previous].is_kept;
}

static void budget_take(struct budget_view *b, struct budget_item *item,
			struct budget_choice *choice)
{
	struct budget_part *part = &b->parts.data[item->part];
	uint32_t n = part->is_whole ? part->n : 1;

	choice->bytes += budget_cost(b, item, choice);
	if (part->section != INDEX_NONE)
		choice->has_section[part->section] = 1;
	for (uint32_t i = 0; i < n; i++)
		item[i].is_kept = true;
	part->kept += n;
}

/*
 * Keep one more item that fits: the item with the highest worth per byte. @is_floor: consider only
 * parts that have no kept item yet, and take the item with the highest worth. Returns false if no
 * item fits.
 */
static bool budget_take_best(struct budget_view *b, struct budget_choice *choice, bool is_floor)
{
	struct budget_item *best = NULL;
	double most = 0;

	VEC_FOREACH (item, &b->items) {
		const struct budget_part *part = &b->parts.data[item->part];
		size_t cost;
		double gain;

		if ((is_floor && part->kept) || !budget_may_take(b, item))
			continue;
		cost = budget_cost(b, item, choice);
		if (choice->bytes + cost > choice->limit)
			continue;
		gain = is_floor ? item->worth : item->worth / (double)cost;
		if (!best || gain > most) {
			best = item;
			most = gain;
		}
	}
	if (best)
		budget_take(b, best, choice);
	return best != NULL;
}

void budget_choose(struct budget_view *b, size_t limit)
{
	struct budget_choice choice = { .limit = limit,
					.has_section = xcalloc(b->sections.len + 1, 1) };

	VEC_FOREACH (item, &b->items)
		item->is_kept = false;
	VEC_FOREACH (part, &b->parts)
		part->kept = 0;
	/* always keep the heading of the first section, which names the input */
	if (b->sections.len && b->sections.data[0].len + 2 <= limit) {
		choice.has_section[0] = 1;
		choice.bytes = b->sections.data[0].len + 2;
	}
	/*
	 * first keep the most important item of all, even if it is larger than BUDGET_FLOOR_SHARE
	 * allows
	 */
	(void)budget_take_best(b, &choice, /* is_floor= */ true);
	choice.limit = (size_t)((double)limit * BUDGET_FLOOR_SHARE);
	while (budget_take_best(b, &choice, /* is_floor= */ true))
		;
	choice.limit = limit;
	while (budget_take_best(b, &choice, /* is_floor= */ false))
		;
	free(choice.has_section);
}
