/* SPDX-License-Identifier: MIT */
/*
 * model.c - memory of a sample and of a call in the data model, in bytes
 *
 * Fills a capture with 10 million samples (stack, weight, time, thread, CPU) or 20 million calls
 * (duration, with or without start) over few names, and prints by how much the process grew.
 */
#include "core/dossier.h"

#include "base/status.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MODEL_SAMPLES 10000000u
#define MODEL_CALLS   20000000u

static double resident_mb(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (f) {
		if (fscanf(f, "%*u %lu", &pages) != 1)
			pages = 0;
		(void)fclose(f);
	}
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static void model_samples(void)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct profile *p = capture_profile(dossier_add(d, "bench"));
	stack_id stacks[1000];
	double before;

	for (uint32_t i = 0; i < ARRAY_LEN(stacks); i++)
		stacks[i] = stacks_push(&p->stacks, STACK_ROOT, (sym_id){ i });
	before = resident_mb();
	for (uint32_t i = 0; i < MODEL_SAMPLES; i++) {
		if (profile_add_sample(p, stacks[i % ARRAY_LEN(stacks)], 250000) < 0)
			return;
		*VEC_PUSH(&p->samples.time_ns) = i;
		*VEC_PUSH(&p->samples.thread) = i & 7;
		*VEC_PUSH(&p->samples.cpu) = (uint16_t)(i & 63);
	}
	printf("  %u samples with time, thread and CPU: %.0f MB, %.1f bytes a sample\n",
	       MODEL_SAMPLES, resident_mb() - before,
	       (resident_mb() - before) * 1e6 / MODEL_SAMPLES);
}

static void model_calls(bool has_start)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct calls *c = capture_calls(dossier_add(d, "bench"));
	double before = resident_mb();

	for (uint32_t i = 0; i < MODEL_CALLS; i++) {
		uint32_t call;

		if (calls_add(c, (sym_id){ i & 1023 }, INDEX_NONE, i & 1, i & 15,
			      CALL_CLOSED | CALL_LEAF, i, &call) < 0)
			return;
		calls_set_duration(c, call, i);
		if (has_start)
			calls_set_start(c, call, i);
	}
	printf("  %u calls with durations%s: %.0f MB, %.1f bytes a call\n", MODEL_CALLS,
	       has_start ? " and start times" : "", resident_mb() - before,
	       (resident_mb() - before) * 1e6 / MODEL_CALLS);
}

/* Run each measurement in its own process, so that they share no freed memory. */
static void model_in_child(int which)
{
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		if (which == 0)
			model_samples();
		else
			model_calls(which == 2);
		(void)fflush(stdout);
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
}

int main(void)
{
	for (int which = 0; which < 3; which++)
		model_in_child(which);
	return 0;
}
