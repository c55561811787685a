/* SPDX-License-Identifier: MIT */
/*
 * One statement has most of the time in a log of slow statements.
 *
 * Thresholds: the statement has half of the time, as much as all others together; 80 % is a
 * warning. If the mean is below 10 ms, the number of calls is the problem, and not the plan. In a
 * slow log of Redis, no command is slow if none takes 1 ms; if none takes 10 ms, there is no
 * warning. Backups and maintenance have no plan; a large share of them is a note.
 */
#include "explain/words/statement_words.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include "explain/words/table_words.h"

#include <math.h>

DECLARE_RULE(slow_statement);

#define SLOW_NOTE_PCT 50.0
#define SLOW_LEAD_PCT 80.0
#define SLOW_LEAST    3.0  /* minimum number of statements; a log with fewer is an excerpt */
#define SLOW_SHORT_NS 10e6 /* a statement whose mean time is below this, ns, is short */
#define SLOW_SURE     90u
/* Minimum duration for a note if the log has only this statement. */
#define SLOW_SINGLE_NS   1e9
#define SLOW_SURE_SINGLE 75u
#define SLOW_SORTED      10000.0 /* minimum number of rows whose sorting takes noticeable time */

/*
 * Why commands of Redis take long. The first row that matches is used; its patterns are in lower
 * case. Source: the complexity of each command in the documentation of Redis.
 */
#define SLOW_ALL "The command visits every element, and Redis serves no other client meanwhile"
#define SLOW_RANGE                                                                          \
	"The time grows with the range that the arguments name, and Redis serves no other " \
	"client meanwhile"
static const struct {
	const char *commands; /* str_glob pattern */
	const char *cause;
	const char *next;
} slow_redis[] = {
	{ "keys *",
	  "KEYS visits every key of the database, whatever matches, so its time grows with their "
	  "number. Redis has a single thread for commands, and blocks all other clients meanwhile",
	  "SCAN in small steps" },
	{ "smembers *|sunion*|sinter*|sdiff*", SLOW_ALL, "SSCAN in small steps, or smaller sets" },
	{ "hgetall *|hkeys *|hvals *", SLOW_ALL,
	  "HSCAN in small steps, or HMGET of the fields in use" },
	{ "sort *|sort_ro *", SLOW_ALL, "use a sorted set, whose order is kept" },
	{ "info*",
	  "INFO walks all clients in some versions, and Redis serves no other client meanwhile",
	  "use fewer clients (a pool), and INFO of one section, less often" },
	{ "del *|flushall*|flushdb*", SLOW_ALL, "UNLINK, or FLUSHDB ASYNC" },
	{ "lrange *|zrange*|zrevrange*|xrange *|xrevrange *|zremrange*|ltrim *", SLOW_RANGE,
	  "ask for a smaller range in each call: how many elements of it does the caller use? "
	  "LLEN, ZCARD or XLEN has the size of the key" },
	{ "eval*|fcall*",
	  "Redis runs a script as one step, and serves no other client meanwhile: its commands "
	  "together take the time",
	  "use fewer commands in each run of the script, on fewer elements" },
	{ "*",
	  "Redis runs one command at a time, and this one takes long: its key is large, or the "
	  "machine was busy or swapped",
	  "redis-cli --memkeys; MEMORY USAGE and the length of its key; LATENCY DOCTOR" },
};

/*
 * The slow log of Redis counts microseconds, and its threshold can be set to any value. If no run
 * takes SLOW_REDIS_NS, no command of the log is slow. If none takes SLOW_SHORT_NS, the default
 * threshold of Redis, no warning is added.
 */
#define SLOW_REDIS_NS 1e6

/*
 * Commands of MongoDB that wait for new data or a timeout: a getMore of a tailable cursor or change
 * stream, and hello with a topology version.
 */
#define SLOW_AWAITS "*{getMore:*|*{hello:*|*{ismaster:*|*{isMaster:*"

/*
 * If waits for locks are at least this part (0 to 1) of a statement's time, they are the cause, and
 * no other cause is searched.
 */
#define SLOW_LOCKED 0.9

/* statements without a plan, in lower case: the end of a transaction, backups, and maintenance */
#define SLOW_ENDS "commit|commit *|end|end *|xa commit*|rollback|rollback *|prepare transaction*"
#define SLOW_TASKS                                                                            \
	"copy *|vacuum*|analyze*|create *index *|reindex*|cluster*|refresh materialized *|"   \
	"alter *|optimize *|load data *|backup *|restore *|dbcc *|check table *|checkpoint*|" \
	"start_replication *|base_backup*"
/*
 * maximum number of bytes at the start of a statement that are compared with SLOW_ENDS or
 * SLOW_TASKS
 */
#define SLOW_HEAD 24u

struct slow_words {
	const char *cause;
	const char *next;
	bool is_shown; /* the log proves the cause */
};

/*
 * Whether the start of the statement matches one of @patterns. The patterns are in lower case; the
 * case of the statement is ignored.
 */
static bool slow_begins(const struct rule_input *in, size_t row, struct str patterns)
{
	struct str text = str_sub(table_words_name(in, row), 0, SLOW_HEAD);
	char small[SLOW_HEAD];

	return str_glob(patterns, str_lower(text, small));
}

/* Is the table the slow log of Redis? */
static bool slow_is_redis(const struct rule_input *in)
{
	return str_eq(capture_note_of(in->capture, STR("printed by")), STR("Redis slow log"));
}

/* Does the statement (SQL) group or order many rows? Then an index may provide the order. */
static bool slow_sorts(const struct rule_input *in, const struct statement_table *t, size_t row)
{
	struct str text = table_words_name(in, row);
	double examined = statement_words_value(in, row, t->examined);

	return examined >= SLOW_SORTED && (str_contains_nocase(text, STR(" group by ")) ||
					   str_contains_nocase(text, STR(" order by ")));
}

/* Is the statement a Redis script that calls KEYS: "EVAL calls KEYS, DEL: ..."? */
static bool slow_script_has_keys(const struct rule_input *in, size_t row)
{
	struct str name = table_words_name(in, row);
	struct str calls = str_sub(name, 0, str_find_char(name, ':'));

	return slow_is_redis(in) && slow_begins(in, row, STR("eval* calls *")) &&
	       str_glob(STR("* KEYS|* KEYS,*"), calls);
}

/*
 * Does the statement visit every key of a Redis database? KEYS does, and so does a script that
 * calls KEYS.
 */
static bool slow_visits_keys(const struct rule_input *in, size_t row)
{
	return slow_is_redis(in) &&
	       (slow_begins(in, row, STR("keys *")) || slow_script_has_keys(in, row));
}

static struct slow_words slow_redis_words(const struct rule_input *in, size_t row)
{
	size_t i = 0;

	if (slow_script_has_keys(in, row))
		return (struct slow_words){
			"The script calls KEYS, which visits every key of the database, whatever "
			"matches. Redis has a single thread for commands, and blocks all other "
			"clients until the script ends",
			"SCAN in small steps outside of the script; or keep a set of the keys, or "
			"a version in their names, instead of a search",
			false
		};
	/* the last pattern matches all commands */
	while (!slow_begins(in, row, str_of(slow_redis[i].commands)))
		i++;
	return (struct slow_words){ slow_redis[i].cause, slow_redis[i].next, false };
}

static struct slow_words slow_words_of(const struct rule_input *in, const struct statement_table *t,
				       size_t row)
{
	double calls = fmax(1, statement_words_value(in, row, t->calls));
	double time = statement_words_value(in, row, t->time);
	double lock = statement_words_value(in, row, t->lock);
	bool is_seen;

	/*
	 * Rules statement-locks and rows-examined also report locks and examined rows as causes.
	 * This rule must name the same causes.
	 */
	if (lock >= SLOW_LOCKED * time)
		return (struct slow_words){ "It waits for locks: nine tenths of its time or more, "
					    "as the server measured",
					    "find the blocking transaction while it waits: see the "
					    "finding of statement-locks",
					    true };
	if (lock + statement_words_unmeasured(in, &is_seen) >= SLOW_LOCKED * time)
		return (struct slow_words){
			"It waits for locks: some of its waits are measured, and "
			"no line says how long the others took",
			"find the blocking transaction while it waits: see the finding of "
			"statement-locks",
			false
		};
	if (statement_words_is_wasteful(in, t, row))
		return (struct slow_words){
			"No index fits its condition or order: it reads rows and "
			"drops them",
			"create an index on the columns of its condition and order", false
		};
	if (slow_is_redis(in))
		return slow_redis_words(in, row);
	if (slow_begins(in, row, STR(SLOW_ENDS)))
		return (struct slow_words){
			"The end of a transaction waits until its log is on disk, and with a "
			"synchronous standby until that confirms; deferred checks run there, too",
			"pg_test_fsync on the log's disk, and pg_stat_replication (MySQL: "
			"sync_binlog, innodb_flush_log_at_trx_commit); several changes in one "
			"transaction",
			false
		};
	if (slow_begins(in, row, STR(SLOW_TASKS)))
		return (struct slow_words){
			"The command works on whole tables, as backups and maintenance do; it has "
			"no plan",
			"find who sends it, and when; its progress while it runs: "
			"pg_stat_progress_copy, _vacuum, _create_index (MySQL: "
			"events_stages_current)",
			false
		};
	if (time / calls < SLOW_SHORT_NS)
		return (struct slow_words){ "Each run is short; the runs are many",
					    "one statement for many rows, or a cache: which code "
					    "sends it in a loop?",
					    false };
	if (slow_sorts(in, t, row))
		return (struct slow_words){
			"Each run reads many rows and then groups or sorts them: an index is "
			"missing, or it must read all of them",
			"EXPLAIN of the statement: 'Using temporary' and 'Using filesort' (MySQL), "
			"Sort "
			"and HashAggregate (PostgreSQL); an index in the order of GROUP BY or "
			"ORDER BY",
			false
		};
	if (str_find_char(table_words_name(in, row), '{') < table_words_name(in, row).len)
		return (struct slow_words){ "Each run takes long: it waits, or it reads much",
					    "run the statement with .explain('executionStats'): "
					    "its stages, and documents examined and returned",
					    false };
	return (struct slow_words){ "Each run takes long: it waits, or it reads much",
				    "EXPLAIN (ANALYZE) of the statement with the values of its "
				    "longest run: the node with the time",
				    false };
}

/* The longest run of all statements, ns. */
static double slow_longest(const struct rule_input *in, const struct statement_table *t)
{
	double longest = 0;

	for (size_t i = 0; i < t->n_rows; i++)
		longest = fmax(longest, statement_words_value(in, i, t->longest));
	return longest;
}

/*
 * Add a finding for a slow log of Redis without any slow command. A reader may take its
 * microseconds for seconds.
 */
static void slow_none(const struct rule_input *in, struct findings *out,
		      const struct statement_table *t)
{
	struct finding *f = finding_add(out, in, &rule_slow_statement, FINDING_NOTE, SLOW_SURE);
	double longest = slow_longest(in, t);
	size_t row = 0;
	char time[32];

	for (size_t i = 0; i < t->n_rows; i++)
		row = statement_words_value(in, i, t->longest) >= longest ? i : row;
	finding_claim(
		out, f, "No command of this slow log is slow: the longest of %.0f takes %s ('%s')",
		t->n, table_words_duration(longest, time), statement_words_name(in, out, row));
	finding_figure(f, "longest run", longest / 1e6, 0, "ms");
	statement_words_cite(in, out, f, t, row);
	finding_cause(out, f,
		      "The threshold slowlog-log-slower-than is below the longest run. The log "
		      "counts microseconds");
	finding_because(out, f,
			"each entry prints its time; waiting in the client or the network "
			"is no part of it");
	finding_next(out, f,
		     "redis-cli --latency from the host of the client: does the time go in the "
		     "network, or in the client and its connections?");
	finding_next(out, f, "CONFIG SET slowlog-log-slower-than 10000, its default: 10 ms");
}

/*
 * The command of the statement in @row: its first word, or KEYS if the statement is a script that
 * calls KEYS.
 */
static struct str slow_command(const struct rule_input *in, size_t row)
{
	struct str name = table_words_name(in, row);

	if (slow_script_has_keys(in, row))
		return STR("KEYS");
	return str_sub(name, 0, str_find_char(name, ' '));
}

/*
 * Sums over all rows with the same command. Redis logs each command with its arguments, so one slow
 * command has many rows. `first` is the row with the longest time.
 */
struct slow_family {
	/*
	 * time: sum over all calls; calls: their number; shortest, longest: time of one call. Times
	 * in ns
	 */
	double time, calls, shortest, longest;
	size_t rows;
	size_t first;
};

static struct slow_family slow_family_of(const struct rule_input *in,
					 const struct statement_table *t, size_t first)
{
	struct slow_family ret = { .shortest = (double)INFINITY, .first = first };

	for (size_t i = 0; i < t->n_rows; i++) {
		if (!str_eq_nocase(slow_command(in, i), slow_command(in, first)))
			continue;
		ret.time += statement_words_value(in, i, t->time);
		ret.calls += statement_words_value(in, i, t->calls);
		ret.longest = fmax(ret.longest, statement_words_value(in, i, t->longest));
		ret.shortest = fmin(ret.shortest, statement_words_value(in, i, t->longest));
		ret.rows++;
	}
	return ret;
}

/* Sums over the rows with KEYS, as a command or in a script. If there are none, `rows` is 0. */
static struct slow_family slow_keys_of(const struct rule_input *in, const struct statement_table *t)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		if (slow_visits_keys(in, i))
			return slow_family_of(in, t, i);
	}
	return (struct slow_family){ 0 };
}

/* Add a finding for a command of Redis that has most of the time, with different arguments. */
static void slow_family(const struct rule_input *in, struct findings *out,
			const struct statement_table *t, const struct slow_family *family)
{
	double share = 100 * family->time / t->time_ns;
	struct slow_words words = slow_words_of(in, t, family->first);
	struct str command = slow_command(in, family->first);
	char of[2][32];
	struct finding *f = finding_add(out, in, &rule_slow_statement,
					share >= SLOW_LEAD_PCT && family->longest >= SLOW_SHORT_NS
						? FINDING_WARNING
						: FINDING_NOTE,
					SLOW_SURE);

	if (t->n < SLOW_LEAST)
		f->severity = FINDING_NOTE;
	finding_claim(out, f,
		      "%.0f %% of the time of slow commands is '" STR_FMT
		      "'%s: %.0f of %.0f run%s, of %s%s%s",
		      share, STR_ARG(command),
		      slow_visits_keys(in, family->first) ? ", alone or in scripts"
							  : " with different arguments",
		      family->calls, t->n, t->n > 1 ? "s" : "",
		      table_words_duration(family->shortest, of[0]),
		      family->longest > family->shortest ? " to " : "",
		      family->longest > family->shortest
			      ? table_words_duration(family->longest, of[1])
			      : "");
	f->impact = share;
	finding_figure(f, "share of the time", share, 0, "%");
	finding_figure(f, "longest run", family->longest / 1e6, 0, "ms");
	statement_words_cite(in, out, f, t, family->first);
	finding_cause_if(out, f, words.is_shown, "%s", words.cause);
	finding_because(out, f,
			"times are the server's own; commands below the threshold of the "
			"log are missing");
	finding_next(out, f, "%s", words.next);
}

static void slow_finding(const struct rule_input *in, struct findings *out,
			 const struct statement_table *t)
{
	double share = 100 * statement_words_value(in, 0, t->time) / t->time_ns;
	struct slow_words words = slow_words_of(in, t, 0);
	bool is_brief = slow_is_redis(in) && slow_longest(in, t) < SLOW_SHORT_NS;
	char of[2][32];
	struct finding *f = finding_add(
		out, in, &rule_slow_statement,
		share >= SLOW_LEAD_PCT && !slow_begins(in, 0, STR(SLOW_TASKS)) && !is_brief
			? FINDING_WARNING
			: FINDING_NOTE,
		SLOW_SURE);

	finding_claim(out, f,
		      "%.0f %% of the time of %s statements (%s of %s) is one statement in "
		      "%.0f %s: '%s'",
		      share, t->is_statistics ? "the listed" : "slow",
		      table_words_duration(statement_words_value(in, 0, t->time), of[0]),
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
	finding_cause_if(out, f, words.is_shown, "%s", words.cause);
	finding_because(out, f, "times are the server's own; %s",
			t->is_statistics
				? "other statements of the server may be missing in the list"
				: "statements below the threshold of the log are missing");
	finding_next(out, f, "%s", words.next);
}

/*
 * Add a finding for a log of one or two statements. A person probably pasted the log because of the
 * slowest of them.
 */
static void slow_single(const struct rule_input *in, struct findings *out,
			const struct statement_table *t)
{
	double longest = statement_words_value(in, 0, t->longest);
	double examined = statement_words_value(in, 0, t->examined);
	double returned = statement_words_value(in, 0, t->returned);
	struct slow_words words = slow_words_of(in, t, 0);
	struct finding *f =
		finding_add(out, in, &rule_slow_statement, FINDING_NOTE, SLOW_SURE_SINGLE);
	char time[32];

	finding_claim(out, f, "A statement takes %s%s: '%s'", table_words_duration(longest, time),
		      examined > 0 && returned >= 0
			      ? finding_name(out, ", examines %.0f rows and returns %.0f", examined,
					     returned)
			      : "",
		      statement_words_name(in, out, 0));
	finding_figure(f, "longest run", longest / 1e9, 0, "s");
	statement_words_cite(in, out, f, t, 0);
	finding_cause_if(out, f, words.is_shown, "%s", words.cause);
	finding_because(out, f,
			"the server measured it\n"
			"how often it runs");
	finding_next(out, f, "%s", words.next);
}

/* Does the statement wait for data that may come later? Then it is idle and not slow. */
static bool slow_awaits(const struct rule_input *in, const struct statement_table *t, size_t row)
{
	return str_glob(STR(SLOW_AWAITS), table_words_name(in, row)) &&
	       !(statement_words_value(in, row, t->returned) > 0);
}

static void slow_check(const struct rule_input *in, struct findings *out)
{
	struct slow_family family, keys;
	struct statement_table t;
	double share;

	if (!statement_words_table(in, &t) || t.is_timeless)
		return;
	family = slow_family_of(in, &t, 0);
	keys = slow_keys_of(in, &t);
	share = 100 * statement_words_value(in, 0, t.time) / t.time_ns;
	if (slow_awaits(in, &t, 0)) {
		finding_clean(out, in, &rule_slow_statement,
			      "the longest statement waits for new data and returns nothing");
		return;
	}
	if (t.is_statistics && t.n_rows < 2)
		finding_not_assessed(out, in, &rule_slow_statement,
				     "the list of all statements, by total time",
				     "one statement shows no share of the time");
	else if (slow_is_redis(in) && slow_longest(in, &t) < SLOW_REDIS_NS)
		slow_none(in, out, &t);
	else if (100 * keys.time >= SLOW_NOTE_PCT * t.time_ns &&
		 (keys.rows > 1 || t.n < SLOW_LEAST))
		slow_family(in, out, &t, &keys);
	else if (t.n < SLOW_LEAST && statement_words_value(in, 0, t.longest) >= SLOW_SINGLE_NS &&
		 statement_words_is_wasteful(in, &t, 0))
		finding_clean(out, in, &rule_slow_statement,
			      "the longest statement reads far more rows than it returns, which is "
			      "a finding of its own");
	else if (t.n < SLOW_LEAST && statement_words_value(in, 0, t.longest) >= SLOW_SINGLE_NS)
		slow_single(in, out, &t);
	else if (t.n < SLOW_LEAST)
		finding_not_assessed(
			out, in, &rule_slow_statement, "the log of some minutes under load",
			"%.0f statements are too few to say which has most of the time", t.n);
	else if (share >= SLOW_NOTE_PCT)
		slow_finding(in, out, &t);
	else if (slow_is_redis(in) && family.rows > 1 &&
		 100 * family.time >= SLOW_NOTE_PCT * t.time_ns)
		slow_family(in, out, &t, &family);
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
