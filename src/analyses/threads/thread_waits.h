/* SPDX-License-Identifier: MIT */
/*
 * thread_waits.h - find the kind of wait of a thread in a dump, and the function that waits
 *
 * From the innermost frame outwards, frames belong to the wait if they are system calls, futexes,
 * lock wrappers or runtime functions. The outermost of these frames determines the kind of wait.
 * The next frame is the place: the function of the program that waits.
 */
#ifndef ANALYSES_THREAD_WAITS_H
#define ANALYSES_THREAD_WAITS_H

#include "base/vec.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;
struct stacks;
struct symbols;
struct thread_row;

enum thread_wait {
	THREAD_WAIT_NONE, /* the thread runs, or its state is unknown */
	THREAD_WAIT_LOCK,
	THREAD_WAIT_EVENT, /* waits for a condition variable, monitor, semaphore or future */
	THREAD_WAIT_JOIN,
	THREAD_WAIT_CHILD,
	THREAD_WAIT_SLEEP,
	THREAD_WAIT_POLL, /* waits in epoll or select: an event loop, which is mostly idle */
	THREAD_WAIT_SOCKET,
	THREAD_WAIT_CONNECT,
	THREAD_WAIT_DNS,
	THREAD_WAIT_DISK,
	/* waits for data in read() or write() of a file, pipe, terminal or socket */
	THREAD_WAIT_READ,
	THREAD_WAIT_FILE_LOCK,
	THREAD_WAIT_SEND,    /* waits until another goroutine or thread receives from the channel */
	THREAD_WAIT_RECEIVE, /* waits until another goroutine or thread sends to the channel */
	THREAD_WAIT_SELECT,
	THREAD_WAIT_POOL,    /* waits until a connection or object of a pool becomes free */
	THREAD_WAIT_GC,      /* waits for garbage collection or a safepoint */
	THREAD_WAIT_IDLE,    /* a worker thread that waits for work */
	THREAD_WAIT_SYSCALL, /* waits in a system call; no frame shows in which one */
	THREAD_WAIT_CPU,     /* runnable, but waiting for a CPU */
	/* waits until a full queue has room, because its consumers are too slow */
	THREAD_WAIT_PUT,
	THREAD_WAIT_FIFO,      /* opens a named pipe whose other end is not open */
	THREAD_WAIT_CONDITION, /* sleeps, tests a condition, and sleeps again until it holds */
	THREAD_WAIT_RANDOM,    /* waits until the source of random numbers has enough entropy */
	/*
	 * waits until a page or buffer is unlocked: it is locked during its I/O, and by its other
	 * users
	 */
	THREAD_WAIT_PAGE,
	THREAD_WAIT_KINDS,
};

struct thread_seen {
	uint64_t lock;  /* address of the lock for which the thread waits; 0: not printed */
	uint32_t wants; /* index of this lock in threads_summary.locks; INDEX_NONE: none */
	/*
	 * index of the innermost frame outside of the wait: the function of the program that waits;
	 * n_frames: all frames belong to the wait
	 */
	uint32_t place;
	/* index of the outermost frame of the wait: the function that `place` calls */
	uint32_t entry;
	uint8_t kind; /* enum thread_wait */
	/*
	 * The thread waits, but its kind of wait is unknown: its innermost address equals that of a
	 * thread whose frames show a wait. (A profile of goroutines omits the functions of the
	 * runtime.)
	 */
	bool is_parked;
};

/* Cache of the roles of functions, indexed by symbol. A zeroed struct is empty. */
struct thread_roles {
	VEC(uint16_t) by_sym;
};

void thread_roles_fini(struct thread_roles *r);
/*
 * Find the wait of the thread @row. Cost: O(frames up to the place). The role of each function is
 * cached in @roles.
 */
void thread_wait_of(struct thread_roles *roles, const struct capture *c,
		    const struct thread_row *row, struct thread_seen *ret);
/*
 * Find the wait of a sampled stack, whose innermost frame is @at. A sample does not show the state
 * of the thread. So the kind is THREAD_WAIT_NONE unless the innermost function is a call that can
 * block.
 */
void thread_wait_of_sample(struct thread_roles *roles, const struct symbols *symbols,
			   const struct stacks *stacks, stack_id at, struct thread_seen *ret);
/* Whether the function belongs to a memory allocator of C or C++. */
bool thread_waits_is_allocator(const struct symbols *symbols, sym_id sym);
/*
 * Whether the function belongs to the program: not to a runtime, a wrapper or the start of a
 * thread.
 */
bool thread_waits_is_own(const struct capture *c, sym_id sym);
/*
 * Whether @sym is a kernel function that waits on behalf of its callers, such as flush_work(). Such
 * a function is the place of a wait only if the stack shows no other function.
 */
bool thread_waits_is_helper(const struct symbols *symbols, sym_id sym);
/* Noun phrase for a kind of wait, which completes "waits for": "a lock", "a DNS answer". */
const char *thread_wait_object(enum thread_wait kind);
/* Name of the state of a thread with this kind of wait, in text output: "lock wait", "sleep". */
const char *thread_wait_state(enum thread_wait kind);
/* Name of a kind of wait in machine-readable output: "lock", "dns". */
const char *thread_wait_name(enum thread_wait kind);

#endif
