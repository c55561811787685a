/* SPDX-License-Identifier: MIT */
#include "analyses/calls/calls_below.h"

#include "base/alloc.h"
#include "base/number.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

static size_t below_long(const struct calls *c, uint32_t call)
{
	return VEC_PARTITION(&c->long_durations, it, it->call < call);
}

void calls_below_init(struct calls_below *b, const struct calls *c)
{
	b->kids = xcalloc(c->n ? c->n : 1, sizeof(*b->kids));
	b->low = xcalloc(c->n ? c->n : 1, sizeof(*b->low));
	b->wide = xcalloc(c->long_durations.len ? c->long_durations.len : 1, sizeof(*b->wide));
	for (size_t i = 0; i < c->n; i++) {
		uint32_t parent = c->parent.data[i];
		uint64_t dur;
		uint64_t sum;

		if (parent == INDEX_NONE)
			continue;
		b->kids[parent]++;
		if (UNLIKELY((c->state.data[i] & (CALL_NO_DURATION | CALL_STATE_MASK)) !=
			     CALL_CLOSED))
			b->kids[parent] |= CALLS_KIDS_OPEN;
		if (!calls_is_timed(c, i))
			continue;
		dur = calls_duration(c, (uint32_t)i);
		if (UNLIKELY(c->dur_ns_low.data[parent] == UINT32_MAX)) {
			size_t at = below_long(c, parent);

			if (at < c->long_durations.len)
				b->wide[at] = number_sum(b->wide[at], dur);
			continue;
		}
		sum = number_sum(b->low[parent], dur);
		b->low[parent] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
	}
}

void calls_below_fini(struct calls_below *b)
{
	free(b->kids);
	free(b->low);
	free(b->wide);
}

uint64_t calls_below_long(const struct calls *c, const struct calls_below *b, uint32_t call)
{
	size_t at = below_long(c, call);

	return at < c->long_durations.len ? b->wide[at] : 0;
}

uint32_t *calls_sizes(const struct calls *c)
{
	uint32_t *size = xreallocarray(NULL, c->n ? c->n : 1, sizeof(*size));

	for (size_t i = 0; i < c->n; i++)
		size[i] = 1;
	/*
	 * go from the last call to the first: the subtree of a call is then complete before the
	 * call is added to its caller
	 */
	for (size_t i = c->n; i-- > 0;) {
		if (c->parent.data[i] != INDEX_NONE)
			size[c->parent.data[i]] += size[i];
	}
	return size;
}
