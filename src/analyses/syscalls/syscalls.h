/* SPDX-License-Identifier: MIT */
/*
 * syscalls.h - system calls or library calls of a program, call by call
 *
 * From a log of calls (struct calls with log_of) or from a table of counts (strace -c). Times
 * are as printed; `clock` is their kind. A figure that the input lacks is NAN, a count 0.
 */
#ifndef ANALYSES_SYSCALLS_H
#define ANALYSES_SYSCALLS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct calls;
struct capture;

/* Purpose of a call. */
enum syscall_kind {
	SYSCALL_KIND_OTHER,
	SYSCALL_KIND_LOOKUP, /* of a path: stat, access, readlink */
	SYSCALL_KIND_OPEN,   /* open, close */
	SYSCALL_KIND_DIRECTORY,
	SYSCALL_KIND_IO, /* read, write */
	SYSCALL_KIND_SEEK,
	SYSCALL_KIND_SYNC,
	SYSCALL_KIND_MOUNT,
	SYSCALL_KIND_NAMES, /* unlink, rename, mkdir, chmod */
	SYSCALL_KIND_FUTEX,
	SYSCALL_KIND_CLOCK,
	SYSCALL_KIND_MEMORY, /* brk, mmap, munmap, madvise, mprotect */
	SYSCALL_KIND_POLL,
	SYSCALL_KIND_REGISTER, /* of descriptors with epoll */
	SYSCALL_KIND_YIELD,
	SYSCALL_KIND_SLEEP,
	SYSCALL_KIND_TIMER,
	SYSCALL_KIND_PROCESS, /* fork, execve */
	SYSCALL_KIND_WAIT,    /* for a child */
	SYSCALL_KIND_SIGNAL,
	SYSCALL_KIND_NETWORK, /* send, receive */
	SYSCALL_KIND_SOCKET,  /* socket, connect, setsockopt */
	SYSCALL_KIND_DESCRIPTOR,
	SYSCALL_KIND_DEVICE, /* ioctl */
	SYSCALL_KIND_IDENTITY,
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

enum syscall_time {
	SYSCALL_NO_TIME,
	SYSCALL_CPU_TIME,  /* in the kernel, as strace -c counts: without waiting */
	SYSCALL_WALL_TIME, /* from entry to return, with waiting */
};

struct syscall_row {
	sym_id sym;
	enum syscall_kind kind;
	uint64_t calls;
	uint64_t errors;
	double time_ns; /* NAN */
	double max_ns;  /* NAN */
	uint64_t io_calls;
	uint64_t io_bytes; /* bytes returned by io_calls */
	uint32_t line;     /* of the table, or of the first call */
	uint32_t max_line; /* of the longest call; 0: none */
};

/* Calls that failed with one error. */
struct syscall_error {
	sym_id sym;
	int error; /* -2 */
	uint64_t calls;
	uint32_t line;
};

/* Calls of one name with the same path or descriptor. */
struct syscall_object {
	sym_id sym;
	str_id name; /* "/etc/hosts", "fd 5" */
	uint64_t calls;
	uint64_t errors;
	double time_ns;
	uint64_t io_bytes;
	uint32_t line;
};

struct syscall_thread {
	uint32_t lane;
	uint64_t calls;
	double time_ns;   /* in these calls; NAN: no call has a time */
	uint64_t span_ns; /* from its first call to its last; 0: unknown */
	uint32_t open;    /* the unfinished call at the end of the log, or INDEX_NONE */
};

#define SYSCALLS_CYCLE_MAX 8u

/* Names of calls that one thread repeated in the same order. */
struct syscall_cycle {
	sym_id names[SYSCALLS_CYCLE_MAX];
	unsigned int n;
	uint64_t calls; /* in its longest run */
	uint32_t lane;
	uint32_t line;
};

struct syscalls_summary {
	bool is_library;
	bool is_log;
	enum syscall_time clock;
	VEC(struct syscall_row) rows;       /* longest time first, then most calls */
	VEC(struct syscall_error) errors;   /* most calls first; of logs */
	VEC(struct syscall_object) objects; /* most calls first; of logs */
	VEC(struct syscall_thread) threads; /* most calls first; of logs */
	struct syscall_cycle cycle;         /* n 0: none */
	uint64_t calls;
	uint64_t failed;
	double time_ns; /* NAN */
	/* of logs: */
	uint64_t polls_zero;  /* polls with a timeout of zero */
	uint64_t polls_empty; /* those of them without a result */
	uint64_t polls_twice; /* those of them that directly follow a poll of the same thread */
	uint32_t polls_line;
	sym_id polls_sym;
	uint64_t signals;
	str_id signal; /* the most frequent */
	uint64_t signal_calls;
	uint32_t signal_line;
};

/* Is @c such a log or table? */
bool syscalls_is(const struct capture *c);
/* Owner: caller, syscalls_summary_fini(). @c must pass syscalls_is(). Cost: O(calls log calls). */
void syscalls_summary_init(struct syscalls_summary *s, const struct capture *c);
void syscalls_summary_fini(struct syscalls_summary *s);
/* The first row whose name matches @pattern (str_glob), or NULL. */
const struct syscall_row *syscalls_row(const struct syscalls_summary *s, const struct capture *c,
				       const char *pattern);
/* The error of a call of a log of system calls: -2 for ENOENT; 0: it did not fail. */
int syscalls_call_error(const struct calls *c, uint32_t call);
enum syscall_kind syscall_kind_of(struct str name, bool is_library);
/* "path look-ups"; "other calls". */
const char *syscall_kind_name(enum syscall_kind kind);
/* May a thread inside such a call be idle? The second one knows calls of other kinds, too. */
bool syscall_kind_sleeps(enum syscall_kind kind);
bool syscall_is_idle(struct str name, enum syscall_kind kind);

#endif
