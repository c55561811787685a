/* SPDX-License-Identifier: MIT */
/*
 * A thread of the kernel is busy, in top, ps or pidstat. Its name says which work it does, so the
 * finding can say what usually causes this work.
 *
 * Thresholds: 20 % of a CPU in the last interval of the table are a note. Threads that are busy
 * only if something is wrong give a warning from 60 % on (kernel-thread.names). A thread in state D
 * is reported, at any share, if it sleeps in another state while it has no work: the error handler
 * of SCSI. Two kinds of threads are reported at most.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/kernel_thread_names.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(kernel_thread);

#define KTHREAD_NOTE 20.0 /* share of a CPU, percent */
#define KTHREAD_SOME 1.0  /* smaller shares are not in the claim */
#define KTHREAD_SURE 75u
#define KTHREAD_MOST 2u
#define KTHREAD_NAME 64u

/* A row of kernel-thread.names. */
struct kthread_kind {
	const char *threads;
	unsigned int blocked;
	unsigned int lead;
	const char *says;
	const char *cause;
	const char *next;
};

static const struct kthread_kind kthread_kinds[] = { KERNEL_THREADS };

#define KTHREAD_KINDS ARRAY_LEN(kthread_kinds)

/* The busiest thread of a kind. */
struct kthread_seen {
	struct str name; /* empty: there is no such thread */
	double cpu;      /* share of a CPU, percent */
	uint32_t line;
	uint32_t blocked_line; /* line of a thread in state D; 0: none */
};

/* The name of the thread in @key: "scsi_eh_2" for "[scsi_eh_2]", "loop0" for "|__loop0". */
static struct str kthread_name(struct str key)
{
	bool is_thread;
	struct str name = counter_task_name(key, &is_thread);

	/* tasks with one name have their numbers: "z_wr_iss (611)" */
	if (str_glob(STR("* (*)"), name))
		name.len = str_rfind_char(name, ' ');
	if (str_take(&name, STR("[")))
		return str_sub(name, 0, str_find_char(name, ']'));
	/* the command of a program may have arguments, the name of such a thread has no blanks */
	return str_find_char(name, ' ') < name.len ? STR_NONE : name;
}

/* Index of the kind of the thread @name in kthread_kinds; KTHREAD_KINDS: none. */
static size_t kthread_kind(struct str name)
{
	size_t i = 0;

	while (i < KTHREAD_KINDS &&
	       (!name.len || !str_glob(str_of(kthread_kinds[i].threads), name)))
		i++;
	return i;
}

static void kthread_add(struct kthread_seen *seen, const struct counter *row, struct str name,
			bool is_cpu)
{
	double value = counter_value(row);

	if (!is_cpu) {
		seen->blocked_line = value > 0 ? row->line : seen->blocked_line;
		seen->name = seen->name.len ? seen->name : name;
	} else if (!seen->line || value > seen->cpu) {
		seen->name = name;
		seen->cpu = value;
		seen->line = row->line;
	}
}

/*
 * Gather the threads of the last interval: earlier ones of top list all tasks again. False: the
 * table has no CPU time of tasks, and no states.
 */
static bool kthread_gather(const struct rule_input *in, struct kthread_seen *seen)
{
	const struct counters *k = in->capture->counters;
	const struct strings *names = capture_strings(in->capture);
	uint32_t last = 0;
	bool has_tasks = false;

	if (!str_glob(STR("ps|top|pidstat"), strings_get(names, k->tool)))
		return false;
	VEC_FOREACH (row, &k->rows)
		last = row->interval > last ? row->interval : last;
	VEC_FOREACH (row, &k->rows) {
		struct str title = strings_get(names, row->name);
		bool is_cpu = str_eq(title, STR("%CPU"));
		struct str name;
		size_t kind;

		if (row->state != COUNTER_COUNTED || row->interval != last || !row->key.v ||
		    (!is_cpu && !str_eq(title, STR("state D"))))
			continue;
		has_tasks = true;
		name = kthread_name(strings_get(names, row->key));
		kind = kthread_kind(name);
		if (kind < KTHREAD_KINDS)
			kthread_add(&seen[kind], row, name, is_cpu);
	}
	return has_tasks;
}

static bool kthread_is_found(const struct kthread_seen *s, size_t kind)
{
	return s->name.len && ((s->line && s->cpu >= KTHREAD_NOTE) ||
			       (kthread_kinds[kind].blocked && s->blocked_line));
}

static void kthread_finding(const struct rule_input *in, struct findings *out,
			    const struct kthread_seen *s, const struct kthread_kind *kind)
{
	struct str name = str_sub(s->name, 0, KTHREAD_NAME);
	bool is_blocked = kind->blocked && s->blocked_line;
	struct finding *f = finding_add(
		out, in, &rule_kernel_thread,
		kind->lead && s->line && s->cpu >= kind->lead ? FINDING_WARNING : FINDING_NOTE,
		KTHREAD_SURE);

	if (s->line && s->cpu >= KTHREAD_SOME)
		finding_claim(out, f, "%s: '" STR_FMT "' uses %.1f %% of a CPU%s", kind->says,
			      STR_ARG(name), s->cpu, is_blocked ? ", and is in state D" : "");
	else
		finding_claim(out, f, "%s: '" STR_FMT "' is in state D", kind->says, STR_ARG(name));
	f->impact = fmax(KTHREAD_NOTE, fmin(100, s->cpu));
	f->is_kind = true;
	if (s->line)
		finding_figure(f, "CPU time of the thread", s->cpu, 0, "%");
	finding_evidence(out, f, in, s->line ? s->line : s->blocked_line, STR_FMT, STR_ARG(name));
	finding_usual_cause(out, f, "%s", kind->cause);
	finding_because(out, f, "the table shows the thread, and its name tells its work");
	finding_next(out, f, "%s", kind->next);
}

static void kthread_check(const struct rule_input *in, struct findings *out)
{
	struct kthread_seen seen[KTHREAD_KINDS] = { 0 };
	unsigned int n = 0;

	if (!kthread_gather(in, seen))
		return;
	while (n < KTHREAD_MOST) {
		size_t best = KTHREAD_KINDS;

		for (size_t i = 0; i < KTHREAD_KINDS; i++) {
			if (kthread_is_found(&seen[i], i) &&
			    (best == KTHREAD_KINDS || seen[i].cpu > seen[best].cpu))
				best = i;
		}
		if (best == KTHREAD_KINDS)
			break;
		kthread_finding(in, out, &seen[best], &kthread_kinds[best]);
		seen[best].name = STR_NONE;
		n++;
	}
	if (n == 0)
		finding_clean(out, in, &rule_kernel_thread,
			      "no known thread of the kernel uses 20 %% of a CPU");
}

static const char *const kthread_overrules[] = { "busy-task", NULL };

const struct rule rule_kernel_thread = {
	.id = "kernel-thread",
	.title = "Thread of the kernel is busy",
	.needs = RULE_COUNTERS,
	.overrules = kthread_overrules,
	.check = kthread_check,
};
