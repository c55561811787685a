/* SPDX-License-Identifier: MIT */
#include "transform/hooked_event.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "transform/transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* least share of the counting function, percent: idle CPUs and lost names may have the rest */
#define HOOKED_PCT 90

/* name of a tracepoint's counting function, before the name of its class */
#define HOOKED_TRACEPOINT "perf_trace_"
#define HOOKED_NAME_MAX   96u

static const struct {
	const char *functions;
	const char *event;
} hooked_events[] = {
	{ "perf_trace_sched_switch", "sched:sched_switch" },
	{ "perf_event_task_sched_out|__perf_event_task_sched_out|perf_event_task_sched",
	  "context-switches" },
};

/* The event that the function @name counts; STR_ID_NONE: none. */
static str_id hooked_event_of(struct dossier *d, struct str name)
{
	char text[HOOKED_NAME_MAX];
	int n;

	for (size_t i = 0; i < ARRAY_LEN(hooked_events); i++) {
		if (str_glob(str_of(hooked_events[i].functions), name))
			return strings_add(&d->strings, str_of(hooked_events[i].event));
	}
	if (!str_starts(name, STR(HOOKED_TRACEPOINT)))
		return STR_ID_NONE;
	name = str_skip(name, strlen(HOOKED_TRACEPOINT));
	n = snprintf(text, sizeof(text), "tracepoint:" STR_FMT, STR_ARG(name));
	return n > 0 && (size_t)n < sizeof(text)
		       ? strings_add(&d->strings, (struct str){ text, (size_t)n })
		       : STR_ID_NONE;
}

/* Add the self weight of each function of @p to @weight, which is indexed by symbol. */
static double hooked_weights(const struct profile *p, double *weight)
{
	double all = 0;

	VEC_FOREACH (row, &p->table.rows) {
		weight[row->sym.v] += (double)row->self;
		all += (double)row->self;
	}
	if (p->table.rows.len)
		return p->unit == WEIGHT_PERCENT ? 100 * (double)profile_scale(p) : all;
	for (size_t i = 0; i < p->samples.n; i++) {
		double w = (double)p->samples.weight.data[i];

		weight[p->stacks.sym.data[p->samples.stack.data[i].v].v] += w;
		all += w;
	}
	return all;
}

static void hooked_event_find(struct dossier *d, const struct symbols *symbols, struct profile *p)
{
	double *weight = xcalloc(symbols->rows.len + 1, sizeof(*weight));
	double all = hooked_weights(p, weight);

	for (uint32_t i = 1; i < symbols->rows.len && !p->event.v; i++) {
		if (all > 0 && weight[i] * 100 >= all * HOOKED_PCT &&
		    symbols_get(symbols, (sym_id){ i })->space != SPACE_USER)
			p->event = hooked_event_of(d, symbols_canonical(symbols, (sym_id){ i }));
	}
	p->is_event_inferred = p->event.v;
	free(weight);
}

int hooked_event_step(struct dossier *d, struct transform *t, struct error *err)
{
	(void)err;
	for (size_t i = t->first; i < d->captures.len; i++) {
		struct capture *c = d->captures.data[i];

		if (c->profile && !c->profile->event.v)
			hooked_event_find(d, capture_symbols(c), c->profile);
	}
	return OK;
}
