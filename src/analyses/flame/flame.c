/* SPDX-License-Identifier: MIT */
#include "analyses/flame/flame.h"

#include "analyses/categories.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/paths.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "transform/wall_clock.h"

/* The meaning of each colour in the palette. The colours themselves are in render/svg_flame.c. */
enum flame_shade {
	SHADE_PLAIN,
	SHADE_USER,
	SHADE_LIBRARY,
	SHADE_KERNEL,
	SHADE_INLINED,
	SHADE_JIT,
	SHADE_OTHER_SPACE,
	SHADE_UNRESOLVED,
	SHADE_READY, /* for FLAME_BY_STATE: the thread is runnable, but has no CPU */
};

struct flame_item {
	struct str name;
	uint32_t node;
};

/*
 * A value that decides a colour, such as the name of a module, and the self weight of all frames
 * with this value.
 */
struct flame_key {
	uint32_t key;
	uint64_t self;
};

struct flame_builder {
	const struct stacks *stacks;
	const struct symbols *symbols;
	const struct paths *paths;
	struct category_cache *cats;
	enum flame_colours colours;
	const struct flame_classes *classes; /* only used for FLAME_BY_CLASS */
	uint64_t *inclusive;
	uint64_t min_weight;
	uint8_t *colour_of; /* indexed by flame_key.key: index in flame.labels */
	size_t n_colour_of;
	/*
	 * indexed by node. FLAME_BY_COMM: command of the node (str_id); FLAME_BY_STATE: thread
	 * state of the node (enum wall_state)
	 */
	uint32_t *comm;
};

static void flame_weigh(struct flame_builder *b)
{
	uint32_t n = stacks_count(b->stacks);

	b->inclusive = xmalloc((size_t)n * sizeof(*b->inclusive));
	memcpy(b->inclusive, b->paths->self, (size_t)n * sizeof(*b->inclusive));
	for (uint32_t i = n; i-- > 1;) {
		uint64_t *above = &b->inclusive[b->stacks->parent.data[i]];

		*above = number_sum(*above, b->inclusive[i]);
	}
}

static bool flame_is_library(struct str module)
{
	return str_contains(module, STR(".so")) || str_ends(module, STR(".dylib")) ||
	       str_ends(module, STR(".dll"));
}

static uint32_t flame_shade(const struct flame_builder *b, sym_id sym)
{
	const struct symbol *s = symbols_get(b->symbols, sym);

	if (s->space == SPACE_COMM || sym.v == 0)
		return SHADE_PLAIN;
	if (s->flags & SYMBOL_ADDRESS || str_eq(symbols_name(b->symbols, sym), STR("[unknown]")))
		return SHADE_UNRESOLVED;
	if (s->flags & SYMBOL_INLINED)
		return SHADE_INLINED;
	switch (s->space) {
	case SPACE_KERNEL:
		return SHADE_KERNEL;
	case SPACE_USER:
	case SPACE_UNKNOWN:
		return flame_is_library(symbols_module(b->symbols, sym)) ? SHADE_LIBRARY
									 : SHADE_USER;
	case SPACE_JIT:
		return SHADE_JIT;
	case SPACE_VDSO:
		return SHADE_LIBRARY;
	default:
		return SHADE_OTHER_SPACE;
	}
}

/*
 * The value that decides the colour of a frame, as a number: its space, module, category and so on.
 * 0: none.
 */
static uint32_t flame_key(const struct flame_builder *b, uint32_t node)
{
	sym_id sym = b->stacks->sym.data[node];

	if (node == 0)
		return 0;
	switch (b->colours) {
	case FLAME_BY_SPACE:
		return flame_shade(b, sym);
	case FLAME_BY_DSO:
		return symbols_get(b->symbols, sym)->module.v;
	case FLAME_BY_CATEGORY:
		if (symbols_get(b->symbols, sym)->space == SPACE_COMM)
			return 0;
		return (uint32_t)category_top(category_of(b->cats, b->symbols, sym)).v + 1;
	case FLAME_BY_COMM:
	case FLAME_BY_STATE:
		return b->comm[node];
	case FLAME_BY_CLASS:
		return sym.v < b->classes->n_symbols ? b->classes->of_symbol[sym.v] : 0;
	}
	return 0;
}

static int flame_key_cmp(const void *va, const void *vb)
{
	const struct flame_key *a = va;
	const struct flame_key *b = vb;

	return SORT_ORDER(b->self, a->self) ?: SORT_ORDER(a->key, b->key);
}

static void flame_find_comms(struct flame_builder *b)
{
	uint32_t n = stacks_count(b->stacks);

	b->comm = xcalloc(n, sizeof(*b->comm));
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = b->stacks->parent.data[i];
		const struct symbol *s = symbols_get(b->symbols, b->stacks->sym.data[i]);

		b->comm[i] = parent == 0 && s->space == SPACE_COMM ? s->name.v : b->comm[parent];
	}
}

/*
 * Set b->comm to the thread state of each node. All callees of a frame such as "[waiting]" have the
 * state of that frame.
 */
static void flame_find_states(struct flame_builder *b)
{
	uint32_t n = stacks_count(b->stacks);

	b->comm = xcalloc(n, sizeof(*b->comm));
	for (uint32_t i = 1; i < n; i++) {
		enum wall_state state = wall_clock_state(b->symbols, b->stacks->sym.data[i]);

		b->comm[i] = state ? (uint32_t)state : b->comm[b->stacks->parent.data[i]];
	}
}

/* Labels of the thread states. Colours are warm for running, cold for waiting. */
static const struct flame_label flame_states[WALL_STATES] = {
	[WALL_NONE] = { .text = "no code", .shade = SHADE_PLAIN },
	[WALL_RUNNING] = { .text = "running", .shade = SHADE_USER },
	[WALL_READY] = { .text = "ready, without a CPU", .shade = SHADE_READY },
	[WALL_WAITING] = { .text = "waiting", .shade = SHADE_KERNEL },
};

static void flame_label(const struct flame_builder *b, const struct flame_key *k,
			struct flame_label *l, unsigned int place)
{
	static const char *const shades[] = {
		[SHADE_PLAIN] = "no code",          [SHADE_USER] = "program",
		[SHADE_LIBRARY] = "libraries",      [SHADE_KERNEL] = "kernel",
		[SHADE_INLINED] = "inlined",        [SHADE_JIT] = "JIT",
		[SHADE_OTHER_SPACE] = "guest, BPF", [SHADE_UNRESOLVED] = "not resolved",
	};

	*l = (struct flame_label){ .self = k->self, .shade = (uint8_t)place };
	if (b->colours == FLAME_BY_SPACE) {
		l->text = shades[k->key];
		l->shade = (uint8_t)k->key;
	} else if (k->key == 0) {
		l->text = b->colours == FLAME_BY_COMM ? "no command" : "no module";
		if (b->colours == FLAME_BY_CATEGORY)
			l->text = "no code";
		l->shade = SHADE_PLAIN;
	} else if (b->colours == FLAME_BY_CATEGORY) {
		l->text = category_name((category_id){ (uint16_t)(k->key - 1) });
	} else {
		l->name = (str_id){ k->key };
	}
}

/*
 * Make a label for each of the values 0 to @n - 1, for FLAME_BY_SPACE, FLAME_BY_CLASS and
 * FLAME_BY_STATE.
 */
static void flame_label_all(struct flame_builder *b, struct flame *f, unsigned int n)
{
	uint64_t self[FLAME_MAX_LABELS] = { 0 };

	for (uint32_t i = 0; i < stacks_count(b->stacks); i++) {
		uint64_t *sum = &self[flame_key(b, i)];

		*sum = number_sum(*sum, b->paths->self[i]);
	}
	b->n_colour_of = f->n_labels = n;
	b->colour_of = xcalloc(b->n_colour_of, 1);
	for (unsigned int i = 0; i < n; i++) {
		struct flame_key key = { i, self[i] };

		if (b->colours == FLAME_BY_CLASS || b->colours == FLAME_BY_STATE) {
			f->labels[i] = b->colours == FLAME_BY_STATE ? flame_states[i]
								    : b->classes->labels[i];
			f->labels[i].self = self[i];
		} else {
			flame_label(b, &key, &f->labels[i], i);
		}
		b->colour_of[i] = (uint8_t)i;
	}
}

/*
 * Make a label for each of the heaviest values, such as modules. All others share the label
 * "others".
 */
static void flame_choose_labels(struct flame_builder *b, struct flame *f)
{
	uint32_t n = stacks_count(b->stacks);
	VEC(struct flame_key) keys = VEC_INIT;
	uint64_t *self;
	uint64_t rest = 0;

	b->n_colour_of = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t key = flame_key(b, i);

		b->n_colour_of = key >= b->n_colour_of ? (size_t)key + 1 : b->n_colour_of;
	}
	self = xcalloc(b->n_colour_of, sizeof(*self));
	b->colour_of = xcalloc(b->n_colour_of, 1);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t *sum = &self[flame_key(b, i)];

		*sum = number_sum(*sum, b->paths->self[i]);
	}
	for (size_t k = 0; k < b->n_colour_of; k++) {
		if (self[k])
			*VEC_PUSH(&keys) = (struct flame_key){ (uint32_t)k, self[k] };
	}
	VEC_SORT(&keys, flame_key_cmp);
	f->labels[0] = (struct flame_label){ .text = "others", .shade = SHADE_PLAIN };
	f->n_labels = 1;
	for (size_t i = 0; i < keys.len; i++) {
		if (f->n_labels == FLAME_MAX_LABELS) {
			rest = number_sum(rest, keys.data[i].self);
			continue;
		}
		flame_label(b, &keys.data[i], &f->labels[f->n_labels], f->n_labels);
		b->colour_of[keys.data[i].key] = (uint8_t)f->n_labels++;
	}
	f->labels[0].self = rest;
	free(self);
	VEC_FREE(&keys);
}

static int flame_item_cmp(const void *va, const void *vb)
{
	const struct flame_item *a = va;
	const struct flame_item *b = vb;
	int c = str_cmp(a->name, b->name);

	return c ?: SORT_ORDER(a->node, b->node);
}

/*
 * Sort the frames that will be drawn by parent, with a counting sort. Count the frames that are
 * hidden.
 */
static uint32_t *flame_link(const struct flame_builder *b, struct flame *f,
			    struct flame_item **ret_items)
{
	uint32_t n = stacks_count(b->stacks);
	uint32_t *first = xcalloc((size_t)n + 2, sizeof(*first));
	bool *is_shown = xcalloc(n, sizeof(*is_shown));
	uint32_t n_shown = 0;

	is_shown[0] = true;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = b->stacks->parent.data[i];

		if (b->inclusive[i] == 0)
			continue;
		is_shown[i] = is_shown[parent] && b->inclusive[i] >= b->min_weight;
		if (is_shown[i]) {
			first[parent + 2]++;
			n_shown++;
		} else {
			f->hidden_frames++;
			if (is_shown[parent])
				f->hidden_weight = number_sum(f->hidden_weight, b->inclusive[i]);
		}
	}
	for (uint32_t i = 2; i < n + 2; i++)
		first[i] += first[i - 1];
	*ret_items = xmalloc(((size_t)n_shown + 1) * sizeof(**ret_items));
	for (uint32_t i = 1; i < n; i++) {
		if (is_shown[i])
			(*ret_items)[first[b->stacks->parent.data[i] + 1]++] = (struct flame_item){
				symbols_name(b->symbols, b->stacks->sym.data[i]), i
			};
	}
	free(is_shown);
	return first;
}

struct flame_step {
	uint32_t node;
	uint32_t parent; /* index of its caller in flame.frames */
	uint64_t start;
};

static void flame_walk(const struct flame_builder *b, const uint32_t *first,
		       struct flame_item *items, struct flame *f)
{
	VEC(struct flame_step) steps = VEC_INIT;

	*VEC_PUSH(&steps) = (struct flame_step){ 0, INDEX_NONE, 0 };
	while (steps.len) {
		struct flame_step step = steps.data[--steps.len];
		uint32_t at = (uint32_t)f->frames.len;
		uint32_t from = first[step.node];
		uint32_t to = first[step.node + 1];
		uint32_t depth =
			step.parent == INDEX_NONE ? 0 : f->frames.data[step.parent].depth + 1u;
		uint64_t end = step.start;

		*VEC_PUSH(&f->frames) = (struct flame_frame){
			.start = step.start,
			.weight = b->inclusive[step.node],
			.self = b->paths->self[step.node],
			.sym = b->stacks->sym.data[step.node],
			.parent = step.parent,
			.row = INDEX_NONE,
			.node = { step.node },
			.depth = (uint16_t)(depth < UINT16_MAX ? depth : UINT16_MAX),
			.colour = b->colour_of[flame_key(b, step.node)],
		};
		f->labels[f->frames.data[at].colour].is_used = true;
		f->max_depth = depth > f->max_depth ? depth : f->max_depth;
		if (to - from > 1)
			qsort(items + from, to - from, sizeof(*items), flame_item_cmp);
		for (uint32_t i = from; i < to; i++)
			end = number_sum(end, b->inclusive[items[i].node]);
		for (uint32_t i = to; i-- > from;) {
			end -= b->inclusive[items[i].node];
			*VEC_PUSH(&steps) = (struct flame_step){ items[i].node, at, end };
		}
	}
	VEC_FREE(&steps);
}

static void flame_build_as(const struct capture *c, const struct paths *p, uint64_t min_weight,
			   enum flame_colours colours, struct category_cache *cats,
			   const struct flame_classes *classes, struct flame *ret)
{
	struct flame_builder b = {
		.stacks = p->stacks,
		.symbols = capture_symbols(c),
		.paths = p,
		.cats = cats,
		.colours = colours,
		.classes = classes,
		.min_weight = min_weight,
	};
	struct flame_item *items;
	uint32_t *first;

	*ret = (struct flame){ .whole = p->total };
	if (p->unit == WEIGHT_PERCENT) {
		uint64_t hundred = 100;

		for (unsigned int i = 0; i < p->decimals; i++)
			hundred *= 10;
		ret->whole = hundred > p->total ? hundred : p->total;
	}
	ret->span = ret->whole;
	flame_weigh(&b);
	if (colours == FLAME_BY_COMM)
		flame_find_comms(&b);
	else if (colours == FLAME_BY_STATE)
		flame_find_states(&b);
	if (colours == FLAME_BY_SPACE)
		flame_label_all(&b, ret, SHADE_UNRESOLVED + 1);
	else if (colours == FLAME_BY_CLASS)
		flame_label_all(&b, ret, classes->n_labels);
	else if (colours == FLAME_BY_STATE)
		flame_label_all(&b, ret, WALL_STATES);
	else
		flame_choose_labels(&b, ret);
	first = flame_link(&b, ret, &items);
	flame_walk(&b, first, items, ret);
	free(first);
	free(items);
	free(b.inclusive);
	free(b.colour_of);
	free(b.comm);
}

void flame_build(const struct capture *c, const struct paths *p, uint64_t min_weight,
		 enum flame_colours colours, struct category_cache *cats, struct flame *ret)
{
	flame_build_as(c, p, min_weight, colours, cats, NULL, ret);
}

void flame_build_classes(const struct capture *c, const struct paths *p, uint64_t min_weight,
			 const struct flame_classes *classes, struct flame *ret)
{
	flame_build_as(c, p, min_weight, FLAME_BY_CLASS, NULL, classes, ret);
}

void flame_fini(struct flame *f)
{
	VEC_FREE(&f->frames);
	*f = (struct flame){ .whole = 0 };
}
