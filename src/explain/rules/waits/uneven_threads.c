/* SPDX-License-Identifier: MIT */
/*
 * One thread of a pool has nearly all of the pool's CPU time and is busy, and the other threads of
 * the pool wait for work.
 *
 * A pool is a group of threads of one process that have the same job: either their names differ
 * only in a number at the end, or one function starts all of them. The main thread belongs to no
 * pool. Threads that wait for a lock, for storage or for one connection are not idle: other rules
 * report their waits.
 *
 * Thresholds: three threads; one of them has nine tenths of their CPU time, and runs or waits for a
 * CPU for seven tenths of its time; each of the others is idle for eight tenths of its time. If
 * work is divided evenly among n threads, none has much more than 1/n of the CPU time.
 *
 * A single long piece of work in a pool looks the same, so this is a note. It is a warning if the
 * busy thread waited at least ten times where the others wait: then its work has many pieces, and
 * an idle thread could have taken them. The thread must also be busy for eight tenths of its time,
 * and the others have less than a hundredth of the CPU time.
 */
#include "explain/signatures/waiting.h"

#include "analyses/roles.h"
#include "analyses/waits/waits.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/uneven_threads_names.h"

#include <stdlib.h>

DECLARE_RULE(uneven_threads);

#define UNEVEN_THREADS 3u
/* minimum part (0 to 1) of the recording in which a thread must exist to count */
#define UNEVEN_LIFE_PART 0.5
/* limits in percent: of the pool's CPU time, and of the time of one thread */
#define UNEVEN_CPU_PCT       90.0
#define UNEVEN_BUSY_PCT      70.0
#define UNEVEN_IDLE_PCT      80.0
#define UNEVEN_LEAD_CPU_PCT  99.0
#define UNEVEN_LEAD_BUSY_PCT 80.0
/* minimum number of times that the busy thread waited for work, for a warning */
#define UNEVEN_LEAD_TAKEN 10u
#define UNEVEN_NAME_MAX   96u
#define UNEVEN_SURE       90u
/* kinds of waits in which a thread may have no work; WAIT_EVENT only in calls of UNEVEN_POLLS */
#define UNEVEN_IDLE_KINDS (1u << WAIT_CONDITION | 1u << WAIT_FUTEX | 1u << WAIT_EVENT)

/* States of a stack node in uneven_starts(); other values are the symbol of the start function. */
enum {
	UNEVEN_STARTING = 0,         /* start-up code; the start function may follow */
	UNEVEN_UNKNOWN = UINT32_MAX, /* the start function has no name or belongs to a runtime */
};

struct uneven_thread {
	const struct wait_thread *thread;
	/* name of the thread without the number at its end; STR_NONE: the name has no number */
	struct str name;
	str_id comm;
	sym_id start;      /* function that starts the thread; 0: unknown */
	uint64_t start_ns; /* waiting time that votes for `start`, see uneven_vote() */
	uint64_t idle_ns;
	uint64_t life_ns;
	uint64_t place; /* uneven.places of its longest idle wait; 0: none */
	uint64_t place_ns;
};

/* A pool: threads at consecutive places of uneven.threads. */
struct uneven_pool {
	struct uneven_thread *threads;
	size_t n;
	bool is_named; /* its threads have the same name without the number */
	uint64_t ran_ns;
	const struct uneven_thread *busiest;
	double cpu_pct;  /* share of `busiest` in the CPU time of the pool */
	double busy_pct; /* time in which `busiest` ran or waited for a CPU, of its lifetime */
	double idle_pct; /* idle time of the least idle of the other threads, of its lifetime */
	uint64_t taken;  /* how often `busiest` waited where another thread of the pool is idle */
};

struct uneven {
	const struct rule_input *in;
	VEC(struct uneven_thread) threads;
	uint32_t *starts; /* indexed by stack node */
	/*
	 * indexed by stack node: hash of the functions on the stack, without the name of the
	 * thread
	 */
	uint64_t *places;
	/* indexed by stack node: kind of its waits, if they are idle time; else WAIT_KINDS */
	uint8_t *idle;
	const struct sample_field *wait;
	str_id runnable;
};

static uint32_t uneven_start_of(const struct rule_input *in, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct symbol *row = symbols_get(symbols, sym);
	struct str name = facts_name(in->facts, sym);
	struct str module = symbols_module(symbols, sym);
	enum role role = role_of(in->facts->roles, symbols, sym);
	bool is_library = str_contains(module, STR(".so"));

	if (row->space == SPACE_COMM || role == ROLE_TRANSPARENT ||
	    start_names_have(name, START_BEFORE_MAIN) || str_starts(name, STR("std::")))
		return UNEVEN_STARTING;
	if (row->flags & SYMBOL_ADDRESS || str_eq(name, STR("[unknown]")))
		return is_library ? UNEVEN_STARTING : UNEVEN_UNKNOWN;
	if (row->space == SPACE_KERNEL || role != ROLE_NONE ||
	    str_glob(STR(UNEVEN_RUNTIMES), module) || str_glob(STR(UNEVEN_RUNTIME_FUNCTIONS), name))
		return UNEVEN_UNKNOWN;
	return sym.v;
}

/*
 * Find the start function of each stack, which is the outermost function after start-up code, and
 * the hash of the stack.
 */
static void uneven_starts(struct uneven *u)
{
	const struct stacks *stacks = &u->in->capture->profile->stacks;
	uint32_t n = stacks_count(stacks);

	u->starts = xcalloc((size_t)n + 1, sizeof(*u->starts));
	u->places = xcalloc((size_t)n + 1, sizeof(*u->places));
	for (uint32_t i = 1; i < n; i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });
		uint32_t up = stacks_parent(stacks, (stack_id){ i }).v;
		bool is_name =
			symbols_get(capture_symbols(u->in->capture), sym)->space == SPACE_COMM;

		u->starts[i] = u->starts[up] == UNEVEN_STARTING ? uneven_start_of(u->in, sym)
								: u->starts[up];
		u->places[i] = is_name ? 1 : hash_u64(u->places[up], sym.v);
	}
}

static bool uneven_polls(const struct uneven *u, stack_id at)
{
	const struct stacks *stacks = &u->in->capture->profile->stacks;

	for (; at.v; at = stacks_parent(stacks, at)) {
		if (str_glob(STR(UNEVEN_POLLS), facts_name(u->in->facts, stacks_sym(stacks, at))))
			return true;
	}
	return false;
}

/* Find the stacks whose waits are idle time. */
static void uneven_idle(struct uneven *u)
{
	uint32_t n = stacks_count(&u->in->capture->profile->stacks);

	u->idle = xmalloc((size_t)n + 1);
	memset(u->idle, WAIT_KINDS, (size_t)n + 1);
	VEC_FOREACH (s, &u->in->waits->stacks) {
		if (UNEVEN_IDLE_KINDS >> s->kind & 1 &&
		    (s->kind != WAIT_EVENT || uneven_polls(u, s->stack)))
			u->idle[s->stack.v] = (uint8_t)s->kind;
	}
}

/* "worker-" for "worker-12"; STR_NONE: no number at the end. */
static struct str uneven_name(struct str comm)
{
	size_t n = comm.len;

	while (n && char_is_digit(comm.p[n - 1]))
		n--;
	return n && n < comm.len ? str_sub(comm, 0, n) : STR_NONE;
}

static void uneven_add_threads(struct uneven *u)
{
	const struct waits *w = u->in->waits;

	VEC_FOREACH (t, &w->threads) {
		uint64_t ns = t->ran_ns;

		for (unsigned int k = 0; k < WAIT_KINDS; k++)
			ns += t->kinds[k].ns;
		if (t->life_ns > ns)
			ns = t->life_ns;
		if (t->is_kernel || t->pid == 0 || t->tid == t->pid ||
		    (double)ns < (double)w->span_ns * UNEVEN_LIFE_PART)
			continue;
		*VEC_PUSH(&u->threads) = (struct uneven_thread){
			.thread = t,
			.comm = t->comm,
			.name = uneven_name(strings_get(capture_strings(u->in->capture), t->comm)),
			.life_ns = ns,
		};
	}
}

/* The thread with this id; u->threads has the order of waits.threads, by id. NULL: none. */
static struct uneven_thread *uneven_find(struct uneven *u, uint32_t tid)
{
	size_t from = 0, to = u->threads.len;

	while (from < to) {
		size_t at = from + (to - from) / 2;

		if (u->threads.data[at].thread->tid < tid)
			from = at + 1;
		else
			to = at;
	}
	return from < u->threads.len && u->threads.data[from].thread->tid == tid
		       ? &u->threads.data[from]
		       : NULL;
}

/* Majority vote: the start function with more than half of the thread's waiting time remains. */
static void uneven_vote(struct uneven_thread *t, uint32_t start, uint64_t ns)
{
	sym_id sym = { start == UNEVEN_STARTING || start == UNEVEN_UNKNOWN ? 0 : start };

	if (t->start.v == sym.v) {
		t->start_ns += ns;
	} else if (t->start_ns >= ns) {
		t->start_ns -= ns;
	} else {
		t->start = sym;
		t->start_ns = ns - t->start_ns;
	}
}

static bool uneven_is_idle(const struct uneven *u, size_t i)
{
	return u->idle[u->in->capture->profile->samples.stack.data[i].v] != WAIT_KINDS &&
	       !(u->wait && u->wait->values.data[i] == u->runnable.v);
}

static void uneven_add_waits(struct uneven *u)
{
	const struct profile *p = u->in->capture->profile;

	for (size_t i = 0; i < p->samples.n; i++) {
		struct uneven_thread *t =
			uneven_find(u, p->threads.data[p->samples.thread.data[i]].tid);
		uint32_t stack = p->samples.stack.data[i].v;
		uint64_t ns = p->samples.weight.data[i];

		if (!t)
			continue;
		uneven_vote(t, u->starts[stack], ns);
		if (!uneven_is_idle(u, i))
			continue;
		t->idle_ns += ns;
		if (ns > t->place_ns) {
			t->place = u->places[stack];
			t->place_ns = ns;
		}
	}
}

static int uneven_by_job(const void *va, const void *vb)
{
	const struct uneven_thread *a = va;
	const struct uneven_thread *b = vb;

	return SORT_ORDER(a->thread->pid, b->thread->pid) ?: str_cmp(a->name, b->name) ?:
	       SORT_ORDER(a->name.len ? 0 : a->comm.v, b->name.len ? 0 : b->comm.v) ?:
	       SORT_ORDER(a->start.v, b->start.v) ?: SORT_ORDER(a->thread->tid, b->thread->tid);
}

static bool uneven_is_same_job(const struct uneven_thread *a, const struct uneven_thread *b,
			       bool is_named)
{
	return a->thread->pid == b->thread->pid && str_eq(a->name, b->name) &&
	       (a->name.len || a->comm.v == b->comm.v) && (is_named || a->start.v == b->start.v);
}

/*
 * Did the busy thread end most of the waits of @t? At a futex without a name that may be a lock
 * which the busy thread holds.
 */
static bool uneven_may_be_locked(const struct uneven *u, const struct uneven_thread *t,
				 const struct uneven_thread *busiest)
{
	VEC_FOREACH (pair, &u->in->waits->pairs) {
		if (pair->tid == t->thread->tid && pair->by == busiest->thread->tid)
			return pair->kinds & (1u << WAIT_FUTEX | 1u << WAIT_LOCK) &&
			       pair->ns >= t->idle_ns / 2;
	}
	return false;
}

/* Set the figures of the pool. False: it has no busy thread, or another thread is not idle. */
static bool uneven_judge(const struct uneven *u, struct uneven_pool *pool)
{
	const struct uneven_thread *most = pool->threads;
	const struct wait_thread *t;

	pool->idle_pct = 100;
	for (size_t i = 0; i < pool->n; i++) {
		pool->ran_ns += pool->threads[i].thread->ran_ns;
		if (pool->threads[i].thread->ran_ns > most->thread->ran_ns)
			most = &pool->threads[i];
	}
	t = most->thread;
	pool->busiest = most;
	pool->cpu_pct = waiting_pct(t->ran_ns, pool->ran_ns);
	pool->busy_pct = waiting_pct(t->ran_ns + t->kinds[WAIT_CPU].ns, most->life_ns);
	for (size_t i = 0; i < pool->n; i++) {
		const struct uneven_thread *other = &pool->threads[i];
		double pct = waiting_pct(other->idle_ns, other->life_ns);

		if (other == most)
			continue;
		if (uneven_may_be_locked(u, other, most))
			return false;
		if (pct < pool->idle_pct)
			pool->idle_pct = pct;
	}
	return pool->cpu_pct >= UNEVEN_CPU_PCT && pool->busy_pct >= UNEVEN_BUSY_PCT &&
	       pool->idle_pct >= UNEVEN_IDLE_PCT;
}

static size_t uneven_names(const struct uneven_thread *threads, size_t n)
{
	size_t names = 0;

	/* names of threads are cut after 15 bytes, so that several may be equal */
	for (size_t i = 0; i < n && names < UNEVEN_THREADS; i++) {
		bool is_new = true;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = threads[k].comm.v != threads[i].comm.v;
		names += is_new;
	}
	return threads->name.len ? names : 0;
}

static size_t uneven_run(const struct uneven *u, size_t from, size_t to, bool is_named)
{
	size_t n = 1;

	while (from + n < to &&
	       uneven_is_same_job(&u->threads.data[from], &u->threads.data[from + n], is_named))
		n++;
	return n;
}

/* Judge threads @from to @to as pools. *@most: the most uneven pool; *@n_pools: their number. */
static void uneven_pools(const struct uneven *u, size_t from, size_t to, bool is_named,
			 struct uneven_pool *most, size_t *n_pools)
{
	for (size_t n; from < to; from += n) {
		struct uneven_pool pool = { .threads = &u->threads.data[from],
					    .is_named = is_named };

		pool.n = n = uneven_run(u, from, to, is_named);
		if (n < UNEVEN_THREADS || (!is_named && !pool.threads->start.v))
			continue;
		++*n_pools;
		if (uneven_judge(u, &pool) &&
		    (!most->n || pool.busiest->thread->ran_ns > most->busiest->thread->ran_ns))
			*most = pool;
	}
}

/* Count how often the busy thread waited where another thread of the pool is idle longest. */
static void uneven_count_taken(const struct uneven *u, struct uneven_pool *pool)
{
	const struct profile *p = u->in->capture->profile;

	for (size_t i = 0; i < p->samples.n; i++) {
		uint64_t place = u->places[p->samples.stack.data[i].v];
		bool is_place = false;

		if (p->threads.data[p->samples.thread.data[i]].tid != pool->busiest->thread->tid ||
		    !uneven_is_idle(u, i))
			continue;
		for (size_t k = 0; k < pool->n && !is_place; k++)
			is_place = &pool->threads[k] != pool->busiest &&
				   pool->threads[k].place == place;
		pool->taken += is_place;
	}
}

/* "4 threads of lane_main", or "4 threads 'worker-N'". */
static const char *uneven_words(const struct rule_input *in, struct findings *out,
				struct finding *f, const struct uneven_pool *pool)
{
	if (pool->is_named)
		return finding_name(out, "%zu threads '" STR_FMT "N'", pool->n,
				    STR_ARG(str_sub(pool->threads->name, 0, UNEVEN_NAME_MAX)));
	finding_subject(f, pool->threads->start, SUBJECT_CALLER);
	return finding_name(
		out, "%zu threads of " STR_FMT, pool->n,
		STR_ARG(facts_short_name(in->facts, pool->threads->start, UNEVEN_NAME_MAX)));
}

/* Quote the running time of the busy thread, and the idle time of three others. */
static void uneven_evidence(const struct uneven *u, struct findings *out, struct finding *f,
			    const struct uneven_pool *pool)
{
	const struct uneven_thread *busiest = pool->busiest;

	finding_evidence(out, f, u->in, 0, STR_FMT "%s" STR_FMT ": ran %s, waited for a CPU %s",
			 STR_ARG(waiting_who(u->in, out, busiest->thread->tid)),
			 busiest->start.v ? " in " : "",
			 STR_ARG(busiest->start.v ? facts_short_name(u->in->facts, busiest->start,
								     UNEVEN_NAME_MAX)
						  : STR_NONE),
			 finding_duration(out, busiest->thread->ran_ns),
			 finding_duration(out, busiest->thread->kinds[WAIT_CPU].ns));
	for (size_t i = 0, n = 0; i < pool->n && n < 3; i++) {
		const struct uneven_thread *t = &pool->threads[i];

		if (t == pool->busiest)
			continue;
		n++;
		finding_evidence(out, f, u->in, 0, STR_FMT ": ran %s, idle %s",
				 STR_ARG(waiting_who(u->in, out, t->thread->tid)),
				 finding_duration(out, t->thread->ran_ns),
				 finding_duration(out, t->idle_ns));
	}
}

static void uneven_found(const struct uneven *u, struct findings *out,
			 const struct uneven_pool *pool)
{
	bool leads = pool->cpu_pct >= UNEVEN_LEAD_CPU_PCT &&
		     pool->busy_pct >= UNEVEN_LEAD_BUSY_PCT && pool->taken >= UNEVEN_LEAD_TAKEN;
	struct finding *f = waiting_add(u->in, out, &rule_uneven_threads,
					leads ? FINDING_WARNING : FINDING_NOTE, UNEVEN_SURE);

	f->impact = pool->cpu_pct;
	f->is_kind = true;
	finding_claim(out, f,
		      "%s: " STR_FMT
		      " has %.1f %% of the CPU time of %s, and is busy %.1f %% of its time. The "
		      "others are idle",
		      leads ? "Work is divided unevenly" : "One thread has nearly all the work",
		      STR_ARG(waiting_who(u->in, out, pool->busiest->thread->tid)), pool->cpu_pct,
		      uneven_words(u->in, out, f, pool), pool->busy_pct);
	finding_figure(f, "share of the pool's CPU time", pool->cpu_pct, 0, "%");
	finding_figure(f, "busy, of its time", pool->busy_pct, 0, "%");
	finding_figure(f, "others idle, of their time, at least", pool->idle_pct, 0, "%");
	finding_figure(f, "threads", (double)pool->n, 0, "");
	if (pool->taken)
		finding_figure(f, "times the busy thread waited for work", (double)pool->taken, 0,
			       "");
	uneven_evidence(u, out, f, pool);
	finding_usual_cause(out, f, "%s",
			    leads ? "A number, hash or connection chooses the thread for each "
				    "piece of work, and nearly always chooses this one"
				  : "A number, hash or connection chooses the thread for each "
				    "piece of work; or there is one long piece, which cannot be "
				    "divided");
	finding_because(out, f, "running times and waits were measured%s",
			leads ? "; the busy thread waited for work many times and got it, and its "
				"equals got hardly any"
			      : "\n"
				"whether the work has several pieces");
	finding_next(out, f,
		     "assay report --off-cpu --sort comm,tid,wait FILE: how each thread waits");
	finding_next(out, f,
		     "count the pieces of work by thread: let idle threads take from one "
		     "queue, or mix the key before it chooses the thread");
}

static void uneven_check(const struct rule_input *in, struct findings *out)
{
	struct uneven u = { .in = in };
	struct uneven_pool most = { .n = 0 };
	const struct profile *p = in->capture->profile;
	size_t n_pools = 0;

	if (p->is_goroutines || !p->samples.thread.len)
		return;
	u.runnable = strings_find(capture_strings(in->capture), STR("runnable"));
	VEC_FOREACH (f, &p->samples.fields) {
		if (str_eq(strings_get(capture_strings(in->capture), f->name), STR("wait")) &&
		    f->values.len == p->samples.n)
			u.wait = f;
	}
	uneven_starts(&u);
	uneven_idle(&u);
	uneven_add_threads(&u);
	uneven_add_waits(&u);
	VEC_SORT(&u.threads, uneven_by_job);
	for (size_t i = 0, n; i < u.threads.len; i += n) {
		n = uneven_run(&u, i, u.threads.len, true);
		uneven_pools(&u, i, i + n, uneven_names(&u.threads.data[i], n) >= UNEVEN_THREADS,
			     &most, &n_pools);
	}
	if (most.n) {
		uneven_count_taken(&u, &most);
		uneven_found(&u, out, &most);
	} else if (waiting_can_rule_out(in, out, &rule_uneven_threads)) {
		finding_clean(out, in, &rule_uneven_threads, "%s",
			      n_pools ? "no pool has one busy thread among idle ones"
				      : "the recording has no pool of threads");
	}
	free(u.starts);
	free(u.places);
	free(u.idle);
	VEC_FREE(&u.threads);
}

static const char *const uneven_overrules[] = { "few-samples", NULL };

const struct rule rule_uneven_threads = {
	.id = "uneven-threads",
	.title = "Work divided unevenly among threads",
	.needs = RULE_WAITS,
	.overrules = uneven_overrules,
	.check = uneven_check,
	.is_measured = true,
};
