/* SPDX-License-Identifier: MIT */
/*
 * svg_flame.h - a flame graph as one SVG file
 *
 * The file needs no other files: it contains the colours (light and dark), and a script for search,
 * zoom, details and keys. If scripts are disabled, it is still a picture with tooltips. Names are
 * escaped, including bidirectional controls.
 *
 * A frame has the colour of its label, such as "kernel" (analyses/flame/flame.h). Difference graphs
 * use shades from SVG_FLAME_SHADE_LESS (blue) to SVG_FLAME_SHADE_MORE (red). The shade in the
 * middle, grey, means inconclusive. svg_flame_options.note_of adds text to the tooltip of each
 * frame.
 */
#ifndef RENDER_SVG_FLAME_H
#define RENDER_SVG_FLAME_H

#include "base/str.h"
#include "core/profile.h"

struct flame;
struct out;
struct symbols;

#define SVG_FLAME_WIDTH     1200u
#define SVG_FLAME_MIN_WIDTH 0.1 /* px: narrower frames are hidden by default */
/*
 * shades 10 to 12: the frame got lighter, with 10 most of all; 13: inconclusive; 14 to 16: it got
 * heavier, with 16 most of all
 */
#define SVG_FLAME_SHADE_LESS 10u
#define SVG_FLAME_SHADE_MORE 16u
#define SVG_FLAME_SHADE_SAME 17u /* the frame did not change */
/* dashed: the frame is only a caller of frames that disappeared */
#define SVG_FLAME_SHADE_GONE 18u
#define SVG_FLAME_SHADE_LAST 18u

struct svg_flame_options {
	struct str title;
	struct str subtitle; /* text such as event, unit, number of samples, source */
	unsigned int width;  /* px, 0: SVG_FLAME_WIDTH */
	/* px; frames below this width are hidden, and a note in the picture states the width */
	double min_width;
	bool is_icicle; /* draw callers at the top */
	enum weight_unit unit;
	unsigned int decimals;
	struct str unit_name; /* name of a unit that has no symbol, such as "samples" or "cycles" */
	/* Append a text to the tooltip of @frame; NULL: tooltips have no such text. */
	void (*note_of)(const struct flame *f, uint32_t frame, void *data, struct out *out);
	void *note_data;
	/* the texts of note_of contain all figures of a frame, so tooltips show no other figures */
	bool note_is_all;
};

/*
 * Return the width of the outermost frame in px. @width: width of the picture in px; 0:
 * SVG_FLAME_WIDTH.
 */
double svg_flame_inner_width(unsigned int width);
/* Print @weight with its unit: "620 ms", "1 240 samples", "52.24 %". */
void svg_flame_amount(struct out *out, uint64_t weight, const struct svg_flame_options *o);
/* Write the picture. Cost: O(frames); names come from @symbols. */
void svg_flame(struct out *out, const struct flame *f, const struct symbols *symbols,
	       const struct svg_flame_options *o);

/* The script inside the picture (svg_script.c). */
extern const char svg_flame_script[];

#endif
