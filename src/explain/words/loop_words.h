/* SPDX-License-Identifier: MIT */
/*
 * loop_words.h - pieces of work in an event loop, which serves nothing else meanwhile
 *
 * A loop calls its callbacks one after another in one thread. The share of a kind of work in the
 * loop does not show how long one piece of it is. Some kinds are long on purpose, such as hashing a
 * password; for others, findings say only what happens if a piece is long.
 */
#ifndef EXPLAIN_LOOP_WORDS_H
#define EXPLAIN_LOOP_WORDS_H

#include "analyses/roles.h"
#include "base/str.h"
#include "core/ids.h"

#include <stdbool.h>

struct finding;
struct findings;
struct role_work;
struct rule_input;

/* A kind of work in an event loop. Shares are in percent of the profile. */
struct loop_work {
	sym_id loop;    /* function of the loop; 0: the work is not in a loop, or not much of it */
	double work;    /* work of this kind in the loop */
	double of_loop; /* the loop with all its callees */
	bool is_slow;   /* each piece is long on purpose */
	const char *instead; /* what to do instead in a loop; static string */
};

/* Whether the function @name runs the callbacks of an event loop. */
bool loop_words_is_loop(struct str name);
/*
 * Find the event loop in which most of the work of kind @kind runs. @by: the kind of work that
 * requests it, such as encryption, which requests checksums; ROLE_NONE: none. @all: the roles of
 * the stacks of the profile. Cost: O(nodes + symbols).
 */
void loop_words_find(const struct rule_input *in, const struct role_work *all, enum role kind,
		     enum role by, struct loop_work *ret);
/* The clause ", in the event loop (uv_run)" for a claim; "": not in a loop. */
const char *loop_words_claim(const struct rule_input *in, struct findings *out,
			     const struct loop_work *w);
/* A sentence for a cause, with a blank at its start; "": not in a loop. */
const char *loop_words_cause(const struct loop_work *w);
/* Add a figure, the loop, and a next step to @f, if the work is in a loop. */
void loop_words_add(const struct rule_input *in, struct findings *out, struct finding *f,
		    const struct loop_work *w);

#endif
