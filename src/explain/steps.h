/* SPDX-License-Identifier: MIT */
/* steps.h - next steps that fit the tool which made the evidence */
#ifndef EXPLAIN_STEPS_H
#define EXPLAIN_STEPS_H

struct facts;
struct findings;

/*
 * Replace or drop next steps that name perf, where the capture is of another profiler, and those
 * that ask for evidence which the dossier has: steps.tsv. Rules say the step for perf.
 */
void steps_fit(const struct facts *facts, struct findings *f);

#endif
