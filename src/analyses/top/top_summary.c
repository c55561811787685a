/* SPDX-License-Identifier: MIT */
#include "analyses/top/top_build.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdio.h>

static const struct {
	const char *name;
	const char *perf; /* name of the key in perf */
} top_keys[TOP_KEY_COUNT] = {
	[TOP_COMM] = { "comm", "command" },
	[TOP_DSO] = { "dso", "shared_object" },
	[TOP_SYM] = { "symbol", "sym" },
	[TOP_CANONICAL] = { "canonical", "function" },
	[TOP_PID] = { "pid", "process" },
	[TOP_TID] = { "tid", "thread" },
	[TOP_CPU] = { "cpu", "cpus" },
	[TOP_SPACE] = { "space", "level" },
	[TOP_CATEGORY] = { "category", "category" },
	[TOP_SOCKET] = { "socket", "socket" },
	[TOP_NODE] = { "node", "node" },
	[TOP_SRCLINE] = { "srcline", "srcline" },
	[TOP_SRCFILE] = { "srcfile", "srcfile" },
	[TOP_COMM_NODIGIT] = { "comm_nodigit", "comm_nodigit" },
	[TOP_EXTRA] = { "column", "column" },
	[TOP_FIELD] = { "field", "field" },
};

const char *top_key_name(enum top_key key)
{
	return key < TOP_KEY_COUNT ? top_keys[key].name : "column";
}

bool top_key_find(struct str word, enum top_key *ret)
{
	for (int i = 0; i < TOP_EXTRA; i++) {
		if (str_eq_nocase(word, str_of(top_keys[i].name)) ||
		    str_eq_nocase(word, str_of(top_keys[i].perf))) {
			*ret = (enum top_key)i;
			return true;
		}
	}
	return false;
}

struct str top_key_text(const struct capture *c, const struct top *t, const struct top_row *row,
			size_t key, char buffer[24])
{
	uint32_t v = row->keys[key];

	switch (t->keys[key].key) {
	case TOP_COMM:
	case TOP_COMM_NODIGIT:
	case TOP_DSO:
	case TOP_CANONICAL:
	case TOP_SRCLINE:
	case TOP_SRCFILE:
	case TOP_EXTRA:
	case TOP_FIELD:
		return strings_get(capture_strings(c), (str_id){ v });
	case TOP_SYM:
		return symbols_name(capture_symbols(c), (sym_id){ v });
	case TOP_SPACE:
		return str_of(symbol_space_name((enum symbol_space)v));
	case TOP_CATEGORY:
		return str_of(category_name((category_id){ (uint16_t)v }));
	default:
		if (v == INDEX_NONE)
			return STR("");
		snprintf(buffer, 24, "%u", v);
		return str_of(buffer);
	}
}

static void top_share_add(struct top_share *s, double pct, double err)
{
	s->pct += pct;
	s->err += err;
	s->rows++;
}

/*
 * Sets of shares in struct top_summary. A set of these bits tells which shares include the samples
 * of a symbol.
 */
enum summary_share {
	SUMMARY_SEEN = 1 << 0,
	SUMMARY_UNSYMBOLISED = 1 << 1,
	SUMMARY_IDLE = 1 << 2,
	SUMMARY_KERNEL = 1 << 3,
	SUMMARY_USER = 1 << 4,
	SUMMARY_UNNAMED_KERNEL = 1 << 5,
	SUMMARY_DATA = 1 << 6,
};

bool top_is_kernel_data(const struct symbols *symbols, sym_id id)
{
	const struct symbol *s = symbols_get(symbols, id);

	return (s->space == SPACE_KERNEL || s->space == SPACE_UNKNOWN) &&
	       symbol_name_is_kernel_data(symbols_name(symbols, id));
}

static unsigned int summary_shares(struct category_cache *cats, const struct symbols *symbols,
				   sym_id id)
{
	const struct symbol *sym = symbols_get(symbols, id);
	unsigned int shares = SUMMARY_SEEN;

	if (sym->flags & SYMBOL_ADDRESS)
		shares |= SUMMARY_UNSYMBOLISED |
			  (sym->space == SPACE_KERNEL ? SUMMARY_UNNAMED_KERNEL : 0u);
	else if (top_is_kernel_data(symbols, id))
		shares |= SUMMARY_DATA;
	if (category_is_in(category_of(cats, symbols, id), STR("idle")))
		shares |= SUMMARY_IDLE;
	if (sym->space == SPACE_KERNEL)
		shares |= SUMMARY_KERNEL;
	else if (sym->space == SPACE_USER || sym->space == SPACE_VDSO || sym->space == SPACE_JIT)
		shares |= SUMMARY_USER;
	return shares;
}

static void summary_add_row(struct top_summary *s, struct category_cache *cats,
			    const struct symbols *symbols, const struct top_row *r)
{
	unsigned int shares = summary_shares(cats, symbols, (sym_id){ r->keys[0] });

	top_share_add(&s->total, r->self_pct, r->self_err);
	if (shares & SUMMARY_UNSYMBOLISED)
		top_share_add(&s->unsymbolised, r->self_pct, r->self_err);
	if (shares & SUMMARY_UNNAMED_KERNEL)
		top_share_add(&s->unnamed_kernel, r->self_pct, r->self_err);
	if (shares & SUMMARY_DATA) {
		top_share_add(&s->data, r->self_pct, r->self_err);
		if (!s->data_example.v)
			s->data_example = (sym_id){ r->keys[0] };
	}
	if (shares & SUMMARY_IDLE)
		top_share_add(&s->idle, r->self_pct, r->self_err);
	if (shares & SUMMARY_KERNEL)
		top_share_add(&s->kernel, r->self_pct, r->self_err);
	if (shares & SUMMARY_USER)
		top_share_add(&s->user, r->self_pct, r->self_err);
	s->rows += r->rows;
	s->zero_rows += r->zero_rows;
}

/* Weight and number of samples of one share of the summary. */
struct summary_sum {
	struct top_share *share;
	unsigned int bit;
	uint64_t weight;
	uint64_t samples;
};

static void summary_from_samples(const struct capture *c, struct category_cache *cats,
				 struct top_summary *ret)
{
	const struct profile *p = c->profile;
	const struct symbols *symbols = capture_symbols(c);
	struct top t = { .unit = profile_sample_unit(p), .decimals = profile_sample_decimals(p) };
	struct summary_sum sums[] = {
		{ &ret->total, SUMMARY_SEEN, 0, 0 },
		{ &ret->unsymbolised, SUMMARY_UNSYMBOLISED, 0, 0 },
		{ &ret->unnamed_kernel, SUMMARY_UNNAMED_KERNEL, 0, 0 },
		{ &ret->data, SUMMARY_DATA, 0, 0 },
		{ &ret->idle, SUMMARY_IDLE, 0, 0 },
		{ &ret->kernel, SUMMARY_KERNEL, 0, 0 },
		{ &ret->user, SUMMARY_USER, 0, 0 },
	};
	uint8_t *known = xcalloc(symbols->rows.len, 1);
	double whole = (double)p->left_out;
	double half = 0;
	uint64_t most = 0; /* largest weight so far of a sample at a data symbol */

	if (p->recovery != RECOVERY_EXACT)
		half = profile_half_width(p) * (double)profile_scale(p);
	for (size_t i = 0; i < p->samples.n; i++) {
		sym_id sym = stacks_sym(&p->stacks, p->samples.stack.data[i]);
		uint64_t weight = p->samples.weight.data[i];
		uint64_t samples = profile_samples_at(p, i);
		uint8_t *shares;
		bool is_new;

		/*
		 * a stack that has only a command belongs to a sample without call stack, so its
		 * function is unknown
		 */
		if (symbols_get(symbols, sym)->space == SPACE_COMM)
			sym = SYM_ID_NONE;
		shares = &known[sym.v];
		is_new = *shares == 0;
		if (is_new)
			*shares = (uint8_t)summary_shares(cats, symbols, sym);
		for (size_t k = 0; k < ARRAY_LEN(sums); k++) {
			bool is_in = *shares & sums[k].bit;

			sums[k].weight += is_in ? weight : 0;
			sums[k].samples += is_in ? samples : 0;
			sums[k].share->rows += is_in && is_new;
		}
		if (UNLIKELY(*shares & SUMMARY_DATA && weight > most)) {
			most = weight;
			ret->data_example = sym;
		}
		whole += (double)weight;
	}
	free(known);
	for (size_t k = 0; k < ARRAY_LEN(sums); k++) {
		sums[k].share->pct = top_pct(&t, (double)sums[k].weight, whole);
		sums[k].share->err = top_pct(&t, half * (double)sums[k].samples, whole);
	}
	ret->source = TOP_FROM_SAMPLES;
	ret->rows = ret->total.rows;
	ret->has_samples = p->recovery != RECOVERY_PARTIAL;
}

/*
 * in percent of the total: printed rows are complete if at most this much is missing from 100 %,
 * because the rounding of many small rows may hide this much
 */
#define SUMMARY_WHOLE 1.0

static int summary_from_rows(const struct capture *c, struct category_cache *cats,
			     struct top_summary *ret, struct error *err)
{
	struct top_spec spec = {
		.n_keys = 1, .no_children = true, .sort_by_self = true, .is_unnamed = true
	};
	struct top t;
	int r;

	spec.keys[0].key = TOP_SYM;
	r = top_compute(c, cats, &spec, &t, err);
	if (r < 0)
		return r;
	ret->source = t.source;
	VEC_FOREACH (row, &t.rows) {
		summary_add_row(ret, cats, capture_symbols(c), row);
		ret->printed_samples += row->samples;
	}
	ret->has_samples = ret->printed_samples > 0;
	ret->is_least = t.total_pct < 100 - SUMMARY_WHOLE;
	top_fini(&t);
	return OK;
}

int top_summarise(const struct capture *c, struct category_cache *cats, struct top_summary *ret,
		  struct error *err)
{
	const struct profile *p = c->profile;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (p && p->samples.n && (p->table.rows.len == 0 || p->recovery == RECOVERY_EXACT)) {
		summary_from_samples(c, cats, ret);
	} else {
		r = summary_from_rows(c, cats, ret, err);
		if (r < 0)
			return r;
	}
	if (p->table.rows.len) {
		ret->rows = p->table.rows.len;
		ret->zero_rows = 0;
		VEC_FOREACH (row, &p->table.rows)
			ret->zero_rows += (row->has & ROW_HAS_SELF) && row->self == 0;
	}
	ret->has_samples |= p->has_n_samples;
	/*
	 * prefer printed numbers, because samples that were rebuilt from printed rows may be
	 * incomplete
	 */
	ret->samples = p->has_n_samples       ? p->n_samples
		       : ret->printed_samples ? ret->printed_samples
					      : profile_count_samples(p);
	ret->is_least &= !p->has_n_samples;
	/* weights of folded stacks are sums, not necessarily numbers of samples */
	if (!p->has_n_samples && p->samples.n &&
	    (p->is_summed || profile_sample_unit(p) == WEIGHT_UNKNOWN))
		ret->has_samples = false;
	ret->samples_err = p->has_n_samples ? p->n_samples_err : 0;
	return OK;
}

/*
 * The amount that 100 % stands for: the event count, else the sum of all weights, else the number
 * of samples. False: all are unknown.
 */
static bool top_base(const struct capture *c, double *ret, double *ret_err)
{
	const struct profile *p = c->profile;

	*ret_err = 0;
	if (!p)
		return false;
	if (p->has_event_count) {
		*ret = (double)p->event_count;
		return true;
	}
	if (p->samples.n && profile_sample_unit(p) != WEIGHT_PERCENT &&
	    p->recovery != RECOVERY_PARTIAL) {
		double scale = 1;

		for (unsigned int i = 0; i < profile_sample_decimals(p); i++)
			scale *= 10;
		*ret = 0;
		VEC_FOREACH (w, &p->samples.weight)
			*ret += (double)*w / scale;
		return true;
	}
	*ret = (double)p->n_samples;
	*ret_err = (double)p->n_samples_err;
	return p->has_n_samples;
}

bool top_divide(const struct capture *c, double pct, double pct_err, uint64_t by, double *ret,
		double *ret_err)
{
	double base;
	double base_err;

	if (by == 0 || !top_base(c, &base, &base_err))
		return false;
	*ret = pct / 100 * base / (double)by;
	*ret_err = (pct_err * (base + base_err) + pct * base_err) / 100 / (double)by;
	return true;
}

struct str top_divide_unit(const struct capture *c)
{
	const struct profile *p = c->profile;

	if (!p)
		return STR("");
	if (p->has_event_count || p->unit == WEIGHT_EVENTS) {
		struct str event = strings_get(capture_strings(c), p->event);

		/* the event "cpu" of pprof is CPU time */
		if (str_starts(event, STR("cpu-clock")) || str_starts(event, STR("task-clock")) ||
		    str_eq(event, STR("cpu")))
			return STR("ns");
		return event.len ? str_sub(event, 0, str_find_char(event, ':')) : STR("events");
	}
	switch (p->samples.n ? profile_sample_unit(p) : WEIGHT_SAMPLES) {
	case WEIGHT_NS:
		return STR("ns");
	case WEIGHT_BYTES:
		return STR("bytes");
	case WEIGHT_UNKNOWN:
		return STR("units");
	default:
		return STR("samples");
	}
}

/* Whether two words are equal, ignoring a plural s and case: "requests" and "request". */
static bool top_same_word(struct str a, struct str b)
{
	if (a.len > 1 && (a.p[a.len - 1] | 0x20) == 's')
		a.len--;
	if (b.len > 1 && (b.p[b.len - 1] | 0x20) == 's')
		b.len--;
	return str_eq_nocase(a, b);
}

bool top_fact(const struct capture *c, struct str name, uint64_t *ret)
{
	const struct strings *strings = capture_strings(c);

	VEC_FOREACH (f, &c->facts) {
		if (top_same_word(strings_get(strings, f->name), name)) {
			*ret = f->value;
			return true;
		}
	}
	VEC_FOREACH (f, &c->dossier->facts) {
		if (top_same_word(strings_get(strings, f->name), name)) {
			*ret = f->value;
			return true;
		}
	}
	return false;
}
