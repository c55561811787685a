/* SPDX-License-Identifier: MIT */
/*
 * lock_wait_lines.c - lines of PostgreSQL about waits for locks
 *
 * Sources: ProcSleep() in src/backend/storage/lmgr/proc.c of PostgreSQL; log_lock_waits and
 * log_line_prefix in its documentation.
 */
#include "formats/tables/lock_wait_lines.h"

#include "base/str.h"
#include "base/vec.h"

#define LOCK_WAITS_MAX 4096u /* maximum number of processes that wait at the same time */

/*
 * Lines that a process writes only while it waits for a lock. CONTEXT lines are not among them,
 * because errors have them, too.
 */
#define LOCK_WAIT_SIGNS \
	"*process * still waiting for *Lock on *|*DETAIL:  Process* holding the lock: *"

void lock_waits_fini(struct lock_waits *w)
{
	VEC_FREE(&w->open);
}

/* The process in the prefix of a line: "... [548] LOG:". False: none. */
static bool lock_wait_process(struct str line, uint64_t *ret)
{
	struct str prefix = str_sub(line, 0, str_find(line, STR(":  ")));

	for (size_t at; (at = str_find_char(prefix, '[')) < prefix.len;) {
		struct str rest;

		prefix = str_skip(prefix, at + 1);
		rest = prefix;
		if (str_u64(&rest, ret) &&
		    (str_starts(rest, STR("]")) || str_starts(rest, STR("-"))))
			return true;
	}
	return false;
}

static struct lock_wait *lock_wait_of(struct lock_waits *w, uint64_t process)
{
	VEC_FOREACH (wait, &w->open) {
		if (wait->process == process)
			return wait;
	}
	return NULL;
}

/* Read "process 548 acquired ShareLock on ... after 761.783 ms". */
static bool lock_wait_read(struct str line, struct lock_wait *ret)
{
	struct str rest = str_skip(line, str_find(line, STR("process ")));
	double ms;

	if (!str_take(&rest, STR("process ")) || !str_u64(&rest, &ret->process) ||
	    !str_starts(rest, STR(" acquired ")))
		return false;
	rest = str_skip(rest, str_find(rest, STR(" after ")));
	if (!str_take(&rest, STR(" after ")) || !str_double(&rest, &ms) || !(ms >= 0 && ms < 1e12))
		return false;
	ret->ns = ms * 1e6;
	return true;
}

/*
 * A line shows that @process waits for a lock. Until a line gives the time of the wait, it is
 * is_hidden.
 */
static void lock_wait_sign(struct lock_waits *w, uint64_t process)
{
	struct lock_wait *known = lock_wait_of(w, process);

	w->has_any = true;
	if (!known && w->open.len < LOCK_WAITS_MAX) {
		known = VEC_PUSH(&w->open);
		*known = (struct lock_wait){ .process = process };
	}
	if (known && known->ns <= 0)
		known->is_hidden = true;
}

void lock_waits_line(struct lock_waits *w, struct str line)
{
	struct lock_wait wait = { .process = 0 }, *known;
	uint64_t process;

	if (lock_wait_read(line, &wait)) {
		w->has_any = true;
		known = lock_wait_of(w, wait.process);
		if (known) {
			known->ns += wait.ns;
			known->is_hidden = false;
		} else if (w->open.len < LOCK_WAITS_MAX) {
			*VEC_PUSH(&w->open) = wait;
		}
		return;
	}
	if (!lock_wait_process(line, &process))
		return;
	if (str_glob(STR(LOCK_WAIT_LINES), line)) {
		if (str_glob(STR(LOCK_WAIT_SIGNS), line))
			lock_wait_sign(w, process);
		return;
	}
	/* the process logs another message, so its statement has ended without a line */
	known = lock_wait_of(w, process);
	if (known) {
		known->ns = 0;
		known->is_hidden = false;
	}
}

double lock_waits_end(struct lock_waits *w, struct str line, uint64_t *ret_hidden)
{
	struct lock_wait *wait;
	uint64_t process;
	double ns;

	*ret_hidden = 0;
	if (w->open.len == 0 || !lock_wait_process(line, &process))
		return 0;
	wait = lock_wait_of(w, process);
	if (!wait)
		return 0;
	ns = wait->ns;
	*ret_hidden = wait->is_hidden ? process : 0;
	*wait = w->open.data[--w->open.len];
	return ns;
}
