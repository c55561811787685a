/* SPDX-License-Identifier: MIT */
/*
 * svg_flame.h - a flame graph as one SVG file
 *
 * The file needs nothing else: colours (light and dark), search, zoom, details
 * and keys are in it; without scripts it is still the picture, with a tooltip on
 * each frame. Names are escaped, also against turning the direction of writing.
 *
 * Frames have the colours of their labels (analyses/flame/flame.h). For differences:
 * shades from SVG_FLAME_SHADE_LESS to SVG_FLAME_SHADE_MORE go from blue to red,
 * the one in the middle is grey for what is not clear; `note_of` gives each frame
 * its own words.
 */
#ifndef RENDER_SVG_FLAME_H
#define RENDER_SVG_FLAME_H

#include "analyses/flame/flame.h"
#include "base/out.h"

#define SVG_FLAME_WIDTH      1200u
#define SVG_FLAME_MIN_WIDTH  0.1 /* px */
#define SVG_FLAME_SHADE_LESS 10u /* 10, 11, 12: less; 13: unclear; 14, 15, 16: more */
#define SVG_FLAME_SHADE_MORE 16u
#define SVG_FLAME_SHADE_SAME 17u
#define SVG_FLAME_SHADE_GONE 18u /* dashed: the way to what is gone */
#define SVG_FLAME_SHADE_LAST 18u

struct svg_flame_options {
	struct str title;
	struct str subtitle;   /* event, unit, number of samples, where from */
	unsigned int width;    /* px, 0: SVG_FLAME_WIDTH */
	double min_width;      /* px, for the words about what is not drawn */
	bool is_icicle;        /* callers on top */
	enum weight_unit unit; /* of the weights */
	unsigned int decimals;
	struct str unit_name; /* "samples", "cycles"; for units without a sign */
	/* Appends to the tooltip of @frame; NULL: nothing. */
	void (*note_of)(const struct flame *f, uint32_t frame, void *data, struct out *out);
	void *note_data;
	bool note_is_all; /* the notes have all figures */
};

/* Pixels that frames have in a picture of @width (0: SVG_FLAME_WIDTH). */
double svg_flame_inner_width(unsigned int width);
/* "620 ms", "1 240 samples", "52.24 %". */
void svg_flame_amount(struct out *out, uint64_t weight, const struct svg_flame_options *o);
/* Cost: O(frames); names are those of @symbols. */
void svg_flame(struct out *out, const struct flame *f, const struct symbols *symbols,
	       const struct svg_flame_options *o);

/* The script inside the picture (svg_script.c). */
extern const char svg_flame_script[];

#endif
