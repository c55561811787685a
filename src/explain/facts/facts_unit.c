/* SPDX-License-Identifier: MIT */
/*
 * facts_unit.c - guess the unit of a profile whose event has no name, from its functions
 *
 * Folded stacks do not state what they count. If nearly all weight is in functions that block,
 * threads were sampled while they waited: the unit is wall-clock time. If the weight is in
 * allocators or in names of classes, the unit is memory or locks. Rules about CPU time do not judge
 * such a profile.
 */
#include "explain/facts.h"

#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "analyses/threads/thread_waits.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts/facts_build.h"
#include "explain/facts_unit_names.h"

#include <stdio.h>
#include <stdlib.h>

/*
 * If the scheduler is on the stack of at least this share of the samples, percent, the profile is
 * one of waits.
 */
#define UNIT_OFF_CPU_PCT 80.0
/*
 * If the heaviest function belongs to the scheduler and has at least this share, in percent, the
 * profile is one of waits.
 */
#define UNIT_OFF_CPU_SELF 90.0
/*
 * If samples with at least this weight, in percent, have their innermost frame in the scheduler,
 * the stacks are those of sleeping threads. This excludes stacks of offwaketime(8) of bcc, which
 * end in frames of the waker.
 */
#define UNIT_ENDS_PCT 95.0
/*
 * If the median of the stacks' weights is at least this, the weights are times: offcputime(8) of
 * bcc prints microseconds. Numbers of context switches are smaller.
 */
#define UNIT_TIME_MEDIAN 1000u
/* If blocking calls have at least this share, percent, the profile is of wall-clock time. */
#define UNIT_WAITS_PCT 80.0
/*
 * The profile is also of wall-clock time if both limits, in percent, are reached: UNIT_IDLE_PCT by
 * all threads that seem idle, and UNIT_MARKED_PCT by those that are certainly idle. Certainly idle
 * is a worker that waits for its next task, or a thread that sleeps.
 */
#define UNIT_IDLE_PCT   50.0
#define UNIT_MARKED_PCT 20.0
/*
 * A function gets the role of its waits if they have at least this part (0 to 1) of its inclusive
 * share.
 */
#define UNIT_IDLE_PART 0.5
/*
 * If allocators have at least this share, in percent, and nothing is freed, the profile is of
 * allocated memory. In a profile of CPU time, the program also frees memory, and other functions
 * have a share.
 */
#define UNIT_MEMORY_PCT 95.0
#define UNIT_CLASS_PCT  90.0
/* minimum inclusive share of a method with a name of the JVM, "java/lang/Thread.run", percent */
#define UNIT_JAVA_PCT 50.0
/*
 * Minimum share of arrays, percent, in a profile of allocations: programs allocate arrays, but
 * hardly ever lock them.
 */
#define UNIT_ARRAYS_PCT 1.0
#define UNIT_WAKERS_PCT 80.0

/* Self shares of groups of functions, in percent. */
struct unit_shares {
	double waits; /* functions in which a thread waits for work */
	double blocks;
	double allocates;
	double frees;
	double classes;
	double arrays;
	double locks; /* classes whose objects are usually used as locks */
	bool has_java;
};

/*
 * Whether the profile is one of waits, judging by its event, by its heaviest function, or by the
 * scheduler on most stacks. In a profile of CPU time, hardly any stack has the scheduler.
 */
static bool unit_is_off_cpu(const struct profile_facts *p)
{
	const struct fact_function *top = p->functions.data;

	if (p->unit.kind == EVENT_SLEEP)
		return true;
	if (p->functions.len && top->self >= UNIT_OFF_CPU_SELF &&
	    str_glob(STR(UNIT_SLEEPS), facts_function_name(p, top)))
		return true;
	return p->self && p->capture->profile->table.rows.len == 0 &&
	       facts_under(p, UNIT_SCHEDULER) >= UNIT_OFF_CPU_PCT;
}

/* Whether @name is a method in the notation of the JVM's profilers: java/lang/Thread.run. */
static bool unit_is_java_method(struct str name)
{
	size_t slash = str_rfind_char(name, '/');

	return slash < name.len && slash && name.p[0] != '/' && name.p[0] != '[' &&
	       str_find_char(name, ' ') == name.len && str_find_char(name, ':') == name.len &&
	       str_find_char(str_skip(name, slash), '.') < name.len - slash;
}

/*
 * Whether @name is a class in the notation of the JVM's profilers: byte[], java.lang.Object. (A
 * method, java/lang/Object.wait, has slashes.)
 */
static bool unit_is_class(struct str name)
{
	size_t dot = str_rfind_char(name, '.');

	if (name.len > 2 && str_eq(str_skip(name, name.len - 2), STR("[]")))
		return true;
	return dot + 1 < name.len && dot && char_is_upper(name.p[dot + 1]) &&
	       !str_glob(STR("*/*|*(*|* *|*:*"), name);
}

static void unit_add(const struct profile_facts *p, const struct fact_function *f,
		     struct unit_shares *ret)
{
	const struct symbols *symbols = capture_symbols(p->capture);
	struct str name = facts_function_name(p, f);
	enum role role = role_of(p->roles, symbols, f->sym);

	ret->has_java |= f->children >= UNIT_JAVA_PCT && unit_is_java_method(name);
	if (f->self <= 0)
		return;
	if (role == ROLE_FREE)
		ret->frees += f->self;
	else if (role_is_allocation(role))
		ret->allocates += f->self;
	else if (str_glob(STR(UNIT_BLOCKING), name))
		ret->blocks += f->self;
	else if (role_may_idle(role) && role != ROLE_IDLE && !str_glob(STR(UNIT_BURNING), name))
		ret->waits += f->self;
	if (!unit_is_class(name))
		return;
	ret->classes += f->self;
	if (name.p[name.len - 1] == ']')
		ret->arrays += f->self;
	else if (str_glob(STR(UNIT_LOCK_CLASSES), name))
		ret->locks += f->self;
}

/*
 * Whether the profile is one of wakers: in nearly every stack, the innermost frame is the name of a
 * process, and its caller is a function that wakes this process.
 */
static bool unit_is_of_wakers(const struct profile_facts *p)
{
	const struct symbols *symbols = capture_symbols(p->capture);
	const struct stacks *stacks = &p->capture->profile->stacks;
	double sum = 0;

	if (!p->self || p->weight == 0 || p->capture->profile->table.rows.len ||
	    facts_under(p, UNIT_WAKERS) < UNIT_WAKERS_PCT)
		return false;
	for (uint32_t i = 1; i < stacks_count(stacks); i++) {
		stack_id up = stacks_parent(stacks, (stack_id){ i });

		if (p->self[i] && up.v &&
		    str_glob(STR(UNIT_WAKERS), symbols_name(symbols, stacks_sym(stacks, up))))
			sum += (double)p->self[i];
	}
	return sum / (double)p->weight * 100 >= UNIT_WAKERS_PCT;
}

static void unit_set(struct profile_facts *p, enum event_kind kind, const char *of)
{
	p->unit.kind = kind;
	p->unit.is_plural = false;
	p->is_unit_guessed = true;
	(void)snprintf(p->unit.of, sizeof(p->unit.of), "%s", of);
}

/* Set the unit of a JVM profile whose innermost frames are classes to allocated memory or locks. */
static void unit_of_classes(struct profile_facts *p, const struct unit_shares *s)
{
	if (s->arrays >= UNIT_ARRAYS_PCT) {
		unit_set(p, EVENT_MEMORY, "allocated memory");
	} else if (s->locks >= s->classes / 2) {
		p->unit = event_unit_named(STR("lock"));
		p->is_unit_guessed = true;
	} else {
		unit_set(p, EVENT_UNJUDGED, "the profile");
	}
}

/*
 * Sums over the samples whose stacks show a wait: shares in percent of the profile, and weights by
 * symbol.
 */
struct unit_idle {
	double idle; /* waits of threads that may have no work */
	/* the part of idle that is certain: a worker waits for its next task, or sleeps */
	double marked;
	double blocks; /* other waits: for data, a lock, a connection of a pool */
	double locks;  /* the part of blocks that waits for locks */
	/*
	 * waits[symbol]: weight of the samples that have the symbol in a frame of their wait. In
	 * main > sleep > nanosleep, the frames of the wait are sleep and nanosleep.
	 */
	uint64_t *waits;
	uint64_t *held; /* held[symbol]: the part of waits[symbol] that is a wait for a lock */
	/*
	 * role[symbol]: role (enum role) of the waits that have the symbol in a frame. Waits for
	 * locks do not count. If the roles differ, it is the one found last.
	 */
	uint8_t *role;
};

/* The role that functions get from a wait of @kind; ROLE_NONE: they keep their own roles. */
static enum role unit_idle_role(enum thread_wait kind)
{
	switch (kind) {
	case THREAD_WAIT_IDLE:
	case THREAD_WAIT_EVENT:
		return ROLE_WAIT;
	case THREAD_WAIT_POLL:
		return ROLE_POLL;
	case THREAD_WAIT_SLEEP:
		return ROLE_SLEEP;
	case THREAD_WAIT_LOCK:
		return ROLE_LOCK_SLOW;
	default:
		return ROLE_NONE;
	}
}

/*
 * Whether a sample may be a wait if its innermost function has this role. Only then are the callers
 * examined.
 */
static bool unit_role_may_wait(enum role role)
{
	return role_may_idle(role) || role == ROLE_NONE || role == ROLE_LOCK_SLOW ||
	       role == ROLE_TRANSPARENT || role == ROLE_SYSCALL || role == ROLE_NET_IO ||
	       role == ROLE_READ_WRITE;
}

static void unit_idle_add(const struct profile_facts *p, struct thread_roles *roles, stack_id at,
			  struct unit_idle *ret)
{
	const struct symbols *symbols = capture_symbols(p->capture);
	const struct stacks *stacks = &p->capture->profile->stacks;
	sym_id leaf = stacks_sym(stacks, at);
	uint64_t weight = p->self[at.v];
	double pct = (double)weight / (double)p->weight * 100;
	enum role role = role_of(p->roles, symbols, leaf);
	struct thread_seen seen;

	if (!unit_role_may_wait(role) || role == ROLE_IDLE ||
	    str_glob(STR(UNIT_BURNING), symbols_canonical(symbols, leaf)))
		return;
	thread_wait_of_sample(roles, symbols, stacks, at, &seen);
	if (!seen.kind) {
		ret->idle += role_may_idle(role) ? pct : 0;
		return;
	}
	role = unit_idle_role((enum thread_wait)seen.kind);
	ret->blocks += role_may_idle(role) ? 0 : pct;
	ret->locks += role == ROLE_LOCK_SLOW ? pct : 0;
	ret->idle += role_may_idle(role) ? pct : 0;
	ret->marked += seen.kind == THREAD_WAIT_IDLE || seen.kind == THREAD_WAIT_SLEEP ? pct : 0;
	for (uint32_t i = 0; at.v && role && i <= seen.entry; i++, at = stacks_parent(stacks, at)) {
		sym_id sym = stacks_sym(stacks, at);

		ret->waits[sym.v] += weight;
		if (role == ROLE_LOCK_SLOW)
			ret->held[sym.v] += weight;
		else
			ret->role[sym.v] = (uint8_t)role;
	}
}

/*
 * Set p->own_roles: a function gets the role of its waits if they have at least UNIT_IDLE_PART of
 * its inclusive share.
 */
static void unit_idle_roles(struct profile_facts *p, const struct unit_idle *idle)
{
	const struct symbols *symbols = capture_symbols(p->capture);

	p->own_roles = xcalloc(1, sizeof(*p->own_roles));
	role_inherit(p->own_roles, symbols, &p->capture->profile->stacks);
	for (uint32_t i = 1; i < symbols->rows.len; i++) {
		uint32_t at = p->function_of[i];
		double pct = (double)idle->waits[i] / (double)p->weight * 100;

		if (pct > 0 && at && pct >= p->functions.data[at - 1].children * UNIT_IDLE_PART &&
		    !role_may_idle(role_of(p->roles, symbols, (sym_id){ i })))
			role_cache_set(p->own_roles, symbols, (sym_id){ i },
				       idle->held[i] > idle->waits[i] / 2
					       ? ROLE_LOCK_SLOW
					       : (enum role)idle->role[i]);
	}
	p->roles = p->own_roles;
}

/* Find the waits in the sampled stacks. Owner of the arrays: caller, unit_idle_fini(). */
static void unit_idle_find(const struct profile_facts *p, struct unit_idle *ret)
{
	struct thread_roles roles = { 0 };

	*ret = (struct unit_idle){ 0 };
	if (!p->self || !p->function_of || p->weight == 0)
		return;
	ret->waits = xcalloc(capture_symbols(p->capture)->rows.len, sizeof(*ret->waits));
	ret->held = xcalloc(capture_symbols(p->capture)->rows.len, sizeof(*ret->held));
	ret->role = xcalloc(capture_symbols(p->capture)->rows.len, sizeof(*ret->role));
	for (uint32_t i = 1; i < p->n_nodes; i++) {
		if (p->self[i])
			unit_idle_add(p, &roles, (stack_id){ i }, ret);
	}
	thread_roles_fini(&roles);
}

static void unit_idle_fini(struct unit_idle *idle)
{
	free(idle->waits);
	free(idle->held);
	free(idle->role);
}

/* Whether the profile counts the time in which threads wait. */
static bool unit_is_wall(const struct profile_facts *p, const struct unit_shares *s,
			 const struct unit_idle *idle)
{
	double blocks = s->blocks > idle->blocks ? s->blocks : idle->blocks;

	if (p->summary.kernel.pct > 0 || facts_sum(p, UNIT_KERNEL_ENTRY).functions)
		return false;
	return (s->waits > 0 && s->waits + s->blocks >= UNIT_WAITS_PCT) ||
	       (idle->idle > 0 && idle->idle + blocks >= UNIT_WAITS_PCT) ||
	       (idle->idle >= UNIT_IDLE_PCT && idle->marked >= UNIT_MARKED_PCT);
}

static void unit_guess_wall(struct profile_facts *p, const struct unit_shares *s)
{
	struct unit_idle idle;

	unit_idle_find(p, &idle);
	if (unit_is_wall(p, s, &idle)) {
		unit_set(p, EVENT_OTHER, "wall-clock time");
		p->idle += idle.waits ? idle.idle : s->waits;
	}
	if (idle.waits && (p->is_unit_guessed || idle.locks >= UNIT_IDLE_PCT))
		unit_idle_roles(p, &idle);
	unit_idle_fini(&idle);
}

static void unit_guess(struct profile_facts *p)
{
	struct unit_shares s = { 0 };

	VEC_FOREACH (f, &p->functions)
		unit_add(p, f, &s);
	if (s.has_java && s.classes >= UNIT_CLASS_PCT) {
		unit_of_classes(p, &s);
	} else if (s.allocates >= UNIT_MEMORY_PCT && s.frees <= 0) {
		unit_set(p, EVENT_MEMORY, "the memory");
	} else if (unit_is_of_wakers(p)) {
		unit_set(p, EVENT_UNJUDGED, "the time until a wake-up");
	} else {
		unit_guess_wall(p, &s);
	}
}

static int unit_weight_cmp(const void *va, const void *vb)
{
	const uint64_t *a = va;
	const uint64_t *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* The median of the weights of all stacks; 0: there are none. */
static uint64_t unit_median(const struct profile_facts *p)
{
	uint64_t *weights = xcalloc(p->n_nodes + 1, sizeof(*weights));
	uint64_t ret = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < p->n_nodes; i++) {
		if (p->self[i])
			weights[n++] = p->self[i];
	}
	if (n) {
		qsort(weights, n, sizeof(*weights), unit_weight_cmp);
		ret = weights[n / 2];
	}
	free(weights);
	return ret;
}

static void unit_set_sleep(struct profile_facts *p)
{
	double ends = 0;

	p->unit.kind = EVENT_SLEEP; /* the stacks show where threads go to sleep */
	VEC_FOREACH (f, &p->functions) {
		if (f->self > 0 && str_glob(STR(UNIT_SLEEPS), facts_function_name(p, f)))
			ends += f->self;
	}
	p->ends_in_scheduler =
		p->self && p->capture->profile->table.rows.len == 0 && ends >= UNIT_ENDS_PCT;
	if (!p->ends_in_scheduler)
		return;
	p->unit.is_plural = unit_median(p) < UNIT_TIME_MEDIAN;
	p->is_unit_guessed = true;
	(void)snprintf(p->unit.of, sizeof(p->unit.of), "%s",
		       p->unit.is_plural ? "off-CPU samples" : "off-CPU time");
}

void facts_find_unit(struct profile_facts *p)
{
	p->is_off_cpu = unit_is_off_cpu(p);
	if (p->unit.kind != EVENT_UNNAMED || p->functions.len == 0)
		return;
	if (p->is_off_cpu)
		unit_set_sleep(p);
	else
		unit_guess(p);
}
