/* SPDX-License-Identifier: MIT */
#include "cmds/browse/browse_flame.h"

#include "analyses/top/tree.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/browse/browse_place.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "render/screen.h"
#include "render/view.h"

#include <string.h>

struct flame_draw {
	const struct capture *c;
	const struct tree *tree;
	const struct browse_place *place;
	const struct text_options *text;
	/*
	 * `first`: weight of the frames to the left of the screen; `whole`: weight of a frame that
	 * is as wide as the screen
	 */
	uint64_t first, whole;
	VEC(uint64_t) starts; /* left edge of each node: the weight of all frames to its left */
	struct out *out;
};

/* Compute the left edges of all nodes. Returns the total weight of the roots. */
static uint64_t flame_starts(struct flame_draw *f)
{
	const struct tree *tree = f->tree;
	VEC(uint64_t) next = VEC_INIT; /* for each node, the left edge of its next child */
	uint64_t root = 0;

	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		const struct tree_node *node = &tree->nodes.data[i];
		uint64_t *at = node->parent == INDEX_NONE ? &root : &next.data[node->parent];
		uint64_t start = *at;

		*at += node->weight;
		*VEC_PUSH(&f->starts) = start;
		*VEC_PUSH(&next) = start;
	}
	VEC_FREE(&next);
	return root;
}

static bool flame_is_above(const struct tree *tree, uint32_t node, uint32_t below)
{
	return below != INDEX_NONE && node < below && below < tree->nodes.data[node].end;
}

/* The screen column of an edge of a frame. @at: weight of all frames to the left of the edge. */
static unsigned int flame_column(const struct flame_draw *f, uint64_t at)
{
	uint64_t width = f->text->width;

	if (at <= f->first)
		return 0;
	at -= f->first;
	return at >= f->whole ? (unsigned int)width
			      : (unsigned int)((double)at * (double)width / (double)f->whole);
}

static const char *flame_colour(const struct symbol *sym)
{
	return sym->space == SPACE_KERNEL ? "\033[30;41m"
	       : sym->space == SPACE_USER ? "\033[30;43m"
					  : "\033[30;46m";
}

/* Write the frame of the node @node, which is @width columns wide. */
static void flame_frame(struct flame_draw *f, uint32_t node, unsigned int width)
{
	const struct symbol *sym =
		symbols_get(capture_symbols(f->c), f->tree->nodes.data[node].sym);
	struct str name = symbols_name(capture_symbols(f->c), f->tree->nodes.data[node].sym);
	bool is_chosen = node == f->place->at;
	unsigned int used;

	if (is_chosen)
		out_z(f->out, "\033[7m");
	else if (f->text->has_colour)
		out_z(f->out, flame_colour(sym));
	/* a bar at the left edge separates neighbouring frames, also without colours */
	out_z(f->out, f->text->has_utf8 ? "\u258f" : "|");
	used = 1 + screen_clip(name, width - 1, false, f->out);
	out_repeat(f->out, ' ', width - used);
	if (is_chosen || f->text->has_colour)
		out_z(f->out, "\033[0m");
}

/*
 * Write the frames of level @depth. Returns the number of frames on this level; some may be too
 * narrow to be drawn.
 */
static size_t flame_level(struct flame_draw *f, unsigned int depth)
{
	unsigned int at = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < f->tree->nodes.len; i++) {
		const struct tree_node *node = &f->tree->nodes.data[i];
		bool is_above = flame_is_above(f->tree, i, f->place->zoom);
		unsigned int from, to;

		if (node->depth != depth ||
		    (f->place->zoom != INDEX_NONE && !is_above && i != f->place->zoom &&
		     !flame_is_above(f->tree, f->place->zoom, i)))
			continue;
		n++;
		from = is_above ? 0 : flame_column(f, f->starts.data[i]);
		to = is_above ? f->text->width : flame_column(f, f->starts.data[i] + node->weight);
		if (from < at)
			from = at;
		/* the frame under the cursor is always at least one column wide */
		if (i == f->place->at && to <= from && from < f->text->width)
			to = from + 1;
		if (to <= from)
			continue;
		out_repeat(f->out, ' ', from - at);
		flame_frame(f, i, to - from);
		at = to;
	}
	out_char(f->out, '\n');
	return n;
}

void browse_flame_draw(const struct capture *c, const struct tree *tree,
		       const struct browse_place *place, const struct text_options *text,
		       struct out *out)
{
	struct flame_draw f = {
		.c = c,
		.tree = tree,
		.place = place,
		.text = text,
		.out = out,
		.starts = VEC_INIT,
	};
	unsigned int depth = 0;
	size_t before;

	f.whole = flame_starts(&f);
	if (place->zoom < tree->nodes.len) {
		f.first = f.starts.data[place->zoom];
		f.whole = tree->nodes.data[place->zoom].weight;
	} else if (tree->total > f.whole) {
		f.whole = tree->total;
	}
	do {
		before = out->len;
	} while (f.whole && flame_level(&f, depth++));
	if (f.whole)
		out->len = before;
	VEC_FREE(&f.starts);
}

/*
 * The next node on the same level as @at: to its right if @is_right, otherwise to its left. Returns
 * @at if there is no such node.
 */
static uint32_t flame_adjacent(const struct tree *tree, uint32_t at, bool is_right)
{
	uint32_t best = at;

	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		if (tree->nodes.data[i].depth != tree->nodes.data[at].depth)
			continue;
		if (is_right && i > at)
			return i;
		if (!is_right && i < at)
			best = i;
	}
	return best;
}

uint32_t browse_flame_step(const struct tree *tree, uint32_t zoom, uint32_t at,
			   enum browse_step step)
{
	uint32_t next = at;

	if (at >= tree->nodes.len)
		return tree->nodes.len ? 0 : INDEX_NONE;
	if (step == FLAME_UP)
		next = tree->nodes.data[at].parent;
	else if (step == FLAME_DOWN)
		next = at + 1 < tree->nodes.data[at].end ? at + 1 : at;
	else
		next = flame_adjacent(tree, at, step == FLAME_RIGHT);
	if (next == INDEX_NONE)
		return at;
	/* do not leave the drawn frames: the zoomed frame, and the frames above and below it */
	if (zoom < tree->nodes.len && next != zoom && !flame_is_above(tree, zoom, next) &&
	    !flame_is_above(tree, next, zoom))
		return at;
	return next;
}
