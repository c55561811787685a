/* SPDX-License-Identifier: MIT */
/*
 * Reasons about user functions whose callers are missing: no caller is known, or the function has
 * no stack frame, so that its direct caller is skipped.
 */
#include "analyses/quality/quality.h"
#include "analyses/quality/quality_reasons.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"

/*
 * limits in percent of the samples in user code. From QUALITY_ALONE or QUALITY_NO_FRAME on, a
 * reason is added. From the limit with _CAUTION on, the severity of the reason is "caution". A few
 * percent are normal, because start-up code and stubs have no callers
 */
#define QUALITY_ALONE            5.0
#define QUALITY_ALONE_CAUTION    20.0
#define QUALITY_NO_FRAME         2.0
#define QUALITY_NO_FRAME_CAUTION 10.0
/*
 * in percent: if two reasons have at least this share of their samples in common, they become one
 * sentence
 */
#define QUALITY_SAME     80.0
#define QUALITY_NAME_MAX 60u /* maximum number of bytes of a function name in a sentence */

/* start of a complete chain: main(), or the function with which a thread starts */
#define QUALITY_CALLED (START_BIT(START_ROLE_MAIN) | START_BIT(START_ROLE_THREAD))

/* Whether the symbol is user code with a stack frame of its own. Inlined functions have none. */
static bool quality_is_program(const struct symbol *s)
{
	return (s->space == SPACE_USER || s->space == SPACE_JIT || s->space == SPACE_VDSO) &&
	       !(s->flags & SYMBOL_INLINED);
}

/*
 * Facts about the user frames on the path from the outermost frame of a stack to one of its nodes.
 */
struct quality_user {
	uint32_t inner; /* node of the innermost user frame; 0: no user frame so far */
	/*
	 * number of user frames that can be callers: known functions that do not start a program or
	 * thread
	 */
	uint32_t real;
	/*
	 * the innermost user frame is main(), or the function of a thread library that starts a
	 * thread
	 */
	bool has_main;
};

/* Numbers of samples in user code, or in kernel code that user code called. */
struct quality_leaves {
	uint64_t all;
	uint64_t alone; /* number of samples whose call chain has no known caller */
	/*
	 * number of samples in functions without a stack frame, whose direct caller may be missing
	 */
	uint64_t no_frame;
	uint64_t both;  /* number of samples that are in `alone` and in `no_frame` */
	sym_id example; /* the function without a stack frame that has the most samples */
};

/* Whether the symbol is code in an unknown module. False for a raw address in a known module. */
static bool quality_is_unknown(const struct symbols *symbols, sym_id id)
{
	struct str module = symbols_module(symbols, id);

	return str_eq(symbols_name(symbols, id), STR("[unknown]")) ||
	       (symbols_get(symbols, id)->flags & SYMBOL_ADDRESS &&
		(module.len == 0 || str_eq(module, STR("[unknown]"))));
}

static struct quality_user *quality_users(const struct profile *p, const struct symbols *symbols)
{
	const struct stacks *s = &p->stacks;
	struct quality_user *users = xcalloc_table(stacks_count(s) * sizeof(*users));
	/*
	 * indexed by symbol: 2: it starts a program or thread; 1: it does not; 0: not looked up yet
	 */
	uint8_t *entries = xcalloc(symbols->rows.len, 1);

	for (uint32_t i = 1; i < stacks_count(s); i++) {
		sym_id id = s->sym.data[i];
		const struct symbol *sym = symbols_get(symbols, id);
		struct quality_user *u = &users[i];

		*u = users[s->parent.data[i]];
		if (!quality_is_program(sym))
			continue;
		if (entries[id.v] == 0)
			entries[id.v] = quality_is_entry(symbols, id) ? 2 : 1;
		u->inner = i;
		u->has_main = entries[id.v] == 2 &&
			      start_names_have(symbols_name(symbols, id), QUALITY_CALLED);
		u->real += entries[id.v] == 1 && !quality_is_unknown(symbols, id);
	}
	free(entries);
	return users;
}

/*
 * Whether the sampled function has no known caller. @above: facts about the user frames of its
 * callers. If its nearest caller is main() or starts a thread, the chain is complete, and no caller
 * is missing. But if the function has no stack frame (@no_frame), frame pointers skip its direct
 * caller, which is then missing.
 */
static bool quality_is_alone(const struct quality_user *above, bool no_frame)
{
	return above->real == 0 && (!above->has_main || no_frame);
}

static void quality_leaves_of(const struct profile *p, const struct symbols *symbols,
			      struct quality_leaves *ret)
{
	const struct stacks *s = &p->stacks;
	struct quality_user *users = quality_users(p, symbols);
	uint64_t *by_symbol = xcalloc(symbols->rows.len, sizeof(*by_symbol));
	uint8_t *entries = xcalloc(symbols->rows.len, sizeof(*entries));
	uint64_t most = 0;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t inner = users[p->samples.stack.data[i].v].inner;
		bool is_alone;
		bool no_frame = p->samples.no_frame.len && p->samples.no_frame.data[i];
		uint64_t n = profile_samples_at(p, i);
		sym_id sym = s->sym.data[inner];

		if (!inner)
			continue;
		ret->all += n;
		/* a function that starts a program or thread has no caller that could be missing */
		if (!entries[sym.v])
			entries[sym.v] = quality_is_entry(symbols, sym) ? 2 : 1;
		if (entries[sym.v] == 2)
			continue;
		is_alone = quality_is_alone(&users[s->parent.data[inner]], no_frame);
		ret->alone += is_alone ? n : 0;
		if (!no_frame)
			continue;
		ret->no_frame += n;
		ret->both += is_alone ? n : 0;
		by_symbol[sym.v] += n;
		if (by_symbol[sym.v] > most) {
			most = by_symbol[sym.v];
			ret->example = sym;
		}
	}
	free(entries);
	free(by_symbol);
	free_table(users, stacks_count(s) * sizeof(*users));
}

static double quality_share(uint64_t n, const struct quality_leaves *l)
{
	return 100 * (double)n / (double)l->all;
}

static enum quality_severity quality_severity_alone(const struct profile *p,
						    const struct quality_leaves *l)
{
	return p->chains != CHAINS_UNKNOWN && quality_share(l->alone, l) >= QUALITY_ALONE_CAUTION
		       ? QUALITY_CAUTION
		       : QUALITY_INFO;
}

static enum quality_severity quality_severity_no_frame(const struct quality_leaves *l)
{
	return quality_share(l->no_frame, l) >= QUALITY_NO_FRAME_CAUTION ? QUALITY_CAUTION
									 : QUALITY_INFO;
}

/*
 * Add the reason "no-callers". @also: a clause about samples without a stack frame, if they are
 * nearly the same samples; else "".
 */
static void quality_alone(const struct profile *p, const struct quality_leaves *l, const char *also,
			  enum quality_severity severity, struct quality *q)
{
	double alone = quality_share(l->alone, l);

	quality_add(q, "no-callers", severity, alone, "%", 0,
		    "Callers are missing in %.0f %% of the program's samples (none except main, a "
		    "start function or an unknown address)%s%s",
		    alone, also,
		    p->chains == CHAINS_UNWOUND
			    ? ""
			    : ". Record with --call-graph dwarf (perf: or lbr), or build with "
			      "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer");
}

static void quality_no_frame(const struct quality_leaves *l, struct str name, struct quality *q)
{
	double no_frame = quality_share(l->no_frame, l);

	quality_add(
		q, "frameless-leaf", quality_severity_no_frame(l), no_frame, "%", 0,
		"Direct callers may be missing: %.0f %% of the program's samples are in functions "
		"without a frame (mainly " STR_FMT "). Record with --call-graph dwarf",
		no_frame, STR_ARG(name));
}

/*
 * Whether the reasons "no callers" and "no stack frame" are about nearly the same samples, so that
 * one sentence is enough.
 */
static bool quality_is_one(const struct quality_leaves *l)
{
	return 100 * (double)l->both >= QUALITY_SAME * (double)(l->alone + l->no_frame - l->both);
}

/* Add one sentence for both reasons. "No callers" is the worse one and comes first. */
static void quality_both(const struct profile *p, const struct quality_leaves *l, struct str name,
			 struct quality *q)
{
	enum quality_severity severity = quality_severity_alone(p, l);
	enum quality_severity no_frame = quality_severity_no_frame(l);
	char also[QUALITY_NAME_MAX + 128];

	(void)snprintf(also, sizeof(also),
		       "; %.0f %% are in functions without a frame (mainly " STR_FMT ")",
		       quality_share(l->no_frame, l), STR_ARG(name));
	quality_alone(p, l, also, no_frame > severity ? no_frame : severity, q);
}

void quality_callers(const struct capture *c, struct quality *q)
{
	const struct profile *p = c->profile;
	struct quality_leaves l;
	struct str name;
	bool has_alone;
	bool has_no_frame;

	if (p->has_no_callers || p->samples.n == 0 || p->table.rows.len)
		return;
	quality_leaves_of(p, capture_symbols(c), &l);
	if (l.all == 0)
		return;
	name = str_sub(symbols_name(capture_symbols(c), l.example), 0, QUALITY_NAME_MAX);
	has_alone = quality_share(l.alone, &l) >= QUALITY_ALONE;
	has_no_frame = quality_share(l.no_frame, &l) >= QUALITY_NO_FRAME;
	if (has_alone && has_no_frame && quality_is_one(&l)) {
		quality_both(p, &l, name, q);
		return;
	}
	if (has_alone)
		quality_alone(p, &l, "", quality_severity_alone(p, &l), q);
	if (has_no_frame)
		quality_no_frame(&l, name, q);
}
