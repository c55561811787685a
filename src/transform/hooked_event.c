/* SPDX-License-Identifier: MIT */
#include "transform/hooked_event.h"

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
#include <string.h>

/*
 * the event is inferred if the function that counts it has at least this percentage of the weight.
 * The other samples may be of idle CPUs, or of functions whose names are missing
 */
#define HOOKED_PCT 90

/*
 * The kernel counts a tracepoint in the function perf_trace_CLASS(), where CLASS is the
 * tracepoint's class.
 */
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

/* The event that the kernel counts in the function @name; STR_ID_NONE: the function counts none. */
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

/*
 * State of a vote that finds the only function that can have more than half of the weight (Boyer
 * and Moore, MJRTY, 1981).
 */
struct hooked_vote {
	sym_id leader;
	double lead;
};

static void hooked_vote_add(struct hooked_vote *v, sym_id sym, double weight)
{
	if (sym.v == v->leader.v) {
		v->lead += weight;
	} else if (weight > v->lead) {
		v->leader = sym;
		v->lead = weight - v->lead;
	} else {
		v->lead -= weight;
	}
}

static sym_id hooked_sample(const struct profile *p, size_t i)
{
	return p->stacks.sym.data[p->samples.stack.data[i].v];
}

/*
 * The only function that can have more than half of the self weight. *@ret_pct: the function's
 * share of the profile's weight, in percent.
 */
static sym_id hooked_majority(const struct profile *p, double *ret_pct)
{
	struct hooked_vote v = { .lead = 0 };
	double self = 0;
	double all = 0;

	VEC_FOREACH (row, &p->table.rows)
		hooked_vote_add(&v, row->sym, (double)row->self);
	VEC_FOREACH (row, &p->table.rows) {
		self += row->sym.v == v.leader.v ? (double)row->self : 0;
		all += (double)row->self;
	}
	if (p->table.rows.len && p->unit == WEIGHT_PERCENT)
		all = 100 * (double)profile_scale(p);
	for (size_t i = 0; p->table.rows.len == 0 && i < p->samples.n; i++)
		hooked_vote_add(&v, hooked_sample(p, i), (double)p->samples.weight.data[i]);
	for (size_t i = 0; p->table.rows.len == 0 && i < p->samples.n; i++) {
		double weight = (double)p->samples.weight.data[i];

		self += hooked_sample(p, i).v == v.leader.v ? weight : 0;
		all += weight;
	}
	*ret_pct = all > 0 ? 100 * self / all : 0;
	return v.leader;
}

static void hooked_event_find(struct dossier *d, const struct symbols *symbols, struct profile *p)
{
	double pct;
	sym_id sym = hooked_majority(p, &pct);

	if (sym.v && pct >= HOOKED_PCT && symbols_get(symbols, sym)->space != SPACE_USER)
		p->event = hooked_event_of(d, symbols_canonical(symbols, sym));
	p->is_event_inferred = p->event.v;
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
