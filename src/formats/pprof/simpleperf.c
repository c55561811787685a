/* SPDX-License-Identifier: MIT */
/*
 * simpleperf.c - output of `simpleperf report-sample --protobuf` of Android
 *
 * A record is a length and a protobuf message. Samples refer to files, symbols and threads in
 * records that come after them. So all records are read twice. Each event becomes a capture.
 * Source: simpleperf/cmd_report_sample.proto and cmd_report_sample.cpp of Android's system/extras.
 */
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/pprof/pprof_wire.h"

#include <inttypes.h>

DECLARE_FORMAT(simpleperf);

#define SIMPLEPERF_MAGIC   STR("SIMPLEPERF")
#define SIMPLEPERF_HEAD    12u /* size of the magic and the version, in bytes */
#define SIMPLEPERF_VERSION 1u
#define SIMPLEPERF_FILES   65536u
#define SIMPLEPERF_THREADS 65536u
#define SIMPLEPERF_EVENTS  64u

static const struct diag_kind simpleperf_bad = { "simpleperf-bad-records", DIAG_DATALOSS,
						 "records that are cut or are no protobuf" };
static const struct diag_kind simpleperf_ids = {
	"simpleperf-bad-references", DIAG_DATALOSS,
	"references to files or symbols that are missing"
};
static const struct diag_kind simpleperf_lost = { "simpleperf-lost-samples", DIAG_DATALOSS,
						  "samples that the recorder lost" };
static const struct diag_kind simpleperf_deep = { "simpleperf-deep-stacks", DIAG_DATALOSS,
						  "outermost frames of stacks deeper than 4096" };
static const struct diag_kind simpleperf_past = { "simpleperf-past-limit", DIAG_DATALOSS,
						  "samples, files and threads past the limit" };

enum simpleperf_record {
	SIMPLEPERF_SAMPLE = 1,
	SIMPLEPERF_LOST = 2,
	SIMPLEPERF_FILE = 3,
	SIMPLEPERF_THREAD = 4,
	SIMPLEPERF_META = 5,
};

struct simpleperf_file {
	struct str path;
	size_t first; /* index in simpleperf_reader.symbols of the file's first symbol */
	size_t n;
};

struct simpleperf_reader {
	const struct region *in;
	struct dossier *d;
	struct diag diag;
	VEC(struct simpleperf_file) files; /* files, indexed by file id */
	VEC(struct str) symbols;
	VEC(struct profile_thread) threads; /* threads; sorted by tid after the first pass */
	VEC(struct str) events;             /* names of events, indexed by event_type_id */
	/* for each event: index of its capture, plus 1; 0: no capture */
	uint32_t captures[SIMPLEPERF_EVENTS];
	/* frames (messages CallChainEntry) of the current chain, innermost first */
	VEC(struct str) frames;
	bool is_offcpu;
};

/*
 * Take the next record from @rest. False: there is no further record, or the next record is
 * damaged. A damaged record is counted in the diagnostics.
 */
static bool simpleperf_next(struct simpleperf_reader *r, struct str *rest, struct pprof_item *ret)
{
	while (rest->len >= 4) {
		uint64_t size = pprof_fixed(*rest, 4);
		bool is_bad = false;
		struct str record = str_sub(*rest, 4, 4 + size);

		if (size == 0)
			return false;
		if (record.len < size) {
			diag_count(&r->diag, &simpleperf_bad, 0);
			return false;
		}
		*rest = str_skip(*rest, 4 + size);
		if (pprof_next(&record, ret, &is_bad) && ret->is_bytes)
			return true;
		diag_count(&r->diag, &simpleperf_bad, 0);
	}
	return false;
}

static uint64_t simpleperf_number(struct simpleperf_reader *r, struct str message,
				  unsigned int field)
{
	bool is_bad = false;
	uint64_t v = pprof_number(message, field, &is_bad);

	if (is_bad)
		diag_count(&r->diag, &simpleperf_bad, 0);
	return v;
}

static void simpleperf_take_file(struct simpleperf_reader *r, struct str body)
{
	uint64_t id = simpleperf_number(r, body, 1);
	struct simpleperf_file file = { .first = r->symbols.len };
	struct pprof_item f;
	bool is_bad = false;

	if (id >= SIMPLEPERF_FILES) {
		diag_count(&r->diag, &simpleperf_past, 0);
		return;
	}
	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == 2 && f.is_bytes)
			file.path = f.bytes;
		else if (f.field == 3 && f.is_bytes && r->symbols.len < LIMIT_STRINGS)
			*VEC_PUSH(&r->symbols) = f.bytes;
	}
	if (is_bad)
		diag_count(&r->diag, &simpleperf_bad, 0);
	file.n = r->symbols.len - file.first;
	while (r->files.len <= id)
		*VEC_PUSH(&r->files) = (struct simpleperf_file){ .n = 0 };
	r->files.data[id] = file;
}

static void simpleperf_take_thread(struct simpleperf_reader *r, struct str body)
{
	struct profile_thread t = { .has_tid = true, .has_pid = true };
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == 1 && !f.is_bytes)
			t.tid = (uint32_t)f.number;
		else if (f.field == 2 && !f.is_bytes)
			t.pid = (uint32_t)f.number;
		else if (f.field == 3 && f.is_bytes && f.bytes.len)
			t.comm = strings_add(&r->d->strings, f.bytes);
	}
	if (is_bad)
		diag_count(&r->diag, &simpleperf_bad, 0);
	if (r->threads.len < SIMPLEPERF_THREADS)
		*VEC_PUSH(&r->threads) = t;
	else
		diag_count(&r->diag, &simpleperf_past, 0);
}

static int simpleperf_by_tid(const void *a, const void *b)
{
	const struct profile_thread *x = a;
	const struct profile_thread *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void simpleperf_take_meta(struct simpleperf_reader *r, struct str body)
{
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == 1 && f.is_bytes && r->events.len < SIMPLEPERF_EVENTS)
			*VEC_PUSH(&r->events) = f.bytes;
		else if (f.field == 6 && !f.is_bytes)
			r->is_offcpu = f.number != 0;
	}
	if (is_bad)
		diag_count(&r->diag, &simpleperf_bad, 0);
}

static void simpleperf_take_lost(struct simpleperf_reader *r, struct str body)
{
	uint64_t lost = simpleperf_number(r, body, 2);

	if (lost)
		diag_add(&r->diag, &simpleperf_lost, lost, 0);
}

/*
 * First pass: read the records to which samples refer (files, symbols, threads), and the numbers of
 * lost samples.
 */
static void simpleperf_read_tables(struct simpleperf_reader *r, struct str rest)
{
	struct pprof_item f;

	while (simpleperf_next(r, &rest, &f)) {
		if (f.field == SIMPLEPERF_FILE)
			simpleperf_take_file(r, f.bytes);
		else if (f.field == SIMPLEPERF_THREAD)
			simpleperf_take_thread(r, f.bytes);
		else if (f.field == SIMPLEPERF_META)
			simpleperf_take_meta(r, f.bytes);
		else if (f.field == SIMPLEPERF_LOST)
			simpleperf_take_lost(r, f.bytes);
	}
	VEC_SORT(&r->threads, simpleperf_by_tid);
}

/*
 * The symbol of @entry, a frame (message CallChainEntry). symbol_id -1 means that the name is
 * unknown; the symbol is then the address.
 */
static sym_id simpleperf_frame(struct simpleperf_reader *r, struct str entry)
{
	uint64_t file = simpleperf_number(r, entry, 2);
	int64_t symbol = (int64_t)simpleperf_number(r, entry, 3);
	const struct simpleperf_file *of = file < r->files.len ? &r->files.data[file] : NULL;
	struct str module = of ? of->path : STR_NONE;
	enum symbol_space space = symbol_space_of_module(module);
	struct out name = { .fd = -1 };
	sym_id ret;

	if (of && symbol >= 0 && (uint64_t)symbol < of->n)
		return symbols_add_text(&r->d->symbols, r->symbols.data[of->first + (size_t)symbol],
					module, space, 0);
	if (!of || symbol >= 0)
		diag_count(&r->diag, &simpleperf_ids, 0);
	out_printf(&name, "0x%016" PRIx64, simpleperf_number(r, entry, 1));
	ret = symbols_add_text(&r->d->symbols, out_view(&name), module, space, 0);
	out_fini(&name);
	return ret;
}

static struct capture *simpleperf_capture(struct simpleperf_reader *r, uint64_t event)
{
	struct capture *c;

	if (event >= SIMPLEPERF_EVENTS)
		event = SIMPLEPERF_EVENTS - 1;
	if (r->captures[event])
		return r->d->captures.data[r->captures[event] - 1];
	c = format_add_capture(&format_simpleperf, r->in, r->d);
	capture_profile(c)->unit = WEIGHT_EVENTS;
	c->profile->has_n_samples = true;
	if (event < r->events.len)
		c->profile->event = strings_add(&r->d->strings, r->events.data[event]);
	if (r->is_offcpu)
		capture_note(c, STR("off-CPU"), STR("--trace-offcpu: waiting counts, too"), 0);
	r->captures[event] = (uint32_t)r->d->captures.len;
	return c;
}

static struct profile_thread simpleperf_thread(struct simpleperf_reader *r, uint32_t tid)
{
	struct profile_thread key = { .tid = tid, .has_tid = true };
	const struct profile_thread *known =
		r->threads.len ? bsearch(&key, r->threads.data, r->threads.len,
					 sizeof(*r->threads.data), simpleperf_by_tid)
			       : NULL;

	return known ? *known : key;
}

static void simpleperf_take_sample(struct simpleperf_reader *r, struct str body)
{
	uint64_t time_ns = 0, count = 0, event = 0;
	struct profile_thread thread = { .tid = 0 };
	stack_id at = STACK_ROOT;
	struct pprof_item f;
	bool is_bad = false;
	struct capture *c;
	struct profile *p;

	r->frames.len = 0;
	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == 1 && !f.is_bytes)
			time_ns = f.number;
		else if (f.field == 2 && !f.is_bytes)
			thread = simpleperf_thread(r, (uint32_t)f.number);
		else if (f.field == 3 && f.is_bytes && r->frames.len < LIMIT_STACK_DEPTH)
			*VEC_PUSH(&r->frames) = f.bytes;
		else if (f.field == 3 && f.is_bytes)
			diag_count(&r->diag, &simpleperf_deep, 0);
		else if (f.field == 4 && !f.is_bytes)
			count = f.number;
		else if (f.field == 5 && !f.is_bytes)
			event = f.number;
	}
	if (is_bad)
		diag_count(&r->diag, &simpleperf_bad, 0);
	c = simpleperf_capture(r, event);
	p = c->profile;
	if (thread.comm.v)
		at = stacks_push(&p->stacks, at,
				 symbols_add(&r->d->symbols, thread.comm, STR_ID_NONE, SPACE_COMM));
	for (size_t i = r->frames.len; i-- > 0;)
		at = stacks_push(&p->stacks, at, simpleperf_frame(r, r->frames.data[i]));
	if (profile_add_sample(p, at, count) < 0) {
		diag_count(&r->diag, &simpleperf_past, 0);
		return;
	}
	*VEC_PUSH(&p->samples.time_ns) = time_ns;
	*VEC_PUSH(&p->samples.thread) = profile_thread(p, thread);
	p->n_samples++;
}

static void simpleperf_reader_fini(struct simpleperf_reader *r)
{
	VEC_FREE(&r->files);
	VEC_FREE(&r->symbols);
	VEC_FREE(&r->threads);
	VEC_FREE(&r->events);
	VEC_FREE(&r->frames);
	diag_fini(&r->diag);
}

static int simpleperf_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(simpleperf_reader_fini) struct simpleperf_reader r = { .in = in, .d = d };
	struct str records = str_skip(in->text, SIMPLEPERF_HEAD);
	size_t before = d->captures.len;
	struct diag tables;
	struct pprof_item f;

	if (in->text.len < SIMPLEPERF_HEAD)
		return fail(err, ERR_FORMAT, "no record of simpleperf: the file is cut");
	if (pprof_fixed(str_skip(in->text, SIMPLEPERF_MAGIC.len), 2) != SIMPLEPERF_VERSION)
		return fail(err, ERR_UNSUPPORTED,
			    "output of simpleperf report-sample in another version than 1");
	simpleperf_read_tables(&r, records);
	/* both passes count the damaged records: keep only the counts of the second pass */
	tables = r.diag;
	r.diag = (struct diag){ 0 };
	VEC_FOREACH (e, &tables.entries) {
		if (e->kind != &simpleperf_bad)
			diag_add(&r.diag, e->kind, e->count, 0);
	}
	diag_fini(&tables);
	for (struct str rest = records; simpleperf_next(&r, &rest, &f);) {
		if (f.field == SIMPLEPERF_SAMPLE)
			simpleperf_take_sample(&r, f.bytes);
	}
	if (d->captures.len == before)
		return fail(err, ERR_FORMAT, "no sample in the output of simpleperf");
	VEC_FOREACH (e, &r.diag.entries)
		diag_add(&d->captures.data[before]->diag, e->kind, e->count, e->first_line);
	return OK;
}

static unsigned int simpleperf_probe(struct str head)
{
	return str_starts(head, SIMPLEPERF_MAGIC) ? 97 : 0;
}

const struct format format_simpleperf = {
	.name = "simpleperf",
	.summary = "samples of Android, of simpleperf report-sample --protobuf",
	.kinds = KIND_PROFILE,
	.is_binary = true,
	.probe = simpleperf_probe,
	.read = simpleperf_read,
};
