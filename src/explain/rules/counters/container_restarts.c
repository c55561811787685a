/* SPDX-License-Identifier: MIT */
/*
 * A container of Kubernetes is killed or exits again and again, or its pod gets no node.
 *
 * No thresholds: kubectl prints the states. If a container ran out of memory or exited, and runs
 * again, it is a note, since the restart may be old. It is a warning if the container waits for its
 * next start, or if events show delays of restarts. Kubernetes keeps events for an hour.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(container_restarts);

#define RESTARTS_SURE       90u
#define RESTARTS_SURE_PROBE 75u /* certainty if no event reports that the probe killed it */
#define RESTARTS_TEXT       160u
#define RESTARTS_NAME       120u
#define RESTARTS_FINDINGS   8u
/* maximum number of pods to search for in the rest of the input */
#define RESTARTS_LOOKS   256u
#define RESTARTS_SIGKILL 137 /* exit code of a container killed by SIGKILL: 128 + 9 */
#define RESTARTS_SIGTERM 143 /* exit code of a container ended by SIGTERM: 128 + 15 */
/* if a container runs out of memory within this number of seconds, a slow leak is not the cause */
#define RESTARTS_SOON 120

/* Counters of one container, and of its pod; NULL: not printed. */
struct restarts_container {
	const struct counter *restarts, *state, *running, *exit, *limit, *run;
	/* events: failed liveness probes, kills after them, delayed restarts */
	const struct counter *failures, *kills, *delays;
};

static struct str restarts_text(const struct rule_input *in, str_id id)
{
	return strings_get(capture_strings(in->capture), id);
}

/* The first counter @name of the object @key; NULL: none. */
static const struct counter *restarts_find(const struct rule_input *in, struct str key,
					   const char *name)
{
	VEC_FOREACH (c, &in->capture->counters->rows) {
		if (str_eq(restarts_text(in, c->name), str_of(name)) &&
		    str_eq(restarts_text(in, c->key), key))
			return c;
	}
	return NULL;
}

/*
 * Find an event of the pod @pod that names the container @name. If the capture has a single
 * container, any event of the pod is used. NULL: none.
 */
static const struct counter *restarts_event(const struct rule_input *in, struct str pod,
					    struct str name, const char *event)
{
	uint32_t containers = 0;
	const struct counter *any = NULL;

	VEC_FOREACH (c, &in->capture->counters->rows) {
		containers += str_eq(restarts_text(in, c->name), STR("restarts"));
		if (!str_eq(restarts_text(in, c->name), str_of(event)) ||
		    !str_eq(restarts_text(in, c->key), pod))
			continue;
		any = any ?: c;
		if (str_contains(restarts_text(in, c->comment), name))
			return c;
	}
	return containers == 1 ? any : NULL;
}

static struct restarts_container restarts_container(const struct rule_input *in, struct str key)
{
	struct str pod = str_sub(key, 0, str_find_char(key, '/'));
	struct str name = str_skip(key, pod.len + 1);

	return (struct restarts_container){
		.restarts = restarts_find(in, key, "restarts"),
		.state = restarts_find(in, key, "state"),
		.running = restarts_find(in, key, "running"),
		.exit = restarts_find(in, key, "last exit code"),
		.limit = restarts_find(in, key, "memory limit"),
		.run = restarts_find(in, key, "last run"),
		.failures = restarts_event(in, pod, name, "liveness failures"),
		.kills = restarts_event(in, pod, name, "liveness kills"),
		.delays = restarts_event(in, pod, name, "restart delays"),
	};
}

static void restarts_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct counter *c)
{
	if (c)
		finding_evidence(out, f, in, c->line, STR_FMT,
				 STR_ARG(str_sub(restarts_text(in, c->comment), 0, RESTARTS_TEXT)));
}

/* Has the container failed, and does it wait for its next start? */
static bool restarts_is_waiting(const struct rule_input *in, const struct restarts_container *c)
{
	return c->state && str_eq(restarts_text(in, c->state->comment), STR("CrashLoopBackOff"));
}

/*
 * Clause about the present state of the container: ", and runs again", or ". It now waits for its
 * next start (CrashLoopBackOff)".
 */
static const char *restarts_now(const struct rule_input *in, const struct restarts_container *c)
{
	if (restarts_is_waiting(in, c))
		return ". It now waits for its next start (CrashLoopBackOff)";
	return c->running && c->running->value ? ". It runs again" : "";
}

/* Subject of the claim: "Container web", or "The container" if the text has no name. */
static const char *restarts_who(struct findings *out, struct str key)
{
	return key.len ? finding_name(out, "Container " STR_FMT, STR_ARG(key)) : "The container";
}

static struct finding *restarts_add(const struct rule_input *in, struct findings *out,
				    const struct restarts_container *c, const char *title)
{
	bool is_now = restarts_is_waiting(in, c) || c->delays;
	struct finding *f = finding_add(out, in, &rule_container_restarts,
					is_now ? FINDING_WARNING : FINDING_NOTE, RESTARTS_SURE);

	f->title = title;
	finding_figure(f, "restarts", (double)c->restarts->value, 0, "");
	if (c->exit)
		finding_figure(f, "last exit code", (double)c->exit->value, 0, "");
	if (c->run)
		finding_figure(f, "last run", (double)c->run->value, 0, "s");
	restarts_cite(in, out, f, c->exit);
	restarts_cite(in, out, f, c->restarts);
	if (c->delays)
		restarts_cite(in, out, f, c->delays);
	finding_because(out, f, "%s",
			is_now ? "kubectl prints the state and the reason"
			       : "kubectl prints the reason\n"
				 "whether it still happens");
	return f;
}

static const char *restarts_count(struct findings *out, const struct restarts_container *c)
{
	return finding_name(out, "%" PRId64 " restart%s", c->restarts->value,
			    c->restarts->value == 1 ? "" : "s");
}

/* Clause with the run time of the container: " 26 s after its start"; "": not printed. */
static const char *restarts_after(struct findings *out, const struct restarts_container *c)
{
	return c->run && c->run->value < RESTARTS_SOON
		       ? finding_name(out, " %" PRId64 " s after its start", c->run->value)
		       : "";
}

static void restarts_memory(const struct rule_input *in, struct findings *out, struct str key,
			    const struct restarts_container *c)
{
	struct finding *f = restarts_add(in, out, c, "Container killed at its memory limit");

	if (c->limit) {
		finding_claim(out, f,
			      "%s was killed out of memory (OOMKilled)%s with a limit of " STR_FMT
			      ": %s%s",
			      restarts_who(out, key), restarts_after(out, c),
			      STR_ARG(restarts_text(in, c->limit->comment)), restarts_count(out, c),
			      restarts_now(in, c));
		finding_figure(f, "memory limit", counter_value(c->limit), 0.05, "MiB");
		restarts_cite(in, out, f, c->limit);
		finding_usual_cause(
			out, f, "%s",
			c->run && c->run->value < RESTARTS_SOON
				? "The container needs more than the limit already at its start: "
				  "the limit is too low for it, or a heap is sized above it. A "
				  "slow leak takes longer"
				: "The processes of the container need more than the limit: a "
				  "leak, or a heap, caches and buffers that together are sized "
				  "above it");
	} else {
		finding_claim(
			out, f,
			"%s was killed out of memory (OOMKilled)%s. No limit is printed: %s%s",
			restarts_who(out, key), restarts_after(out, c), restarts_count(out, c),
			restarts_now(in, c));
		finding_usual_cause(out, f,
				    "The node itself, or the pod as a whole, had no memory left");
	}
	finding_next(out, f,
		     "kubectl top pod --containers, and memory.peak of its cgroup: how fast the "
		     "use grows");
	finding_next(out, f,
		     "add up the heap, off-heap buffers and threads that its settings allow: the "
		     "sum must be below limits.memory");
}

static void restarts_probe(const struct rule_input *in, struct findings *out, struct str key,
			   const struct restarts_container *c)
{
	const struct counter *why = c->failures ? c->failures : c->kills;
	struct finding *f = restarts_add(in, out, c, "Container restarted by its liveness probe");

	f->severity = FINDING_WARNING;
	if (c->kills) {
		finding_claim(out, f,
			      "%s is killed by its liveness probe, and not for memory: %s%s",
			      restarts_who(out, key), restarts_count(out, c), restarts_now(in, c));
		finding_because(out, f, "events, which are kept for an hour, name the probe");
	} else {
		f->sure = RESTARTS_SURE_PROBE;
		finding_claim(out, f,
			      "%s was killed with exit code %" PRId64
			      ", most likely by its liveness probe, which fails: %s%s",
			      restarts_who(out, key), c->exit->value, restarts_count(out, c),
			      restarts_now(in, c));
		finding_because(out, f,
				"the probe fails, and memory is not the reason\n"
				"whether the probe killed it: the event is missing");
	}
	restarts_cite(in, out, f, why);
	if (c->kills != why)
		restarts_cite(in, out, f, c->kills);
	finding_usual_cause(out, f,
			    "The program does not answer within the probe's time limit: it hangs, "
			    "is slow or throttled, or still starts");
	finding_next(out, f,
		     "kubectl logs --previous: what it did when the probe failed; stacks of the "
		     "process while it fails");
	finding_next(out, f,
		     "timeout, failureThreshold and a startupProbe: do they fit the time that the "
		     "program needs");
}

static void restarts_crash(const struct rule_input *in, struct findings *out, struct str key,
			   const struct restarts_container *c)
{
	bool is_unstarted = c->exit && str_glob(STR("ContainerCannotRun|StartError"),
						restarts_text(in, c->exit->comment));
	struct finding *f = restarts_add(in, out, c, "Container ends again and again");

	finding_claim(
		out, f, "%s ends again and again: %s%s%s", restarts_who(out, key),
		restarts_count(out, c), restarts_now(in, c),
		c->exit ? finding_name(out, ". The last exit code is %" PRId64 " (" STR_FMT ")",
				       c->exit->value, STR_ARG(restarts_text(in, c->exit->comment)))
			: "");
	finding_usual_cause(
		out, f, "%s",
		!c->exit       ? "Its process fails soon after the start"
		: is_unstarted ? "The runtime cannot start its process: a wrong command, a missing "
				 "file or mount"
		: c->exit->value == 0 ? "Its process ends without an error, though restartPolicy "
					"expects it to run"
		: c->exit->value == RESTARTS_SIGKILL
			? "Its process was killed (SIGKILL), but not as out of memory"
		: c->exit->value == RESTARTS_SIGTERM ? "Its process was asked to end (SIGTERM)"
		: c->exit->value > 128               ? "A signal ended its process, as in a crash"
				       : "Its process ends with an error: its settings, a missing "
					 "file or another service");
	finding_next(out, f, "%s",
		     is_unstarted ? "kubectl describe pod POD: the Message of its last state"
				  : "kubectl logs --previous POD: its last lines");
}

/* Add a finding about the container @key. Returns false if nothing is wrong with it. */
static bool restarts_judge(const struct rule_input *in, struct findings *out, struct str key)
{
	struct restarts_container c = restarts_container(in, key);
	struct str reason = c.exit ? restarts_text(in, c.exit->comment) : STR_NONE;

	key = str_sub(str_skip(key, str_find_char(key, '/') + 1), 0, RESTARTS_NAME);
	if (str_eq(reason, STR("OOMKilled")))
		restarts_memory(in, out, key, &c);
	else if (c.kills ||
		 (c.failures && c.exit && c.restarts->value &&
		  (c.exit->value == RESTARTS_SIGKILL || c.exit->value == RESTARTS_SIGTERM)))
		restarts_probe(in, out, key, &c);
	else if (restarts_is_waiting(in, &c))
		restarts_crash(in, out, key, &c);
	else
		return false;
	return true;
}

static void restarts_pending(const struct rule_input *in, struct findings *out,
			     const struct counter *pending, const struct counter *event)
{
	struct str why = restarts_text(in, event->comment);
	struct finding *f =
		finding_add(out, in, &rule_container_restarts, FINDING_WARNING, RESTARTS_SURE);

	f->title = "Pod without a node";
	finding_claim(out, f, "Pod " STR_FMT " gets no node: " STR_FMT,
		      STR_ARG(str_sub(restarts_text(in, pending->key), 0, RESTARTS_NAME)),
		      STR_ARG(str_sub(why, 0, str_find(why, STR(". ")))));
	finding_figure(f, "failed attempts", (double)event->value, 0, "");
	restarts_cite(in, out, f, event);
	if (str_contains(why, STR("Insufficient ")))
		finding_cause(out, f,
			      "The requests of the pod exceed the free part of each node that may "
			      "run it. The scheduler counts requests, not the use");
	else
		finding_usual_cause(out, f,
				    "No node fits the selectors, taints or volumes of the pod");
	finding_because(out, f, "the scheduler prints the reason");
	finding_next(out, f,
		     "kubectl describe nodes: 'Allocated resources' against 'Allocatable'; kubectl "
		     "get pods -A -o wide: whose requests fill the nodes");
}

/*
 * Whether the output of "kubectl describe pod" in the input describes the pod of this row. @key:
 * the row's key, "web-1 OOMKilled".
 */
static bool restarts_is_described(const struct rule_input *in, struct str key)
{
	struct str pod = str_sub(key, 0, str_find_char(key, ' '));

	VEC_FOREACH (c, &in->facts->dossier->captures) {
		const struct strings *names = capture_strings(*c);

		if (!(*c)->counters ||
		    !str_eq(strings_get(names, (*c)->counters->tool), STR("kubectl describe pod")))
			continue;
		VEC_FOREACH (row, &(*c)->counters->rows) {
			struct str of = strings_get(names, row->key);

			if (str_eq(str_sub(of, 0, str_find_char(of, '/')), pod))
				return true;
		}
	}
	return false;
}

/*
 * Judge the pods of a table. The key of each row ends with the status of the pod. A restart count
 * alone is no problem, because the restarts may be old. False: no pod has a problem.
 */
static bool restarts_table(const struct rule_input *in, struct findings *out)
{
	const struct counter *worst = NULL;
	struct finding *f;
	uint64_t n = 0, looks = 0;
	bool is_any = false;
	struct str key;

	VEC_FOREACH (c, &in->capture->counters->rows) {
		if (!str_eq(restarts_text(in, c->name), STR("restarts")) ||
		    !str_glob(STR("* CrashLoopBackOff|* OOMKilled"), restarts_text(in, c->key)))
			continue;
		is_any = true;
		if (looks++ < RESTARTS_LOOKS &&
		    restarts_is_described(in, restarts_text(in, c->key)))
			continue;
		n++;
		if (!worst || c->value > worst->value)
			worst = c;
	}
	if (!worst)
		return is_any;
	key = restarts_text(in, worst->key);
	f = finding_add(out, in, &rule_container_restarts, FINDING_WARNING, RESTARTS_SURE);
	f->title = "Containers end again and again";
	if (n == 1)
		finding_claim(out, f, "Pod " STR_FMT " ends again and again: %" PRId64 " restarts",
			      STR_ARG(str_sub(key, 0, str_find_char(key, ' '))), worst->value);
	else
		finding_claim(out, f,
			      "%" PRIu64 " pods end again and again. Most restarts, %" PRId64
			      ": " STR_FMT,
			      n, worst->value, STR_ARG(str_sub(key, 0, str_find_char(key, ' '))));
	finding_figure(f, "pods", (double)n, 0, "");
	finding_figure(f, "most restarts", (double)worst->value, 0, "");
	finding_evidence(out, f, in, worst->line, STR_FMT, STR_ARG(key));
	finding_usual_cause(out, f, "Out of memory, a probe that fails, or an error at the start");
	finding_because(out, f,
			"kubectl prints the status\n"
			"why it restarts");
	finding_next(out, f,
		     "kubectl describe pod POD: Last State, its reason and exit code, and the "
		     "events");
	return true;
}

static void restarts_check(const struct rule_input *in, struct findings *out)
{
	struct str tool = restarts_text(in, in->capture->counters->tool);
	bool is_table = str_eq(tool, STR("kubectl get pods"));
	uint64_t findings = 0, containers = 0;

	if (!is_table && !str_eq(tool, STR("kubectl describe pod")))
		return;
	findings = is_table && restarts_table(in, out);
	for (uint32_t i = 0; i < in->capture->counters->rows.len; i++) {
		const struct counter *c = &in->capture->counters->rows.data[i];
		struct str name = restarts_text(in, c->name);
		struct str key = restarts_text(in, c->key);

		containers += str_eq(name, STR("restarts"));
		if (is_table || findings >= RESTARTS_FINDINGS)
			continue;
		if (str_eq(name, STR("restarts")))
			findings += restarts_judge(in, out, key);
		else if (str_eq(name, STR("pending")) && c->value &&
			 restarts_find(in, key, "failed schedulings")) {
			restarts_pending(in, out, c, restarts_find(in, key, "failed schedulings"));
			findings++;
		}
	}
	if (!findings && containers)
		finding_clean(out, in, &rule_container_restarts,
			      "%" PRIu64 " %s%s: none is killed, or waits for its next start",
			      containers, is_table ? "pod" : "container",
			      containers == 1 ? "" : "s");
	else if (!findings)
		finding_not_assessed(out, in, &rule_container_restarts, "kubectl describe pod",
				     "no state of a container is printed");
}

const struct rule rule_container_restarts = {
	.id = "container-restarts",
	.title = "Container restarted again and again",
	.needs = RULE_COUNTERS,
	.check = restarts_check,
	.is_measured = true,
};
