/* SPDX-License-Identifier: MIT */
/*
 * threads.h - threads as a dump shows them: state, stack, locks
 *
 * A row is one thread, or `count` threads with the same stack if the tool groups them. A text with
 * several dumps has several snapshots: the same thread then has a row in each of them.
 *
 * Stacks are in the stack tree of the capture's profile. That profile has one sample per row, with
 * `count` as its weight. `frames` also has the printed frames of each row, innermost first, because
 * rows with the same stack may have different arguments and lines.
 *
 * Owner: the capture. Memory: 112 bytes per row, 32 bytes per frame.
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
	THREAD_LOCK_WANTED, /* the thread waits to acquire the lock */
	THREAD_LOCK_EVENT,  /* the thread waits for a notification: condition, monitor, semaphore */
};

/*
 * Replaces the address of a lock, for a dump that prints the number of the lock's owner instead of
 * the address. Numbers of owners are below 2^22, like all PIDs. The resulting values are in the
 * last 4 MiB of the address space, which contain no object.
 */
#define THREAD_LOCK_OF_OWNER(number) (UINT64_MAX - (number))
#define THREAD_LOCK_NUMBERS          (UINT64_C(1) << 22)

static inline bool thread_lock_has_address(uint64_t address)
{
	return address <= UINT64_MAX - THREAD_LOCK_NUMBERS;
}

struct thread_lock {
	uint64_t address; /* address of the lock, or THREAD_LOCK_OF_OWNER() */
	str_id type;      /* class of the object; STR_ID_NONE: missing */
	str_id owner;     /* name of the thread that holds the lock; STR_ID_NONE: not printed */
	/* mode of a lock in a database: "X insert intention"; STR_ID_NONE: not printed */
	str_id mode;
	/* the frame that took the lock or waits for it: its index among the frames of this row */
	uint32_t frame;
	/* line of the original input that is about this lock only; 0: no such line */
	uint32_t line;
	uint8_t kind; /* enum thread_lock_kind */
};

struct thread_frame {
	/* first pointer argument, usually the object of the method; 0: none printed */
	uint64_t object;
	sym_id sym;
	uint32_t line; /* line of the original input */
	/*
	 * source file and line that this frame prints. Static functions of several files may have
	 * one name, so the file of `sym` may be another one. STR_ID_NONE, 0: not printed
	 */
	str_id source_file;
	uint32_t source_line;
	/*
	 * printed arguments, stored only if the next or previous frame has the same function, or
	 * if one argument is a timeout; STR_ID_NONE: not stored
	 */
	str_id args;
	uint8_t null_args; /* bit i: argument i, from 0, is printed as a null pointer */
	/* number of a signal that an argument prints, such as 6 for "signo=6"; 0: none */
	uint8_t signal;
	/*
	 * the arguments are a condition and a source line, as in __assert_fail(): a check failed
	 * here
	 */
	bool is_check;
	/* a Java method in native code; a JVM reports its thread as runnable even while it waits */
	bool is_native;
};

struct thread_row {
	str_id name;          /* name as printed; STR_ID_NONE: the dump has none */
	str_id id;            /* id as printed: "17922", "0x7f66d052d800", "163918546" */
	str_id state_text;    /* state as printed: "chan send", "BLOCKED (on object monitor)" */
	str_id creator;       /* function that started the thread; STR_ID_NONE: missing */
	str_id creator_place; /* "start.go:12", its source line; STR_ID_NONE: missing */
	/*
	 * name of the lock that the thread holds while it takes the lock `name`, in a report about
	 * the order of locks; STR_ID_NONE: missing
	 */
	str_id holds;
	uint64_t count;          /* number of threads that the row stands for */
	uint64_t age_ns;         /* how long the thread has been in its current state; 0: missing */
	uint64_t cpu_ns;         /* CPU time of the thread from its start to the dump; 0: missing */
	uint64_t lifetime_ns;    /* time since its start; 0: missing */
	uint64_t transaction_ns; /* age of the open transaction of a session; 0: missing */
	/*
	 * address of the innermost frame, if the dump prints addresses separately from the frames;
	 * 0: missing
	 */
	uint64_t top;
	uint32_t snapshot; /* number of the snapshot, from 0 */
	/*
	 * line of the original input with the thread's title; without a title, with its first frame
	 */
	uint32_t line;
	uint32_t first_frame, n_frames;
	uint32_t first_lock, n_locks;
	/*
	 * number of frames of the whole stack: the highest printed frame number plus 1. Larger than
	 * n_frames if the dump omits frames
	 */
	uint32_t depth;
	/* number of innermost frames that belong to a signal handler; 0: none */
	uint32_t signal_at;
	stack_id stack;
	uint8_t state;   /* enum thread_state */
	bool is_current; /* the thread that crashed, or in which the debugger stopped */
	/* the innermost frames are missing, so the thread's current function is unknown */
	bool has_no_top;
	bool is_owner; /* the dump shows this thread only because another thread waits for it */
};

enum thread_note_kind {
	THREAD_NOTE_SIGNAL, /* signal that ended the process: "SIGSEGV, Segmentation fault." */
	THREAD_NOTE_ASSERT, /* text of a failed assertion */
	THREAD_NOTE_PANIC,  /* message of a panic, an uncaught exception, an abort */
	/*
	 * A checker reports that a thread locks a mutex that it already holds. The first stack
	 * shows this second attempt, the second stack shows where the thread first locked the
	 * mutex.
	 */
	THREAD_NOTE_RELOCK,
	/*
	 * A checker reports that threads take two locks in both orders. Each order has two stacks:
	 * where the inner lock is taken, then where the outer lock is taken.
	 */
	THREAD_NOTE_LOCK_ORDER,
	THREAD_NOTE_DEADLOCK, /* the runtime itself reports a deadlock */
	/* a test runner ends the process, because a test did not end in time */
	THREAD_NOTE_TIMEOUT,
	/*
	 * A checker reports a bad memory access. The first stack shows the access. The next stacks
	 * show where the memory was freed and allocated; their printed titles are in
	 * thread_row.name.
	 */
	THREAD_NOTE_CHECKER,
	/* a test finds threads or goroutines that still run at its end; their stacks follow */
	THREAD_NOTE_LEAK,
	/* the sentence "The program crashed", or a similar one, above the only stack of a text */
	THREAD_NOTE_PROSE,
};

/* A sentence of the dump about the process as a whole. */
struct thread_note {
	str_id text;
	uint64_t age_ns; /* time from the event to the dump; 0: unknown */
	uint32_t line;
	uint8_t kind; /* enum thread_note_kind */
};

struct threads {
	VEC(struct thread_row) rows; /* in the order of the text */
	VEC(struct thread_frame) frames;
	VEC(struct thread_lock) locks;
	VEC(struct thread_note) notes;
	str_id dialect; /* tool or kind of dump: "gdb", "jstack", "goroutines" */
	uint32_t snapshots;
	/* number of threads that the last dump states as its total; 0: not printed */
	uint64_t total;
	/*
	 * number of hexadecimal digits of the longest printed address of a lock, with leading zeros
	 */
	uint8_t lock_digits;
	/*
	 * rows are sessions of a database, which have no stacks: the frames of a row are not
	 * functions, but the wait and the statement of the session
	 */
	bool is_sessions;
	/* for sessions: no column shows waits, so a session that looks active may wait */
	bool has_no_waits;
	/*
	 * for sessions: the text does not print the time of the dump, so ages were computed from
	 * the latest time in the text; the true ages may be larger
	 */
	bool has_no_clock;
	/*
	 * a breakpoint or a crash stopped the program, so the stacks do not show where it usually
	 * spends its time
	 */
	bool is_stopped;
	bool has_lock_list; /* the locks of tasks are from lockdep's list of locks */
	/*
	 * ages are lower bounds, because the dump only prints a limit that the thread has exceeded:
	 * "blocked for more than 122 seconds"
	 */
	bool has_limits;
};

void threads_init(struct threads *t);
void threads_fini(struct threads *t);
/* Number of threads in @snapshot: the sum of their counts. Cost: O(rows). */
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

/* Whether a checker of locks or memory printed the stacks. No thread waits in such stacks. */
bool threads_is_checked(const struct threads *t);
/*
 * Whether @t is a report about the order of locks. Its stacks show where threads took locks in the
 * past: two stacks for each order. No thread waits in these stacks.
 */
bool threads_is_order(const struct threads *t);

#endif
