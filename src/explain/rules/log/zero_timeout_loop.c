/* SPDX-License-Identifier: MIT */
/*
 * A main loop asks for an immediate wake-up, or polls a descriptor that is always ready. Open
 * vSwitch logs the source location of each wake-up.
 *
 * Thresholds: three wake-ups that are at most 10 ms apart on average, or two at 50 % of a CPU. All
 * have a timeout of zero at one source location, or all are caused by one descriptor. A loop that
 * waits for work wakes up a few times per second. A single timeout of 0 ms is normal: there is more
 * to do. The printed CPU usage is an average over the last seconds. If a long iteration of the loop
 * is in this time, the usage is that of the iteration and proves nothing.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(zero_timeout_loop);

#define ZERO_MIN      3u
#define ZERO_MIN_BUSY 2u
#define ZERO_CPU      50u
#define ZERO_GAP_NS   10e6
/* age of the CPU usage: an average over 3 s, which is up to 3 s old. OVS, lib/timeval.c */
#define ZERO_CPU_SECONDS 6.0
#define ZERO_FINDINGS    2u
/* maximum number of source locations; each needs a search through all wake-ups */
#define ZERO_PLACES 64u

struct zero_place {
	uint64_t n;
	uint32_t first, last; /* first and last log record with these wake-ups, as indices */
	uint16_t cpu;
	bool has_cpu;
};

/*
 * Count the wake-up at index @from and all later wake-ups that are equal: same log stream, source
 * location, timeout and reason.
 */
static struct zero_place zero_gather(const struct rule_input *in, size_t from)
{
	const struct log_wakeup *w = &in->log->wakeups.data[from];
	uint32_t stream = log_words_record(in, w->record)->stream;
	struct zero_place z = { .first = w->record, .last = w->record };

	for (size_t i = from; i < in->log->wakeups.len; i++) {
		const struct log_wakeup *o = &in->log->wakeups.data[i];

		if (log_words_record(in, o->record)->stream != stream ||
		    o->is_timeout != w->is_timeout || o->timeout_ms != w->timeout_ms ||
		    !str_eq(o->where, w->where) || (!w->is_timeout && !str_eq(o->why, w->why)))
			continue;
		z.n++;
		z.last = o->record;
		if (o->has_cpu && o->cpu_pct >= z.cpu)
			z.cpu = o->cpu_pct;
		z.has_cpu |= o->has_cpu;
	}
	return z;
}

/*
 * Was a wake-up with the same stream, source location, timeout and reason logged shortly before
 * index @at? Then zero_gather() has already counted the wake-up at @at.
 */
static bool zero_is_seen(const struct rule_input *in, size_t at)
{
	const struct log_wakeup *w = &in->log->wakeups.data[at];
	uint32_t stream = log_words_record(in, w->record)->stream;
	size_t from = at > 256 ? at - 256 : 0;

	for (size_t i = from; i < at; i++) {
		const struct log_wakeup *o = &in->log->wakeups.data[i];

		if (log_words_record(in, o->record)->stream == stream &&
		    o->is_timeout == w->is_timeout && o->timeout_ms == w->timeout_ms &&
		    str_eq(o->where, w->where) && (w->is_timeout || str_eq(o->why, w->why)))
			return true;
	}
	return false;
}

/* Was the main loop blocked in the time of which the first wake-up prints the CPU usage? */
static bool zero_was_blocked(const struct rule_input *in, const struct zero_place *z)
{
	uint32_t stream = log_words_record(in, z->first)->stream;
	double seconds;

	VEC_FOREACH (p, &in->log->long_polls) {
		if (log_words_record(in, p->record)->stream == stream &&
		    log_words_seconds(in, p->record, z->first, &seconds) && seconds >= 0 &&
		    seconds <= ZERO_CPU_SECONDS)
			return true;
	}
	return false;
}

static bool zero_is_storm(const struct rule_input *in, const struct zero_place *z)
{
	double seconds;

	if (z->n >= ZERO_MIN_BUSY && z->has_cpu && z->cpu >= ZERO_CPU && !zero_was_blocked(in, z))
		return true;
	return z->n >= ZERO_MIN && (!z->has_cpu || z->cpu >= ZERO_CPU) &&
	       log_words_seconds(in, z->first, z->last, &seconds) && seconds >= 0 &&
	       seconds * 1e9 / (double)(z->n - 1) <= ZERO_GAP_NS;
}

static void zero_finding(const struct rule_input *in, struct findings *out,
			 const struct log_wakeup *w, const struct zero_place *z)
{
	struct finding *f = finding_add(out, in, &rule_zero_timeout_loop, FINDING_WARNING,
					z->has_cpu ? 90 : 80);
	double seconds = 0;
	bool has_time = log_words_seconds(in, z->first, z->last, &seconds);

	finding_claim(out, f,
		      "The main loop of " STR_FMT " does not sleep: %llu wake-ups due to " STR_FMT
		      " at " STR_FMT "%s",
		      STR_ARG(log_words_who(out, in, z->first)), (unsigned long long)z->n,
		      STR_ARG(w->why), STR_ARG(w->where),
		      z->has_cpu ? finding_name(out, ", %d %% of a CPU", z->cpu) : "");
	finding_figure(f, "wake-ups printed", (double)z->n, 0, "");
	if (has_time)
		finding_figure(f, "in", seconds * 1e3, 0, "ms");
	if (z->has_cpu)
		finding_figure(f, "processor", z->cpu, 0.5, "%");
	log_words_cite(out, f, in, z->first);
	log_words_cite(out, f, in, z->last);
	if (w->is_timeout)
		finding_cause(out, f,
			      "The code at " STR_FMT
			      " requests an immediate wake-up in each round. It repeats work that "
			      "makes no progress",
			      STR_ARG(w->where));
	else
		finding_usual_cause(
			out, f,
			"That descriptor is ready each time: its data is not read to the "
			"end, or arrives without pause");
	/*
	 * log_wakeup() of OVS, lib/poll-loop.c, logs every wake-up at level debug. At higher levels
	 * a rate limit allows only a few per minute.
	 */
	finding_because(out, f, "reported by the process itself%s",
			log_words_record(in, z->first)->level > LEVEL_DEBUG
				? "; its rate limit hides more of the same"
				: "");
	finding_next(out, f,
		     "read the code at " STR_FMT
		     ": the condition for the immediate wake-up, and the change between two rounds",
		     STR_ARG(w->where));
}

static void zero_check(const struct rule_input *in, struct findings *out)
{
	size_t n = 0;
	size_t places = 0;

	if (in->log->wakeups.len == 0)
		return;
	for (size_t i = 0; i < in->log->wakeups.len && n < ZERO_FINDINGS && places < ZERO_PLACES;
	     i++) {
		const struct log_wakeup *w = &in->log->wakeups.data[i];
		struct zero_place z;

		if ((w->is_timeout && w->timeout_ms) || zero_is_seen(in, i))
			continue;
		places++;
		z = zero_gather(in, i);
		if (!zero_is_storm(in, &z))
			continue;
		zero_finding(in, out, w, &z);
		n++;
	}
	if (n == 0)
		finding_clean(
			out, in, &rule_zero_timeout_loop,
			"no code wakes its loop at once again and again (%zu wake-ups printed)",
			in->log->wakeups.len);
}

const struct rule rule_zero_timeout_loop = {
	.id = "zero-timeout-loop",
	.title = "Main loop never sleeps (zero timeout)",
	.needs = RULE_LOG,
	.check = zero_check,
	.is_measured = true,
};
