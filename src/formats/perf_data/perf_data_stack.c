/* SPDX-License-Identifier: MIT */
/*
 * Samples are processed in batches: rows are prefetched while earlier samples are processed. A
 * known chain leads to its stack at once, by the key stored when its record was read
 * (perf_data_rows.h, perf_data_peek.h). Samples one by one take 1.2 to 1.3 times the CPU time where
 * chains vary (a recording of two busy CPUs), the same time where few chains repeat.
 */
#include "formats/perf_data/perf_data_stack.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_queue.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_reader.h"
#include "formats/perf_data/perf_data_rows.h"
#include "formats/perf_data/perf_data_sample.h"
#include "symbols/resolver.h"

void perf_stack_init(struct perf_reader *r)
{
	r->stacks = xcalloc(1, sizeof(*r->stacks));
	r->stacks->root_attr = INDEX_NONE;
	r->stacks->is_printed = r->file.dossier->wanted.script != NULL;
	for (size_t i = 0; i < PERF_BATCH; i++)
		r->stacks->batch[i].s = &r->stacks->samples[i];
}

void perf_stack_fini(struct perf_reader *r)
{
	if (!r->stacks)
		return;
	VEC_FREE(&r->frames);
	VEC_FOREACH (rows, &r->stacks->rows)
		perf_rows_fini(rows);
	VEC_FREE(&r->stacks->rows);
	VEC_FREE(&r->stacks->places);
	VEC_FREE(&r->stacks->hashes);
	VEC_FREE(&r->stacks->syms);
	VEC_FREE(&r->stacks->nodes);
	for (size_t i = 0; i < PERF_BATCH; i++)
		VEC_FREE(&r->stacks->joined[i]);
	free(r->stacks);
}

static struct capture *perf_capture(struct perf_reader *r, uint32_t attr)
{
	struct perf_attr *a = &r->file.attrs.data[attr];
	struct dossier *d = r->file.dossier;
	struct str name = strings_get(&d->strings, a->name);
	struct capture *c;

	if (a->capture != INDEX_NONE)
		return d->captures.data[a->capture];
	c = format_add_capture(&format_perf_data, r->file.in, d);
	a->capture = (uint32_t)d->captures.len - 1;
	(void)capture_profile(c);
	c->profile->has_no_callers = r->file.in->options.without_callers;
	c->profile->chains = (uint8_t)perf_chain_source(a);
	c->profile->event = a->name;
	c->profile->unit = str_starts(name, STR("cpu-clock")) || str_starts(name, STR("task-clock"))
				   ? WEIGHT_NS
				   : WEIGHT_EVENTS;
	return c;
}

/* If read_format has both times, they follow the first word in its single and group form. */
static void perf_take_times(struct perf_reader *r, const struct perf_sample *s)
{
	const unsigned int both = 3; /* PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING */

	if (s->read.n >= 3 && (r->file.attrs.data[s->attr].read_format & both) == both)
		perf_file_times(
			&r->file, s->attr, s->id,
			(struct perf_times){ perf_word(s->read, 1), perf_word(s->read, 2) });
}

static void perf_thread_fill(struct perf_reader *r, struct perf_thread *t,
			     const struct perf_queued *s)
{
	uint64_t maps;

	*t = (struct perf_thread){
		.version = resolver_version(r->resolver),
		.pid = s->pid,
		.tid = s->tid,
		.comm = resolver_thread_comm(r->resolver, s->pid, s->tid),
		.attr = INDEX_NONE,
	};
	maps = hash_u64(resolver_generation(r->resolver, s->pid),
			resolver_generation(r->resolver, UINT32_MAX));
	t->state = hash_u64(maps, t->comm.v);
}

/* The cached state of the sample's thread, refreshed if the resolver has seen events since. */
static inline struct perf_thread *perf_thread_of(struct perf_reader *r, const struct perf_queued *s)
{
	struct perf_thread *t = &r->stacks->threads[s->tid & (PERF_THREADS - 1)];

	if (UNLIKELY(t->version != r->stacks->version || t->tid != s->tid || t->pid != s->pid))
		perf_thread_fill(r, t, s);
	return t;
}

/* Whether the file has switches of threads: waits need every sample with its time. */
static bool perf_has_switches(struct perf_reader *r)
{
	VEC_FOREACH (a, &r->file.attrs) {
		if (str_eq(strings_get(&r->file.dossier->strings, a->name),
			   STR("sched:sched_switch")))
			return true;
	}
	return false;
}

/* Make the rows of an event at its first sample. */
static struct perf_rows *perf_rows_new(struct perf_reader *r, uint32_t attr)
{
	const struct read_options *options = &r->file.in->options;
	struct perf_rows *rows;
	struct capture *c;

	while (r->stacks->rows.len <= attr) {
		bool is_each =
			options->is_for_switches ? perf_has_switches(r) : r->file.in->n_fields > 0;
		unsigned int without = is_each ? 0 : options->without;

		*VEC_PUSH(&r->stacks->rows) = (struct perf_rows){
			.merge = (~without & (SAMPLE_TIME | SAMPLE_CPU)) ? PERF_ROWS_EACH
				 : without & SAMPLE_THREAD               ? PERF_ROWS_STACK
									 : PERF_ROWS_THREAD,
		};
	}
	rows = &r->stacks->rows.data[attr];
	c = perf_capture(r, attr);
	rows->profile = c->profile;
	rows->diag = &c->diag;
	perf_rows_reserve(rows, PERF_BATCH);
	return rows;
}

static inline struct perf_rows *perf_rows_of(struct perf_reader *r, uint32_t attr)
{
	struct perf_rows *rows = &r->stacks->rows.data[attr];

	return LIKELY(attr < r->stacks->rows.len && rows->profile) ? rows : perf_rows_new(r, attr);
}

static uint32_t perf_thread_row(struct profile *p, struct perf_thread *t, uint32_t attr)
{
	if (t->attr != attr) {
		t->row = profile_thread(
			p, (struct profile_thread){ t->comm, t->pid, t->tid, true, true });
		t->attr = attr;
	}
	return t->row;
}

static void perf_take_sample_cgroup(struct perf_reader *r, struct profile *p,
				    const struct perf_sample *s)
{
	str_id name = strings_add(&r->file.dossier->strings, STR("cgroup"));

	VEC_FOREACH (known, &r->cgroups) {
		if (known->id == s->cgroup)
			profile_set_field(p, p->samples.n - 1, name, known->path);
	}
}

/* Add an element for one sample. */
static void perf_add_sample(struct perf_reader *r, struct profile *p, const struct perf_sample *s,
			    uint32_t thread, uint32_t stack)
{
	uint64_t type = r->file.attrs.data[s->attr].sample_type;

	if (profile_add_sample(p, (stack_id){ stack & ~PERF_ROW_NO_FRAME }, s->period) < 0)
		return;
	profile_set_no_frame(p, stack & PERF_ROW_NO_FRAME);
	*VEC_PUSH(&p->samples.thread) = thread;
	if (type & PERF_SAMPLE_TIME)
		*VEC_PUSH(&p->samples.time_ns) = s->time;
	if (type & PERF_SAMPLE_CPU)
		*VEC_PUSH(&p->samples.cpu) = (uint16_t)(s->cpu < UINT16_MAX ? s->cpu : UINT16_MAX);
	if (r->wants_cgroup)
		perf_take_sample_cgroup(r, p, s);
	if (s->raw.len && r->file.in->n_fields > r->wants_cgroup)
		perf_raw_add(&r->raw, s->attr, (uint32_t)(p->samples.n - 1), s->raw);
}

static void perf_print_sample(struct perf_reader *r, const struct perf_pending *q)
{
	struct diag unused = { .entries = VEC_INIT };

	perf_collect_frames(r, q->s, &unused); /* already counted when the stack is made */
	diag_fini(&unused);
	perf_script_sample(r, q->s, q->comm);
}

/* Decode the record. False: inconsistent. */
static bool perf_decode(struct perf_reader *r, struct perf_pending *q, const uint8_t *record)
{
	struct perf_bytes body = perf_record_body(r, record);
	uint32_t attr = perf_sample_attr(&r->file, body);

	if (attr >= r->file.attrs.len ||
	    !perf_sample_decode(&r->file, attr, perf_record_misc(r, record), body, q->s)) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return false;
	}
	if (r->file.in->options.without_callers) {
		q->s->chain.n = 0;
		q->s->user_stack.len = 0;
	}
	if (r->deferred->is_joining)
		perf_deferred_join(r->deferred, q->s, &r->stacks->joined[q - r->stacks->batch]);
	q->is_decoded = true;
	return true;
}

/* Look up the data that samples of known chains do not need. */
static void perf_complete(struct perf_reader *r, struct perf_pending *q, struct perf_rows *rows)
{
	struct perf_thread *t = perf_thread_of(r, q->known);

	if (!q->is_decoded)
		(void)perf_decode(r, q, q->known->record); /* it was validated before */
	q->state = t->state;
	q->comm = t->comm;
	q->thread = rows->merge == PERF_ROWS_STACK
			    ? 0
			    : perf_thread_row(rows->profile, t, q->known->attr);
}

/* Start a sample: prefetch its row. */
static inline void perf_begin_sample(struct perf_reader *r, struct perf_pending *q,
				     const struct perf_queued *known)
{
	struct perf_rows *rows = perf_rows_of(r, known->attr);

	q->known = known;
	q->hash = hash_u64(known->hash, perf_thread_of(r, known)->state);
	if (rows->merge != PERF_ROWS_STACK) {
		if (rows->merge == PERF_ROWS_THREAD)
			q->hash = hash_u64(q->hash, (uint64_t)known->pid << 32 | known->tid);
		perf_complete(r, q, rows);
	}
	q->home = perf_rows_home(rows, q->hash);
}

/* Start a new chain; its stack is known at the end of the batch. */
static void perf_new_chain(struct perf_reader *r, struct perf_pending *q, struct perf_rows *rows)
{
	perf_complete(r, q, rows);
	perf_collect_frames(r, q->s, rows->diag);
	q->no_frame = perf_leaf_has_no_frame(r, q->s);
	perf_begin_chain(r, q);
	/* broken chains are counted each time, and stack dumps are not in the key: do not cache */
	if (r->stacks->must_not_cache || q->s->user_stack.len)
		q->row = NULL;
	else
		perf_rows_add(rows, q->row, q->hash, PERF_ROW_PENDING);
}

/* Find the row of the sample's chain and its sum. False: unknown. */
static inline bool perf_find_row(struct perf_reader *r, struct perf_pending *q)
{
	struct perf_rows *rows = &r->stacks->rows.data[q->known->attr];

	if (UNLIKELY(r->stacks->is_printed)) {
		perf_complete(r, q, rows);
		perf_print_sample(r, q);
	}
	q->row = perf_rows_find(rows, q->home, q->hash);
	q->is_new = false;
	if (UNLIKELY(!q->row->value)) {
		perf_new_chain(r, q, rows);
		return false;
	}
	perf_rows_prefetch_sums(rows, q->row->value);
	return true;
}

static inline void perf_count_sample(struct perf_reader *r, const struct perf_pending *q)
{
	struct perf_rows *rows = &r->stacks->rows.data[q->known->attr];
	uint32_t value;

	if (UNLIKELY(q->is_new)) {
		value = perf_rows_value(rows, q->node.v | (q->no_frame ? PERF_ROW_NO_FRAME : 0),
					q->thread);
		if (q->row)
			q->row->value = value;
	} else {
		value = q->row->value;
	}
	rows->profile->event_count += q->known->period;
	rows->profile->n_samples++;
	if (rows->merge == PERF_ROWS_EACH)
		perf_add_sample(r, rows->profile, q->s, q->thread, value);
	else
		perf_rows_count(rows, value, q->known->period);
}

/* Add the first @n samples of the batch to their stacks. */
static void perf_end_batch(struct perf_reader *r, size_t n)
{
	struct perf_stacks *s = r->stacks;
	bool is_known = true;

	for (size_t i = 0; i < n; i++)
		is_known &= perf_find_row(r, &s->batch[i]);
	if (!is_known)
		perf_finish_chains(r, n);
	for (size_t i = 0; i < n; i++)
		perf_count_sample(r, &s->batch[i]);
	if (is_known)
		return;
	VEC_FOREACH (rows, &s->rows) {
		if (rows->profile)
			perf_rows_reserve(rows, PERF_BATCH);
	}
}

/* The item that perf_peek() would have made. */
static struct perf_queued perf_know(const struct perf_sample *s, const uint8_t *record)
{
	return (struct perf_queued){
		.record = record,
		.hash = perf_chain_hash(s->ip, s->mode, s->chain),
		.period = s->period,
		.pid = s->pid,
		.tid = s->tid,
		.attr = s->attr,
	};
}

/*
 * Deliver a sample that read the counts of its group as one sample per event that has counted
 * since the previous one, with the difference as period (perf: deliver_sample_group()).
 */
static void perf_take_counts(struct perf_reader *r, const struct perf_sample *s, size_t n,
			     const uint8_t *record)
{
	const struct perf_attr a = r->file.attrs.data[s->attr];
	struct perf_pending *q = &r->stacks->batch[0];
	struct perf_queued *known = &r->stacks->own[0];

	q->is_decoded = true;
	for (size_t i = 0; i < n; i++) {
		struct perf_count c = perf_sample_count(&a, s, i);
		struct perf_sample one = *s;

		one.id = c.id;
		if (!perf_file_count(&r->file, c.id, c.value, &one.attr, &one.period) ||
		    !one.period)
			continue;
		*q->s = one;
		*known = perf_know(&one, record);
		perf_begin_sample(r, q, known);
		perf_end_batch(r, 1);
	}
}

/*
 * Decode a sample that perf_peek() could not, as number @n of the batch; returns the new size
 * of the batch.
 */
static size_t perf_look_closer(struct perf_reader *r, const uint8_t *record, size_t n)
{
	struct perf_stacks *stacks = r->stacks;
	struct perf_pending *q = &stacks->batch[n];
	struct perf_sample one;
	size_t counts = 0;

	if (!perf_decode(r, q, record))
		return n;
	if (UNLIKELY(q->s->read.n)) {
		one = *q->s;
		counts = perf_sample_counts(&r->file.attrs.data[one.attr], &one);
		perf_take_times(r, &one);
	}
	if (counts) {
		perf_end_batch(r, n);
		perf_take_counts(r, &one, counts, record);
		return 0;
	}
	stacks->own[n] = perf_know(q->s, record);
	perf_begin_sample(r, q, &stacks->own[n]);
	return n + 1;
}

void perf_take_records(struct perf_reader *r, const struct perf_queued *items,
		       const uint32_t *order, size_t n)
{
	struct perf_stacks *s = r->stacks;
	size_t filled = 0;

	s->version = resolver_version(r->resolver);
	for (size_t at = 0; at < n; at++) {
		const struct perf_queued *item = &items[order[at]];

		if (LIKELY(item->attr < PERF_QUEUED_SAMPLE)) {
			s->batch[filled].is_decoded = false;
			perf_begin_sample(r, &s->batch[filled], item);
			filled++;
		} else if (item->attr == PERF_QUEUED_SAMPLE) {
			filled = perf_look_closer(r, item->record, filled);
		} else {
			perf_end_batch(r, filled);
			filled = 0;
			perf_take_event(r, item->record);
			s->version = resolver_version(r->resolver);
		}
		if (filled == PERF_BATCH) {
			perf_end_batch(r, filled);
			filled = 0;
		}
	}
	perf_end_batch(r, filled);
}

void perf_stack_finish(struct perf_reader *r)
{
	for (size_t i = 0; i < r->stacks->rows.len; i++) {
		if (r->stacks->rows.data[i].index.data)
			perf_rows_finish(&r->stacks->rows.data[i]);
	}
}
