/* SPDX-License-Identifier: MIT */
/*
 * flame.h - the frames of a flame graph that are wide enough to be seen
 *
 * Equal callers at the same place are one frame, children are ordered by name.
 * Frames lighter than a limit are left out with all that is above them, counted
 * and summed, so that what is drawn and what is not add up to the total.
 *
 * A frame also has room for the weight of another capture: who draws
 * differences fills `other` and `colour`.
 */
#ifndef ANALYSES_FLAME_H
#define ANALYSES_FLAME_H

#include "analyses/categories.h"
#include "core/paths.h"

#define FLAME_MAX_LABELS 10u /* colours with a meaning of their own */

enum flame_colours {
	FLAME_BY_SPACE, /* user, libraries, kernel, inlined, … */
	FLAME_BY_DSO,
	FLAME_BY_CATEGORY,
	FLAME_BY_COMM,
};

struct flame_frame {
	uint64_t start; /* weight left of it */
	uint64_t weight;
	uint64_t self;
	uint64_t other;  /* of a capture it is compared with; 0 */
	sym_id sym;      /* SYM_ID_NONE: the frame of everything */
	uint32_t parent; /* INDEX_NONE: everything */
	uint16_t depth;  /* 0: everything */
	uint8_t colour;  /* place in labels */
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
void flame_fini(struct flame *f);

#endif
