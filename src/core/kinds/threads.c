/* SPDX-License-Identifier: MIT */
#include "core/kinds/threads.h"

#include "base/status.h"
#include "base/vec.h"

void threads_init(struct threads *t)
{
	memset(t, 0, sizeof(*t));
}

void threads_fini(struct threads *t)
{
	VEC_FREE(&t->rows);
	VEC_FREE(&t->frames);
	VEC_FREE(&t->locks);
	VEC_FREE(&t->notes);
}

uint64_t threads_count(const struct threads *t, uint32_t snapshot)
{
	uint64_t n = 0;

	VEC_FOREACH (row, &t->rows) {
		if (row->snapshot == snapshot && __builtin_add_overflow(n, row->count, &n))
			return UINT64_MAX;
	}
	return n;
}

bool threads_is_order(const struct threads *t)
{
	return t->notes.len && t->notes.data[0].kind == THREAD_NOTE_LOCK_ORDER;
}

bool threads_is_checked(const struct threads *t)
{
	return t->notes.len && (t->notes.data[0].kind == THREAD_NOTE_RELOCK ||
				t->notes.data[0].kind == THREAD_NOTE_LOCK_ORDER ||
				t->notes.data[0].kind == THREAD_NOTE_CHECKER);
}
