/* SPDX-License-Identifier: MIT */
#include "formats/trace_dat/trace_dat_file.h"

#include "base/alloc.h"
#include "base/status.h"

#include "config.h"

#include <zlib.h>
#if HAVE_ZSTD
#include <zstd.h>
#endif

#define TD_MAX_OPTIONS     (1u << 20) /* maximum number of options in all sections together */
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

bool td_number(const struct td_file *f, struct str *s, unsigned int bytes, uint64_t *ret)
{
	struct str v;

	*ret = 0;
	if (!td_take(s, bytes, &v))
		return false;
	for (unsigned int i = 0; i < bytes; i++)
		*ret = *ret << 8 | (uint8_t)v.p[f->is_big_endian ? i : bytes - 1 - i];
	return true;
}

/* Take a text that ends with NUL from the start of @s. @ret: the text without the NUL. */
static bool td_text(struct str *s, struct str *ret)
{
	size_t n = str_find_char(*s, '\0');

	if (n >= s->len)
		return false;
	*ret = str_sub(*s, 0, n);
	*s = str_skip(*s, n + 1);
	return true;
}

/* Take a size field of @bytes bytes from @s, and then data of that size. False: truncated. */
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

/*
 * Add the data of a CPU that start at offset @offset of the file. Data beyond the end of the file
 * are dropped.
 */
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

/*
 * Version 6: parse the offset and size of each CPU's data. @s: the bytes after "flyrecord". False:
 * truncated.
 */
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

/*
 * Version 7: parse the option BUFFER. It does not state whether the data are compressed, so read
 * this from the header of the section with the data. False: invalid.
 */
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

/*
 * Version 6: parse the option of a trace instance: the offset of its "flyrecord" and its name.
 * False: invalid.
 */
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

size_t td_decompress(const struct td_file *f, struct str in, char *out, size_t size)
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

bool td_piece(const struct td_file *f, struct str *s, struct str *ret_in, size_t *ret_size)
{
	uint64_t packed;
	uint64_t size;

	if (!td_number(f, s, 4, &packed) || !td_number(f, s, 4, &size) || size > TD_MAX_CHUNK ||
	    packed > s->len)
		return false;
	*ret_size = (size_t)size;
	return td_take(s, (size_t)packed, ret_in);
}

/*
 * Open the section at offset @at. @ret: its content. Returns false if the section is damaged, or if
 * its id is not @want.
 */
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

/*
 * Parse the options of a section, up to the option with id 0. @ret_next: offset of the next section
 * that has options; 0: none. False: truncated.
 */
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
	/* a damaged file may link sections in a cycle: limit their number */
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
