/* SPDX-License-Identifier: MIT */
#include "formats/perf_data/perf_data_sample.h"

#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/strings.h"

/* Bits of read_format: include/uapi/linux/perf_event.h, enum perf_event_read_format. */
#define PERF_FORMAT_TOTAL_TIME_ENABLED (1u << 0)
#define PERF_FORMAT_TOTAL_TIME_RUNNING (1u << 1)
#define PERF_FORMAT_ID                 (1u << 2)
#define PERF_FORMAT_GROUP              (1u << 3)
#define PERF_FORMAT_LOST               (1u << 4)

#define PERF_TYPE_SOFTWARE       1u
#define PERF_COUNT_SW_BPF_OUTPUT 10u
#define PERF_CONTEXT_USER        ((uint64_t)-512)

#define PERF_SAMPLE_BRANCH_HW_INDEX (UINT64_C(1) << 17)
#define PERF_SAMPLE_BRANCH_COUNTERS (UINT64_C(1) << 19)

uint32_t perf_sample_attr(struct perf_file *f, struct perf_bytes body)
{
	const struct perf_attr *a = f->attrs.data;
	uint64_t skip = 0;

	if (f->attrs.len < 2)
		return 0;
	if (LIKELY(a->layout.is_plain && a->layout.id != PERF_NOT_THERE &&
		   body.len >= a->layout.bytes)) {
		bool is_first = a->sample_type & PERF_SAMPLE_IDENTIFIER;
		uint64_t id;

		memcpy(&id, body.p + (is_first ? 0 : a->layout.id), sizeof(id));
		return perf_file_attr_of(f, id);
	}
	if (a->sample_type & PERF_SAMPLE_IDENTIFIER)
		return perf_file_attr_of(f, perf_u64(&body));
	if (!(a->sample_type & PERF_SAMPLE_ID))
		return 0;
	skip += a->sample_type & PERF_SAMPLE_IP ? 8 : 0;
	skip += a->sample_type & PERF_SAMPLE_TID ? 8 : 0;
	skip += a->sample_type & PERF_SAMPLE_TIME ? 8 : 0;
	skip += a->sample_type & PERF_SAMPLE_ADDR ? 8 : 0;
	(void)perf_take(&body, skip);
	return perf_file_attr_of(f, perf_u64(&body));
}

/* Take @n words of 8 bytes. If fewer words are left, mark the record as truncated. */
static struct perf_words perf_sample_words(struct perf_bytes *b, uint64_t n)
{
	struct perf_words w = { .is_swapped = b->is_swapped };

	if (n > (b->len - b->at) / 8) {
		b->is_over = true;
		return w;
	}
	w.n = n;
	w.p = (const uint8_t *)perf_take(b, (size_t)n * 8).p;
	return w;
}

/* Take @n bytes. If fewer bytes are left, mark the record as truncated. */
static struct str perf_sample_bytes(struct perf_bytes *b, uint64_t n)
{
	if (n > b->len - b->at) {
		b->is_over = true;
		return STR_NONE;
	}
	return perf_take(b, (size_t)n);
}

/*
 * Take the counts of a sample. Their layout depends on read_format. A single event has value,
 * enabled, running, id, lost. A group has nr, enabled, running, then nr times {value, id, lost}.
 * Only nr and value are always present.
 */
static struct perf_words perf_sample_read(const struct perf_attr *a, struct perf_bytes *b)
{
	uint64_t format = a->read_format;
	struct perf_bytes peek = *b;
	bool is_group = format & PERF_FORMAT_GROUP;
	uint64_t n = is_group ? perf_u64(&peek) : 1;
	uint64_t each = 1;
	uint64_t head = is_group ? 1 : 0;

	each += format & PERF_FORMAT_ID ? 1 : 0;
	each += format & PERF_FORMAT_LOST ? 1 : 0;
	head += format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1 : 0;
	head += format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1 : 0;
	/*
	 * if n is impossibly large, request more words than the record can have, so that the record
	 * is invalid. Without this check, head + n * each could overflow 64 bits
	 */
	return perf_sample_words(b, n > b->len ? UINT64_MAX : head + n * each);
}

size_t perf_sample_counts(const struct perf_attr *a, const struct perf_sample *s)
{
	if (!s->read.n || !(a->read_format & PERF_FORMAT_ID))
		return 0;
	return a->read_format & PERF_FORMAT_GROUP ? (size_t)perf_word(s->read, 0) : 1;
}

struct perf_count perf_sample_count(const struct perf_attr *a, const struct perf_sample *s,
				    size_t i)
{
	const uint64_t both = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	size_t times = (size_t)__builtin_popcountll(a->read_format & both);
	size_t each = a->read_format & PERF_FORMAT_LOST ? 3 : 2;

	/*
	 * order of the values: value, times, id of a single event; n, times, {value, id}... of a
	 * group
	 */
	if (!(a->read_format & PERF_FORMAT_GROUP))
		return (struct perf_count){ .value = perf_word(s->read, 0),
					    .id = perf_word(s->read, times + 1) };
	return (struct perf_count){ .value = perf_word(s->read, 1 + times + i * each),
				    .id = perf_word(s->read, 1 + times + i * each + 1) };
}

static struct perf_regs perf_sample_regs(struct perf_bytes *b, uint64_t mask)
{
	struct perf_regs r = { .mask = mask };

	r.abi = perf_u64(b);
	if (r.abi)
		r.values = perf_sample_words(b, (uint64_t)__builtin_popcountll(mask));
	return r;
}

static void perf_sample_branches(const struct perf_attr *a, struct perf_bytes *b,
				 struct perf_sample *ret)
{
	uint64_t n = perf_u64(b);

	ret->branch_hw_idx = UINT64_MAX;
	if (a->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		ret->branch_hw_idx = perf_u64(b);
	ret->branches = perf_sample_words(b, n > b->len ? UINT64_MAX : 3 * n);
	if (a->branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS)
		(void)perf_sample_words(b, n);
}

/*
 * Take the stack dump of a sample: u64 size; char data[size]; u64 dyn_size. Only the first dyn_size
 * bytes of data were really dumped. If size is 0, dyn_size is missing.
 */
static struct str perf_sample_stack(struct perf_bytes *b)
{
	uint64_t size = perf_u64(b);
	struct str dump = perf_sample_bytes(b, size);
	uint64_t dumped = size ? perf_u64(b) : 0;

	return str_sub(dump, 0, dumped < dump.len ? (size_t)dumped : dump.len);
}

/* Decode the fields after the call chain, which few recordings have. */
static void perf_sample_rest(const struct perf_attr *a, struct perf_bytes *b,
			     struct perf_sample *ret)
{
	uint64_t type = a->sample_type;

	if (type & PERF_SAMPLE_RAW)
		ret->raw = perf_sample_bytes(b, perf_u32(b));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		perf_sample_branches(a, b, ret);
	if (type & PERF_SAMPLE_REGS_USER)
		ret->user_regs = perf_sample_regs(b, a->regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		ret->user_stack = perf_sample_stack(b);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		ret->weight = perf_u64(b);
	if (type & PERF_SAMPLE_DATA_SRC)
		ret->data_src = perf_u64(b);
	if (type & PERF_SAMPLE_TRANSACTION)
		ret->transaction = perf_u64(b);
	if (type & PERF_SAMPLE_REGS_INTR)
		ret->intr_regs = perf_sample_regs(b, a->regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		ret->phys_addr = perf_u64(b);
	if (type & PERF_SAMPLE_CGROUP)
		ret->cgroup = perf_u64(b);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		ret->data_page_size = perf_u64(b);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		ret->code_page_size = perf_u64(b);
}

/* Decode a sample with a plain layout: its fields are at fixed offsets. */
static bool perf_sample_plain(const struct perf_attr *a, struct perf_bytes b,
			      struct perf_sample *ret)
{
	const struct perf_layout *l = &a->layout;
	uint64_t n;

	if (b.len < l->bytes)
		return false;
	n = perf_plain_u64(b.p, l->chain, 0);
	if (n > (b.len - l->bytes) / 8)
		return false;
	ret->pid = perf_plain_u32(b.p, l->tid, 0, 0);
	ret->tid = perf_plain_u32(b.p, l->tid, 4, 0);
	ret->cpu = perf_plain_u32(b.p, l->cpu, 0, UINT32_MAX);
	ret->ip = perf_plain_u64(b.p, l->ip, 0);
	ret->time = perf_plain_u64(b.p, l->time, 0);
	ret->addr = perf_plain_u64(b.p, l->addr, 0);
	ret->id = perf_plain_u64(b.p, l->id, 0);
	ret->stream_id = perf_plain_u64(b.p, l->stream_id, 0);
	ret->period = perf_plain_u64(b.p, l->period, a->is_frequency ? 1 : a->period);
	ret->chain = (struct perf_words){ n ? b.p + l->bytes : NULL, n, false };
	return true;
}

bool perf_attr_is_off_cpu(const struct perf_file *f, const struct perf_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT &&
	       a->sample_type & PERF_SAMPLE_RAW &&
	       str_eq(strings_get(&f->dossier->strings, a->name), STR("offcpu-time"));
}

/*
 * Replace fields of a sample of perf record --off-cpu (since perf 6.16). The fields describe the
 * thread that ran next on the CPU. The raw data describe the thread that waited: u32 pid, tid; u64
 * duration; u64 n, chain[n]; u64 control group.
 */
static bool perf_sample_off_cpu(struct perf_bytes b, struct perf_sample *ret)
{
	ret->raw = STR_NONE;
	ret->pid = perf_u32(&b);
	ret->tid = perf_u32(&b);
	ret->period = perf_u64(&b);
	ret->chain = perf_sample_words(&b, perf_u64(&b));
	if (ret->chain.n && perf_word(ret->chain, 0) == PERF_CONTEXT_USER)
		ret->mode = CPUMODE_USER;
	ret->ip = ret->chain.n > 1 ? perf_word(ret->chain, 1) : 0;
	ret->cgroup = perf_u64(&b);
	return !b.is_over;
}

bool perf_sample_decode(const struct perf_file *f, uint32_t attr, uint16_t misc,
			struct perf_bytes b, struct perf_sample *ret)
{
	const struct perf_attr *a = &f->attrs.data[attr];
	uint64_t type = a->sample_type;

	/*
	 * clear @ret, except if perf_sample_plain() decoded the previous sample and also decodes
	 * this one: it never sets the other fields, so they are still zero
	 */
	if (!a->layout.is_plain || !ret->is_plain)
		memset(ret, 0, sizeof(*ret));
	ret->is_plain = a->layout.is_plain;
	ret->attr = attr;
	ret->misc = misc;
	ret->mode = (enum cpumode)(misc & 7);
	if (a->layout.is_plain)
		return perf_sample_plain(a, b, ret);
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
		ret->addr = perf_u64(&b);
	if (type & PERF_SAMPLE_ID)
		ret->id = perf_u64(&b);
	if (type & PERF_SAMPLE_STREAM_ID)
		ret->stream_id = perf_u64(&b);
	if (type & PERF_SAMPLE_CPU) {
		ret->cpu = perf_u32(&b);
		(void)perf_u32(&b);
	}
	if (type & PERF_SAMPLE_PERIOD)
		ret->period = perf_u64(&b);
	if (type & PERF_SAMPLE_READ)
		ret->read = perf_sample_read(a, &b);
	if (type & PERF_SAMPLE_CALLCHAIN)
		ret->chain = perf_sample_words(&b, perf_u64(&b));
	if (type >= PERF_SAMPLE_RAW)
		perf_sample_rest(a, &b, ret);
	if (UNLIKELY(ret->raw.len && perf_attr_is_off_cpu(f, a)))
		return !b.is_over &&
		       perf_sample_off_cpu((struct perf_bytes){ (const uint8_t *)ret->raw.p,
								ret->raw.len, 0, b.is_swapped,
								false },
					   ret);
	return !b.is_over;
}
