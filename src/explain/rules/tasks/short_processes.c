/* SPDX-License-Identifier: MIT */
/*
 * Many processes that live for milliseconds have a large part of the cost. Each of them pays for
 * fork, exec, the dynamic linker and the first touch of its pages before it works.
 *
 * A process is short if it is seen for at most 20 ms, from its first to its last sample. Starting a
 * small C program takes 0.5 to 3 ms, and starting an interpreter 10 to 30 ms, so such a process
 * spends much of its life on its start. Compilers, which live longer, are not short.
 *
 * A daemon that sleeps nearly all the time is seen just as shortly. But new processes get ascending
 * numbers, so the numbers of processes that start one after another ascend with time, and those of
 * daemons that wake up do not. Each process is compared with the one half of the list later,
 * because programs that start in parallel swap places with their neighbours. 95 % of these pairs
 * must ascend: for 20 daemons, the odds of that are 1 to 1000.
 *
 * Thresholds: 20 short processes with 20 % of the cost are a note, and with 50 % a warning. In a
 * recording of at least 50 times the limit, 20 ms are not the length of the recording itself.
 */
#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/process_list.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(short_processes);

#define SHORT_NS          20000000u
#define SHORT_LEAST       20u
#define SHORT_NOTE_PCT    20.0
#define SHORT_WARNING_PCT 50.0
#define SHORT_RECORDING   50u /* minimum length of the recording, in SHORT_NS */
#define SHORT_NAMES       3u
#define SHORT_ASCENDS     0.95 /* part (0 to 1) of the pairs whose numbers ascend */

/* A process, under all its names. */
struct short_process {
	str_id comm; /* the name under which it has most of its weight */
	uint64_t comm_weight;
	uint64_t weight;
	uint64_t from_ns, to_ns;
};

/* The processes of one name that are short. */
struct short_name {
	str_id comm;
	uint64_t n;
	uint64_t weight;
};

struct short_start {
	uint64_t from_ns;
	uint32_t pid;
};

struct short_list {
	VEC(struct short_start) starts; /* of the short processes */
	VEC(struct short_name) names;
	bool has_pid; /* a sample names its process */
	uint64_t n;   /* number of short processes */
	uint64_t weight, total;
	uint64_t from_ns, to_ns; /* of the recording */
};

/* Make the list of processes from samples that have a thread and a time. */
static void short_of_samples(const struct profile *p, struct process_list *ret)
{
	for (size_t i = 0; i < p->samples.n; i++) {
		const struct profile_thread *t = &p->threads.data[p->samples.thread.data[i]];

		process_list_add(ret, process_list_row(ret, t->has_pid ? t->pid : 0, t->comm),
				 p->samples.weight.data[i], p->samples.time_ns.data[i]);
	}
}

static void short_add_name(struct short_list *l, const struct short_process *p)
{
	VEC_FOREACH (name, &l->names) {
		if (name->comm.v == p->comm.v) {
			name->n++;
			name->weight += p->weight;
			return;
		}
	}
	*VEC_PUSH(&l->names) = (struct short_name){ p->comm, 1, p->weight };
}

static int short_compare(const void *a, const void *b)
{
	const struct short_name *x = a;
	const struct short_name *y = b;

	return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
				      : (x->comm.v > y->comm.v) - (x->comm.v < y->comm.v);
}

static int short_compare_rows(const void *a, const void *b)
{
	const struct process_row *x = a;
	const struct process_row *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Take the process whose first row is @row. Returns the first row of the next process. */
static const struct process_row *
short_take(const struct process_row *row, const struct process_row *end, struct short_process *ret)
{
	uint32_t pid = row->pid;

	*ret = (struct short_process){ .from_ns = UINT64_MAX };
	for (; row < end && row->pid == pid; row++) {
		ret->weight += row->weight;
		ret->from_ns = row->from_ns < ret->from_ns ? row->from_ns : ret->from_ns;
		ret->to_ns = row->to_ns > ret->to_ns ? row->to_ns : ret->to_ns;
		if (row->weight < ret->comm_weight)
			continue;
		ret->comm_weight = row->weight;
		ret->comm = row->comm;
	}
	return row;
}

/* Sum up the short processes of @rows. Rows without a process, such as idle time, have pid 0. */
static void short_sum(const struct process_row *rows, size_t n, struct short_list *l)
{
	const struct process_row *end = rows + n;

	l->from_ns = UINT64_MAX;
	for (const struct process_row *row = rows; row < end;) {
		uint32_t pid = row->pid;
		struct short_process process;

		row = short_take(row, end, &process);
		l->total += process.weight;
		l->from_ns = process.from_ns < l->from_ns ? process.from_ns : l->from_ns;
		l->to_ns = process.to_ns > l->to_ns ? process.to_ns : l->to_ns;
		l->has_pid |= pid != 0;
		if (pid == 0 || process.to_ns - process.from_ns > SHORT_NS)
			continue;
		l->n++;
		*VEC_PUSH(&l->starts) = (struct short_start){ process.from_ns, pid };
		l->weight += process.weight;
		short_add_name(l, &process);
	}
	VEC_SORT(&l->names, short_compare);
}

static int short_compare_starts(const void *a, const void *b)
{
	const struct short_start *x = a;
	const struct short_start *y = b;

	return x->from_ns != y->from_ns ? (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns)
					: (x->pid > y->pid) - (x->pid < y->pid);
}

/* Do the numbers of the short processes ascend with time, as those of new processes do? */
static bool short_are_new(struct short_list *l)
{
	size_t half = l->starts.len / 2;
	size_t n = 0;

	VEC_SORT(&l->starts, short_compare_starts);
	for (size_t i = half; i < l->starts.len; i++)
		n += l->starts.data[i].pid > l->starts.data[i - half].pid;
	return (double)n >= SHORT_ASCENDS * (double)(l->starts.len - half);
}

static void short_report(const struct rule_input *in, struct findings *out,
			 const struct short_list *l, double pct)
{
	const struct strings *strings = capture_strings(in->capture);
	struct finding *f =
		finding_add(out, in, &rule_short_processes,
			    pct >= SHORT_WARNING_PCT ? FINDING_WARNING : FINDING_NOTE, 85);
	double seconds = (double)(l->to_ns - l->from_ns) / 1e9;
	const struct short_name *first = &l->names.data[0];

	f->is_kind = true;
	f->impact = pct;
	f->covers = pct;
	finding_claim(out, f,
		      "%s new processes, seen for at most 20 ms each, mostly " STR_FMT
		      ", take %.1f %% of %s: at least %s start per second",
		      finding_count(out, (double)l->n),
		      STR_ARG(finding_quoted(&out->arena, strings_get(strings, first->comm), true)),
		      pct, in->profile->unit.of, finding_amount(out, 2, (double)l->n / seconds));
	finding_usual_cause(out, f,
			    "A program starts another one for each small piece of work. Each start "
			    "pays for fork, exec, the dynamic linker, the locale and the first "
			    "touch of each page");
	finding_because(out, f,
			"the samples show when each process was seen\n"
			"when it ended, and who started it");
	finding_share(f, in, "their share", pct, 0);
	finding_figure(f, "short processes", (double)l->n, 0, "");
	finding_figure(f, "recorded time", seconds, 0, "s");
	for (size_t i = 0; i < l->names.len && i < SHORT_NAMES; i++) {
		const struct short_name *name = &l->names.data[i];

		finding_evidence(out, f, in, 0, STR_FMT ": %s short process%s, %.1f %%",
				 STR_ARG(strings_get(strings, name->comm)),
				 finding_count(out, (double)name->n), name->n == 1 ? "" : "es",
				 100 * (double)name->weight / (double)l->total);
	}
	finding_next(out, f, "execsnoop, or perf trace -a -s -e clone*,execve: who starts them");
	finding_next(out, f,
		     "do the work in the program itself, or keep one process and send it "
		     "the work");
}

static const char short_ask[] = "perf script -F comm,pid,tid,time,event,ip,sym,dso";

static void short_judge(const struct rule_input *in, struct findings *out, struct short_list *l)
{
	double pct = l->total ? 100 * (double)l->weight / (double)l->total : 0;

	if (!l->has_pid)
		finding_not_assessed(out, in, &rule_short_processes, short_ask,
				     "the samples name no process");
	else if (l->to_ns - l->from_ns < (uint64_t)SHORT_NS * SHORT_RECORDING)
		finding_not_assessed(out, in, &rule_short_processes,
				     "perf record -g -- sleep 10: a longer recording",
				     "the recording is shorter than 1 s");
	else if (l->n >= SHORT_LEAST && pct >= SHORT_NOTE_PCT && !short_are_new(l))
		finding_not_assessed(
			out, in, &rule_short_processes, "execsnoop: which programs start",
			"processes are seen for at most 20 ms, but their numbers do not "
			"ascend with time: they may be old ones that wake up");
	else if (l->n >= SHORT_LEAST && pct >= SHORT_NOTE_PCT)
		short_report(in, out, l, pct);
	else
		finding_clean(out, in, &rule_short_processes,
			      "%llu short processes have %.1f %% of %s", (unsigned long long)l->n,
			      pct, in->profile->unit.of);
}

static void short_processes_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	struct process_list list = { .rows = VEC_INIT };
	struct short_list l = { .names = VEC_INIT, .starts = VEC_INIT };

	/* other tools print no processes, so nobody asks for them */
	if (in->profile->functions.len == 0 || in->profile->is_off_cpu ||
	    (p->threads.len == 0 && p->processes.rows.len == 0))
		return;
	if (p->processes.rows.len) {
		VEC_FOREACH (row, &p->processes.rows)
			*VEC_PUSH(&list.rows) = *row;
	} else if (p->samples.n && p->samples.thread.len == p->samples.n &&
		   p->samples.time_ns.len == p->samples.n) {
		short_of_samples(p, &list);
	} else {
		finding_not_assessed(out, in, &rule_short_processes, short_ask,
				     "the samples have no process or no time");
		return;
	}
	VEC_SORT(&list.rows, short_compare_rows);
	short_sum(list.rows.data, list.rows.len, &l);
	short_judge(in, out, &l);
	process_list_fini(&list);
	VEC_FREE(&l.names);
	VEC_FREE(&l.starts);
}

static const char *const short_processes_explains[] = { "process-churn",    "program-start",
							"page-fault-storm", "mapping-churn",
							"path-lookup",      NULL };

const struct rule rule_short_processes = {
	.id = "short-processes",
	.title = "Many processes that live for milliseconds",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.check = short_processes_check,
	.explains = short_processes_explains,
};
