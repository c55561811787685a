/* SPDX-License-Identifier: MIT */
/*
 * innodb_status.c - SHOW ENGINE INNODB STATUS: transactions, the latest deadlock, semaphores
 *
 * Each of these three sections becomes a separate dump, because the transactions of the deadlock no
 * longer exist. The locks that a transaction holds are printed only with
 * innodb_status_output_locks; the locks of a deadlock are always printed.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/threads/session_rows.h"

#include <stdio.h>

DECLARE_FORMAT(innodb_status);

/* maximum number of consecutive unknown lines inside the status */
#define INNODB_GAP    6u
#define INNODB_SCORE  98u
#define INNODB_LINE   4096u
#define INNODB_DATE   19u /* length of "2026-05-01 11:30:00" */
#define INNODB_OBJECT 200u
/* maximum age of a deadlock in seconds; a larger age means that a date is damaged */
#define INNODB_AGE 1e9
#define INNODB_ABOVE \
	262144u       /* bytes above a deadlock that are searched for the time of the status */
#define INNODB_ID 20u /* maximum number of digits of a thread id */
/* maximum number of transactions that are stored, so that locks can be assigned to them */
#define INNODB_TRANSACTIONS 256u
#define INNODB_SUPREMUM     ", the gap after its last row (supremum)"

static const struct diag_kind innodb_lines = { "innodb-status-lines", DIAG_INFO,
					       "lines of a status that are not read" };

enum innodb_line {
	INNODB_OTHER,
	INNODB_TRANSACTION, /* "---TRANSACTION 421, ACTIVE 4 sec" */
	INNODB_VICTIM,      /* "*** WE ROLL BACK TRANSACTION (2)" */
	INNODB_THREAD,      /* "MySQL thread id 51, …"; the statement is on the next line */
	/*
	 * Titles before the locks for which a transaction waits (INNODB_WAITS), or which it holds
	 * (INNODB_HOLDS)
	 */
	INNODB_WAITS,
	INNODB_HOLDS,
	INNODB_RECORDS, /* "RECORD LOCKS space id …" */
	INNODB_TABLE,   /* "TABLE LOCK table …" */
	INNODB_RECORD,  /* "Record lock, heap no 2 …" */
	INNODB_LATCH,   /* "--Thread 1 has waited at …" */
	INNODB_LATCH_AT,
	INNODB_LATCH_OWNER,
	INNODB_INNER,
};

/* Kinds of lines. Sources: storage/innobase: trx0trx.cc, lock0lock.cc, sync0arr.cc. */
static const struct {
	const char *pattern; /* str_glob pattern */
	uint8_t line;
} innodb_patterns[] = {
	{ "---TRANSACTION *, *|TRANSACTION *, ACTIVE *", INNODB_TRANSACTION },
	{ "MySQL thread id *|MariaDB thread id *", INNODB_THREAD },
	{ "TRX HAS BEEN WAITING * FOR THIS LOCK TO BE GRANTED:", INNODB_WAITS },
	{ "(*) WAITING FOR THIS LOCK TO BE GRANTED:|WAITING FOR THIS LOCK TO BE GRANTED:",
	  INNODB_WAITS },
	{ "(*) HOLDS THE LOCK(S):", INNODB_HOLDS },
	{ "RECORD LOCKS space id *", INNODB_RECORDS },
	{ "TABLE LOCK table *", INNODB_TABLE },
	{ "Record lock, heap no *", INNODB_RECORD },
	{ "Thread * has waited at * for * seconds the semaphore:", INNODB_LATCH },
	{ "*-lock on RW-latch at *|Mutex at *|Mutex *created *", INNODB_LATCH_AT },
	{ "a writer (thread id *) has reserved it *|Last time write locked *|"
	  "*holder thread *|Locked by thread *",
	  INNODB_LATCH_OWNER },
	{ "(*) TRANSACTION:|mysql tables in use *|LOCK WAIT *|* lock struct(s), *|* row lock(s)*|"
	  "ROLLING BACK *|Trx read view *|Trx #rec *|*: len *; hex *|number of readers *|"
	  "Last time read locked *|"
	  /*
	   * MariaDB since 10.6: the next line is a lock of another transaction, and names this
	   * transaction
	   */
	  "CONFLICTING WITH:",
	  INNODB_INNER },
};

static enum innodb_line innodb_line(struct str line, struct str *ret)
{
	line = str_trim(str_sub(line, 0, INNODB_LINE));
	if (str_starts(line, STR("---TRANSACTION ")) || line.len < 3) {
		*ret = str_skip(line, line.len < 3 ? 0 : 3);
		return line.len < 3 ? INNODB_OTHER : INNODB_TRANSACTION;
	}
	while (line.len && (line.p[0] == '-' || line.p[0] == '*'))
		line = str_skip(line, 1);
	*ret = line = str_ltrim(line);
	if (str_starts(line, STR("WE ROLL BACK TRANSACTION")))
		return INNODB_VICTIM;
	for (size_t i = 0; i < ARRAY_LEN(innodb_patterns); i++) {
		if (str_glob(str_of(innodb_patterns[i].pattern), line))
			return (enum innodb_line)innodb_patterns[i].line;
	}
	return INNODB_OTHER;
}

/*
 * The section of the status that starts at @line: 1 transactions, 2 deadlock, 3 semaphores; 0:
 * none. Each section becomes a capture.
 */
static unsigned int innodb_part(struct str line)
{
	struct str rest;

	line = str_ltrim(line);
	if (str_starts(line, STR("---TRANSACTION ")))
		return 1;
	if (str_starts(line, STR("*** (1) TRANSACTION:")))
		return 2;
	return str_starts(line, STR("--Thread ")) && innodb_line(line, &rest) == INNODB_LATCH ? 3
											      : 0;
}

static bool innodb_status_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	unsigned int part = 0, others = 0;
	bool is_statement = false;
	struct str line, inner;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		unsigned int begun = innodb_part(line);
		enum innodb_line kind;

		if (!part && !begun)
			continue;
		if (!part) {
			part = begun;
			*ret = (struct extent){ .from = at,
						.to = text.len - rest.len,
						.score = INNODB_SCORE };
		}
		if (begun && begun != part)
			break;
		kind = innodb_line(line, &inner);
		if (kind == INNODB_OTHER && !is_statement && ++others > INNODB_GAP)
			break;
		if (kind == INNODB_OTHER && !is_statement)
			continue;
		/*
		 * The line after "MySQL thread id 51, …" is the statement of the thread. If a
		 * statement has several lines, only the first line certainly belongs to the
		 * statement.
		 */
		is_statement = kind == INNODB_THREAD;
		others = 0;
		ret->to = text.len - rest.len;
	}
	return part > 0;
}

static unsigned int innodb_status_probe(struct str head)
{
	struct extent e;

	return innodb_status_find(head, 0, &e) ? 80 : 0;
}

/* A transaction and its session. Lines about locks name the transaction by its id. */
struct innodb_trx {
	struct str id; /* id of the transaction, a view of the input */
	uint32_t session;
};

struct innodb_reader {
	const struct region *in;
	struct sessions s;
	uint32_t session; /* index of the current session; INDEX_NONE: none */
	VEC(struct innodb_trx) transactions;
	uint32_t lock_session; /* index of the session to which the current lock belongs */
	struct str mode;       /* mode of the current lock, a view of the input */
	uint32_t lock_line;
	char object[INNODB_OBJECT];
	/* length of `object`, the name of the locked object; 0: there is no current lock */
	size_t object_len;
	enum thread_lock_kind kind;
	/*
	 * the previous line was a title such as "WAITING FOR THIS LOCK", so the next lock is a wait
	 */
	bool is_wanted;
	/*
	 * the last line was "MySQL thread id 51, …": the next line is the statement of the session
	 * if its kind is INNODB_OTHER
	 */
	bool is_statement;
	/*
	 * the current lock is not stored yet: a line "Record lock, heap no 2 …", which names the
	 * locked record, may follow
	 */
	bool is_pending;
};

/* The text in @line from @before up to @after; empty: @line does not contain @before. */
static struct str innodb_between(struct str line, const char *before, const char *after)
{
	size_t at = str_find(line, str_of(before));
	struct str rest = str_skip(line, at + strlen(before));

	return at < line.len ? str_trim(str_sub(rest, 0, str_find(rest, str_of(after)))) : STR_NONE;
}

static struct session *innodb_open(struct innodb_reader *r)
{
	return r->session == INDEX_NONE ? NULL : &r->s.rows.data[r->session];
}

/* Index of the session of the transaction with the id @id; INDEX_NONE: none yet. */
static uint32_t innodb_find(const struct innodb_reader *r, struct str id)
{
	VEC_FOREACH (t, &r->transactions) {
		if (str_eq(t->id, id))
			return t->session;
	}
	return INDEX_NONE;
}

static void innodb_know(struct innodb_reader *r, struct str id, const struct session *row)
{
	if (id.len && r->transactions.len < INNODB_TRANSACTIONS)
		*VEC_PUSH(&r->transactions) =
			(struct innodb_trx){ id, (uint32_t)(row - r->s.rows.data) };
}

/*
 * Set lock_session to the session of the transaction that @line, a line about a lock, names. The
 * line may be among the lines of another transaction.
 */
static void innodb_owner(struct innodb_reader *r, struct str line, uint32_t at)
{
	struct str id = innodb_between(line, " trx id ", " ");
	uint32_t found = innodb_find(r, id);
	char name[INNODB_ID + 8];
	struct session *row;

	r->lock_line = at;
	r->mode = str_skip(line, str_find(line, STR(" trx id ")));
	r->mode = str_skip(r->mode, str_find(r->mode, STR(" lock")));
	if (!str_take(&r->mode, STR(" lock mode ")) && !str_take(&r->mode, STR(" lock_mode ")))
		r->mode = STR_NONE;
	if (str_ends(r->mode, STR(" waiting")))
		r->mode.len -= strlen(" waiting");
	r->lock_session = found == INDEX_NONE ? r->session : found;
	if (found != INDEX_NONE || !id.len || id.len > INNODB_ID || r->session == INDEX_NONE ||
	    r->transactions.len == 0 || r->transactions.len == INNODB_TRANSACTIONS)
		return;
	(void)snprintf(name, sizeof(name), "trx " STR_FMT, STR_ARG(id));
	row = sessions_get(&r->s, str_of(name), at);
	if (!row)
		return;
	innodb_know(r, id, row);
	r->lock_session = (uint32_t)(row - r->s.rows.data);
}

static void innodb_lock(struct innodb_reader *r, struct str record)
{
	struct session *row =
		r->lock_session == INDEX_NONE ? NULL : &r->s.rows.data[r->lock_session];
	struct session_lock *lock;
	char object[INNODB_OBJECT + 64];
	size_t n = r->object_len;

	r->is_pending = false;
	if (!row || n == 0)
		return;
	memcpy(object, r->object, n);
	if (str_eq(record, STR("1"))) {
		/* heap number 1 is no row but the supremum of a page: page0types.h */
		memcpy(object + n, INNODB_SUPREMUM, sizeof(INNODB_SUPREMUM) - 1);
		n += sizeof(INNODB_SUPREMUM) - 1;
	} else if (record.len && record.len < 16) {
		memcpy(object + n, " record ", 8);
		memcpy(object + n + 8, record.p, record.len);
		n += 8 + record.len;
	}
	if (r->kind == THREAD_LOCK_WANTED)
		row->kind = THREAD_BLOCKED;
	lock = sessions_lock(&r->s, row, (struct str){ object, n }, STR_NONE, r->kind);
	if (!lock)
		return;
	lock->line = r->lock_line;
	if (r->mode.len)
		lock->shown = strings_add(capture_strings(r->s.c), str_sub(r->mode, 0, 64));
}

static void innodb_object(struct innodb_reader *r, struct str what, struct str page, bool is_wanted)
{
	/* @what is "72 index PRIMARY of table": remove the number of bits */
	what = str_skip(
		what, str_find(what, STR("index ")) < what.len ? str_find(what, STR("index ")) : 0);
	r->object_len = what.len < INNODB_OBJECT - 48 ? what.len : INNODB_OBJECT - 48;
	if (r->object_len)
		memcpy(r->object, what.p, r->object_len);
	if (page.len && page.len < 16) {
		memcpy(r->object + r->object_len, " page ", 6);
		memcpy(r->object + r->object_len + 6, page.p, page.len);
		r->object_len += 6 + page.len;
	}
	r->kind = is_wanted ? THREAD_LOCK_WANTED : THREAD_LOCK_HELD;
	r->is_pending = true;
}

static uint64_t innodb_seconds(struct str number)
{
	double seconds;

	return str_double(&number, &seconds) && seconds > 0 && seconds < 1e9
		       ? (uint64_t)(seconds * 1e9)
		       : 0;
}

static void innodb_transaction(struct innodb_reader *r, struct str line, uint32_t at)
{
	struct str id = innodb_between(line, "TRANSACTION ", ",");
	uint32_t found = innodb_find(r, id);
	struct session *row =
		found == INDEX_NONE ? sessions_get(&r->s, id, at) : &r->s.rows.data[found];
	struct str active = innodb_between(line, "ACTIVE", " sec");

	r->object_len = 0;
	r->is_pending = false;
	r->session = r->lock_session = row ? (uint32_t)(row - r->s.rows.data) : INDEX_NONE;
	if (!row)
		return;
	if (found == INDEX_NONE) {
		innodb_know(r, id, row);
	} else {
		/*
		 * an earlier lock named this transaction, so its session exists already: complete
		 * it
		 */
		row->id = strings_add(capture_strings(r->s.c), id);
		row->line = at;
	}
	/* the number of seconds is the last word of "(PREPARED) 4" or "4" */
	active = str_skip(active, str_rfind_char(active, ' ') < active.len
					  ? str_rfind_char(active, ' ') + 1
					  : 0);
	row->transaction_ns = innodb_seconds(active);
	row->kind = active.len ? THREAD_UNKNOWN : THREAD_WAITING;
	row->state = strings_add(capture_strings(r->s.c),
				 active.len ? STR("idle in transaction") : STR("idle"));
	row->wait = row->state;
}

static void innodb_statement(struct innodb_reader *r, struct str line)
{
	struct session *row = innodb_open(r);

	r->is_statement = false;
	/*
	 * a blank line, or the title of the next section, shows that the session has no statement
	 */
	if (!row || line.len == 0 || str_starts(line, STR("---")))
		return;
	row->query = sessions_query(&r->s, line);
	row->state = strings_add(capture_strings(r->s.c), STR("active"));
	row->wait = STR_ID_NONE;
	if (row->kind == THREAD_UNKNOWN || row->kind == THREAD_WAITING)
		row->kind = THREAD_RUNNING;
}

/* Read a line about a server thread that waits for a latch. */
static void innodb_latch(struct innodb_reader *r, enum innodb_line kind, struct str line,
			 uint32_t at)
{
	struct session *row = innodb_open(r);
	struct str owner = innodb_between(line, "thread id ", ")");

	if (kind == INNODB_LATCH) {
		row = sessions_get(&r->s, innodb_between(line, "Thread ", " has"), at);
		r->session = r->lock_session = row ? (uint32_t)(row - r->s.rows.data) : INDEX_NONE;
		r->lock_line = 0;
		r->mode = STR_NONE;
		if (!row)
			return;
		row->kind = THREAD_BLOCKED;
		row->state_ns = innodb_seconds(innodb_between(line, " for ", " seconds"));
		row->query = sessions_query(&r->s, innodb_between(line, " waited at ", " for "));
		row->wait = strings_add(capture_strings(r->s.c), STR("latch"));
	} else if (kind == INNODB_LATCH_AT && row) {
		struct str address = innodb_between(line, " at ", " ");

		innodb_object(r, address, STR_NONE, true);
		innodb_lock(r, STR_NONE);
	} else if (row && owner.len && r->object_len && !str_eq(owner, STR("0"))) {
		row = sessions_get(&r->s, owner, at);
		if (row)
			(void)sessions_lock(&r->s, row, (struct str){ r->object, r->object_len },
					    STR_NONE, THREAD_LOCK_HELD);
	}
}

/*
 * Set the session's id to the thread id, which KILL and the process list use instead of the
 * transaction id.
 */
static void innodb_thread(struct innodb_reader *r, struct str line)
{
	struct session *row = innodb_open(r);
	struct str id = innodb_between(line, "thread id ", ",");

	if (row && id.len && id.len <= INNODB_ID)
		row->id = strings_add(capture_strings(r->s.c), id);
}

static void innodb_take(struct innodb_reader *r, enum innodb_line kind, struct str line,
			uint32_t at)
{
	bool is_waiting = r->is_wanted || str_ends(line, STR(" waiting"));
	struct session *row = innodb_open(r);

	if (kind != INNODB_RECORD && r->is_pending)
		innodb_lock(r, STR_NONE);
	/*
	 * "LOCK WAIT 11 lock struct(s)" shows that the transaction is blocked, even if the lock is
	 * not printed
	 */
	if (row && str_starts(line, STR("LOCK WAIT ")))
		row->kind = THREAD_BLOCKED;
	switch (kind) {
	case INNODB_TRANSACTION:
		r->is_wanted = false;
		innodb_transaction(r, line, at);
		break;
	case INNODB_THREAD:
		innodb_thread(r, line);
		r->is_statement = true;
		break;
	case INNODB_WAITS:
		r->is_wanted = true;
		/*
		 * MariaDB since 10.6 prints microseconds, "2995950 us"; MySQL prints seconds, "3
		 * SEC"
		 */
		if (row && str_contains(line, STR(" us FOR ")))
			row->state_ns =
				innodb_seconds(innodb_between(line, "WAITING", " us")) / 1000000;
		else if (row && str_contains(line, STR(" SEC FOR ")))
			row->state_ns = innodb_seconds(innodb_between(line, "WAITING", "SEC"));
		break;
	case INNODB_HOLDS:
		r->is_wanted = false;
		break;
	case INNODB_RECORDS:
		innodb_object(r, innodb_between(line, " bits ", " trx id"),
			      innodb_between(line, "page no ", " "), is_waiting);
		innodb_owner(r, line, at);
		r->is_wanted = false;
		break;
	case INNODB_TABLE:
		innodb_object(r, innodb_between(line, "TABLE LOCK ", " trx id"), STR_NONE,
			      is_waiting);
		innodb_owner(r, line, at);
		r->is_wanted = false;
		break;
	case INNODB_RECORD:
		innodb_lock(r, innodb_between(line, "heap no ", " "));
		break;
	case INNODB_LATCH:
	case INNODB_LATCH_AT:
	case INNODB_LATCH_OWNER:
		innodb_latch(r, kind, line, at);
		break;
	default:
		break;
	}
}

static void innodb_note(struct innodb_reader *r, struct str line, uint32_t at)
{
	struct threads *t = capture_threads(r->s.c);

	*VEC_PUSH(&t->notes) =
		(struct thread_note){ .text = strings_add(capture_strings(r->s.c), line),
				      .line = at,
				      .kind = THREAD_NOTE_DEADLOCK };
}

/*
 * The time in the last title "... INNODB MONITOR OUTPUT" near the end of @text, in seconds
 * (sessions_time()). 0: no such title.
 */
static double innodb_now(struct str text)
{
	static const char title[] = " INNODB MONITOR OUTPUT";
	double now = 0;

	text = str_skip(text, text.len > INNODB_ABOVE ? text.len - INNODB_ABOVE : 0);

	for (size_t at = str_find(text, STR(title)); at < text.len;
	     at = str_find(text, STR(title))) {
		struct str line = str_sub(text, 0, at);

		line = str_skip(line, str_rfind_char(line, '\n') + 1);
		if (line.len >= INNODB_DATE)
			now = sessions_time(str_sub(line, 0, INNODB_DATE));
		text = str_skip(text, at + sizeof(title) - 1);
	}
	return now;
}

/*
 * Add a note with the date of the deadlock and its age. The date is on the line before the region.
 */
static void innodb_date(struct innodb_reader *r)
{
	const struct region *in = r->in;
	struct str text = in->doc->text;
	struct str above;
	double now, then;

	if (innodb_part(in->text) != 2 || in->text.p <= text.p || in->text.p > text.p + text.len)
		return;
	above = str_sub(text, 0, (size_t)(in->text.p - text.p) - 1);
	above = str_skip(above, str_rfind_char(above, '\n') + 1);
	if (above.len < INNODB_DATE || !char_is_digit(above.p[0]) ||
	    !str_glob(STR("*-*-* *:*:*"), str_sub(above, 0, INNODB_DATE)))
		return;
	innodb_note(r, str_sub(above, 0, INNODB_DATE), document_line(in->doc, in->first_line - 1));
	now = innodb_now(str_sub(text, 0, (size_t)(above.p - text.p)));
	then = sessions_time(str_sub(above, 0, INNODB_DATE));
	if (then > 0 && now > then && now - then < INNODB_AGE)
		capture_threads(r->s.c)->notes.data[capture_threads(r->s.c)->notes.len - 1].age_ns =
			(uint64_t)((now - then) * 1e9);
}

static int innodb_status_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct innodb_reader r = { .in = in, .session = INDEX_NONE, .lock_session = INDEX_NONE };
	struct str text = in->text;
	struct str line, inner;
	bool is_any;

	r.s.c = format_add_capture(&format_innodb_status, in, d);
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		enum innodb_line kind = innodb_line(line, &inner);

		if (kind == INNODB_OTHER && r.is_statement)
			innodb_statement(&r, str_trim(str_sub(line, 0, INNODB_LINE)));
		else if ((kind == INNODB_VICTIM && r.s.rows.len) || innodb_part(line) == 2)
			innodb_note(&r,
				    kind == INNODB_VICTIM ? inner : STR("LATEST DETECTED DEADLOCK"),
				    region_line(in, n));
		else if (kind == INNODB_OTHER && str_trim(line).len)
			diag_count(&r.s.c->diag, &innodb_lines, region_line(in, n));
		else
			innodb_take(&r, kind, inner, region_line(in, n));
		r.is_statement &= kind == INNODB_THREAD;
	}
	if (r.is_pending)
		innodb_lock(&r, STR_NONE);
	innodb_date(&r);
	/* a session for which the status prints no lock wait does not wait for a lock */
	r.s.has_waits = true;
	is_any = sessions_finish(&r.s, "InnoDB");
	sessions_fini(&r.s);
	VEC_FREE(&r.transactions);
	return is_any ? OK : fail(err, ERR_FORMAT, "no transaction found");
}

const struct format format_innodb_status = {
	.name = "innodb-status",
	.summary = "SHOW ENGINE INNODB STATUS: transactions, latest deadlock, semaphores",
	.kinds = KIND_PROFILE | KIND_THREADS,
	.probe = innodb_status_probe,
	.find = innodb_status_find,
	.read = innodb_status_read,
};
