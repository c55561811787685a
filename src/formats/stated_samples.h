/* SPDX-License-Identifier: MIT */
/*
 * stated_samples.h - the number of samples that the text around a pasted profile states
 *
 * A text with rows of a profile may state the number of samples before them: "perf record, 83,399
 * samples:". Or it has the line of the header, "# Samples: 12K of event 'cycles'", or the last line
 * of perf record. Shares have no intervals without this number.
 */
#ifndef FORMATS_STATED_SAMPLES_H
#define FORMATS_STATED_SAMPLES_H

#include <stddef.h>

struct detection;
struct document;
struct dossier;

/*
 * Find lines that state a number of samples, in the text that no reader takes. Each number goes to
 * the next capture, or to the capture directly before the line, if that is a profile. So does the
 * event if the line names it. A profile that prints its own number keeps that number. Two different
 * numbers for one profile cancel each other. A number that gives a printed row less than half a
 * sample is ignored. @first: index in @d of the first capture of @doc. Cost: O(n) for n bytes of
 * text.
 */
void stated_samples_read(struct dossier *d, const struct document *doc,
			 const struct detection *found, size_t first);

#endif
