/* SPDX-License-Identifier: MIT */
#include "analyses/threads/thread_cross.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"

#define CROSS_ROWS 256u
/* maximum number of frames, outward from the waiting function, in which an object is searched */
#define CROSS_FRAMES 64u

/* A thread that waits in a method of @object for a lock whose owner is not printed. */
struct cross_row {
	uint64_t object;
	uint32_t row, place;
};

static bool cross_row_of(const struct threads_summary *s, uint32_t row, struct cross_row *ret)
{
	const struct thread_row *r = threads_summary_row(s, row);
	const struct thread_seen *seen = &s->rows.data[row];

	if (r->snapshot != s->snapshot || seen->kind != THREAD_WAIT_LOCK ||
	    seen->place >= r->n_frames ||
	    (seen->wants != INDEX_NONE && s->locks.data[seen->wants].owner != INDEX_NONE))
		return false;
	*ret = (struct cross_row){ threads_frames(s->c->threads, r)[seen->place].object, row,
				   seen->place };
	return ret->object != 0;
}

/*
 * Index of a frame of thread @a: the innermost method of @object among the callers of the waiting
 * function. 0: none.
 */
static uint32_t cross_outer(const struct threads_summary *s, const struct cross_row *a,
			    uint64_t object)
{
	const struct thread_row *r = threads_summary_row(s, a->row);
	const struct thread_frame *frames = threads_frames(s->c->threads, r);

	for (uint32_t i = a->place + 1; i < r->n_frames && i <= a->place + CROSS_FRAMES; i++) {
		if (frames[i].object == object)
			return i;
	}
	return 0;
}

bool thread_cross_find(const struct threads_summary *s, struct thread_cross *ret)
{
	struct cross_row rows[CROSS_ROWS];
	size_t n = 0;

	for (uint32_t i = 0; i < s->rows.len && n < CROSS_ROWS; i++)
		n += cross_row_of(s, i, &rows[n]);
	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			uint32_t x, y;

			if (rows[a].object == rows[b].object)
				continue;
			x = cross_outer(s, &rows[a], rows[b].object);
			y = x ? cross_outer(s, &rows[b], rows[a].object) : 0;
			if (!y)
				continue;
			*ret = (struct thread_cross){ { rows[a].row, rows[b].row }, { x, y } };
			return true;
		}
	}
	return false;
}
