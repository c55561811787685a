/* SPDX-License-Identifier: MIT */
/* Tables of random samples against plain loops over every frame of every stack. */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
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
#include "transform/name_list.h"

#include <math.h>

#define SAMPLES_MAX 24u
#define DEPTH_MAX   5u
#define ROWS_MAX    (SAMPLES_MAX * (DEPTH_MAX + 1))

static const struct made_function {
	const char *name, *canonical, *module;
	enum symbol_space space;
} functions[] = {
	{ "main", "main", "/usr/bin/app", SPACE_USER },
	{ "sort_rows", "sort_rows", "/usr/bin/app", SPACE_USER },
	{ "sort_rows.isra.0", "sort_rows", "/usr/bin/app", SPACE_USER },
	{ "sort_rows_by_name", "sort_rows_by_name", "/usr/bin/app", SPACE_USER },
	{ "memcpy", "memcpy", "/lib/libc.so.6", SPACE_USER },
	{ "tcp_sendmsg", "tcp_sendmsg", "[kernel.kallsyms]", SPACE_KERNEL },
	{ "_raw_spin_lock", "_raw_spin_lock", "[kernel.kallsyms]", SPACE_KERNEL },
	{ "0x7f0011223344", "0x7f0011223344", "/lib/libz.so.1", SPACE_USER },
	{ "0x7f0011223300", "0x7f0011223300", "/lib/libz.so.1", SPACE_USER },
};

static const char *const comms[] = { "web", "worker-1", "worker-12", "db" };

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

struct made_sample {
	uint32_t frames[DEPTH_MAX]; /* outermost first */
	uint32_t n;
	uint32_t comm; /* index in comms, of a frame of the stack; ARRAY_LEN(comms): none */
	uint32_t thread, cpu, weight;
};

struct made {
	struct dossier *d;
	struct capture *c;
	struct category_cache cats;
	struct made_sample samples[SAMPLES_MAX];
	size_t n;
	sym_id sym[ARRAY_LEN(functions)];
	str_id comm[ARRAY_LEN(comms)];
	bool has_comms, has_threads, has_cpus;
};

static void make(struct made *m, uint64_t *x)
{
	enum { COMM_ALL, COMM_SOME, COMM_NONE } kind = (unsigned int)next(x, 3);
	struct profile *p;

	memset(m, 0, sizeof(*m));
	m->d = dossier_new();
	m->c = dossier_add(m->d, "test");
	p = capture_profile(m->c);
	p->unit = WEIGHT_EVENTS;
	m->n = 1 + next(x, SAMPLES_MAX);
	m->has_threads = next(x, 2);
	m->has_cpus = next(x, 2);
	for (uint32_t i = 0; i < ARRAY_LEN(functions); i++)
		m->sym[i] = symbols_add_text(&m->d->symbols, str_of(functions[i].name),
					     str_of(functions[i].module), functions[i].space,
					     functions[i].name[0] == '0' ? SYMBOL_ADDRESS : 0);
	for (uint32_t i = 0; i < ARRAY_LEN(comms); i++)
		m->comm[i] = strings_add(&m->d->strings, str_of(comms[i]));
	for (uint32_t i = 0; i < 5; i++)
		*VEC_PUSH(&p->threads) = (struct profile_thread){
			.pid = 10 + i / 2,
			.tid = 10 + i,
			.has_pid = i != 4,
			.has_tid = i != 3,
			.comm = i == 4 ? STR_ID_NONE : m->comm[i % 3],
		};
	for (size_t i = 0; i < m->n; i++) {
		struct made_sample *s = &m->samples[i];
		stack_id at = STACK_ROOT;

		*s = (struct made_sample){ .n = (uint32_t)next(x, DEPTH_MAX + 1),
					   .comm = ARRAY_LEN(comms),
					   .thread = (uint32_t)next(x, 5),
					   .cpu = (uint32_t)next(x, 4),
					   .weight = (uint32_t)next(x, 5) };
		if (kind == COMM_ALL || (kind == COMM_SOME && next(x, 2))) {
			s->comm = (uint32_t)next(x, ARRAY_LEN(comms));
			at = stacks_push(&p->stacks, at,
					 symbols_add_text(&m->d->symbols, str_of(comms[s->comm]),
							  STR_NONE, SPACE_COMM, 0));
			m->has_comms = true;
		}
		for (uint32_t k = 0; k < s->n; k++) {
			s->frames[k] = (uint32_t)next(x, ARRAY_LEN(functions));
			at = stacks_push(&p->stacks, at, m->sym[s->frames[k]]);
		}
		assert_int_equal(profile_add_sample(p, at, s->weight), OK);
		if (m->has_threads)
			*VEC_PUSH(&p->samples.thread) = s->thread;
		if (m->has_cpus)
			*VEC_PUSH(&p->samples.cpu) = (uint16_t)(s->cpu == 3 ? UINT16_MAX : s->cpu);
	}
}

/* A filter by one name, which may end in '*'. */
struct filter {
	struct str comm, dso, symbol, category, under;
};

static bool passes(struct str pattern, struct str name)
{
	if (pattern.len && pattern.p[pattern.len - 1] == '*')
		return str_starts(name, str_sub(pattern, 0, pattern.len - 1));
	return str_eq(pattern, name);
}

/* The command of a sample: that of its stack, else that of its thread. */
static str_id comm_of(const struct made *m, const struct made_sample *s)
{
	if (m->has_comms)
		return s->comm < ARRAY_LEN(comms) ? m->comm[s->comm] : STR_ID_NONE;
	return m->has_threads ? m->c->profile->threads.data[s->thread].comm : STR_ID_NONE;
}

/* UINT32_MAX: a sample without frames. */
static struct str category_text(struct made *m, uint32_t function)
{
	sym_id sym = function < ARRAY_LEN(functions) ? m->sym[function] : SYM_ID_NONE;

	return str_of(category_name(category_of(&m->cats, &m->d->symbols, sym)));
}

/* Whether @own is @category or a part of it: "kernel/locks" of "kernel". */
static bool is_category(struct str category, struct str own)
{
	return str_eq(own, category) || (str_starts(own, category) && own.p[category.len] == '/');
}

/* Whether frame @k of a sample passes; k == n: the sample has no frame. */
static bool is_listed(struct made *m, const struct filter *f, const struct made_sample *s,
		      uint32_t k)
{
	const struct made_function *fn = k < s->n ? &functions[s->frames[k]] : NULL;
	struct str module = fn ? str_of(fn->module) : STR_NONE;

	if (f->comm.len && !passes(f->comm, strings_get(&m->d->strings, comm_of(m, s))))
		return false;
	if (f->dso.len && !passes(f->dso, module) &&
	    !passes(f->dso, str_skip(module, str_rfind_char(module, '/') + 1)))
		return false;
	if (f->symbol.len && (!fn || (!passes(f->symbol, str_of(fn->name)) &&
				      !passes(f->symbol, str_of(fn->canonical)))))
		return false;
	if (f->category.len &&
	    !is_category(f->category, category_text(m, fn ? s->frames[k] : UINT32_MAX)))
		return false;
	return true;
}

static uint32_t key_of(struct made *m, enum top_key key, const struct made_sample *s, uint32_t k)
{
	const struct profile_thread *t = &m->c->profile->threads.data[s->thread];
	sym_id sym = k < s->n ? m->sym[s->frames[k]] : SYM_ID_NONE;
	const struct symbol *symbol = symbols_get(&m->d->symbols, sym);

	switch (key) {
	case TOP_COMM:
		return comm_of(m, s).v;
	case TOP_DSO:
		return k < s->n ? symbol->module.v : 0;
	case TOP_SYM:
		return sym.v;
	case TOP_CANONICAL:
		return symbol->canonical.v;
	case TOP_PID:
		return t->has_pid ? t->pid : INDEX_NONE;
	case TOP_TID:
		return t->has_tid ? t->tid : INDEX_NONE;
	case TOP_CPU:
		return s->cpu == 3 ? INDEX_NONE : s->cpu;
	case TOP_SPACE:
		return symbol->space;
	default:
		return category_of(&m->cats, &m->d->symbols, sym).v;
	}
}

struct plain_row {
	uint32_t keys[TOP_MAX_KEYS];
	uint64_t self, children, samples;
};

struct plain {
	struct plain_row rows[ROWS_MAX];
	size_t n;
	uint64_t total, samples, whole;
};

static struct plain_row *row_of(struct plain *p, const uint32_t keys[TOP_MAX_KEYS])
{
	for (size_t i = 0; i < p->n; i++) {
		if (memcmp(p->rows[i].keys, keys, sizeof(p->rows[i].keys)) == 0)
			return &p->rows[i];
	}
	p->rows[p->n] = (struct plain_row){ .self = 0 };
	memcpy(p->rows[p->n].keys, keys, sizeof(p->rows[p->n].keys));
	return &p->rows[p->n++];
}

static void fill(struct plain *p, struct made *m, const struct top_spec *spec,
		 const struct filter *f)
{
	p->n = 0;
	p->total = p->samples = p->whole = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct made_sample *s = &m->samples[i];
		struct plain_row *seen[DEPTH_MAX + 1];
		size_t n_seen = 0;
		uint32_t last = s->n ? s->n - 1 : 0;
		bool is_under = f->under.len == 0;

		p->whole += s->weight;
		for (uint32_t k = 0; k < s->n; k++)
			is_under |= passes(f->under, str_of(functions[s->frames[k]].name)) ||
				    passes(f->under, str_of(functions[s->frames[k]].canonical));
		/* the command is a name on the stack, too */
		is_under |= s->comm < ARRAY_LEN(comms) && f->under.len &&
			    passes(f->under, str_of(comms[s->comm]));
		if (!is_under)
			continue;
		for (uint32_t k = spec->no_children ? last : 0; k <= last; k++) {
			uint32_t keys[TOP_MAX_KEYS] = { 0 };
			struct plain_row *row;
			bool is_new = true;

			if (!is_listed(m, f, s, k))
				continue;
			for (size_t j = 0; j < spec->n_keys; j++)
				keys[j] = key_of(m, spec->keys[j].key, s, k);
			row = row_of(p, keys);
			for (size_t j = 0; j < n_seen; j++)
				is_new &= seen[j] != row;
			seen[n_seen++] = row;
			if (is_new && (!spec->no_children || s->n == 0))
				row->children += s->weight;
			if (k != last)
				continue;
			row->self += s->weight;
			row->samples++;
			p->total += s->weight;
			p->samples++;
		}
	}
}

static void check_order(const struct made *m, const struct top *t, const struct top_spec *spec)
{
	bool by_children = t->has_children && !spec->sort_by_self;

	for (size_t i = 1; i < t->rows.len; i++) {
		const struct top_row *a = &t->rows.data[i - 1], *b = &t->rows.data[i];
		uint64_t first[2] = { by_children ? a->children : a->self,
				      by_children ? b->children : b->self };
		uint64_t second[2] = { by_children ? a->self : a->children,
				       by_children ? b->self : b->children };
		int order = 0;

		assert_true(first[0] >= first[1]);
		if (first[0] != first[1])
			continue;
		assert_true(second[0] >= second[1]);
		if (second[0] != second[1])
			continue;
		for (size_t k = 0; k < t->n_keys && order == 0; k++) {
			char texts[2][24];

			order = str_cmp(top_key_text(m->c, t, a, k, texts[0]),
					top_key_text(m->c, t, b, k, texts[1]));
		}
		assert_true(order <= 0);
	}
}

static struct str pick(uint64_t *x, const char *const *names, size_t n)
{
	return next(x, 4) ? STR_NONE : str_of(names[next(x, n)]);
}

static void rows_are_sums_over_every_frame(void **state)
{
	static const enum top_key all[] = { TOP_COMM,      TOP_DSO,   TOP_SYM,
					    TOP_CANONICAL, TOP_SPACE, TOP_CATEGORY,
					    TOP_PID,       TOP_TID,   TOP_CPU };
	static const char *const comm_names[] = { "web", "worker*", "db", "none" };
	static const char *const dso_names[] = { "app", "/lib/libc.so.6", "lib*", "[kernel*" };
	static const char *const sym_names[] = { "sort_rows", "sort*", "main", "tcp_sendmsg",
						 "web" };
	static struct plain p;
	uint64_t x = 21;

	(void)state;
	for (int turn = 0; turn < 5000; turn++) {
		struct made m;
		struct filter f;
		struct top_spec spec = { .no_children = next(&x, 3) == 0,
					 .sort_by_self = next(&x, 2),
					 .relative = next(&x, 3) == 0,
					 .percent_limit = next(&x, 3) ? 0 : (double)next(&x, 30) };
		struct error err;
		struct top t;
		uint64_t hidden = 0, n_hidden = 0;
		double base;

		make(&m, &x);
		for (size_t i = 0; i < ARRAY_LEN(all); i++) {
			bool has = all[i] == TOP_CPU                        ? m.has_cpus
				   : all[i] == TOP_PID || all[i] == TOP_TID ? m.has_threads
									    : true;

			if (has && spec.n_keys < 4 && next(&x, 3) == 0)
				spec.keys[spec.n_keys++].key = all[i];
		}
		if (spec.n_keys == 0)
			spec.keys[spec.n_keys++].key = TOP_SYM;
		f.comm = pick(&x, comm_names, ARRAY_LEN(comm_names));
		f.dso = pick(&x, dso_names, ARRAY_LEN(dso_names));
		f.symbol = pick(&x, sym_names, ARRAY_LEN(sym_names));
		f.under = pick(&x, sym_names, ARRAY_LEN(sym_names));
		f.category = next(&x, 6) ? STR_NONE : category_text(&m, (uint32_t)next(&x, 8));
		spec.comms = (struct name_list){ &f.comm, f.comm.len > 0 };
		spec.dsos = (struct name_list){ &f.dso, f.dso.len > 0 };
		spec.symbols = (struct name_list){ &f.symbol, f.symbol.len > 0 };
		spec.categories = (struct name_list){ &f.category, f.category.len > 0 };
		spec.under = f.under;
		assert_int_equal(top_compute(m.c, &m.cats, &spec, &t, &err), OK);
		fill(&p, &m, &spec, &f);
		base = (double)(spec.relative ? p.total : p.whole);
		assert_int_equal(t.total, p.total);
		assert_int_equal(t.n_rows, p.samples);
		assert_near(t.total_pct, base > 0 ? 100 * (double)p.total / base : 0, 1e-9);
		check_order(&m, &t, &spec);
		VEC_FOREACH (row, &t.rows) {
			const struct plain_row *own = row_of(&p, row->keys);

			assert_int_equal(row->self, own->self);
			assert_int_equal(row->samples, own->samples);
			if (!spec.no_children)
				assert_int_equal(row->children, own->children);
			assert_int_equal(row->has_children, !spec.no_children);
			assert_near(row->self_pct, base > 0 ? 100 * (double)own->self / base : 0,
				    1e-9);
			assert_near(row->children_pct,
				    base > 0 ? 100 * (double)row->children / base : 0, 1e-9);
		}
		for (size_t i = 0; i < p.n; i++) {
			const struct plain_row *own = &p.rows[i];
			bool by_self = spec.no_children || spec.sort_by_self;
			double pct =
				base > 0
					? 100 * (double)(by_self ? own->self : own->children) / base
					: 0;

			/* a frame of samples without weight may have no row */
			if (pct >= spec.percent_limit - 1e-9)
				continue;
			n_hidden++;
			hidden += own->self;
		}
		assert_true(t.rows.len + n_hidden <= p.n);
		assert_int_equal(t.rows.len + t.hidden_rows, p.n);
		assert_int_equal(t.hidden, hidden);
		top_fini(&t);
		category_cache_fini(&m.cats);
		dossier_free(m.d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sums_over_every_frame),
	};

	return cmocka_run_group_tests_name("top twin", tests, NULL, NULL);
}
