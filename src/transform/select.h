/* SPDX-License-Identifier: MIT */
/*
 * select.h - select samples by command, module, function, thread, CPU, time
 *
 * Profiles of all formats use this code. Samples that do not pass a filter are removed for good. So
 * tables, trees, findings and conversions describe the same samples.
 *
 * As in perf report, 100 % refers to the samples that pass the filters by CPU and time. Filters by
 * command, module, function and thread leave this total unchanged: profile.left_out keeps the
 * weight that they remove. With select_spec.is_relative, they reduce the total, too.
 *
 * A filter on data that the samples lack is an error. Such a filter is never ignored.
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
	/*
	 * without is_relative, 100 % refers to the samples that pass the filters by CPU and time;
	 * with is_relative, to the samples that pass all filters
	 */
	SELECT_CPU,
	SELECT_TIME,
	SELECT_COMM,
	SELECT_DSO,    /* module of the sampled function, not of its callers */
	SELECT_SYMBOL, /* name of the sampled function, not of its callers */
	SELECT_PID,
	SELECT_TID,
	SELECT_KINDS,
};

/* A range of numbers; `from` and `to` are included. */
struct select_range {
	uint64_t from;
	uint64_t to;
};

struct select_time {
	struct select_range ns; /* range of times; only if is_share is false */
	/*
	 * only if is_share is true: the range as fractions, 0 to 1, of the recording's time from
	 * first to last sample
	 */
	double from, to;
	bool is_share;
};

/* A set of filters. A zeroed struct selects everything. Owner: caller, select_fini(). */
struct select_spec {
	/* indexed by select_kind: patterns of the filters by comm, dso and symbol */
	VEC(struct str) names[SELECT_KINDS];
	/* indexed by select_kind: ranges of the filters by CPU, pid and tid */
	VEC(struct select_range) numbers[SELECT_KINDS];
	VEC(struct select_time) times;
	/* 100 % refers to the selected samples, not to the whole recording */
	bool is_relative;
};

/* Whether there is a filter of one kind (is_asked), and how many samples pass this filter. */
struct select_count {
	bool is_asked;
	uint64_t samples;
};

struct select_result {
	/* filters were applied to the samples of the capture */
	bool is_done;
	uint64_t of;   /* number of samples before the filters are applied */
	uint64_t kept; /* number of samples that pass all filters */
	struct select_count counts[SELECT_KINDS];
	/* text with values that would select samples, if no sample is kept; otherwise empty */
	char offer[SELECT_OFFER_MAX];
	struct error why; /* reason why the capture cannot be filtered; otherwise empty */
};

/*
 * Add the filter in @text, which is borrowed, to @spec. Names and patterns are separated by ','.
 * CPUs are numbers and ranges "0,2-4", ids are numbers "17,18". Times are as in perf: "START,STOP"
 * in seconds, where START or STOP may be missing, several separated by blanks; shares
 * "10%-20%,30%-40%"; or "10%/2" for the second tenth. Errors: ERR_USAGE, with a sentence that names
 * the option.
 */
MUST_CHECK int select_parse(struct select_spec *spec, enum select_kind kind, struct str text,
			    struct error *err);
bool select_is_empty(const struct select_spec *spec);
void select_fini(struct select_spec *spec);

/*
 * Store the times of the first and the last sample of @c in @ret. Returns false if the samples have
 * no times.
 */
bool select_time_span(const struct capture *c, struct select_range *ret);

/*
 * Remove the samples of @c that do not pass @spec. @span: times of the first and the last sample of
 * the recording, to which ranges in percent refer; NULL: use those of @c. Errors: ERR_USAGE if @c
 * lacks data for @spec; @c is then unchanged. Cost: O(samples + stacks).
 */
MUST_CHECK int select_apply(struct capture *c, const struct select_spec *spec,
			    const struct select_range *span, struct select_result *ret,
			    struct error *err);

/*
 * Step of transform.h. Applies t->select to all captures. Time ranges in percent refer to all
 * captures of the same input. If a capture cannot be filtered, the reason is in its element of
 * t->selected. It always succeeds.
 */
int select_step(struct dossier *d, struct transform *t, struct error *err);

/*
 * Append to @ret the values that a filter of @kind could select in @c: "commands in it: find,
 * sort", heaviest first, or "CPUs in it: 0-3". They are taken from samples or printed rows. Appends
 * nothing if no value is known. Cost: O(samples + strings).
 */
void select_offer(const struct capture *c, enum select_kind kind, struct out *ret);

/*
 * Whether the number @v, such as a CPU or a thread id, passes the filter of @kind. True if @spec
 * has no such filter.
 */
bool select_has_number(const struct select_spec *spec, enum select_kind kind, uint64_t v);

/* The name of the command-line option for @kind, without "--": "cpu", "time", "comm" … */
const char *select_kind_name(enum select_kind kind);

#endif
