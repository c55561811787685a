/* SPDX-License-Identifier: MIT */
/*
 * readings.h - if an input has two readings of a file whose counters are sums, such as
 * /proc/vmstat, replace the sums of the later reading by the differences
 */
#ifndef TRANSFORM_READINGS_H
#define TRANSFORM_READINGS_H

struct dossier;
struct error;
struct transform;

/*
 * Step of transform.h. Files such as cpu.stat and /proc/vmstat have sums since a start, which show
 * little about the present. If the input has a second reading with the same counters, and no sum
 * became smaller, the sums of that reading become differences to the previous reading. Some files,
 * such as memory.stat, also have levels, which are current values and stay unchanged. The first
 * reading is marked as sums only (counters.is_only_since_boot). It always succeeds.
 */
int readings_step(struct dossier *d, struct transform *t, struct error *err);

#endif
