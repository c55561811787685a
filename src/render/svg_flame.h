/* SPDX-License-Identifier: MIT */
/*
 * svg_flame.h - a flame graph as one SVG file
 *
 * The file needs no other files: it contains its colours (light and dark), and a script for search,
 * zoom, details and keys. Without scripts, it is still a picture with tooltips. Names are escaped,
 * including bidirectional controls.
 *
 * The colour of a frame depends on its label, such as "kernel" (analyses/flame/flame.h). In a
 * difference graph, colours are shades from SVG_FLAME_SHADE_LESS (blue) to SVG_FLAME_SHADE_MORE
 * (red). The shade in the middle, grey, means inconclusive. svg_flame_options.note_of adds a text
 * to the tooltip of each frame.
 */
#ifndef RENDER_SVG_FLAME_H
#define RENDER_SVG_FLAME_H

#include "base/str.h"
#include "core/profile.h"

struct flame;
struct out;
struct symbols;

#define SVG_FLAME_WIDTH 1200u
/* default of min_width in px: narrower frames are hidden */
#define SVG_FLAME_MIN_WIDTH 0.1
/*
 * shades of a difference graph: 10 to 12: the weight decreased, 10 is the strongest decrease; 13:
 * inconclusive; 14 to 16: the weight increased, 16 is the strongest increase
 */
#define SVG_FLAME_SHADE_LESS 10u
#define SVG_FLAME_SHADE_MORE 16u
#define SVG_FLAME_SHADE_SAME 17u /* the weight did not change */
/*
 * shade of a frame that is drawn only because it calls functions that disappeared; its outline is
 * dashed
 */
#define SVG_FLAME_SHADE_GONE 18u
#define SVG_FLAME_SHADE_LAST 18u

struct svg_flame_options {
	struct str title;
	struct str subtitle; /* event, unit, number of samples, source */
	unsigned int width;  /* width of the picture in px; 0: SVG_FLAME_WIDTH */
	/*
	 * frames narrower than this, in px, are hidden; a note in the picture states their number
	 */
	double min_width;
	bool is_icicle; /* draw callers at the top, callees below */
	enum weight_unit unit;
	unsigned int decimals;
	struct str unit_name; /* name for a unit without symbol, such as "samples" or "cycles" */
	/* callback that appends a text to the tooltip of @frame; NULL: none */
	void (*note_of)(const struct flame *f, uint32_t frame, void *data, struct out *out);
	void *note_data;
	/* tooltips have the name, the module and the text of note_of, but no weights */
	bool note_is_all;
};

/* Width of the outermost frame in px. @width: width of the picture in px; 0: SVG_FLAME_WIDTH. */
double svg_flame_inner_width(unsigned int width);
/* Print @weight with its unit: "620 ms", "1 240 samples", "52.24 %". */
void svg_flame_amount(struct out *out, uint64_t weight, const struct svg_flame_options *o);
/* Write the picture to @out. @symbols: names of the frames. Cost: O(frames). */
void svg_flame(struct out *out, const struct flame *f, const struct symbols *symbols,
	       const struct svg_flame_options *o);

/* JavaScript that the picture contains (svg_script.c). */
extern const char svg_flame_script[];

#endif
