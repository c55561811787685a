/* SPDX-License-Identifier: MIT */
/*
 * session_rows.h - sessions of a database as threads: their state, waits and locks
 *
 * Several tables may describe the same session: pg_stat_activity has its state, pg_locks its locks.
 * The stack of a session has up to two frames: the statement and, as its callee, the wait. Literals
 * in statements become '?', so that equal statements form a group. Locks on objects with the same
 * text are locks on the same object.
 */
#ifndef FORMATS_THREADS_SESSION_ROWS_H
#define FORMATS_THREADS_SESSION_ROWS_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct session {
	str_id id, state, wait, query; /* STR_ID_NONE: unknown */
	/* time for which the session has been in its state; 0: unknown */
	uint64_t state_ns;
	uint64_t transaction_ns; /* age of the open transaction; 0: unknown */
	/* times at which the state and the transaction began (sessions_time()); 0: unknown */
	double state_at, transaction_at;
	uint32_t line;
	uint8_t kind; /* enum thread_state */
	/* the text prints which sessions block this one, so its other waits are dropped */
	bool is_owner_printed;
};

struct session_lock {
	uint64_t address; /* hash of the text of the locked object */
	str_id object;
	str_id shown; /* mode as printed; STR_ID_NONE: not printed */
	uint32_t session;
	uint32_t line; /* line number at which the lock is named; 0: unknown */
	/* bit of the mode's row in session_modes of session_rows.c; 0: unknown mode */
	uint8_t mode;
	/*
	 * index of the next lock held on the same object, plus 1; 0: none. Only for session_rows.c
	 */
	uint32_t next;
	uint8_t kind; /* enum thread_lock_kind */
	/* the lock is a wait, or it blocks a waiting session. Only for session_rows.c */
	bool is_kept;
	/*
	 * the lock is a wait for a session that the text prints as blocker; `object` names this
	 * session, as in "session 20114"
	 */
	bool is_owner_printed;
};

struct sessions {
	struct capture *c;
	VEC(struct session) rows;
	VEC(struct session_lock) locks;
	struct idmap by_id;
	bool has_waits; /* a table has a column that shows waits */
	bool has_clock; /* a table has a column with the time of the dump */
	/* latest time in the text (sessions_time()); the dump cannot be older */
	double now;
};

void sessions_fini(struct sessions *s);
/*
 * The session with the id @id. If there is none, a session is added. NULL: LIMIT_ROWS is reached. A
 * later call may move the session in memory.
 */
struct session *sessions_get(struct sessions *s, struct str id, uint32_t line);
/*
 * Add a lock that session @of holds or for which it waits. @kind: enum thread_lock_kind. @mode: the
 * mode as printed, such as "ShareLock"; empty: unknown. NULL: LIMIT_ROWS is reached. A later call
 * may move the lock in memory.
 */
struct session_lock *sessions_lock(struct sessions *s, const struct session *of, struct str object,
				   struct str mode, unsigned int kind);
/*
 * The statement in @text, with '?' instead of literals, and with single blanks. STR_ID_NONE: @text
 * is no statement.
 */
str_id sessions_query(struct sessions *s, struct str text);
/*
 * Convert "2024-03-01 10:00:09.5+00" to seconds since a fixed date; 0: @s is no time. The time zone
 * is ignored, because all times of a text are assumed to have the same zone.
 */
double sessions_time(struct str s);
/* Write all sessions to the capture. @tool: name of the database. False: there are no sessions. */
bool sessions_finish(struct sessions *s, const char *tool);

#endif
