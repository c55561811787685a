/* SPDX-License-Identifier: MIT */
/*
 * capture_pick.h - choose the capture for a flame graph or a folded text
 *
 * Weights of several captures have several units: cycles and nanoseconds cannot be added.
 * Output with room for one capture uses the first with stacks, and lists the others.
 */
#ifndef CMDS_CAPTURE_PICK_H
#define CMDS_CAPTURE_PICK_H

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct session;

struct capture_wish {
	uint64_t only;     /* number of the capture, from 1, as in assay info; 0: any */
	const char *event; /* captures of this event; NULL: any */
};

/* Whether capture @i (from 0) is one that @wish selects. */
bool capture_wish_takes(const struct session *s, const struct capture_wish *wish, uint32_t i);
/* Check that @wish selects a capture; otherwise print a message and return false. */
bool capture_wish_check(const struct session *s, const struct capture_wish *wish);
/*
 * The first capture with a stack of nonzero weight. NULL after a message that explains why
 * @purpose ("draw") finds none. The other captures are listed on stderr. Cost: O(samples or
 * calls of all captures).
 */
const struct capture *capture_pick(const struct session *s, const struct capture_wish *wish,
				   const char *purpose);

#endif
