/* SPDX-License-Identifier: MIT */
/*
 * redact_names.h - which names are public, and the words that replace the others
 *
 * A word is public if assay knows it (redact_vocabulary.h). Of a name that a pattern of a rule or
 * table matches, the literal characters of the pattern stay, so that the pattern still matches.
 *
 * A replacement has the length of the name. Letters become consonants of the same case, digits and
 * '_' stay: columns remain aligned and a reader finds a name where one was. It matches no pattern
 * that the name does not match, and is neither a public word nor a name of the input. Under one key
 * a name has the same replacement everywhere, except if two names of one input would collide.
 */
#ifndef EXPLAIN_REDACT_NAMES_H
#define EXPLAIN_REDACT_NAMES_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/names/redact.h"
#include "core/strings.h"

/* A name of the input. */
struct redact_name {
	struct str word; /* replacement; empty: not chosen yet */
	bool is_public;  /* set once it is judged */
	bool is_judged;
};

struct redact_names {
	struct redact_key key;
	struct strings vocabulary;
	struct strings originals; /* names of the input; ids are rows of @rows */
	struct strings taken;     /* replacements in use */
	VEC(struct redact_name) rows;
	struct arena arena;
	size_t first[257]; /* rows of redact_patterns by first character; '*' and '?' are in [0] */
	size_t n_replaced;
};

void redact_names_init(struct redact_names *n, const struct redact_key *key);
void redact_names_fini(struct redact_names *n);
/* Remember @name as a name of the input. All names must be known before the first replacement. */
void redact_names_learn(struct redact_names *n, struct str name);
/* What to write instead of the word @name: itself if it is public. */
struct str redact_names_word(struct redact_names *n, struct str name);
/* As redact_names_word(), for a word that is replaced even if it is public. */
struct str redact_names_forced(struct redact_names *n, struct str name);
/*
 * What to write instead of the address or number @name: every digit and every hex letter, or of
 * @is_decimal every digit, becomes another one.
 */
struct str redact_names_digits(struct redact_names *n, struct str name, bool is_decimal);

#endif
