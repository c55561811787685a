/* SPDX-License-Identifier: MIT */
/*
 * thread_waits.h - kind of wait of a thread in a dump, and its place in the program
 *
 * The walk starts at the innermost frame and skips frames that belong to the wait: system calls,
 * futexes, lock wrappers, runtimes. The outermost of these frames determines the kind of wait.
 * The next frame is the place.
 */
#ifndef ANALYSES_THREAD_WAITS_H
#define ANALYSES_THREAD_WAITS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct symbols;
struct thread_row;

enum thread_wait {
	THREAD_WAIT_NONE, /* the thread runs, or its state is unknown */
	THREAD_WAIT_LOCK,
	THREAD_WAIT_EVENT, /* condition variable, monitor, semaphore, future */
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
	THREAD_WAIT_SEND,    /* send to a channel without a receiver */
	THREAD_WAIT_RECEIVE, /* receive from a channel without a sender */
	THREAD_WAIT_SELECT,
	THREAD_WAIT_POOL,    /* a connection or object from a pool */
	THREAD_WAIT_GC,      /* garbage collection or safepoint */
	THREAD_WAIT_IDLE,    /* worker thread without work */
	THREAD_WAIT_SYSCALL, /* system call that no frame names */
	THREAD_WAIT_CPU,     /* runnable, but waiting for a CPU */
	THREAD_WAIT_KINDS,
};

struct thread_seen {
	uint64_t lock;  /* address of the lock it waits for; 0: not printed */
	uint32_t wants; /* index of that lock in threads_summary.locks; INDEX_NONE: none */
	/* frame of the function that waits; n_frames: all frames belong to the wait */
	uint32_t place;
	/* outermost frame of the wait: the function that `place` calls to wait */
	uint32_t entry;
	uint8_t kind; /* enum thread_wait */
};

/* Cached roles of functions, by symbol. Zeroed: empty. */
struct thread_roles {
	VEC(uint16_t) by_sym;
};

void thread_roles_fini(struct thread_roles *r);
/*
 * Find the wait of @row. Cost: O(frames up to the place); the first look-up of a function
 * searches a table, later ones an array.
 */
void thread_wait_of(struct thread_roles *roles, const struct capture *c,
		    const struct thread_row *row, struct thread_seen *ret);
/* Whether the function belongs to a memory allocator of C or C++. */
bool thread_waits_is_allocator(const struct symbols *symbols, sym_id sym);
/* Whether the function belongs to the program, not to a runtime, wrapper or thread start. */
bool thread_waits_is_own(const struct capture *c, sym_id sym);
/* What a thread waits for, as text: "a lock", "a DNS answer". */
const char *thread_wait_object(enum thread_wait kind);
/* Name in machine-readable output: "lock", "dns". */
const char *thread_wait_name(enum thread_wait kind);

#endif
