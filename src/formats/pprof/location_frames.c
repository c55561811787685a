/* SPDX-License-Identifier: MIT */
#include "formats/pprof/location_frames.h"

#include "base/limits.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/stacks.h"

void location_frames_init(struct location_frames *l, size_t n_rows)
{
	VEC_RESERVE(&l->first, n_rows);
	VEC_RESERVE(&l->n, n_rows);
	for (size_t i = 0; i < n_rows; i++)
		*VEC_PUSH(&l->first) = *VEC_PUSH(&l->n) = 0;
}

void location_frames_fini(struct location_frames *l)
{
	VEC_FREE(&l->syms);
	VEC_FREE(&l->first);
	VEC_FREE(&l->n);
}

bool location_frames_is_made(const struct location_frames *l, size_t row)
{
	return l->first.data[row] != 0;
}

void location_frames_add(struct location_frames *l, sym_id sym)
{
	*VEC_PUSH(&l->syms) = sym;
}

void location_frames_make(struct location_frames *l, size_t row, size_t begin)
{
	size_t n = l->syms.len - begin;

	for (size_t i = 0; i < n / 2; i++) {
		sym_id *a = &l->syms.data[begin + i];
		sym_id *b = &l->syms.data[begin + n - 1 - i];
		sym_id swap = *a;

		*a = *b;
		*b = swap;
	}
	l->first.data[row] = (uint32_t)begin + 1;
	l->n.data[row] = (uint32_t)n;
}

bool location_frames_push(const struct location_frames *l, size_t row, struct stacks *s,
			  stack_id *at, uint32_t *depth)
{
	const sym_id *frames = l->syms.data + (l->first.data[row] - 1);

	for (uint32_t i = 0; i < l->n.data[row]; i++) {
		if ((*depth)++ >= LIMIT_STACK_DEPTH)
			return false;
		*at = stacks_push(s, *at, frames[i]);
	}
	return true;
}
