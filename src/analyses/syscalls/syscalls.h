/* SPDX-License-Identifier: MIT */
/*
 * syscalls.h - sums of the system calls or library calls of a program, by function, error, path and
 * thread
 *
 * The input is a log of calls (struct calls with log_of) or a table of counts (strace -c). Times
 * are those that the tool printed; `clock` shows whether they are CPU time or wall-clock time. A
 * time that is missing from the input is NAN, a missing count is 0.
 */
#ifndef ANALYSES_SYSCALLS_H
#define ANALYSES_SYSCALLS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct calls;
struct capture;

/* Kind of a system call or library call, by its purpose. */
enum syscall_kind {
	SYSCALL_KIND_OTHER,
	SYSCALL_KIND_LOOKUP, /* looks up a path: stat, access, readlink */
	SYSCALL_KIND_OPEN,   /* open, close and similar calls */
	SYSCALL_KIND_DIRECTORY,
	SYSCALL_KIND_IO, /* read, write and similar calls */
	SYSCALL_KIND_SEEK,
	SYSCALL_KIND_SYNC,
	SYSCALL_KIND_MOUNT,
	SYSCALL_KIND_NAMES, /* changes names and modes of files: unlink, rename, mkdir, chmod */
	SYSCALL_KIND_SIZES, /* changes sizes of files: fallocate, ftruncate */
	SYSCALL_KIND_FUTEX,
	SYSCALL_KIND_CLOCK,
	SYSCALL_KIND_MEMORY, /* allocates or maps memory: brk, mmap, munmap, madvise, mprotect */
	SYSCALL_KIND_POLL,
	SYSCALL_KIND_REGISTER, /* registers descriptors with epoll */
	SYSCALL_KIND_YIELD,
	SYSCALL_KIND_SLEEP,
	SYSCALL_KIND_TIMER,
	SYSCALL_KIND_PROCESS, /* starts a process or program: fork, execve */
	SYSCALL_KIND_WAIT,    /* waits for a child process */
	SYSCALL_KIND_SIGNAL,
	SYSCALL_KIND_SIGNAL_WAIT, /* waits for a signal: pause, sigsuspend */
	SYSCALL_KIND_NETWORK,     /* sends or receives data */
	SYSCALL_KIND_SOCKET,      /* sets up sockets: socket, connect, setsockopt */
	SYSCALL_KIND_DESCRIPTOR,
	SYSCALL_KIND_DEVICE, /* controls a device: ioctl */
	SYSCALL_KIND_IDENTITY,
	SYSCALL_KIND_SETTING,
	SYSCALL_KIND_TRACE,
	SYSCALL_KIND_AIO,
	SYSCALL_KIND_FILE_LOCK,
	SYSCALL_KIND_LIB_LOCK,
	SYSCALL_KIND_LIB_ALLOC,
	SYSCALL_KIND_LIB_STRING,
	SYSCALL_KIND_LIB_FORMAT,
	SYSCALL_KIND_LIB_FILE,
	SYSCALL_KIND_LIB_LOCALE,
	SYSCALL_KINDS,
};

/* How often the calls of one kind have to wait. */
enum syscall_waits {
	SYSCALL_WAITS_NEVER, /* the kernel always answers at once */
	/* the call waits only if a device or file server does not answer, or if a lock is held */
	SYSCALL_WAITS_RARELY,
	SYSCALL_WAITS_OFTEN,
	SYSCALL_WAITS_ALWAYS, /* the purpose of the call is to wait */
};

enum syscall_time {
	SYSCALL_NO_TIME,
	SYSCALL_CPU_TIME,  /* CPU time in the kernel, without waiting (strace -c) */
	SYSCALL_WALL_TIME, /* wall-clock time from entry to return, including waiting */
};

struct syscall_row {
	sym_id sym;
	enum syscall_kind kind;
	/*
	 * kind by the call's name alone. It differs from `kind` only for restart_syscall, whose
	 * `kind` is the kind of the resumed call
	 */
	enum syscall_kind name_kind;
	uint64_t calls;
	uint64_t errors;
	uint64_t answers; /* number of errors that are a usual answer (call_answers.h); logs only */
	double time_ns;   /* sum of the times of the calls; NAN: unknown */
	double max_ns;    /* time of the longest call of the row; NAN: unknown */
	/* number of calls that read, write, send or receive, and returned a number of bytes */
	uint64_t io_calls;
	uint64_t io_bytes; /* sum of the numbers of bytes that io_calls returned */
	/*
	 * number of io_calls that carry messages. A read carries a message if most of its buffer,
	 * of at least SYSCALLS_ROOM bytes, stayed empty. A write carries a message if reads of the
	 * same descriptor do
	 */
	uint64_t messages;
	/* line in the input: in a log, of the row's first call; in a table, of the row itself */
	uint32_t line;
	uint32_t max_line; /* line of the row's longest call in the input; 0: none */
};

/* The calls of one syscall_row that failed with the same error. */
struct syscall_error {
	sym_id sym;
	enum syscall_kind kind; /* syscall_row.name_kind of the row */
	int error;              /* error as a negative errno: -2 for ENOENT */
	uint64_t calls;
	uint64_t answers; /* number of calls for which the error is a usual answer */
	/*
	 * number of the usual answer, for syscall_answer_means(); 0: the error is a failure in all
	 * calls
	 */
	uint8_t answer;
	uint32_t line;
};

/* Calls of one function with the same path or descriptor. */
struct syscall_object {
	sym_id sym;
	str_id name; /* path or descriptor: "/etc/hosts", "fd 5" */
	uint64_t calls;
	uint64_t errors;
	double time_ns;
	uint64_t io_bytes;
	uint64_t roomy; /* number of reads whose buffer stayed mostly empty */
	/* number of reads that returned a request of a client, such as "GET /" */
	uint64_t requests;
	/*
	 * number of threads with a call that found nothing: it returned EAGAIN, and did not
	 * directly follow a successful call of the thread on this object
	 */
	uint32_t empty_threads;
	uint32_t line;
};

struct syscall_thread {
	uint32_t lane;
	uint64_t calls;
	double time_ns;   /* sum of the times of the thread's calls; NAN: no call has a time */
	uint64_t span_ns; /* time from the thread's first call to the end of its last; 0: unknown */
	/*
	 * the thread's last call, if it has not returned at the end of the log; INDEX_NONE: all
	 * calls have returned
	 */
	uint32_t open;
	str_id about; /* path or descriptor of `open`; STR_ID_NONE: unknown */
};

#define SYSCALLS_CYCLE_MAX 8u
#define SYSCALLS_FEW_KINDS 3u
/* In bytes (a page): a read with a smaller buffer does not show whether messages are small. */
#define SYSCALLS_ROOM 4096u

/* A sequence of calls that one thread repeated. */
struct syscall_cycle {
	sym_id names[SYSCALLS_CYCLE_MAX]; /* in the order of the first round */
	unsigned int n;
	uint64_t calls; /* number of calls in the longest uninterrupted repetition */
	uint32_t lane;
	uint32_t line; /* first call of the first round */
};

struct syscalls_summary {
	bool is_library;
	bool is_log;
	enum syscall_time clock;
	/* one row for each function and name_kind; longest time first, then most calls */
	VEC(struct syscall_row) rows;
	VEC(struct syscall_error) errors;   /* logs only; most calls first */
	VEC(struct syscall_object) objects; /* logs only; most calls first */
	VEC(struct syscall_thread) threads; /* logs only; most calls first */
	/* the longest repetition; its n is 0 if there is none */
	struct syscall_cycle cycle;
	uint64_t calls;
	uint64_t failed;
	/* number of failed calls whose error is a usual answer (call_answers.h); logs only */
	uint64_t answers;
	double time_ns; /* sum of the times of all calls; NAN: unknown */
	/* the next members are known only for logs, not for tables */
	uint64_t polls_zero;  /* number of polls with a timeout of zero */
	uint64_t polls_empty; /* number of polls with a timeout of zero that found nothing */
	/* number of polls with a timeout of zero that directly follow a poll of the same thread */
	uint64_t polls_twice;
	uint32_t polls_line;
	sym_id polls_sym;
	/*
	 * number of polls with a timeout of zero for a descriptor whose connect is in progress
	 * (EINPROGRESS)
	 */
	uint64_t polls_connecting;
	/* number of polls that ended at a time limit of 1 ms or more, without an event */
	uint64_t polls_ended;
	/* sum of the time limits of the polls in polls_ended: the least time that they took */
	uint64_t polls_ended_ms;
	uint64_t polls_found; /* number of polls that returned an event */
	uint64_t signals;
	str_id signal; /* the most frequent signal */
	uint64_t signal_calls;
	uint32_t signal_line;
};

/* Whether @c is a log or table of system calls or library calls. */
bool syscalls_is(const struct capture *c);
/*
 * Compute the summary; syscalls_is(@c) must be true. Owner: caller, syscalls_summary_fini().
 * Cost: O(calls log calls).
 */
void syscalls_summary_init(struct syscalls_summary *s, const struct capture *c);
void syscalls_summary_fini(struct syscalls_summary *s);
/*
 * Whether the descriptor named @object is a socket or pipe. Also true if the log does not show what
 * the descriptor is ("fd 5").
 */
bool syscalls_is_stream(struct str object);

/*
 * Meaning of the usual answer @number for the program, as a phrase: "goes on in the background" for
 * EINPROGRESS of connect(). NULL: @number is 0.
 */
const char *syscall_answer_means(uint8_t number);
/* The first quoted string in the arguments of a call, such as a path; empty: none. */
struct str syscall_args_quoted(struct str args);

/* Sum of the times of the calls of @row, in ns; 0: unknown. */
double syscalls_row_ns(const struct syscall_row *row);

/* The first row whose name matches @pattern (str_glob); NULL: none. */
const struct syscall_row *syscalls_row(const struct syscalls_summary *s, const struct capture *c,
				       const char *pattern);
/*
 * Whether @s is a table of strace -c that lacks the start of the program: at most
 * SYSCALLS_FEW_KINDS different calls, none of them execve. Then strace filtered the calls, or was
 * attached to a running process.
 */
bool syscalls_has_no_start(const struct syscalls_summary *s, const struct capture *c);
/* The error of a call in a log of system calls: -2 for ENOENT; 0: the call did not fail. */
int syscalls_call_error(const struct calls *c, uint32_t call);
enum syscall_kind syscall_kind_of(struct str name, bool is_library);
/*
 * The kind of a system call, by name and arguments. "restart_syscall(<... resuming interrupted poll
 * ...>)" is a poll; "fcntl(F_SETLKW)" locks a file. A restart_syscall that does not show the
 * resumed call is SYSCALL_KIND_OTHER.
 */
enum syscall_kind syscall_kind_of_call(struct str name, struct str args, bool is_library);
/* Name of a kind: "path look-ups", "other calls" … */
const char *syscall_kind_name(enum syscall_kind kind);
/*
 * Whether a thread in a call of this kind may be idle. Some calls of other kinds may be idle, too:
 * see syscall_is_idle().
 */
bool syscall_kind_sleeps(enum syscall_kind kind);

enum syscall_waits syscall_kind_waits(enum syscall_kind kind);
/*
 * Parse the timeout, in ms, of a call of poll, epoll_wait or epoll_pwait with the arguments @args,
 * as strace and perf trace print them. False: another call, no timeout (-1), or truncated
 * arguments.
 */
bool syscall_poll_timeout_ms(struct str name, struct str args, uint64_t *ret);
/*
 * The time in ns for which a call with the arguments @args sleeps, if they show it: nanosleep,
 * clock_nanosleep with a relative time, select without descriptors. False: another call, or
 * truncated arguments.
 */
bool syscall_sleep_ns(struct str name, struct str args, uint64_t *ret);
/*
 * Whether a poll has a timeout of 0. The timeout is the last argument: a number, or a struct
 * timespec such as "{tv_sec=0, tv_nsec=0}".
 */
bool syscall_poll_is_zero(struct str name, struct str args);
/*
 * The descriptor that a call with the arguments @args uses; for poll and select, the descriptor for
 * which the call waits; for epoll_wait, the epoll descriptor. False: none, or several.
 */
bool syscall_descriptor(struct str name, struct str args, uint64_t *ret_fd);
bool syscall_is_idle(struct str name, enum syscall_kind kind);

#endif
