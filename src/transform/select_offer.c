/* SPDX-License-Identifier: MIT */
/* List the values that a filter could select. They are shown if a filter selects no sample. */
#include "transform/select.h"

#include "base/alloc.h"
#include "base/number.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <inttypes.h>
#include <stdlib.h>

#define OFFER_NAMES 6u
/* number of possible CPUs; the CPU number UINT16_MAX means an unknown CPU */
#define OFFER_CPUS UINT16_MAX

struct offer_item {
	uint64_t weight;
	uint32_t id;
};

/* Weight of each name that a filter could select; indexed by string id. */
struct offer {
	uint64_t *weights;
	uint8_t *has;
	size_t n;
};

static void offer_add(struct offer *o, str_id id, uint64_t weight)
{
	if (id.v == 0 || id.v >= o->n)
		return;
	o->has[id.v] = 1;
	o->weights[id.v] = number_sum(o->weights[id.v], weight);
}

static str_id offer_of_symbol(const struct capture *c, sym_id id, enum select_kind kind)
{
	const struct symbol *s = symbols_get(capture_symbols(c), id);

	return kind == SELECT_DSO ? s->module : s->name;
}

static void offer_add_samples(struct offer *o, const struct capture *c, enum select_kind kind)
{
	const struct profile *p = c->profile;
	const struct samples *all = &p->samples;
	const struct stacks *stacks = &p->stacks;

	for (size_t i = 0; i < all->n; i++) {
		uint32_t node = all->stack.data[i].v;

		if (kind != SELECT_COMM) {
			offer_add(o, offer_of_symbol(c, stacks->sym.data[node], kind),
				  all->weight.data[i]);
			continue;
		}
		if (all->thread.len) {
			offer_add(o, p->threads.data[all->thread.data[i]].comm,
				  all->weight.data[i]);
			continue;
		}
		while (stacks->parent.data[node])
			node = stacks->parent.data[node];
		if (symbols_get(capture_symbols(c), stacks->sym.data[node])->space == SPACE_COMM)
			offer_add(o, offer_of_symbol(c, stacks->sym.data[node], kind),
				  all->weight.data[i]);
	}
}

static void offer_add_rows(struct offer *o, const struct capture *c, enum select_kind kind)
{
	VEC_FOREACH (row, &c->profile->table.rows) {
		str_id id = kind == SELECT_COMM  ? row->comm
			    : kind == SELECT_DSO ? row->dso
						 : offer_of_symbol(c, row->sym, kind);

		offer_add(o, id, row->self ? row->self : row->children);
	}
}

static int offer_compare(const void *a, const void *b)
{
	const struct offer_item *x = a;
	const struct offer_item *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/*
 * Append the heaviest names that a filter of @kind could select: "functions in it: main, f and 12
 * more". "12 more" counts the names that are not listed.
 */
static void offer_names(const struct capture *c, enum select_kind kind, struct out *ret)
{
	static const char *const what[SELECT_KINDS] = {
		[SELECT_COMM] = "commands", [SELECT_DSO] = "modules", [SELECT_SYMBOL] = "functions"
	};
	struct offer o = { .n = capture_strings(c)->views.len };
	VEC(struct offer_item) items = VEC_INIT;

	o.weights = xcalloc(o.n, sizeof(*o.weights));
	o.has = xcalloc(o.n, 1);
	if (c->profile->table.rows.len)
		offer_add_rows(&o, c, kind);
	else
		offer_add_samples(&o, c, kind);
	for (size_t i = 0; i < o.n; i++) {
		if (o.has[i])
			*VEC_PUSH(&items) = (struct offer_item){ o.weights[i], (uint32_t)i };
	}
	VEC_SORT(&items, offer_compare);
	for (size_t i = 0; i < items.len && i < OFFER_NAMES; i++) {
		str_id id = { items.data[i].id };

		if (i == 0)
			out_printf(ret, "%s in it: ", what[kind]);
		out_printf(ret, "%s" STR_FMT, i ? ", " : "",
			   STR_ARG(strings_get(capture_strings(c), id)));
	}
	if (items.len > OFFER_NAMES)
		out_printf(ret, " and %zu more", items.len - OFFER_NAMES);
	VEC_FREE(&items);
	free(o.weights);
	free(o.has);
}

static void offer_cpus(const struct profile *p, struct out *ret)
{
	uint8_t *has = xcalloc(OFFER_CPUS + 1u, 1);
	const char *before = "CPUs in it: ";

	VEC_FOREACH (cpu, &p->samples.cpu)
		has[*cpu] = 1;
	for (uint32_t i = 0; i < OFFER_CPUS; i++) {
		uint32_t end = i;

		while (has[i] && end + 1 < OFFER_CPUS && has[end + 1])
			end++;
		if (!has[i])
			continue;
		out_printf(ret, "%s%" PRIu32, before, i);
		if (end > i)
			out_printf(ret, "-%" PRIu32, end);
		before = ",";
		i = end;
	}
	free(has);
}

static int offer_compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void offer_numbers(const struct profile *p, bool is_tid, struct out *ret)
{
	VEC(uint32_t) all = VEC_INIT;
	size_t n = 0;

	VEC_FOREACH (t, &p->threads) {
		if (is_tid ? t->has_tid : t->has_pid)
			*VEC_PUSH(&all) = is_tid ? t->tid : t->pid;
	}
	VEC_SORT(&all, offer_compare_numbers);
	for (size_t i = 0; i < all.len; i++) {
		if (i && all.data[i] == all.data[i - 1])
			continue;
		if (n++ < OFFER_NAMES)
			out_printf(ret, "%s%" PRIu32,
				   n > 1    ? ", "
				   : is_tid ? "threads in it: "
					    : "processes in it: ",
				   all.data[i]);
	}
	if (n > OFFER_NAMES)
		out_printf(ret, " and %zu more", n - OFFER_NAMES);
	VEC_FREE(&all);
}

static void offer_times(const struct capture *c, struct out *ret)
{
	struct select_range r;

	if (select_time_span(c, &r))
		out_printf(ret,
			   "it was recorded from %" PRIu64 ".%06" PRIu64 " to %" PRIu64
			   ".%06" PRIu64 " s",
			   r.from / 1000000000, r.from / 1000 % 1000000, r.to / 1000000000,
			   r.to / 1000 % 1000000);
}

void select_offer(const struct capture *c, enum select_kind kind, struct out *ret)
{
	if (!c->profile)
		return;
	switch (kind) {
	case SELECT_CPU:
		offer_cpus(c->profile, ret);
		break;
	case SELECT_TIME:
		offer_times(c, ret);
		break;
	case SELECT_PID:
	case SELECT_TID:
		offer_numbers(c->profile, kind == SELECT_TID, ret);
		break;
	default:
		offer_names(c, kind, ret);
	}
}
