/* SPDX-License-Identifier: MIT */
#include "formats/perf_data/perf_data_file.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/perf_features.h"
#include "core/strings.h"

#include <stddef.h>
#include <stdio.h>

const struct diag_kind perf_data_bad_feature = {
	"perf-data-bad-feature", DIAG_ERROR, "header sections that are cut or contradict themselves"
};
static const struct diag_kind perf_data_cut = { "perf-data-cut", DIAG_DATALOSS,
						"bytes of the data section that the file lacks",
						true };
static const struct diag_kind perf_data_cut_header = {
	"perf-data-cut-header", DIAG_DATALOSS, "sections of the header past the end of the file",
	true
};
static const struct diag_kind perf_data_unfinished = {
	"perf-data-unfinished", DIAG_DATALOSS,
	"recordings that perf record did not finish, so the header is empty", true
};

struct perf_bytes perf_sub(const struct perf_bytes *b, uint64_t from, uint64_t len)
{
	struct perf_bytes s = { .p = b->p, .is_swapped = b->is_swapped };

	if (from > b->len)
		return s;
	s.p = b->p + from;
	s.len = len < b->len - from ? (size_t)len : b->len - (size_t)from;
	return s;
}

static void perf_event_name(struct perf_file *f, struct perf_attr *a)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {
		"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
		"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
		"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
	};
	struct strings *s = &f->dossier->strings;
	char name[64];

	if (a->type == 0 && a->config < ARRAY_LEN(hardware))
		a->name = strings_add(s, str_of(hardware[a->config]));
	else if (a->type == 1 && a->config < ARRAY_LEN(software))
		a->name = strings_add(s, str_of(software[a->config]));
	if (a->name.v)
		return;
	(void)snprintf(name, sizeof(name), "type %u config 0x%llx", a->type,
		       (unsigned long long)a->config);
	a->name = strings_add(s, str_of(name));
}

void perf_file_add_id(struct perf_file *f, uint64_t id, uint32_t attr)
{
	struct idmap_probe p = idmap_first(&f->ids_map, hash_u64(id, 3));

	while (idmap_next(&f->ids_map, &p)) {
		if (f->ids.data[p.id] == id)
			return;
	}
	if (f->ids.len >= LIMIT_COLUMNS * 1024)
		return;
	idmap_insert(&f->ids_map, &p, (uint32_t)f->ids.len);
	*VEC_PUSH(&f->ids) = id;
	*VEC_PUSH(&f->id_attr) = attr;
	memset(f->last_ids, 0, sizeof(f->last_ids));
}

/* Row in f->ids of the event id @id; INDEX_NONE: unknown id. */
static uint32_t perf_file_id_row(const struct perf_file *f, uint64_t id)
{
	uint64_t hash = hash_u64(id, 3);
	struct idmap_probe p = { .hash = (uint32_t)(hash >> 32) ^ (uint32_t)hash };

	if (!f->ids_map.slots)
		return INDEX_NONE;
	p.at = p.hash & f->ids_map.mask;
	while (idmap_next(&f->ids_map, &p)) {
		if (f->ids.data[p.id] == id)
			return p.id;
	}
	return INDEX_NONE;
}

uint32_t perf_file_attr_of(struct perf_file *f, uint64_t id)
{
	uint64_t at = id % PERF_LAST_IDS;
	uint32_t row;

	if (LIKELY(f->last_ids[at].attr && f->last_ids[at].id == id))
		return f->last_ids[at].attr - 1;
	row = perf_file_id_row(f, id);
	f->last_ids[at].id = id;
	f->last_ids[at].attr = 1 + (row == INDEX_NONE ? 0 : f->id_attr.data[row]);
	return f->last_ids[at].attr - 1;
}

void perf_file_times(struct perf_file *f, uint32_t attr, uint64_t id, struct perf_times now)
{
	uint32_t row = perf_file_id_row(f, id);
	struct perf_times *sum = &f->attrs.data[attr].times;
	struct perf_times *old;

	if (row == INDEX_NONE)
		row = 0;
	while (f->id_times.len <= row)
		*VEC_PUSH(&f->id_times) = (struct perf_times){ 0, 0 };
	old = &f->id_times.data[row];
	if (now.enabled_ns < old->enabled_ns || now.running_ns < old->running_ns ||
	    now.running_ns > now.enabled_ns)
		return;
	sum->enabled_ns += now.enabled_ns - old->enabled_ns;
	sum->running_ns += now.running_ns - old->running_ns;
	*old = now;
}

bool perf_file_count(struct perf_file *f, uint64_t id, uint64_t value, uint32_t *ret_attr,
		     uint64_t *ret_grown)
{
	uint32_t row = perf_file_id_row(f, id);

	if (row == INDEX_NONE)
		return false;
	while (f->id_values.len <= row)
		*VEC_PUSH(&f->id_values) = 0;
	*ret_attr = f->id_attr.data[row];
	*ret_grown = value - f->id_values.data[row];
	f->id_values.data[row] = value;
	return true;
}

/*
 * Compute the offsets of a sample's fields. The fields are in the order in which the kernel's
 * perf_output_sample() writes them.
 */
static struct perf_layout perf_layout_of(const struct perf_attr *a, bool is_swapped)
{
	static const struct {
		uint64_t bit;
		size_t field;
	} order[] = {
		{ PERF_SAMPLE_IDENTIFIER, offsetof(struct perf_layout, id) },
		{ PERF_SAMPLE_IP, offsetof(struct perf_layout, ip) },
		{ PERF_SAMPLE_TID, offsetof(struct perf_layout, tid) },
		{ PERF_SAMPLE_TIME, offsetof(struct perf_layout, time) },
		{ PERF_SAMPLE_ADDR, offsetof(struct perf_layout, addr) },
		{ PERF_SAMPLE_ID, offsetof(struct perf_layout, id) },
		{ PERF_SAMPLE_STREAM_ID, offsetof(struct perf_layout, stream_id) },
		{ PERF_SAMPLE_CPU, offsetof(struct perf_layout, cpu) },
		{ PERF_SAMPLE_PERIOD, offsetof(struct perf_layout, period) },
		{ PERF_SAMPLE_CALLCHAIN, offsetof(struct perf_layout, chain) },
	};
	const uint64_t words = PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION |
			       PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP |
			       PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE;
	struct perf_layout l;
	uint64_t known = 0;

	memset(&l, PERF_NOT_THERE, sizeof(l));
	l.bytes = 0;
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		known |= order[i].bit;
		if (!(a->sample_type & order[i].bit))
			continue;
		((uint8_t *)&l)[order[i].field] = l.bytes;
		l.bytes += 8;
	}
	l.is_plain = (a->sample_type & ~known) == 0 && !is_swapped;
	known |= words | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	l.is_simple = (a->sample_type & ~known) == 0 && !is_swapped;
	l.has_regs = a->sample_type & PERF_SAMPLE_REGS_USER;
	l.has_stack = a->sample_type & PERF_SAMPLE_STACK_USER;
	l.regs = (uint8_t)__builtin_popcountll(a->regs_user);
	l.rest = (uint8_t)__builtin_popcountll(a->sample_type & words);
	return l;
}

void perf_file_add_attr(struct perf_file *f, struct perf_bytes attr, struct perf_bytes ids)
{
	struct perf_attr *a;
	uint64_t flags;
	uint32_t clock;

	if (f->attrs.len >= LIMIT_COLUMNS)
		return;
	a = VEC_PUSH(&f->attrs);
	memset(a, 0, sizeof(*a));
	a->capture = INDEX_NONE;
	a->type = perf_u32(&attr);
	(void)perf_u32(&attr); /* skip the size */
	a->config = perf_u64(&attr);
	a->period = perf_u64(&attr);
	a->sample_type = perf_u64(&attr);
	a->read_format = perf_u64(&attr);
	flags = perf_u64(&attr);
	(void)perf_u32(&attr); /* skip wakeup */
	(void)perf_u32(&attr); /* skip bp_type */
	(void)perf_u64(&attr); /* skip config1 */
	(void)perf_u64(&attr); /* skip config2 */
	a->branch_sample_type = perf_u64(&attr);
	a->regs_user = perf_u64(&attr);
	a->stack_user = perf_u32(&attr);
	clock = perf_u32(&attr);
	a->regs_intr = perf_u64(&attr);
	/* on big-endian machines, bit fields start at the most significant bit */
	if (f->is_big_endian) {
		uint64_t mirrored = 0;

		for (unsigned int bit = 0; bit < 64; bit++)
			mirrored |= (flags >> bit & 1) << (63 - bit);
		flags = mirrored;
	}
	a->is_frequency = flags >> 10 & 1;
	a->is_of_command = flags >> 12 & 1;
	a->has_sample_id_all = flags >> 18 & 1;
	a->excludes_user_chain = flags >> 22 & 1; /* exclude_callchain_user */
	a->has_switches = flags >> 26 & 1;        /* context_switch */
	a->has_map_ids = flags >> 34 & 1;         /* build_id */
	a->has_deferred = flags >> 38 & 1;        /* defer_callchain */
	/*
	 * Bit 25 is use_clockid: the user chose the clock. Times count from boot with the default
	 * clock, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW and CLOCK_BOOTTIME.
	 */
	a->has_uptime = !(flags >> 25 & 1) || clock == 1 || clock == 4 || clock == 7;
	a->is_monotonic = flags >> 25 & 1 && clock == 1;
	a->layout = perf_layout_of(a, attr.is_swapped);
	perf_event_name(f, a);
	while (ids.len - ids.at >= 8)
		perf_file_add_id(f, perf_u64(&ids), (uint32_t)f->attrs.len - 1);
}

/* Read struct perf_file_header, which pipes do not have. */
static int perf_file_sections(struct perf_file *f, struct perf_bytes h, uint64_t header_size,
			      struct error *err)
{
	uint64_t attr_size = perf_u64(&h);
	uint64_t attrs_at = perf_u64(&h);
	uint64_t attrs_size = perf_u64(&h);
	uint64_t data_at = perf_u64(&h);
	uint64_t data_size = perf_u64(&h);
	struct perf_bytes attrs = perf_sub(&f->all, attrs_at, attrs_size);
	struct perf_bytes table;
	uint64_t features[PERF_FEATURES / 64];

	(void)perf_take(&h, 16); /* skip the section of event types, unused since perf 3.x */
	for (size_t i = 0; i < ARRAY_LEN(features); i++)
		features[i] = perf_u64(&h);
	if (h.is_over)
		return fail(err, ERR_FORMAT, "the perf.data file is truncated in its header");
	/*
	 * each entry is a struct perf_event_attr, then offset and size of the section with the
	 * event's ids
	 */
	if (attr_size < 64 + 16 || attr_size > 4096)
		return fail(err, ERR_FORMAT, "its attributes have an impossible size (%llu bytes)",
			    (unsigned long long)attr_size);
	while (attrs.len - attrs.at >= attr_size) {
		struct perf_bytes one = perf_sub(&attrs, attrs.at, attr_size);
		struct perf_bytes tail = perf_sub(&one, attr_size - 16, 16);
		uint64_t ids_at = perf_u64(&tail);
		uint64_t ids_size = perf_u64(&tail);

		one.len = (size_t)attr_size - 16;
		perf_file_add_attr(f, one, perf_sub(&f->all, ids_at, ids_size));
		attrs.at += (size_t)attr_size;
	}
	f->data = perf_sub(&f->all, data_at, data_size ? data_size : UINT64_MAX);
	if (data_at < header_size)
		return fail(err, ERR_FORMAT, "its data begins inside its header");
	if (f->data.len < data_size)
		diag_add(&f->diag, &perf_data_cut, data_size - f->data.len, 0);
	/*
	 * perf writes the data size and the feature sections last: with a size of 0, the recording
	 * was interrupted
	 */
	if (data_size == 0) {
		diag_count(&f->diag, &perf_data_unfinished, 0);
		return OK;
	}
	/*
	 * the table of feature sections follows the data; it has one entry for each feature bit
	 * that is set, in the order of the bits
	 */
	table = perf_sub(&f->all, data_at + data_size < data_at ? UINT64_MAX : data_at + data_size,
			 UINT64_MAX);
	for (unsigned int i = 0; i < PERF_FEATURES; i++) {
		uint64_t at;
		uint64_t size;

		if (!(features[i / 64] >> (i % 64) & 1))
			continue;
		at = perf_u64(&table);
		size = perf_u64(&table);
		if (table.is_over || at > f->all.len || size > f->all.len - at) {
			diag_count(&f->diag, &perf_data_cut_header, 0);
			continue;
		}
		perf_file_feature(f, i, perf_sub(&f->all, at, size));
	}
	return OK;
}

int perf_file_open(struct perf_file *f, const struct region *in, struct dossier *d,
		   struct error *err)
{
	struct perf_bytes h;
	uint64_t size;

	memset(f, 0, sizeof(*f));
	f->in = in;
	f->dossier = d;
	f->all = (struct perf_bytes){ (const uint8_t *)in->text.p, in->text.len, 0, false, false };
	if (str_starts(in->text, STR(PERF_MAGIC_OTHER)))
		f->is_big_endian = true;
	else if (!str_starts(in->text, STR(PERF_MAGIC)))
		return fail(err, ERR_FORMAT, "not a perf.data file of version 2");
	f->all.is_swapped = f->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	h = perf_sub(&f->all, 8, UINT64_MAX);
	size = perf_u64(&h);
	if (size == 16) {
		f->is_pipe = true;
		f->data = perf_sub(&f->all, 16, UINT64_MAX);
		return OK;
	}
	return perf_file_sections(f, h, size, err);
}

void perf_file_fini(struct perf_file *f)
{
	VEC_FREE(&f->attrs);
	VEC_FREE(&f->ids);
	VEC_FREE(&f->id_attr);
	VEC_FREE(&f->id_times);
	VEC_FREE(&f->id_values);
	VEC_FREE(&f->notes);
	VEC_FREE(&f->cpus);
	VEC_FREE(&f->build_id_records);
	idmap_fini(&f->ids_map);
	diag_fini(&f->diag);
}
