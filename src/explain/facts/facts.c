/* SPDX-License-Identifier: MIT */
#include "explain/facts/facts_build.h"

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/calls_summary.h"
#include "analyses/categories.h"
#include "analyses/counters/counter_metrics.h"
#include "analyses/distributions/spread.h"
#include "analyses/logs/log_requests.h"
#include "analyses/logs/log_summary.h"
#include "analyses/metrics_summary.h"
#include "analyses/roles.h"
#include "analyses/slow/slow_calls.h"
#include "analyses/syscalls/syscalls.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/tracer/tracer_cost.h"
#include "analyses/waits/wait_holders.h"
#include "analyses/waits/waits.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/names/arguments.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"

#include "transform/off_cpu.h"
#include "transform/wall_clock.h"

static void facts_calls(struct facts *f, size_t number)
{
	const struct capture *c = f->dossier->captures.data[number];
	struct calls_summary *sum = xcalloc(1, sizeof(*sum));
	struct traced_facts *traced = xcalloc(1, sizeof(*traced));

	f->calls[number] = sum;
	f->traced[number] = traced;
	(void)(calls_summary_compute(c, &f->cats, sum, NULL) < 0);
	tracer_cost_estimate(c, sum, &traced->cost);
	call_gaps_find(c, sum, &traced->cost, &traced->gaps);
	slow_calls_find(c, sum, &traced->cost, &traced->slow);
}

struct facts *facts_new(struct dossier *d)
{
	struct facts *f = xcalloc(1, sizeof(*f));
	size_t n = d->captures.len;

	f->dossier = d;
	f->roles = xcalloc(1, sizeof(*f->roles));
	f->profiles = xcalloc(n, sizeof(struct profile_facts *));
	f->calls = xcalloc(n, sizeof(struct calls_summary *));
	f->traced = xcalloc(n, sizeof(struct traced_facts *));
	f->logs = xcalloc(n, sizeof(struct log_summary *));
	f->requests = xcalloc(n, sizeof(struct log_requests *));
	f->metrics = xcalloc(n, sizeof(struct metrics_summary *));
	f->waits = xcalloc(n, sizeof(struct waits *));
	f->holders = xcalloc(n, sizeof(struct wait_holders *));
	f->threads = xcalloc(n, sizeof(struct threads_summary *));
	f->spreads = xcalloc(n, sizeof(struct spreads *));
	f->syscalls = xcalloc(n, sizeof(struct syscalls_summary *));
	f->counters = xcalloc(n, sizeof(struct counter_metrics *));
	for (size_t i = 0; i < n; i++) {
		const struct capture *c = d->captures.data[i];

		if (c->excerpt_of != INDEX_NONE)
			continue;
		/*
		 * Three kinds of profile get no facts, so that rules about CPU time skip them:
		 * waits; wall-clock time; thread dumps, whose stacks are positions of threads
		 */
		if (c->profile && !c->threads && !c->profile->is_complete && !wall_clock_is(c))
			f->profiles[i] = facts_profile_new(c, &f->cats, f->roles);
		if (off_cpu_has_waits(c)) {
			f->waits[i] = xcalloc(1, sizeof(**f->waits));
			waits_compute(c, f->waits[i]);
			f->holders[i] = xcalloc(1, sizeof(**f->holders));
			wait_holders_compute(c, wall_clock_cpu(d, c), f->holders[i]);
		}
		if (c->distribution) {
			f->spreads[i] = xcalloc(1, sizeof(**f->spreads));
			spreads_init(f->spreads[i], c);
		}
		if (syscalls_is(c)) {
			f->syscalls[i] = xcalloc(1, sizeof(**f->syscalls));
			syscalls_summary_init(f->syscalls[i], c);
			continue;
		}
		if (c->calls)
			facts_calls(f, i);
		if (c->threads) {
			f->threads[i] = xcalloc(1, sizeof(**f->threads));
			threads_summary_init(f->threads[i], c);
		}
		if (c->records) {
			f->logs[i] = xcalloc(1, sizeof(**f->logs));
			log_summary_init(f->logs[i], c);
			f->requests[i] = xcalloc(1, sizeof(**f->requests));
			log_requests_init(f->requests[i], c);
		}
		if (c->counters) {
			f->counters[i] = xcalloc(1, sizeof(**f->counters));
			counter_metrics_compute(c, f->counters[i]);
		}
		/* rules do not judge metrics that assay itself measured */
		if (c->metrics && !c->is_measured) {
			f->metrics[i] = xcalloc(1, sizeof(**f->metrics));
			metrics_summary_init(f->metrics[i], c->metrics);
		}
	}
	return f;
}

void facts_free(struct facts *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->dossier->captures.len; i++) {
		facts_profile_free(f->profiles[i]);
		if (f->calls[i])
			calls_summary_fini(f->calls[i]);
		if (f->traced[i]) {
			call_gaps_fini(&f->traced[i]->gaps);
			slow_calls_fini(&f->traced[i]->slow);
		}
		if (f->logs[i])
			log_summary_fini(f->logs[i]);
		if (f->requests[i])
			log_requests_fini(f->requests[i]);
		if (f->metrics[i])
			metrics_summary_fini(f->metrics[i]);
		if (f->waits[i])
			waits_fini(f->waits[i]);
		if (f->holders[i])
			wait_holders_fini(f->holders[i]);
		free(f->holders[i]);
		if (f->threads[i])
			threads_summary_fini(f->threads[i]);
		free(f->threads[i]);
		if (f->spreads[i])
			spreads_fini(f->spreads[i]);
		free(f->spreads[i]);
		if (f->syscalls[i])
			syscalls_summary_fini(f->syscalls[i]);
		free(f->waits[i]);
		free(f->syscalls[i]);
		free(f->calls[i]);
		free(f->traced[i]);
		free(f->logs[i]);
		free(f->requests[i]);
		free(f->metrics[i]);
		free(f->counters[i]);
	}
	free(f->profiles);
	free(f->calls);
	free(f->traced);
	free(f->logs);
	free(f->requests);
	free(f->metrics);
	free(f->waits);
	free(f->holders);
	free(f->threads);
	free(f->spreads);
	free(f->syscalls);
	free(f->counters);
	category_cache_fini(&f->cats);
	role_cache_fini(f->roles);
	free(f->roles);
	free(f);
}

struct str facts_name(const struct facts *f, sym_id sym)
{
	return symbols_canonical(&f->dossier->symbols, sym);
}

struct str facts_short_name(const struct facts *f, sym_id sym, size_t max)
{
	return str_sub(arguments_strip(facts_name(f, sym)), 0, max);
}

bool facts_is_idle_call(const struct facts *f, const struct symbols *symbols, sym_id sym)
{
	enum role role = role_of_name(facts_name(f, sym), symbols_module(symbols, sym),
				      symbols_get(symbols, sym)->space);

	return role != ROLE_WAIT && role_may_idle(role);
}

double facts_cpus(const struct capture *c)
{
	VEC_FOREACH (fact, &c->facts) {
		if (str_glob(STR("CPUs|cores|*CPU cores|vCPUs"),
			     strings_get(capture_strings(c), fact->name)))
			return (double)fact->value;
	}
	return 0;
}
