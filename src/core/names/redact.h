/* SPDX-License-Identifier: MIT */
/*
 * redact.h - replace names by meaningless words, equal names by equal words
 *
 * Every text of a dossier becomes a word made from its keyed hash ("fn_3k9x0w7ds2mq"). With the
 * same key, a name becomes the same word in every capture and file. Without the key, nobody can
 * test whether a word replaces a certain name. Public vocabulary stays readable: standard events,
 * column titles, units, "[kernel.kallsyms]", compiler suffixes (.isra.0), and the groups in @keep.
 *
 * The replacement depends on the role of the text: "fn_" for functions, "host_" for machines, and
 * so on. A text without a known role becomes "redacted". Addresses are removed. Numbers, times,
 * pids and CPUs stay.
 *
 * The hash is SipHash-2-4 with a key of 128 bits, truncated to 60 bits.
 */
#ifndef CORE_REDACT_H
#define CORE_REDACT_H

#include "base/str.h"

struct dossier;

enum redact_keep {
	REDACT_KEEP_KERNEL =
		/* the kernel: its release and its functions, but not functions of modules */
	1 << 0,
	REDACT_KEEP_LIBC = 1 << 1, /* functions of the C and C++ libraries and the dynamic loader */
};

struct redact_key {
	uint64_t k0;
	uint64_t k1;
};

/*
 * Derive a key from all bytes of @secret. Secrets of fewer than REDACT_SECRET_MIN bytes are too
 * easy to guess.
 */
#define REDACT_SECRET_MIN 16u
struct redact_key redact_key_of(struct str secret);
/* Redact @d. Call it after all inputs are read; afterwards nothing may be read into @d. */
void redact_dossier(struct dossier *d, const struct redact_key *key, unsigned int keep);
/* Return the SipHash-2-4 of @text. */
uint64_t redact_hash(const struct redact_key *key, struct str text);

#endif
