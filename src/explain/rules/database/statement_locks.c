/* SPDX-License-Identifier: MIT */
/*
 * Slow statements are slow because they wait for locks.
 *
 * Thresholds: locks have a tenth of the time for a note. With three tenths or more they are a
 * main cause. If the lock time of a statement is longer than its total time, the log is wrong,
 * and the row is skipped.
 */
#include "explain/words/statement_words.h"

#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

DECLARE_RULE(statement_locks);

#define LOCKS_NOTE_PCT 10.0
#define LOCKS_LEAD_PCT 30.0
#define LOCKS_SURE     95u
/* subtracted from the score of a finding: more than the score of a share of 100 % */
#define LOCKS_BEHIND 110.0
/* certainty if the measured waits alone have less than LOCKS_NOTE_PCT */
#define LOCKS_SURE_HIDDEN 80u

struct locks_sum {
	double lock, time; /* sums over the statements with a printed lock time, ns */
	size_t top;        /* index of the statement with the longest lock time */
	size_t n;          /* number of statements with a printed lock time */
	/* time of statements that waited, although no line of the log says how long */
	double hidden;
	bool is_seen; /* a list of sessions shows one of these statements waiting */
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
 * Share of waits for locks in the time of the statements, percent, if statements whose wait is not
 * measured waited all the time.
 */
static double locks_most(const struct locks_sum *sum)
{
	double most = 100 * (sum->lock + sum->hidden) / sum->time;

	return most < 100 ? most : 100;
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
	char of[3][32];
	const char *name = statement_words_name(in, out, sum->top);
	const char *seen = sum->is_seen ? ". The list of sessions shows one of them waiting" : "";

	table_words_duration(sum->lock, of[0]);
	table_words_duration(sum->time, of[1]);
	table_words_duration(sum->hidden, of[2]);
	if (sum->hidden <= 0)
		finding_claim(out, f,
			      "%.0f %% of the time of %s statements (%s of %s) is waiting for "
			      "locks, mainly by '%s'",
			      share, t->is_statistics ? "the listed" : "slow", of[0], of[1], name);
	else if (sum->lock > 0)
		finding_claim(
			out, f,
			"At least %.0f %% of the time of slow statements (%s of %s) is "
			"waiting for locks, mainly by '%s'. Statements of %s waited, too, but "
			"no line says how long: it is up to %.0f %%%s",
			share, of[0], of[1], name, of[2], most, seen);
	else
		finding_claim(out, f,
			      "Up to %.0f %% of the time of slow statements (%s of %s) is waiting "
			      "for locks: these statements waited, but no line says how long%s",
			      most, of[2], of[1], seen);
	f->impact = share;
	/* the finding that names the session with the lock comes first */
	if (sum->is_seen)
		f->score -= LOCKS_BEHIND;
	finding_figure(f, "share of the time", share, 0, "%");
	if (sum->hidden > 0)
		finding_figure(f, "at most", most, 0, "%");
	finding_figure(f, "lock time", sum->lock / 1e9, 0, "s");
	statement_words_cite(in, out, f, t, sum->top);
	finding_cause(out, f, "Another transaction keeps the rows or the table locked");
	finding_because(out, f,
			sum->hidden > 0
				? "the server measured the waits of which it printed the end"
				: "the server measured the waits");
	finding_next(
		out, f,
		"while they wait, the blocking transaction and its age: pg_blocking_pids(pid) of "
		"PostgreSQL, sys.innodb_lock_waits of MySQL, db.currentOp({ waitingForLock: true "
		"}) of MongoDB");
}

static void locks_check(const struct rule_input *in, struct findings *out)
{
	struct statement_table t;
	struct locks_sum sum;

	if (!statement_words_table(in, &t))
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
