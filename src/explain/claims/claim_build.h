/* SPDX-License-Identifier: MIT */
/* claim_build.h - private to claim_judge(), shared by claim_*.c */
#ifndef EXPLAIN_CLAIM_BUILD_H
#define EXPLAIN_CLAIM_BUILD_H

#include "base/str.h"
#include "core/ids.h"

struct claim;
struct claim_options;
struct claim_result;
struct claim_said;
struct facts;

struct capture;
struct findings;
struct profile;
struct symbols;

/* Properties of a profile that affect every claim about it. */
struct claim_profile {
	bool is_done;
	/*
	 * Variance of the functions' shares, divided by the variance of independent samples; at
	 * least 1. Bursts of a function make it larger.
	 */
	double dispersion;
	bool has_slices; /* the recording has times, so its dispersion is measured */
	double broken;   /* part (0 to 1) of the samples whose chains miss callers */
	double seconds;  /* length of the recording; 0: unknown */
};

/*
 * Number of time slices. Adjacent slices are joined in pairs, twice: the variance is computed for
 * 48, 24 and 12 slices, and the largest result is used.
 */
#define CLAIM_SLICES     48u
#define CLAIM_SLICES_MIN 12u

struct claim_times {
	uint64_t first, last;
	unsigned int slices; /* number of slices; 0: no times, or too few samples */
};

struct claim_state {
	struct facts *facts;
	const struct claim_options *options;
	double alpha; /* allowed probability that the judgement of one claim is wrong */
	struct claim_profile *profiles; /* one per capture */
	struct findings *findings;      /* findings of all rules; NULL: the rules did not run yet */
};

#define CLAIM_MODULES_MAX 8u

/* The symbols of a capture that match the names in a claim. Owner: caller, claim_names_fini(). */
struct claim_names {
	uint8_t *by_sym; /* by symbol: 1 if it matches */
	size_t n;        /* number of matching symbols */
	/*
	 * Modules of the matching symbols. Unresolved addresses in these modules may belong to the
	 * claimed functions. If n_modules exceeds CLAIM_MODULES_MAX, so may the addresses of all
	 * modules.
	 */
	str_id modules[CLAIM_MODULES_MAX];
	size_t n_modules;
	/*
	 * the claim selects by function, role or kind of work: unresolved addresses may belong to
	 * it
	 */
	bool is_code;
};

/*
 * claim_names.c: fill @ret with the symbols of @capture that match the target of @c, or @pattern.
 */
void claim_names_of(struct claim_state *s, const struct capture *capture, const struct claim *c,
		    struct claim_names *ret);
void claim_names_match(const struct capture *capture, struct str pattern, struct claim_names *ret);
void claim_names_fini(struct claim_names *n);
/* May the unresolved address @sym belong to the functions in @n? */
bool claim_names_may_be(const struct claim_names *n, const struct symbols *symbols, sym_id sym);
/* Set @ret to "cannot tell", with the reason "no function is called …; did you mean …". */
void claim_names_unknown(const struct capture *capture, struct str pattern,
			 struct claim_result *ret);

/*
 * claim_samples.c, claim_rows.c, claim_calls.c (calls, distributions, waits): compute the figure of
 * @c with its limits, from the samples, printed rows, calls, distributions or waits of the capture.
 */
void claim_samples_measure(struct claim_state *s, uint32_t capture, const struct claim *c,
			   struct claim_result *ret);
void claim_rows_measure(struct claim_state *s, uint32_t capture, const struct claim *c,
			struct claim_result *ret);
void claim_calls_measure(struct claim_state *s, uint32_t capture, const struct claim *c,
			 struct claim_result *ret);
void claim_spread_measure(struct claim_state *s, uint32_t capture, const struct claim *c,
			  struct claim_result *ret);
void claim_wait_measure(struct claim_state *s, uint32_t capture, const struct claim *c,
			struct claim_result *ret);
/* claim_profile.c: dispersion and part of broken chains, computed at the first call per profile. */
const struct claim_profile *claim_profile_of(struct claim_state *s, uint32_t capture);
struct claim_times claim_profile_times(const struct profile *p);
/* The index of the time slice that contains sample @i; 0 without slices. */
unsigned int claim_profile_slice(const struct profile *p, const struct claim_times *t, size_t i);
/*
 * Number of samples that the element @i of p->samples stands for: its weight if weights count
 * samples.
 */
double claim_profile_count(const struct profile *p, size_t i);
/* claim_facts.c: judge claims about findings and callers. */
void claim_facts_finding(struct claim_state *s, const struct claim *c, struct claim_result *ret);
void claim_facts_caller(struct claim_state *s, uint32_t capture, const struct claim *c,
			struct claim_result *ret);

/* claim_change.c: judge claims about two recordings. */
void claim_change_judge(struct claim_state *s, const struct claim *c, struct claim_result *ret);
void claim_change_same(struct claim_state *s, const struct claim *c, struct claim_result *ret);

/* claim_said.c: judge a figure in prose. */
void claim_said_judge(struct facts *f, const struct claim_said *said, struct claim_result *ret);

/* claim_judge.c */
/*
 * Index of the only capture that can answer the claim. @is_base: search among the captures of the
 * base file instead. INDEX_NONE: no such capture or several, with the reason in @ret.
 */
uint32_t claim_judge_capture(const struct claim_state *s, const struct claim *c, bool is_base,
			     struct claim_result *ret);
/*
 * Compute the figure of @c in the capture that claim_judge_capture() finds. Does not compare it
 * with the limit.
 */
void claim_judge_figure(struct claim_state *s, const struct claim *c, bool is_base,
			struct claim_result *ret);
void claim_cannot(struct claim_result *r, const char *why, const char *decide);
void claim_add_line(struct claim_result *r, uint32_t line);
/*
 * Ranks (from 1) among @n sorted values that enclose the quantile with probability 1 - @alpha.
 * @ret_low can be 0, and @ret_high n + 1: then the sample has no value that is a limit on that
 * side.
 */
void claim_ranks(double quantile, uint64_t n, double alpha, uint64_t *ret_low, uint64_t *ret_high);

#endif
