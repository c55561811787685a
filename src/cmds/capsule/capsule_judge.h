/* SPDX-License-Identifier: MIT */
/*
 * capsule_judge.h - whether two readings of the same evidence give the same findings
 *
 * A finding is the same if rule, severity, standing and all figures agree. Names and places are
 * not compared, because a redacted capsule has others.
 */
#ifndef CMDS_CAPSULE_JUDGE_H
#define CMDS_CAPSULE_JUDGE_H

#include "base/vec.h"

#include <stddef.h>

struct finding;
struct findings;

enum capsule_change {
	CAPSULE_LOST,    /* the second reading has no such finding */
	CAPSULE_CHANGED, /* it has a finding of the rule with other figures or severity */
	CAPSULE_NEW,     /* only the second reading has it */
};

struct capsule_difference {
	enum capsule_change change;
	const struct finding *finding; /* of the first reading; CAPSULE_NEW: of the second */
};

/* Owner: caller, VEC_FREE(&differences). */
struct capsule_verdict {
	VEC(struct capsule_difference) differences;
	size_t n_same;
};

void capsule_judge(const struct findings *before, const struct findings *after,
		   struct capsule_verdict *ret);
/* "lost", "changed", "new". */
const char *capsule_change_name(enum capsule_change change);

#endif
