/* SPDX-License-Identifier: MIT */
/* capsule_evidence.h - add the inputs to a capsule (archive of evidence and findings) */
#ifndef CMDS_CAPSULE_EVIDENCE_H
#define CMDS_CAPSULE_EVIDENCE_H

#include <stdbool.h>

struct capsule_box;
struct capsule_plan;
struct redact_key;
struct session;

/*
 * Add each input of @s to @box, decompressed. A recording is added together with the symbol names
 * that it needs. @cut: leave out the captures and inputs that this plan leaves out; NULL: keep all.
 * False: an input cannot be read; a message was printed.
 */
bool capsule_evidence_take(const struct session *s, const struct capsule_plan *cut,
			   struct capsule_box *box);
/*
 * As capsule_evidence_take(), but replace names with hashes that depend on @key. Recordings and
 * other binary inputs are first converted to text. An input that cannot be converted is left out
 * with a message; *@ret_left_out is the number of such inputs.
 */
bool capsule_evidence_redact(const struct session *s, const struct capsule_plan *cut,
			     const struct redact_key *key, struct capsule_box *box,
			     unsigned int *ret_left_out);

#endif
