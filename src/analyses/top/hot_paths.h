/* SPDX-License-Identifier: MIT */
/*
 * hot_paths.h - the few call paths that account for most of a profile, callers first
 *
 * All stacks are merged into one tree from the outermost frame. A path is a run of frames with
 * nearly the same weight; where a tree branches, further paths continue below it. The heaviest
 * paths are kept, so that a parent always precedes its children.
 */
#ifndef ANALYSES_HOT_PATHS_H
#define ANALYSES_HOT_PATHS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct hot_path {
	double pct;      /* of the profile: its first frame, callees included */
	double last_pct; /* share of its last frame; at least 90 % of pct */
	uint32_t first;  /* its frames in hot_paths.frames, outermost first */
	uint32_t n;
	uint32_t parent; /* an earlier path, or INDEX_NONE */
	uint16_t depth;
};

struct hot_paths {
	VEC(struct hot_path) rows; /* in preorder, siblings heaviest first */
	VEC(sym_id) frames;
	double pct; /* of the profile: all topmost paths */
};

/*
 * At most @max paths. No rows: no path has two frames. Errors: as tree_build(). Owner of @ret:
 * caller, hot_paths_fini(); zeroed on error.
 */
MUST_CHECK int hot_paths_find(const struct capture *c, size_t max, struct hot_paths *ret,
			      struct error *err);
void hot_paths_fini(struct hot_paths *p);

#endif
