/* SPDX-License-Identifier: MIT */
/*
 * Layout of the TRACING_DATA section: tools/perf/util/trace-event-info.c, which
 * is that of a trace.dat of version 6 without its options.
 */
#include "formats/perf_data_raw.h"

#include "base/confined.h"
#include "base/limits.h"

#include "config.h"

#define RAW_BYTES        (256u << 20) /* kept of all samples */
#define RAW_MAX_FORMATS  65536u
#define RAW_TEXT         4096u
#define RAW_MEMORY       (UINT64_C(512) << 20)
#define RAW_SECONDS      20u
#define RAW_SECOND_ITEMS 20000u /* one more second for as many */
#define RAW_BUFFER       65536u

static const struct diag_kind raw_left_out = {
	"perf-data-fields-limit", DIAG_DATALOSS, "samples past the limit, whose fields are not read"
};
static const struct diag_kind raw_no_format = {
	"perf-data-no-formats", DIAG_DATALOSS,
	"samples with fields that nothing in the file describes"
};
static const struct diag_kind raw_failed = { "perf-data-fields-failed", DIAG_DATALOSS,
					     "samples whose fields could not be printed" };
#if !HAVE_TRACEEVENT
static const struct diag_kind raw_without = {
	"perf-data-no-traceevent", DIAG_DATALOSS,
	"samples whose fields need libtraceevent, without which this assay was built"
};
#endif

void perf_raw_add(struct perf_raw *r, uint32_t attr, uint32_t sample, struct str raw)
{
	if (raw.len > RAW_BYTES - r->bytes.len) {
		r->left_out++;
		return;
	}
	*VEC_PUSH(&r->items) =
		(struct perf_raw_item){ attr, sample, (uint32_t)r->bytes.len, (uint32_t)raw.len };
	VEC_APPEND(&r->bytes, raw.p, raw.len);
}

void perf_raw_fini(struct perf_raw *r)
{
	VEC_FREE(&r->items);
	VEC_FREE(&r->bytes);
}

static struct str raw_sized(struct perf_bytes *b, uint64_t size)
{
	return perf_take(b, size < b->len ? (size_t)size : SIZE_MAX);
}

static struct str raw_word(struct perf_bytes *b)
{
	struct str rest = { (const char *)b->p + b->at, b->len - b->at };
	size_t end = str_find_char(rest, '\0');

	(void)perf_take(b, end + 1);
	return str_sub(rest, 0, end);
}

/* The format descriptions of @data. False: it is none, or cut. */
static bool raw_open(struct str data, struct perf_raw_job *job)
{
	struct perf_bytes b = { (const uint8_t *)data.p, data.len, 0, false, false };
	uint32_t n;

	if (!str_eq(perf_take(&b, 10), STR("\x17\x08\x44tracing")))
		return false;
	(void)raw_word(&b); /* version */
	job->is_big_endian = perf_take(&b, 1).len && b.p[b.at - 1] == 1;
	b.is_swapped = job->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	job->long_size = perf_take(&b, 1).len ? b.p[b.at - 1] : 8;
	job->page_size = perf_u32(&b);
	(void)perf_take(&b, sizeof("header_page"));
	(void)raw_sized(&b, perf_u64(&b));
	(void)perf_take(&b, sizeof("header_event"));
	(void)raw_sized(&b, perf_u64(&b));
	n = perf_u32(&b); /* formats of the tracers themselves */
	for (uint32_t i = 0; i < n && !b.is_over && job->formats.len < RAW_MAX_FORMATS; i++)
		*VEC_PUSH(&job->formats) =
			(struct perf_raw_format){ STR("ftrace"), raw_sized(&b, perf_u64(&b)) };
	n = perf_u32(&b);
	for (uint32_t i = 0; i < n && !b.is_over; i++) {
		struct str system = raw_word(&b);
		uint32_t count = perf_u32(&b);

		for (uint32_t k = 0; k < count && !b.is_over && job->formats.len < RAW_MAX_FORMATS;
		     k++)
			*VEC_PUSH(&job->formats) =
				(struct perf_raw_format){ system, raw_sized(&b, perf_u64(&b)) };
	}
	(void)raw_sized(&b, perf_u32(&b)); /* kallsyms: of this file's own */
	job->printk = raw_sized(&b, perf_u32(&b));
	return job->formats.len > 0 && (job->long_size == 4 || job->long_size == 8);
}

#if HAVE_TRACEEVENT
/* Exactly @n bytes. */
static bool raw_read(struct confined *child, void *to, size_t n)
{
	char *p = to;

	while (n) {
		ssize_t got = confined_read(child, p, n);

		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
	}
	return true;
}

/* How many items have all their fields. */
static size_t raw_receive(struct confined *child, const struct perf_raw_job *job,
			  struct perf_file *f)
{
	struct strings *strings = &f->dossier->strings;
	char text[RAW_TEXT];

	for (size_t i = 0; i < job->raw->items.len; i++) {
		const struct perf_raw_item *item = &job->raw->items.data[i];
		struct capture *c = f->dossier->captures.data[f->attrs.data[item->attr].capture];

		for (size_t k = 0; k < job->n_fields; k++) {
			uint32_t len;

			if (!raw_read(child, &len, sizeof(len)) || len > sizeof(text) ||
			    !raw_read(child, text, len))
				return i;
			if (len)
				profile_set_field(c->profile, item->sample,
						  strings_add(strings, job->fields[k]),
						  strings_add(strings, (struct str){ text, len }));
		}
	}
	return job->raw->items.len;
}

static void raw_run(struct perf_raw_job *job, struct perf_file *f, struct diag *diag)
{
	const struct confined_options options = {
		.in_fd = -1,
		.memory = RAW_MEMORY,
		.seconds = RAW_SECONDS + (unsigned int)(job->raw->items.len / RAW_SECOND_ITEMS),
	};
	struct confined child;
	size_t done = 0;

	if (confined_start(&child, &options, perf_raw_child, job, NULL) == OK) {
		done = raw_receive(&child, job, f);
		(void)confined_finish(&child, done < job->raw->items.len, NULL);
	}
	if (done < job->raw->items.len)
		diag_add(diag, &raw_failed, job->raw->items.len - done, 0);
}
#endif

void perf_raw_print(const struct perf_raw *r, struct perf_file *f)
{
	struct perf_raw_job job = { .raw = r,
				    .fields = f->in->fields,
				    .n_fields = f->in->n_fields };

	if (r->items.len == 0)
		return;
	if (r->left_out)
		diag_add(&f->diag, &raw_left_out, r->left_out, 0);
	if (!raw_open(f->tracing_data, &job)) {
		diag_add(&f->diag, &raw_no_format, r->items.len, 0);
	} else {
#if HAVE_TRACEEVENT
		raw_run(&job, f, &f->diag);
#else
		diag_add(&f->diag, &raw_without, r->items.len, 0);
		(void)raw_failed;
#endif
	}
	VEC_FREE(&job.formats);
}
