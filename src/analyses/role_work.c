/* SPDX-License-Identifier: MIT */
#include "analyses/role_work.h"

#include "analyses/roles.h"
#include "base/alloc.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/stacks.h"
#include "core/symbols.h"

#include <stdlib.h>

_Static_assert(ROLE_COUNT <= 128, "a struct role_set has a bit for each role");

/* patterns for modules that every C or C++ program uses */
#define WORK_RUNTIME \
	"libc.so*|libc-*|libm.so*|libm-*|libstdc++*|libc++*|libgcc_s*|ld-*|libpthread*|libc.musl*"

/* The roles that a function passes on to its callees on a stack. */
struct work_path {
	/*
	 * roles for which the callees work. For example, a function that matches a regular
	 * expression passes on ROLE_REGEX: its callees work for the match
	 */
	struct role_set kinds;
	/*
	 * a shared library: callees in this library that have no role of their own also work for
	 * `kinds`
	 */
	str_id library;
};

/* How a function changes the work_path that it passes on to its callees. */
enum work_step {
	WORK_UNKNOWN, /* not determined yet */
	WORK_KEEPS,
	/* a function of the application: its callees do not work for the roles of its callers */
	WORK_ENDS,
	/*
	 * the function has no role. It acts like WORK_KEEPS if it is in work_path.library, else
	 * like WORK_ENDS
	 */
	WORK_UNNAMED,
	/* adds the function's own role to work_path.kinds, and clears work_path.library */
	WORK_BEGINS,
	/* like WORK_BEGINS, but sets work_path.library to the function's library */
	WORK_BEGINS_SO
};

/* Facts about a symbol, computed once for all its nodes. */
struct work_symbol {
	uint8_t step; /* enum work_step */
	/* enum role; a role that is reported under another role is replaced: role_with() */
	uint8_t role;
};

static enum work_step work_step_of(const struct symbols *symbols, sym_id sym, enum role role)
{
	const struct symbol *s = symbols_get(symbols, sym);
	struct str name = symbols_name(symbols, sym);

	if (s->space == SPACE_KERNEL)
		return WORK_KEEPS;
	/*
	 * wrappers of C++ or Rust ("::" in their names) keep the roles of their caller, because
	 * they only call other library functions or the application
	 */
	if (role == ROLE_TRANSPARENT)
		return str_contains(name, STR("::")) ? WORK_KEEPS : WORK_ENDS;
	if (role_is_within(role))
		return str_contains(symbols_module(symbols, sym), STR(".so")) ? WORK_BEGINS_SO
									      : WORK_BEGINS;
	if (role != ROLE_NONE || str_starts(name, STR("std::")) ||
	    str_glob(STR(WORK_RUNTIME), symbols_module(symbols, sym)))
		return WORK_KEEPS;
	return s->module.v ? WORK_UNNAMED : WORK_ENDS;
}

/*
 * The roles that @sym passes on to its callees. @up: the roles that its caller passes on to @sym.
 */
static struct work_path work_path_of(const struct symbols *symbols, sym_id sym,
				     const struct work_symbol *w, struct work_path up)
{
	str_id module;

	switch ((enum work_step)w->step) {
	case WORK_UNKNOWN:
	case WORK_KEEPS:
		return up;
	case WORK_ENDS:
		break;
	case WORK_UNNAMED:
		module = symbols_get(symbols, sym)->module;
		if (module.v == up.library.v)
			return up;
		break;
	case WORK_BEGINS:
	case WORK_BEGINS_SO:
		module = symbols_get(symbols, sym)->module;
		return (struct work_path){
			.kinds = role_set_with(up.kinds, (enum role)w->role),
			.library = w->step == WORK_BEGINS_SO ? module : STR_ID_NONE,
		};
	}
	return (struct work_path){ .library = STR_ID_NONE };
}

void role_work_init(struct role_work *w, struct role_cache *c, const struct symbols *symbols,
		    const struct stacks *stacks, const uint64_t *self)
{
	struct work_symbol *known = xcalloc(symbols->rows.len + 1, sizeof(*known));
	struct work_path *paths;

	*w = (struct role_work){ .self = self, .n = stacks_count(stacks) };
	w->at = xcalloc(w->n, sizeof(*w->at));
	paths = xcalloc(w->n, sizeof(*paths));
	for (uint32_t i = 1; i < w->n; i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });
		struct work_symbol *k = &known[sym.v];

		if (k->step == WORK_UNKNOWN) {
			enum role role = role_of(c, symbols, sym);

			k->step = (uint8_t)work_step_of(symbols, sym, role);
			k->role = (uint8_t)role_with(role);
		}
		paths[i] = work_path_of(symbols, sym, k,
					paths[stacks_parent(stacks, (stack_id){ i }).v]);
		if (self[i])
			w->at[i] = role_set_with(paths[i].kinds, (enum role)k->role);
	}
	free(paths);
	free(known);
}

void role_work_fini(struct role_work *w)
{
	free(w->at);
}

void role_work_sum(const struct role_work *w, struct role_set taken, uint64_t *ret)
{
	memset(ret, 0, ROLE_COUNT * sizeof(*ret));
	for (uint32_t i = 1; i < w->n; i++) {
		const uint64_t *bits = w->at[i].bits;

		if (!w->self[i] || bits[0] & taken.bits[0] || bits[1] & taken.bits[1])
			continue;
		for (unsigned int k = 0; k < 2; k++) {
			for (uint64_t left = bits[k]; left; left &= left - 1)
				ret[k * 64 + (unsigned int)__builtin_ctzll(left)] += w->self[i];
		}
	}
}
