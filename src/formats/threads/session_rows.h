/* SPDX-License-Identifier: MIT */
/*
 * session_rows.h - sessions of a database as threads: what each does, waits for and holds
 *
 * Several tables may name a session: pg_stat_activity its state, pg_locks its locks. Its stack
 * has up to two frames: its wait, called by its statement. Literals in statements become '?', so
 * that equal statements form a group. A lock is the text of the locked object.
 */
#ifndef FORMATS_THREADS_SESSION_ROWS_H
#define FORMATS_THREADS_SESSION_ROWS_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

struct session {
	str_id id, state, wait, query;   /* STR_ID_NONE: missing */
	uint64_t state_ns;               /* time in its state; 0: missing */
	uint64_t transaction_ns;         /* age of the open transaction; 0: missing */
	double state_at, transaction_at; /* the same as time of day in seconds; 0: missing */
	uint32_t line;
	uint8_t kind; /* enum thread_state */
};

struct session_lock {
	uint64_t address; /* hash of the object */
	str_id object;
	uint32_t session;
	uint8_t mode;  /* bit of session_mode(); 0: unknown */
	uint32_t next; /* private */
	uint8_t kind;  /* enum thread_lock_kind */
	bool is_kept;  /* private */
};

struct sessions {
	struct capture *c;
	VEC(struct session) rows;
	VEC(struct session_lock) locks;
	struct idmap by_id;
	double now; /* the latest time in the text */
};

void sessions_fini(struct sessions *s);
/* The session @id, made on first use; NULL past LIMIT_ROWS. Borrowed until the next call. */
struct session *sessions_get(struct sessions *s, struct str id, uint32_t line);
/* @kind: enum thread_lock_kind; @mode as printed, empty where it does not matter. */
void sessions_lock(struct sessions *s, const struct session *of, struct str object, struct str mode,
		   unsigned int kind);
/* A statement with '?' for literals and single blanks; STR_ID_NONE: no statement. */
str_id sessions_query(struct sessions *s, struct str text);
/* Write all sessions to the capture. False: there are none. */
bool sessions_finish(struct sessions *s, const char *tool);

#endif
