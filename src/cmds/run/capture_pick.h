/* SPDX-License-Identifier: MIT */
/*
 * capture_pick.h - choose the capture for a flame graph or a folded text
 *
 * Captures with different units (cycles, nanoseconds) cannot be added. If an output format has room
 * for only one capture, the first capture with stacks is written. The others are listed on stderr.
 */
#ifndef CMDS_RUN_CAPTURE_PICK_H
#define CMDS_RUN_CAPTURE_PICK_H

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct session;

struct capture_wish {
	/*
	 * number of the capture, from 1, as in assay info; 0: any capture that is no excerpt of
	 * another one
	 */
	uint64_t only;
	const char *event; /* event of the capture; NULL: any event */
};

/* Whether @wish selects capture @i (from 0). */
bool capture_wish_takes(const struct session *s, const struct capture_wish *wish, uint32_t i);
/* Whether @wish selects at least one capture. False: a message was printed. */
bool capture_wish_check(const struct session *s, const struct capture_wish *wish);
/*
 * The first selected capture that has a stack with a weight. Lists the other captures on stderr.
 * NULL: there is none, and a message was printed; @purpose is the verb of that message ("draw").
 * Cost: O(samples or calls of all captures).
 */
const struct capture *capture_pick(const struct session *s, const struct capture_wish *wish,
				   const char *purpose);

#endif
