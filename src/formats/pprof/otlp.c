/* SPDX-License-Identifier: MIT */
/*
 * otlp.c - profiles of OpenTelemetry: protobuf message ProfilesData, in development status
 *
 * All profiles of a message share the tables of its dictionary. Each release of opentelemetry-proto
 * numbers the fields of Sample differently, and no field states the release. otlp_layout.h infers
 * the release from the types of the encoded fields. Each sample type becomes a capture. See
 * docs/formats/otlp.md.
 */
#include "formats/pprof/otlp.h"

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
#include "formats/pprof/location_frames.h"
#include "formats/pprof/otlp_layout.h"
#include "formats/pprof/pprof_unit.h"
#include "formats/pprof/pprof_wire.h"

#include <inttypes.h>

DECLARE_FORMAT(otlp);

#define OTLP_FIELDS_MAX    16u  /* maximum number of sample attributes that become fields */
#define OTLP_BUILD_IDS_MAX 64u  /* maximum number of build ids that become notes */
#define OTLP_NAME_BYTES    128u /* maximum size of a field's name in bytes */

static const struct diag_kind otlp_bad = { "otlp-bad-messages", DIAG_DATALOSS,
					   "messages that are cut or are no protobuf" };
static const struct diag_kind otlp_lost = { "otlp-bad-references", DIAG_DATALOSS,
					    "references to entries that the tables do not have" };
static const struct diag_kind otlp_negative = { "otlp-negative-values", DIAG_DATALOSS,
						"values below zero, taken as zero" };
static const struct diag_kind otlp_empty = { "otlp-empty-samples", DIAG_DATALOSS,
					     "samples with neither a value nor a time" };
static const struct diag_kind otlp_deep = { "otlp-deep-stacks", DIAG_DATALOSS,
					    "inner frames of stacks deeper than 4096" };
static const struct diag_kind otlp_past = { "otlp-past-limit", DIAG_DATALOSS,
					    "samples and types past the limit" };
static const struct diag_kind otlp_links = { "otlp-links", DIAG_INFO,
					     "samples with a link to a span, which is not read" };

enum otlp_table {
	OTLP_MAPPINGS,
	OTLP_LOCATIONS,
	OTLP_FUNCTIONS,
	OTLP_LINKS,
	OTLP_STRINGS,
	OTLP_ATTRIBUTES,
	OTLP_STACKS,
	OTLP_TABLES,
};

struct otlp_attribute {
	struct str key;
	struct str text; /* text of the value; empty: the value is `number` */
	uint64_t number;
	bool has_number;
};

struct otlp_type {
	str_id name;
	str_id period;
	struct pprof_unit unit;
	uint32_t capture;
};

/*
 * The thread, program and CPU of a sample. If they are attributes of a resource (a process or
 * host), they hold for all samples of the resource.
 */
struct otlp_owner {
	struct profile_thread thread;
	str_id executable;
	uint16_t cpu;
};

struct otlp_reader {
	const struct format *format;
	const struct region *in;
	struct dossier *d;
	struct diag diag;
	enum otlp_layout layout;
	VEC(struct str) tables[OTLP_TABLES];
	VEC(struct otlp_attribute) attributes;
	VEC(struct otlp_type) types;
	struct location_frames locations;
	VEC(str_id) field_names;
	VEC(struct otlp_attribute) resource; /* attributes of the current resource */
	size_t n_resources;

	/* the current sample */
	struct pprof_numbers values, times, references, keys;
	struct otlp_owner owner;
	VEC(struct otlp_attribute) labels;
};

static struct str otlp_entry(struct otlp_reader *r, enum otlp_table table, uint64_t index)
{
	if (index < r->tables[table].len)
		return r->tables[table].data[index];
	diag_count(&r->diag, &otlp_lost, 0);
	return STR_NONE;
}

/*
 * Append the numbers of field @f to @out. The field is one number, or bytes that are an array of
 * 64-bit numbers.
 */
static void otlp_fixed_numbers(const struct pprof_item *f, struct pprof_numbers *out)
{
	struct str bytes = f->bytes;

	if (!f->is_bytes)
		*VEC_PUSH(out) = f->number;
	for (; bytes.len >= 8; bytes = str_skip(bytes, 8))
		*VEC_PUSH(out) = pprof_fixed(bytes, 8);
}

static void otlp_damage(struct otlp_reader *r, bool is_bad)
{
	if (is_bad)
		diag_count(&r->diag, &otlp_bad, 0);
}

static uint64_t otlp_number(struct otlp_reader *r, struct str message, unsigned int field)
{
	bool is_bad = false;
	uint64_t v = pprof_number(message, field, &is_bad);

	otlp_damage(r, is_bad);
	return v;
}

/* Set the value of attribute @to from @message, an AnyValue. Lists and maps are ignored. */
static void otlp_value(struct otlp_reader *r, struct str message, struct otlp_attribute *to)
{
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&message, &f, &is_bad)) {
		if (f.field == 1 && f.is_bytes)
			to->text = f.bytes;
		else if (f.field == 8 && !f.is_bytes)
			to->text = otlp_entry(r, OTLP_STRINGS, f.number);
		else if ((f.field == 2 || f.field == 3) && !f.is_bytes) {
			to->number = f.number;
			to->has_number = true;
		}
	}
	otlp_damage(r, is_bad);
}

/*
 * Decode @message, an attribute. It is a KeyValue of a resource, or a KeyValueAndUnit of the
 * dictionary.
 */
static struct otlp_attribute otlp_attribute(struct otlp_reader *r, struct str message)
{
	struct otlp_attribute ret = { .key = STR_NONE };
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&message, &f, &is_bad)) {
		if (f.field == 1 && f.is_bytes)
			ret.key = f.bytes;
		else if ((f.field == 1 || f.field == 3) && !f.is_bytes && ret.key.len == 0)
			ret.key = otlp_entry(r, OTLP_STRINGS, f.number);
		else if (f.field == 2 && f.is_bytes)
			otlp_value(r, f.bytes, &ret);
	}
	otlp_damage(r, is_bad);
	return ret;
}

static void otlp_read_dictionary(struct otlp_reader *r, struct str message)
{
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&message, &f, &is_bad)) {
		if (!f.is_bytes || f.field == 0 || f.field > OTLP_TABLES)
			continue;
		if (r->tables[f.field - 1].len >= LIMIT_STRINGS)
			diag_count(&r->diag, &otlp_past, 0);
		else
			*VEC_PUSH(&r->tables[f.field - 1]) = f.bytes;
	}
	otlp_damage(r, is_bad);
}

/* Decode the table of attributes, and make r->locations with one row for each location. */
static void otlp_prepare(struct otlp_reader *r)
{
	VEC_FOREACH (row, &r->tables[OTLP_ATTRIBUTES])
		*VEC_PUSH(&r->attributes) = otlp_attribute(r, *row);
	location_frames_init(&r->locations, r->tables[OTLP_LOCATIONS].len);
}

static const struct otlp_attribute *otlp_attribute_at(struct otlp_reader *r, uint64_t index)
{
	if (index < r->attributes.len)
		return &r->attributes.data[index];
	diag_count(&r->diag, &otlp_lost, 0);
	return NULL;
}

/*
 * The text of the attribute of @message whose key matches the pattern @key; empty: no such
 * attribute. If several match, the first one counts. @field: number of the field of @message that
 * lists its attributes.
 */
static struct str otlp_text_of(struct otlp_reader *r, struct str message, unsigned int field,
			       struct str key)
{
	struct pprof_item f;
	bool is_bad = false;

	r->keys.len = 0;
	while (pprof_next(&message, &f, &is_bad)) {
		if (f.field == field)
			pprof_append_numbers(&f, &r->keys);
	}
	for (size_t i = 0; i < r->keys.len; i++) {
		const struct otlp_attribute *a = otlp_attribute_at(r, r->keys.data[i]);

		if (a && str_glob(key, a->key))
			return a->text;
	}
	return STR_NONE;
}

static struct str otlp_module(struct otlp_reader *r, struct str location)
{
	uint64_t mapping = otlp_number(r, location, 1);

	if (mapping == 0)
		return STR_NONE;
	return otlp_entry(r, OTLP_STRINGS,
			  otlp_number(r, otlp_entry(r, OTLP_MAPPINGS, mapping), 4));
}

static struct str otlp_function(struct otlp_reader *r, struct str line)
{
	uint64_t function = otlp_number(r, line, 1);
	struct str body = function ? otlp_entry(r, OTLP_FUNCTIONS, function) : STR_NONE;
	struct str name = otlp_entry(r, OTLP_STRINGS, otlp_number(r, body, 1));

	if (name.len == 0)
		name = otlp_entry(r, OTLP_STRINGS, otlp_number(r, body, 2));
	return name.len ? name : STR("[unknown]");
}

static sym_id otlp_address(struct otlp_reader *r, struct str location, struct str module,
			   enum symbol_space space)
{
	struct out name = { .fd = -1 };
	sym_id sym;

	out_printf(&name, "0x%016" PRIx64, otlp_number(r, location, 2));
	sym = symbols_add_text(&r->d->symbols, out_view(&name), module, space, 0);
	out_fini(&name);
	return sym;
}

/*
 * Make the frames of the location in row @row. Each of its lines is a function, innermost first.
 * All functions except the last are inlined.
 */
static void otlp_make_location(struct otlp_reader *r, uint64_t row)
{
	struct str body = r->tables[OTLP_LOCATIONS].data[row];
	struct str module = otlp_module(r, body);
	struct str type = otlp_text_of(r, body, 4, STR("profile.frame.type"));
	enum symbol_space space = str_eq(type, STR("kernel")) ? SPACE_KERNEL
				  : type.len                  ? SPACE_USER
							      : symbol_space_of_module(module);
	size_t begin = r->locations.syms.len;
	struct pprof_item f;
	bool is_bad = false;

	for (struct str rest = body; pprof_next(&rest, &f, &is_bad);) {
		if (f.field == 3 && f.is_bytes)
			location_frames_add(&r->locations,
					    symbols_add_text(&r->d->symbols,
							     otlp_function(r, f.bytes), module,
							     space, 0));
	}
	otlp_damage(r, is_bad);
	if (r->locations.syms.len == begin)
		location_frames_add(&r->locations, otlp_address(r, body, module, space));
	location_frames_make(&r->locations, row, begin);
}

/*
 * Add the stack at index @index of the dictionary to the stacks of @c. The name of the thread
 * becomes its outermost frame.
 */
static stack_id otlp_stack(struct otlp_reader *r, struct capture *c, uint64_t index)
{
	struct stacks *s = &c->profile->stacks;
	struct str body = index ? otlp_entry(r, OTLP_STACKS, index) : STR_NONE;
	str_id comm = r->owner.thread.comm;
	struct pprof_item f;
	bool is_bad = false;
	stack_id at = STACK_ROOT;
	uint32_t depth = 0;

	if (comm.v)
		at = stacks_push(s, at, symbols_add(&r->d->symbols, comm, STR_ID_NONE, SPACE_COMM));
	r->references.len = 0;
	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == 1)
			pprof_append_numbers(&f, &r->references);
	}
	otlp_damage(r, is_bad);
	for (size_t i = r->references.len; i-- > 0;) {
		uint64_t row = r->references.data[i];

		if (row >= r->tables[OTLP_LOCATIONS].len) {
			diag_count(&r->diag, &otlp_lost, 0);
			continue;
		}
		if (!location_frames_is_made(&r->locations, row))
			otlp_make_location(r, row);
		if (!location_frames_push(&r->locations, row, s, &at, &depth)) {
			diag_count(&c->diag, &otlp_deep, 0);
			break;
		}
	}
	return at;
}

/*
 * If the attribute @a is a thread, program or CPU, store its value in @to. False: it is another
 * attribute.
 */
static bool otlp_take_owner(struct otlp_reader *r, const struct otlp_attribute *a,
			    struct otlp_owner *to)
{
	if (str_eq(a->key, STR("thread.name")) && a->text.len) {
		to->thread.comm = strings_add(&r->d->strings, a->text);
	} else if (str_eq(a->key, STR("process.executable.name")) && a->text.len) {
		to->executable = strings_add(&r->d->strings, a->text);
	} else if (str_eq(a->key, STR("thread.id")) && a->has_number && a->number <= UINT32_MAX) {
		to->thread.tid = (uint32_t)a->number;
		to->thread.has_tid = true;
	} else if (str_eq(a->key, STR("process.pid")) && a->has_number && a->number <= UINT32_MAX) {
		to->thread.pid = (uint32_t)a->number;
		to->thread.has_pid = true;
	} else if (str_eq(a->key, STR("cpu.logical_number")) && a->has_number &&
		   a->number < UINT16_MAX) {
		to->cpu = (uint16_t)a->number;
	} else {
		return false;
	}
	return true;
}

/*
 * The name of the sample field for the attribute with the key @key: container_id for
 * "container.id". '.' and ',' are replaced, because --sort does not accept them.
 */
static str_id otlp_field_name(struct otlp_reader *r, struct str key)
{
	char name[OTLP_NAME_BYTES];
	size_t n = key.len < sizeof(name) ? key.len : sizeof(name);

	for (size_t i = 0; i < n; i++)
		name[i] = key.p[i] == '.' || key.p[i] == ',' ? '_' : key.p[i];
	return strings_add(&r->d->strings, (struct str){ name, n });
}

static void otlp_field(struct otlp_reader *r, struct profile *p, const struct otlp_attribute *a)
{
	str_id name = otlp_field_name(r, a->key);
	bool is_known = false;

	VEC_FOREACH (f, &r->field_names)
		is_known |= f->v == name.v;
	if (!a->text.len || !a->key.len || (!is_known && r->field_names.len >= OTLP_FIELDS_MAX))
		return;
	if (!is_known)
		*VEC_PUSH(&r->field_names) = name;
	profile_set_field(p, p->samples.n - 1, name, strings_add(&r->d->strings, a->text));
}

static void otlp_add(struct otlp_reader *r, struct capture *c, stack_id stack, uint64_t weight,
		     uint64_t time_ns)
{
	struct profile *p = c->profile;

	if (profile_add_sample(p, stack, weight) < 0) {
		diag_count(&r->diag, &otlp_past, 0);
		return;
	}
	*VEC_PUSH(&p->samples.time_ns) = time_ns;
	*VEC_PUSH(&p->samples.thread) = profile_thread(p, r->owner.thread);
	*VEC_PUSH(&p->samples.cpu) = r->owner.cpu;
	VEC_FOREACH (a, &r->labels)
		otlp_field(r, p, a);
}

static uint64_t otlp_weight(struct otlp_reader *r, const struct otlp_type *type, uint64_t value)
{
	if ((int64_t)value < 0) {
		diag_count(&r->diag, &otlp_negative, 0);
		return 0;
	}
	return pprof_unit_scale(&type->unit, value);
}

/*
 * Read the sample @body into r->values, r->times and r->references. Returns the index of its stack
 * in the dictionary.
 */
static uint64_t otlp_parse_sample(struct otlp_reader *r, struct str body)
{
	struct otlp_fields fields = otlp_fields_of(r->layout);
	struct pprof_item f;
	bool is_bad = false;
	uint64_t stack = 0, link = 0;

	r->values.len = r->times.len = r->references.len = r->labels.len = 0;
	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == 1 && !f.is_bytes)
			stack = f.number;
		else if (f.field == fields.values)
			pprof_append_numbers(&f, &r->values);
		else if (f.field == fields.attributes)
			pprof_append_numbers(&f, &r->references);
		else if (f.field == fields.link && !f.is_bytes)
			link = f.number;
		else if (f.field == 5)
			otlp_fixed_numbers(&f, &r->times);
	}
	otlp_damage(r, is_bad);
	if (link)
		diag_count(&r->diag, &otlp_links, 0);
	return stack;
}

static void otlp_take_sample(struct otlp_reader *r, const struct otlp_type *type,
			     const struct otlp_owner *resource, struct str body)
{
	struct capture *c = r->d->captures.data[type->capture];
	uint64_t index = otlp_parse_sample(r, body);
	size_t n = r->times.len > r->values.len ? r->times.len : r->values.len;
	stack_id stack;

	r->owner = *resource;
	for (size_t i = 0; i < r->references.len; i++) {
		const struct otlp_attribute *a = otlp_attribute_at(r, r->references.data[i]);

		if (a && !otlp_take_owner(r, a, &r->owner))
			*VEC_PUSH(&r->labels) = *a;
	}
	for (size_t i = 0; r->n_resources > 1 && i < r->resource.len; i++)
		*VEC_PUSH(&r->labels) = r->resource.data[i];
	if (!r->owner.thread.comm.v)
		r->owner.thread.comm = r->owner.executable;
	if (n == 0)
		diag_count(&r->diag, &otlp_empty, 0);
	if (r->times.len == 0 && type->unit.unit != WEIGHT_SAMPLES)
		c->profile->is_summed = true;
	stack = otlp_stack(r, c, index);
	for (size_t i = 0; i < n; i++) {
		uint64_t value = i < r->values.len ? r->values.data[i] : 1;

		otlp_add(r, c, stack,
			 i < r->values.len ? otlp_weight(r, type, value) : type->unit.scale,
			 i < r->times.len ? r->times.data[i] : 0);
	}
}

/*
 * The entry in r->types for the sample type @sample_type. On first use, an entry and a capture are
 * added. NULL: too many types.
 */
static struct otlp_type *otlp_type_of(struct otlp_reader *r, struct str sample_type,
				      struct str period_type)
{
	struct str name = otlp_entry(r, OTLP_STRINGS, otlp_number(r, sample_type, 1));
	struct str unit = otlp_entry(r, OTLP_STRINGS, otlp_number(r, sample_type, 2));
	struct str period = period_type.len
				    ? otlp_entry(r, OTLP_STRINGS, otlp_number(r, period_type, 1))
				    : STR_NONE;
	struct otlp_type t = { .name = strings_add(&r->d->strings, name),
			       .period = strings_add(&r->d->strings, period),
			       .unit = pprof_unit_of(unit) };
	bool is_samples = str_eq(name, STR("samples")) && t.unit.unit == WEIGHT_EVENTS;
	struct capture *c;

	if (is_samples)
		t.unit.unit = WEIGHT_SAMPLES;

	VEC_FOREACH (known, &r->types) {
		if (known->name.v == t.name.v && known->unit.unit == t.unit.unit &&
		    known->unit.decimals == t.unit.decimals && known->period.v == t.period.v)
			return known;
	}
	if (r->types.len >= LIMIT_PPROF_TYPES)
		return NULL;
	c = format_add_capture(r->format, r->in, r->d);
	capture_profile(c)->event = !is_samples ? t.name : period.len ? t.period : STR_ID_NONE;
	c->profile->decimals = (uint8_t)t.unit.decimals;
	c->profile->unit = t.unit.unit;
	t.capture = (uint32_t)r->d->captures.len - 1;
	*VEC_PUSH(&r->types) = t;
	return &r->types.data[r->types.len - 1];
}

static void otlp_take_profile(struct otlp_reader *r, const struct otlp_owner *owner,
			      struct str body)
{
	struct str sample_type = STR_NONE, period_type = STR_NONE;
	struct otlp_type *type;
	struct pprof_item f;
	bool is_bad = false;

	for (struct str rest = body; pprof_next(&rest, &f, &is_bad);) {
		if (f.field == OTLP_SAMPLE_TYPE && f.is_bytes)
			sample_type = f.bytes;
		else if (f.field == OTLP_PERIOD_TYPE && f.is_bytes)
			period_type = f.bytes;
	}
	otlp_damage(r, is_bad);
	type = otlp_type_of(r, sample_type, period_type);
	if (!type) {
		diag_count(&r->diag, &otlp_past, 0);
		return;
	}
	for (struct str rest = body; pprof_next(&rest, &f, &is_bad);) {
		if (f.field == OTLP_SAMPLES && f.is_bytes)
			otlp_take_sample(r, type, owner, f.bytes);
	}
}

static void otlp_take_scope(struct otlp_reader *r, const struct otlp_owner *owner, struct str body)
{
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&body, &f, &is_bad)) {
		if (f.field == OTLP_PROFILES && f.is_bytes)
			otlp_take_profile(r, owner, f.bytes);
	}
	otlp_damage(r, is_bad);
}

static void otlp_take_attributes(struct otlp_reader *r, struct str body, struct otlp_owner *owner)
{
	struct pprof_item f;
	bool is_bad = false;

	while (pprof_next(&body, &f, &is_bad)) {
		struct otlp_attribute a;

		if (f.field != 1 || !f.is_bytes)
			continue;
		a = otlp_attribute(r, f.bytes);
		if (!otlp_take_owner(r, &a, owner) && r->resource.len < LIMIT_COLUMNS)
			*VEC_PUSH(&r->resource) = a;
	}
	otlp_damage(r, is_bad);
}

static void otlp_take_resource(struct otlp_reader *r, struct str body)
{
	struct otlp_owner owner = { .cpu = UINT16_MAX };
	struct pprof_item f;
	bool is_bad = false;

	r->resource.len = 0;
	for (struct str rest = body; pprof_next(&rest, &f, &is_bad);) {
		if (f.field == OTLP_RESOURCE && f.is_bytes)
			otlp_take_attributes(r, f.bytes, &owner);
	}
	otlp_damage(r, is_bad);
	for (struct str rest = body; pprof_next(&rest, &f, &is_bad);) {
		if (f.field == OTLP_SCOPES && f.is_bytes)
			otlp_take_scope(r, &owner, f.bytes);
	}
}

/*
 * Add a note with the build id of each mapped file, for at most OTLP_BUILD_IDS_MAX files. The build
 * id tells which file has the symbols.
 */
static void otlp_note_build_ids(struct otlp_reader *r, struct capture *c)
{
	unsigned int n = 0;

	VEC_FOREACH (mapping, &r->tables[OTLP_MAPPINGS]) {
		struct str name = otlp_entry(r, OTLP_STRINGS, otlp_number(r, *mapping, 4));
		struct str id = otlp_text_of(r, *mapping, 5, STR("process.executable.build_id.*"));
		struct out text = { .fd = -1 };

		if (!name.len || !id.len || n++ == OTLP_BUILD_IDS_MAX)
			continue;
		out_str(&text, name);
		out_z(&text, " ");
		out_str(&text, id);
		capture_note(c, STR("build id"), out_view(&text), 0);
		c->notes.data[c->notes.len - 1].is_detail = true;
		out_fini(&text);
	}
}

static void otlp_notes(struct otlp_reader *r, struct capture *c)
{
	/* JSON documents have field names, which are the same in all releases since 1.8 */
	capture_note(c, STR("OTLP version"),
		     r->format == &format_otlp
			     ? str_of(otlp_layout_name(r->layout))
			     : STR("opentelemetry-proto 1.8 or later, v1development"),
		     0);
	for (size_t i = 0; r->n_resources == 1 && i < r->resource.len; i++) {
		if (r->resource.data[i].text.len)
			capture_note(c, r->resource.data[i].key, r->resource.data[i].text, 0);
	}
	otlp_note_build_ids(r, c);
}

/* If no sample has a time, remove the times of the samples; do the same with threads and CPUs. */
static void otlp_finish_columns(struct profile *p)
{
	bool has_time = false, has_thread = false, has_cpu = false;

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct profile_thread *t = &p->threads.data[p->samples.thread.data[i]];

		has_time |= p->samples.time_ns.data[i] != 0;
		has_thread |= t->comm.v || t->has_pid || t->has_tid;
		has_cpu |= p->samples.cpu.data[i] != UINT16_MAX;
	}
	if (!has_time)
		VEC_FREE(&p->samples.time_ns);
	if (!has_thread)
		VEC_FREE(&p->samples.thread);
	if (!has_cpu)
		VEC_FREE(&p->samples.cpu);
	profile_finish_fields(p);
}

static void otlp_finish(struct otlp_reader *r, size_t before)
{
	for (size_t i = before; i < r->d->captures.len; i++) {
		struct capture *c = r->d->captures.data[i];
		/*
		 * if the unit is not WEIGHT_SAMPLES, the value of a sample without a time may be
		 * the sum of many recorded samples. Their number is then unknown
		 */
		bool is_counted = c->profile->unit == WEIGHT_SAMPLES;
		uint64_t n = 0;

		VEC_FOREACH (w, &c->profile->samples.weight)
			n += is_counted ? *w : 1;
		c->profile->n_samples = n;
		c->profile->has_n_samples =
			is_counted || (n && c->profile->samples.time_ns.data[0]);
		otlp_finish_columns(c->profile);
		otlp_notes(r, c);
	}
	VEC_FOREACH (e, &r->diag.entries)
		diag_add(&r->d->captures.data[before]->diag, e->kind, e->count, e->first_line);
}

static void otlp_reader_fini(struct otlp_reader *r)
{
	for (unsigned int i = 0; i < OTLP_TABLES; i++)
		VEC_FREE(&r->tables[i]);
	VEC_FREE(&r->attributes);
	VEC_FREE(&r->types);
	location_frames_fini(&r->locations);
	VEC_FREE(&r->field_names);
	VEC_FREE(&r->resource);
	VEC_FREE(&r->values);
	VEC_FREE(&r->times);
	VEC_FREE(&r->references);
	VEC_FREE(&r->keys);
	VEC_FREE(&r->labels);
	diag_fini(&r->diag);
}

int otlp_read_message(const struct format *f, const struct region *in, struct str message,
		      enum otlp_layout layout, struct dossier *d, struct error *err)
{
	CLEANUP(otlp_reader_fini)
	struct otlp_reader r = { .format = f, .in = in, .d = d, .layout = layout };
	size_t before = d->captures.len;
	struct pprof_item item;
	bool is_bad = false;

	for (struct str rest = message; pprof_next(&rest, &item, &is_bad);) {
		if (item.field == OTLP_DICTIONARY && item.is_bytes)
			otlp_read_dictionary(&r, item.bytes);
		r.n_resources += item.field == OTLP_RESOURCES;
	}
	otlp_damage(&r, is_bad);
	otlp_prepare(&r);
	for (struct str rest = message; pprof_next(&rest, &item, &is_bad);) {
		if (item.field == OTLP_RESOURCES && item.is_bytes)
			otlp_take_resource(&r, item.bytes);
	}
	if (d->captures.len == before)
		return fail(err, ERR_FORMAT, "an OTLP message without a profile");
	otlp_finish(&r, before);
	return OK;
}

static int otlp_read(const struct region *in, struct dossier *d, struct error *err)
{
	enum otlp_layout layout = otlp_layout_of(in->text);

	if (layout == OTLP_BARE)
		return fail(err, ERR_FORMAT,
			    "an OTLP profile without its tables of names: it is cut, or of "
			    "opentelemetry-proto before 1.7");
	if (layout == OTLP_OLD)
		return fail(err, ERR_UNSUPPORTED,
			    "an OTLP profile of opentelemetry-proto before 1.8: only later ones "
			    "are read");
	return otlp_read_message(&format_otlp, in, in->text, layout, d, err);
}

static unsigned int otlp_probe(struct str head)
{
	return otlp_layout_is_profile(head) ? 95 : 0;
}

static const char *const otlp_extensions[] = { ".otlp", ".pb", NULL };

const struct format format_otlp = {
	.name = "otlp",
	.title = "OTLP profile",
	.summary = "a profile of OpenTelemetry (protobuf, in development status)",
	.kinds = KIND_PROFILE,
	.is_binary = true,
	.extensions = otlp_extensions,
	.probe = otlp_probe,
	.read = otlp_read,
};
