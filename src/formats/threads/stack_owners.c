/* SPDX-License-Identifier: MIT */
#include "formats/threads/stack_owners.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdlib.h>

#define OWNERS_FRAMES 8u /* a lock function is searched among this many innermost frames */
#define OWNERS_LOCKS                                                                         \
	"mutex_lock*|__mutex_lock*|*rwsem_down*|down_read*|down_write*|__down*|down|down_*|" \
	"percpu_down*|__percpu_down*|rt_mutex*|__rt_mutex*|*rtmutex*|ww_mutex*|__ww_mutex*"

/* A lock, and the row of the thread to which it will be added. */
struct owners_lock {
	struct thread_lock lock;
	uint32_t row;
	/* the order in which locks were reported: locks are sorted by row, then by this */
	uint32_t order;
};

struct owners_end {
	struct capture *c;
	struct idmap by_id;
	VEC(struct owners_lock) locks;
	/* for each row, the address of the lock that its thread waits for; 0: unknown */
	uint64_t *wanted;
};

/* The number after the last @separator of a task: 11 in "kworker/u4:1:11" for ':'; empty: none. */
static struct str owners_id(struct str task, char separator)
{
	size_t at;
	size_t n = 0;

	while (task.len && !char_is_digit(task.p[task.len - 1]))
		task.len--;
	at = str_rfind_char(task, separator);
	task = at < task.len ? str_skip(task, at + 1) : STR_NONE;
	while (n < task.len && char_is_digit(task.p[n]))
		n++;
	return n == task.len ? task : STR_NONE;
}

static void owners_claim(struct stack_owners *o, const struct stack_claim *claim)
{
	if (claim->id.v && o->claims.len < STACK_CLAIMS_MAX)
		*VEC_PUSH(&o->claims) = *claim;
}

static str_id owners_text(struct capture *c, struct str s)
{
	s = str_sub(str_trim(s), 0, LIMIT_NAME_BYTES);
	return s.len ? strings_add(capture_strings(c), s) : STR_ID_NONE;
}

void stack_owners_wait(struct stack_owners *o, struct capture *c, struct str task, struct str type,
		       struct str owner, uint32_t snapshot)
{
	struct stack_claim claim = { .id = owners_text(c, owners_id(task, ':')),
				     .owner = owners_text(c, owners_id(owner, ':')),
				     .type = owners_text(c, type),
				     .snapshot = snapshot };

	if (claim.owner.v)
		owners_claim(o, &claim);
}

void stack_owners_holder(struct stack_owners *o, struct capture *c, struct str task)
{
	o->holder = owners_text(c, owners_id(task, '/'));
}

void stack_owners_lock(struct stack_owners *o, struct capture *c, struct str address,
		       struct str type, uint32_t snapshot)
{
	struct stack_claim claim = { .id = o->holder,
				     .type = owners_text(c, type),
				     .snapshot = snapshot };

	if (str_hex64(&address, &claim.address))
		owners_claim(o, &claim);
}

/* Index of the row of task @id in @snapshot; INDEX_NONE: none. */
static uint32_t owners_row(struct owners_end *e, str_id id, uint32_t snapshot)
{
	struct idmap_probe p = idmap_first(&e->by_id, hash_u64(id.v, snapshot));

	while (idmap_next(&e->by_id, &p)) {
		const struct thread_row *row = &e->c->threads->rows.data[p.id];

		if (row->id.v == id.v && row->snapshot == snapshot)
			return p.id;
	}
	return INDEX_NONE;
}

static bool owners_waits(const struct capture *c, const struct thread_row *row)
{
	const struct thread_frame *frames = threads_frames(c->threads, row);

	for (uint32_t i = 0; i < row->n_frames && i < OWNERS_FRAMES; i++) {
		if (str_glob(STR(OWNERS_LOCKS),
			     symbols_canonical(capture_symbols(c), frames[i].sym)))
			return true;
	}
	return false;
}

static void owners_add(struct owners_end *e, uint32_t row, uint64_t address, str_id type,
		       enum thread_lock_kind kind)
{
	if (kind == THREAD_LOCK_WANTED)
		e->wanted[row] = address;
	*VEC_PUSH(&e->locks) = (struct owners_lock){
		{ .address = address, .type = type, .kind = (uint8_t)kind },
		row,
		(uint32_t)e->locks.len,
	};
}

static void owners_listed(struct owners_end *e, const struct stack_owners *o)
{
	for (size_t i = 0; i < o->claims.len; i++) {
		const struct stack_claim *claim = &o->claims.data[i];
		const struct stack_claim *next = i + 1 < o->claims.len ? claim + 1 : NULL;
		uint32_t row = owners_row(e, claim->id, claim->snapshot);
		bool is_last = !next || next->owner.v || next->id.v != claim->id.v;

		if (claim->owner.v || row == INDEX_NONE)
			continue;
		owners_add(e, row, claim->address, claim->type,
			   is_last && owners_waits(e->c, &e->c->threads->rows.data[row])
				   ? THREAD_LOCK_WANTED
				   : THREAD_LOCK_HELD);
	}
}

static void owners_stated(struct owners_end *e, const struct stack_owners *o)
{
	VEC_FOREACH (claim, &o->claims) {
		uint32_t waiter = owners_row(e, claim->id, claim->snapshot);
		uint32_t owner = owners_row(e, claim->owner, claim->snapshot);
		struct str id = strings_get(capture_strings(e->c), claim->owner);
		uint64_t address = 0;

		if (!claim->owner.v || waiter == INDEX_NONE || owner == INDEX_NONE)
			continue;
		address = e->wanted[waiter];
		if (!address) {
			/*
			 * the address of the lock is unknown: treat all such locks of one owner as
			 * one lock
			 */
			if (!str_u64(&id, &address) || address == 0 ||
			    address >= THREAD_LOCK_NUMBERS)
				continue;
			address = THREAD_LOCK_OF_OWNER(address);
			owners_add(e, waiter, address, claim->type, THREAD_LOCK_WANTED);
		}
		owners_add(e, owner, address, claim->type, THREAD_LOCK_HELD);
	}
}

static int owners_order(const void *a, const void *b)
{
	const struct owners_lock *x = a;
	const struct owners_lock *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void stack_owners_end(struct stack_owners *o, struct capture *c)
{
	struct owners_end e = { .c = c };
	struct threads *t = c->threads;

	if (o->claims.len == 0)
		return;
	e.wanted = xcalloc(t->rows.len + 1, sizeof(*e.wanted));
	for (uint32_t i = 0; i < t->rows.len; i++) {
		struct idmap_probe p = idmap_first(
			&e.by_id, hash_u64(t->rows.data[i].id.v, t->rows.data[i].snapshot));

		idmap_insert(&e.by_id, &p, i);
	}
	owners_listed(&e, o);
	owners_stated(&e, o);
	if (e.locks.len)
		qsort(e.locks.data, e.locks.len, sizeof(*e.locks.data), owners_order);
	VEC_FOREACH (l, &e.locks) {
		struct thread_row *row = &t->rows.data[l->row];

		if (t->locks.len >= LIMIT_ROWS)
			break;
		if (row->n_locks == 0)
			row->first_lock = (uint32_t)t->locks.len;
		if (row->first_lock + row->n_locks != t->locks.len)
			continue; /* lines of its stack already gave this thread locks */
		row->n_locks++;
		*VEC_PUSH(&t->locks) = l->lock;
	}
	free(e.wanted);
	idmap_fini(&e.by_id);
	VEC_FREE(&e.locks);
}

void stack_owners_fini(struct stack_owners *o)
{
	VEC_FREE(&o->claims);
}
