/* SPDX-License-Identifier: MIT */
/*
 * syscall_words.h - texts about logs and counts of system calls or library calls, for several rules
 *
 * A short log of calls is an excerpt that a person selected, so even few calls matter in it. In a
 * table of counts few calls do not matter.
 */
#ifndef EXPLAIN_SYSCALL_WORDS_H
#define EXPLAIN_SYSCALL_WORDS_H

#include "base/str.h"
#include "core/ids.h"

struct findings;
struct rule_input;

/* A log with fewer calls than this is an excerpt. */
#define SYSCALL_EXCERPT 60u

/* The noun for the calls of this capture: "system calls" or "library calls". */
const char *syscall_words_what(const struct rule_input *in);
struct str syscall_words_name(const struct rule_input *in, sym_id sym);
/*
 * Name of the thread of @lane: "thread 1234", "thread 1234 (worker)" or "the thread". In the arena
 * of @out.
 */
const char *syscall_words_thread(const struct rule_input *in, struct findings *out, uint32_t lane);
/* The path or descriptor @name. If it is long, its middle is left out. In the arena of @out. */
const char *syscall_words_about(const struct rule_input *in, struct findings *out, str_id name);
/* A call, with its error if it failed: "read(3, "", 512) = EIO". In the arena of @out. */
const char *syscall_words_call(const struct rule_input *in, struct findings *out, uint32_t call);
/* @part in percent of @whole; 0 if either is 0. */
double syscall_words_pct(double part, double whole);
/* The name of an error, "ENOENT"; if it is unknown, "error 600", in the arena of @out. */
const char *syscall_words_errno(struct findings *out, int error);

#endif
