/* SPDX-License-Identifier: MIT */
/*
 * select.h - select samples by command, module, function, thread, CPU, time
 *
 * Profiles of all formats use this code. Samples that do not pass a filter are removed permanently.
 * So tables, trees, findings and conversions describe the same samples.
 *
 * As in perf report, filters by CPU and time reduce the total that 100 % refers to. Filters by
 * command, module, function and thread reduce this total only with is_relative. Otherwise the
 * removed weight is kept in profile.left_out.
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
	SELECT_CPU, /* filters by CPU and time reduce the total that 100 % refers to */
	SELECT_TIME,
	SELECT_COMM,
	SELECT_DSO,    /* module of the sampled function, not of its callers */
	SELECT_SYMBOL, /* name of the sampled function, not of its callers */
	SELECT_PID,
	SELECT_TID,
	SELECT_KINDS,
};

/* A range with both ends included. */
struct select_range {
	uint64_t from;
	uint64_t to;
};

struct select_time {
	struct select_range ns; /* range of times; only if is_share is false */
	/* if is_share is true: range as fractions, 0 to 1, of the time from first to last sample */
	double from, to;
	bool is_share;
};

/* A zeroed struct selects everything. Owner: caller, select_fini(). */
struct select_spec {
	VEC(struct str) names[SELECT_KINDS]; /* patterns of the filters by comm, dso, symbol */
	/* ranges of numbers that the filters by CPU, pid and tid select */
	VEC(struct select_range) numbers[SELECT_KINDS];
	VEC(struct select_time) times;
	/* 100 % refers to the selected samples, not to the whole recording */
	bool is_relative;
};

/* Whether there is a filter of one kind, and how many samples pass this filter. */
struct select_count {
	bool is_asked;
	uint64_t samples;
};

struct select_result {
	/* a filter was applied; false: no filter was given, or the capture has no samples */
	bool is_done;
	uint64_t of;   /* number of samples before the filters are applied */
	uint64_t kept; /* number of samples that pass all filters */
	struct select_count counts[SELECT_KINDS];
	/* if no sample is kept: the values that would select samples; else empty */
	char offer[SELECT_OFFER_MAX];
	struct error why; /* reason, if the capture lacks data for a filter; else empty */
};

/*
 * Add the filter in @text, which is borrowed, to @spec. Names and patterns are joined by ','.
 * Numbers are "0,2-4" for CPUs, "17,18" for ids. Times are as in perf: "START,STOP" in seconds,
 * where either may be missing, several joined by blanks; "10%-20%,30%-40%"; or "10%/2" for the
 * second tenth. Errors: ERR_USAGE, with a sentence that names the option.
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
 * Remove the samples of @c that do not pass @spec. @span: times of the first and last sample of the
 * recording, to which shares of time refer; NULL: those of @c. Errors: ERR_USAGE if @c lacks data
 * for @spec; @c is then unchanged. Cost: O(samples + stacks).
 */
MUST_CHECK int select_apply(struct capture *c, const struct select_spec *spec,
			    const struct select_range *span, struct select_result *ret,
			    struct error *err);

/*
 * Step of transform.h: apply t->select to all captures. Shares of time refer to the time span of
 * the capture's input. A capture that cannot be filtered has the reason in its result, not in @err.
 */
int select_step(struct dossier *d, struct transform *t, struct error *err);

/*
 * Append the values that a filter of @kind could select in the samples or printed rows of @c:
 * "commands in it: find, sort", heaviest first, or "CPUs in it: 0-3". Appends nothing if none are
 * known. Cost: O(samples + strings).
 */
void select_offer(const struct capture *c, enum select_kind kind, struct out *ret);

/* Whether @v passes the filter of @kind by numbers. True if there is no such filter. */
bool select_has_number(const struct select_spec *spec, enum select_kind kind, uint64_t v);

/* The name of the option for @kind: "cpu", "time", "comm" …. */
const char *select_kind_name(enum select_kind kind);

#endif
