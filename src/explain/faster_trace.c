/* SPDX-License-Identifier: MIT */
#include "explain/faster_trace.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdlib.h>

/*
 * This is added to the score of a finding that compares two traces. The comparison is then sorted
 * before any warning about one whole trace.
 */
#define FASTER_COMPARES_SCORE 170.0
/* This is added to the score of a finding about the fastest trace, so that it is sorted last. */
#define FASTER_FINDING_SCORE (-100.0)

void faster_trace_order(const struct facts *facts, struct findings *f)
{
	size_t n = facts->dossier->captures.len;
	bool *is_faster = xcalloc(n + 1, sizeof(*is_faster));
	bool *is_slower = xcalloc(n + 1, sizeof(*is_slower));

	VEC_FOREACH (row, &f->rows) {
		if (!row->compares || row->faster >= n || row->slower >= n)
			continue;
		is_faster[row->faster] = true;
		is_slower[row->slower] = true;
		row->score += FASTER_COMPARES_SCORE;
	}
	VEC_FOREACH (row, &f->rows) {
		if (row->capture >= n || !(row->rule->needs & RULE_CALLS) ||
		    !is_faster[row->capture] || is_slower[row->capture])
			continue;
		row->severity = FINDING_NOTE;
		row->score += FASTER_FINDING_SCORE;
	}
	free(is_faster);
	free(is_slower);
}
