/* SPDX-License-Identifier: MIT */
/*
 * perf_data_script.c - samples of a recording as perf script prints them
 *
 * While the recording is read, because a capture knows functions and not the
 * addresses in them. Layout: sample__fprintf_start(), process_event() and
 * sample__fprintf_callchain() of perf 6.1, default fields, without inlined
 * frames. A frame is printed once and then copied: there are few addresses.
 */
#include "formats/perf_data_reader.h"

#include "base/limits.h"

#define SCRIPT_TYPE_TRACEPOINT 2u
#define SCRIPT_CACHE_BYTES     (32u << 20)

struct perf_script_line {
	uint64_t ip;
	uint64_t where;
	uint32_t at;
	uint32_t len;
};

struct perf_script {
	struct out text; /* lines of frames */
	VEC(struct perf_script_line) lines;
	struct idmap map;
	size_t event_width;
	size_t n_events; /* that event_width knows */
};

void perf_script_free(struct perf_script *t)
{
	if (!t)
		return;
	out_fini(&t->text);
	VEC_FREE(&t->lines);
	idmap_fini(&t->map);
	free(t);
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

/* "_dl_fixup+0x4e (/usr/lib/ld.so)\n" */
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

/* A frame of a chain: user code at its place in the file. */
static void script_frame(struct perf_reader *r, struct perf_script *t, uint32_t pid,
			 const struct perf_frame *f)
{
	struct out *out = r->file.dossier->wanted.script;
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

static void script_head(struct perf_reader *r, const struct perf_script *t,
			const struct perf_sample *s, str_id comm_id)
{
	struct out *out = r->file.dossier->wanted.script;
	const struct perf_attr *a = &r->file.attrs.data[s->attr];
	struct str comm = strings_get(&r->file.dossier->strings, comm_id);
	struct str event = strings_get(&r->file.dossier->strings, a->name);
	bool has_chain = a->sample_type & PERF_SAMPLE_CALLCHAIN;

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
	}
	for (; t->n_events < r->file.attrs.len; t->n_events++) {
		size_t len =
			strings_get(&r->file.dossier->strings, r->file.attrs.data[t->n_events].name)
				.len;

		t->event_width = len > t->event_width ? len : t->event_width;
	}
	return t;
}

/*
 * Of r->frames the first that the chain has: the sample's own place may stand in
 * front of it. A chain that is garbage has none.
 */
static size_t script_first_frame(const struct perf_reader *r, const struct perf_sample *s)
{
	static const int contexts[] = { -32, -128, -512, -2048, -2176, -2560 };
	size_t first = r->frames.len > 1 ? 0 : 1;
	bool is_first = true;

	for (uint64_t i = 0; i < s->chain.n; i++) {
		uint64_t ip = perf_word(s->chain, i);
		bool is_known = ip < (uint64_t)-4095;

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
	struct out *out = r->file.dossier->wanted.script;
	const struct perf_attr *a = &r->file.attrs.data[s->attr];
	struct perf_script *t = script_state(r);
	struct resolver_spot place;

	script_head(r, t, s, comm);
	if (a->sample_type & PERF_SAMPLE_CALLCHAIN) {
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
}
