/* SPDX-License-Identifier: MIT */
/*
 * Source for the layout of the lines: sample__fprintf_start() and process_event() of perf's
 * builtin-script.c.
 */
#include "formats/perf_script/perf_script_write.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/exchange/export.h"

struct script_writer {
	const struct capture *const *captures;
	const struct symbols *symbols;
	struct out *out;
	struct out frames;  /* text of the frame lines that are cached */
	uint32_t *frame_at; /* for each symbol: offset of its frame line in `frames` */
	/* for each symbol: length of its frame line; 0: the line is not in `frames` yet */
	uint32_t *frame_len;
	unsigned int event_width;
};

int perf_script_check(const struct capture *c, struct error *err)
{
	const struct profile *p = c->profile;
	uint64_t sum = 0;

	if (!p || p->samples.n == 0)
		return fail(err, ERR_UNSUPPORTED, "it has no samples");
	if (profile_sample_unit(p) == WEIGHT_PERCENT || profile_sample_decimals(p))
		return fail(err, ERR_UNSUPPORTED,
			    "its weights are fractions, and perf script needs integers");
	for (size_t i = 0; i < p->samples.n; i++) {
		/*
		 * if weights are numbers of samples, a sample is written as often as its weight
		 * says
		 */
		if (profile_sample_unit(p) == WEIGHT_SAMPLES &&
		    (p->samples.weight.data[i] > LIMIT_SAMPLES ||
		     (sum += p->samples.weight.data[i]) > LIMIT_SAMPLES))
			return fail(err, ERR_LIMIT, "more samples than can be written");
	}
	return OK;
}

static uint64_t script_write_address(const struct symbol *s, struct str name)
{
	uint64_t v;

	if (s->flags & SYMBOL_ADDRESS && str_hex64(&name, &v))
		return v;
	if (s->address)
		return s->address;
	/*
	 * the address of a kernel function is unknown: use an address in kernel space. A reader of
	 * the text then knows that the function belongs to the kernel, which the dso may not show
	 */
	return s->space == SPACE_KERNEL ? UINT64_C(0xffffffff80000000) : 0;
}

/*
 * The frame line of @sym: "\t    ffffffff81000000 symbol (dso)\n". It is formatted at the first
 * call and then cached.
 */
static struct str script_write_frame(struct script_writer *w, sym_id sym)
{
	const struct symbol *s = symbols_get(w->symbols, sym);
	struct str name = symbols_name(w->symbols, sym);
	struct str module = symbols_module(w->symbols, sym);
	struct out *o = &w->frames;

	if (w->frame_len[sym.v])
		return str_sub(out_view(o), w->frame_at[sym.v],
			       (size_t)w->frame_at[sym.v] + w->frame_len[sym.v]);
	w->frame_at[sym.v] = (uint32_t)o->len;
	out_printf(o, "\t%16llx ", (unsigned long long)script_write_address(s, name));
	if (s->flags & SYMBOL_ADDRESS)
		name = STR("[unknown]");
	export_plain(o, name);
	if (s->flags & SYMBOL_INLINED) {
		out_z(o, " (inlined)");
	} else {
		if (module.len == 0)
			module = s->space == SPACE_KERNEL ? STR("[kernel.kallsyms]")
							  : STR("[unknown]");
		out_z(o, " (");
		export_plain(o, module);
		out_char(o, ')');
	}
	out_char(o, '\n');
	w->frame_len[sym.v] = (uint32_t)(o->len - w->frame_at[sym.v]);
	return str_skip(out_view(o), w->frame_at[sym.v]);
}

static void script_write_head(struct script_writer *w, const struct capture *c, size_t i,
			      struct str comm, uint64_t weight)
{
	const struct profile *p = c->profile;
	const struct samples *s = &p->samples;
	const struct profile_thread *t = s->thread.len ? &p->threads.data[s->thread.data[i]] : NULL;
	enum weight_unit unit = profile_sample_unit(p);
	struct str event = strings_get(capture_strings(c), p->event);

	if (comm.len == 0 && t)
		comm = strings_get(capture_strings(c), t->comm);
	if (comm.len == 0)
		comm = STR(":-1");
	export_plain(w->out, comm);
	if (t && t->has_tid)
		out_printf(w->out, " %7d ", (int)t->tid);
	else
		out_z(w->out, "      -1 ");
	if (s->cpu.len && s->cpu.data[i] != UINT16_MAX)
		out_printf(w->out, "[%03u] ", s->cpu.data[i]);
	if (s->time_ns.len)
		out_printf(w->out,
			   "%5llu.%06llu: ", (unsigned long long)(s->time_ns.data[i] / 1000000000),
			   (unsigned long long)(s->time_ns.data[i] / 1000 % 1000000));
	if (unit != WEIGHT_SAMPLES)
		out_printf(w->out, "%10llu ", (unsigned long long)weight);
	if (event.len == 0)
		event = STR("samples");
	if (event.len < w->event_width)
		out_repeat(w->out, ' ', w->event_width - event.len);
	export_plain(w->out, event);
	out_z(w->out, ": ");
}

static void script_write_sample(struct script_writer *w, const struct capture *c, size_t i)
{
	const struct stacks *s = &c->profile->stacks;
	uint32_t leaf = c->profile->samples.stack.data[i].v;
	uint64_t weight = c->profile->samples.weight.data[i];
	uint64_t times = profile_sample_unit(c->profile) == WEIGHT_SAMPLES
				 ? weight
				 : profile_samples_at(c->profile, i);
	struct str comm = STR_NONE;
	uint32_t root = leaf;

	while (root && s->parent.data[root])
		root = s->parent.data[root];
	if (root && symbols_get(w->symbols, s->sym.data[root])->space == SPACE_COMM)
		comm = symbols_name(w->symbols, s->sym.data[root]);
	else
		root = 0;
	/*
	 * an element of the profile may stand for several samples: write each of them, with an
	 * equal part of the weight
	 */
	for (uint64_t k = 0; k < times; k++) {
		script_write_head(w, c, i, comm, weight / times + (k < weight % times));
		out_char(w->out, '\n');
		for (uint32_t node = leaf; node != root; node = s->parent.data[node])
			out_str(w->out, script_write_frame(w, s->sym.data[node]));
		out_char(w->out, '\n');
	}
}

/*
 * Index of the capture whose next sample must be written; @n: all samples are written. @by_time:
 * choose the capture with the earliest next sample; false: choose the first capture with unwritten
 * samples. @at: for each capture, the index of its next sample.
 */
static size_t script_write_next(const struct script_writer *w, const size_t *at, size_t n,
				bool by_time)
{
	size_t best = n;

	for (size_t k = 0; k < n; k++) {
		const struct samples *s = &w->captures[k]->profile->samples;
		const struct samples *b = best < n ? &w->captures[best]->profile->samples : NULL;

		if (at[k] >= s->n)
			continue;
		if (!b || (by_time && s->time_ns.data[at[k]] < b->time_ns.data[at[best]]))
			best = k;
		if (!by_time)
			break;
	}
	return best;
}

int perf_script_write(const struct capture *const *captures, size_t n, struct out *out,
		      struct error *err)
{
	struct script_writer w = { .captures = captures, .out = out };
	size_t *at = xcalloc(n + 1, sizeof(*at));
	bool by_time = n > 1;
	size_t k;

	(void)err;
	w.symbols = n ? capture_symbols(captures[0]) : NULL;
	out_init(&w.frames);
	w.frame_at = xcalloc(n ? w.symbols->rows.len + 1 : 1, sizeof(*w.frame_at));
	w.frame_len = xcalloc(n ? w.symbols->rows.len + 1 : 1, sizeof(*w.frame_len));
	for (size_t i = 0; i < n; i++) {
		const struct profile *p = captures[i]->profile;
		size_t len = strings_get(capture_strings(captures[i]), p->event).len;

		by_time &= p->samples.time_ns.len == p->samples.n;
		w.event_width = len > w.event_width ? (unsigned int)len : w.event_width;
	}
	while ((k = script_write_next(&w, at, n, by_time)) < n)
		script_write_sample(&w, captures[k], at[k]++);
	out_fini(&w.frames);
	free(w.frame_at);
	free(w.frame_len);
	free(at);
	return OK;
}
