/* SPDX-License-Identifier: MIT */
#include "explain/kernel/kernel_queue.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"

/* maximum number of records of a report */
#define KERNEL_QUEUE_LINES 200u

/* The pool in the text of a record: "cpus=1 node=0 flags=0x0 nice=0". Empty: none. */
static struct str queue_pool(struct str text)
{
	static const char *const ends[] = { " stuck ", " active=", " hung=" };
	struct str pool = str_skip(text, str_find(text, STR("cpus=")));

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		pool = str_sub(pool, 0, str_find(pool, str_of(ends[i])));
	return pool;
}

/* Read the first item of "in-flight: 77:probe_work [shelf] BAR(12), 80(RESCUER):other_work". */
static void queue_running(struct kernel_queue *q, struct str list, uint32_t record)
{
	struct str word;

	if (q->running.len || !str_u64(&list, &q->pid))
		return;
	(void)str_take(&list, STR("(RESCUER)"));
	if (!str_take(&list, STR(":")) || !str_word(&list, &word))
		return;
	q->running = str_sub(word, 0, str_find_char(word, ','));
	q->running_record = record;
}

/* Count the items of "pending: vmstat_shepherd, 2*cache_reap BAR(12)". */
static void queue_pending(struct kernel_queue *q, struct str list, uint32_t record)
{
	if (q->n_pending == 0)
		q->pending_record = record;
	while (str_trim(list).len) {
		struct str item = str_ltrim(str_sub(list, 0, str_find_char(list, ',')));
		struct str number = item;
		uint64_t n;

		list = str_skip(list, str_find_char(list, ',') + 1);
		q->n_pending += str_u64(&number, &n) && str_starts(number, STR("*")) ? n : 1;
	}
}

void kernel_queue_read(const struct rule_input *in, uint32_t first, struct kernel_queue *ret)
{
	const struct records *r = in->capture->records;
	struct str title = r->rows.data[first].text;
	struct str pool = queue_pool(title);
	struct str stuck = str_skip(title, str_find(title, STR(" stuck for ")));
	bool is_own = false;

	*ret = (struct kernel_queue){ .pid = 0 };
	if (str_take(&stuck, STR(" stuck for ")) && !str_u64(&stuck, &ret->seconds))
		ret->seconds = 0;
	for (uint32_t i = first + 1; i < r->rows.len && i < first + KERNEL_QUEUE_LINES; i++) {
		struct str text = str_ltrim(r->rows.data[i].text);

		if (str_starts(text, STR("BUG: workqueue lockup")))
			break; /* the report of another pool */
		if (str_starts(text, STR("pwq ")))
			is_own = pool.len && str_eq(queue_pool(text), pool);
		else if (is_own && str_take(&text, STR("in-flight: ")))
			queue_running(ret, text, i);
		else if (is_own && str_take(&text, STR("pending: ")))
			queue_pending(ret, text, i);
	}
}

const char *kernel_queue_says(struct findings *out, const struct kernel_queue *q)
{
	if (!q->running.len)
		return NULL;
	return finding_name(
		out,
		"A pool of workers has made no progress%s: it runs the work item " STR_FMT
		" (task %llu)%s",
		q->seconds ? finding_name(out, " for %llu s", (unsigned long long)q->seconds) : "",
		STR_ARG(str_sub(q->running, 0, 64)), (unsigned long long)q->pid,
		q->n_pending
			? finding_name(out, ", and %llu other item%s wait%s",
				       (unsigned long long)q->n_pending,
				       q->n_pending == 1 ? "" : "s", q->n_pending == 1 ? "s" : "")
			: "");
}
