/* SPDX-License-Identifier: MIT */
/*
 * rule.h - interface of a rule
 *
 * A rule is a pure function over facts, or a table for the engine. It checks one capture (or
 * all of a dossier, with RULE_DOSSIER), and reports one of three results: a *finding*, *clean*
 * (checked, ruled out), or *not assessed* (this data cannot show it; with the recording that
 * could). A rule is one file in rules/ and one name in src/explain/meson.build: a table
 * `<id>.rule`, or `<id>.c`, with '_' for '-', that defines `const struct rule rule_<id>`.
 * docs/rules/<id>.md describes the symptoms, the damage, the fix, false positives, and
 * sources.
 *
 * Rules read captures, never the prose around them, and never mention an output format.
 * Thresholds are named constants at the top of the file, with the reason.
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
	RULE_PROFILE = 1 << 0, /* called once for each capture of this kind */
	RULE_CALLS = 1 << 1,
	RULE_METRICS = 1 << 2,
	RULE_LOG = 1 << 3,
	RULE_DOSSIER = 1 << 4,      /* called once, with in->capture NULL */
	RULE_WAITS = 1 << 6,        /* off-CPU time */
	RULE_THREADS = 1 << 12,     /* stacks of a thread dump */
	RULE_SESSIONS = 1 << 10,    /* sessions of a database */
	RULE_CODE = 1 << 13,        /* functions line by line */
	RULE_COUNTERS = 1 << 16,    /* ratios of counters */
	RULE_LAST = 1 << 5,         /* after all others: reads their findings */
	RULE_DISTRIBUTION = 1 << 9, /* histograms and percentiles */
	RULE_SYSCALLS = 1 << 8,     /* logs and counts of system calls or library calls */
};

/* Two with the same bit would add up to more than they cover. */
#define RULE_NEEDS_EACH(op)                                                                      \
	(RULE_PROFILE op RULE_CALLS op RULE_METRICS op RULE_LOG op RULE_DOSSIER op RULE_WAITS op \
		 RULE_THREADS op RULE_CODE op RULE_COUNTERS op RULE_LAST op RULE_DISTRIBUTION op \
			 RULE_SYSCALLS op RULE_SESSIONS)
_Static_assert((RULE_NEEDS_EACH(+)) == (RULE_NEEDS_EACH(|)), "bits of enum rule_needs overlap");

/* Required contents of the capture. For a signature the engine derives them. */
enum rule_wants {
	RULE_WANTS_KERNEL = 1 << 0, /* kernel functions */
	RULE_WANTS_USER = 1 << 1,   /* functions of compiled programs */
	RULE_WANTS_CHAINS = 1 << 2, /* callers, or shares with callees */
};

struct rule {
	const char *id;     /* "lock-contention": file, doc and tests have this name */
	const char *title;  /* one line, no final dot */
	unsigned int needs; /* enum rule_needs */
	/*
	 * For rules about profiles: supported kinds of events, as EVENT_BIT()s; 0:
	 * EVENT_IS_TIME. For any other kind the engine reports "not assessed".
	 */
	unsigned int events;
	/*
	 * Bits of enum rule_wants that a profile needs to show the finding: no "clean" without
	 * them.
	 */
	unsigned int wants;
	/* A table with this much missing, in percent, may hide the finding; 0: never. */
	double hides_pct;
	/*
	 * Rules whose finding is explained or replaced by this one, NULL-terminated; may be
	 * NULL. An overruled finding is kept, sorted last, and names its overruler.
	 */
	const char *const *overrules;
	/* Rules whose findings support this one or follow from it. */
	const char *const *explains;
	/*
	 * The check: a table for the engine, or a function. If a rule has both, the function
	 * chooses among tables that differ only in wording, and the first one defines the
	 * required contents.
	 */
	const struct signature *signature;           /* for a profile: signature.h */
	const struct call_signature *call_signature; /* for a function graph: call_signature.h */
	const struct waiting *waiting;               /* for waits: waiting.h */
	const struct waiting *sleeping;              /* for context switches: the same table */
	const struct counter_signature *counters;    /* for a ratio of counters */
	void (*check)(const struct rule_input *in, struct findings *out);
	bool is_about_names; /* about function names: holds even if they are doubtful */
	/*
	 * Its claim states what the input says, by counting or arithmetic, and infers no cause:
	 * it is as sure as it says without known cases (known_cases.h).
	 */
	bool is_measured;
	bool is_about_data; /* about the recording, not about a cost: see compete.h */
	bool doubts_libc;   /* its finding means that symbols of the C library are wrong */
	/* its finding means that the shares of its functions belong to other code */
	bool displaces;
	/* Names hot or changed functions without a cause: sorted after findings with a cause. */
	bool is_general;
};

/* NULL-terminated, in the order of the list in meson.build. */
extern const struct rule *const rules[];

/* For the file of a rule: declare the rule before functions that refer to it. */
#define DECLARE_RULE(name) extern const struct rule rule_##name

#endif
