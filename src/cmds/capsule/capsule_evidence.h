/* SPDX-License-Identifier: MIT */
/* capsule_evidence.h - put the inputs into a capsule (archive of evidence and findings) */
#ifndef CMDS_CAPSULE_EVIDENCE_H
#define CMDS_CAPSULE_EVIDENCE_H

#include <stdbool.h>

struct capsule_box;
struct capsule_plan;
struct redact_key;
struct session;

/*
 * Add each input of @s to @box, decompressed. Recordings are added with the symbol names that they
 * need. @cut: leave out the captures of this plan, and inputs of which no capture stays; NULL: keep
 * all captures. False: an input cannot be read; a message was printed.
 */
bool capsule_evidence_take(const struct session *s, const struct capsule_plan *cut,
			   struct capsule_box *box);
/*
 * As capsule_evidence_take(), but with names replaced by @key. Recordings and other binary inputs
 * are first converted to text. An input that cannot be converted is reported and left out;
 * *@ret_left_out is the number of such inputs.
 */
bool capsule_evidence_redact(const struct session *s, const struct capsule_plan *cut,
			     const struct redact_key *key, struct capsule_box *box,
			     unsigned int *ret_left_out);

#endif
