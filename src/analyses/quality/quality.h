/* SPDX-License-Identifier: MIT */
/*
 * quality.h - judge whether the data of a capture is good enough for conclusions
 *
 * The result is a verdict with reasons; each reason is a sentence with a figure. The worst reason
 * determines the verdict. "cannot tell" is for captures that lack a necessary fact, such as the
 * number of samples.
 */
#ifndef ANALYSES_QUALITY_H
#define ANALYSES_QUALITY_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;
struct out;
struct symbols;

enum quality_verdict {
	QUALITY_GOOD,
	QUALITY_CANNOT_TELL,
	QUALITY_USABLE,
	QUALITY_POOR,
};

enum quality_severity {
	QUALITY_INFO,    /* no effect on the verdict */
	QUALITY_CAUTION, /* limits some conclusions: the verdict is "usable" at best */
	QUALITY_SERIOUS, /* the verdict is "poor" */
	/*
	 * a necessary fact is unknown: the verdict is "cannot tell", unless another reason makes it
	 * "poor"
	 */
	QUALITY_UNKNOWN,
};

/* Whether the capture has all that its tool printed. This is apart from the verdict. */
enum quality_extent {
	QUALITY_EXTENT_UNKNOWN, /* the text does not show it */
	QUALITY_ENDS,           /* the first and last line are there; no total to compare with */
	QUALITY_WHOLE,          /* a printed total agrees with the sum of the parts */
	QUALITY_EXCERPT,        /* a part is missing, by choice of a person or of the tool */
	QUALITY_CUT,            /* the text ends in the middle of a line */
};

struct quality_reason {
	/* name of the reason in kebab-case, which scripts rely on: "few-samples"; static string */
	const char *id;
	enum quality_severity severity;
	struct str sentence; /* in UTF-8, without a full stop at the end; memory of quality.arena */
	double figure;       /* figure of the sentence; NaN: none */
	const char *unit;    /* unit of the figure: "%", "samples", "rows", …; "": none */
	uint32_t line;       /* line of the evidence in the input; 0: none */
	/*
	 * for a reason why the capture is an excerpt: a phrase for the missing part, such as "the
	 * top 10 of 48 nodes"; empty: the reason is about something else. Memory of quality.arena
	 */
	struct str missing;
};

struct quality {
	enum quality_verdict verdict;
	enum quality_extent extent;
	uint32_t cut_line;                  /* QUALITY_CUT: the last line */
	VEC(struct quality_reason) reasons; /* reasons for the verdict, worst first */
	struct arena arena;
};

/*
 * Numbers of call chains, by the frame at which they end. A recorded chain counts once for each of
 * its samples, a chain in a printed tree counts once. The reason "broken-chains" uses these
 * numbers.
 */
struct quality_chains {
	uint64_t all;
	/* number of chains whose outermost frame is an address without mapped code */
	uint64_t broken;
	/* number of chains whose outermost frame is an unresolved address; includes `broken` */
	uint64_t address;
	/*
	 * whole: number of chains that end at the start of a program or thread, or in the kernel.
	 * cut: number of chains that end in any other function in user space. Both count only
	 * recorded samples, including samples with a single frame
	 */
	uint64_t whole, cut;
	sym_id example; /* outermost frame of a broken chain, as an example */
	uint32_t line;  /* line of the example in the input; 0: none */
};

/*
 * Whether the symbol @id is an address at which no code can be: in the first page, or not canonical
 * on a 64-bit machine. False for functions. Also false for addresses in a known module, because
 * such an address is only an offset.
 */
bool quality_is_no_code(const struct symbols *symbols, sym_id id);

/*
 * Count the call chains of @c by the frame at which they end. All figures are 0 if there are no
 * chains. Cost: one pass over nodes and samples.
 */
void quality_chains_of(const struct capture *c, struct quality_chains *ret);

/*
 * Judge the quality of the data of @c. The caller frees the content of @ret with quality_fini().
 * Cost: one pass over rows, nodes and samples.
 */
void quality_of(const struct capture *c, struct category_cache *cats, struct quality *ret);
void quality_fini(struct quality *q);
/*
 * Whether @c is an excerpt, or cut: numbers of all threads, all leaks and so on are then unknown.
 * Cost: O(rows).
 */
bool quality_is_part(const struct capture *c);
/*
 * The missing parts of @q as one text in @out: "the top 10 of 48 nodes, no Type line". Empty: the
 * capture is no excerpt.
 */
void quality_missing(const struct quality *q, struct out *out);
/*
 * Conclusions that the reason @r rules out, such as "outermost callers"; NULL: none in particular.
 */
const char *quality_not_for(const struct quality_reason *r);
/* Name of a verdict: "good", "usable", "poor", "cannot-tell". */
const char *quality_verdict_name(enum quality_verdict verdict);
/* Name of an extent: "unknown", "ends", "whole", "excerpt", "cut". */
const char *quality_extent_name(enum quality_extent extent);
/* Name of a severity: "info", "caution", "serious", "unknown". */
const char *quality_severity_name(enum quality_severity severity);

#endif
