/* SPDX-License-Identifier: MIT */
/*
 * perf_data.c - recordings of `perf record`
 *
 * Format: see perf_data_file.h. Records are sorted by time and then processed. Records of memory
 * maps, thread names and forks update the resolver (symbols/resolver: address -> function). Samples
 * become stacks. Each event becomes its own capture, as in perf report.
 */
#include "formats/perf_data/fast/perf_data_peek.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/perf_features.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/perf_data/fast/perf_data_queue.h"
#include "formats/perf_data/perf_data_deferred.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_reader.h"
#include "formats/perf_data/perf_data_spots.h"
#include "symbols/names.h"
#include "symbols/origin.h"
#include "symbols/resolver/resolver.h"

DECLARE_FORMAT(perf_data);

#define PERF_RELEASE_BYTES (512u << 10)
/* maximum number of records that wait to be sorted by time (perf_data_queue.h) */
#define PERF_QUEUE_MAX (UINT32_C(1) << 22)
/*
 * `perf record --off-cpu` writes its samples of waits at the end of the file. The times of these
 * samples are artificial and above this value.
 */
#define PERF_TIME_AT_END (~UINT64_C(0) << 32)
/* maximum number of files of a directory recording, which has one file per CPU */
#define PERF_MAX_FILES 65536u

const struct diag_kind perf_data_bad_record = {
	"perf-data-bad-record", DIAG_DATALOSS, "records that are cut or contradict their own size"
};
static const struct diag_kind perf_data_unknown_record = {
	"perf-data-unknown-record", DIAG_INFO, "records of a kind that assay does not use"
};
static const struct diag_kind perf_data_lost = { "perf-data-lost", DIAG_DATALOSS,
						 "samples that the kernel lost while recording" };
static const struct diag_kind perf_data_rest = { "perf-data-rest", DIAG_DATALOSS,
						 "bytes at the end that are not a whole record",
						 true };
static const struct diag_kind perf_data_rounds = {
	"perf-data-long-rounds", DIAG_INFO,
	"times that a round was too long and records were taken before its end"
};
static const struct diag_kind perf_data_no_symbols = {
	"perf-data-no-symbols", DIAG_INFO,
	"distinct addresses in modules of which no symbols were found"
};
static const struct diag_kind perf_data_unread = { "perf-data-unread-module", DIAG_DATALOSS,
						   "modules whose symbols or call frames cannot be "
						   "read whole: names and callers may be missing",
						   .is_failure = true };
static const struct diag_kind perf_data_no_split = {
	"perf-data-no-split-debug", DIAG_INFO,
	"compile units without inlined functions, since their .dwo or .dwp file is missing or of "
	"another build",
	.is_failure = true
};

/*
 * Size in bytes of the fields TIME to IDENTIFIER of a sample_id_all trailer. The fields of the
 * whole trailer are TID, TIME, ID, STREAM_ID, CPU and IDENTIFIER.
 */
static size_t perf_trailer_bytes(uint64_t type)
{
	const uint64_t words[] = { PERF_SAMPLE_TIME, PERF_SAMPLE_ID, PERF_SAMPLE_STREAM_ID,
				   PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER };
	size_t bytes = 0;

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		bytes += type & words[i] ? 8 : 0;
	return bytes;
}

bool perf_record_time(const struct perf_reader *r, const uint8_t *record, uint64_t *ret)
{
	const struct perf_attr *a = r->file.attrs.data;
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t type = a->sample_type;
	size_t tail;

	if (!(type & PERF_SAMPLE_TIME))
		return false;
	if (perf_record_type(r, record) == PERF_RECORD_SAMPLE) {
		b.at = (type & PERF_SAMPLE_IDENTIFIER ? 8u : 0) + (type & PERF_SAMPLE_IP ? 8u : 0) +
		       (type & PERF_SAMPLE_TID ? 8u : 0);
		if (b.at > b.len)
			return false;
		*ret = perf_u64(&b);
		return !b.is_over;
	}
	if (!a->has_sample_id_all)
		return false;
	tail = perf_trailer_bytes(type);
	if (b.len < tail)
		return false;
	b.at = b.len - tail;
	*ret = perf_u64(&b);
	return true;
}

bool perf_record_tid(const struct perf_reader *r, const uint8_t *record, uint32_t *ret)
{
	const struct perf_attr *a = r->file.attrs.data;
	struct perf_bytes b = perf_record_body(r, record);
	size_t tail = 8 + perf_trailer_bytes(a->sample_type);

	if (!a->has_sample_id_all || !(a->sample_type & PERF_SAMPLE_TID) || b.len < tail)
		return false;
	b.at = b.len - tail + 4; /* skip the process id, which precedes the thread id */
	*ret = perf_u32(&b);
	return true;
}

/* Pass the header's facts about the recorded machine to the resolver. */
static void perf_pass_origin(struct perf_reader *r)
{
	const struct perf_file *f = &r->file;
	const struct strings *s = &f->dossier->strings;
	struct origin_facts facts = { .wall_ns = f->in->doc ? f->in->doc->written_ns : 0 };

	VEC_FOREACH (n, &f->notes) {
		struct str key = strings_get(s, n->key);
		struct str value = strings_get(s, n->value);

		if (str_eq(key, STR("os release")))
			facts.release = value;
		else if (str_eq(key, STR("hostname")))
			facts.host = value;
		else if (str_eq(key, STR("arch")))
			facts.arch = value;
	}
	if (f->attrs.len && f->attrs.data[0].has_uptime)
		facts.uptime_ns = f->last_ns ? f->last_ns : r->seen_ns;
	if (facts.uptime_ns >= PERF_TIME_AT_END)
		facts.uptime_ns = 0;
	facts.is_monotonic = f->attrs.len && f->attrs.data[0].is_monotonic;
	resolver_recorded(r->resolver, &facts);
}

/*
 * Process the records in r->queue.order, which perf_queue_round() or perf_queue_force() has sorted.
 * Then remove them from the queue.
 */
static void perf_take_queued(struct perf_reader *r)
{
	struct perf_queue *q = &r->queue;

	if (!r->seen_ns && q->latest) {
		r->seen_ns = q->latest;
		perf_pass_origin(r);
	}

	perf_take_records(r, q->items.data, q->order.data, q->order.len);
	perf_queue_drop(q);
	/*
	 * free the decompressed chunks before the first queued record's chunk. Chunk 0 is the file
	 * itself and owns no memory
	 */
	perf_chunks_drop(r, q->items.len ? q->items.data[0].chunk : r->chunks.len);
}

static void perf_flush(struct perf_reader *r, bool everything)
{
	perf_queue_round(&r->queue, everything);
	perf_take_queued(r);
}

static void perf_take_attr_record(struct perf_reader *r, const uint8_t *record)
{
	struct perf_bytes b = perf_record_body(r, record);
	struct perf_bytes peek = b;
	uint32_t size;

	(void)perf_u32(&peek);
	size = perf_u32(&peek);
	if (size < 64 || size > b.len)
		diag_count(&r->file.diag, &perf_data_bad_record, 0);
	else
		perf_file_add_attr(&r->file, perf_sub(&b, 0, size), perf_sub(&b, size, b.len));
}

static void perf_walk(struct perf_reader *r, const uint8_t *p, size_t len, uint32_t chunk,
		      size_t *ret_rest);

/*
 * Decompress a compressed record and process the records in it. If the last of these is incomplete,
 * its first part is kept in r->carry, and the next compressed record completes it.
 */
static void perf_take_compressed(struct perf_reader *r, struct perf_bytes body)
{
	struct perf_chunk chunk;
	size_t rest;

	if (!perf_chunk_add(r, body))
		return;
	chunk = r->chunks.data[r->chunks.len - 1];
	perf_walk(r, chunk.data, chunk.len, (uint32_t)r->chunks.len - 1, &rest);
	VEC_APPEND(&r->carry, chunk.data + chunk.len - rest, rest);
}

/*
 * Process a record that the program perf wrote. Some of these records are followed by data. @left:
 * number of bytes in the file after the record. @ret_extra: how many of these bytes are data of the
 * record. False: the kernel wrote the record, so it is not processed.
 */
static bool perf_take_user_record(struct perf_reader *r, const uint8_t *record, uint32_t type,
				  size_t left, size_t *ret_extra)
{
	struct perf_bytes b = perf_record_body(r, record);
	uint64_t size;

	*ret_extra = 0;
	switch (type) {
	case PERF_RECORD_HEADER_ATTR:
		perf_take_attr_record(r, record);
		break;
	case PERF_RECORD_HEADER_FEATURE:
		size = perf_u64(&b);
		perf_file_feature(&r->file, size < 256 ? (unsigned int)size : 0,
				  perf_sub(&b, 8, b.len));
		perf_pass_origin(r);
		break;
	case PERF_RECORD_HEADER_BUILD_ID:
		perf_take_build_id(
			r, (struct str){ (const char *)record, perf_record_size(r, record) });
		break;
	case PERF_RECORD_FINISHED_ROUND:
		/*
		 * the files of a directory recording cover the same time: sort their records
		 * together, at the end
		 */
		if (!r->file.is_directory)
			perf_flush(r, false);
		break;
	case PERF_RECORD_COMPRESSED:
		perf_take_compressed(r, b);
		break;
	case PERF_RECORD_COMPRESSED2:
		size = perf_u64(&b);
		perf_take_compressed(r, perf_sub(&b, 8, size));
		break;
	case PERF_RECORD_AUXTRACE:
	case PERF_RECORD_HEADER_TRACING_DATA:
		/* data follow the record; their size is in a field of the record */
		size = type == PERF_RECORD_AUXTRACE ? perf_u64(&b) : perf_u32(&b);
		*ret_extra = size < left ? (size_t)size : left;
		if (type == PERF_RECORD_HEADER_TRACING_DATA)
			r->file.tracing_data =
				(struct str){ (const char *)record + perf_record_size(r, record),
					      *ret_extra };
		break;
	default:
		if (type < PERF_RECORD_HEADER_ATTR)
			return false;
		if (type >= PERF_RECORD_HEADER_MAX)
			diag_count(&r->file.diag, &perf_data_unknown_record, 0);
		break;
	}
	return true;
}

/*
 * Release the memory pages of the file before @upto. Pages from the first queued record on are
 * kept.
 */
static void perf_release(struct perf_reader *r, const uint8_t *upto)
{
	VEC_FOREACH (q, &r->queue.items) {
		if (q->chunk == 0) {
			/*
			 * chunk 0 is the file itself. Its records are queued in file order, so the
			 * pages before this record are no longer needed
			 */
			upto = q->record;
			break;
		}
	}
	document_release(r->file.in->doc, (const char *)upto);
}

static inline void perf_queue_record(struct perf_reader *r, const struct perf_queued *item)
{
	perf_queue_add(&r->queue, item);
	if (UNLIKELY(r->queue.items.len >= PERF_QUEUE_MAX)) {
		/*
		 * the queue is full: process its earlier half now, because few records in the rest
		 * of the file are as early
		 */
		diag_count(&r->file.diag, &perf_data_rounds, 0);
		perf_queue_force(&r->queue, PERF_QUEUE_MAX / 2);
		perf_take_queued(r);
	}
}

/*
 * Queue a record of the kernel. If the record has no time, process it at once. Records before the
 * first event description are dropped, because their layout is unknown.
 */
static void perf_take_kernel_record(struct perf_reader *r, const uint8_t *record, uint32_t chunk)
{
	uint32_t type = perf_record_type(r, record);
	struct perf_queued item = {
		.record = record,
		.attr = type == PERF_RECORD_SAMPLE ? PERF_QUEUED_SAMPLE : PERF_QUEUED_RECORD,
		.chunk = chunk,
	};
	const uint32_t first = 0;

	if (type == 0 || type >= PERF_RECORD_KERNEL_MAX)
		diag_count(&r->file.diag, &perf_data_unknown_record, 0);
	else if (r->file.attrs.len && perf_record_time(r, record, &item.time))
		perf_queue_record(r, &item);
	else if (r->file.attrs.len)
		perf_take_records(r, &item, &first, 1);
}

static void perf_walk(struct perf_reader *r, const uint8_t *p, size_t len, uint32_t chunk,
		      size_t *ret_rest)
{
	size_t at = 0;

	while (len - at >= 8) {
		uint16_t size = perf_record_size(r, p + at);
		uint32_t type = perf_record_type(r, p + at);
		size_t extra = 0;
		struct perf_queued item;

		if (size < 8) {
			diag_count(&r->file.diag, &perf_data_bad_record, 0);
			at = len;
			break;
		}
		if (size > len - at)
			break;
		if (LIKELY(type == PERF_RECORD_SAMPLE && perf_peek(r, p + at, size, &item))) {
			item.chunk = chunk;
			perf_queue_record(r, &item);
		} else if (!perf_take_user_record(r, p + at, type, len - at - size, &extra)) {
			perf_take_kernel_record(r, p + at, chunk);
		}
		at += size + extra;
		if (chunk == 0 && p + at > r->released + PERF_RELEASE_BYTES) {
			r->released = p + at;
			perf_release(r, p + at);
		}
	}
	*ret_rest = len - at;
}

/*
 * Sort the captures from index @before on by the order of their events in the file, as perf does.
 * Until then, they are in the order of their first samples.
 */
static void perf_order_captures(struct perf_reader *r, size_t before)
{
	struct dossier *d = r->file.dossier;
	VEC(struct capture *) in_order = VEC_INIT;

	VEC_FOREACH (a, &r->file.attrs) {
		if (a->capture != INDEX_NONE)
			*VEC_PUSH(&in_order) = d->captures.data[a->capture];
	}
	if (r->switches)
		*VEC_PUSH(&in_order) = r->switches;
	for (size_t i = 0; i < in_order.len && before + i < d->captures.len; i++)
		d->captures.data[before + i] = in_order.data[i];
	VEC_FREE(&in_order);
}

/*
 * The first known reason why modules lack symbols. @is_kernel: consider only kernel modules; false:
 * only user modules. Empty: no reason is known.
 */
static str_id perf_why_unnamed(const struct perf_reader *r, const struct resolver_missing *missing,
			       size_t n, bool is_kernel)
{
	struct strings *s = &r->file.dossier->strings;
	struct str why = is_kernel ? resolver_kernel_missing(r->resolver) : STR_NONE;

	for (size_t i = 0; i < n && why.len == 0; i++) {
		if (missing[i].is_kernel == is_kernel)
			why = missing[i].why;
	}
	return why.len ? strings_add(s, why) : STR_ID_NONE;
}

static void perf_finish(struct perf_reader *r)
{
	struct dossier *d = r->file.dossier;
	size_t n_missing;
	const struct resolver_missing *missing = resolver_missing(r->resolver, &n_missing);
	struct str no_split;
	uint64_t n_no_split = resolver_split_missing(r->resolver, &no_split);

	perf_file_note_events(&r->file);
	perf_raw_print(&r->raw, &r->file, r->resolver);
	perf_switches_finish(r);
	VEC_FOREACH (a, &r->file.attrs) {
		struct capture *c;

		if (a->capture == INDEX_NONE)
			continue;
		c = d->captures.data[a->capture];
		profile_finish_fields(c->profile);
		c->profile->has_event_count = true;
		c->profile->has_n_samples = true;
		c->profile->has_lost = true;
		c->profile->lost = r->lost;
		VEC_APPEND(&c->profile->cpus, r->file.cpus.data, r->file.cpus.len);
		if (str_eq(strings_get(&d->strings, a->name), STR("sched:sched_switch")))
			VEC_APPEND(&c->profile->exits, r->exits.data, r->exits.len);
		c->profile->recording = r->recording;
		c->profile->recording.is_known = true;
		c->profile->unnamed.kernel = perf_why_unnamed(r, missing, n_missing, true);
		c->profile->unnamed.user = perf_why_unnamed(r, missing, n_missing, false);
		c->profile->recording.has_branches =
			a->sample_type & PERF_SAMPLE_BRANCH_STACK &&
			!(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK);
		c->profile->recording.frequency = a->is_frequency ? a->period : 0;
		c->profile->recording.period = a->is_frequency ? 0 : a->period;
		c->profile->recording.enabled_ns = a->times.enabled_ns;
		c->profile->recording.running_ns = a->times.running_ns;
		VEC_FOREACH (note, &r->file.notes)
			*VEC_PUSH(&c->notes) = *note;
		VEC_FOREACH (e, &r->file.diag.entries)
			diag_add(&c->diag, e->kind, e->count, e->first_line);
		diag_add(&c->diag, &perf_data_lost, r->lost, 0);
		diag_add(&c->diag, &perf_data_unread, resolver_unread(r->resolver), 0);
		diag_add(&c->diag, &perf_data_no_split, n_no_split, 0);
		if (no_split.len)
			capture_note(c, STR("no inlined functions, for lack of"), no_split, 0);
		for (size_t i = 0; i < n_missing; i++) {
			diag_add(&c->diag, &perf_data_no_symbols, missing[i].lookups, 0);
			if (i < 8 && missing[i].why.len)
				capture_note(c, STR("no symbols"), missing[i].path, 0);
		}
	}
}

static void perf_reader_fini(struct perf_reader *r)
{
	perf_chunks_fini(r);
	VEC_FREE(&r->exits);
	VEC_FOREACH (doc, &r->others)
		document_free(*doc);
	VEC_FREE(&r->others);
	perf_task_fields_fini(r);
	perf_stack_fini(r);
	perf_raw_fini(&r->raw);
	perf_pairs_fini(r);
	perf_spots_fini(r);
	perf_script_free(r->script);
	perf_queue_fini(&r->queue);
	resolver_free(r->resolver);
	names_fini(&r->names);
	perf_file_fini(&r->file);
}

static struct resolver *perf_resolver(struct perf_reader *r, const char *kernel_refused)
{
	struct dossier *d = r->file.dossier;
	struct resolver_options options = {
		.root = d->wanted.symfs,
		.kallsyms = d->wanted.kallsyms,
		.vmlinux = d->wanted.vmlinux,
		.has_debuginfod = d->wanted.debuginfod,
		.kernel_refused = kernel_refused,
		.is_here = d->wanted.is_here,
		.loaded = d->wanted.loaded,
		.names = perf_names_read(r),
	};

	if (d->wanted.named && !options.names)
		options.collected = &r->names;

	return resolver_new(&d->symbols, &options);
}

/* Read the files "data.0", "data.1", … of a directory recording. */
static size_t perf_walk_directory(struct perf_reader *r)
{
	struct str path = strings_get(&r->file.dossier->strings, r->file.in->path);
	size_t left = 0;

	for (unsigned int i = 0; i < PERF_MAX_FILES; i++) {
		struct document_options options = { .is_raw = true };
		struct document *doc = NULL;
		struct perf_bytes b;
		struct out name;
		size_t rest;
		int status;

		/*
		 * `path` is the directory, or the file "data" in it. The other files are data.0,
		 * data.1, … in the same directory
		 */
		out_init(&name);
		out_printf(&name, STR_FMT "%s.%u%c", STR_ARG(path),
			   path.len > 5 && str_ends(path, STR("/data")) ? "" : "/data", i, 0);
		status = document_open(name.data, &options, &doc, NULL);
		out_fini(&name);
		if (status < 0)
			break;
		*VEC_PUSH(&r->others) = doc;
		b = (struct perf_bytes){ (const uint8_t *)doc->text.p, doc->text.len, 0, false,
					 false };
		*VEC_PUSH(&r->chunks) = (struct perf_chunk){ NULL, 0 };
		perf_chunks_restart(r);
		perf_walk(r, b.p, b.len, (uint32_t)r->chunks.len - 1, &rest);
		left += rest + r->carry.len;
	}
	r->carry.len = 0;
	return left;
}

/* Class of a symbol: code, or data (a variable). */
enum perf_leaf { PERF_LEAF_NEW /* not classified yet */, PERF_LEAF_CODE, PERF_LEAF_DATA };

static enum perf_leaf perf_leaf_of(const struct perf_reader *r, sym_id leaf)
{
	const struct symbols *symbols = &r->file.dossier->symbols;

	if (symbols_get(symbols, leaf)->space != SPACE_KERNEL)
		return PERF_LEAF_CODE;
	return resolver_is_data(r->resolver, leaf) ||
			       symbol_name_is_kernel_data(symbols_name(symbols, leaf))
		       ? PERF_LEAF_DATA
		       : PERF_LEAF_CODE;
}

/*
 * Whether the symbol table belongs to another kernel than the recorded kernel. True if more than
 * PROFILE_DATA_PCT of the weight is in kernel symbols that are variables. @ret_why: the reason, as
 * a clause. Cost: one pass over the samples.
 */
static bool perf_kernel_is_wrong(const struct perf_reader *r, struct error *ret_why)
{
	const struct dossier *d = r->file.dossier;
	CLEANUP(freep) uint8_t *known = xcalloc(d->symbols.rows.len, sizeof(*known));
	double all = 0;
	double data = 0;
	uint64_t most = 0;
	sym_id example = SYM_ID_NONE;

	VEC_FOREACH (a, &r->file.attrs) {
		const struct profile *p =
			a->capture == INDEX_NONE ? NULL : d->captures.data[a->capture]->profile;

		for (size_t i = 0; p && i < p->samples.n; i++) {
			sym_id leaf = stacks_sym(&p->stacks, p->samples.stack.data[i]);
			uint64_t weight = p->samples.weight.data[i];

			all += (double)weight;
			if (known[leaf.v] == PERF_LEAF_NEW)
				known[leaf.v] = (uint8_t)perf_leaf_of(r, leaf);
			if (LIKELY(known[leaf.v] == PERF_LEAF_CODE))
				continue;
			data += (double)weight;
			if (weight >= most)
				example = leaf;
			most = weight > most ? weight : most;
		}
	}
	if (data <= all * PROFILE_DATA_PCT / 100)
		return false;
	(void)fail(ret_why, ERR_FORMAT,
		   "the symbol table that was found puts %.1f %% into data (" STR_FMT
		   "), so it is of another kernel",
		   100 * data / all, STR_ARG(str_sub(symbols_name(&d->symbols, example), 0, 64)));
	return true;
}

/*
 * Read the recording once.
 *
 * @deferred: used if user parts of call chains are in separate records. The first pass collects
 * these parts in @deferred, and the second pass joins them to the samples.
 *
 * @ret_wrong: NULL: do not check the symbol table of the kernel. Otherwise, if the symbol table
 * belongs to another kernel, @ret_wrong is set to the reason, and the captures stay unfinished. The
 * caller then removes the captures and reads again, with the reason as @kernel_refused.
 *
 * @kernel_refused: reason why the kernel symbols must be ignored; NULL: use them.
 */
static int perf_data_pass(const struct region *in, struct dossier *d,
			  struct perf_deferred *deferred, const char *kernel_refused,
			  struct error *ret_wrong, struct error *err)
{
	CLEANUP(perf_reader_fini) struct perf_reader r = { .deferred = deferred };
	size_t before = d->captures.len;
	size_t rest;
	int status;

	status = perf_file_open(&r.file, in, d, err);
	if (status < 0)
		return status;
	r.resolver = perf_resolver(&r, kernel_refused);
	perf_pass_origin(&r);
	r.detail = (d->wanted.inlines || d->wanted.named ? RESOLVER_INLINES : 0u) |
		   (d->wanted.line_keys     ? RESOLVER_PLACES
		    : d->wanted.source_keys ? RESOLVER_SOURCES
		    : d->wanted.lines       ? RESOLVER_LINES
					    : 0u);
	for (size_t i = 0; i < in->n_fields; i++)
		r.n_task_fields += perf_is_task_field(in->fields[i]);
	r.spots.is_on = in->options.with_spots;
	perf_stack_init(&r);
	r.released = r.file.data.p;
	*VEC_PUSH(&r.chunks) = (struct perf_chunk){ NULL, 0 }; /* chunk 0: the file itself */
	VEC_FOREACH (id, &r.file.build_id_records)
		perf_take_build_id(&r, *id);
	if (r.file.data.p)
		perf_walk(&r, r.file.data.p, r.file.data.len, 0, &rest);
	else
		rest = 0;
	if (r.file.is_directory)
		rest += perf_walk_directory(&r);
	perf_flush(&r, true);
	perf_stack_finish(&r);
	perf_script_finish(&r);
	if (ret_wrong && perf_kernel_is_wrong(&r, ret_wrong))
		return OK;
	if (d->wanted.places || d->wanted.named)
		resolver_set_places(r.resolver);
	perf_spots_finish(&r);
	diag_add(&r.file.diag, &perf_data_rest, rest + r.carry.len, 0);
	perf_finish(&r);
	perf_order_captures(&r, before);
	perf_pairs_finish(&r);
	if (d->captures.len > before && d->wanted.named) {
		status = perf_names_write(&r, d->wanted.named, err);
		while (status < 0 && d->captures.len > before)
			/*
			 * the copy of the recording with function names could not be written:
			 * remove all captures
			 */
			dossier_drop_last(d);
		return status;
	}
	if (d->captures.len > before)
		return OK;
	if (r.recording.switches)
		return fail(
			err, ERR_FORMAT,
			"a perf.data file without a sample: no thread was on a CPU long enough; "
			"for its waits: assay report --off-cpu");
	return fail(err, ERR_FORMAT, "a perf.data file without a sample");
}

/* Whether user parts of call chains may be in separate records. */
static bool perf_may_defer(const struct region *in, struct dossier *d)
{
	CLEANUP(perf_file_fini) struct perf_file f = { .in = NULL };
	bool may = false;

	if (perf_file_open(&f, in, d, NULL) < 0)
		return false;
	VEC_FOREACH (a, &f.attrs)
		may |= a->has_deferred;
	/*
	 * the events of a pipe are unknown before its records are read, so assume separate records
	 */
	return may || f.is_pipe;
}

static int perf_data_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct out *script = d->wanted.script;
	struct out *named = d->wanted.named;
	/*
	 * Samples that were printed cannot be taken back. So a first pass without printing finds
	 * out if a second pass is needed. It is needed if the user's symbol table belongs to
	 * another kernel, or if later records complete call chains.
	 */
	bool is_tried = (!script && !named) || d->wanted.kallsyms || d->wanted.vmlinux ||
			perf_may_defer(in, d);
	CLEANUP(perf_deferred_fini) struct perf_deferred deferred = { .is_joining = false };
	struct error wrong = { "" };
	size_t before = d->captures.len;
	int status = OK;

	if (is_tried) {
		d->wanted.script = d->wanted.named = NULL;
		status = perf_data_pass(in, d, &deferred, NULL, &wrong, err);
		d->wanted.script = script;
		d->wanted.named = named;
		if (!script && !named && !wrong.msg[0] && !deferred.chains.len)
			return status;
		deferred.is_joining = true;
		while (d->captures.len > before)
			dossier_drop_last(d);
	}
	return perf_data_pass(in, d, &deferred, wrong.msg[0] ? wrong.msg : NULL, NULL, err);
}

static int perf_data_check(const struct capture *c, struct error *err)
{
	(void)c;
	return fail(err, ERR_UNSUPPORTED, "only a recording (perf.data) can be written as one");
}

/*
 * Does nothing, because perf_data_pass() has already written the copy of the recording
 * (perf_names_write()).
 */
static int perf_data_write(const struct capture *const *captures, size_t n, struct out *out,
			   struct error *err)
{
	(void)captures;
	(void)n;
	(void)out;
	(void)err;
	return OK;
}

static unsigned int perf_data_probe(struct str head)
{
	return perf_features_is_recording(head) ? 100 : 0;
}

static const char *const perf_data_extensions[] = { ".data", ".perf", NULL };

const struct format format_perf_data = {
	.name = "perf-data",
	.summary = "a recording of perf record (perf.data)",
	.kinds = KIND_PROFILE,
	.is_binary = true,
	.extensions = perf_data_extensions,
	.probe = perf_data_probe,
	.read = perf_data_read,
	.check = perf_data_check,
	.write_all = perf_data_write,
	.is_write_binary = true,
};
