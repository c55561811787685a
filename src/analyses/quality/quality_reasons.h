/* SPDX-License-Identifier: MIT */
/*
 * quality_reasons.h - what the parts of quality.c share; not for others
 */
#ifndef ANALYSES_QUALITY_REASONS_H
#define ANALYSES_QUALITY_REASONS_H

#include "analyses/quality/quality.h"

#include <stdio.h>

void quality_add(struct quality *q, const char *id, enum quality_severity severity, double figure,
		 const char *unit, uint32_t line, const char *fmt, ...) PRINTF(7, 8);
/* How the recording went: throttling, shared counters, cut chains, timers in step. */
void quality_recording(const struct capture *c, struct quality *q);
/* All samples are of one process, though of several commands. */
void quality_one_process(const struct profile *p, struct quality *q);
void quality_profile(const struct capture *c, struct category_cache *cats, struct quality *q);

#endif
