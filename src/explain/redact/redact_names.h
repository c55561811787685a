/* SPDX-License-Identifier: MIT */
/*
 * redact_names.h - decide which names are public, and replace the others
 *
 * A word is public if assay itself contains it (redact_vocabulary.h). If a pattern of a rule or
 * table matches a name, the replacement keeps the literal characters of the pattern, so that the
 * pattern still matches.
 *
 * A replacement has the length of the name. Letters become consonants of the same case; digits and
 * '_' stay. So columns remain aligned, and a reader finds a name at the same column. The
 * replacement matches no pattern that the name does not match. It is neither a public word nor a
 * name of the input. Under one key a name has the same replacement everywhere, except if two names
 * of one input would get the same one.
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
	struct str word; /* replacement; empty: not chosen yet, or not needed */
	bool is_public;  /* the name is written unchanged; valid if is_judged */
	bool is_judged;
};

struct redact_names {
	struct redact_key key;
	struct strings vocabulary;
	struct strings originals; /* names of the input; a str_id is the index in `rows` */
	struct strings taken;     /* replacements in use */
	VEC(struct redact_name) rows;
	struct arena arena;
	/*
	 * by first character: index of the first such pattern in redact_patterns; [0]: '*' and '?'
	 */
	size_t first[257];
	size_t n_replaced;
};

void redact_names_init(struct redact_names *n, const struct redact_key *key);
void redact_names_fini(struct redact_names *n);
/*
 * Remember @name as a name of the input. Learn all names before the first replacement, because no
 * replacement may equal a name of the input.
 */
void redact_names_learn(struct redact_names *n, struct str name);
/* The replacement of the word @name; @name itself if it is public. */
struct str redact_names_word(struct redact_names *n, struct str name);
/* As redact_names_word(), but a public word is replaced as well. */
struct str redact_names_forced(struct redact_names *n, struct str name);
/*
 * The replacement of an address or number: every digit changes, and, unless @is_decimal, every
 * hexadecimal letter.
 */
struct str redact_names_digits(struct redact_names *n, struct str name, bool is_decimal);

#endif
