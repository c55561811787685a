/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_cursor.h - the records of one CPU of a trace.dat
 *
 * Format of the pages of the ring buffer: include/linux/ring_buffer.h. Every offset and size is
 * checked against the file.
 */
#ifndef FORMATS_TRACE_DAT_TRACE_DAT_CURSOR_H
#define FORMATS_TRACE_DAT_TRACE_DAT_CURSOR_H

#include "base/status.h"
#include "base/str.h"

struct td_buffer;
struct td_cpu_data;
struct td_file;

/* Iterates over the records of one CPU. */
struct td_cursor {
	const struct td_file *file;
	uint32_t page_size;
	uint32_t cpu;
	bool is_compressed;
	bool may_release;
	/* the chunks that remain to be read; empty if the data are not compressed */
	struct str data;
	uint32_t n_chunks; /* number of chunks that remain to be read */
	/*
	 * the pages that remain to be read. If the data are compressed, these are pages of the
	 * current chunk.
	 */
	struct str pages;
	/* file pages below this address have been returned to the kernel (madvise()) */
	const char *released;
	char *chunk; /* buffer for the decompressed chunk */
	size_t chunk_cap;
	const char *p;   /* next record in the page */
	const char *end; /* end of the records in the page */
	unsigned int commit_size;
	uint64_t raw_ts; /* time of the current record, in the clock unit of the file */
	uint64_t bad_pages;
	uint64_t bad_records;
	/* the following members describe the current record */
	bool has_record;
	uint64_t ts; /* time in ns */
	struct str record;
	bool is_after_loss;
	/*
	 * number of records lost before the current one, if is_after_loss is set; 0: unknown number
	 */
	uint64_t lost;
};

/*
 * Set the cursor to the first record. @commit_size: size of the recorded kernel's long in bytes, 4
 * or 8. @may_release: allow the cursor to return pages of the mapped file to the kernel after it
 * has read them.
 */
void td_cursor_init(struct td_cursor *c, const struct td_file *f, const struct td_buffer *b,
		    const struct td_cpu_data *cpu, unsigned int commit_size, bool may_release);
void td_cursor_fini(struct td_cursor *c);
/* Advance to the next record; has_record is false at the end. */
void td_cursor_next(struct td_cursor *c);

#endif
