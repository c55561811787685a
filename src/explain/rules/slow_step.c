/* SPDX-License-Identifier: MIT */
/*
 * One step of a list of timed steps has most of the time: a package that is imported, a statement
 * of a benchmark, a kind of exits of a guest, a phase of a start, a wait of a database.
 *
 * Thresholds: a quarter of the imports is worth a look, half of them is the start of the program.
 * A transaction has few statements, so their thresholds are half and three quarters. Exits of a
 * guest are a note: how much time it has besides is not in their table. One of a few phases is
 * always the longest: half the time is a note, two thirds a warning. Of the waits of a database,
 * those for work count for nothing: 30 % of the others is a note, 60 % a warning.
 */
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(slow_step);

#define STEP_SURE        90u
#define STEP_OVERLAP_PCT 101.0 /* steps that have more contain each other */
#define STEP_NAME        72u   /* bytes in a sentence */
/* A database counts these while nothing is wanted of it, or while it works. */
#define STEP_NO_WAITS                                                                            \
	"SQL?Net message from client|Client:ClientRead|ClientRead|CPU|DB CPU|idle|Idle|SLEEP_*|" \
	"LAZYWRITER_SLEEP|XE_TIMER_EVENT|REQUEST_FOR_DEADLOCK_SEARCH|CHECKPOINT_QUEUE|"          \
	"BROKER_TASK_STOP|DIRTY_PAGE_POLL|LOGMGR_QUEUE|HADR_FILESTREAM_IOMGR_IOCOMPLETION|"      \
	"wait/io/socket/*/client_connection"
#define STEP_LEAST_NS 100e6 /* imports that take less are noticed by nobody */

static const struct step_kind {
	const char *event;
	double note, lead; /* percent */
	double least_ns;
	char separator;     /* steps that agree up to it belong together; 0: none */
	bool is_few;        /* two steps may be compared */
	bool is_idle_apart; /* steps that wait for work are no part of the whole */
	const char *idle; /* str_glob: steps that wait for work, which no one misses; NULL: none */
	const char *says;
	const char *cause;
	const char *next;
} step_kinds[] = {
	{ "import-time", 25, 50, STEP_LEAST_NS, '.', false, false, NULL,
	  "of the time of imports is package",
	  "Importing executes the modules of the package and of what it loads",
	  "import it in the function that needs it, or import a smaller part of it" },
	{ "statement-time", 50, 75, 0, 0, false, false, NULL,
	  "of the time of a transaction is statement",
	  "The mean of this statement is longer than that of the others: it reads more, or it "
	  "waits for locks or for the log",
	  "EXPLAIN (ANALYZE) of it while the benchmark runs; SELECT wait_event FROM "
	  "pg_stat_activity" },
	{ "vm-exit-time", 40, 101, 0, 0, false, false, "HLT|hlt|WFx|Wait state",
	  "of the time outside of the guest is after exits of kind",
	  "The guest leaves for the hypervisor each time: its handling takes time that the guest "
	  "misses",
	  "perf record -e kvm:kvm_exit -g, or perf kvm stat report --event=mmio: what in the guest "
	  "causes them" },
	{ "wait-name-time", 30, 60, 0, 0, true, true, STEP_NO_WAITS, "of the waiting time is for",
	  "What this wait stands for takes long, or is asked for too often",
	  "the sessions that wait for it, and the statements they run" },
	{ "step-time", 50, 67, 0, 0, true, false, NULL, "of the time is in",
	  "The table shows how long it takes, not whether it works or waits",
	  "assay record --wall -p PID while this step runs, for CPU time and waits with callers" },
};

static const struct step_kind *step_kind(const struct rule_input *in)
{
	struct str event = strings_get(capture_strings(in->capture), in->capture->profile->event);

	for (size_t i = 0; i < ARRAY_LEN(step_kinds); i++) {
		if (str_eq(event, str_of(step_kinds[i].event)))
			return &step_kinds[i];
	}
	return NULL;
}

static struct str step_group(const struct rule_input *in, const struct step_kind *kind,
			     const struct fact_function *f)
{
	struct str name = facts_name(in->facts, f->sym);

	return kind->separator ? str_sub(name, 0, str_find_char(name, kind->separator)) : name;
}

static bool step_is_idle(const struct step_kind *kind, struct str group)
{
	return kind->idle && str_glob(str_of(kind->idle), group);
}

/* The share of the steps that wait for work, which is no part of the whole; percent. */
static double step_idle(const struct rule_input *in, const struct step_kind *kind)
{
	double idle = 0;

	if (!kind->is_idle_apart)
		return 0;
	VEC_FOREACH (f, &in->profile->functions)
		idle += step_is_idle(kind, step_group(in, kind, f)) ? f->self : 0;
	return idle < 100 ? idle : 0;
}

static double step_share(const struct rule_input *in, const struct step_kind *kind,
			 struct str group)
{
	double sum = 0;

	VEC_FOREACH (f, &in->profile->functions)
		sum += str_eq(step_group(in, kind, f), group) ? f->self : 0;
	return sum;
}

/* The first function of the group with the most time; its share is in @ret_share. */
static const struct fact_function *step_largest(const struct rule_input *in,
						const struct step_kind *kind, double *ret_share)
{
	const struct fact_function *best = NULL;
	double left = 100;

	*ret_share = 0;
	VEC_FOREACH (f, &in->profile->functions) {
		double share;

		/* the rest cannot be more than what was found */
		if (best && (left < *ret_share || f->self * 200 < *ret_share))
			break;
		if (step_is_idle(kind, step_group(in, kind, f)))
			continue;
		share = step_share(in, kind, step_group(in, kind, f));
		left -= f->self;
		if (share > *ret_share) {
			*ret_share = share;
			best = f;
		}
	}
	return best;
}

/* The next step, where steps contain others: it may be the part that has the time. */
static void step_inner(const struct rule_input *in, struct findings *out, struct finding *of,
		       const struct step_kind *kind, const struct fact_function *first)
{
	VEC_FOREACH (f, &in->profile->functions) {
		if (f == first || f->self < kind->note)
			continue;
		finding_figure(of, "of the next", f->self, 0, "%");
		finding_function(out, of, in, f);
		return;
	}
}

static void step_finding(const struct rule_input *in, struct findings *out,
			 const struct step_kind *kind, const struct fact_function *f, double share,
			 double idle)
{
	const struct profile *p = in->capture->profile;
	double whole = (double)p->event_count * (100 - idle) / 100;
	struct str group = str_sub(step_group(in, kind, f), 0, STEP_NAME);
	enum role role = role_of_name(facts_name(in->facts, f->sym), STR_NONE, SPACE_UNKNOWN);
	struct finding *of =
		finding_add(out, in, &rule_slow_step,
			    share >= kind->lead ? FINDING_WARNING : FINDING_NOTE, STEP_SURE);

	of->impact = share;
	finding_claim(out, of, "%.1f %% %s '" STR_FMT "'", share, kind->says, STR_ARG(group));
	if (p->has_event_count)
		finding_claim(out, of, STR_FMT ": %s of %s", STR_ARG(of->claim),
			      finding_duration(out, (uint64_t)(share * whole / 100)),
			      finding_duration(out, (uint64_t)whole));
	finding_figure(of, "share of the time", share, 0, "%");
	if (idle > 0)
		finding_figure(of, "idle waits, left out", idle, 0, "%");
	finding_function(out, of, in, f);
	if (in->profile->total > STEP_OVERLAP_PCT)
		step_inner(in, out, of, kind, f);
	if (role != ROLE_NONE && role_cause(role)) {
		finding_cause(out, of, "This is %s: %s", role_noun(role), role_cause(role));
	} else {
		finding_cause(out, of, "%s", kind->cause);
	}
	finding_because(out, of, "the times are printed; they were taken once, on this machine");
	finding_next(out, of, "%s", kind->next);
}

/* Of two steps one always has half: that is a finding only if it has nearly all. */
static size_t step_least(const struct step_kind *kind, double share)
{
	return kind->is_few && share >= kind->lead ? 2 : 3;
}

static void step_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	const struct step_kind *kind = step_kind(in);
	const struct fact_function *f;
	double share;
	double idle;

	if (!kind)
		return;
	f = step_largest(in, kind, &share);
	idle = step_idle(in, kind);
	share *= 100 / (100 - idle);
	if (!f || in->profile->functions.len < step_least(kind, share) ||
	    (kind->least_ns > 0 && !p->has_event_count))
		finding_not_assessed(out, in, &rule_slow_step, "the whole list",
				     "%zu steps are too few to compare",
				     in->profile->functions.len);
	else if (share >= kind->note && (double)p->event_count >= kind->least_ns)
		step_finding(in, out, kind, f, share, idle);
	else
		finding_clean(out, in, &rule_slow_step, "the largest of %zu steps has %.1f %%",
			      in->profile->functions.len, share);
}

const struct rule rule_slow_step = {
	.id = "slow-step",
	.title = "One step has most of the time",
	.needs = RULE_PROFILE,
	.events = EVENT_BIT(EVENT_PLAN),
	.check = step_check,
	.is_measured = true,
};
