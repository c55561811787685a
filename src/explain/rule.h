/* SPDX-License-Identifier: MIT */
/*
 * rule.h - interface of a rule
 *
 * A rule is a pure function over facts, or a table for the engine. It checks one capture, or with
 * RULE_DOSSIER all captures together. It reports one of three results: a *finding*, *clean*
 * (checked and ruled out), or *not assessed* (this data cannot show the problem). The last one
 * names a recording that could show it. A rule is one file in rules/ and one name in
 * src/explain/meson.build: a table `<id>.rule`, or `<id>.c`, with '_' for '-', that defines `const
 * struct rule rule_<id>`. docs/rules/<id>.md describes the symptoms, the damage, the fix, false
 * positives, and sources.
 *
 * Rules read captures, never the prose around them, and never mention an output format. Thresholds
 * are named constants at the top of the file, with the reason.
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
	 * called once for each profile; the other bits are likewise for each capture of their kind
	 */
	RULE_PROFILE = 1 << 0,
	RULE_CALLS = 1 << 1,
	RULE_METRICS = 1 << 2,
	RULE_LOG = 1 << 3,
	RULE_DOSSIER = 1 << 4,      /* called once, with in->capture NULL */
	RULE_WAITS = 1 << 6,        /* captures with off-CPU time */
	RULE_THREADS = 1 << 12,     /* thread dumps */
	RULE_SESSIONS = 1 << 10,    /* lists of database sessions */
	RULE_CODE = 1 << 13,        /* source code or assembly with shares by line */
	RULE_COUNTERS = 1 << 16,    /* ratios of hardware counters */
	RULE_LAST = 1 << 5,         /* called after all other rules, to read their findings */
	RULE_DISTRIBUTION = 1 << 9, /* histograms and percentiles */
	RULE_SYSCALLS = 1 << 8,     /* logs and counts of system calls or library calls */
};

/* All bits, joined by the operator @op, for the check below. */
#define RULE_NEEDS_EACH(op)                                                                      \
	(RULE_PROFILE op RULE_CALLS op RULE_METRICS op RULE_LOG op RULE_DOSSIER op RULE_WAITS op \
		 RULE_THREADS op RULE_CODE op RULE_COUNTERS op RULE_LAST op RULE_DISTRIBUTION op \
			 RULE_SYSCALLS op RULE_SESSIONS)
_Static_assert((RULE_NEEDS_EACH(+)) == (RULE_NEEDS_EACH(|)), "bits of enum rule_needs overlap");

/* Contents of a profile that a rule needs. For a rule with a signature the engine derives them. */
enum rule_wants {
	RULE_WANTS_KERNEL = 1 << 0, /* kernel functions */
	RULE_WANTS_USER = 1 << 1,   /* functions of compiled programs */
	RULE_WANTS_CHAINS = 1 << 2, /* callers, or shares with callees */
};

struct rule {
	/* "lock-contention": also the name of the rule's file, page and tests */
	const char *id;
	const char *title;  /* one line, no final dot */
	unsigned int needs; /* bits of enum rule_needs */
	/*
	 * For rules about profiles: bits EVENT_BIT() of the supported events; 0: EVENT_IS_TIME. For
	 * a profile of another event the engine reports "not assessed".
	 */
	unsigned int events;
	/*
	 * Bits of enum rule_wants. A profile without these contents cannot show the problem. The
	 * result is then "not assessed" instead of "clean".
	 */
	unsigned int wants;
	/*
	 * If the rows of a table leave out at least this share, percent, the result is "not
	 * assessed" instead of "clean"; 0: it is always "clean".
	 */
	double hides_pct;
	/*
	 * Ids of rules whose findings this rule explains or replaces, NULL-terminated; NULL: none.
	 * An overruled finding is kept, sorted last, and names the finding that overruled it.
	 */
	const char *const *overrules;
	/* Ids of rules whose findings support this rule's finding or follow from it. */
	const char *const *explains;
	/*
	 * The check: one of these tables, or a function. A rule can have a signature and a
	 * function: then the function chooses among tables that differ only in wording. The table
	 * here defines the required contents.
	 */
	const struct signature *signature;           /* for a profile: signature.h */
	const struct call_signature *call_signature; /* for a function graph: call_signature.h */
	const struct waiting *waiting;               /* for waits: waiting.h */
	/* for samples of context switches: same type as `waiting` */
	const struct waiting *sleeping;
	/* for ratios of counters: counter_signature.h */
	const struct counter_signature *counters;
	void (*check)(const struct rule_input *in, struct findings *out);
	/* about function names: wrong symbol names do not reduce its certainty */
	bool is_about_names;
	/*
	 * Its claim states figures of the input, by counting or arithmetic, and infers no cause.
	 * Its certainty is not limited by known cases (known_cases.h).
	 */
	bool is_measured;
	bool is_about_data; /* about the recording, not about a cost: compete.h skips it */
	bool doubts_libc;   /* its finding means that the C library's symbols are wrong */
	/* its finding means that samples of its functions belong to code before them */
	bool displaces;
	/*
	 * It names hot or changed functions without a cause. Its findings sort after findings with
	 * a cause.
	 */
	bool is_general;
};

/* All rules, NULL-terminated, in the order of meson.build. */
extern const struct rule *const rules[];

/*
 * Declares the rule at the top of its file, so that functions above its definition can refer to it.
 */
#define DECLARE_RULE(name) extern const struct rule rule_##name

#endif
