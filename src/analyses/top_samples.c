/* SPDX-License-Identifier: MIT */
/*
 * The table of a report from samples.
 *
 * Samples are first added up on the nodes of the prefix tree. One pass over the
 * ids from the end makes the weights inclusive (parents have smaller ids), and a
 * walk in depth order with a counter for each group tells the outermost node of
 * the group on every path, so that recursion counts once: O(nodes), where a walk
 * up from each sample would be O(samples * depth).
 *
 * Where keys depend on more than the stack (pid, tid, cpu, the command of a
 * thread), samples are cut into parts with equal values and each part is walked
 * over the nodes that it touches.
 */
#include "analyses/top_build.h"

/* Values of a sample that are not on its stack. */
struct top_part {
	str_id comm; /* STR_ID_NONE: see the stack */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint32_t fields[TOP_MAX_KEYS]; /* of keys that are TOP_FIELD */
};

struct top_func {
	sym_id sym;
	str_id comm; /* of the root frame */
};

struct top_walk {
	struct top_build *b;
	const struct stacks *stacks;
	uint32_t n_nodes;
	/* by node */
	uint32_t *func; /* + 1; 0: not asked */
	uint32_t *comm; /* str_id of the root frame */
	uint8_t *under; /* NULL: no such filter */
	uint64_t *self;
	uint64_t *inclusive;
	uint32_t *count;
	uint32_t *child;   /* first of the touched ones, 0: none */
	uint32_t *sibling; /* next of the touched ones */
	uint8_t *touched;
	VEC(uint32_t) nodes; /* touched by the part, ascending */
	/* by function */
	VEC(struct top_func) funcs;
	struct idmap funcs_map;
	VEC(uint32_t) group;   /* row of top + 1, of the part; 0: not asked; UINT32_MAX: filtered */
	VEC(uint32_t) grouped; /* functions with a group in this part */
	VEC(uint32_t) on_path; /* by row of top */
};

#define TOP_FILTERED UINT32_MAX

static void top_walk_init(struct top_walk *w, struct top_build *b)
{
	size_t n = stacks_count(&b->profile->stacks);

	memset(w, 0, sizeof(*w));
	w->b = b;
	w->stacks = &b->profile->stacks;
	w->n_nodes = (uint32_t)n;
	w->func = xcalloc(n, sizeof(*w->func));
	w->comm = xcalloc(n, sizeof(*w->comm));
	w->self = xcalloc(n, sizeof(*w->self));
	w->inclusive = xcalloc(n, sizeof(*w->inclusive));
	w->count = xcalloc(n, sizeof(*w->count));
	w->child = xcalloc(n, sizeof(*w->child));
	w->sibling = xcalloc(n, sizeof(*w->sibling));
	w->touched = xcalloc(n, 1);
}

static void top_walk_fini(struct top_walk *w)
{
	free(w->func);
	free(w->comm);
	free(w->under);
	free(w->self);
	free(w->inclusive);
	free(w->count);
	free(w->child);
	free(w->sibling);
	free(w->touched);
	VEC_FREE(&w->nodes);
	VEC_FREE(&w->funcs);
	idmap_fini(&w->funcs_map);
	VEC_FREE(&w->group);
	VEC_FREE(&w->grouped);
	VEC_FREE(&w->on_path);
}

/* The command of each node: the name of a root frame of SPACE_COMM. */
static void top_walk_comms(struct top_walk *w)
{
	for (uint32_t i = 1; i < w->n_nodes; i++) {
		uint32_t parent = w->stacks->parent.data[i];
		const struct symbol *s = symbols_get(w->b->symbols, w->stacks->sym.data[i]);

		w->comm[i] = parent == 0 && s->space == SPACE_COMM ? s->name.v : w->comm[parent];
	}
}

/* Which nodes are below (or are) a function that spec.under names. */
static void top_walk_under(struct top_walk *w)
{
	const struct symbols *symbols = w->b->symbols;
	struct top_names names = { &w->b->spec->under, 1 };
	uint8_t *known;

	if (w->b->spec->under.len == 0)
		return;
	w->under = xcalloc(w->n_nodes, 1);
	known = xcalloc(symbols->rows.len, 1);
	for (uint32_t i = 1; i < w->n_nodes; i++) {
		sym_id sym = w->stacks->sym.data[i];

		if (known[sym.v] == 0)
			known[sym.v] =
				top_names_have(names, symbols_name(symbols, sym)) ||
						top_names_have(names,
							       symbols_canonical(symbols, sym))
					? 2
					: 1;
		w->under[i] = w->under[w->stacks->parent.data[i]] || known[sym.v] == 2;
	}
	free(known);
}

static uint32_t top_func_of(struct top_walk *w, uint32_t node)
{
	struct top_func f = { w->stacks->sym.data[node], { w->comm[node] } };
	struct idmap_probe p;

	if (w->func[node])
		return w->func[node] - 1;
	if (symbols_get(w->b->symbols, f.sym)->space == SPACE_COMM)
		f.sym = SYM_ID_NONE; /* a sample without frames */
	p = idmap_first(&w->funcs_map, hash_u64(f.sym.v, f.comm.v));
	while (idmap_next(&w->funcs_map, &p)) {
		const struct top_func *g = &w->funcs.data[p.id];

		if (g->sym.v == f.sym.v && g->comm.v == f.comm.v) {
			w->func[node] = p.id + 1;
			return p.id;
		}
	}
	idmap_insert(&w->funcs_map, &p, (uint32_t)w->funcs.len);
	*VEC_PUSH(&w->funcs) = f;
	*VEC_PUSH(&w->group) = 0;
	w->func[node] = (uint32_t)w->funcs.len;
	return w->func[node] - 1;
}

/* The row of top for a node in @part, or TOP_FILTERED. */
static uint32_t top_group_of(struct top_walk *w, uint32_t node, const struct top_part *part)
{
	uint32_t func = top_func_of(w, node);
	uint32_t *group = &w->group.data[func];
	struct top_item item;

	if (*group)
		return *group == TOP_FILTERED ? TOP_FILTERED : *group - 1;
	*VEC_PUSH(&w->grouped) = func;
	item = (struct top_item){
		.sym = w->funcs.data[func].sym,
		.comm = part->comm.v ? part->comm : w->funcs.data[func].comm,
		.dso = symbols_get(w->b->symbols, w->funcs.data[func].sym)->module,
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
	*group = top_group(w->b, &item) + 1;
	w->b->top->rows.data[*group - 1].rows++;
	return *group - 1;
}

static int top_compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The touched nodes with their ancestors, ascending. */
static void top_collect(struct top_walk *w)
{
	size_t n = w->nodes.len;

	for (size_t i = 0; i < n; i++) {
		uint32_t at = w->stacks->parent.data[w->nodes.data[i]];

		for (; at && !w->touched[at]; at = w->stacks->parent.data[at]) {
			w->touched[at] = 1;
			*VEC_PUSH(&w->nodes) = at;
		}
	}
	if (w->nodes.len > w->n_nodes / 8) { /* cheaper than sorting */
		w->nodes.len = 0;
		for (uint32_t i = 0; i < w->n_nodes; i++) {
			if (w->touched[i])
				*VEC_PUSH(&w->nodes) = i;
		}
		return;
	}
	if (w->nodes.len)
		qsort(w->nodes.data, w->nodes.len, sizeof(uint32_t), top_compare_u32);
}

/* Is @node a frame, and not the command at the root? */
static bool top_is_frame(const struct top_walk *w, uint32_t node)
{
	return symbols_get(w->b->symbols, w->stacks->sym.data[node])->space != SPACE_COMM;
}

static void top_enter(struct top_walk *w, uint32_t node, const struct top_part *part)
{
	struct top *t = w->b->top;
	uint32_t group;

	if (!top_is_frame(w, node))
		return;
	group = top_group_of(w, node, part);
	if (group == TOP_FILTERED)
		return;
	while (w->on_path.len <= group)
		*VEC_PUSH(&w->on_path) = 0;
	if (w->on_path.data[group]++ == 0)
		t->rows.data[group].children += w->inclusive[node];
}

static void top_leave(struct top_walk *w, uint32_t node, const struct top_part *part)
{
	uint32_t group = top_is_frame(w, node) ? top_group_of(w, node, part) : TOP_FILTERED;

	if (group != TOP_FILTERED)
		w->on_path.data[group]--;
}

/* Inclusive weights, then the walk in depth order. */
static void top_children(struct top_walk *w, const struct top_part *part)
{
	uint32_t first = 0; /* of the touched nodes below the root */
	uint32_t at;

	for (size_t i = w->nodes.len; i-- > 0;) {
		uint32_t node = w->nodes.data[i];
		uint32_t parent = w->stacks->parent.data[node];
		uint32_t *head = parent ? &w->child[parent] : &first;

		if (node == 0)
			continue;
		w->inclusive[node] += w->self[node];
		w->inclusive[parent] += w->inclusive[node];
		w->sibling[node] = *head;
		*head = node;
	}
	for (at = first; at;) {
		top_enter(w, at, part);
		if (w->child[at]) {
			at = w->child[at];
			continue;
		}
		for (;;) {
			top_leave(w, at, part);
			if (w->sibling[at]) {
				at = w->sibling[at];
				break;
			}
			at = w->stacks->parent.data[at];
			if (at == 0)
				return;
		}
	}
}

/* Self weights of the part to rows, children if wanted; forget the part. */
static void top_finish_part(struct top_walk *w, const struct top_part *part)
{
	struct top *t = w->b->top;
	size_t leaves = w->nodes.len;

	for (size_t i = 0; i < leaves; i++) {
		uint32_t node = w->nodes.data[i];
		uint32_t group = top_group_of(w, node, part);

		if (group == TOP_FILTERED)
			continue;
		t->rows.data[group].self += w->self[node];
		t->rows.data[group].samples += w->count[node];
		t->total += w->self[node];
		t->n_rows += w->count[node];
		if (!top_is_frame(w, node) || node == 0)
			t->rows.data[group].children += w->self[node];
	}
	if (!w->b->spec->no_children) {
		top_collect(w);
		top_children(w, part);
	}
	VEC_FOREACH (node, &w->nodes) {
		w->self[*node] = 0;
		w->inclusive[*node] = 0;
		w->count[*node] = 0;
		w->child[*node] = 0;
		w->touched[*node] = 0;
	}
	w->inclusive[0] = 0;
	VEC_FOREACH (func, &w->grouped)
		w->group.data[*func] = 0;
	w->nodes.len = 0;
	w->grouped.len = 0;
}

static void top_add_sample(struct top_walk *w, size_t sample)
{
	const struct samples *s = &w->b->profile->samples;
	uint32_t node = s->stack.data[sample].v;

	if (w->under && !w->under[node])
		return;
	if (!w->touched[node]) {
		w->touched[node] = 1;
		*VEC_PUSH(&w->nodes) = node;
	}
	w->self[node] += s->weight.data[sample];
	w->count[node] += profile_samples_at(w->b->profile, sample);
}

/* Which values beside the stack the keys need. */
struct top_needs {
	bool comm, pid, tid, cpu, field;
};

static struct top_needs top_needs_of(const struct top_build *b, bool has_comm_frames)
{
	const struct samples *s = &b->profile->samples;
	struct top_needs needs = { .comm = false };

	for (size_t i = 0; i < b->top->n_keys; i++) {
		enum top_key key = b->top->keys[i].key;

		needs.comm |= key == TOP_COMM;
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

/* Samples in order of their part: a counting sort, 8 bytes a sample. */
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
	for (size_t i = 0; i < n; i++)
		order[first.data[part_of[i]]++] = (uint32_t)i;
	for (size_t i = 0, at = 0; i < parts.len; i++) {
		for (; at < first.data[i]; at++)
			top_add_sample(w, order[at]);
		top_finish_part(w, &parts.data[i]);
	}
	free(part_of);
	free(order);
	idmap_fini(&map);
	VEC_FREE(&parts);
	VEC_FREE(&first);
}

static bool top_has_comm_frames(const struct top_walk *w)
{
	for (uint32_t i = 1; i < w->n_nodes; i++) {
		if (w->comm[i])
			return true;
	}
	return false;
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
	t->has_samples = p->recovery != RECOVERY_PARTIAL;
	if (p->recovery != RECOVERY_EXACT)
		half = profile_half_width(p) * (double)profile_scale(p);
	top_walk_init(&w, b);
	top_walk_comms(&w);
	top_walk_under(&w);
	needs = top_needs_of(b, top_has_comm_frames(&w));
	if (needs.comm || needs.pid || needs.tid || needs.cpu || needs.field) {
		top_walk_parts(&w, needs);
	} else {
		for (size_t i = 0; i < p->samples.n; i++)
			top_add_sample(&w, i);
		top_finish_part(&w, &one);
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
