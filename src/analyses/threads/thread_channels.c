/* SPDX-License-Identifier: MIT */
#include "analyses/threads/thread_channels.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/symbols.h"

#define CHANNELS_PLACES  64u
#define CHANNELS_CALLERS 16u

/* A function in which goroutines wait for a channel, and its callers. */
struct channels_place {
	struct thread_channels found;
	sym_id callers[CHANNELS_CALLERS];
};

/*
 * Whether the function belongs to the program, not to a library of Go. Calls by a library do not
 * count as calls by the program: for example, a server calls the handler of a stream, and this
 * handler may wait for work.
 */
static bool channels_is_own(const struct threads_summary *s, sym_id sym)
{
	return thread_waits_is_own(s->c, sym) &&
	       !str_glob(STR("net.*|net/*|sync.*|time.*|context.*|os.*|os/*|io.*|bufio.*|reflect.*|"
			     "runtime.*|runtime/*|testing.*|text/*|html/*|encoding/*|database/*|"
			     "internal/*|crypto/*|golang.org/x/*|google.golang.org/*|go.uber.org/*|"
			     "go.etcd.io/*"),
			 symbols_canonical(capture_symbols(s->c), sym));
}

/* The frame of row @row that waits for a channel; the row's n_frames: it waits for no channel. */
static uint32_t channels_frame(const struct threads_summary *s, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(s, row);
	const struct thread_seen *seen = &s->rows.data[row];

	if (r->snapshot != s->snapshot ||
	    (seen->kind != THREAD_WAIT_RECEIVE && seen->kind != THREAD_WAIT_SELECT) ||
	    seen->place >= r->n_frames ||
	    !channels_is_own(s, threads_summary_sym(s, row, seen->place)))
		return r->n_frames;
	return seen->place;
}

static bool channels_has(const struct channels_place *p, sym_id caller)
{
	for (uint32_t i = 0; i < p->found.callers; i++) {
		if (p->callers[i].v == caller.v)
			return true;
	}
	return false;
}

/* The element of @places for the function @place, added if there is room; NULL: no room. */
static struct channels_place *channels_place_of(struct channels_place *places, size_t *n,
						sym_id place)
{
	for (size_t i = 0; i < *n; i++) {
		if (places[i].found.place.v == place.v)
			return &places[i];
	}
	if (*n == CHANNELS_PLACES)
		return NULL;
	places[*n] = (struct channels_place){ .found.place = place };
	return &places[(*n)++];
}

static void channels_add(const struct threads_summary *s, uint32_t row,
			 struct channels_place *places, size_t *n)
{
	const struct thread_row *r = threads_summary_row(s, row);
	uint32_t at = channels_frame(s, row);
	struct channels_place *p;
	uint32_t distance = 0;
	sym_id caller;

	if (at + 1 >= r->n_frames || !channels_is_own(s, threads_summary_sym(s, row, at + 1)))
		return;
	p = channels_place_of(places, n, threads_summary_sym(s, row, at));
	if (!p)
		return;
	caller = threads_summary_sym(s, row, at + 1);
	if (!p->found.threads)
		p->found.row = row;
	p->found.threads += r->count;
	if (!channels_has(p, caller) && p->found.callers < CHANNELS_CALLERS)
		p->callers[p->found.callers++] = caller;
	for (uint32_t i = at + 1; i < r->n_frames; i++)
		distance += channels_is_own(s, threads_summary_sym(s, row, i));
	if (distance > p->found.distance)
		p->found.distance = distance;
}

/*
 * Count the goroutines that wait in @p->found.place and have two of its direct callers on their
 * stack: the function that called it this time, and a different one further out.
 */
static void channels_nested(const struct threads_summary *s, struct channels_place *p)
{
	for (uint32_t row = 0; row < s->rows.len; row++) {
		const struct thread_row *r = threads_summary_row(s, row);
		uint32_t at = channels_frame(s, row);
		sym_id caller;

		if (at + 1 >= r->n_frames || threads_summary_sym(s, row, at).v != p->found.place.v)
			continue;
		caller = threads_summary_sym(s, row, at + 1);
		for (uint32_t i = at + 2; i < r->n_frames; i++) {
			sym_id outer = threads_summary_sym(s, row, i);

			if (outer.v == caller.v || !channels_has(p, outer))
				continue;
			if (!p->found.nested) {
				p->found.nested_row = row;
				p->found.outer = outer;
			}
			p->found.nested += r->count;
			break;
		}
	}
}

bool thread_channels_find(const struct threads_summary *s, struct thread_channels *ret)
{
	struct channels_place places[CHANNELS_PLACES];
	struct channels_place *best = NULL;
	size_t n = 0;

	for (uint32_t i = 0; i < s->rows.len; i++)
		channels_add(s, i, places, &n);
	for (size_t i = 0; i < n; i++) {
		if (!best || places[i].found.threads > best->found.threads)
			best = &places[i];
	}
	if (!best)
		return false;
	channels_nested(s, best);
	*ret = best->found;
	return true;
}
