/* SPDX-License-Identifier: MIT */
/* capsule_evidence.h - the inputs, as the members of a capsule */
#ifndef CMDS_CAPSULE_EVIDENCE_H
#define CMDS_CAPSULE_EVIDENCE_H

#include <stdbool.h>

struct capsule_box;
struct findings;
struct redact_key;
struct session;

/*
 * Put each input of @s into @box, without compression. Recordings carry the names that they need.
 * @cut: leave out the captures of texts on which no such finding rests; NULL: take all.
 * False: an input cannot be read, which is reported.
 */
bool capsule_evidence_take(const struct session *s, const struct findings *cut,
			   struct capsule_box *box);
/*
 * As capsule_evidence_take(), without names: texts lose them, recordings and other binary inputs
 * become such texts. An input that cannot become one is reported, and left out; *@ret_left_out
 * counts them.
 */
bool capsule_evidence_redact(const struct session *s, const struct findings *cut,
			     const struct redact_key *key, struct capsule_box *box,
			     unsigned int *ret_left_out);

#endif
