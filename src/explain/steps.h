/* SPDX-License-Identifier: MIT */
/* steps.h - adapt next steps to the tool that recorded the evidence */
#ifndef EXPLAIN_STEPS_H
#define EXPLAIN_STEPS_H

struct facts;
struct findings;

/*
 * Replace next steps by those in steps.tsv. Rules write commands of perf. If another profiler
 * made the capture, a step becomes a command of that profiler, or is dropped. A step that asks
 * for evidence is also dropped if the dossier has that evidence.
 */
void steps_fit(const struct facts *facts, struct findings *f);

#endif
