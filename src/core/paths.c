/* SPDX-License-Identifier: MIT */
#include "core/paths.h"

#include "base/alloc.h"
#include "base/number.h"
#include "base/status.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"

static void paths_from_samples(const struct profile *p, struct paths *ret)
{
	ret->stacks = &p->stacks;
	ret->self = xcalloc(stacks_count(&p->stacks), sizeof(*ret->self));
	ret->count = xcalloc(stacks_count(&p->stacks), sizeof(*ret->count));
	ret->unit = profile_sample_unit(p);
	ret->decimals = profile_sample_decimals(p);
	ret->n_samples = profile_count_samples(p);
	for (size_t i = 0; i < p->samples.n; i++) {
		uint64_t *self = &ret->self[p->samples.stack.data[i].v];

		*self = number_sum(*self, p->samples.weight.data[i]);
		ret->count[p->samples.stack.data[i].v] += profile_samples_at(p, i);
		ret->total = number_sum(ret->total, p->samples.weight.data[i]);
	}
}

/*
 * Return the outermost node for the task of lane @lane of the trace, added on first use.
 * STACK_ROOT: the task is unknown.
 */
static stack_id paths_lane(const struct capture *c, struct paths *ret, uint32_t lane)
{
	str_id comm = lane < c->calls->lanes.len ? c->calls->lanes.data[lane].comm : STR_ID_NONE;

	if (comm.v == 0)
		return STACK_ROOT;
	return stacks_push(ret->own, STACK_ROOT,
			   symbols_add(capture_symbols(c), comm, STR_ID_NONE, SPACE_COMM));
}

static void paths_from_calls(const struct capture *c, struct paths *ret)
{
	const struct calls *calls = c->calls;
	stack_id *node = xmalloc((calls->n + 1) * sizeof(*node));
	uint64_t *self = xcalloc(calls->n + 1, sizeof(*self));

	ret->own = xcalloc(1, sizeof(*ret->own));
	stacks_init(ret->own);
	ret->stacks = ret->own;
	ret->from_calls = true;
	ret->unit = WEIGHT_NS;
	ret->n_samples = calls->n;
	for (size_t i = 0; i < calls->n; i++) {
		uint32_t parent = calls->parent.data[i];
		uint64_t dur = calls_duration(calls, (uint32_t)i);

		node[i] = stacks_push(ret->own,
				      parent < i ? node[parent]
						 : paths_lane(c, ret, calls->lane.data[i]),
				      calls->sym.data[i]);
		self[i] = dur;
	}
	for (size_t i = calls->n; i-- > 0;) {
		uint32_t parent = calls->parent.data[i];
		uint64_t dur = calls_duration(calls, (uint32_t)i);

		if (parent < i)
			self[parent] -= dur < self[parent] ? dur : self[parent];
	}
	ret->self = xcalloc(stacks_count(ret->own), sizeof(*ret->self));
	ret->count = xcalloc(stacks_count(ret->own), sizeof(*ret->count));
	for (size_t i = 0; i < calls->n; i++) {
		ret->self[node[i].v] = number_sum(ret->self[node[i].v], self[i]);
		ret->count[node[i].v]++;
		ret->total = number_sum(ret->total, self[i]);
	}
	free(node);
	free(self);
}

int paths_of(const struct capture *c, struct paths *ret, struct error *err)
{
	*ret = (struct paths){ .total = 0 };
	if (c->profile && c->profile->samples.n)
		paths_from_samples(c->profile, ret);
	else if (c->calls && c->calls->n)
		paths_from_calls(c, ret);
	else
		return fail(err, ERR_UNSUPPORTED,
			    "no stacks: only profiles with samples, and calls, have stacks");
	return OK;
}

void paths_fini(struct paths *p)
{
	free(p->self);
	free(p->count);
	if (p->own)
		stacks_fini(p->own);
	free(p->own);
	*p = (struct paths){ .total = 0 };
}
