/* SPDX-License-Identifier: MIT */
/*
 * redact_names.h - decide which names are public, and replace the others
 *
 * A word is public if assay itself contains it (redact_vocabulary.h). If a pattern of a rule or
 * table matches a name, the replacement keeps the literal characters of the pattern. The pattern
 * then also matches the replacement:
 *
 *     pattern *_lock:   journal_lock becomes hvrdkwt_lock
 *
 * A replacement is as long as the name, so columns remain aligned. Letters become consonants of the
 * same case; digits and '_' stay. The replacement matches no pattern that the name does not match.
 * It is neither a public word nor a name of the input.
 *
 * With the same key, a name has the same replacement in all inputs. The only exception: if two
 * names of an input would get the same replacement, one of them gets another.
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
	/* names of the input; the str_id of a name is its index in `rows` */
	struct strings originals;
	struct strings taken; /* replacements in use */
	VEC(struct redact_name) rows;
	struct arena arena;
	/*
	 * first[c]: index in redact_patterns of the first pattern that begins with the byte c;
	 * first[0]: of the first one that begins with '*' or '?'
	 */
	size_t first[257];
	size_t n_replaced;
};

void redact_names_init(struct redact_names *n, const struct redact_key *key);
void redact_names_fini(struct redact_names *n);
/*
 * Store @name as a name of the input. Learn all names before the first replacement, because no
 * replacement may equal a name of the input.
 */
void redact_names_learn(struct redact_names *n, struct str name);
/* The replacement of the word @name; @name itself if it is public. */
struct str redact_names_word(struct redact_names *n, struct str name);
/* The replacement of the word @name, even if the word is public. */
struct str redact_names_forced(struct redact_names *n, struct str name);
/*
 * The replacement of an address or number: every digit becomes another random digit. Except with
 * @is_decimal, every hexadecimal letter becomes another letter.
 */
struct str redact_names_digits(struct redact_names *n, struct str name, bool is_decimal);

#endif
