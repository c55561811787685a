/* SPDX-License-Identifier: MIT */
/*
 * System calls that took long, in logs with durations. The finding shows which event the program
 * waited for, and whether calls took most of its time.
 *
 * Thresholds: calls of one name with a tenth of the threads' time are a note, if one of them takes
 * 10 ms, which users notice in an answer. A warning needs 40 % and 100 ms in total. A thread that
 * waits for events or for other threads may have no work, so such waits are reported last.
 */
#include "base/number.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "explain/words/rand_words.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <errno.h>
#include <math.h>

DECLARE_RULE(long_calls);

#define LONG_NS       10e6
#define LONG_NOTE_PCT 10.0
#define LONG_LEAD_PCT 40.0
#define LONG_LEAD_NS  100e6
#define LONG_MOST     2u
/*
 * Calls that transfer at least this number of bytes per second mostly copy memory: pipes, disks and
 * networks are slower.
 */
#define LONG_BUSY_RATE 500e6
/*
 * A table of counts (strace -c) gives a finding if the mean duration of a call is at least this
 * (ns). A disk answers in some ms, the page cache in some µs.
 */
#define LONG_WORK_NS       5e6
#define LONG_WORK_PCT      1.0
#define LONG_WORK_LEAD_PCT 10.0
/*
 * minimum total time of a call in a table, ns, for a warning: a table does not show how long the
 * program ran
 */
#define LONG_WORK_LEAD_NS 1e9
#define LONG_NAMES        3u
/*
 * If the longest call has at least this part (0 to 1) of the time of all calls with the same name,
 * the finding is about this call.
 */
#define LONG_ONE_PART 0.8
/* with at least this many writes for each flush, records are not flushed one by one */
#define LONG_WRITES 100u
/* waits are named if the time of all calls is at least this many times the time without waits */
#define LONG_WAITS 1.5

/*
 * Do most calls of @row end by their timeout, without an event? An idle thread waits like this
 * between two searches for work. False if @row is not a wait for other threads.
 */
static bool long_is_timed(const struct rule_input *in, const struct syscall_row *row)
{
	uint64_t timeouts = 0;

	VEC_FOREACH (e, &in->syscalls->errors)
		timeouts += e->sym.v == row->sym.v && e->error == -ETIMEDOUT ? e->calls : 0;
	return row->kind == SYSCALL_KIND_FUTEX && timeouts * 2 >= row->calls;
}

static bool long_is_idle(enum syscall_kind kind, struct str name)
{
	return kind == SYSCALL_KIND_POLL || kind == SYSCALL_KIND_FUTEX ||
	       kind == SYSCALL_KIND_SIGNAL_WAIT ||
	       str_glob(STR("accept|accept4|restart_syscall|io_uring_enter|io_getevents|"
			    "io_pgetevents*|msgrcv|mq_*receive*"),
			name);
}

/* Bytes per second that the calls of @row transferred. They took some time. */
static double long_rate(const struct syscall_row *row)
{
	return (double)row->io_bytes / row->time_ns * 1e9;
}

/*
 * Do reads of pipes take most of the time of @row, in a log that also starts processes? Then the
 * reader probably waits for a child process, as in the shell's $(COMMAND).
 */
static bool long_is_pipe(const struct rule_input *in, const struct syscall_row *row)
{
	double ns = 0;

	if (row->kind != SYSCALL_KIND_IO ||
	    !syscalls_row(in->syscalls, in->capture, "clone|clone3|fork|vfork"))
		return false;
	VEC_FOREACH (o, &in->syscalls->objects) {
		if (o->sym.v == row->sym.v && o->time_ns > 0 &&
		    str_glob(STR("pipe of fd *|pipe:*"),
			     strings_get(capture_strings(in->capture), o->name)))
			ns += o->time_ns;
	}
	return ns * 2 > row->time_ns;
}

/*
 * Do the calls of @row wait for clients of a server? They do if most of the time is spent in reads
 * that return a request.
 */
static bool long_is_client(const struct rule_input *in, const struct syscall_row *row)
{
	double ns = 0;

	VEC_FOREACH (o, &in->syscalls->objects) {
		if (o->sym.v == row->sym.v && o->time_ns > 0 && o->requests * 2 > o->calls)
			ns += o->time_ns;
	}
	return ns * 2 > row->time_ns;
}

/*
 * Does the thread spend most of the time of @row waiting for events (a person at a terminal, a
 * timer, inotify)? Reads of standard input count too, because their source is unknown.
 */
static bool long_is_event(const struct rule_input *in, const struct syscall_row *row)
{
	double ns = 0;

	if (row->kind != SYSCALL_KIND_IO && row->kind != SYSCALL_KIND_NETWORK)
		return false;
	VEC_FOREACH (o, &in->syscalls->objects) {
		struct str about = strings_get(capture_strings(in->capture), o->name);

		if (o->sym.v == row->sym.v && o->time_ns > 0 &&
		    (syscall_words_is_events(about) ||
		     (str_eq(about, STR("fd 0")) &&
		      str_starts(syscall_words_name(in, row->sym), STR("read")))))
			ns += o->time_ns;
	}
	return ns * 2 > row->time_ns;
}

/* Does the thread run a virtual machine (ioctl KVM_RUN) for most of the time of @row? */
static bool long_is_guest(const struct rule_input *in, const struct syscall_row *row)
{
	const struct calls *c = in->capture->calls;
	double ns = 0;

	if (row->kind != SYSCALL_KIND_DEVICE || !c || !c->args.len)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->sym.data[i].v == row->sym.v && calls_is_timed(c, i) &&
		    str_contains(strings_get(capture_strings(in->capture), c->args.data[i]),
				 STR("KVM_RUN")))
			ns += (double)calls_duration(c, i);
	}
	return ns * 2 > row->time_ns;
}

/*
 * In the calls of @row, is the thread idle, or does it wait for another process, a client or a
 * guest?
 */
static bool long_is_other(const struct rule_input *in, const struct syscall_row *row)
{
	return long_is_idle(row->kind, syscall_words_name(in, row->sym)) || long_is_pipe(in, row) ||
	       long_is_client(in, row) || long_is_event(in, row) || long_is_guest(in, row);
}

/* Sum of the traced times of all threads, ns; or the time in all calls, if that is longer. */
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
	bool is_pipe = long_is_pipe(in, row);
	bool is_client = long_is_client(in, row);
	bool is_idle = long_is_other(in, row);
	bool is_busy = long_rate(row) >= LONG_BUSY_RATE;
	struct finding *f = finding_add(
		out, in, &rule_long_calls,
		pct >= LONG_LEAD_PCT && row->time_ns >= LONG_LEAD_NS && !is_idle && !is_busy &&
				row->kind != SYSCALL_KIND_WAIT && row->kind != SYSCALL_KIND_SLEEP
			? FINDING_WARNING
			: FINDING_NOTE,
		is_idle ? 60 : 75);

	f->impact = is_idle ? pct / 4 : pct;
	finding_claim(out, f,
		      "%.1f %% of the threads' time is in " STR_FMT ": %s in %llu call%s%s%s", pct,
		      STR_ARG(name), finding_duration(out, number_whole(row->time_ns)),
		      (unsigned long long)row->calls, row->calls == 1 ? "" : "s",
		      row->calls == 1 ? "" : ", the longest ",
		      row->calls == 1 ? "" : finding_duration(out, number_whole(row->max_ns)));
	finding_figure(f, "share of time", pct, 0, "%");
	finding_figure(f, "time", row->time_ns / 1e6, 0, "ms");
	finding_figure(f, "longest", row->max_ns / 1e6, 0, "ms");
	finding_figure(f, "calls", (double)row->calls, 0, "");
	finding_subject(f, row->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, row->max_line ? row->max_line : row->line, STR_FMT " %s",
			 STR_ARG(name), finding_duration(out, number_whole(row->max_ns)));
	if (is_busy) {
		finding_figure(f, "rate", long_rate(row) / 1e6, 0, "MB/s");
		finding_cause(out, f,
			      "The call moves data all the time, at %.0f MB/s: it works and hardly "
			      "waits",
			      long_rate(row) / 1e6);
	} else {
		finding_usual_cause(
			out, f, "%s",
			is_pipe ? "The thread waits for the process at the other end of a pipe, "
				  "mostly its own child: look at the child"
			: is_client
				? "The call waits for the next request of a client: the server is "
				  "idle until it comes"
			: long_is_event(in, row)
				? "No event came, and nobody typed: the thread is idle until then. "
				  "Standard input may also be a pipe, whose other end is slow"
			: long_is_guest(in, row)
				? "The virtual CPU runs its guest inside this call (KVM_RUN), or "
				  "waits there because the guest is idle"
			: long_is_timed(in, row)
				? "Waits with a timeout that end by it: no other thread woke this "
				  "one, as in an idle thread or a periodic timer"
				: syscall_words_cause(row->kind, name));
	}
	finding_because(out, f,
			"durations are measured\n"
			"whether the call waits or the kernel works");
	finding_next(out, f,
		     "perf trace -e " STR_FMT
		     " --duration 1 --call-graph dwarf COMMAND: the caller; cat "
		     "/proc/PID/stack during the call, as root: the kernel function",
		     STR_ARG(name));
}

/*
 * Does a call of this kind wait for a lower layer, such as a disk or file system? Then a long mean
 * duration means that this layer is slow.
 */
static bool long_is_work(enum syscall_kind kind)
{
	return kind == SYSCALL_KIND_SYNC || kind == SYSCALL_KIND_NAMES ||
	       kind == SYSCALL_KIND_SIZES || kind == SYSCALL_KIND_MEMORY ||
	       kind == SYSCALL_KIND_OPEN || kind == SYSCALL_KIND_LOOKUP ||
	       kind == SYSCALL_KIND_DIRECTORY || kind == SYSCALL_KIND_IO;
}

/* The names of the calls in which threads wait without work: "epoll_wait, futex". */
static const char *long_idle_names(const struct rule_input *in, struct findings *out)
{
	const char *names = "";
	size_t n = 0;

	VEC_FOREACH (row, &in->syscalls->rows) {
		struct str name = syscall_words_name(in, row->sym);

		if (syscall_is_idle(name, row->kind) && n < LONG_NAMES)
			names = finding_name(out, "%s%s" STR_FMT, names, n++ ? ", " : "",
					     STR_ARG(name));
	}
	return names;
}

/* Number of calls in the table that write data. */
static uint64_t long_writes(const struct rule_input *in)
{
	uint64_t n = 0;

	VEC_FOREACH (row, &in->syscalls->rows)
		n += str_glob(STR("write|writev|pwrite*"), syscall_words_name(in, row->sym))
			     ? row->calls
			     : 0;
	return n;
}

/*
 * The cause of the long calls of @row. If far more records are written than flushed, each flush is
 * slow, and not their number.
 */
static const char *long_table_cause(const struct rule_input *in, struct findings *out,
				    const struct syscall_row *row)
{
	uint64_t writes = long_writes(in);

	if (row->kind == SYSCALL_KIND_SYNC && writes >= LONG_WRITES * row->calls)
		return finding_name(out,
				    "The call waits until the device has stored the data: storage "
				    "is slow, or much data was written since the last call. "
				    "The table has %llu writes and %llu such call%s, so most "
				    "writes are not flushed one by one",
				    (unsigned long long)writes, (unsigned long long)row->calls,
				    row->calls == 1 ? "" : "s");
	return syscall_words_cause(row->kind, syscall_words_name(in, row->sym));
}

/*
 * The share of @row in the time of the calls of the table; and without the waits of threads, if
 * these have a part of the time that changes the share.
 */
static const char *long_share(const struct rule_input *in, struct findings *out,
			      const struct syscall_row *row, double busy)
{
	double pct = syscall_words_pct(row->time_ns, in->syscalls->time_ns);

	if (in->syscalls->time_ns < busy * LONG_WAITS)
		return finding_name(out, "%.1f %% of the time in calls", pct);
	return finding_name(out,
			    "%.1f %% of the time in calls without waits (%s), %.1f %% with them",
			    syscall_words_pct(row->time_ns, busy), long_idle_names(in, out), pct);
}

/*
 * Add a finding about @row of a table of counts. @busy: time in all calls, ns, except the waits of
 * idle threads.
 */
static void long_work_finding(const struct rule_input *in, struct findings *out,
			      const struct syscall_row *row, double busy)
{
	double mean = row->time_ns / (double)row->calls;
	double pct = syscall_words_pct(row->time_ns, busy);
	struct str name = syscall_words_name(in, row->sym);
	/* reads and writes of pipes or sockets may wait for data, so their time is less certain */
	bool may_wait = row->kind == SYSCALL_KIND_IO;
	/*
	 * One call has most of the time of this row, so the mean does not describe the other calls.
	 */
	bool is_one = row->calls > 1 && row->max_ns >= row->time_ns * LONG_ONE_PART;
	struct finding *f =
		finding_add(out, in, &rule_long_calls,
			    pct >= LONG_WORK_LEAD_PCT && row->time_ns >= LONG_WORK_LEAD_NS &&
					    !may_wait && !is_one
				    ? FINDING_WARNING
				    : FINDING_NOTE,
			    may_wait ? 50 : 75);

	f->impact = pct;
	if (is_one)
		finding_claim(out, f, "One of %llu calls of " STR_FMT " takes %s of %s",
			      (unsigned long long)row->calls, STR_ARG(name),
			      finding_duration(out, number_whole(row->max_ns)),
			      finding_duration(out, number_whole(row->time_ns)));
	else
		finding_claim(out, f, STR_FMT " takes %s a call: %llu call%s, %s, %s",
			      STR_ARG(name), finding_duration(out, number_whole(mean)),
			      (unsigned long long)row->calls, row->calls == 1 ? "" : "s",
			      finding_duration(out, number_whole(row->time_ns)),
			      long_share(in, out, row, busy));
	finding_figure(f, "time per call", mean / 1e6, 0, "ms");
	finding_figure(f, "calls", (double)row->calls, 0, "");
	finding_figure(f, "time", row->time_ns / 1e6, 0, "ms");
	if (row->max_ns > 0)
		finding_figure(f, "longest", row->max_ns / 1e6, 0, "ms");
	finding_figure(f, "share of time except waits", pct, 0, "%");
	finding_subject(f, row->sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, row->line, STR_FMT " %llu calls", STR_ARG(name),
			 (unsigned long long)row->calls);
	finding_usual_cause(out, f, "%s", long_table_cause(in, out, row));
	finding_because(out, f, "times are wall-clock%s\n%s",
			capture_note_of(in->capture, STR(METRICS_NOTE_WALL)).len
				? ", as long waits in them show; no line says so"
				: "",
			row->max_ns > 0 ? "whether the calls wait or the kernel works"
					: "how long the longest call takes");
	finding_next(out, f, "strace -f -y -T -e trace=" STR_FMT " -p PID: which file, how long",
		     STR_ARG(name));
}

/* Time of all calls of this kind, ns. */
static double long_kind_ns(const struct rule_input *in, enum syscall_kind kind)
{
	double ns = 0;

	VEC_FOREACH (row, &in->syscalls->rows)
		ns += row->kind == kind ? syscalls_row_ns(row) : 0;
	return ns;
}

/*
 * Judge the calls in which idle threads wait; in most tables they have most of the time. A finding
 * is added only if parents wait for their children, or threads wait for a lock. Other waits are
 * normal: then a "clean" result states their share.
 */
static void long_idle(const struct rule_input *in, struct findings *out, double idle_ns)
{
	const struct syscalls_summary *s = in->syscalls;
	bool is_children = long_kind_ns(in, SYSCALL_KIND_WAIT) > idle_ns / 2;
	enum syscall_kind kind = is_children ? SYSCALL_KIND_WAIT : SYSCALL_KIND_FUTEX;
	double ns = long_kind_ns(in, kind);
	double pct = syscall_words_pct(ns, s->time_ns);
	const char *names = "";
	struct finding *f;
	size_t n = 0;

	if (!is_children && !(ns > idle_ns / 2 && rand_words_is_in_input(in))) {
		finding_clean(out, in, &rule_long_calls,
			      "%.1f %% of the calls' time is waits, perhaps idle ones: %s. A table "
			      "does not show whether a request was open",
			      syscall_words_pct(idle_ns, s->time_ns), long_idle_names(in, out));
		return;
	}
	f = finding_add(out, in, &rule_long_calls, FINDING_NOTE, 50);
	VEC_FOREACH (row, &s->rows) {
		struct str name = syscall_words_name(in, row->sym);

		if (row->kind != kind || n >= LONG_NAMES)
			continue;
		names = finding_name(out, "%s%s" STR_FMT, names, n++ ? ", " : "", STR_ARG(name));
		finding_subject(f, row->sym, SUBJECT_EXPLAINED);
		finding_evidence(out, f, in, row->line, STR_FMT " %llu calls", STR_ARG(name),
				 (unsigned long long)row->calls);
	}
	f->impact = 1;
	finding_claim(out, f, "%.1f %% of the calls' time is in %s: %s", pct, names,
		      is_children ? "parents that wait for their child processes"
				  : "threads that wait for a lock, by the profile");
	finding_figure(f, "share of time", pct, 0, "%");
	finding_figure(f, "time", ns / 1e6, 0, "ms");
	finding_usual_cause(
		out, f, "%s",
		is_children ? "The children use this time, or wait themselves: look at them"
			    : "The profile shows several threads in rand() of the C library, "
			      "which takes one lock for all");
	finding_because(out, f,
			"the counts and times are exact\n"
			"whether the threads are idle or wait for each other");
	finding_next(out, f, "strace -f -T -tt -p PID: which thread waits while a request is open");
}

/*
 * Time, ns, that the program "sleep" slept. Tables of its threads have titles such as "sleep
 * (722)".
 */
static double long_sleep_program(const struct rule_input *in)
{
	const struct metrics *m = in->capture->metrics;
	double ns = 0;

	for (size_t i = 0; m && i < m->n_rows; i++) {
		if (str_starts(syscall_words_row_thread(in, i), STR("sleep (")) &&
		    str_glob(STR("*nanosleep"), syscall_words_name(in, m->names.data[i])) &&
		    metrics_value(m, i, 2) > 0)
			ns += metrics_value(m, i, 2);
	}
	return ns;
}

/*
 * Is most of @idle_ns the sleep of the traced command, as in "perf trace -s sleep 1"? Such a
 * command only sets how long the measurement takes.
 */
static bool long_is_sleep(const struct rule_input *in, double idle_ns)
{
	struct str command = strings_get(capture_strings(in->capture), in->capture->command);
	size_t at = str_find(command, STR("sleep "));
	double ns = 0;

	if (long_sleep_program(in) > idle_ns / 2)
		return true;
	if (at + strlen("sleep ") >= command.len || (at && command.p[at - 1] != ' ') ||
	    !char_is_digit(command.p[at + strlen("sleep ")]))
		return false;
	VEC_FOREACH (row, &in->syscalls->rows)
		ns += row->kind == SYSCALL_KIND_SLEEP ? syscalls_row_ns(row) : 0;
	return ns > idle_ns / 2;
}

/* Judge a table of counts (strace -c), which has no durations of single calls. */
static void long_check_table(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	double idle = 0, busy;
	size_t n = 0;

	VEC_FOREACH (row, &s->rows)
		idle += syscall_is_idle(syscall_words_name(in, row->sym), row->kind)
				? syscalls_row_ns(row)
				: 0;
	busy = s->time_ns - idle;
	VEC_FOREACH (row, &s->rows) {
		if (n == LONG_MOST || !long_is_work(row->kind) || row->calls == 0 ||
		    !(row->time_ns >= LONG_WORK_NS * (double)row->calls) ||
		    row->time_ns < LONG_NS || syscall_words_pct(row->time_ns, busy) < LONG_WORK_PCT)
			continue;
		long_work_finding(in, out, row, busy);
		n++;
	}
	if (syscall_words_pct(idle, s->time_ns) >= LONG_LEAD_PCT && long_is_sleep(in, idle))
		finding_clean(out, in, &rule_long_calls,
			      "%.1f %% of the calls' time is the sleep of the traced command",
			      syscall_words_pct(idle, s->time_ns));
	else if (syscall_words_pct(idle, s->time_ns) >= LONG_LEAD_PCT)
		long_idle(in, out, idle);
	else if (n == 0)
		finding_clean(out, in, &rule_long_calls,
			      "no working call takes 5 ms on average with 1 %% of the time");
}

static void long_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	double span;
	size_t n = 0;

	if (s->is_library)
		return;
	if (s->clock != SYSCALL_WALL_TIME) {
		finding_not_assessed(out, in, &rule_long_calls, "strace -f -tt -T -o out COMMAND",
				     "no wall-clock durations: the time inside calls is unknown");
		return;
	}
	if (!s->is_log) {
		long_check_table(in, out);
		return;
	}
	span = long_span(s);
	for (unsigned int idle = 0; idle < 2; idle++) {
		VEC_FOREACH (row, &s->rows) {
			if (n == LONG_MOST || long_is_other(in, row) != (idle == 1) ||
			    !(row->max_ns >= LONG_NS ||
			      (isnan(row->max_ns) && row->time_ns >= LONG_NS * 10)) ||
			    syscall_words_pct(row->time_ns, span) < LONG_NOTE_PCT)
				continue;
			long_finding(in, out, row, span);
			n++;
		}
	}
	if (n == 0)
		finding_clean(out, in, &rule_long_calls,
			      "calls take %.1f %% of the threads' time; no call with a tenth of it "
			      "lasts 10 ms",
			      syscall_words_pct(s->time_ns, span));
}

static const char *const long_explains[] = { "system-calls", NULL };

const struct rule rule_long_calls = {
	.id = "long-calls",
	.title = "Slow system calls",
	.needs = RULE_SYSCALLS,
	.explains = long_explains,
	.check = long_check,
};
