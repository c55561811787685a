/* SPDX-License-Identifier: MIT */
/* thread_words.h - shared by rules about thread dumps: names, places, callers */
#ifndef EXPLAIN_THREAD_WORDS_H
#define EXPLAIN_THREAD_WORDS_H

#include "base/str.h"
#include "explain/rule.h"

struct finding;
struct findings;
struct rule_input;

#define THREAD_WORDS_CALLERS 3u /* frames above a place that a sentence or the evidence names */

/* "thread 'main'", "goroutine 18", "the thread at line 12". */
const char *thread_words_name(struct findings *out, const struct rule_input *in, uint32_t row);
/* "12 threads", "1 goroutine": @n threads of the dump. */
const char *thread_words_count(struct findings *out, const struct rule_input *in, uint64_t n);
/* "'Depot::ship', called from 'serve'": the place of @row, outside of the waiting itself. */
const char *thread_words_place(struct findings *out, const struct rule_input *in, uint32_t row);
/* The name of one frame of @row, "?" past its end. */
struct str thread_words_frame(const struct rule_input *in, uint32_t row, uint32_t frame);
/*
 * The frame of @row to blame for a fault: the innermost from @from on that is neither a checker's
 * nor an allocator, and no function of the C or C++ library that does what it is asked for. 0 where
 * all are.
 */
uint32_t thread_words_fault(const struct rule_input *in, uint32_t row, uint32_t from);
/* Add the place of @row and its callers as evidence; the place becomes a subject. */
void thread_words_cite(struct findings *out, struct finding *f, const struct rule_input *in,
		       uint32_t row);
/* Is @row running, according to the dump, if its wait is unknown? */
bool thread_words_runs(const struct rule_input *in, uint32_t row);
/* Does no function have a name? Adds @rule's "not assessed". */
bool thread_words_is_nameless(const struct rule_input *in, const struct rule *rule,
			      struct findings *out);
/* Has no session a printed state or wait? Adds @rule's "not assessed". */
bool thread_words_is_stateless(const struct rule_input *in, const struct rule *rule,
			       struct findings *out);
/* "0x69ec193f8 (shop.Ledger)" */
const char *thread_words_lock(struct findings *out, const struct rule_input *in, uint32_t lock);
/* "17 minutes", "6.9 s" */
const char *thread_words_age(struct findings *out, uint64_t ns);

#endif
