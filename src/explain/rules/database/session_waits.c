/* SPDX-License-Identifier: MIT */
/*
 * Most active sessions wait for the same resource: the disk, the log, or an internal lock of the
 * database. Rule session-lock reports locks of transactions.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
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

DECLARE_RULE(session_waits);

#define WAITS_LEAST 3u
#define WAITS_PART  0.5
#define WAITS_SURE  80u

/* deliberate waits, for a time that the program or the server chose: no resource is short */
#define WAITS_DELAYS                                                                        \
	"Timeout: VacuumDelay|Timeout: PgSleep|Timeout: BaseBackupThrottle|Timeout: "       \
	"RecoveryApplyDelay|Timeout: CheckpointWriteDelay|WAITFOR|SP_SERVER_DIAGNOSTICS_*|" \
	"BROKER_*|XE_*"

/* waits of processes for each other while they execute one query together */
#define WAITS_PEERS                                                                            \
	"IPC: MessageQueue*|IPC: ExecuteGather|IPC: Parallel*|IPC: BgWorker*|IPC: Hash*|IPC: " \
	"AppendReady|CXPACKET|CXCONSUMER|CXSYNC_*|PX Deq*"

/*
 * Causes by name of the wait. The first row whose pattern matches is used. Sources: PostgreSQL's
 * "Wait Event" tables, SQL Server's sys.dm_os_wait_stats.
 */
static const struct {
	const char *wait; /* pattern of the name that the database prints for the wait */
	const char *cause;
	const char *next;
} waits_known[] = {
	{ "IO: WAL*|LWLock: WAL*",
	  "Commits wait until the log is on disk: the disk of the log is slow, or commits are many "
	  "and small",
	  "measure the log's disk with pg_test_fsync; put several changes into one transaction" },
	{ "IO: DataFile*|IO: SLRURead|IO: BufFile*",
	  "Pages are read from disk: the data do not fit into memory, or a plan reads too much",
	  "EXPLAIN (ANALYZE, BUFFERS) of the statement: look for 'read=' and for sequential "
	  "scans" },
	{ "LWLock: lock_manager|LWLock: LockManager",
	  "Each statement locks more relations than the 16 fast ones of a session: many partitions "
	  "or indexes",
	  "count the partitions that the plan touches; prune them, or prepare the statement" },
	{ "LWLock: buffer_content|LWLock: BufferContent",
	  "Many sessions change the same page: a hot row, or inserts at the end of one index",
	  "find the table with pageinspect or pg_stat_user_tables; spread its keys" },
	{ "LWLock: *ubtrans*",
	  "Transactions with more than 64 savepoints, next to long transactions",
	  "look for savepoints or exception blocks in loops" },
	{ "LWLock: ProcArray*", "Snapshots of many connections contend",
	  "use fewer connections: a pooler" },
	{ "WRITELOG|LOGBUFFER",
	  "Commits wait until the log is on disk: the disk of the log is slow, or commits are many "
	  "and small",
	  "sys.dm_io_virtual_file_stats of the log file; put several changes into one "
	  "transaction" },
	{ "PAGEIOLATCH_*",
	  "Pages are read from disk: the data do not fit into memory, or a plan reads too much",
	  "take the actual plan of the statement: logical reads, and scans of large tables" },
	{ "PAGELATCH_*|LATCH_*",
	  "Many sessions change the same page: inserts at the end of one index, or pages of tempdb",
	  "wait_resource names the page; spread the keys, or add files to tempdb" },
	{ "RESOURCE_SEMAPHORE*",
	  "Statements wait for memory to sort and hash: grants are too large",
	  "sys.dm_exec_query_memory_grants: requested against used memory" },
	{ "THREADPOOL",
	  "No worker thread is free: too many sessions are blocked or run in parallel",
	  "sys.dm_os_waiting_tasks: what the other workers wait for" },
	{ "ASYNC_NETWORK_IO",
	  "The client does not fetch its rows: it is slow, or asks for too many",
	  "look at the client: does it process row by row while the statement is open" },
	{ WAITS_PEERS,
	  "The processes of a parallel query wait for each other, or for a leader whose client "
	  "does "
	  "not fetch rows: no resource is short",
	  "leader_pid of pg_stat_activity, or the tasks of the session: what the one process waits "
	  "for that the others need" },
	{ "IPC: SyncRep", "Commits wait for the synchronous standby",
	  "SELECT * FROM pg_stat_replication: write_lag, flush_lag, replay_lag" },
};

static void waits_explain(struct findings *out, struct finding *f, struct str wait)
{
	for (size_t i = 0; i < ARRAY_LEN(waits_known); i++) {
		if (!str_glob(str_of(waits_known[i].wait), wait))
			continue;
		finding_usual_cause(out, f, "%s", waits_known[i].cause);
		finding_next(out, f, "%s", waits_known[i].next);
		return;
	}
	finding_usual_cause(out, f, "The sessions wait for one resource of the database");
	finding_next(out, f,
		     "sample the sessions every second for a minute: a wait that stays in most "
		     "samples is the bottleneck");
}

/* Does session @row run a statement? Processes of the server itself wait without one. */
static bool waits_is_active(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);

	/*
	 * The first frame of a session is its wait, and the second its statement. Without a second
	 * frame, the state "active" shows that a statement runs.
	 */
	return r->n_frames > 1 ||
	       str_eq(strings_get(capture_strings(in->capture), r->state_text), STR("active"));
}

static bool waits_counts(const struct rule_input *in, uint32_t row)
{
	uint8_t kind = in->threads->rows.data[row].kind;
	struct str wait = thread_words_frame(in, row, 0);

	return waits_is_active(in, row) && !str_glob(STR(WAITS_DELAYS), wait) &&
	       (kind == THREAD_WAIT_DISK || kind == THREAD_WAIT_EVENT ||
		(kind == THREAD_WAIT_LOCK && str_glob(STR("LWLock*|PAGELATCH_*|LATCH_*"), wait)));
}

static void waits_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	uint64_t active = s->threads - s->waiting[THREAD_WAIT_IDLE];
	uint32_t best = INDEX_NONE;
	uint64_t most = 0;
	struct finding *f;

	if (thread_words_is_stateless(in, &rule_session_waits, out))
		return;
	if (in->capture->threads->has_no_waits) {
		finding_not_assessed(out, in, &rule_session_waits,
				     "the columns wait_event_type and wait_event",
				     "no column shows waits");
		return;
	}
	for (size_t g = 0; g < s->groups.len; g++) {
		uint32_t row = s->groups.data[g].row;
		sym_id wait = threads_summary_sym(s, row, 0);
		uint64_t n = 0;

		if (!waits_counts(in, row) || s->groups.data[g].threads * s->groups.len < most)
			continue;
		VEC_FOREACH (other, &s->groups)
			n += threads_summary_sym(s, other->row, 0).v == wait.v ? other->threads : 0;
		best = n > most ? row : best;
		most = n > most ? n : most;
	}
	if (most < WAITS_LEAST || (double)most < WAITS_PART * (double)active) {
		finding_clean(
			out, in, &rule_session_waits,
			"no wait for a resource has three sessions and half of the %llu active "
			"ones",
			(unsigned long long)active);
		return;
	}
	f = finding_add(out, in, &rule_session_waits,
			str_glob(STR(WAITS_PEERS), thread_words_frame(in, best, 0))
				? FINDING_NOTE
				: FINDING_WARNING,
			WAITS_SURE);
	finding_claim(out, f, "%llu of %llu active sessions wait for '" STR_FMT "'",
		      (unsigned long long)most, (unsigned long long)active,
		      STR_ARG(thread_words_frame(in, best, 0)));
	f->impact = 100.0 * (double)most / (double)s->threads;
	finding_figure(f, "sessions that wait for it", (double)most, 0, "");
	finding_figure(f, "active sessions", (double)active, 0, "");
	thread_words_cite(out, f, in, best);
	finding_because(out, f,
			"the wait is printed\n"
			"how long it lasts");
	waits_explain(out, f, thread_words_frame(in, best, 0));
}

const struct rule rule_session_waits = {
	.id = "session-waits",
	.title = "Sessions wait for one resource",
	.needs = RULE_SESSIONS,
	.check = waits_check,
	.is_measured = true,
};
