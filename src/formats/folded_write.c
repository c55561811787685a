/* SPDX-License-Identifier: MIT */
/*
 * folded_write.c - folded stacks of a capture
 *
 * Samples with the same stack text are one line, lines are in bytewise order: as
 * stackcollapse-perf.pl does it. A tree of texts stands between, because several
 * symbols may print the same; it is walked in the order of the lines, so memory
 * is a few words a node, whatever the stacks are long.
 *
 * Captures that were folded are written as they were read. Names of others are
 * tidied as there: no parameter lists, no quotes, ':' for ';', the module for
 * an unknown symbol, '_' for blanks in commands. Control characters become \x1b.
 */
#include "formats/export.h"
#include "formats/folded.h"

#include <stdlib.h>

struct write_node {
	uint32_t parent;
	str_id text;
	uint64_t weight;
	bool has_samples;
};

/* A line, or all lines below a node: what is sorted among brothers. */
struct write_item {
	struct str text;
	uint32_t node;
	bool is_below;
};

/* Texts of a symbol, as id + 1; 0: not made yet. */
struct write_names {
	str_id plain;
	str_id java;
};

struct writer {
	const struct capture *capture;
	struct strings texts;
	VEC(struct write_node) nodes; /* parents before children; 0 is the root */
	struct idmap map;
	VEC(struct write_names) by_sym;
	struct out scratch;
	struct out plain;  /* the same without control characters */
	bool is_concluded; /* which frames are the kernel's: the text did not mark them */
	bool is_raw;
	unsigned int decimals;

	uint32_t *first; /* child of a node, by node; n + 1 elements */
	uint32_t *children;
};

static uint32_t write_push(struct writer *w, uint32_t parent, str_id text)
{
	struct idmap_probe p = idmap_first(&w->map, hash_u64(parent, text.v));
	uint32_t id = (uint32_t)w->nodes.len;

	while (idmap_next(&w->map, &p)) {
		if (w->nodes.data[p.id].parent == parent && w->nodes.data[p.id].text.v == text.v)
			return p.id;
	}
	idmap_insert(&w->map, &p, id);
	*VEC_PUSH(&w->nodes) = (struct write_node){ .parent = parent, .text = text };
	return id;
}

/*
 * Where the parameter list of @name starts, or its length. Parentheses of
 * operator(), of template arguments and of (anonymous namespace) are no list.
 */
static size_t write_parameters(struct str name)
{
	size_t first = name.len;
	size_t angles = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		if (str_starts(str_skip(name, i), STR("operator"))) {
			/* its own signs: operator<<, operator->, operator() */
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

/* net/http.(*Client).Do */
static bool write_is_go_method(struct str name)
{
	size_t open = str_find(name, STR(".("));

	return open < name.len &&
	       str_find(str_skip(name, open + 2), STR(").")) < name.len - open - 2;
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
	if (str_eq(name, STR("[unknown]")) && module.len && !str_eq(module, STR("[unknown]"))) {
		size_t slash = str_rfind_char(module, '/');

		out_char(o, '[');
		out_str(o, slash < module.len ? str_skip(module, slash + 1) : module);
		out_char(o, ']');
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

/* The annotation that made a symbol of a folded capture what it is. */
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
	uint64_t number;
	str_id *slot;

	while (w->by_sym.len <= id.v)
		*VEC_PUSH(&w->by_sym) = (struct write_names){ STR_ID_NONE, STR_ID_NONE };
	slot = is_java ? &w->by_sym.data[id.v].java : &w->by_sym.data[id.v].plain;
	if (slot->v)
		return (str_id){ slot->v - 1 };
	if (!w->is_raw && !(s->flags & SYMBOL_INLINED) &&
	    strings_number(symbols->strings, s->name, &number)) {
		*slot = (str_id){ strings_add_number(&w->texts, number).v + 1 };
		return (str_id){ slot->v - 1 };
	}
	w->scratch.len = 0;
	if (w->is_raw) {
		out_str(&w->scratch, symbols_name(symbols, id));
		if (!w->is_concluded || s->space != SPACE_KERNEL)
			out_z(&w->scratch, write_annotation(s));
	} else {
		write_tidy(w, s, symbols_name(symbols, id), symbols_module(symbols, id), is_java);
		if ((s->flags & SYMBOL_INLINED) &&
		    !str_contains(out_view(&w->scratch), STR("_[i]")))
			out_z(&w->scratch, "_[i]");
	}
	w->plain.len = 0;
	export_plain(&w->plain, out_view(&w->scratch));
	*slot = (str_id){ strings_add(&w->texts, out_view(&w->plain)).v + 1 };
	return (str_id){ slot->v - 1 };
}

static void write_weigh(struct writer *w, uint32_t node, uint64_t weight)
{
	struct write_node *n = &w->nodes.data[node];

	if (__builtin_add_overflow(n->weight, weight, &n->weight))
		n->weight = UINT64_MAX;
	n->has_samples = true;
}

static void write_from_samples(struct writer *w, const struct profile *p)
{
	uint32_t n = stacks_count(&p->stacks);
	uint32_t *of = xmalloc((size_t)n * sizeof(*of));
	bool *is_java = xcalloc(n, sizeof(*is_java));

	of[0] = 0;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = p->stacks.parent.data[i];
		sym_id sym = p->stacks.sym.data[i];

		is_java[i] = parent ? is_java[parent]
				    : str_starts(symbols_name(capture_symbols(w->capture), sym),
						 STR("java"));
		of[i] = write_push(w, of[parent], write_text(w, sym, is_java[i]));
	}
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t node = of[p->samples.stack.data[i].v];

		/* a sample without any frame still counts */
		if (node == 0)
			node = write_push(w, 0, strings_add(&w->texts, STR("[unknown]")));
		write_weigh(w, node, p->samples.weight.data[i]);
	}
	w->decimals = profile_sample_decimals(p);
	free(of);
	free(is_java);
}

/* Self time of calls in ns, by call path; a call without a duration has none. */
static void write_from_calls(struct writer *w, const struct calls *c)
{
	uint32_t *of = xmalloc((c->n + 1) * sizeof(*of));
	uint64_t *self = xcalloc(c->n + 1, sizeof(*self));

	for (size_t i = 0; i < c->n; i++) {
		uint32_t parent = c->parent.data[i];
		uint32_t node = 0;

		if (parent < i) {
			node = of[parent];
		} else if (c->lane.data[i] < c->lanes.len &&
			   c->lanes.data[c->lane.data[i]].comm.v) {
			struct str comm = strings_get(capture_strings(w->capture),
						      c->lanes.data[c->lane.data[i]].comm);

			node = write_push(w, 0, strings_add(&w->texts, comm));
		}
		of[i] = write_push(w, node, write_text(w, c->sym.data[i], false));
		self[i] = calls_duration(c, (uint32_t)i);
	}
	for (size_t i = c->n; i-- > 0;) {
		uint32_t parent = c->parent.data[i];
		uint64_t dur = calls_duration(c, (uint32_t)i);

		if (parent < i)
			self[parent] -= dur < self[parent] ? dur : self[parent];
	}
	for (size_t i = 0; i < c->n; i++)
		write_weigh(w, of[i], self[i]);
	free(of);
	free(self);
}

/* Lists of children by counting: first[n] … first[n + 1] in children. */
static void write_link(struct writer *w)
{
	size_t n = w->nodes.len;

	w->first = xcalloc(n + 2, sizeof(*w->first));
	w->children = xcalloc(n + 1, sizeof(*w->children));
	for (size_t i = 1; i < n; i++)
		w->first[w->nodes.data[i].parent + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		w->first[i] += w->first[i - 1];
	for (size_t i = 1; i < n; i++)
		w->children[w->first[w->nodes.data[i].parent + 1]++] = (uint32_t)i;
}

/* Order of the lines: "a" < "a-b" < "a;b" < "ab". */
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

/* The shortest text of @weight units of 10^-decimals. */
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

struct write_step {
	uint32_t node;
	uint32_t path_len; /* of the path before this node's text */
	bool is_below;
};

struct write_walk {
	VEC(struct write_step) steps;
	VEC(struct write_item) items;
};

/* Put what is below @node on the steps, the first line last. */
static void write_expand(struct writer *w, uint32_t node, size_t path_len, struct write_walk *walk)
{
	walk->items.len = 0;
	for (uint32_t i = w->first[node]; i < w->first[node + 1]; i++) {
		uint32_t child = w->children[i];
		const struct write_node *n = &w->nodes.data[child];
		struct str text = strings_get(&w->texts, n->text);

		if (n->has_samples)
			*VEC_PUSH(&walk->items) = (struct write_item){ text, child, false };
		if (w->first[child + 1] > w->first[child])
			*VEC_PUSH(&walk->items) = (struct write_item){ text, child, true };
	}
	if (walk->items.len > 1)
		qsort(walk->items.data, walk->items.len, sizeof(*walk->items.data), write_item_cmp);
	for (size_t i = walk->items.len; i-- > 0;)
		*VEC_PUSH(&walk->steps) =
			(struct write_step){ walk->items.data[i].node, (uint32_t)path_len,
					     walk->items.data[i].is_below };
}

static void write_lines(struct writer *w, struct out *out)
{
	struct write_walk walk = { 0 };
	struct out path;

	out_init(&path);
	write_expand(w, 0, 0, &walk);
	while (walk.steps.len) {
		struct write_step step = walk.steps.data[--walk.steps.len];
		const struct write_node *n = &w->nodes.data[step.node];

		path.len = step.path_len;
		out_str(&path, strings_get(&w->texts, n->text));
		if (step.is_below) {
			out_char(&path, ';');
			write_expand(w, step.node, path.len, &walk);
			continue;
		}
		out_str(out, out_view(&path));
		out_char(out, ' ');
		write_count(out, n->weight, w->decimals);
		out_char(out, '\n');
	}
	out_fini(&path);
	VEC_FREE(&walk.steps);
	VEC_FREE(&walk.items);
}

int folded_write(const struct capture *c, struct out *out, struct error *err)
{
	struct writer w = { .capture = c, .is_raw = strcmp(c->format, "folded") == 0 };
	const struct profile *p = c->profile;
	const struct calls *calls = c->calls;

	if (!(p && p->samples.n) && !(calls && calls->n))
		return fail(err, ERR_UNSUPPORTED,
			    "it has no stacks to fold: only profiles with samples and calls have");
	VEC_FOREACH (note, &c->notes)
		w.is_concluded |= w.is_raw && str_eq(strings_get(capture_strings(c), note->key),
						     STR("kernel frames"));
	strings_init(&w.texts);
	out_init(&w.scratch);
	out_init(&w.plain);
	*VEC_PUSH(&w.nodes) = (struct write_node){ 0 };
	if (p && p->samples.n)
		write_from_samples(&w, p);
	else
		write_from_calls(&w, calls);
	write_link(&w);
	write_lines(&w, out);
	free(w.first);
	free(w.children);
	VEC_FREE(&w.nodes);
	VEC_FREE(&w.by_sym);
	idmap_fini(&w.map);
	strings_fini(&w.texts);
	out_fini(&w.scratch);
	out_fini(&w.plain);
	return OK;
}
