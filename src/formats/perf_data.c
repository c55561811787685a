/* SPDX-License-Identifier: MIT */
/*
 * perf_data.c - recordings of `perf record`
 *
 * Format: see perf_data_file.h. Records are put in order of time, then handled
 * one after the other: maps, names and forks feed the resolver, samples become
 * stacks. Each event is a capture of its own, as in perf report.
 *
 * A stack costs a look-up a frame only where it differs from the last one of
 * the same thread: chains are compared from the outermost frame inwards.
 */
#include "formats/perf_data_file.h"
#include "formats/perf_data_queue.h"
#include "symbols/resolver.h"

#include "base/limits.h"

#include "config.h"
#if HAVE_ZSTD
#include <zstd.h>
#endif

#define PERF_CHAINS               256u /* threads whose last chain is remembered */
#define PERF_CHAIN_FRAMES         192u /* frames of it; deeper ones are looked up again */
#define PERF_CONTEXT_MAX          ((uint64_t)-4095)
#define PERF_CONTEXT_KERNEL       ((uint64_t)-128)
#define PERF_CONTEXT_USER         ((uint64_t)-512)
#define PERF_CONTEXT_HV           ((uint64_t)-32)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER   ((uint64_t)-2560)
#define PERF_RELEASE_BYTES        (16u << 20)
#define PERF_DECOMPRESSED_MAX     (64u << 20) /* of one record of at most 64 KiB */

static const struct diag_kind perf_data_bad_record = {
	"perf-data-bad-record", DIAG_DATALOSS, "records that are cut or contradict their own size"
};
static const struct diag_kind perf_data_unknown_record = {
	"perf-data-unknown-record", DIAG_INFO, "records of a kind that assay does not use"
};
static const struct diag_kind perf_data_lost = { "perf-data-lost", DIAG_DATALOSS,
						 "samples that the kernel lost while recording" };
static const struct diag_kind perf_data_throttled = { "perf-data-throttled", DIAG_INFO,
						      "times that the kernel throttled sampling" };
static const struct diag_kind perf_data_rest = { "perf-data-rest", DIAG_DATALOSS,
						 "bytes at the end that are not a whole record" };
static const struct diag_kind perf_data_compressed = {
	"perf-data-compressed", DIAG_DATALOSS, "compressed records that could not be undone"
};
static const struct diag_kind perf_data_deep = { "perf-data-deep-stack", DIAG_DATALOSS,
						 "stacks cut at the limit of frames" };
static const struct diag_kind perf_data_bad_chain = {
	"perf-data-bad-chain", DIAG_INFO,
	"call chains that are garbage, of which only the sampled place is kept"
};
static const struct diag_kind perf_data_no_symbols = {
	"perf-data-no-symbols", DIAG_INFO,
	"distinct addresses in modules of which no symbols were found"
};

struct perf_sample {
	uint64_t ip, time, id, period;
	uint32_t pid, tid, cpu;
	const uint8_t *chain; /* n_chain values of 8 bytes */
	uint64_t n_chain;
};

struct perf_frame {
	uint64_t ip;
	uint64_t where; /* generation << 3 | mode */
	stack_id node;
};

/* The last chain of a thread, outermost frame first. */
struct perf_chain {
	uint32_t tid;
	uint32_t attr;
	str_id comm;
	uint32_t n;
	struct perf_frame frames[PERF_CHAIN_FRAMES];
};

struct perf_chunk {
	uint8_t *data;
	size_t len;
};

struct perf_reader {
	struct perf_file file;
	struct resolver *resolver;
	struct perf_queue queue;
	struct perf_chain *chains;
	VEC(struct perf_chunk) chunks; /* decompressed; freed when nothing waits in them */
	size_t chunks_freed;
	VEC(uint8_t) carry; /* start of a record that goes on in the next chunk */
	VEC(struct perf_frame) frames;
	uint64_t lost;
	const uint8_t *released;
#if HAVE_ZSTD
	ZSTD_DStream *zstd;
#endif
};

static uint32_t perf_record_type(const struct perf_reader *r, const uint8_t *p)
{
	uint32_t type;

	memcpy(&type, p, sizeof(type));
	return r->file.all.is_swapped ? __builtin_bswap32(type) : type;
}

static uint16_t perf_record_u16(const struct perf_reader *r, const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return r->file.all.is_swapped ? __builtin_bswap16(v) : v;
}

static struct perf_bytes perf_record_body(const struct perf_reader *r, const uint8_t *p)
{
	uint16_t size = perf_record_u16(r, p + 6);

	return (struct perf_bytes){ p + 8, size - 8u, 0, r->file.all.is_swapped, false };
}

/* The attribute of a record: by its id where there are several events. */
static uint32_t perf_attr_of_sample(const struct perf_reader *r, struct perf_bytes body)
{
	const struct perf_attr *a = r->file.attrs.data;
	uint64_t skip = 0;

	if (r->file.attrs.len < 2)
		return 0;
	if (a->sample_type & PERF_SAMPLE_IDENTIFIER)
		return perf_file_attr_of(&r->file, perf_u64(&body));
	if (!(a->sample_type & PERF_SAMPLE_ID))
		return 0;
	skip += a->sample_type & PERF_SAMPLE_IP ? 8 : 0;
	skip += a->sample_type & PERF_SAMPLE_TID ? 8 : 0;
	skip += a->sample_type & PERF_SAMPLE_TIME ? 8 : 0;
	skip += a->sample_type & PERF_SAMPLE_ADDR ? 8 : 0;
	(void)perf_take(&body, skip);
	return perf_file_attr_of(&r->file, perf_u64(&body));
}

/* Layout: PERF_RECORD_SAMPLE in perf_event.h; fields behind the chain are not used here. */
static bool perf_parse_sample(const struct perf_reader *r, const struct perf_attr *a,
			      struct perf_bytes b, struct perf_sample *ret)
{
	uint64_t type = a->sample_type;

	(void)r;
	memset(ret, 0, sizeof(*ret));
	ret->cpu = UINT32_MAX;
	ret->period = a->is_frequency ? 1 : a->period;
	if (type & PERF_SAMPLE_IDENTIFIER)
		ret->id = perf_u64(&b);
	if (type & PERF_SAMPLE_IP)
		ret->ip = perf_u64(&b);
	if (type & PERF_SAMPLE_TID) {
		ret->pid = perf_u32(&b);
		ret->tid = perf_u32(&b);
	}
	if (type & PERF_SAMPLE_TIME)
		ret->time = perf_u64(&b);
	if (type & PERF_SAMPLE_ADDR)
		(void)perf_u64(&b);
	if (type & PERF_SAMPLE_ID)
		ret->id = perf_u64(&b);
	if (type & PERF_SAMPLE_STREAM_ID)
		(void)perf_u64(&b);
	if (type & PERF_SAMPLE_CPU) {
		ret->cpu = perf_u32(&b);
		(void)perf_u32(&b);
	}
	if (type & PERF_SAMPLE_PERIOD)
		ret->period = perf_u64(&b);
	if (type & PERF_SAMPLE_READ) {
		/* read_format: [nr], value(s), time enabled, running, id, lost */
		uint64_t group = a->read_format >> 3 & 1;
		uint64_t n = group ? perf_u64(&b) : 1;
		uint64_t each = 1 + (a->read_format >> 2 & 1) + (a->read_format >> 4 & 1);

		(void)perf_take(&b, 8 * ((a->read_format & 1) + (a->read_format >> 1 & 1)));
		if (n > b.len / 8)
			return false;
		(void)perf_take(&b, (size_t)(8 * n * each));
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		struct str chain;

		ret->n_chain = perf_u64(&b);
		if (ret->n_chain > (b.len - b.at) / 8)
			return false;
		chain = perf_take(&b, (size_t)ret->n_chain * 8);
		ret->chain = (const uint8_t *)chain.p;
	}
	return !b.is_over;
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
				enum cpumode mode, struct diag *diag)
{
	uint64_t kernel = (uint64_t)resolver_generation(r->resolver, UINT32_MAX) << 3;
	uint64_t user = (uint64_t)resolver_generation(r->resolver, s->pid) << 3;
	enum cpumode frame_mode = mode;

	r->frames.len = 0;
	for (uint64_t i = 0; i < s->n_chain; i++) {
		uint64_t ip;

		memcpy(&ip, s->chain + 8 * i, 8);
		if (r->file.all.is_swapped)
			ip = __builtin_bswap64(ip);
		if (ip >= PERF_CONTEXT_MAX) {
			frame_mode = perf_context_mode(ip);
			if (frame_mode != CPUMODE_UNKNOWN)
				continue;
			/* no such context: the chain is garbage, perf drops it too */
			diag_count(diag, &perf_data_bad_chain, 0);
			r->frames.len = 0;
			break;
		}
		if (r->frames.len == LIMIT_STACK_DEPTH) {
			diag_count(diag, &perf_data_deep, 0);
			break;
		}
		*VEC_PUSH(&r->frames) = (struct perf_frame){
			ip, (frame_mode == CPUMODE_KERNEL ? kernel : user) | frame_mode, STACK_ROOT
		};
	}
	/* no chain, or one that begins elsewhere (precise events skid back): the sample's own place
	 */
	if (r->frames.len == 0 || r->frames.data[0].ip != s->ip) {
		(void)VEC_PUSH(&r->frames);
		memmove(&r->frames.data[1], &r->frames.data[0],
			(r->frames.len - 1) * sizeof(*r->frames.data));
		r->frames.data[0] =
			(struct perf_frame){ s->ip, (mode == CPUMODE_KERNEL ? kernel : user) | mode,
					     STACK_ROOT };
	}
}

static stack_id perf_stack(struct perf_reader *r, struct profile *p, const struct perf_sample *s,
			   uint32_t attr, str_id comm)
{
	struct perf_chain *last = &r->chains[(s->tid * 31 + attr) % PERF_CHAINS];
	size_t n = r->frames.len;
	size_t i = 0;
	stack_id node;

	if (last->tid != s->tid || last->attr != attr || last->comm.v != comm.v) {
		last->tid = s->tid;
		last->attr = attr;
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
		enum cpumode mode = (enum cpumode)(f->where & 7);

		node = stacks_push(&p->stacks, node,
				   resolver_symbol(r->resolver, s->pid, mode, f->ip));
		if (i < PERF_CHAIN_FRAMES)
			last->frames[i] = (struct perf_frame){ f->ip, f->where, node };
	}
	last->n = (uint32_t)(n < PERF_CHAIN_FRAMES ? n : PERF_CHAIN_FRAMES);
	return node;
}

static void perf_handle_sample(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes body = perf_record_body(r, record);
	uint32_t attr = perf_attr_of_sample(r, body);
	enum cpumode mode = (enum cpumode)(perf_record_u16(r, record + 4) & 7);
	struct perf_sample s;
	struct capture *c;
	struct profile *p;
	str_id comm;

	if (attr >= r->file.attrs.len ||
	    !perf_parse_sample(r, &r->file.attrs.data[attr], body, &s)) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return;
	}
	c = perf_capture(r, attr);
	p = c->profile;
	perf_collect_frames(r, &s, mode, &c->diag);
	comm = resolver_thread_comm(r->resolver, s.pid, s.tid);
	if (profile_add_sample(p, perf_stack(r, p, &s, attr, comm), s.period) < 0)
		return;
	*VEC_PUSH(&p->samples.thread) =
		profile_thread(p, (struct profile_thread){ comm, s.pid, s.tid, true, true });
	if (r->file.attrs.data[attr].sample_type & PERF_SAMPLE_TIME)
		*VEC_PUSH(&p->samples.time_ns) = s.time;
	if (r->file.attrs.data[attr].sample_type & PERF_SAMPLE_CPU)
		*VEC_PUSH(&p->samples.cpu) = (uint16_t)(s.cpu < UINT16_MAX ? s.cpu : UINT16_MAX);
	p->event_count += s.period;
	p->n_samples++;
}

/* MMAP: pid tid addr len pgoff name; MMAP2 has device or build id, and protection between. */
static void perf_handle_map(struct perf_reader *r, const uint8_t *record, bool is_mmap2)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint16_t misc = perf_record_u16(r, record + 4);
	struct build_id id = { .len = 0 };
	uint32_t pid = perf_u32(&b);
	uint64_t start;
	uint64_t length;
	uint64_t offset;
	struct str name;

	(void)perf_u32(&b);
	start = perf_u64(&b);
	length = perf_u64(&b);
	offset = perf_u64(&b);
	if (is_mmap2) {
		struct str where = perf_take(&b, 24);
		uint32_t protection = perf_u32(&b);

		(void)perf_u32(&b);
		if (misc & (1u << 14) && where.len == 24) { /* PERF_RECORD_MISC_MMAP_BUILD_ID */
			id.len = (uint8_t)where.p[0] < BUILD_ID_MAX ? (uint8_t)where.p[0]
								    : BUILD_ID_MAX;
			memcpy(id.bytes, where.p + 4, id.len);
		}
		if (!(protection & 4)) /* PROT_EXEC */
			return;
	} else if (misc & (1u << 13)) { /* PERF_RECORD_MISC_MMAP_DATA */
		return;
	}
	name = perf_text(&b, SIZE_MAX);
	if (b.is_over || name.len == 0) {
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
		return;
	}
	if ((misc & 7) == CPUMODE_KERNEL)
		pid = UINT32_MAX;
	resolver_map(r->resolver, pid, start, length, offset, name, id.len ? &id : NULL);
}

static void perf_handle_comm(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint32_t pid = perf_u32(&b);
	uint32_t tid = perf_u32(&b);

	resolver_comm(r->resolver, pid, tid, perf_text(&b, 16));
}

static void perf_handle_fork(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint32_t pid = perf_u32(&b);
	uint32_t parent_pid = perf_u32(&b);
	uint32_t tid = perf_u32(&b);
	uint32_t parent_tid = perf_u32(&b);

	resolver_fork(r->resolver, pid, tid, parent_pid, parent_tid);
}

/* u64 addr; u32 len; u16 type; u16 flags (1: unregister); char name[] */
static void perf_handle_ksymbol(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t start = perf_u64(&b);
	uint32_t length = perf_u32(&b);
	uint16_t flags;

	(void)perf_u16(&b);
	flags = perf_u16(&b);
	resolver_kernel_symbol(r->resolver, start, length, perf_text(&b, SIZE_MAX), flags & 1);
}

static void perf_handle(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b;

	switch (perf_record_type(r, record)) {
	case PERF_RECORD_SAMPLE:
		perf_handle_sample(r, record);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		perf_handle_map(r, record, perf_record_type(r, record) == PERF_RECORD_MMAP2);
		break;
	case PERF_RECORD_COMM:
		perf_handle_comm(r, record);
		break;
	case PERF_RECORD_FORK:
		perf_handle_fork(r, record);
		break;
	case PERF_RECORD_KSYMBOL:
		perf_handle_ksymbol(r, record);
		break;
	case PERF_RECORD_LOST:
		b = perf_record_body(r, record);
		(void)perf_u64(&b);
		r->lost += perf_u64(&b);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		b = perf_record_body(r, record);
		r->lost += perf_u64(&b);
		break;
	case PERF_RECORD_THROTTLE:
		diag_count(&r->file.diag, &perf_data_throttled, 0);
		break;
	default:
		break;
	}
}

/* Time of a record: in a sample by its layout, else in the trailer of sample_id_all. */
static bool perf_record_time(const struct perf_reader *r, const uint8_t *record, uint64_t *ret)
{
	const struct perf_attr *a = r->file.attrs.data;
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t type = a->sample_type;
	size_t tail = 0;

	if (!(type & PERF_SAMPLE_TIME))
		return false;
	if (perf_record_type(r, record) == PERF_RECORD_SAMPLE) {
		b.at = (type & PERF_SAMPLE_IDENTIFIER ? 8u : 0) + (type & PERF_SAMPLE_IP ? 8u : 0) +
		       (type & PERF_SAMPLE_TID ? 8u : 0);
		if (b.at > b.len)
			return false;
		*ret = perf_u64(&b);
		return !b.is_over;
	}
	if (!a->has_sample_id_all)
		return false;
	/* trailer: TID TIME ID STREAM_ID CPU IDENTIFIER */
	tail += type & PERF_SAMPLE_IDENTIFIER ? 8 : 0;
	tail += type & PERF_SAMPLE_CPU ? 8 : 0;
	tail += type & PERF_SAMPLE_STREAM_ID ? 8 : 0;
	tail += type & PERF_SAMPLE_ID ? 8 : 0;
	tail += 8;
	if (b.len < tail)
		return false;
	b.at = b.len - tail;
	*ret = perf_u64(&b);
	return true;
}

static void perf_flush(struct perf_reader *r, bool everything)
{
	size_t keep = r->chunks.len;
	size_t n;

	perf_queue_round(&r->queue, everything, &n);
	for (size_t i = 0; i < n; i++)
		perf_handle(r, r->queue.items.data[i].record);
	perf_queue_drop(&r->queue, n);
	VEC_FOREACH (q, &r->queue.items)
		keep = q->chunk < keep ? q->chunk : keep;
	for (; r->chunks_freed + 1 < keep; r->chunks_freed++) {
		free(r->chunks.data[r->chunks_freed].data);
		r->chunks.data[r->chunks_freed].data = NULL;
	}
}

static void perf_take_attr_record(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	struct perf_bytes peek = b;
	uint32_t size;

	(void)perf_u32(&peek);
	size = perf_u32(&peek);
	if (size < 64 || size > b.len)
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
	else
		perf_file_add_attr(&r->file, perf_sub(&b, 0, size), perf_sub(&b, size, b.len));
}

static void perf_take_build_id(struct perf_reader *r, struct str record)
{
	struct perf_bytes b = { (const uint8_t *)record.p, record.len, 0, r->file.all.is_swapped,
				false };
	struct build_id id = { .len = BUILD_ID_MAX };
	struct str bytes;
	uint16_t misc;

	(void)perf_u32(&b);
	misc = perf_u16(&b);
	(void)perf_u16(&b);
	(void)perf_u32(&b); /* pid */
	bytes = perf_take(&b, 24);
	if (b.is_over)
		return;
	if (misc & (1u << 15) && (uint8_t)bytes.p[20] <= BUILD_ID_MAX) /* MISC_BUILD_ID_SIZE */
		id.len = (uint8_t)bytes.p[20];
	memcpy(id.bytes, bytes.p, id.len);
	resolver_build_id(r->resolver, perf_text(&b, SIZE_MAX), &id);
}

static void perf_walk(struct perf_reader *r, const uint8_t *p, size_t len, uint32_t chunk,
		      size_t *ret_rest);

/* Undo a compressed record and walk what is in it; a record may go on in the next one. */
static void perf_take_compressed(struct perf_reader *r, struct perf_bytes body)
{
#if HAVE_ZSTD
	ZSTD_inBuffer in = { body.p + body.at, body.len - body.at, 0 };
	size_t cap = r->carry.len + 65536;
	uint8_t *data = xmalloc(cap);
	size_t len = r->carry.len;
	size_t rest;

	if (!r->zstd) {
		r->zstd = ZSTD_createDStream();
		(void)ZSTD_initDStream(r->zstd);
	}
	if (len)
		memcpy(data, r->carry.data, len);
	/* all input taken is not all output given: go on until it leaves room */
	for (bool is_full = true; in.pos < in.size || is_full;) {
		ZSTD_outBuffer out;
		size_t status;

		if (cap - len < 65536) {
			cap *= 2;
			data = xrealloc(data, cap);
		}
		out = (ZSTD_outBuffer){ data + len, cap - len, 0 };
		status = ZSTD_decompressStream(r->zstd, &out, &in);
		len += out.pos;
		is_full = out.pos == out.size;
		if (ZSTD_isError(status) || (out.pos == 0 && in.pos < in.size) ||
		    len > PERF_DECOMPRESSED_MAX) {
			diag_count(&r->file.diag, &perf_data_compressed, 0);
			break;
		}
	}
	*VEC_PUSH(&r->chunks) = (struct perf_chunk){ data, len };
	perf_walk(r, data, len, (uint32_t)r->chunks.len - 1, &rest);
	r->carry.len = 0;
	VEC_APPEND(&r->carry, data + len - rest, rest);
#else
	(void)body;
	diag_count(&r->file.diag, &perf_data_compressed, 0);
#endif
}

/* Records that perf itself writes; true when @record is one of them. */
static bool perf_take_user_record(struct perf_reader *r, const uint8_t *record, uint32_t type,
				  size_t left, size_t *ret_extra)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t size;

	*ret_extra = 0;
	switch (type) {
	case PERF_RECORD_HEADER_ATTR:
		perf_take_attr_record(r, record);
		break;
	case PERF_RECORD_HEADER_FEATURE:
		size = perf_u64(&b);
		perf_file_feature(&r->file, size < 256 ? (unsigned int)size : 0,
				  perf_sub(&b, 8, b.len));
		break;
	case PERF_RECORD_HEADER_BUILD_ID:
		perf_take_build_id(
			r, (struct str){ (const char *)record, perf_record_u16(r, record + 6) });
		break;
	case PERF_RECORD_FINISHED_ROUND:
		perf_flush(r, false);
		break;
	case PERF_RECORD_COMPRESSED:
		perf_take_compressed(r, b);
		break;
	case PERF_RECORD_COMPRESSED2:
		size = perf_u64(&b);
		perf_take_compressed(r, perf_sub(&b, 8, size));
		break;
	case PERF_RECORD_AUXTRACE:
	case PERF_RECORD_HEADER_TRACING_DATA:
		/* data of its own size follows the record */
		size = type == PERF_RECORD_AUXTRACE ? perf_u64(&b) : perf_u32(&b);
		*ret_extra = size < left ? (size_t)size : left;
		break;
	default:
		if (type < PERF_RECORD_HEADER_ATTR)
			return false;
		break;
	}
	return true;
}

static void perf_walk(struct perf_reader *r, const uint8_t *p, size_t len, uint32_t chunk,
		      size_t *ret_rest)
{
	size_t at = 0;

	while (len - at >= 8) {
		uint16_t size = perf_record_u16(r, p + at + 6);
		uint32_t type = perf_record_type(r, p + at);
		size_t extra = 0;
		uint64_t time;

		if (size < 8) {
			diag_count(&r->file.diag, &perf_data_bad_record, 0);
			at = len;
			break;
		}
		if (size > len - at)
			break;
		if (!perf_take_user_record(r, p + at, type, len - at - size, &extra)) {
			if (type == 0 || type >= PERF_RECORD_KERNEL_MAX)
				diag_count(&r->file.diag, &perf_data_unknown_record, 0);
			else if (r->file.attrs.len && perf_record_time(r, p + at, &time))
				perf_queue_add(&r->queue, time, p + at, chunk);
			else if (r->file.attrs.len)
				perf_handle(r, p + at);
		}
		at += size + extra;
		if (chunk == 0 && p + at > r->released + PERF_RELEASE_BYTES) {
			r->released = p + at;
			if (r->queue.items.len == 0)
				document_release(r->file.in->doc, (const char *)p + at);
		}
	}
	*ret_rest = len - at;
}

/* Captures in the order of the events, as perf prints them, not of their first samples. */
static void perf_order_captures(struct perf_reader *r, size_t before)
{
	struct dossier *d = r->file.dossier;
	VEC(struct capture *) in_order = VEC_INIT;

	VEC_FOREACH (a, &r->file.attrs) {
		if (a->capture != INDEX_NONE)
			*VEC_PUSH(&in_order) = d->captures.data[a->capture];
	}
	for (size_t i = 0; i < in_order.len && before + i < d->captures.len; i++)
		d->captures.data[before + i] = in_order.data[i];
	VEC_FREE(&in_order);
}

static void perf_finish(struct perf_reader *r)
{
	struct dossier *d = r->file.dossier;
	size_t n_missing;
	const struct resolver_missing *missing = resolver_missing(r->resolver, &n_missing);

	VEC_FOREACH (a, &r->file.attrs) {
		struct capture *c;

		if (a->capture == INDEX_NONE)
			continue;
		c = d->captures.data[a->capture];
		c->profile->has_event_count = true;
		c->profile->has_n_samples = true;
		c->profile->has_lost = true;
		c->profile->lost = r->lost;
		VEC_FOREACH (note, &r->file.notes)
			*VEC_PUSH(&c->notes) = *note;
		VEC_FOREACH (e, &r->file.diag.entries)
			diag_add(&c->diag, e->kind, e->count, e->first_line);
		diag_add(&c->diag, &perf_data_lost, r->lost, 0);
		for (size_t i = 0; i < n_missing; i++) {
			diag_add(&c->diag, &perf_data_no_symbols, missing[i].lookups, 0);
			if (i < 8 && missing[i].why.len)
				capture_note(c, STR("no symbols"), missing[i].path, 0);
		}
	}
}

static void perf_reader_fini(struct perf_reader *r)
{
	VEC_FOREACH (c, &r->chunks)
		free(c->data);
	VEC_FREE(&r->chunks);
	VEC_FREE(&r->carry);
	VEC_FREE(&r->frames);
	free(r->chains);
	perf_queue_fini(&r->queue);
	resolver_free(r->resolver);
	perf_file_fini(&r->file);
#if HAVE_ZSTD
	(void)ZSTD_freeDStream(r->zstd);
#endif
}

static int perf_data_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(perf_reader_fini) struct perf_reader r = { .chunks_freed = 0 };
	size_t before = d->captures.len;
	size_t rest;
	int status;

	status = perf_file_open(&r.file, in, d, err);
	if (status < 0)
		return status;
	r.resolver = resolver_new(&d->symbols, NULL);
	r.chains = xcalloc(PERF_CHAINS, sizeof(*r.chains));
	r.released = r.file.data.p;
	*VEC_PUSH(&r.chunks) = (struct perf_chunk){ NULL, 0 }; /* chunk 0: the file itself */
	VEC_FOREACH (id, &r.file.build_id_records)
		perf_take_build_id(&r, *id);
	if (r.file.data.p)
		perf_walk(&r, r.file.data.p, r.file.data.len, 0, &rest);
	else
		rest = 0;
	perf_flush(&r, true);
	diag_add(&r.file.diag, &perf_data_rest, rest + r.carry.len, 0);
	perf_finish(&r);
	perf_order_captures(&r, before);
	if (d->captures.len == before)
		return fail(err, ERR_FORMAT, "a perf.data file without a sample");
	return OK;
}

static unsigned int perf_data_probe(struct str head)
{
	return str_starts(head, STR("PERFILE2")) || str_starts(head, STR("2ELIFREP")) ? 100 : 0;
}

static const char *const perf_data_extensions[] = { ".data", ".perf", NULL };

const struct format format_perf_data = {
	.name = "perf-data",
	.summary = "a recording of perf record (perf.data)",
	.kinds = KIND_PROFILE,
	.is_binary = true,
	.extensions = perf_data_extensions,
	.probe = perf_data_probe,
	.read = perf_data_read,
};
