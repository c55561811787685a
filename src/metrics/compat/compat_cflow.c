/* SPDX-License-Identifier: MIT */
/* compat_cflow.c - call trees of one file as printed by GNU cflow */
#include "metrics/compat/compat_cflow.h"

#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_functions.h"
#include "metrics/code/c_names.h"
#include "metrics/code/c_tokens.h"

/* maximum number of calls that are followed, in all trees together */
#define CFLOW_STEPS (UINT32_C(1) << 26)
#define CFLOW_DEPTH 4096u

struct cflow_edges {
	VEC(uint32_t) to;
	/*
	 * from[node]: index in `to` of the node's first edge; the last element is the length of
	 * `to`
	 */
	VEC(uint32_t) from;
};

struct cflow {
	const struct c_tokens *t;
	const struct c_functions *f;
	/* names of called and of defined functions; the number of a name is its node */
	struct c_names names;
	/*
	 * defined_at[node]: offset of the function's first definition in the text; UINT32_MAX: none
	 */
	VEC(uint32_t) defined_at;
	/*
	 * called_at[node]: offset of the first function in the text that calls this function;
	 * UINT32_MAX: none
	 */
	VEC(uint32_t) called_at;
	/*
	 * is_forward[node]: 1 if the text has a declaration of the function without a body, which
	 * starts in the first column: `int f(void);`
	 */
	VEC(uint8_t) is_forward;
	/* function[node]: index in f->items of the function's first definition; UINT32_MAX: none */
	VEC(uint32_t) function;
	struct cflow_edges down;
	struct cflow_edges up;
	/*
	 * size[node]: number of lines that cflow prints below the node, in the current direction
	 * (callees or callers). A negative value is no exact size: -1 means unknown, and -1 - n
	 * means at least n lines
	 */
	VEC(double) size;
	VEC(uint8_t) is_on_path;
	VEC(uint32_t) level;
	uint32_t steps;
};

static uint32_t cflow_node(struct cflow *c, struct str name)
{
	uint32_t id = c_names_add(&c->names, name);

	while (c->defined_at.len <= id) {
		*VEC_PUSH(&c->defined_at) = UINT32_MAX;
		*VEC_PUSH(&c->called_at) = UINT32_MAX;
		*VEC_PUSH(&c->is_forward) = 0;
		*VEC_PUSH(&c->function) = UINT32_MAX;
	}
	return id;
}

/*
 * Whether token @i is the name of a member, which follows '.' or '->'. If @skip_blanks is false,
 * the name must follow directly, without blanks.
 */
static bool cflow_is_member(const struct c_tokens *t, uint32_t i, bool skip_blanks)
{
	const struct c_token *k = &t->items.data[i];
	const struct c_token *before;

	if (i == 0)
		return false;
	before = &t->items.data[i - 1];
	if (!skip_blanks && before->at + before->len != k->at)
		return false;
	return c_token_is(before, '.') ||
	       (before->kind == C_OPERATOR && before->len == 2 && before->first == '-' &&
		t->text.p[before->at + 1] == '>');
}

static bool cflow_is_keyword(const struct c_token *k, struct str word)
{
	switch (k->keyword) {
	case C_IF:
	case C_FOR:
	case C_WHILE:
	case C_RETURN:
	case C_SWITCH:
	case C_ELSE:
	case C_DO:
	case C_CASE:
	case C_GOTO:
		return true;
	default:
		return str_eq(word, STR("sizeof")) || str_eq(word, STR("typeof")) ||
		       str_eq(word, STR("__typeof__")) || str_eq(word, STR("defined"));
	}
}

/*
 * Set is_forward for functions that are declared without a body at the left margin: `static int
 * f(...);`.
 */
static void cflow_forwards(struct cflow *c)
{
	const struct c_tokens *t = c->t;

	for (uint32_t i = 0; i + 2 < t->items.len; i++) {
		const struct c_token *k = &t->items.data[i];
		struct str word = c_token_text(t, i);
		uint32_t name = i;
		uint32_t close;

		if (k->kind != C_WORD || (k->at && t->text.p[k->at - 1] != '\n') ||
		    !(str_eq(word, STR("static")) || str_eq(word, STR("extern")) ||
		      str_eq(word, STR("int")) || str_eq(word, STR("void"))))
			continue;
		while (name + 1 < t->items.len && (t->items.data[name].kind == C_WORD ||
						   c_token_is(&t->items.data[name], '*')))
			name++;
		if (!c_token_is(&t->items.data[name], '(') ||
		    t->items.data[name - 1].kind != C_WORD || name - 1 == i)
			continue;
		close = c_close(t, name, (uint32_t)t->items.len);
		if (close + 1 < t->items.len && c_token_is(&t->items.data[close + 1], ';')) {
			uint32_t id = cflow_node(c, c_token_text(t, name - 1));

			c->is_forward.data[id] = 1;
		}
	}
}

static bool cflow_is_bodyless(const struct c_tokens *t, const struct c_function *f)
{
	bool is_noinline = false;

	for (uint32_t i = f->head; i < f->name_token; i++) {
		is_noinline |= str_eq(c_token_text(t, i), STR("noinline"));
		if (is_noinline && t->items.data[i].keyword == C_STRUCT)
			return true;
	}
	return false;
}

static bool cflow_is_call(const struct c_tokens *t, uint32_t i, uint32_t end)
{
	const struct c_token *k = &t->items.data[i];

	return k->kind == C_WORD && i + 1 <= end && c_token_is(&t->items.data[i + 1], '(') &&
	       !cflow_is_keyword(k, c_token_text(t, i)) && !cflow_is_member(t, i, true);
}

/* Set called_at of each called name: the offset of the first function that calls it. */
static void cflow_first_calls(struct cflow *c)
{
	VEC_FOREACH (f, &c->f->items) {
		uint32_t at = c->t->items.data[f->head].at;

		for (uint32_t i = f->body; !f->macro.len && i < f->end; i++) {
			uint32_t id;

			if (!cflow_is_call(c->t, i, f->end))
				continue;
			id = cflow_node(c, c_token_text(c->t, i));
			if (at < c->called_at.data[id])
				c->called_at.data[id] = at;
		}
	}
}

/*
 * Add the names of the parameters and local variables of @f to @ret. As cflow does, recognise a
 * declaration only by the tokens before and after the name.
 */
static void cflow_locals(const struct c_tokens *t, const struct c_function *f, struct c_names *ret)
{
	for (uint32_t i = f->params; i <= f->end; i++) {
		const struct c_token *k = &t->items.data[i];
		const struct c_token *after = i < f->end ? &t->items.data[i + 1] : k;
		const struct c_token *before = &t->items.data[i - 1];

		if (k->kind != C_WORD || k->keyword != C_NO_KEYWORD || after->kind != C_OPERATOR)
			continue;
		while (before->at > t->items.data[f->params].at && c_token_is(before, '*'))
			before--;
		/* a declaration: `type name;`, `type *name = ...;` or `(type name, ...)` */
		if (before->kind == C_WORD && !cflow_is_keyword(before, STR_NONE) &&
		    (after->first == ';' || after->first == '=' || after->first == ',' ||
		     after->first == ')' || after->first == '['))
			c_names_add(ret, c_token_text(t, i));
	}
}

/*
 * Append each callee of @f to c->down.to once, in the order of its first occurrence. @calls, @seen
 * and @locals: scratch memory.
 */
static void cflow_callees(struct cflow *c, const struct c_function *f, struct c_names *calls,
			  struct c_names *seen, struct c_names *locals)
{
	const struct c_tokens *t = c->t;
	uint32_t start = t->items.data[f->head].at;

	c_names_clear(calls);
	c_names_clear(seen);
	c_names_clear(locals);
	if (cflow_is_bodyless(t, f))
		return;
	for (uint32_t i = f->body; i < f->end; i++) {
		if (cflow_is_call(t, i, f->end))
			c_names_add(calls, c_token_text(t, i));
	}
	cflow_locals(t, f, locals);
	for (uint32_t i = f->body; i < f->end; i++) {
		struct str word = c_token_text(t, i);
		uint32_t id;
		bool is_call;

		if (t->items.data[i].kind != C_WORD || cflow_is_member(t, i, false) ||
		    c_names_find(seen, word) != UINT32_MAX)
			continue;
		id = c_names_find(&c->names, word);
		if (id == UINT32_MAX)
			continue;
		is_call = c_names_find(calls, word) != UINT32_MAX;
		if (!is_call &&
		    !(c->defined_at.data[id] != UINT32_MAX && c->defined_at.data[id] < start) &&
		    !c->is_forward.data[id] &&
		    !(c->called_at.data[id] < start && c_names_find(locals, word) == UINT32_MAX))
			continue;
		c_names_add(seen, word);
		if (is_call || c->defined_at.data[id] != UINT32_MAX ||
		    c->called_at.data[id] != UINT32_MAX)
			*VEC_PUSH(&c->down.to) = id;
	}
}

static void cflow_build(struct cflow *c)
{
	struct c_names calls = { 0 };
	struct c_names seen = { 0 };
	struct c_names locals = { 0 };
	/* start[node]: index in `to` where the node's next edge is stored */
	VEC(uint32_t) start = VEC_INIT;
	/* all calls, as pairs: node of the caller, node of the callee */
	VEC(uint32_t) flat = VEC_INIT;
	size_t n = c->names.names.len;

	VEC_FOREACH (f, &c->f->items) {
		uint32_t id = c_names_find(&c->names, f->name);

		if (c->function.data[id] != (uint32_t)(f - c->f->items.data))
			/*
			 * this is a second definition of the name, or a definition by a macro:
			 * ignore it
			 */
			continue;
		c->down.to.len = 0;
		cflow_callees(c, f, &calls, &seen, &locals);
		for (size_t i = 0; i < c->down.to.len; i++) {
			*VEC_PUSH(&flat) = id;
			*VEC_PUSH(&flat) = c->down.to.data[i];
		}
	}
	for (int is_up = 0; is_up < 2; is_up++) {
		struct cflow_edges *e = is_up ? &c->up : &c->down;

		VEC_RESERVE(&e->from, n + 1);
		memset(e->from.data, 0, (n + 1) * sizeof(*e->from.data));
		e->from.len = n + 1;
		VEC_RESERVE(&e->to, flat.len / 2 + 1);
		e->to.len = flat.len / 2;
		for (size_t i = 0; i < flat.len; i += 2)
			e->from.data[flat.data[i + (size_t)is_up] + 1]++;
		for (size_t i = 0; i < n; i++)
			e->from.data[i + 1] += e->from.data[i];
		start.len = 0;
		VEC_APPEND(&start, e->from.data, n);
		for (size_t i = 0; i < flat.len; i += 2)
			e->to.data[start.data[flat.data[i + (size_t)is_up]]++] =
				flat.data[i + (size_t)!is_up];
	}
	VEC_FREE(&start);
	VEC_FREE(&flat);
	c_names_fini(&calls);
	c_names_fini(&seen);
	c_names_fini(&locals);
}

static bool cflow_is_hidden(const struct cflow *c, uint32_t node)
{
	struct str name = c->names.names.data[node];

	return name.len && name.p[0] == '_';
}

struct cflow_frame {
	uint32_t node;
	uint32_t next; /* index of the next edge to visit */
	double size;
	/* the tree below the node has no recursion, so it has the same size wherever it occurs */
	bool is_exact;
};

/*
 * Return the number of lines that cflow prints below @root. A tree without recursion has the same
 * size wherever it occurs, so its size is stored in c->size, and it is walked only once. A tree
 * with recursion is walked at each occurrence. @is_down: also compute c->level, the deepest level
 * of each node. In this case, a tree with a stored size is walked again if it occurs at a deeper
 * level.
 */
static double cflow_walk(struct cflow *c, const struct cflow_edges *e, uint32_t root, bool is_down)
{
	VEC(struct cflow_frame) path = VEC_INIT;
	double result = 0;

	*VEC_PUSH(&path) = (struct cflow_frame){ root, e->from.data[root], 0, true };
	c->is_on_path.data[root] = 1;
	while (path.len) {
		struct cflow_frame *top = &path.data[path.len - 1];
		uint32_t level = (uint32_t)path.len;

		if (is_down && level > c->level.data[top->node])
			c->level.data[top->node] = level;
		if (top->next < e->from.data[top->node + 1] && c->steps < CFLOW_STEPS) {
			uint32_t to = e->to.data[top->next++];

			c->steps++;
			if (cflow_is_hidden(c, to))
				continue;
			top->size++;
			if (c->is_on_path.data[to]) {
				if (is_down && level + 1 > c->level.data[to])
					c->level.data[to] = level + 1;
				top->is_exact = false;
			} else if (c->size.data[to] >= 0 &&
				   (!is_down || c->level.data[to] > level)) {
				top->size += c->size.data[to];
			} else if (path.len < CFLOW_DEPTH) {
				c->is_on_path.data[to] = 1;
				*VEC_PUSH(&path) =
					(struct cflow_frame){ to, e->from.data[to], 0, true };
			}
			continue;
		}
		c->is_on_path.data[top->node] = 0;
		if (top->is_exact)
			c->size.data[top->node] = top->size;
		result = top->size;
		path.len--;
		if (path.len) {
			struct cflow_frame done = path.data[path.len];
			struct cflow_frame *up = &path.data[path.len - 1];

			up->size += done.size;
			up->is_exact &= done.is_exact;
			/*
			 * the tree has recursion, so its size differs from path to path: store the
			 * largest size n of all paths as -1 - n
			 */
			if (is_down && c->f->items.len &&
			    c->function.data[done.node] != UINT32_MAX && !done.is_exact &&
			    -done.size - 1 < c->size.data[done.node])
				c->size.data[done.node] = -done.size - 1;
		}
	}
	VEC_FREE(&path);
	return result;
}

static void cflow_reset(struct cflow *c)
{
	size_t n = c->names.names.len;

	VEC_RESERVE(&c->size, n);
	VEC_RESERVE(&c->is_on_path, n);
	for (size_t i = 0; i < n; i++) {
		c->size.data[i] = -1;
		c->is_on_path.data[i] = 0;
	}
}

bool cflow_sizes(const struct c_tokens *t, const struct c_functions *f, struct cflow_size *ret)
{
	struct cflow c = { .t = t, .f = f };
	size_t n;

	VEC_FOREACH (x, &f->items) {
		uint32_t id = cflow_node(&c, x->name);

		if (c.defined_at.data[id] == UINT32_MAX && !x->macro.len) {
			c.defined_at.data[id] = t->items.data[x->head].at;
			c.function.data[id] = (uint32_t)(x - f->items.data);
		}
	}
	cflow_first_calls(&c);
	cflow_forwards(&c);
	cflow_build(&c);
	n = c.names.names.len;
	VEC_RESERVE(&c.level, n);
	if (n)
		memset(c.level.data, 0, n * sizeof(*c.level.data));
	cflow_reset(&c);
	for (uint32_t i = 0; i < n; i++) {
		/* cflow prints a tree for each function that no other function calls or names */
		if (c.function.data[i] != UINT32_MAX &&
		    c.up.from.data[i] == c.up.from.data[i + 1] && !cflow_is_hidden(&c, i)) {
			double size = cflow_walk(&c, &c.down, i, true);

			c.size.data[i] = size;
		}
	}
	VEC_FOREACH (x, &f->items) {
		uint32_t id = c_names_find(&c.names, x->name);
		struct cflow_size *s = &ret[x - f->items.data];
		double size = c.size.data[id];

		s->level = c.level.data[id];
		s->callees = s->level == 0 ? 0 : size >= 0 ? size : -size - 1;
	}
	cflow_reset(&c);
	VEC_FOREACH (x, &f->items) {
		uint32_t id = c_names_find(&c.names, x->name);

		ret[x - f->items.data].callers = cflow_is_hidden(&c, id) ? 0
						 : c.size.data[id] >= 0
							 ? c.size.data[id]
							 : cflow_walk(&c, &c.up, id, false);
	}
	c_names_fini(&c.names);
	VEC_FREE(&c.defined_at);
	VEC_FREE(&c.called_at);
	VEC_FREE(&c.is_forward);
	VEC_FREE(&c.function);
	VEC_FREE(&c.down.to);
	VEC_FREE(&c.down.from);
	VEC_FREE(&c.up.to);
	VEC_FREE(&c.up.from);
	VEC_FREE(&c.size);
	VEC_FREE(&c.is_on_path);
	VEC_FREE(&c.level);
	return c.steps < CFLOW_STEPS;
}
