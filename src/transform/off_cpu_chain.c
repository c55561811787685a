/* SPDX-License-Identifier: MIT */
/* off_cpu_chain.c - find out whether the trace lacks switches of recorded threads */
#include "transform/off_cpu_walk.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "transform/off_cpu.h"

/*
 * The trace is an excerpt if at least this percentage of its switches comes directly after a
 * missing switch. Otherwise it is a whole trace that lost a few events.
 */
#define CHAIN_EXCERPT_PCT 5u
/*
 * An excerpt probably has all switches of a thread if it shows at least this number of the thread's
 * runs from start to end, and no switch of the thread is missing.
 */
#define CHAIN_WHOLE_RUNS 8u

void off_cpu_chain_begin(struct off_cpu_walk *w)
{
	w->chain.fields[OFF_CPU_PREV] = off_cpu_field(w->c, "prev_pid");
	w->chain.fields[OFF_CPU_NEXT] = off_cpu_field(w->c, "next_pid");
	w->chain.cpus.len = 0;
}

struct off_cpu_link off_cpu_follow(struct off_cpu_walk *w, size_t i)
{
	const struct samples *s = &w->c->profile->samples;
	uint32_t from =
		(uint32_t)off_cpu_number(off_cpu_word(w->c, w->chain.fields[OFF_CPU_PREV], i));
	uint32_t to =
		(uint32_t)off_cpu_number(off_cpu_word(w->c, w->chain.fields[OFF_CPU_NEXT], i));
	struct off_cpu_link ret = { OFF_CPU_UNLINKED, NULL, 0 };
	struct off_cpu_cpu before;
	struct off_cpu_cpu *cpu;

	if (s->cpu.len != s->n || s->cpu.data[i] == UINT16_MAX)
		return ret;
	while (w->chain.cpus.len <= s->cpu.data[i])
		*VEC_PUSH(&w->chain.cpus) = (struct off_cpu_cpu){ .has_switch = false };
	cpu = &w->chain.cpus.data[s->cpu.data[i]];
	before = *cpu;
	if (before.has_switch && before.from == from && before.to == to &&
	    s->time_ns.data[i] - before.time_ns < OFF_CPU_TWICE_NS)
		return ret;
	*cpu = (struct off_cpu_cpu){ from, to, s->time_ns.data[i], true };
	/*
	 * thread id 0 proves nothing: kernels lose switches of the idle task, and 0 also stands for
	 * a thread that the record does not name
	 */
	if (!before.has_switch || !before.to || !from)
		return ret;
	ret.since_ns = before.time_ns;
	ret.left = off_cpu_thread(w, before.to, false);
	if (before.to == from)
		ret.kind = OFF_CPU_LINKED;
	/*
	 * another thread leaves the CPU. This is a gap only if the thread that got the CPU is
	 * recorded: switches of other threads may be missing in any trace
	 */
	else if (ret.left)
		ret.kind = OFF_CPU_GAP;
	return ret;
}

bool off_cpu_is_whole(const struct off_cpu_thread *t)
{
	return t->gaps == 0 && t->whole_runs >= CHAIN_WHOLE_RUNS;
}

/*
 * Count the CPUs with events in w->switches. A binary recording has all CPUs that the user chose: a
 * CPU without events was idle. A text may be an excerpt that lacks the lines of some CPUs.
 */
static void chain_count_cpus(struct off_cpu_walk *w, struct capture *const *all, size_t n)
{
	VEC(uint8_t) seen = VEC_INIT;

	for (size_t k = 0; k < n; k++) {
		const struct samples *s = &all[k]->profile->samples;

		for (size_t i = 0; i < s->n && s->cpu.len == s->n; i++) {
			if (s->cpu.data[i] == UINT16_MAX)
				continue;
			while (seen.len <= s->cpu.data[i])
				*VEC_PUSH(&seen) = 0;
			w->switches.cpus += !seen.data[s->cpu.data[i]];
			seen.data[s->cpu.data[i]] = 1;
		}
	}
	w->switches.numbers = (unsigned int)seen.len;
	/*
	 * a text lacks CPUs if some CPU numbers below the highest one do not occur; a binary
	 * recording (first_line is 0) never lacks CPUs
	 */
	w->switches.misses_cpus = w->switches.cpus < w->switches.numbers && w->c->first_line;
	VEC_FREE(&seen);
}

void off_cpu_chain(struct off_cpu_walk *w, struct capture *const *all, size_t n)
{
	size_t gaps = 0;

	/*
	 * do not look for missing switches: the recorder left out those between threads that were
	 * not recorded
	 */
	if (w->has_all)
		return;
	chain_count_cpus(w, all, n);
	off_cpu_chain_begin(w);
	w->switches.n = w->c->profile->samples.n;
	for (size_t i = 0; i < w->switches.n; i++) {
		struct off_cpu_link link = off_cpu_follow(w, i);
		struct off_cpu_thread *came;
		uint32_t from;

		if (link.kind == OFF_CPU_LINKED && link.left)
			link.left->whole_runs++;
		if (link.kind != OFF_CPU_GAP)
			continue;
		gaps++;
		link.left->gaps++;
		from = (uint32_t)off_cpu_number(
			off_cpu_word(w->c, w->chain.fields[OFF_CPU_PREV], i));
		came = off_cpu_thread(w, from, false);
		if (came)
			came->gaps++;
	}
	w->is_excerpt = gaps && gaps * 100 >= w->switches.n * CHAIN_EXCERPT_PCT;
	w->switches.unlinked = w->is_excerpt ? gaps : 0;
}
