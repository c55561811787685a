/* SPDX-License-Identifier: MIT */
#include "transform/wall_clock.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "transform/off_cpu.h"
#include "transform/transform.h"

static const char *const wall_names[WALL_STATES] = {
	[WALL_NONE] = "",
	[WALL_RUNNING] = "[running]",
	[WALL_READY] = "[ready]",
	[WALL_WAITING] = "[waiting]",
};

struct wall {
	struct dossier *d;
	struct profile *to;
	const struct profile *from;
	enum wall_state state;
	/*
	 * stacks copied so far: nodes[state][node of `from`] is the copied node in `to`;
	 * STACK_ROOT: not copied yet
	 */
	stack_id *nodes[WALL_STATES];
};

bool wall_clock_is(const struct capture *c)
{
	return c->profile &&
	       str_eq(strings_get(capture_strings(c), c->profile->event), STR("wall-clock"));
}

enum wall_state wall_clock_state(const struct symbols *symbols, sym_id sym)
{
	if (symbols_get(symbols, sym)->space != SPACE_COMM)
		return WALL_NONE;
	for (unsigned int s = WALL_RUNNING; s < WALL_STATES; s++) {
		if (str_eq(symbols_name(symbols, sym), str_of(wall_names[s])))
			return (enum wall_state)s;
	}
	return WALL_NONE;
}

static struct capture *wall_find_waits(const struct dossier *d, size_t from)
{
	for (size_t i = from; i < d->captures.len; i++) {
		if (off_cpu_has_waits(d->captures.data[i]))
			return d->captures.data[i];
	}
	return NULL;
}

/*
 * Find the capture of CPU samples at or after index @from: the first whose weights are nanoseconds,
 * otherwise the first whose weights are counts of events.
 */
static struct capture *wall_find_cpu(const struct dossier *d, size_t from)
{
	struct capture *found = NULL;

	for (size_t i = from; i < d->captures.len; i++) {
		struct capture *c = d->captures.data[i];
		const struct profile *p = c->profile;

		if (!p || p->is_complete || p->table.rows.len || p->samples.n == 0 ||
		    p->samples.thread.len != p->samples.n ||
		    p->samples.time_ns.len != p->samples.n || wall_clock_is(c))
			continue;
		if (p->unit == WEIGHT_NS)
			return c;
		if (!found && p->unit == WEIGHT_EVENTS)
			found = c;
	}
	return found;
}

const struct capture *wall_clock_cpu(const struct dossier *d, const struct capture *waits)
{
	const struct capture *found = NULL;

	for (size_t i = 0; i < d->captures.len && !found; i++) {
		if (d->captures.data[i]->path.v == waits->path.v)
			found = wall_find_cpu(d, i);
		if (found && found->path.v != waits->path.v)
			found = NULL;
	}
	return found;
}

static uint64_t wall_sum(const struct profile *p)
{
	uint64_t sum = 0;

	VEC_FOREACH (w, &p->samples.weight) {
		if (__builtin_add_overflow(sum, *w, &sum))
			return UINT64_MAX;
	}
	return sum;
}

/*
 * Copy the stack @stack from w->from to w->to. A frame for @state is inserted after the frame of
 * the command, or as the outermost frame if there is none.
 */
static stack_id wall_stack(struct wall *w, stack_id stack, enum wall_state state)
{
	const struct stacks *s = &w->from->stacks;
	stack_id *nodes = w->nodes[state];
	VEC(uint32_t) way = VEC_INIT;
	uint32_t at = stack.v;
	sym_id mark = symbols_add_text(&w->d->symbols, str_of(wall_names[state]), STR_NONE,
				       SPACE_COMM, 0);
	stack_id ret;

	for (; at && !nodes[at].v; at = s->parent.data[at])
		*VEC_PUSH(&way) = at;
	ret = nodes[at];
	while (way.len) {
		bool is_comm;

		at = way.data[--way.len];
		is_comm = s->parent.data[at] == 0 &&
			  symbols_get(&w->d->symbols, s->sym.data[at])->space == SPACE_COMM;
		if (s->parent.data[at] == 0 && !is_comm)
			ret = stacks_push(&w->to->stacks, ret, mark);
		ret = stacks_push(&w->to->stacks, ret, s->sym.data[at]);
		if (is_comm)
			ret = stacks_push(&w->to->stacks, ret, mark);
		nodes[at] = ret;
	}
	VEC_FREE(&way);
	return stack.v ? ret : stacks_push(&w->to->stacks, STACK_ROOT, mark);
}

static int wall_add(struct wall *w, size_t i, enum wall_state state, uint64_t ns)
{
	const struct profile *p = w->from;
	struct samples *s = &w->to->samples;

	if (profile_add_sample(w->to, wall_stack(w, p->samples.stack.data[i], state), ns) < 0)
		return ERR_LIMIT;
	*VEC_PUSH(&s->time_ns) = p->samples.time_ns.data[i];
	*VEC_PUSH(&s->thread) = profile_thread(w->to, p->threads.data[p->samples.thread.data[i]]);
	*VEC_PUSH(&s->cpu) =
		p->samples.cpu.len == p->samples.n ? p->samples.cpu.data[i] : UINT16_MAX;
	profile_set_no_frame(w->to, p->samples.no_frame.len && p->samples.no_frame.data[i]);
	if (__builtin_add_overflow(w->to->event_count, ns, &w->to->event_count))
		w->to->event_count = UINT64_MAX;
	return OK;
}

static void wall_begin(struct wall *w, const struct profile *from)
{
	w->from = from;
	for (unsigned int s = WALL_RUNNING; s < WALL_STATES; s++) {
		free(w->nodes[s]);
		w->nodes[s] =
			xcalloc((size_t)stacks_count(&from->stacks) + 1, sizeof(*w->nodes[s]));
	}
}

static int wall_add_waits(struct wall *w, const struct capture *waits)
{
	const struct profile *p = waits->profile;
	str_id runnable = strings_add(&w->d->strings, STR("runnable"));
	str_id name = strings_add(&w->d->strings, STR("wait"));
	const struct sample_field *wait = NULL;
	int e = OK;

	VEC_FOREACH (f, &p->samples.fields) {
		if (f->name.v == name.v && f->values.len == p->samples.n)
			wait = f;
	}
	wall_begin(w, p);
	for (size_t i = 0; i < p->samples.n && e == OK; i++)
		e = wall_add(w, i,
			     wait && wait->values.data[i] == runnable.v ? WALL_READY : WALL_WAITING,
			     p->samples.weight.data[i]);
	return e;
}

/*
 * Add the CPU samples. Weights in nanoseconds stay unchanged. Counts of events are scaled so that
 * their sum is @ran_ns. Each scaled weight is the difference of two scaled running totals, so that
 * rounding does not change the sum.
 */
static int wall_add_cpu(struct wall *w, const struct capture *cpu, uint64_t ran_ns)
{
	const struct profile *p = cpu->profile;
	double all = (double)wall_sum(p);
	uint64_t sum = 0, before = 0;
	int e = OK;

	wall_begin(w, p);
	for (size_t i = 0; i < p->samples.n && e == OK; i++) {
		uint64_t now, weight = p->samples.weight.data[i];

		if (p->unit == WEIGHT_NS) {
			e = wall_add(w, i, WALL_RUNNING, weight);
			continue;
		}
		sum += weight;
		now = all > 0 ? (uint64_t)((double)sum / all * (double)ran_ns) : 0;
		e = wall_add(w, i, WALL_RUNNING, now > before ? now - before : 0);
		before = now > before ? now : before;
	}
	return e;
}

int wall_clock_make(struct dossier *d, size_t from, const struct off_cpu *o, bool takes_over,
		    struct error *err)
{
	const struct capture *waits = wall_find_waits(d, from);
	struct capture *cpu = wall_find_cpu(d, from);
	struct wall w = { .d = d };
	size_t n = d->captures.len;
	struct capture *c;
	int e;

	if (!waits)
		return OK;
	c = dossier_add(d, waits->format);
	c->path = waits->path;
	c->first_line = waits->first_line;
	c->last_line = waits->last_line;
	c->command = waits->command;
	w.to = capture_profile(c);
	w.to->event = strings_add(&d->strings, STR("wall-clock"));
	w.to->unit = WEIGHT_NS;
	w.to->has_event_count = true;
	e = wall_add_waits(&w, waits);
	if (e == OK && cpu)
		e = wall_add_cpu(&w, cpu, o->ran_ns);
	for (unsigned int s = 0; s < WALL_STATES; s++)
		free(w.nodes[s]);
	for (size_t i = from; takes_over && i < n; i++) {
		struct capture *one = d->captures.data[i];

		if (one == cpu || (one->profile && one->profile->is_complete))
			one->excerpt_of = (uint32_t)n;
	}
	return e == OK ? OK : fail(err, e, "too many samples");
}

int wall_clock_step(struct dossier *d, struct transform *t, struct error *err)
{
	const struct off_cpu *waits = &t->off_cpu.data[t->off_cpu.len - 1];

	if (!waits->is_done || t->wall == TRANSFORM_WALL_NONE)
		return OK;
	return wall_clock_make(d, t->first, waits, t->wall == TRANSFORM_WALL_ONLY, err);
}
