/* SPDX-License-Identifier: MIT */
#include "core/profile.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/process_list.h"

static const uint64_t powers_of_ten[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
};

void profile_init(struct profile *p)
{
	memset(p, 0, sizeof(*p));
	stacks_init(&p->stacks);
	p->table.limit_pct = -1;
}

void profile_fini(struct profile *p)
{
	VEC_FREE(&p->samples.stack);
	VEC_FREE(&p->samples.weight);
	VEC_FREE(&p->samples.count);
	VEC_FREE(&p->samples.no_frame);
	VEC_FREE(&p->samples.code_row);
	VEC_FREE(&p->samples.time_ns);
	VEC_FREE(&p->samples.thread);
	VEC_FREE(&p->samples.cpu);
	VEC_FOREACH (f, &p->samples.fields)
		VEC_FREE(&f->values);
	VEC_FREE(&p->samples.fields);
	VEC_FREE(&p->threads);
	VEC_FREE(&p->ran);
	VEC_FREE(&p->exits);
	VEC_FREE(&p->cpus);
	idmap_fini(&p->threads_map);
	process_list_fini(&p->processes);
	VEC_FREE(&p->table.rows);
	VEC_FREE(&p->table.spreads);
	VEC_FREE(&p->table.nodes);
	VEC_FREE(&p->table.traces);
	VEC_FREE(&p->table.trace_syms);
	VEC_FREE(&p->table.extra_columns);
	VEC_FREE(&p->table.extra_cells);
	VEC_FREE(&p->table.tree_lines);
	stacks_fini(&p->stacks);
}

static bool profile_thread_eq(const struct profile_thread *a, const struct profile_thread *b)
{
	return a->comm.v == b->comm.v && a->pid == b->pid && a->tid == b->tid &&
	       a->has_pid == b->has_pid && a->has_tid == b->has_tid;
}

uint32_t profile_thread(struct profile *p, struct profile_thread thread)
{
	uint64_t flags = (uint64_t)thread.has_pid << 1 | thread.has_tid;
	uint64_t hash =
		hash_u64((uint64_t)thread.pid << 32 | thread.tid, thread.comm.v << 2 | flags);
	struct idmap_probe probe = idmap_first(&p->threads_map, hash);

	while (idmap_next(&p->threads_map, &probe)) {
		if (profile_thread_eq(&p->threads.data[probe.id], &thread))
			return probe.id;
	}
	idmap_insert(&p->threads_map, &probe, (uint32_t)p->threads.len);
	*VEC_PUSH(&p->threads) = thread;
	return (uint32_t)p->threads.len - 1;
}

void profile_set_thread(struct profile *p, const struct profile_thread *thread)
{
	static const struct profile_thread unknown = { .pid = 0 };

	if (!thread && p->samples.thread.len == 0)
		return;
	while (p->samples.thread.len + 1 < p->samples.n)
		*VEC_PUSH(&p->samples.thread) = profile_thread(p, unknown);
	*VEC_PUSH(&p->samples.thread) = profile_thread(p, thread ? *thread : unknown);
}

int profile_add_sample(struct profile *p, stack_id stack, uint64_t weight)
{
	struct samples *s = &p->samples;

	if (UNLIKELY(s->n >= LIMIT_SAMPLES))
		return ERR_LIMIT;
	*VEC_PUSH(&s->stack) = stack;
	*VEC_PUSH(&s->weight) = weight;
	s->n++;
	return OK;
}

static void profile_fill_field(struct sample_field *f, size_t n)
{
	while (f->values.len < n)
		*VEC_PUSH(&f->values) = 0;
}

void profile_set_no_frame(struct profile *p, bool has_no_frame)
{
	if (!has_no_frame && p->samples.no_frame.len == 0)
		return;
	while (p->samples.no_frame.len + 1 < p->samples.n)
		*VEC_PUSH(&p->samples.no_frame) = 0;
	*VEC_PUSH(&p->samples.no_frame) = has_no_frame;
}

void profile_set_field(struct profile *p, size_t sample, str_id name, str_id value)
{
	struct sample_field *field = NULL;

	VEC_FOREACH (f, &p->samples.fields) {
		if (f->name.v == name.v)
			field = f;
	}
	if (!field) {
		if (p->samples.fields.len >= LIMIT_COLUMNS)
			return;
		field = VEC_PUSH(&p->samples.fields);
		*field = (struct sample_field){ .name = name };
	}
	profile_fill_field(field, p->samples.n);
	if (sample < p->samples.n)
		field->values.data[sample] = value.v;
}

void profile_finish_fields(struct profile *p)
{
	VEC_FOREACH (f, &p->samples.fields)
		profile_fill_field(f, p->samples.n);
}

uint64_t profile_count_samples(const struct profile *p)
{
	uint64_t n = 0;

	if (p->samples.count.len == 0)
		return p->samples.n;
	VEC_FOREACH (count, &p->samples.count)
		n += *count;
	return n;
}

double profile_effective_samples(const struct profile *p)
{
	uint64_t n = profile_count_samples(p);
	double sum = 0;
	double squares = 0;

	if (!p->has_n_samples)
		return 0;
	if (p->table.rows.len || n == 0)
		return (double)p->n_samples;
	for (size_t i = 0; i < p->samples.n; i++) {
		double w = (double)p->samples.weight.data[i];

		sum += w;
		squares += w * w / (double)profile_samples_at(p, i);
	}
	/*
	 * n_samples includes samples that the user did not select. Assume that their weights vary
	 * as much as the weights of the selected samples.
	 */
	return squares > 0 ? (double)p->n_samples * sum * sum / squares / (double)n
			   : (double)p->n_samples;
}

uint64_t profile_scale(const struct profile *p)
{
	return powers_of_ten[p->decimals];
}

double profile_half_width(const struct profile *p)
{
	/* printed_decimals has no limit, because it comes from a text */
	size_t most = ARRAY_LEN(powers_of_ten) - 1;
	size_t decimals = p->printed_decimals < most ? p->printed_decimals : most;

	return p->is_rounded ? 0.5 / (double)powers_of_ten[decimals] : 0;
}

int profile_set_decimals(struct profile *p, unsigned int decimals)
{
	uint64_t factor;
	uint64_t most = 0;
	uint64_t ignored;

	if (decimals <= p->decimals)
		return OK;
	if (decimals >= ARRAY_LEN(powers_of_ten))
		return ERR_LIMIT;
	factor = powers_of_ten[decimals - p->decimals];
	if (p->recovery == RECOVERY_EXACT)
		/* after exact recovery, weights are counts of samples, which cannot be scaled */
		return ERR_LIMIT;
	VEC_FOREACH (w, &p->samples.weight)
		most = *w > most ? *w : most;
	VEC_FOREACH (r, &p->table.rows) {
		most = r->self > most ? r->self : most;
		most = r->children > most ? r->children : most;
	}
	VEC_FOREACH (n, &p->table.nodes)
		most = n->weight > most ? n->weight : most;
	if (__builtin_mul_overflow(most, factor, &ignored))
		return ERR_LIMIT;
	VEC_FOREACH (w, &p->samples.weight)
		*w *= factor;
	VEC_FOREACH (r, &p->table.rows) {
		r->self *= factor;
		r->children *= factor;
	}
	VEC_FOREACH (n, &p->table.nodes)
		n->weight *= factor;
	p->recovered_weight *= factor;
	p->decimals = (uint8_t)decimals;
	return OK;
}

enum weight_unit profile_sample_unit(const struct profile *p)
{
	return p->recovery == RECOVERY_EXACT ? WEIGHT_SAMPLES : p->unit;
}

uint8_t profile_sample_decimals(const struct profile *p)
{
	return p->recovery == RECOVERY_EXACT ? 0 : p->decimals;
}

uint32_t profile_tree_end(const struct profile_table *t, size_t row)
{
	uint32_t at = t->rows.data[row].tree;

	for (size_t i = row + 1; i < t->rows.len; i++) {
		uint32_t end = t->rows.data[i].tree;

		if (end != INDEX_NONE)
			return end > at ? end : at;
	}
	return (uint32_t)t->nodes.len;
}
