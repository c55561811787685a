/* SPDX-License-Identifier: MIT */
#include "transform/listing_owner.h"

#include "base/status.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"

/*
 * The function of a printed profile with exactly one row. SYM_ID_NONE: @c has no row, or several,
 * or the row names no function.
 */
static sym_id listing_only_function(const struct capture *c)
{
	if (!c->profile || c->profile->table.rows.len != 1 ||
	    !(c->profile->table.columns & ROW_HAS_SYMBOL))
		return SYM_ID_NONE;
	return c->profile->table.rows.data[0].sym;
}

int listing_owner_step(struct dossier *d, struct transform *t, struct error *err)
{
	(void)t;
	(void)err;
	for (size_t i = 1; i < d->captures.len; i++) {
		struct capture *c = d->captures.data[i];
		const struct capture *before = d->captures.data[i - 1];

		if (c->code && c->code->is_percent && c->code->functions.len == 1 &&
		    c->code->functions.data[0].sym.v == 0 && before->path.v == c->path.v)
			c->code->functions.data[0].sym = listing_only_function(before);
	}
	return OK;
}
