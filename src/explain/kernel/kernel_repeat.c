/* SPDX-License-Identifier: MIT */
#include "explain/kernel/kernel_repeat.h"

#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/records.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/kernel/kernel_trace.h"
#include "explain/kernel_trace_names.h"
#include "explain/words/log_words.h"

#define REPEAT_LINES  100u /* maximum number of lines of a report */
#define REPEAT_FRAMES 64u

/* One report: its task, and the functions of its stack, innermost first. */
struct repeat_report {
	struct str task;
	uint64_t pid;
	struct str work;
	struct str frames[REPEAT_FRAMES];
	size_t n;
};

struct str kernel_repeat_work(const struct rule_input *in, uint32_t record)
{
	const struct records *r = in->capture->records;

	for (uint32_t i = record; i < r->rows.len && i < record + REPEAT_LINES; i++) {
		struct str text = str_ltrim(r->rows.data[i].text);
		struct str queue, work;

		VEC_FOREACH (e, &in->log->kernel_events) {
			if (e->record == i && i > record)
				return STR_NONE;
		}
		if (!str_take(&text, STR("Workqueue: ")))
			continue;
		return str_word(&text, &queue) && str_word(&text, &work) ? work : STR_NONE;
	}
	return STR_NONE;
}

/* Add the frame in @text to @p. After the code that printed the stack, begin again. */
static void repeat_frame(struct repeat_report *p, struct str text, bool *is_reporter)
{
	struct str name = symbol_canonical_name(kernel_trace_frame(text, false));

	*is_reporter |= str_glob(STR(KERNEL_TRACE_REPORTERS), name);
	if (*is_reporter && str_glob(STR(KERNEL_TRACE_ENTRIES), name)) {
		p->n = 0;
		*is_reporter = false;
	} else if (name.len && p->n < REPEAT_FRAMES) {
		p->frames[p->n++] = name;
	}
}

/* Read the report of the event @e. False: it does not name its task. */
static bool repeat_read(const struct rule_input *in, const struct kernel_event *e,
			struct repeat_report *p)
{
	const struct records *r = in->capture->records;
	bool is_reporter = false;

	*p = (struct repeat_report){ .work = kernel_repeat_work(in, e->record) };
	for (uint32_t i = e->record + 1; i < r->rows.len && i < e->record + REPEAT_LINES; i++) {
		struct str text = r->rows.data[i].text;
		struct log_match m;

		VEC_FOREACH (other, &in->log->kernel_events) {
			if (other->record == i)
				return p->task.len > 0;
		}
		if (p->n && str_eq(str_trim(text), STR("</TASK>")))
			break;
		if (!p->task.len && log_match_in(text, "PID: %u Comm: %s ", &m)) {
			p->pid = m.n[0];
			p->task = m.s[0];
		}
		repeat_frame(p, text, &is_reporter);
	}
	return p->task.len > 0;
}

static bool repeat_is_stuck(const struct kernel_event *e)
{
	return e->kind == KERNEL_RCU_STALL || e->kind == KERNEL_SOFT_LOCKUP ||
	       e->kind == KERNEL_HARD_LOCKUP;
}

/* The first function of @p that shows a place. Empty: none. */
static struct str repeat_inner(const struct repeat_report *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!str_glob(STR(KERNEL_TRACE_COMMON), p->frames[i]) ||
		    str_ends(p->frames[i], STR("_fault")))
			return p->frames[i];
	}
	return STR_NONE;
}

/* Keep in @a the outermost frames that it has in common with @b. */
static void repeat_common(struct repeat_report *a, const struct repeat_report *b)
{
	size_t n = 0;

	while (n < a->n && n < b->n && str_eq(a->frames[a->n - 1 - n], b->frames[b->n - 1 - n]))
		n++;
	memmove(a->frames, a->frames + (a->n - n), n * sizeof(a->frames[0]));
	a->n = n;
}

/* The innermost common function that shows a place. Empty: none. */
static struct str repeat_place(const struct repeat_report *common)
{
	for (size_t i = 0; i < common->n; i++) {
		if (!str_glob(STR(KERNEL_TRACE_COMMON), common->frames[i]))
			return common->frames[i];
	}
	return STR_NONE;
}

static const char *repeat_sentence(struct findings *out, const struct repeat_report *common,
				   unsigned int n, struct str first, struct str other)
{
	struct str place = repeat_place(common);

	if (!first.len || !other.len)
		return NULL;
	if (str_eq(first, other))
		return finding_name(out,
				    "%u reports of stalls and lockups show the task " STR_FMT
				    " in " STR_FMT
				    ": a long or endless loop there, or in a function around it",
				    n, STR_ARG(common->task), STR_ARG(first));
	if (place.len)
		return finding_name(
			out,
			"%u reports of stalls and lockups show the task " STR_FMT " in " STR_FMT
			", and deeper in different functions (" STR_FMT ", " STR_FMT
			"): a long or endless loop there, or in a function around it",
			n, STR_ARG(common->task), STR_ARG(place), STR_ARG(first), STR_ARG(other));
	if (common->work.len)
		return finding_name(out,
				    "%u reports of stalls and lockups show the task " STR_FMT
				    " with the work item " STR_FMT
				    ", in different functions (" STR_FMT ", " STR_FMT
				    "): a long or endless loop in this work item",
				    n, STR_ARG(common->task), STR_ARG(common->work), STR_ARG(first),
				    STR_ARG(other));
	return NULL;
}

const char *kernel_repeat_says(const struct rule_input *in, struct findings *out, uint32_t record)
{
	struct repeat_report common = { .n = 0 }, p;
	struct str first = STR_NONE, other = STR_NONE;
	/* another boot or machine has other tasks with the same number and name */
	uint32_t stream = log_words_record(in, record)->stream;
	unsigned int n = 0;

	VEC_FOREACH (e, &in->log->kernel_events) {
		if (e->record == record && repeat_is_stuck(e) && repeat_read(in, e, &common)) {
			first = repeat_inner(&common);
			n = 1;
		}
	}
	VEC_FOREACH (e, &in->log->kernel_events) {
		struct str inner;

		if (n == 0 || e->record == record || !repeat_is_stuck(e) ||
		    log_words_record(in, e->record)->stream != stream || !repeat_read(in, e, &p) ||
		    p.pid != common.pid || !str_eq(p.task, common.task))
			continue;
		inner = repeat_inner(&p);
		if (!inner.len)
			continue;
		other = other.len && !str_eq(other, first) ? other : inner;
		if (!str_eq(p.work, common.work))
			common.work = STR_NONE;
		repeat_common(&common, &p);
		n++;
	}
	return n > 1 ? repeat_sentence(out, &common, n, first, other) : NULL;
}
