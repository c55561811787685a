/* SPDX-License-Identifier: MIT */
/*
 * Unwind call chains while recording. The kernel copies the registers and the top of the stack into
 * each sample. Before a sample is written, its stack is unwound, and the call chain replaces these
 * copies. The file then looks like a file of perf record -g, but its call chains do not depend on
 * frame pointers.
 *
 * To unwind a sample, the maps of its process at that time are needed. A map record may be in the
 * buffer of another CPU, so the records of all buffers are merged by time. Records that are newer
 * than the start of the current round stay in their buffers until the next round, because another
 * buffer may still receive an older record.
 *
 * A program can map any file, so call frame information is untrusted. cfi.h limits the work that it
 * can cause.
 */
#include "record/perf/rec.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "record/perf/record.h"
#include "symbols/elf_symbols.h"
#include "symbols/resolver/resolver.h"
#include "symbols/unwind/unwind.h"

#define CHAINS_MAX  512u /* maximum number of frames in a chain */
#define CHAINS_REGS 64u
/*
 * number of ended processes whose maps are kept, because some of their samples may not be processed
 * yet
 */
#define CHAINS_ENDED 4096u
/* number of bytes between the header of a sample and its call chain */
#define CHAINS_FIXED    48u
#define CHAINS_ABI_64   2u /* PERF_SAMPLE_REGS_ABI_64 */
#define CHAINS_EXEC     (1u << 13)
#define CHAINS_BUILD_ID (1u << 14)

struct rec_chains {
	struct strings strings;
	struct symbols symbols;
	struct resolver *resolver;
	struct idmap ids; /* id of an event's descriptor -> index in rec.fds */
	struct out out;   /* converted records of the current round */
	/* contiguous copy of a record that wraps around the end of its buffer */
	VEC(uint8_t) whole;
	uint32_t ended[CHAINS_ENDED];
	uint32_t next_ended;
};

/* The part of a record that was not read yet. is_over: the record is too short for a read. */
struct chains_bytes {
	const uint8_t *p;
	size_t left;
	bool is_over;
};

static const uint8_t *chains_skip(struct chains_bytes *b, uint64_t n)
{
	const uint8_t *p = b->p;

	if (n > b->left) {
		b->is_over = true;
		return NULL;
	}
	b->p += n;
	b->left -= (size_t)n;
	return p;
}

static uint64_t chains_u64(struct chains_bytes *b)
{
	const uint8_t *p = chains_skip(b, 8);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t chains_u32(struct chains_bytes *b)
{
	const uint8_t *p = chains_skip(b, 4);
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static bool chains_has_stack(const struct perf_event_attr *a)
{
	return a->sample_type & PERF_SAMPLE_STACK_USER;
}

void rec_chains_begin(struct rec *r)
{
	static const struct resolver_options options = { .is_here = true };
	struct rec_chains *c = xcalloc(1, sizeof(*c));

	r->chains = c;
	strings_init(&c->strings);
	symbols_init(&c->symbols, &c->strings);
	c->resolver = resolver_new(&c->symbols, &options);
	out_init(&c->out);
	for (uint32_t i = 0; i < r->fds.len; i++) {
		struct idmap_probe p = idmap_first(&c->ids, hash_u64(r->fds.data[i].id, 5));

		idmap_insert(&c->ids, &p, i);
	}
}

void rec_chains_fini(struct rec *r)
{
	struct rec_chains *c = r->chains;

	if (!c)
		return;
	resolver_free(c->resolver);
	symbols_fini(&c->symbols);
	strings_fini(&c->strings);
	idmap_fini(&c->ids);
	out_fini(&c->out);
	VEC_FREE(&c->whole);
	free(c);
	r->chains = NULL;
}

struct perf_event_attr rec_chains_attr(const struct rec *r, const struct rec_event *e)
{
	struct perf_event_attr a = e->attr;

	if (!r->chains || !chains_has_stack(&a))
		return a;
	a.sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	a.sample_regs_user = 0;
	a.sample_stack_user = 0;
	/*
	 * with this flag, readers know that the kernel did not record the user part of the call
	 * chains: it was found by unwinding, and is complete
	 */
	a.exclude_callchain_user = 1;
	return a;
}

static const struct rec_event *chains_event(const struct rec *r, uint64_t id)
{
	struct idmap_probe p = idmap_first(&r->chains->ids, hash_u64(id, 5));

	while (idmap_next(&r->chains->ids, &p)) {
		if (r->fds.data[p.id].id == id)
			return &r->events.data[r->fds.data[p.id].event];
	}
	return NULL;
}

/*
 * Handle the end of the process @pid. Its maps are kept until CHAINS_ENDED more processes have
 * ended.
 */
static void chains_end(struct rec_chains *c, uint32_t pid)
{
	uint32_t *slot = &c->ended[c->next_ended++ % CHAINS_ENDED];

	if (*slot)
		resolver_end(c->resolver, *slot);
	*slot = pid;
}

/*
 * Handle a new process with the pid of an ended process: undo chains_end() of the old process, so
 * that it does not drop the maps of the new one.
 */
static void chains_reused(struct rec_chains *c, uint32_t pid)
{
	uint32_t n = c->next_ended < CHAINS_ENDED ? c->next_ended : CHAINS_ENDED;

	for (uint32_t i = 0; i < n; i++) {
		if (c->ended[i] == pid)
			c->ended[i] = 0;
	}
}

/*
 * Add an executable map of user space to the resolver. @b: the fields of MMAP2: u32 pid, tid; u64
 * address, length, offset; 24 bytes with device and inode, or build id; u32 protection, flags;
 * name.
 */
static void chains_map(struct rec *r, uint16_t misc, struct chains_bytes b)
{
	struct rec_chains *c = r->chains;
	struct build_id id = { .len = 0 };
	struct resolver_file file = { .inode = 0 };
	uint32_t pid = chains_u32(&b);
	uint64_t start = (chains_skip(&b, 4), chains_u64(&b));
	uint64_t length = chains_u64(&b);
	uint64_t offset = chains_u64(&b);
	const uint8_t *where = chains_skip(&b, 24);
	uint32_t protection = chains_u32(&b);
	struct str name;

	(void)chains_u32(&b);
	if (b.is_over || (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL ||
	    !(protection & 4)) /* PROT_EXEC is not set */
		return;
	name = (struct str){ (const char *)b.p, strnlen((const char *)b.p, b.left) };
	/*
	 * Check both: the kernel may set this flag even if this recorder did not request build ids,
	 * because another recorder did.
	 */
	if (misc & CHAINS_BUILD_ID && r->has_map_ids) {
		id.len = where[0] < BUILD_ID_MAX ? where[0] : BUILD_ID_MAX;
		memcpy(id.bytes, where + 4, id.len);
	} else {
		memcpy(&file.major, where, 4);
		memcpy(&file.minor, where + 4, 4);
		memcpy(&file.inode, where + 8, 8);
	}
	resolver_map(c->resolver, pid, start, length, offset, name, id.len ? &id : NULL);
	if (file.inode)
		resolver_map_file(c->resolver, pid, name, &file);
}

/*
 * Apply a record about a process (MMAP2, FORK, EXIT, COMM) to the resolver. FORK and EXIT have the
 * fields u32 pid, ppid, tid, ptid; COMM has u32 pid, tid.
 */
static void chains_follow(struct rec *r, const struct perf_event_header *h, const uint8_t *record)
{
	struct chains_bytes b = { record + sizeof(*h), h->size - sizeof(*h), false };
	struct rec_chains *c = r->chains;
	uint32_t pid;
	uint32_t other;
	uint32_t tid;

	if (h->type == PERF_RECORD_MMAP2) {
		chains_map(r, h->misc, b);
		return;
	}
	pid = chains_u32(&b);
	other = chains_u32(&b);
	tid = chains_u32(&b);
	if (h->type == PERF_RECORD_FORK && pid != other) {
		chains_reused(c, pid);
		resolver_fork(c->resolver, pid, tid, other, chains_u32(&b));
	} else if (h->type == PERF_RECORD_EXIT && pid == tid) {
		chains_end(c, pid);
	} else if (h->type == PERF_RECORD_COMM && h->misc & CHAINS_EXEC) {
		resolver_end(c->resolver, pid);
	}
}

void rec_chains_describe(struct rec *r)
{
	size_t at = 0;

	while (r->chains && r->synth.len - at >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;

		memcpy(&h, r->synth.data + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > r->synth.len - at)
			return;
		chains_follow(r, &h, (const uint8_t *)r->synth.data + at);
		at += h.size;
	}
}

/* The fields of a sample. */
struct chains_sample {
	uint32_t pid;
	const uint8_t *fixed;
	/* kernel part of the call chain, with the PERF_CONTEXT markers */
	uint64_t kernel[CHAINS_MAX];
	size_t n_kernel;
	/* user part of the call chain; the kernel found it by frame pointers */
	uint64_t user[CHAINS_MAX];
	size_t n_user;
	const uint8_t *raw;
	uint32_t raw_bytes; /* size in bytes of the raw data, including its size field (u32) */
	uint64_t abi;
	uint64_t regs[CHAINS_REGS];
	size_t n_regs;
	const uint8_t *stack;
	size_t stack_bytes;
	struct chains_bytes rest;
};

static void chains_read_chain(struct chains_bytes *b, struct chains_sample *s)
{
	uint64_t n = chains_u64(b);
	bool is_user = false;

	for (uint64_t i = 0; i < n && !b->is_over; i++) {
		uint64_t ip = chains_u64(b);

		if (ip == (uint64_t)PERF_CONTEXT_USER)
			is_user = true;
		else if (is_user && s->n_user < CHAINS_MAX)
			s->user[s->n_user++] = ip;
		else if (!is_user && s->n_kernel < CHAINS_MAX)
			s->kernel[s->n_kernel++] = ip;
	}
}

/* Split a sample into its fields. Returns false if a field is missing. */
static bool chains_read(const struct perf_event_attr *a, const struct perf_event_header *h,
			const uint8_t *record, struct chains_sample *s)
{
	struct chains_bytes b = { record + sizeof(*h), h->size - sizeof(*h), false };
	uint64_t room;

	s->n_kernel = s->n_user = s->n_regs = s->stack_bytes = 0;
	s->raw_bytes = 0;
	s->fixed = chains_skip(&b, CHAINS_FIXED);
	if (!s->fixed)
		return false;
	/* two u64 fields precede the pid: identifier and ip */
	memcpy(&s->pid, s->fixed + 16, sizeof(s->pid));
	chains_read_chain(&b, s);
	if (a->sample_type & PERF_SAMPLE_RAW) {
		s->raw = b.p;
		s->raw_bytes = 4 + chains_u32(&b);
		(void)chains_skip(&b, s->raw_bytes - 4);
	}
	s->abi = chains_u64(&b);
	for (uint64_t left = s->abi ? a->sample_regs_user : 0; left; left &= left - 1)
		s->regs[s->n_regs++] = chains_u64(&b);
	room = chains_u64(&b);
	s->stack = chains_skip(&b, room);
	if (room) {
		uint64_t used = chains_u64(&b);

		s->stack_bytes = (size_t)(used < room ? used : room);
	}
	s->rest = b;
	return !b.is_over;
}

/*
 * Find the user part of the sample's call chain by unwinding its stack copy, and store it in @ret.
 * If the sample has no 64-bit registers, it cannot be unwound: then use the chain that the kernel
 * found by frame pointers. Returns the number of frames.
 */
static size_t chains_user(struct rec_chains *c, const struct perf_event_attr *a,
			  const struct chains_sample *s, uint64_t ret[CHAINS_MAX])
{
	struct unwind_chain fp = { s->user, s->n_user };
	struct unwind_sample u = { .stack = s->stack, .stack_bytes = s->stack_bytes };

	if (s->abi == CHAINS_ABI_64 &&
	    unwind_take_regs(&u, a->sample_regs_user, s->regs, s->n_regs))
		return resolver_unwind_mixed(c->resolver, s->pid, &u, fp, ret, CHAINS_MAX);
	memcpy(ret, s->user, s->n_user * sizeof(*ret));
	return s->n_user;
}

static void chains_write(struct rec_chains *c, const struct perf_event_attr *a,
			 const struct perf_event_header *h, const struct chains_sample *s)
{
	static const uint64_t context = (uint64_t)PERF_CONTEXT_USER;
	uint64_t user[CHAINS_MAX];
	size_t n_user = chains_user(c, a, s, user);
	uint64_t n = s->n_kernel + (n_user ? 1 + n_user : 0);
	struct perf_event_header head = *h;
	size_t at = c->out.len;

	out_bytes(&c->out, &head, sizeof(head));
	out_bytes(&c->out, s->fixed, CHAINS_FIXED);
	out_bytes(&c->out, &n, sizeof(n));
	out_bytes(&c->out, s->kernel, s->n_kernel * sizeof(*s->kernel));
	if (n_user) {
		out_bytes(&c->out, &context, sizeof(context));
		out_bytes(&c->out, user, n_user * sizeof(*user));
	}
	if (s->raw_bytes)
		out_bytes(&c->out, s->raw, s->raw_bytes);
	out_bytes(&c->out, s->rest.p, s->rest.left);
	head.size = (uint16_t)(c->out.len - at);
	memcpy(c->out.data + at, &head, sizeof(head));
}

static void chains_record(struct rec *r, const struct perf_event_header *h, const uint8_t *record)
{
	struct rec_chains *c = r->chains;
	const struct rec_event *e;
	struct chains_sample s;
	uint64_t id;

	if (!rec_rings_account(r, record))
		return;
	if (h->type == PERF_RECORD_SAMPLE) {
		memcpy(&id, record + sizeof(*h), sizeof(id));
		e = chains_event(r, id);
		if (e && chains_has_stack(&e->attr) && chains_read(&e->attr, h, record, &s)) {
			chains_write(c, &e->attr, h, &s);
			return;
		}
	} else {
		chains_follow(r, h, record);
	}
	out_bytes(&c->out, record, h->size);
}

/*
 * Return the record at offset @at of the buffer @g, as contiguous bytes, and store its header in
 * @ret. NULL: the buffer has no complete record at @at.
 */
static const uint8_t *chains_at(struct rec_chains *c, const struct rec_ring *g, uint64_t at,
				struct perf_event_header *ret)
{
	uint64_t from = at & (g->size - 1);
	uint64_t first = g->size - from;

	if (g->head - at < sizeof(*ret))
		return NULL;
	/* the header is never split, because records are aligned to 8 bytes */
	memcpy(ret, g->data + from, sizeof(*ret));
	if (ret->size < sizeof(*ret) || ret->size > g->head - at)
		return NULL;
	if (ret->size <= first)
		return g->data + from;
	c->whole.len = 0;
	VEC_APPEND(&c->whole, g->data + from, (size_t)first);
	VEC_APPEND(&c->whole, g->data, ret->size - (size_t)first);
	return c->whole.data;
}

/* Time of the record at offset @at of the buffer @g; UINT64_MAX: no record. */
static uint64_t chains_time(const struct rec *r, const struct rec_ring *g, uint64_t at)
{
	struct perf_event_header h;
	uint64_t time = 0;
	uint64_t offset;

	if (g->head - at < sizeof(h))
		return UINT64_MAX;
	memcpy(&h, g->data + (at & (g->size - 1)), sizeof(h));
	if (h.size < sizeof(h) || h.size > g->head - at)
		return UINT64_MAX;
	/*
	 * In a sample, the time is at a fixed offset. Any other record ends with the sample id, in
	 * which the time follows pid and tid.
	 */
	offset = h.type == PERF_RECORD_SAMPLE ? r->layout.time_at
		 : h.size >= sizeof(h) + r->layout.id_bytes
			 ? (uint64_t)h.size - r->layout.id_bytes + 8
			 : 0;
	if (offset)
		memcpy(&time, g->data + ((at + offset) & (g->size - 1)), sizeof(time));
	return time;
}

/* The next record of a buffer: its offset and time. */
struct chains_cursor {
	uint64_t at, time;
};

/*
 * Find the buffer whose next record is the oldest, and return its index. *@ret_next: time of the
 * oldest record in the other buffers.
 */
static size_t chains_oldest(const struct chains_cursor *cursors, size_t n, uint64_t *ret_next)
{
	size_t best = 0;

	*ret_next = UINT64_MAX;
	for (size_t i = 1; i < n; i++) {
		if (cursors[i].time < cursors[best].time) {
			*ret_next = cursors[best].time;
			best = i;
		} else if (cursors[i].time < *ret_next) {
			*ret_next = cursors[i].time;
		}
	}
	return best;
}

/* Process the records of buffer number @i up to the time @until. */
static void chains_run(struct rec *r, size_t i, struct chains_cursor *cursor, uint64_t until)
{
	const struct rec_ring *g = &r->rings.data[i];
	struct perf_event_header h;
	const uint8_t *record;

	while (cursor->time <= until && (record = chains_at(r->chains, g, cursor->at, &h))) {
		chains_record(r, &h, record);
		cursor->at += h.size;
		cursor->time = chains_time(r, g, cursor->at);
	}
}

void rec_chains_take(struct rec *r, uint64_t now, bool is_last)
{
	struct rec_chains *c = r->chains;
	uint64_t limit = is_last || r->spec->has_perf_clock ? UINT64_MAX - 1 : now;
	VEC(struct chains_cursor) cursors = VEC_INIT;
	uint64_t next;
	size_t i;

	c->out.len = 0;
	VEC_FOREACH (g, &r->rings)
		*VEC_PUSH(&cursors) =
			(struct chains_cursor){ g->tail,
						g->page ? chains_time(r, g, g->tail) : UINT64_MAX };
	for (;;) {
		i = chains_oldest(cursors.data, cursors.len, &next);
		if (cursors.data[i].time > limit)
			break;
		chains_run(r, i, &cursors.data[i], next < limit ? next : limit);
	}
	for (i = 0; i < r->rings.len; i++)
		r->rings.data[i].head = cursors.data[i].at;
	VEC_FREE(&cursors);
	if (c->out.len)
		*VEC_PUSH(&r->iov) = (struct iovec){ c->out.data, c->out.len };
}
