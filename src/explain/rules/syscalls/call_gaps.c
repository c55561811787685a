/* SPDX-License-Identifier: MIT */
/*
 * Time that passes between calls, in logs with times of day but without durations (strace -tt, -r,
 * or "ts -i"). The time from a call to the next call of the same thread (a gap) contains the call,
 * and the computation after it. If the call may wait, the call probably takes most of the gap. If
 * the call never waits, the program computes in the gap.
 *
 * Thresholds: gaps of 100 ms and more count, since users notice them in an answer. A note needs a
 * tenth of the thread's time, a warning 40 % and 1 s. A gap in which an idle thread may wait is
 * reported last, with a smaller share. Sleeps are an exception if the times in their arguments are
 * 95 % of the time of their gaps. The gaps are then certainly sleeps, so they count with their
 * whole share.
 */
#include "analyses/syscalls/syscalls.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/syscall_words.h"

#include <errno.h>
#include <stdlib.h>

DECLARE_RULE(call_gaps);

#define GAPS_NS       UINT64_C(100000000)
#define GAPS_NOTE_PCT 10.0
#define GAPS_LEAD_PCT 40.0
#define GAPS_LEAD_NS  UINT64_C(1000000000)
#define GAPS_MOST     2u
/*
 * if the times in the arguments of sleeps are at least this part (0 to 1) of their gaps, the gaps
 * are sleeps
 */
#define GAPS_ASKED 0.95
/* if at least this number of sleeps ask for the same time, they are a tick (a fixed period) */
#define GAPS_TICK 3u

/* The gaps at calls of one function. */
struct gaps_row {
	sym_id sym;
	uint64_t ns; /* sum of the gaps */
	uint64_t max_ns;
	uint32_t max_call; /* index of the call before the longest gap */
	uint32_t calls;
	bool is_idle;
	/* times in the arguments of sleeps: the sum, the shortest and the longest time */
	uint64_t asked_ns, asked_least, asked_most;
	uint32_t asked; /* number of sleeps that ask for a time */
};

struct gaps {
	VEC(struct gaps_row) rows;
	uint64_t span_ns; /* time from the first to the last call of the threads */
	uint64_t sum_ns;
	bool is_printed; /* the log prints the time since the previous line */
};

/* May a call of this kind wait for something? If not, the kernel returns at once. */
static bool gaps_may_wait(enum syscall_kind kind)
{
	return syscall_kind_waits(kind) != SYSCALL_WAITS_NEVER && kind != SYSCALL_KIND_DESCRIPTOR &&
	       kind != SYSCALL_KIND_MEMORY &&
	       (kind <= SYSCALL_KIND_LIB_LOCK || kind == SYSCALL_KIND_LIB_FILE);
}

static struct str gaps_args(const struct rule_input *in, uint32_t call)
{
	const struct calls *c = in->capture->calls;

	return strings_get(capture_strings(in->capture),
			   c->args.len ? c->args.data[call] : STR_ID_NONE);
}

static enum syscall_kind gaps_kind(const struct rule_input *in, uint32_t call)
{
	return syscall_kind_of_call(syscall_words_name(in, in->capture->calls->sym.data[call]),
				    gaps_args(in, call), in->syscalls->is_library);
}

/* Does @call read standard input, which may be a person's keyboard? */
static bool gaps_is_input(const struct rule_input *in, uint32_t call)
{
	return gaps_kind(in, call) == SYSCALL_KIND_IO &&
	       str_glob(STR("0, *|0<*|fd: 0*"), gaps_args(in, call));
}

/*
 * Whether a thread without work may stay in @call, waiting for events, for other threads, or for a
 * person.
 */
static bool gaps_is_idle(const struct rule_input *in, uint32_t call)
{
	enum syscall_kind kind = gaps_kind(in, call);

	return syscall_is_idle(syscall_words_name(in, in->capture->calls->sym.data[call]), kind) ||
	       kind == SYSCALL_KIND_FUTEX || kind == SYSCALL_KIND_WAIT || gaps_is_input(in, call);
}

/* If @call is a sleep that asks for at most the time @ns of its gap, add the asked time to @row. */
static void gaps_asked(const struct rule_input *in, struct gaps_row *row, uint32_t call,
		       uint64_t ns)
{
	uint64_t asked;

	if (!syscall_sleep_ns(syscall_words_name(in, row->sym), gaps_args(in, call), &asked) ||
	    asked > ns)
		return;
	row->asked_ns += asked;
	row->asked_least = row->asked++ && row->asked_least < asked ? row->asked_least : asked;
	row->asked_most = asked > row->asked_most ? asked : row->asked_most;
}

/* Whether all calls of @row are sleeps that ask for nearly all of the time of their gaps. */
static bool gaps_is_stated(const struct gaps_row *row)
{
	return row->asked == row->calls && (double)row->asked_ns >= GAPS_ASKED * (double)row->ns;
}

static void gaps_add(const struct rule_input *in, struct gaps *g, uint32_t call, uint64_t ns)
{
	sym_id sym = in->capture->calls->sym.data[call];
	struct gaps_row *row = NULL;

	if (ns < GAPS_NS)
		return;
	g->sum_ns += ns;
	VEC_FOREACH (r, &g->rows) {
		if (r->sym.v == sym.v)
			row = r;
	}
	if (!row) {
		row = VEC_PUSH(&g->rows);
		*row = (struct gaps_row){ .sym = sym, .is_idle = gaps_is_idle(in, call) };
	}
	row->ns += ns;
	row->calls++;
	gaps_asked(in, row, call, ns);
	if (ns > row->max_ns) {
		row->max_ns = ns;
		row->max_call = call;
	}
}

/* Collect the times that the log itself prints. "ts -i" prints the time since the previous line. */
static void gaps_printed(const struct rule_input *in, struct gaps *g)
{
	const struct calls *c = in->capture->calls;

	VEC_FOREACH (m, &c->marks) {
		if (m->kind != MARK_GAP || m->before_call >= c->n)
			continue;
		g->is_printed = true;
		gaps_add(in, g, m->before_call, m->count);
	}
}

/* Collect the times from each call to the next one of its thread. */
static void gaps_between(const struct rule_input *in, struct gaps *g)
{
	const struct calls *c = in->capture->calls;
	VEC(uint32_t) last = VEC_INIT;

	for (size_t i = 0; i < c->lanes.len; i++)
		*VEC_PUSH(&last) = INDEX_NONE;
	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t before = last.data[c->lane.data[i]];

		if (c->start_ns.data[i] == UINT64_MAX)
			continue;
		last.data[c->lane.data[i]] = i;
		if (before == INDEX_NONE || c->start_ns.data[i] < c->start_ns.data[before] ||
		    calls_is_timed(c, before))
			continue;
		gaps_add(in, g, before, c->start_ns.data[i] - c->start_ns.data[before]);
	}
	VEC_FREE(&last);
}

static int gaps_order(const void *pa, const void *pb)
{
	const struct gaps_row *a = pa, *b = pb;

	return SORT_ORDER(a->is_idle && !gaps_is_stated(a), b->is_idle && !gaps_is_stated(b))
		       ?: SORT_ORDER(b->ns, a->ns);
}

static const char *gaps_cause(const struct rule_input *in, struct findings *out,
			      const struct gaps_row *row)
{
	enum syscall_kind kind = gaps_kind(in, row->max_call);
	int error = syscalls_call_error(in->capture->calls, row->max_call);

	if (gaps_is_stated(row) && row->asked >= GAPS_TICK && row->asked_least == row->asked_most)
		return "The program sleeps for the same time again and again: a fixed period "
		       "(tick)";
	if (gaps_is_input(in, row->max_call))
		return "Nobody typed, or the pipe at standard input had no data";
	if (!gaps_may_wait(kind))
		return "The kernel answers this call at once: the program computes after it, is "
		       "stopped, or makes calls that the log does not have";
	if ((kind == SYSCALL_KIND_LOOKUP || kind == SYSCALL_KIND_OPEN ||
	     kind == SYSCALL_KIND_DIRECTORY || kind == SYSCALL_KIND_MOUNT) &&
	    (error == -ENXIO || error == -EIO || error == -ETIMEDOUT || error == -EHOSTDOWN ||
	     error == -EHOSTUNREACH || error == -ENOTCONN || error == -ESTALE || error == -ENODEV ||
	     error == -ECONNREFUSED))
		return finding_name(out,
				    "A look-up that takes this long and ends with %s is usually "
				    "on a remote or automatic mount whose server is unreachable, "
				    "or on a device that does not answer",
				    syscall_words_errno(out, error));
	return syscall_words_cause(kind, syscall_words_name(in, row->sym));
}

/* The claim about sleeps whose arguments state the time. */
static void gaps_claim_sleep(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct gaps_row *row, double pct)
{
	struct str name = syscall_words_name(in, row->sym);
	const char *share = syscall_words_is_filtered(in)
				    ? ""
				    : finding_name(out, ", %.*f %% of the threads' time",
						   pct > 99.9 ? 2 : 1, pct);

	if (row->calls == 1)
		finding_claim(out, f, STR_FMT " sleeps %s%s", STR_ARG(name),
			      finding_duration(out, row->asked_ns), share);
	else
		finding_claim(out, f, "%u calls of " STR_FMT " sleep %s%s%s", row->calls,
			      STR_ARG(name), finding_duration(out, row->asked_ns),
			      row->asked_least == row->asked_most
				      ? finding_name(out, " (%s each)",
						     finding_duration(out, row->asked_most))
				      : "",
			      share);
}

/*
 * Set the claim about the gaps of @row. It does not say which part of a gap the call takes, because
 * this is unknown.
 */
static void gaps_claim(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct gaps *g, const struct gaps_row *row, const char *call)
{
	const char *longest = finding_duration(out, row->max_ns);

	if (row->calls == 1)
		finding_claim(out, f,
			      g->is_printed ? "%s pass before the end of %s"
					    : "%s pass from %s to the next call of the thread",
			      longest, call);
	else
		finding_claim(out, f,
			      g->is_printed ? "%s pass before the ends of %u calls of " STR_FMT
					      ", the longest %s: %s"
					    : "%s pass from %u calls of " STR_FMT
					      " to the next call each, the longest %s: %s",
			      finding_duration(out, row->ns), row->calls,
			      STR_ARG(syscall_words_name(in, row->sym)), longest, call);
}

static void gaps_finding(const struct rule_input *in, struct findings *out, const struct gaps *g,
			 const struct gaps_row *row, double pct)
{
	bool may_wait = gaps_may_wait(gaps_kind(in, row->max_call));
	const char *call = syscall_words_call(in, out, row->max_call);
	bool is_stated = gaps_is_stated(row);
	struct finding *f = finding_add(out, in, &rule_call_gaps,
					pct >= GAPS_LEAD_PCT && row->max_ns >= GAPS_LEAD_NS &&
							!row->is_idle && may_wait
						? FINDING_WARNING
						: FINDING_NOTE,
					is_stated      ? 95
					: row->is_idle ? 60
						       : 75);

	f->impact = row->is_idle && !is_stated ? pct / 4 : pct;
	if (is_stated)
		gaps_claim_sleep(in, out, f, row, pct);
	else
		gaps_claim(in, out, f, g, row, call);
	finding_figure(f, "time", (double)row->ns / 1e9, 0, "s");
	finding_figure(f, "longest", (double)row->max_ns / 1e9, 0, "s");
	finding_figure(f, "calls", row->calls, 0, "");
	if (!syscall_words_is_filtered(in))
		finding_figure(f, "share of the threads' time", pct, 0, "%");
	finding_subject(f, row->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, in->capture->calls->line.data[row->max_call], "%s", call);
	finding_usual_cause(out, f, "%s", gaps_cause(in, out, row));
	if (is_stated) {
		finding_because(out, f,
				"the argument of the call states the time, and the next "
				"call comes when it is over");
		finding_next(out, f,
			     "strace -f -tt -k -e trace=" STR_FMT
			     " COMMAND: the code that sleeps, and what it waits for",
			     STR_ARG(syscall_words_name(in, row->sym)));
		return;
	}
	finding_because(out, f,
			"the log has times and no durations: the time also contains what the "
			"program computes %s the call",
			g->is_printed ? "before" : "after");
	finding_next(out, f,
		     "strace -f -tt -T COMMAND: the duration of each call; cat /proc/PID/stack "
		     "during the wait, as root: the kernel function");
}

static void call_gaps_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	struct gaps g = { .rows = VEC_INIT };
	uint64_t total;
	size_t n = 0;

	if (!in->syscalls->is_log || c->start_ns.len == 0) {
		finding_not_assessed(out, in, &rule_call_gaps, "strace -f -tt -T COMMAND",
				     "the calls have no times");
		return;
	}
	gaps_printed(in, &g);
	if (!g.is_printed && syscall_words_is_filtered(in)) {
		finding_not_assessed(out, in, &rule_call_gaps, "the log without the filter",
				     "a filter left out calls, whose times are unknown");
		return;
	}
	if (!g.is_printed)
		gaps_between(in, &g);
	VEC_FOREACH (t, &in->syscalls->threads)
		g.span_ns += t->span_ns;
	total = g.span_ns > g.sum_ns ? g.span_ns : g.sum_ns;
	VEC_SORT(&g.rows, gaps_order);
	VEC_FOREACH (row, &g.rows) {
		double pct = syscall_words_pct((double)row->ns, (double)total);

		if (pct < GAPS_NOTE_PCT || n == GAPS_MOST)
			continue;
		gaps_finding(in, out, &g, row, pct);
		n++;
	}
	if (n == 0)
		finding_clean(out, in, &rule_call_gaps,
			      "the times between calls without durations are a small part of the "
			      "whole");
	VEC_FREE(&g.rows);
}

static const char *const gaps_explains[] = { "system-calls", "fatal-call", NULL };

const struct rule rule_call_gaps = {
	.id = "call-gaps",
	.title = "Time between system calls",
	.needs = RULE_SYSCALLS,
	.takes_selection = true,
	.explains = gaps_explains,
	.check = call_gaps_check,
	.is_measured = true,
};
