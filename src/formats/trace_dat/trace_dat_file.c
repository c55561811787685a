/* SPDX-License-Identifier: MIT */
#include "formats/trace_dat/trace_dat_file.h"

#include "base/alloc.h"
#include "base/status.h"

#include "config.h"

#include <sys/mman.h>
#include <zlib.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#define TD_MAX_CHUNK       (256u << 20)
#define TD_MAX_OPTIONS     (1u << 20) /* limit over all sections */
#define TD_PADDING         29u
#define TD_TIME_EXTEND     30u
#define TD_TIME_STAMP      31u
#define TD_COMMIT_MASK     ((UINT64_C(1) << 27) - 1)
#define TD_COMMIT_STORED   (UINT64_C(1) << 30)
#define TD_COMMIT_MISSED   (UINT64_C(1) << 31)
#define TD_RELEASE_BYTES   (4u << 20)
#define TD_MEMORY_PAGE     ((uintptr_t)65536)
#define TD_MAX_FORMATS     65536u
#define TD_MAX_SECTIONS    8192u
#define TD_SECTION_OPTIONS 0u

static bool td_take(struct str *s, size_t n, struct str *ret)
{
	if (s->len < n)
		return false;
	*ret = str_sub(*s, 0, n);
	*s = str_skip(*s, n);
	return true;
}

static bool td_number(const struct td_file *f, struct str *s, unsigned int bytes, uint64_t *ret)
{
	struct str v;

	*ret = 0;
	if (!td_take(s, bytes, &v))
		return false;
	for (unsigned int i = 0; i < bytes; i++)
		*ret = *ret << 8 | (uint8_t)v.p[f->is_big_endian ? i : bytes - 1 - i];
	return true;
}

/* Take text up to a NUL, which is dropped. */
static bool td_text(struct str *s, struct str *ret)
{
	size_t n = str_find_char(*s, '\0');

	if (n >= s->len)
		return false;
	*ret = str_sub(*s, 0, n);
	*s = str_skip(*s, n + 1);
	return true;
}

/* Take a blob that follows its size in @bytes bytes. */
static bool td_blob(const struct td_file *f, struct str *s, unsigned int bytes, struct str *ret)
{
	uint64_t n;

	return td_number(f, s, bytes, &n) && n <= s->len && td_take(s, (size_t)n, ret);
}

static bool td_header_info(struct td_file *f, struct str *s)
{
	struct str word;
	struct str event;

	return td_text(s, &word) && td_blob(f, s, 8, &f->header_page) && td_text(s, &word) &&
	       td_blob(f, s, 8, &event);
}

static bool td_event_formats(struct td_file *f, struct str *s, struct str system)
{
	uint64_t n;

	if (!td_number(f, s, 4, &n))
		return false;
	for (; n; n--) {
		struct td_format format = { .system = system };

		if (!td_blob(f, s, 8, &format.text))
			return false;
		if (f->formats.len < TD_MAX_FORMATS)
			*VEC_PUSH(&f->formats) = format;
	}
	return true;
}

static bool td_systems(struct td_file *f, struct str *s)
{
	struct str system;
	uint64_t n;

	if (!td_number(f, s, 4, &n))
		return false;
	for (; n; n--) {
		if (!td_text(s, &system) || !td_event_formats(f, s, system))
			return false;
	}
	return true;
}

/* Add CPU data at [offset, offset + size), truncated at the end of the file. */
static void td_add_cpu(struct td_file *f, struct td_buffer *b, uint64_t cpu, uint64_t offset,
		       uint64_t size)
{
	if (!size)
		return;
	if (cpu >= TD_MAX_CPUS || b->cpus.len >= TD_MAX_CPUS || offset >= f->bytes.len) {
		f->bad_buffers++;
		return;
	}
	if (size > f->bytes.len - offset) {
		f->bad_buffers++;
		size = f->bytes.len - offset;
	}
	*VEC_PUSH(&b->cpus) =
		(struct td_cpu_data){ (uint32_t)cpu,
				      str_sub(f->bytes, (size_t)offset, (size_t)(offset + size)) };
}

static struct td_buffer *td_add_buffer(struct td_file *f, struct str name)
{
	struct td_buffer *b;

	if (f->buffers.len >= TD_MAX_BUFFERS) {
		f->bad_buffers++;
		return NULL;
	}
	b = VEC_PUSH(&f->buffers);
	memset(b, 0, sizeof(*b));
	b->name = name;
	b->page_size = f->page_size;
	return b;
}

/* v6: parse the offsets and sizes by CPU after "flyrecord". */
static bool td_flyrecord(struct td_file *f, struct td_buffer *b, struct str s)
{
	for (uint64_t cpu = 0; cpu < f->n_cpus; cpu++) {
		uint64_t offset;
		uint64_t size;

		if (!td_number(f, &s, 8, &offset) || !td_number(f, &s, 8, &size))
			return false;
		td_add_cpu(f, b, cpu, offset, size);
	}
	return true;
}

/* v7: parse a BUFFER option; the section's header has the compression flag. */
static bool td_buffer_option(struct td_file *f, struct str s)
{
	struct td_buffer *b;
	struct str name;
	struct str clock;
	struct str header;
	uint64_t section;
	uint64_t page_size;
	uint64_t n_cpus;
	uint64_t flags;

	if (!td_number(f, &s, 8, &section) || !td_text(&s, &name) || !td_text(&s, &clock) ||
	    !td_number(f, &s, 4, &page_size) || !td_number(f, &s, 4, &n_cpus) ||
	    section > f->bytes.len)
		return false;
	header = str_skip(f->bytes, (size_t)section);
	if (!td_number(f, &header, 2, &flags) || !td_number(f, &header, 2, &flags))
		return false;
	b = td_add_buffer(f, name);
	if (!b)
		return true;
	b->page_size = (uint32_t)page_size;
	b->is_compressed = flags & 1;
	for (uint64_t i = 0; i < n_cpus; i++) {
		uint64_t cpu;
		uint64_t offset;
		uint64_t size;

		if (!td_number(f, &s, 4, &cpu) || !td_number(f, &s, 8, &offset) ||
		    !td_number(f, &s, 8, &size))
			return false;
		td_add_cpu(f, b, cpu, offset, size);
	}
	return true;
}

/* v6: the offset is that of the instance's "flyrecord". */
static bool td_instance_v6(struct td_file *f, struct str data)
{
	struct str name;
	struct str kind;
	struct td_buffer *b;
	uint64_t offset;

	if (!td_number(f, &data, 8, &offset) || !td_text(&data, &name) || offset > f->bytes.len ||
	    !name.len)
		return false;
	data = str_skip(f->bytes, (size_t)offset);
	if (!td_take(&data, 10, &kind) || !str_starts(kind, STR("flyrecord")))
		return false;
	b = td_add_buffer(f, name);
	return !b || td_flyrecord(f, b, data);
}

static void td_note(struct td_file *f, unsigned int option, struct str data)
{
	uint64_t v;
	uint64_t shift;
	bool negative;

	switch (option) {
	case TD_OPTION_OFFSET:
		data = str_ltrim(str_sub(data, 0, str_find_char(data, '\0')));
		negative = str_take(&data, STR("-"));
		if ((str_take(&data, STR("0x")) ? str_hex64(&data, &v) : str_u64(&data, &v)) &&
		    v <= INT64_MAX)
			f->ts_offset = negative ? -(int64_t)v : (int64_t)v;
		break;
	case TD_OPTION_TSC2NSEC:
		if (td_number(f, &data, 4, &v) && td_number(f, &data, 4, &shift) && shift < 64 &&
		    td_number(f, &data, 8, &f->tsc_offset)) {
			f->tsc_mult = (uint32_t)v;
			f->tsc_shift = (uint32_t)shift;
		}
		break;
	default:
		if (f->notes.len < TD_MAX_NOTES)
			*VEC_PUSH(&f->notes) = (struct td_note){ option, data };
		break;
	}
}

/* Decompress @in into @out of @size bytes. Returns the bytes written, 0 on failure. */
static size_t td_decompress(const struct td_file *f, struct str in, char *out, size_t size)
{
	if (str_eq(f->compression, STR("zlib"))) {
		uLongf n = size;
		int r;

		alloc_watch();
		r = uncompress((Bytef *)out, &n, (const Bytef *)in.p, in.len);
		alloc_watched();
		return r == Z_OK ? n : 0;
	}
#if HAVE_ZSTD
	if (str_eq(f->compression, STR("zstd"))) {
		size_t n;

		alloc_watch();
		n = ZSTD_decompress(out, size, in.p, in.len);
		alloc_watched();
		return ZSTD_isError(n) ? 0 : n;
	}
#endif
	return 0;
}

/* Take a compressed piece: two sizes and the data. */
static bool td_piece(const struct td_file *f, struct str *s, struct str *ret_in, size_t *ret_size)
{
	uint64_t packed;
	uint64_t size;

	if (!td_number(f, s, 4, &packed) || !td_number(f, s, 4, &size) || size > TD_MAX_CHUNK ||
	    packed > s->len)
		return false;
	*ret_size = (size_t)size;
	return td_take(s, (size_t)packed, ret_in);
}

/* Open the section with id @want at @at. */
static bool td_section_open(struct td_file *f, unsigned int want, uint64_t at, struct str *ret)
{
	struct str s = str_skip(f->bytes, at > f->bytes.len ? f->bytes.len : (size_t)at);
	struct str in;
	uint64_t id;
	uint64_t flags;
	uint64_t v;
	size_t size;
	char *plain;

	if (!td_number(f, &s, 2, &id) || !td_number(f, &s, 2, &flags) || !td_number(f, &s, 4, &v) ||
	    !td_number(f, &s, 8, &v) || id != want)
		return false;
	if (v < s.len)
		s.len = (size_t)v;
	*ret = s;
	if (!(flags & 1))
		return true;
	if (!td_piece(f, &s, &in, &size) || !size || f->plain.len >= TD_MAX_SECTIONS)
		return false;
	plain = xmalloc(size);
	*VEC_PUSH(&f->plain) = plain;
	*ret = (struct str){ plain, td_decompress(f, in, plain, size) };
	return ret->len != 0;
}

static bool td_section(struct td_file *f, unsigned int option, uint64_t at)
{
	struct str s;

	if (!td_section_open(f, option, at, &s))
		return false;
	switch (option) {
	case TD_OPTION_HEADER_INFO:
		return td_header_info(f, &s);
	case TD_OPTION_FTRACE_EVENTS:
		return td_event_formats(f, &s, STR("ftrace"));
	case TD_OPTION_EVENT_FORMATS:
		return td_systems(f, &s);
	case TD_OPTION_KALLSYMS:
		return td_blob(f, &s, 4, &f->kallsyms);
	case TD_OPTION_PRINTK:
		return td_blob(f, &s, 4, &f->printk);
	default:
		return td_blob(f, &s, 8, &f->commands);
	}
}

/* Parse options up to the one with id 0. False: truncated. */
static bool td_options(struct td_file *f, struct str *s, uint64_t *ret_next)
{
	*ret_next = 0;
	for (unsigned int n = 0; n < TD_MAX_OPTIONS; n++) {
		struct str data;
		uint64_t id;
		uint64_t size;
		uint64_t at;

		if (!td_number(f, s, 2, &id))
			return false;
		if (id == 0 && f->version < 7)
			return true;
		if (!td_number(f, s, 4, &size) || size > s->len || !td_take(s, (size_t)size, &data))
			return false;
		if (id == 0)
			return td_number(f, &data, 8, ret_next);
		if (id == TD_OPTION_BUFFER &&
		    !(f->version < 7 ? td_instance_v6(f, data) : td_buffer_option(f, data)))
			f->bad_buffers++;
		if (f->version >= 7 && id >= TD_OPTION_HEADER_INFO && id <= TD_OPTION_COMMANDS &&
		    !(td_number(f, &data, 8, &at) && td_section(f, (unsigned int)id, at)))
			f->bad_buffers++;
		if (id != TD_OPTION_BUFFER)
			td_note(f, (unsigned int)id, data);
	}
	return false;
}

static int td_open_v6(struct td_file *f, struct str s, struct error *err)
{
	struct str word;
	uint64_t n;
	uint64_t next;

	if (!td_header_info(f, &s))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its header");
	if (!td_event_formats(f, &s, STR("ftrace")) || !td_systems(f, &s))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its formats");
	if (!td_blob(f, &s, 4, &f->kallsyms) || !td_blob(f, &s, 4, &f->printk) ||
	    !td_blob(f, &s, 8, &f->commands) || !td_number(f, &s, 4, &n) || n > TD_MAX_CPUS ||
	    !td_take(&s, 10, &word))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its symbols");
	f->n_cpus = (uint32_t)n;
	(void)td_add_buffer(f, STR(""));
	if (str_starts(word, STR("options")) &&
	    (!td_options(f, &s, &next) || !td_take(&s, 10, &word)))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its options");
	if (str_starts(word, STR("latency"))) {
		f->latency_text = s;
		return OK;
	}
	if (!str_starts(word, STR("flyrecord")))
		return fail(err, ERR_FORMAT, "the trace.dat file has an unknown kind of data");
	if (!td_flyrecord(f, &f->buffers.data[0], s))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its CPU table");
	return OK;
}

static int td_open_v7(struct td_file *f, struct str s, struct error *err)
{
	struct str version;
	uint64_t at;
	uint64_t next;

	if (!td_text(&s, &f->compression) || !td_text(&s, &version) || !td_number(f, &s, 8, &at))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its header");
	if (!str_eq(f->compression, STR("none")) && !str_eq(f->compression, STR("zlib")) &&
	    !(HAVE_ZSTD && str_eq(f->compression, STR("zstd"))))
		return fail(err, ERR_UNSUPPORTED,
			    "a trace.dat file compressed by " STR_FMT ", which is not read here",
			    STR_ARG(str_sub(f->compression, 0, 32)));
	/* sections may be linked in any order: bound the loop against cycles */
	for (unsigned int n = 0; at && n < 4096; n++, at = next) {
		struct str options;

		if (!td_section_open(f, TD_SECTION_OPTIONS, at, &options) ||
		    !td_options(f, &options, &next)) {
			if (f->buffers.len)
				break;
			return fail(err, ERR_FORMAT,
				    "the trace.dat file is truncated in its options");
		}
	}
	return OK;
}

int td_file_open(struct td_file *f, struct str bytes, struct error *err)
{
	struct str s = str_skip(bytes, 10);
	struct str version;
	uint64_t big_endian;
	uint64_t v = 0;

	memset(f, 0, sizeof(*f));
	f->bytes = bytes;
	f->compression = STR("none");
	if (!str_starts(bytes, STR("\x17\x08\x44tracing")) || !td_text(&s, &version) ||
	    !str_u64(&version, &v) || version.len)
		return fail(err, ERR_FORMAT, "not a trace.dat file");
	if (v != 6 && v != 7)
		return fail(err, ERR_UNSUPPORTED,
			    "trace.dat version %llu is not read, only 6 and 7",
			    (unsigned long long)v);
	f->version = (unsigned int)v;
	if (!td_number(f, &s, 1, &big_endian) || !td_number(f, &s, 1, &v))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its header");
	f->is_big_endian = big_endian == 1;
	f->is_swapped = f->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	f->long_size = (unsigned int)v;
	if (!td_number(f, &s, 4, &v))
		return fail(err, ERR_FORMAT, "the trace.dat file is truncated in its header");
	f->page_size = (uint32_t)v;
	return f->version == 6 ? td_open_v6(f, s, err) : td_open_v7(f, s, err);
}

void td_file_fini(struct td_file *f)
{
	VEC_FOREACH (b, &f->buffers)
		VEC_FREE(&b->cpus);
	VEC_FREE(&f->buffers);
	VEC_FREE(&f->notes);
	VEC_FREE(&f->formats);
	VEC_FOREACH (p, &f->plain)
		free(*p);
	VEC_FREE(&f->plain);
}

void td_cursor_init(struct td_cursor *c, const struct td_file *f, const struct td_buffer *b,
		    const struct td_cpu_data *cpu, unsigned int commit_size, bool may_release)
{
	memset(c, 0, sizeof(*c));
	c->may_release = may_release;
	c->file = f;
	c->page_size = b->page_size;
	c->cpu = cpu->cpu;
	c->is_compressed = b->is_compressed;
	c->commit_size = commit_size == 4 ? 4 : 8;
	c->data = cpu->data;
	if (c->is_compressed) {
		uint64_t n = 0;

		/* the size excludes the number of chunks; chunks have own sizes */
		c->data = str_skip(f->bytes, (size_t)(cpu->data.p - f->bytes.p));

		if (!td_number(f, &c->data, 4, &n))
			c->bad_pages++;
		c->n_chunks = (uint32_t)n;
	} else {
		c->pages = c->data;
		c->data = STR_NONE;
	}
	c->released = c->is_compressed ? c->data.p : c->pages.p;
	td_cursor_next(c);
}

/*
 * Release pages before the cursor. They are the child's private mapping, so nobody else loses
 * them.
 */
static void td_cursor_release(struct td_cursor *c)
{
	const char *upto = c->is_compressed ? c->data.p : c->pages.p;
	uintptr_t from = ((uintptr_t)c->released + TD_MEMORY_PAGE - 1) & ~(TD_MEMORY_PAGE - 1);
	uintptr_t to = (uintptr_t)upto & ~(TD_MEMORY_PAGE - 1);

	if (!c->may_release || upto - c->released < (ptrdiff_t)TD_RELEASE_BYTES)
		return;
	if (to > from)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
	c->released = upto;
}

void td_cursor_fini(struct td_cursor *c)
{
	free(c->chunk);
	c->chunk = NULL;
}

/* Decompress the next valid chunk. False: none left. */
static bool td_cursor_chunk(struct td_cursor *c)
{
	struct str in;
	size_t size;

	while (c->n_chunks) {
		c->n_chunks--;
		if (!td_piece(c->file, &c->data, &in, &size)) {
			c->bad_pages++;
			break;
		}
		if (size > c->chunk_cap) {
			c->chunk = xrealloc(c->chunk, size);
			c->chunk_cap = size;
		}
		size = size ? td_decompress(c->file, in, c->chunk, size) : 0;
		if (!size) {
			c->bad_pages++;
			continue;
		}
		c->pages = (struct str){ c->chunk, size };
		return true;
	}
	c->n_chunks = 0;
	return false;
}

/* Enter the next page. False: none left. */
static bool td_cursor_page(struct td_cursor *c)
{
	struct str page;
	struct str rest;
	uint64_t commit;
	uint64_t size;

	if (c->page_size < 64 || c->page_size > TD_MAX_CHUNK)
		return false;
	if (!c->pages.len && !td_cursor_chunk(c))
		return false;
	td_cursor_release(c);
	page = str_sub(c->pages, 0, c->page_size);
	c->pages = str_skip(c->pages, page.len);
	rest = page;
	c->p = c->end = NULL;
	if (!td_number(c->file, &rest, 8, &c->raw_ts) ||
	    !td_number(c->file, &rest, c->commit_size, &commit)) {
		c->bad_pages++;
		return true;
	}
	size = commit & TD_COMMIT_MASK;
	if (size > rest.len) {
		c->bad_pages++;
		size = rest.len;
	}
	c->p = rest.p;
	c->end = rest.p + size;
	if (commit & TD_COMMIT_MISSED) {
		c->is_after_loss = true;
		c->lost = 0;
		rest = str_skip(rest, (size_t)size);
		if (commit & TD_COMMIT_STORED &&
		    !td_number(c->file, &rest, c->commit_size, &c->lost))
			c->lost = 0;
	}
	return true;
}

static inline uint32_t td_word(const struct td_file *f, const char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return UNLIKELY(f->is_swapped) ? __builtin_bswap32(v) : v;
}

/*
 * A record header with the kind in the low five bits and the time above; big-endian machines
 * store them reversed.
 */
static inline uint32_t td_head(const struct td_file *f, const char *p)
{
	uint32_t v = td_word(f, p);

	return UNLIKELY(f->is_big_endian) ? v << 5 | v >> 27 : v;
}

/* Convert recorded times to nanoseconds, as trace-cmd report does. */
static uint64_t td_time(const struct td_file *f, uint64_t ts)
{
	if (f->tsc_mult)
		ts = (uint64_t)((unsigned __int128)ts * f->tsc_mult >> f->tsc_shift);
	return ts + (uint64_t)f->ts_offset;
}

void td_cursor_next(struct td_cursor *c)
{
	c->is_after_loss = false;
	c->has_record = false;
	for (;;) {
		uint64_t size;
		uint32_t head;
		uint32_t kind;

		if (UNLIKELY(c->end - c->p < 4)) {
			if (!td_cursor_page(c))
				return;
			continue;
		}
		head = td_head(c->file, c->p);
		kind = head & 31;
		c->p += 4;
		if (LIKELY(kind && kind < TD_PADDING)) {
			size = 4 * kind;
		} else {
			/* padding to the end of the page */
			if (kind == TD_PADDING && head >> 5 == 0) {
				c->p = c->end;
				continue;
			}
			if (c->end - c->p < 4) {
				c->bad_records++;
				c->p = c->end;
				continue;
			}
			size = td_word(c->file, c->p);
			if (kind == TD_TIME_EXTEND) {
				c->raw_ts += (size << 27) + (head >> 5);
				c->p += 4;
				continue;
			}
			if (kind == TD_TIME_STAMP) {
				c->raw_ts = (size << 27) + (head >> 5) +
					    (c->raw_ts & UINT64_C(0xf8) << 56);
				c->p += 4;
				continue;
			}
			if (size < 4) {
				c->bad_records++;
				c->p = c->end;
				continue;
			}
			c->p += 4;
			size = (size - 4 + 3) & ~UINT64_C(3);
			if (kind == TD_PADDING) { /* a discarded record */
				c->raw_ts += head >> 5;
				c->p = size > (uint64_t)(c->end - c->p) ? c->end : c->p + size;
				continue;
			}
		}
		if (UNLIKELY(size > (uint64_t)(c->end - c->p))) {
			c->bad_records++;
			c->p = c->end;
			continue;
		}
		c->raw_ts += head >> 5;
		c->record = (struct str){ c->p, (size_t)size };
		c->p += size;
		c->ts = LIKELY(!c->file->tsc_mult && !c->file->ts_offset)
				? c->raw_ts
				: td_time(c->file, c->raw_ts);
		c->has_record = true;
		return;
	}
}
