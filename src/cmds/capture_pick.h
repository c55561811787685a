/* SPDX-License-Identifier: MIT */
/*
 * capture_pick.h - the one capture that a picture or a folded text is made of
 *
 * Weights of several captures are of several units: cycles and nanoseconds have no sum.
 * What has room for one capture takes the first with stacks, and says which others there are.
 */
#ifndef CMDS_CAPTURE_PICK_H
#define CMDS_CAPTURE_PICK_H

#include "cmds/run/session.h"

struct capture_wish {
	uint64_t only;     /* number of the capture, from 1, as assay info counts; 0: not said */
	const char *event; /* captures of this event; NULL: not said */
};

/* True where the wish says nothing about capture @i (from 0), or asks for it. */
bool capture_wish_takes(const struct session *s, const struct capture_wish *wish, uint32_t i);
/* False after a sentence: no capture is what @wish asks for. */
bool capture_wish_check(const struct session *s, const struct capture_wish *wish);
/*
 * The first capture with a stack that weighs something; NULL after a sentence that says
 * why @purpose ("draw") finds none. The others are named on stderr.
 * Cost: O(samples or calls of all captures).
 */
const struct capture *capture_pick(const struct session *s, const struct capture_wish *wish,
				   const char *purpose);

#endif
