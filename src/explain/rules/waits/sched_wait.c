/* SPDX-License-Identifier: MIT */
/*
 * Tasks wait for a CPU, in a trace of scheduler events. A wait is the time from the wake-up of a
 * task, or from its preemption, to the switch to this task. The finding names the task that ran on
 * this CPU during the wait. Traces of one text are treated as one trace if each begins after the
 * end of the previous one.
 *
 * Thresholds: a wait of 1 ms is a note (one slice of another task), 5 ms a warning.
 */
#include "explain/rule.h"

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"

DECLARE_RULE(sched_wait);

#define SCHED_NOTE_NS UINT64_C(1000000)
#define SCHED_LEAD_NS UINT64_C(5000000)
#define SCHED_TASKS   65536u

struct sched_place {
	uint32_t capture;
	uint32_t line; /* line in the input; 0: not set */
	uint64_t time_ns;
};

struct sched_task {
	uint32_t pid;
	struct str name;
	/*
	 * The wakeup or preemption with which the current wait for a CPU began. `line` is 0 while
	 * the task runs or sleeps.
	 */
	struct sched_place woken;
	struct str by; /* the task that ran on this CPU during the wait; empty: unknown */
	uint64_t waits, wait_ns, most_ns;
	struct sched_place most_from, most_to;
	struct str most_by;
};

struct sched_wait {
	struct idmap by_pid;
	VEC(struct sched_task) tasks;
	uint64_t switches, wakeups, migrations, preempted;
	struct sched_place migrate; /* the first migration of any task */
	uint64_t last_ns;           /* time of the latest event */
};

static bool sched_number(struct str s, uint32_t *ret)
{
	uint64_t n;

	if (!str_u64(&s, &n))
		return false;
	*ret = (uint32_t)n;
	return n < UINT32_MAX;
}

static bool sched_field(struct str text, struct str key, struct str *ret)
{
	size_t at = str_find(text, key);

	if (at == text.len || (at > 0 && text.p[at - 1] != ' '))
		return false;
	*ret = str_skip(text, at + key.len);
	return true;
}

/*
 * Parse a task in the short form "fio:3185 [120] …". The last colon before " [" separates name and
 * pid. False: the text has another form.
 */
static bool sched_short(struct str s, struct str *ret_comm, uint32_t *ret_pid)
{
	size_t end = str_find(s, STR(" ["));
	size_t colon = end;

	if (end == s.len)
		return false;
	while (colon > 0 && s.p[colon - 1] != ':')
		colon--;
	if (colon == 0 || !sched_number(str_skip(s, colon), ret_pid))
		return false;
	*ret_comm = str_trim(str_sub(s, 0, colon - 1));
	return true;
}

static bool sched_long(struct str s, struct str comm_key, struct str pid_key, struct str *ret_comm,
		       uint32_t *ret_pid)
{
	struct str comm, pid;

	if (!sched_field(s, comm_key, &comm) || !sched_field(s, pid_key, &pid) ||
	    !sched_number(pid, ret_pid))
		return false;
	/* a name may contain blanks: "prev_comm=Web Content prev_pid=31" */
	*ret_comm = str_rtrim(str_sub(comm, 0, str_find(comm, pid_key)));
	return true;
}

/* The task with id @pid. If it is new, it is added. NULL: there are already SCHED_TASKS tasks. */
static struct sched_task *sched_task_of(struct sched_wait *w, uint32_t pid)
{
	struct idmap_probe p = idmap_first(&w->by_pid, hash_u64(pid, 0));

	while (idmap_next(&w->by_pid, &p)) {
		if (w->tasks.data[p.id].pid == pid)
			return &w->tasks.data[p.id];
	}
	if (w->tasks.len >= SCHED_TASKS)
		return NULL;
	idmap_insert(&w->by_pid, &p, (uint32_t)w->tasks.len);
	*VEC_PUSH(&w->tasks) = (struct sched_task){ .pid = pid };
	return &w->tasks.data[w->tasks.len - 1];
}

/* The CPU on which a task wakes, from the text of the event; UINT32_MAX: not printed. */
static uint32_t sched_cpu(struct str text)
{
	struct str at;
	uint32_t cpu;

	if (!sched_field(text, STR("CPU:"), &at) && !sched_field(text, STR("target_cpu="), &at))
		return UINT32_MAX;
	return sched_number(at, &cpu) ? cpu : UINT32_MAX;
}

static void sched_wakeup(struct sched_wait *w, struct sched_place at, struct str text,
			 const struct call_lane *lane, struct str waker)
{
	struct sched_task *t;
	struct str comm;
	uint32_t pid;

	w->wakeups++;
	if (!sched_short(text, &comm, &pid) &&
	    !sched_long(text, STR("comm="), STR("pid="), &comm, &pid))
		return;
	t = sched_task_of(w, pid);
	if (!t || t->woken.line)
		return; /* it waits already: keep the first wake-up */
	t->name = comm;
	t->woken = at;
	t->by = sched_cpu(text) == lane->cpu ? waker : STR_NONE;
}

static void sched_runs(struct sched_wait *w, struct sched_place at, uint32_t pid)
{
	struct sched_task *t = sched_task_of(w, pid);
	uint64_t ns;

	if (!t || !t->woken.line || pid == 0)
		return;
	ns = at.time_ns > t->woken.time_ns ? at.time_ns - t->woken.time_ns : 0;
	t->waits++;
	t->wait_ns += ns;
	if (ns > t->most_ns) {
		t->most_ns = ns;
		t->most_from = t->woken;
		t->most_to = at;
		t->most_by = t->by;
	}
	t->woken.line = 0;
}

/*
 * Task @pid runs now, so its wait has ended. The event that ended it is missing in the trace, so
 * the wait is not counted.
 */
static void sched_ran(struct sched_wait *w, uint32_t pid)
{
	struct sched_task *t = pid ? sched_task_of(w, pid) : NULL;

	if (t)
		t->woken.line = 0;
}

static void sched_switch(struct sched_wait *w, struct sched_place at, struct str text)
{
	size_t arrow = str_find(text, STR("==>"));
	struct str prev = str_rtrim(str_sub(text, 0, arrow));
	struct str next = str_trim(str_skip(text, arrow + 3));
	struct str prev_comm, next_comm;
	uint32_t prev_pid, next_pid;

	if (arrow >= text.len)
		return;
	if ((!sched_short(prev, &prev_comm, &prev_pid) ||
	     !sched_short(next, &next_comm, &next_pid)) &&
	    (!sched_long(prev, STR("prev_comm="), STR("prev_pid="), &prev_comm, &prev_pid) ||
	     !sched_long(next, STR("next_comm="), STR("next_pid="), &next_comm, &next_pid)))
		return;
	w->switches++;
	/*
	 * The previous task ran until now, even if the switch to it is missing. So a wait of this
	 * task is over.
	 */
	sched_ran(w, prev_pid);
	/*
	 * if the previous task is still runnable, it was preempted: its wait for a CPU begins here
	 */
	if (prev_pid != 0 && (str_ends(prev, STR(" R")) || str_ends(prev, STR(" R+")) ||
			      str_find(prev, STR("prev_state=R")) < prev.len)) {
		struct sched_task *t = sched_task_of(w, prev_pid);

		if (t && !t->woken.line && !str_starts(prev_comm, STR("kworker"))) {
			t->name = prev_comm;
			t->woken = at;
			t->by = next_comm;
			w->preempted++;
		}
	}
	sched_runs(w, at, next_pid);
}

static void sched_mark(struct sched_wait *w, const struct rule_input *in, const struct call_mark *m)
{
	struct str text = strings_get(capture_strings(in->capture), m->text);
	size_t colon = str_find_char(text, ':');
	struct str name = str_trim(str_sub(text, 0, colon));
	struct sched_place at = { in->number, m->line, m->time_ns };

	const struct calls *c = in->capture->calls;

	if (m->kind != MARK_EVENT || m->time_ns == 0 || colon == text.len ||
	    m->lane >= c->lanes.len)
		return;
	if (m->time_ns > w->last_ns)
		w->last_ns = m->time_ns;
	text = str_trim(str_skip(text, colon + 1));
	if (str_eq(name, STR("sched_wakeup")) || str_eq(name, STR("sched_wakeup_new"))) {
		sched_wakeup(
			w, at, text, &c->lanes.data[m->lane],
			strings_get(capture_strings(in->capture), c->lanes.data[m->lane].comm));
	} else if (str_eq(name, STR("sched_switch"))) {
		sched_switch(w, at, text);
	} else if (str_eq(name, STR("sched_migrate_task"))) {
		w->migrations++;
		if (!w->migrate.line)
			w->migrate = at;
	}
}

static void sched_found(const struct rule_input *in, struct findings *out,
			const struct sched_wait *w, const struct sched_task *t)
{
	struct rule_input from = *in;
	struct rule_input to = *in;
	double ms = (double)t->most_ns / 1e6;
	bool leads = t->most_ns >= SCHED_LEAD_NS;
	struct finding *f;

	from.number = t->most_from.capture;
	from.capture = in->facts->dossier->captures.data[from.number];
	to.number = t->most_to.capture;
	to.capture = in->facts->dossier->captures.data[to.number];
	f = finding_add(out, &to, &rule_sched_wait, leads ? FINDING_WARNING : FINDING_NOTE, 80);
	finding_claim(out, f,
		      "Task " STR_FMT " was runnable but waited %.3f ms for a CPU%s" STR_FMT "%s%s",
		      STR_ARG(t->name), ms, t->most_by.len ? " where " : "", STR_ARG(t->most_by),
		      t->most_by.len ? " ran" : "",
		      w->migrations ? ", while tasks migrate between CPUs" : "");
	finding_figure(f, "longest wait", ms, 0, "ms");
	finding_figure(f, "waits of this task", (double)t->waits, 0, "");
	finding_figure(f, "total waits of this task", (double)t->wait_ns / 1e6, 0, "ms");
	finding_figure(f, "switches in the trace", (double)w->switches, 0, "");
	if (w->migrations)
		finding_figure(f, "migrations between CPUs", (double)w->migrations, 0, "");
	finding_evidence(out, f, &from, t->most_from.line, "runnable from here");
	finding_evidence(out, f, &to, t->most_to.line, "runs here");
	if (w->migrate.line) {
		from.number = w->migrate.capture;
		from.capture = in->facts->dossier->captures.data[from.number];
		finding_evidence(out, f, &from, w->migrate.line, "moved to another CPU");
	}
	finding_usual_cause(
		out, f,
		"Both tasks want one CPU: a bound worker, an affinity, a wake-up on the "
		"waker's CPU, or no other free CPU");
	finding_because(out, f,
			"measured from the wake-up or preemption to the switch that runs it");
	finding_next(out, f,
		     "perf sched record -- sleep 10; perf sched latency; perf sched timehist: who "
		     "waits, and how often");
	finding_next(out, f,
		     "use an unbound work queue (WQ_UNBOUND), or another affinity (taskset, "
		     "cpuset) for one of the two tasks");
}

/*
 * Add a finding about the longest wait of one recording, then clear @w. @one: a rule input with the
 * recording's last capture.
 */
static void sched_end(const struct rule_input *in, const struct rule_input *one,
		      struct findings *out, struct sched_wait *w)
{
	const struct sched_task *worst = NULL;

	VEC_FOREACH (t, &w->tasks) {
		if (!worst || t->most_ns > worst->most_ns)
			worst = t;
	}
	if (worst && worst->most_ns >= SCHED_NOTE_NS)
		sched_found(in, out, w, worst);
	else if (w->switches && w->wakeups)
		finding_clean(out, one, &rule_sched_wait,
			      "%llu switches and %llu wake-ups; no wait of %.0f ms for a CPU",
			      (unsigned long long)w->switches, (unsigned long long)w->wakeups,
			      (double)SCHED_NOTE_NS / 1e6);
	else if (w->switches || w->wakeups || w->migrations)
		finding_not_assessed(out, one, &rule_sched_wait,
				     "trace-cmd record -e sched_switch -e sched_wakeup",
				     "waits for a CPU need both switches and wake-ups");
	idmap_fini(&w->by_pid);
	VEC_FREE(&w->tasks);
	*w = (struct sched_wait){ .last_ns = 0 };
}

/*
 * Does @c continue the recording whose last capture is @before? A text may print one trace in
 * parts, with prose in between: the parts are in one input, and their times increase. Captures of
 * other inputs may use another clock.
 */
static bool sched_goes_on(const struct sched_wait *w, const struct capture *before,
			  const struct capture *c)
{
	VEC_FOREACH (m, &c->calls->marks) {
		if (m->kind == MARK_EVENT && m->time_ns)
			return !before || (before->path.v == c->path.v && m->time_ns >= w->last_ns);
	}
	return true;
}

static void sched_wait_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	const struct capture *before = NULL;
	struct sched_wait w = { 0 };
	struct rule_input one = *in;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		if (!in->facts->calls[i])
			continue;
		if (!sched_goes_on(&w, before, d->captures.data[i]))
			sched_end(in, &one, out, &w);
		one.number = i;
		one.capture = before = d->captures.data[i];
		VEC_FOREACH (m, &one.capture->calls->marks)
			sched_mark(&w, &one, m);
	}
	sched_end(in, &one, out, &w);
}

const struct rule rule_sched_wait = {
	.id = "sched-wait",
	.title = "Scheduler latency: waiting for a CPU",
	.needs = RULE_DOSSIER,
	.check = sched_wait_check,
	.is_measured = true,
};
