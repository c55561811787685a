/* SPDX-License-Identifier: MIT */
#include "formats/threads/session_rows.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/statement.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#define SESSION_QUERY 160u /* maximum length of a stored statement, in bytes */
/* maximum age in seconds; a larger age is wrong, and ignored */
#define SESSION_SECONDS 1e9
/* maximum number of holders of a lock that are examined for each waiting session */
#define SESSION_HOLDERS 64u

static const struct diag_kind sessions_past = { "sessions-past-limit", DIAG_DATALOSS,
						"sessions or locks past the limit" };

/*
 * Lock modes, the weakest first. Source: PostgreSQL documentation, "Explicit Locking", table of
 * conflicting modes.
 */
static const struct {
	const char *mode;
	/* modes that conflict with this mode; bit i stands for row i of this table */
	uint8_t conflicts;
} session_modes[] = {
	{ "AccessShareLock", 0x80 },  { "RowShareLock", 0xc0 },
	{ "RowExclusiveLock", 0xf0 }, { "ShareUpdateExclusiveLock", 0xf8 },
	{ "ShareLock", 0xec },        { "ShareRowExclusiveLock", 0xfc },
	{ "ExclusiveLock", 0xfe },    { "AccessExclusiveLock", 0xff },
};

static uint8_t session_mode(struct str mode)
{
	for (size_t i = 0; i < ARRAY_LEN(session_modes); i++) {
		if (str_eq(mode, str_of(session_modes[i].mode)))
			return (uint8_t)(1u << i);
	}
	return 0;
}

/*
 * Whether the lock mode @a conflicts with one of the modes @b. Both are bit masks of rows in
 * session_modes. The mask 0 is an unknown mode, which conflicts with every mode.
 */
static bool session_conflicts(uint8_t a, uint8_t b)
{
	for (size_t i = 0; i < ARRAY_LEN(session_modes); i++) {
		if (a & 1u << i)
			return session_modes[i].conflicts & b || b == 0;
	}
	return true;
}

void sessions_fini(struct sessions *s)
{
	VEC_FREE(&s->rows);
	VEC_FREE(&s->locks);
	idmap_fini(&s->by_id);
}

struct session *sessions_get(struct sessions *s, struct str id, uint32_t line)
{
	str_id name = strings_add(capture_strings(s->c), str_sub(id, 0, LIMIT_NAME_BYTES));
	struct idmap_probe probe = idmap_first(&s->by_id, hash_u64(name.v, 0));
	struct session *row;

	while (idmap_next(&s->by_id, &probe)) {
		if (s->rows.data[probe.id].id.v == name.v)
			return &s->rows.data[probe.id];
	}
	if (s->rows.len >= LIMIT_ROWS) {
		diag_count(&s->c->diag, &sessions_past, line);
		return NULL;
	}
	idmap_insert(&s->by_id, &probe, (uint32_t)s->rows.len);
	row = VEC_PUSH(&s->rows);
	*row = (struct session){ .id = name, .line = line, .kind = THREAD_UNKNOWN };
	return row;
}

struct session_lock *sessions_lock(struct sessions *s, const struct session *of, struct str object,
				   struct str mode, unsigned int kind)
{
	struct session_lock *lock;

	object = str_sub(object, 0, LIMIT_NAME_BYTES);
	if (s->locks.len >= LIMIT_ROWS) {
		diag_count(&s->c->diag, &sessions_past, of->line);
		return NULL;
	}
	lock = VEC_PUSH(&s->locks);
	*lock = (struct session_lock){ .address = hash_str(object) >> 1 | 1,
				       .object = strings_add(capture_strings(s->c), object),
				       .session = (uint32_t)(of - s->rows.data),
				       .mode = session_mode(mode),
				       .kind = (uint8_t)kind };
	return lock;
}

str_id sessions_query(struct sessions *s, struct str text)
{
	char buffer[STATEMENT_BYTES];
	size_t n = statement_shape(text, STATEMENT_SQL, buffer, 0, SESSION_QUERY);

	return n ? strings_add(capture_strings(s->c), (struct str){ buffer, n }) : STR_ID_NONE;
}

/* A locked object. Some sessions hold a lock on it, and others wait for one. */
struct session_object {
	uint64_t address;
	/*
	 * index of one of the locks held on the object, plus 1; 0: none. session_lock.next leads to
	 * the others
	 */
	uint32_t held;
	/*
	 * index of the first session that waits for the object; has_waiters is set if other
	 * sessions wait for the object, too
	 */
	uint32_t waiter;
	uint8_t wanted; /* bit mask of the modes for which sessions wait */
	bool is_wanted, has_waiters, is_any_mode;
};

struct session_objects {
	VEC(struct session_object) rows;
	struct idmap map;
};

static struct session_object *session_object(struct session_objects *o, uint64_t address)
{
	struct idmap_probe probe = idmap_first(&o->map, hash_u64(address, 0));

	while (idmap_next(&o->map, &probe)) {
		if (o->rows.data[probe.id].address == address)
			return &o->rows.data[probe.id];
	}
	idmap_insert(&o->map, &probe, (uint32_t)o->rows.len);
	*VEC_PUSH(&o->rows) = (struct session_object){ .address = address };
	return &o->rows.data[o->rows.len - 1];
}

static void session_object_add(struct session_objects *o, struct session_lock *lock,
			       uint32_t number)
{
	struct session_object *object = session_object(o, lock->address);

	if (lock->kind == THREAD_LOCK_HELD) {
		lock->next = object->held;
		object->held = number + 1;
		return;
	}
	object->has_waiters |= object->is_wanted && object->waiter != lock->session;
	object->waiter = object->is_wanted ? object->waiter : lock->session;
	object->is_wanted = true;
	object->wanted |= lock->mode;
	object->is_any_mode |= lock->mode == 0;
}

/* Whether the held lock @lock blocks another session: the session waits for a conflicting lock. */
static bool session_lock_blocks(struct session_objects *o, const struct session_lock *lock)
{
	const struct session_object *object = session_object(o, lock->address);

	return object->is_wanted && (object->has_waiters || object->waiter != lock->session) &&
	       (object->is_any_mode || session_conflicts(lock->mode, object->wanted));
}

/*
 * Correct the wait with the index @number if its session already holds a weaker lock on the same
 * object. The session does not wait for itself, only for the other holders. So the wait gets an
 * object of its own, with copies of the conflicting locks of the other holders.
 */
static void session_upgrade(struct sessions *s, struct session_objects *o, uint32_t number)
{
	struct session_lock *lock = &s->locks.data[number];
	uint64_t address = hash_u64(lock->address, lock->session + 1u);
	uint32_t first = session_object(o, lock->address)->held;
	bool has = false;
	unsigned int n = 0;

	for (uint32_t at = first; at && n++ < SESSION_HOLDERS; at = s->locks.data[at - 1].next)
		has |= s->locks.data[at - 1].session == lock->session;
	if (!has)
		return;
	n = 0;
	for (uint32_t at = first; at && n++ < SESSION_HOLDERS; at = s->locks.data[at - 1].next) {
		struct session_lock held = s->locks.data[at - 1];

		held.address = address;
		if (held.session != s->locks.data[number].session && s->locks.len < LIMIT_ROWS &&
		    session_conflicts(held.mode, s->locks.data[number].mode))
			*VEC_PUSH(&s->locks) = held;
	}
	s->locks.data[number].address = address;
}

/*
 * Set is_kept of each lock. It is true for waits, and for held locks that block a waiting session.
 */
static void session_relate(struct sessions *s)
{
	struct session_objects o = { .map = { .slots = NULL } };
	uint32_t n = (uint32_t)s->locks.len;

	for (uint32_t i = 0; i < n; i++)
		session_object_add(&o, &s->locks.data[i], i);
	for (uint32_t i = 0; i < n; i++) {
		if (s->locks.data[i].kind != THREAD_LOCK_HELD)
			session_upgrade(s, &o, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		struct session_lock *lock = &s->locks.data[i];

		/*
		 * If the text prints which session blocks this one, keep only the wait for that
		 * session. The blocker may hold no lock: it may wait, too, earlier in the queue
		 */
		lock->is_kept = lock->kind == THREAD_LOCK_HELD
					? session_lock_blocks(&o, lock)
					: lock->is_owner_printed ||
						  !s->rows.data[lock->session].is_owner_printed;
	}
	for (uint32_t i = n; i < s->locks.len; i++)
		s->locks.data[i].is_kept = true;
	VEC_FREE(&o.rows);
	idmap_fini(&o.map);
}

static void session_frame(struct sessions *s, str_id name, uint32_t line)
{
	struct str text = strings_get(capture_strings(s->c), name);

	if (text.len)
		*VEC_PUSH(&s->c->threads->frames) =
			(struct thread_frame){ .sym = symbols_add_text(capture_symbols(s->c), text,
								       STR_NONE, SPACE_UNKNOWN, 0),
					       .line = line };
}

static uint64_t session_since(const struct sessions *s, double at)
{
	return at > 0 && s->now > at && s->now - at < SESSION_SECONDS
		       ? (uint64_t)((s->now - at) * 1e9)
		       : 0;
}

static void session_add(struct sessions *s, const struct session *from)
{
	struct threads *t = s->c->threads;
	struct thread_row row = {
		.id = from->id,
		.state_text = from->state,
		.count = 1,
		.age_ns = from->state_ns ? from->state_ns : session_since(s, from->state_at),
		.transaction_ns = from->transaction_ns ? from->transaction_ns
						       : session_since(s, from->transaction_at),
		.line = from->line,
		.first_frame = (uint32_t)t->frames.len,
		.stack = STACK_ROOT,
		.state = from->kind,
	};

	session_frame(s, from->wait, from->line);
	session_frame(s, from->query, from->line);
	row.n_frames = row.depth = (uint32_t)t->frames.len - row.first_frame;
	for (uint32_t n = row.n_frames; n-- > 0;)
		row.stack = stacks_push(&s->c->profile->stacks, row.stack,
					t->frames.data[row.first_frame + n].sym);
	if (profile_add_sample(s->c->profile, row.stack, row.count) < 0)
		diag_count(&s->c->diag, &sessions_past, from->line);
	t->has_no_clock |= !from->state_ns && row.age_ns && !s->has_clock;
	*VEC_PUSH(&t->rows) = row;
}

/* Write the locks with is_kept to the capture, session by session. */
static void session_put_locks(struct sessions *s)
{
	struct threads *t = s->c->threads;
	/* for each lock: index of the next lock of its session, plus 1; 0: none */
	VEC(uint32_t) next = VEC_INIT;
	VEC(uint32_t) first = VEC_INIT;

	for (size_t i = 0; i < s->rows.len; i++)
		*VEC_PUSH(&first) = 0;
	for (size_t i = 0; i < s->locks.len; i++)
		*VEC_PUSH(&next) = 0;
	for (size_t i = s->locks.len; i-- > 0;) {
		uint32_t of = s->locks.data[i].session;

		next.data[i] = first.data[of];
		first.data[of] = (uint32_t)i + 1;
	}
	for (size_t r = 0; r < s->rows.len; r++) {
		t->rows.data[r].first_lock = (uint32_t)t->locks.len;
		for (uint32_t i = first.data[r]; i; i = next.data[i - 1]) {
			const struct session_lock *lock = &s->locks.data[i - 1];

			if (lock->is_kept)
				*VEC_PUSH(&t->locks) =
					(struct thread_lock){ .address = lock->address,
							      .type = lock->object,
							      .mode = lock->shown,
							      .line = lock->line,
							      .kind = lock->kind };
		}
		t->rows.data[r].n_locks = (uint32_t)t->locks.len - t->rows.data[r].first_lock;
	}
	VEC_FREE(&next);
	VEC_FREE(&first);
}

bool sessions_finish(struct sessions *s, const char *tool)
{
	struct profile *p;

	if (s->rows.len == 0)
		return false;
	p = capture_profile(s->c);
	p->unit = WEIGHT_SAMPLES;
	p->event = strings_add(capture_strings(s->c), STR("sessions"));
	p->n_samples = s->rows.len;
	p->has_n_samples = true;
	capture_threads(s->c)->dialect = strings_add(capture_strings(s->c), str_of(tool));
	s->c->threads->is_sessions = true;
	s->c->threads->has_no_waits = !s->has_waits;
	s->c->threads->snapshots = 1;
	VEC_FOREACH (row, &s->rows)
		session_add(s, row);
	session_relate(s);
	session_put_locks(s);
	capture_note(s->c, STR("printed by"), str_of(tool), s->c->first_line);
	return true;
}

double sessions_time(struct str s)
{
	uint64_t part[5];
	double seconds;
	uint64_t days;

	for (size_t i = 0; i < ARRAY_LEN(part); i++) {
		if (!str_u64(&s, &part[i]) || s.len == 0 || s.p[0] != "-- ::"[i] || part[i] > 9999)
			return 0;
		s = str_skip(s, 1);
	}
	s.len = str_find_char(s, '+') < s.len ? str_find_char(s, '+') : s.len;
	if (!str_double(&s, &seconds) || part[1] == 0 || part[1] > 12)
		return 0;
	/*
	 * number of days since a fixed date. Years are counted from March, so that the leap day is
	 * the last day of a year
	 */
	part[0] -= part[1] < 3;
	part[1] = (part[1] + 9) % 12;
	days = part[0] * 365 + part[0] / 4 - part[0] / 100 + part[0] / 400 +
	       (153 * part[1] + 2) / 5 + part[2];
	return (double)days * 86400 + (double)part[3] * 3600 + (double)part[4] * 60 + seconds;
}
