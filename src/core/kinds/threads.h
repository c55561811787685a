/* SPDX-License-Identifier: MIT */
/*
 * threads.h - threads as a dump shows them: state, stack, locks
 *
 * A row is one thread, or `count` threads with one stack where the tool adds them up. A text
 * with several dumps has several snapshots: the same thread then has a row in each.
 *
 * The stack is in the stack tree of the capture's profile, which has one sample a row with the
 * count as its weight. `frames` holds the printed frames of each row once more, innermost first,
 * because arguments and lines differ between rows with one stack.
 *
 * Owner: the capture. Memory: 112 bytes a row, 24 bytes a frame.
 */
#ifndef CORE_THREADS_H
#define CORE_THREADS_H

#include "base/vec.h"
#include "core/ids.h"

enum thread_state {
	THREAD_UNKNOWN,
	THREAD_RUNNING, /* on a CPU, or able to run */
	THREAD_BLOCKED, /* waits for a lock */
	THREAD_WAITING, /* sleeps until an event comes */
	THREAD_READY,   /* able to run, and waits for a CPU */
	THREAD_DISK,    /* sleeps and cannot be interrupted: state D of Linux */
};

enum thread_lock_kind {
	THREAD_LOCK_HELD,
	THREAD_LOCK_WANTED, /* waits to enter it */
	THREAD_LOCK_EVENT,  /* waits for a signal of it: condition, monitor, semaphore */
};

/*
 * A lock without an address: a dump names its owner, whose number (below 2^22, as PIDs are) stands
 * for it. The last 4 MiB of an address space hold no object.
 */
#define THREAD_LOCK_OF_OWNER(number) (UINT64_MAX - (number))
#define THREAD_LOCK_NUMBERS          (UINT64_C(1) << 22)

static inline bool thread_lock_has_address(uint64_t address)
{
	return address <= UINT64_MAX - THREAD_LOCK_NUMBERS;
}

struct thread_lock {
	uint64_t address; /* or THREAD_LOCK_OF_OWNER() */
	str_id type;      /* class of the object; STR_ID_NONE: missing */
	str_id owner;     /* name of its owner, where the dump has it */
	uint32_t frame;   /* of the row, from 0: the frame that took it or waits for it */
	uint8_t kind;     /* enum thread_lock_kind */
};

struct thread_frame {
	uint64_t object; /* first pointer among its arguments, the receiver; 0: none printed */
	sym_id sym;
	uint32_t line; /* of the original input */
	bool has_null; /* one of its arguments is a null pointer */
};

struct thread_row {
	str_id name;             /* as printed; STR_ID_NONE: the dump has none */
	str_id id;               /* "17922", "0x7f66d052d800", "163918546" */
	str_id state_text;       /* "chan send", "BLOCKED (on object monitor)" */
	str_id creator;          /* function that started it; STR_ID_NONE: missing */
	uint64_t count;          /* threads that the row stands for */
	uint64_t age_ns;         /* how long it has been in that state; 0: missing */
	uint64_t transaction_ns; /* how long the transaction of a session is open; 0: missing */
	uint32_t snapshot;       /* from 0 */
	uint32_t line;           /* of the original input: its title, or its first frame */
	uint32_t first_frame, n_frames;
	uint32_t first_lock, n_locks;
	uint32_t depth; /* frames by the printed numbers; more than n_frames: some are left out */
	uint32_t signal_at; /* frames inside a signal handler; 0: none */
	stack_id stack;
	uint8_t state;   /* enum thread_state */
	bool is_current; /* the thread in which the debugger stopped, or that crashed */
	bool has_no_top; /* the innermost frames are missing: its current function is unknown */
	bool is_owner;   /* printed because another task waits for it */
};

enum thread_note_kind {
	THREAD_NOTE_SIGNAL,     /* "SIGSEGV, Segmentation fault." */
	THREAD_NOTE_ASSERT,     /* text of a failed assertion */
	THREAD_NOTE_PANIC,      /* message of a panic, an uncaught exception, an abort */
	THREAD_NOTE_RELOCK,     /* a checker: a thread takes a lock that it holds; the stack
				   of the second time, then that of the first */
	THREAD_NOTE_LOCK_ORDER, /* a checker: for each order the stack of the inner lock, then
				   that of the outer one */
	THREAD_NOTE_DEADLOCK,   /* the runtime itself reports a deadlock */
	THREAD_NOTE_MEMORY,     /* a checker: a bad access; its stack, then those where the memory
				   was freed and allocated, whose titles are names */
	THREAD_NOTE_PROSE,      /* a line above a single stack that calls it a crash */
};

/* A sentence of the dump about the process as a whole. */
struct thread_note {
	str_id text;
	uint32_t line;
	uint8_t kind; /* enum thread_note_kind */
};

struct threads {
	VEC(struct thread_row) rows; /* in order of print */
	VEC(struct thread_frame) frames;
	VEC(struct thread_lock) locks;
	VEC(struct thread_note) notes;
	str_id dialect; /* "gdb", "jstack", "goroutines" */
	uint32_t snapshots;
	bool is_sessions; /* rows are sessions of a database, frames their waits and statements */
};

void threads_init(struct threads *t);
void threads_fini(struct threads *t);
/* Threads in @snapshot, counts added up. Cost: O(rows). */
uint64_t threads_count(const struct threads *t, uint32_t snapshot);

static inline const struct thread_frame *threads_frames(const struct threads *t,
							const struct thread_row *row)
{
	return t->frames.data + row->first_frame;
}

static inline const struct thread_lock *threads_locks(const struct threads *t,
						      const struct thread_row *row)
{
	return t->locks.data + row->first_lock;
}

/* Are the stacks those that a checker of locks or memory reports? Then no thread waits in them. */
bool threads_is_checked(const struct threads *t);

#endif
