/* SPDX-License-Identifier: MIT */
/*
 * Slow statements are slow because they wait for locks.
 *
 * Thresholds: waits for locks take a tenth of the time for a note. From three tenths on they are a
 * main cause. If the lock time of a statement is longer than its total time, the log is wrong, and
 * the row is ignored.
 */
#include "explain/words/statement_words.h"

#include "base/str.h"
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

DECLARE_RULE(statement_locks);

#define LOCKS_NOTE_PCT 10.0
#define LOCKS_LEAD_PCT 30.0
#define LOCKS_SURE     95u
/*
 * This is subtracted from the score of a finding, so that all other findings come first. A share
 * adds at most 100 to a score.
 */
#define LOCKS_BEHIND 110.0
/*
 * certainty if the measured waits have less than LOCKS_NOTE_PCT of the time, and can have more only
 * together with waits of unknown length (locks_sum.hidden)
 */
#define LOCKS_SURE_HIDDEN 80u

struct locks_sum {
	double lock, time; /* sums over the statements with a printed lock time, ns */
	size_t top;        /* index of the statement with the longest lock time */
	size_t n;          /* number of statements with a printed lock time */
	/* time of statements that waited, but whose waiting time is not in the log, ns */
	double hidden;
	/* a list of sessions in the input shows a session that waits in one of these statements */
	bool is_seen;
};

static struct locks_sum locks_sum_of(const struct rule_input *in, const struct statement_table *t)
{
	struct locks_sum sum = { .top = 0 };
	double most = -1;

	for (size_t row = 0; row < t->n_rows; row++) {
		double lock = statement_words_value(in, row, t->lock);
		double time = statement_words_value(in, row, t->time);

		if (!(lock >= 0 && lock <= time))
			continue;
		sum.n++;
		sum.lock += lock;
		sum.time += time;
		if (lock > most) {
			most = lock;
			sum.top = row;
		}
	}
	sum.hidden = statement_words_unmeasured(in, &sum.is_seen);
	return sum;
}

/*
 * Largest possible share of waits for locks, in percent of the time of the statements. Statements
 * without a measured wait are assumed to have waited all the time.
 */
static double locks_most(const struct locks_sum *sum)
{
	double most = 100 * (sum->lock + sum->hidden) / sum->time;

	return most < 100 ? most : 100;
}

/* A lock, its holder and its queue, as the log prints them. */
struct locks_queue {
	uint64_t holder, head, length;
	double ns;       /* longest printed wait for the lock */
	struct str mode; /* mode that the head of the queue requests; empty: unknown */
	struct str object;
	bool has_holders; /* several processes held the lock, together or one after another */
};

/*
 * Parse the note "queue of a lock", which the reader of the log writes about the lock with the
 * longest queue. False: there is no note.
 */
static bool locks_queue_of(const struct rule_input *in, struct locks_queue *ret)
{
	struct str note = capture_note_of(in->capture, STR("queue of a lock"));
	size_t at;

	if (!str_u64(&note, &ret->holder))
		return false;
	ret->has_holders = str_take(&note, STR("+"));
	note = str_ltrim(note);
	if (!str_u64(&note, &ret->head))
		return false;
	note = str_ltrim(note);
	if (!str_u64(&note, &ret->length))
		return false;
	note = str_ltrim(note);
	if (!str_double(&note, &ret->ns))
		return false;
	note = str_ltrim(note);
	at = str_find_char(note, '|');
	ret->mode = str_sub(note, 0, at);
	ret->object = str_skip(note, at + 1);
	return true;
}

/* Sentence about the holder of the lock and the queue for it. */
static const char *locks_queue_text(struct findings *out, const struct locks_queue *q)
{
	unsigned long long behind = q->length - 1;
	char time[32];
	const char *mode = q->mode.len ? finding_name(out, ", for " STR_FMT, STR_ARG(q->mode)) : "";

	table_words_duration(q->ns, time);
	return finding_name(
		out,
		". Process %llu %s " STR_FMT ", for which others wait up to %s: process %llu is "
		"first in the queue%s%s",
		(unsigned long long)q->holder, q->has_holders ? "and others hold" : "holds",
		STR_ARG(q->object), time, (unsigned long long)q->head, mode,
		behind ? finding_name(out, ", and %llu wait%s behind it", behind,
				      behind == 1 ? "s" : "")
		       : "");
}

/* Set the cause and the next steps. They name the holder of the lock @q if the log prints it. */
static void locks_say_cause(struct findings *out, struct finding *f, const struct locks_queue *q)
{
	bool is_exclusive = q && str_eq(q->mode, STR("AccessExclusiveLock"));

	if (!q) {
		finding_cause(out, f, "Another transaction keeps the rows or the table locked");
		finding_next(out, f,
			     "while they wait, the blocking transaction and its age: "
			     "pg_blocking_pids(pid) of PostgreSQL, sys.innodb_lock_waits of MySQL, "
			     "db.currentOp({ waitingForLock: true }) of MongoDB");
		return;
	}
	finding_cause(
		out, f,
		is_exclusive && q->length > 1
			? "The transaction of process %llu stays open. The head of the queue "
			  "asks for the strongest lock (as ALTER, DROP, TRUNCATE, VACUUM FULL "
			  "do): all later statements on the table queue behind it"
			: "The transaction of process %llu stays open and keeps the lock",
		(unsigned long long)q->holder);
	finding_next(out, f,
		     "grep '\\[%llu\\]' LOG, or, while it is connected, select state, xact_start, "
		     "query from pg_stat_activity where pid = %llu: what its transaction does "
		     "and why it stays open",
		     (unsigned long long)q->holder, (unsigned long long)q->holder);
	if (is_exclusive)
		finding_next(out, f,
			     "SET lock_timeout = '2s' before such a statement, and repeat it: then "
			     "the queue behind it stays short");
}

static void locks_finding(const struct rule_input *in, struct findings *out,
			  const struct statement_table *t, const struct locks_sum *sum)
{
	double share = 100 * sum->lock / sum->time;
	double most = locks_most(sum);
	struct finding *f =
		finding_add(out, in, &rule_statement_locks,
			    share >= LOCKS_LEAD_PCT || (sum->is_seen && most >= LOCKS_LEAD_PCT)
				    ? FINDING_WARNING
				    : FINDING_NOTE,
			    share >= LOCKS_NOTE_PCT ? LOCKS_SURE : LOCKS_SURE_HIDDEN);
	struct locks_queue q;
	bool has_queue = locks_queue_of(in, &q);
	const char *queue = has_queue ? locks_queue_text(out, &q) : "";
	char of[3][32];
	const char *name = statement_words_name(in, out, sum->top);
	const char *seen = sum->is_seen ? ". The list of sessions shows one of them waiting" : "";

	table_words_duration(sum->lock, of[0]);
	table_words_duration(sum->time, of[1]);
	table_words_duration(sum->hidden, of[2]);
	if (sum->hidden <= 0)
		finding_claim(out, f,
			      "%.0f %% of the time of %s statements (%s of %s) is waiting for "
			      "locks, mainly by '%s'%s",
			      share, t->is_statistics ? "the listed" : "slow", of[0], of[1], name,
			      queue);
	else if (sum->lock > 0)
		finding_claim(
			out, f,
			"At least %.0f %% of the time of slow statements (%s of %s) is "
			"waiting for locks, mainly by '%s'. Statements of %s waited, too, but "
			"no line says how long: it is up to %.0f %%%s%s",
			share, of[0], of[1], name, of[2], most, seen, queue);
	else
		finding_claim(out, f,
			      "Up to %.0f %% of the time of slow statements (%s of %s) is waiting "
			      "for locks: these statements waited, but no line says how long%s%s",
			      most, of[2], of[1], seen, queue);
	f->impact = share;
	/*
	 * a finding about the list of sessions names the session that holds the lock, and must come
	 * first
	 */
	if (sum->is_seen)
		f->score -= LOCKS_BEHIND;
	finding_figure(f, "share of the time", share, 0, "%");
	if (sum->hidden > 0)
		finding_figure(f, "at most", most, 0, "%");
	finding_figure(f, "lock time", sum->lock / 1e9, 0, "s");
	statement_words_cite(in, out, f, t, sum->top);
	finding_because(out, f,
			sum->hidden > 0
				? "the server measured the waits of which it printed the end"
				: "the server measured the waits");
	locks_say_cause(out, f, has_queue ? &q : NULL);
}

static void locks_check(const struct rule_input *in, struct findings *out)
{
	struct statement_table t;
	struct locks_sum sum;

	if (!statement_words_table(in, &t) || t.is_timeless)
		return;
	sum = locks_sum_of(in, &t);
	if (sum.n == 0 || sum.time <= 0)
		finding_not_assessed(out, in, &rule_statement_locks,
				     "log_lock_waits = on (PostgreSQL)",
				     "this log has no lock times");
	else if (locks_most(&sum) >= LOCKS_NOTE_PCT)
		locks_finding(in, out, &t, &sum);
	else
		finding_clean(out, in, &rule_statement_locks,
			      "lock time is %.1f %% of the time of %zu statements",
			      100 * sum.lock / sum.time, sum.n);
}

static const char *const locks_explains[] = { "slow-statement", NULL };

const struct rule rule_statement_locks = {
	.id = "statement-locks",
	.title = "Slow statements wait for locks",
	.needs = RULE_METRICS,
	.explains = locks_explains,
	.check = locks_check,
};
