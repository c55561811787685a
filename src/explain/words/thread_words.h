/* SPDX-License-Identifier: MIT */
/* thread_words.h - texts about thread dumps, for several rules: names, places, callers */
#ifndef EXPLAIN_THREAD_WORDS_H
#define EXPLAIN_THREAD_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct finding;
struct findings;
struct rule_input;

/* maximum number of frames in a sentence: a place and its callers */
#define THREAD_WORDS_CALLERS 3u

/* Name of a thread: "thread 'main'", "goroutine 18", "the thread at line 12". */
/* What the dump calls a thread: "thread", "goroutine", "session". */
const char *thread_words_kind(const struct rule_input *in);
const char *thread_words_name(struct findings *out, const struct rule_input *in, uint32_t row);
/* Number of threads: "12 threads", "1 goroutine". */
const char *thread_words_count(struct findings *out, const struct rule_input *in, uint64_t n);
/*
 * The place of @row with its callers: "Depot::ship, called from serve". The place is the function
 * that waits, without the frames of the wait itself.
 */
const char *thread_words_place(struct findings *out, const struct rule_input *in, uint32_t row);
/* The name of one frame of @row; "?" past the last frame. */
struct str thread_words_frame(const struct rule_input *in, uint32_t row, uint32_t frame);
/*
 * The frame of @row to blame for a memory error: the first suitable frame, starting at @from.
 * Frames of a checker or an allocator are not suitable, nor are library functions that only access
 * their arguments. @from if no frame is suitable.
 */
uint32_t thread_words_fault(const struct rule_input *in, uint32_t row, uint32_t from);
/* Cite the place of @row and its callers. The place becomes a subject. */
void thread_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		       uint32_t row);
/* Does the dump show @row as running, and not in a known wait? */
bool thread_words_runs(const struct rule_input *in, uint32_t row);
/* Whether the printed state of the thread is a wait. */
bool thread_words_sleeps(const struct rule_input *in, uint32_t row);
/* What a thread without a known wait does: "run", "wait", "stand". */
const char *thread_words_verb(const struct rule_input *in, uint32_t row);
/* Are all functions unnamed? Then add @rule's "not assessed". */
bool thread_words_is_nameless(const struct rule_input *in, const struct rule *rule,
			      struct findings *out);
/* Does no session have a printed state? Then add @rule's "not assessed". */
bool thread_words_is_stateless(const struct rule_input *in, const struct rule *rule,
			       struct findings *out);
/* Address and type of a lock: "0x69ec193f8 (shop.Ledger)". */
const char *thread_words_lock(struct findings *out, const struct rule_input *in, uint32_t lock);
/*
 * The step that finds the owner of the lock for which @row waits: a native mutex stores it, locks
 * of Java and Go do not. @is_stuck: nobody releases the lock any more.
 */
const char *thread_words_find_owner(struct findings *out, const struct rule_input *in, uint32_t row,
				    bool is_stuck);
/* Does another thread of the dump of Python have the GIL, and @row not? */
bool thread_words_lacks_gil(const struct rule_input *in, uint32_t row);
/* Does the wait of @row have a printed time limit? */
bool thread_words_has_limit(const struct rule_input *in, uint32_t row);
/* Duration for a sentence: "17 minutes", "6.9 s". */
const char *thread_words_age(struct findings *out, uint64_t ns);
/* The same for threads with different ages: "2 to 90 minutes"; @least 0: "up to 90 minutes". */
const char *thread_words_ages(struct findings *out, uint64_t least, uint64_t most);

/*
 * Whether the thread waits for a result: a frame of the wait, or its place, names a future, a latch
 * or a result. Other waits for a signal are also those of workers without work.
 */
bool thread_words_wants_result(const struct rule_input *in, uint32_t row);
/* Whether the code that waits runs as a task: the loop of a pool's worker is outside of it. */
bool thread_words_is_in_task(const struct rule_input *in, uint32_t row);

/*
 * The CPU time that thread @row used since the previous dump of it, and the time between the two.
 * False: the dumps do not print both.
 */
bool thread_words_used(const struct rule_input *in, uint32_t row, uint64_t *ret_cpu_ns,
		       uint64_t *ret_ns);

#endif
