/* SPDX-License-Identifier: MIT */
/*
 * select.h - select samples by command, module, function, thread, CPU, time
 *
 * One mechanism over the columns of any profile of any format. Samples that do not pass are
 * removed for good, so that tables, trees, findings and conversions all describe the same
 * samples.
 *
 * 100 % is defined as in perf report. CPUs and times cut the recording itself. Commands,
 * modules, functions and threads keep the whole, and the removed weight stays in
 * profile.left_out (unless relative).
 *
 * A filter on data that the samples lack is an error, never ignored.
 */
#ifndef TRANSFORM_SELECT_H
#define TRANSFORM_SELECT_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct capture;
struct dossier;
struct out;
struct transform;

#define SELECT_OFFER_MAX 192u

enum select_kind {
	SELECT_CPU, /* filters by CPU and time reduce the whole that 100 % refers to */
	SELECT_TIME,
	SELECT_COMM,
	SELECT_DSO,    /* of the sampled function, not of its callers */
	SELECT_SYMBOL, /* the same */
	SELECT_PID,
	SELECT_TID,
	SELECT_KINDS,
};

/* Inclusive range. */
struct select_range {
	uint64_t from;
	uint64_t to;
};

struct select_time {
	struct select_range ns; /* with !is_share */
	double from, to;        /* shares of the time between first and last sample, 0 to 1 */
	bool is_share;
};

/* Zeroed: select everything. Owner: caller, select_fini(). */
struct select_spec {
	VEC(struct str) names[SELECT_KINDS];            /* comm, dso, symbol: patterns */
	VEC(struct select_range) numbers[SELECT_KINDS]; /* cpu, pid, tid */
	VEC(struct select_time) times;
	bool is_relative; /* 100 % is the selected part */
};

/* Whether a filter of one kind was given, and how many samples pass it alone. */
struct select_count {
	bool is_asked;
	uint64_t samples;
};

struct select_result {
	bool is_done;  /* false: no filter, or the capture has no samples */
	uint64_t of;   /* number of samples before */
	uint64_t kept; /* number that passes all filters */
	struct select_count counts[SELECT_KINDS];
	char offer[SELECT_OFFER_MAX]; /* if nothing is kept: the available choices; else empty */
	struct error why;             /* the capture lacks data for a filter; else empty */
};

/*
 * Add the filter in @text to @spec: names or patterns joined by ',', "0,2-4" for CPUs, ids, or
 * times as in perf: "START,STOP" in seconds, where an empty end is open, several joined by
 * blanks; "10%-20%,30%-40%", or "10%/2" for the second tenth. @text is borrowed. Errors:
 * ERR_USAGE, with a sentence that names the option.
 */
MUST_CHECK int select_parse(struct select_spec *spec, enum select_kind kind, struct str text,
			    struct error *err);
bool select_is_empty(const struct select_spec *spec);
void select_fini(struct select_spec *spec);

/*
 * Store the times of the first and last sample of @c in @ret. False if its samples have no times.
 */
bool select_time_span(const struct capture *c, struct select_range *ret);

/*
 * Remove the samples of @c that do not pass. @span: first to last sample of the recording, for
 * shares of time; NULL: of this capture. Errors: ERR_USAGE if @c lacks data for @spec; it is
 * unchanged then. Cost: O(samples + stacks).
 */
MUST_CHECK int select_apply(struct capture *c, const struct select_spec *spec,
			    const struct select_range *span, struct select_result *ret,
			    struct error *err);

/*
 * Step of transform.h: apply t->select to all captures. Shares of time refer to the time span of
 * the capture's input. Refusals of single captures are in their results, not in @err.
 */
int select_step(struct dossier *d, struct transform *t, struct error *err);

/*
 * Append the choices for @kind in the samples or printed rows of @c: "commands in it: find,
 * sort", heaviest first, "CPUs in it: 0-3"; nothing if unknown. Cost: O(samples + strings).
 */
void select_offer(const struct capture *c, enum select_kind kind, struct out *ret);

/* Whether @v passes the numbers of @kind. True if there is no such filter. */
bool select_has_number(const struct select_spec *spec, enum select_kind kind, uint64_t v);

/* The option's name: "cpu", "time", "comm" …. */
const char *select_kind_name(enum select_kind kind);

#endif
