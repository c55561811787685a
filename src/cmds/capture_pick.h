/* SPDX-License-Identifier: MIT */
/*
 * capture_pick.h - choose the capture for a flame graph or a folded text
 *
 * Captures have different units: cycles and nanoseconds cannot be added. Output that holds only one
 * capture therefore gets the first capture with stacks. The other captures are listed.
 */
#ifndef CMDS_CAPTURE_PICK_H
#define CMDS_CAPTURE_PICK_H

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct session;

struct capture_wish {
	uint64_t only;     /* number of the capture, from 1, as in assay info; 0: any capture */
	const char *event; /* event of the capture; NULL: any event */
};

/* Whether @wish selects capture @i (from 0). */
bool capture_wish_takes(const struct session *s, const struct capture_wish *wish, uint32_t i);
/* Check that @wish selects a capture; otherwise print a message and return false. */
bool capture_wish_check(const struct session *s, const struct capture_wish *wish);
/*
 * The first capture with a stack of nonzero weight. NULL, after a message, if there is none;
 * @purpose is the verb of that message ("draw"). Other captures are listed on stderr. Cost:
 * O(samples or calls of all captures).
 */
const struct capture *capture_pick(const struct session *s, const struct capture_wish *wish,
				   const char *purpose);

#endif
