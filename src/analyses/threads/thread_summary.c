/* SPDX-License-Identifier: MIT */
#include "analyses/threads/thread_summary.h"

#include "analyses/waits/wait_roles.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdlib.h>

const struct thread_row *threads_summary_row(const struct threads_summary *s, uint32_t row)
{
	return &s->c->threads->rows.data[row];
}

sym_id threads_summary_sym(const struct threads_summary *s, uint32_t row, uint32_t frame)
{
	const struct thread_row *r = threads_summary_row(s, row);

	return frame < r->n_frames ? threads_frames(s->c->threads, r)[frame].sym : SYM_ID_NONE;
}

static int group_order(const void *a, const void *b)
{
	const struct thread_group *x = a;
	const struct thread_group *y = b;

	return SORT_ORDER(y->threads, x->threads) ?: SORT_ORDER(x->row, y->row);
}

static int lock_order(const void *a, const void *b)
{
	const struct thread_lock_seen *x = a;
	const struct thread_lock_seen *y = b;

	return SORT_ORDER(y->waiters, x->waiters) ?: SORT_ORDER(x->waiter, y->waiter);
}

static void summary_group(struct threads_summary *s, struct idmap *map, uint32_t number)
{
	const struct thread_row *row = threads_summary_row(s, number);
	struct idmap_probe probe =
		idmap_first(map, hash_u64(row->stack.v, s->rows.data[number].kind));
	struct thread_group *g = NULL;

	while (idmap_next(map, &probe)) {
		struct thread_group *other = &s->groups.data[probe.id];

		if (other->stack.v == row->stack.v && other->kind == s->rows.data[number].kind) {
			g = other;
			break;
		}
	}
	if (!g) {
		idmap_insert(map, &probe, (uint32_t)s->groups.len);
		g = VEC_PUSH(&s->groups);
		*g = (struct thread_group){ .stack = row->stack,
					    .state_text = row->state_text,
					    .row = number,
					    .age_least_ns = row->age_ns,
					    .snapshots = 1,
					    .kind = s->rows.data[number].kind };
	}
	g->threads += row->count;
	if (row->age_ns > g->age_ns)
		g->age_ns = row->age_ns;
	if (row->age_ns < g->age_least_ns)
		g->age_least_ns = row->age_ns;
}

/* For each group of threads, count the snapshots in which its stack occurs. */
static void summary_persistence(struct threads_summary *s, struct idmap *map)
{
	const struct threads *t = s->c->threads;
	uint32_t *last = xcalloc(s->groups.len + 1, sizeof(*last));

	for (uint32_t i = 0; i < t->rows.len; i++) {
		const struct thread_row *row = &t->rows.data[i];
		struct idmap_probe probe =
			idmap_first(map, hash_u64(row->stack.v, s->rows.data[i].kind));

		if (row->snapshot == s->snapshot)
			continue;
		while (idmap_next(map, &probe)) {
			struct thread_group *g = &s->groups.data[probe.id];

			if (g->stack.v != row->stack.v || g->kind != s->rows.data[i].kind)
				continue;
			if (last[probe.id] != row->snapshot + 1)
				g->snapshots++;
			last[probe.id] = row->snapshot + 1;
			break;
		}
	}
	free(last);
}

static uint32_t summary_lock(struct threads_summary *s, struct idmap *map, uint64_t address,
			     bool is_wanted)
{
	struct idmap_probe probe = idmap_first(map, hash_u64(address, 0));

	while (idmap_next(map, &probe)) {
		if (s->locks.data[probe.id].address == address)
			return probe.id;
	}
	if (!is_wanted)
		return INDEX_NONE;
	idmap_insert(map, &probe, (uint32_t)s->locks.len);
	*VEC_PUSH(&s->locks) = (struct thread_lock_seen){ .address = address, .owner = INDEX_NONE };
	return (uint32_t)s->locks.len - 1;
}

/*
 * Whether thread @number does not hold @lock now, although the dump prints it as held.
 * Object.wait() releases its monitor until it returns. The kernel prints a lock as held already
 * while the task still waits for it. False for sessions of a database.
 */
static bool summary_is_released(const struct threads_summary *s, uint32_t number,
				const struct thread_lock *lock)
{
	const struct thread_row *row = threads_summary_row(s, number);
	const struct thread_lock *locks = threads_locks(s->c->threads, row);
	struct str inner =
		symbols_canonical(capture_symbols(s->c), threads_summary_sym(s, number, 0));

	if (s->c->threads->is_sessions)
		return false;
	for (uint32_t i = 0; i < row->n_locks; i++) {
		/* the kernel prints a lock as held already while the task still waits for it */
		if (locks[i].kind != THREAD_LOCK_HELD && locks[i].address == lock->address &&
		    thread_lock_has_address(lock->address))
			return true;
	}
	return lock->frame <= 2 && str_glob(STR("*Object.wait*"), inner) &&
	       s->rows.data[number].entry >= lock->frame;
}

/*
 * Visit the locks that the dump prints for thread @number. If some thread waits for a lock of
 * these, set the owner of the lock: the thread @number if it holds the lock, or the thread whose
 * name is printed as the owner.
 */
static void summary_owners(struct threads_summary *s, struct idmap *map, uint32_t number)
{
	const struct threads *t = s->c->threads;
	const struct thread_row *row = threads_summary_row(s, number);
	const struct thread_lock *locks = threads_locks(t, row);

	for (uint32_t i = 0; i < row->n_locks; i++) {
		uint32_t at = summary_lock(s, map, locks[i].address, false);

		if (at == INDEX_NONE)
			continue;
		if (locks[i].type.v && !s->locks.data[at].type.v)
			s->locks.data[at].type = locks[i].type;
		if (locks[i].kind == THREAD_LOCK_HELD &&
		    !summary_is_released(s, number, &locks[i])) {
			s->locks.data[at].owner = number;
			s->locks.data[at].owner_frame = locks[i].frame;
		}
		if (locks[i].owner.v)
			s->locks.data[at].owner_id = locks[i].owner;
		for (uint32_t k = 0; locks[i].owner.v && k < t->rows.len; k++) {
			if (t->rows.data[k].name.v != locks[i].owner.v ||
			    t->rows.data[k].snapshot != s->snapshot)
				continue;
			s->locks.data[at].owner = k;
			s->locks.data[at].owner_frame = t->rows.data[k].n_frames;
			break;
		}
	}
}

/* The row of the owner of the lock for which row @row waits; INDEX_NONE: none. */
static uint32_t summary_next(const struct threads_summary *s, uint32_t row)
{
	uint32_t lock = s->rows.data[row].wants;

	return lock == INDEX_NONE ? INDEX_NONE : s->locks.data[lock].owner;
}

/*
 * Find a deadlock: a cycle of threads in which each waits for a lock that the next one owns. For
 * each lock, start at its first waiting thread. Go to the owner of the lock for which this thread
 * waits, and so on. A walk ends at a thread that an earlier walk visited.
 */
static void summary_cycle(struct threads_summary *s)
{
	/* indexed by row: number of the walk that visited it; 0: none */
	uint32_t *seen = xcalloc(s->rows.len + 1, sizeof(*seen));

	VEC_FOREACH (lock, &s->locks) {
		uint32_t walk = (uint32_t)(lock - s->locks.data) + 1;
		uint32_t row = lock->waiter;

		while (row != INDEX_NONE && !seen[row]) {
			seen[row] = walk;
			row = summary_next(s, row);
		}
		if (row == INDEX_NONE || seen[row] != walk)
			continue;
		for (uint32_t at = row; s->cycle.len == 0 || at != row; at = summary_next(s, at))
			*VEC_PUSH(&s->cycle) = at;
		break;
	}
	free(seen);
}

/*
 * Find a thread that waits for the end of another thread, while others wait for a lock that it
 * owns. Store it in s->joiner.
 */
static void summary_joiner(struct threads_summary *s)
{
	VEC_FOREACH (lock, &s->locks) {
		if (lock->owner != INDEX_NONE && s->rows.data[lock->owner].kind == THREAD_WAIT_JOIN)
			s->joiner = lock->owner;
	}
	for (uint32_t i = 0; s->joiner != INDEX_NONE && i < s->rows.len; i++) {
		uint32_t at = i;

		if (threads_summary_row(s, i)->snapshot != s->snapshot)
			continue;
		for (unsigned int steps = 0; at != INDEX_NONE && at != s->joiner && steps < 64;
		     steps++)
			at = summary_next(s, at);
		if (at == s->joiner && i != s->joiner)
			*VEC_PUSH(&s->blocked_by_joiner) = i;
	}
}

/* For each thread, find the lock that it waits for in s->locks, which must be sorted already. */
static void summary_wants(struct threads_summary *s)
{
	struct idmap map = { .slots = NULL };

	for (uint32_t i = 0; i < s->locks.len; i++) {
		struct idmap_probe probe = idmap_first(&map, hash_u64(s->locks.data[i].address, 0));

		idmap_insert(&map, &probe, i);
	}
	for (uint32_t i = 0; s->locks.len && i < s->rows.len; i++) {
		if (s->rows.data[i].lock && threads_summary_row(s, i)->snapshot == s->snapshot)
			s->rows.data[i].wants = summary_lock(s, &map, s->rows.data[i].lock, false);
	}
	idmap_fini(&map);
}

static void summary_locks(struct threads_summary *s)
{
	struct idmap map = { .slots = NULL };

	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *row = threads_summary_row(s, i);
		struct thread_lock_seen *lock;
		uint32_t at;

		if (row->snapshot != s->snapshot || !s->rows.data[i].lock)
			continue;
		at = summary_lock(s, &map, s->rows.data[i].lock, true);
		lock = &s->locks.data[at];
		if (lock->waiters == 0)
			lock->waiter = i;
		lock->waiters += row->count;
	}
	for (uint32_t i = 0; s->locks.len && i < s->rows.len; i++) {
		if (threads_summary_row(s, i)->snapshot == s->snapshot)
			summary_owners(s, &map, i);
	}
	idmap_fini(&map);
	VEC_SORT(&s->locks, lock_order);
	summary_wants(s);
	summary_cycle(s);
	summary_joiner(s);
}

/*
 * The snapshot right after the message of the only panic. A panic ends the process, so later
 * snapshots are not of a later time. They may be records of a checker. INDEX_NONE: there is no
 * panic, or several.
 */
static uint32_t summary_panicked(const struct threads *t)
{
	const struct thread_note *panic = NULL;

	VEC_FOREACH (note, &t->notes) {
		if (note->kind != THREAD_NOTE_PANIC)
			continue;
		if (panic)
			return INDEX_NONE;
		panic = note;
	}
	VEC_FOREACH (row, &t->rows) {
		if (panic && row->line >= panic->line)
			return row->snapshot;
	}
	return INDEX_NONE;
}

/*
 * The snapshot of the only panic, or the last complete snapshot: it has at least half as many rows
 * as the largest snapshot.
 */
static uint32_t summary_snapshot(const struct threads *t)
{
	uint32_t panicked = t->snapshots > 1 ? summary_panicked(t) : INDEX_NONE;
	uint64_t *counts = xcalloc((size_t)t->snapshots + 1, sizeof(*counts));
	uint32_t found = t->snapshots ? t->snapshots - 1 : 0;
	uint64_t most = 0;

	if (panicked != INDEX_NONE) {
		free(counts);
		return panicked;
	}
	VEC_FOREACH (row, &t->rows) {
		counts[row->snapshot]++;
		most = counts[row->snapshot] > most ? counts[row->snapshot] : most;
	}
	while (found && counts[found] * 2 < most)
		found--;
	free(counts);
	return found;
}

/*
 * Set is_parked for threads without a known wait whose innermost address equals that of a waiting
 * thread. This address is in the function of Go's runtime that parks goroutines.
 */
static void summary_parked(struct threads_summary *s)
{
	struct idmap map = { .slots = NULL };
	VEC(uint64_t) parked = { 0 };

	for (uint32_t i = 0; i < s->rows.len; i++) {
		uint64_t top = threads_summary_row(s, i)->top;
		struct str inner =
			symbols_canonical(capture_symbols(s->c), threads_summary_sym(s, i, 0));
		struct idmap_probe probe;

		if (!top || !str_glob(STR("time.Sleep|*.runtime_pollWait|*.runtime_Semacquire*|"
					  "*.runtime_notifyListWait"),
				      inner))
			continue;
		probe = idmap_first(&map, hash_u64(top, 0));
		idmap_insert(&map, &probe, (uint32_t)parked.len);
		*VEC_PUSH(&parked) = top;
	}
	for (uint32_t i = 0; parked.len && i < s->rows.len; i++) {
		uint64_t top = threads_summary_row(s, i)->top;
		struct idmap_probe probe = idmap_first(&map, hash_u64(top, 0));

		while (s->rows.data[i].kind == THREAD_WAIT_NONE && idmap_next(&map, &probe))
			s->rows.data[i].is_parked |= parked.data[probe.id] == top;
	}
	VEC_FREE(&parked);
	idmap_fini(&map);
}

bool threads_summary_runs(const struct threads_summary *s, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(s, row);
	const struct symbols *symbols = capture_symbols(s->c);
	sym_id inner = threads_summary_sym(s, row, 0);
	struct str dialect = strings_get(capture_strings(s->c), s->c->threads->dialect);

	if (s->rows.data[row].kind != THREAD_WAIT_NONE || r->n_frames == 0)
		return false;
	/* a JVM prints RUNNABLE even for a native method that blocks */
	if (threads_frames(s->c->threads, r)[0].is_native)
		return false;
	/*
	 * the innermost function is a system call wrapper, or sends a signal: the thread may be
	 * waiting
	 */
	if (r->state != THREAD_RUNNING &&
	    wait_role_find(symbols_name(symbols, inner), WAIT_LINES_DUMP) == WAIT_ROLE_THROUGH)
		return false;
	/* an unknown function of the C library may wait */
	if (str_glob(STR("*libc.so*|*libc-*|*libpthread*|*ntdll*|*libsystem_*"),
		     symbols_module(symbols, inner)))
		return false;
	/*
	 * dumps of interpreters and goroutines omit the frames of a wait, so only a printed state
	 * proves that the thread runs
	 */
	return r->state == THREAD_RUNNING ||
	       (r->state == THREAD_UNKNOWN && !r->has_no_top &&
		str_glob(STR("gdb|eu-stack|lldb|crash|pmp|macos-crash|kudu"), dialect));
}

/*
 * Whether the outermost function of thread @row is main(). Functions that start a program are
 * skipped.
 */
static bool summary_is_main(const struct threads_summary *s, uint32_t row)
{
	for (uint32_t i = threads_summary_row(s, row)->n_frames; i-- > 0;) {
		struct str name =
			symbols_canonical(capture_symbols(s->c), threads_summary_sym(s, row, i));

		if (str_eq(name, STR("main")))
			return true;
		if (!str_glob(STR("_start|start|__libc_start*|__scrt_*"), name))
			return false;
	}
	return false;
}

uint64_t threads_summary_processes(const struct threads_summary *s)
{
	struct str dialect = strings_get(capture_strings(s->c), s->c->threads->dialect);
	uint64_t n = 0;

	if (!str_glob(STR("gdb|lldb|eu-stack|backtrace"), dialect))
		return 1;
	for (uint32_t i = 0; i < s->rows.len; i++) {
		if (threads_summary_row(s, i)->snapshot == s->snapshot && summary_is_main(s, i))
			n += threads_summary_row(s, i)->count;
	}
	return n ? n : 1;
}

struct str threads_summary_state(const struct threads_summary *s, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(s, row);
	const struct strings *strings = capture_strings(s->c);
	const struct thread_seen *seen = &s->rows.data[row];
	struct str text = strings_get(strings, r->state_text);
	struct str inner = symbols_canonical(capture_symbols(s->c), threads_summary_sym(s, row, 0));

	if (text.len && str_eq(strings_get(strings, s->c->threads->dialect), STR("goroutines")))
		return str_sub(text, 0, str_find_char(text, ','));
	if (threads_is_order(s->c->threads))
		return STR("acquired");
	/* this goroutine writes the profile */
	if (str_glob(STR("runtime/pprof.runtime_goroutineProfile*"), inner))
		return STR("running");
	if (seen->kind)
		return str_of(thread_wait_state((enum thread_wait)seen->kind));
	if (r->state == THREAD_RUNNING)
		return str_starts(text, STR("RUNNABLE")) ? STR("runnable") : STR("running");
	if (r->state != THREAD_UNKNOWN)
		return STR("waiting");
	/*
	 * no state is printed, so the process may have been stopped: by a signal, or for a core
	 * dump
	 */
	return seen->is_parked                ? STR("parked")
	       : threads_summary_runs(s, row) ? STR("not blocked")
					      : STR("unknown");
}

void threads_summary_init(struct threads_summary *s, const struct capture *c)
{
	const struct threads *t = c->threads;
	struct idmap groups = { .slots = NULL };

	*s = (struct threads_summary){ .c = c, .joiner = INDEX_NONE };
	s->snapshot = summary_snapshot(t);
	s->threads = threads_count(t, s->snapshot);
	s->printed = s->threads;
	if (t->snapshots < 2 && t->total > s->threads)
		/* the dump was cut off: its title states more threads than there are stacks */
		s->threads = t->total;
	for (uint32_t i = 0; i < t->rows.len; i++) {
		struct thread_seen *seen = VEC_PUSH(&s->rows);

		thread_wait_of(&s->roles, c, &t->rows.data[i], seen);
		if (t->rows.data[i].snapshot != s->snapshot)
			continue;
		s->waiting[seen->kind] += t->rows.data[i].count;
		summary_group(s, &groups, i);
	}
	summary_parked(s);
	summary_persistence(s, &groups);
	idmap_fini(&groups);
	VEC_SORT(&s->groups, group_order);
	summary_locks(s);
}

void threads_summary_fini(struct threads_summary *s)
{
	thread_roles_fini(&s->roles);
	VEC_FREE(&s->rows);
	VEC_FREE(&s->groups);
	VEC_FREE(&s->locks);
	VEC_FREE(&s->cycle);
	VEC_FREE(&s->blocked_by_joiner);
}
