/* SPDX-License-Identifier: MIT */
/* claim_build.h - declarations for the files claim_*.c only */
#ifndef EXPLAIN_CLAIM_BUILD_H
#define EXPLAIN_CLAIM_BUILD_H

#include "base/str.h"
#include "core/ids.h"
#include "explain/claims/claim.h"

struct claim_options;
struct claim_result;
struct claim_said;
struct facts;

struct capture;
struct counter;
struct findings;
struct profile;
struct symbols;

/* Properties of a profile that affect every claim about it. */
struct claim_profile {
	bool is_done;
	/*
	 * How much the shares of functions vary between time slices: their variance, divided by the
	 * variance of independent samples. At least 1; higher if functions run in bursts.
	 */
	double dispersion;
	bool has_slices; /* the recording has times, so its dispersion is measured */
	/* part (0 to 1) of the samples with a broken call chain, which lacks callers */
	double broken;
	double seconds; /* length of the recording; 0: unknown */
};

/*
 * Number of time slices of a recording. The variance is computed for 48 slices, for 24 slices of
 * double length, and for 12. The largest variance is used.
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
	/* properties of the profile of each capture, indexed by capture */
	struct claim_profile *profiles;
	struct findings *findings; /* findings of all rules; NULL: the rules did not run yet */
};

#define CLAIM_MODULES_MAX 8u

/* The symbols of a capture that match the names in a claim. Owner: caller, claim_names_fini(). */
struct claim_names {
	uint8_t *by_sym; /* by_sym[symbol]: 1 if it matches */
	size_t n;        /* number of matching symbols */
	/*
	 * Modules of the matching symbols. An unresolved address in these modules may belong to a
	 * matching function. If there are more than CLAIM_MODULES_MAX modules, an unresolved
	 * address in any module may belong to a matching function.
	 */
	str_id modules[CLAIM_MODULES_MAX];
	size_t n_modules;
	/*
	 * The claim is about a function, role or kind of work, so unresolved addresses may belong
	 * to its target. False: the claim is about a module or command.
	 */
	bool is_code;
};

/*
 * claim_names.c: set @ret to the symbols of @capture that match the target of @c (claim_names_of())
 * or @pattern (claim_names_match()).
 */
void claim_names_of(struct claim_state *s, const struct capture *capture, const struct claim *c,
		    struct claim_names *ret);
void claim_names_match(const struct capture *capture, struct str pattern, struct claim_names *ret);
void claim_names_fini(struct claim_names *n);
/* Whether the unresolved address @sym may belong to the functions in @n. */
bool claim_names_may_be(const struct claim_names *n, const struct symbols *symbols, sym_id sym);
/* Set @ret to "cannot tell", with the reason "no function is called @pattern; did you mean X". */
void claim_names_unknown(const struct capture *capture, struct str pattern,
			 struct claim_result *ret);

/*
 * claim_samples.c, claim_rows.c, claim_calls.c: compute the figure of @c, with its interval. The
 * source is samples, printed rows, calls of a trace, distributions, or waits.
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
/* claim_syscalls.c: whether a table or log of system calls can answer the claim. */
bool claim_syscalls_have(const struct claim *c);
void claim_syscalls_measure(struct claim_state *s, uint32_t capture, const struct claim *c,
			    struct claim_result *ret);
/* A value that is known within bounds. */
struct claim_bounds {
	double low, high;
	bool is_open; /* the value is less than high, not equal */
};

/*
 * Numbers of values, for a claim with a limit in brackets such as "share(latency > 10ms)". surely:
 * values that are certainly beyond the limit; perhaps: values that may be beyond it; n: all values.
 */
struct claim_part {
	double surely, perhaps, n;
};

/* claim_part.c: count @weight values, all within the bounds @value, in @part. */
void claim_part_add(const struct claim *c, const struct claim_bounds *value, double weight,
		    struct claim_part *part);
/*
 * Set @r to the share of values in @part that are beyond the limit. @is_sampled: the values are a
 * random sample of the program's values. @n_of: noun for the values, a static string. @decide: a
 * measurement that would show whether the uncertain values are beyond the limit. part->n must be
 * above 0.
 */
void claim_part_figure(const struct claim_state *s, const struct claim_part *part, bool is_sampled,
		       const char *n_of, const char *decide, struct claim_result *r);
/* claim_counters.c: whether the capture has the figure that @c names, as a counter or ratio. */
bool claim_counters_have(const struct claim_state *s, uint32_t capture, const struct claim *c);
/* Set @ret to "cannot tell", with the reason "no counter is called …; did you mean …". */
void claim_counters_unknown(const struct claim_state *s, const struct claim *c,
			    struct claim_result *ret);
/* The unit of claims about this counter. */
enum claim_unit claim_counters_unit(const struct capture *capture, const struct counter *row);
void claim_counters_measure(struct claim_state *s, uint32_t capture, const struct claim *c,
			    struct claim_result *ret);
/* claim_profile.c: properties of the profile of @capture, computed by the first call. */
const struct claim_profile *claim_profile_of(struct claim_state *s, uint32_t capture);
struct claim_times claim_profile_times(const struct profile *p);
/* The index of the time slice that contains sample @i; 0: there are no slices. */
unsigned int claim_profile_slice(const struct profile *p, const struct claim_times *t, size_t i);
/*
 * Number of samples in element @i of p->samples. If weights are numbers of samples, this is the
 * weight of the element.
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

/*
 * claim_judge.c: index of the only capture that can answer the claim. @is_base: search among the
 * captures of the base file instead. INDEX_NONE: no capture or several captures can answer; @ret
 * has the reason.
 */
uint32_t claim_judge_capture(const struct claim_state *s, const struct claim *c, bool is_base,
			     struct claim_result *ret);
/*
 * Compute the figure of @c in the capture that claim_judge_capture() finds. Does not compare the
 * figure with the limit.
 */
void claim_judge_figure(struct claim_state *s, const struct claim *c, bool is_base,
			struct claim_result *ret);
void claim_cannot(struct claim_result *r, const char *why, const char *decide);
void claim_add_line(struct claim_result *r, uint32_t line);
/*
 * Set @ret_low and @ret_high to two ranks (from 1) of @n sorted values. With probability 1 -
 * @alpha, the true quantile is between the values at these ranks. If there are too few values for a
 * limit, *@ret_low is 0 or *@ret_high is n + 1.
 */
void claim_ranks(double quantile, uint64_t n, double alpha, uint64_t *ret_low, uint64_t *ret_high);

#endif
