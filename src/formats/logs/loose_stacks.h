/* SPDX-License-Identifier: MIT */
/*
 * loose_stacks.h - call stacks in the text around tables
 *
 *     native_queued_spin_lock_slowpath+0x1d
 *     _raw_spin_lock+0x28
 *     alloc_pid+0x12a
 *
 * Such stacks have one function per line, the innermost first. They occur in output of bpftrace and
 * perf script, in crash reports and in mails. They have no weights, but they show callers. assay
 * uses them to find the callers of a function that a table lists without callers.
 */
#ifndef FORMATS_LOOSE_STACKS_H
#define FORMATS_LOOSE_STACKS_H

#include <stddef.h>

struct detection;
struct document;
struct dossier;

/*
 * Add call stacks to d->stacks. They come from the lines of @doc that no reader took, and from
 * stack dumps in kernel logs. Stacks are added only if a capture with an index of @first_capture or
 * more has a profile. Cost: one pass over these lines.
 */
void loose_stacks_read(struct dossier *d, const struct document *doc, const struct detection *found,
		       size_t first_capture);

#endif
