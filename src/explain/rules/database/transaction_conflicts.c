/* SPDX-License-Identifier: MIT */
/*
 * Transactions of pgbench fail, or run again, because concurrent transactions conflict.
 *
 * pgbench counts only two kinds of errors as failed: serialization failures and deadlocks. All
 * other errors end the client, unless --continue-on-error counts them separately.
 *
 * Thresholds for a note: 1 % of the transactions failed, or 10 % of all tries ended in a conflict.
 * For a warning: 10 % and 50 %. Fewer than 100 transactions are too few. Sources: pgbench(1),
 * "Failures and Serialization/Deadlock Retries"; src/bin/pgbench/pgbench.c, printResults().
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(transaction_conflicts);

#define CONFLICTS_LEAST       100.0
#define CONFLICTS_FAILED_NOTE 1.0
#define CONFLICTS_FAILED_LEAD 10.0
#define CONFLICTS_TRIES_NOTE  10.0
#define CONFLICTS_TRIES_LEAD  50.0
#define CONFLICTS_SURE        95u
#define CONFLICTS_TEXT        100u

/* Rows of the report; NULL: not printed. */
struct conflicts {
	const struct counter *processed, *failed, *serialization, *deadlock, *other, *retries;
	/*
	 * all: number of transactions; conflicted: number of those that failed because of a
	 * conflict
	 */
	double all, conflicted;
	double failed_pct;
	double tries_pct; /* share of all tries that ended in a conflict */
};

static double conflicts_count(const struct counter *row)
{
	return row && row->state == COUNTER_COUNTED ? fmax(0, counter_value(row)) : 0;
}

static bool conflicts_read(const struct rule_input *in, struct conflicts *ret)
{
	const struct strings *strings = capture_strings(in->capture);
	double tries;

	*ret = (struct conflicts){ .all = 0 };
	if (!str_eq(strings_get(strings, in->capture->counters->tool), STR("pgbench")))
		return false;
	VEC_FOREACH (row, &in->capture->counters->rows) {
		struct str name = strings_get(strings, row->name);
		const struct counter **of =
			str_eq(name, STR("number of transactions actually processed"))
				? &ret->processed
			: str_eq(name, STR("number of failed transactions")) ? &ret->failed
			: str_eq(name, STR("number of serialization failures"))
				? &ret->serialization
			: str_eq(name, STR("number of deadlock failures")) ? &ret->deadlock
			: str_eq(name, STR("number of other failures"))    ? &ret->other
			: str_eq(name, STR("total number of retries"))     ? &ret->retries
									   : NULL;

		if (of && !*of)
			*of = row;
	}
	if (!ret->processed || (!ret->failed && !ret->retries))
		return false;
	ret->all = conflicts_count(ret->processed) + conflicts_count(ret->failed);
	ret->conflicted = fmax(0, conflicts_count(ret->failed) - conflicts_count(ret->other));
	tries = ret->all + conflicts_count(ret->retries);
	ret->failed_pct = ret->all > 0 ? 100 * ret->conflicted / ret->all : 0;
	ret->tries_pct =
		tries > 0 ? 100 * (ret->conflicted + conflicts_count(ret->retries)) / tries : 0;
	return true;
}

/*
 * Find the statement that sets the isolation level. It is in another capture of the input, since
 * pgbench -r prints the statements of its script. Empty: none.
 */
static struct str conflicts_level(const struct rule_input *in, uint32_t *ret_number,
				  uint32_t *ret_line)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (!c->profile)
			continue;
		VEC_FOREACH (row, &c->profile->table.rows) {
			struct str name = symbols_name(capture_symbols(c), row->sym);

			if (!str_contains_nocase(name, STR("ISOLATION LEVEL SERIALIZABLE")) &&
			    !str_contains_nocase(name, STR("ISOLATION LEVEL REPEATABLE READ")))
				continue;
			*ret_number = i;
			*ret_line = row->line;
			return str_sub(name, 0, CONFLICTS_TEXT);
		}
	}
	return STR_NONE;
}

static void conflicts_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct counter *row)
{
	if (row)
		finding_evidence(out, f, in, row->line, STR_FMT " %.0f",
				 STR_ARG(strings_get(capture_strings(in->capture), row->name)),
				 counter_value(row));
}

/*
 * The kind of conflict: serialization failures, deadlocks, or (if the report does not say) one of
 * the two.
 */
static const char *conflicts_kind(struct findings *out, const struct conflicts *k)
{
	double serialization = conflicts_count(k->serialization);
	double deadlock = conflicts_count(k->deadlock);

	if (serialization > 0 && deadlock > 0)
		return finding_name(out, " (%.0f serialization failures, %.0f deadlocks)",
				    serialization, deadlock);
	return serialization > 0 ? " (all are serialization failures)"
	       : deadlock > 0    ? " (all are deadlocks)"
	       : k->conflicted > 0
		       ? " (serialization failures or deadlocks: pgbench counts no other "
			 "errors here)"
		       : "";
}

static void conflicts_causes(struct findings *out, struct finding *f, const struct conflicts *k,
			     struct str level)
{
	bool is_deadlock = conflicts_count(k->deadlock) > conflicts_count(k->serialization);

	if (is_deadlock) {
		finding_usual_cause(out, f, "Transactions lock the same rows in different orders");
		finding_next(out, f,
			     "read the log of the server: DETAIL of each deadlock has both "
			     "statements; lock rows in one order: ORDER BY id FOR UPDATE");
		return;
	}
	if (str_contains_nocase(level, STR("REPEATABLE READ"))) {
		finding_usual_cause(out, f,
				    "Concurrent transactions change the same rows: at REPEATABLE "
				    "READ the second one to change a row fails");
		finding_next(
			out, f,
			"pgbench -r: the statements with most failures and retries, and which rows "
			"all clients change; spread them, or change them last and commit at once");
		return;
	}
	finding_usual_cause(
		out, f,
		"Concurrent transactions read and change the same rows. At SERIALIZABLE, a scan "
		"without an index reads, and so conflicts with, its whole table; in a small table "
		"one page holds many rows");
	finding_next(out, f,
		     "SELECT relation::regclass, locktype, count(*) FROM pg_locks WHERE mode = "
		     "'SIReadLock' GROUP BY 1, 2: 'relation' is a whole table: an index on the "
		     "condition of its reads");
	finding_next(out, f,
		     "use shorter transactions, fewer clients, or READ COMMITTED with FOR UPDATE "
		     "on the rows that must not change");
}

static void conflicts_finding(const struct rule_input *in, struct findings *out,
			      const struct conflicts *k)
{
	bool is_lead =
		k->failed_pct >= CONFLICTS_FAILED_LEAD || k->tries_pct >= CONFLICTS_TRIES_LEAD;
	uint32_t number = 0, line = 0;
	struct str level = conflicts_level(in, &number, &line);
	struct rule_input other = *in;
	const char *retries = "";
	struct finding *f = finding_add(out, in, &rule_transaction_conflicts,
					is_lead ? FINDING_WARNING : FINDING_NOTE, CONFLICTS_SURE);

	if (conflicts_count(k->retries) > 0)
		retries = finding_name(out,
				       "%sTransactions were retried %.0f times: %.1f %% of all "
				       "tries ended in a conflict",
				       k->conflicted > 0 ? ". " : "", conflicts_count(k->retries),
				       k->tries_pct);
	if (k->conflicted > 0)
		finding_claim(
			out, f,
			"%.1f %% of the transactions failed because of other transactions%s%s",
			k->failed_pct, conflicts_kind(out, k), retries);
	else
		finding_claim(out, f, "%s, though none failed in the end", retries);
	f->impact = fmax(k->failed_pct, k->tries_pct);
	finding_figure(f, "failed transactions", k->failed_pct, 0, "%");
	if (conflicts_count(k->retries) > 0)
		finding_figure(f, "tries that ended in a conflict", k->tries_pct, 0, "%");
	conflicts_cite(in, out, f, k->failed);
	conflicts_cite(in, out, f, k->serialization);
	conflicts_cite(in, out, f, k->deadlock);
	conflicts_cite(in, out, f, k->retries);
	if (level.len) {
		other.number = number;
		other.capture = in->facts->dossier->captures.data[number];
		finding_evidence(out, f, &other, line, STR_FMT, STR_ARG(level));
	}
	finding_because(out, f, "pgbench counts the errors and retries by their kind");
	conflicts_causes(out, f, k, level);
}

/* Add a finding about errors that are no conflicts with other transactions. */
static void conflicts_other(const struct rule_input *in, struct findings *out,
			    const struct conflicts *k)
{
	double share = 100 * conflicts_count(k->other) / k->all;
	struct finding *f = finding_add(
		out, in, &rule_transaction_conflicts,
		share >= CONFLICTS_FAILED_LEAD ? FINDING_WARNING : FINDING_NOTE, CONFLICTS_SURE);

	f->title = "Transactions fail with other errors";
	finding_claim(out, f, "%.1f %% of the transactions failed with errors that are no conflict",
		      share);
	f->impact = share;
	finding_figure(f, "transactions with other errors", share, 0, "%");
	conflicts_cite(in, out, f, k->other);
	finding_usual_cause(out, f, "A violated constraint, or a time limit of the server");
	finding_because(out, f,
			"pgbench counts the errors\n"
			"which kind of error it is");
	finding_next(out, f, "read the lines ERROR and STATEMENT in the log of the server");
}

static void conflicts_check(const struct rule_input *in, struct findings *out)
{
	struct conflicts k;
	bool has_other;

	if (!conflicts_read(in, &k))
		return;
	has_other = k.all >= CONFLICTS_LEAST &&
		    100 * conflicts_count(k.other) >= CONFLICTS_FAILED_NOTE * k.all;
	if (has_other)
		conflicts_other(in, out, &k);
	if (k.all < CONFLICTS_LEAST)
		finding_not_assessed(out, in, &rule_transaction_conflicts,
				     "a longer run: pgbench -T", "%.0f transactions are too few",
				     k.all);
	else if (k.failed_pct >= CONFLICTS_FAILED_NOTE || k.tries_pct >= CONFLICTS_TRIES_NOTE)
		conflicts_finding(in, out, &k);
	else if (!has_other)
		finding_clean(out, in, &rule_transaction_conflicts,
			      "%.3g %% of the transactions failed, and %.3g %% of all tries ended "
			      "in a conflict",
			      k.failed_pct, k.tries_pct);
}

const struct rule rule_transaction_conflicts = {
	.id = "transaction-conflicts",
	.title = "Concurrent transactions conflict",
	.needs = RULE_COUNTERS,
	.check = conflicts_check,
	.is_measured = true,
};
