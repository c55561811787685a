/* SPDX-License-Identifier: MIT */
/*
 * In a text of ftrace, a task has the same page fault again and again: same address, same
 * instruction, and no other instruction of the task in between. So the fault is not resolved, and
 * the task makes no progress.
 *
 * Thresholds: five equal faults in a row are a note; from 100 ms on they are a warning. The kernel
 * may deliberately repeat a fault for a while, for example while it invalidates the mapping of a
 * guest.
 */
#include "analyses/logs/log_facts.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/same_fault_names.h"

#include <inttypes.h>

DECLARE_RULE(same_fault);

#define FAULT_LEAST   5u
#define FAULT_WARN_NS UINT64_C(100000000)
#define FAULT_SURE    75u
#define FAULT_TASKS   64u /* maximum number of tasks that are followed at a time */

/* Equal faults of a task, without another instruction in between. */
struct fault_run {
	uint64_t address, ip;
	uint64_t n;
	uint32_t lane;
	uint32_t first, last; /* marks (in struct calls) of the first and the last fault */
};

struct fault_search {
	struct fault_run runs[FAULT_TASKS];
	size_t n_runs;
	struct fault_run best;
	uint64_t n_faults;
};

/*
 * Find the last number in the part of @text that matches one of @patterns, such as "address 0x%x".
 * False: no match.
 */
static bool fault_number(struct str text, const char *patterns, uint64_t *ret)
{
	struct log_match m;

	if (!log_match_any(text, patterns, false, &m) || !m.n_numbers)
		return false;
	*ret = m.n[m.n_numbers - 1];
	return true;
}

static bool fault_is_one_task(const struct call_lane *a, const struct call_lane *b)
{
	return a->has_pid && b->has_pid ? a->pid == b->pid
					: a->cpu == b->cpu && a->comm.v == b->comm.v;
}

/*
 * The run for the task of @lane. If the task has none yet, a run without faults is added. NULL: too
 * many tasks.
 */
static struct fault_run *fault_run_of(struct fault_search *s, const struct calls *c, uint32_t lane)
{
	for (size_t i = 0; i < s->n_runs; i++) {
		if (s->runs[i].lane == lane ||
		    fault_is_one_task(&c->lanes.data[s->runs[i].lane], &c->lanes.data[lane]))
			return &s->runs[i];
	}
	if (s->n_runs == FAULT_TASKS)
		return NULL;
	s->runs[s->n_runs] = (struct fault_run){ .lane = lane };
	return &s->runs[s->n_runs++];
}

/* Process one event: the mark number @at, with event name @name and the text @fields. */
static void fault_event(struct fault_search *s, const struct calls *c, uint32_t at, struct str name,
			struct str fields)
{
	bool is_fault = str_glob(STR(SAME_FAULT_EVENTS), name);
	struct fault_run *run = fault_run_of(s, c, c->marks.data[at].lane);
	uint64_t address, ip = 0;
	bool has_ip = fault_number(fields, "rip 0x%x|ip=0x%x|pc 0x%x|pc=0x%x", &ip);

	if (!run)
		return;
	if (is_fault && has_ip &&
	    fault_number(fields, "address 0x%x|address=0x%x|ipa 0x%x", &address)) {
		s->n_faults++;
		if (!run->n || run->address != address || run->ip != ip)
			*run = (struct fault_run){
				.address = address, .ip = ip, .lane = run->lane, .first = at
			};
		run->n++;
		run->last = at;
		if (run->n > s->best.n)
			s->best = *run;
	} else if (str_glob(STR(SAME_FAULT_DONE), name) || (has_ip && ip != run->ip)) {
		run->n = 0;
	}
}

static void fault_search(const struct rule_input *in, struct fault_search *s)
{
	const struct calls *c = in->capture->calls;

	for (uint32_t i = 0; i < c->marks.len; i++) {
		const struct call_mark *m = &c->marks.data[i];
		struct str text = strings_get(capture_strings(in->capture), m->text);
		size_t colon = str_find_char(text, ':');

		/* the missing lines may contain another instruction of the task */
		if (m->kind == MARK_LOST || m->kind == MARK_ELIDED)
			s->n_runs = 0;
		if (m->kind == MARK_EVENT && colon < text.len)
			fault_event(s, c, i, str_sub(text, 0, colon), str_skip(text, colon));
	}
}

static void fault_finding(const struct rule_input *in, struct findings *out,
			  const struct fault_run *run)
{
	const struct calls *c = in->capture->calls;
	const struct call_mark *first = &c->marks.data[run->first];
	const struct call_mark *last = &c->marks.data[run->last];
	const struct call_lane *lane = &c->lanes.data[run->lane];
	uint64_t ns = first->time_ns && last->time_ns > first->time_ns
			      ? last->time_ns - first->time_ns
			      : 0;
	struct finding *f =
		finding_add(out, in, &rule_same_fault,
			    ns >= FAULT_WARN_NS ? FINDING_WARNING : FINDING_NOTE, FAULT_SURE);
	struct str text = strings_get(capture_strings(in->capture), first->text);
	struct str name = str_sub(text, 0, str_find_char(text, ':'));
	struct str comm = strings_get(capture_strings(in->capture), lane->comm);
	bool is_guest = str_glob(STR(SAME_FAULT_GUEST), name);

	finding_claim(out, f,
		      "%s " STR_FMT "-%" PRIu32 " has the same page fault %" PRIu64
		      " times in a row%s%s: address 0x%" PRIx64 ", instruction at 0x%" PRIx64,
		      is_guest ? "The virtual CPU of" : "Task", STR_ARG(str_sub(comm, 0, 32)),
		      lane->pid, run->n, ns ? " in " : "", ns ? finding_duration(out, ns) : "",
		      run->address, run->ip);
	finding_figure(f, "equal faults in a row", (double)run->n, 0, "");
	if (ns) {
		finding_figure(f, "time of a fault", (double)ns / (double)(run->n - 1) / 1e3, 0,
			       "us");
	}
	finding_evidence(out, f, in, first->line, "the first " STR_FMT, STR_ARG(name));
	finding_evidence(out, f, in, last->line, "the last");
	finding_usual_cause(
		out, f, "%s",
		is_guest
			? "KVM lets the guest try again without resolving the fault: the mapping "
			  "is being invalidated (mmu notifier) or is believed to be, the page is "
			  "moved all the time, or a protection is set again. If the address is a "
			  "device register, the guest polls it"
			: "The handler returns and no mapping is there: the page is taken away "
			  "again each time (munmap(), madvise(), migration, reclaim), a protection "
			  "is set again, or a signal handler returns to the same instruction");
	finding_because(out, f,
			"address and instruction are equal, and the trace shows no other "
			"instruction of the task in between\n"
			"why the fault stays");
	if (is_guest)
		finding_next(out, f,
			     "trace-cmd record -e kvm -e kvmmmu -P %" PRIu32
			     ": is an entry set (spte_changed) after the fault",
			     lane->pid);
	else
		finding_next(out, f,
			     "trace-cmd record -p function_graph -g handle_mm_fault -P %" PRIu32
			     ": what the handler does and returns",
			     lane->pid);
}

static void fault_check(const struct rule_input *in, struct findings *out)
{
	struct fault_search s = { .n_runs = 0 };

	if (!in->capture->calls || in->capture->calls->log_of != CALLS_OF_FUNCTIONS)
		return;
	fault_search(in, &s);
	if (s.best.n >= FAULT_LEAST)
		fault_finding(in, out, &s.best);
	else if (s.n_faults >= FAULT_LEAST)
		finding_clean(out, in, &rule_same_fault,
			      "of %" PRIu64 " page faults at most %" PRIu64 " in a row are equal",
			      s.n_faults, s.best.n);
	else if (s.n_faults)
		finding_not_assessed(out, in, &rule_same_fault, "trace for longer",
				     "only %" PRIu64 " page faults with an address", s.n_faults);
}

const struct rule rule_same_fault = {
	.id = "same-fault",
	.title = "The same page fault again and again",
	.needs = RULE_CALLS,
	.check = fault_check,
};
