/* SPDX-License-Identifier: MIT */
/*
 * The kind of system call or library call that a program makes most often, or in which it spends
 * most time.
 *
 * Thresholds: a kind with a quarter of the calls, or of their time, is a note: a kind that is not
 * the program's purpose has less. A warning needs half, and more calls than the start of
 * a program makes: the dynamic loader makes some 200. Idle threads spend their time in sleeping
 * calls. So if wall-clock times are printed, sleeping calls are judged only by their number. If no
 * times are printed, calls that flush or mount have a larger weight.
 *
 * Shares of a table rank the kinds, but do not show waste: in any program, the most frequent call
 * has a large share. So a warning from a table also needs a considerable time, or many failed
 * calls.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/number.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "explain/words/rand_words.h"
#include "explain/words/syscall_words.h"

#include "analyses/syscalls/syscalls.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(system_calls);

#define CALLS_NOTE_PCT 25.0
#define CALLS_LEAD_PCT 50.0
#define CALLS_LEAD     1000u
#define CALLS_MIN      20u
#define CALLS_MIN_LOG  8u /* minimum number of calls in a log */
/* minimum number of calls in a log whose most frequent kind is slow (flush, mount) */
#define CALLS_MIN_SLOW 3u
/*
 * in a log with fewer calls than this, the lower bound of the share's interval must also reach the
 * threshold
 */
#define CALLS_FEW 300u
/* a log with execve and fewer calls than this shows mostly the start of a program */
#define CALLS_START 300u
#define CALLS_MOST  3u /* maximum number of findings */
#define CALLS_NAMES 3u
/*
 * a call is named if it makes at least 1/100 of the calls of its kind, or takes 1/100 of their time
 */
#define CALLS_PART       100.0
#define CALLS_NO_TIME_NS 100e3
/*
 * Minimum time for a warning, ns, if the share of the time is larger than the share of the calls.
 * Users do not notice a shorter time.
 */
#define CALLS_LEAD_NS 20e6
/*
 * Limits for a table. A kind of call is expensive if its calls take CALLS_COST_NS in total, or
 * CALLS_COST_EACH_NS on average. (A call without a device or a wait takes some microseconds.)
 */
#define CALLS_COST_NS      500e6
#define CALLS_COST_EACH_NS 100e3
/* calls of a table are wasted work if at least a quarter of them failed */
#define CALLS_WASTE_FAILED 4u
/* if fewer than 1 in 20 calls failed, the program does not try the directories of a search path */
#define CALLS_SEARCH_FAILED 20u
/*
 * Sleeping calls count as waits of idle threads if they take at least this on average, ns. (A wait
 * for a contended lock is mostly shorter.)
 */
#define CALLS_IDLE_NS 1e6

/*
 * An event loop makes about one read and one write per event. If it makes at most this number of
 * reads or writes per wait, each call transfers a whole request.
 */
#define CALLS_PER_EVENT 1.5
/*
 * Reads and writes are cheap if they take less than this percentage of the time of all calls. Waits
 * of idle threads are not counted.
 */
#define CALLS_IO_PCT 10.0
/*
 * Calls are cheap if they take less than this percentage of the time of all calls, and are rarer
 * than CALLS_LITTLE_RATE.
 */
#define CALLS_LITTLE_PCT 1.0
/* maximum number of cheap calls for each second that the program spends in all calls */
#define CALLS_LITTLE_RATE 100.0
/*
 * A program returns memory if it makes at least one munmap call (or similar) for this number of
 * mmap calls.
 */
#define CALLS_RETURNED 4u
/*
 * In a table of CPU times, calls are cheap if they take less than CALLS_LITTLE_PCT of the time, and
 * less than this (ns) in total.
 */
#define CALLS_LITTLE_NS  1e6
#define CALLS_SURE_VAGUE 50u
/* reads and writes of at least this size, in bytes (a page), are not small */
#define CALLS_IO_BYTES 4096u
/*
 * Reads and writes of a table are served from memory if they take at most this on average, ns: the
 * kernel needs more CPU time to start a request to a device, and the device more time to answer. If
 * they take CALLS_COST_NS in total, their number is the cost.
 */
#define CALLS_SHORT_NS 3e3
/*
 * a program that uses fewer CPUs than this on average mostly waits; cpu-underused.rule has the same
 * limit
 */
#define CALLS_WAITS_CPUS 0.25

struct calls_kind_text {
	const char *says; /* the kind of work, as printed in the claim: "path lookups" */
	const char *cause;
	const char *next;
};

static const struct calls_kind_text calls_texts[SYSCALL_KINDS] = {
	[SYSCALL_KIND_LOOKUP] = { "path lookups",
				  "Each file is looked up once, the same files again for each "
				  "item, or each place of a search path is tried: the paths tell. "
				  "Every lookup walks the directories in the path",
				  "strace -f -e trace=%file -o out COMMAND; assay out: which paths "
				  "repeat" },
	[SYSCALL_KIND_OPEN] = { "opening and closing files",
				"Many files are opened once, the same ones again for each "
				"operation, or a search path is tried: the paths tell. Many closes "
				"without opens close every possible descriptor before exec",
				"strace -f -y -e trace=open,openat,close -o out COMMAND; assay "
				"out: which paths repeat" },
	[SYSCALL_KIND_DIRECTORY] = { "reading directories",
				     "large directories are listed, or the same ones again for "
				     "each item",
				     "strace -f -y -e trace=getdents64 -o out COMMAND; assay out: "
				     "which directories repeat" },
	[SYSCALL_KIND_IO] = { "reads and writes",
			      "I/O in small pieces, without a buffer: each record, line or byte is "
			      "one call. Bytes per call show this; larger buffers need fewer calls",
			      "strace -f -y -e trace=read,write,readv,writev,pread64,pwrite64 -o "
			      "out "
			      "COMMAND; assay out: bytes a call by file" },
	[SYSCALL_KIND_SEEK] = { "file seeks",
				"Each access seeks first. pread and pwrite need no seek, and a "
				"seek discards the read-ahead of stdio",
				"strace -f -y -e trace=lseek,read -o out COMMAND; assay out: the "
				"sequence that repeats" },
	[SYSCALL_KIND_SYNC] = { "flushing files to storage",
				"Each record or file is flushed separately, and each flush waits "
				"for the device. Group several into one commit, or flush less "
				"often",
				"strace -f -y -T -e trace=fsync,fdatasync -o out COMMAND; assay "
				"out: which files" },
	[SYSCALL_KIND_MOUNT] = { "file systems are mounted, remounted or unmounted",
				 "each mount is a call of its own, or one file system is remounted "
				 "for each item. The kernel locks the whole namespace, and flushes "
				 "a "
				 "file system before it unmounts it",
				 "strace -f -T -e trace=mount,umount2 -o out COMMAND; assay out: "
				 "how "
				 "long each takes" },
	[SYSCALL_KIND_NAMES] = { "creating, renaming or removing files and directories",
				 "Each operation creates its own files. Every change is a "
				 "transaction of the file system",
				 "strace -f -e trace=%file -o out COMMAND; assay out: which "
				 "paths" },
	[SYSCALL_KIND_SIZES] = { "changing sizes of files (reserving space or cutting)",
				 "Each write reserves its own space, or a file is cut and grown "
				 "again. Every change is a transaction of the file system. Reserve "
				 "larger pieces",
				 "strace -f -y -T -e trace=fallocate,ftruncate,truncate -o out "
				 "COMMAND; assay out: which files, how much each time" },
	[SYSCALL_KIND_FUTEX] = { "threads that block on and wake each other through futexes",
				 "Threads contend for a lock (lock contention), or hand over work "
				 "in small pieces through a condition variable. Each contended "
				 "lock or wake-up is a system call. Failed calls (EAGAIN) are "
				 "races for the same lock. Few calls with long waits are threads "
				 "that wait for work",
				 "perf record -g -e syscalls:sys_enter_futex COMMAND: which lock, "
				 "who waits" },
	[SYSCALL_KIND_CLOCK] = { "reading the clock in the kernel",
				 "The program reads the time very often, and each read enters the "
				 "kernel. CPU-time clocks always do, others where the vDSO cannot "
				 "be used (clock source not tsc)",
				 "cat "
				 "/sys/devices/system/clocksource/clocksource0/"
				 "current_clocksource: tsc is fast; cache the time" },
	[SYSCALL_KIND_MEMORY] = { "changing the memory map",
				  "Memory is taken from the kernel and returned again and again: "
				  "the allocator grows and trims its heap, or large buffers are "
				  "allocated per operation. Each call takes mmap_lock, and new "
				  "pages fault and are zeroed",
				  "perf trace -e brk,mmap,munmap,madvise --call-graph fp -- "
				  "COMMAND: who "
				  "allocates; then reuse the buffers" },
	[SYSCALL_KIND_POLL] = { "polling for events",
				"The event loop wakes often for little work: one event per round, "
				"short or zero timeouts, or a descriptor that is always ready. "
				"Compare with the number of reads and writes",
				"strace -f -T -e 'trace=/poll|select' -o out COMMAND; "
				"assay out: what they return" },
	[SYSCALL_KIND_REGISTER] = { "adding descriptors to epoll and removing them",
				    "Interest in a descriptor is switched on and off for each "
				    "event. Keep it registered (edge-triggered, or once for its "
				    "lifetime)",
				    "strace -f -e trace=epoll_ctl,epoll_wait -o out COMMAND; assay "
				    "out: the sequence" },
	[SYSCALL_KIND_YIELD] = { "threads that give up the CPU",
				 "Threads busy-wait for a lock or another thread with sched_yield "
				 "instead of sleeping. They spin and use CPU time without doing "
				 "work",
				 "perf trace -e sched_yield --call-graph fp -- COMMAND: which loop "
				 "spins; block "
				 "on a futex instead" },
	[SYSCALL_KIND_SLEEP] = { "sleeping for a fixed time",
				 "A loop polls with a delay instead of waiting for a wake-up. It "
				 "reacts late by up to one delay, and wakes for nothing",
				 "perf trace -e '*nanosleep' --call-graph fp -- COMMAND: which "
				 "loop sleeps; "
				 "wait for an event instead" },
	[SYSCALL_KIND_TIMER] = { "setting timers and event descriptors",
				 "Each operation arms a timer again, or threads signal each other "
				 "through eventfd",
				 "strace -f -y -e trace=timerfd_settime,setitimer,timer_settime "
				 "COMMAND" },
	[SYSCALL_KIND_PROCESS] = { "starting processes or threads",
				   "Each item starts a process or thread. Each start copies page "
				   "tables, and each exec loads and links the program anew. Keep "
				   "workers, or do the work in the process",
				   "strace -f -e trace=%process -o out COMMAND; assay out: which "
				   "programs" },
	[SYSCALL_KIND_WAIT] = { "waiting for child processes",
				"Child processes do the work, one after another: look at the "
				"children",
				"strace -f -T -e trace=%process -o out COMMAND; assay out: which "
				"child takes long" },
	[SYSCALL_KIND_SIGNAL] = { "changing signal masks or handling signals",
				  "The mask is saved and set around each operation (as sigsetjmp, "
				  "thread creation and some runtimes do). Or signals arrive at a "
				  "high rate, as from a profiling timer",
				  "perf trace -e 'rt_sig*' --call-graph fp -- COMMAND: who changes "
				  "the mask" },
	[SYSCALL_KIND_NETWORK] = { "messages one by one",
				   "The program probably sends each small item as a message of its "
				   "own, perhaps with one round trip each (one query per row). "
				   "Several items per message need fewer calls",
				   "strace -f -y -T -e trace=%net -o out COMMAND; assay out: bytes "
				   "a call, time by peer" },
	[SYSCALL_KIND_SOCKET] = { "setting up sockets",
				  "Each request opens a connection, or sets and reads options each "
				  "time",
				  "strace -f -e trace=%net -o out COMMAND; assay out: the sequence "
				  "that repeats" },
	[SYSCALL_KIND_DESCRIPTOR] = { "querying the state of descriptors",
				      "Each operation queries flags or sizes although they do not "
				      "change",
				      "strace -f -y -e trace=fcntl,fstat,dup -o out COMMAND; assay "
				      "out: the sequence" },
	[SYSCALL_KIND_DEVICE] = { "requests to drivers or devices",
				  "The program sends many small requests to a driver, or tests "
				  "each file for being a terminal (TCGETS, ENOTTY)",
				  "strace -f -y -e trace=ioctl -o out COMMAND; assay out: which "
				  "request on which file" },
	[SYSCALL_KIND_IDENTITY] = { "querying values that do not change",
				    "Each operation queries ids, limits or usage: cache the answer",
				    "perf trace -e 'get*' --call-graph fp -- COMMAND: who asks" },
	[SYSCALL_KIND_SETTING] = { "changing or reading settings of the process",
				   "Each operation sets a name, ids, a mask or a priority again",
				   "strace -f -e trace=prctl,umask,%creds -o out COMMAND; assay "
				   "out: which settings, and which change" },
	[SYSCALL_KIND_TRACE] = { "inspecting another process",
				 "A debugger or profiler stops the process and reads its memory in "
				 "small pieces",
				 "strace -f -T -e trace=ptrace,process_vm_readv COMMAND" },
	[SYSCALL_KIND_AIO] = { "submitting asynchronous I/O",
			       "Requests are submitted and reaped one by one: batches need fewer "
			       "calls",
			       "strace -f -T -e trace=io_submit,io_getevents,io_uring_enter "
			       "COMMAND" },
	[SYSCALL_KIND_FILE_LOCK] = { "locking files",
				     "Processes take turns through a file lock: one holds it long, "
				     "or takes it for each item",
				     "strace -f -y -T -e trace=flock,fcntl -o out COMMAND; cat "
				     "/proc/locks" },
	[SYSCALL_KIND_LIB_LOCK] = { "locking, unlocking and signalling mutexes and condition "
				    "variables",
				    "Synchronization at each small step. Locking costs atomic "
				    "instructions even with a single thread, where none is needed. "
				    "Wait calls show whether another thread is involved",
				    "ltrace -f -c -e 'pthread*' COMMAND with one thread and with "
				    "several; perf record -g" },
	[SYSCALL_KIND_LIB_ALLOC] = { "allocating and freeing memory",
				     "Each step allocates small objects: reuse buffers, or "
				     "allocate in blocks",
				     "perf record -g -- COMMAND; assay perf.data: who allocates" },
	[SYSCALL_KIND_LIB_STRING] = { "measuring, comparing or copying strings",
				      "Each step scans strings again: keep lengths, compare less, "
				      "or index",
				      "perf record -g -- COMMAND; assay perf.data: who calls them, "
				      "and on what size" },
	[SYSCALL_KIND_LIB_FORMAT] = { "formatting or parsing text",
				      "Numbers and lines go through printf or scanf one by one; a "
				      "special routine is cheaper",
				      "perf record -g -- COMMAND; assay perf.data: who formats" },
	[SYSCALL_KIND_LIB_FILE] = { "reading or writing files through the library",
				    "Each call fetches one character or line, with a lock each "
				    "time: use the _unlocked calls or larger pieces",
				    "perf record -g -- COMMAND; assay perf.data: who calls them" },
	[SYSCALL_KIND_LIB_LOCALE] = { "comparing or converting text by locale rules",
				      "Collation and character conversion are slow compared with "
				      "bytes: use LC_ALL=C where language order is not needed",
				      "LC_ALL=C COMMAND: compare the time" },
};

/*
 * Estimated time of a call of @kind, in units of an ordinary call. It is used if no times are
 * printed. A flush waits for the device (milliseconds), a mount for locks and superblocks.
 */
static double calls_usual(enum syscall_kind kind)
{
	return kind == SYSCALL_KIND_SYNC ? 1000 : kind == SYSCALL_KIND_MOUNT ? 100 : 1;
}

#define CALLS_MANY                                                                         \
	"The number of calls is the cost. Calls this short move data within memory (page " \
	"cache, pipe, socket), so a faster device does not help. "
#define CALLS_MANY_SMALL CALLS_MANY "Pieces are small, or the same data is read again and again"
#define CALLS_MANY_AT                                                                         \
	CALLS_MANY "Databases read at given positions: the same blocks again and again, for " \
		   "scans without an index, or because their own cache is small"

/* maximum number of rows of tables in which the calls of one table are separated from the next */
#define CALLS_ROWS 1024u
/* causes to print for tables of counts (strace -c), which show neither sizes nor addresses */
#define CALLS_SIZES_UNKNOWN                                                             \
	"Small pieces without a buffer, or whole blocks and messages: the table shows " \
	"no sizes"
#define CALLS_EVENT_EACH                                                                   \
	"Each wait ends with a read or message: one event per round, as servers with few " \
	"open requests have"
/*
 * a loop with at most this number of waits per read or message probably handles one event per wait
 */
#define CALLS_WORK_PER_POLL 2u
#define CALLS_NOT_RETURNED                                                                 \
	"Memory and files are mapped, and hardly anything is returned: libraries, stacks " \
	"of threads, or a heap that grows"

#define CALLS_TREE_WALKED \
	"A tree is walked: many directories are listed, with at most four calls each"
/* a program walks a tree if it lists at least this number of directories */
#define CALLS_TREE 20u
/*
 * maximum number of calls per directory in a tree walk: a small directory needs two, and some paths
 * occur twice
 */
#define CALLS_PER_DIRECTORY 4u

/* Causes to print if nearly all calls succeed, so that no search path is tried. */
#define CALLS_LISTED                                                                          \
	"Directories are read and their files looked up, once each or repeatedly: the paths " \
	"tell. Every lookup walks the directories in the path"
#define CALLS_LOOKED_UP                                                                        \
	"Each file is looked up once, or the same files again for each item: the paths tell. " \
	"Every lookup walks the directories in the path"
#define CALLS_OPENED \
	"Many files are opened once, or the same ones again for each operation: the paths tell"
/* calls that return a new descriptor */
#define CALLS_OPENING \
	"open*|creat|socket|accept*|pipe*|dup*|epoll_create*|eventfd*|timerfd_create|memfd_*"
/*
 * with more closes per new descriptor than this, the program closes descriptors that are not open
 */
#define CALLS_CLOSED 2u

/* reads and writes wait for data if they take at least this on average, ns */
#define CALLS_IO_WAIT_NS 100e3
#define CALLS_WAIT_FOR_DATA                                                               \
	"The calls take long, and are not many: they wait for data (a pipe, a socket, a " \
	"terminal, a timer, a slow device), so their size is not the problem"
#define CALLS_LONG_REQUESTS                                                                  \
	"The calls take 1 ms or more on average: they wait for a device or for requests in " \
	"flight, or run a virtual machine (KVM_RUN), and are not many"
#define CALLS_SET_ONCE \
	"Handlers are set, mostly once for each signal, as runtimes do when they start"
#define CALLS_SLEEPS_UNKNOWN                                                                  \
	"A loop polls with a delay, or a helper thread of a runtime waits by design (sysmon " \
	"of Go)"

/* The totals of all calls of one kind. */
struct calls_sum {
	enum syscall_kind kind;
	uint64_t calls, errors;
	double time_ns;
	double calls_pct, time_pct;
	/*
	 * The share that is compared with the thresholds, percent: the share of the calls, or the
	 * share of the time if it is larger. The waits of idle threads are no part of that time.
	 * Without printed times, calls that flush or mount have a larger weight.
	 */
	double weight;
	size_t rows;
	/* the mean duration shows that idle threads wait in these calls */
	bool is_idle;
	/*
	 * share of this kind in the time of all calls except idle waits, percent; negative: unknown
	 */
	double awake_pct;
	/* text: why this number of calls is normal; NULL: it may be a problem */
	const char *usual;
	/* the calls are so short that their number is the cost */
	bool is_many;
	/*
	 * text: several possible causes, printed instead of the usual cause; NULL: print the usual
	 * cause
	 */
	const char *vague;
};

/*
 * How often an event loop waits for events or clients: number of calls of the most frequent waiting
 * call (poll, accept).
 */
static uint64_t calls_waits(const struct rule_input *in)
{
	uint64_t waits = 0;

	VEC_FOREACH (row, &in->syscalls->rows) {
		if (row->kind == SYSCALL_KIND_POLL ||
		    str_glob(STR("accept|accept4"), syscall_words_name(in, row->sym)))
			waits = row->calls > waits ? row->calls : waits;
	}
	return waits;
}

/*
 * The reason why this number of reads, writes or messages is normal for a program. NULL: it may be
 * a problem.
 */
static const char *calls_usual_work(const struct rule_input *in, const struct calls_sum *sum)
{
	uint64_t most = 0, io_calls = 0, io_bytes = 0, messages = 0;

	if (sum->kind != SYSCALL_KIND_IO && sum->kind != SYSCALL_KIND_NETWORK)
		return NULL;
	if (sum->errors * 2 > sum->calls)
		return "most of which fail, and move no data";
	VEC_FOREACH (row, &in->syscalls->rows) {
		if (row->kind != sum->kind)
			continue;
		most = row->calls > most ? row->calls : most;
		io_calls += row->io_calls;
		io_bytes += row->io_bytes;
		messages += row->messages;
	}
	if (messages * 2 > io_calls && sum->calls_pct >= CALLS_NOTE_PCT)
		return "messages of another process: the buffers had room for more";
	if (calls_waits(in) && (double)most <= CALLS_PER_EVENT * (double)calls_waits(in))
		return "about one for each wait for events: a request each";
	if (io_calls && io_bytes / io_calls >= CALLS_IO_BYTES)
		return "of a page or more on average";
	if (sum->kind != SYSCALL_KIND_IO)
		return NULL;
	return sum->awake_pct >= 0 && sum->awake_pct < CALLS_IO_PCT
		       ? "with less than a tenth of the time in working calls"
		       : NULL;
}

/* Number of calls whose names match @pattern. */
static uint64_t calls_named(const struct rule_input *in, const char *pattern)
{
	uint64_t n = 0;

	VEC_FOREACH (row, &in->syscalls->rows)
		n += str_glob(str_of(pattern), syscall_words_name(in, row->sym)) ? row->calls : 0;
	return n;
}

/* Number of calls of the most frequent call that reads, writes or transfers messages. */
static uint64_t calls_most_work(const struct rule_input *in)
{
	uint64_t most = 0;

	VEC_FOREACH (row, &in->syscalls->rows) {
		if ((row->kind == SYSCALL_KIND_IO || row->kind == SYSCALL_KIND_NETWORK) &&
		    row->calls > most)
			most = row->calls;
	}
	return most;
}

/* Does the program walk a tree: many directories, each with at most CALLS_PER_DIRECTORY calls? */
static bool calls_is_tree(const struct rule_input *in)
{
	const struct syscall_row *row =
		syscalls_row(in->syscalls, in->capture, "getdents|getdents64");
	uint64_t directories = 0;

	if (!row)
		return false;
	VEC_FOREACH (o, &in->syscalls->objects)
		directories += o->sym.v == row->sym.v && o->calls <= CALLS_PER_DIRECTORY;
	return directories >= CALLS_TREE && directories * CALLS_PER_DIRECTORY >= row->calls;
}

/* Are these reads and writes of a table served from memory, and so many that this is the cost? */
static bool calls_is_many(const struct rule_input *in, const struct calls_sum *sum)
{
	const struct syscalls_summary *s = in->syscalls;

	return sum->kind == SYSCALL_KIND_IO && !s->is_log && !s->is_library &&
	       s->clock != SYSCALL_NO_TIME && sum->time_ns >= CALLS_COST_NS &&
	       sum->time_ns <= CALLS_SHORT_NS * (double)sum->calls;
}

/*
 * The text that replaces the usual cause, if the input does not show that the usual cause applies.
 * NULL: print the usual cause.
 */
static const char *calls_vague_cause(const struct rule_input *in, const struct calls_sum *sum)
{
	enum syscall_kind kind = sum->kind;

	if (kind == SYSCALL_KIND_IO && !in->syscalls->is_log)
		return sum->is_many ? NULL : CALLS_SIZES_UNKNOWN;
	if (kind == SYSCALL_KIND_IO && in->syscalls->clock == SYSCALL_WALL_TIME &&
	    sum->time_ns >= (sum->calls_pct < CALLS_NOTE_PCT ? CALLS_IO_WAIT_NS : CALLS_IDLE_NS) *
				    (double)sum->calls)
		return CALLS_WAIT_FOR_DATA;
	if ((kind == SYSCALL_KIND_DEVICE || kind == SYSCALL_KIND_AIO) &&
	    in->syscalls->clock == SYSCALL_WALL_TIME &&
	    sum->time_ns >= CALLS_IDLE_NS * (double)sum->calls)
		return CALLS_LONG_REQUESTS;
	if (kind == SYSCALL_KIND_SIGNAL && calls_named(in, "rt_sigaction") * 2 > sum->calls)
		return CALLS_SET_ONCE;
	if (kind == SYSCALL_KIND_SLEEP && !in->syscalls->is_log)
		return CALLS_SLEEPS_UNKNOWN;
	if (kind == SYSCALL_KIND_FUTEX && !in->syscalls->is_log && sum->calls < CALLS_LEAD)
		/*
		 * With few of these calls in a table, the usual cause is only one of several
		 * possible causes.
		 */
		return calls_texts[kind].cause;
	if (kind == SYSCALL_KIND_DIRECTORY && calls_is_tree(in))
		return CALLS_TREE_WALKED;
	if (kind == SYSCALL_KIND_MEMORY &&
	    calls_named(in, "munmap|brk|madvise|mremap") * CALLS_RETURNED <
		    calls_named(in, "mmap*"))
		return CALLS_NOT_RETURNED;
	if (kind == SYSCALL_KIND_POLL && !in->syscalls->is_log &&
	    calls_most_work(in) * CALLS_WORK_PER_POLL >= calls_waits(in))
		return CALLS_EVENT_EACH;
	if (in->syscalls->is_library)
		return calls_texts[kind].cause;
	return NULL;
}

static struct calls_sum calls_sum_of(const struct rule_input *in, enum syscall_kind kind)
{
	const struct syscalls_summary *s = in->syscalls;
	struct calls_sum sum = { .kind = kind };
	double awake = 0;
	double judged = 0; /* time of the calls of this kind, without idle waits, ns */
	double usual = 0;

	VEC_FOREACH (row, &s->rows) {
		double ns = syscalls_row_ns(row);
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
	sum.awake_pct = s->clock != SYSCALL_NO_TIME && awake >= CALLS_NO_TIME_NS
				? syscall_words_pct(judged, awake)
				: -1;
	sum.usual = calls_usual_work(in, &sum);
	if (!sum.usual && s->clock == SYSCALL_WALL_TIME && !syscall_kind_sleeps(kind) &&
	    sum.time_pct < CALLS_LITTLE_PCT &&
	    (double)sum.calls * 1e9 < CALLS_LITTLE_RATE * s->time_ns)
		sum.usual = "with less than a hundredth of the time, and below 100 a second";
	if (!sum.usual && !s->is_log && s->clock == SYSCALL_CPU_TIME &&
	    sum.time_pct < CALLS_LITTLE_PCT && sum.time_ns < CALLS_LITTLE_NS &&
	    sum.errors * CALLS_WASTE_FAILED < sum.calls)
		sum.usual = "with less than a hundredth of the time and less than 1 ms";
	sum.is_many = calls_is_many(in, &sum);
	sum.vague = calls_vague_cause(in, &sum);
	sum.is_idle = s->clock == SYSCALL_WALL_TIME && syscall_kind_sleeps(kind) &&
		      kind != SYSCALL_KIND_FILE_LOCK &&
		      sum.time_ns >= CALLS_IDLE_NS * (double)sum.calls;
	return sum;
}

/* The names of the calls of this kind, most important first: "lstat, access". */
static const char *calls_names(const struct rule_input *in, struct findings *out, struct finding *f,
			       const struct calls_sum *sum)
{
	const char *names = "";
	size_t n = 0, others = 0;

	VEC_FOREACH (row, &in->syscalls->rows) {
		struct str name = syscall_words_name(in, row->sym);

		if (row->kind != sum->kind || row->calls == 0)
			continue;
		finding_subject(f, row->sym, SUBJECT_EXPLAINED);
		/*
		 * Do not name rare calls: of clone, execve and arch_prctl, perhaps only clone
		 * matters.
		 */
		if ((double)row->calls * CALLS_PART < (double)sum->calls &&
		    syscalls_row_ns(row) * CALLS_PART <= sum->time_ns) {
			others++;
			continue;
		}
		if (n < CALLS_NAMES) {
			finding_evidence(out, f, in, row->line, STR_FMT " %llu calls",
					 STR_ARG(name), (unsigned long long)row->calls);
			names = finding_name(out, "%s%s" STR_FMT, names, n ? ", " : "",
					     STR_ARG(name));
		}
		n++;
	}
	others += n > CALLS_NAMES ? n - CALLS_NAMES : 0;
	return others ? finding_name(out, "%s and %zu more", names, others) : names;
}

/*
 * Do the calls cost much, or do many of them fail? Always true for a log, because a log shows that
 * calls repeat. A table does not, so its calls must be expensive or fail often.
 */
static bool calls_cost(const struct rule_input *in, const struct calls_sum *sum)
{
	return in->syscalls->is_log || sum->errors * CALLS_WASTE_FAILED >= sum->calls ||
	       sum->time_ns >= CALLS_COST_NS ||
	       (sum->time_ns >= CALLS_LEAD_NS &&
		sum->time_ns >= CALLS_COST_EACH_NS * (double)sum->calls);
}

/* Do nearly all calls succeed? Then the program does not try the directories of a search path. */
static bool calls_succeed(const struct rule_input *in, const struct calls_sum *sum)
{
	/* without any failed call, the table may have no column of errors, so nothing is known */
	return in->syscalls->failed > 0 && sum->errors * CALLS_SEARCH_FAILED < sum->calls;
}

/*
 * The cause to print if no poll returned an event, and some ended at a time limit. Such a poll
 * takes at least its limit, so the sum of the limits shows how often the loop can run at most.
 */
static const char *calls_ended(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	const char *limits = finding_name(out, "No poll returns an event: %llu end at a time limit",
					  (unsigned long long)s->polls_ended);

	return s->threads.len > 1
		       ? limits
		       : finding_name(out,
				      "%s. The limits add up to %s, the least time that the log "
				      "covers: at most %.0f calls per second",
				      limits, finding_duration(out, s->polls_ended_ms * 1000000),
				      (double)s->calls * 1000 / (double)s->polls_ended_ms);
}

/* The cause to print: the usual cause, without reasons that the counts rule out. */
static const char *calls_cause(const struct rule_input *in, struct findings *out,
			       const struct calls_sum *sum)
{
	if (sum->is_many)
		return calls_named(in, "pread*|pwrite*") * 2 > sum->calls ? CALLS_MANY_AT
									  : CALLS_MANY_SMALL;
	if (sum->kind == SYSCALL_KIND_POLL && in->syscalls->polls_ended &&
	    !in->syscalls->polls_found)
		return calls_ended(in, out);
	if (sum->kind == SYSCALL_KIND_POLL && in->syscalls->rows.len == 1 &&
	    syscall_words_is_whole(in))
		return "The loop makes no other call: each poll ends at a timeout, or with an "
		       "event "
		       "that nothing serves, such as a hang-up. Very many in a short time are a "
		       "busy loop";
	if (sum->kind == SYSCALL_KIND_LOOKUP && calls_succeed(in, sum))
		return calls_named(in, "getdents|getdents64") * CALLS_SEARCH_FAILED >= sum->calls
			       ? CALLS_LISTED
			       : CALLS_LOOKED_UP;
	if (sum->kind == SYSCALL_KIND_OPEN && calls_succeed(in, sum) &&
	    calls_named(in, "close") <= CALLS_CLOSED * calls_named(in, CALLS_OPENING))
		return CALLS_OPENED;
	return calls_texts[sum->kind].cause;
}

static void calls_figures(const struct rule_input *in, struct finding *f,
			  const struct calls_sum *sum)
{
	const struct syscalls_summary *s = in->syscalls;
	uint64_t io_calls = 0, io_bytes = 0;

	finding_figure_part(f, "share of calls", sum->calls, s->calls);
	finding_figure(f, "calls", (double)sum->calls, 0, "");
	if (s->clock) {
		finding_figure(f, "share of time in calls", sum->time_pct, 0, "%");
		finding_figure(f, "time per call", sum->time_ns / (double)sum->calls / 1e3, 0,
			       "us");
	}
	if (sum->errors)
		finding_figure(f, "failed", (double)sum->errors, 0, "");
	VEC_FOREACH (row, &s->rows) {
		io_calls += row->kind == sum->kind ? row->io_calls : 0;
		io_bytes += row->kind == sum->kind ? row->io_bytes : 0;
	}
	if (io_calls)
		finding_figure(f, "bytes per call", (double)io_bytes / (double)io_calls, 0, "");
}

/* The rate, ", 2001 per second", if the text states how long the calls were counted. */
static const char *calls_rate(const struct rule_input *in, struct findings *out,
			      const struct calls_sum *sum)
{
	VEC_FOREACH (fact, &in->capture->facts) {
		if (fact->value && str_eq(strings_get(capture_strings(in->capture), fact->name),
					  STR(METRICS_FACT_SECONDS)))
			return finding_name(out, ", %.0f per second",
					    (double)sum->calls / (double)fact->value);
	}
	return "";
}

/*
 * Does another table of the same input show that the program hardly uses a CPU, while the times of
 * this table are CPU time? Then these calls are not why the program is slow.
 */
static bool calls_is_off_cpu(const struct rule_input *in)
{
	const struct facts *facts = in->facts;

	for (size_t i = 0;
	     in->syscalls->clock == SYSCALL_CPU_TIME && i < facts->dossier->captures.len; i++) {
		const struct counter_metric *cpus =
			facts->counters[i]
				? counter_metrics_find(facts->counters[i], "cpus-utilised")
				: NULL;

		if (cpus && cpus->value < CALLS_WAITS_CPUS &&
		    facts->dossier->captures.data[i]->path.v == in->capture->path.v)
			return true;
	}
	return false;
}

static const char *calls_many_says(struct findings *out, const struct calls_sum *sum)
{
	double each = round(sum->time_ns / (double)sum->calls);

	return finding_name(out, "many short calls, %s each on average",
			    finding_duration(out, number_whole(each)));
}

/* " in 3 tables" if the text has several tables of counts, whose calls are added up */
static const char *calls_tables(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	size_t most = 0;

	for (size_t i = 0; !in->syscalls->is_log && m && i < m->n_rows && i < CALLS_ROWS; i++) {
		size_t n = 0;

		for (size_t k = 0; k <= i; k++)
			n += m->names.data[k].v == m->names.data[i].v;
		most = n > most ? n : most;
	}
	return most > 1 ? finding_name(out, " in %zu tables", most) : "";
}

static void calls_finding(const struct rule_input *in, struct findings *out,
			  const struct calls_sum *sum)
{
	const struct syscalls_summary *s = in->syscalls;
	const struct calls_kind_text *text = &calls_texts[sum->kind];
	bool is_brief = sum->weight > sum->calls_pct && s->clock && sum->time_ns < CALLS_LEAD_NS;
	bool waits = calls_is_off_cpu(in);
	bool leads = sum->weight >= CALLS_LEAD_PCT && s->calls >= CALLS_LEAD && !sum->is_idle &&
		     !is_brief && !sum->vague && calls_cost(in, sum) && !waits;
	struct finding *f =
		finding_add(out, in, &rule_system_calls, leads ? FINDING_WARNING : FINDING_NOTE,
			    sum->is_idle || sum->vague ? CALLS_SURE_VAGUE : 75);
	const char *names = calls_names(in, out, f, sum);
	bool is_lock = sum->is_idle && rand_words_is_in_input(in);
	const char *says = is_lock        ? "Threads wait for a lock, by the profile"
			   : sum->is_idle ? "Threads wait there, perhaps idle"
			   : sum->is_many ? calls_many_says(out, sum)
					  : text->says;

	f->impact = waits ? sum->weight * CALLS_WAITS_CPUS : sum->weight;
	if (s->clock && sum->calls == s->calls)
		finding_claim(out, f, "All %llu %s%s, %s of %s%s, are %s: %s",
			      (unsigned long long)s->calls, syscall_words_noun(in),
			      calls_tables(in, out),
			      finding_duration(out, number_whole(sum->time_ns)),
			      s->clock == SYSCALL_CPU_TIME ? "CPU time" : "time",
			      calls_rate(in, out, sum), names, says);
	else if (s->clock)
		finding_claim(out, f,
			      "%s of %s%s (%llu of %llu%s) and %s of their %s (%s) are %s: %s",
			      syscall_words_share(out, (double)sum->calls, (double)s->calls),
			      syscall_words_noun(in), calls_tables(in, out),
			      (unsigned long long)sum->calls, (unsigned long long)s->calls,
			      calls_rate(in, out, sum),
			      syscall_words_share(out, sum->time_ns, s->time_ns),
			      s->clock == SYSCALL_CPU_TIME ? "CPU time" : "time",
			      finding_duration(out, number_whole(sum->time_ns)), names, says);
	else
		finding_claim(out, f, "%s of %s (%llu of %llu%s) are %s: %s",
			      syscall_words_share(out, (double)sum->calls, (double)s->calls),
			      syscall_words_noun(in), (unsigned long long)sum->calls,
			      (unsigned long long)s->calls, calls_rate(in, out, sum), names, says);
	calls_figures(in, f, sum);
	finding_usual_cause(
		out, f, "%s",
		is_lock ? "The profile shows several threads in rand() of the C library, which "
			  "takes one lock for all"
		: sum->is_idle ? "A call lasts 1 ms or more on average: idle threads wait for "
				 "work, a timer or a message, or threads wait for each other"
		: sum->vague   ? sum->vague
			       : calls_cause(in, out, sum));
	finding_because(
		out, f,
		sum->is_many && s->clock == SYSCALL_CPU_TIME
			? "the counts are exact; times are CPU time, and a call that starts a "
			  "request to a device takes more of it"
		: s->clock == SYSCALL_CPU_TIME
			? "the counts are exact; without strace -w times are CPU time\n"
			  "how long the calls wait, and which code makes them"
		: s->clock == SYSCALL_NO_TIME && calls_usual(sum->kind) > 1
			? "the counts are exact\n"
			  "how long such a call takes: usually longer than others"
		: s->is_library
			? "the counts are exact; times are mostly the breakpoints of ltrace\n"
			  "what the calls cost"
		: sum->vague ? "the counts are exact, and fit several causes\n"
			       "which code makes the calls, and why"
			     : "the counts are exact\n"
			       "which code makes the calls, and why");
	if (s->rows.len == 1)
		finding_because(out, f,
				syscall_words_is_whole(in)
					? "the counts are exact, and the printed command has no "
					  "filter"
					: "the counts are exact\n"
					  "whether a filter (-e) left out other calls: the input "
					  "lists only one");
	finding_next(out, f, "%s", text->next);
}

/*
 * Is the share certain enough? In a log of few calls, the lower bound of the 95 % interval of the
 * share of the calls must reach CALLS_NOTE_PCT. True for tables and for shares of the time.
 */
static bool calls_is_certain(const struct rule_input *in, const struct calls_sum *sum)
{
	struct interval share =
		stats_wilson((double)sum->calls, (double)in->syscalls->calls, STATS_Z95);

	if (!in->syscalls->is_log || sum->weight > sum->calls_pct)
		return true;
	return sum->calls_pct < CALLS_NOTE_PCT || in->syscalls->calls >= CALLS_FEW ||
	       share.low >= CALLS_NOTE_PCT;
}

/*
 * Do most calls belong to the start of a program, which loads its libraries? Such a log has fewer
 * than CALLS_START calls, and calls of the loader are among them.
 */
static bool calls_is_start(const struct rule_input *in)
{
	const struct syscalls_summary *s = in->syscalls;

	return s->calls < CALLS_START && syscalls_row(s, in->capture, "mprotect|brk|access") &&
	       (syscalls_row(s, in->capture, "execve") ||
		(syscalls_row(s, in->capture, "mprotect") &&
		 syscalls_row(s, in->capture, "mmap*") && syscalls_row(s, in->capture, "open*")));
}

static void system_calls_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	bool done[SYSCALL_KINDS] = { false };
	uint64_t least = s->is_log ? CALLS_MIN_LOG : CALLS_MIN;
	bool is_start = calls_is_start(in);
	/*
	 * Each thread is still in its first call, so the number of calls is only the number of
	 * threads.
	 */
	bool is_at_rest = s->is_log && s->threads.len > 1 && s->calls <= s->threads.len;
	size_t found = 0;
	double most = 0;
	struct calls_sum usual = { .usual = NULL };

	while (found < CALLS_MOST) {
		struct calls_sum best = { .weight = 0 };

		for (int k = 1; k < SYSCALL_KINDS; k++) {
			struct calls_sum sum = calls_sum_of(in, (enum syscall_kind)k);

			if (sum.usual && sum.weight >= CALLS_NOTE_PCT)
				usual = sum;
			else if (!done[k] && calls_texts[k].says && sum.weight > best.weight &&
				 sum.calls && calls_is_certain(in, &sum))
				best = sum;
		}
		most = found == 0 ? best.weight : most;
		if (found == 0 && s->is_log && calls_usual(best.kind) > 1)
			least = CALLS_MIN_SLOW;
		if (best.weight < CALLS_NOTE_PCT || s->calls < least || is_start || is_at_rest)
			break;
		done[best.kind] = true;
		calls_finding(in, out, &best);
		found++;
	}
	if (found)
		return;
	if (is_start)
		finding_not_assessed(out, in, &rule_system_calls, "strace -f -c -w -p PID",
				     "most of %llu calls belong to the start of the program",
				     (unsigned long long)s->calls);
	else if (is_at_rest)
		finding_not_assessed(out, in, &rule_system_calls, "strace -f -c -w -p PID",
				     "each of %zu threads makes one call", s->threads.len);
	else if (s->calls < least)
		finding_not_assessed(out, in, &rule_system_calls, "strace -f -c -w COMMAND",
				     "only %llu calls: too few to judge",
				     (unsigned long long)s->calls);
	else if (usual.usual)
		finding_clean(out, in, &rule_system_calls, "%.1f %% of %llu calls are %s, %s",
			      usual.calls_pct, (unsigned long long)s->calls,
			      calls_texts[usual.kind].says, usual.usual);
	else
		finding_clean(out, in, &rule_system_calls,
			      "no kind of call has a quarter of %llu calls or of their time; the "
			      "largest has %.1f %%",
			      (unsigned long long)s->calls, most);
}

const struct rule rule_system_calls = {
	.id = "system-calls",
	.title = "Dominant system call",
	.needs = RULE_SYSCALLS,
	.check = system_calls_check,
};
