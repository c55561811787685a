/* SPDX-License-Identifier: MIT */
/*
 * Source for the layout of the TRACING_DATA section: tools/perf/util/trace-event-info.c. A
 * trace.dat of version 6 starts with the same layout.
 */
#include "formats/perf_data/perf_data_raw.h"

#include "base/rights/confined.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "formats/perf_data/perf_data_file.h"
#include "symbols/resolver/resolver.h"

#include "config.h"

#include <stdio.h>

#define RAW_BYTES       (256u << 20) /* maximum size of the stored raw data of all samples */
#define RAW_MAX_FORMATS 65536u
#define RAW_TEXT        4096u
#define RAW_MEMORY      (UINT64_C(512) << 20)
#define RAW_SECONDS     20u
/*
 * the time limit of the child process that prints fields is RAW_SECONDS, plus one second for each
 * RAW_SECOND_ITEMS samples
 */
#define RAW_SECOND_ITEMS 20000u
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

/* Take a text that ends with NUL. */
static struct str raw_word(struct perf_bytes *b)
{
	struct str rest = { (const char *)b->p + b->at, b->len - b->at };
	size_t end = str_find_char(rest, '\0');

	(void)perf_take(b, end + 1);
	return str_sub(rest, 0, end);
}

/* Parse @data, a TRACING_DATA section, into @job. False: @data is invalid or truncated. */
static bool raw_open(struct str data, struct perf_raw_job *job)
{
	struct perf_bytes b = { (const uint8_t *)data.p, data.len, 0, false, false };
	uint32_t n;

	if (!str_eq(perf_take(&b, 10), STR("\x17\x08\x44tracing")))
		return false;
	(void)raw_word(&b); /* skip the version */
	job->is_big_endian = perf_take(&b, 1).len && b.p[b.at - 1] == 1;
	b.is_swapped = job->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	job->long_size = perf_take(&b, 1).len ? b.p[b.at - 1] : 8;
	job->page_size = perf_u32(&b);
	(void)perf_take(&b, sizeof("header_page"));
	(void)raw_sized(&b, perf_u64(&b));
	(void)perf_take(&b, sizeof("header_event"));
	(void)raw_sized(&b, perf_u64(&b));
	/*
	 * number of formats of ftrace's own events; the formats of the other event systems follow
	 */
	n = perf_u32(&b);
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
	/* skip kallsyms, because assay reads kernel symbols elsewhere */
	(void)raw_sized(&b, perf_u32(&b));
	job->printk = raw_sized(&b, perf_u32(&b));
	return job->formats.len > 0 && (job->long_size == 4 || job->long_size == 8);
}

#if HAVE_TRACEEVENT
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION

/*
 * Used in fuzzers instead of the child process that prints fields: the text of each field is a part
 * of the raw bytes.
 */
static void raw_run(struct perf_raw_job *job, struct diag *diag, perf_raw_take *take, void *arg)
{
	for (size_t i = 0; i < job->raw->items.len; i++) {
		const struct perf_raw_item *item = &job->raw->items.data[i];
		struct str raw = { job->raw->bytes.data + item->at, item->len };

		for (size_t k = 0; k < job->n_fields; k++) {
			struct str text = str_sub(raw, 24 + 8 * k, 28 + 8 * k);
			char number[16];
			uint32_t v = 0;

			memcpy(&v, text.p, text.len < sizeof(v) ? text.len : sizeof(v));
			if (v < 1u << 20) {
				(void)snprintf(number, sizeof(number), "%u", v);
				text = str_of(number);
			}
			take(arg, i, k, text);
		}
	}
	(void)diag;
	(void)raw_failed;
	(void)perf_raw_child;
}

#else
/* Buffer for the output of the child process. */
struct raw_input {
	struct confined *child;
	size_t at, len; /* the bytes that are not used yet: buffer[at] to buffer[len - 1] */
	char buffer[RAW_BUFFER];
};

/*
 * The next @n bytes from the child process; @n is at most RAW_BUFFER. They are valid until the next
 * call. NULL: the child process ended before.
 */
static const char *raw_next(struct raw_input *in, size_t n)
{
	const char *p;

	if (in->len - in->at < n) {
		in->len -= in->at;
		memmove(in->buffer, in->buffer + in->at, in->len);
		in->at = 0;
	}
	while (in->len - in->at < n) {
		ssize_t got = confined_read(in->child, in->buffer + in->len,
					    sizeof(in->buffer) - in->len);

		if (got <= 0)
			return NULL;
		in->len += (size_t)got;
	}
	p = in->buffer + in->at;
	in->at += n;
	return p;
}

/*
 * Receive the printed fields from the child process, and pass them to @take. Returns the number of
 * items that were received with all their fields.
 */
static size_t raw_receive(struct confined *child, const struct perf_raw_job *job,
			  perf_raw_take *take, void *arg)
{
	struct raw_input in;

	in.child = child;
	in.at = in.len = 0;
	for (size_t i = 0; i < job->raw->items.len; i++) {
		for (size_t k = 0; k < job->n_fields; k++) {
			const char *p = raw_next(&in, sizeof(uint32_t));
			uint32_t len;

			if (!p)
				return i;
			memcpy(&len, p, sizeof(len));
			p = len <= RAW_TEXT ? raw_next(&in, len) : NULL;
			if (!p)
				return i;
			take(arg, i, k, (struct str){ p, len });
		}
	}
	return job->raw->items.len;
}

static void raw_run(struct perf_raw_job *job, struct diag *diag, perf_raw_take *take, void *arg)
{
	const struct confined_options options = {
		.in_fd = -1,
		.memory = RAW_MEMORY,
		.seconds = RAW_SECONDS + (unsigned int)(job->raw->items.len / RAW_SECOND_ITEMS),
	};
	struct confined child;
	size_t done = 0;

	if (confined_start(&child, &options, perf_raw_child, job, NULL) == OK) {
		done = raw_receive(&child, job, take, arg);
		(void)confined_finish(&child, done < job->raw->items.len, NULL);
	}
	if (done < job->raw->items.len)
		diag_add(diag, &raw_failed, job->raw->items.len - done, 0);
}

#endif

/* Whether an event format of @job prints addresses as function names (%pS and the like). */
static bool raw_names_functions(const struct perf_raw_job *job)
{
	static const struct str words[] = { STR("%pS"), STR("%ps"), STR("%pF"), STR("%pf") };

	VEC_FOREACH (format, &job->formats) {
		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			if (str_contains(format->text, words[i]))
				return true;
		}
	}
	return false;
}
#endif

void perf_raw_texts(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver,
		    const struct str *fields, size_t n_fields, perf_raw_take *take, void *arg)
{
	struct perf_raw_job job = { .raw = r, .fields = fields, .n_fields = n_fields };

	if (r->items.len == 0)
		return;
	if (!raw_open(f->tracing_data, &job)) {
		diag_add(&f->diag, &raw_no_format, r->items.len, 0);
	} else {
#if HAVE_TRACEEVENT
		if (raw_names_functions(&job)) {
			/*
			 * load the kernel symbols now, because the child process cannot open files
			 */
			resolver_load_kernels(resolver);
			job.resolver = resolver;
			job.symbols = &f->dossier->symbols;
		}
		raw_run(&job, &f->diag, take, arg);
#else
		diag_add(&f->diag, &raw_without, r->items.len, 0);
		(void)raw_failed;
		(void)resolver;
		(void)take;
		(void)arg;
#endif
	}
	VEC_FREE(&job.formats);
}

struct raw_printing {
	const struct perf_raw *raw;
	struct perf_file *file;
};

static void raw_set_field(void *arg, size_t item, size_t field, struct str text)
{
	const struct raw_printing *p = arg;
	const struct perf_raw_item *i = &p->raw->items.data[item];
	struct strings *strings = &p->file->dossier->strings;
	uint32_t capture = p->file->attrs.data[i->attr].capture;

	if (text.len)
		profile_set_field(p->file->dossier->captures.data[capture]->profile, i->sample,
				  strings_add(strings, p->file->in->fields[field]),
				  strings_add(strings, text));
}

void perf_raw_print(const struct perf_raw *r, struct perf_file *f, struct resolver *resolver)
{
	struct raw_printing p = { r, f };

	if (r->left_out)
		diag_add(&f->diag, &raw_left_out, r->left_out, 0);
	perf_raw_texts(r, f, resolver, f->in->fields, f->in->n_fields, raw_set_field, &p);
}
