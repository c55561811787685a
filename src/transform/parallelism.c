/* SPDX-License-Identifier: MIT */
#include "transform/parallelism.h"

#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "transform/off_cpu.h"
#include "transform/transform.h"

#include <stdio.h>

/* number of decimals that small weights get, so that dividing them keeps a fraction */
#define PARALLELISM_DECIMALS 3u
/* weights below this limit are small and get more decimals */
#define PARALLELISM_SMALL 1000u

/* What happens at a moment (struct moment). If times are equal, kinds are handled in this order. */
enum moment_kind { MOMENT_OUT, MOMENT_IN, MOMENT_SAMPLE };

/* A time at which a thread is switched in, switched out, or sampled. */
struct moment {
	uint32_t thread; /* index of the thread in parallelism.running and .tids */
	uint32_t sample; /* index of the sample; used only for MOMENT_SAMPLE */
	uint32_t capture;
	uint8_t kind;
};

struct parallelism {
	struct dossier *d;
	struct idmap by_tid;
	VEC(uint32_t) tids; /* thread id of each thread with samples; indexed like `running` */
	VEC(uint8_t) running;
	VEC(struct moment) moments;
	VEC(struct sort_item) order;
	uint32_t n_running;
	bool has_switches;
};

static bool parallelism_is_cpu(const struct capture *c)
{
	const struct profile *p = c->profile;

	return p && !off_cpu_is_helper(c) && p->table.rows.len == 0 && p->samples.n &&
	       p->samples.count.len == 0 && p->samples.time_ns.len == p->samples.n &&
	       p->samples.thread.len == p->samples.n && !p->is_complete;
}

/*
 * The index of thread @tid in x->tids. With @add, a missing thread is added. INDEX_NONE: missing.
 */
static uint32_t parallelism_thread(struct parallelism *x, uint32_t tid, bool add)
{
	struct idmap_probe p = idmap_first(&x->by_tid, hash_u64(tid, 11));

	while (idmap_next(&x->by_tid, &p)) {
		if (x->tids.data[p.id] == tid)
			return p.id;
	}
	if (!add)
		return INDEX_NONE;
	idmap_insert(&x->by_tid, &p, (uint32_t)x->tids.len);
	*VEC_PUSH(&x->tids) = tid;
	*VEC_PUSH(&x->running) = 0;
	return (uint32_t)x->tids.len - 1;
}

static void parallelism_add(struct parallelism *x, uint64_t now, struct moment m)
{
	if (m.thread == INDEX_NONE)
		return;
	*VEC_PUSH(&x->order) = (struct sort_item){ now, (uint32_t)x->moments.len };
	*VEC_PUSH(&x->moments) = m;
}

static void parallelism_samples(struct parallelism *x, uint32_t capture)
{
	const struct profile *p = x->d->captures.data[capture]->profile;

	for (uint32_t i = 0; i < p->samples.n; i++) {
		uint32_t tid = p->threads.data[p->samples.thread.data[i]].tid;

		parallelism_add(x, p->samples.time_ns.data[i],
				(struct moment){ parallelism_thread(x, tid, true), i, capture,
						 MOMENT_SAMPLE });
	}
}

/*
 * Add a moment of @kind for each switch in a capture. @field: name of the field with the id of the
 * thread that gets or leaves the CPU.
 */
static void parallelism_switches(struct parallelism *x, uint32_t capture, const char *field,
				 enum moment_kind kind)
{
	const struct capture *c = x->d->captures.data[capture];
	const struct sample_field *f = off_cpu_field(c, field);

	for (uint32_t i = 0; f && i < c->profile->samples.n; i++) {
		uint32_t tid = (uint32_t)off_cpu_number(off_cpu_word(c, f, i));

		parallelism_add(x, c->profile->samples.time_ns.data[i],
				(struct moment){ parallelism_thread(x, tid, false), i, capture,
						 (uint8_t)kind });
	}
}

static void parallelism_exits(struct parallelism *x, uint32_t capture)
{
	VEC_FOREACH (e, &x->d->captures.data[capture]->profile->exits)
		parallelism_add(x, e->time_ns,
				(struct moment){ parallelism_thread(x, e->tid, false), 0, capture,
						 MOMENT_OUT });
}

/*
 * Collect all moments: first all of kind MOMENT_OUT, then MOMENT_IN, then MOMENT_SAMPLE. The later
 * sort by time is stable, so moments with equal times stay in this order.
 */
static void parallelism_gather(struct parallelism *x, size_t first)
{
	for (uint32_t i = (uint32_t)first; i < x->d->captures.len; i++) {
		const struct capture *c = x->d->captures.data[i];

		if (parallelism_is_cpu(c)) {
			for (uint32_t k = 0; k < c->profile->samples.n; k++)
				(void)parallelism_thread(
					x,
					c->profile->threads.data[c->profile->samples.thread.data[k]]
						.tid,
					true);
		}
		x->has_switches |= off_cpu_is_switches(c) && off_cpu_field(c, "next_pid");
	}
	for (int kind = MOMENT_OUT; kind <= MOMENT_SAMPLE; kind++) {
		for (uint32_t i = (uint32_t)first; i < x->d->captures.len; i++) {
			const struct capture *c = x->d->captures.data[i];

			if (kind == MOMENT_SAMPLE && parallelism_is_cpu(c))
				parallelism_samples(x, i);
			else if (kind == MOMENT_OUT && off_cpu_is_switches(c))
				parallelism_exits(x, i);
			if (kind != MOMENT_SAMPLE && off_cpu_is_switches(c))
				parallelism_switches(x, i,
						     kind == MOMENT_OUT ? "prev_pid" : "next_pid",
						     (enum moment_kind)kind);
		}
	}
}

static uint32_t parallelism_now(const struct parallelism *x)
{
	return x->n_running ? x->n_running : 1;
}

static void parallelism_set(struct parallelism *x, const struct moment *m, str_id field)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%u", parallelism_now(x));

	profile_set_field(x->d->captures.data[m->capture]->profile, m->sample, field,
			  strings_add(&x->d->strings, (struct str){ text, (size_t)n }));
}

static void parallelism_run(struct parallelism *x, struct transform *t)
{
	str_id field = strings_add(&x->d->strings, STR("parallelism"));

	sort_items(x->order.data, x->order.len);
	VEC_FOREACH (item, &x->order) {
		const struct moment *m = &x->moments.data[item->value];
		uint8_t *running = &x->running.data[m->thread];
		bool runs = m->kind != MOMENT_OUT;

		/* the idle task, thread 0, does not count as running */
		if (*running != runs && x->tids.data[m->thread])
			x->n_running += runs ? 1 : UINT32_MAX;
		*running = runs;
		if (m->kind != MOMENT_SAMPLE)
			continue;
		parallelism_set(x, m, field);
		if (t->is_latency) {
			uint64_t *w = &x->d->captures.data[m->capture]
					       ->profile->samples.weight.data[m->sample];

			*w = (*w + parallelism_now(x) / 2) / parallelism_now(x);
		}
	}
}

/*
 * If a weight is small, give all weights of the profile more decimals, so that dividing them keeps
 * a fraction. Errors: ERR_LIMIT.
 */
static int parallelism_widen(struct profile *p)
{
	uint64_t least = UINT64_MAX;

	VEC_FOREACH (w, &p->samples.weight)
		least = *w < least ? *w : least;
	return least < PARALLELISM_SMALL && p->decimals < PARALLELISM_DECIMALS
		       ? profile_set_decimals(p, PARALLELISM_DECIMALS)
		       : OK;
}

static void parallelism_rename(struct dossier *d, struct profile *p)
{
	uint64_t sum = 0;

	VEC_FOREACH (w, &p->samples.weight) {
		if (__builtin_add_overflow(sum, *w, &sum))
			sum = UINT64_MAX;
	}
	p->event_count = sum / profile_scale(p);
	p->event = strings_add(&d->strings, STR("latency"));
}

int parallelism_step(struct dossier *d, struct transform *t, struct error *err)
{
	struct parallelism x = { .d = d };
	int r = OK;

	if (!t->has_parallelism)
		return OK;
	for (size_t i = t->first; i < d->captures.len && r == OK && t->is_latency; i++) {
		if (parallelism_is_cpu(d->captures.data[i]))
			r = parallelism_widen(d->captures.data[i]->profile);
	}
	parallelism_gather(&x, t->first);
	if (r < 0)
		r = fail(err, ERR_LIMIT, "weights are too large to be divided");
	else if (!x.has_switches)
		r = fail(err, ERR_NOTFOUND,
			 "no context switches recorded, which tell how many threads ran at once; "
			 "'assay record --off-cpu' and 'perf record --latency' record them");
	else
		parallelism_run(&x, t);
	for (size_t i = t->first; i < d->captures.len && r == OK; i++) {
		struct capture *c = d->captures.data[i];

		if (!parallelism_is_cpu(c))
			continue;
		profile_finish_fields(c->profile);
		if (t->is_latency)
			parallelism_rename(d, c->profile);
	}
	for (size_t i = d->captures.len; i-- > t->first && r == OK && !t->is_off_cpu;) {
		if (off_cpu_is_helper(d->captures.data[i]))
			dossier_drop(d, i);
	}
	idmap_fini(&x.by_tid);
	VEC_FREE(&x.tids);
	VEC_FREE(&x.running);
	VEC_FREE(&x.moments);
	VEC_FREE(&x.order);
	return r;
}
