/* SPDX-License-Identifier: MIT */
/*
 * thread_words.h - what rules about dumps of threads share: names, places, callers
 */
#ifndef EXPLAIN_THREAD_WORDS_H
#define EXPLAIN_THREAD_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct finding;
struct findings;
struct rule_input;

#define THREAD_WORDS_CALLERS 3u /* frames behind a place that a sentence or the evidence names */

/* "thread 'main'", "goroutine 18", "the thread at line 12". */
const char *thread_words_name(struct findings *out, const struct rule_input *in, uint32_t row);
/* "12 threads", "1 goroutine": @n of what the dump holds. */
const char *thread_words_count(struct findings *out, const struct rule_input *in, uint64_t n);
/* "'Depot::ship', called from 'serve'": where @row stands behind its waiting. */
const char *thread_words_place(struct findings *out, const struct rule_input *in, uint32_t row);
/* The name of one frame of @row, "?" past its end. */
struct str thread_words_frame(const struct rule_input *in, uint32_t row, uint32_t frame);
/* The next frame from @frame on that is code of the program; n_frames for none. */
uint32_t thread_words_own(const struct rule_input *in, uint32_t row, uint32_t frame);
/* The place of @row and its callers as evidence; the place becomes a subject. */
void thread_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		       uint32_t row);
/* Whether the dump shows that @row, which waits for nothing known, is running. */
bool thread_words_runs(const struct rule_input *in, uint32_t row);
/* No function has a name: @rule says so and is not assessed. */
bool thread_words_is_nameless(const struct rule_input *in, const struct rule *rule,
			      struct findings *out);
/* "0x69ec193f8 (shop.Ledger)" */
const char *thread_words_lock(struct findings *out, const struct rule_input *in, uint32_t lock);
/* "17 minutes", "6.9 s" */
const char *thread_words_age(struct findings *out, uint64_t ns);

#endif
