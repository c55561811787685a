/* SPDX-License-Identifier: MIT */
/* quality_reasons.h - functions that quality*.c share; private to these files */
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
 * State the part that is missing, as the reason that was added last says: "3 of 29 goroutines". The
 * capture is then an excerpt.
 */
void quality_part(struct quality *q, const char *fmt, ...) PRINTF(2, 3);
/* Add a reason for each part of the output that is not in the text, and set the extent. */
void quality_extent(const struct capture *c, struct quality *q);
/*
 * Add reasons about the way of recording: throttling, multiplexing, truncated chains, samples in
 * lockstep with the timer tick.
 */
void quality_recording(const struct capture *c, struct quality *q);
/*
 * Add a reason if all samples are of one process. (If they are of one command, another function
 * adds a reason.)
 */
void quality_one_process(const struct profile *p, struct quality *q);
/* Add the reasons about chains. False: the profile has no chains. */
bool quality_chains(const struct capture *c, struct quality *q);
/* Whether the symbol is a function that starts a program or thread and has no caller. */
bool quality_is_entry(const struct symbols *symbols, sym_id id);
/* Add reasons about user functions whose callers are missing from the chains. */
void quality_callers(const struct capture *c, struct quality *q);
/*
 * Add a reason if another table or listing of pprof in the same input has a different total: the
 * shares of the two cannot be compared.
 */
void quality_totals(const struct capture *c, struct quality *q);
/* Add a reason for each kind of damage that the reader found in the input. */
void quality_diag(const struct capture *c, struct quality *q);
void quality_profile(const struct capture *c, struct category_cache *cats, struct quality *q);

#endif
