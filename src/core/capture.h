/* SPDX-License-Identifier: MIT */
/*
 * capture.h - the data of one region of an input
 *
 * A capture holds a profile, calls, metrics, records, counters, threads, a distribution, code,
 * or several of these (a trace with samples). Absent parts are NULL. Names live in the dossier,
 * so that the captures of a run share them. core/profile.h and core/calls.h state the memory
 * per sample and call.
 */
#ifndef CORE_CAPTURE_H
#define CORE_CAPTURE_H

#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/ids.h"

struct code;
struct distribution;
struct counters;
struct threads;
struct calls;
struct dossier;
struct metrics;
struct profile;
struct records;
struct strings;
struct symbols;

enum capture_kind {
	KIND_PROFILE = 1 << 0,
	KIND_CALLS = 1 << 1,
	KIND_METRICS = 1 << 2,
	KIND_LOG = 1 << 3,
	KIND_DISTRIBUTION = 1 << 4,
	KIND_THREADS = 1 << 6,
	KIND_CODE = 1 << 7,
	KIND_COUNTERS = 1 << 5,
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
	bool is_detail; /* detail: not shown on the first page */
};

/* Which side of a comparison the capture is, if the text names it. */
enum capture_side {
	SIDE_NONE,
	SIDE_FIRST,  /* before, baseline, without the change */
	SIDE_SECOND, /* after, patched */
};

enum capture_state {
	STATE_UNKNOWN,
	STATE_BAD, /* the text complains about this one */
	STATE_GOOD,
};

struct capture {
	struct dossier *dossier; /* borrowed */
	const char *format;      /* name of the reader */
	unsigned int kinds;      /* enum capture_kind */
	str_id path;
	uint32_t first_line; /* of the original input; 0 for binary inputs */
	uint32_t last_line;
	/* capture of this dossier that contains all of this one, or INDEX_NONE */
	uint32_t excerpt_of;
	bool is_measured; /* metrics measured by this program from C sources */
	/* means over several runs, as test robots print them: samples do not exist */
	bool is_averaged;
	enum capture_side side;
	enum capture_state state;
	uint32_t side_line; /* line of the words that name the side; 0: none */
	str_id command;     /* command that made it: "perf ftrace -C 0 …"; STR_ID_NONE: unknown */

	struct profile *profile;
	struct calls *calls;
	struct metrics *metrics;
	struct records *records;
	struct threads *threads;
	struct distribution *distribution;
	struct code *code;
	struct counters *counters;

	struct diag diag;
	VEC(struct capture_fact) facts;
	VEC(struct capture_note) notes;
};

struct strings *capture_strings(const struct capture *c);
struct symbols *capture_symbols(const struct capture *c);
/* Return the part; made on first use, with its kind set. Borrowed from the capture. */
struct profile *capture_profile(struct capture *c);
struct calls *capture_calls(struct capture *c);
struct metrics *capture_metrics(struct capture *c);
struct records *capture_records(struct capture *c);
struct threads *capture_threads(struct capture *c);
struct distribution *capture_distribution(struct capture *c);
struct code *capture_code(struct capture *c);
struct counters *capture_counters(struct capture *c);
void capture_note(struct capture *c, struct str key, struct str value, uint32_t line);
/*
 * "profile", "calls", "metrics", "log", or several of them joined by '+'; "nothing". One of
 * "threads", "code", "distribution", "counters" replaces these, except "log+threads".
 */
const char *capture_kind_name(unsigned int kinds);

#endif
