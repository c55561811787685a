/* SPDX-License-Identifier: MIT */
/*
 * syscall_words.h - shared by rules about logs and counts of calls
 *
 * A short log of calls is an excerpt selected by hand, so small numbers count there, but
 * not in a table.
 */
#ifndef EXPLAIN_SYSCALL_WORDS_H
#define EXPLAIN_SYSCALL_WORDS_H

#include "base/str.h"
#include "core/ids.h"

struct findings;
struct rule_input;

/* Shorter logs are excerpts. */
#define SYSCALL_EXCERPT 60u

/* "system calls", "library calls". */
const char *syscall_words_what(const struct rule_input *in);
struct str syscall_words_name(const struct rule_input *in, sym_id sym);
/* The thread of a lane: "thread 1234", "worker (1234)", "the thread"; in the arena of @out. */
const char *syscall_words_thread(const struct rule_input *in, struct findings *out, uint32_t lane);
/* A path or descriptor, shortened; in the arena of @out. */
const char *syscall_words_about(const struct rule_input *in, struct findings *out, str_id name);
/* @part in percent of @whole; 0 without a whole. */
double syscall_words_pct(double part, double whole);
/* The name of an error: "ENOENT"; of an unknown one "error 600", in the arena of @out. */
const char *syscall_words_errno(struct findings *out, int error);

#endif
