/* SPDX-License-Identifier: MIT */
/*
 * flame.h - the visible frames of a flame graph
 *
 * Equal callers at the same place are one frame; children are sorted by name. Frames below a
 * weight limit are left out with their callees, counted and summed, so that drawn and hidden
 * weight add up to the total.
 *
 * A flame graph of a comparison (flame_build_diff) has two trees: all frames of one side, and
 * right of it, dashed, those that only the other side has, with the path to them.
 */
#ifndef ANALYSES_FLAME_H
#define ANALYSES_FLAME_H

#include "analyses/compare/compare.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;
struct paths;
struct symbols;

#define FLAME_MAX_LABELS 10u /* colours with an own meaning */

enum flame_colours {
	FLAME_BY_SPACE, /* user, libraries, kernel, inlined, … */
	FLAME_BY_DSO,
	FLAME_BY_CATEGORY,
	FLAME_BY_COMM,
	FLAME_BY_CLASS, /* flame_build_classes() */
	FLAME_BY_STATE, /* running, ready, waiting: wall_clock.h */
};

struct flame_frame {
	uint64_t start; /* weight left of it */
	uint64_t weight;
	uint64_t self;
	sym_id sym;      /* SYM_ID_NONE: the root frame */
	uint32_t parent; /* INDEX_NONE: the root frame */
	stack_id node;   /* node of the paths */
	uint16_t depth;  /* 0: the root frame */
	uint8_t colour;  /* index in labels */
	bool is_gone;    /* in the right-hand tree */
	uint32_t row;    /* of compare.paths; INDEX_NONE: none */
};

/* Meaning of a colour. */
struct flame_label {
	str_id name;
	const char *text; /* instead of name, if not NULL */
	uint64_t self;    /* self weight of all frames with this colour, drawn or not */
	uint8_t shade;    /* of the palette */
	bool is_used;     /* a drawn frame has this colour */
};

struct flame {
	VEC(struct flame_frame) frames; /* in preorder; 0 is the root frame */
	uint64_t whole;                 /* weight of 100 %; at least that of frame 0 */
	uint64_t span;                  /* weight of the picture's width: whole, and gone frames */
	const char *gone_name;          /* name of the frame that contains gone frames */
	uint64_t hidden_frames;
	uint64_t hidden_weight;
	uint32_t max_depth;
	struct flame_label labels[FLAME_MAX_LABELS];
	unsigned int n_labels;
};

/*
 * Build from the paths @p of @c. Frames below @min_weight are hidden. @cats is used for
 * FLAME_BY_CATEGORY only. Owner of @ret: caller, flame_fini(). Cost: O(stack nodes), plus
 * sorting the drawn ones.
 */
void flame_build(const struct capture *c, const struct paths *p, uint64_t min_weight,
		 enum flame_colours colours, struct category_cache *cats, struct flame *ret);

/* Colour classes of symbols, defined by the caller. Borrowed. */
struct flame_classes {
	const uint8_t *of_symbol; /* label index by symbol; 0 is for frames that are not code */
	size_t n_symbols;
	const struct flame_label *labels; /* name or text, and shade */
	unsigned int n_labels;            /* at most FLAME_MAX_LABELS */
};

/* As flame_build(), coloured by @classes. */
void flame_build_classes(const struct capture *c, const struct paths *p, uint64_t min_weight,
			 const struct flame_classes *classes, struct flame *ret);

#define FLAME_DIFF_UNIT     UINT64_C(10000000000) /* weight units per percent */
#define FLAME_DIFF_DECIMALS 10u
#define FLAME_DIFF_MILD     1.0 /* points: paler below this */
#define FLAME_DIFF_STRONG   5.0 /* points: strongest from this on */

struct flame_diff_counts {
	uint64_t verdicts[COMPARE_VERDICT_COUNT]; /* of all frames, gone ones included */
	uint64_t gone;                            /* frames that only the other side has */
	uint64_t gone_reported;                   /* gone frames with a significant difference */
	uint64_t gone_weight;                     /* of the other side */
};

/* Combine unresolved addresses into one frame with a common name. */
void flame_diff_names(struct compare *c, struct symbols *symbols);
/*
 * Build from @c, with paths and shares of the total. Frame widths are those of B, or of A
 * (@is_of_a); colours show the difference B - A. Frames below @min_px of @px are hidden. Owner
 * of @ret: caller, flame_fini(). Cost: O(rows log rows).
 */
void flame_build_diff(const struct compare *c, const struct symbols *symbols, bool is_of_a,
		      double min_px, double px, struct flame *ret,
		      struct flame_diff_counts *ret_counts);
void flame_fini(struct flame *f);

#endif
