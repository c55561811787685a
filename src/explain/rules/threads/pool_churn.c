/* SPDX-License-Identifier: MIT */
/*
 * Thread pools are created again and again. Runtimes number the pools and threads that the program
 * does not name: "pool-12567-thread-1" belongs to the 12567th pool of this process.
 *
 * Thresholds: normally each part of a program creates a pool, some tens in total. If 100 pools or
 * more were created, each unit of work probably creates one. If 20 pools exist at once, with at
 * most two threads each, the program does not shut them down. If most pools that were ever created
 * still exist, and they are fewer than 100, each part of a large program may own one. Then the
 * finding is a note.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(pool_churn);

#define CHURN_MADE         100u
#define CHURN_LIVE         20u
#define CHURN_LIVE_THREADS 2u
#define CHURN_SURE_MADE    80u
#define CHURN_SURE_LIVE    90u
#define CHURN_SURE_PARTS   60u

/*
 * Default names of pool threads ("pool-7-thread-1"): the text before and after the number of the
 * pool, and the call that creates pools with such names.
 */
static const struct {
	const char *before, *after;
	const char *made_by;
} churn_names[] = {
	/* source: java.util.concurrent.Executors.DefaultThreadFactory */
	{ "pool-", "-thread-", "Executors.newFixedThreadPool and its like" },
	/* source: java.util.concurrent.ForkJoinPool */
	{ "ForkJoinPool-", "-worker-", "new ForkJoinPool" },
	/* source: Lib/concurrent/futures/thread.py */
	{ "ThreadPoolExecutor-", "_", "ThreadPoolExecutor()" },
	/* source: java.util.Timer */
	{ "Timer-", "", "new Timer" },
};

struct churn {
	size_t name; /* index in churn_names */
	VEC(uint64_t) numbers;
	uint64_t threads;
	uint64_t newest;
	uint64_t live; /* number of different pools in the dump */
	uint32_t row;  /* row of a thread of the newest pool, which has the largest number */
};

static void churn_add(struct churn *c, const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	struct str s = strings_get(capture_strings(in->capture), r->name);
	uint64_t number;

	if (!str_take(&s, str_of(churn_names[c->name].before)) || !str_u64(&s, &number) ||
	    !str_starts(s, str_of(churn_names[c->name].after)))
		return;
	*VEC_PUSH(&c->numbers) = number;
	c->threads += r->count;
	if (number >= c->newest) {
		c->newest = number;
		c->row = row;
	}
}

static int churn_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void churn_count(struct churn *c, const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		if (threads_summary_row(s, i)->snapshot == s->snapshot)
			churn_add(c, in, i);
	}
	VEC_SORT(&c->numbers, churn_order);
	for (size_t i = 0; i < c->numbers.len; i++)
		c->live += i == 0 || c->numbers.data[i] != c->numbers.data[i - 1];
}

static bool churn_is_kept(const struct churn *c)
{
	return c->live >= CHURN_LIVE && c->threads <= CHURN_LIVE_THREADS * c->live;
}

/*
 * Could each pool belong to a different part of a large program, which created it once? It could if
 * fewer than CHURN_MADE pools exist, and they are most of the pools that were ever created.
 */
static bool churn_may_be_parts(const struct churn *c)
{
	return c->live < CHURN_MADE && c->newest < 2 * c->live;
}

static void churn_finding(const struct rule_input *in, struct findings *out, const struct churn *c)
{
	bool is_kept = churn_is_kept(c);
	bool may_be_parts = churn_may_be_parts(c);
	struct finding *f = finding_add(out, in, &rule_pool_churn,
					may_be_parts ? FINDING_NOTE : FINDING_WARNING,
					may_be_parts ? CHURN_SURE_PARTS
					: is_kept    ? CHURN_SURE_LIVE
						     : CHURN_SURE_MADE);
	const char *name = thread_words_name(out, in, c->row);

	if (may_be_parts)
		finding_claim(
			out, f,
			"%llu thread pools live at once with %llu threads, nearly all that were "
			"made; the newest is number %llu (%s)",
			(unsigned long long)c->live, (unsigned long long)c->threads,
			(unsigned long long)c->newest, name);
	else if (is_kept)
		finding_claim(out, f,
			      "Thread pools leak: %llu live at once with %llu threads, the newest "
			      "is number %llu (%s)",
			      (unsigned long long)c->live, (unsigned long long)c->threads,
			      (unsigned long long)c->newest, name);
	else
		finding_claim(out, f,
			      "Thread pools are made again and again: the newest is number %llu "
			      "(%s), %llu of them %s",
			      (unsigned long long)c->newest, name, (unsigned long long)c->live,
			      c->live == 1 ? "lives" : "live");
	finding_figure(f, "number of the newest pool", (double)c->newest, 0, "");
	finding_figure(f, "pools that live", (double)c->live, 0, "");
	finding_figure(f, "their threads", (double)c->threads, 0, "");
	thread_words_cite(out, f, in, c->row);
	finding_usual_cause(
		out, f, "%s",
		may_be_parts
			? "Each part of the program made a pool of its own once; or each request "
			  "makes one and does not shut it down, and their number grows"
		: is_kept ? "Each request or object makes a pool of its own and does not shut "
			    "it down: threads and memory grow until no thread can be started"
			  : "Each request or task makes a pool of its own. Starting and ending "
			    "its threads costs more than the work, and nothing limits them");
	finding_because(out, f, "the runtime counts the pools in these names");
	finding_next(out, f,
		     "find %s in code that runs for each request: make one pool and share it; "
		     "a second dump shows how fast the number grows",
		     churn_names[c->name].made_by);
}

/* Does any thread have a name? Goroutines have none, and threads of gdb often have none. */
static bool churn_has_names(const struct rule_input *in)
{
	for (uint32_t i = 0; i < in->threads->rows.len; i++) {
		if (strings_get(capture_strings(in->capture),
				threads_summary_row(in->threads, i)->name)
			    .len)
			return true;
	}
	return false;
}

static void churn_check(const struct rule_input *in, struct findings *out)
{
	bool is_found = false;
	size_t seen = 0;

	for (size_t i = 0; i < ARRAY_LEN(churn_names) && !is_found; i++) {
		struct churn c = { .name = i };

		churn_count(&c, in);
		is_found = c.newest >= CHURN_MADE || churn_is_kept(&c);
		if (is_found)
			churn_finding(in, out, &c);
		seen += c.numbers.len;
		VEC_FREE(&c.numbers);
	}
	if (!is_found && seen)
		finding_clean(out, in, &rule_pool_churn, "fewer than %u thread pools were made",
			      CHURN_MADE);
	else if (!is_found && churn_has_names(in))
		finding_not_assessed(out, in, &rule_pool_churn, "jstack PID, py-spy dump --pid PID",
				     "no thread has the default name of a pool");
}

const struct rule rule_pool_churn = {
	.id = "pool-churn",
	.title = "Thread pools made again and again",
	.needs = RULE_THREADS,
	.check = churn_check,
	.is_measured = true,
};
