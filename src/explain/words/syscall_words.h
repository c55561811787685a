/* SPDX-License-Identifier: MIT */
/*
 * syscall_words.h - texts about logs and counts of system calls or library calls, for several rules
 *
 * A person selected the lines of a short log. So a few calls may be important in such a log, but
 * not in a table of counts.
 */
#ifndef EXPLAIN_SYSCALL_WORDS_H
#define EXPLAIN_SYSCALL_WORDS_H

#include "analyses/syscalls/syscalls.h"
#include "base/str.h"
#include "core/ids.h"

#include <stddef.h>

struct findings;
struct rule_input;

/* A log with fewer calls than this is an excerpt. */
#define SYSCALL_EXCERPT 60u

/*
 * The noun for the calls of this capture: "system calls", "library calls", or "listed system calls"
 * if rows of the table are missing.
 */
const char *syscall_words_noun(const struct rule_input *in);
/*
 * The share of @part in @whole for a sentence: "12.3 %", or "99.96 %" instead of a wrong 100.0 %.
 */
const char *syscall_words_share(struct findings *out, double part, double whole);
/*
 * Did a filter such as grep remove calls from the middle of the log? Then their order, and shares
 * of all calls, are unknown. (head and tail remove only the start or the end.)
 */
bool syscall_words_is_filtered(const struct rule_input *in);
/* Does the printed command show that the list contains all calls? */
bool syscall_words_is_whole(const struct rule_input *in);
struct str syscall_words_name(const struct rule_input *in, sym_id sym);
/*
 * The thread of @lane in a sentence: "thread 1234", "thread 1234 (worker)" or "the thread". In
 * the arena of @out.
 */
const char *syscall_words_thread(const struct rule_input *in, struct findings *out, uint32_t lane);
/* The thread of row @row in a table of counts, as printed: "find (123)"; empty: unknown. */
struct str syscall_words_row_thread(const struct rule_input *in, size_t row);
/*
 * Do reads of the descriptor named @about wait for events? True for a terminal, eventfd, timerfd,
 * inotify or an input device. Then each event needs one read.
 */
bool syscall_words_is_events(struct str about);
/*
 * The path or descriptor @name for a sentence. If it is long, "..." replaces its middle. In the
 * arena of @out.
 */
const char *syscall_words_about(const struct rule_input *in, struct findings *out, str_id name);
/* A call, with its error if it failed: "read(3, "", 512) = EIO". In the arena of @out. */
const char *syscall_words_call(const struct rule_input *in, struct findings *out, uint32_t call);
/* The usual reason why a call of the kind @kind, with the name @name, takes long. */
const char *syscall_words_cause(enum syscall_kind kind, struct str name);
/* @part in percent of @whole; 0 if either is 0. */
double syscall_words_pct(double part, double whole);
/* The name of an error, "ENOENT"; if it is unknown, "error 600", in the arena of @out. */
const char *syscall_words_errno(struct findings *out, int error);

#endif
