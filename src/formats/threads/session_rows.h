/* SPDX-License-Identifier: MIT */
/*
 * session_rows.h - sessions of a database as threads: their state, waits and locks
 *
 * Several tables may describe a session: pg_stat_activity has its state, pg_locks its locks. The
 * stack of a session has up to two frames: the statement and, as its callee, the wait. Literals in
 * statements become '?', so that equal statements form a group. The text of the locked object
 * identifies a lock.
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
	uint64_t state_ns;             /* time since the session entered its state; 0: unknown */
	uint64_t transaction_ns;       /* age of the open transaction; 0: unknown */
	/*
	 * start of the state, and of the transaction, as sessions_time() returns them; 0: unknown
	 */
	double state_at, transaction_at;
	uint32_t line;
	uint8_t kind; /* enum thread_state */
	/* the text prints which sessions block this one; its other waits are then dropped */
	bool is_owner_printed;
};

struct session_lock {
	uint64_t address; /* hash of the text of the locked object */
	str_id object;
	str_id shown; /* the printed mode; STR_ID_NONE: not printed */
	uint32_t session;
	uint32_t line; /* line that names the lock; 0: unknown */
	uint8_t mode;  /* bit of the lock mode, in session_modes of session_rows.c; 0: unknown */
	/* 1 + index of the next lock held on the same object; 0: none. Private to session_rows.c */
	uint32_t next;
	uint8_t kind; /* enum thread_lock_kind */
	/* the lock is a wait, or blocks a waiting session; private to session_rows.c */
	bool is_kept;
	/* the lock stands for a session that the text prints as the blocker */
	bool is_owner_printed;
};

struct sessions {
	struct capture *c;
	VEC(struct session) rows;
	VEC(struct session_lock) locks;
	struct idmap by_id;
	bool has_waits; /* a table has a column that shows waits */
	bool has_clock; /* a column has the time of the dump */
	/* latest time in the text, as sessions_time() returns it; not later than the dump */
	double now;
};

void sessions_fini(struct sessions *s);
/*
 * The session with the id @id, which is added if it is new. NULL: LIMIT_ROWS is reached. The next
 * call may move the session in memory.
 */
struct session *sessions_get(struct sessions *s, struct str id, uint32_t line);
/*
 * Add a lock that session @of holds or waits for. @kind: enum thread_lock_kind. @mode: the mode as
 * printed, such as "ShareLock"; empty: unknown. NULL: LIMIT_ROWS is reached. The next call may
 * move the result.
 */
struct session_lock *sessions_lock(struct sessions *s, const struct session *of, struct str object,
				   struct str mode, unsigned int kind);
/*
 * The statement @text with '?' instead of literals, and with single blanks; STR_ID_NONE: @text is
 * no statement.
 */
str_id sessions_query(struct sessions *s, struct str text);
/*
 * Convert "2024-03-01 10:00:09.5+00" to seconds since an arbitrary date; 0: not a time. The time
 * zone is ignored, because all times of a text are assumed to have the same zone.
 */
double sessions_time(struct str s);
/* Write all sessions to the capture. False: there are no sessions. */
bool sessions_finish(struct sessions *s, const char *tool);

#endif
