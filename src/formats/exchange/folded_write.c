/* SPDX-License-Identifier: MIT */
/*
 * folded_write.c - write folded stacks of a capture
 *
 * Samples whose stacks have the same text become one line. The lines are sorted bytewise, as in
 * stackcollapse-perf.pl. The writer walks the tree of stacks in the order of the lines. Different
 * symbols may have the same text, so one step of the walk handles all nodes whose stacks have the
 * same text. Memory: 8 bytes per node, and 8 more for a node with samples.
 *
 * Names from a folded capture are written unchanged. Other names change as in
 * stackcollapse-perf.pl: without parameter lists and quotes, with ':' for ';', the module instead
 * of an address or unknown symbol, and '_' for blanks in commands. Control characters become
 * escapes such as \x1b.
 */
#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/exchange/export.h"
#include "formats/exchange/folded.h"

#include <stdlib.h>

/*
 * An item to sort. It stands for the line of a node or, if is_below, for the lines of all its
 * callees.
 */
struct write_item {
	struct str text;
	str_id id; /* id of `text` in writer.texts */
	uint32_t node;
	bool is_below;
};

/* Cached texts of a symbol. Each value is an id in writer.texts plus 1; 0: not cached yet. */
struct write_names {
	str_id plain;
	str_id java; /* text used in stacks whose command begins with "java" */
};

struct writer {
	const struct capture *capture;
	struct strings *texts; /* string table of the capture; it already has most of the texts */
	VEC(struct write_names) by_sym;
	struct out scratch;
	struct out plain; /* buffer for a text without control characters */
	/* the input had no `_[k]` suffixes, and the reader guessed the kernel frames */
	bool is_inferred;
	bool is_raw; /* the capture was read from folded stacks: names are written unchanged */
	unsigned int decimals;

	/* the arrays below have one element per node; nodes are numbered in depth-first order */
	const sym_id *sym;
	uint32_t *end; /* per node: number of the first node after its subtree */
	/* per node: index in `sums` of the weight of its own samples; 0: the node has no samples */
	uint32_t *sum;
	VEC(uint64_t) sums;
};

/*
 * Offset of the '(' of the parameter list in @name; @name.len: none. The '(' of operator(), of
 * template arguments and of (anonymous namespace) does not count.
 */
static size_t write_parameters(struct str name)
{
	size_t first = name.len;
	size_t angles = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (str_starts(str_skip(name, i), STR("operator"))) {
			/* skip operator characters: operator<<, operator->, operator() */
			i += STR("operator").len;
			if (str_starts(str_skip(name, i), STR("()")))
				i += 2;
			while (i < name.len && strchr("<>=-+*/%^&|!~,[]", name.p[i]))
				i++;
			i--;
		} else if (c == '<') {
			angles++;
		} else if (c == '>' && angles && (i == 0 || name.p[i - 1] != '-')) {
			angles--;
		} else if (c == '(') {
			if (str_starts(str_skip(name, i), STR("(anonymous namespace)")))
				continue;
			if (first == name.len)
				first = i;
			if (angles == 0)
				return i;
		}
	}
	return angles ? first : name.len;
}

/* Whether the name is a method of Go, such as net/http.(*Client).Do. */
static bool write_is_go_method(struct str name)
{
	size_t open = str_find(name, STR(".("));

	return open < name.len &&
	       str_find(str_skip(name, open + 2), STR(").")) < name.len - open - 2;
}

/*
 * Write the module instead of an address or unknown symbol, "[libc.so.6]", as stackcollapse-perf.pl
 * does.
 */
static void write_module(struct out *o, struct str module)
{
	size_t slash = str_rfind_char(module, '/');

	if (slash < module.len)
		module = str_skip(module, slash + 1);
	if (module.len == 0 || str_eq(module, STR("[unknown]")))
		out_z(o, "[unknown]");
	/* perf report prints "[JIT] tid 12" for the file perf-12.map */
	else if (str_take(&module, STR("[JIT] tid ")))
		out_printf(o, "[perf-" STR_FMT ".map]", STR_ARG(module));
	else
		out_printf(o, "[" STR_FMT "]", STR_ARG(module));
}

static void write_tidy(struct writer *w, const struct symbol *s, struct str name, struct str module,
		       bool is_java)
{
	struct out *o = &w->scratch;

	if (s->space == SPACE_COMM) {
		for (size_t i = 0; i < name.len; i++)
			out_char(o, name.p[i] == ' ' ? '_' : name.p[i]);
		return;
	}
	if (s->flags & SYMBOL_ADDRESS || (module.len && str_eq(name, STR("[unknown]")))) {
		write_module(o, module);
		return;
	}
	if (!write_is_go_method(name))
		name = str_sub(name, 0, write_parameters(name));
	if (is_java && name.len && name.p[0] == 'L' && str_find_char(name, '/') < name.len)
		name = str_skip(name, 1);
	for (size_t i = 0; i < name.len; i++) {
		if (name.p[i] != '"' && name.p[i] != '\'')
			out_char(o, name.p[i] == ';' ? ':' : name.p[i]);
	}
}

/* The suffix, such as "_[k]", that the symbol's frame had in the input; "": none. */
static const char *write_annotation(const struct symbol *s)
{
	if (s->flags & SYMBOL_INLINED)
		return "_[i]";
	switch (s->space) {
	case SPACE_KERNEL:
		return "_[k]";
	case SPACE_JIT:
		return "_[j]";
	case SPACE_GUEST_KERNEL:
		return "_[g]";
	default:
		return "";
	}
}

static str_id write_text(struct writer *w, sym_id id, bool is_java)
{
	const struct symbols *symbols = capture_symbols(w->capture);
	const struct symbol *s = symbols_get(symbols, id);
	str_id *slot;

	while (w->by_sym.len <= id.v)
		*VEC_PUSH(&w->by_sym) = (struct write_names){ STR_ID_NONE, STR_ID_NONE };
	slot = is_java ? &w->by_sym.data[id.v].java : &w->by_sym.data[id.v].plain;
	if (slot->v)
		return (str_id){ slot->v - 1 };
	w->scratch.len = 0;
	if (w->is_raw) {
		out_str(&w->scratch, symbols_name(symbols, id));
		if (!w->is_inferred || s->space != SPACE_KERNEL)
			out_z(&w->scratch, write_annotation(s));
	} else {
		write_tidy(w, s, symbols_name(symbols, id), symbols_module(symbols, id), is_java);
		if ((s->flags & SYMBOL_INLINED) &&
		    !str_contains(out_view(&w->scratch), STR("_[i]")))
			out_z(&w->scratch, "_[i]");
	}
	w->plain.len = 0;
	export_plain(&w->plain, out_view(&w->scratch));
	*slot = (str_id){ strings_add(w->texts, out_view(&w->plain)).v + 1 };
	return (str_id){ slot->v - 1 };
}

static void write_weigh(struct writer *w, uint32_t node, uint64_t weight)
{
	uint64_t *sum;

	if (!w->sum[node]) {
		w->sum[node] = (uint32_t)w->sums.len;
		*VEC_PUSH(&w->sums) = 0;
	}
	sum = &w->sums.data[w->sum[node]];
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

/* Allocate the arrays by node, with all sums 0. The nodes of @tree must be in depth-first order. */
static void write_nodes(struct writer *w, const struct stacks *tree)
{
	uint32_t n = stacks_count(tree);

	w->sym = tree->sym.data;
	w->end = xreallocarray(NULL, n, sizeof(*w->end));
	w->sum = xcalloc(n, sizeof(*w->sum));
	for (uint32_t i = 0; i < n; i++)
		w->end[i] = i + 1;
	/* the subtree of a node ends where the subtree of its last child ends */
	for (uint32_t i = n; i-- > 1;) {
		uint32_t parent = tree->parent.data[i];

		if (w->end[parent] < w->end[i])
			w->end[parent] = w->end[i];
	}
}

/*
 * Copy @from into @ret, and number the nodes in depth-first order. Returns the new number of each
 * old node; NULL: the numbers did not change. Owner: caller, free().
 */
static uint32_t *write_copy(const struct stacks *from, struct stacks *ret)
{
	stacks_init(ret);
	for (uint32_t i = 1; i < stacks_count(from); i++) {
		*VEC_PUSH(&ret->parent) = from->parent.data[i];
		*VEC_PUSH(&ret->sym) = from->sym.data[i];
	}
	return stacks_order(ret);
}

static void write_from_samples(struct writer *w, const struct profile *p, struct stacks *own)
{
	uint32_t *place = NULL;

	if (p->stacks.is_ordered) {
		write_nodes(w, &p->stacks);
	} else {
		place = write_copy(&p->stacks, own);
		write_nodes(w, own);
	}
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t node = p->samples.stack.data[i].v;

		write_weigh(w, place ? place[node] : node, p->samples.weight.data[i]);
	}
	w->decimals = profile_sample_decimals(p);
	free(place);
}

/*
 * The weight of each call path is the self time of its calls in ns. A call without a duration
 * counts as 0.
 */
static void write_from_calls(struct writer *w, const struct calls *c, struct stacks *own)
{
	uint32_t *of = xmalloc((c->n + 1) * sizeof(*of));
	uint64_t *self = xcalloc(c->n + 1, sizeof(*self));
	uint32_t *place;

	stacks_init(own);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t parent = c->parent.data[i];
		stack_id node = STACK_ROOT;

		if (parent < i)
			node.v = of[parent];
		else if (c->lane.data[i] < c->lanes.len && c->lanes.data[c->lane.data[i]].comm.v)
			node = stacks_push(own, node,
					   symbols_add(capture_symbols(w->capture),
						       c->lanes.data[c->lane.data[i]].comm,
						       STR_ID_NONE, SPACE_COMM));
		of[i] = stacks_push(own, node, c->sym.data[i]).v;
		self[i] = calls_duration(c, (uint32_t)i);
	}
	for (size_t i = c->n; i-- > 0;) {
		uint32_t parent = c->parent.data[i];
		uint64_t dur = calls_duration(c, (uint32_t)i);

		if (parent < i)
			self[parent] -= dur < self[parent] ? dur : self[parent];
	}
	place = stacks_order(own);
	write_nodes(w, own);
	for (size_t i = 0; i < c->n; i++)
		write_weigh(w, place ? place[of[i]] : of[i], self[i]);
	free(place);
	free(of);
	free(self);
}

/* Compare items by the bytewise order of their lines: "a" < "a-b" < "a;b" < "ab". */
static int write_item_cmp(const void *va, const void *vb)
{
	const struct write_item *a = va;
	const struct write_item *b = vb;
	size_t n = a->text.len < b->text.len ? a->text.len : b->text.len;
	int c = n ? memcmp(a->text.p, b->text.p, n) : 0;
	int next_a;
	int next_b;

	if (c)
		return c;
	next_a = a->text.len > n ? (unsigned char)a->text.p[n] : a->is_below ? ';' : -1;
	next_b = b->text.len > n ? (unsigned char)b->text.p[n] : b->is_below ? ';' : -1;
	if (next_a != next_b)
		return next_a < next_b ? -1 : 1;
	return a->text.len < b->text.len ? -1 : a->text.len > b->text.len;
}

/* Print @weight / 10^decimals without zeros at the end. */
static void write_count(struct out *out, uint64_t weight, unsigned int decimals)
{
	uint64_t scale = 1;

	while (decimals && weight % 10 == 0) {
		weight /= 10;
		decimals--;
	}
	for (unsigned int i = 0; i < decimals; i++)
		scale *= 10;
	out_u64(out, weight / scale);
	if (decimals)
		out_char(out, '.');
	while (scale > 1) {
		scale /= 10;
		out_char(out, (char)('0' + weight / scale % 10));
	}
}

/*
 * A step of the walk through the tree of stacks, for all nodes whose stacks have the same text. It
 * writes the line of these nodes or, if is_below, the lines of their callees.
 */
struct write_step {
	str_id text;
	uint32_t path_len; /* length of the text of the callers, with the last ';' */
	/*
	 * Index in write_walk.nodes of the first node of this step. When the walk pops this step,
	 * the nodes of later steps have been removed. So all nodes from this index on belong to it.
	 */
	uint32_t first;
	bool is_below;
	bool is_java;
};

struct write_walk {
	VEC(struct write_step) steps;
	VEC(struct write_item) items;
	VEC(uint32_t) nodes;
};

/* Add an item for each child of @node that has samples, and one for each child that has callees. */
static void write_gather(struct writer *w, uint32_t node, bool is_java, struct write_walk *walk)
{
	for (uint32_t child = node + 1; child < w->end[node]; child = w->end[child]) {
		str_id id = write_text(w, w->sym[child], is_java);
		struct str text = strings_get(w->texts, id);

		if (w->sum[child])
			*VEC_PUSH(&walk->items) = (struct write_item){ text, id, child, false };
		if (w->end[child] > child + 1)
			*VEC_PUSH(&walk->items) = (struct write_item){ text, id, child, true };
	}
}

/*
 * Sort the items, and push them as steps. The last item is pushed first, because steps is a stack.
 */
static void write_expand(size_t path_len, bool is_java, struct write_walk *walk)
{
	const struct write_item *items = walk->items.data;

	/*
	 * Two items of the same child need no sorting: write_gather() adds first the child's own
	 * line, then the lines of its callees.
	 */
	if (walk->items.len > 2 || (walk->items.len == 2 && items[0].node != items[1].node))
		qsort(walk->items.data, walk->items.len, sizeof(*items), write_item_cmp);
	for (size_t i = walk->items.len; i > 0;) {
		const struct write_item *item = &items[i - 1];
		struct write_step *step = VEC_PUSH(&walk->steps);

		*step = (struct write_step){
			.text = item->id,
			.path_len = (uint32_t)path_len,
			.first = (uint32_t)walk->nodes.len,
			.is_below = item->is_below,
			.is_java = path_len ? is_java : str_starts(item->text, STR("java"))
		};
		/* items with the same text become one step */
		for (; i > 0 && items[i - 1].id.v == item->id.v &&
		       items[i - 1].is_below == item->is_below;
		     i--)
			*VEC_PUSH(&walk->nodes) = items[i - 1].node;
	}
	walk->items.len = 0;
}

static uint64_t write_sum(const struct writer *w, const uint32_t *nodes, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (__builtin_add_overflow(sum, w->sums.data[w->sum[nodes[i]]], &sum))
			return UINT64_MAX;
	}
	return sum;
}

static void write_lines(struct writer *w, struct out *out)
{
	struct write_walk walk = { 0 };
	struct out path;

	out_init(&path);
	write_gather(w, 0, false, &walk);
	/* all samples without a frame become one line */
	if (w->sum[0]) {
		str_id id = strings_add(w->texts, STR("[unknown]"));

		*VEC_PUSH(&walk.items) =
			(struct write_item){ strings_get(w->texts, id), id, 0, false };
	}
	write_expand(0, false, &walk);
	while (walk.steps.len) {
		struct write_step step = walk.steps.data[--walk.steps.len];
		const uint32_t *nodes = walk.nodes.data + step.first;
		size_t n = walk.nodes.len - step.first;

		path.len = step.path_len;
		out_str(&path, strings_get(w->texts, step.text));
		if (step.is_below) {
			out_char(&path, ';');
			for (size_t i = 0; i < n; i++)
				write_gather(w, nodes[i], step.is_java, &walk);
			walk.nodes.len = step.first;
			write_expand(path.len, step.is_java, &walk);
			continue;
		}
		out_str(out, out_view(&path));
		out_char(out, ' ');
		write_count(out, write_sum(w, nodes, n), w->decimals);
		out_char(out, '\n');
		walk.nodes.len = step.first;
	}
	out_fini(&path);
	VEC_FREE(&walk.steps);
	VEC_FREE(&walk.items);
	VEC_FREE(&walk.nodes);
}

int folded_write(const struct capture *c, struct out *out, struct error *err)
{
	struct writer w = { .capture = c, .is_raw = strcmp(c->format, "folded") == 0 };
	const struct profile *p = c->profile;
	const struct calls *calls = c->calls;
	struct stacks own = { .is_ordered = false };

	if (export_check_stacks(c, err) < 0)
		return ERR_UNSUPPORTED;
	VEC_FOREACH (note, &c->notes)
		w.is_inferred |= w.is_raw && str_eq(strings_get(capture_strings(c), note->key),
						    STR("kernel frames"));
	w.texts = capture_strings(c);
	*VEC_PUSH(&w.sums) = 0; /* element 0 is unused, because index 0 means: no sum */
	out_init(&w.scratch);
	out_init(&w.plain);
	if (p && p->samples.n)
		write_from_samples(&w, p, &own);
	else
		write_from_calls(&w, calls, &own);
	write_lines(&w, out);
	free(w.end);
	free(w.sum);
	VEC_FREE(&w.sums);
	VEC_FREE(&w.by_sym);
	stacks_fini(&own);
	out_fini(&w.scratch);
	out_fini(&w.plain);
	return OK;
}
