/* SPDX-License-Identifier: MIT */
/*
 * Sessions of a database wait for each other. If the text names the owners of locks, the waiting
 * sessions form a chain: each waits for the next. The finding names the session at the head of the
 * chain and its activity, or a cycle (deadlock). If owners are unknown, the finding reports the
 * wait, but no session as its cause.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/session_lock_names.h"
#include "explain/words/statement_words.h"

#include <stdlib.h>

DECLARE_RULE(session_lock);

#define SESSION_SURE          95u
#define SESSION_SURE_REPORTED 90u
#define SESSION_SURE_ALL      75u /* certainty if no owner is known */
/* a single waiting session is reported if it has waited at least this long */
#define SESSION_LONG_NS UINT64_C(10000000000)
#define SESSION_TIMEOUT                                                                       \
	"SET lock_timeout = '2s' before such a statement, and retry it: while it waits, all " \
	"later sessions queue behind it"
#define SESSION_STEPS 64u /* maximum number of sessions of a chain */
/*
 * PAGELATCH_* is a wait of SQL Server for a page in memory; PAGEIOLATCH_* is a wait for a read from
 * disk, and not meant here. Source: sys.dm_os_wait_stats.
 */
#define SESSION_PAGES "PAGELATCH_*"
/* locks inside the server, which no transaction holds; rule session-waits reports waits for them */
#define SESSION_LATCHES "LWLock*|PAGELATCH_*|LATCH_*"
#define SESSION_CITED   4u
/* the wait of a session whose table says only that it waits (pg_stat_activity before 9.6) */
#define SESSION_UNKNOWN "Lock: unknown"
/* a past deadlock that is older than a day is only a note */
#define SESSION_OLD_NS UINT64_C(86400000000000)
#define SESSION_OVER   ". It is over: the database rolled one of them back at once"

/* The sessions that wait for the session at the head of a chain. */
struct session_root {
	/*
	 * waiters: number of sessions that wait for the head, directly or through other sessions;
	 * direct: number of those that wait directly
	 */
	uint64_t waiters;
	uint64_t direct;
	uint64_t longest_ns; /* age of the oldest statement of the waiting sessions */
	uint32_t waiter;     /* row of the first waiting session */
};

static struct str session_state(const struct rule_input *in, uint32_t row)
{
	return strings_get(capture_strings(in->capture),
			   threads_summary_row(in->threads, row)->state_text);
}

static uint32_t session_owner(const struct threads_summary *s, uint32_t row)
{
	uint32_t lock = s->rows.data[row].wants;

	return lock == INDEX_NONE ? INDEX_NONE : s->locks.data[lock].owner;
}

/*
 * The head of the chain that contains session @row. The chain leads from each session to the owner
 * of its lock. Returns @row if it waits for no known session.
 */
static uint32_t session_head(const struct threads_summary *s, uint32_t row)
{
	for (unsigned int n = 0; n < SESSION_STEPS; n++) {
		uint32_t next = session_owner(s, row);

		if (next == INDEX_NONE)
			break;
		row = next;
	}
	return row;
}

/*
 * Find the head for which the most sessions wait. *@ret: these sessions. INDEX_NONE: the owner of
 * every lock is unknown.
 */
static uint32_t session_pick(const struct rule_input *in, struct session_root *ret)
{
	const struct threads_summary *s = in->threads;
	struct session_root *roots = xcalloc(s->rows.len + 1, sizeof(*roots));
	uint32_t best = INDEX_NONE;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		uint32_t head = session_head(s, i);
		struct session_root *r = &roots[head];

		if (head == i)
			continue;
		if (r->waiters++ == 0)
			r->waiter = i;
		r->direct += session_owner(s, i) == head;
		if (threads_summary_row(s, i)->age_ns > r->longest_ns)
			r->longest_ns = threads_summary_row(s, i)->age_ns;
		if (best == INDEX_NONE || r->waiters > roots[best].waiters)
			best = head;
	}
	if (best != INDEX_NONE)
		*ret = roots[best];
	free(roots);
	return best;
}

/*
 * Find the session between @head and most of the indirectly waiting sessions: it waits directly for
 * @head, and *@ret other sessions wait for it. INDEX_NONE: all sessions wait directly for @head.
 */
static uint32_t session_via(const struct threads_summary *s, uint32_t head, uint64_t *ret)
{
	uint64_t *n = xcalloc(s->rows.len + 1, sizeof(*n));
	uint32_t best = INDEX_NONE;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		uint32_t via = session_owner(s, i);

		if (via == INDEX_NONE || via == head)
			continue;
		for (unsigned int k = 0; k < SESSION_STEPS; k++) {
			uint32_t next = session_owner(s, via);

			if (next == head && ++n[via] && (best == INDEX_NONE || n[via] > n[best]))
				best = via;
			if (next == head || next == INDEX_NONE)
				break;
			via = next;
		}
	}
	*ret = best == INDEX_NONE ? 0 : n[best];
	free(n);
	return best;
}

/* The statement of session @row, truncated, as " (SELECT …)"; "": not printed. */
static const char *session_statement(const struct rule_input *in, struct findings *out,
				     uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	bool is_state = n == 1 && str_eq(thread_words_frame(in, row, 0), session_state(in, row));

	return n && !is_state
		       ? finding_name(out, " (%s)",
				      statement_words_cut(out, thread_words_frame(in, row, n - 1)))
		       : "";
}

/*
 * Whether session @row of PostgreSQL waits in a statement that locks a table against all others.
 * New sessions then queue after this statement, although the lock that is held now would not stop
 * them.
 */
static bool session_is_ddl(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	struct str tool = strings_get(capture_strings(in->capture), in->capture->threads->dialect);

	return n && str_eq(tool, STR("PostgreSQL")) &&
	       str_glob(STR("alter *|ALTER *|drop *|DROP *|truncate*|TRUNCATE*|vacuum full*|VACUUM "
			    "FULL*|cluster *|CLUSTER *|lock *|LOCK *|reindex*|REINDEX*"),
			thread_words_frame(in, row, n - 1));
}

/*
 * Next step for PostgreSQL up to 9.5, which prints the column "waiting". pg_blocking_pids() exists
 * since 9.6.
 */
#define SESSION_OLD_OWNER                                                                         \
	"SELECT w.pid, h.pid, h.mode FROM pg_locks w JOIN pg_locks h ON h.granted AND "           \
	"NOT w.granted AND h.relation = w.relation AND h.pid <> w.pid: h.pid holds the lock for " \
	"which w.pid waits"

/*
 * Next steps by database. The first row is for all databases that have no row of their own, such as
 * MySQL.
 */
static const struct {
	const char *tool;
	const char *end_idle;
	const char *find_owner;
	/*
	 * query that finds the owner of a metadata lock (on the definition of a table); NULL:
	 * find_owner finds this owner, too
	 */
	const char *find_metadata_owner;
} session_tools[] = {
	{ NULL, "KILL its id ends it now",
	  "SELECT * FROM sys.innodb_lock_waits: blocking_pid is the owner",
	  "SELECT * FROM sys.schema_table_lock_waits: blocking_pid is the owner" },
	{ "PostgreSQL",
	  "idle_in_transaction_session_timeout ends such sessions, pg_terminate_backend() this one",
	  "SELECT pid, pg_blocking_pids(pid), state, xact_start, query FROM pg_stat_activity: a "
	  "pid "
	  "that blocks and is not blocked is the owner" },
	{ "MariaDB", "KILL its id ends it now",
	  "SELECT * FROM information_schema.INNODB_LOCK_WAITS: the owner",
	  "SELECT * FROM information_schema.METADATA_LOCK_INFO (plugin metadata_lock_info): the "
	  "owner" },
	{ "SQL Server", "KILL its session_id ends it now; XACT_ABORT ON ends such transactions",
	  "SELECT session_id, blocking_session_id, wait_type, wait_resource FROM "
	  "sys.dm_exec_requests: a session that blocks and is not blocked is the owner" },
};

static size_t session_tool(const struct rule_input *in)
{
	struct str tool = strings_get(capture_strings(in->capture), in->capture->threads->dialect);

	for (size_t i = 1; i < ARRAY_LEN(session_tools); i++) {
		if (str_eq(tool, str_of(session_tools[i].tool)))
			return i;
	}
	return 0;
}

/*
 * The state of session @row for the claim, without "Waiting for ", which the claim already
 * contains: "table metadata lock".
 */
static struct str session_waited(const struct rule_input *in, uint32_t row)
{
	struct str ret = thread_words_frame(in, row, 0);

	if (!str_take(&ret, STR("Waiting for ")))
		(void)str_take(&ret, STR("waiting for "));
	return ret;
}

static const char *session_find_owner(const struct rule_input *in, uint32_t row)
{
	size_t tool = session_tool(in);

	if (str_eq(thread_words_frame(in, row, 0), STR(SESSION_UNKNOWN)))
		return SESSION_OLD_OWNER;
	return session_tools[tool].find_metadata_owner &&
			       str_contains(thread_words_frame(in, row, 0), STR("metadata lock"))
		       ? session_tools[tool].find_metadata_owner
		       : session_tools[tool].find_owner;
}

/*
 * Is the reported deadlock over? InnoDB prints the latest deadlock since the start of the server.
 */
static bool session_is_past(const struct rule_input *in)
{
	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->threads->dialect),
		    STR("InnoDB")))
		return false;
	VEC_FOREACH (n, &in->capture->threads->notes) {
		if (n->kind == THREAD_NOTE_DEADLOCK)
			return true;
	}
	return false;
}

/*
 * A clause that says when a past deadlock was, and how long before the dump. "": the time is not
 * printed.
 */
static const char *session_when(const struct rule_input *in, struct findings *out)
{
	const struct strings *strings = capture_strings(in->capture);

	VEC_FOREACH (n, &in->capture->threads->notes) {
		struct str text = strings_get(strings, n->text);

		if (n->kind != THREAD_NOTE_DEADLOCK || !text.len || !char_is_digit(text.p[0]))
			continue;
		return n->age_ns >= SESSION_OLD_NS
			       ? finding_name(out,
					      " of " STR_FMT " (%llu day%s before this status)",
					      STR_ARG(text),
					      (unsigned long long)(n->age_ns / SESSION_OLD_NS),
					      n->age_ns < 2 * SESSION_OLD_NS ? "" : "s")
			       : finding_name(out, " of " STR_FMT, STR_ARG(text));
	}
	return "";
}

/*
 * Severity of a deadlock: error if it lasts, warning if it is over, and note if it is older than a
 * day.
 */
static enum finding_severity session_severity(const struct rule_input *in)
{
	VEC_FOREACH (n, &in->capture->threads->notes) {
		if (n->kind == THREAD_NOTE_DEADLOCK && n->age_ns >= SESSION_OLD_NS)
			return FINDING_NOTE;
	}
	return session_is_past(in) ? FINDING_WARNING : FINDING_ERROR;
}

static void session_deadlock(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	bool is_past = session_is_past(in);
	struct finding *f =
		finding_add(out, in, &rule_session_lock, session_severity(in), SESSION_SURE);
	const char *text = finding_name(
		out, "%s%s: %s %s for each other in a cycle",
		is_past ? "Latest deadlock" : "Deadlock", session_when(in, out),
		thread_words_count(out, in, s->cycle.len), is_past ? "waited" : "wait");

	for (size_t i = 0; i < s->cycle.len && i < SESSION_CITED; i++) {
		uint32_t row = s->cycle.data[i];
		const struct thread_lock_seen *lock = &s->locks.data[s->rows.data[row].wants];

		text = finding_name(out, "%s; %s%s waits for %s, which %s holds", text,
				    thread_words_name(out, in, row),
				    session_statement(in, out, row),
				    finding_name(out, STR_FMT,
						 STR_ARG(strings_get(capture_strings(in->capture),
								     lock->type))),
				    thread_words_name(out, in, lock->owner));
		thread_words_cite(out, f, in, row);
	}
	finding_claim(out, f, "%s", text);
	finding_figure(f, "sessions in the cycle", (double)s->cycle.len, 0, "");
	finding_cause(out, f, "The transactions lock the same rows in different orders%s",
		      is_past ? SESSION_OVER : "");
	finding_because(out, f, "the text names the owner of each lock");
	finding_next(out, f,
		     "lock rows in one order everywhere, for example sorted by key; keep "
		     "transactions short, and repeat the one that the database rolls back");
}

static void session_blocked(const struct rule_input *in, struct findings *out, uint32_t head,
			    const struct session_root *r)
{
	const struct thread_row *row = threads_summary_row(in->threads, head);
	struct str state = session_state(in, head);
	bool is_idle = row->state == THREAD_WAITING || str_glob(STR("idle in transaction*"), state);
	bool is_long = is_idle || r->waiters > 1 || r->longest_ns >= SESSION_LONG_NS;
	bool is_page = str_glob(STR(SESSION_PAGES), thread_words_frame(in, r->waiter, 0));
	bool is_latch = str_eq(thread_words_frame(in, r->waiter, 0), STR("latch"));
	struct finding *f = finding_add(out, in, &rule_session_lock,
					is_long ? FINDING_WARNING : FINDING_NOTE, SESSION_SURE);
	bool is_queue = r->direct < r->waiters;
	uint64_t n_via;
	uint32_t via = session_via(in->threads, head, &n_via);
	const char *text;

	text = finding_name(out, "%s blocks %s", thread_words_name(out, in, head),
			    thread_words_count(out, in, r->waiters));
	if (via != INDEX_NONE && n_via == r->waiters - r->direct)
		text = finding_name(out, "%s, %llu of them through %s%s", text,
				    (unsigned long long)n_via, thread_words_name(out, in, via),
				    n_via > 1 ? session_statement(in, out, via) : "");
	else if (is_queue)
		text = finding_name(out, "%s, %llu of them through others", text,
				    (unsigned long long)(r->waiters - r->direct));
	if (is_idle)
		text = finding_name(out, "%s%s and does nothing: it is '" STR_FMT "'%s", text,
				    is_queue ? "," : "", STR_ARG(state),
				    session_statement(in, out, head));
	else if (state.len)
		text = finding_name(out, "%s%s and is '" STR_FMT "'%s", text, is_queue ? "," : "",
				    STR_ARG(state), session_statement(in, out, head));
	if (row->transaction_ns)
		text = finding_name(out, "%s. Its transaction has been open for at least %s", text,
				    thread_words_age(out, row->transaction_ns));
	if (r->longest_ns)
		text = finding_name(out, "%s. A blocked one has waited or run for at least %s",
				    text, thread_words_age(out, r->longest_ns));
	finding_claim(out, f, "%s", text);
	f->impact = 100.0 * (double)r->waiters / (double)in->threads->threads;
	finding_figure(f, "blocked sessions", (double)r->waiters, 0, "");
	finding_figure(f, "sessions", (double)in->threads->threads, 0, "");
	thread_words_cite(out, f, in, head);
	if (threads_summary_row(in->threads, r->waiter)->line != row->line)
		thread_words_cite(out, f, in, r->waiter);
	finding_cause_if(
		out, f, !is_latch && !is_page, "%s",
		is_page     ? "Sessions want one page in memory at once, each for a moment: an "
			      "allocation page (of tempdb, if the resource begins with 2:), or "
			      "the last page of an index"
		: is_latch  ? "The thread holds a latch inside the server during a long "
			      "operation, or waits itself"
		: is_idle   ? "The client began a transaction and does not end it: its locks "
			      "stay until COMMIT or ROLLBACK"
		: state.len ? "Its statement or transaction is long; locks stay until its end"
			    : "Locks stay until the end of its transaction");
	finding_because(out, f, "the text names who holds the lock");
	if (is_page)
		finding_next(out, f,
			     "tempdb: more data files of one size, memory-optimized metadata; an "
			     "index: OPTIMIZE_FOR_SEQUENTIAL_KEY or a key that does not only grow");
	else if (is_latch)
		finding_next(
			out, f,
			"gdb -p PID -batch -ex 'thread apply all bt': the stack of this thread "
			"says what it does");
	else if (is_idle)
		finding_next(out, f,
			     "find the code of this client that leaves its transaction open; %s",
			     session_tools[session_tool(in)].end_idle);
	else
		finding_next(out, f,
			     "look at this session first: the others go on when its transaction "
			     "ends");
	if (via != INDEX_NONE && session_is_ddl(in, via))
		finding_next(out, f, "%s", SESSION_TIMEOUT);
}

/*
 * The session that may own the locks: the oldest one that is idle in a transaction. INDEX_NONE:
 * none.
 */
static uint32_t session_suspect(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;
	uint32_t found = INDEX_NONE;
	uint64_t oldest = 0;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		uint64_t age = threads_summary_row(s, i)->transaction_ns;

		if (!str_glob(STR("idle in transaction*"), session_state(in, i)) ||
		    (found != INDEX_NONE && age <= oldest))
			continue;
		found = i;
		oldest = age;
	}
	return found;
}

/*
 * A session that may own the metadata locks: it changes a table, and has run longer than any
 * session has waited. INDEX_NONE: there is none, or several.
 */
static uint32_t session_changer(const struct rule_input *in, uint64_t longest)
{
	const struct threads_summary *s = in->threads;
	uint32_t found = INDEX_NONE;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *row = threads_summary_row(s, i);

		if (row->n_frames == 0 || row->age_ns <= longest || row->snapshot != s->snapshot ||
		    s->rows.data[i].kind == THREAD_WAIT_LOCK ||
		    !str_glob(STR(SESSION_CHANGES), thread_words_frame(in, i, row->n_frames - 1)))
			continue;
		if (found != INDEX_NONE)
			return INDEX_NONE;
		found = i;
	}
	return found;
}

/*
 * Add a finding about waiting sessions if the text does not name the owner of the lock. False: no
 * session waits, or a single one waits less than SESSION_LONG_NS.
 */
static bool session_unowned(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	uint64_t n = 0;
	uint32_t suspect = session_suspect(in);
	uint32_t changer = INDEX_NONE;
	uint32_t first = INDEX_NONE;
	uint64_t longest = 0;
	const char *owner = "";
	const char *text;
	const char *age;
	struct finding *f;
	bool is_ddl;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		if (s->rows.data[i].kind != THREAD_WAIT_LOCK ||
		    threads_summary_row(s, i)->snapshot != s->snapshot ||
		    str_glob(STR(SESSION_LATCHES), thread_words_frame(in, i, 0)))
			continue;
		n++;
		if (first == INDEX_NONE || threads_summary_row(s, i)->age_ns > longest) {
			first = i;
			longest = threads_summary_row(s, i)->age_ns;
		}
	}
	if (first == INDEX_NONE || (n < 2 && longest < SESSION_LONG_NS))
		return false;
	if (str_contains(thread_words_frame(in, first, 0), STR("metadata lock")))
		changer = session_changer(in, longest);
	f = finding_add(out, in, &rule_session_lock, FINDING_WARNING, SESSION_SURE_ALL);
	if (changer != INDEX_NONE)
		owner = finding_name(
			out, ", possibly held by %s%s, which has run for at most %s",
			thread_words_name(out, in, changer), session_statement(in, out, changer),
			thread_words_age_most(out, threads_summary_row(s, changer)->age_ns));
	if (longest && in->capture->threads->has_no_clock)
		age = finding_name(out, ", %s that began %s before the newest one",
				   n > 1 ? "the oldest in a statement" : "in a statement",
				   thread_words_age(out, longest));
	else
		age = longest ? finding_name(out, "%s for at most %s", n > 1 ? ", the longest" : "",
					     thread_words_age_most(out, longest))
			      : "";
	text = n > 1 ? finding_name(out, "%llu of %s wait for a lock", (unsigned long long)n,
				    thread_words_count(out, in, s->threads))
		     : finding_name(out, "%s waits for a lock", thread_words_name(out, in, first));
	is_ddl = n > 1 && longest && session_is_ddl(in, first);
	if (is_ddl)
		owner = finding_name(out, ": %s%s, and the others may queue behind it",
				     thread_words_name(out, in, first),
				     session_statement(in, out, first));
	if (is_ddl)
		finding_claim(out, f, "%s%s%s", text, age, owner);
	else if (str_eq(session_waited(in, first), STR(SESSION_UNKNOWN)))
		finding_claim(out, f, "%s%s%s%s%s%s", text, age, owner,
			      n < 2     ? ""
			      : longest ? ": "
					: "; one is ",
			      n > 1 ? thread_words_name(out, in, first) : "",
			      threads_summary_row(s, first)->n_frames > 1
				      ? session_statement(in, out, first)
				      : "");
	else
		finding_claim(
			out, f, "%s%s%s; %s '" STR_FMT "'%s", text, age, owner,
			n > 1 ? finding_name(out, "%s waits for", thread_words_name(out, in, first))
			      : "it waits for",
			STR_ARG(session_waited(in, first)),
			threads_summary_row(s, first)->n_frames > 1
				? session_statement(in, out, first)
				: "");
	f->impact = 100.0 * (double)n / (double)s->threads;
	finding_figure(f, "sessions that wait for a lock", (double)n, 0, "");
	finding_figure(f, "sessions", (double)s->threads, 0, "");
	thread_words_cite(out, f, in, first);
	if (suspect != INDEX_NONE) {
		thread_words_cite(out, f, in, suspect);
		finding_usual_cause(
			out, f,
			"Another session holds the lock, possibly %s, which is idle in its "
			"transaction",
			thread_words_name(out, in, suspect));
	} else if (changer != INDEX_NONE) {
		thread_words_cite(out, f, in, changer);
		finding_usual_cause(
			out, f,
			"A statement that changes a table locks its definition until it "
			"ends");
	} else if (is_ddl) {
		finding_usual_cause(
			out, f,
			"This statement needs the table for itself: it waits for the end of an "
			"older "
			"transaction, and each later session on the table waits for it");
	} else {
		finding_usual_cause(
			out, f,
			"Another session holds the lock: an open transaction, or a long one");
	}
	finding_because(out, f,
			"the text shows the wait\n"
			"the owner of the lock");
	finding_next(out, f, "%s", session_find_owner(in, first));
	if (is_ddl)
		finding_next(out, f, "%s", SESSION_TIMEOUT);
	return true;
}

/*
 * The mode in which session @row requests or holds the lock @address: "X insert intention". "": the
 * mode is not printed. *@ret_line: the line that names the lock; 0: none.
 */
static const char *session_mode_of(const struct rule_input *in, struct findings *out, uint32_t row,
				   uint64_t address, uint32_t *ret_line)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_lock *locks = threads_locks(in->capture->threads, r);

	*ret_line = 0;
	for (uint32_t i = 0; i < r->n_locks; i++) {
		if (locks[i].address != address)
			continue;
		*ret_line = locks[i].line;
		if (locks[i].mode.v)
			return finding_name(
				out, STR_FMT,
				STR_ARG(strings_get(capture_strings(in->capture), locks[i].mode)));
	}
	return "";
}

/*
 * Clause for a reported deadlock about one session and the owner of its lock: ": session 12 waits
 * for X on index PRIMARY of table `d`.`t`, where session 7 holds S". "": no owner is known.
 */
static const char *session_pair(const struct rule_input *in, struct findings *out,
				struct finding *f)
{
	const struct threads_summary *s = in->threads;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_lock_seen *lock;
		const char *wants, *has;
		uint32_t want_line, has_line;

		if (s->rows.data[i].wants == INDEX_NONE)
			continue;
		lock = &s->locks.data[s->rows.data[i].wants];
		if (lock->owner == INDEX_NONE)
			continue;
		wants = session_mode_of(in, out, i, lock->address, &want_line);
		has = session_mode_of(in, out, lock->owner, lock->address, &has_line);
		if (want_line)
			finding_evidence(out, f, in, want_line, "the lock that it waits for");
		if (has_line)
			finding_evidence(out, f, in, has_line, "the lock in the way");
		return finding_name(out, ": %s waits for %s%s" STR_FMT ", where %s holds %s",
				    thread_words_name(out, in, i), wants, *wants ? " on " : "",
				    STR_ARG(strings_get(capture_strings(in->capture), lock->type)),
				    thread_words_name(out, in, lock->owner), *has ? has : "a lock");
	}
	return "";
}

/*
 * Append to @text the lock for which session @row waits: "; session 12 (UPDATE t …) waits for
 * index PRIMARY of table `d`.`t`".
 */
static const char *session_wish(const struct rule_input *in, struct findings *out, const char *text,
				uint32_t row)
{
	const struct threads_summary *s = in->threads;
	const struct thread_lock_seen *lock = &s->locks.data[s->rows.data[row].wants];

	return finding_name(out, "%s; %s%s waits for " STR_FMT, text,
			    thread_words_name(out, in, row), session_statement(in, out, row),
			    STR_ARG(strings_get(capture_strings(in->capture), lock->type)));
}

/*
 * Append to @text the first lock that session @row holds: "; session 12 (UPDATE t …) holds index
 * PRIMARY of table `d`.`t`". If the session holds none, append only its name and statement.
 */
static const char *session_has(const struct rule_input *in, struct findings *out, const char *text,
			       uint32_t row)
{
	const struct threads_summary *s = in->threads;

	text = finding_name(out, "%s; %s%s", text, thread_words_name(out, in, row),
			    session_statement(in, out, row));
	VEC_FOREACH (lock, &s->locks) {
		if (lock->owner == row)
			return finding_name(
				out, "%s holds " STR_FMT, text,
				STR_ARG(strings_get(capture_strings(in->capture), lock->type)));
	}
	return text;
}

/*
 * Add a finding about a deadlock that the database reports without the whole cycle. Returns false
 * if there is no such report.
 */
static bool session_reported(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const struct thread_note *note = NULL;
	bool is_past = session_is_past(in);
	const char *text, *pair;
	struct finding *f;
	uint32_t cited = 0;

	VEC_FOREACH (n, &in->capture->threads->notes) {
		if (n->kind == THREAD_NOTE_DEADLOCK && !note)
			note = n;
	}
	if (!note)
		return false;
	f = finding_add(out, in, &rule_session_lock, session_severity(in), SESSION_SURE_REPORTED);
	pair = session_pair(in, out, f);
	text = *pair ? finding_name(out, "%s%s%s. The text lacks a part of the cycle",
				    is_past ? "Latest deadlock" : "Deadlock", session_when(in, out),
				    pair)
		     : finding_name(out, "%s%s, as the database reports: the text has %s of it",
				    is_past ? "Latest deadlock" : "Deadlock", session_when(in, out),
				    thread_words_count(out, in, s->threads));
	for (uint32_t i = 0; i < s->rows.len && cited < SESSION_CITED; i++) {
		text = s->rows.data[i].wants == INDEX_NONE ? session_has(in, out, text, i)
							   : session_wish(in, out, text, i);
		thread_words_cite(out, f, in, i);
		cited++;
	}
	finding_claim(out, f, "%s", text);
	finding_evidence(out, f, in, note->line, "the report");
	finding_figure(f, "sessions", (double)s->threads, 0, "");
	if (str_contains(str_of(pair), STR("insert intention")))
		finding_usual_cause(
			out, f,
			"An INSERT waits for a gap between rows that the other "
			"transaction has locked, as a locking read, an UPDATE or a "
			"DELETE does under REPEATABLE READ; that one waits for a lock of "
			"this transaction%s",
			is_past ? SESSION_OVER : "");
	else
		finding_cause(out, f, "The transactions lock the same rows in different orders%s",
			      is_past ? SESSION_OVER : "");
	finding_because(out, f,
			"only the section LATEST DETECTED DEADLOCK has such a title; a part of the "
			"cycle is missing");
	finding_next(
		out, f,
		"SHOW ENGINE INNODB STATUS, whole: the statement and locks of each; then lock "
		"rows in one order everywhere, and repeat the transaction that was rolled back");
	finding_next(
		out, f,
		"SET GLOBAL innodb_print_all_deadlocks = ON: each one is in the error log; the "
		"status keeps only the latest");
	return true;
}

static void session_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	struct session_root root = { .waiter = INDEX_NONE };
	uint32_t head;

	if (thread_words_is_stateless(in, &rule_session_lock, out))
		return;
	if (s->cycle.len) {
		session_deadlock(in, out);
		return;
	}
	if (session_reported(in, out))
		return;
	head = session_pick(in, &root);
	if (head != INDEX_NONE && session_owner(s, head) == INDEX_NONE)
		session_blocked(in, out, head, &root);
	else if (in->capture->threads->has_no_waits)
		finding_not_assessed(out, in, &rule_session_lock,
				     "the columns wait_event_type and wait_event",
				     "no column shows waits");
	else if (!session_unowned(in, out))
		finding_clean(out, in, &rule_session_lock, "%llu of %s wait for a lock",
			      (unsigned long long)s->waiting[THREAD_WAIT_LOCK],
			      thread_words_count(out, in, s->threads));
}

const struct rule rule_session_lock = {
	.id = "session-lock",
	.title = "Sessions blocked by a transaction",
	.needs = RULE_SESSIONS,
	.check = session_check,
	.is_measured = true,
};
