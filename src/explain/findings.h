/* SPDX-License-Identifier: MIT */
/*
 * findings.h - results of rules, with figures, evidence and next steps
 *
 * A rule builds a finding step by step:
 *
 *     struct finding *f = finding_add(out, in, &rule_x, FINDING_WARNING, 90);
 *     finding_claim(out, f, "%.2f %% of CPU time is spinning on the lock of %s", …);
 *     finding_figure(f, "self share", 31.4, 0.5, "%");
 *     finding_evidence(out, f, in, line, "%s %.2f %%", …);
 *     finding_cause(out, f, "Many threads wake one queue");
 *     finding_next(out, f, "perf lock contention -ab sleep 10");
 *
 * A finding needs a figure and a place: findings_check() reports a missing one, and tests
 * assert it.
 */
#ifndef EXPLAIN_FINDINGS_H
#define EXPLAIN_FINDINGS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"

/* From these percentages on, a finding is "certain" or "likely". */
#define FINDING_CERTAIN 95u
#define FINDING_LIKELY  70u

struct rule;
struct rule_input;
struct fact_function;
struct fact_caller;

enum finding_severity {
	FINDING_NOTE,    /* worth knowing, no action needed */
	FINDING_WARNING, /* costs time, or misleads */
	FINDING_ERROR,   /* broken: crash, data loss, wrong contents of the capture */
};

struct finding_figure {
	const char *name; /* "self share" */
	double value;
	double err;       /* half-width; 0: exact */
	double low, high; /* 95 % interval from sampling; low == high: none */
	uint64_t of;      /* the value is a share of so many; 0: it is none, or of a weight */
	const char *unit; /* "%", "ns", "samples", "" */
	const char *text; /* for people, where bounds say it better; NULL: number and unit */
};

struct finding_evidence {
	str_id path;
	uint32_t line;   /* of the original input */
	struct str text; /* summary of that line, names and figures; empty: none */
};

/* Role of a named function in a finding. */
enum finding_role {
	SUBJECT_EXPLAINED, /* its share is part of the explained cost */
	SUBJECT_LISTED,    /* named, but not explained */
	SUBJECT_CALLER,    /* calls an explained function */
};

struct finding_subject {
	sym_id sym;
	enum finding_role role;
	double share; /* percent; < 0: the finding has none */
};

/* The same finding for another capture of the same input. */
struct finding_also {
	uint32_t capture;
	struct finding_evidence place;
	struct str claim;
	double value; /* value of its first figure */
	const char *unit;
};

struct finding {
	const struct rule *rule;
	uint32_t capture; /* index in the dossier; INDEX_NONE: several */
	enum finding_severity severity;
	unsigned int sure; /* percent: certainty of the claim */
	double impact;     /* share of the cost that it explains, percent; 0: not a share */
	struct str claim;
	struct str cause;
	struct str sure_because;
	VEC(struct finding_figure) figures;
	VEC(struct finding_subject) subjects; /* the main one first */
	VEC(struct finding_evidence) evidence;
	VEC(struct str) next;
	VEC(struct finding_also) also; /* filled by explain_run() */
	bool is_kind;                  /* about a kind of functions, whichever is the largest */
	uint32_t overruled_by;         /* index of the overruling finding, or INDEX_NONE */
	bool is_evidence;              /* the overruling finding is about the same cost */
	struct fact_names sums;        /* functions whose shares its figure sums up, or zeroed */
	double covers;                 /* share of the profile that it explains with callees, % */
	double score;                  /* sort key */
};

struct finding_clean {
	const struct rule *rule;
	uint32_t capture;
	struct str sentence;
};

struct finding_not_assessed {
	const struct rule *rule;
	uint32_t capture;
	struct str sentence;
	struct str to_find_out;
};

/* How much of a profile the findings explain together: each function counts once. */
struct finding_account {
	uint32_t capture;
	double pct;
};

struct findings {
	struct arena arena;       /* all texts */
	VEC(struct finding) rows; /* after explain_run(): the first is the one to act on */
	VEC(struct finding_clean) clean;
	VEC(struct finding_not_assessed) not_assessed;
	VEC(struct finding_account) accounts; /* filled by explain_run() */
};

void findings_fini(struct findings *f);
/* Free a finding that was removed from the rows. */
void finding_fini(struct finding *f);
/* Add a finding about in->capture, borrowed until the next one is added. @sure in percent. */
struct finding *finding_add(struct findings *out, const struct rule_input *in,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure);
/* Texts: UTF-8, no final dot; copied into the arena of @out. */
void finding_claim(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
void finding_cause(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
void finding_because(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
void finding_next(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
/*
 * @name as one word of a shell command, for finding_next(): people paste those. Quoted if a
 * shell would interpret it, and always with @is_quoted.
 */
const char *finding_word(struct findings *out, struct str name, bool is_quoted);
/* The same in arena @a. */
struct str finding_quoted(struct arena *a, struct str name, bool is_quoted);
/* Commands of assay in the next steps name the input @path instead of FILE. */
void finding_name_input(struct findings *out, struct finding *f, struct str path);
/* Format a text, such as a figure's name; in the arena of @out. */
const char *finding_name(struct findings *out, const char *fmt, ...) PRINTF(2, 3);
void finding_figure(struct finding *f, const char *name, double value, double err,
		    const char *unit);
/*
 * Set the text of the figure that was added last, for people: bounds of a bucket. @text lives as
 * long as the findings.
 */
void finding_figure_text(struct finding *f, const char *text);
/* "3.25 µs", "12.5 ms", "2.07 s": four digits; in the arena of @out. */
const char *finding_duration(struct findings *out, uint64_t ns);
/* Add a figure with a 95 % interval from sampling. */
void finding_figure_interval(struct finding *f, const char *name, double value, double low,
			     double high, const char *unit);
/* @k of @n in percent, with the 95 % interval that so many allow: 28 of 28 is 88 to 100 %. */
void finding_figure_part(struct finding *f, const char *name, uint64_t k, uint64_t n);
/*
 * Name a function that the finding is about; finding_function() and finding_caller() include
 * this.
 */
void finding_subject(struct finding *f, sym_id sym, enum finding_role role);
/* Add the row of @fn as evidence and as a subject: "memcpy 12.30 %". */
void finding_function(struct findings *out, struct finding *f, const struct rule_input *in,
		      const struct fact_function *fn);
/* The same by its inclusive share: "regcomp 61.20 % with its callees". */
void finding_inclusive(struct findings *out, struct finding *f, const struct rule_input *in,
		       const struct fact_function *fn);
/* The same for a function that the finding only lists. */
void finding_listed(struct findings *out, struct finding *f, const struct rule_input *in,
		    const struct fact_function *fn);
/* Add a caller as evidence and as a subject: "called by parse 8.10 %". */
void finding_caller(struct findings *out, struct finding *f, const struct rule_input *in,
		    const struct fact_caller *caller);
/* Add a call as evidence and as a subject: "udp_sendmsg 127.600 µs". */
void finding_call(struct findings *out, struct finding *f, const struct rule_input *in,
		  uint32_t line, sym_id sym, uint64_t ns);
/* Is @f only evidence of the finding that overrules it? */
bool finding_is_evidence(const struct finding *f);
/* Does @f explain the share of the function @sym? */
bool finding_explains(const struct finding *f, sym_id sym);
/*
 * Add a line of the input of in->capture. Line 0: the capture's first line, or the whole file
 * for sums over samples.
 */
void finding_evidence(struct findings *out, struct finding *f, const struct rule_input *in,
		      uint32_t line, const char *fmt, ...) PRINTF(5, 6);
void finding_clean(struct findings *out, const struct rule_input *in, const struct rule *rule,
		   const char *fmt, ...) PRINTF(4, 5);
void finding_not_assessed(struct findings *out, const struct rule_input *in,
			  const struct rule *rule, const char *to_find_out, const char *fmt, ...)
	PRINTF(5, 6);
/* "certain", "likely", "possible" */
const char *finding_sure_word(unsigned int sure);
/* "note", "warning", "error" */
const char *finding_severity_name(enum finding_severity severity);
/* NULL, or a description of the first finding that lacks a figure, a place or a claim. */
const char *findings_check(const struct findings *f);

#endif
