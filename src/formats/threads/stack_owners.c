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

/* a kernel lock function is expected among this number of innermost frames */
#define OWNERS_FRAMES 8u
/* a lock function of the C library is expected among this number of innermost frames */
#define OWNERS_USER_FRAMES 4u
/*
 * maximum number of threads with a title "... holding mutex:" that are processed. For each of them,
 * all rows of threads are read
 */
#define OWNERS_TITLED 16u
#define OWNERS_LOCKS                                                                         \
	"mutex_lock*|__mutex_lock*|*rwsem_down*|down_read*|down_write*|__down*|down|down_*|" \
	"percpu_down*|__percpu_down*|rt_mutex*|__rt_mutex*|*rtmutex*|ww_mutex*|__ww_mutex*"

#define OWNERS_USER_LOCKS \
	"*pthread_mutex_*lock*|*lll_lock_wait*|*lll_mutex_lock*|*pthread_rwlock_*lock*"

/* A lock, and the row of the thread to which it will be added. */
struct owners_lock {
	struct thread_lock lock;
	uint32_t row;
	/* order of printing: locks are sorted by row, then by this number */
	uint32_t order;
};

struct owners_end {
	struct capture *c;
	struct idmap by_id;
	VEC(struct owners_lock) locks;
	/* indexed by row: address of the lock that the thread waits for; 0: unknown */
	uint64_t *wanted;
	/*
	 * indexed by row: address of the lock that the thread waits for in a C library function; 0:
	 * none
	 */
	uint64_t *user_locks;
};

/*
 * The number after the last @separator in @task: "11" for "kworker/u4:1:11" and ':'. Empty: none.
 */
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

void stack_owners_ask(struct stack_owners *o, struct capture *c, struct str expression)
{
	o->asked = owners_text(c, expression);
}

/* The variable of an expression: "pool_mutex" in "&pool_mutex" and "pool_mutex.__data.__owner". */
static struct str owners_variable(struct str expression)
{
	size_t n = 0;

	while (expression.len && memchr("*&( ", expression.p[0], 4))
		expression = str_skip(expression, 1);
	while (n < expression.len && !memchr(" )=[", expression.p[n], 4) &&
	       !str_starts(str_skip(expression, n), STR("->")) &&
	       !str_starts(str_skip(expression, n), STR(".__")))
		n++;
	return str_sub(expression, 0, n);
}

/* The first address in an expression: "*(pthread_mutex_t *)0x55d0c0a041c0". 0: none. */
static uint64_t owners_address(struct str expression)
{
	uint64_t address = 0;
	struct str s = str_skip(expression, str_find(expression, STR("0x")));

	return str_hex64(&s, &address) ? address : 0;
}

void stack_owners_answer(struct stack_owners *o, struct capture *c, struct str id, struct str line,
			 uint32_t snapshot)
{
	struct str asked = strings_get(capture_strings(c), o->asked);
	struct stack_claim claim = { .id = owners_text(c, id),
				     .address = owners_address(asked),
				     .type = owners_text(c, owners_variable(asked)),
				     .snapshot = snapshot,
				     .is_answer = true };
	uint64_t number;

	/*
	 * "$1 = 17" may be the value of any variable: accept it only if the expression contains
	 * "__owner"
	 */
	if ((!str_contains(asked, STR("__owner")) && !str_contains(line, STR("__owner"))) ||
	    !str_u64(&id, &number) || id.len || number == 0 || number >= THREAD_LOCK_NUMBERS ||
	    o->answers == STACK_ANSWERS_MAX)
		return;
	o->answers++;
	owners_claim(o, &claim);
	o->asked = STR_ID_NONE;
}

/* The name of the lock at @address; STR_ID_NONE: the dump does not contain the name. */
static str_id owners_name(const struct stack_owners *o, uint64_t address)
{
	VEC_FOREACH (name, &o->names) {
		if (name->address == address)
			return name->name;
	}
	return STR_ID_NONE;
}

void stack_owners_args(struct stack_owners *o, struct capture *c, struct str args)
{
	size_t at;

	for (at = str_find(args, STR("=0x")); at < args.len; at = str_find(args, STR("=0x"))) {
		struct stack_lock_name name = { 0 };

		args = str_skip(args, at + 1);
		if (!str_hex64(&args, &name.address) || !str_take(&args, STR(" <")) ||
		    o->names.len >= STACK_LOCK_NAMES_MAX)
			continue;
		name.name = owners_text(c, str_sub(args, 0, str_find_char(args, '>')));
		if (name.name.v && !owners_name(o, name.address).v)
			*VEC_PUSH(&o->names) = name;
	}
}

/* Index in threads.rows of the task @id in @snapshot; INDEX_NONE: the dump has no such task. */
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

/*
 * If the thread of @row waits in a lock function of the kernel, return the caller of this lock
 * function; otherwise SYM_ID_NONE.
 */
static sym_id owners_caller(const struct capture *c, const struct thread_row *row)
{
	const struct thread_frame *frames = threads_frames(c->threads, row);
	sym_id ret = SYM_ID_NONE;

	for (uint32_t i = 0; i + 1 < row->n_frames && i < OWNERS_FRAMES; i++) {
		if (str_glob(STR(OWNERS_LOCKS),
			     symbols_canonical(capture_symbols(c), frames[i].sym)))
			ret = frames[i + 1].sym;
	}
	return ret;
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

		if (claim->owner.v || claim->is_answer || row == INDEX_NONE)
			continue;
		e->c->threads->has_lock_list = true;
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

/*
 * Address of the lock that the thread of @row waits for in a C library function; 0: it does not
 * wait in such a function.
 */
static uint64_t owners_user_lock(const struct capture *c, const struct thread_row *row)
{
	const struct thread_frame *frames = threads_frames(c->threads, row);

	for (uint32_t i = 0; i < row->n_frames && i < OWNERS_USER_FRAMES; i++) {
		if (frames[i].object &&
		    str_glob(STR(OWNERS_USER_LOCKS),
			     symbols_canonical(capture_symbols(c), frames[i].sym)))
			return frames[i].object;
	}
	return 0;
}

/*
 * The debugger printed the owner of a lock (@claim). Return the address of this lock. If the user's
 * expression has no address, it is found by the lock's name. Otherwise, it is the only lock that
 * threads of the snapshot wait for. 0: the address cannot be determined.
 */
static uint64_t owners_asked(struct owners_end *e, const struct stack_owners *o,
			     const struct stack_claim *claim)
{
	uint64_t only = 0;
	bool has_many = false;

	if (claim->address)
		return claim->address;
	VEC_FOREACH (name, &o->names) {
		if (name->name.v == claim->type.v)
			return name->address;
	}
	for (uint32_t i = 0; i < e->c->threads->rows.len; i++) {
		uint64_t lock = e->user_locks[i];

		if (!lock || e->c->threads->rows.data[i].snapshot != claim->snapshot)
			continue;
		has_many |= only && only != lock;
		only = lock;
	}
	return has_many ? 0 : only;
}

/*
 * Add the locks that threads wait for in C library functions. A lock whose name is in the dump is
 * added to each thread that waits for it. A lock whose owner a debugger printed is added to the
 * owner or, if the owner is not in the dump, to each thread that waits for it.
 */
static void owners_answered(struct owners_end *e, const struct stack_owners *o)
{
	struct threads *t = e->c->threads;

	for (uint32_t i = 0; i < t->rows.len; i++)
		e->user_locks[i] = owners_user_lock(e->c, &t->rows.data[i]);
	for (uint32_t i = 0; i < t->rows.len; i++) {
		str_id name = e->user_locks[i] ? owners_name(o, e->user_locks[i]) : STR_ID_NONE;

		if (name.v)
			owners_add(e, i, e->user_locks[i], name, THREAD_LOCK_WANTED);
	}
	VEC_FOREACH (claim, &o->claims) {
		uint64_t lock = claim->is_answer ? owners_asked(e, o, claim) : 0;
		uint32_t owner = owners_row(e, claim->id, claim->snapshot);

		if (!lock)
			continue;
		if (owner != INDEX_NONE) {
			owners_add(e, owner, lock, STR_ID_NONE, THREAD_LOCK_HELD);
			continue;
		}
		/* the owner's stack is not in the dump: store only the owner's id */
		for (uint32_t i = 0; i < t->rows.len; i++) {
			if (e->user_locks[i] != lock || t->rows.data[i].snapshot != claim->snapshot)
				continue;
			owners_add(e, i, lock, STR_ID_NONE, THREAD_LOCK_WANTED);
			e->locks.data[e->locks.len - 1].lock.owner = claim->id;
		}
	}
}

/*
 * Whether all threads of @snapshot that wait for a lock of the kernel called the lock function from
 * the same function. @ret: index in threads.rows of one of these threads.
 */
static bool owners_one_wait(const struct owners_end *e, uint32_t snapshot, uint32_t *ret)
{
	const struct capture *c = e->c;
	sym_id place = SYM_ID_NONE;

	*ret = INDEX_NONE;
	for (uint32_t i = 0; i < c->threads->rows.len; i++) {
		const struct thread_row *row = &c->threads->rows.data[i];
		sym_id at = owners_caller(c, row);

		if (row->snapshot != snapshot || row->is_owner || !at.v)
			continue;
		if (*ret != INDEX_NONE && at.v != place.v)
			return false;
		place = at;
		*ret = i;
	}
	return *ret != INDEX_NONE;
}

/*
 * Handle a title that names the owner of a lock but no address: "Stack trace for kworker holding
 * mutex:". If all other waiting threads wait in one function, they are assumed to wait for this
 * lock.
 */
static void owners_titled(struct owners_end *e)
{
	struct threads *t = e->c->threads;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->rows.len && n < OWNERS_TITLED; i++) {
		const struct thread_row *row = &t->rows.data[i];
		str_id name = row->name;
		uint32_t example;

		if (!row->is_owner || row->id.v || !name.v || name.v >= THREAD_LOCK_NUMBERS)
			continue;
		n++;
		if (!owners_one_wait(e, row->snapshot, &example) || e->wanted[example])
			continue;
		for (uint32_t k = 0; k < t->rows.len; k++) {
			if (t->rows.data[k].snapshot == row->snapshot && k != i &&
			    owners_waits(e->c, &t->rows.data[k]))
				owners_add(e, k, THREAD_LOCK_OF_OWNER(name.v), STR_ID_NONE,
					   THREAD_LOCK_WANTED);
		}
		owners_add(e, i, THREAD_LOCK_OF_OWNER(name.v), STR_ID_NONE, THREAD_LOCK_HELD);
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

static bool owners_are_titled(const struct threads *t)
{
	VEC_FOREACH (row, &t->rows) {
		if (row->is_owner && !row->id.v)
			return true;
	}
	return false;
}

void stack_owners_end(struct stack_owners *o, struct capture *c)
{
	struct owners_end e = { .c = c };
	struct threads *t = c->threads;

	if (o->claims.len == 0 && o->names.len == 0 && !owners_are_titled(t))
		return;
	e.wanted = xcalloc(t->rows.len + 1, sizeof(*e.wanted));
	e.user_locks = xcalloc(t->rows.len + 1, sizeof(*e.user_locks));
	for (uint32_t i = 0; i < t->rows.len; i++) {
		struct idmap_probe p = idmap_first(
			&e.by_id, hash_u64(t->rows.data[i].id.v, t->rows.data[i].snapshot));

		/* do not add threads without an id, because all of them would have the same hash */
		if (t->rows.data[i].id.v)
			idmap_insert(&e.by_id, &p, i);
	}
	owners_listed(&e, o);
	owners_stated(&e, o);
	owners_answered(&e, o);
	owners_titled(&e);
	VEC_SORT(&e.locks, owners_order);
	VEC_FOREACH (l, &e.locks) {
		struct thread_row *row = &t->rows.data[l->row];

		if (t->locks.len >= LIMIT_ROWS)
			break;
		if (row->n_locks == 0)
			row->first_lock = (uint32_t)t->locks.len;
		if (row->first_lock + row->n_locks != t->locks.len)
			/* skip a thread that has locks already, from the lines of its stack */
			continue;
		row->n_locks++;
		*VEC_PUSH(&t->locks) = l->lock;
	}
	free(e.wanted);
	free(e.user_locks);
	idmap_fini(&e.by_id);
	VEC_FREE(&e.locks);
}

void stack_owners_fini(struct stack_owners *o)
{
	VEC_FREE(&o->claims);
	VEC_FREE(&o->names);
}
