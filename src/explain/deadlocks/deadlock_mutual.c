/* SPDX-License-Identifier: MIT */
/*
 * Two threads, each of which waits for a lock in a function that the other thread is inside of.
 * Neither the owners nor the objects of the locks need to be printed: the functions on the two
 * stacks show the opposite order.
 */
#include "explain/deadlocks/deadlock.h"

#include "analyses/plain_name.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/package.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/thread_deadlock_names.h"
#include "explain/words/thread_words.h"

#define MUTUAL_ROWS 128u /* maximum number of waiting threads that are compared */
#define MUTUAL_SURE 60u
/* maximum number of frames, outward from the waiting function, in which a function is searched */
#define MUTUAL_FRAMES 64u

/* Two threads; index 0 and 1 of each array belong to one of them. */
struct mutual {
	uint32_t row[2];
	/* frame of the function in which the thread takes the lock */
	uint32_t wants[2];
	/* frame, further out, of the function in which the other thread takes its lock */
	uint32_t below[2];
};

/*
 * Does thread @row ask for a lock again and again, and sleep in between, in function tryLock()?
 * Then the caller of this function takes the lock.
 */
static bool mutual_polls(const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];

	return seen->kind == THREAD_WAIT_SLEEP &&
	       seen->place + 1 < threads_summary_row(in->threads, row)->n_frames &&
	       str_glob(STR(POLLED_LOCKS), thread_words_frame(in, row, seen->place));
}

/* Does thread @row wait for a lock whose owner is not printed? */
static bool mutual_waits(const struct rule_input *in, uint32_t row)
{
	const struct threads_summary *s = in->threads;
	const struct thread_seen *seen = &s->rows.data[row];
	const struct thread_row *r = threads_summary_row(s, row);

	if (r->snapshot != s->snapshot || r->count != 1 || seen->place >= r->n_frames)
		return false;
	if (seen->kind == THREAD_WAIT_LOCK)
		return seen->wants == INDEX_NONE || s->locks.data[seen->wants].owner == INDEX_NONE;
	return mutual_polls(in, row);
}

/*
 * The frame of thread @row, further out than its wait, that is a call of the function of @wanted, a
 * frame of another thread. A method of another object does not count. 0: none.
 */
static uint32_t mutual_inside(const struct rule_input *in, uint32_t row,
			      const struct thread_frame *wanted)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *f = threads_frames(in->capture->threads, r);
	uint32_t from = in->threads->rows.data[row].place + 1;
	bool is_method = str_glob(STR("*::*|*.(*|*).*"), facts_name(in->facts, wanted->sym));

	for (uint32_t i = from; i < r->n_frames && i < from + MUTUAL_FRAMES; i++) {
		if (f[i].sym.v == wanted->sym.v && (!is_method || !f[i].object || !wanted->object ||
						    f[i].object == wanted->object))
			return i;
	}
	return 0;
}

static bool mutual_of(const struct rule_input *in, uint32_t a, uint32_t b, struct mutual *ret)
{
	const struct thread_frame *wanted[2];

	*ret = (struct mutual){ .row = { a, b } };
	for (unsigned int k = 0; k < 2; k++) {
		uint32_t row = ret->row[k];

		ret->wants[k] = in->threads->rows.data[row].place + mutual_polls(in, row);
		wanted[k] = &threads_frames(in->capture->threads,
					    threads_summary_row(in->threads, row))[ret->wants[k]];
		if (wanted[k]->sym.v == 0 ||
		    str_glob(STR("\?\?|[*|0x*"), facts_name(in->facts, wanted[k]->sym)))
			return false;
	}
	if (wanted[0]->sym.v == wanted[1]->sym.v)
		return false;
	/* both wait for one lock, which a third thread holds */
	if (in->threads->rows.data[a].lock &&
	    in->threads->rows.data[a].lock == in->threads->rows.data[b].lock)
		return false;
	for (unsigned int k = 0; k < 2; k++) {
		ret->below[k] = mutual_inside(in, ret->row[k], wanted[1 - k]);
		if (ret->below[k] <= ret->wants[k])
			return false;
	}
	return true;
}

/*
 * Is another thread, which waits for no lock, inside of a function in which one of the two takes
 * its lock? Then this thread may hold the lock, and will release it.
 */
static bool mutual_has_owner(const struct rule_input *in, const struct mutual *m)
{
	sym_id wanted[2];

	for (unsigned int k = 0; k < 2; k++)
		wanted[k] = threads_summary_sym(in->threads, m->row[k], m->wants[k]);
	for (uint32_t i = 0; i < in->threads->rows.len; i++) {
		const struct thread_row *r = threads_summary_row(in->threads, i);

		if (i == m->row[0] || i == m->row[1] || r->snapshot != in->threads->snapshot ||
		    in->threads->rows.data[i].kind == THREAD_WAIT_LOCK)
			continue;
		for (uint32_t frame = 0; frame < r->n_frames && frame < MUTUAL_FRAMES; frame++) {
			sym_id sym = threads_summary_sym(in->threads, i, frame);

			if (sym.v == wanted[0].v || sym.v == wanted[1].v)
				return true;
		}
	}
	return false;
}

static bool mutual_find(const struct rule_input *in, struct mutual *ret)
{
	uint32_t rows[MUTUAL_ROWS];
	size_t n = 0;

	for (uint32_t i = 0; i < in->threads->rows.len && n < MUTUAL_ROWS; i++) {
		if (mutual_waits(in, i))
			rows[n++] = i;
	}
	for (size_t a = 0; a < n; a++) {
		for (size_t b = a + 1; b < n; b++) {
			/* two threads that only poll: neither is known to be stuck */
			if ((!mutual_polls(in, rows[a]) || !mutual_polls(in, rows[b])) &&
			    mutual_of(in, rows[a], rows[b], ret))
				return !mutual_has_owner(in, ret);
		}
	}
	return false;
}

/* The name of a frame without package and template arguments. */
static const char *mutual_name(const struct rule_input *in, struct findings *out, uint32_t row,
			       uint32_t frame)
{
	struct plain_name plain;

	return finding_name(out, STR_FMT,
			    STR_ARG(package_strip(
				    plain_name_make(&plain, thread_words_frame(in, row, frame)))));
}

/* One of the two threads: "thread 7 waits for a lock in close_file, called below walk_files". */
static const char *mutual_side(const struct rule_input *in, struct findings *out,
			       const struct mutual *m, unsigned int k)
{
	uint32_t row = m->row[k];

	return finding_name(
		out, "%s %s in %s, below %s", thread_words_name(out, in, row),
		mutual_polls(in, row) ? "asks for a lock again and again" : "waits for a lock",
		mutual_name(in, out, row, m->wants[k]), mutual_name(in, out, row, m->below[k]));
}

bool deadlock_mutual(const struct rule_input *in, struct findings *out)
{
	struct mutual m;
	struct finding *f;

	/* frames of different processes belong to different locks */
	if (threads_summary_processes(in->threads) > 1 || !mutual_find(in, &m))
		return false;
	f = deadlock_add(in, out, MUTUAL_SURE);
	f->severity = FINDING_WARNING;
	finding_claim(
		out, f,
		"Possible deadlock: two threads take locks in %s and in %s in opposite order; "
		"%s; %s",
		mutual_name(in, out, m.row[0], m.wants[0]),
		mutual_name(in, out, m.row[1], m.wants[1]), mutual_side(in, out, &m, 0),
		mutual_side(in, out, &m, 1));
	finding_figure(f, "threads in the cycle", 2, 0, "");
	for (unsigned int k = 0; k < 2; k++) {
		const struct thread_row *r = threads_summary_row(in->threads, m.row[k]);

		thread_words_cite(out, f, in, m.row[k]);
		finding_evidence(out, f, in,
				 threads_frames(in->capture->threads, r)[m.below[k]].line, "%s",
				 mutual_name(in, out, m.row[k], m.below[k]));
	}
	finding_usual_cause(out, f,
			    "Each outer function holds its lock while it calls the other one: the "
			    "threads take two locks in opposite order");
	finding_because(out, f,
			"each waits in a function that the other thread has called\n"
			"whether these functions hold their lock at that call: the dump prints no "
			"owners");
	finding_next(out, f,
		     "check %s and %s: which lock does each hold when it calls other code? Take "
		     "both in one order, or release the first one before the call",
		     mutual_name(in, out, m.row[0], m.wants[0]),
		     mutual_name(in, out, m.row[1], m.wants[1]));
	return true;
}
