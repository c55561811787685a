/* SPDX-License-Identifier: MIT */
#include "analyses/@SNAKE@.h"

#include "core/capture.h"
#include "core/profile.h"

void @SNAKE@_compute(const struct capture *c, struct @SNAKE@ *ret)
{
	*ret = (struct @SNAKE@){ 0 };
	if (c->profile)
		ret->samples = c->profile->samples.n;
}
