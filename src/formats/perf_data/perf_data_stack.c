/* SPDX-License-Identifier: MIT */
/*
 * Convert samples to stacks. The hash of a sample's chain is computed when the record is queued
 * (perf_data_peek.h). If the chain is known, the hash leads directly to its stack
 * (perf_data_rows.h). If the chain is new, perf_data_chain.c makes its stack.
 */
#include "formats/perf_data/perf_data_stack.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/slots.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/process_list.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/format.h"
#include "formats/perf_data/fast/perf_data_queue.h"
#include "formats/perf_data/fast/perf_data_rows.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_reader.h"
#include "formats/perf_data/perf_data_sample.h"
#include "formats/perf_data/perf_data_spots.h"
#include "symbols/resolver/resolver.h"

DECLARE_FORMAT(perf_data);

void perf_stack_init(struct perf_reader *r)
{
	r->stacks = xcalloc(1, sizeof(*r->stacks));
	r->stacks->root_attr = INDEX_NONE;
	r->stacks->is_printed = r->file.dossier->wanted.script != NULL;
}

void perf_stack_fini(struct perf_reader *r)
{
	if (!r->stacks)
		return;
	VEC_FREE(&r->frames);
	VEC_FOREACH (rows, &r->stacks->rows)
		perf_rows_fini(rows);
	VEC_FREE(&r->stacks->rows);
	VEC_FREE(&r->stacks->hashes);
	VEC_FREE(&r->stacks->syms);
	VEC_FREE(&r->stacks->joined);
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
	c->profile->unit = str_starts(name, STR("cpu-clock")) ||
					   str_starts(name, STR("task-clock")) ||
					   str_eq(name, STR("offcpu-time"))
				   ? WEIGHT_NS
				   : WEIGHT_EVENTS;
	return c;
}

/*
 * Store how long the event was enabled and how long it was counted (running), if the sample's field
 * PERF_SAMPLE_READ has both times. These are the second and the third word of the field, for a
 * single event and for a group.
 */
static void perf_take_times(struct perf_reader *r, const struct perf_sample *s)
{
	const unsigned int both = 3; /* the bits PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING */

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
		.process_attr = INDEX_NONE,
	};
	maps = hash_u64(resolver_generation(r->resolver, s->pid),
			resolver_generation(r->resolver, UINT32_MAX));
	t->state = hash_u64(maps, t->comm.v);
}

/*
 * The cached state of the sample's thread. It is looked up again if resolver_version() has changed
 * since the last look-up.
 */
static inline struct perf_thread *perf_thread_of(struct perf_reader *r, const struct perf_queued *s)
{
	struct perf_thread *t = &r->stacks->threads[s->tid & (PERF_THREADS - 1)];

	if (UNLIKELY(t->version != r->stacks->version || t->tid != s->tid || t->pid != s->pid))
		perf_thread_fill(r, t, s);
	return t;
}

/*
 * Whether the file has context switches. Waits are computed from the times of samples, so in such a
 * file each sample must be kept with its time.
 */
static bool perf_has_switches(struct perf_reader *r)
{
	VEC_FOREACH (a, &r->file.attrs) {
		if (a->has_switches || str_eq(strings_get(&r->file.dossier->strings, a->name),
					      STR("sched:sched_switch")))
			return true;
	}
	return false;
}

/*
 * Make the cache of chains and the sums of equal samples (perf_data_rows.h) for the event @attr.
 * Called at the first sample of the event.
 */
static struct perf_rows *perf_rows_new(struct perf_reader *r, uint32_t attr)
{
	const struct read_options *options = &r->file.in->options;
	struct perf_rows *rows;
	struct capture *c;

	perf_pairs_find(r);
	while (r->stacks->rows.len <= attr) {
		bool is_each =
			options->is_for_switches ? perf_has_switches(r) : r->file.in->n_fields > 0;
		unsigned int without = is_each ? 0 : options->without;

		*VEC_PUSH(&r->stacks->rows) = (struct perf_rows){
			.merge = (~without & (SAMPLE_TIME | SAMPLE_CPU)) ? PERF_ROWS_EACH
				 : without & SAMPLE_THREAD               ? PERF_ROWS_STACK
									 : PERF_ROWS_THREAD,
			.has_spots = r->spots.is_on,
		};
	}
	rows = &r->stacks->rows.data[attr];
	c = perf_capture(r, attr);
	rows->profile = c->profile;
	rows->diag = &c->diag;
	perf_rows_reserve(rows, 1);
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

/* Add the sample @s to the process of its thread @t. */
static void perf_add_to_process(struct profile *p, struct perf_thread *t,
				const struct perf_queued *s)
{
	if (t->process_attr != s->attr) {
		t->process = process_list_row(&p->processes, t->pid, t->comm);
		t->process_attr = s->attr;
	}
	process_list_add(&p->processes, t->process, s->period, s->time);
}

/*
 * Add one sample to the profile as an element of its own. @spot: number of the sampled instruction.
 */
static void perf_add_sample(struct perf_reader *r, struct profile *p, const struct perf_sample *s,
			    uint32_t thread, uint32_t stack, uint32_t spot)
{
	uint64_t type = r->file.attrs.data[s->attr].sample_type;

	if (profile_add_sample(p, (stack_id){ stack & ~PERF_ROW_NO_FRAME }, s->period) < 0)
		return;
	profile_set_no_frame(p, stack & PERF_ROW_NO_FRAME);
	if (r->file.in->options.with_code_rows)
		*VEC_PUSH(&p->samples.code_row) = spot;
	*VEC_PUSH(&p->samples.thread) = thread;
	if (type & PERF_SAMPLE_TIME)
		*VEC_PUSH(&p->samples.time_ns) = s->time;
	if (type & PERF_SAMPLE_CPU)
		*VEC_PUSH(&p->samples.cpu) = (uint16_t)(s->cpu < UINT16_MAX ? s->cpu : UINT16_MAX);
	if (r->n_task_fields)
		perf_add_task_fields(r, p, s);
	if (s->raw.len && r->file.in->n_fields > r->n_task_fields)
		perf_raw_add(&r->raw, s->attr, (uint32_t)(p->samples.n - 1), s->raw);
}

static void perf_print_sample(struct perf_reader *r, const struct perf_sample *s, str_id comm)
{
	struct diag unused = { .entries = VEC_INIT };

	/* do not report broken chains here, because perf_new_chain() counts them */
	perf_collect_frames(r, s, &unused);
	diag_fini(&unused);
	perf_script_sample(r, s, comm);
}

/* Decode the record into r->stacks->sample. False: the record is inconsistent. */
static bool perf_decode(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes body = perf_record_body(r, record);
	uint32_t attr = perf_sample_attr(&r->file, body);
	struct perf_sample *s = &r->stacks->sample;

	if (attr >= r->file.attrs.len ||
	    !perf_sample_decode(&r->file, attr, perf_record_misc(r, record), body, s)) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return false;
	}
	if (r->file.in->options.without_callers) {
		s->chain.n = 0;
		s->user_stack.len = 0;
	}
	if (r->deferred->is_joining)
		perf_deferred_join(r->deferred, s, &r->stacks->joined);
	return true;
}

/*
 * Make the stack of a chain that is not cached in @rows. Returns the chain's perf_rows_value().
 * Stores this value in @rows unless the chain must not be cached.
 */
static uint32_t perf_new_chain(struct perf_reader *r, struct perf_rows *rows,
			       const struct perf_thread *t, uint32_t thread, uint64_t hash)
{
	const struct perf_sample *s = &r->stacks->sample;
	struct slot *row;
	stack_id node;
	uint32_t value;
	bool no_frame;

	perf_collect_frames(r, s, rows->diag);
	no_frame = perf_leaf_has_no_frame(r, s);
	node = perf_push_chain(r, rows->profile, t);
	value = perf_rows_value(rows, node.v | (no_frame ? PERF_ROW_NO_FRAME : 0), thread,
				rows->merge == PERF_ROWS_EACH
					? 0
					: perf_spot_of(r, s->pid, s->mode, s->ip, t->state));
	/*
	 * Two kinds of chains are not cached. Broken chains: each of them must be counted. Chains
	 * with a stack dump: the dump is not part of the key
	 */
	if (!r->stacks->must_not_cache && !s->user_stack.len && value) {
		perf_rows_reserve(rows, 1);
		row = perf_rows_find(rows, hash);
		perf_rows_add(rows, row, hash, value);
	}
	return value;
}

/*
 * Add the queued sample @known to the profile of its event. @is_decoded: r->stacks->sample already
 * has the fields of the sample.
 */
static void perf_take_sample(struct perf_reader *r, const struct perf_queued *known,
			     bool is_decoded)
{
	struct perf_rows *rows = perf_rows_of(r, known->attr);
	struct perf_thread *t = perf_thread_of(r, known);
	uint64_t hash = hash_u64(known->hash, t->state);
	uint32_t thread = 0;
	uint32_t spot = 0;
	uint32_t value;

	if (rows->merge != PERF_ROWS_STACK)
		thread = perf_thread_row(rows->profile, t, known->attr);
	if (rows->merge == PERF_ROWS_THREAD)
		hash = hash_u64(hash, (uint64_t)known->pid << 32 | known->tid);
	value = perf_rows_find(rows, hash)->value;
	if (!is_decoded &&
	    (rows->merge == PERF_ROWS_EACH || r->stacks->is_printed || !value || r->pairs.is_on))
		/* decoding cannot fail, because perf_peek() has already checked the record */
		(void)perf_decode(r, known->record);
	if (UNLIKELY(r->stacks->is_printed))
		perf_print_sample(r, &r->stacks->sample, t->comm);
	if (UNLIKELY(r->pairs.is_on))
		perf_pairs_add(r, &r->stacks->sample, t->comm);
	if (UNLIKELY(!value))
		value = perf_new_chain(r, rows, t, thread, hash);
	rows->profile->event_count += known->period;
	rows->profile->n_samples++;
	if (rows->merge != PERF_ROWS_EACH) {
		if (r->file.in->options.with_processes)
			perf_add_to_process(rows->profile, t, known);
		perf_rows_count(rows, value, known->period);
		return;
	}
	if (rows->has_spots) {
		spot = perf_spot_of(r, known->pid, r->stacks->sample.mode, r->stacks->sample.ip,
				    t->state);
		perf_rows_at_spot(rows, spot, known->period, 1);
	}
	perf_add_sample(r, rows->profile, &r->stacks->sample, thread, value, spot);
}

/*
 * Add the sample in r->stacks->sample. perf_peek() could not decode it, so first make the queue
 * item that perf_take_sample() needs.
 */
static void perf_take_decoded(struct perf_reader *r, const uint8_t *record)
{
	const struct perf_sample *s = &r->stacks->sample;
	struct perf_queued known = {
		.time = s->time,
		.record = record,
		.hash = perf_chain_hash(s->ip, s->mode, s->chain),
		.period = s->period,
		.pid = s->pid,
		.tid = s->tid,
		.attr = s->attr,
	};

	perf_take_sample(r, &known, true);
}

/*
 * Add the samples of an event group. The record has the counts of all events of the group. For each
 * event whose count has grown since the previous record of the group, add one sample. Its period is
 * the increase, as in deliver_sample_group() of perf.
 */
static void perf_take_counts(struct perf_reader *r, size_t n, const uint8_t *record)
{
	const struct perf_sample all = r->stacks->sample;
	const struct perf_attr a = r->file.attrs.data[all.attr];

	for (size_t i = 0; i < n; i++) {
		struct perf_count c = perf_sample_count(&a, &all, i);
		struct perf_sample one = all;

		one.id = c.id;
		if (!perf_file_count(&r->file, c.id, c.value, &one.attr, &one.period) ||
		    !one.period)
			continue;
		r->stacks->sample = one;
		perf_take_decoded(r, record);
	}
}

/* Decode and add a sample that perf_peek() could not decode. */
static void perf_look_closer(struct perf_reader *r, const uint8_t *record)
{
	const struct perf_sample *s = &r->stacks->sample;
	size_t counts = 0;

	if (!perf_decode(r, record))
		return;
	if (UNLIKELY(s->read.n)) {
		counts = perf_sample_counts(&r->file.attrs.data[s->attr], s);
		perf_take_times(r, s);
	}
	if (counts)
		perf_take_counts(r, counts, record);
	else
		perf_take_decoded(r, record);
}

void perf_take_records(struct perf_reader *r, const struct perf_queued *items,
		       const uint32_t *order, size_t n)
{
	struct perf_stacks *s = r->stacks;
	uint64_t next_code;

	s->version = resolver_version(r->resolver);
	next_code = resolver_next_code(r->resolver);
	for (size_t at = 0; at < n; at++) {
		const struct perf_queued *item = &items[order[at]];

		if (UNLIKELY(item->time >= next_code)) {
			next_code = resolver_at(r->resolver, item->time);
			s->version = resolver_version(r->resolver);
		}
		if (LIKELY(item->attr < PERF_QUEUED_SAMPLE)) {
			perf_take_sample(r, item, false);
		} else if (item->attr == PERF_QUEUED_SAMPLE) {
			perf_look_closer(r, item->record);
		} else {
			perf_take_event(r, item->record);
			s->version = resolver_version(r->resolver);
			next_code = resolver_next_code(r->resolver);
		}
	}
}

void perf_stack_finish(struct perf_reader *r)
{
	for (size_t i = 0; i < r->stacks->rows.len; i++) {
		if (r->stacks->rows.data[i].index.data)
			perf_rows_finish(&r->stacks->rows.data[i]);
	}
}
