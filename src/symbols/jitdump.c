/* SPDX-License-Identifier: MIT */
#include "symbols/jitdump.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <errno.h>
#include <unistd.h>

#define JIT_MAGIC   0x4a695444u /* "JiTD" in ASCII */
#define JIT_VERSION 1u
#define JIT_HEADER  40u
#define JIT_RECORD  16u /* size of a record's header: u32 id; u32 total_size; u64 timestamp */
/*
 * size in bytes of a load record without name and code: header, u32 pid, tid; u64 vma, code_addr,
 * code_size, code_index
 */
#define JIT_LOAD 56u
/* size in bytes of a move record: header, u32 pid, tid; u64 vma, old, new, code_size, code_index */
#define JIT_MOVE 64u
/* size in bytes of a debug record without its lines: header, u64 code_addr, nr_entry */
#define JIT_DEBUG 32u
/*
 * size in bytes of a source line without its name: u64 code_addr; u32 line, discriminator; char
 * name[]
 */
#define JIT_LINE       16u
#define JIT_NAME_MAX   4096u
#define JIT_READ_BYTES 65536u
/*
 * maximum number of pieces of code that jitdump_find() checks for one address; pieces can overlap,
 * because addresses are used again
 */
#define JIT_WALK 65536u
/* JITDUMP_FLAGS_ARCH_TIMESTAMP: times are CPU time stamps */
#define JIT_FLAG_COUNTER 1u
/*
 * size in bytes of an ELF header. perf inject writes an ELF file with an ELF header before the JIT
 * code. Therefore V8 adds this size to the offsets of source lines
 */
#define JIT_ELF_HEADER 64u

enum jit_record {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_DEBUG_INFO = 2,
	JIT_CODE_CLOSE = 3,
	JIT_CODE_UNWINDING_INFO = 4,
};

/*
 * The mapping from a number, which the writer of the dump gave to a piece of code (code_index), to
 * the index @row of this code in jitdump.codes. If several pieces have the same number, @row is
 * that of the latest piece.
 */
struct jit_index {
	uint64_t index;
	uint32_t row;
};

struct jit_reader {
	struct jitdump *d;
	int fd;
	bool is_swapped;
	VEC(uint8_t) bytes; /* cached bytes of the file, from offset `base` on */
	uint64_t base;
	struct idmap by_index; /* code_index -> row in `indexes` */
	VEC(struct jit_index) indexes;
	/*
	 * the next members describe the last debug record, whose lines belong to the code of the
	 * next load record
	 */
	uint64_t lines_of; /* address of this code */
	uint32_t first_line, n_lines;
	/*
	 * evidence whether the writer adds JIT_ELF_HEADER (64) to line offsets: n_at_start counts
	 * offsets below 64, which show that it does not; n_beyond counts offsets beyond the end of
	 * the code, which show that it does
	 */
	uint64_t n_at_start, n_beyond;
};

static uint64_t jit_u64(const struct jit_reader *r, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return r->is_swapped ? __builtin_bswap64(v) : v;
}

static uint32_t jit_u32(const struct jit_reader *r, const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return r->is_swapped ? __builtin_bswap32(v) : v;
}

/*
 * Return @n bytes of the file from offset @at on. They are valid until the next call. NULL: the
 * file ends earlier.
 */
static const uint8_t *jit_bytes(struct jit_reader *r, uint64_t at, size_t n)
{
	size_t want = n > JIT_READ_BYTES ? n : JIT_READ_BYTES;

	if (at >= r->base && at - r->base <= r->bytes.len && r->bytes.len - (at - r->base) >= n)
		return r->bytes.data + (at - r->base);
	r->bytes.len = 0;
	r->base = at;
	VEC_RESERVE(&r->bytes, want);
	while (r->bytes.len < n && at <= INT64_MAX) {
		ssize_t got = pread(r->fd, r->bytes.data + r->bytes.len, want - r->bytes.len,
				    (off_t)(at + r->bytes.len));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return NULL;
		r->bytes.len += (size_t)got;
	}
	return r->bytes.len >= n ? r->bytes.data : NULL;
}

/*
 * Append @name to d->names. *@ret: its offset in d->names. Returns false if there are too many
 * names.
 */
static bool jit_keep(struct jitdump *d, struct str name, uint32_t *ret)
{
	if (name.len >= LIMIT_JIT_NAME_BYTES - d->names.len)
		return false;
	*ret = (uint32_t)d->names.len;
	VEC_APPEND(&d->names, name.p, name.len);
	*VEC_PUSH(&d->names) = '\0';
	return true;
}

/* The row of `indexes` with the number @index; NULL: none. */
static struct jit_index *jit_find_index(struct jit_reader *r, uint64_t index, struct idmap_probe *p)
{
	*p = idmap_first(&r->by_index, hash_u64(index, 1));
	while (idmap_next(&r->by_index, p)) {
		if (r->indexes.data[p->id].index == index)
			return &r->indexes.data[p->id];
	}
	return NULL;
}

/* Append the code @c, as the latest code with the number @index. */
static void jit_add(struct jit_reader *r, struct jit_code c, uint64_t index)
{
	struct idmap_probe p;
	struct jit_index *known = jit_find_index(r, index, &p);

	c.order = (uint32_t)r->d->codes.len;
	*VEC_PUSH(&r->d->codes) = c;
	if (known) {
		known->row = c.order;
		return;
	}
	idmap_insert(&r->by_index, &p, (uint32_t)r->indexes.len);
	*VEC_PUSH(&r->indexes) = (struct jit_index){ index, c.order };
}

/*
 * Whether the lines of the last debug record belong to the loaded code of @size bytes. Their
 * offsets must be in ascending order. All of them must be inside the code, either as recorded, or
 * after the size of an ELF header is subtracted.
 */
static bool jit_lines_fit(struct jit_reader *r, uint64_t size)
{
	const struct jit_line *lines = r->d->lines.data + r->first_line;
	uint64_t n_at_start = 0;
	uint64_t n_beyond = 0;

	for (uint32_t i = 0; i < r->n_lines; i++) {
		if (lines[i].offset >= size + JIT_ELF_HEADER ||
		    (i && lines[i].offset < lines[i - 1].offset))
			return false;
		n_at_start += lines[i].offset < JIT_ELF_HEADER;
		n_beyond += lines[i].offset >= size;
	}
	r->n_at_start += n_at_start;
	r->n_beyond += n_beyond;
	return !n_at_start || !n_beyond;
}

static bool jit_take_load(struct jit_reader *r, uint64_t at, uint32_t total, uint64_t time)
{
	size_t n = total < JIT_LOAD + JIT_NAME_MAX ? total : JIT_LOAD + JIT_NAME_MAX;
	const uint8_t *p = total > JIT_LOAD ? jit_bytes(r, at, n) : NULL;
	struct jit_code c = { .from_ns = time, .until_ns = UINT64_MAX };
	struct str name;
	uint64_t size;

	if (!p)
		return false;
	c.start = jit_u64(r, p + 32);
	size = jit_u64(r, p + 40);
	name = (struct str){ (const char *)p + JIT_LOAD, n - JIT_LOAD };
	name = str_sub(name, 0, str_find_char(name, '\0'));
	if (__builtin_add_overflow(c.start, size, &c.end) || r->d->codes.len >= LIMIT_JIT_CODES)
		return false;
	if (!size || !name.len) /* code without bytes or without name is of no use */
		return true;
	if (r->n_lines && r->lines_of == c.start && jit_lines_fit(r, size)) {
		c.first_line = r->first_line;
		c.n_lines = r->n_lines;
	} else if (r->n_lines) {
		r->d->n_lines_wrong++;
		r->d->lines.len = r->first_line;
	}
	r->n_lines = 0;
	if (!jit_keep(r->d, name, &c.name))
		return false;
	jit_add(r, c, jit_u64(r, p + 48));
	return true;
}

static bool jit_take_move(struct jit_reader *r, uint64_t at, uint32_t total, uint64_t time)
{
	const uint8_t *p = total >= JIT_MOVE ? jit_bytes(r, at, JIT_MOVE) : NULL;
	const struct jit_index *known;
	struct idmap_probe probe;
	struct jit_code *old;
	struct jit_code new;

	if (!p || r->d->codes.len >= LIMIT_JIT_CODES)
		return false;
	known = jit_find_index(r, jit_u64(r, p + 56), &probe);
	old = known ? &r->d->codes.data[known->row] : NULL;
	if (!old || old->start != jit_u64(r, p + 32) || time < old->from_ns)
		return false;
	new = *old;
	new.start = jit_u64(r, p + 40);
	new.from_ns = time;
	if (__builtin_add_overflow(new.start, jit_u64(r, p + 48), &new.end) || new.end == new.start)
		return false;
	old->until_ns = time;
	jit_add(r, new, jit_u64(r, p + 56));
	return true;
}

/* Whether @name can be a file name. Some writers have a defect, and write freed memory instead. */
static bool jit_is_file_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if ((uint8_t)name.p[i] < ' ' || name.p[i] == 0x7f)
			return false;
	}
	return name.len > 0;
}

/*
 * Read one source line of a debug record. @rest: the part of the record that is not read yet.
 * @code: start address of the code of this record.
 */
static bool jit_take_line(struct jit_reader *r, struct str *rest, uint64_t code)
{
	struct jitdump *d = r->d;
	const uint8_t *p = (const uint8_t *)rest->p;
	struct jit_line line = { .file = d->lines.len > r->first_line
						 ? d->lines.data[d->lines.len - 1].file
						 : UINT32_MAX };
	struct str name;
	uint64_t offset;

	if (rest->len <= JIT_LINE || d->lines.len >= LIMIT_JIT_LINES)
		return false;
	offset = jit_u64(r, p) - code;
	line.line = jit_u32(r, p + 8);
	name = str_skip(*rest, JIT_LINE);
	name = str_sub(name, 0, str_find_char(name, '\0'));
	if (offset > UINT32_MAX / 2 || rest->len < JIT_LINE + name.len + 1)
		return false;
	*rest = str_skip(*rest, JIT_LINE + name.len + 1);
	line.offset = (uint32_t)offset;
	if (!str_eq(name, STR("\xff"))) {
		bool is_known = line.file != UINT32_MAX && str_eq(name, jitdump_name(d, line.file));

		if (!jit_is_file_name(name) || (!is_known && !jit_keep(d, name, &line.file)))
			return false;
	}
	if (line.file == UINT32_MAX)
		return false;
	*VEC_PUSH(&d->lines) = line;
	return true;
}

/* Read a debug record. It has the source lines of the code in the next load record. */
static void jit_take_debug(struct jit_reader *r, uint64_t at, uint32_t total)
{
	bool is_read = total >= JIT_DEBUG && total <= LIMIT_JIT_DEBUG_BYTES;
	const uint8_t *p = is_read ? jit_bytes(r, at, total) : NULL;
	struct str rest;
	uint64_t n;

	/* remove the lines of the previous debug record, whose code was never loaded */
	r->d->lines.len -= r->n_lines;
	r->first_line = (uint32_t)r->d->lines.len;
	r->n_lines = 0;
	if (!p) {
		r->d->n_bad++;
		return;
	}
	r->lines_of = jit_u64(r, p + 16);
	n = jit_u64(r, p + 24);
	rest = (struct str){ (const char *)p + JIT_DEBUG, total - JIT_DEBUG };
	for (uint64_t i = 0; i < n; i++) {
		if (jit_take_line(r, &rest, r->lines_of))
			continue;
		r->d->n_lines_wrong++;
		r->d->lines.len = r->first_line;
		return;
	}
	r->n_lines = (uint32_t)r->d->lines.len - r->first_line;
}

static void jit_take_record(struct jit_reader *r, uint64_t at, uint32_t id, uint32_t total,
			    uint64_t time)
{
	struct jitdump *d = r->d;

	switch (id) {
	case JIT_CODE_LOAD:
		d->n_bad += !jit_take_load(r, at, total, time);
		break;
	case JIT_CODE_MOVE:
		d->n_bad += !jit_take_move(r, at, total, time);
		break;
	case JIT_CODE_DEBUG_INFO:
		jit_take_debug(r, at, total);
		break;
	case JIT_CODE_CLOSE:
		d->is_closed = true;
		break;
	case JIT_CODE_UNWINDING_INFO:
		d->n_unwinding++;
		break;
	default:
		d->n_unknown++;
		break;
	}
}

static void jit_walk(struct jit_reader *r, uint64_t at)
{
	struct jitdump *d = r->d;

	while (!d->is_closed) {
		const uint8_t *p = jit_bytes(r, at, JIT_RECORD);
		uint32_t id;
		uint32_t total;

		if (!p) {
			d->is_cut = r->bytes.len > 0;
			return;
		}
		id = jit_u32(r, p);
		total = jit_u32(r, p + 4);
		/* this record has no valid size, so the next record cannot be found */
		if (total < JIT_RECORD) {
			d->n_bad++;
			return;
		}
		d->is_cut = !jit_bytes(r, at + total - 1, 1);
		if (d->is_cut)
			return;
		p = jit_bytes(r, at, JIT_RECORD);
		if (p)
			jit_take_record(r, at, id, total, jit_u64(r, p + 8));
		at += total;
	}
}

/*
 * Sort codes by start address. Codes with equal start addresses stay in the order of their records.
 */
static void jit_sort(struct jitdump *d)
{
	size_t n = d->codes.len;
	struct jit_code *old = d->codes.data;
	struct sort_item *items = xreallocarray(NULL, n, sizeof(*items));
	struct jit_code *new = xreallocarray(NULL, n, sizeof(*new));

	for (size_t i = 0; i < n; i++)
		items[i] = (struct sort_item){ old[i].start, (uint32_t)i };
	sort_items(items, n);
	for (size_t i = 0; i < n; i++)
		new[i] = old[items[i].value];
	free(items);
	free(old);
	d->codes.data = new;
	d->codes.cap = n;
}

static int jit_compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return SORT_ORDER(x, y);
}

/*
 * Compute d->reach and d->changes. A change is a time at which an address starts to belong to
 * another function, because overlapping code is loaded or code is moved.
 */
static void jit_find_changes(struct jitdump *d)
{
	uint64_t reach = 0;
	size_t n = 0;

	for (size_t i = 0; i < d->codes.len; i++) {
		const struct jit_code *c = &d->codes.data[i];
		bool joins = i && c->start < reach;
		bool is_joined = i + 1 < d->codes.len &&
				 d->codes.data[i + 1].start < (c->end > reach ? c->end : reach);

		if (joins || is_joined)
			*VEC_PUSH(&d->changes) = c->from_ns;
		if (c->until_ns != UINT64_MAX)
			*VEC_PUSH(&d->changes) = c->until_ns;
		reach = c->end > reach ? c->end : reach;
		*VEC_PUSH(&d->reach) = reach;
	}
	VEC_SORT(&d->changes, jit_compare_times);
	for (size_t i = 0; i < d->changes.len; i++) {
		if (!n || d->changes.data[n - 1] != d->changes.data[i])
			d->changes.data[n++] = d->changes.data[i];
	}
	d->changes.len = n;
}

void jitdump_finish(struct jitdump *d)
{
	if (d->codes.len)
		jit_sort(d);
	jit_find_changes(d);
}

int jitdump_read(int fd, struct jitdump *ret, struct error *err)
{
	struct jit_reader r = { .d = ret, .fd = fd };
	const uint8_t *p;
	uint64_t flags;
	uint32_t size;
	int status = OK;

	memset(ret, 0, sizeof(*ret));
	p = jit_bytes(&r, 0, JIT_HEADER);
	if (p)
		r.is_swapped = jit_u32(&r, p) == __builtin_bswap32(JIT_MAGIC);
	if (!p || jit_u32(&r, p) != JIT_MAGIC)
		status = fail(err, ERR_FORMAT, "not a jitdump");
	else if (jit_u32(&r, p + 4) != JIT_VERSION)
		status = fail(err, ERR_FORMAT, "a jitdump of the unknown version %u",
			      (unsigned int)jit_u32(&r, p + 4));
	if (status == OK) {
		size = jit_u32(&r, p + 8);
		flags = jit_u64(&r, p + 32);
		ret->is_other_clock = flags & JIT_FLAG_COUNTER;
		jit_walk(&r, size > JIT_HEADER ? size : JIT_HEADER);
		jitdump_finish(ret);
		ret->has_lines = !r.n_at_start != !r.n_beyond;
		ret->line_shift = r.n_beyond ? JIT_ELF_HEADER : 0;
	}
	VEC_FREE(&r.bytes);
	VEC_FREE(&r.indexes);
	idmap_fini(&r.by_index);
	return status;
}

void jitdump_fini(struct jitdump *d)
{
	VEC_FREE(&d->codes);
	VEC_FREE(&d->reach);
	VEC_FREE(&d->lines);
	VEC_FREE(&d->names);
	VEC_FREE(&d->changes);
}

struct str jitdump_name(const struct jitdump *d, uint32_t name)
{
	return str_of(d->names.data + name);
}

static bool jit_is_later(const struct jit_code *a, const struct jit_code *b)
{
	return a->from_ns != b->from_ns ? a->from_ns > b->from_ns : a->order > b->order;
}

struct jit_code *jitdump_find(struct jitdump *d, uint64_t address, uint64_t now)
{
	size_t at = VEC_PARTITION(&d->codes, it, it->start <= address);
	struct jit_code *last = NULL;  /* the code at @address that was loaded last, up to @now */
	struct jit_code *first = NULL; /* the code at @address that was loaded first after @now */

	for (size_t n = 0; at > 0 && d->reach.data[at - 1] > address; at--, n++) {
		struct jit_code *c = &d->codes.data[at - 1];

		if (n >= JIT_WALK)
			return NULL;
		if (address >= c->end)
			continue;
		if (now == JITDUMP_NO_TIME && last &&
		    !str_eq(jitdump_name(d, c->name), jitdump_name(d, last->name)))
			return NULL;
		if (c->from_ns <= now && (!last || jit_is_later(c, last)))
			last = c;
		if (c->from_ns > now && (!first || jit_is_later(first, c)))
			first = c;
	}
	if (!last)
		return first;
	return now != JITDUMP_NO_TIME && now >= last->until_ns ? NULL : last;
}

const struct jit_line *jitdump_line(const struct jitdump *d, const struct jit_code *c,
				    uint64_t address)
{
	const struct jit_line *lines = d->lines.data + c->first_line;
	uint64_t offset = address - c->start + d->line_shift;
	size_t low = 0;
	size_t high = d->has_lines ? c->n_lines : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (lines[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &lines[low - 1] : NULL;
}
