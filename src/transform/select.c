/* SPDX-License-Identifier: MIT */
/*
 * Each filter is tested once per stack node and once per thread. The results are kept as bits, so
 * the test of a sample is cheap.
 */
#include "transform/select.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "transform/name_list.h"
#include "transform/transform.h"

#include <math.h>
#include <stdio.h>

struct select {
	const struct capture *capture;
	struct profile *profile;
	const struct select_spec *spec;
	struct select_result *result;
	VEC(struct select_range) times; /* spec.times, converted to nanoseconds */
	/*
	 * indexed by stack node: bits of the filters by comm, dso and symbol (select_bit()); a bit
	 * is set if the node passes
	 */
	uint8_t *node_passes;
	/*
	 * indexed by thread: bits of the filters by comm, pid and tid; a bit is set if the thread
	 * passes
	 */
	uint8_t *thread_passes;
	bool has_comm_frames; /* the outermost frame of the stacks is a command */
};

static bool select_asks(const struct select_spec *spec, enum select_kind kind)
{
	return spec->names[kind].len || spec->numbers[kind].len ||
	       (kind == SELECT_TIME && spec->times.len);
}

bool select_time_span(const struct capture *c, struct select_range *ret)
{
	const struct samples *s = c->profile ? &c->profile->samples : NULL;

	if (!s || s->time_ns.len == 0)
		return false;
	*ret = (struct select_range){ UINT64_MAX, 0 };
	VEC_FOREACH (t, &s->time_ns) {
		ret->from = *t < ret->from ? *t : ret->from;
		ret->to = *t > ret->to ? *t : ret->to;
	}
	return true;
}

/*
 * Convert the range @t, which is given as fractions of the time span @span, to nanoseconds.
 * Rounding is as in perf: ranges that share a boundary do not overlap.
 */
static struct select_range select_share_ns(const struct select_time *t,
					   const struct select_range *span)
{
	double whole = (double)(span->to - span->from);
	struct select_range r = { span->from + (uint64_t)round(t->from * whole),
				  span->from + (uint64_t)round(t->to * whole) };

	if (r.to > r.from && r.to != span->to)
		r.to--;
	return r;
}

static bool select_name_passes(const struct select *s, enum select_kind kind, struct str name)
{
	struct name_list names = { s->spec->names[kind].data, s->spec->names[kind].len };

	return name_list_has(names, name);
}

static uint8_t select_bit(enum select_kind kind)
{
	return (uint8_t)(1u << kind);
}

/* Test each stack node against the filters by command, module and function. Sets node_passes. */
static void select_ask_nodes(struct select *s)
{
	const struct stacks *stacks = &s->profile->stacks;
	const struct symbols *symbols = capture_symbols(s->capture);
	uint32_t n = stacks_count(stacks);
	uint8_t *known = xcalloc(symbols->rows.len, 1);

	s->node_passes = xcalloc(n, 1);
	for (uint32_t i = 1; i < n; i++) {
		sym_id id = stacks->sym.data[i];
		const struct symbol *sym = symbols_get(symbols, id);
		uint32_t parent = stacks->parent.data[i];
		uint8_t comm = s->node_passes[parent] & select_bit(SELECT_COMM);

		if (parent == 0 && sym->space == SPACE_COMM) {
			s->has_comm_frames = true;
			if (select_name_passes(s, SELECT_COMM, symbols_name(symbols, id)))
				comm = select_bit(SELECT_COMM);
			s->node_passes[i] = comm;
			continue;
		}
		if (!known[id.v]) {
			known[id.v] = 1;
			if (name_list_has_module(
				    (struct name_list){ s->spec->names[SELECT_DSO].data,
							s->spec->names[SELECT_DSO].len },
				    symbols_module(symbols, id)))
				known[id.v] |= select_bit(SELECT_DSO);
			if (select_name_passes(s, SELECT_SYMBOL, symbols_name(symbols, id)) ||
			    select_name_passes(s, SELECT_SYMBOL, symbols_canonical(symbols, id)))
				known[id.v] |= select_bit(SELECT_SYMBOL);
		}
		s->node_passes[i] =
			comm | (known[id.v] & (select_bit(SELECT_DSO) | select_bit(SELECT_SYMBOL)));
	}
	free(known);
}

static void select_ask_threads(struct select *s)
{
	const struct strings *strings = capture_strings(s->capture);
	size_t n = s->profile->threads.len;

	s->thread_passes = xcalloc(n + 1, 1);
	for (size_t i = 0; i < n; i++) {
		const struct profile_thread *t = &s->profile->threads.data[i];
		uint8_t bits = 0;

		if (select_name_passes(s, SELECT_COMM, strings_get(strings, t->comm)))
			bits |= select_bit(SELECT_COMM);
		if (t->has_pid && select_has_number(s->spec, SELECT_PID, t->pid))
			bits |= select_bit(SELECT_PID);
		if (t->has_tid && select_has_number(s->spec, SELECT_TID, t->tid))
			bits |= select_bit(SELECT_TID);
		s->thread_passes[i] = bits;
	}
}

static bool select_time_passes(const struct select *s, uint64_t time)
{
	VEC_FOREACH (r, &s->times) {
		if (time >= r->from && time <= r->to)
			return true;
	}
	return false;
}

static bool select_passes(const struct select *s, enum select_kind kind, size_t i)
{
	const struct samples *all = &s->profile->samples;

	switch (kind) {
	case SELECT_CPU:
		return all->cpu.data[i] != UINT16_MAX &&
		       select_has_number(s->spec, kind, all->cpu.data[i]);
	case SELECT_TIME:
		return select_time_passes(s, all->time_ns.data[i]);
	case SELECT_COMM:
		if (!s->has_comm_frames)
			return s->thread_passes[all->thread.data[i]] & select_bit(kind);
		return s->node_passes[all->stack.data[i].v] & select_bit(kind);
	case SELECT_DSO:
	case SELECT_SYMBOL:
		return s->node_passes[all->stack.data[i].v] & select_bit(kind);
	default:
		return s->thread_passes[all->thread.data[i]] & select_bit(kind);
	}
}

static bool select_knows_threads(const struct profile *p, bool tid)
{
	VEC_FOREACH (t, &p->threads) {
		if (tid ? t->has_tid : t->has_pid)
			return true;
	}
	return false;
}

static bool select_has_modules(const struct select *s)
{
	const struct symbols *symbols = capture_symbols(s->capture);

	VEC_FOREACH (sym, &s->profile->stacks.sym) {
		if (symbols_get(symbols, *sym)->module.v)
			return true;
	}
	return false;
}

static int select_check(const struct select *s, struct error *err)
{
	const struct profile *p = s->profile;
	static const char *const lacks[SELECT_KINDS] = {
		[SELECT_CPU] = "CPU",    [SELECT_TIME] = "time",      [SELECT_COMM] = "command",
		[SELECT_DSO] = "module", [SELECT_PID] = "process id", [SELECT_TID] = "thread id",
	};
	const bool has[SELECT_KINDS] = {
		[SELECT_CPU] = p->samples.cpu.len > 0,
		[SELECT_TIME] = p->samples.time_ns.len > 0,
		[SELECT_COMM] = s->has_comm_frames || p->samples.thread.len > 0,
		[SELECT_DSO] = !select_asks(s->spec, SELECT_DSO) || select_has_modules(s),
		[SELECT_SYMBOL] = true,
		[SELECT_PID] = p->samples.thread.len > 0 && select_knows_threads(p, false),
		[SELECT_TID] = p->samples.thread.len > 0 && select_knows_threads(p, true),
	};

	for (enum select_kind k = 0; k < SELECT_KINDS; k++) {
		if (select_asks(s->spec, k) && !has[k])
			return fail(err, ERR_USAGE, "the samples have no %s, and --%s needs one",
				    lacks[k], select_kind_name(k));
	}
	return OK;
}

/*
 * Called if no sample passes all filters. Find the first filter that no sample passes, even without
 * the other filters. Store in s->result->offer the values that this filter could select.
 */
static void select_none(struct select *s)
{
	struct select_result *r = s->result;
	struct out offer = { .fd = -1 };
	enum select_kind k = 0;

	while (k < SELECT_KINDS && (!r->counts[k].is_asked || r->counts[k].samples))
		k++;
	if (k < SELECT_KINDS)
		select_offer(s->capture, k, &offer);
	(void)snprintf(r->offer, sizeof(r->offer), "%.*s", (int)offer.len,
		       offer.data ? offer.data : "");
	out_fini(&offer);
}

/* Keep only the samples that pass: move them to the front of each column, and cut the columns. */
static void select_compact(struct select *s)
{
	struct samples *all = &s->profile->samples;
	struct select_result *r = s->result;
	uint64_t left_out = 0;
	uint64_t cut = 0;
	size_t n = 0;
	uint64_t n_cut = 0;
	uint64_t kept = 0;

	r->of = profile_count_samples(s->profile);
	for (size_t i = 0; i < all->n; i++) {
		uint32_t samples = profile_samples_at(s->profile, i);
		bool is_cut = false;
		bool passes = true;

		for (enum select_kind k = 0; k < SELECT_KINDS; k++) {
			bool one;

			if (!r->counts[k].is_asked)
				continue;
			one = select_passes(s, k, i);
			r->counts[k].samples += one ? samples : 0;
			passes &= one;
			is_cut |= !one && (k <= SELECT_TIME || s->spec->is_relative);
		}
		if (!passes) {
			*(is_cut ? &cut : &left_out) += all->weight.data[i];
			n_cut += is_cut ? samples : 0;
			continue;
		}
		all->stack.data[n] = all->stack.data[i];
		all->weight.data[n] = all->weight.data[i];
		if (all->time_ns.len)
			all->time_ns.data[n] = all->time_ns.data[i];
		if (all->thread.len)
			all->thread.data[n] = all->thread.data[i];
		if (all->cpu.len)
			all->cpu.data[n] = all->cpu.data[i];
		if (all->count.len)
			all->count.data[n] = samples;
		if (all->no_frame.len)
			all->no_frame.data[n] = all->no_frame.data[i];
		if (all->code_row.len)
			all->code_row.data[n] = all->code_row.data[i];
		kept += samples;
		VEC_FOREACH (f, &all->fields)
			f->values.data[n] = f->values.data[i];
		n++;
	}
	if (n == 0)
		select_none(s);
	VEC_FOREACH (f, &all->fields)
		f->values.len = n;
	if (s->profile->has_n_samples && s->profile->n_samples_err == 0)
		s->profile->n_samples -=
			n_cut < s->profile->n_samples ? n_cut : s->profile->n_samples;
	if (s->profile->has_event_count)
		s->profile->event_count -=
			cut < s->profile->event_count ? cut : s->profile->event_count;
	s->profile->left_out = left_out;
	r->kept = kept;
	all->n = all->stack.len = all->weight.len = n;
	all->time_ns.len = all->time_ns.len ? n : 0;
	all->thread.len = all->thread.len ? n : 0;
	all->cpu.len = all->cpu.len ? n : 0;
	all->count.len = all->count.len ? n : 0;
	all->no_frame.len = all->no_frame.len ? n : 0;
	all->code_row.len = all->code_row.len ? n : 0;
}

static void select_times_ns(struct select *s, const struct select_range *span)
{
	struct select_range own;

	if (!span && select_time_span(s->capture, &own))
		span = &own;
	VEC_FOREACH (t, &s->spec->times)
		*VEC_PUSH(&s->times) = t->is_share && span ? select_share_ns(t, span) : t->ns;
}

int select_apply(struct capture *c, const struct select_spec *spec, const struct select_range *span,
		 struct select_result *ret, struct error *err)
{
	struct select s = { .capture = c, .profile = c->profile, .spec = spec, .result = ret };
	int r;

	memset(ret, 0, sizeof(*ret));
	if (select_is_empty(spec))
		return OK;
	if (!c->profile || c->profile->samples.n == 0)
		return fail(err, ERR_USAGE, "no samples to select from");
	for (enum select_kind k = 0; k < SELECT_KINDS; k++)
		ret->counts[k].is_asked = select_asks(spec, k);
	select_ask_nodes(&s);
	select_ask_threads(&s);
	r = select_check(&s, err);
	if (r == OK) {
		select_times_ns(&s, span);
		select_compact(&s);
		c->profile->is_selected = true;
		if (c->instructions && c->profile->samples.code_row.cap)
			code_weigh(c->instructions, c->profile);
		ret->is_done = true;
	}
	VEC_FREE(&s.times);
	free(s.node_passes);
	free(s.thread_passes);
	return r;
}

/*
 * Store in @ret the times of the first and the last sample of the input that contains @c. All
 * captures of this input are considered.
 */
static void select_input_span(const struct dossier *d, const struct capture *c,
			      struct select_range *ret)
{
	struct select_range one;
	bool found = false;

	*ret = (struct select_range){ 0, 0 };
	VEC_FOREACH (other, &d->captures) {
		if ((*other)->path.v != c->path.v || !select_time_span(*other, &one))
			continue;
		if (!found || one.from < ret->from)
			ret->from = one.from;
		if (!found || one.to > ret->to)
			ret->to = one.to;
		found = true;
	}
}

static void select_one(struct transform *t, struct capture *c, const struct select_range *span,
		       struct select_result *ret)
{
	bool is_printed = c->profile->table.rows.len > 0;
	struct error why = { "" };

	t->n_selectable++;
	if (is_printed && t->filters_rows_itself)
		return;
	if (is_printed)
		(void)fail(&why, ERR_USAGE,
			   "only 'assay report' can select rows of a printed report");
	else if (select_apply(c, &t->select, span, ret, &why) == OK)
		return;
	ret->why = why;
}

int select_step(struct dossier *d, struct transform *t, struct error *err)
{
	CLEANUP(freep) struct select_range *spans = NULL;
	size_t n = d->captures.len;

	(void)err;
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&t->selected) = (struct select_result){ .is_done = false };
	if (select_is_empty(&t->select) || n == 0)
		return OK;
	spans = xcalloc(n, sizeof(*spans));
	/* compute all time spans before any samples are removed */
	for (size_t i = 0; i < n; i++)
		select_input_span(d, d->captures.data[i], &spans[i]);
	for (size_t i = 0; i < n; i++) {
		struct capture *c = d->captures.data[i];

		if (c->profile && c->excerpt_of == INDEX_NONE)
			select_one(t, c, &spans[i], &t->selected.data[i]);
	}
	return OK;
}
