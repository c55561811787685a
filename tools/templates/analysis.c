/* SPDX-License-Identifier: MIT */
#include "analyses/@SNAKE@.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"

void @SNAKE@_compute(const struct capture *c, struct @SNAKE@ *ret)
{
	const struct profile *p = c->profile;

	*ret = (struct @SNAKE@){ 0 };
	for (size_t i = 0; p && i < p->samples.n; i++) {
		/* the sampled function; its caller: stacks_parent() */
		sym_id sym = stacks_sym(&p->stacks, p->samples.stack.data[i]);

		if (symbols_name(capture_symbols(c), sym).len)
			ret->weight += p->samples.weight.data[i];
	}
}
