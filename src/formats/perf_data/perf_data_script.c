/* SPDX-License-Identifier: MIT */
/*
 * perf_data_script.c - print samples of a recording in the format of perf script
 *
 * Samples are printed while the recording is read, because captures store functions but not
 * addresses. Layout: sample__fprintf_start(), process_event() and sample__fprintf_callchain() of
 * perf 6.1, default fields, without inlined frames. The text of a frame is cached, because
 * recordings have few distinct addresses.
 */
#include "core/dossier.h"
#include "formats/perf_data/perf_data_reader.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/perf_data/perf_data_file.h"
#include "formats/perf_data/perf_data_raw.h"
#include "formats/perf_data/perf_data_sample.h"
#include "symbols/resolver/resolver.h"

#define SCRIPT_TYPE_TRACEPOINT 2u
#define SCRIPT_CACHE_BYTES     (32u << 20)
/* maximum size of the buffered text and raw fields */
#define SCRIPT_PENDING_BYTES (16u << 20)

/* The cached text of a frame. The key has two parts: ip and `where` of struct perf_frame. */
struct perf_script_line {
	uint64_t ip;
	uint64_t where;
	uint32_t at; /* offset of the line in perf_script.text */
	uint32_t len;
};

/*
 * Text that is written later, because fields of tracepoints must be inserted into it first. A child
 * process prints these fields.
 */
struct perf_script_pending {
	bool is_on; /* the file has tracepoints, so all text is buffered */
	struct out text;
	/*
	 * for each element of raw.items: offset in `text` at which its printed fields must be
	 * inserted
	 */
	VEC(size_t) marks;
	struct perf_raw raw;
	size_t written; /* number of bytes from the start of `text` that are already written */
};

struct perf_script {
	struct perf_script_pending pending;
	struct out text; /* cached lines of frames */
	VEC(struct perf_script_line) lines;
	struct idmap map;
	size_t event_width;
	/* number of events in perf_file.attrs whose names event_width already covers */
	size_t n_events;
};

void perf_script_free(struct perf_script *t)
{
	if (!t)
		return;
	out_fini(&t->text);
	out_fini(&t->pending.text);
	VEC_FREE(&t->pending.marks);
	perf_raw_fini(&t->pending.raw);
	VEC_FREE(&t->lines);
	idmap_fini(&t->map);
	free(t);
}

static struct out *script_out(struct perf_reader *r, struct perf_script *t)
{
	return t->pending.is_on ? &t->pending.text : r->file.dossier->wanted.script;
}

static void script_write_upto(struct perf_script_pending *p, struct out *out, size_t end)
{
	out_bytes(out, p->text.data + p->written, end - p->written);
	p->written = end;
}

/*
 * Callback of type perf_raw_take. Write the buffered text up to the mark of @item, then @text, the
 * printed fields of the item.
 */
static void script_take(void *arg, size_t item, size_t field, struct str text)
{
	struct perf_reader *r = arg;
	struct perf_script_pending *p = &r->script->pending;
	struct out *out = r->file.dossier->wanted.script;

	(void)field;
	script_write_upto(p, out, p->marks.data[item]);
	out_str(out, text);
}

static void script_flush(struct perf_reader *r)
{
	static const struct str fields[] = { STR("trace") };
	struct perf_script_pending *p = &r->script->pending;

	perf_raw_texts(&p->raw, &r->file, r->resolver, fields, ARRAY_LEN(fields), script_take, r);
	script_write_upto(p, r->file.dossier->wanted.script, p->text.len);
	p->text.len = p->written = 0;
	p->marks.len = 0;
	p->raw.items.len = 0;
	p->raw.bytes.len = 0;
}

void perf_script_finish(struct perf_reader *r)
{
	if (r->script && r->script->pending.is_on)
		script_flush(r);
}

/*
 * Store the raw fields of tracepoint sample @s. When they are printed, their text is inserted at
 * the current end of the buffered text.
 */
static void script_trace(struct perf_script *t, const struct perf_sample *s)
{
	struct perf_script_pending *p = &t->pending;

	if (!s->raw.len)
		return;
	*VEC_PUSH(&p->marks) = p->text.len;
	perf_raw_add(&p->raw, s->attr, 0, s->raw);
}

static void script_hex(struct out *o, uint64_t v, size_t width)
{
	char digits[16];
	size_t n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	out_repeat(o, ' ', width > n ? width - n : 0);
	while (n)
		out_char(o, digits[--n]);
}

/* Print the rest of a frame's line after the address: "_dl_fixup+0x4e (/usr/lib/ld.so)". */
static void script_place(struct perf_reader *r, struct out *o, const struct resolver_spot *p)
{
	const struct symbols *symbols = &r->file.dossier->symbols;
	const struct symbol *s = symbols_get(symbols, p->sym);

	if (s->flags & SYMBOL_ADDRESS) {
		out_z(o, "[unknown]");
	} else {
		out_str(o, symbols_name(symbols, p->sym));
		out_z(o, "+0x");
		script_hex(o, p->offset, 0);
	}
	out_z(o, " (");
	out_str(o, strings_get(&r->file.dossier->strings, p->module));
	out_z(o, ")\n");
}

/* Print a frame of a chain. A user address is printed as an offset in its file. */
static void script_frame(struct perf_reader *r, struct perf_script *t, uint32_t pid,
			 const struct perf_frame *f)
{
	struct out *out = script_out(r, t);
	uint64_t where = f->where & ~PERF_FRAME_AFTER_CALL;
	struct idmap_probe p = idmap_first(&t->map, hash_u64(f->ip, where));
	struct perf_script_line line = { f->ip, where, (uint32_t)t->text.len, 0 };
	struct resolver_spot place;

	while (idmap_next(&t->map, &p)) {
		const struct perf_script_line *l = &t->lines.data[p.id];

		if (l->ip == f->ip && l->where == where) {
			out_bytes(out, t->text.data + l->at, l->len);
			return;
		}
	}
	resolver_spot(r->resolver, pid, (enum cpumode)(where & 7), f->ip, &place);
	out_char(&t->text, '\t');
	script_hex(&t->text, place.shown, 16);
	out_char(&t->text, ' ');
	script_place(r, &t->text, &place);
	line.len = (uint32_t)(t->text.len - line.at);
	out_bytes(out, t->text.data + line.at, line.len);
	if (t->text.len > SCRIPT_CACHE_BYTES) {
		t->text.len = t->lines.len = 0;
		idmap_fini(&t->map);
		t->map = (struct idmap){ 0 };
		return;
	}
	idmap_insert(&t->map, &p, (uint32_t)t->lines.len);
	*VEC_PUSH(&t->lines) = line;
}

static bool script_has_chain(const struct perf_reader *r, const struct perf_attr *a)
{
	return a->sample_type & PERF_SAMPLE_CALLCHAIN || perf_attr_is_off_cpu(&r->file, a);
}

static void script_head(struct perf_reader *r, struct perf_script *t, const struct perf_sample *s,
			str_id comm_id)
{
	struct out *out = script_out(r, t);
	const struct perf_attr *a = &r->file.attrs.data[s->attr];
	struct str comm = strings_get(&r->file.dossier->strings, comm_id);
	struct str event = strings_get(&r->file.dossier->strings, a->name);
	bool has_chain = script_has_chain(r, a);

	if (!has_chain && comm.len < 16)
		out_repeat(out, ' ', 16 - comm.len);
	out_str(out, comm);
	out_printf(out, " %5d ", (int)s->tid);
	if (a->sample_type & PERF_SAMPLE_CPU)
		out_printf(out, "[%03d] ", (int)s->cpu);
	if (a->sample_type & PERF_SAMPLE_TIME)
		out_printf(out, "%5llu.%06llu: ", (unsigned long long)(s->time / 1000000000),
			   (unsigned long long)(s->time / 1000 % 1000000));
	if (a->type != SCRIPT_TYPE_TRACEPOINT)
		out_printf(out, "%10llu ", (unsigned long long)s->period);
	if (event.len < t->event_width)
		out_repeat(out, ' ', t->event_width - event.len);
	out_str(out, event);
	out_z(out, ": ");
}

static struct perf_script *script_state(struct perf_reader *r)
{
	struct perf_script *t = r->script;

	if (!t) {
		t = r->script = xcalloc(1, sizeof(*t));
		out_init(&t->text);
		out_init(&t->pending.text);
	}
	for (; t->n_events < r->file.attrs.len; t->n_events++) {
		size_t len =
			strings_get(&r->file.dossier->strings, r->file.attrs.data[t->n_events].name)
				.len;

		t->event_width = len > t->event_width ? len : t->event_width;
		t->pending.is_on |= r->file.attrs.data[t->n_events].type == SCRIPT_TYPE_TRACEPOINT;
	}
	return t;
}

/*
 * Index in r->frames of the first frame of the recorded chain. r->frames may begin with the
 * sample's own address, which is not part of the chain; the index is then 1. If the chain is
 * invalid, none of its frames is printed, and the result is r->frames.len.
 */
static size_t script_first_frame(const struct perf_reader *r, const struct perf_sample *s)
{
	static const int contexts[] = { -32, -128, -512, -2048, -2176, -2560 };
	size_t first = r->frames.len > 1 ? 0 : 1;
	bool is_first = true;

	for (uint64_t i = 0; i < s->chain.n; i++) {
		uint64_t ip = perf_word(s->chain, i);
		bool is_known = ip < (uint64_t)-4095;

		if (ip == (uint64_t)-640) /* -640 is PERF_CONTEXT_USER_DEFERRED */
			break;
		if (is_known && is_first)
			first = ip == s->ip ? 0 : 1;
		is_first &= !is_known;
		for (size_t k = 0; k < ARRAY_LEN(contexts); k++)
			is_known |= ip == (uint64_t)(int64_t)contexts[k];
		if (!is_known)
			return r->frames.len;
	}
	return first;
}

void perf_script_sample(struct perf_reader *r, const struct perf_sample *s, str_id comm)
{
	const struct perf_attr *a = &r->file.attrs.data[s->attr];
	struct perf_script *t = script_state(r);
	struct out *out = script_out(r, t);
	struct resolver_spot place;

	script_head(r, t, s, comm);
	if (a->type == SCRIPT_TYPE_TRACEPOINT)
		script_trace(t, s);
	if (script_has_chain(r, a)) {
		out_char(out, '\n');
		for (size_t i = script_first_frame(r, s); i < r->frames.len; i++)
			script_frame(r, t, s->pid, &r->frames.data[i]);
		out_char(out, '\n');
	} else if (a->type == SCRIPT_TYPE_TRACEPOINT) {
		out_char(out, '\n');
	} else {
		resolver_spot(r->resolver, s->pid, s->mode, s->ip, &place);
		out_char(out, ' ');
		script_hex(out, s->ip, 16);
		out_char(out, ' ');
		script_place(r, out, &place);
	}
	if (t->pending.text.len > SCRIPT_PENDING_BYTES ||
	    t->pending.raw.bytes.len > SCRIPT_PENDING_BYTES)
		script_flush(r);
}
