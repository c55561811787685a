/* SPDX-License-Identifier: MIT */
/*
 * capture.h - the data of one part of an input, such as a trace or a table
 *
 * A capture has data of one or several kinds, such as calls and samples of the same trace. Members
 * for other kinds are NULL. Names belong to the dossier, so that all its captures share them.
 * core/profile.h and core/calls.h state the memory per sample and call.
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
	str_id name; /* name of the counted thing as written, singular or plural: "requests" */
	uint64_t value;
	uint32_t line;
	/* enum capture_side: side of a comparison that the text above the line names */
	uint8_t side;
};

/* A key and value of a header: "hostname", "os release", "cmdline". */
struct capture_note {
	str_id key;
	str_id value;
	uint32_t line;
	bool is_detail; /* a detail, such as the sizes of CPU caches: omitted in text output */
};

/* The side of a comparison, such as "before", to which the surrounding text assigns the capture. */
enum capture_side {
	SIDE_NONE,
	SIDE_FIRST,  /* the side before a change: "before", "baseline", "without the patch" */
	SIDE_SECOND, /* the side after a change: "after", "patched" */
};

enum capture_state {
	STATE_UNKNOWN,
	STATE_BAD, /* the text says that this capture shows a problem */
	STATE_GOOD,
};

struct capture {
	struct dossier *dossier; /* owner of the names; borrowed */
	const char *format;      /* name of the reader */
	unsigned int kinds;      /* set of enum capture_kind */
	str_id path;
	/* first line of the capture in the original input; 0 for binary inputs */
	uint32_t first_line;
	uint32_t last_line;
	/*
	 * index in dossier.captures of a capture that contains all lines of this one, or INDEX_NONE
	 */
	uint32_t excerpt_of;
	bool is_measured; /* assay itself computed the metrics, from C sources */
	/*
	 * The figures are means over several runs, as lkp, the kernel test robot, prints them. The
	 * capture has no samples.
	 */
	bool is_averaged;
	enum capture_side side;
	enum capture_state state;
	uint32_t side_line; /* line of the text that names the side; 0: none */
	/* command line that recorded the data: "perf ftrace -C 0 …"; STR_ID_NONE: unknown */
	str_id command;
	/*
	 * sentence directly above the data that introduces it: "With the cache"; STR_ID_NONE: none
	 */
	str_id title;
	uint32_t title_line; /* line of the text with the title; 0: none */
	/*
	 * Program in the pipe of `command` that removed lines of the output: "grep" in "perf report
	 * | grep foo". Counts and shares then only include the remaining lines. STR_ID_NONE: none.
	 */
	str_id filtered_by;
	/* the text above quotes `perf record -a`: all CPUs and commands were recorded */
	bool is_system_wide;
	/*
	 * filtered_by is a program that keeps a block of lines (head, tail), so no line inside the
	 * block is missing
	 */
	bool is_cut;

	struct profile *profile;
	struct calls *calls;
	struct metrics *metrics;
	struct records *records;
	struct threads *threads;
	struct distribution *distribution;
	struct code *code;
	/*
	 * Instructions of the hottest functions of `profile`. assay disassembles them from the
	 * object files; the input does not contain them, so `kinds` has no flag for them. Only
	 * findings and `annotate` use them. NULL: the caller of the reader did not ask for them, or
	 * no sample is in a function of an object file.
	 */
	struct code *instructions;
	struct counters *counters;

	struct diag diag;
	VEC(struct capture_fact) facts;
	VEC(struct capture_note) notes;
};

struct strings *capture_strings(const struct capture *c);
struct symbols *capture_symbols(const struct capture *c);
/*
 * Each function returns the member of @c for one kind of data. The first call makes the member and
 * adds the kind to c->kinds. Borrowed.
 */
struct profile *capture_profile(struct capture *c);
struct calls *capture_calls(struct capture *c);
struct metrics *capture_metrics(struct capture *c);
struct records *capture_records(struct capture *c);
struct threads *capture_threads(struct capture *c);
struct distribution *capture_distribution(struct capture *c);
struct code *capture_code(struct capture *c);
/* Return c->instructions, which the first call makes. c->kinds does not change. */
struct code *capture_instructions(struct capture *c);
struct counters *capture_counters(struct capture *c);
void capture_note(struct capture *c, struct str key, struct str value, uint32_t line);
/* The value of the first note with this key; empty if there is none. Borrowed. */
struct str capture_note_of(const struct capture *c, struct str key);
/*
 * The name of the set @kinds, several kinds joined by '+': "profile", "calls+metrics"; "nothing"
 * for an empty set. If the set contains threads, code, a distribution or counters, the name has
 * only one kind: the first of these four that is in the set. Only a log with threads has both
 * kinds: "log+threads".
 */
const char *capture_kind_name(unsigned int kinds);

#endif
