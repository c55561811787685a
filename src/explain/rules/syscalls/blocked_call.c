/* SPDX-License-Identifier: MIT */
/*
 * The log ends inside a call, so the thread is blocked in this call. If the program hangs, it hangs
 * there.
 *
 * The finding is only a note in two cases. The thread waits for events, so it may have nothing to
 * do. Or the thread has a long log, so it made progress until the log was stopped.
 */
#include "base/alloc.h"
#include "base/status.h"
#include "core/calls.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(blocked_call);

/* a thread with at most this number of calls before the blocked call made no progress */
#define BLOCKED_FEW  12u
#define BLOCKED_MOST 3u
/* A wait for events with a timeout of at most this, in ms, is short: the thread continues soon. */
#define BLOCKED_LIMIT_MS 60000u
/*
 * if at least this number of threads wait on one address, they wait for one lock; two may do so by
 * chance
 */
#define BLOCKED_SAME 3u
/* value of a futex that is a held lock with waiters, in the mutexes of glibc, Go and Rust */
#define BLOCKED_CONTENDED 2u

static const char *blocked_cause(enum syscall_kind kind, struct str name)
{
	switch (kind) {
	case SYSCALL_KIND_FUTEX:
		return "The thread waits for a lock or condition that another thread must release "
		       "or signal. If none does, this is a deadlock or a lost wake-up. The address "
		       "identifies the lock";
	case SYSCALL_KIND_WAIT:
		return "The thread waits for a child process to end: look at the child";
	case SYSCALL_KIND_POLL:
		return "The thread waits for events on its descriptors: idle, or the sender does "
		       "not send";
	case SYSCALL_KIND_SLEEP:
		return "The thread sleeps for a time it set itself";
	case SYSCALL_KIND_SIGNAL_WAIT:
		return "The thread waits for a signal; it is idle if none is due";
	case SYSCALL_KIND_FILE_LOCK:
		return "another process holds the file lock";
	case SYSCALL_KIND_SYNC:
		return "the device has not stored the data yet";
	case SYSCALL_KIND_NETWORK:
		return "the peer does not send, or does not receive";
	case SYSCALL_KIND_SOCKET:
		return str_glob(STR("accept|accept4"), name) ? "No client connects: idle"
							     : "the peer does not answer";
	case SYSCALL_KIND_IO:
		return str_glob(STR("write*|pwrite*"), name)
			       ? "The other side does not read: its pipe or socket buffer is full, "
				 "or the device hangs"
			       : "No data arrives: the other side of the pipe, socket or terminal "
				 "neither writes nor closes";
	case SYSCALL_KIND_DIRECTORY:
	case SYSCALL_KIND_LOOKUP:
	case SYSCALL_KIND_NAMES:
	case SYSCALL_KIND_OPEN:
	case SYSCALL_KIND_SIZES:
		return "This call normally returns at once. It hangs if a device or a file server "
		       "does not answer";
	default:
		return "The kernel has not answered yet. The kernel stack (/proc/PID/stack) shows "
		       "the reason";
	}
}

/*
 * Whether the first call of thread @t, named @name, is a wait that began before the trace. strace
 * then prints "restart_syscall" instead of the name of the call.
 */
static bool blocked_is_restarted(const struct syscall_thread *t, struct str name)
{
	return t->calls == 1 && str_eq(name, STR("restart_syscall"));
}

/*
 * Whether threads without work usually wait in the call @name of kind @kind, or the call is a
 * sleep, which ends on its own.
 */
static bool blocked_is_idle(enum syscall_kind kind, struct str name)
{
	return kind == SYSCALL_KIND_POLL || kind == SYSCALL_KIND_SIGNAL_WAIT ||
	       kind == SYSCALL_KIND_SLEEP || str_glob(STR("accept|accept4"), name);
}

/*
 * Does thread @t wait for events with a short timeout, as in "poll([...], 1, 500 <detached ...>"?
 * Then the thread continued after the end of the log.
 */
static bool blocked_is_limited(const struct rule_input *in, const struct syscall_thread *t)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[t->open]);
	struct str args = strings_get(capture_strings(in->capture),
				      c->args.len ? c->args.data[t->open] : STR_ID_NONE);
	uint64_t ms = 0;

	if (!str_glob(STR("poll|epoll_wait"), name))
		return false;
	args = str_ltrim(str_skip(args, str_rfind_char(args, ',') + 1));
	return str_u64(&args, &ms) && ms <= BLOCKED_LIMIT_MS &&
	       (args.len == 0 || args.p[0] == ' ' || args.p[0] == ')');
}

/*
 * Whether the arguments @args of the call @name contain data that the kernel returned. strace
 * prints such data only after the return of the call, so the call has returned.
 */
static bool blocked_has_result(struct str name, struct str args)
{
	static const struct {
		const char *names;
		const char *args;
	} results[] = {
		{ "readlink|read|pread64|recv|recvfrom", "*, \"*" },
		{ "readlinkat", "*, *, \"*" },
		{ "readv|preadv|recvmsg", "*{*" },
		{ "stat|lstat|fstat|newfstatat|fstatat64|statx|statfs|fstatfs", "*{*" },
	};

	for (size_t i = 0; i < ARRAY_LEN(results); i++) {
		if (str_glob(str_of(results[i].names), name) &&
		    str_glob(str_of(results[i].args), args))
			return true;
	}
	return false;
}

/*
 * Whether the thread did not block in its last call, although the log ends inside this call. Three
 * kinds of calls do not block: a call that never waits, a call that has returned (its result is
 * printed), and a call that ends the thread.
 */
static bool blocked_is_cut(const struct rule_input *in, const struct syscall_thread *t)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[t->open]);
	struct str args = strings_get(capture_strings(in->capture),
				      c->args.len ? c->args.data[t->open] : STR_ID_NONE);

	return !in->syscalls->is_library &&
	       (syscall_kind_waits(syscall_kind_of(name, false)) == SYSCALL_WAITS_NEVER ||
		str_glob(STR("exit|exit_group|_exit"), name) || blocked_has_result(name, args));
}

/* Does thread @t wait for random data from the kernel? */
static bool blocked_is_random(const struct rule_input *in, const struct syscall_thread *t,
			      struct str name)
{
	return str_eq(name, STR("getrandom")) ||
	       str_glob(STR("/dev/random|/dev/hwrng"),
			strings_get(capture_strings(in->capture), t->about));
}

/* The path of the descriptor, if the arguments do not contain it: "; on /dev/random". */
static const char *blocked_on(const struct rule_input *in, struct findings *out,
			      const struct syscall_thread *t, struct str args)
{
	struct str about = strings_get(capture_strings(in->capture), t->about);

	if (about.len == 0 || str_starts(about, STR("fd ")) || str_contains(args, about))
		return "";
	return finding_name(out, ", on %s", syscall_words_about(in, out, t->about));
}

static void blocked_finding(const struct rule_input *in, struct findings *out,
			    const struct syscall_thread *t, bool is_hang)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[t->open]);
	struct str args = strings_get(capture_strings(in->capture),
				      c->args.len ? c->args.data[t->open] : STR_ID_NONE);
	enum syscall_kind kind = syscall_kind_of_call(name, args, in->syscalls->is_library);
	bool is_restarted = blocked_is_restarted(t, name);
	bool is_random = blocked_is_random(in, t, name);
	bool is_rare = syscall_kind_waits(kind) == SYSCALL_WAITS_RARELY && !is_random;
	struct finding *f = finding_add(out, in, &rule_blocked_call,
					is_hang && !is_rare && !is_restarted &&
							(is_random || !blocked_is_idle(kind, name))
						? FINDING_WARNING
						: FINDING_NOTE,
					is_rare                    ? 50
					: is_hang && !is_restarted ? 90
								   : 75);

	finding_claim(out, f,
		      is_rare ? "%s does not return from " STR_FMT "(" STR_FMT "), or the log is "
				"cut here"
			      : "%s is blocked in " STR_FMT "(" STR_FMT ")%s: the log ends inside "
				"this call",
		      syscall_words_thread(in, out, t->lane), STR_ARG(name),
		      STR_ARG(str_sub(args, 0, 80)), blocked_on(in, out, t, args));
	finding_figure(f, "calls of the thread before", (double)(t->calls - 1), 0, "");
	finding_subject(f, c->sym.data[t->open], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line.data[t->open], STR_FMT "(" STR_FMT, STR_ARG(name),
			 STR_ARG(str_sub(args, 0, 80)));
	finding_usual_cause(
		out, f, "%s",
		is_random
			? "The thread waits for random data: the kernel, or the device behind "
			  "/dev/random, has not collected enough entropy: early after the start of "
			  "a machine, in a small guest, or with a kernel before 5.6"
		: is_restarted
			? "The thread sleeps, or waits with a timeout, since before the trace: "
			  "strace does not know the call"
			: blocked_cause(kind, name));
	finding_because(out, f,
			"the call began and did not return\n"
			"how long it lasted after the end of the log");
	if (is_random)
		finding_next(out, f,
			     "cat /proc/sys/kernel/random/entropy_avail; uname -r: then use "
			     "/dev/urandom or getrandom(), or add a source: virtio-rng, rngd");
	else
		finding_next(out, f,
			     "gdb -p PID -batch -ex 'thread apply all bt'; ls -l /proc/PID/fd: the "
			     "thread that should wake it, and the descriptor");
}

/* A wait on a futex, as parsed from the arguments of the call. */
struct blocked_futex {
	uint64_t address;
	uint32_t call;
	/*
	 * The futex is a held lock. Two kinds of calls show this: FUTEX_WAIT for the value 2
	 * (BLOCKED_CONTENDED) without a timeout, and FUTEX_LOCK_PI, for which the kernel knows the
	 * owner.
	 */
	bool is_lock;
	bool has_owner; /* FUTEX_LOCK_PI: the futex contains the owner's thread id */
};

/* Waits of several threads on the same address. */
struct blocked_group {
	const struct blocked_futex *waits;
	size_t n;
	bool is_lock; /* each thread waits for a held lock */
};

/*
 * Take the next argument from @args. The name of an argument, as perf trace prints it, is removed:
 * "2" for "val: 2".
 */
static struct str blocked_arg(struct str *args)
{
	size_t end = str_find_char(*args, ',');
	struct str arg = str_trim(str_sub(*args, 0, end));
	size_t name = str_find(arg, STR(": "));

	*args = str_skip(*args, end + 1);
	return name < arg.len ? str_skip(arg, name + 2) : arg;
}

/* Parse the arguments of a futex call into @ret. False: the call is no wait. */
static bool blocked_futex_parse(struct str args, struct blocked_futex *ret)
{
	struct str address = blocked_arg(&args);
	struct str op = blocked_arg(&args);
	struct str value = blocked_arg(&args);
	struct str timeout = blocked_arg(&args);
	uint64_t n = 0;

	if (!str_take(&address, STR("0x")) || !str_hex64(&address, &ret->address))
		return false;
	ret->has_owner = str_glob(STR("*LOCK_PI*"), op) && !str_glob(STR("*UNLOCK_PI*"), op);
	ret->is_lock = ret->has_owner ||
		       (str_glob(STR("FUTEX_WAIT|FUTEX_WAIT_PRIVATE|WAIT|WAIT?PRIVATE_FLAG"), op) &&
			str_u64(&value, &n) && value.len == 0 && n == BLOCKED_CONTENDED &&
			str_glob(STR("NULL*|0x0*|"), timeout));
	return ret->has_owner || str_glob(STR("*WAIT*"), op);
}

static int blocked_by_address(const void *a, const void *b)
{
	const struct blocked_futex *x = a;
	const struct blocked_futex *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

/*
 * Find the largest group of threads that wait on one address; if groups are equally large, prefer a
 * held lock. Sorts @waits.
 */
static struct blocked_group blocked_largest(struct blocked_futex *waits, size_t n)
{
	struct blocked_group best = { 0 };

	if (n)
		qsort(waits, n, sizeof(*waits), blocked_by_address);
	for (size_t i = 0; i < n;) {
		struct blocked_group g = { .waits = waits + i, .is_lock = true };

		while (i < n && waits[i].address == g.waits->address) {
			g.is_lock &= waits[i++].is_lock;
			g.n++;
		}
		if (g.n > best.n || (g.n == best.n && g.is_lock && !best.is_lock))
			best = g;
	}
	return best;
}

/*
 * Add a finding: the threads of @g wait for one held lock. @n: number of threads in the log;
 * @is_hang: no thread of the log continues.
 */
static void blocked_lock(const struct rule_input *in, struct findings *out,
			 const struct blocked_group *g, size_t n, bool is_hang)
{
	const struct calls *c = in->capture->calls;
	struct finding *f = finding_add(out, in, &rule_blocked_call,
					is_hang ? FINDING_WARNING : FINDING_NOTE, 90);

	finding_claim(out, f,
		      "%zu of %zu threads wait for one lock until the log ends: futex 0x%" PRIx64,
		      g->n, n, g->waits->address);
	finding_figure(f, "threads that wait for the lock", (double)g->n, 0, "");
	finding_subject(f, c->sym.data[g->waits->call], SUBJECT_EXPLAINED);
	for (size_t i = 0; i < g->n && i < BLOCKED_MOST; i++) {
		uint32_t call = g->waits[i].call;
		struct str args = strings_get(capture_strings(in->capture), c->args.data[call]);

		finding_evidence(out, f, in, c->line.data[call], "futex(" STR_FMT,
				 STR_ARG(str_sub(args, 0, 80)));
	}
	finding_usual_cause(out, f,
			    "A thread holds the mutex and never releases it: it is itself blocked "
			    "(deadlock), or it left a path without unlocking");
	if (g->waits->has_owner)
		finding_because(out, f, "the kernel lets FUTEX_LOCK_PI wait only for a held lock");
	else
		finding_because(out, f,
				"the address is the same, and the value 2 stands for a held lock "
				"with waiters in glibc, Go and Rust\n"
				"which thread holds it");
	finding_next(out, f,
		     "gdb -p PID -batch -ex 'thread apply all bt': in a frame of "
		     "pthread_mutex_lock, print mutex->__data.__owner: the thread that holds it, "
		     "and its stack");
}

/*
 * Add a finding: all @n threads stayed in one call during the whole trace. The log does not show
 * whether they are idle or hang.
 */
static void blocked_all(const struct rule_input *in, struct findings *out, size_t n,
			const struct blocked_group *g)
{
	const struct calls *c = in->capture->calls;
	struct finding *f = finding_add(out, in, &rule_blocked_call, FINDING_NOTE, 90);
	size_t cited = 0;

	finding_claim(out, f, "None of %zu threads returns from its call while it is traced", n);
	finding_figure(f, "threads", (double)n, 0, "");
	if (g->n >= BLOCKED_SAME)
		finding_figure(f,
			       finding_name(out, "threads that wait on futex 0x%" PRIx64,
					    g->waits->address),
			       (double)g->n, 0, "");
	VEC_FOREACH (t, &in->syscalls->threads) {
		struct str name;

		if (t->open == INDEX_NONE || cited == BLOCKED_MOST)
			continue;
		name = syscall_words_name(in, c->sym.data[t->open]);
		cited++;
		finding_subject(f, c->sym.data[t->open], SUBJECT_LISTED);
		finding_evidence(out, f, in, c->line.data[t->open], STR_FMT "(", STR_ARG(name));
	}
	finding_usual_cause(
		out, f,
		g->n >= BLOCKED_SAME
			? "The threads on one futex wait for one condition variable or lock: a "
			  "pool without work waits so, too. The calls began before the trace"
			: "The process has no work, or it hangs. The calls began before the trace");
	finding_because(out, f,
			"each thread has one call, which did not return\n"
			"whether the process has no work or hangs");
	finding_next(out, f,
		     "gdb -p PID -batch -ex 'thread apply all bt': where each thread waits");
}

/* Whether thread @t waits on a futex, and made no progress before. *@ret: this wait. */
static bool blocked_waits(const struct rule_input *in, const struct syscall_thread *t,
			  struct blocked_futex *ret)
{
	const struct calls *c = in->capture->calls;

	if (t->open == INDEX_NONE || t->calls > BLOCKED_FEW || c->args.len == 0 ||
	    !str_glob(STR("futex*"), syscall_words_name(in, c->sym.data[t->open])))
		return false;
	*ret = (struct blocked_futex){ .call = t->open };
	return blocked_futex_parse(strings_get(capture_strings(in->capture), c->args.data[t->open]),
				   ret);
}

/*
 * Find the largest group of threads that wait on one futex. @waits: a buffer with one element per
 * thread.
 */
static struct blocked_group blocked_group_of(const struct rule_input *in,
					     struct blocked_futex *waits)
{
	size_t n = 0;

	VEC_FOREACH (t, &in->syscalls->threads)
		n += blocked_waits(in, t, &waits[n]);
	return blocked_largest(waits, n);
}

/* Does the wait of thread @t belong to @g? */
static bool blocked_is_in(const struct rule_input *in, const struct blocked_group *g,
			  const struct syscall_thread *t)
{
	struct blocked_futex w;

	return blocked_waits(in, t, &w) && w.address == g->waits->address;
}

/* Judge the threads of a log of calls. @waits: a buffer with one element per thread. */
static void blocked_threads(const struct rule_input *in, struct findings *out,
			    struct blocked_futex *waits)
{
	const struct syscalls_summary *s = in->syscalls;
	struct blocked_group group = blocked_group_of(in, waits);
	bool is_lock = group.is_lock && group.n >= BLOCKED_SAME;
	size_t open = 0;
	size_t seen = 0;
	size_t limited = 0;
	size_t working = 0;
	size_t said = 0;

	VEC_FOREACH (t, &s->threads) {
		seen += t->calls > 0;
		open += t->open != INDEX_NONE;
	}
	if (is_lock)
		blocked_lock(in, out, &group, seen, open == seen);
	if (open > 1 && open == seen && s->calls == seen) {
		if (!is_lock)
			blocked_all(in, out, seen, &group);
		return;
	}
	VEC_FOREACH (t, &s->threads) {
		if (t->open == INDEX_NONE || (is_lock && blocked_is_in(in, &group, t)))
			continue;
		/*
		 * Other threads continue, and this thread made progress before the wait: the wait
		 * is ordinary.
		 */
		if (open < seen && t->calls > BLOCKED_FEW) {
			working++;
			continue;
		}
		if (blocked_is_limited(in, t) || blocked_is_cut(in, t)) {
			limited++;
			continue;
		}
		if (said++ == BLOCKED_MOST)
			break;
		blocked_finding(in, out, t, open == seen && t->calls <= BLOCKED_FEW);
	}
	if (!is_lock && open == limited + working)
		finding_clean(
			out, in, &rule_blocked_call, "%s",
			working ? "the threads that are in a call when the log ends worked before"
			: open  ? "the calls that are open when the log ends do not wait, or "
				  "have a time limit"
				: "no call is open when the log ends");
}

static void blocked_check(const struct rule_input *in, struct findings *out)
{
	struct blocked_futex *waits;

	if (!in->syscalls->is_log) {
		finding_not_assessed(out, in, &rule_blocked_call, "strace -f -p PID",
				     "a table does not show calls that do not return");
		return;
	}
	waits = xcalloc(in->syscalls->threads.len + 1, sizeof(*waits));
	blocked_threads(in, out, waits);
	free(waits);
}

static const char *const blocked_explains[] = { "system-calls", "long-calls", NULL };

const struct rule rule_blocked_call = {
	.id = "blocked-call",
	.title = "Blocked system call at the end of the log",
	.needs = RULE_SYSCALLS,
	.explains = blocked_explains,
	.check = blocked_check,
	.is_measured = true,
};
