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
 *     finding_usual_cause(out, f, "Many threads wake one queue");
 *     finding_next(out, f, "perf lock contention -ab sleep 10");
 *
 * A finding needs a claim, a figure and evidence. findings_check() reports a finding without one of
 * these, and tests assert that there is none.
 */
#ifndef EXPLAIN_FINDINGS_H
#define EXPLAIN_FINDINGS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"

/* Minimum certainty, percent, for the words "certain" and "likely"; below both: "possible". */
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
	const char *name; /* for example "self share" */
	double value;
	double err;       /* half of the width of the error range; 0: exact */
	double low, high; /* 95 % interval from sampling; low == high: none */
	/*
	 * number of samples or other items that 100 % stands for; 0: unknown, or the figure is no
	 * share
	 */
	uint64_t of;
	const char *unit; /* unit of value, err, low and high: "%", "ns", "samples", "" */
	/* text to print instead of value and unit, such as "8–16 µs"; NULL: none */
	const char *text;
};

struct finding_evidence {
	str_id path;
	uint32_t line;      /* line in the original input */
	uint32_t last_line; /* last line of the record; 0: the record has one line */
	struct str text;    /* summary of that line: names and figures; may be empty */
};

/* How a function that a finding names relates to the explained cost. */
enum finding_role {
	SUBJECT_EXPLAINED, /* its share is a part of the cost that the finding explains */
	SUBJECT_LISTED,    /* named, but not explained */
	SUBJECT_CALLER,    /* calls an explained function */
};

struct finding_subject {
	sym_id sym;
	enum finding_role role;
	double share; /* share of the function in the profile, percent; < 0: unknown */
};

/* The same finding about another capture of the same input: both are merged into one finding. */
struct finding_also {
	uint32_t capture;
	struct finding_evidence place;
	struct str claim;
	double value; /* value of the first figure of the merged finding */
	const char *unit;
};

/* One of several usual causes: "The owner of the lock waits itself". */
struct finding_choice {
	struct str cause;
	struct str sign; /* what is then seen, as a clause after "if"; empty: none */
};

/* The value by which fill_steps() replaces a word in next steps: "sda" for "DISK". */
struct finding_value {
	const char *word;
	struct str text;
};

struct finding {
	const struct rule *rule;
	/* title of this finding, a string literal; NULL: the title of the rule */
	const char *title;
	/* index of the capture in the dossier; INDEX_NONE: the finding is about several captures */
	uint32_t capture;
	/* for findings_of(): 1 + index of the previous finding about the same capture; 0: none */
	uint32_t before;
	enum finding_severity severity;
	unsigned int sure; /* certainty of the claim, percent */
	/* share of the cost that the finding explains, percent; 0: the finding has no share */
	double impact;
	/*
	 * the finding compares two traces of one whole operation; faster, slower: the indices of
	 * their captures in the dossier
	 */
	bool compares;
	uint32_t faster;
	uint32_t slower;
	struct str claim;
	struct str cause;
	/*
	 * `cause` is only usual for such findings: the evidence of this finding does not prove it
	 */
	bool cause_is_usual;
	/* several usual causes, the most usual first; `cause` has all of them. Empty: only one */
	VEC(struct finding_choice) causes;
	struct str sure_because;
	struct str unknown; /* what the input does not show: "since when it waits"; empty: none */
	/*
	 * the claim is only a place or a figure that the input prints, so the claim is certain;
	 * member `sure` is the certainty of its cause
	 */
	bool is_place;
	VEC(struct finding_figure) figures;
	/* functions that the finding names, the most important one first */
	VEC(struct finding_subject) subjects;
	VEC(struct finding_evidence) evidence;
	VEC(struct str) next;
	VEC(struct finding_value) values; /* values for the placeholders in `next` */
	/* the same finding about other captures, merged into this one by explain_run() */
	VEC(struct finding_also) also;
	/*
	 * the threads that the finding cites wait forever (deadlock), and so do all threads that
	 * wait for locks
	 */
	bool never_ends;
	/*
	 * The one thing that the finding is about, such as "fault sda"; empty: none. Among findings
	 * about the same thing, explain_run() keeps the most important one. is_part: the finding
	 * reports only a part of the thing; it is kept only if no other finding reports the whole.
	 */
	struct str about;
	bool is_part;
	/* this finding overrules no other, in spite of rule->overrules */
	bool yields;
	/*
	 * the finding names hot functions without a cause. finding_add() copies this from the rule
	 * (is_general in struct rule); a rule may also set it for one finding
	 */
	bool is_general;
	/*
	 * the finding is about a kind of work, not one function. Findings about two captures are
	 * then the same even if they name different functions
	 */
	bool is_kind;
	bool names_capture;    /* the claim contains the label of its capture */
	uint32_t overruled_by; /* index of the finding that overrules this one; INDEX_NONE: none */
	/*
	 * compete_findings() set overruled_by: both findings are about the same cost, and this one
	 * is evidence for the other
	 */
	bool is_evidence;
	/* selects the functions whose shares the finding adds up; pattern NULL: it adds up none */
	struct fact_names sums;
	/* share of the profile, with callees, that the finding explains, in percent; 0: unknown */
	double covers;
	double score; /* importance, by which explain_run() sorts: larger first */
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

/*
 * Share of a profile, in percent, that all findings about it explain together. Each function
 * counts once.
 */
struct finding_account {
	uint32_t capture;
	double pct;
	uint32_t n; /* number of these findings; findings without a cause do not count */
};

struct findings {
	struct arena arena; /* owns all texts */
	/* after explain_run(): the most important finding first */
	VEC(struct finding) rows;
	VEC(struct finding_clean) clean;
	VEC(struct finding_not_assessed) not_assessed;
	VEC(struct finding_account) accounts; /* one per profile; filled by explain_run() */
	/*
	 * for findings_of(): latest[capture]: 1 + index of the latest finding about the capture; 0:
	 * none
	 */
	VEC(uint32_t) latest;
};

void findings_fini(struct findings *f);
/* Free the members of @f, which the caller removed from the rows. */
void finding_fini(struct finding *f);
/*
 * Add a finding about in->capture. @sure: its certainty in percent. The returned pointer is valid
 * until the next call.
 */
struct finding *finding_add(struct findings *out, const struct rule_input *in,
			    const struct rule *rule, enum finding_severity severity,
			    unsigned int sure);
/*
 * The finding about @capture that was added before @row; without @row, the latest one. NULL: there
 * is none. Only rules may call this: afterwards, explain_run() changes the order of the rows.
 */
const struct finding *findings_of(const struct findings *f, uint32_t capture,
				  const struct finding *row);
/*
 * The functions from finding_claim() on set a text of @f. The text is UTF-8 without a final dot,
 * and is copied into the arena of @out.
 */
void finding_claim(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
/*
 * Like finding_claim(), for a text that quotes a line of source or an instruction: nothing is
 * removed from it.
 */
void finding_claim_of_code(struct findings *out, struct finding *f, const char *fmt, ...)
	PRINTF(3, 4);
/* Set the cause. The rule has tested the cause, so the evidence of the finding proves it. */
void finding_cause(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
/*
 * Set the cause that such a finding usually has. The rule cannot test it. Several causes: one a
 * line, the most usual first, each with the observation that separates it from the others after
 * ", if ": "The receiver is slow, if the senders change between two dumps\nthe receiver is gone, if
 * they stay". Only the first one begins with a capital letter.
 */
void finding_usual_cause(struct findings *out, struct finding *f, const char *fmt, ...)
	PRINTF(3, 4);
/* finding_cause() if @is_shown, else finding_usual_cause(). */
void finding_cause_if(struct findings *out, struct finding *f, bool is_shown, const char *fmt, ...)
	PRINTF(4, 5);
/* Call finding_cause() with @cause; if @cause is NULL, finding_usual_cause() with @usual. */
void finding_causes(struct findings *out, struct finding *f, const char *cause, const char *usual);
/*
 * Set the basis of the claim, by which it is sure. A second line is the thing that the input does
 * not show: "the copies are counted\nwhether they are necessary".
 */
void finding_because(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
/*
 * Set @text, the thing that the input does not show, as a clause after "Not known:", like the
 * second line of finding_because(). NULL: nothing is unknown.
 */
void finding_unknown(struct findings *out, struct finding *f, const char *text);
void finding_next(struct findings *out, struct finding *f, const char *fmt, ...) PRINTF(3, 4);
/* Set the thing that @f is about: `about` and `is_part` of struct finding. */
void finding_about(struct findings *out, struct finding *f, bool is_part, const char *fmt, ...)
	PRINTF(4, 5);
/*
 * Set the value of the placeholder @word, such as "DISK", in the next steps of @f. Does nothing if
 * @text is not a single plain word, such as the name of a device or process. With @word "PROCESS",
 * @text is the process for the placeholder PID. @word must live as long as the findings.
 */
void finding_value(struct findings *out, struct finding *f, const char *word, struct str text);
/*
 * Return @name as one word of a shell command, for the commands of finding_next(). It is quoted if
 * @is_quoted, or if a shell would interpret a character.
 */
const char *finding_word(struct findings *out, struct str name, bool is_quoted);
/* Like finding_word(), in arena @a. */
struct str finding_quoted(struct arena *a, struct str name, bool is_quoted);
/* Replace the word FILE in the assay commands of the next steps by @path, the path of the input. */
void finding_name_input(struct findings *out, struct finding *f, struct str path);
/* A formatted text, such as the name of a figure, in the arena of @out. */
const char *finding_name(struct findings *out, const char *fmt, ...) PRINTF(2, 3);
void finding_figure(struct finding *f, const char *name, double value, double err,
		    const char *unit);
/*
 * Add a share of the profile, in percent. @err: half of its rounding range. If the number of
 * samples is known, the share gets its 95 % interval from sampling, which then includes the
 * rounding.
 */
void finding_share(struct finding *f, const struct rule_input *in, const char *name, double pct,
		   double err);
/*
 * Set the text of the figure that was added last, such as "8–16 µs". Texts show it instead of the
 * value. @text must live as long as the findings.
 */
void finding_figure_text(struct finding *f, const char *text);
/*
 * Return @v with @digits significant digits: "0.0312", "4.5"; a larger number keeps all digits
 * before the point: "5357". In the arena of @out.
 */
const char *finding_amount(struct findings *out, int digits, double v);
/*
 * Return @bytes with three significant digits: "12.5 GiB", "640 MiB", "48 B". In the arena of @out.
 */
const char *finding_bytes(struct findings *out, double bytes);
/*
 * Return the number @n as text, rounded from a million on: "52521", "1.6 million". In the arena of
 * @out.
 */
const char *finding_count(struct findings *out, double n);
/*
 * Return @ns with at most four significant digits: "3.25 µs", "12.5 ms", "2.07 s", "20 min", "10.7
 * h". In the arena of @out.
 */
const char *finding_duration(struct findings *out, uint64_t ns);
/* Like finding_duration(), in arena @a. */
struct str finding_time(struct arena *a, uint64_t ns);
/* Add a figure with a 95 % interval from sampling. */
void finding_figure_interval(struct finding *f, const char *name, double value, double low,
			     double high, const char *unit);
/*
 * Add @k as a figure in percent of @n. Both are complete counts: nothing was sampled, so the share
 * has no interval.
 */
void finding_figure_part(struct finding *f, const char *name, uint64_t k, uint64_t n);
/*
 * Add @sym as a function that the finding is about. (finding_function() and the similar functions
 * after it also do this.)
 */
void finding_subject(struct finding *f, sym_id sym, enum finding_role role);
/* Add @fn as evidence, "memcpy 12.30 %" with the line of its row, and as a subject. */
void finding_function(struct findings *out, struct finding *f, const struct rule_input *in,
		      const struct fact_function *fn);
/* Like finding_function(), but with the inclusive share: "regcomp 61.20 % with its callees". */
void finding_inclusive(struct findings *out, struct finding *f, const struct rule_input *in,
		       const struct fact_function *fn);
/*
 * Like finding_function(), but the finding only names the function, and does not explain its cost.
 */
void finding_listed(struct findings *out, struct finding *f, const struct rule_input *in,
		    const struct fact_function *fn);
/* Add a caller as evidence and as a subject: "called by parse 8.10 %". */
void finding_caller(struct findings *out, struct finding *f, const struct rule_input *in,
		    const struct fact_caller *caller);
/* Add a call as evidence and as a subject: "udp_sendmsg 127.6 µs". */
void finding_call(struct findings *out, struct finding *f, const struct rule_input *in,
		  uint32_t line, sym_id sym, uint64_t ns);
/* Whether compete_findings() overruled @f, because it is about the same cost as another finding. */
bool finding_is_evidence(const struct finding *f);
/* Whether @f explains the cost of the function @sym. */
bool finding_explains(const struct finding *f, sym_id sym);
/* Whether @f names the function @sym, in any role. */
bool finding_names(const struct finding *f, sym_id sym);
/*
 * Add @line of the input of in->capture as evidence. If @line is 0, the evidence gets the first
 * line of the capture. If the profile has only samples, evidence without @line gets no line.
 */
void finding_evidence(struct findings *out, struct finding *f, const struct rule_input *in,
		      uint32_t line, const char *fmt, ...) PRINTF(5, 6);
void finding_clean(struct findings *out, const struct rule_input *in, const struct rule *rule,
		   const char *fmt, ...) PRINTF(4, 5);
void finding_not_assessed(struct findings *out, const struct rule_input *in,
			  const struct rule *rule, const char *to_find_out, const char *fmt, ...)
	PRINTF(5, 6);
/* Title of the cause in the output: "Cause", "Usual cause" or "Usual causes". */
const char *finding_cause_label(const struct finding *f);
/* Is the claim of @f certain, whatever its cause? */
bool finding_is_certain(const struct finding *f);
/* Word for the certainty of the claim of @f: "certain", "likely", "possible". */
const char *finding_sure_word(const struct finding *f);
/* Name of a severity: "note", "warning", "error". */
const char *finding_severity_name(enum finding_severity severity);
/*
 * A sentence about the first finding without a claim, a figure or evidence; NULL: all findings are
 * complete.
 */
const char *findings_check(const struct findings *f);

#endif
