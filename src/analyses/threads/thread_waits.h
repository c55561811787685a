/* SPDX-License-Identifier: MIT */
/*
 * thread_waits.h - kind of wait of a thread in a dump, and its place in the program
 *
 * The walk starts at the innermost frame and skips frames of the waiting itself: system calls,
 * futexes, lock wrappers, runtimes. The outermost of these determines the kind of wait; the
 * next frame is the place.
 */
#ifndef ANALYSES_THREAD_WAITS_H
#define ANALYSES_THREAD_WAITS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct symbols;
struct thread_row;

enum thread_wait {
	THREAD_WAIT_NONE, /* running, or unknown */
	THREAD_WAIT_LOCK,
	THREAD_WAIT_EVENT, /* condition, monitor, semaphore, future */
	THREAD_WAIT_JOIN,
	THREAD_WAIT_CHILD,
	THREAD_WAIT_SLEEP,
	THREAD_WAIT_POLL, /* epoll, select: an event loop, mostly idle */
	THREAD_WAIT_SOCKET,
	THREAD_WAIT_CONNECT,
	THREAD_WAIT_DNS,
	THREAD_WAIT_DISK,
	THREAD_WAIT_READ, /* read() or write() of a file, pipe, terminal or socket */
	THREAD_WAIT_FILE_LOCK,
	THREAD_WAIT_SEND,    /* channel without a receiver */
	THREAD_WAIT_RECEIVE, /* channel without a sender */
	THREAD_WAIT_SELECT,
	THREAD_WAIT_POOL,    /* a connection or object of a pool */
	THREAD_WAIT_GC,      /* a collection or safepoint */
	THREAD_WAIT_IDLE,    /* a worker without work */
	THREAD_WAIT_SYSCALL, /* a system call that no frame names */
	THREAD_WAIT_CPU,     /* runnable, but waits for a CPU */
	THREAD_WAIT_KINDS,
};

struct thread_seen {
	uint64_t lock;  /* address of the awaited lock; 0: not printed */
	uint32_t wants; /* index of that lock in threads_summary.locks, or INDEX_NONE */
	uint32_t place; /* frame of the row; n_frames: all frames are part of the wait */
	/* the outermost frame of the wait: the function that the place calls to wait */
	uint32_t entry;
	uint8_t kind; /* enum thread_wait */
};

/* Cached roles of functions by symbol. Zeroed is empty. */
struct thread_roles {
	VEC(uint16_t) by_sym;
};

void thread_roles_fini(struct thread_roles *r);
/* Cost: frames up to the place, each a table look-up at first and an array access later. */
void thread_wait_of(struct thread_roles *roles, const struct capture *c,
		    const struct thread_row *row, struct thread_seen *ret);
/* Does the function belong to a memory allocator, C or C++? */
bool thread_waits_is_allocator(const struct symbols *symbols, sym_id sym);
/* Whether the function is code of the program: no runtime, wrapper or start of a thread. */
bool thread_waits_is_own(const struct capture *c, sym_id sym);
/* "a lock", "a DNS answer" */
const char *thread_wait_object(enum thread_wait kind);
/* "lock", "dns": for programs. */
const char *thread_wait_name(enum thread_wait kind);

#endif
