/* SPDX-License-Identifier: MIT */
#include "formats/trace_dat/trace_dat_cursor.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "formats/trace_dat/trace_dat_file.h"

#include <sys/mman.h>

#define TD_PADDING       29u
#define TD_TIME_EXTEND   30u
#define TD_TIME_STAMP    31u
#define TD_COMMIT_MASK   ((UINT64_C(1) << 27) - 1)
#define TD_COMMIT_STORED (UINT64_C(1) << 30)
#define TD_COMMIT_MISSED (UINT64_C(1) << 31)
#define TD_RELEASE_BYTES (4u << 20)
#define TD_MEMORY_PAGE   ((uintptr_t)65536)

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

		/*
		 * Data of a CPU: u32 number of chunks, then the chunks, each with its size.
		 * cpu->data.len is the size of the chunks without this number. So do not limit the
		 * data by it: let them extend to the end of the file.
		 */
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
 * Return the memory pages before the cursor to the kernel. They belong to a private mapping of the
 * child process, so other processes are not affected.
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

/*
 * Decompress the next valid chunk, which holds several pages of the ring buffer. False: no chunk is
 * left.
 */
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

/* Move the cursor to the next page of the ring buffer. False: no page is left. */
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
 * The first 32-bit word of a record at @p. Its lowest five bits are the kind of record, the other
 * bits are the time since the previous record. If the recorded machine is big-endian, the kind is
 * in the highest five bits.
 */
static inline uint32_t td_head(const struct td_file *f, const char *p)
{
	uint32_t v = td_word(f, p);

	return UNLIKELY(f->is_big_endian) ? v << 5 | v >> 27 : v;
}

/* Convert a recorded time to nanoseconds, as trace-cmd report does. */
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
			/* TD_PADDING without a time: the rest of the page is empty */
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
			if (kind == TD_PADDING) { /* a record that the tracer discarded */
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
