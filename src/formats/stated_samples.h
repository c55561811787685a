/* SPDX-License-Identifier: MIT */
/*
 * stated_samples.h - the number of samples that the text around a pasted profile states
 *
 * A text with rows of a profile may state the number of samples before them: "perf record, 83,399
 * samples:". Or it has a line of perf report's header, "# Samples: 12K of event 'cycles'", or the
 * last line of perf record. Without this number, no confidence interval of a share can be computed.
 */
#ifndef FORMATS_STATED_SAMPLES_H
#define FORMATS_STATED_SAMPLES_H

#include <stddef.h>

struct detection;
struct document;
struct dossier;

/*
 * Find lines that state a number of samples, in the parts of the text that no reader reads. Each
 * number is stored in the next capture, or in the capture directly before the line, if that is a
 * profile. If the line names an event, the event is stored, too. If a profile prints its own number
 * of samples, it keeps that number. If two lines state different numbers for a profile, neither is
 * used. A number is also not used if a printed row would then have less than half a sample. @first:
 * index in @d of the first capture of @doc. Cost: O(n) for n bytes of text.
 */
void stated_samples_read(struct dossier *d, const struct document *doc,
			 const struct detection *found, size_t first);

#endif
