/* SPDX-License-Identifier: MIT */
/* quality_reasons.h - shared by the parts of quality.c; private to these */
#ifndef ANALYSES_QUALITY_REASONS_H
#define ANALYSES_QUALITY_REASONS_H

#include "analyses/quality/quality.h"
#include "core/ids.h"

#include <stdio.h>

struct capture;
struct category_cache;
struct profile;
struct symbols;

void quality_add(struct quality *q, const char *id, enum quality_severity severity, double figure,
		 const char *unit, uint32_t line, const char *fmt, ...) PRINTF(7, 8);
/*
 * Add reasons about the recording: throttling, multiplexing, truncated chains, timers in
 * lockstep.
 */
void quality_recording(const struct capture *c, struct quality *q);
/* Add the reason that all samples are of one process, with several commands. */
void quality_one_process(const struct profile *p, struct quality *q);
/* Add the reasons about chains. False: no chains were recorded. */
bool quality_chains(const struct capture *c, struct quality *q);
/* Whether the symbol starts a program or thread: a frame without a caller. */
bool quality_is_entry(const struct symbols *symbols, sym_id id);
/* Add reasons about callers of user functions that chains lack. */
void quality_callers(const struct capture *c, struct quality *q);
void quality_profile(const struct capture *c, struct category_cache *cats, struct quality *q);

/* "s" or "": the plural ending of a regular noun. */
static inline const char *quality_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
