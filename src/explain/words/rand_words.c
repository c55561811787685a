/* SPDX-License-Identifier: MIT */
#include "explain/words/rand_words.h"

#include "analyses/event_unit.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stddef.h>

/*
 * random() of glibc: it takes a lock (inlined code) and calls random_r(), which computes the number
 */
#define RAND_LOCKED    "__random"
#define RAND_GENERATOR "__random_r|random_r"
/* minimum share of the function with the lock, percent; a smaller share does not matter */
#define RAND_PCT 10.0
/*
 * In a single thread, the lock costs about as much as the generator. If it costs at least this many
 * times as much, threads wait for the lock or for its cache line.
 */
#define RAND_TIMES 2.0

static bool rand_is_libc(const struct profile_facts *p, const struct fact_function *f)
{
	return str_glob(STR("*libc.so*|*libc-2*"),
			symbols_module(capture_symbols(p->capture), f->sym));
}

/* Do at least two threads have samples in @f? */
static bool rand_has_threads(const struct profile_facts *p, const struct fact_function *f)
{
	const struct profile *prof = p->capture->profile;
	const struct samples *s = &prof->samples;
	size_t first = s->n;

	if (s->thread.len != s->n)
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (stacks_sym(&prof->stacks, s->stack.data[i]).v != f->sym.v)
			continue;
		if (first == s->n)
			first = i;
		else if (prof->threads.data[s->thread.data[i]].tid !=
			 prof->threads.data[s->thread.data[first]].tid)
			return true;
	}
	return false;
}

bool rand_words_is_shared(const struct profile_facts *p)
{
	const struct fact_function *locked = facts_function(p, RAND_LOCKED);

	return locked && EVENT_BIT(p->unit.kind) & EVENT_IS_TIME && locked->self >= RAND_PCT &&
	       locked->self >= RAND_TIMES * facts_sum(p, RAND_GENERATOR).self &&
	       rand_is_libc(p, locked) && rand_has_threads(p, locked);
}

bool rand_words_is_in_input(const struct rule_input *in)
{
	for (size_t i = 0; i < in->facts->dossier->captures.len; i++) {
		const struct profile_facts *p = in->facts->profiles[i];

		if (p && p->capture->path.v == in->capture->path.v && rand_words_is_shared(p))
			return true;
	}
	return false;
}

void rand_words_add(const struct rule_input *in, struct findings *out, struct finding *f,
		    double pct)
{
	const struct fact_function *locked = facts_function(in->profile, RAND_LOCKED);
	double generator = facts_sum(in->profile, RAND_GENERATOR).self;
	struct fact_caller caller;
	bool has_caller = facts_callers(in->profile, RAND_LOCKED "|" RAND_GENERATOR,
					"rand|random|__random*|rand_r", &caller, 1) > 0;

	finding_claim(
		out, f, "%.1f %% of %s is in rand(), whose lock all threads share%s" STR_FMT, pct,
		in->profile->unit.of, has_caller ? ", called from " : "",
		STR_ARG(has_caller ? facts_short_name(in->facts, caller.sym, 120) : STR_NONE));
	finding_figure(f, "function with the lock", locked->self, 0, "%");
	finding_figure(f, "generator", generator, 0, "%");
	finding_usual_cause(
		out, f,
		"rand() and random() of glibc take one lock for the whole process. Threads that "
		"draw numbers at once wait for it: %.1f %% is in the function that takes the lock, "
		"%.1f %% in the generator",
		locked->self, generator);
	finding_because(out, f,
			"several threads are in the function that takes the lock\n"
			"its part of that function: the lock is inlined");
	finding_next(out, f,
		     "use one generator for each thread: rand_r(), random_r(), or std::mt19937 as "
		     "thread_local");
}
