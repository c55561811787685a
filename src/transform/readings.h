/* SPDX-License-Identifier: MIT */
/* readings.h - two readings of one file of sums: the later one becomes the difference */
#ifndef TRANSFORM_READINGS_H
#define TRANSFORM_READINGS_H

struct dossier;
struct error;
struct transform;

/*
 * Step of transform.h. Files such as cpu.stat and /proc/vmstat have sums since a start, which show
 * little about now. memory.stat also has levels. If the input has a second reading with the same
 * counters, and no counter became smaller, its sums become the differences to the previous reading.
 * Levels stay unchanged. The first reading is marked as sums only (counters.is_only_since_boot).
 * Never fails.
 */
int readings_step(struct dossier *d, struct transform *t, struct error *err);

#endif
