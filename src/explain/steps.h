/* SPDX-License-Identifier: MIT */
/* steps.h - adapt next steps to the tool that recorded the evidence */
#ifndef EXPLAIN_STEPS_H
#define EXPLAIN_STEPS_H

struct facts;
struct findings;

/*
 * Adapt the next steps of @f to the tool that made the capture. Rules write commands of perf. If
 * steps.tsv has a replacement for another profiler, the step becomes a command of that profiler, or
 * is dropped. A step that asks for evidence is also dropped if the dossier already has that
 * evidence.
 */
void steps_fit(const struct facts *facts, struct findings *f);

#endif
