/* SPDX-License-Identifier: MIT */
/* waits_kind.c - find the kind and reason of a wait from the functions on its stack */
#include "analyses/waits/waits_build.h"

#include "analyses/waits/wait_roles.h"
#include "analyses/waits/waits.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"

#include <stdlib.h>

/* number of user frames, from the innermost one on, in which a lock function is searched */
#define WAITS_USER_FRAMES 10u

/* reasons that are more exact than the word for their kind of wait: "pipe" instead of "peer" */
static const struct {
	enum wait_kind kind;
	enum wait_role role;
	const char *word;
} waits_reasons[] = {
	{ WAIT_PEER, WAIT_ROLE_WORD_PIPE, "pipe" },
	{ WAIT_PEER, WAIT_ROLE_WORD_SOCKET, "socket" },
	{ WAIT_PEER, WAIT_ROLE_WORD_NETWORK, "network" },
	{ WAIT_CONDITION, WAIT_ROLE_WORD_JOIN, "join" },
};

const char *wait_kind_name(enum wait_kind kind)
{
	static const char *const names[WAIT_KINDS] = {
		[WAIT_CPU] = "a CPU",
		[WAIT_LOCK] = "locks",
		[WAIT_DISK] = "storage",
		[WAIT_MEMORY] = "memory",
		[WAIT_GC] = "the garbage collector",
		[WAIT_SLEEP] = "sleeping",
		[WAIT_CHILD] = "child processes",
		[WAIT_CONDITION] = "other threads' signs",
		[WAIT_FUTEX] = "futexes",
		[WAIT_PEER] = "pipes and sockets",
		[WAIT_EVENT] = "events",
		[WAIT_OTHER] = "other things",
		[WAIT_UNKNOWN] = "what no stack tells",
	};

	return kind < WAIT_KINDS ? names[kind] : "";
}

static const char *const waits_words[WAIT_KINDS] = {
	[WAIT_CPU] = "cpu",         [WAIT_LOCK] = "lock",
	[WAIT_DISK] = "disk",       [WAIT_MEMORY] = "memory",
	[WAIT_GC] = "gc",           [WAIT_SLEEP] = "timer",
	[WAIT_CHILD] = "child",     [WAIT_CONDITION] = "condition",
	[WAIT_FUTEX] = "futex",     [WAIT_PEER] = "peer",
	[WAIT_EVENT] = "event",     [WAIT_OTHER] = "other",
	[WAIT_UNKNOWN] = "unknown",
};

const char *wait_kind_word(enum wait_kind kind)
{
	return kind < WAIT_KINDS ? waits_words[kind] : "";
}

bool wait_kind_of_reason(struct str reason, enum wait_kind *ret)
{
	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		if (str_eq(reason, str_of(waits_words[k]))) {
			*ret = (enum wait_kind)k;
			return true;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(waits_reasons); i++) {
		if (str_eq(reason, str_of(waits_reasons[i].word))) {
			*ret = waits_reasons[i].kind;
			return true;
		}
	}
	return false;
}

/* The meaning of the kernel function @name for a wait: enum wait_kind or waits_class. */
static uint8_t waits_class_kernel(struct str name)
{
	static const uint8_t classes[WAIT_ROLES] = {
		[WAIT_ROLE_FAULT] = WAITS_CLASS_FAULT,
		[WAIT_ROLE_KTHREAD] = WAITS_CLASS_KTHREAD,
		[WAIT_ROLE_RECORDER] = WAITS_CLASS_RECORDER,
		[WAIT_ROLE_FUTEX] = WAIT_FUTEX,
		[WAIT_ROLE_TIMER] = WAIT_SLEEP,
		[WAIT_ROLE_PEER] = WAIT_PEER,
		[WAIT_ROLE_POLL] = WAIT_EVENT,
		[WAIT_ROLE_SIGNAL] = WAIT_CONDITION,
		[WAIT_ROLE_CHILD] = WAIT_CHILD,
		[WAIT_ROLE_LOCK] = WAIT_LOCK,
		[WAIT_ROLE_MEMORY] = WAIT_MEMORY,
		[WAIT_ROLE_DISK] = WAIT_DISK,
	};
	enum wait_role role = wait_role_find(name, WAIT_LINES_KERNEL);

	return role ? classes[role] : WAITS_CLASS_NONE;
}

static uint8_t waits_class_user(struct str name)
{
	enum wait_role role = wait_role_find(name, WAIT_LINES_USER);

	return role == WAIT_ROLE_LOCK      ? WAIT_LOCK
	       : role == WAIT_ROLE_KTHREAD ? WAITS_CLASS_KTHREAD
	       : role == WAIT_ROLE_NONE    ? WAITS_CLASS_NONE
					   : WAIT_CONDITION;
}

static uint8_t waits_class_of(struct waits_build *b, sym_id sym)
{
	enum symbol_space space = symbols_get(b->symbols, sym)->space;
	struct str name;
	uint8_t class = WAITS_CLASS_NONE;

	if (b->class_of[sym.v] != WAITS_NOT_COMPUTED)
		return b->class_of[sym.v];
	name = symbols_canonical(b->symbols, sym);
	if (space != SPACE_USER)
		class = waits_class_kernel(name);
	if (space == SPACE_USER || (space == SPACE_UNKNOWN && class == WAITS_CLASS_NONE))
		class = waits_class_user(name);
	b->class_of[sym.v] = class;
	return class;
}

/*
 * Whether the thread belongs to a runtime, such as a thread of the garbage collector. Its outermost
 * function decides this.
 */
static bool waits_is_of_runtime(struct waits_build *b, stack_id stack)
{
	const struct stacks *s = &b->c->profile->stacks;
	uint32_t outermost = 0;

	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		if (symbols_get(b->symbols, s->sym.data[at])->space != SPACE_COMM)
			outermost = at;
	}
	return outermost && symbols_get(b->symbols, s->sym.data[outermost])->space == SPACE_USER &&
	       waits_class_of(b, s->sym.data[outermost]) == WAITS_CLASS_KTHREAD;
}

enum wait_kind waits_classify(struct waits_build *b, stack_id stack)
{
	const struct stacks *s = &b->c->profile->stacks;
	enum wait_kind kind = WAIT_UNKNOWN;
	bool is_condition = false;
	unsigned int n_user = 0;

	b->kernel[stack.v] |= waits_is_of_runtime(b, stack);
	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		sym_id sym = s->sym.data[at];
		enum symbol_space space = symbols_get(b->symbols, sym)->space;
		uint8_t class = space == SPACE_COMM ? WAITS_CLASS_NONE : waits_class_of(b, sym);

		if (space == SPACE_COMM)
			break;
		/*
		 * it is unknown whether this is a kernel or a user frame. Treat it as a user frame,
		 * which shows whether the futex is a lock or a condition
		 */
		if (space == SPACE_UNKNOWN && kind == WAIT_FUTEX &&
		    (class == WAIT_LOCK || class == WAIT_CONDITION))
			return class;
		if (space == SPACE_USER) {
			/*
			 * user frames are needed only for a futex, to distinguish locks from
			 * conditions
			 */
			if (kind != WAIT_FUTEX || n_user++ == WAITS_USER_FRAMES)
				break;
			/*
			 * a lock function that calls a condition counts as a lock only if it is a
			 * runtime's lock that is made of conditions (monitors, Python's GIL)
			 */
			if (class == WAIT_LOCK &&
			    (!is_condition || wait_role_has(WAIT_ROLE_RUNTIME_LOCK,
							    symbols_canonical(b->symbols, sym))))
				return class;
			is_condition |= class == WAIT_CONDITION;
			continue;
		}
		/*
		 * the innermost functions of every wait belong to the scheduler: they show no kind
		 */
		if (kind == WAIT_UNKNOWN &&
		    wait_role_has(WAIT_ROLE_SCHEDULER, symbols_canonical(b->symbols, sym)))
			continue;
		if (kind == WAIT_UNKNOWN)
			kind = WAIT_OTHER;
		if (class == WAITS_CLASS_KTHREAD)
			b->kernel[stack.v] = 1;
		else if (class == WAITS_CLASS_RECORDER)
			return WAIT_OTHER; /* the recorder itself caused the wait */
		else if (class == WAITS_CLASS_FAULT && (kind == WAIT_DISK || kind == WAIT_OTHER))
			kind = WAIT_MEMORY;
		else if (class < WAIT_KINDS && kind == WAIT_OTHER)
			kind = class;
	}
	return is_condition ? WAIT_CONDITION : kind;
}

static bool waits_is_code(const struct waits_build *b, uint32_t node)
{
	sym_id sym = b->c->profile->stacks.sym.data[node];

	return symbols_get(b->symbols, sym)->space != SPACE_COMM;
}

static bool waits_matches(const struct waits_build *b, uint32_t node, enum wait_role role)
{
	sym_id sym = b->c->profile->stacks.sym.data[node];

	return symbols_get(b->symbols, sym)->space != SPACE_USER &&
	       wait_role_has(role, symbols_canonical(b->symbols, sym));
}

/*
 * Find the lock function that led to the futex call at node @at. Returns its node; if lock
 * functions call each other, the outermost one. 0: unknown.
 */
static uint32_t waits_lock_above(struct waits_build *b, uint32_t at)
{
	const struct stacks *s = &b->c->profile->stacks;
	uint32_t found = 0;

	while (at && waits_is_code(b, at) && waits_matches(b, at, WAIT_ROLE_FUTEX_CALL))
		at = s->parent.data[at];
	for (unsigned int i = 0; at && waits_is_code(b, at) && i < WAITS_USER_FRAMES; i++) {
		uint8_t class = waits_class_of(b, s->sym.data[at]);
		bool is_lock = class == WAIT_LOCK || class == WAIT_CONDITION;

		if (found && !is_lock)
			break;
		if (is_lock)
			found = at;
		at = s->parent.data[at];
	}
	return found;
}

stack_id waits_shown(struct waits_build *b, stack_id stack)
{
	const struct stacks *s = &b->c->profile->stacks;
	uint32_t at = stack.v;
	uint32_t lock;

	while (at && waits_is_code(b, at) && waits_matches(b, at, WAIT_ROLE_SILENT))
		at = s->parent.data[at];
	if (!at || !waits_is_code(b, at))
		return stack;
	lock = waits_matches(b, at, WAIT_ROLE_FUTEX_CALL) ? waits_lock_above(b, at) : 0;
	return (stack_id){ lock ? lock : at };
}

/* The reason of a wait of kind @kind at @stack, in one word. */
static const char *waits_reason(const struct waits_build *b, stack_id stack, enum wait_kind kind)
{
	const struct stacks *s = &b->c->profile->stacks;

	for (uint32_t at = stack.v; at && waits_is_code(b, at); at = s->parent.data[at]) {
		struct str name = symbols_canonical(b->symbols, s->sym.data[at]);

		for (size_t i = 0; i < ARRAY_LEN(waits_reasons); i++) {
			if (waits_reasons[i].kind == kind &&
			    wait_role_has(waits_reasons[i].role, name))
				return waits_reasons[i].word;
		}
	}
	return waits_words[kind];
}

void waits_places(const struct capture *c, struct wait_places *ret)
{
	const struct profile *p = c->profile;
	size_t n = (size_t)stacks_count(&p->stacks) + 1;
	struct waits_build b = { .c = c, .symbols = capture_symbols(c) };

	ret->reason = xcalloc(n, sizeof(*ret->reason));
	ret->shown = xcalloc(n, sizeof(*ret->shown));
	b.class_of = xcalloc(b.symbols->rows.len + 1, 1);
	b.kernel = xcalloc(n, 1);
	memset(b.class_of, WAITS_NOT_COMPUTED, b.symbols->rows.len + 1);
	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id stack = p->samples.stack.data[i];

		if (ret->reason[stack.v])
			continue;
		ret->reason[stack.v] = waits_reason(&b, stack, waits_classify(&b, stack));
		ret->shown[stack.v] = waits_shown(&b, stack);
	}
	free(b.class_of);
	free(b.kernel);
}

void waits_places_fini(struct wait_places *p)
{
	free(p->reason);
	free(p->shown);
}
