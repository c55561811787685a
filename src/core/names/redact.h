/* SPDX-License-Identifier: MIT */
/*
 * redact.h - replace names by meaningless words that still join
 *
 * Every text of a dossier becomes a word made from its keyed hash ("fn_3k9x0w7ds2mq"). Under
 * one key a name gives the same word in every capture and file; without the key nobody can
 * confirm a guess. Public vocabulary stays readable: standard events, column titles, units,
 * "[kernel.kallsyms]", compiler suffixes (.isra.0), and the groups in @keep.
 *
 * Texts are replaced by role; a text that no role covers becomes "redacted". Addresses are
 * removed. Numbers, times, pids and CPUs stay.
 *
 * The hash is SipHash-2-4 with a key of 128 bits, truncated to 60 bits.
 */
#ifndef CORE_REDACT_H
#define CORE_REDACT_H

#include "base/str.h"

struct dossier;

enum redact_keep {
	REDACT_KEEP_KERNEL =
		1 << 0, /* functions of the kernel itself, without modules; its release */
	REDACT_KEEP_LIBC = 1 << 1, /* functions of the C and C++ libraries and the dynamic loader */
};

struct redact_key {
	uint64_t k0;
	uint64_t k1;
};

/*
 * Derive a key from any bytes; all of them count. Secrets below REDACT_SECRET_MIN are too easy
 * to guess.
 */
#define REDACT_SECRET_MIN 16u
struct redact_key redact_key_of(struct str secret);
/* Redact @d. Call after all inputs are read; nothing may be read into @d afterwards. */
void redact_dossier(struct dossier *d, const struct redact_key *key, unsigned int keep);
/* SipHash-2-4. */
uint64_t redact_hash(const struct redact_key *key, struct str text);

#endif
