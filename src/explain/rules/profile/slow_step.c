/* SPDX-License-Identifier: MIT */
/*
 * One step in a list of timed steps has most of the time. A step is an imported package, a
 * statement of a benchmark, a kind of VM exit, a phase of a start, or a wait of a database.
 *
 * Thresholds by kind of list:
 *
 *   - Imports: a quarter of the time is a note, half a warning.
 *   - Steps of the start of Vim: half is a note, three quarters a warning.
 *   - Statements: half is a note, three quarters a warning, since a transaction has few.
 *   - VM exits: always a note, since the table does not show the time inside the guest.
 *   - Phases: half is a note, two thirds a warning: of a few phases, one is always the longest.
 *   - Waits of a database: 30 % is a note, 60 % a warning; waits for work are ignored.
 *   - Commands of Redis: no finding if a call is quick and all commands take little of the uptime.
 *
 * The times of some lists are perhaps not the steps of one run: they may be settings, reference
 * values, steps in parallel or points in time. Then shares mean nothing, and the longest time is a
 * note.
 */
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/slow_step_names.h"
#include "explain/words/timed_words.h"

#include <math.h>

DECLARE_RULE(slow_step);

#define STEP_SURE        90u
#define STEP_SURE_LISTED 60u
#define STEP_MOSTLY_IDLE 99.0
/* if the listed shares add up to at least this percentage, no step is missing */
#define STEP_WHOLE_PCT 99.9
/* if the listed shares add up to at least this percentage, some steps contain others */
#define STEP_OVERLAP_PCT 101.0
/* sums of printed shares differ from 100 % by at most this, because of rounding */
#define STEP_ROUNDED 0.1
#define STEP_NAME    72u /* maximum number of bytes of a step's name in a sentence */
/* two times count as equal if they differ by at most this part (0 to 1) */
#define STEP_EQUAL 1e-4
/*
 * if at least this number of steps have the largest time, they are threads that sleep all the time
 */
#define STEP_EQUALS 3u
/*
 * if the CPU time in a table of waits has at least this percentage, the finding is about CPU time,
 * and not about a wait
 */
#define STEP_WORK 50.0
/*
 * Limits for commands of Redis. If the calls of a command take less than STEP_QUICK_US on average,
 * us, they delay no other client. A warning needs longer calls, or commands that take the part
 * STEP_UPTIME (0 to 1) of the uptime.
 */
#define STEP_QUICK_US 1000.0
#define STEP_UPTIME   0.2
/*
 * For the table of tsc --diagnostics. STEP_CHECK: name of the step that checks types.
 * STEP_CHECK_COUNT: name of the number of instantiated types. Source: TypeScript,
 * src/compiler/executeCommandLine.ts, reportStatistics(). STEP_TYPES is an estimate: ordinary
 * programs instantiate fewer types.
 */
#define STEP_CHECK       "Check time"
#define STEP_CHECK_COUNT "Instantiations"
#define STEP_TYPES       1000000u
/*
 * For traces of git. STEP_REFRESH: the step that compares the index with the files. STEP_SCANNED:
 * name of the number of files whose content it read. Source: git, read-cache.c, refresh_index().
 */
#define STEP_REFRESH "index: refresh|progress: Refresh index"
#define STEP_SCANNED "refresh/sum_scan"
/* imports that take less time, ns, are not reported, because users do not notice it */
#define STEP_LEAST_NS 100e6

static const struct step_kind {
	const char *event;
	double note, lead; /* minimum shares, percent: for a note, and for a warning */
	double least_ns;
	/*
	 * Steps form a group if their names are equal up to this character: "numpy.core" and
	 * "numpy.lib" belong to the group "numpy". 0: no groups.
	 */
	char separator;
	/* a list of only two steps is enough for a finding, if one has nearly all of the time */
	bool is_few;
	/*
	 * Is this a table of waits? Its idle steps and its row of CPU time are subtracted from the
	 * total.
	 */
	bool is_idle_apart;
	/* the list may contain times that overlap, or that belong to different runs */
	bool is_listed;
	/* pattern for the names of idle steps, which wait for work; NULL: none */
	const char *idle;
	const char *says;
	const char *cause; /* NULL: unknown */
	const char *next;
	const char *unknown; /* what the list does not show, after "Not known:"; NULL: nothing */
} step_kinds[] = {
	{ "import-time", 25, 50, STEP_LEAST_NS, '.', false, false, false, NULL,
	  "of the time of imports is package",
	  "Importing executes the modules of the package and of what it loads",
	  "import it in the function that needs it, or import a smaller part of it" },
	{ "statement-time", 50, 75, 0, 0, false, false, false, NULL,
	  "of the time of a transaction is statement",
	  "The mean of this statement is longer than that of the others: it reads more, or it "
	  "waits for locks or for the log",
	  "EXPLAIN (ANALYZE) of it while the benchmark runs; SELECT wait_event FROM "
	  "pg_stat_activity" },
	{ "pattern-time", 50, 75, STEP_LEAST_NS, 0, true, false, false, NULL,
	  "of the time of matching patterns is syntax item",
	  "Its regular expression backtracks, as a repeat inside of a repeat does, or is tried at "
	  "very many places",
	  "rewrite the pattern without a repeat inside of a repeat; then :syntime clear, and "
	  ":syntime report again" },
	{ "startup-time", 50, 75, STEP_LEAST_NS, 0, true, false, false, NULL,
	  "of the listed time of the start is step",
	  "Vim starts no other step meanwhile. 'setup clipboard' connects to the X server in "
	  "DISPLAY: "
	  "one on another machine (ssh -X) answers late, or not at all. Other steps run scripts, "
	  "or "
	  "read files of the user",
	  "vim -X --startuptime LOG +q: without the X server; vim --clean --startuptime LOG +q: "
	  "without plugins" },
	{ "vm-exit-time", 40, 101, 0, 0, false, false, false, "HLT|hlt|WFx|Wait state",
	  "of the time outside of the guest is after exits of kind",
	  "The guest leaves for the hypervisor each time: its handling takes time that the guest "
	  "misses",
	  "perf record -e kvm:kvm_exit -g, or perf kvm stat report --event=mmio: what in the guest "
	  "causes them" },
	{ "wait-name-time", 30, 60, 0, 0, true, true, false, IDLE_WAITS,
	  "of the waiting time is for",
	  "What this wait stands for takes long, or is asked for too often",
	  "list the sessions that wait for it, and the statements they run" },
	{ "gpu-time", 50, 75, 0, 0, true, false, false, NULL, "of the GPU time is in",
	  "A kernel computes, or waits for memory; a copy moves data between the host and the "
	  "device, or within the device",
	  "nsys profile PROGRAM, then its time line: what runs before and after, and gaps of the "
	  "GPU; ncu for one kernel" },
	{ "step-time", 50, 67, 0, 0, true, false, false, NULL, "of the time is in", NULL,
	  "assay record --wall -p PID while this step runs, for CPU time and waits with callers",
	  .unknown = "whether it works or waits" },
	{ "gcc-time", 50, 67, 0, 0, true, false, false, NULL, "of the compile time is in",
	  "The pass has much to do: a large file, very large functions, or templates that are "
	  "instantiated very often",
	  "perf record -g -- gcc OPTIONS -c FILE; perf report: which functions of the compiler; or "
	  "compile the file in parts" },
	{ "git-time", 50, 75, STEP_LEAST_NS, 0, true, false, false, NULL,
	  "of the time of the git command is in", NULL,
	  "perf record -g -- git COMMAND, and strace -f -c git COMMAND: what this part does",
	  .unknown = "whether this part works or waits" },
	{ "listed-time", 50, 101, 0, 0, false, false, true, NULL, NULL, NULL,
	  "assay record --wall -p PID while it runs, if it is a step of a program",
	  .unknown = "whether the times overlap" },
};

static void step_cause(struct findings *out, struct finding *f, const struct step_kind *kind)
{
	if (kind->cause)
		finding_usual_cause(out, f, "%s", kind->cause);
}

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

/*
 * Whether @step has the largest time, and at least STEP_EQUALS steps have this same time. They are
 * background threads that always sleep. (Smaller times can be equal by rounding.)
 */
static bool step_has_equals(const struct rule_input *in, const struct fact_function *step)
{
	size_t n = 0;

	VEC_FOREACH (f, &in->profile->functions) {
		bool is_equal = fabs(f->self - step->self) <= STEP_EQUAL * step->self;

		if (!is_equal && f->self > step->self)
			return false;
		n += is_equal;
		if (n >= STEP_EQUALS)
			return true;
	}
	return false;
}

/*
 * Is the row @f something else than the wait of a session that has work? It can be an idle step, a
 * thread that always sleeps, or (in a table of waits) the row of CPU time.
 */
static bool step_is_apart(const struct rule_input *in, const struct step_kind *kind,
			  const struct fact_function *f)
{
	struct str group = step_group(in, kind, f);

	if (kind->idle && str_glob(str_of(kind->idle), group))
		return true;
	return kind->is_idle_apart && (str_glob(STR(WORK_TIMES), group) || step_has_equals(in, f));
}

/*
 * The share of idle steps and CPU time, in percent, in a table of waits. It is subtracted from the
 * total. 0: the list is no table of waits. If the list is complete, the result is 100 % minus the
 * shares of the other steps. This is more exact if the idle steps have nearly 100 %, because that
 * share is rounded.
 */
static double step_idle(const struct rule_input *in, const struct step_kind *kind)
{
	double idle = 0, rest = 0;

	if (!kind->is_idle_apart)
		return 0;
	VEC_FOREACH (f, &in->profile->functions)
		*(step_is_apart(in, kind, f) ? &idle : &rest) += f->self;
	if (idle + rest > STEP_WHOLE_PCT && rest > 0)
		return 100 - rest;
	return idle < 100 ? idle : 0;
}

/*
 * An array that is indexed by function: sum of the self shares in the group of the function,
 * percent. Owner: caller, free().
 */
static double *step_shares(const struct rule_input *in, const struct step_kind *kind)
{
	const struct fact_function *functions = in->profile->functions.data;
	size_t n = in->profile->functions.len;
	double *shares = xcalloc(n + 1, sizeof(*shares));
	/* first[function]: index of the first function in the same group */
	CLEANUP(freep) uint32_t *first = xcalloc(n + 1, sizeof(*first));
	struct idmap map = { 0 };

	for (uint32_t i = 0; i < n; i++) {
		struct str group = step_group(in, kind, &functions[i]);
		struct idmap_probe p = idmap_first(&map, str_hash32(group));

		first[i] = INDEX_NONE;
		while (first[i] == INDEX_NONE && idmap_next(&map, &p)) {
			if (str_eq(group, step_group(in, kind, &functions[p.id])))
				first[i] = p.id;
		}
		if (first[i] == INDEX_NONE) {
			idmap_insert(&map, &p, i);
			first[i] = i;
		}
		shares[first[i]] += functions[i].self;
	}
	for (size_t i = n; i-- > 0;)
		shares[i] = shares[first[i]];
	idmap_fini(&map);
	return shares;
}

/* The heaviest step of the largest group; NULL: none. *@ret_share: share of that group, percent. */
static const struct fact_function *step_largest(const struct rule_input *in,
						const struct step_kind *kind, double *ret_share)
{
	CLEANUP(freep) double *shares = step_shares(in, kind);
	const struct fact_function *best = NULL;
	double left = 100;

	*ret_share = 0;
	VEC_FOREACH (f, &in->profile->functions) {
		double share;

		/* no remaining step can belong to a larger group */
		if (best && (left < *ret_share || f->self * 200 < *ret_share))
			break;
		if (step_is_apart(in, kind, f))
			continue;
		share = shares[f - in->profile->functions.data];
		left -= f->self;
		if (share > *ret_share) {
			*ret_share = share;
			best = f;
		}
	}
	return best;
}

/*
 * Also cite the next step, if its share is large enough for a note. If steps contain other steps,
 * the time may belong to this inner step.
 */
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

/*
 * Name the import of the program that loads the package @group. The program can delay only its own
 * imports. The import is the one with the largest inclusive time. It certainly loads at least half
 * of the package if all other imports together take less than half of the package's time.
 */
static void step_outer(const struct rule_input *in, struct findings *out, struct finding *of,
		       const struct step_kind *kind, struct str group, double share)
{
	const struct fact_function *outer = NULL;
	double ns = (double)in->capture->profile->event_count;

	if (!kind->separator || !in->capture->profile->has_event_count)
		return;
	VEC_FOREACH (f, &in->profile->functions) {
		if (f->rows == 1 && (!outer || f->children > outer->children))
			outer = f;
	}
	if (!outer || outer->children <= share + kind->note / 2 || outer->children > 100 ||
	    outer->children + share / 2 < 100 + STEP_ROUNDED ||
	    str_eq(step_group(in, kind, outer), group))
		return;
	finding_claim(out, of,
		      STR_FMT ". The import of '" STR_FMT "' loads it: %s with all that it "
			      "imports",
		      STR_ARG(of->claim),
		      STR_ARG(str_sub(facts_name(in->facts, outer->sym), 0, STEP_NAME)),
		      finding_duration(out, number_whole(outer->children * ns / 100)));
	finding_figure(of, "of the import that loads it", outer->children, 0, "%");
	finding_inclusive(out, of, in, outer);
}

/*
 * Mean time of a call of the command @f, us: as printed in the line of its row, or of its printed
 * calls; negative: unknown.
 */
static double step_call_us(const struct rule_input *in, const struct fact_function *f)
{
	str_id key = strings_find(capture_strings(in->capture), STR(PROFILE_NOTE_CALL_US));
	double ns = (double)in->capture->profile->event_count * f->self / 100;
	double calls = timed_words_calls(in, f);

	VEC_FOREACH (note, &in->capture->notes) {
		struct str text = strings_get(capture_strings(in->capture), note->value);
		double us;

		if (note->key.v == key.v && note->line == f->line && str_double(&text, &us))
			return us;
	}
	return calls >= 1 ? ns / calls / 1e3 : -1;
}

/* Uptime in seconds of the only server in the input; 0: unknown, or several servers. */
static uint64_t step_uptime(const struct dossier *d)
{
	uint64_t ret = 0;

	VEC_FOREACH (c, &d->captures) {
		VEC_FOREACH (fact, &(*c)->facts) {
			if (!str_eq(strings_get(capture_strings(*c), fact->name),
				    STR("uptime_in_seconds")))
				continue;
			if (ret && ret != fact->value)
				return 0;
			ret = fact->value;
		}
		for (size_t i = 0; (*c)->counters && i < (*c)->counters->rows.len; i++) {
			const struct counter *row = &(*c)->counters->rows.data[i];
			uint64_t value = row->value > 0 ? (uint64_t)row->value : 0;

			if (!str_eq(strings_get(capture_strings(*c), row->name),
				    STR("uptime_in_seconds")))
				continue;
			if (ret && ret != value)
				return 0;
			ret = value;
		}
	}
	return ret;
}

/*
 * Whether the heaviest command @f of Redis is no problem: its calls are quick, and all commands
 * together take little of the uptime (or the uptime is unknown). *@ret_us: mean time of a call;
 * negative: unknown.
 */
static bool step_is_quick(const struct rule_input *in, const struct fact_function *f,
			  double *ret_us)
{
	double ns = (double)in->capture->profile->event_count;
	double uptime = (double)step_uptime(in->facts->dossier);

	*ret_us = -1;
	if (!str_glob(STR("cmdstat_*"), facts_name(in->facts, f->sym)))
		return false;
	*ret_us = step_call_us(in, f);
	return *ret_us >= 0 && *ret_us < STEP_QUICK_US &&
	       (uptime <= 0 || ns < STEP_UPTIME * uptime * 1e9);
}

/*
 * Add the next step that shows single calls of the heaviest Redis command. If the input has the
 * slow log, the step points to it, and the claim quotes the longest call; otherwise the step prints
 * the slow log. @then: end of the text of the step.
 */
static void step_slow_calls(const struct rule_input *in, struct findings *out, struct finding *of,
			    const char *then)
{
	str_id key = strings_find(capture_strings(in->capture), STR(PROFILE_NOTE_SLOW_CALL));

	VEC_FOREACH (note, &in->capture->notes) {
		struct str call = strings_get(capture_strings(in->capture), note->value);

		if (note->key.v != key.v)
			continue;
		if (note->line)
			finding_claim(out, of,
				      STR_FMT ". The longest call of the slow log: " STR_FMT,
				      STR_ARG(of->claim), STR_ARG(call));
		finding_next(out, of, "read the slow log of this input: arguments and client%s",
			     then);
		return;
	}
	finding_next(out, of, "SLOWLOG GET 10: its slowest calls, with arguments and client%s",
		     then);
}

/* The number with the name @name that the text prints next to the list; NULL: none. */
static const struct capture_fact *step_fact(const struct rule_input *in, struct str name)
{
	VEC_FOREACH (fact, &in->capture->facts) {
		if (str_eq(strings_get(capture_strings(in->capture), fact->name), name))
			return fact;
	}
	return NULL;
}

/*
 * The calls of step @f, as timed_words_in_calls() prints them. Empty for a list of groups, whose
 * time is a sum of several steps. @ns: time of the step.
 */
static const char *step_calls(const struct rule_input *in, struct findings *out,
			      const struct step_kind *kind, const struct fact_function *f,
			      double ns)
{
	return kind->separator ? ""
			       : timed_words_in_calls(out, in, f, ns,
						      kind->is_idle_apart ? "wait" : "call");
}

/* Steps whose purpose is known: why each of them may be long. The event says whose steps they are.
 */
static const struct step_known {
	const char *event, *step, *cause, *next;
} step_knowns[] = { STEP_KNOWNS };

static const struct step_known *step_known(const struct step_kind *kind, struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(step_knowns); i++) {
		if (strcmp(kind->event, step_knowns[i].event) == 0 &&
		    str_glob(str_of(step_knowns[i].step), name))
			return &step_knowns[i];
	}
	return NULL;
}

/*
 * Add to @of, about the step of git that compares the index with the files, how many files git read
 * again.
 */
static void step_scanned(const struct rule_input *in, struct findings *out, struct finding *of)
{
	const struct capture_fact *scanned = step_fact(in, STR(STEP_SCANNED));

	if (!scanned || scanned->value == 0)
		return;
	finding_claim(out, of, STR_FMT "; it read the content of %llu file%s again (sum_scan)",
		      STR_ARG(of->claim), (unsigned long long)scanned->value,
		      scanned->value == 1 ? "" : "s");
	finding_figure(of, "files read again", (double)scanned->value, 0, "");
	finding_evidence(out, of, in, scanned->line, STEP_SCANNED);
}

static void step_finding(const struct rule_input *in, struct findings *out,
			 const struct step_kind *kind, const struct fact_function *f, double share,
			 double idle)
{
	const struct profile *p = in->capture->profile;
	double whole = (double)p->event_count * (100 - idle) / 100;
	struct str group = str_sub(step_group(in, kind, f), 0, STEP_NAME);
	enum role role = role_of_name(facts_name(in->facts, f->sym), STR_NONE, SPACE_UNKNOWN);
	const struct capture_fact *types = step_fact(in, STR(STEP_CHECK_COUNT));
	const struct step_known *known = step_known(kind, group);
	/* nearly all time is idle threads: hardly any session waits */
	bool is_little = idle > STEP_MOSTLY_IDLE;
	struct finding *of = finding_add(
		out, in, &rule_slow_step,
		share >= kind->lead && !is_little ? FINDING_WARNING : FINDING_NOTE, STEP_SURE);

	of->impact = share;
	finding_claim(out, of, "%.1f %% %s '" STR_FMT "'", share, kind->says, STR_ARG(group));
	if (p->has_event_count)
		finding_claim(out, of, STR_FMT ": %s of %s%s", STR_ARG(of->claim),
			      finding_duration(out, number_whole(share * whole / 100)),
			      finding_duration(out, number_whole(whole)),
			      step_calls(in, out, kind, f, share * whole / 100));
	finding_figure(of, "share of the time", share, 0, "%");
	if (idle >= STEP_ROUNDED / 2)
		finding_figure(of, "idle waits and CPU time, left out", idle, 0, "%");
	finding_function(out, of, in, f);
	if (in->profile->total > STEP_OVERLAP_PCT)
		step_inner(in, out, of, kind, f);
	step_outer(in, out, of, kind, group, share);
	/*
	 * In a table of waits, a read waits for the disk. role_cause() does not apply, because its
	 * text assumes many small calls.
	 */
	if (role_cause(role) && !(kind->is_idle_apart && role == ROLE_READ_WRITE)) {
		finding_usual_cause(out, of, "This is %s: %s", role_noun(role), role_cause(role));
	} else if (str_glob(STR(REDIS_SCANS), group)) {
		finding_usual_cause(
			out, of,
			"The cost of a call grows with all keys, or with the elements of its "
			"value. The server runs commands in one thread: all other clients "
			"wait meanwhile");
		step_slow_calls(in, out, of,
				"; then LLEN, SCARD, HLEN or ZCARD of the key. Steps (SCAN, SSCAN, "
				"HSCAN), a smaller value, or one whose look-up is cheap");
	} else if (str_glob(STR("cmdstat_*"), group)) {
		finding_usual_cause(
			out, of,
			"The server runs commands in one thread: all other clients wait "
			"for this one");
		step_slow_calls(in, out, of, "");
	} else if (str_eq(group, STR(STEP_CHECK)) && types) {
		finding_figure(of, STEP_CHECK_COUNT, (double)types->value, 0, "");
		finding_evidence(out, of, in, types->line, "the count of instantiated types");
		finding_usual_cause(out, of, "%s",
				    types->value >= STEP_TYPES
					    ? "The compiler checks types, and instantiates generic "
					      "types very often: conditional, recursive or "
					      "intersection types"
					    : "The compiler checks the types of the program");
		finding_next(out, of,
			     "tsc --generateTrace DIR, then npx @typescript/analyze-trace DIR: the "
			     "files and types whose check takes long");
	} else if (known) {
		if (str_glob(STR(STEP_REFRESH), group))
			step_scanned(in, out, of);
		finding_usual_cause(out, of, "%s", known->cause);
		finding_next(out, of, "%s", known->next);
	} else {
		step_cause(out, of, kind);
	}
	finding_because(out, of, "the times are printed; they were taken once, on this machine");
	if (!known)
		finding_unknown(out, of, kind->unknown);
	if (!str_glob(STR("cmdstat_*"), group) && !of->next.len)
		finding_next(out, of, "%s", kind->next);
}

/*
 * Add a note about the longest time of a list whose times may overlap, or belong to different runs.
 */
static void step_longest(const struct rule_input *in, struct findings *out,
			 const struct step_kind *kind, const struct fact_function *f)
{
	double ns = f->self / 100 * (double)in->capture->profile->event_count;
	struct str name = facts_short_name(in->facts, f->sym, STEP_NAME);
	struct finding *of = finding_add(out, in, &rule_slow_step, FINDING_NOTE, STEP_SURE_LISTED);

	finding_claim(out, of, "The longest of the %zu listed times is %s: '" STR_FMT "'%s",
		      in->profile->functions.len, finding_duration(out, number_whole(round(ns))),
		      STR_ARG(name), timed_words_in_calls(out, in, f, ns, "call"));
	finding_figure(of, "time", ns, 0, "ns");
	finding_figure_text(of, finding_duration(out, number_whole(round(ns))));
	finding_listed(out, of, in, f);
	step_cause(out, of, kind);
	finding_because(out, of, "no total shows that the times are steps of one run");
	finding_unknown(out, of, kind->unknown);
	finding_next(out, of, "%s", kind->next);
}

/*
 * Minimum number of steps in the list. Two are enough only if one has nearly all of the time: the
 * larger of two steps always has half.
 */
static size_t step_least(const struct step_kind *kind, double share)
{
	return kind->is_few && share >= kind->lead ? 2 : 3;
}

/* The row for working time, if it has STEP_WORK percent or more; otherwise NULL. */
static const struct fact_function *step_work(const struct rule_input *in,
					     const struct step_kind *kind)
{
	VEC_FOREACH (f, &in->profile->functions) {
		if (kind->is_idle_apart && f->self >= STEP_WORK &&
		    str_glob(STR(WORK_TIMES), facts_name(in->facts, f->sym)))
			return f;
	}
	return NULL;
}

static void step_work_finding(const struct rule_input *in, struct findings *out,
			      const struct fact_function *f)
{
	struct finding *of = finding_add(out, in, &rule_slow_step, FINDING_NOTE, STEP_SURE);

	of->impact = f->self;
	finding_claim(out, of, "%.1f %% of the time of sessions is CPU time, not waiting", f->self);
	finding_figure(of, "CPU time", f->self, 0, "%");
	finding_function(out, of, in, f);
	finding_usual_cause(
		out, of,
		"The sessions compute: statements that read many rows in memory, or parse and "
		"sort much");
	finding_because(out, of, "the table lists CPU time next to the waits");
	finding_next(out, of, "sort the statements by CPU time and by buffer gets");
}

static void step_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	const struct step_kind *kind = step_kind(in);
	const struct fact_function *f;
	double share;
	double idle;
	double call_us;

	if (!kind)
		return;
	f = step_work(in, kind);
	if (f) {
		step_work_finding(in, out, f);
		return;
	}
	f = step_largest(in, kind, &share);
	idle = step_idle(in, kind);
	share *= 100 / (100 - idle);
	if (!f || in->profile->functions.len < step_least(kind, share) ||
	    (kind->least_ns > 0 && !p->has_event_count))
		finding_not_assessed(out, in, &rule_slow_step, "the whole list",
				     "%zu steps are too few to compare",
				     in->profile->functions.len);
	else if (kind->is_listed && share >= kind->note && p->has_event_count)
		step_longest(in, out, kind, f);
	else if (kind->is_listed)
		finding_not_assessed(out, in, &rule_slow_step, "the total of one run",
				     "the %zu times are not known to be steps of one run",
				     in->profile->functions.len);
	else if (step_is_quick(in, f, &call_us))
		finding_clean(out, in, &rule_slow_step,
			      "a call of the largest step, with %.1f %%, takes %s", share,
			      finding_duration(out, number_whole(call_us * 1e3)));
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
