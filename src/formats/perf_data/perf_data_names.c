/* SPDX-License-Identifier: MIT */
/*
 * perf_data_names.c - write a copy of a recording with its function names
 *
 * Thanks to the names (symbols/names.h), a machine without the recorded programs can read the copy.
 * The names are in an additional feature section, which perf does not know and skips. The copy
 * differs from the original in three places: a bit in the header, a row in the table of sections,
 * and the section at the end.
 */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/perf_features.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_reader.h"
#include "symbols/names.h"
#include "symbols/resolver/resolver.h"

/* offsets in struct perf_file_header; HEADER_BYTES is its size */
#define HEADER_DATA     40u
#define HEADER_FEATURES 72u
#define HEADER_BYTES    104u
#define SECTION_BYTES   16u

const struct names *perf_names_read(struct perf_reader *r)
{
	const struct symbols_wanted *w = &r->file.dossier->wanted;

	/* the user gave files with symbols: use them instead of the names in the recording */
	if (w->symfs || w->kallsyms || w->vmlinux || w->debuginfod)
		return NULL;
	if (!r->file.names.len)
		/*
		 * A recording in a capsule (docs/capsule.md: several inputs in one file) comes from
		 * another machine. So use an empty set of names, and never symbol files of this
		 * machine.
		 */
		return r->file.in->doc->n_evidence ? &r->names : NULL;
	if (names_read(r->file.names, &r->names))
		return &r->names;
	diag_count(&r->file.diag, &perf_data_bad_feature, 0);
	return NULL;
}

static bool names_are_from_stacks(const struct perf_file *f)
{
	VEC_FOREACH (a, &f->attrs) {
		if (a->sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	}
	return false;
}

static int names_check(const struct perf_file *f, uint64_t data_size, struct error *err)
{
	if (f->names.len)
		return fail(err, ERR_UNSUPPORTED, "the recording already has its names");
	if (f->is_pipe)
		return fail(err, ERR_UNSUPPORTED,
			    "the recording is a pipe's, which has no place for names; record with "
			    "-o FILE");
	if (f->is_directory)
		return fail(err, ERR_UNSUPPORTED,
			    "the recording is a folder; only one file can carry names");
	if (!data_size)
		return fail(err, ERR_UNSUPPORTED,
			    "the recording did not end properly, so it has no place for names");
	if (names_are_from_stacks(f))
		return fail(err, ERR_UNSUPPORTED,
			    "its call chains are copies of stacks, which need the programs "
			    "themselves; record with --call-graph unwind");
	return OK;
}

static void names_put_u64(const struct perf_file *f, struct out *o, uint64_t v)
{
	v = f->all.is_swapped ? __builtin_bswap64(v) : v;
	out_bytes(o, &v, sizeof(v));
}

static void names_put_bytes(const struct perf_file *f, struct out *o, uint64_t from, uint64_t to)
{
	struct perf_bytes part = perf_sub(&f->all, from, to - from);

	out_bytes(o, part.p, part.len);
}

/*
 * Write the table of feature sections with one more row, at index @before. The new row is for a
 * section at the end of the file. The offsets of sections after the table grow by the size of a
 * row.
 */
static void names_put_table(const struct perf_file *f, struct perf_bytes table, size_t before,
			    uint64_t section_size, struct out *o)
{
	uint64_t end = (uint64_t)(table.p - f->all.p) + table.len;

	for (size_t i = 0; i <= table.len / SECTION_BYTES; i++) {
		uint64_t at;

		if (i == before) {
			names_put_u64(f, o, f->all.len + SECTION_BYTES);
			names_put_u64(f, o, section_size);
		}
		if (i == table.len / SECTION_BYTES)
			return;
		at = perf_u64(&table);
		names_put_u64(f, o, at >= end ? at + SECTION_BYTES : at);
		names_put_u64(f, o, perf_u64(&table));
	}
}

int perf_names_write(struct perf_reader *r, struct out *o, struct error *err)
{
	const struct perf_file *f = &r->file;
	struct perf_bytes h = perf_sub(&f->all, HEADER_DATA, HEADER_BYTES - HEADER_DATA);
	uint64_t data_at = perf_u64(&h);
	uint64_t data_size = perf_u64(&h);
	uint64_t features[PERF_FEATURES / 64];
	struct perf_bytes table;
	size_t before = 0;
	size_t n = 0;
	struct out section;
	int status = names_check(f, data_size, err);

	if (status < 0)
		return status;
	h.at = HEADER_FEATURES - HEADER_DATA;
	for (size_t i = 0; i < ARRAY_LEN(features); i++)
		features[i] = perf_u64(&h);
	for (unsigned int i = 0; i < PERF_FEATURES; i++) {
		n += features[i / 64] >> i % 64 & 1;
		before = i < FEAT_NAMES ? n : before;
	}
	table = perf_sub(&f->all, data_at + data_size, n * SECTION_BYTES);
	if (h.is_over || table.len != n * SECTION_BYTES)
		return fail(err, ERR_UNSUPPORTED, "the recording is truncated");
	features[FEAT_NAMES / 64] |= UINT64_C(1) << FEAT_NAMES % 64;
	resolver_collect_names(r->resolver);
	out_init(&section);
	names_write(&r->names, &section);
	names_put_bytes(f, o, 0, HEADER_FEATURES);
	for (size_t i = 0; i < ARRAY_LEN(features); i++)
		names_put_u64(f, o, features[i]);
	names_put_bytes(f, o, HEADER_BYTES, data_at + data_size);
	names_put_table(f, table, before, section.len, o);
	names_put_bytes(f, o, data_at + data_size + table.len, f->all.len);
	out_str(o, out_view(&section));
	out_fini(&section);
	return OK;
}
