/* SPDX-License-Identifier: MIT */
/*
 * pprof_write.c - write captures as a gzip-compressed pprof profile
 *
 * Each capture becomes one or two sample types: the number of samples (or calls), and the weight in
 * its unit. Samples of one stack and thread become one entry. Command, process and thread are
 * labels; a module is a mapping. A function and the functions inlined into it are one location with
 * several lines.
 */
#include "formats/pprof/pprof.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/paths.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/exchange/export.h"

#include "config.h"

#include <zlib.h>

/* Unix, as a value of the field OS in a gzip header (RFC 1952) */
#define PPROF_GZIP_UNIX   3
#define PPROF_CHUNK_BYTES 65536u

/*
 * A location in the written file. Its innermost function is `sym`. If `sym` is inlined, the
 * location also has the callers of `sym`, up to the first caller that is not inlined. `outer` is
 * then the id of the location of the direct caller, into which `sym` is inlined; 0: `sym` is not
 * inlined.
 */
struct pprof_location {
	uint32_t outer;
	sym_id sym;
};

/* An entry of the written profile: the sum of all samples of one stack and thread. */
struct pprof_entry {
	uint32_t node;
	uint32_t thread; /* index of the thread; INDEX_NONE: unknown */
	uint64_t count;
	uint64_t weight;
};

struct pprof_writer {
	struct out *out;
	struct out raw; /* output that is not compressed yet */
	struct out message;
	struct out inner;
	z_stream z;
	/* string table of the written file; string 0 must be the empty string */
	struct strings strings;
	/* locations; element i has the location id i + 1 */
	VEC(struct pprof_location) locations;
	struct idmap locations_map;
	VEC(sym_id) functions; /* functions; element i has the function id i + 1 */
	uint32_t *function_of; /* for each symbol: its function id; 0: none yet */
	VEC(str_id) mappings;  /* modules; element i has the mapping id i + 1 */
	struct idmap mappings_map;
	const struct symbols *symbols;
	uint32_t n_values;
};

static void pprof_varint(struct out *o, uint64_t v)
{
	while (v >= 0x80) {
		out_char(o, (char)(v | 0x80));
		v >>= 7;
	}
	out_char(o, (char)v);
}

/* Write a number as field @field. 0 is not written, because it is the default value. */
static void pprof_number(struct out *o, unsigned int field, uint64_t v)
{
	if (v == 0)
		return;
	pprof_varint(o, field << 3);
	pprof_varint(o, v);
}

static void pprof_bytes(struct out *o, unsigned int field, struct str bytes)
{
	pprof_varint(o, field << 3 | 2);
	pprof_varint(o, bytes.len);
	out_str(o, bytes);
}

static void pprof_deflate(struct pprof_writer *w, int flush)
{
	/* zlib does not modify its input, although the pointer is not const */
	w->z.next_in = (Bytef *)w->raw.data;
	w->z.avail_in = (uInt)w->raw.len;
	do {
		char buf[PPROF_CHUNK_BYTES];

		w->z.next_out = (Bytef *)buf;
		w->z.avail_out = sizeof(buf);
		(void)deflate(&w->z, flush);
		out_bytes(w->out, buf, sizeof(buf) - w->z.avail_out);
	} while (w->z.avail_out == 0);
	w->raw.len = 0;
}

/* Append w->message to the profile as field @field. Then empty w->message. */
static void pprof_message(struct pprof_writer *w, unsigned int field)
{
	pprof_bytes(&w->raw, field, out_view(&w->message));
	w->message.len = 0;
	if (w->raw.len >= PPROF_CHUNK_BYTES)
		pprof_deflate(w, Z_NO_FLUSH);
}

static uint64_t pprof_string(struct pprof_writer *w, struct str s)
{
	return strings_add(&w->strings, s).v;
}

static void pprof_value_type(struct pprof_writer *w, unsigned int field, struct str type,
			     struct str unit)
{
	pprof_number(&w->message, PPROF_TYPE_TYPE, pprof_string(w, type));
	pprof_number(&w->message, PPROF_TYPE_UNIT, pprof_string(w, unit));
	pprof_message(w, field);
}

/*
 * Print the name of @unit, such as "nanoseconds" or "0.01 percent". pprof values are integers, so
 * the factor in the name shows the number of decimals.
 */
static void pprof_unit(enum weight_unit unit, unsigned int decimals, struct out *ret)
{
	static const char *const names[] = {
		[WEIGHT_SAMPLES] = "count",  [WEIGHT_EVENTS] = "count",
		[WEIGHT_NS] = "nanoseconds", [WEIGHT_PERCENT] = "percent",
		[WEIGHT_BYTES] = "bytes",    [WEIGHT_UNKNOWN] = "number",
	};

	if (decimals) {
		out_z(ret, "0.");
		out_repeat(ret, '0', decimals - 1);
		out_z(ret, "1 ");
	}
	out_z(ret, names[unit]);
}

/*
 * Whether @p gets two sample types in the file: the number of samples or calls, besides the weight.
 */
static bool pprof_has_count(const struct paths *p)
{
	return p->from_calls || p->unit == WEIGHT_EVENTS || p->unit == WEIGHT_NS ||
	       p->unit == WEIGHT_BYTES;
}

/*
 * Write the sample types of captures[@i]. Users select a sample type by its name, so each name must
 * be unique in the file.
 */
static void pprof_types(struct pprof_writer *w, const struct capture *const *captures, size_t n,
			size_t i, const struct paths *p)
{
	const struct capture *c = captures[i];
	struct strings *strings = capture_strings(c);
	struct str event =
		c->profile && !p->from_calls ? strings_get(strings, c->profile->event) : STR_NONE;
	struct out name = { .fd = -1 };
	struct out unit = { .fd = -1 };
	struct out origin = { .fd = -1 };

	export_origin(captures, n, i, &origin);
	if (event.len && n > 1)
		out_printf(&name, STR_FMT STR_FMT " ", STR_ARG(event), STR_ARG(out_view(&origin)));
	out_z(&name, p->from_calls ? "calls" : "samples");
	if (!event.len || n == 1)
		out_str(&name, out_view(&origin));
	if (pprof_has_count(p) || p->unit == WEIGHT_SAMPLES) {
		pprof_value_type(w, PPROF_SAMPLE_TYPE, out_view(&name), STR("count"));
		w->n_values++;
	}
	if (p->unit != WEIGHT_SAMPLES) {
		pprof_unit(p->unit, p->decimals, &unit);
		name.len = 0;
		out_str(&name, p->from_calls ? STR("time") : event.len ? event : STR("weight"));
		out_str(&name, out_view(&origin));
		pprof_value_type(w, PPROF_SAMPLE_TYPE, out_view(&name), out_view(&unit));
		w->n_values++;
	}
	out_fini(&name);
	out_fini(&unit);
	out_fini(&origin);
}

static uint32_t pprof_location(struct pprof_writer *w, uint32_t outer, sym_id sym)
{
	struct idmap_probe p = idmap_first(&w->locations_map, hash_u64(outer, sym.v));

	while (idmap_next(&w->locations_map, &p)) {
		const struct pprof_location *l = &w->locations.data[p.id];

		if (l->outer == outer && l->sym.v == sym.v)
			return p.id + 1;
	}
	idmap_insert(&w->locations_map, &p, (uint32_t)w->locations.len);
	*VEC_PUSH(&w->locations) = (struct pprof_location){ outer, sym };
	return (uint32_t)w->locations.len;
}

/*
 * Make locations for all nodes of @s. Returns an array with the location id of each node; 0: the
 * node is a command. The caller frees the array. The location of an inlined function includes its
 * callers, up to the first caller that is not inlined.
 */
static uint32_t *pprof_node_locations(struct pprof_writer *w, const struct stacks *s)
{
	uint32_t n = stacks_count(s);
	uint32_t *of = xcalloc(n, sizeof(*of));

	for (uint32_t i = 1; i < n; i++) {
		const struct symbol *sym = symbols_get(w->symbols, s->sym.data[i]);

		if (sym->space == SPACE_COMM && s->parent.data[i] == 0)
			continue;
		of[i] = pprof_location(w, sym->flags & SYMBOL_INLINED ? of[s->parent.data[i]] : 0,
				       s->sym.data[i]);
	}
	return of;
}

static void pprof_label(struct pprof_writer *w, struct str key, struct str text, uint64_t number)
{
	w->inner.len = 0;
	pprof_number(&w->inner, PPROF_LABEL_KEY, pprof_string(w, key));
	if (text.len) {
		pprof_number(&w->inner, PPROF_LABEL_STR, pprof_string(w, text));
	} else {
		pprof_number(&w->inner, PPROF_LABEL_NUM, number);
		pprof_number(&w->inner, PPROF_LABEL_UNIT, pprof_string(w, STR("id")));
	}
	pprof_bytes(&w->message, PPROF_SAMPLE_LABEL, out_view(&w->inner));
}

/*
 * Write the values of entry @e: one value for each sample type of the file. @first: index of the
 * first sample type of the entry's capture. Values of other captures' sample types are 0.
 */
static void pprof_values(struct pprof_writer *w, const struct pprof_entry *e, const struct paths *p,
			 uint32_t first)
{
	w->inner.len = 0;
	for (uint32_t i = 0; i < w->n_values; i++) {
		uint64_t v = 0;

		if (i == first)
			v = pprof_has_count(p) ? e->count : e->weight;
		else if (i == first + 1 && pprof_has_count(p))
			v = e->weight;
		pprof_varint(&w->inner, v > INT64_MAX ? INT64_MAX : v);
	}
	pprof_bytes(&w->message, PPROF_SAMPLE_VALUE, out_view(&w->inner));
}

static void pprof_sample(struct pprof_writer *w, const struct capture *c, const struct paths *p,
			 const uint32_t *location, const struct pprof_entry *e, uint32_t first)
{
	const struct stacks *s = p->stacks;
	sym_id comm = SYM_ID_NONE;

	w->inner.len = 0;
	for (uint32_t i = e->node; i; i = s->parent.data[i]) {
		if (location[i] == 0) {
			comm = s->sym.data[i];
			continue;
		}
		pprof_varint(&w->inner, location[i]);
		/*
		 * the location of an inlined function includes its callers, up to the first caller
		 * that is not inlined: skip the nodes of these callers
		 */
		while (symbols_get(w->symbols, s->sym.data[i])->flags & SYMBOL_INLINED &&
		       location[s->parent.data[i]])
			i = s->parent.data[i];
	}
	pprof_bytes(&w->message, PPROF_SAMPLE_LOCATION, out_view(&w->inner));
	pprof_values(w, e, p, first);
	if (comm.v)
		pprof_label(w, STR("comm"), symbols_name(w->symbols, comm), 0);
	if (e->thread != INDEX_NONE) {
		const struct profile_thread *t = &c->profile->threads.data[e->thread];

		if (t->has_pid)
			pprof_label(w, STR("pid"), STR_NONE, t->pid);
		if (t->has_tid)
			pprof_label(w, STR("tid"), STR_NONE, t->tid);
	}
	pprof_message(w, PPROF_SAMPLE);
}

static void pprof_samples(struct pprof_writer *w, const struct capture *c, const struct paths *p,
			  uint32_t first)
{
	const struct samples *s = p->from_calls ? NULL : &c->profile->samples;
	uint32_t *location = pprof_node_locations(w, p->stacks);
	VEC(struct pprof_entry) entries = VEC_INIT;
	struct idmap map = { 0 };

	for (size_t i = 0; s && i < s->n; i++) {
		uint32_t node = s->stack.data[i].v;
		uint32_t thread = s->thread.len ? s->thread.data[i] : INDEX_NONE;
		struct idmap_probe probe = idmap_first(&map, hash_u64(node, thread));
		struct pprof_entry *e = NULL;

		while (!e && idmap_next(&map, &probe)) {
			if (entries.data[probe.id].node == node &&
			    entries.data[probe.id].thread == thread)
				e = &entries.data[probe.id];
		}
		if (!e) {
			idmap_insert(&map, &probe, (uint32_t)entries.len);
			e = VEC_PUSH(&entries);
			*e = (struct pprof_entry){ .node = node, .thread = thread };
		}
		e->count += profile_samples_at(c->profile, i);
		if (__builtin_add_overflow(e->weight, s->weight.data[i], &e->weight))
			e->weight = UINT64_MAX;
	}
	for (uint32_t i = 0; !s && i < stacks_count(p->stacks); i++) {
		if (p->count[i])
			*VEC_PUSH(&entries) =
				(struct pprof_entry){ i, INDEX_NONE, p->count[i], p->self[i] };
	}
	VEC_FOREACH (e, &entries)
		pprof_sample(w, c, p, location, e, first);
	VEC_FREE(&entries);
	idmap_fini(&map);
	free(location);
}

static uint64_t pprof_mapping(struct pprof_writer *w, str_id module)
{
	struct idmap_probe p;

	if (module.v == 0)
		return 0;
	p = idmap_first(&w->mappings_map, hash_u64(module.v, 0));
	while (idmap_next(&w->mappings_map, &p)) {
		if (w->mappings.data[p.id].v == module.v)
			return p.id + 1;
	}
	idmap_insert(&w->mappings_map, &p, (uint32_t)w->mappings.len);
	*VEC_PUSH(&w->mappings) = module;
	return w->mappings.len;
}

static uint64_t pprof_function(struct pprof_writer *w, sym_id sym)
{
	if (!w->function_of[sym.v]) {
		*VEC_PUSH(&w->functions) = sym;
		w->function_of[sym.v] = (uint32_t)w->functions.len;
	}
	return w->function_of[sym.v];
}

/*
 * The address of @sym in the written file. If the name of an unknown function is an address, it is
 * this address. Otherwise it is the start of the function.
 */
static uint64_t pprof_address(const struct pprof_writer *w, sym_id sym)
{
	const struct symbol *s = symbols_get(w->symbols, sym);
	struct str name = symbols_name(w->symbols, sym);
	uint64_t v;

	if (s->flags & SYMBOL_ADDRESS && str_hex64(&name, &v))
		return v;
	return s->address;
}

static void pprof_tables(struct pprof_writer *w)
{
	for (uint32_t i = 0; i < w->locations.len; i++) {
		sym_id sym = w->locations.data[i].sym;
		uint32_t outermost = i;

		while (w->locations.data[outermost].outer)
			outermost = w->locations.data[outermost].outer - 1;
		pprof_number(&w->message, PPROF_LOCATION_ID, i + 1);
		pprof_number(&w->message, PPROF_LOCATION_MAPPING,
			     pprof_mapping(w, export_module_id(w->symbols,
							       w->locations.data[outermost].sym)));
		pprof_number(&w->message, PPROF_LOCATION_ADDRESS, pprof_address(w, sym));
		for (uint32_t at = i + 1; at; at = w->locations.data[at - 1].outer) {
			w->inner.len = 0;
			pprof_number(&w->inner, PPROF_LINE_FUNCTION,
				     pprof_function(w, w->locations.data[at - 1].sym));
			pprof_bytes(&w->message, PPROF_LOCATION_LINE, out_view(&w->inner));
		}
		pprof_message(w, PPROF_LOCATION);
	}
	for (uint32_t i = 0; i < w->functions.len; i++) {
		uint64_t name;

		w->inner.len = 0;
		/*
		 * leave out the module of an inlined function, because its location already has the
		 * module
		 */
		if (symbols_get(w->symbols, w->functions.data[i])->flags & SYMBOL_INLINED)
			out_str(&w->inner, symbols_name(w->symbols, w->functions.data[i]));
		else
			export_name(w->symbols, w->functions.data[i], false, &w->inner);
		name = pprof_string(w, out_view(&w->inner));
		pprof_number(&w->message, PPROF_FUNCTION_ID, i + 1);
		pprof_number(&w->message, PPROF_FUNCTION_NAME, name);
		pprof_number(&w->message, PPROF_FUNCTION_SYSTEM_NAME, name);
		pprof_message(w, PPROF_FUNCTION);
	}
	for (uint32_t i = 0; i < w->mappings.len; i++) {
		pprof_number(&w->message, PPROF_MAPPING_ID, i + 1);
		pprof_number(
			&w->message, PPROF_MAPPING_FILENAME,
			pprof_string(w, strings_get(w->symbols->strings, w->mappings.data[i])));
		/*
		 * declare all symbols of the mapping as present, so that pprof does not search for
		 * the file
		 */
		for (unsigned int has = PPROF_MAPPING_HAS_FUNCTIONS;
		     has <= PPROF_MAPPING_HAS_INLINES; has++)
			pprof_number(&w->message, has, 1);
		pprof_message(w, PPROF_MAPPING);
	}
}

static void pprof_comment(struct pprof_writer *w, const char *text)
{
	pprof_number(&w->raw, PPROF_COMMENT, pprof_string(w, str_of(text)));
}

static void pprof_comments(struct pprof_writer *w, const struct capture *const *captures, size_t n)
{
	bool has_times = false;
	struct out text = { .fd = -1 };

	pprof_comment(w, "written by assay " ASSAY_VERSION);
	for (size_t i = 0; i < n; i++) {
		const struct capture *c = captures[i];

		text.len = 0;
		out_printf(&text, "from %s of " STR_FMT, c->format,
			   STR_ARG(strings_get(capture_strings(c), c->path)));
		out_char(&text, '\0');
		pprof_comment(w, text.data);
		has_times |= c->profile && c->profile->samples.time_ns.len;
		has_times |= !(c->profile && c->profile->samples.n);
	}
	if (has_times)
		pprof_comment(w, "not in this file: times and CPUs of single samples or calls");
	out_fini(&text);
}

/* Write the string table. pprof requires UTF-8: invalid bytes become U+FFFD. */
static void pprof_strings(struct pprof_writer *w)
{
	for (size_t i = 0; i < w->strings.views.len; i++) {
		struct str s = strings_get(&w->strings, (str_id){ (uint32_t)i });

		if (utf8_valid(s)) {
			out_str(&w->message, s);
		} else {
			while (s.len) {
				uint32_t code;

				s = str_skip(s, utf8_decode(s, &code));
				utf8_encode(&w->message, code);
			}
		}
		pprof_message(w, PPROF_STRING_TABLE);
	}
}

static uint64_t pprof_duration(const struct capture *c)
{
	const struct samples *s = c->profile ? &c->profile->samples : NULL;
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;

	for (size_t i = 0; s && i < s->time_ns.len; i++) {
		first = s->time_ns.data[i] < first ? s->time_ns.data[i] : first;
		last = s->time_ns.data[i] > last ? s->time_ns.data[i] : last;
	}
	return last > first ? last - first : 0;
}

int pprof_write(const struct capture *const *captures, size_t n, struct out *out, struct error *err)
{
	struct pprof_writer w = { .out = out };
	/*
	 * the gzip header gets the comment "assay", which marks outputs of assay
	 * (cmds/run/outputs.c); other readers ignore it
	 */
	Bytef maker[] = "assay";
	gz_header mark = { .comment = maker, .os = PPROF_GZIP_UNIX };
	uint64_t duration = 0;
	uint32_t first = 0;
	int status = OK;

	if (deflateInit2(&w.z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return fail(err, ERR_LIMIT, "no memory to compress");
	(void)deflateSetHeader(&w.z, &mark);
	out_init(&w.raw);
	out_init(&w.message);
	out_init(&w.inner);
	strings_init(&w.strings);
	w.symbols = n ? capture_symbols(captures[0]) : NULL;
	for (size_t i = 0; i < n && status == OK; i++) {
		struct paths p;

		status = paths_of(captures[i], &p, err);
		if (status == OK)
			pprof_types(&w, captures, n, i, &p);
		paths_fini(&p);
	}
	w.function_of = xcalloc(n ? w.symbols->rows.len + 1 : 1, sizeof(*w.function_of));
	for (size_t i = 0; i < n && status == OK; i++) {
		struct paths p;

		status = paths_of(captures[i], &p, err);
		if (status == OK) {
			pprof_samples(&w, captures[i], &p, first);
			first += p.unit == WEIGHT_SAMPLES || !pprof_has_count(&p) ? 1 : 2;
		}
		paths_fini(&p);
	}
	pprof_tables(&w);
	for (size_t i = 0; i < n; i++) {
		uint64_t of_this = pprof_duration(captures[i]);

		duration = of_this > duration ? of_this : duration;
	}
	pprof_number(&w.raw, PPROF_DURATION_NANOS, duration);
	pprof_comments(&w, captures, n);
	pprof_strings(&w);
	pprof_deflate(&w, Z_FINISH);
	(void)deflateEnd(&w.z);
	out_fini(&w.raw);
	out_fini(&w.message);
	out_fini(&w.inner);
	strings_fini(&w.strings);
	VEC_FREE(&w.locations);
	VEC_FREE(&w.functions);
	VEC_FREE(&w.mappings);
	idmap_fini(&w.locations_map);
	idmap_fini(&w.mappings_map);
	free(w.function_of);
	return status;
}
