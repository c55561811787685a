/* SPDX-License-Identifier: MIT */
/*
 * redact_text.h - replace the names in a text, so that readers and rules still understand the text
 *
 * These are replaced: words that assay does not know; names of hosts and users; e-mail, IP and
 * hardware addresses; long hexadecimal numbers; paths. The replacements have the same length
 * (redact_names.h). Numbers, times, code addresses and punctuation stay, and also lines and
 * columns.
 *
 *     redact_text_learn(&r, text);          for each text
 *     redact_text_write(&r, text, &out);    for each text
 */
#ifndef EXPLAIN_REDACT_TEXT_H
#define EXPLAIN_REDACT_TEXT_H

#include "base/str.h"
#include "explain/redact/redact_names.h"

struct redact_key;
struct out;

struct redact_text {
	struct redact_names names;
	struct out *out; /* NULL while redact_text_learn() collects names */
};

void redact_text_init(struct redact_text *r, const struct redact_key *key);
void redact_text_fini(struct redact_text *r);
/* Collect the names of @text. Call this for all texts before the first redact_text_write(). */
void redact_text_learn(struct redact_text *r, struct str text);
/* Append @text to @out, with replaced names. */
void redact_text_write(struct redact_text *r, struct str text, struct out *out);

#endif
