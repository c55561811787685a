/* SPDX-License-Identifier: MIT */
/*
 * quality.h - is the data good enough?
 *
 * The result is a verdict with reasons, each a sentence with a figure. The verdict is that of
 * the worst reason. "cannot tell" is for captures that lack necessary facts (the number of
 * samples).
 */
#ifndef ANALYSES_QUALITY_H
#define ANALYSES_QUALITY_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct category_cache;
struct symbols;

enum quality_verdict {
	QUALITY_GOOD,
	QUALITY_CANNOT_TELL,
	QUALITY_USABLE,
	QUALITY_POOR,
};

enum quality_severity {
	QUALITY_INFO,    /* for information */
	QUALITY_CAUTION, /* limits some conclusions: "usable" at best */
	QUALITY_SERIOUS, /* "poor" */
	QUALITY_UNKNOWN, /* a necessary fact is missing: the verdict is "cannot tell", unless
			    another reason is worse */
};

struct quality_reason {
	const char *id; /* kebab-case, stable: "few-samples"; static */
	enum quality_severity severity;
	struct str sentence; /* UTF-8, no final dot; owner: the result */
	double figure;       /* NaN: none */
	const char *unit;    /* "%", "samples", "rows", …; "": none */
	uint32_t line;       /* line of the evidence; 0: none */
};

struct quality {
	enum quality_verdict verdict;
	VEC(struct quality_reason) reasons; /* worst first */
	struct arena arena;
};

/*
 * Call chains by their ends, as numbers of samples, of printed trees as numbers of chains; the
 * basis of the reason "broken-chains".
 */
struct quality_chains {
	uint64_t all;
	uint64_t broken;  /* chains whose outermost frame is at an address without code */
	uint64_t address; /* outermost frame is any raw address; includes broken ones */
	/*
	 * Of recorded samples, one frame included: chains up to the start of a program or thread,
	 * or within the kernel; and those that end in another function of user space.
	 */
	uint64_t whole, cut;
	sym_id example; /* of a broken one */
	uint32_t line;  /* its line; 0: none */
};

/*
 * Whether the symbol is an address where no code can be: the first page, or not canonical on
 * 64-bit machines. Inside a module addresses are offsets, which prove nothing. False for a
 * resolved symbol.
 */
bool quality_is_no_code(const struct symbols *symbols, sym_id id);

/* Zeroed if there are no chains. Cost: one pass over nodes and samples. */
void quality_chains_of(const struct capture *c, struct quality_chains *ret);

/*
 * Owner of the content of @ret: caller, quality_fini(). Cost: one pass over rows, nodes and
 * samples.
 */
void quality_of(const struct capture *c, struct category_cache *cats, struct quality *ret);
void quality_fini(struct quality *q);
/* "good", "usable", "poor", "cannot-tell" */
const char *quality_verdict_name(enum quality_verdict verdict);
/* "info", "caution", "serious", "unknown" */
const char *quality_severity_name(enum quality_severity severity);

#endif
