/* SPDX-License-Identifier: MIT */
/*
 * capture.h - what one region of an input said
 *
 * A capture is a profile, calls, metrics or records, or several at once (a
 * trace with samples). Parts that it does not have are NULL. Names live in the
 * dossier, so that captures of one run share them. Memory: core/profile.h and
 * core/calls.h say bytes a sample and a call.
 */
#ifndef CORE_CAPTURE_H
#define CORE_CAPTURE_H

#include "core/calls.h"
#include "core/diag.h"
#include "core/metrics.h"
#include "core/profile.h"
#include "core/records.h"

enum capture_kind {
	KIND_PROFILE = 1 << 0,
	KIND_CALLS = 1 << 1,
	KIND_METRICS = 1 << 2,
	KIND_LOG = 1 << 3,
};

/* A number that the text around a capture states: "10000 requests". */
struct capture_fact {
	str_id name; /* singular or plural as written: "requests" */
	uint64_t value;
	uint32_t line;
};

/* A key and value of a header: "hostname", "os release", "cmdline". */
struct capture_note {
	str_id key;
	str_id value;
	uint32_t line;
	bool is_detail; /* for those who ask: not among the first things to say */
};

struct capture {
	struct dossier *dossier; /* borrowed */
	const char *format;      /* name of the reader */
	unsigned int kinds;      /* enum capture_kind */
	str_id path;
	uint32_t first_line; /* of the original input; 0 for binary inputs */
	uint32_t last_line;
	uint32_t excerpt_of; /* capture of this dossier that holds all of this one, or INDEX_NONE */
	bool is_measured;    /* metrics that were counted here, from C sources */
	bool is_averaged;    /* means over runs, as a robot prints them: no samples behind it */
	str_id command;      /* that made it: "perf ftrace -C 0 …"; STR_ID_NONE */

	struct profile *profile;
	struct calls *calls;
	struct metrics *metrics;
	struct records *records;

	struct diag diag;
	VEC(struct capture_fact) facts;
	VEC(struct capture_note) notes;
};

struct strings *capture_strings(const struct capture *c);
struct symbols *capture_symbols(const struct capture *c);
/* Make the part on first use, and add its kind. Borrowed from the capture. */
struct profile *capture_profile(struct capture *c);
struct calls *capture_calls(struct capture *c);
struct metrics *capture_metrics(struct capture *c);
struct records *capture_records(struct capture *c);
void capture_note(struct capture *c, struct str key, struct str value, uint32_t line);
/* "profile", "calls", "metrics", "log", or two joined by '+'. */
const char *capture_kind_name(unsigned int kinds);

#endif
