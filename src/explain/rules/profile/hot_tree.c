/* SPDX-License-Identifier: MIT */
/*
 * The printed call trees show below which functions the cost is, and no row shows self shares: an
 * excerpt of perf report --children, cut to the trees that matter. Each large tree is one finding:
 * its function, and the callees between which the cost is divided.
 *
 * The walk begins at the root of a tree. As long as one callee has nearly the whole share, it goes
 * on to this callee. Start functions, functions of libraries and of the kernel are passed: each of
 * their callees is a tree of its own.
 *
 * Callees of one function are no part of each other, so the shares of those with one stem of their
 * names (span_note_begin, span_note_end) are added up.
 */
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "analyses/top/tree.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdio.h>

DECLARE_RULE(hot_tree);

/* minimum share of a tree, and of a callee or group of callees that is named, in percent */
#define HOT_TREE_PCT        10.0
#define HOT_TREE_CALLEE_PCT 1.0
/* a callee with this part (0 to 1) of the share of its caller has nearly the whole share */
#define HOT_TREE_SAME 0.9
/* a callee with this part has most of the share */
#define HOT_TREE_MOST 0.6
/* callees with more than this part of the share of their caller are not divided correctly */
#define HOT_TREE_OVER     1.05
#define HOT_TREE_FINDINGS 3u
#define HOT_TREE_PARTS    2u  /* minimum number of callees and groups that are named */
#define HOT_TREE_NAMED    4u  /* maximum number of callees and groups that are named */
#define HOT_TREE_CALLEES  32u /* further callees of a function are not looked at */
#define HOT_TREE_DEPTH    64u /* maximum number of steps from a tree to the trees below it */
#define HOT_TREE_NAME_MAX 64
/* the order of the tree follows from names or shares; otherwise it is perf's default */
#define HOT_TREE_SURE         90u
#define HOT_TREE_ASSUMED_SURE 70u

struct hot_tree {
	const struct rule_input *in;
	struct findings *out;
	struct tree tree;
	bool is_assumed; /* the text does not show whether branches are callees */
	unsigned int n;  /* number of findings so far */
};

/* A callee, or several callees of one function whose names have one stem. */
struct hot_tree_part {
	struct str name; /* name of the callee, or the stem */
	double pct;
	uint32_t nodes[HOT_TREE_CALLEES];
	unsigned int n;
};

struct hot_tree_parts {
	struct hot_tree_part rows[HOT_TREE_CALLEES];
	unsigned int n;
};

/*
 * Make the tree of the profile. Rows without self shares may already be replaced by samples
 * (transform/recover.c). False: the profile shows self shares, or has no tree of callees. It is
 * then not assessed if @is_inclusive.
 */
static bool hot_tree_make(struct hot_tree *h, bool is_inclusive)
{
	const struct capture *c = h->in->capture;
	const struct profile *p = c->profile;
	const struct tree_spec spec = { .direction = TREE_CALLEES };

	if (p->table.rows.len) {
		h->is_assumed = p->table.order == CHAIN_UNKNOWN;
		return is_inclusive && tree_of_outer(c, 0, &h->tree, NULL) == OK;
	}
	return p->table.tree_lines.len && p->is_summed &&
	       tree_build(c, &spec, &h->tree, NULL) == OK;
}

static uint32_t hot_tree_line(const struct hot_tree *h, uint32_t node)
{
	const struct profile_table *t = &h->in->capture->profile->table;
	const struct tree_node *n = &h->tree.nodes.data[node];

	if (n->line || n->sym.v >= t->tree_lines.len)
		return n->line;
	return t->tree_lines.data[n->sym.v];
}

static struct str hot_tree_name(const struct hot_tree *h, uint32_t node)
{
	return facts_short_name(h->in->facts, h->tree.nodes.data[node].sym, HOT_TREE_NAME_MAX);
}

/* Whether the node stands for branches that are not printed. */
static bool hot_tree_is_other(const struct hot_tree *h, uint32_t node)
{
	return h->tree.nodes.data[node].is_other ||
	       str_starts(hot_tree_name(h, node), STR("[...]"));
}

/* Whether the function of the node is a function of the program. */
static bool hot_tree_is_own(const struct hot_tree *h, uint32_t node)
{
	const struct symbols *symbols = capture_symbols(h->in->capture);
	sym_id id = h->tree.nodes.data[node].sym;
	const struct symbol *sym = symbols_get(symbols, id);
	const struct fact_function *fn = facts_by_name(h->in->profile, sym->canonical);

	/* without a module, a name that categories know is of the kernel or a library */
	if (sym->space == SPACE_UNKNOWN && fn && !facts_is_guessed(fn))
		return false;
	return sym->space != SPACE_KERNEL && sym->space != SPACE_COMM &&
	       !(sym->flags & SYMBOL_ADDRESS) &&
	       role_of(h->in->profile->roles, symbols, id) == ROLE_NONE &&
	       !start_names_have(symbols_name(symbols, id),
				 START_BEFORE_MAIN | START_BIT(START_ROLE_MAIN));
}

/* Whether the function of the node is in the kernel, or all its callees are. */
static bool hot_tree_is_kernel(const struct hot_tree *h, uint32_t node)
{
	const struct symbols *symbols = capture_symbols(h->in->capture);
	sym_id id = h->tree.nodes.data[node].sym;

	return symbols_get(symbols, id)->space == SPACE_KERNEL ||
	       start_names_enter_kernel(symbols_name(symbols, id));
}

/*
 * The stem of a name: all its words but the last one, "span_note_" of "span_note_begin". It has at
 * least two words: functions with one word in common need not do the same kind of work. STR_NONE:
 * there is none.
 */
static struct str hot_tree_stem(struct str name)
{
	size_t first = 0;
	size_t last;
	size_t end = name.len;

	while (end && name.p[end - 1] == '_')
		end--;
	while (first < end && name.p[first] == '_')
		first++;
	last = str_rfind_char(str_sub(name, 0, end), '_');
	if (last >= end || last <= first || str_find_char(name, ':') < name.len)
		return STR_NONE;
	first += str_find_char(str_skip(name, first), '_');
	return first < last ? str_sub(name, 0, last + 1) : STR_NONE;
}

/* The child of @node with the largest share; INDEX_NONE: it has none. */
static uint32_t hot_tree_largest(const struct hot_tree *h, uint32_t node)
{
	const struct tree_node *nodes = h->tree.nodes.data;
	uint32_t ret = INDEX_NONE;

	for (uint32_t i = node + 1; i < nodes[node].end; i = nodes[i].end) {
		if (!hot_tree_is_other(h, i) &&
		    (ret == INDEX_NONE || nodes[i].weight > nodes[ret].weight))
			ret = i;
	}
	return ret;
}

static int hot_tree_compare(const void *a, const void *b)
{
	const struct hot_tree_part *x = a;
	const struct hot_tree_part *y = b;

	if (x->pct != y->pct)
		return x->pct < y->pct ? 1 : -1;
	return (x->nodes[0] > y->nodes[0]) - (x->nodes[0] < y->nodes[0]);
}

/* List the callees of @node, largest first. Those with one stem are one entry. */
static void hot_tree_divide(const struct hot_tree *h, uint32_t node, struct hot_tree_parts *ret)
{
	const struct tree_node *nodes = h->tree.nodes.data;
	double sum = 0;
	unsigned int n = 0;

	ret->n = 0;
	for (uint32_t i = node + 1; i < nodes[node].end && n < HOT_TREE_CALLEES; i = nodes[i].end) {
		struct str stem = hot_tree_stem(hot_tree_name(h, i));
		struct hot_tree_part *part = NULL;

		if (hot_tree_is_other(h, i))
			continue;
		for (unsigned int k = 0; k < ret->n && stem.len && !part; k++) {
			if (str_eq(stem, hot_tree_stem(hot_tree_name(h, ret->rows[k].nodes[0]))))
				part = &ret->rows[k];
		}
		if (!part) {
			part = &ret->rows[ret->n++];
			*part = (struct hot_tree_part){ .name = hot_tree_name(h, i) };
		} else {
			part->name = stem;
		}
		part->pct += tree_pct(&h->tree, nodes[i].weight);
		sum += tree_pct(&h->tree, nodes[i].weight);
		part->nodes[part->n++] = i;
		n++;
	}
	qsort(ret->rows, ret->n, sizeof(ret->rows[0]), hot_tree_compare);
	/* a callee without a printed share among others has the share of its caller */
	if (sum > tree_pct(&h->tree, nodes[node].weight) * HOT_TREE_OVER)
		ret->n = 0;
	while (ret->n &&
	       (ret->n > HOT_TREE_NAMED || ret->rows[ret->n - 1].pct < HOT_TREE_CALLEE_PCT))
		ret->n--;
}

/* Does another finding about the capture name the function? */
static bool hot_tree_is_named(const struct hot_tree *h, sym_id sym)
{
	const struct finding *row = NULL;

	while ((row = findings_of(h->out, h->in->number, row))) {
		VEC_FOREACH (s, &row->subjects) {
			if (s->sym.v == sym.v && s->role != SUBJECT_LISTED)
				return true;
		}
	}
	return false;
}

/* Write the callees: "store_row 23.0 %, span_note_* 7.3 % in 3 functions". */
static void hot_tree_list(const struct hot_tree_parts *parts, char *text, size_t size)
{
	size_t at = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < parts->n && at < size; i++) {
		const struct hot_tree_part *p = &parts->rows[i];

		at += (size_t)snprintf(text + at, size - at, "%s" STR_FMT "%s %.1f %%",
				       i ? ", " : "", STR_ARG(p->name), p->n > 1 ? "*" : "",
				       p->pct);
		if (p->n > 1 && at < size)
			at += (size_t)snprintf(text + at, size - at, " in %u functions", p->n);
	}
}

static void hot_tree_figures(struct hot_tree *h, struct finding *f, uint32_t node,
			     const struct hot_tree_parts *parts)
{
	const struct tree_node *n = &h->tree.nodes.data[node];
	double err = h->tree.node_err;

	finding_figure(f, h->is_assumed ? "its call tree" : "with callees",
		       tree_pct(&h->tree, n->weight), err, "%");
	finding_subject(f, n->sym, SUBJECT_CALLER);
	finding_evidence(h->out, f, h->in, hot_tree_line(h, node), STR_FMT " %.2f %%",
			 STR_ARG(hot_tree_name(h, node)), tree_pct(&h->tree, n->weight));
	for (unsigned int i = 0; i < parts->n; i++) {
		const struct hot_tree_part *p = &parts->rows[i];

		finding_figure(
			f,
			finding_name(h->out, STR_FMT "%s", STR_ARG(p->name), p->n > 1 ? "*" : ""),
			p->pct, err * p->n, "%");
		for (unsigned int k = 0; k < p->n; k++) {
			const struct tree_node *callee = &h->tree.nodes.data[p->nodes[k]];

			finding_subject(f, callee->sym, SUBJECT_LISTED);
			finding_evidence(h->out, f, h->in, hot_tree_line(h, p->nodes[k]),
					 STR_FMT " %.2f %%", STR_ARG(hot_tree_name(h, p->nodes[k])),
					 tree_pct(&h->tree, callee->weight));
		}
	}
}

static void hot_tree_finding(struct hot_tree *h, uint32_t node, const struct hot_tree_parts *parts)
{
	const struct hot_tree_part *first = &parts->rows[0];
	struct str name = hot_tree_name(h, node);
	double pct = tree_pct(&h->tree, h->tree.nodes.data[node].weight);
	struct finding *f = finding_add(h->out, h->in, &rule_hot_tree, FINDING_NOTE,
					h->is_assumed ? HOT_TREE_ASSUMED_SURE : HOT_TREE_SURE);
	const char *of = h->in->profile->unit.of;
	char list[512];

	hot_tree_list(parts, list, sizeof(list));
	if (h->is_assumed)
		finding_claim(h->out, f, "The call tree of " STR_FMT " has %.1f %% of %s: %s",
			      STR_ARG(name), pct, of, list);
	else
		finding_claim(h->out, f, STR_FMT " takes %.1f %% of %s with its callees: %s",
			      STR_ARG(name), pct, of, list);
	hot_tree_figures(h, f, node, parts);
	if (h->is_assumed)
		finding_because(h->out, f,
				"the tree prints the shares, but not whether its branches are "
				"callees (perf's default) or callers");
	else
		finding_because(h->out, f, "the tree prints the shares of the callees");
	if (first->pct >= pct * HOT_TREE_MOST)
		finding_cause(h->out, f, "Most of it is below %s " STR_FMT "%s",
			      first->n > 1 ? "the functions" : "one function,",
			      STR_ARG(first->name), first->n > 1 ? "*" : "");
	else
		finding_cause(h->out, f, "Its cost is divided between several functions");
	finding_next(h->out, f, "perf report --stdio --children -g caller -S %s: its whole tree",
		     finding_word(h->out, name, false));
	finding_next(h->out, f, "Count the calls of %s, and the amount of data per call",
		     finding_word(h->out, name, false));
	h->n++;
}

/* Report the tree at @node, or the trees below it. @depth: number of such steps so far. */
static void hot_tree_walk(struct hot_tree *h, uint32_t node, unsigned int depth)
{
	const struct tree_node *nodes = h->tree.nodes.data;
	struct hot_tree_parts parts;
	uint32_t below;

	if (tree_pct(&h->tree, nodes[node].weight) < HOT_TREE_PCT || h->n >= HOT_TREE_FINDINGS ||
	    depth > HOT_TREE_DEPTH || hot_tree_is_kernel(h, node))
		return;
	while ((below = hot_tree_largest(h, node)) != INDEX_NONE &&
	       (double)nodes[below].weight >= HOT_TREE_SAME * (double)nodes[node].weight &&
	       hot_tree_largest(h, below) != INDEX_NONE &&
	       (hot_tree_is_own(h, below) || !hot_tree_is_own(h, node)))
		node = below;
	hot_tree_divide(h, node, &parts);
	if (!hot_tree_is_own(h, node) || parts.n < HOT_TREE_PARTS) {
		for (uint32_t i = node + 1; i < nodes[node].end; i = nodes[i].end)
			hot_tree_walk(h, i, depth + 1);
	} else if (!hot_tree_is_named(h, nodes[node].sym)) {
		hot_tree_finding(h, node, &parts);
	}
}

static void hot_tree_check(const struct rule_input *in, struct findings *out)
{
	struct hot_tree h = { .in = in, .out = out };
	struct profile_inclusive unused;
	bool is_inclusive = profile_is_inclusive(in->capture->profile, &unused);

	if (hot_tree_make(&h, is_inclusive)) {
		for (uint32_t i = 0; i < h.tree.nodes.len; i = h.tree.nodes.data[i].end)
			hot_tree_walk(&h, i, 0);
		if (h.n == 0)
			finding_clean(out, in, &rule_hot_tree,
				      "no tree of a function of the program has %.0f %%",
				      HOT_TREE_PCT);
	} else if (is_inclusive) {
		finding_not_assessed(out, in, &rule_hot_tree,
				     "perf report --stdio --children -g caller",
				     "no tree shows the callees");
	}
	tree_fini(&h.tree);
}

const struct rule rule_hot_tree = {
	.id = "hot-tree",
	.title = "Hot call tree",
	.needs = RULE_PROFILE | RULE_LAST,
	.events = EVENT_IS_WORK | EVENT_BIT(EVENT_OTHER),
	.check = hot_tree_check,
	.is_general = true,
	.is_measured = true,
};
