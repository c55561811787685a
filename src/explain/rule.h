/* SPDX-License-Identifier: MIT */
/*
 * rule.h - what a rule must provide
 *
 * A rule is a pure function over facts, or a table that the engine goes by: it looks
 * at one capture (or at all of a dossier, with RULE_DOSSIER) and says one of three
 * things: a *finding*, *clean* (looked, it is not so), or *not assessed* (this data
 * cannot show it; what to record to find out). One file `rules/<id>.c`, with '_' for
 * '-', that defines `const struct rule rule_<id>`, and one name in
 * src/explain/meson.build; docs/rules/<id>.md says what it sees, why it hurts, how to
 * fix it, when it is wrong, and its sources.
 *
 * Rules read captures, never the prose around them, and never mention an output
 * format. Thresholds are named constants at the top of the file with the reason.
 */
#ifndef EXPLAIN_RULE_H
#define EXPLAIN_RULE_H

#include "base/str.h"

struct findings;
struct rule_input;

struct signature;
struct call_signature;
struct waiting;

enum rule_needs {
	RULE_PROFILE = 1 << 0, /* called once for each capture of the kind */
	RULE_CALLS = 1 << 1,
	RULE_METRICS = 1 << 2,
	RULE_LOG = 1 << 3,
	RULE_DOSSIER = 1 << 4,  /* called once, with in->capture NULL */
	RULE_WAITS = 1 << 6,    /* time off the CPU */
	RULE_THREADS = 1 << 12, /* stacks of a dump */
	RULE_CODE = 1 << 13,    /* functions line by line */
	RULE_LAST = 1 << 5,     /* after all others: looks at what they found */
};

/* Of a signature the engine knows what it wants. */
enum rule_wants {
	RULE_WANTS_KERNEL = 1 << 0, /* functions of the kernel */
	RULE_WANTS_USER = 1 << 1,   /* functions of programs, compiled ones */
	RULE_WANTS_CHAINS = 1 << 2, /* who called, or shares with all below */
};

struct rule {
	const char *id;     /* "lock-contention": file, doc and tests have this name */
	const char *title;  /* one line, no final dot */
	unsigned int needs; /* enum rule_needs */
	/*
	 * Of a rule about profiles: kinds of events that it holds for, as EVENT_BIT()s; 0:
	 * EVENT_IS_TIME. Of others the engine says that it is not assessed.
	 */
	unsigned int events;
	/* What must be in a profile for its finding to show, enum rule_wants: no "clean" without.
	 */
	unsigned int wants;
	/* A table that leaves out as much as this, in percent, may hide the finding; 0: none can.
	 */
	double hides_pct;
	/*
	 * Rules whose finding this one's explains away or takes over, NULL-terminated;
	 * may be NULL. A finding that is overruled is kept, ranked behind, and says by
	 * what.
	 */
	const char *const *overrules;
	/* Rules whose findings make this one more certain or are its consequence. */
	const char *const *explains;
	/*
	 * What is looked at: a table that the engine goes by, or else a function. Of a rule
	 * with both, the function chooses among tables that differ in words alone, and the
	 * first one says what must be seen.
	 */
	const struct signature *signature;           /* of a profile: signature.h */
	const struct call_signature *call_signature; /* of a trace: call_signature.h */
	const struct waiting *waiting;               /* of waits: waiting.h */
	const struct waiting *sleeping;              /* of context switches: the same table */
	void (*check)(const struct rule_input *in, struct findings *out);
	bool is_about_names; /* of functions: it holds however doubtful they are */
	bool doubts_libc;    /* its finding means that names of the C library are wrong */
	bool displaces; /* its finding means that the shares of its functions belong elsewhere */
	/* Names what is hot or has changed and does not know why: stands behind those that do. */
	bool is_general;
};

/* NULL-terminated, in the order of the list in meson.build. */
extern const struct rule *const rules[];
const struct rule *rule_find(struct str id);

/* In a rule's file, before the functions that name the rule they speak for. */
#define DECLARE_RULE(name) extern const struct rule rule_##name

#endif
