/* SPDX-License-Identifier: MIT */
/*
 * svg_flame.h - a flame graph as one SVG file
 *
 * The file is self-contained: colours (light and dark), search, zoom, details and keys. Without
 * scripts it is still a picture with tooltips. Names are escaped, including bidirectional
 * controls.
 *
 * The label of a frame gives its colour (analyses/flame/flame.h). Difference graphs use shades
 * from SVG_FLAME_SHADE_LESS (blue) to SVG_FLAME_SHADE_MORE (red); the middle one, grey, means
 * inconclusive. `note_of` adds text to each frame's tooltip.
 */
#ifndef RENDER_SVG_FLAME_H
#define RENDER_SVG_FLAME_H

#include "base/str.h"
#include "core/profile.h"

struct flame;
struct out;
struct symbols;

#define SVG_FLAME_WIDTH      1200u
#define SVG_FLAME_MIN_WIDTH  0.1 /* px */
#define SVG_FLAME_SHADE_LESS 10u /* 10, 11, 12: less; 13: inconclusive; 14, 15, 16: more */
#define SVG_FLAME_SHADE_MORE 16u
#define SVG_FLAME_SHADE_SAME 17u
#define SVG_FLAME_SHADE_GONE 18u /* dashed: path to frames that disappeared */
#define SVG_FLAME_SHADE_LAST 18u

struct svg_flame_options {
	struct str title;
	struct str subtitle;   /* event, unit, number of samples, source */
	unsigned int width;    /* px, 0: SVG_FLAME_WIDTH */
	double min_width;      /* px, for the note on hidden frames */
	bool is_icicle;        /* callers at the top */
	enum weight_unit unit; /* unit of the weights */
	unsigned int decimals;
	struct str unit_name; /* "samples", "cycles"; for units without a symbol */
	/* Append to the tooltip of @frame; NULL: none. */
	void (*note_of)(const struct flame *f, uint32_t frame, void *data, struct out *out);
	void *note_data;
	bool note_is_all; /* the notes contain all figures */
};

/* Width of the root frame in a picture of @width (0: SVG_FLAME_WIDTH), in px. */
double svg_flame_inner_width(unsigned int width);
/* Print "620 ms", "1 240 samples", "52.24 %". */
void svg_flame_amount(struct out *out, uint64_t weight, const struct svg_flame_options *o);
/* Write the picture. Cost: O(frames); names come from @symbols. */
void svg_flame(struct out *out, const struct flame *f, const struct symbols *symbols,
	       const struct svg_flame_options *o);

/* The script inside the picture (svg_script.c). */
extern const char svg_flame_script[];

#endif
