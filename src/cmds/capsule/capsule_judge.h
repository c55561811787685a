/* SPDX-License-Identifier: MIT */
/*
 * capsule_judge.h - compare the findings of two readings of the same evidence
 *
 * Two findings are the same if their rule, their severity and all their figures are equal. A
 * finding that another finding overrules differs from a finding that is not overruled. Names and
 * places are not compared, because a redacted capsule has other names.
 */
#ifndef CMDS_CAPSULE_JUDGE_H
#define CMDS_CAPSULE_JUDGE_H

#include "base/vec.h"

#include <stddef.h>

struct finding;
struct findings;

enum capsule_change {
	CAPSULE_LOST, /* the second reading lacks a finding of this rule */
	/* the second reading has the finding with other figures or another severity */
	CAPSULE_CHANGED,
	CAPSULE_NEW, /* only the second reading has the finding */
};

struct capsule_difference {
	enum capsule_change change;
	/* finding of the first reading; if the change is CAPSULE_NEW, of the second reading */
	const struct finding *finding;
};

/* Owner: caller, VEC_FREE(&differences). */
struct capsule_verdict {
	VEC(struct capsule_difference) differences;
	size_t n_same;
};

void capsule_judge(const struct findings *before, const struct findings *after,
		   struct capsule_verdict *ret);
/* The change as a word: "lost", "changed" or "new". */
const char *capsule_change_name(enum capsule_change change);

#endif
