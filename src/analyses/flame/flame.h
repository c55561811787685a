/* SPDX-License-Identifier: MIT */
/*
 * flame.h - the visible frames of a flame graph
 *
 * Calls with the same chain of callers are one frame. The callees of a frame are sorted by name. A
 * frame lighter than a limit is hidden, together with its callees. The number and weight of hidden
 * frames are known, so that drawn and hidden weight add up to the total.
 *
 * The flame graph of a comparison (flame_build_diff) has two trees. The left tree has all frames of
 * one side. The right tree is dashed. It has the frames that only the other side has, and their
 * callers.
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

#define FLAME_MAX_LABELS 10u /* maximum number of labels: colours with a meaning */

enum flame_colours {
	FLAME_BY_SPACE, /* by space: user, libraries, kernel, inlined, … */
	FLAME_BY_DSO,
	FLAME_BY_CATEGORY,
	FLAME_BY_COMM,
	FLAME_BY_CLASS, /* by properties that the caller defines: flame_build_classes() */
	FLAME_BY_STATE, /* by state of the thread: running, ready or waiting (wall_clock.h) */
};

struct flame_frame {
	/* left edge of the frame: distance from the left edge of the picture, as a weight */
	uint64_t start;
	uint64_t weight;
	uint64_t self;
	sym_id sym;      /* SYM_ID_NONE: this is the root frame */
	uint32_t parent; /* index in flame.frames; INDEX_NONE: this is the root frame */
	stack_id node;   /* node of the frame in paths.stacks */
	uint16_t depth;  /* number of callers; 0: this is the root frame */
	uint8_t colour;  /* index in flame.labels */
	/* the frame is in the right tree of a comparison */
	bool is_gone;
	uint32_t row; /* index in compare.paths; INDEX_NONE: none */
};

/* A colour and its meaning, as the legend shows it. */
struct flame_label {
	str_id name;
	const char *text; /* used instead of `name`; NULL: use `name` */
	uint64_t self;    /* self weight of all frames with this colour, drawn or not */
	uint8_t shade;    /* index in the palette */
	bool is_used;     /* a drawn frame has this colour */
};

struct flame {
	VEC(struct flame_frame) frames; /* preorder; frame 0 is the root frame */
	/* weight that counts as 100 %; at least the weight of frame 0 */
	uint64_t whole;
	/* weight of the picture's whole width: `whole` plus, in a comparison, the right tree */
	uint64_t span;
	const char *gone_name; /* name of the right tree's root frame */
	uint64_t hidden_frames;
	uint64_t hidden_weight;
	uint32_t max_depth;
	struct flame_label labels[FLAME_MAX_LABELS];
	unsigned int n_labels;
};

/*
 * Build a flame graph from the paths @p of @c. Frames lighter than @min_weight are hidden. @cats is
 * used only with FLAME_BY_CATEGORY. Owner of @ret: caller, flame_fini(). Cost: O(stack nodes), and
 * a sort of the drawn frames.
 */
void flame_build(const struct capture *c, const struct paths *p, uint64_t min_weight,
		 enum flame_colours colours, struct category_cache *cats, struct flame *ret);

/* Colours of functions, chosen by the caller. Borrowed. */
struct flame_classes {
	/* indexed by symbol: index of its label; label 0 is for frames that are no functions */
	const uint8_t *of_symbol;
	size_t n_symbols;
	const struct flame_label *labels; /* each has a name or text, and a shade */
	unsigned int n_labels;            /* number of labels, at most FLAME_MAX_LABELS */
};

/* Build a flame graph as flame_build(), but with the colours of @classes. */
void flame_build_classes(const struct capture *c, const struct paths *p, uint64_t min_weight,
			 const struct flame_classes *classes, struct flame *ret);

#define FLAME_DIFF_UNIT     UINT64_C(10000000000) /* weight of one percent */
#define FLAME_DIFF_DECIMALS 10u
#define FLAME_DIFF_MILD     1.0 /* in percentage points: a smaller difference has a pale colour */
/* in percentage points: a difference of at least this size has the strongest colour */
#define FLAME_DIFF_STRONG 5.0

struct flame_diff_counts {
	/* number of frames with each verdict, in both trees */
	uint64_t verdicts[COMPARE_VERDICT_COUNT];
	/* number of frames that the side of the left tree lacks */
	uint64_t gone;
	/* number of frames that the side of the left tree lacks, with a significant difference */
	uint64_t gone_reported;
	/*
	 * weight of the right tree: its percentage of the other side's total, times FLAME_DIFF_UNIT
	 */
	uint64_t gone_weight;
};

/*
 * Give all unresolved addresses of an object the name "[no symbol]", so that they form one frame.
 */
void flame_diff_names(struct compare *c, struct symbols *symbols);
/*
 * Build the flame graph of a comparison of shares (COMPARE_TOTAL). Needs c->paths
 * (compare_spec.has_paths). Widths are the shares of B, or of A with @is_of_a; colours show the
 * difference B - A. Frames narrower than @min_px of @px pixels are hidden. Owner of @ret: caller,
 * flame_fini(). Cost: O(rows log rows).
 */
void flame_build_diff(const struct compare *c, const struct symbols *symbols, bool is_of_a,
		      double min_px, double px, struct flame *ret,
		      struct flame_diff_counts *ret_counts);
void flame_fini(struct flame *f);

#endif
