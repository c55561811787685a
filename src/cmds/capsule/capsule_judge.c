/* SPDX-License-Identifier: MIT */
#include "cmds/capsule/capsule_judge.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/findings.h"

#include <math.h>

#define CAPSULE_ROUNDING 1e-9

static bool capsule_is_near(double a, double b)
{
	return fabs(a - b) <= CAPSULE_ROUNDING * (fabs(a) + fabs(b));
}

static bool capsule_has_figures(const struct finding *a, const struct finding *b)
{
	if (a->figures.len != b->figures.len)
		return false;
	for (size_t i = 0; i < a->figures.len; i++) {
		const struct finding_figure *x = &a->figures.data[i];
		const struct finding_figure *y = &b->figures.data[i];

		if (!capsule_is_near(x->value, y->value) || !capsule_is_near(x->err, y->err) ||
		    !str_eq(str_of(x->unit), str_of(y->unit)))
			return false;
	}
	return true;
}

static bool capsule_is_same(const struct finding *a, const struct finding *b)
{
	return a->rule == b->rule && a->severity == b->severity &&
	       (a->overruled_by == INDEX_NONE) == (b->overruled_by == INDEX_NONE) &&
	       capsule_has_figures(a, b);
}

static bool capsule_is_same_rule(const struct finding *a, const struct finding *b)
{
	return a->rule == b->rule;
}

/*
 * Find the first finding of @in that is like @f and is not yet matched. Mark it as matched in
 * @taken. False: there is no such finding.
 */
static bool capsule_take(const struct findings *in, bool *taken, const struct finding *f,
			 bool (*is_like)(const struct finding *, const struct finding *))
{
	for (size_t i = 0; i < in->rows.len; i++) {
		if (!taken[i] && is_like(f, &in->rows.data[i])) {
			taken[i] = true;
			return true;
		}
	}
	return false;
}

void capsule_judge(const struct findings *before, const struct findings *after,
		   struct capsule_verdict *ret)
{
	CLEANUP(freep) bool *taken = xcalloc(after->rows.len + 1, sizeof(*taken));
	CLEANUP(freep) bool *done = xcalloc(before->rows.len + 1, sizeof(*done));

	for (size_t i = 0; i < before->rows.len; i++) {
		done[i] = capsule_take(after, taken, &before->rows.data[i], capsule_is_same);
		ret->n_same += done[i];
	}
	for (size_t i = 0; i < before->rows.len; i++) {
		const struct finding *f = &before->rows.data[i];

		if (done[i])
			continue;
		*VEC_PUSH(&ret->differences) = (struct capsule_difference){
			capsule_take(after, taken, f, capsule_is_same_rule) ? CAPSULE_CHANGED
									    : CAPSULE_LOST,
			f
		};
	}
	for (size_t i = 0; i < after->rows.len; i++) {
		if (!taken[i])
			*VEC_PUSH(&ret->differences) =
				(struct capsule_difference){ CAPSULE_NEW, &after->rows.data[i] };
	}
}

const char *capsule_change_name(enum capsule_change change)
{
	static const char *const names[] = {
		[CAPSULE_LOST] = "lost", [CAPSULE_CHANGED] = "changed", [CAPSULE_NEW] = "new"
	};

	return names[change];
}
