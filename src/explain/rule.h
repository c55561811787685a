/* SPDX-License-Identifier: MIT */
/*
 * rule.h - interface of a rule
 *
 * A rule is a pure function over facts, or a table for the engine. It checks one capture, or with
 * RULE_DOSSIER all captures together. It reports one of three results: a *finding*; *clean*
 * (checked and ruled out); or *not assessed* (this data cannot show the problem), with a recording
 * that could.
 *
 * A rule is one name in src/explain/meson.build and one file in a folder of rules/. The file is a
 * table `lock-contention.rule`, or `lock_contention.c` that defines `const struct rule
 * rule_lock_contention`. docs/rules/lock-contention.md describes the symptoms, the damage, the fix,
 * false positives, and sources.
 *
 * Rules read captures, never the prose around them, and never mention an output format. Thresholds
 * are named constants at the top of the file, with their reasons.
 */
#ifndef EXPLAIN_RULE_H
#define EXPLAIN_RULE_H

#include <stdbool.h>

struct findings;
struct rule_input;

struct signature;
struct call_signature;
struct counter_signature;
struct waiting;

enum rule_needs {
	/*
	 * The rule is called once for each profile. Most other bits mean the same for another kind
	 * of capture: with RULE_LOG, the rule is called once for each log.
	 */
	RULE_PROFILE = 1 << 0,
	RULE_CALLS = 1 << 1,
	RULE_METRICS = 1 << 2,
	RULE_LOG = 1 << 3,
	RULE_DOSSIER = 1 << 4,      /* called once, with in->capture NULL */
	RULE_WAITS = 1 << 6,        /* captures with off-CPU time */
	RULE_THREADS = 1 << 12,     /* thread dumps */
	RULE_SESSIONS = 1 << 10,    /* lists of database sessions */
	RULE_CODE = 1 << 13,        /* source code or assembly, each line with its share */
	RULE_COUNTERS = 1 << 16,    /* ratios of hardware counters */
	RULE_LAST = 1 << 5,         /* called after all other rules, to read their findings */
	RULE_DISTRIBUTION = 1 << 9, /* histograms and percentiles */
	RULE_SYSCALLS = 1 << 8,     /* logs and counts of system calls or library calls */
};

/*
 * All bits of enum rule_needs, combined by the operator @op. If no two bits are equal, + and | have
 * the same result.
 */
#define RULE_NEEDS_EACH(op)                                                                      \
	(RULE_PROFILE op RULE_CALLS op RULE_METRICS op RULE_LOG op RULE_DOSSIER op RULE_WAITS op \
		 RULE_THREADS op RULE_CODE op RULE_COUNTERS op RULE_LAST op RULE_DISTRIBUTION op \
			 RULE_SYSCALLS op RULE_SESSIONS)
_Static_assert((RULE_NEEDS_EACH(+)) == (RULE_NEEDS_EACH(|)), "bits of enum rule_needs overlap");

/* Contents that a profile must have. For rules with a signature, the engine derives them. */
enum rule_wants {
	RULE_WANTS_KERNEL = 1 << 0, /* kernel functions */
	RULE_WANTS_USER = 1 << 1,   /* functions of compiled programs */
	RULE_WANTS_CHAINS = 1 << 2, /* callers, or shares with callees */
};

struct rule {
	/* "lock-contention"; the file, the page and the tests of the rule have the same name */
	const char *id;
	const char *title;  /* one line, no final dot */
	unsigned int needs; /* bits of enum rule_needs */
	/*
	 * For rules about profiles: the supported events, as EVENT_BIT() bits; 0: EVENT_IS_TIME
	 * (CPU time, or an event without a name). For a profile of another event, a rule about CPU
	 * time is "not assessed", and any other rule has no result.
	 */
	unsigned int events;
	/*
	 * Contents that the profile must have to show the problem (enum rule_wants). Without them
	 * the result is "not assessed" instead of "clean".
	 */
	unsigned int wants;
	/*
	 * If the rows that a table does not print have at least this share, in percent, they may
	 * hide the problem: the result is "not assessed" instead of "clean". 0: the result is
	 * "clean".
	 */
	double hides_pct;
	/*
	 * Ids of rules. A finding of this rule overrules their findings about the same capture:
	 * these stay, are sorted last, and name the finding that overrules them. NULL-terminated;
	 * NULL: none.
	 */
	const char *const *overrules;
	/*
	 * Ids of rules whose findings are consequences of a finding of this rule. This finding is
	 * sorted before them.
	 */
	const char *const *explains;
	/*
	 * The check: one of the following tables, or a function. A rule can have both a signature
	 * and a function. The function then chooses among several signatures that differ only in
	 * wording. The member `signature` tells the engine which contents the profile needs.
	 */
	/* hot functions of a profile to report (signature.h) */
	const struct signature *signature;
	const struct call_signature *call_signature; /* traced calls to report (call_signature.h) */
	/* a kind of wait to report, in data with off-CPU time (waiting.h) */
	const struct waiting *waiting;
	/* a kind of wait to report, in samples of context switches (sleeping.h) */
	const struct waiting *sleeping;
	/* a ratio of counters to report, such as misses per instruction (counter_signature.h) */
	const struct counter_signature *counters;
	void (*check)(const struct rule_input *in, struct findings *out);
	/*
	 * a finding of the rule says that function names are missing or wrong. Doubts about the
	 * names then do not lower its certainty
	 */
	bool is_about_names;
	/*
	 * The claim states counted or computed figures of the input, and infers no cause. Known
	 * cases (known_cases.h) then do not limit its certainty.
	 */
	bool is_measured;
	/*
	 * For rules about calls. True: the result is valid even if a filter such as grep removed
	 * calls, because it is not about shares or the order of calls. False: the result for
	 * filtered calls is "not assessed".
	 */
	bool takes_selection;
	/* the rule is about the recording, not about a cost: compete_findings() skips it */
	bool is_about_data;
	/* a finding of the rule means that the symbols of the C library are wrong */
	bool doubts_libc;
	/*
	 * a finding of the rule reports that work failed or took long, but not which device or
	 * process is the reason
	 */
	bool is_effect;
	/*
	 * name of a reason to doubt the data (quality.h), such as "few-samples"; NULL: none. A
	 * finding of the rule reports this reason, so outputs do not print the reason a second time
	 */
	const char *doubt;
	/*
	 * a finding of the rule means that samples are counted for wrong functions. Samples of the
	 * functions that it names belong to code that ran before these functions
	 */
	bool displaces;
	/*
	 * The rule names hot or changed functions without a cause. Its findings are sorted after
	 * those with a cause.
	 */
	bool is_general;
};

/* All rules, NULL-terminated, in the order of meson.build. */
extern const struct rule *const rules[];

/* Declares the rule at the top of its file, so that functions before its definition can use it. */
#define DECLARE_RULE(name) extern const struct rule rule_##name

#endif
