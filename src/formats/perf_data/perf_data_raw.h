/* SPDX-License-Identifier: MIT */
/*
 * perf_data_raw.h - get the tracepoint fields of samples as text
 *
 * While samples are read, their raw data are stored. Then a sandboxed child process prints the
 * requested fields with libtraceevent. The field "trace" is the whole text as perf prints it.
 * libtraceevent is not hardened against malicious event formats, so it must not run in this
 * process.
 */
#ifndef FORMATS_PERF_DATA_RAW_H
#define FORMATS_PERF_DATA_RAW_H

#include "base/str.h"
#include "base/vec.h"
#include "formats/format.h"

struct perf_file;
struct resolver;
struct symbols;

/* The raw data of one sample. */
struct perf_raw_item {
	uint32_t attr; /* row of the event in perf_file.attrs */
	/*
	 * number that the caller of perf_raw_add() chooses for the sample. For perf_raw_print(), it
	 * must be the index of the sample in the profile of its event
	 */
	uint32_t sample;
	uint32_t at; /* offset of the raw data in perf_raw.bytes */
	uint32_t len;
};

struct perf_raw {
	VEC(struct perf_raw_item) items;
	VEC(char) bytes;
	/* number of samples whose raw data were not stored, because the limit was reached */
	uint64_t left_out;
};

/*
 * Called for each field of each item in order. @item: index of the item in perf_raw.items. @field:
 * index of the field in the list of requested fields. @text: the printed field; valid only during
 * the call.
 */
typedef void perf_raw_take(void *arg, size_t item, size_t field, struct str text);

/* The description of the fields of an event. */
struct perf_raw_format {
	struct str system; /* name of the event's group of tracepoints: "sched" */
	struct str text;   /* content of the file events/SYSTEM/EVENT/format of tracefs */
};

/* Input of the child process that prints fields. The child process inherits it by fork(). */
struct perf_raw_job {
	const struct perf_raw *raw;
	const struct str *fields;
	size_t n_fields;
	VEC(struct perf_raw_format) formats;
	const struct symbols *symbols;
	/*
	 * resolver that has loaded the kernel symbols; NULL: no event format prints function names
	 */
	struct resolver *resolver;
	struct str printk; /* content of the file printk_formats of tracefs */
	bool is_big_endian;
	unsigned int long_size;
	unsigned int page_size;
};

/*
 * Store a copy of @raw, the raw data of a sample. @attr, @sample: see struct perf_raw_item. If the
 * limit of stored data is reached, only count the sample in r->left_out.
 */
void perf_raw_add(struct perf_raw *r, uint32_t attr, uint32_t sample, struct str raw);
void perf_raw_fini(struct perf_raw *r);
/*
 * Add the requested fields (region.fields) to the samples in the profiles of @f. The fields are
 * printed from the raw data in @r. Failures are counted in f->diag.
 */
void perf_raw_print(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver);
/*
 * Let the child process print the fields @fields of all items in @r, and pass the texts to @take.
 * An item that cannot be printed is omitted and counted in f->diag.
 */
void perf_raw_texts(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver,
		    const struct str *fields, size_t n_fields, perf_raw_take *take, void *arg);

/*
 * perf_data_raw_child.c: main function of the child process. Writes the fields of all items in
 * order, each field as {u32 length; text}. @arg: a struct perf_raw_job.
 */
int perf_raw_child(void *arg, int in_fd, int out_fd);

#endif
