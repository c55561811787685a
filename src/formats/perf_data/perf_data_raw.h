/* SPDX-License-Identifier: MIT */
/*
 * perf_data_raw.h - tracepoint fields of samples, as text
 *
 * Only requested fields are formatted; "trace" is the whole text as printed by perf. Raw data are
 * stored while samples are read. A confined child then prints them with libtraceevent, which
 * trusts formats too much to run in this process.
 *
 * Private to perf_data*.c.
 */
#ifndef FORMATS_PERF_DATA_RAW_H
#define FORMATS_PERF_DATA_RAW_H

#include "base/str.h"
#include "base/vec.h"
#include "formats/format.h"

struct perf_file;
struct resolver;
struct symbols;

struct perf_raw_item {
	uint32_t attr;
	uint32_t sample; /* the caller's; for perf_raw_print() the number in the event's profile */
	uint32_t at;     /* in perf_raw.bytes */
	uint32_t len;
};

struct perf_raw {
	VEC(struct perf_raw_item) items;
	VEC(char) bytes;
	uint64_t left_out; /* samples beyond the limit */
};

/* Called for each field of each item in order; the text is valid during the call. */
typedef void perf_raw_take(void *arg, size_t item, size_t field, struct str text);

struct perf_raw_format {
	struct str system;
	struct str text;
};

/* Input of the child, inherited by fork. */
struct perf_raw_job {
	const struct perf_raw *raw;
	const struct str *fields;
	size_t n_fields;
	VEC(struct perf_raw_format) formats;
	const struct symbols *symbols;
	struct resolver
		*resolver; /* with the kernel loaded, if formats print functions; else NULL */
	struct str printk;
	bool is_big_endian;
	unsigned int long_size;
	unsigned int page_size;
};

/* Copy @raw of sample @sample of event @attr. Past the limit it counts in left_out only. */
void perf_raw_add(struct perf_raw *r, uint32_t attr, uint32_t sample, struct str raw);
void perf_raw_fini(struct perf_raw *r);
/* Add the fields to the samples of all events of @f; failures are counted in their diag. */
void perf_raw_print(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver);
/* Pass the @fields of all items to @take; failed ones are counted in f->diag and omitted. */
void perf_raw_texts(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver,
		    const struct str *fields, size_t n_fields, perf_raw_take *take, void *arg);

/*
 * perf_data_raw_child.c: print the fields of each item as {u32 length; text} in order. @arg is
 * a struct perf_raw_job.
 */
int perf_raw_child(void *arg, int in_fd, int out_fd);

#endif
