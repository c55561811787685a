/* SPDX-License-Identifier: MIT */
#include "analyses/logs/log_bursts.h"

#include "analyses/logs/log_summary.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/records.h"

#include <stdlib.h>

/* in ns. In this time after boot, the kernel reports its devices, so many messages are normal */
#define BURSTS_BOOT_NS UINT64_C(60000000000)
/* minimum number of words in a message; a line of a dump has fewer */
#define BURSTS_WORDS   3u
#define BURSTS_LETTERS 3u /* minimum number of letters in a word; shorter words do not count */

static const uint64_t bursts_windows[] = { UINT64_C(1000000000), UINT64_C(10000000000) };

/* Whether the text of a template is a message, not a line of a dump (registers, stacks, tables). */
static bool bursts_is_message(struct str text)
{
	unsigned int words = 0;
	struct str word;

	if (str_contains(text, STR("+<id>")) || str_contains(text, STR("+<n>x")) ||
	    str_starts(text, STR("task:")))
		return false;
	while (str_word(&text, &word)) {
		size_t n = 0;

		while (n < word.len && char_is_letter(word.p[n]))
			n++;
		words += n >= BURSTS_LETTERS;
	}
	return words >= BURSTS_WORDS;
}

static int bursts_order(const void *a, const void *b)
{
	const struct log_burst *x = a;
	const struct log_burst *y = b;

	return SORT_ORDER(y->n, x->n) ?: SORT_ORDER(x->first, y->first);
}

struct bursts_log {
	const struct log_summary *s;
	const struct log_record *records;
	uint64_t span_ns;
	/* resolution of printed times in ns: records with equal times may be this far apart */
	uint64_t tick_ns;
	VEC(uint32_t) rows; /* indices of the records of the current template that have a time */
};

/*
 * Find the @ns nanoseconds with the most messages. False: no burst, because the messages are few,
 * the log is short, or the rest of the log has a similar rate.
 */
static bool bursts_window(const struct bursts_log *log, uint64_t ns, struct log_burst *ret)
{
	const uint32_t *rows = log->rows.data;
	size_t from = 0;
	double rest;

	ret->n = 0;
	for (size_t i = 0; i < log->rows.len; i++) {
		uint64_t at = log->records[rows[i]].time_ns;

		/*
		 * drop messages that are more than @ns older than message i. Also drop earlier
		 * messages with a later time than message i: the clock was set back after them
		 */
		while (from < i && (log->records[rows[from]].time_ns > at ||
				    at - log->records[rows[from]].time_ns > ns))
			from++;
		if (i - from + 1 > ret->n) {
			ret->n = i - from + 1;
			ret->first = rows[from];
			ret->last = rows[i];
		}
	}
	ret->window_ns = log->records[ret->last].time_ns - log->records[ret->first].time_ns;
	ret->window_ns += log->tick_ns;
	if (ret->window_ns < LOG_BURST_LEAST_NS)
		ret->window_ns = LOG_BURST_LEAST_NS;
	ns += log->tick_ns;
	if (ret->n < LOG_BURST_LEAST || log->span_ns < ns * LOG_BURST_TIMES)
		return false;
	/*
	 * count one message more outside the burst. With no message at all, the rate there would be
	 * 0, but the true rate may be higher
	 */
	rest = (double)(ret->all - ret->n + 1) / (double)(log->span_ns - ns);
	return (double)ret->n / (double)ns >= rest * LOG_BURST_TIMES;
}

static void bursts_template(struct bursts_log *log, struct log_bursts *b, uint32_t t)
{
	const struct log_template *template = &log->s->templates.data[t];
	struct log_burst best = { .n = 0 };

	if (log->rows.len < LOG_BURST_LEAST || !bursts_is_message(template->text))
		return;
	b->considered++;
	for (size_t i = 0; i < ARRAY_LEN(bursts_windows); i++) {
		struct log_burst one = { .template = t,
					 .all = log->rows.len,
					 .span_ns = log->span_ns };

		if (bursts_window(log, bursts_windows[i], &one) && one.n > best.n)
			best = one;
	}
	if (best.n)
		*VEC_PUSH(&b->rows) = best;
}

/*
 * Compute the time from the first to the last record. False: it is 0, or streams have different
 * clocks.
 */
static bool bursts_span(const struct log_summary *s, uint64_t *ret)
{
	const struct records *r = s->records;
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;

	VEC_FOREACH (rec, &r->rows) {
		const struct log_stream *stream = &r->streams.data[rec->stream];

		if (stream->clock != r->streams.data[0].clock)
			return false;
		if (!rec->has_time)
			continue;
		first = rec->time_ns < first ? rec->time_ns : first;
		last = rec->time_ns > last ? rec->time_ns : last;
	}
	*ret = last > first ? last - first : 0;
	return *ret > 0;
}

void log_bursts_init(struct log_bursts *b, const struct log_summary *s)
{
	struct bursts_log log = { .s = s };
	uint32_t *next, *head;
	bool is_boot;

	memset(b, 0, sizeof(*b));
	if (!s->records || s->records->rows.len == 0 || !bursts_span(s, &log.span_ns))
		return;
	log.records = s->records->rows.data;
	log.tick_ns = records_tick_ns(s->records);
	if (log.tick_ns <= LOG_BURST_LEAST_NS)
		log.tick_ns = 0;
	is_boot = s->records->streams.data[0].clock == CLOCK_BOOT;
	/*
	 * linked lists of the records of each template. head[t]: first record of template t;
	 * next[i]: record after record i. Both hold index + 1; 0: none
	 */
	next = xcalloc(s->template_of.len + 1, sizeof(*next));
	head = xcalloc(s->templates.len + 1, sizeof(*head));
	for (size_t i = s->template_of.len; i-- > 0;) {
		uint32_t t = s->template_of.data[i];

		if (t == INDEX_NONE || !log.records[i].has_time ||
		    (is_boot && log.records[i].time_ns < BURSTS_BOOT_NS))
			continue;
		next[i] = head[t];
		head[t] = (uint32_t)i + 1;
	}
	for (uint32_t t = 0; t < s->templates.len; t++) {
		log.rows.len = 0;
		for (uint32_t at = head[s->templates.data[t].number]; at; at = next[at - 1])
			*VEC_PUSH(&log.rows) = at - 1;
		bursts_template(&log, b, t);
	}
	VEC_SORT(&b->rows, bursts_order);
	free(next);
	free(head);
	VEC_FREE(&log.rows);
}

void log_bursts_fini(struct log_bursts *b)
{
	VEC_FREE(&b->rows);
}
