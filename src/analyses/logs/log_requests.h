/* SPDX-License-Identifier: MIT */
/*
 * log_requests.h - the requests of a log, each with its total and the durations of its steps
 *
 * Records of one request share the value of a field: "req=8f1c", "trace=700", "[8f1c]". If several
 * fields are possible, the field that assigns the most durations to requests is used. The total of
 * a request is its last duration, if this duration contains the earlier ones with the same value.
 * The times of the records show whether it contains them.
 */
#ifndef ANALYSES_LOG_REQUESTS_H
#define ANALYSES_LOG_REQUESTS_H

#include "analyses/operations/operation_key.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

struct capture;

/* The duration of one step, which a record prints. */
struct log_step {
	uint64_t ns;
	uint64_t half_ns; /* error by rounding: half a unit of the last printed digit */
	/* hash of `name` without numbers, quoted texts and words with digits */
	uint64_t kind;
	struct str name; /* text before the number, after the id: "step=pool.acquire wait" */
	uint32_t record;
	bool is_failed; /* the record reports that the step reached a time limit */
};

/* The steps of one kind, in all requests. */
struct log_request_part {
	uint64_t kind;
	uint64_t ns; /* sum of the durations of all steps of this kind */
	uint64_t half_ns;
	uint64_t n;
	uint64_t n_requests; /* number of requests that have a step of this kind */
	uint64_t most;       /* largest number of steps of this kind in one request */
	uint32_t step;       /* index of the longest step of this kind */
	/* in some request, the steps of this kind overlap: their sum exceeds the request's total */
	bool is_parallel;
};

/* One request that has a total and at least one part. */
struct log_request {
	uint32_t total; /* index of the step whose duration is the total of the request */
	/* sum of the durations of the request's other steps, which may overlap */
	uint64_t parts_ns;
};

struct log_requests {
	VEC(struct log_request) requests; /* all requests, grouped by the value of the id */
	VEC(struct log_step) steps;       /* all durations, in the order of the log */
	/* kinds of steps that belong to requests, largest sum of durations first */
	VEC(struct log_request_part) parts;
	struct operation_key key; /* the field with the id; valid if n is not 0 */
	uint64_t n;               /* number of `requests` */
	uint64_t total_ns;        /* sum of the totals of all requests */
	uint64_t half_ns;
	uint32_t slowest; /* index of the step that is the total of the slowest request */
};

/*
 * Find the steps and requests in the records of @c, which must outlive @r. Requests count only if
 * their total has the most frequent kind (log_step.kind). Owner: caller, log_requests_fini(). Cost:
 * O(bytes), and O(steps) for each of a few fields.
 */
void log_requests_init(struct log_requests *r, const struct capture *c);
void log_requests_fini(struct log_requests *r);

#endif
