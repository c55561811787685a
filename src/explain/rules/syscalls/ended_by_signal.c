/* SPDX-License-Identifier: MIT */
/*
 * A log of system calls shows that a signal ends or stops the program. The signal shows the kind of
 * fault, and the thread's last call shows the place.
 *
 * If a thread makes calls after the signal, it handled the signal: runtimes of Java and Go use
 * SIGSEGV. SIGINT, SIGTERM, SIGHUP and SIGQUIT are ignored, because they end programs on request.
 */
#include "base/status.h"
#include "core/calls.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(ended_by_signal);

#define ENDED_SURE_FAULT 75u
#define ENDED_NULL_PAGE  65536u /* addresses below this are never mapped: vm.mmap_min_addr */

enum ended_way {
	ENDED_KILLED,
	ENDED_STOPPED,
	/*
	 * the thread has no event after the signal, but the log does not show the end of the
	 * process
	 */
	ENDED_FAULT,
	ENDED_HOWS,
};

struct ended_signal {
	const char *name;
	/* ways to end that lead to a finding, as bits 1 << enum ended_way */
	uint8_t way;
	uint8_t sure;
	const char *claim;
	const char *cause;
	const char *next;
};

#define ENDED_DEADLY (1u << ENDED_KILLED | 1u << ENDED_FAULT)

/* Sources: signal(7), core(5), seccomp(2), credentials(7). */
static const struct ended_signal ended_signals[] = {
	{ "SIGSEGV", ENDED_DEADLY, 95, "crashes by a bad memory access",
	  "A pointer was NULL, freed or overwritten, or the stack overflowed. If the call before "
	  "failed, its error was not checked",
	  "gdb -ex run -ex bt --args PROGRAM: the function that crashes" },
	{ "SIGBUS", ENDED_DEADLY, 95, "crashes by a bad memory access",
	  "A mapped file is shorter than the access, its disk is full or failed, or the address is "
	  "misaligned",
	  "look for ftruncate and mmap of the file before; df of its file system; dmesg" },
	{ "SIGABRT", ENDED_DEADLY, 95, "aborts itself",
	  "An assertion, an uncaught exception, or the allocator found damage. The last write to "
	  "descriptor 2 has its message",
	  "gdb -ex run -ex bt --args PROGRAM: the caller of abort()" },
	{ "SIGILL", ENDED_DEADLY, 95, "crashes by an illegal instruction",
	  "The program was built for another processor, or it jumped into data; compilers use such "
	  "an instruction as a trap, too",
	  "gdb -ex run -ex 'x/i $pc' --args PROGRAM; compare with the flags in /proc/cpuinfo" },
	{ "SIGFPE", ENDED_DEADLY, 95, "crashes by an arithmetic error",
	  "An integer was divided by zero",
	  "gdb -ex run -ex bt --args PROGRAM: the function that divides" },
	{ "SIGTRAP", 1u << ENDED_KILLED, 90, "stops at a trap",
	  "A failed check of the program (__builtin_trap), or a breakpoint without a debugger",
	  "gdb -ex run -ex bt --args PROGRAM: the function with the trap" },
	{ "SIGSYS", ENDED_DEADLY, 95, "is killed for a forbidden system call",
	  "A seccomp filter (container, systemd, sandbox) does not allow the last call",
	  "allow the call in the filter: SystemCallFilter=, the profile of the container; ausearch "
	  "-m SECCOMP names it" },
	{ "SIGPIPE", 1u << ENDED_KILLED, 95, "is killed for writing to a closed pipe or socket",
	  "The reader has gone, and the program does not ignore SIGPIPE",
	  "ignore SIGPIPE (or send with MSG_NOSIGNAL) and handle EPIPE; find out why the peer "
	  "closed" },
	{ "SIGKILL", 1u << ENDED_KILLED, 85, "is killed from outside",
	  "The kernel out of memory, a limit of the container, a watchdog or a person sent "
	  "SIGKILL: "
	  "the program cannot send it by a fault of its own",
	  "dmesg | grep -i oom; memory.events of the cgroup; logs of the service manager" },
	{ "SIGXCPU", 1u << ENDED_KILLED, 95, "is killed at its limit of CPU time",
	  "The program used the CPU time that its limit allows",
	  "ulimit -t; LimitCPU= of the service" },
	{ "SIGXFSZ", 1u << ENDED_KILLED, 95, "is killed at its limit of file size",
	  "The last write goes beyond the largest file that the limit allows",
	  "ulimit -f; LimitFSIZE= of the service" },
	{ "SIGALRM", 1u << ENDED_KILLED, 90, "is killed by its timer",
	  "A timer expired (alarm, setitimer), and no handler is set: a time limit, or a handler "
	  "that is installed too late",
	  "find the alarm or setitimer call before; what took so long, or why it has no handler" },
	{ "SIGTTOU", 1u << ENDED_STOPPED, 95,
	  "is stopped because it sets the terminal from the background",
	  "The process is not in the foreground process group of its terminal, so the terminal "
	  "stops "
	  "it. Nobody continues it: it hangs",
	  "start it with </dev/null or setsid, or give the terminal to its process group "
	  "(tcsetpgrp)" },
	{ "SIGTTIN", 1u << ENDED_STOPPED, 95,
	  "is stopped because it reads the terminal from the background",
	  "The process is not in the foreground process group of its terminal, so the terminal "
	  "stops "
	  "it. Nobody continues it: it hangs",
	  "start it with </dev/null or setsid, or give the terminal to its process group "
	  "(tcsetpgrp)" },
	{ "SIGSTOP", 1u << ENDED_STOPPED, 85, "is stopped from outside",
	  "A debugger, a service manager or a person sent SIGSTOP; it hangs until SIGCONT",
	  "ps -o pid,stat,ppid,cmd; kill -CONT PID" },
	{ "SIGTSTP", 1u << ENDED_STOPPED, 85, "is stopped from the terminal",
	  "Ctrl-Z, or a shell sent SIGTSTP; it hangs until SIGCONT", "fg, or kill -CONT PID" },
};

static const struct ended_signal *ended_signal_of(const struct rule_input *in,
						  const struct call_mark *m)
{
	struct str name = strings_get(capture_strings(in->capture), m->text);
	enum ended_way way = m->kind == MARK_KILLED    ? ENDED_KILLED
			     : m->kind == MARK_STOPPED ? ENDED_STOPPED
			     : m->kind == MARK_ELIDED  ? ENDED_HOWS
						       : ENDED_FAULT;

	for (size_t i = 0; i < ARRAY_LEN(ended_signals); i++) {
		const struct ended_signal *s = &ended_signals[i];

		if (str_eq(name, str_of(s->name)))
			return s->way >> way & 1 ? s : NULL;
	}
	return NULL;
}

static const char *ended_address(struct findings *out, const struct call_mark *fault)
{
	if (!fault)
		return "";
	return fault->count < ENDED_NULL_PAGE
		       ? finding_name(out, " at 0x%llx, a NULL pointer",
				      (unsigned long long)fault->count)
		       : finding_name(out, " at 0x%llx", (unsigned long long)fault->count);
}

struct ended {
	uint32_t *last; /* last[lane]: index of the last call of this thread; INDEX_NONE: none */
	/* failed[lane]: index of the last failed call of this thread; INDEX_NONE: none */
	uint32_t *failed;
	const struct ended_signal *signal;
	const struct call_mark *mark;
	/*
	 * the event of the same thread as `mark` that prints the address of the fault; NULL: none
	 */
	const struct call_mark *fault;
	/* number of threads and processes that the signal ended or stopped */
	uint64_t n;
};

static void ended_finding(const struct rule_input *in, struct findings *out, const struct ended *e)
{
	const struct calls *c = in->capture->calls;
	uint32_t call = e->last[e->mark->lane];
	uint32_t failed = e->failed[e->mark->lane];
	bool is_said = e->mark->kind == MARK_KILLED || e->mark->kind == MARK_STOPPED;
	struct finding *f = finding_add(out, in, &rule_ended_by_signal, FINDING_WARNING,
					is_said ? e->signal->sure : ENDED_SURE_FAULT);

	f->impact = 100;
	finding_claim(out, f, "%s %s (%s%s)%s%s", syscall_words_thread(in, out, e->mark->lane),
		      e->signal->claim, e->signal->name, ended_address(out, e->fault),
		      call == INDEX_NONE ? "" : "; its last call is ",
		      call == INDEX_NONE ? "" : syscall_words_call(in, out, call));
	finding_figure(f, "threads ended or stopped by it", (double)e->n, 0, "");
	if (call != INDEX_NONE) {
		finding_subject(f, c->sym.data[call], SUBJECT_EXPLAINED);
		finding_evidence(out, f, in, c->line.data[call], "%s",
				 syscall_words_call(in, out, call));
	}
	if (failed != INDEX_NONE && failed != call)
		finding_evidence(out, f, in, c->line.data[failed], "%s failed before",
				 syscall_words_call(in, out, failed));
	finding_evidence(out, f, in, e->mark->line, "%s%s", e->signal->name,
			 e->mark->kind == MARK_KILLED    ? " ends it"
			 : e->mark->kind == MARK_STOPPED ? " stops it"
							 : ", and no call follows");
	finding_usual_cause(out, f, "%s", e->signal->cause);
	finding_because(out, f, "%s",
			is_said ? "the log says so"
				: "no call of the thread follows\n"
				  "whether the log is cut, which looks the same");
	finding_next(out, f, "%s", e->signal->next);
}

/*
 * Does the thread make calls after the signal @m? Then it handled the signal, or another process
 * continued it.
 */
static bool ended_goes_on(const struct ended *e, const struct call_mark *m)
{
	uint32_t last = e->last[m->lane];

	return last != INDEX_NONE && last >= m->before_call;
}

/*
 * Whether the signal @m interrupted the last call of its thread, so that this call has no result.
 * (The signal ends all threads of a process, but most of them are not inside a call.)
 */
static bool ended_is_inside(const struct ended *e, const struct calls *c, const struct call_mark *m)
{
	uint32_t last = e->last[m->lane];

	return last != INDEX_NONE &&
	       (c->retval.len <= last || c->retval_kind.data[last] == RETVAL_NONE);
}

static void ended_look(const struct rule_input *in, struct ended *e)
{
	const struct calls *c = in->capture->calls;

	for (size_t i = 0; i < c->lanes.len; i++)
		e->last[i] = e->failed[i] = INDEX_NONE;
	for (uint32_t i = 0; i < c->n; i++) {
		e->last[c->lane.data[i]] = i;
		if (syscalls_call_error(c, i))
			e->failed[c->lane.data[i]] = i;
	}
	VEC_FOREACH (m, &c->marks) {
		const struct ended_signal *s = ended_signal_of(in, m);

		if (!s || (e->signal && s != e->signal) || ended_goes_on(e, m))
			continue;
		if (m->kind == MARK_FAULT && (!e->mark || e->mark->lane == m->lane))
			e->fault = m;
		/*
		 * Count each thread once: "+++ killed by SIGSEGV +++" repeats the previous line
		 * about the signal.
		 */
		if (!e->mark || e->mark->lane != m->lane)
			e->n++;
		if (!e->mark || e->mark->lane == m->lane ||
		    (ended_is_inside(e, c, m) && !ended_is_inside(e, c, e->mark)))
			e->mark = m;
		e->signal = s;
	}
}

static void ended_check(const struct rule_input *in, struct findings *out)
{
	struct ended e = { .signal = NULL };

	if (!in->syscalls->is_log) {
		finding_not_assessed(out, in, &rule_ended_by_signal, "strace -f -p PID",
				     "a table has no signals");
		return;
	}
	e.last = xcalloc(in->capture->calls->lanes.len + 1, sizeof(*e.last));
	e.failed = xcalloc(in->capture->calls->lanes.len + 1, sizeof(*e.failed));
	ended_look(in, &e);
	if (e.signal)
		ended_finding(in, out, &e);
	else
		finding_clean(out, in, &rule_ended_by_signal,
			      "no signal ends or stops a thread, but on request");
	free(e.last);
	free(e.failed);
}

static const char *const ended_explains[] = { "system-calls", "failing-calls", "blocked-call",
					      NULL };

const struct rule rule_ended_by_signal = {
	.id = "ended-by-signal",
	.title = "Process ended or stopped by a signal",
	.needs = RULE_SYSCALLS,
	.takes_selection = true,
	.explains = ended_explains,
	.check = ended_check,
	.is_measured = true,
};
