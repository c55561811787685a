/* SPDX-License-Identifier: MIT */
/*
 * loose_stacks.h - call stacks that stand in a text beside its tables
 *
 *     native_queued_spin_lock_slowpath+0x1d
 *     _raw_spin_lock+0x28
 *     alloc_pid+0x12a
 *
 * A function a line, the sampled one first, as bpftrace, perf script, crash reports and
 * people print them. They carry no share, but they do name callers: who looks for the
 * caller of a function of a table must not say that the text does not show it.
 */
#ifndef FORMATS_LOOSE_STACKS_H
#define FORMATS_LOOSE_STACKS_H

#include "formats/detect.h"

/*
 * Add the stacks of the lines of @doc that no reader took, and of dumps in kernel logs,
 * to d->stacks, where a profile stands among the captures from @first_capture on.
 * Cost: one pass over these lines.
 */
void loose_stacks_read(struct dossier *d, const struct document *doc, const struct detection *found,
		       size_t first_capture);

#endif
