/* SPDX-License-Identifier: MIT */
/*
 * Compute the table of a report from samples.
 *
 * The nodes of the prefix tree of stacks are visited depth first, so that a subtree is a range of
 * nodes. A pass from the last node to the first adds the weights of callees to callers. A pass from
 * the first node to the last keeps the path from the root to the current node. For each row of the
 * table it counts the nodes on that path that belong to the row. Only the outermost of these nodes
 * adds its weight to `children` of the row, so that recursion counts once. Both passes take
 * O(nodes). A walk from each sample to the root would take O(samples * depth).
 *
 * Keys may depend on more than the stack: on pid, tid, CPU, or the command of a thread. Samples are
 * then split into parts with equal values, and each part is processed with the nodes in which it
 * has samples.
 */
#include "analyses/top/top.h"
#include "analyses/top/top_build.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "transform/name_list.h"

#define TOP_FILTERED UINT32_MAX

/*
 * Values of a sample that do not follow from its stack, such as its pid. All samples with the same
 * values form a part.
 */
struct top_part {
	str_id comm; /* STR_ID_NONE: use the command in the outermost frame of the stack */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	/* indexed like top.keys: for each TOP_FIELD key, its value */
	uint32_t fields[TOP_MAX_KEYS];
};

/* A node on the path from the root to the current node. */
struct top_open {
	uint32_t node;
	/* index in top.rows of the function's row; TOP_FILTERED: a filter removes the function */
	uint32_t group;
};

struct top_walk {
	struct top_build *b;
	uint32_t n_nodes;
	uint32_t n_syms;
	/*
	 * parents and symbols of the nodes, in depth-first order. Borrowed from the stacks, if the
	 * stacks have this order; else they point to own_parent and own_sym
	 */
	const uint32_t *parent;
	const sym_id *sym;
	uint32_t *own_parent;
	sym_id *own_sym;
	/* indexed by node of the stacks: its index in `parent` and `sym`; NULL: it is the same */
	uint32_t *place;
	/*
	 * indices of the samples, sorted by part, then by node; NULL: the samples have this order
	 * already
	 */
	uint32_t *order;
	/* indexed by node: whether its samples pass spec.under; NULL: there is no such filter */
	uint8_t *under;
	uint64_t *inclusive;
	/*
	 * indexed by node: whether the node, or one of its callees, has a sample in the current
	 * part
	 */
	uint8_t *touched;
	/* the nodes for which `touched` is set, ascending; unused if is_whole */
	VEC(uint32_t) nodes;
	bool is_whole; /* all samples form a single part, so all nodes are visited */
	/*
	 * function and command are among the keys, so different functions or commands have
	 * different rows
	 */
	bool is_unique;
	bool has_comms;      /* some outermost frames are commands */
	bool has_others;     /* some outermost frames are not commands */
	VEC(uint32_t) roots; /* the outermost frames: children of the tree's root */
	str_id comm;         /* command of the current outermost frame */
	/*
	 * indexed by symbol: index of its row in top.rows, plus 1; TOP_FILTERED: a filter removes
	 * the symbol; 0: not known yet
	 */
	uint32_t *group;
	VEC(uint32_t) grouped;
	/*
	 * indexed by row of the table: number of nodes on the current path that belong to the row
	 */
	VEC(uint32_t) on_path;
	VEC(struct top_open) open;
};

static bool top_is_comm(const struct top_walk *w, uint32_t node)
{
	return symbols_get(w->b->symbols, w->sym[node])->space == SPACE_COMM;
}

static void top_walk_init(struct top_walk *w, struct top_build *b)
{
	const struct stacks *stacks = &b->profile->stacks;
	uint32_t n = stacks_count(stacks);

	memset(w, 0, sizeof(*w));
	w->b = b;
	w->n_nodes = n;
	w->n_syms = (uint32_t)b->symbols->rows.len;
	w->parent = stacks->parent.data;
	w->sym = stacks->sym.data;
	w->place = stacks_places(stacks);
	if (w->place) {
		w->own_parent = xreallocarray(NULL, n, sizeof(*w->own_parent));
		w->own_sym = xreallocarray(NULL, n, sizeof(*w->own_sym));
		for (uint32_t i = 0; i < n; i++) {
			w->own_parent[w->place[i]] = w->place[w->parent[i]];
			w->own_sym[w->place[i]] = w->sym[i];
		}
		w->parent = w->own_parent;
		w->sym = w->own_sym;
	}
	w->group = xcalloc(w->n_syms, sizeof(*w->group));
	w->touched = xcalloc(n, 1);
	if (!b->spec->no_children)
		w->inclusive = xcalloc(n, sizeof(*w->inclusive));
	for (uint32_t i = 1; i < n; i++) {
		bool is_comm;

		if (w->parent[i])
			continue;
		is_comm = top_is_comm(w, i);
		w->has_comms |= is_comm;
		w->has_others |= !is_comm;
		*VEC_PUSH(&w->roots) = i;
	}
}

static void top_walk_fini(struct top_walk *w)
{
	free(w->own_parent);
	free(w->own_sym);
	free(w->place);
	free(w->order);
	free(w->under);
	free(w->inclusive);
	free(w->touched);
	VEC_FREE(&w->nodes);
	VEC_FREE(&w->roots);
	free(w->group);
	VEC_FREE(&w->grouped);
	VEC_FREE(&w->on_path);
	VEC_FREE(&w->open);
}

/* Set w->under for the nodes whose function matches spec.under, and for all their callees. */
static void top_walk_under(struct top_walk *w)
{
	const struct symbols *symbols = w->b->symbols;
	struct name_list names = { &w->b->spec->under, 1 };
	uint8_t *known;

	if (w->b->spec->under.len == 0)
		return;
	w->under = xcalloc(w->n_nodes, 1);
	known = xcalloc(w->n_syms, 1);
	for (uint32_t i = 1; i < w->n_nodes; i++) {
		sym_id sym = w->sym[i];

		if (known[sym.v] == 0)
			known[sym.v] =
				name_list_has(names, symbols_name(symbols, sym)) ||
						name_list_has(names,
							      symbols_canonical(symbols, sym))
					? 2
					: 1;
		w->under[i] = w->under[w->parent[i]] || known[sym.v] == 2;
	}
	free(known);
}

/* Clear w->group, because the rows of functions differ for the next command or part. */
static void top_forget_groups(struct top_walk *w)
{
	VEC_FOREACH (sym, &w->grouped)
		w->group[*sym] = 0;
	w->grouped.len = 0;
}

static void top_enter_comm(struct top_walk *w, uint32_t root)
{
	const struct symbol *s = symbols_get(w->b->symbols, w->sym[root]);
	str_id comm = s->space == SPACE_COMM ? s->name : STR_ID_NONE;

	if (comm.v != w->comm.v)
		top_forget_groups(w);
	w->comm = comm;
}

/*
 * Index in top.rows of the row for the function of @node and the values of @part. TOP_FILTERED: a
 * filter removes the function.
 */
static uint32_t top_group_of(struct top_walk *w, uint32_t node, const struct top_part *part)
{
	sym_id sym = w->sym[node];
	uint32_t *group = &w->group[sym.v];
	const struct symbol *s;
	struct top_item item;

	if (LIKELY(*group))
		return *group == TOP_FILTERED ? TOP_FILTERED : *group - 1;
	*VEC_PUSH(&w->grouped) = sym.v;
	s = symbols_get(w->b->symbols, sym);
	item = (struct top_item){
		/*
		 * a stack that has only a command belongs to a sample without call stack, so its
		 * function is unknown
		 */
		.sym = s->space == SPACE_COMM ? SYM_ID_NONE : sym,
		.comm = part->comm.v ? part->comm : w->comm,
		.dso = s->space == SPACE_COMM ? STR_ID_NONE : s->module,
		.pid = part->pid,
		.tid = part->tid,
		.cpu = part->cpu,
		.extra = INDEX_NONE,
	};
	memcpy(item.fields, part->fields, sizeof(item.fields));
	if (!top_passes(w->b, &item)) {
		*group = TOP_FILTERED;
		return TOP_FILTERED;
	}
	*group = (w->is_unique ? top_new_group(w->b, &item) : top_group(w->b, &item)) + 1;
	w->b->top->rows.data[*group - 1].rows++;
	return *group - 1;
}

static uint32_t top_node_of(const struct top_walk *w, uint32_t sample)
{
	uint32_t node = w->b->profile->samples.stack.data[sample].v;

	return w->place ? w->place[node] : node;
}

/* Add a sample to the row of its sampled function. */
static void top_add_self(struct top_walk *w, uint32_t node, uint32_t sample,
			 const struct top_part *part)
{
	struct top *t = w->b->top;
	uint64_t weight = w->b->profile->samples.weight.data[sample];
	uint64_t count = profile_samples_at(w->b->profile, sample);
	uint32_t group = top_group_of(w, node, part);
	struct top_row *row;

	if (group == TOP_FILTERED)
		return;
	row = &t->rows.data[group];
	row->self += weight;
	row->samples += count;
	t->total += weight;
	t->n_rows += count;
	if (node == 0 || top_is_comm(w, node))
		row->children += weight;
}

static void top_open_node(struct top_walk *w, uint32_t node, const struct top_part *part)
{
	uint32_t group = TOP_FILTERED;

	while (w->open.len && w->open.data[w->open.len - 1].node != w->parent[node]) {
		uint32_t closed = w->open.data[--w->open.len].group;

		if (closed != TOP_FILTERED)
			w->on_path.data[closed]--;
	}
	if (!top_is_comm(w, node))
		group = top_group_of(w, node, part);
	*VEC_PUSH(&w->open) = (struct top_open){ node, group };
	if (group == TOP_FILTERED)
		return;
	while (w->on_path.len <= group)
		*VEC_PUSH(&w->on_path) = 0;
	if (w->on_path.data[group]++ == 0)
		w->b->top->rows.data[group].children += w->inclusive[node];
}

/* Add the weights of the @n nodes @nodes to their callers. @nodes NULL: the nodes 0 to @n - 1. */
static void top_sum_up(struct top_walk *w, const uint32_t *nodes, size_t n)
{
	for (size_t i = n; i-- > 0;) {
		uint32_t node = nodes ? nodes[i] : (uint32_t)i;
		uint32_t parent = w->parent[node];

		if (!node)
			continue;
		w->inclusive[parent] += w->inclusive[node];
		w->touched[parent] |= w->touched[node];
	}
}

/* w->nodes has the nodes with samples. Add all their callers to it, and sort it. */
static void top_collect(struct top_walk *w)
{
	VEC(struct sort_item) items = VEC_INIT;
	size_t n = w->nodes.len;

	for (size_t i = 0; i < n; i++) {
		uint32_t at = w->nodes.data[i];

		for (at = w->parent[at]; at && !w->touched[at]; at = w->parent[at]) {
			w->touched[at] = 1;
			*VEC_PUSH(&w->nodes) = at;
		}
	}
	VEC_RESERVE(&items, w->nodes.len);
	VEC_FOREACH (node, &w->nodes)
		*VEC_PUSH(&items) = (struct sort_item){ *node, *node };
	sort_items(items.data, items.len);
	for (size_t i = 0; i < items.len; i++)
		w->nodes.data[i] = items.data[i].value;
	VEC_FREE(&items);
}

/* Whether samples of this node pass spec.under. */
static bool top_counts(const struct top_walk *w, uint32_t node)
{
	return !w->under || w->under[node];
}

/* Compute the weights with callees for one part, the samples @from to @to - 1. */
static void top_gather(struct top_walk *w, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		uint32_t sample = w->order ? w->order[i] : (uint32_t)i;
		uint32_t node = top_node_of(w, sample);

		if (!top_counts(w, node))
			continue;
		if (w->inclusive)
			w->inclusive[node] += w->b->profile->samples.weight.data[sample];
		if (!w->is_whole && !w->touched[node])
			*VEC_PUSH(&w->nodes) = node;
		w->touched[node] = 1;
	}
	if (!w->inclusive)
		return;
	if (!w->is_whole)
		top_collect(w);
	top_sum_up(w, w->is_whole ? NULL : w->nodes.data, w->is_whole ? w->n_nodes : w->nodes.len);
}

/*
 * Index of the node at which the subtree of outermost frame number @next begins. The subtree of the
 * previous outermost frame ends there. UINT32_MAX: there is no such frame.
 */
static uint32_t top_root_end(const struct top_walk *w, size_t next)
{
	return next < w->roots.len ? w->roots.data[next] : UINT32_MAX;
}

/*
 * Add the samples of one part to their rows. Used if `children` is not needed, so that no pass over
 * the nodes is necessary.
 */
static void top_add_selves(struct top_walk *w, size_t from, size_t to, const struct top_part *part)
{
	/*
	 * index in w->roots of the next outermost frame; it only grows, because samples are sorted
	 * by node
	 */
	size_t next = 0;

	for (size_t i = from; i < to; i++) {
		uint32_t sample = w->order ? w->order[i] : (uint32_t)i;
		uint32_t node = top_node_of(w, sample);

		if (!top_counts(w, node))
			continue;
		if (w->has_comms && node && node >= top_root_end(w, next)) {
			while (node >= top_root_end(w, next))
				next++;
			top_enter_comm(w, w->roots.data[next - 1]);
		}
		top_add_self(w, node, sample, part);
	}
}

/* Visit the nodes of a part in depth-first order, and add the samples of each node to its row. */
static void top_walk_nodes(struct top_walk *w, size_t from, size_t to, const struct top_part *part)
{
	size_t n = w->is_whole ? w->n_nodes : w->nodes.len;
	size_t at = from;

	for (size_t i = 0; i < n; i++) {
		uint32_t node = w->is_whole ? (uint32_t)i : w->nodes.data[i];

		if (node && w->parent[node] == 0 && w->has_comms)
			top_enter_comm(w, node);
		if (node && w->touched[node])
			top_open_node(w, node, part);
		for (; at < to; at++) {
			uint32_t sample = w->order ? w->order[at] : (uint32_t)at;
			uint32_t own = top_node_of(w, sample);

			if (own > node)
				break;
			if (top_counts(w, own))
				top_add_self(w, own, sample, part);
		}
	}
	VEC_FOREACH (open, &w->open) {
		if (open->group != TOP_FILTERED)
			w->on_path.data[open->group]--;
	}
	w->open.len = 0;
}

/*
 * Add one part, the samples @from to @to - 1, to the rows. Reset the state of the walk for the next
 * part.
 */
static void top_add_part(struct top_walk *w, size_t from, size_t to, const struct top_part *part)
{
	if (w->inclusive) {
		top_gather(w, from, to);
		top_walk_nodes(w, from, to, part);
	} else {
		top_add_selves(w, from, to, part);
	}
	top_forget_groups(w);
	w->comm = STR_ID_NONE;
	VEC_FOREACH (node, &w->nodes) {
		w->inclusive[*node] = 0;
		w->touched[*node] = 0;
	}
	/* w->nodes does not contain the root: reset its flag, too */
	w->touched[0] = 0;
	w->nodes.len = 0;
}

/* The properties of samples that the keys of the table need, except the stack. */
struct top_needs {
	bool comm, pid, tid, cpu, field;
};

static struct top_needs top_needs_of(const struct top_build *b, bool has_comm_frames)
{
	const struct samples *s = &b->profile->samples;
	struct top_needs needs = { .comm = false };

	for (size_t i = 0; i < b->top->n_keys; i++) {
		enum top_key key = b->top->keys[i].key;

		needs.comm |= key == TOP_COMM || key == TOP_COMM_NODIGIT;
		needs.pid |= key == TOP_PID;
		needs.tid |= key == TOP_TID;
		needs.cpu |= key == TOP_CPU || key == TOP_SOCKET || key == TOP_NODE;
		needs.field |= key == TOP_FIELD;
	}
	needs.comm |= b->spec->comms.n > 0;
	if (has_comm_frames || s->thread.len == 0)
		needs.comm = false;
	return needs;
}

static struct top_part top_part_of(const struct top_build *b, struct top_needs needs, size_t sample)
{
	const struct profile *p = b->profile;
	struct top_part part = { STR_ID_NONE, INDEX_NONE, INDEX_NONE, INDEX_NONE, { 0 } };

	if (needs.comm || needs.pid || needs.tid) {
		const struct profile_thread *t = &p->threads.data[p->samples.thread.data[sample]];

		part.comm = needs.comm ? t->comm : STR_ID_NONE;
		part.pid = needs.pid && t->has_pid ? t->pid : INDEX_NONE;
		part.tid = needs.tid && t->has_tid ? t->tid : INDEX_NONE;
	}
	if (needs.cpu && p->samples.cpu.data[sample] != UINT16_MAX)
		part.cpu = p->samples.cpu.data[sample];
	for (size_t i = 0; needs.field && i < b->top->n_keys; i++) {
		const struct top_column *key = &b->top->keys[i];

		if (key->key == TOP_FIELD)
			part.fields[i] = p->samples.fields.data[key->extra].values.data[sample];
	}
	return part;
}

/* Sort the samples by node, unless they have this order already. */
static void top_order_samples(struct top_walk *w)
{
	size_t n = w->b->profile->samples.n;
	struct sort_item *items;
	bool is_ordered = true;

	for (size_t i = 1; i < n && is_ordered; i++)
		is_ordered = top_node_of(w, (uint32_t)(i - 1)) <= top_node_of(w, (uint32_t)i);
	if (is_ordered)
		return;
	items = xreallocarray(NULL, n, sizeof(*items));
	w->order = xreallocarray(NULL, n, sizeof(*w->order));
	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct sort_item){ top_node_of(w, i), i };
	sort_items(items, n);
	for (size_t i = 0; i < n; i++)
		w->order[i] = items[i].value;
	free(items);
}

/*
 * Split the samples into parts with equal values of the keys, and add each part to the rows. The
 * counting sort is stable, so samples within a part remain sorted by node.
 */
static void top_walk_parts(struct top_walk *w, struct top_needs needs)
{
	size_t n = w->b->profile->samples.n;
	VEC(struct top_part) parts = VEC_INIT;
	VEC(size_t) first = VEC_INIT;
	struct idmap map = { 0 };
	uint32_t *part_of = xreallocarray(NULL, n, sizeof(*part_of));
	uint32_t *order = xreallocarray(NULL, n, sizeof(*order));
	size_t begin = 0;

	for (size_t i = 0; i < n; i++) {
		struct top_part part = top_part_of(w->b, needs, i);
		uint64_t hash = hash_u64((uint64_t)part.comm.v << 32 | part.pid,
					 (uint64_t)part.tid << 32 | part.cpu);
		struct idmap_probe p;
		bool found = false;

		for (size_t k = 0; needs.field && k < w->b->top->n_keys; k++)
			hash = hash_u64(hash, part.fields[k] + k);
		p = idmap_first(&map, hash);
		while (!found && idmap_next(&map, &p))
			found = memcmp(&parts.data[p.id], &part, sizeof(part)) == 0;
		if (!found) {
			p.id = (uint32_t)parts.len;
			idmap_insert(&map, &p, p.id);
			*VEC_PUSH(&parts) = part;
			*VEC_PUSH(&first) = 0;
		}
		part_of[i] = p.id;
		first.data[p.id]++;
	}
	for (size_t i = 0; i < parts.len; i++) {
		size_t count = first.data[i];

		first.data[i] = begin;
		begin += count;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t sample = w->order ? w->order[i] : (uint32_t)i;

		order[first.data[part_of[sample]]++] = sample;
	}
	free(w->order);
	w->order = order;
	for (size_t i = 0; i < parts.len; i++)
		top_add_part(w, i ? first.data[i - 1] : 0, first.data[i], &parts.data[i]);
	free(part_of);
	idmap_fini(&map);
	VEC_FREE(&parts);
	VEC_FREE(&first);
}

/* Whether the keys of the table include the function and the command. */
static bool top_is_unique(const struct top_build *b)
{
	bool has_sym = false;
	bool has_comm = false;

	for (size_t i = 0; i < b->top->n_keys; i++) {
		has_sym |= b->top->keys[i].key == TOP_SYM;
		has_comm |= b->top->keys[i].key == TOP_COMM;
	}
	return has_sym && has_comm;
}

void top_fill_from_samples(struct top_build *b)
{
	static const struct top_part one = { { 0 }, INDEX_NONE, INDEX_NONE, INDEX_NONE, { 0 } };
	const struct profile *p = b->profile;
	struct top *t = b->top;
	struct top_walk w;
	struct top_needs needs;
	double whole = 0;
	double half = 0;

	t->unit = profile_sample_unit(p);
	t->decimals = profile_sample_decimals(p);
	t->has_children = !b->spec->no_children;
	t->has_samples = p->recovery != RECOVERY_PARTIAL && !p->is_summed;
	if (p->recovery != RECOVERY_EXACT)
		half = profile_half_width(p) * (double)profile_scale(p);
	top_walk_init(&w, b);
	top_walk_under(&w);
	top_order_samples(&w);
	needs = top_needs_of(b, w.has_comms);
	if (needs.comm || needs.pid || needs.tid || needs.cpu || needs.field) {
		top_walk_parts(&w, needs);
	} else {
		w.is_whole = true;
		w.is_unique = top_is_unique(b) && !(w.has_comms && w.has_others);
		top_add_part(&w, 0, p->samples.n, &one);
	}
	whole = (double)p->left_out;
	for (size_t i = 0; i < p->samples.n; i++)
		whole += (double)p->samples.weight.data[i];
	VEC_FOREACH (r, &t->rows) {
		r->self_pct = top_pct(t, (double)r->self, whole);
		r->self_err = top_pct(t, half * (double)r->samples, whole);
		r->children_pct = top_pct(t, (double)r->children, whole);
		r->has_children = t->has_children;
		r->has_samples = t->has_samples;
		if (!t->has_samples)
			r->samples = 0;
	}
	t->total_pct = top_pct(t, (double)t->total, whole);
	t->total_err = top_pct(t, half * (double)t->n_rows, whole);
	top_walk_fini(&w);
}
