/* SPDX-License-Identifier: MIT */
/*
 * pprof.c - pprof profiles: protobuf, already decompressed by the document layer
 *
 * Messages are decoded in place; tables map ids to messages. Each sample type becomes a capture.
 * Exception: a sample type "samples" that precedes another sample type has the number of samples of
 * that type. Its values become samples.count in the capture of that type. See
 * docs/formats/pprof.md.
 */
#include "formats/pprof/pprof.h"

#include "base/idmap.h"
#include "base/limits.h"
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
#include "formats/exchange/export.h"
#include "formats/format.h"
#include "formats/pprof/location_frames.h"
#include "formats/pprof/pprof_unit.h"
#include "formats/pprof/pprof_wire.h"

#include <math.h>

DECLARE_FORMAT(pprof);

static const struct diag_kind pprof_bad = { "pprof-bad-messages", DIAG_DATALOSS,
					    "messages that are cut or are no protobuf" };
static const struct diag_kind pprof_no_location = { "pprof-bad-locations", DIAG_DATALOSS,
						    "frames that the file does not define" };
static const struct diag_kind pprof_negative = { "pprof-negative-values", DIAG_DATALOSS,
						 "values below zero, taken as zero" };
static const struct diag_kind pprof_deep = { "pprof-deep-stacks", DIAG_DATALOSS,
					     "inner frames of stacks deeper than 4096" };
static const struct diag_kind pprof_types_past = { "pprof-types-past-limit", DIAG_DATALOSS,
						   "sample types past the limit" };
static const struct diag_kind pprof_no_value = { "pprof-empty-types", DIAG_INFO,
						 "sample types without a value, left out" };

struct pprof_row {
	uint64_t id;
	struct str body;
};

/* The messages of one kind (mappings, locations or functions), found by their id. */
struct pprof_table {
	VEC(struct pprof_row) rows;
	struct idmap map;
};

struct pprof_type {
	str_id name;
	struct pprof_unit unit;
	/*
	 * index of the sample type with the number of samples of each entry, if there is one; it
	 * precedes this type. INDEX_NONE: none
	 */
	uint32_t counts;
	/*
	 * index of the capture of this type; INDEX_NONE: none, because the type only counts the
	 * samples of another type
	 */
	uint32_t capture;
	/*
	 * Index of the sample type with the number of events of each entry, such as lock
	 * contentions or allocated objects; it may be this type itself. An entry of the profile may
	 * be the sum of many events. Unlike the sample type in `counts`, this sample type has its
	 * own capture. INDEX_NONE: unknown
	 */
	uint32_t events;
	/*
	 * in heap profiles, index of the sample type with the total size of the objects of each
	 * entry, in bytes. The sample type in `events` counts these objects. INDEX_NONE: none
	 */
	uint32_t bytes;
};

struct pprof_reader {
	const struct region *in;
	struct dossier *d;
	struct diag diag;
	VEC(struct str) strings;
	VEC(struct pprof_type) types;
	struct pprof_table mappings;
	struct pprof_table locations;
	struct pprof_table functions;
	struct location_frames frames; /* frames of each row of `locations` */
	/* function names of the location that is being decoded */
	VEC(struct str) lines;
	/* for each symbol: whether it has a frame that is not inlined; see pprof_find_called() */
	VEC(uint8_t) is_called;
	/* in heap profiles, number of allocated bytes per sample; 0: unknown */
	uint64_t byte_period;

	/* the current sample */
	struct pprof_numbers ids;
	struct pprof_numbers values;
	str_id comm;
	struct profile_thread thread;
};

static void pprof_damage(struct pprof_reader *r, bool is_bad)
{
	if (is_bad)
		diag_count(&r->diag, &pprof_bad, 0);
}

static struct str pprof_text(const struct pprof_reader *r, uint64_t index)
{
	return index < r->strings.len ? r->strings.data[index] : STR_NONE;
}

static uint64_t pprof_field_of(struct pprof_reader *r, struct str message, unsigned int field)
{
	bool is_bad = false;
	uint64_t v = pprof_number(message, field, &is_bad);

	pprof_damage(r, is_bad);
	return v;
}

static void pprof_index(struct pprof_reader *r, struct pprof_table *t, struct str body)
{
	uint64_t id = pprof_field_of(r, body, 1);
	struct idmap_probe p = idmap_first(&t->map, hash_u64(id, 0));

	while (idmap_next(&t->map, &p)) {
		if (t->rows.data[p.id].id == id)
			return;
	}
	idmap_insert(&t->map, &p, (uint32_t)t->rows.len);
	*VEC_PUSH(&t->rows) = (struct pprof_row){ id, body };
}

/* Index in t->rows of the message with the id @id; INDEX_NONE: no such message. */
static uint32_t pprof_row_of(struct pprof_table *t, uint64_t id)
{
	struct idmap_probe p = idmap_first(&t->map, hash_u64(id, 0));

	while (idmap_next(&t->map, &p)) {
		if (t->rows.data[p.id].id == id)
			return p.id;
	}
	return INDEX_NONE;
}

/*
 * Whether a sample type named @name counts samples: "samples", "cycles samples" or "calls". In a
 * profile that assay wrote from several inputs, the name may be "calls of b.txt".
 */
static bool pprof_is_samples(struct str name)
{
	return str_eq(name, STR("samples")) || str_ends(name, STR(" samples")) ||
	       str_eq(name, STR("calls")) || str_starts(name, STR("samples of ")) ||
	       str_starts(name, STR("calls of "));
}

static void pprof_add_type(struct pprof_reader *r, struct str body)
{
	struct str name = pprof_text(r, pprof_field_of(r, body, PPROF_TYPE_TYPE));
	struct str unit = pprof_text(r, pprof_field_of(r, body, PPROF_TYPE_UNIT));
	struct pprof_type t = { .counts = INDEX_NONE,
				.capture = INDEX_NONE,
				.events = INDEX_NONE,
				.bytes = INDEX_NONE };

	if (r->types.len >= LIMIT_PPROF_TYPES) {
		diag_count(&r->diag, &pprof_types_past, 0);
		return;
	}
	t.unit = pprof_unit_of(unit);
	if (pprof_is_samples(name) && t.unit.unit == WEIGHT_EVENTS)
		t.unit.unit = WEIGHT_SAMPLES;
	else if (!str_eq(name, STR("weight")))
		t.name = strings_add(&r->d->strings, name);
	if (r->types.len && r->types.data[r->types.len - 1].unit.unit == WEIGHT_SAMPLES &&
	    t.unit.unit != WEIGHT_SAMPLES && r->types.data[r->types.len - 1].counts == INDEX_NONE)
		t.counts = (uint32_t)r->types.len - 1;
	*VEC_PUSH(&r->types) = t;
}

/*
 * Set the members `events` and `bytes` of the sample types in profiles of lock waits, of the heap,
 * and of goroutines or threads. An entry of such a profile is the sum of many events with the same
 * stack.
 */
static void pprof_find_events(struct pprof_reader *r)
{
	for (uint32_t i = 0; i < r->types.len; i++) {
		struct pprof_type *t = &r->types.data[i];
		struct pprof_type *next = i + 1 < r->types.len ? t + 1 : NULL;
		struct str name = strings_get(&r->d->strings, t->name);

		if (t->unit.unit != WEIGHT_EVENTS)
			continue;
		if (str_eq(name, STR("contentions")) || str_eq(name, STR("goroutine")) ||
		    str_eq(name, STR("threadcreate")))
			t->events = i;
		if (next && str_eq(name, STR("contentions")) && next->unit.unit == WEIGHT_NS)
			next->events = i;
		if (next && r->byte_period && str_ends(name, STR("objects")) &&
		    next->unit.unit == WEIGHT_BYTES) {
			t->events = next->events = i;
			t->bytes = next->bytes = i + 1;
		}
	}
}

static void pprof_make_captures(struct pprof_reader *r)
{
	for (size_t i = 0; i < r->types.len; i++) {
		struct pprof_type *t = &r->types.data[i];
		struct capture *c;

		if (i + 1 < r->types.len && r->types.data[i + 1].counts == i)
			continue;
		c = format_add_capture(&format_pprof, r->in, r->d);
		t->capture = (uint32_t)r->d->captures.len - 1;
		capture_profile(c)->event = t->name;
		c->profile->unit = t->unit.unit;
		c->profile->decimals = (uint8_t)t->unit.decimals;
	}
}

/* Path of the mapped file to which a location belongs; empty: unknown. */
static struct str pprof_location_module(struct pprof_reader *r, struct str location)
{
	uint64_t mapping = pprof_field_of(r, location, PPROF_LOCATION_MAPPING);
	uint32_t row = mapping ? pprof_row_of(&r->mappings, mapping) : INDEX_NONE;

	if (row == INDEX_NONE)
		return STR_NONE;
	return pprof_text(
		r, pprof_field_of(r, r->mappings.rows.data[row].body, PPROF_MAPPING_FILENAME));
}

static struct str pprof_line_name(struct pprof_reader *r, struct str line)
{
	uint32_t function =
		pprof_row_of(&r->functions, pprof_field_of(r, line, PPROF_LINE_FUNCTION));
	struct str name = STR_NONE;

	if (function != INDEX_NONE)
		name = pprof_text(r, pprof_field_of(r, r->functions.rows.data[function].body,
						    PPROF_FUNCTION_NAME));
	return name.len ? name : STR("[unknown]");
}

/*
 * Collect the function names of a location in r->lines, innermost first. All names except the last
 * are those of inlined functions. Returns the number of names.
 */
static size_t pprof_line_names(struct pprof_reader *r, struct str location)
{
	struct pprof_item f;
	bool is_bad = false;

	r->lines.len = 0;
	while (pprof_next(&location, &f, &is_bad)) {
		if (f.field == PPROF_LOCATION_LINE && f.is_bytes)
			*VEC_PUSH(&r->lines) = pprof_line_name(r, f.bytes);
	}
	pprof_damage(r, is_bad);
	return r->lines.len;
}

/*
 * Fill r->is_called: mark each symbol that is not inlined in at least one frame. Call this before
 * the frames of any location are made.
 */
static void pprof_find_called(struct pprof_reader *r)
{
	VEC_FOREACH (row, &r->locations.rows) {
		size_t n = pprof_line_names(r, row->body);
		sym_id sym;

		if (n == 0)
			continue;
		sym = export_symbol(r->d, r->lines.data[n - 1], pprof_location_module(r, row->body),
				    false);
		while (r->is_called.len <= sym.v)
			*VEC_PUSH(&r->is_called) = false;
		r->is_called.data[sym.v] = true;
	}
}

/*
 * The symbol of an inlined frame of the function @name. `go tool pprof` adds up all frames of a
 * function, inlined or not. So if the function also has frames that are not inlined, all its frames
 * get the same symbol.
 */
static sym_id pprof_inlined(struct pprof_reader *r, struct str name, struct str module)
{
	sym_id called = export_symbol(r->d, name, module, false);

	if (called.v < r->is_called.len && r->is_called.data[called.v])
		return called;
	return export_symbol(r->d, name, module, true);
}

static sym_id pprof_address(struct pprof_reader *r, struct str location, struct str module)
{
	uint64_t address = pprof_field_of(r, location, PPROF_LOCATION_ADDRESS);
	char name[24] = "0x";
	size_t len = 2;

	for (unsigned int shift = 64; shift; shift -= 4)
		name[len++] = "0123456789abcdef"[address >> (shift - 4) & 15];
	return export_symbol(r->d, (struct str){ name, len }, module, false);
}

static void pprof_make_location(struct pprof_reader *r, uint32_t row)
{
	struct str body = r->locations.rows.data[row].body;
	size_t begin = r->frames.syms.len;
	struct str module = pprof_location_module(r, body);
	size_t n = pprof_line_names(r, body);

	if (n == 0)
		location_frames_add(&r->frames, pprof_address(r, body, module));
	for (size_t i = 0; i < n; i++) {
		bool is_inlined = i + 1 < n;
		struct str name = r->lines.data[i];

		location_frames_add(&r->frames, is_inlined
							? pprof_inlined(r, name, module)
							: export_symbol(r->d, name, module, false));
	}
	location_frames_make(&r->frames, row, begin);
}

static void pprof_take_label(struct pprof_reader *r, struct str label)
{
	struct str key = pprof_text(r, pprof_field_of(r, label, PPROF_LABEL_KEY));
	struct str text = pprof_text(r, pprof_field_of(r, label, PPROF_LABEL_STR));
	uint64_t number = pprof_field_of(r, label, PPROF_LABEL_NUM);

	if (str_eq(key, STR("comm")) && text.len) {
		r->comm = strings_add(&r->d->strings, text);
	} else if (str_eq(key, STR("pid")) && number <= UINT32_MAX) {
		r->thread.pid = (uint32_t)number;
		r->thread.has_pid = true;
	} else if (str_eq(key, STR("tid")) && number <= UINT32_MAX) {
		r->thread.tid = (uint32_t)number;
		r->thread.has_tid = true;
	}
}

static stack_id pprof_stack(struct pprof_reader *r, struct capture *c)
{
	struct stacks *s = &c->profile->stacks;
	stack_id at = STACK_ROOT;
	uint32_t depth = 0;

	if (r->comm.v)
		at = stacks_push(s, at,
				 symbols_add(&r->d->symbols, r->comm, STR_ID_NONE, SPACE_COMM));
	for (size_t i = r->ids.len; i-- > 0;) {
		uint32_t row = pprof_row_of(&r->locations, r->ids.data[i]);

		if (row == INDEX_NONE) {
			diag_count(&c->diag, &pprof_no_location, 0);
			continue;
		}
		if (!location_frames_is_made(&r->frames, row))
			pprof_make_location(r, row);
		if (!location_frames_push(&r->frames, row, s, &at, &depth)) {
			diag_count(&c->diag, &pprof_deep, 0);
			break;
		}
	}
	return at;
}

static uint64_t pprof_value(struct pprof_reader *r, uint32_t type, struct capture *c)
{
	int64_t v = type < r->values.len ? (int64_t)r->values.data[type] : 0;

	if (v < 0) {
		diag_count(&c->diag, &pprof_negative, 0);
		return 0;
	}
	return pprof_unit_scale(&r->types.data[type].unit, (uint64_t)v);
}

/*
 * The number of recorded events in the current entry, at least 1.
 *
 * The writer of a heap profile records on average one sample per r->byte_period allocated bytes. It
 * then scales the values, so that they estimate all allocations. This function undoes the scaling.
 * An object of b bytes is sampled with the probability 1 - exp(-b / period). So the number of
 * recorded samples is the number of objects times this probability.
 */
static uint32_t pprof_events(struct pprof_reader *r, const struct pprof_type *t, struct capture *c)
{
	double n = (double)pprof_value(r, t->events, c);

	if (t->bytes != INDEX_NONE && n > 0)
		n *= -expm1(-(double)pprof_value(r, t->bytes, c) / n / (double)r->byte_period);
	return n < 1 ? 1 : n < UINT32_MAX ? (uint32_t)(n + 0.5) : UINT32_MAX;
}

/*
 * Add the current sample to the capture of the sample type with index @type. If both weight and
 * count are 0, nothing is added. False: a limit is reached.
 */
static bool pprof_add(struct pprof_reader *r, uint32_t type)
{
	const struct pprof_type *t = &r->types.data[type];
	struct capture *c = r->d->captures.data[t->capture];
	struct profile *p = c->profile;
	bool has_thread = r->comm.v || r->thread.has_pid || r->thread.has_tid;
	uint64_t weight = pprof_value(r, type, c);
	uint64_t count = t->counts == INDEX_NONE ? 1 : pprof_value(r, t->counts, c);
	stack_id stack;

	if (weight == 0 && (count == 0 || t->counts == INDEX_NONE))
		return true;
	stack = pprof_stack(r, c);
	r->thread.comm = r->comm;
	if (profile_add_sample(p, stack, weight) < 0)
		return false;
	if (t->counts != INDEX_NONE)
		*VEC_PUSH(&p->samples.count) = count == 0           ? 1
					       : count > UINT32_MAX ? UINT32_MAX
								    : (uint32_t)count;
	else if (t->events != INDEX_NONE)
		*VEC_PUSH(&p->samples.count) = pprof_events(r, t, c);
	profile_set_thread(p, has_thread ? &r->thread : NULL);
	return true;
}

static bool pprof_take_sample(struct pprof_reader *r, struct str body)
{
	struct pprof_item f;
	bool is_bad = false;

	r->ids.len = r->values.len = 0;
	r->comm = STR_ID_NONE;
	r->thread = (struct profile_thread){ .pid = 0 };
	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == PPROF_SAMPLE_LOCATION)
			pprof_append_numbers(&f, &r->ids);
		else if (f.field == PPROF_SAMPLE_VALUE)
			pprof_append_numbers(&f, &r->values);
		else if (f.field == PPROF_SAMPLE_LABEL && f.is_bytes)
			pprof_take_label(r, f.bytes);
	}
	pprof_damage(r, is_bad);
	for (uint32_t i = 0; i < r->types.len; i++) {
		if (r->types.data[i].capture != INDEX_NONE && !pprof_add(r, i))
			return false;
	}
	return true;
}

/* Read all tables before any sample, because messages may have any order in the file. */
static void pprof_tables_of(struct pprof_reader *r)
{
	struct str rest = r->in->text;
	struct pprof_item f;
	bool is_bad = false;
	bool is_byte_period = false;

	while (pprof_next(&rest, &f, &is_bad)) {
		if (f.is_bytes && f.field == PPROF_STRING_TABLE && r->strings.len < LIMIT_STRINGS)
			*VEC_PUSH(&r->strings) = f.bytes;
	}
	pprof_damage(r, is_bad);
	for (rest = r->in->text; pprof_next(&rest, &f, &is_bad);) {
		if (!f.is_bytes)
			continue;
		if (f.field == PPROF_SAMPLE_TYPE)
			pprof_add_type(r, f.bytes);
		else if (f.field == PPROF_MAPPING)
			pprof_index(r, &r->mappings, f.bytes);
		else if (f.field == PPROF_LOCATION)
			pprof_index(r, &r->locations, f.bytes);
		else if (f.field == PPROF_FUNCTION)
			pprof_index(r, &r->functions, f.bytes);
		else if (f.field == PPROF_PERIOD_TYPE)
			is_byte_period =
				str_eq(pprof_text(r, pprof_field_of(r, f.bytes, PPROF_TYPE_UNIT)),
				       STR("bytes"));
	}
	if (is_byte_period)
		r->byte_period = pprof_field_of(r, r->in->text, PPROF_PERIOD);
	pprof_find_events(r);
	location_frames_init(&r->frames, r->locations.rows.len);
}

static void pprof_notes(struct pprof_reader *r, struct capture *c)
{
	struct str rest = r->in->text;
	struct pprof_item f;
	bool is_bad = false;
	unsigned int n = 0;

	while (pprof_next(&rest, &f, &is_bad) && n < 64) {
		if (f.field == PPROF_COMMENT && !f.is_bytes && pprof_text(r, f.number).len) {
			capture_note(c, STR("comment"), pprof_text(r, f.number), 0);
			n++;
		}
	}
}

/*
 * Remove the captures without a sample; if all are empty, keep them. Some writers list a sample
 * type without any value. If such a type came first, its empty capture would hide the others.
 */
static void pprof_drop_empty(struct pprof_reader *r, size_t before)
{
	size_t n = 0;

	for (size_t i = before; i < r->d->captures.len; i++)
		n += r->d->captures.data[i]->profile->samples.n > 0;
	for (size_t i = r->d->captures.len; n && i-- > before;) {
		if (r->d->captures.data[i]->profile->samples.n)
			continue;
		dossier_drop(r->d, i);
		diag_count(&r->diag, &pprof_no_value, 0);
		VEC_FOREACH (t, &r->types) {
			if (t->capture == i)
				t->capture = INDEX_NONE;
			else if (t->capture != INDEX_NONE && t->capture > i)
				t->capture--;
		}
	}
}

static size_t pprof_finish(struct pprof_reader *r, size_t before)
{
	size_t n = 0;

	pprof_drop_empty(r, before);

	for (size_t i = before; i < r->d->captures.len; i++) {
		struct capture *c = r->d->captures.data[i];

		n += c->profile->samples.n;
		c->profile->n_samples = profile_count_samples(c->profile);
		VEC_FOREACH (t, &r->types) {
			if (t->capture == i)
				c->profile->has_n_samples =
					t->counts != INDEX_NONE || t->events != INDEX_NONE;
		}
		pprof_notes(r, c);
		VEC_FOREACH (e, &r->diag.entries)
			diag_add(&c->diag, e->kind, e->count, e->first_line);
	}
	return n;
}

static void pprof_reader_fini(struct pprof_reader *r)
{
	struct pprof_table *tables[] = { &r->mappings, &r->locations, &r->functions };

	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		VEC_FREE(&tables[i]->rows);
		idmap_fini(&tables[i]->map);
	}
	VEC_FREE(&r->strings);
	VEC_FREE(&r->types);
	location_frames_fini(&r->frames);
	VEC_FREE(&r->lines);
	VEC_FREE(&r->is_called);
	VEC_FREE(&r->ids);
	VEC_FREE(&r->values);
	diag_fini(&r->diag);
}

static int pprof_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(pprof_reader_fini) struct pprof_reader r = { .in = in, .d = d };
	size_t before = d->captures.len;
	struct str rest = in->text;
	struct pprof_item f;
	bool is_bad = false;

	pprof_tables_of(&r);
	if (r.types.len == 0)
		return fail(err, ERR_FORMAT, "a pprof profile without a sample type");
	pprof_find_called(&r);
	pprof_make_captures(&r);
	while (pprof_next(&rest, &f, &is_bad)) {
		if (f.field == PPROF_SAMPLE && f.is_bytes && !pprof_take_sample(&r, f.bytes))
			break;
	}
	if (pprof_finish(&r, before) == 0) {
		while (d->captures.len > before)
			dossier_drop_last(d);
		return fail(err, ERR_FORMAT, "a pprof profile without a sample");
	}
	return OK;
}

/*
 * Score of @s as the start of a pprof file. Such files have no magic number, so up to 64 fields are
 * checked. They must be valid and have numbers 1 to 15. At least one must be a sample type, which
 * consists of two small numbers.
 */
static unsigned int pprof_probe(struct str s)
{
	unsigned int n_types = 0;
	unsigned int n = 0;

	for (; n < 64 && s.len; n++) {
		uint64_t tag;
		uint64_t v;

		if (!pprof_take_varint(&s, &tag) || tag >> 3 == 0 || tag >> 3 > 15)
			return 0;
		if ((tag & 7) == 0) {
			if (!pprof_take_varint(&s, &v))
				return 0;
			continue;
		}
		if ((tag & 7) != 2 || !pprof_take_varint(&s, &v))
			return 0;
		if (tag >> 3 == PPROF_SAMPLE_TYPE)
			n_types += v >= 2 && v <= 12 && s.len && s.p[0] == 0x08;
		if (v > s.len)
			break;
		s = str_skip(s, (size_t)v);
	}
	return n >= 4 && n_types > 0 ? 90 : 0;
}

static const char *const pprof_extensions[] = { ".pb.gz", ".pprof", NULL };

const struct format format_pprof = {
	.name = "pprof",
	.summary = "a pprof profile (protobuf)",
	.kinds = KIND_PROFILE,
	.is_binary = true,
	.extensions = pprof_extensions,
	.probe = pprof_probe,
	.read = pprof_read,
	.check = export_check_stacks,
	.write_all = pprof_write,
	.is_write_binary = true,
};
