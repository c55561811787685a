/* SPDX-License-Identifier: MIT */
/*
 * Samples come in batches: each is decoded and its chain hashed while the slots
 * of the ones before are fetched. A chain seen before leads to its stack at once
 * (perf_data_rows.h). A new one costs a look-up a frame only where it differs
 * from the last one of the same thread: chains are compared from the outermost
 * frame inwards.
 */
#include "formats/perf_data_reader.h"

#include "base/limits.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define PERF_THREADS                  1024u /* threads whose state is remembered; a power of two */
#define PERF_BATCH                    16u   /* samples on their way at once */
#define PERF_CONTEXT_MAX              ((uint64_t)-4095)
#define PERF_CONTEXT_KERNEL           ((uint64_t)-128)
#define PERF_CONTEXT_USER             ((uint64_t)-512)
#define PERF_CONTEXT_HV               ((uint64_t)-32)
#define PERF_CONTEXT_USER_DEFERRED    ((uint64_t)-640)
#define PERF_CONTEXT_GUEST_KERNEL     ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER       ((uint64_t)-2560)
#define PERF_SAMPLE_BRANCH_CALL_STACK (UINT64_C(1) << 11)

static const struct diag_kind perf_data_deep = { "perf-data-deep-stack", DIAG_DATALOSS,
						 "stacks cut at the limit of frames" };
static const struct diag_kind perf_data_bad_chain = {
	"perf-data-bad-chain", DIAG_INFO,
	"call chains that are garbage, of which only the sampled place is kept"
};

static const struct diag_kind perf_data_deferred = {
	"perf-data-deferred-chain", DIAG_DATALOSS,
	"call chains whose user part was recorded later, apart from the sample, and is not joined"
};

/* What a sample needs to know of its thread. */
struct perf_thread {
	uint64_t version; /* of the resolver when it was looked up; 0: never */
	uint64_t state;   /* what addresses mean, and the command */
	uint32_t pid, tid;
	str_id comm;
	uint32_t attr; /* whose profile has it as row, INDEX_NONE: none yet */
	uint32_t row;
};

/* A sample on its way, with others, so that looking for one's frames waits for no memory. */
struct perf_pending {
	struct perf_sample s;
	str_id comm;
	uint32_t thread; /* row of the profile, where it is wanted */
	uint64_t hash;
	struct slot *row;  /* NULL: of no row, see is_odd */
	bool is_new;       /* its chain was not met before */
	uint32_t first, n; /* of a new one: its functions in perf_stacks.syms */
	stack_id node;     /* how far they have come */
};

struct perf_stacks {
	struct perf_thread threads[PERF_THREADS];
	VEC(struct perf_rows) rows; /* by attribute */
	struct perf_pending batch[PERF_BATCH];
	VEC(struct resolver_key) places; /* of new chains of the batch, outermost first */
	VEC(sym_id) syms;
	uint32_t root_attr; /* of the root frame made last: its event, command and node */
	str_id root_comm;
	stack_id root;
	bool is_odd; /* the chain at hand was counted as broken: do not remember it */
};

void perf_stack_init(struct perf_reader *r)
{
	r->stacks = xcalloc(1, sizeof(*r->stacks));
	r->stacks->root_attr = INDEX_NONE;
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
	VEC_FREE(&r->stacks->syms);
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
	c->profile->event = a->name;
	c->profile->unit = str_starts(name, STR("cpu-clock")) || str_starts(name, STR("task-clock"))
				   ? WEIGHT_NS
				   : WEIGHT_EVENTS;
	return c;
}

static enum cpumode perf_context_mode(uint64_t context)
{
	return context == PERF_CONTEXT_KERNEL         ? CPUMODE_KERNEL
	       : context == PERF_CONTEXT_USER         ? CPUMODE_USER
	       : context == PERF_CONTEXT_HV           ? CPUMODE_HYPERVISOR
	       : context == PERF_CONTEXT_GUEST_KERNEL ? CPUMODE_GUEST_KERNEL
	       : context == PERF_CONTEXT_GUEST_USER   ? CPUMODE_GUEST_USER
						      : CPUMODE_UNKNOWN;
}

/*
 * The user part of a chain as the branches of call-stack mode tell it, as perf
 * takes it: where the last call went, then from where each call came. Of a sample
 * in that last function its own place is the better one.
 */
static void perf_collect_calls(struct perf_reader *r, const struct perf_sample *s, uint64_t where)
{
	uint64_t entered = perf_word(s->branches, 1);

	if (s->mode == CPUMODE_USER &&
	    resolver_symbol(r->resolver, s->pid, CPUMODE_USER, entered).v ==
		    resolver_symbol(r->resolver, s->pid, CPUMODE_USER, s->ip).v)
		entered = s->ip;
	*VEC_PUSH(&r->frames) = (struct perf_frame){ entered, where };
	for (uint64_t i = 0; i + 2 < s->branches.n && r->frames.len < LIMIT_STACK_DEPTH; i += 3)
		*VEC_PUSH(&r->frames) = (struct perf_frame){ perf_word(s->branches, i), where };
}

/* Frames of a sample, innermost first, into r->frames. */
static void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s,
				struct diag *diag)
{
	bool is_printed = r->file.dossier->wanted.script != NULL; /* a frame's text is remembered */
	uint64_t kernel =
		is_printed ? (uint64_t)resolver_generation(r->resolver, UINT32_MAX) << 4 >> 1 : 0;
	uint64_t user =
		is_printed ? (uint64_t)resolver_generation(r->resolver, s->pid) << 4 >> 1 : 0;
	enum cpumode mode = s->mode;
	/* inlined functions are those of the call; only asked for where they are wanted */
	uint64_t after_call = r->detail ? PERF_FRAME_AFTER_CALL : 0;
	bool is_garbage = false;
	bool has_calls = s->branches.n && r->file.attrs.data[s->attr].branch_sample_type &
						  PERF_SAMPLE_BRANCH_CALL_STACK;

	/* branches are no part of what a chain is remembered by */
	r->stacks->is_odd = has_calls;
	r->frames.len = 0;
	for (uint64_t i = 0; i < s->chain.n; i++) {
		uint64_t ip = perf_word(s->chain, i);

		if (ip >= PERF_CONTEXT_MAX) {
			mode = perf_context_mode(ip);
			if (ip == PERF_CONTEXT_USER && has_calls) {
				perf_collect_calls(r, s, user | CPUMODE_USER);
				break;
			}
			if (mode != CPUMODE_UNKNOWN)
				continue;
			if (ip == PERF_CONTEXT_USER_DEFERRED) {
				diag_count(diag, &perf_data_deferred, 0);
				r->stacks->is_odd = true;
				break;
			}
			/* no such context: the chain is garbage, perf drops it too */
			diag_count(diag, &perf_data_bad_chain, 0);
			r->stacks->is_odd = true;
			r->frames.len = 0;
			is_garbage = true;
			break;
		}
		if (r->frames.len == LIMIT_STACK_DEPTH) {
			diag_count(diag, &perf_data_deep, 0);
			r->stacks->is_odd = true;
			break;
		}
		perf_add_frame(r, ip,
			       (mode == CPUMODE_KERNEL ? kernel : user) | mode |
				       (r->frames.len ? after_call : 0));
	}
	if (s->user_stack.len && !is_garbage)
		perf_unwind(r, s, user | CPUMODE_USER, diag);
	/* no chain, or one that begins elsewhere (precise events skid back): the sample's own place
	 */
	if (r->frames.len == 0 || r->frames.data[0].ip != s->ip) {
		(void)VEC_PUSH(&r->frames);
		memmove(&r->frames.data[1], &r->frames.data[0],
			(r->frames.len - 1) * sizeof(*r->frames.data));
		r->frames.data[0] =
			(struct perf_frame){ s->ip, (s->mode == CPUMODE_KERNEL ? kernel : user) |
							    s->mode };
	}
}

/* The root frame of a command: node and command change seldom. */
static stack_id perf_root(struct perf_reader *r, struct profile *p, uint32_t attr, str_id comm)
{
	struct perf_stacks *s = r->stacks;

	if (s->root_attr != attr || s->root_comm.v != comm.v) {
		s->root_attr = attr;
		s->root_comm = comm;
		s->root = stacks_push(
			&p->stacks, STACK_ROOT,
			symbols_add(&r->file.dossier->symbols, comm, STR_ID_NONE, SPACE_COMM));
	}
	return s->root;
}

/* A function each frame, and those that were inlined into it. */
static void perf_add_detailed(struct perf_reader *r, uint32_t pid, const struct perf_frame *f)
{
	unsigned int detail = r->detail;
	const sym_id *syms;
	size_t n;

	if (f->where & PERF_FRAME_AFTER_CALL)
		detail |= RESOLVER_AFTER_CALL;
	syms = resolver_frames(r->resolver, pid, (enum cpumode)(f->where & 7), f->ip, detail, &n);
	VEC_APPEND(&r->stacks->syms, syms, n);
}

/* The frames of the sample at hand join those of the batch. */
static void perf_begin_chain(struct perf_reader *r, struct perf_pending *q)
{
	struct perf_stacks *s = r->stacks;

	q->is_new = true;
	q->first = (uint32_t)(r->detail ? s->syms.len : s->places.len);
	for (size_t i = r->frames.len; i-- > 0;) {
		const struct perf_frame *f = &r->frames.data[i];

		if (r->detail)
			perf_add_detailed(r, q->s.pid, f);
		else
			resolver_locate(r->resolver, q->s.pid, (enum cpumode)(f->where & 7), f->ip,
					VEC_PUSH(&s->places));
	}
	q->n = (uint32_t)(r->detail ? s->syms.len : s->places.len) - q->first;
}

/* All new chains of the batch become stacks, a frame of each in turn. */
static void perf_finish_chains(struct perf_reader *r, size_t n)
{
	struct perf_stacks *s = r->stacks;
	struct perf_pending *active[PERF_BATCH];
	struct stacks *stacks[PERF_BATCH];
	size_t n_active = 0;

	VEC_FOREACH (place, &s->places)
		*VEC_PUSH(&s->syms) = resolver_symbol_at(r->resolver, place);
	for (size_t i = 0; i < n; i++) {
		struct perf_pending *q = &s->batch[i];
		struct profile *p;

		if (!q->is_new)
			continue;
		p = s->rows.data[q->s.attr].profile;
		q->node = perf_root(r, p, q->s.attr, q->comm);
		stacks[n_active] = &p->stacks;
		active[n_active++] = q;
	}
	for (uint32_t depth = 0; n_active; depth++) {
		size_t left = 0;

		for (size_t i = 0; i < n_active; i++) {
			if (depth >= active[i]->n)
				continue;
			active[left] = active[i];
			stacks[left] = stacks[i];
			stacks_prefetch(stacks[left], active[left]->node,
					s->syms.data[active[left]->first + depth]);
			left++;
		}
		n_active = left;
		for (size_t i = 0; i < n_active; i++)
			active[i]->node = stacks_push(stacks[i], active[i]->node,
						      s->syms.data[active[i]->first + depth]);
	}
	s->places.len = 0;
	s->syms.len = 0;
}

/* Both formats of read_format have the times, where they have both, behind the first word. */
static void perf_take_times(struct perf_reader *r, const struct perf_sample *s)
{
	const unsigned int both = 3; /* PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING */

	if (s->read.n >= 3 && (r->file.attrs.data[s->attr].read_format & both) == both)
		perf_file_times(
			&r->file, s->attr, s->id,
			(struct perf_times){ perf_word(s->read, 1), perf_word(s->read, 2) });
}

void perf_add_frame(struct perf_reader *r, uint64_t ip, uint64_t where)
{
	*VEC_PUSH(&r->frames) = (struct perf_frame){ ip, where };
}

/* The state of the sample's thread, from the resolver where events came since the last look. */
static struct perf_thread *perf_thread_of(struct perf_reader *r, const struct perf_sample *s)
{
	struct perf_thread *t = &r->stacks->threads[s->tid & (PERF_THREADS - 1)];
	uint64_t version = resolver_version(r->resolver);
	uint64_t maps;

	if (LIKELY(t->version == version && t->tid == s->tid && t->pid == s->pid))
		return t;
	*t = (struct perf_thread){
		.version = version,
		.pid = s->pid,
		.tid = s->tid,
		.comm = resolver_thread_comm(r->resolver, s->pid, s->tid),
		.attr = INDEX_NONE,
	};
	maps = hash_u64(resolver_generation(r->resolver, s->pid),
			resolver_generation(r->resolver, UINT32_MAX));
	t->state = hash_u64(maps, t->comm.v);
	return t;
}

static struct perf_rows *perf_rows_of(struct perf_reader *r, uint32_t attr)
{
	const struct read_options *options = &r->file.in->options;

	while (r->stacks->rows.len <= attr) {
		struct str name = strings_get(&r->file.dossier->strings,
					      r->file.attrs.data[r->stacks->rows.len].name);
		bool is_each = options->is_for_switches ? str_starts(name, STR("sched:sched_"))
							: r->file.in->n_fields > 0;
		unsigned int without = is_each ? 0 : options->without;

		*VEC_PUSH(&r->stacks->rows) = (struct perf_rows){
			.merge = (~without & (SAMPLE_TIME | SAMPLE_CPU)) ? PERF_ROWS_EACH
				 : without & SAMPLE_THREAD               ? PERF_ROWS_STACK
									 : PERF_ROWS_THREAD,
		};
	}
	if (UNLIKELY(!r->stacks->rows.data[attr].profile))
		r->stacks->rows.data[attr].profile = perf_capture(r, attr)->profile;
	return &r->stacks->rows.data[attr];
}

/* What tells the sample's row: the chain, the place, and what they are resolved with. */
static void perf_hash(struct perf_pending *q, uint64_t state, bool has_thread)
{
	const struct perf_sample *s = &q->s;
	uint64_t seed = hash_u64(s->ip, state ^ (uint64_t)s->mode);

	if (has_thread)
		seed = hash_u64(seed, (uint64_t)s->pid << 32 | s->tid);
	q->hash = s->chain.n ? XXH3_64bits_withSeed(s->chain.p, (size_t)s->chain.n * 8, seed)
			     : hash_u64(seed, s->ip);
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

/* An element for the one sample. */
static void perf_add_sample(struct perf_reader *r, struct profile *p, const struct perf_sample *s,
			    uint32_t thread, stack_id stack)
{
	uint64_t type = r->file.attrs.data[s->attr].sample_type;

	if (profile_add_sample(p, stack, s->period) < 0)
		return;
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

	perf_collect_frames(r, &q->s, &unused); /* counted where the stack is made */
	diag_fini(&unused);
	perf_script_sample(r, &q->s, q->comm);
}

/* Add the sample to the row of its chain; the stack of a new one is known later. */
static void perf_count_sample(struct perf_reader *r, struct perf_pending *q)
{
	struct perf_rows *rows = &r->stacks->rows.data[q->s.attr];
	struct profile *p = rows->profile;
	struct slot *row = perf_rows_find(rows, q->hash);

	p->event_count += q->s.period;
	p->n_samples++;
	if (UNLIKELY(r->file.dossier->wanted.script != NULL))
		perf_print_sample(r, q);
	q->row = row;
	q->is_new = false;
	if (LIKELY(row->value)) {
		if (rows->merge != PERF_ROWS_EACH)
			perf_rows_prefetch_sums(rows, row->value);
		return;
	}
	perf_collect_frames(r, &q->s, &perf_capture(r, q->s.attr)->diag);
	perf_begin_chain(r, q);
	if (r->stacks->is_odd || q->s.user_stack.len) {
		/* counted each time, or of its own stack bytes: not remembered */
		q->row = NULL;
		return;
	}
	perf_rows_add(rows, row, q->hash, PERF_ROW_PENDING);
}

static void perf_finish_sample(struct perf_reader *r, const struct perf_pending *q)
{
	struct perf_rows *rows = &r->stacks->rows.data[q->s.attr];
	uint32_t value;

	if (q->is_new) {
		value = perf_rows_value(rows, q->node.v, q->thread);
		if (q->row)
			q->row->value = value;
	} else {
		value = q->row->value;
	}
	if (rows->merge == PERF_ROWS_EACH)
		perf_add_sample(r, rows->profile, &q->s, q->thread, (stack_id){ value });
	else
		perf_rows_count(rows, value, q->s.period);
}

static bool perf_decode(struct perf_reader *r, const uint8_t *record, struct perf_sample *ret)
{
	struct perf_bytes body = perf_record_body(r, record);
	uint32_t attr = perf_sample_attr(&r->file, body);

	if (attr >= r->file.attrs.len ||
	    !perf_sample_decode(&r->file, attr, perf_record_misc(r, record), body, ret)) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return false;
	}
	if (r->file.in->options.without_callers) {
		ret->chain.n = 0;
		ret->user_stack.len = 0;
	}
	return true;
}

static void perf_begin_sample(struct perf_reader *r, struct perf_pending *q)
{
	uint32_t attr = q->s.attr;
	struct perf_thread *t = perf_thread_of(r, &q->s);
	struct perf_rows *rows = perf_rows_of(r, attr);

	perf_rows_reserve(rows, PERF_BATCH);
	perf_hash(q, t->state, rows->merge == PERF_ROWS_THREAD);
	perf_rows_prefetch(rows, q->hash);
	q->comm = t->comm;
	q->thread = rows->merge == PERF_ROWS_STACK ? 0 : perf_thread_row(rows->profile, t, attr);
}

/* The first @n of the batch become samples of their stacks. */
static void perf_end_batch(struct perf_reader *r, size_t n)
{
	struct perf_stacks *s = r->stacks;

	for (size_t i = 0; i < n; i++)
		perf_count_sample(r, &s->batch[i]);
	perf_finish_chains(r, n);
	for (size_t i = 0; i < n; i++)
		perf_finish_sample(r, &s->batch[i]);
}

/*
 * A sample that read the counts of its group is one of each event that has counted
 * since the last, with that as its period (perf: deliver_sample_group()).
 */
static void perf_take_counts(struct perf_reader *r, const struct perf_sample *s, size_t n)
{
	const struct perf_attr a = r->file.attrs.data[s->attr];
	struct perf_pending *q = &r->stacks->batch[0];

	for (size_t i = 0; i < n; i++) {
		struct perf_count c = perf_sample_count(&a, s, i);
		struct perf_sample one = *s;

		one.id = c.id;
		if (!perf_file_count(&r->file, c.id, c.value, &one.attr, &one.period) ||
		    !one.period)
			continue;
		q->s = one;
		perf_begin_sample(r, q);
		perf_end_batch(r, 1);
	}
}

void perf_take_samples(struct perf_reader *r, const struct perf_queued *items, size_t n)
{
	struct perf_stacks *s = r->stacks;
	size_t filled = 0;

	for (size_t at = 0; at < n; at++) {
		struct perf_pending *q = &s->batch[filled];

		if (at + 4 < n) { /* a sample is two or three lines of cache */
			__builtin_prefetch(items[at + 4].record);
			__builtin_prefetch(items[at + 4].record + 64);
		}
		if (!perf_decode(r, items[at].record, &q->s))
			continue;
		if (UNLIKELY(q->s.read.n)) {
			struct perf_sample one = q->s;
			size_t counts = perf_sample_counts(&r->file.attrs.data[one.attr], &one);

			perf_take_times(r, &one);
			if (counts) {
				perf_end_batch(r, filled);
				filled = 0;
				perf_take_counts(r, &one, counts);
				continue;
			}
		}
		perf_begin_sample(r, q);
		if (++filled == PERF_BATCH) {
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
