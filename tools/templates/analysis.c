/* SPDX-License-Identifier: MIT */
#include "analyses/@FAMILY/@@SNAKE@.h"

#include "analyses/top/top.h"
#include "base/status.h"

void @SNAKE@_compute(const struct capture *c, struct @SNAKE@ *ret)
{
	struct top_spec spec = { .n_keys = 1, .no_children = true, .sort_by_self = true };
	struct error err;
	struct top t;

	*ret = (struct @SNAKE@){ 0 };
	spec.keys[0].key = TOP_SYM;
	if (top_compute(c, NULL, &spec, &t, &err) < 0)
		return; /* no profile */
	/* change this: the sum over the rows that count, or their number */
	if (t.rows.len) {
		ret->pct = t.rows.data[0].self_pct;
		ret->err = t.rows.data[0].self_err;
	}
	top_fini(&t);
}
