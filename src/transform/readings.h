/* SPDX-License-Identifier: MIT */
/* readings.h - two readings of one file of sums: the later one becomes the difference */
#ifndef TRANSFORM_READINGS_H
#define TRANSFORM_READINGS_H

struct dossier;
struct error;
struct transform;

/*
 * Step of transform.h. Files such as cpu.stat and /proc/vmstat hold sums since a start, which
 * say little about now; memory.stat holds levels as well, which stay. If the input has a second
 * reading with the same counters, and none of them is smaller, its values become the differences to
 * the reading before it; the first reading then only has sums (counters.is_only_since_boot). Never
 * fails.
 */
int readings_step(struct dossier *d, struct transform *t, struct error *err);

#endif
