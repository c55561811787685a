/* SPDX-License-Identifier: MIT */
/*
 * System calls that took long, of logs with durations: what the program waited for, and
 * whether it was in calls at all.
 *
 * Thresholds: 10 ms is felt by whoever waits for one answer; a tenth of the thread's time
 * is worth a look. Waits for events, children and locks may be idleness: they are named
 * only where nothing else has that much.
 */
#include "core/calls.h"
#include "core/capture.h"
#include "explain/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(long_calls);

#define LONG_NS       10e6
#define LONG_NOTE_PCT 10.0
#define LONG_LEAD_PCT 40.0
#define LONG_LEAD_NS  100e6
#define LONG_MOST     2u

static const struct {
	enum syscall_kind kind;
	const char *cause;
} long_texts[] = {
	{ SYSCALL_KIND_SYNC,
	  "the call waits until the device has stored the data: storage is slow, or "
	  "each record is flushed by itself" },
	{ SYSCALL_KIND_IO,
	  "the data is not there yet: a slow device or file system, or the other side "
	  "of a pipe or socket" },
	{ SYSCALL_KIND_NETWORK, "the peer is slow to answer, or its window is full" },
	{ SYSCALL_KIND_SOCKET,
	  "the peer is slow to accept, or a name server or timeout is in the way" },
	{ SYSCALL_KIND_FUTEX,
	  "the thread waits for another one: for a lock that is held, or for work" },
	{ SYSCALL_KIND_POLL, "the thread waits for events or for its timeout; idle if there is no "
			     "work" },
	{ SYSCALL_KIND_WAIT, "the time is the child's: look at what it does" },
	{ SYSCALL_KIND_SLEEP, "the program sleeps on purpose: a fixed delay" },
	{ SYSCALL_KIND_MEMORY,
	  "mapping or unmapping takes long: a lock on the address space that other "
	  "threads hold, or many pages to free" },
	{ SYSCALL_KIND_OPEN,
	  "opening or closing takes long: a slow file system or device, or close "
	  "flushes" },
	{ SYSCALL_KIND_LOOKUP,
	  "the look-up takes long: metadata is not cached, or comes over a network" },
	{ SYSCALL_KIND_PROCESS,
	  "starting takes long: fork copies the page tables of a large process" },
	{ SYSCALL_KIND_FILE_LOCK, "another process holds the file lock" },
};

static const char *long_cause(enum syscall_kind kind)
{
	for (size_t i = 0; i < ARRAY_LEN(long_texts); i++) {
		if (long_texts[i].kind == kind)
			return long_texts[i].cause;
	}
	return "the kernel worked or waited inside the call: its stack tells for what";
}

static bool long_is_idle(enum syscall_kind kind)
{
	return kind == SYSCALL_KIND_POLL || kind == SYSCALL_KIND_FUTEX;
}

/* Time in which threads were traced. */
static double long_span(const struct syscalls_summary *s)
{
	double span = 0;

	VEC_FOREACH (t, &s->threads)
		span += (double)t->span_ns;
	return span > s->time_ns ? span : s->time_ns;
}

static void long_finding(const struct rule_input *in, struct findings *out,
			 const struct syscall_row *row, double span)
{
	double pct = syscall_words_pct(row->time_ns, span);
	struct str name = syscall_words_name(in, row->sym);
	bool is_idle = long_is_idle(row->kind);
	struct finding *f = finding_add(
		out, in, &rule_long_calls,
		pct >= LONG_LEAD_PCT && row->time_ns >= LONG_LEAD_NS && !is_idle ? FINDING_WARNING
										 : FINDING_NOTE,
		is_idle ? 60 : 75);

	f->impact = is_idle ? pct / 4 : pct;
	finding_claim(out, f,
		      "%.1f %% of the threads' time is in " STR_FMT
		      ": %s in %llu call%s, the longest %s",
		      pct, STR_ARG(name), finding_duration(out, (uint64_t)row->time_ns),
		      (unsigned long long)row->calls, row->calls == 1 ? "" : "s",
		      finding_duration(out, (uint64_t)row->max_ns));
	finding_figure(f, "share of time", pct, 0, "%");
	finding_figure(f, "time", row->time_ns / 1e6, 0, "ms");
	finding_figure(f, "longest", row->max_ns / 1e6, 0, "ms");
	finding_figure(f, "calls", (double)row->calls, 0, "");
	finding_subject(f, row->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, row->max_line ? row->max_line : row->line, STR_FMT " %s",
			 STR_ARG(name), finding_duration(out, (uint64_t)row->max_ns));
	finding_cause(out, f, "%s", long_cause(row->kind));
	finding_because(out, f,
			"durations are measured; waiting and work in the kernel look the same");
	finding_next(out, f,
		     "perf trace -s -g -e " STR_FMT " -- COMMAND, or cat /proc/PID/stack during "
		     "the call",
		     STR_ARG(name));
}

static void long_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	double span;
	size_t n = 0;

	if (s->is_library)
		return;
	if (s->clock != SYSCALL_WALL_TIME) {
		finding_not_assessed(
			out, in, &rule_long_calls, "strace -f -tt -T -o out COMMAND",
			"there are no wall-clock durations: how long calls waited does not "
			"show");
		return;
	}
	span = long_span(s);
	for (unsigned int idle = 0; idle < 2; idle++) {
		VEC_FOREACH (row, &s->rows) {
			if (n == LONG_MOST || long_is_idle(row->kind) != (idle == 1) ||
			    !(row->max_ns >= LONG_NS ||
			      (isnan(row->max_ns) && row->time_ns >= LONG_NS * 10)) ||
			    syscall_words_pct(row->time_ns, span) < LONG_NOTE_PCT)
				continue;
			long_finding(in, out, row, span);
			n++;
		}
	}
	if (n == 0)
		finding_clean(
			out, in, &rule_long_calls,
			"calls take %.1f %% of the threads' time, and none with a tenth of it "
			"lasts 10 ms",
			syscall_words_pct(s->time_ns, span));
}

static const char *const long_explains[] = { "system-calls", NULL };

const struct rule rule_long_calls = {
	.id = "long-calls",
	.title = "system calls that take long",
	.needs = RULE_SYSCALLS,
	.explains = long_explains,
	.check = long_check,
};
