/* SPDX-License-Identifier: MIT */
/*
 * Which kind of system call or library call a program makes most, or spends most time in.
 *
 * Thresholds, of calls or of their time: what a program is not about stays below a third.
 * A warning needs half, and a count that no start of a program reaches: the dynamic loader
 * makes some 200 calls. Calls that sleep are judged by their count alone where times are
 * wall-clock time, as an idle thread is in one of them. Without times, flushes and mounts count
 * more than other calls.
 */
#include "core/calls.h"
#include "core/capture.h"
#include "explain/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(system_calls);

#define CALLS_NOTE_PCT   25.0
#define CALLS_LEAD_PCT   50.0
#define CALLS_LEAD       1000u
#define CALLS_MIN        20u
#define CALLS_MIN_LOG    8u   /* for an excerpt */
#define CALLS_MIN_SLOW   3u   /* the same, of calls that take long */
#define CALLS_START      300u /* with execve among them, most belong to program start */
#define CALLS_MOST       3u   /* findings */
#define CALLS_NAMES      3u
#define CALLS_NO_TIME_NS 100e3
#define CALLS_IDLE_NS    1e6 /* average; a wait for a contended lock is mostly shorter */

struct calls_kind_text {
	const char *says; /* follows the names: "…: " */
	const char *cause;
	const char *next;
};

static const struct calls_kind_text calls_texts[SYSCALL_KINDS] = {
	[SYSCALL_KIND_LOOKUP] = { "paths are looked up",
				  "the program asks for the same files again, once for each item, "
				  "or tries each place of "
				  "a search path; every look-up walks the directories in the path. "
				  "Compare with the "
				  "number of files: several look-ups a file can be cached",
				  "strace -f -e trace=%file -o out COMMAND; assay out: which paths "
				  "repeat" },
	[SYSCALL_KIND_OPEN] = { "files are opened and closed",
				"files are opened and closed again for each operation instead of "
				"once, or a search "
				"path is tried; many closes without opens close every possible "
				"descriptor before exec",
				"strace -f -y -e trace=open,openat,close -o out COMMAND; assay "
				"out: which paths repeat" },
	[SYSCALL_KIND_DIRECTORY] = { "directories are read",
				     "large directories are listed, or the same ones again for "
				     "each item",
				     "strace -f -y -e trace=getdents64 -o out COMMAND; assay out: "
				     "which directories repeat" },
	[SYSCALL_KIND_IO] = { "reads and writes",
			      "I/O is done in small pieces, without a buffer: each record, line or "
			      "byte is a call of "
			      "its own. Bytes a call tell; larger buffers need fewer calls",
			      "strace -f -y -e trace=read,write -o out COMMAND; assay out: bytes a "
			      "call by file" },
	[SYSCALL_KIND_SEEK] = { "file positions are moved",
				"each access seeks first: pread and pwrite need no seek, and a "
				"seek discards the read-"
				"ahead of stdio",
				"strace -f -y -e trace=lseek,read -o out COMMAND; assay out: the "
				"sequence that repeats" },
	[SYSCALL_KIND_SYNC] = { "files are flushed to storage",
				"each record or file is flushed by itself, and each flush waits "
				"for the device: group "
				"several into one commit, or flush less often",
				"strace -f -y -T -e trace=fsync,fdatasync -o out COMMAND; assay "
				"out: which files" },
	[SYSCALL_KIND_MOUNT] = { "file systems are mounted, remounted or unmounted",
				 "each mount is a call of its own, or one file system is remounted "
				 "for each item: "
				 "the kernel takes locks for the whole namespace, and file systems "
				 "are flushed before they go",
				 "strace -f -T -e trace=mount,umount2 -o out COMMAND; assay out: "
				 "how "
				 "long each takes" },
	[SYSCALL_KIND_NAMES] = { "files and directories are created, renamed or removed",
				 "each operation makes files of its own; every change is a "
				 "transaction of the file system",
				 "strace -f -e trace=%file -o out COMMAND; assay out: which "
				 "paths" },
	[SYSCALL_KIND_FUTEX] = { "threads block on and wake each other through futexes",
				 "threads contend for a lock, or hand over work in small pieces "
				 "through a condition "
				 "variable: each contended lock or wake-up is a system call. "
				 "Failed calls (EAGAIN) are "
				 "races for the same lock; few calls with long waits are threads "
				 "that wait for work",
				 "perf lock contention -b -- COMMAND, or perf trace -e futex -g: "
				 "who waits for whom" },
	[SYSCALL_KIND_CLOCK] = { "the clock is read in the kernel",
				 "the time is asked for very often, and each reading enters the "
				 "kernel: CPU-time clocks "
				 "always do, others where the vDSO cannot be used (clock source "
				 "not tsc)",
				 "cat "
				 "/sys/devices/system/clocksource/clocksource0/"
				 "current_clocksource; cache the time" },
	[SYSCALL_KIND_MEMORY] = { "the memory map is changed",
				  "memory is taken from the kernel and given back again and again: "
				  "the allocator grows and "
				  "trims its heap, or large buffers are allocated for each "
				  "operation. Each call takes "
				  "mmap_lock, and new pages fault and are zeroed",
				  "perf trace -e brk,mmap,munmap,madvise -g -- COMMAND: who "
				  "allocates; reuse the buffers" },
	[SYSCALL_KIND_POLL] = { "events are polled for",
				"the event loop wakes up often for little: one event a round, "
				"timeouts that are short or "
				"zero, or a descriptor that is always ready. Compare with the "
				"number of reads and writes",
				"strace -f -T -e trace=poll,select,epoll_wait -o out COMMAND; "
				"assay out: what they return" },
	[SYSCALL_KIND_REGISTER] = { "descriptors are added to and removed from epoll",
				    "interest in a descriptor is switched on and off for each "
				    "event instead of staying "
				    "registered (edge-triggered, or one registration for its "
				    "lifetime)",
				    "strace -f -e trace=epoll_ctl,epoll_wait -o out COMMAND; assay "
				    "out: the sequence" },
	[SYSCALL_KIND_YIELD] = { "threads give up the CPU and come straight back",
				 "threads busy-wait for a lock or for another thread with "
				 "sched_yield instead of sleeping: "
				 "they spin, and use CPU time without doing work",
				 "perf trace -e sched_yield -g -- COMMAND: which loop spins; block "
				 "on a futex instead" },
	[SYSCALL_KIND_SLEEP] = { "threads sleep for a fixed time and look again",
				 "a loop polls with a delay instead of being woken: it is late by "
				 "up to one delay, and "
				 "wakes up for nothing",
				 "perf trace -e '*nanosleep' -g -- COMMAND: which loop sleeps; "
				 "wait for an event instead" },
	[SYSCALL_KIND_TIMER] = { "timers and event descriptors are set",
				 "a timer is armed again for each operation, or threads signal "
				 "each other through eventfd",
				 "strace -f -y -e trace=timerfd_settime,setitimer,timer_settime "
				 "COMMAND" },
	[SYSCALL_KIND_PROCESS] = { "processes or threads are started",
				   "a process or thread is started for each item: each copies page "
				   "tables, and each exec "
				   "loads and links the program anew. Keep workers, or do the work "
				   "in the process",
				   "strace -f -e trace=%process -o out COMMAND; assay out: which "
				   "programs" },
	[SYSCALL_KIND_WAIT] = { "the program waits for its child processes",
				"the work is done by children, one after the other: look at those",
				"strace -f -T -e trace=%process -o out COMMAND; assay out: which "
				"child takes long" },
	[SYSCALL_KIND_SIGNAL] = { "signal masks are changed, or signals handled",
				  "the mask is saved and set around each operation (as sigsetjmp, "
				  "thread creation and some "
				  "runtimes do), or signals arrive at a high rate, as from a "
				  "profiling timer",
				  "perf trace -e 'rt_sig*' -g -- COMMAND: who changes the mask" },
	[SYSCALL_KIND_NETWORK] = { "messages are sent and received one by one",
				   "each item is a message, maybe a round trip, of its own (as "
				   "with one query for each row): "
				   "send several at once, or pipeline them. Bytes a call tell",
				   "strace -f -y -T -e trace=%net -o out COMMAND; assay out: bytes "
				   "a call, time by peer" },
	[SYSCALL_KIND_SOCKET] = { "sockets are set up",
				  "a connection is opened for each request instead of being kept, "
				  "or options are set and "
				  "asked for each time",
				  "strace -f -e trace=%net -o out COMMAND; assay out: the sequence "
				  "that repeats" },
	[SYSCALL_KIND_DESCRIPTOR] = { "the state of descriptors is asked for",
				      "flags or sizes are asked for before each operation though "
				      "they do not change",
				      "strace -f -y -e trace=fcntl,fstat,dup -o out COMMAND; assay "
				      "out: the sequence" },
	[SYSCALL_KIND_DEVICE] = { "devices or terminals are controlled with ioctl",
				  "a driver is asked in many small requests, or each file is "
				  "tested for being a terminal "
				  "(TCGETS, ENOTTY)",
				  "strace -f -y -e trace=ioctl -o out COMMAND; assay out: which "
				  "request on which file" },
	[SYSCALL_KIND_IDENTITY] = { "the kernel is asked for what does not change",
				    "ids, limits or usage are asked for on each operation: keep "
				    "the answer",
				    "perf trace -e 'get*' -g -- COMMAND: who asks" },
	[SYSCALL_KIND_TRACE] = { "another process is inspected",
				 "a debugger or profiler stops the process and reads its memory in "
				 "small pieces",
				 "strace -f -T -e trace=ptrace,process_vm_readv COMMAND" },
	[SYSCALL_KIND_AIO] = { "asynchronous I/O is submitted",
			       "requests are submitted and reaped one by one: batches need fewer "
			       "calls",
			       "strace -f -T -e trace=io_submit,io_getevents,io_uring_enter "
			       "COMMAND" },
	[SYSCALL_KIND_FILE_LOCK] = { "files are locked",
				     "processes take turns through a file lock: it is held long, "
				     "or taken for each item",
				     "strace -f -y -T -e trace=flock,fcntl -o out COMMAND; cat "
				     "/proc/locks" },
	[SYSCALL_KIND_LIB_LOCK] = { "mutexes and condition variables are locked, unlocked and "
				    "signalled",
				    "synchronization at each small step: locking costs atomic "
				    "instructions even if only one "
				    "thread runs, and none of it is needed then. Calls of wait "
				    "tell whether another thread "
				    "is involved",
				    "ltrace -f -c -e 'pthread*' COMMAND with one thread and with "
				    "several; perf record -g" },
	[SYSCALL_KIND_LIB_ALLOC] = { "memory is allocated and freed",
				     "small objects are allocated for each step; reuse buffers, or "
				     "allocate in blocks",
				     "perf record -g -- COMMAND; assay perf.data: who allocates" },
	[SYSCALL_KIND_LIB_STRING] = { "strings are measured, compared or copied",
				      "strings are scanned again for each step: keep lengths, "
				      "compare less, or index them",
				      "perf record -g -- COMMAND; assay perf.data: who calls them, "
				      "and on what size" },
	[SYSCALL_KIND_LIB_FORMAT] = { "text is formatted or parsed",
				      "numbers and lines go through printf or scanf one by one; a "
				      "special routine is cheaper",
				      "perf record -g -- COMMAND; assay perf.data: who formats" },
	[SYSCALL_KIND_LIB_FILE] = { "files are read or written through the library",
				    "characters or lines are fetched one call each, with a lock "
				    "each: use the _unlocked "
				    "calls or larger pieces",
				    "perf record -g -- COMMAND; assay perf.data: who calls them" },
	[SYSCALL_KIND_LIB_LOCALE] = { "text is compared or converted by locale rules",
				      "collation and character conversion are slow compared with "
				      "bytes: LC_ALL=C where the order "
				      "need not be that of a language",
				      "LC_ALL=C COMMAND: compare the time" },
};

/*
 * Usual time of a call, relative to others, where times are unknown: a flush waits for the
 * device (milliseconds), a mount for locks and superblocks.
 */
static double calls_usual(enum syscall_kind kind)
{
	return kind == SYSCALL_KIND_SYNC ? 1000 : kind == SYSCALL_KIND_MOUNT ? 100 : 1;
}

/* Sum over the calls of one kind. */
struct calls_sum {
	enum syscall_kind kind;
	uint64_t calls, errors;
	double time_ns;
	double calls_pct, time_pct;
	double weight; /* share used for the decision, percent */
	size_t rows;
	bool is_idle; /* so long a call that threads rather wait for work in it */
};

static struct calls_sum calls_sum_of(const struct rule_input *in, enum syscall_kind kind)
{
	const struct syscalls_summary *s = in->syscalls;
	struct calls_sum sum = { .kind = kind };
	double awake = 0;
	double judged = 0; /* time that counts for the decision */
	double usual = 0;

	VEC_FOREACH (row, &s->rows) {
		double ns = row->time_ns > 0 ? row->time_ns : 0;
		bool is_awake = s->clock != SYSCALL_WALL_TIME ||
				!syscall_is_idle(syscall_words_name(in, row->sym), row->kind);

		awake += is_awake ? ns : 0;
		usual += (double)row->calls * calls_usual(row->kind);
		if (row->kind != kind)
			continue;
		sum.calls += row->calls;
		sum.errors += row->errors;
		sum.time_ns += ns;
		judged += is_awake ? ns : 0;
		sum.rows++;
	}
	sum.calls_pct = syscall_words_pct((double)sum.calls, (double)s->calls);
	sum.time_pct = syscall_words_pct(sum.time_ns, s->time_ns);
	sum.weight = sum.calls_pct;
	if (s->clock != SYSCALL_NO_TIME && awake >= CALLS_NO_TIME_NS &&
	    syscall_words_pct(judged, awake) > sum.weight)
		sum.weight = syscall_words_pct(judged, awake);
	if (s->clock == SYSCALL_NO_TIME && calls_usual(kind) > 1)
		sum.weight = syscall_words_pct((double)sum.calls * calls_usual(kind), usual);
	sum.is_idle = s->clock == SYSCALL_WALL_TIME && syscall_kind_sleeps(kind) &&
		      sum.time_ns >= CALLS_IDLE_NS * (double)sum.calls;
	return sum;
}

/* "lstat (69230 calls), access (12)". */
static const char *calls_names(const struct rule_input *in, struct findings *out, struct finding *f,
			       const struct calls_sum *sum)
{
	const char *names = "";
	size_t n = 0;

	VEC_FOREACH (row, &in->syscalls->rows) {
		struct str name = syscall_words_name(in, row->sym);

		if (row->kind != sum->kind || row->calls == 0)
			continue;
		finding_subject(f, row->sym, SUBJECT_EXPLAINED);
		if (n < CALLS_NAMES) {
			finding_evidence(out, f, in, row->line, STR_FMT " %llu calls",
					 STR_ARG(name), (unsigned long long)row->calls);
			names = finding_name(out, "%s%s" STR_FMT, names, n ? ", " : "",
					     STR_ARG(name));
		}
		n++;
	}
	return n > CALLS_NAMES ? finding_name(out, "%s and %zu more", names, n - CALLS_NAMES)
			       : names;
}

static void calls_figures(const struct rule_input *in, struct finding *f,
			  const struct calls_sum *sum)
{
	const struct syscalls_summary *s = in->syscalls;
	uint64_t io_calls = 0, io_bytes = 0;

	finding_figure(f, "share of calls", sum->calls_pct, 0, "%");
	finding_figure(f, "calls", (double)sum->calls, 0, "");
	if (s->clock) {
		finding_figure(f,
			       s->clock == SYSCALL_CPU_TIME ? "share of system CPU time"
							    : "share of time in calls",
			       sum->time_pct, 0, "%");
		finding_figure(f, "time a call", sum->time_ns / (double)sum->calls / 1e3, 0, "us");
	}
	if (sum->errors)
		finding_figure(f, "failed", (double)sum->errors, 0, "");
	VEC_FOREACH (row, &s->rows) {
		io_calls += row->kind == sum->kind ? row->io_calls : 0;
		io_bytes += row->kind == sum->kind ? row->io_bytes : 0;
	}
	if (io_calls)
		finding_figure(f, "bytes a call", (double)io_bytes / (double)io_calls, 0, "");
}

static void calls_finding(const struct rule_input *in, struct findings *out,
			  const struct calls_sum *sum)
{
	const struct syscalls_summary *s = in->syscalls;
	const struct calls_kind_text *text = &calls_texts[sum->kind];
	bool leads = sum->weight >= CALLS_LEAD_PCT && s->calls >= CALLS_LEAD && !sum->is_idle;
	struct finding *f =
		finding_add(out, in, &rule_system_calls, leads ? FINDING_WARNING : FINDING_NOTE,
			    sum->is_idle ? 50 : 75);
	const char *names = calls_names(in, out, f, sum);
	const char *says = sum->is_idle ? "threads wait there, maybe idle" : text->says;

	f->impact = sum->weight > 100 ? 100 : sum->weight;
	if (s->clock)
		finding_claim(
			out, f, "%.1f %% of %s (%llu of %llu) and %.1f %% of their %s are %s: %s",
			sum->calls_pct, syscall_words_what(in), (unsigned long long)sum->calls,
			(unsigned long long)s->calls, sum->time_pct,
			s->clock == SYSCALL_CPU_TIME ? "CPU time" : "time", names, says);
	else
		finding_claim(out, f, "%.1f %% of %s (%llu of %llu) are %s: %s", sum->calls_pct,
			      syscall_words_what(in), (unsigned long long)sum->calls,
			      (unsigned long long)s->calls, names, says);
	calls_figures(in, f, sum);
	finding_cause(out, f, "%s",
		      sum->is_idle ? "a call lasts 1 ms or more on average: idle threads wait for "
				     "work, a timer or a message. A table cannot tell them from "
				     "threads that wait for each other"
				   : text->cause);
	finding_because(
		out, f,
		s->clock == SYSCALL_CPU_TIME
			? "the counts are exact; times are CPU time, so waiting does not show; "
			  "the reason is not in a table"
		: s->clock == SYSCALL_NO_TIME && calls_usual(sum->kind) > 1
			? "the counts are exact; that such a call takes longer than others is "
			  "usual, and not in the log"
			: "the counts are exact; the reason is one of the usual ones");
	finding_next(out, f, "%s", text->next);
}

static void system_calls_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	bool done[SYSCALL_KINDS] = { false };
	uint64_t least = s->is_log ? CALLS_MIN_LOG : CALLS_MIN;
	bool is_start = s->calls < CALLS_START && syscalls_row(s, in->capture, "execve") &&
			syscalls_row(s, in->capture, "mprotect|brk|access");
	size_t found = 0;
	double most = 0;

	while (found < CALLS_MOST) {
		struct calls_sum best = { .weight = 0 };

		for (int k = 1; k < SYSCALL_KINDS; k++) {
			struct calls_sum sum = calls_sum_of(in, (enum syscall_kind)k);

			if (!done[k] && calls_texts[k].says && sum.weight > best.weight &&
			    sum.calls)
				best = sum;
		}
		most = found == 0 ? best.weight : most;
		if (found == 0 && s->is_log && calls_usual(best.kind) > 1)
			least = CALLS_MIN_SLOW;
		if (best.weight < CALLS_NOTE_PCT || s->calls < least || is_start)
			break;
		done[best.kind] = true;
		calls_finding(in, out, &best);
		found++;
	}
	if (found)
		return;
	if (is_start)
		finding_not_assessed(out, in, &rule_system_calls, "strace -f -c -w -p PID",
				     "most of %llu calls are the start of the program",
				     (unsigned long long)s->calls);
	else if (s->calls < least)
		finding_not_assessed(out, in, &rule_system_calls, "strace -f -c -w COMMAND",
				     "only %llu calls: their counts show nothing",
				     (unsigned long long)s->calls);
	else
		finding_clean(out, in, &rule_system_calls,
			      "no kind of call has a quarter of %llu calls or of their time; the "
			      "largest has %.1f %%",
			      (unsigned long long)s->calls, most);
}

const struct rule rule_system_calls = {
	.id = "system-calls",
	.title = "one kind of system call dominates",
	.needs = RULE_SYSCALLS,
	.check = system_calls_check,
};
