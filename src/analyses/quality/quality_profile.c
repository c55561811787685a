/* SPDX-License-Identifier: MIT */
#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "analyses/quality/quality_reasons.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/stats.h"
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

#include <math.h>

/*
 * With 30 samples the 95 % interval of 50 % is 33 to 67 %: no ranking is possible. With 1000
 * samples that of 10 % is 8.3 to 12.0 %: the top can be ranked.
 */
#define QUALITY_WHOLE_CAUTION   90.0 /* percent of the chains that are whole */
#define QUALITY_SAMPLES_SERIOUS 30u
#define QUALITY_SAMPLES_CAUTION 1000u
/* Percentages from which a reader would be misled about the top rows. */
#define QUALITY_UNSYMBOLISED_CAUTION 2.0
#define QUALITY_UNSYMBOLISED_SERIOUS 50.0
#define QUALITY_BROKEN_CAUTION       10.0
#define QUALITY_VISIBLE_CAUTION      95.0
#define QUALITY_VISIBLE_SERIOUS      20.0
#define QUALITY_LOST_SERIOUS         5.0
#define QUALITY_IDLE                 20.0
/* A few of every hundred samples are in start-up code and stubs. */
#define QUALITY_ALONE            5.0
#define QUALITY_ALONE_CAUTION    20.0
#define QUALITY_NO_FRAME         2.0
#define QUALITY_NO_FRAME_CAUTION 10.0
/* Percent of common samples at which two reasons are combined: the rest is noise. */
#define QUALITY_SAME     80.0
#define QUALITY_NAME_MAX 60u /* bytes of a function name in a sentence */
/* The first page is never mapped, so no function has such an address. */
#define QUALITY_LOWEST_CODE 0x1000u

/* If a header states fewer samples than its rows have in sum, it is from another recording. */
static void quality_head(const struct profile *p, const struct top_summary *s, struct quality *q)
{
	if (p->has_n_samples && s->printed_samples > p->n_samples + p->n_samples_err)
		quality_add(q, "samples-contradict", QUALITY_CAUTION, (double)s->printed_samples,
			    "samples", 0,
			    "The header says %llu samples and the rows print %llu. One of them "
			    "belongs to another recording",
			    (unsigned long long)p->n_samples,
			    (unsigned long long)s->printed_samples);
}

static void quality_samples(const struct profile *p, const struct top_summary *s, struct quality *q)
{
	enum quality_severity severity = QUALITY_INFO;
	struct interval half;

	if (p->is_selected && p->samples.n == 0) {
		quality_add(q, "few-chosen", QUALITY_SERIOUS, 0, "samples", 0,
			    "No sample was selected: no conclusion possible");
		return;
	}
	if (!s->has_samples || s->samples == 0) {
		quality_add(q, "samples-unknown", QUALITY_UNKNOWN, NAN, "samples", 0,
			    "The number of samples is unknown: no intervals");
		return;
	}
	if (p->unit == WEIGHT_BYTES) {
		quality_add(q, "allocations", QUALITY_INFO, (double)s->samples, "stacks", 0,
			    "Bytes of %llu call stack%s: not samples, so no interval is given",
			    (unsigned long long)s->samples, quality_plural(s->samples));
		return;
	}
	if (p->is_complete) {
		quality_add(q, "complete", QUALITY_INFO, (double)s->samples, "samples", 0,
			    "All %llu events were recorded, so there is no sampling error",
			    (unsigned long long)s->samples);
		return;
	}
	if (s->samples < QUALITY_SAMPLES_SERIOUS)
		severity = QUALITY_SERIOUS;
	else if (s->samples < QUALITY_SAMPLES_CAUTION)
		severity = QUALITY_CAUTION;
	half = stats_wilson(0.5 * (double)s->samples, (double)s->samples, STATS_Z95);
	if (s->is_least)
		quality_add(q, "samples-least",
			    severity == QUALITY_INFO ? QUALITY_INFO : QUALITY_UNKNOWN,
			    (double)s->samples, "samples", 0,
			    "At least %llu sample%s: the printed rows have that many. The rest is "
			    "unknown",
			    (unsigned long long)s->samples, quality_plural(s->samples));
	else if (s->samples <= 1)
		quality_add(q, "few-samples", severity, (double)s->samples, "samples", 0,
			    "Only %llu sample%s: no conclusion possible",
			    (unsigned long long)s->samples, quality_plural(s->samples));
	else if (severity != QUALITY_INFO)
		quality_add(q, "few-samples", severity, (double)s->samples, "samples", 0,
			    "Only %llu sample%s: one sample is %.*f %%; a printed 50 %% could be "
			    "%.0f–%.0f %%",
			    (unsigned long long)s->samples, quality_plural(s->samples),
			    s->samples < 10     ? 0
			    : s->samples < 1000 ? 1
						: 2,
			    100 / (double)s->samples, half.low, half.high);
	else
		quality_add(q, "samples", severity, (double)s->samples, "samples", 0,
			    "%llu samples%s: one sample is %.2g %%", (unsigned long long)s->samples,
			    p->n_samples_err ? " (rounded)" : "", 100 / (double)s->samples);
}

/* A selection from many samples may have few. */
static void quality_chosen(const struct profile *p, const struct top_summary *s, struct quality *q)
{
	double n = (double)p->samples.n;
	struct interval half;

	if (!p->is_selected || p->samples.n >= QUALITY_SAMPLES_CAUTION || p->samples.n == 0 ||
	    p->samples.n == s->samples)
		return;
	half = stats_wilson(0.5 * n, n, STATS_Z95);
	quality_add(q, "few-chosen",
		    p->samples.n < QUALITY_SAMPLES_SERIOUS ? QUALITY_SERIOUS : QUALITY_CAUTION, n,
		    "samples", 0,
		    "Only %zu sample%s selected: a printed 50 %% could be %.0f–%.0f %%",
		    p->samples.n, p->samples.n == 1 ? " was" : "s were", half.low, half.high);
}

static void quality_lost(const struct profile *p, const struct top_summary *s, struct quality *q)
{
	double pct;

	if (!p->has_lost)
		return;
	if (p->lost == 0) {
		quality_add(q, "none-lost", QUALITY_INFO, 0, "samples", 0, "No samples were lost");
		return;
	}
	pct = s->samples ? 100 * (double)p->lost / (double)(p->lost + s->samples) : 100;
	quality_add(q, "lost-samples",
		    pct > QUALITY_LOST_SERIOUS ? QUALITY_SERIOUS : QUALITY_CAUTION, (double)p->lost,
		    "samples", 0, "%llu sample%s lost, %.1f %% of all", (unsigned long long)p->lost,
		    p->lost == 1 ? " was" : "s were", pct);
}

static void quality_symbols(const struct capture *c, const struct top_summary *s, struct quality *q)
{
	const struct profile_unnamed *unnamed = &c->profile->unnamed;
	bool is_kernel = s->unnamed_kernel.pct > s->unsymbolised.pct / 2;
	struct str why =
		strings_get(capture_strings(c), is_kernel ? unnamed->kernel : unnamed->user);
	enum quality_severity severity = QUALITY_INFO;

	if (s->data.pct > PROFILE_DATA_PCT)
		quality_add(
			q, "kernel-data", QUALITY_SERIOUS, s->data.pct, "%", 0,
			"Kernel symbols are wrong: %.1f %% of samples are in kernel data (" STR_FMT
			"). The names come from another kernel",
			s->data.pct, STR_ARG(symbols_name(capture_symbols(c), s->data_example)));

	if (s->unsymbolised.rows == 0)
		return;
	if (s->unsymbolised.pct >= QUALITY_UNSYMBOLISED_SERIOUS)
		severity = QUALITY_SERIOUS;
	else if (s->unsymbolised.pct >= QUALITY_UNSYMBOLISED_CAUTION)
		severity = QUALITY_CAUTION;
	if (why.len)
		quality_add(q, "unsymbolised", severity, s->unsymbolised.pct, "%", 0,
			    "%.1f %% of %s is in unknown functions (%u address%s): " STR_FMT
			    "; provide %s",
			    s->unsymbolised.pct, event_unit_of(c).of, s->unsymbolised.rows,
			    s->unsymbolised.rows == 1 ? "" : "es", STR_ARG(why),
			    is_kernel ? "/proc/kallsyms of that machine (--kallsyms FILE), its "
					"vmlinux (--vmlinux FILE) or a perf archive"
				      : "files of that machine (--symfs DIR) or a perf archive");
	else
		quality_add(q, "unsymbolised", severity, s->unsymbolised.pct, "%", 0,
			    "%.1f %% of %s is in unknown functions (%u address%s)",
			    s->unsymbolised.pct, event_unit_of(c).of, s->unsymbolised.rows,
			    s->unsymbolised.rows == 1 ? "" : "es");
}

/* The address of an unresolved symbol without a module. False: not such a symbol. */
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

/* Start of a program or thread: a frame without a caller. */
#define QUALITY_ENTRIES                                                                   \
	(START_BEFORE_MAIN | START_BIT(START_ROLE_MAIN) | START_BIT(START_ROLE_RUNTIME) | \
	 START_BIT(START_ROLE_FORK))
/* A chain that contains one of these is complete. */
#define QUALITY_CALLED (START_BIT(START_ROLE_MAIN) | START_BIT(START_ROLE_THREAD))

/* Classification of a frame in a chain. */
enum quality_frame {
	QUALITY_FRAME_NEW,   /* not classified yet */
	QUALITY_FRAME_CODE,  /* may be code */
	QUALITY_FRAME_BAD,   /* no code can be there */
	QUALITY_FRAME_END,   /* address 0: above callers it marks the end of the stack */
	QUALITY_FRAME_ENTRY, /* start of a program or thread: it has no caller */
	QUALITY_FRAME_COMM   /* not a frame */
};

/*
 * Classify a frame. Above a start function are whatever values its initial registers had.
 * Static programs have such values, and their chains are complete.
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

/* Count chains of printed trees in callee order: their ends are the outermost frames. */
static void quality_printed_chains(const struct profile *p, const struct symbols *symbols,
				   struct quality_chains *q)
{
	const struct profile_table *t = &p->table;
	uint32_t *entry; /* by node: the outermost start function up to it, + 1 */

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
			at = n->parent; /* a function without callers has no chain */
		quality_chain(q, symbols, t->nodes.data[at].sym, 1, n->line);
	}
	free(entry);
}

/* Nodes of the stack that ends at a node; 0 for none. */
struct quality_node {
	uint32_t outermost; /* its first frame */
	uint32_t end;       /* first frame, or a start function inside */
	uint32_t no_code;   /* outermost caller that cannot be code */
};

/* Compute the state of node @i from that of its parent; @outer is the class of no_code's frame. */
static void quality_step(struct quality_node *at, uint32_t i, uint32_t parent,
			 enum quality_frame frame, enum quality_frame outer)
{
	/*
	 * address 0 marks the end of the stack only above callers, not above the sampled
	 * function alone
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

/* Count a sampled chain that ends in @outermost, of class @frame. */
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
	uint8_t *known = xcalloc(symbols->rows.len, 1); /* by symbol: enum quality_frame */

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
		uint32_t bad = at->no_code == node ? 0 : at->no_code; /* not a caller */
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

/* Whether trees contain callers, or chains without a row are printed. */
static bool quality_prints_chains(const struct profile_table *t)
{
	VEC_FOREACH (n, &t->nodes) {
		if (n->parent != INDEX_NONE)
			return true;
	}
	return t->traces.len > 0;
}

/* Add the shares of chains by their ends, if the recording states how they were made. */
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

/* Add the reasons about chains. False: no chains were recorded. */
static bool quality_chains(const struct capture *c, struct quality *q)
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
			    "Call chains are broken: %llu of %llu end at " STR_FMT
			    ", where no code is mapped. Do not trust their outermost callers",
			    (unsigned long long)chains.broken, (unsigned long long)chains.all,
			    STR_ARG(symbols_name(capture_symbols(c), chains.example)));
	else if (chains.address)
		quality_add(q, "unnamed-chains", QUALITY_INFO,
			    100 * (double)chains.address / (double)chains.all, "%", 0,
			    "%llu of %llu call chains end at an unresolved address",
			    (unsigned long long)chains.address, (unsigned long long)chains.all);
	return true;
}

/* Whether the symbol is user code with its own frame; inlined functions share their caller's. */
static bool quality_is_program(const struct symbol *s)
{
	return (s->space == SPACE_USER || s->space == SPACE_JIT || s->space == SPACE_VDSO) &&
	       !(s->flags & SYMBOL_INLINED);
}

/* The user part of stacks, by node. */
struct quality_user {
	uint32_t inner; /* innermost user frame up to here; 0: none */
	uint32_t real;  /* frames up to here that can be real callers: named functions */
	bool has_main;  /* the last frame that is no real caller is main or runs threads' functions
			 */
};

/* Samples of user code, or of the kernel called by it, by visibility of user callers. */
struct quality_leaves {
	uint64_t all;
	uint64_t alone;    /* without a real caller */
	uint64_t no_frame; /* the direct caller may be missing: samples.no_frame */
	uint64_t both;
	sym_id example; /* the heaviest function without a frame */
};

static bool quality_is_entry(const struct symbols *symbols, sym_id id)
{
	return quality_frame_of(symbols, id) == QUALITY_FRAME_ENTRY;
}

/*
 * Whether the symbol is unknown code. An address in a known module is unresolved, but code of
 * that module.
 */
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
	uint8_t *entries = xcalloc(symbols->rows.len, 1); /* by symbol: 0 unknown, 1 no, 2 yes */

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
 * Whether no caller is visible. A chain that contains main, or the function of the C library
 * that calls a thread's, is complete, unless frame pointers
 * made it and the function has no frame. If the origin of chains is unknown, main counts as
 * visible.
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
		/* no relevant callers above these */
		if (quality_is_entry(symbols, sym))
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
	free(by_symbol);
	free_table(users, stacks_count(s) * sizeof(*users));
}

static double quality_share(uint64_t n, const struct quality_leaves *l)
{
	return 100 * (double)n / (double)l->all;
}

/* Add the reason; @also: another statement about nearly the same samples, or "". */
static void quality_alone(const struct profile *p, const struct quality_leaves *l, const char *also,
			  struct quality *q)
{
	double alone = quality_share(l->alone, l);

	quality_add(q, "no-callers",
		    p->chains != CHAINS_UNKNOWN && alone >= QUALITY_ALONE_CAUTION ? QUALITY_CAUTION
										  : QUALITY_INFO,
		    alone, "%", 0,
		    "Callers are missing in %.0f %% of the program's samples (none except main, a "
		    "start function or an unknown address)%s%s",
		    alone, also,
		    p->chains == CHAINS_UNWOUND
			    ? ""
			    : ". Record with --call-graph dwarf (perf: or lbr), or build with "
			      "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer");
}

static void quality_no_frame(const struct quality_leaves *l, struct str name, const char *also,
			     struct quality *q)
{
	double no_frame = quality_share(l->no_frame, l);

	quality_add(
		q, "frameless-leaf",
		no_frame >= QUALITY_NO_FRAME_CAUTION ? QUALITY_CAUTION : QUALITY_INFO, no_frame,
		"%", 0,
		"Direct callers may be missing: %.0f %% of the program's samples are in functions "
		"without a frame (mainly " STR_FMT ")%s. Record with --call-graph dwarf",
		no_frame, STR_ARG(name), also);
}

/* Whether both reasons concern nearly the same samples and are combined. */
static bool quality_is_one(const struct quality_leaves *l)
{
	return 100 * (double)l->both >= QUALITY_SAME * (double)(l->alone + l->no_frame - l->both);
}

/* Add reasons about callers of user functions that chains lack. */
static void quality_callers(const struct capture *c, struct quality *q)
{
	const struct profile *p = c->profile;
	struct quality_leaves l;
	char also[QUALITY_NAME_MAX + 128] = "";
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
		has_alone = l.alone >= l.no_frame;
		has_no_frame = !has_alone;
		if (has_alone)
			(void)snprintf(also, sizeof(also),
				       "; %.0f %% are in functions without a frame (mainly " STR_FMT
				       ")",
				       quality_share(l.no_frame, &l), STR_ARG(name));
		else
			(void)snprintf(also, sizeof(also),
				       "; %.0f %% show no caller except main, a start function or "
				       "an unknown address",
				       quality_share(l.alone, &l));
	}
	if (has_alone)
		quality_alone(p, &l, also, q);
	if (has_no_frame)
		quality_no_frame(&l, name, also, q);
}

/* Add the share that printed rows show. */
static void quality_visible(const struct profile *p, const struct top *t, struct quality *q)
{
	enum quality_severity severity = QUALITY_INFO;

	if (t->unit != WEIGHT_PERCENT || t->source != TOP_FROM_ROWS)
		return;
	if (t->total_pct - t->total_err > 100) {
		quality_add(
			q, "over-100", QUALITY_SERIOUS, t->total_pct, "%",
			p->table.rows.data[0].line,
			"The rows add up to %.2f %%: they overlap, or refer to different totals",
			t->total_pct);
		return;
	}
	if (t->total_pct < QUALITY_VISIBLE_SERIOUS)
		severity = QUALITY_SERIOUS;
	else if (t->total_pct + t->total_err < QUALITY_VISIBLE_CAUTION)
		severity = QUALITY_CAUTION;
	quality_add(q, "visible", severity, t->total_pct, "%", 0,
		    "The rows show %.2f %% of the total%s", t->total_pct,
		    severity == QUALITY_INFO ? "" : ": this is an excerpt");
	/* if one sample exceeds the rounding, a printed 0 is zero */
	if (t->n_zero_rows && !(p->has_n_samples && p->n_samples && p->n_samples_err == 0 &&
				100 / (double)p->n_samples > profile_half_width(p)))
		quality_add(q, "rounded-to-zero", QUALITY_INFO, (double)t->n_zero_rows, "rows", 0,
			    "%llu of %llu rows are printed as 0: each is below %g %%, all "
			    "together below %.2f %%",
			    (unsigned long long)t->n_zero_rows, (unsigned long long)t->n_rows,
			    profile_half_width(p), (double)t->n_zero_rows * profile_half_width(p));
}

static void quality_idle(const struct capture *c, const struct top_summary *s, struct quality *q)
{
	/* for events other than time, samples of the idle task are not idle time */
	if (s->idle.pct >= QUALITY_IDLE && s->idle.pct < 100 &&
	    EVENT_BIT(event_unit_of(c).kind) & EVENT_IS_TIME)
		quality_add(q, "idle", QUALITY_INFO, s->idle.pct, "%", 0,
			    "%.1f %% is idle time. As shares of busy time, the others are %.3g "
			    "times as large",
			    s->idle.pct, 100 / (100 - s->idle.pct));
}

/* Whether the processor's description shows a hypervisor. */
static bool quality_is_guest(const struct capture *c)
{
	static const char *const words[] = { "QEMU", "KVM", "Virtual", "VMware", "Hyper-V" };
	const struct strings *strings = capture_strings(c);

	VEC_FOREACH (note, &c->notes) {
		if (!str_eq(strings_get(strings, note->key), STR("cpudesc")))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			if (str_contains(strings_get(strings, note->value), str_of(words[i])))
				return true;
		}
	}
	return false;
}

static void quality_event(const struct capture *c, struct quality *q)
{
	struct str event = strings_get(capture_strings(c), c->profile->event);

	if (event.len == 0) {
		quality_add(q, "event-unknown", QUALITY_INFO, NAN, "", 0,
			    "The sampled event is unknown");
		return;
	}
	if (str_starts(event, STR("cpu-clock")) || str_starts(event, STR("task-clock")))
		quality_add(
			q, "clock-event", QUALITY_CAUTION, NAN, "", 0,
			"Sampled by timer (" STR_FMT "): no hardware counter here (%s). Time with "
			"interrupts off is charged to the point where they are re-enabled",
			STR_ARG(event), quality_is_guest(c) ? "a virtual machine" : "usual in VMs");
}

static void quality_table(const struct profile *p, struct quality *q)
{
	uint64_t children = 0;
	size_t cut = 0;
	uint32_t first_cut = 0;
	bool has_children = false;

	VEC_FOREACH (r, &p->table.rows) {
		has_children |= (r->has & ROW_HAS_CHILDREN) != 0;
		children += r->children;
		cut += r->is_truncated;
		if (r->is_truncated && first_cut == 0)
			first_cut = r->line;
	}
	if (has_children)
		quality_add(q, "children-overlap", QUALITY_INFO, profile_value(p, children), "%", 0,
			    "Children shares overlap (they add up to %.2f %%); only Self adds up",
			    profile_value(p, children));
	if (cut)
		quality_add(q, "truncated-rows", QUALITY_CAUTION, (double)cut, "rows", first_cut,
			    "%zu truncated row%s", cut, quality_plural(cut));
	if (p->table.is_relative_assumed)
		quality_add(q, "relative-assumed", QUALITY_INFO, NAN, "", 0,
			    "Percentages in trees were read as shares of their parent");
}

/* Whether stacks begin with more than one command; each has a sample. */
static bool quality_has_commands(const struct capture *c)
{
	const struct profile *p = c->profile;
	const struct stacks *s = &p->stacks;
	str_id first = STR_ID_NONE;

	if (p->is_selected || p->table.rows.len)
		return false;
	for (uint32_t i = 1; i < stacks_count(s); i++) {
		const struct symbol *root;

		if (s->parent.data[i] != 0)
			continue;
		root = symbols_get(capture_symbols(c), s->sym.data[i]);
		if (root->space != SPACE_COMM)
			return false;
		if (first.v && root->name.v != first.v)
			return true;
		first = root->name;
	}
	return false;
}

static void quality_commands(const struct capture *c, struct category_cache *cats,
			     enum top_source source, struct quality *q)
{
	struct top_spec spec = { .source = source,
				 .keys = { { .key = TOP_COMM } },
				 .n_keys = 1,
				 .no_children = true,
				 .sort_by_self = true,
				 .is_unnamed = true };
	struct top comms;
	struct error err;

	if (quality_has_commands(c)) {
		quality_one_process(c->profile, q);
		return;
	}
	if (top_compute(c, cats, &spec, &comms, &err) < 0)
		return;
	if (comms.rows.len == 1 && comms.rows.data[0].keys[0])
		quality_add(q, "one-command", QUALITY_INFO, 1, "commands", 0,
			    "Only one command was recorded; others are not visible");
	else
		quality_one_process(c->profile, q);
	top_fini(&comms);
}

void quality_profile(const struct capture *c, struct category_cache *cats, struct quality *q)
{
	const struct profile *p = c->profile;
	struct top_summary summary;
	struct top top;
	struct error err;
	struct top_spec spec = { .source = p->table.rows.len ? TOP_FROM_ROWS : TOP_FROM_SAMPLES,
				 .n_keys = 1,
				 .no_children = true,
				 .sort_by_self = true,
				 .is_unnamed = true };

	spec.keys[0].key = TOP_SYM;
	if (top_summarise(c, cats, &summary, &err) < 0) {
		/* a table without symbols, or an empty profile */
		quality_add(q, "no-functions",
			    p->table.rows.len ? QUALITY_CAUTION : QUALITY_SERIOUS, NAN, "",
			    c->first_line, "%s", err.msg);
		return;
	}
	quality_samples(p, &summary, q);
	quality_head(p, &summary, q);
	quality_chosen(p, &summary, q);
	quality_lost(p, &summary, q);
	quality_symbols(c, &summary, q);
	if (quality_chains(c, q))
		quality_callers(c, q);
	if (spec.source == TOP_FROM_ROWS && top_compute(c, cats, &spec, &top, &err) == OK) {
		quality_visible(p, &top, q);
		top_fini(&top);
	}
	quality_event(c, q);
	quality_recording(c, q);
	quality_idle(c, &summary, q);
	quality_table(p, q);
	quality_commands(c, cats, spec.source, q);
}
