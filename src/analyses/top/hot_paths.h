/* SPDX-License-Identifier: MIT */
/*
 * hot_paths.h - the few call paths that account for most of a profile, callers first
 *
 * All stacks are merged into one tree that starts at the outermost frames. A path is a sequence of
 * frames, from caller to callee, with nearly the same weight. It ends where the weight divides
 * among several callees, and further paths begin there. Only the heaviest paths are kept. If a path
 * is kept, the path that it continues is kept, too, because that is at least as heavy.
 */
#ifndef ANALYSES_HOT_PATHS_H
#define ANALYSES_HOT_PATHS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct hot_path {
	/* weight of the path's first frame, callees included, in percent of the profile */
	double pct;
	/* the same of its last frame; at least 90 % of `pct` */
	double last_pct;
	uint32_t first; /* index of its outermost frame in hot_paths.frames */
	uint32_t n;
	/* index in hot_paths.rows of the path at whose end this one begins; INDEX_NONE: none */
	uint32_t parent;
	uint16_t depth;
};

struct hot_paths {
	VEC(struct hot_path) rows; /* preorder, siblings heaviest first */
	VEC(sym_id) frames;
	double pct; /* sum of pct over the paths that begin at an outermost frame */
};

/*
 * Find the @max heaviest paths. A path has at least two frames; there may be none. Errors: those of
 * tree_build(). Owner of @ret: caller, hot_paths_fini(); zeroed on error.
 */
MUST_CHECK int hot_paths_find(const struct capture *c, size_t max, struct hot_paths *ret,
			      struct error *err);
void hot_paths_fini(struct hot_paths *p);

#endif
