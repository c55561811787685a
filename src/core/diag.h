/* SPDX-License-Identifier: MIT */
/*
 * diag.h - counters of skipped, truncated and doubtful input
 *
 * Readers never drop input silently. Each declares its counters as constants next to the code
 * that counts:
 *
 *     static const struct diag_kind bad_count = {
 *             "folded-no-count", DIAG_DATALOSS, "lines without a count after the stack" };
 *     diag_count(&capture->diag, &bad_count, line);
 *
 * `assay info` and the quality verdict of every report show them.
 */
#ifndef CORE_DIAG_H
#define CORE_DIAG_H

#include "base/vec.h"

enum diag_severity {
	DIAG_INFO,     /* worth knowing, nothing lost */
	DIAG_DATALOSS, /* input that is missing in the capture */
	DIAG_ERROR,    /* the input violates its format: figures may be wrong */
};

struct diag_kind {
	const char *counter; /* kebab-case, stable: scripts rely on it */
	enum diag_severity severity;
	const char *sentence; /* counted items, plural, no final dot */
	bool is_cut;          /* the input ends too early: commands also print it on stderr */
	bool is_failure;      /* a failure of this machine while reading: also printed on stderr */
};

struct diag_entry {
	const struct diag_kind *kind;
	uint64_t count;
	uint32_t first_line; /* of the original input, from 1; 0: unknown */
};

struct diag {
	VEC(struct diag_entry) entries; /* in order of first occurrence */
};

void diag_fini(struct diag *d);
/* Count one occurrence of @kind at @line of the original input (0: unknown). */
void diag_count(struct diag *d, const struct diag_kind *kind, uint32_t line);
void diag_add(struct diag *d, const struct diag_kind *kind, uint64_t n, uint32_t line);
/* Count of @counter, 0 if none. */
uint64_t diag_get(const struct diag *d, const char *counter);
/* "info", "dataloss", "error" */
const char *diag_severity_name(enum diag_severity severity);

#endif
