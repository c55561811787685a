/* SPDX-License-Identifier: MIT */
/*
 * diag.h - counters of input that was skipped, truncated or doubtful
 *
 * Readers count all input that they drop. Each reader declares its counters as constants next to
 * the code that counts:
 *
 *     static const struct diag_kind bad_count = {
 *             "folded-no-count", DIAG_DATALOSS, "lines without a count after the stack" };
 *     diag_count(&capture->diag, &bad_count, line);
 *
 * `assay info` and the quality verdict of every report show the counts.
 */
#ifndef CORE_DIAG_H
#define CORE_DIAG_H

#include "base/vec.h"

enum diag_severity {
	DIAG_INFO,     /* for information: nothing was lost */
	DIAG_DATALOSS, /* part of the input is missing in the capture */
	DIAG_ERROR,    /* the input violates its format: figures may be wrong */
};

/*
 * Name of the counter for rows of a table that its reader could not parse. The verdict on the data
 * compares this count with the number of parsed rows.
 */
#define DIAG_UNREAD_ROWS "unread-rows"
/* Name of the counter for places where the author of the text omitted lines: "(...)". */
#define DIAG_OMITTED_LINES "omitted-lines"
/* Name of the counter for texts whose last line is truncated. */
#define DIAG_CUT_LINE "cut-line"

struct diag_kind {
	const char *counter; /* name in kebab-case, stable because scripts rely on it */
	enum diag_severity severity;
	const char *sentence; /* the counted items: a plural noun phrase without a final dot */
	/* the counter is about input that ends too early; commands also print it on stderr */
	bool is_cut;
	/*
	 * the counter is about files of this machine that cannot be read or are missing, such as
	 * modules and debug information; commands also print it on stderr
	 */
	bool is_failure;
	/*
	 * the counter is about lines of the text that assay changed, such as broken rows that it
	 * joined; the page prints the counter even if its severity is DIAG_INFO
	 */
	bool is_change;
};

struct diag_entry {
	const struct diag_kind *kind;
	uint64_t count;
	uint32_t first_line; /* first occurrence, a line of the original input from 1; 0: unknown */
};

struct diag {
	VEC(struct diag_entry) entries; /* in order of first occurrence */
};

void diag_fini(struct diag *d);
/* Count one occurrence of @kind at @line of the original input (0: unknown). */
void diag_count(struct diag *d, const struct diag_kind *kind, uint32_t line);
void diag_add(struct diag *d, const struct diag_kind *kind, uint64_t n, uint32_t line);
/* Number of occurrences of @counter. */
uint64_t diag_get(const struct diag *d, const char *counter);
/* The name of a severity: "info", "dataloss", "error". */
const char *diag_severity_name(enum diag_severity severity);

#endif
