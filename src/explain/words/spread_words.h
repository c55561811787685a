/* SPDX-License-Identifier: MIT */
/* spread_words.h - texts about distributions, for several rules */
#ifndef EXPLAIN_SPREAD_WORDS_H
#define EXPLAIN_SPREAD_WORDS_H

#include "analyses/distributions/spread.h"
#include "explain/rule.h"

struct distribution_series;
struct finding;
struct findings;
struct rule_input;

/* The text of value @v of series @s with its unit, "8 µs" or "4096 bytes", in the arena of @out. */
const char *spread_words_value(const struct rule_input *in, struct findings *out,
			       const struct distribution_series *s, double v);
/*
 * The text of the range @b of values of series @s with its unit, "8–16 µs" or "> 16 µs", in the
 * arena of @out.
 */
const char *spread_words_range(const struct rule_input *in, struct findings *out,
			       const struct distribution_series *s, struct spread_bounds b);
/* Title of the series @s: "Block I/O latency of 'disk = sda'", or just "Latency". */
const char *spread_words_of(const struct rule_input *in, struct findings *out,
			    const struct distribution_series *s);
/* The usual cause if the values of @s have a long tail or two peaks. */
const char *spread_words_cause(const struct rule_input *in, const struct distribution_series *s);
/*
 * The next step for a histogram of @subject. @has_key: the histogram is already about a single key.
 */
const char *spread_words_next(enum spread_subject subject, bool has_key);
/* Is @s about one key of a map, such as "@usecs[bash, 2]"? */
bool spread_words_has_key(const struct rule_input *in, const struct distribution_series *s);
/* Add the middle of the range @b as the figure @name. Times are added in microseconds. */
void spread_words_figure(const struct rule_input *in, struct findings *out, struct finding *f,
			 const char *name, const struct distribution_series *s,
			 struct spread_bounds b);
/* Cite the line of the bucket that contains the lower bound of @b. */
void spread_words_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct spread *s, struct spread_bounds b);

#endif
