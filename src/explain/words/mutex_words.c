/* SPDX-License-Identifier: MIT */
#include "explain/words/mutex_words.h"

#include "analyses/event_unit.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

/*
 * Functions that release a lock. Unlock() and RUnlock() either call their slow functions, or
 * contain them inlined.
 */
#define MUTEX_UNLOCKS                                                              \
	"*sync.(*Mutex).Unlock|*sync.(*Mutex).unlockSlow|*sync.(*RWMutex).Unlock|" \
	"*sync.(*RWMutex).RUnlock|*sync.(*RWMutex).rUnlockSlow"
/* packages of Go itself: the holder of the lock is the first caller outside of them */
#define MUTEX_THROUGH "sync.*|internal/*|runtime.*"
/*
 * Minimum mean wait, ns. Work on memory takes microseconds, so a wait of a millisecond needs a slow
 * call under the lock, or a queue of hundreds of threads.
 */
#define MUTEX_SLOW_NS 1e6
/*
 * minimum number of waits, and minimum total wait in ns; with less, the profile may show only a
 * start or a test
 */
#define MUTEX_WAITS  100u
#define MUTEX_ALL_NS 1e9

bool mutex_words_is_unlock(const struct rule_input *in, const struct fact_function *f)
{
	return event_unit_is_wait(&in->profile->unit) &&
	       str_glob(STR(MUTEX_UNLOCKS), facts_name(in->facts, f->sym));
}

/* the waits for a lock that ended when one function released it */
struct mutex_waits {
	double ns;  /* total wait, ns; 0: the profile has no times */
	uint64_t n; /* number of waits; 0: unknown */
};

/* The function that held the lock of a sample: the innermost frame outside of Go's own packages. */
static sym_id mutex_holder(const struct rule_input *in, stack_id at)
{
	const struct stacks *s = &in->capture->profile->stacks;

	for (; at.v; at = stacks_parent(s, at)) {
		if (!str_glob(STR(MUTEX_UNLOCKS "|" MUTEX_THROUGH),
			      facts_name(in->facts, stacks_sym(s, at))))
			return stacks_sym(s, at);
	}
	return SYM_ID_NONE;
}

static struct mutex_waits mutex_waits(const struct rule_input *in, sym_id unlock, sym_id holder)
{
	const struct profile *p = in->capture->profile;
	struct mutex_waits ret = { 0 };

	if (!p->has_n_samples || !p->samples.count.len)
		return ret;
	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id at = p->samples.stack.data[i];

		if (stacks_sym(&p->stacks, at).v != unlock.v || mutex_holder(in, at).v != holder.v)
			continue;
		ret.n += p->samples.count.data[i];
		ret.ns += p->unit == WEIGHT_NS ? (double)p->samples.weight.data[i] : 0;
	}
	return ret;
}

static bool mutex_is_slow(struct mutex_waits w)
{
	return w.n >= MUTEX_WAITS && w.ns >= MUTEX_ALL_NS && w.ns >= MUTEX_SLOW_NS * (double)w.n;
}

static bool mutex_find(const struct rule_input *in, struct fact_caller *ret)
{
	return facts_callers(in->profile, MUTEX_UNLOCKS, MUTEX_THROUGH, ret, 1) > 0;
}

bool mutex_words_is_slow(const struct rule_input *in, const struct fact_function *unlock)
{
	struct fact_caller holder;

	return mutex_find(in, &holder) && mutex_is_slow(mutex_waits(in, unlock->sym, holder.sym));
}

bool mutex_words_add(const struct rule_input *in, struct findings *out, struct finding *f,
		     const struct fact_function *unlock)
{
	struct mutex_waits waits;
	struct fact_caller holder;
	struct str name;

	if (!mutex_find(in, &holder))
		return false;
	waits = mutex_waits(in, unlock->sym, holder.sym);
	name = facts_short_name(in->facts, holder.sym, 120);
	if (waits.ns > 0) {
		finding_claim(out, f,
			      STR_FMT " makes others wait for its lock: %.1f %% of %s, %llu "
				      "wait%s of %s on average",
			      STR_ARG(name), holder.pct, in->profile->unit.of,
			      (unsigned long long)waits.n, waits.n == 1 ? "" : "s",
			      finding_duration(out, (uint64_t)(waits.ns / (double)waits.n)));
		finding_figure(f, "mean wait", waits.ns / (double)waits.n, 0, "ns");
		finding_figure(f, "all waits", waits.ns, 0, "ns");
	} else {
		finding_claim(out, f, STR_FMT " makes others wait for its lock: %.1f %% of %s",
			      STR_ARG(name), holder.pct, in->profile->unit.of);
	}
	if (mutex_is_slow(waits))
		finding_usual_cause(
			out, f,
			"It holds the lock across a slow step: a remote call, a file, a sleep or a "
			"long computation. Work on memory takes microseconds, not milliseconds. Or "
			"a long line of threads waits");
	else
		finding_usual_cause(out, f,
				    "Many threads take this lock at once, or it is held too long");
	finding_because(
		out, f,
		"Go charges a wait to the stack that unlocked, so this function held the lock\n"
		"what ran under it");
	finding_next(out, f,
		     "pprof -list '" STR_FMT "' PROFILE: which calls stand between Lock and "
		     "Unlock; move slow ones out of the locked section",
		     STR_ARG(name));
	return true;
}
