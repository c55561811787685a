/* SPDX-License-Identifier: MIT */
/*
 * thread_words.h - texts about thread dumps, for several rules: threads, the functions in which
 * they wait, callers
 */
#ifndef EXPLAIN_THREAD_WORDS_H
#define EXPLAIN_THREAD_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct capture;
struct finding;
struct findings;
struct rule_input;
struct wait_reason;

/* maximum number of functions that a sentence names: the function that waits, and its callers */
#define THREAD_WORDS_CALLERS 3u

/*
 * frames of the C++ library that run a task and store its result for the thread that submitted it
 */
#define THREAD_WORDS_TASKS "std::packaged_task<*"

/* The noun of the dump for a thread: "thread", "goroutine", "task", "session". */
const char *thread_words_kind(const struct rule_input *in);
/*
 * The text that shows the threads, as the last part of a figure's name: "threads in the dump". If
 * the text is an excerpt, the dump has further threads: "threads in the text".
 */
const char *thread_words_all(struct findings *out, const struct rule_input *in,
			     const char *threads);
/* Name of thread @row: "thread 'main'", "goroutine 18", "the thread at line 12". */
const char *thread_words_name(struct findings *out, const struct rule_input *in, uint32_t row);
/* @n with the noun of thread_words_kind(): "12 threads", "1 goroutine". */
const char *thread_words_count(struct findings *out, const struct rule_input *in, uint64_t n);
/*
 * The function in which thread @row waits or runs, and its callers: "Depot::ship, called from
 * serve". It is the innermost application function (thread_seen.place), outside of the library
 * frames of the wait.
 */
const char *thread_words_place(struct findings *out, const struct rule_input *in, uint32_t row);
/* Name of frame @frame of thread @row; frame 0 is the innermost. "?" if there is no such frame. */
struct str thread_words_frame(const struct rule_input *in, uint32_t row, uint32_t frame);
/*
 * The first frame of thread @row from @from outwards that is of the program, not of a library.
 * The number of frames if there is none, or if the stack does not name its source line.
 */
uint32_t thread_words_program(const struct rule_input *in, uint32_t row, uint32_t from);
/*
 * Name of frame @frame of thread @row, and the source line that this frame prints:
 * "Depot::ship (depot.cc:12)".
 */
const char *thread_words_frame_at(struct findings *out, const struct rule_input *in, uint32_t row,
				  uint32_t frame);
/* Does thread @row wait in a file system whose data is on another machine or in another process? */
bool thread_words_is_remote(const struct rule_input *in, uint32_t row);
/*
 * The reason why thread @row waits, if a kernel function called by thread_seen.place shows it.
 * NULL: unknown.
 */
const struct wait_reason *thread_words_reason(const struct rule_input *in, uint32_t row);
/*
 * The object for which thread @row waits, as thread_words_reason() or thread_wait_object() name it.
 * For a network file system, a wait for the disk is "I/O of a network file system".
 */
const char *thread_words_object(const struct rule_input *in, uint32_t row);
/*
 * Name of the innermost function of the running thread @row, if it is only a short step of its
 * caller (a smart pointer, an iterator, a size). Empty: it is no short step.
 */
struct str thread_words_step(const struct rule_input *in, uint32_t row);
/*
 * Index of the frame to blame for a memory error in thread @row, searched from @from outwards.
 * Skipped are frames of the checker and the allocator, and library functions such as memcpy that
 * only access their arguments. Returns @from if no frame remains.
 */
uint32_t thread_words_fault(const struct rule_input *in, uint32_t row, uint32_t from);
/*
 * Add the lines of the functions that thread_words_place() names as evidence. The first one
 * becomes a subject of the finding.
 */
void thread_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		       uint32_t row);
/* Does the dump show that thread @row runs, and does not wait? */
bool thread_words_runs(const struct rule_input *in, uint32_t row);
/*
 * Does the dump print that thread @row runs, or that it used CPU time since the previous dump? If
 * not, the thread runs only probably: none of its frames is a wait.
 */
bool thread_words_is_shown_running(const struct rule_input *in, uint32_t row);
/*
 * Does thread @row wait, according to its printed state ("WAITING", "S"), or because it is parked?
 */
bool thread_words_sleeps(const struct rule_input *in, uint32_t row);
/* The verb for a thread without a known wait: "run", "wait", or "stand" if the state is unknown. */
const char *thread_words_verb(const struct rule_input *in, uint32_t row);
/* Are the names of all functions missing in the dump? Then add "not assessed" of @rule. */
bool thread_words_is_nameless(const struct rule_input *in, const struct rule *rule,
			      struct findings *out);
/* Are the states of all sessions missing in the dump? Then add "not assessed" of @rule. */
bool thread_words_is_stateless(const struct rule_input *in, const struct rule *rule,
			       struct findings *out);
/* Address and type of a lock, as printed: "0x69ec193f8 (shop.Ledger)". */
const char *thread_words_lock(struct findings *out, const struct rule_input *in, uint32_t lock);
/*
 * The command of gdb that prints the pthread mutex for which thread @row waits, and so its owner.
 * NULL: it waits for no such mutex, or the address is unknown.
 */
const char *thread_words_mutex(struct findings *out, const struct rule_input *in, uint32_t row);
/*
 * A next step that finds the owner of the lock for which thread @row waits. A pthread mutex
 * stores its owner; locks of Java and Go do not. @is_stuck: the lock is never released
 * (deadlock).
 */
const char *thread_words_find_owner(struct findings *out, const struct rule_input *in, uint32_t row,
				    bool is_stuck);
/*
 * The command that prints the stacks of all threads once more, by the tool of this dump: "jstack
 * PID". NULL: unknown. @is_stopped: a debugger or a crash stopped the program, so no later dump
 * differs from this one; the command then is one of this debugger, or NULL.
 */
const char *thread_words_dump(const struct rule_input *in, bool *is_stopped);
/*
 * The start of a next step that takes more dumps of the program: "jstack PID, three times, 10 s
 * apart". Of a stopped program: thread_words_dump().
 */
const char *thread_words_dumps(struct findings *out, const struct rule_input *in);
/* Does a sentence right above the stacks say that the program hangs? */
bool thread_words_says_hang(const struct rule_input *in);
/*
 * A next step: thread_words_dumps(), then what to look for in its output: @moves, or @stopped if no
 * later dump can differ.
 */
const char *thread_words_watch(struct findings *out, const struct rule_input *in, const char *moves,
			       const char *stopped);
/* Is the dump @c a profile of goroutines as text (debug=1), which prints no states? */
bool thread_words_is_goroutine_profile(const struct capture *c);
/*
 * The subject of a finding, for finding_about(): the place of thread @row of this dump. Findings
 * about the same place get the same text.
 */
const char *thread_words_about_place(struct findings *out, const struct rule_input *in,
				     uint32_t row);
/* next step for a profile of goroutines without states: how to get a dump with states */
extern const char thread_words_goroutine_states[];
/* Does a thread other than @row hold the GIL, in a dump of py-spy? */
bool thread_words_lacks_gil(const struct rule_input *in, uint32_t row);
/* Does the dump show that the wait of thread @row has a time limit? */
bool thread_words_has_limit(const struct rule_input *in, uint32_t row);
/* The time @ns for a sentence, rounded down: "17 minutes", "122 s", "6.9 s". */
const char *thread_words_age(struct findings *out, uint64_t ns);
/* Like thread_words_age(), but rounded up, for texts such as "at most 7.0 s". */
const char *thread_words_age_most(struct findings *out, uint64_t ns);
/*
 * A range of times for a sentence: "2 to 90 minutes", or "up to 90 minutes" if @least is 0. If the
 * dump prints limits that the threads exceeded: "more than 122 s", or "" if @least is 0.
 */
const char *thread_words_ages(struct findings *out, const struct rule_input *in, uint64_t least,
			      uint64_t most);

/*
 * Does thread @row wait for a result? True if one of its frames names a future, a latch or a
 * result. A worker without work also waits for a signal, but has no such frame.
 */
bool thread_words_wants_result(const struct rule_input *in, uint32_t row);
/*
 * Does thread @row wait inside a task of a thread pool? True if a frame further outwards is the
 * loop of a worker.
 */
bool thread_words_is_in_task(const struct rule_input *in, uint32_t row);

/*
 * Set @ret_cpu_ns to the CPU time that thread @row used since the previous dump, and @ret_ns to
 * the time between the two dumps. False: the dumps do not print both.
 */
bool thread_words_used(const struct rule_input *in, uint32_t row, uint64_t *ret_cpu_ns,
		       uint64_t *ret_ns);

#endif
