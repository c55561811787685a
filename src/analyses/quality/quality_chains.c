/* SPDX-License-Identifier: MIT */
/* Reasons about call chains: the frames at which they end, and whether code is mapped there. */
#include "analyses/quality/quality.h"
#include "analyses/quality/quality_reasons.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
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

/*
 * limits in percent of the chains (struct quality_chains). The severity of a reason is "caution" if
 * fewer chains than QUALITY_WHOLE_CAUTION are whole, or if at least QUALITY_BROKEN_CAUTION are
 * broken
 */
#define QUALITY_WHOLE_CAUTION  90.0
#define QUALITY_BROKEN_CAUTION 10.0
/* the first page is never mapped, so no function has a lower address */
#define QUALITY_LOWEST_CODE 0x1000u

/*
 * Get the address of a symbol without a name. False: the symbol is a function, or an offset in a
 * known module.
 */
static bool quality_address(const struct symbols *symbols, sym_id id, uint64_t *ret)
{
	struct str module;
	struct str name;

	if (!(symbols_get(symbols, id)->flags & SYMBOL_ADDRESS))
		return false;
	module = symbols_module(symbols, id);
	if (module.len && !str_eq(module, STR("[unknown]")))
		return false;
	if (strings_number(symbols->strings, symbols_get(symbols, id)->name, ret))
		return true;
	name = symbols_name(symbols, id);
	return str_hex64(&name, ret);
}

static bool quality_may_be_code(uint64_t address)
{
	uint64_t high = address >> 47;

	return address >= QUALITY_LOWEST_CODE && (high == 0 || high == 0x1ffff);
}

bool quality_is_no_code(const struct symbols *symbols, sym_id id)
{
	uint64_t address;

	return quality_address(symbols, id, &address) && !quality_may_be_code(address);
}

/* roles of functions that start a program or thread, and so have no caller */
#define QUALITY_ENTRIES                                                                   \
	(START_BEFORE_MAIN | START_BIT(START_ROLE_MAIN) | START_BIT(START_ROLE_RUNTIME) | \
	 START_BIT(START_ROLE_FORK))

/* Kinds of frames of a call chain. */
enum quality_frame {
	QUALITY_FRAME_NEW,  /* not classified yet */
	QUALITY_FRAME_CODE, /* a function, or an address that may have code */
	QUALITY_FRAME_BAD,  /* an address without mapped code */
	/*
	 * address 0. It marks the end of the stack, unless it is the direct caller of the sampled
	 * function
	 */
	QUALITY_FRAME_END,
	QUALITY_FRAME_ENTRY, /* function that starts a program or thread: it has no caller */
	QUALITY_FRAME_COMM   /* a command, which is not a frame */
};

/*
 * Classify a frame. A chain with a start function such as _start is complete. In static programs,
 * unwinders may report callers of _start, which do not exist: they come from the initial contents
 * of registers.
 */
static enum quality_frame quality_frame_of(const struct symbols *symbols, sym_id id)
{
	const struct symbol *s = symbols_get(symbols, id);
	uint64_t address;

	if (s->space == SPACE_COMM)
		return QUALITY_FRAME_COMM;
	if (!(s->flags & SYMBOL_ADDRESS))
		return start_names_have(symbols_name(symbols, id), QUALITY_ENTRIES)
			       ? QUALITY_FRAME_ENTRY
			       : QUALITY_FRAME_CODE;
	if (!quality_address(symbols, id, &address) || quality_may_be_code(address))
		return QUALITY_FRAME_CODE;
	return address == 0 ? QUALITY_FRAME_END : QUALITY_FRAME_BAD;
}

static void quality_chain(struct quality_chains *q, const struct symbols *symbols, sym_id outermost,
			  uint64_t weight, uint32_t line)
{
	q->all += weight;
	if (!(symbols_get(symbols, outermost)->flags & SYMBOL_ADDRESS))
		return;
	q->address += weight;
	if (!quality_is_no_code(symbols, outermost))
		return;
	if (q->broken == 0) {
		q->example = outermost;
		q->line = line;
	}
	q->broken += weight;
}

/*
 * Count the chains of printed trees whose children are callers: each leaf is the outermost frame of
 * a chain. Trees whose children are callees (CHAIN_CALLER) are not counted.
 */
static void quality_printed_chains(const struct profile *p, const struct symbols *symbols,
				   struct quality_chains *q)
{
	const struct profile_table *t = &p->table;
	/*
	 * indexed by node: last start function (such as _start) on the path from the root to the
	 * node, as its index + 1; 0: none
	 */
	uint32_t *entry;

	if (t->order == CHAIN_CALLER)
		return;
	entry = xcalloc(t->nodes.len, sizeof(*entry));
	for (uint32_t i = 0; i < t->nodes.len; i++) {
		const struct profile_node *n = &t->nodes.data[i];
		enum quality_frame frame =
			n->is_other ? QUALITY_FRAME_CODE : quality_frame_of(symbols, n->sym);
		uint32_t at = i;

		entry[i] = frame == QUALITY_FRAME_ENTRY ? i + 1
			   : n->parent != INDEX_NONE    ? entry[n->parent]
							: 0;
		if (n->end != i + 1 || n->is_other)
			continue;
		if (entry[i])
			at = entry[i] - 1;
		else if (frame == QUALITY_FRAME_END && n->parent != INDEX_NONE &&
			 t->nodes.data[n->parent].parent != INDEX_NONE)
			/*
			 * address 0 is no frame, but marks the end of the stack: the chain ends at
			 * the previous frame
			 */
			at = n->parent;
		quality_chain(q, symbols, t->nodes.data[at].sym, 1, n->line);
	}
	free(entry);
}

/*
 * Facts about the path from the outermost frame to a node. The members are indices of nodes; 0:
 * none.
 */
struct quality_node {
	uint32_t outermost; /* node of the outermost frame */
	/*
	 * node at which the chain ends: a start function, such as _start, else the outermost frame
	 */
	uint32_t end;
	uint32_t no_code; /* node of the outermost caller that is an address without mapped code */
};

/*
 * Compute the facts about node @i. On entry, @at has the facts about its caller @parent. @frame:
 * kind of the frame of node @i. @outer: kind of the frame of node at->no_code.
 */
static void quality_step(struct quality_node *at, uint32_t i, uint32_t parent,
			 enum quality_frame frame, enum quality_frame outer)
{
	/*
	 * an outermost address 0 usually marks the end of the stack. If it calls the sampled
	 * function directly, it is an address without code
	 */
	if (at->no_code && at->no_code == at->outermost && outer == QUALITY_FRAME_END) {
		if (parent != at->no_code || frame != QUALITY_FRAME_CODE)
			at->no_code = 0;
		if (parent == at->outermost)
			at->end = i;
	}
	if (!at->outermost)
		at->outermost = at->end = i;
	if (frame == QUALITY_FRAME_ENTRY) {
		at->end = i;
		at->no_code = 0;
	} else if (!at->no_code && frame != QUALITY_FRAME_CODE) {
		at->no_code = i;
	}
}

/* Count a recorded chain that ends at the frame @outermost, of kind @frame. */
static void quality_ends(struct quality_chains *q, const struct symbols *symbols, sym_id outermost,
			 enum quality_frame frame, uint64_t weight)
{
	const struct symbol *s = symbols_get(symbols, outermost);

	if (frame == QUALITY_FRAME_ENTRY || s->space == SPACE_KERNEL)
		q->whole += weight;
	else if (frame == QUALITY_FRAME_CODE && !(s->flags & SYMBOL_ADDRESS))
		q->cut += weight;
}

static void quality_sampled_chains(const struct profile *p, const struct symbols *symbols,
				   struct quality_chains *q)
{
	const struct stacks *s = &p->stacks;
	uint32_t n = stacks_count(s);
	size_t bytes = n * sizeof(struct quality_node);
	struct quality_node *nodes = xcalloc_table(bytes);
	uint8_t *known = xcalloc(symbols->rows.len, 1); /* indexed by symbol: enum quality_frame */

	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = s->parent.data[i];
		sym_id sym = s->sym.data[i];
		struct quality_node at = nodes[parent];

		if (known[sym.v] == QUALITY_FRAME_NEW)
			known[sym.v] = (uint8_t)quality_frame_of(symbols, sym);
		if (known[sym.v] != QUALITY_FRAME_COMM)
			quality_step(&at, i, parent, (enum quality_frame)known[sym.v],
				     (enum quality_frame)known[s->sym.data[at.no_code].v]);
		nodes[i] = at;
	}
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t node = p->samples.stack.data[i].v;
		const struct quality_node *at = &nodes[node];
		/*
		 * only callers break a chain: ignore an address without code if it is the sampled
		 * function itself
		 */
		uint32_t bad = at->no_code == node ? 0 : at->no_code;
		sym_id end = s->sym.data[bad ? bad : at->end];

		if (!at->outermost)
			continue;
		quality_ends(q, symbols, end, (enum quality_frame)known[end.v],
			     profile_samples_at(p, i));
		if (at->outermost != node)
			quality_chain(q, symbols, end, profile_samples_at(p, i), 0);
	}
	free(known);
	free_table(nodes, bytes);
}

void quality_chains_of(const struct capture *c, struct quality_chains *ret)
{
	const struct profile *p = c->profile;

	memset(ret, 0, sizeof(*ret));
	if (!p)
		return;
	if (p->table.nodes.len)
		quality_printed_chains(p, capture_symbols(c), ret);
	else if (p->samples.n)
		quality_sampled_chains(p, capture_symbols(c), ret);
}

/*
 * Whether a printed table shows callers: in the trees below its rows, or in separate call chains
 * (profile_table.traces).
 */
static bool quality_prints_chains(const struct profile_table *t)
{
	VEC_FOREACH (n, &t->nodes) {
		if (n->parent != INDEX_NONE)
			return true;
	}
	return t->traces.len > 0;
}

/*
 * Add the reason "chain-ends": the percentages of whole, cut and broken chains. Only if the source
 * of the chains (frame pointers, …) is known.
 */
static void quality_chain_ends(const struct profile *p, const struct quality_chains *chains,
			       struct quality *q)
{
	static const char *const made[] = { [CHAINS_FRAME_POINTERS] = "frame pointers",
					    [CHAINS_UNWOUND] = "unwound",
					    [CHAINS_BRANCHES] = "branch records" };
	uint64_t known = chains->whole + chains->cut + chains->broken;
	double whole;
	double cut;

	if (p->chains == CHAINS_UNKNOWN || p->has_no_callers || known == 0)
		return;
	whole = 100 * (double)chains->whole / (double)known;
	cut = 100 * (double)chains->cut / (double)known;
	quality_add(q, "chain-ends", whole < QUALITY_WHOLE_CAUTION ? QUALITY_CAUTION : QUALITY_INFO,
		    whole, "%", 0,
		    "Call chains (%s): %.1f %% whole, %.1f %% cut, %.1f %% implausible",
		    made[p->chains], whole, cut, 100 * (double)chains->broken / (double)known);
}

bool quality_chains(const struct capture *c, struct quality *q)
{
	struct quality_chains chains;
	double pct;

	if (c->profile && c->profile->has_no_callers)
		return false;
	quality_chains_of(c, &chains);
	if (chains.all == 0 && quality_prints_chains(&c->profile->table))
		return true;
	if (chains.all == 0) {
		quality_add(q, "no-chains", QUALITY_INFO, 0, "chains", 0,
			    "No call chains: callers are unknown");
		return c->profile->chains != CHAINS_UNKNOWN;
	}
	quality_chain_ends(c->profile, &chains, q);
	pct = 100 * (double)chains.broken / (double)chains.all;
	if (chains.broken)
		quality_add(q, "broken-chains",
			    pct >= QUALITY_BROKEN_CAUTION ? QUALITY_CAUTION : QUALITY_INFO, pct,
			    "%", chains.line,
			    "Call chains are broken: %llu of %llu end where no code is mapped "
			    "(such as " STR_FMT "). Do not trust their outermost callers",
			    (unsigned long long)chains.broken, (unsigned long long)chains.all,
			    STR_ARG(symbols_name(capture_symbols(c), chains.example)));
	else if (chains.address)
		quality_add(q, "unnamed-chains", QUALITY_INFO,
			    100 * (double)chains.address / (double)chains.all, "%", 0,
			    "%llu of %llu call chains end at an unresolved address",
			    (unsigned long long)chains.address, (unsigned long long)chains.all);
	return true;
}

bool quality_is_entry(const struct symbols *symbols, sym_id id)
{
	return quality_frame_of(symbols, id) == QUALITY_FRAME_ENTRY;
}
