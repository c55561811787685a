/* SPDX-License-Identifier: MIT */
#include "core/profile_inclusive.h"

#include "base/vec.h"
#include "core/profile.h"

bool profile_is_inclusive(const struct profile *p, struct profile_inclusive *ret)
{
	const struct profile_row *widest = NULL;
	uint64_t self = 0;
	struct profile_inclusive in;

	if (p->unit != WEIGHT_PERCENT || p->recovery == RECOVERY_EXACT)
		return false;
	VEC_FOREACH (row, &p->table.rows) {
		self += row->has & ROW_HAS_SELF ? row->self : 0;
		if (row->has & ROW_HAS_CHILDREN && (!widest || row->children > widest->children))
			widest = row;
	}
	if (!widest)
		return false;
	in = (struct profile_inclusive){
		.self = profile_value(p, self),
		.widest = profile_value(p, widest->children),
		.row = (uint32_t)(widest - p->table.rows.data),
	};
	in.missing = 100 - in.widest;
	if (in.self >= PROFILE_INCLUSIVE_SELF_PCT || in.widest < PROFILE_INCLUSIVE_PCT ||
	    in.widest < PROFILE_INCLUSIVE_TIMES * in.self || in.widest > 100)
		return false;
	*ret = in;
	return true;
}
