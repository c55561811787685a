/* SPDX-License-Identifier: MIT */
/*
 * quality.h - is the data good enough?
 *
 * A verdict and its reasons, each a sentence with its figure. The verdict is the
 * worst reason; "cannot tell" is for captures that do not say what one would
 * have to know (how many samples there are).
 */
#ifndef ANALYSES_QUALITY_H
#define ANALYSES_QUALITY_H

#include "analyses/categories.h"
#include "core/capture.h"

enum quality_verdict {
	QUALITY_GOOD,
	QUALITY_CANNOT_TELL,
	QUALITY_USABLE,
	QUALITY_POOR,
};

enum quality_severity {
	QUALITY_INFO,    /* good to know */
	QUALITY_CAUTION, /* limits some conclusions: at best "usable" */
	QUALITY_SERIOUS, /* "poor" */
	QUALITY_UNKNOWN, /* the capture does not say: "cannot tell", if nothing is worse */
};

struct quality_reason {
	const char *id; /* kebab-case, stable: "few-samples"; static */
	enum quality_severity severity;
	struct str sentence; /* UTF-8, no final dot; owner: the result */
	double figure;       /* NaN: none */
	const char *unit;    /* "%", "samples", "rows", …; "" */
	uint32_t line;       /* where it shows; 0: no place */
};

struct quality {
	enum quality_verdict verdict;
	VEC(struct quality_reason) reasons; /* worst first */
	struct arena arena;
};

/* Call chains by where they end; the reason "broken-chains" is made of it. */
struct quality_chains {
	uint64_t all;
	uint64_t broken;  /* outermost frame is where no code can be */
	uint64_t address; /* or another raw address */
	sym_id example;   /* of a broken one */
	uint32_t line;    /* of it; 0: none */
};

/*
 * An address where no code can be: the first page, or not canonical on 64-bit
 * machines. Inside a module addresses count from its start, which tells nothing.
 * False for a symbol that has a name.
 */
bool quality_is_no_code(const struct symbols *symbols, sym_id id);

/* Zeroed where there are no chains. Cost: one pass over nodes and samples. */
void quality_chains_of(const struct capture *c, struct quality_chains *ret);

/* Owner of what is in @ret: caller, quality_fini(). Cost: one pass over rows, nodes, samples. */
void quality_of(const struct capture *c, struct category_cache *cats, struct quality *ret);
void quality_fini(struct quality *q);
/* "good", "usable", "poor", "cannot-tell" */
const char *quality_verdict_name(enum quality_verdict verdict);
/* "info", "caution", "serious", "unknown" */
const char *quality_severity_name(enum quality_severity severity);

#endif
