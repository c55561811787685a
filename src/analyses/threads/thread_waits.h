/* SPDX-License-Identifier: MIT */
/*
 * thread_waits.h - what a thread of a dump waits for, and where in the program
 *
 * The frames of a stack are walked from the innermost one as long as they belong to waiting
 * itself: system calls, futexes, lock wrappers, runtimes. The outermost of them tells the kind of
 * wait, the first frame behind them is the place.
 */
#ifndef ANALYSES_THREAD_WAITS_H
#define ANALYSES_THREAD_WAITS_H

#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct symbols;
struct thread_row;

enum thread_wait {
	THREAD_WAIT_NONE, /* runs, or nothing is known */
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
	THREAD_WAIT_POOL, /* a connection or object of a pool */
	THREAD_WAIT_GC,   /* a collection or safepoint */
	THREAD_WAIT_IDLE, /* a worker without work */
	THREAD_WAIT_CPU,  /* able to run, and does not get a CPU */
	THREAD_WAIT_KINDS,
};

struct thread_seen {
	uint64_t lock;  /* address of the lock that it waits for; 0: none is printed */
	uint32_t wants; /* that lock in threads_summary.locks; INDEX_NONE */
	uint32_t place; /* frame of the row; n_frames: all of them are plumbing */
	uint32_t entry; /* the frame that the place calls to wait: outermost plumbing */
	uint8_t kind;   /* enum thread_wait */
};

/* Roles of functions by symbol, once they were asked for. Zeroed is empty. */
struct thread_roles {
	VEC(uint16_t) by_sym;
};

void thread_roles_fini(struct thread_roles *r);
/* Cost: frames up to the place, each a table look-up at first and an array access later. */
void thread_wait_of(struct thread_roles *roles, const struct capture *c,
		    const struct thread_row *row, struct thread_seen *ret);
/* The same for the frames from @from on: what was done before a signal came. */
void thread_wait_from(struct thread_roles *roles, const struct capture *c,
		      const struct thread_row *row, uint32_t from, struct thread_seen *ret);
/* Whether the function belongs to a memory allocator, C or C++. */
bool thread_is_allocator(const struct symbols *symbols, sym_id sym);
/* Whether the function is code of the program: no runtime, wrapper or start of a thread. */
bool thread_is_own(const struct capture *c, sym_id sym);
/* "a lock", "a DNS answer" */
const char *thread_wait_object(enum thread_wait kind);
/* "lock", "dns": for programs. */
const char *thread_wait_name(enum thread_wait kind);

#endif
