/* SPDX-License-Identifier: MIT */
/*
 * stated_samples.h - the number of samples that the text around a pasted profile states
 *
 * People paste the rows of a profile and write its size above them: "perf record, 83,399 samples:",
 * or they keep the line of the header, "# Samples: 12K of event 'cycles'", or the last line of perf
 * record. Without this number shares have no intervals.
 */
#ifndef FORMATS_STATED_SAMPLES_H
#define FORMATS_STATED_SAMPLES_H

#include <stddef.h>

struct detection;
struct document;
struct dossier;

/*
 * Give the number of samples, and the event if the line names it, that a line in text without a
 * reader states, to the profile next to this line: the next capture, or the one directly above. A
 * profile that prints its own number keeps it. Two lines with different numbers are ignored, and so
 * is a number with which a printed row is less than half a sample. @first: index in @d of the first
 * capture of @doc. Cost: one pass over the text.
 */
void stated_samples_read(struct dossier *d, const struct document *doc,
			 const struct detection *found, size_t first);

#endif
