/* SPDX-License-Identifier: MIT */
/*
 * hot_paths.h - the few call paths that account for most of a profile, callers first
 *
 * All stacks are merged into one tree that starts at the outermost frames. A path is a sequence of
 * frames, from caller to callee, with nearly the same weight. It ends where the weight is divided
 * among several callees. Further paths begin there and continue it. Only the heaviest paths are
 * kept. If a kept path continues another path, that path is kept, too, because it is at least as
 * heavy.
 */
#ifndef ANALYSES_HOT_PATHS_H
#define ANALYSES_HOT_PATHS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct hot_path {
	/* weight of the path's first frame, with callees, in percent of the profile */
	double pct;
	/*
	 * weight of the path's last frame, with callees, in percent of the profile; at least 90 %
	 * of `pct`
	 */
	double last_pct;
	uint32_t first; /* index of the path's outermost frame in hot_paths.frames */
	uint32_t n;
	/* index in hot_paths.rows of the path that this path continues; INDEX_NONE: none */
	uint32_t parent;
	uint16_t depth;
};

struct hot_paths {
	VEC(struct hot_path) rows; /* preorder, siblings heaviest first */
	VEC(sym_id) frames;
	double pct; /* sum of the `pct` of all paths that continue no other path */
};

/*
 * If the rows of a printed table show their cost with callees (profile_is_inclusive()), the paths
 * are those of the printed trees.
 *
 * Find the @max heaviest paths; there may be none. A function without callers and callees is no
 * path. Errors: those of tree_build() and tree_of_outer(). Owner of @ret: caller, hot_paths_fini();
 * zeroed on error.
 */
MUST_CHECK int hot_paths_find(const struct capture *c, size_t max, struct hot_paths *ret,
			      struct error *err);
void hot_paths_fini(struct hot_paths *p);

#endif
