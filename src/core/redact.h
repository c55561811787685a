/* SPDX-License-Identifier: MIT */
/*
 * redact.h - names that say nothing, and still join
 *
 * Every text of a dossier becomes a word made from a keyed hash of it
 * ("fn_3k9x0w7ds2mq"): under one key the same name gives the same word, in every
 * capture and file, and without the key nobody can tell by trying names. What is
 * public vocabulary stays readable: standard events, column titles, units,
 * "[kernel.kallsyms]", what compilers add (.isra.0), and what @keep says.
 *
 * Texts are replaced by what they are, role by role; one that no role reached
 * becomes "redacted". Addresses are taken away. Numbers, times, pids and CPUs stay.
 *
 * The hash is SipHash-2-4 with 128 bits of key, cut to 60 bits.
 */
#ifndef CORE_REDACT_H
#define CORE_REDACT_H

#include "core/dossier.h"

enum redact_keep {
	REDACT_KEEP_KERNEL =
		1 << 0,            /* functions of the kernel itself, not of modules; its release */
	REDACT_KEEP_LIBC = 1 << 1, /* functions of the C and C++ libraries and the loader */
};

struct redact_key {
	uint64_t k0;
	uint64_t k1;
};

/* Any bytes as a key; all of them count. Fewer than REDACT_SECRET_MIN are too easy to guess. */
#define REDACT_SECRET_MIN 16u
struct redact_key redact_key_of(struct str secret);
/* Call it when all is read; nothing is read into @d afterwards. */
void redact_dossier(struct dossier *d, const struct redact_key *key, unsigned int keep);
/* SipHash-2-4. */
uint64_t redact_hash(const struct redact_key *key, struct str text);

#endif
