/* SPDX-License-Identifier: MIT */
/*
 * spread_words.h - shared by rules about distributions
 */
#ifndef EXPLAIN_SPREAD_WORDS_H
#define EXPLAIN_SPREAD_WORDS_H

#include "analyses/distributions/spread.h"
#include "explain/rule.h"

struct distribution_series;
struct finding;
struct findings;
struct rule_input;

/* "8 µs", "4096 bytes"; in the arena of @out. */
const char *spread_words_value(const struct rule_input *in, struct findings *out,
			       const struct distribution_series *s, double v);
/* "8–16 µs", "> 16 µs" */
const char *spread_words_range(const struct rule_input *in, struct findings *out,
			       const struct distribution_series *s, struct spread_bounds b);
/* "Block I/O latency of 'disk = sda'", "Latency". */
const char *spread_words_of(const struct rule_input *in, struct findings *out,
			    const struct distribution_series *s);
/* Why such values have a tail or two populations. */
const char *spread_words_cause(enum spread_subject subject);
const char *spread_words_next(enum spread_subject subject);
/* The bounds as a figure: microseconds for times. */
void spread_words_figure(const struct rule_input *in, struct findings *out, struct finding *f,
			 const char *name, const struct distribution_series *s,
			 struct spread_bounds b);
/* The line of the bucket with these bounds. */
void spread_words_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct spread *s, struct spread_bounds b);

#endif
