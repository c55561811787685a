/* SPDX-License-Identifier: MIT */
/* claim_build.h - shared by the parts of claim_judge(); private to these */
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

/* Properties of a profile that all claims about it share. */
struct claim_profile {
	bool is_done;
	double dispersion; /* variance relative to independent samples, of all functions */
	bool has_slices;   /* dispersion is measured */
	double broken;     /* fraction of samples with chains that miss callers */
	double seconds;    /* of the recording; 0: unknown */
};

#define CLAIM_SLICES     48u /* halved twice: the largest variance counts */
#define CLAIM_SLICES_MIN 12u

struct claim_times {
	uint64_t first, last;
	unsigned int slices; /* 0: no variance from slices */
};

struct claim_state {
	struct facts *facts;
	const struct claim_options *options;
	double alpha;                   /* of one claim */
	struct claim_profile *profiles; /* by capture */
	struct findings *findings;      /* NULL: not computed */
};

#define CLAIM_MODULES_MAX 8u

/* The symbols that a claim means. Owner: caller, claim_names_fini(). */
struct claim_names {
	uint8_t *by_sym; /* 1: it does */
	size_t n;        /* matching symbols */
	/* modules whose unresolved addresses may belong to the functions; n_modules above
	 * CLAIM_MODULES_MAX: all modules */
	str_id modules[CLAIM_MODULES_MAX];
	size_t n_modules;
	bool is_code; /* functions, roles or kinds: unresolved addresses may belong to them */
};

/* claim_names.c: the target of @c, or the functions that match @pattern, in @capture. */
void claim_names_of(struct claim_state *s, const struct capture *capture, const struct claim *c,
		    struct claim_names *ret);
void claim_names_match(const struct capture *capture, struct str pattern, struct claim_names *ret);
void claim_names_fini(struct claim_names *n);
/* May @sym be of @n although it is unresolved? */
bool claim_names_may_be(const struct claim_names *n, const struct symbols *symbols, sym_id sym);
/* Fail with "no function is called …; did you mean …". */
void claim_names_unknown(const struct capture *capture, struct str pattern,
			 struct claim_result *ret);

/* claim_samples.c, claim_rows.c, claim_calls.c (calls, distributions, waits): the figure of @c. */
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
/* claim_profile.c: dispersion and chains of the profile, computed once. */
const struct claim_profile *claim_profile_of(struct claim_state *s, uint32_t capture);
struct claim_times claim_profile_times(const struct profile *p);
/* The slice of sample @i; 0 without slices. */
unsigned int claim_profile_slice(const struct profile *p, const struct claim_times *t, size_t i);
/* Number of samples in element @i; its weight, if weights count samples. */
double claim_profile_count(const struct profile *p, size_t i);
/* claim_facts.c: claims about findings and callers, with their outcome. */
void claim_facts_finding(struct claim_state *s, const struct claim *c, struct claim_result *ret);
void claim_facts_caller(struct claim_state *s, uint32_t capture, const struct claim *c,
			struct claim_result *ret);

/* claim_change.c: claims about two recordings, with their outcome. */
void claim_change_judge(struct claim_state *s, const struct claim *c, struct claim_result *ret);
void claim_change_same(struct claim_state *s, const struct claim *c, struct claim_result *ret);

/* claim_said.c: a figure of prose, with its outcome. */
void claim_said_judge(struct facts *f, const struct claim_said *said, struct claim_result *ret);

/* claim_judge.c */
/* The capture of the claim, or that of its base; INDEX_NONE after claim_cannot(). */
uint32_t claim_judge_capture(const struct claim_state *s, const struct claim *c, bool is_base,
			     struct claim_result *ret);
/* The figure there, without an outcome. */
void claim_judge_figure(struct claim_state *s, const struct claim *c, bool is_base,
			struct claim_result *ret);
void claim_cannot(struct claim_result *r, const char *why, const char *decide);
void claim_add_line(struct claim_result *r, uint32_t line);
/* Ranks (from 1) of @n sorted values between which the quantile lies; @ret_high may be n + 1. */
void claim_ranks(double quantile, uint64_t n, double alpha, uint64_t *ret_low, uint64_t *ret_high);

#endif
