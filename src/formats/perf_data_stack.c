/* SPDX-License-Identifier: MIT */
/*
 * A stack costs a look-up a frame only where it differs from the last one of
 * the same thread: chains are compared from the outermost frame inwards.
 */
#include "formats/perf_data_reader.h"

#include "base/limits.h"

#define PERF_CHAINS               256u /* threads whose last chain is remembered */
#define PERF_CHAIN_FRAMES         192u /* frames of it; deeper ones are looked up again */
#define PERF_CONTEXT_MAX          ((uint64_t)-4095)
#define PERF_CONTEXT_KERNEL       ((uint64_t)-128)
#define PERF_CONTEXT_USER         ((uint64_t)-512)
#define PERF_CONTEXT_HV           ((uint64_t)-32)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER   ((uint64_t)-2560)

static const struct diag_kind perf_data_deep = { "perf-data-deep-stack", DIAG_DATALOSS,
						 "stacks cut at the limit of frames" };
static const struct diag_kind perf_data_bad_chain = {
	"perf-data-bad-chain", DIAG_INFO,
	"call chains that are garbage, of which only the sampled place is kept"
};

/* The last chain of a thread, outermost frame first. */
struct perf_chain {
	uint32_t tid;
	uint32_t attr;
	str_id comm;
	uint32_t n;
	struct perf_frame frames[PERF_CHAIN_FRAMES];
};

void perf_stack_init(struct perf_reader *r)
{
	r->chains = xcalloc(PERF_CHAINS, sizeof(*r->chains));
}

void perf_stack_fini(struct perf_reader *r)
{
	VEC_FREE(&r->frames);
	free(r->chains);
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

/* Frames of a sample, innermost first, into r->frames. */
static void perf_collect_frames(struct perf_reader *r, const struct perf_sample *s,
				struct diag *diag)
{
	uint64_t kernel = (uint64_t)resolver_generation(r->resolver, UINT32_MAX) << 3;
	uint64_t user = (uint64_t)resolver_generation(r->resolver, s->pid) << 3;
	enum cpumode mode = s->mode;
	/* inlined functions are those of the call; only asked for where they are wanted */
	uint64_t after_call = r->detail ? PERF_FRAME_AFTER_CALL : 0;
	bool is_garbage = false;

	r->frames.len = 0;
	for (uint64_t i = 0; i < s->chain.n; i++) {
		uint64_t ip = perf_word(s->chain, i);

		if (ip >= PERF_CONTEXT_MAX) {
			mode = perf_context_mode(ip);
			if (mode != CPUMODE_UNKNOWN)
				continue;
			/* no such context: the chain is garbage, perf drops it too */
			diag_count(diag, &perf_data_bad_chain, 0);
			r->frames.len = 0;
			is_garbage = true;
			break;
		}
		if (r->frames.len == LIMIT_STACK_DEPTH) {
			diag_count(diag, &perf_data_deep, 0);
			break;
		}
		*VEC_PUSH(&r->frames) =
			(struct perf_frame){ ip,
					     (mode == CPUMODE_KERNEL ? kernel : user) | mode |
						     (r->frames.len ? after_call : 0),
					     STACK_ROOT };
	}
	if (s->user_stack.len && !is_garbage)
		perf_unwind(r, s, user | CPUMODE_USER, diag);
	/* no chain, or one that begins elsewhere (precise events skid back): the sample's own place
	 */
	if (r->frames.len == 0 || r->frames.data[0].ip != s->ip) {
		(void)VEC_PUSH(&r->frames);
		memmove(&r->frames.data[1], &r->frames.data[0],
			(r->frames.len - 1) * sizeof(*r->frames.data));
		r->frames.data[0] = (struct perf_frame){
			s->ip, (s->mode == CPUMODE_KERNEL ? kernel : user) | s->mode, STACK_ROOT
		};
	}
}

/* Push what the frame stands for: a function and, where wanted, what was inlined into it. */
static stack_id perf_push_frame(struct perf_reader *r, struct stacks *stacks, stack_id node,
				uint32_t pid, const struct perf_frame *f)
{
	enum cpumode mode = (enum cpumode)(f->where & 7);
	unsigned int detail = r->detail;
	const sym_id *syms;
	size_t n;

	if (!detail)
		return stacks_push(stacks, node, resolver_symbol(r->resolver, pid, mode, f->ip));
	if (f->where & PERF_FRAME_AFTER_CALL)
		detail |= RESOLVER_AFTER_CALL;
	syms = resolver_frames(r->resolver, pid, mode, f->ip, detail, &n);
	for (size_t i = 0; i < n; i++)
		node = stacks_push(stacks, node, syms[i]);
	return node;
}

static stack_id perf_stack(struct perf_reader *r, struct profile *p, const struct perf_sample *s,
			   str_id comm)
{
	struct perf_chain *last = &r->chains[(s->tid * 31 + s->attr) % PERF_CHAINS];
	size_t n = r->frames.len;
	size_t i = 0;
	stack_id node;

	if (last->tid != s->tid || last->attr != s->attr || last->comm.v != comm.v) {
		last->tid = s->tid;
		last->attr = s->attr;
		last->comm = comm;
		last->n = 0;
	}
	while (i < n && i < last->n && last->frames[i].ip == r->frames.data[n - 1 - i].ip &&
	       last->frames[i].where == r->frames.data[n - 1 - i].where)
		i++;
	if (i) {
		node = last->frames[i - 1].node;
	} else {
		struct symbols *symbols = &r->file.dossier->symbols;

		node = stacks_push(&p->stacks, STACK_ROOT,
				   symbols_add(symbols, comm, STR_ID_NONE, SPACE_COMM));
	}
	for (; i < n; i++) {
		const struct perf_frame *f = &r->frames.data[n - 1 - i];

		node = perf_push_frame(r, &p->stacks, node, s->pid, f);
		if (i < PERF_CHAIN_FRAMES)
			last->frames[i] = (struct perf_frame){ f->ip, f->where, node };
	}
	last->n = (uint32_t)(n < PERF_CHAIN_FRAMES ? n : PERF_CHAIN_FRAMES);
	return node;
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

void perf_take_sample(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes body = perf_record_body(r, record);
	uint32_t attr = perf_sample_attr(&r->file, body);
	struct perf_sample s;
	struct capture *c;
	struct profile *p;
	str_id comm;

	if (attr >= r->file.attrs.len ||
	    !perf_sample_decode(&r->file, attr, perf_record_misc(r, record), body, &s)) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return;
	}
	if (s.read.n)
		perf_take_times(r, &s);
	c = perf_capture(r, attr);
	p = c->profile;
	perf_collect_frames(r, &s, &c->diag);
	comm = resolver_thread_comm(r->resolver, s.pid, s.tid);
	if (r->file.dossier->wanted.script)
		perf_script_sample(r, &s, comm);
	if (profile_add_sample(p, perf_stack(r, p, &s, comm), s.period) < 0)
		return;
	*VEC_PUSH(&p->samples.thread) =
		profile_thread(p, (struct profile_thread){ comm, s.pid, s.tid, true, true });
	if (r->file.attrs.data[attr].sample_type & PERF_SAMPLE_TIME)
		*VEC_PUSH(&p->samples.time_ns) = s.time;
	if (r->file.attrs.data[attr].sample_type & PERF_SAMPLE_CPU)
		*VEC_PUSH(&p->samples.cpu) = (uint16_t)(s.cpu < UINT16_MAX ? s.cpu : UINT16_MAX);
	if (s.raw.len && r->file.in->n_fields)
		perf_raw_add(&r->raw, attr, (uint32_t)(p->samples.n - 1), s.raw);
	p->event_count += s.period;
	p->n_samples++;
}
