/* SPDX-License-Identifier: MIT */
/* perf_header.h - the header of a perf table: event, samples, losses, host */
#ifndef FORMATS_PERF_HEADER_H
#define FORMATS_PERF_HEADER_H

#include "base/str.h"

struct capture;

/* Whether @line is a banner of perf top: "PerfTop: …", or "… lost: 0/0 drop: 0/0". */
bool perf_header_is_top(struct str line);
/*
 * Read a banner or comment line into the profile, command and notes of @c. @line: the whole line;
 * if a mailer wrapped it, its parts are already joined. @number: line number in the input.
 */
void perf_header_read(struct capture *c, struct str line, uint32_t number);
/* Whether @next may be the rest of the banner @line, which a mailer wrapped. */
bool perf_header_goes_on(struct str line, struct str next);

#endif
