/* SPDX-License-Identifier: MIT */
/*
 * lock_wait_lines.c - lines of PostgreSQL about waits for locks
 *
 * Sources: ProcSleep() in src/backend/storage/lmgr/proc.c of PostgreSQL; log_lock_waits and
 * log_line_prefix in its documentation.
 */
#include "formats/statements/lock_wait_lines.h"

#include "base/str.h"
#include "base/vec.h"

#include <string.h>

#define LOCK_WAITS_MAX  4096u /* maximum number of processes that wait at the same time */
#define LOCK_QUEUES_MAX 256u  /* maximum number of locks whose queues are stored */

/*
 * Lines that show that a process waits for a lock. CONTEXT lines do not show this, because
 * PostgreSQL also prints them after errors.
 */
#define LOCK_WAIT_SIGNS \
	"*process * still waiting for *Lock on *|*DETAIL:  Process* holding the lock: *"

void lock_waits_fini(struct lock_waits *w)
{
	VEC_FREE(&w->open);
	VEC_FREE(&w->queues);
}

static void lock_queue_copy(char *ret, struct str text)
{
	text = str_sub(text, 0, LOCK_QUEUE_TEXT - 1);
	memcpy(ret, text.p, text.len);
	ret[text.len] = '\0';
}

/*
 * Index in w->queues of the queue of the lock @object, plus 1. If there is none, a queue is added.
 * 0: LOCK_QUEUES_MAX is reached.
 */
static uint32_t lock_queue_of(struct lock_waits *w, struct str object)
{
	char name[LOCK_QUEUE_TEXT];
	struct lock_queue *q;

	lock_queue_copy(name, object);
	VEC_FOREACH (known, &w->queues) {
		if (strcmp(known->object, name) == 0)
			return (uint32_t)(known - w->queues.data) + 1;
	}
	if (w->queues.len == LOCK_QUEUES_MAX)
		return 0;
	q = VEC_PUSH(&w->queues);
	*q = (struct lock_queue){ .holder = 0 };
	memcpy(q->object, name, sizeof(name));
	return (uint32_t)w->queues.len;
}

/*
 * Read "process 548 still waiting for ShareLock on transaction 726 after 1000.1 ms", or the same
 * with "acquired". False: @line is no such line.
 */
static bool lock_queue_ask(struct lock_waits *w, struct str line)
{
	struct str rest = str_skip(line, str_find(line, STR("process ")));
	struct str mode, object;
	uint64_t process;
	bool is_waiting;
	double ms = 0;

	if (!str_take(&rest, STR("process ")) || !str_u64(&rest, &process))
		return false;
	is_waiting = str_take(&rest, STR(" still waiting for "));
	if (!is_waiting && !str_take(&rest, STR(" acquired ")))
		return false;
	mode = str_sub(rest, 0, str_find(rest, STR(" on ")));
	rest = str_skip(rest, mode.len);
	object = str_sub(rest, 0, str_find(rest, STR(" after ")));
	if (!str_take(&object, STR(" on ")) || object.len == rest.len)
		return false;
	rest = str_skip(rest, str_find(rest, STR(" after ")) + strlen(" after "));
	if (!str_double(&rest, &ms) || !(ms >= 0 && ms < 1e12))
		return false;
	w->asked_queue = lock_queue_of(w, object);
	w->asker = process;
	lock_queue_copy(w->asked, mode);
	if (w->asked_queue && ms * 1e6 > w->queues.data[w->asked_queue - 1].ns)
		w->queues.data[w->asked_queue - 1].ns = ms * 1e6;
	if (!is_waiting)
		/* only a line "still waiting" is followed by a line about the holder */
		w->asked_queue = 0;
	return true;
}

/*
 * Read "DETAIL:  Process holding the lock: 33. Wait queue: 21, 22.". Such a line follows one that
 * lock_queue_ask() has read.
 */
static void lock_queue_detail(struct lock_waits *w, struct str line)
{
	struct str rest = str_skip(line, str_find(line, STR(" holding the lock: ")));
	struct lock_queue *q;
	uint64_t holder, head, other;
	uint32_t n = 1;

	if (!w->asked_queue || !str_take(&rest, STR(" holding the lock: ")) ||
	    !str_u64(&rest, &holder))
		return;
	q = &w->queues.data[w->asked_queue - 1];
	q->has_holders |= str_starts(rest, STR(",")) || (q->holder && q->holder != holder);
	q->holder = holder;
	rest = str_skip(rest, str_find(rest, STR("Wait queue: ")));
	if (!str_take(&rest, STR("Wait queue: ")) || !str_u64(&rest, &head))
		return;
	while (str_take(&rest, STR(", ")) && str_u64(&rest, &other))
		n++;
	if (head == w->asker && (!q->head || q->head == head))
		memcpy(q->mode, w->asked, sizeof(q->mode));
	if (n < q->length)
		return;
	if (q->head != head && head != w->asker)
		q->mode[0] = '\0';
	q->head = head;
	q->length = n;
}

const struct lock_queue *lock_waits_queue(const struct lock_waits *w)
{
	const struct lock_queue *best = NULL;

	VEC_FOREACH (q, &w->queues) {
		if (q->holder && q->head && (!best || q->length > best->length))
			best = q;
	}
	return best;
}

/*
 * Read the process id from the prefix of a line: 548 from "... [548] LOG:". False: no process id.
 */
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

/* Read "process 548 acquired ShareLock on ... after 761.783 ms". False: @line is no such line. */
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
 * Store that @process waits for a lock. Its wait is hidden (is_hidden) until a line gives the time
 * of the wait.
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

	if (!lock_queue_ask(w, line))
		lock_queue_detail(w, line);
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
	/*
	 * any other message shows that the last statement of the process ended without a line of
	 * its own in the log, so forget the wait of this statement
	 */
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
