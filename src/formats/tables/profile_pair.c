/* SPDX-License-Identifier: MIT */
#include "formats/tables/profile_pair.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/profile.h"

#define PAIR_DECIMALS 2u

static struct capture *pair_capture(const struct format *f, const struct region *in,
				    struct dossier *d, struct str side)
{
	struct capture *c = format_add_capture(f, in, d);
	struct profile *p = capture_profile(c);

	p->unit = WEIGHT_PERCENT;
	p->decimals = PAIR_DECIMALS;
	p->printed_decimals = PAIR_DECIMALS;
	p->is_rounded = true;
	p->table.limit_pct = -1;
	p->table.columns = ROW_HAS_SELF | ROW_HAS_SYMBOL;
	capture_note(c, STR("side"), side, c->first_line);
	return c;
}

void profile_pair_begin(struct profile_pair *p, const struct format *f, const struct region *in,
			struct dossier *d)
{
	p->before = pair_capture(f, in, d, STR("before"));
	p->after = pair_capture(f, in, d, STR("after"));
}
