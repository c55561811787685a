/* SPDX-License-Identifier: MIT */
/*
 * select.h - some of the samples: by command, module, function, thread, CPU, time
 *
 * One mechanism over the columns of any profile, whatever format it came from.
 * Samples that do not pass are taken away for good, so that tables, trees,
 * findings and conversions all speak of the same ones.
 *
 * What 100 % is follows perf report: CPUs and times cut the recording itself;
 * commands, modules, functions and threads leave the whole as it was, and the
 * weight of what they took away stays in profile.left_out (unless relative).
 *
 * A filter that the samples cannot answer is an error, never ignored.
 */
#ifndef ANALYSES_SELECT_H
#define ANALYSES_SELECT_H

#include "base/out.h"
#include "core/dossier.h"
#include "transform/name_list.h"

#define SELECT_OFFER_MAX 192u

enum select_kind {
	SELECT_CPU, /* first those that change the whole */
	SELECT_TIME,
	SELECT_COMM,
	SELECT_DSO,    /* of the sampled function, not of its callers */
	SELECT_SYMBOL, /* the same */
	SELECT_PID,
	SELECT_TID,
	SELECT_KINDS,
};

/* Both ends belong to it. */
struct select_range {
	uint64_t from;
	uint64_t to;
};

struct select_time {
	struct select_range ns; /* with !is_share */
	double from, to;        /* shares of the time from the first to the last sample, 0 to 1 */
	bool is_share;
};

/* Zeroed: everything. Owner: caller, select_fini(). */
struct select_spec {
	VEC(struct str) names[SELECT_KINDS];            /* comm, dso, symbol: patterns */
	VEC(struct select_range) numbers[SELECT_KINDS]; /* cpu, pid, tid */
	VEC(struct select_time) times;
	bool is_relative; /* 100 % is what passes all of them */
};

/* What was asked for of one kind, and how many samples pass that alone. */
struct select_count {
	bool is_asked;
	uint64_t samples;
};

struct select_result {
	bool is_done;  /* false: nothing was asked, or the capture has no samples */
	uint64_t of;   /* samples before */
	uint64_t kept; /* that pass all */
	struct select_count counts[SELECT_KINDS];
	char offer[SELECT_OFFER_MAX]; /* nothing is kept: what else there is; else empty */
};

/*
 * Add what @text says to @spec: names or patterns joined by ',', "0,2-4" for
 * CPUs, ids, or times as perf writes them: "START,STOP" in seconds with an open
 * end where nothing stands, several of them joined by blanks; "10%-20%,30%-40%",
 * or "10%/2" for the second tenth. @text is borrowed.
 * Errors: ERR_USAGE, with a sentence that names the option.
 */
MUST_CHECK int select_parse(struct select_spec *spec, enum select_kind kind, struct str text,
			    struct error *err);
bool select_is_empty(const struct select_spec *spec);
void select_fini(struct select_spec *spec);

/* The first and last time of samples of an event; to be merged over the events of a file. */
bool select_time_span(const struct capture *c, struct select_range *ret);

/*
 * Take away the samples of @c that do not pass. @span: from the first to the last
 * sample of the recording, for shares of time; NULL: of this capture.
 * Errors: ERR_USAGE when @c lacks what @spec asks for; it is unchanged then.
 * Cost: O(samples + stacks).
 */
MUST_CHECK int select_apply(struct capture *c, const struct select_spec *spec,
			    const struct select_range *span, struct select_result *ret,
			    struct error *err);

/*
 * Append what @kind could choose from the samples or printed rows of @c: "commands in
 * it: find, sort", the heaviest first, "CPUs in it: 0-3"; nothing where nothing is known.
 * Cost: O(samples + strings).
 */
void select_offer(const struct capture *c, enum select_kind kind, struct out *ret);

/* Do the numbers of @kind hold @v? True where none was asked for. */
bool select_has_number(const struct select_spec *spec, enum select_kind kind, uint64_t v);

/* "cpu", "time", "comm" …: the option's name. */
const char *select_kind_name(enum select_kind kind);

#endif
