/* SPDX-License-Identifier: MIT */
/* steps.h - adapt next steps to the tool that recorded the evidence */
#ifndef EXPLAIN_STEPS_H
#define EXPLAIN_STEPS_H

struct facts;
struct findings;

/*
 * Apply steps.tsv to all next steps. Rules write them for perf. If the capture is of another
 * profiler, the steps become that tool's commands, or are dropped. Steps that ask for evidence
 * which the dossier already has are also dropped.
 */
void steps_fit(const struct facts *facts, struct findings *f);

#endif
