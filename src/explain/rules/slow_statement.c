/* SPDX-License-Identifier: MIT */
/*
 * One statement has most of the time of a log of slow statements.
 *
 * Thresholds: half of the time is more than all others together. Statements of 10 ms on average
 * are slow by their number, not by their plan.
 */
#include "explain/words/statement_words.h"

#include "base/str.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

DECLARE_RULE(slow_statement);

#define SLOW_NOTE_PCT 50.0
#define SLOW_LEAD_PCT 80.0
#define SLOW_LEAST    3.0    /* statements of a log: fewer are an excerpt */
#define SLOW_SHORT_NS 10e6   /* mean */
#define SLOW_MANY     1000.0 /* calls */
#define SLOW_SURE     90u

/* Redis: commands documented as O(N), which no other command can overtake. */
#define SLOW_WALKS                                                                       \
	"KEYS *|SMEMBERS *|HGETALL *|HKEYS *|HVALS *|LRANGE *|ZRANGE*|SORT *|FLUSHALL*|" \
	"FLUSHDB*|SUNION *|SINTER *|SDIFF *|DEL *"

struct slow_words {
	const char *cause;
	const char *next;
};

static struct slow_words slow_words_of(const struct rule_input *in, const struct statement_table *t,
				       size_t row)
{
	double calls = statement_words_value(in, row, t->calls);

	if (str_glob(STR(SLOW_WALKS), table_words_name(in, row)))
		return (struct slow_words){
			"The command visits every element, and Redis serves no other client "
			"meanwhile",
			"SCAN, HSCAN, SSCAN or ZSCAN in small steps, UNLINK for DEL"
		};
	if (calls >= SLOW_MANY && statement_words_value(in, row, t->time) / calls < SLOW_SHORT_NS)
		return (struct slow_words){ "Each run is short; the runs are many",
					    "one statement for many rows, or a cache: which code "
					    "sends it in a loop?" };
	return (struct slow_words){ "Each run takes long: it waits, or it reads much",
				    "EXPLAIN (ANALYZE) of the statement with the values of its "
				    "longest run: the node with the time" };
}

static void slow_finding(const struct rule_input *in, struct findings *out,
			 const struct statement_table *t)
{
	double share = 100 * statement_words_value(in, 0, t->time) / t->time_ns;
	struct slow_words words = slow_words_of(in, t, 0);
	char of[2][32];
	struct finding *f =
		finding_add(out, in, &rule_slow_statement,
			    share >= SLOW_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, SLOW_SURE);

	finding_claim(out, f,
		      "%.0f %% of the time of slow statements (%s of %s) is one statement in "
		      "%.0f %s: '%s'",
		      share, table_words_duration(statement_words_value(in, 0, t->time), of[0]),
		      table_words_duration(t->time_ns, of[1]),
		      statement_words_value(in, 0, t->calls),
		      statement_words_value(in, 0, t->calls) > 1 ? "runs" : "run",
		      statement_words_name(in, out, 0));
	f->impact = share;
	finding_figure(f, "share of the time", share, 0, "%");
	finding_figure(f, "mean",
		       statement_words_value(in, 0, t->time) /
			       statement_words_value(in, 0, t->calls) / 1e6,
		       0, "ms");
	statement_words_cite(in, out, f, t, 0);
	finding_cause(out, f, "%s", words.cause);
	finding_because(out, f,
			"times are the server's own; statements below the threshold of the log "
			"are missing");
	finding_next(out, f, "%s", words.next);
}

static void slow_check(const struct rule_input *in, struct findings *out)
{
	struct statement_table t;
	double share;

	if (!statement_words_table(in, &t))
		return;
	share = 100 * statement_words_value(in, 0, t.time) / t.time_ns;
	if (t.n < SLOW_LEAST)
		finding_not_assessed(
			out, in, &rule_slow_statement, "the log of some minutes under load",
			"%.0f statements are too few to say which has most of the time", t.n);
	else if (share >= SLOW_NOTE_PCT)
		slow_finding(in, out, &t);
	else
		finding_clean(out, in, &rule_slow_statement,
			      "no statement has half of the time; the largest has %.1f %%", share);
}

const struct rule rule_slow_statement = {
	.id = "slow-statement",
	.title = "One slow statement dominates",
	.needs = RULE_METRICS,
	.check = slow_check,
	.is_general = true,
	.is_measured = true,
};
