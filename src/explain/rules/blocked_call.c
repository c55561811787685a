/* SPDX-License-Identifier: MIT */
/*
 * A log that ends inside a call: the thread is blocked there. Of a program that hangs
 * this is the whole finding.
 *
 * A thread that waits for events may have nothing to do, and is a note. So is one whose
 * log is long: it worked until the log was stopped.
 */
#include "core/calls.h"
#include "explain/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(blocked_call);

#define BLOCKED_FEW  12u /* preceding calls: the log shows a thread that makes no progress */
#define BLOCKED_MOST 3u

static const char *blocked_cause(enum syscall_kind kind, struct str name, struct str args)
{
	switch (kind) {
	case SYSCALL_KIND_FUTEX:
		return "it waits for a lock or a condition that another thread must release or "
		       "signal: "
		       "if none does, this is a deadlock or a lost wake-up. The address names the "
		       "lock";
	case SYSCALL_KIND_WAIT:
		return "it waits for a child process to end: look at what the child does";
	case SYSCALL_KIND_POLL:
		return "it waits for events on its descriptors: idle, or whoever should send does "
		       "not";
	case SYSCALL_KIND_SLEEP:
		return "it sleeps for a time that it chose";
	case SYSCALL_KIND_FILE_LOCK:
		return "another process holds the file lock";
	case SYSCALL_KIND_SYNC:
		return "the device has not stored the data yet";
	case SYSCALL_KIND_NETWORK:
		return "the peer does not send, or does not take what is sent";
	case SYSCALL_KIND_SOCKET:
		return "the peer does not answer, or nobody connects";
	case SYSCALL_KIND_IO:
		return str_glob(STR("write*|pwrite*"), name)
			       ? "the other side does not read: its pipe or socket buffer is full, "
				 "or "
				 "the device is stuck"
			       : "no data comes: the other side of the pipe, socket or terminal "
				 "does not "
				 "write, or does not close";
	case SYSCALL_KIND_DESCRIPTOR:
		if (str_contains(args, STR("SETLKW")))
			return "another process holds the record lock of the file";
		return "the kernel has not answered yet";
	default:
		return "the kernel has not answered yet: the kernel stack tells what it waits for";
	}
}

static void blocked_finding(const struct rule_input *in, struct findings *out,
			    const struct syscall_thread *t, bool is_hang)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[t->open]);
	struct str args = strings_get(capture_strings(in->capture),
				      c->args.len ? c->args.data[t->open] : STR_ID_NONE);
	enum syscall_kind kind = syscall_kind_of(name, in->syscalls->is_library);
	struct finding *f =
		finding_add(out, in, &rule_blocked_call,
			    is_hang && kind != SYSCALL_KIND_POLL ? FINDING_WARNING : FINDING_NOTE,
			    is_hang ? 90 : 75);

	finding_claim(out, f,
		      "%s is blocked in " STR_FMT "(" STR_FMT "): the log ends inside this call",
		      syscall_words_thread(in, out, t->lane), STR_ARG(name),
		      STR_ARG(str_sub(args, 0, 80)));
	finding_figure(f, "calls of the thread before it", (double)(t->calls - 1), 0, "");
	finding_subject(f, c->sym.data[t->open], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line.data[t->open], STR_FMT "(" STR_FMT, STR_ARG(name),
			 STR_ARG(str_sub(args, 0, 80)));
	finding_cause(out, f, "%s", blocked_cause(kind, name, args));
	finding_because(
		out, f,
		"the call has begun and has not returned; how long it lasted after the log is "
		"not in it");
	finding_next(out, f,
		     "gdb -p PID -batch -ex 'thread apply all bt': who should wake it; ls -l "
		     "/proc/PID/fd: what the descriptor is");
}

static void blocked_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	size_t open = 0;
	size_t seen = 0;

	if (!s->is_log) {
		finding_not_assessed(out, in, &rule_blocked_call, "strace -f -p PID",
				     "a table does not show a call that does not return");
		return;
	}
	VEC_FOREACH (t, &s->threads) {
		seen += t->calls > 0;
		open += t->open != INDEX_NONE;
	}
	VEC_FOREACH (t, &s->threads) {
		if (t->open == INDEX_NONE)
			continue;
		/* others continue: it is one of many waits */
		if (open < seen && t->calls > BLOCKED_FEW)
			continue;
		if (out->rows.len && seen > BLOCKED_MOST && t->lane >= BLOCKED_MOST)
			break;
		blocked_finding(in, out, t, open == seen && t->calls <= BLOCKED_FEW);
	}
	if (open == 0)
		finding_clean(out, in, &rule_blocked_call, "no call is open when the log ends");
}

static const char *const blocked_explains[] = { "system-calls", "long-calls", NULL };

const struct rule rule_blocked_call = {
	.id = "blocked-call",
	.title = "the log ends inside a call",
	.needs = RULE_SYSCALLS,
	.explains = blocked_explains,
	.check = blocked_check,
};
