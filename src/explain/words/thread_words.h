/* SPDX-License-Identifier: MIT */
/*
 * thread_words.h - texts about thread dumps, for several rules: threads, the functions in which
 * they wait, callers
 */
#ifndef EXPLAIN_THREAD_WORDS_H
#define EXPLAIN_THREAD_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct finding;
struct findings;
struct rule_input;

/* maximum number of functions that a sentence names: the waiting function and its callers */
#define THREAD_WORDS_CALLERS 3u

/* Name of a thread: "thread 'main'", "goroutine 18", "the thread at line 12". */
/* The noun of the dump for a thread: "thread", "goroutine", "task", "session". */
const char *thread_words_kind(const struct rule_input *in);
const char *thread_words_name(struct findings *out, const struct rule_input *in, uint32_t row);
/* @n with the noun of thread_words_kind(): "12 threads", "1 goroutine". */
const char *thread_words_count(struct findings *out, const struct rule_input *in, uint64_t n);
/*
 * The place of @row, with its callers: "Depot::ship, called from serve". The place
 * (thread_seen.place) is the application function that waits or runs, outside of the library frames
 * of the wait itself.
 */
const char *thread_words_place(struct findings *out, const struct rule_input *in, uint32_t row);
/* The name of one frame of @row, counted from the innermost; "?" past the outermost. */
struct str thread_words_frame(const struct rule_input *in, uint32_t row, uint32_t frame);
/*
 * Index of the frame of @row to blame for a memory error: from @from outwards the first frame that
 * belongs neither to a checker or allocator, nor to a library function that only accesses its
 * arguments. If there is none: @from.
 */
uint32_t thread_words_fault(const struct rule_input *in, uint32_t row, uint32_t from);
/*
 * Cite the lines of the place of @row (see above) and of its callers. The place becomes a subject.
 */
void thread_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		       uint32_t row);
/* Does the dump show @row as running, and not in a known wait? */
bool thread_words_runs(const struct rule_input *in, uint32_t row);
/* Is the printed state of the thread a state of waiting? */
bool thread_words_sleeps(const struct rule_input *in, uint32_t row);
/*
 * The verb for a thread without a known wait: "run", "wait", or, if its state is unknown, "stand".
 */
const char *thread_words_verb(const struct rule_input *in, uint32_t row);
/* Are all functions unnamed? Then add @rule's "not assessed". */
bool thread_words_is_nameless(const struct rule_input *in, const struct rule *rule,
			      struct findings *out);
/* Does no session have a printed state? Then add @rule's "not assessed". */
bool thread_words_is_stateless(const struct rule_input *in, const struct rule *rule,
			       struct findings *out);
/* Address and type of a lock, as printed: "0x69ec193f8 (shop.Ledger)". */
const char *thread_words_lock(struct findings *out, const struct rule_input *in, uint32_t lock);
/*
 * A next step that finds the owner of the lock for which @row waits. A native mutex stores its
 * owner; locks of Java and Go do not. @is_stuck: nobody will ever release the lock.
 */
const char *thread_words_find_owner(struct findings *out, const struct rule_input *in, uint32_t row,
				    bool is_stuck);
/* In a dump of py-spy: does another thread hold the GIL, and not @row? */
bool thread_words_lacks_gil(const struct rule_input *in, uint32_t row);
/* Does the wait of @row have a printed time limit? */
bool thread_words_has_limit(const struct rule_input *in, uint32_t row);
/* Duration for a sentence: "17 minutes", "6.9 s". */
const char *thread_words_age(struct findings *out, uint64_t ns);
/*
 * The same for threads that waited between @least and @most: "2 to 90 minutes"; @least 0: "up to 90
 * minutes".
 */
const char *thread_words_ages(struct findings *out, uint64_t least, uint64_t most);

/*
 * Does the thread wait for a result? A frame of its wait, or the function that waits, names a
 * future, a latch or a result. A worker without work also waits for a signal, but has no such
 * frame.
 */
bool thread_words_wants_result(const struct rule_input *in, uint32_t row);
/*
 * Does the waiting code of @row run as a task of a pool? Then a frame further outwards is the loop
 * of a worker.
 */
bool thread_words_is_in_task(const struct rule_input *in, uint32_t row);

/*
 * The CPU time that thread @row used since the previous dump of the same thread, and the time
 * between the two dumps. False: the dumps do not print both.
 */
bool thread_words_used(const struct rule_input *in, uint32_t row, uint64_t *ret_cpu_ns,
		       uint64_t *ret_ns);

#endif
