/* SPDX-License-Identifier: MIT */
/*
 * perf_data_raw.h - the fields of tracepoints in samples, as words
 *
 * Only fields that were asked for are made; "trace" is the whole text as perf
 * prints it. Raw bytes are kept while samples are read, then a
 * confined child prints them with libtraceevent, which trusts formats too much
 * to be run here.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_RAW_H
#define FORMATS_PERF_DATA_RAW_H

#include "formats/perf_data/perf_data_file.h"
#include "symbols/resolver.h"

struct perf_raw_item {
	uint32_t attr;
	uint32_t sample; /* of the profile of that event */
	uint32_t at;     /* in perf_raw.bytes */
	uint32_t len;
};

struct perf_raw {
	VEC(struct perf_raw_item) items;
	VEC(char) bytes;
	uint64_t left_out; /* samples past the limit */
};

/* Field number @field of item number @item, in order; the text goes with the call. */
typedef void perf_raw_take(void *arg, size_t item, size_t field, struct str text);

struct perf_raw_format {
	struct str system;
	struct str text;
};

/* What the child is to do; it inherits all of it. */
struct perf_raw_job {
	const struct perf_raw *raw;
	const struct str *fields;
	size_t n_fields;
	VEC(struct perf_raw_format) formats;
	const struct symbols *symbols;
	struct resolver
		*resolver; /* its kernel is loaded where formats name functions; else NULL */
	struct str printk;
	bool is_big_endian;
	unsigned int long_size;
	unsigned int page_size;
};

/* Keep @raw, of sample number @sample of event @attr. */
void perf_raw_add(struct perf_raw *r, uint32_t attr, uint32_t sample, struct str raw);
void perf_raw_fini(struct perf_raw *r);
/* Give the samples of all events of @f the fields; what fails is counted in their diag. */
void perf_raw_print(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver);
/* The @fields of all items to @take; what fails is counted in f->diag, and not taken. */
void perf_raw_texts(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver,
		    const struct str *fields, size_t n_fields, perf_raw_take *take, void *arg);

/*
 * perf_data_raw_child.c: prints each item's fields as {u32 length; text} in order.
 * @arg is a struct perf_raw_job.
 */
int perf_raw_child(void *arg, int in_fd, int out_fd);

#endif
