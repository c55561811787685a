/* SPDX-License-Identifier: MIT */
/*
 * flame.h - the frames of a flame graph that are wide enough to be seen
 *
 * Equal callers at the same place are one frame, children are ordered by name.
 * Frames lighter than a limit are left out with all that is above them, counted
 * and summed, so that what is drawn and what is not add up to the total.
 *
 * A flame of a comparison (flame_build_diff) has two trees: all frames of one side, and
 * right of it, dashed, those that only the other side has, with the way to them.
 */
#ifndef ANALYSES_FLAME_H
#define ANALYSES_FLAME_H

#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "core/paths.h"

#define FLAME_MAX_LABELS 10u /* colours with a meaning of their own */

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
	sym_id sym;      /* SYM_ID_NONE: the frame of everything */
	uint32_t parent; /* INDEX_NONE: everything */
	stack_id node;   /* of the paths */
	uint16_t depth;  /* 0: everything */
	uint8_t colour;  /* place in labels */
	bool is_gone;    /* of the tree on the right */
	uint32_t row;    /* of compare.paths; INDEX_NONE */
};

/* What a colour stands for. */
struct flame_label {
	str_id name;
	const char *text; /* instead of name, if not NULL */
	uint64_t self;    /* weight that ends in frames of this colour, drawn or not */
	uint8_t shade;    /* of the palette */
	bool is_used;     /* a drawn frame has it */
};

struct flame {
	VEC(struct flame_frame) frames; /* in preorder; 0 is everything */
	uint64_t whole;                 /* what 100 % is: not less than the weight of frame 0 */
	uint64_t span;                  /* what the picture's width is: whole, and what is gone */
	const char *gone_name;          /* of the frame that holds what is gone */
	uint64_t hidden_frames;
	uint64_t hidden_weight;
	uint32_t max_depth;
	struct flame_label labels[FLAME_MAX_LABELS];
	unsigned int n_labels;
};

/*
 * Build from @p, of @c. Frames lighter than @min_weight are hidden. @cats is used
 * for FLAME_BY_CATEGORY only. Owner of @ret: caller, flame_fini().
 * Cost: O(stack nodes), and sorting of what is drawn.
 */
void flame_build(const struct capture *c, const struct paths *p, uint64_t min_weight,
		 enum flame_colours colours, struct category_cache *cats, struct flame *ret);

/* What symbols are coloured by, where the caller says it. Borrowed. */
struct flame_classes {
	const uint8_t *of_symbol; /* place in labels, by symbol; 0 is for what is no code */
	size_t n_symbols;
	const struct flame_label *labels; /* name or text, and shade */
	unsigned int n_labels;            /* at most FLAME_MAX_LABELS */
};

/* As flame_build(), coloured by @classes. */
void flame_build_classes(const struct capture *c, const struct paths *p, uint64_t min_weight,
			 const struct flame_classes *classes, struct flame *ret);

#define FLAME_DIFF_UNIT     UINT64_C(10000000000) /* weights a percent */
#define FLAME_DIFF_DECIMALS 10u
#define FLAME_DIFF_MILD     1.0 /* points: paler below */
#define FLAME_DIFF_STRONG   5.0 /* points: strongest from here */

struct flame_diff_counts {
	uint64_t verdicts[COMPARE_VERDICT_COUNT]; /* of all frames, gone ones included */
	uint64_t gone;                            /* frames that only the other side has */
	uint64_t gone_told;                       /* of these, shown to be less or more */
	uint64_t gone_weight;                     /* of the other side */
};

/* Addresses without a name are one frame: give it no address for its name. */
void flame_diff_names(struct compare *c, struct symbols *symbols);
/*
 * Build from @c, with paths and shares of the total. Frames are as wide as in B, or in A
 * (@is_of_a); colours stand for the difference B - A. @min_px of @px are hidden.
 * Owner of @ret: caller, flame_fini(). Cost: O(rows log rows).
 */
void flame_build_diff(const struct compare *c, const struct symbols *symbols, bool is_of_a,
		      double min_px, double px, struct flame *ret,
		      struct flame_diff_counts *ret_counts);
void flame_fini(struct flame *f);

#endif
