/* SPDX-License-Identifier: MIT */
/* c_functions.c - find function definitions in the tokens of a file */
#include "metrics/code/c_functions.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_tokens.h"

#define C_ARM_STACK 64u
/* maximum number of tokens before the '{' of a body in which the function's name is searched */
#define C_HEAD_TOKENS 2048u

uint32_t c_close(const struct c_tokens *t, uint32_t open, uint32_t end)
{
	char up = t->items.data[open].first;
	char down = up == '(' ? ')' : up == '[' ? ']' : '}';
	uint32_t depth = 0;

	for (uint32_t i = open; i < end; i++) {
		const struct c_token *k = &t->items.data[i];

		if (c_token_is(k, up))
			depth++;
		else if (c_token_is(k, down) && --depth == 0)
			return i;
	}
	return end;
}

/*
 * Brace depth at the current token. An arm of an #if is the text between #if, #elif, #else and
 * #endif. At the start of each arm, the depth is set to the depth before the #if. At the #endif, it
 * is set to the depth at the end of the first arm; an arm under `#if 0` does not count.
 */
struct c_braces {
	int depth;
	unsigned int n;
	int at_if[C_ARM_STACK];
	/*
	 * after_first[i]: depth at the end of the first arm of the open #if number i; an arm under
	 * `#if 0` does not count. INT32_MIN: no such arm has ended yet
	 */
	int after_first[C_ARM_STACK];
};

static struct str c_directive_name(struct str directive)
{
	struct str s = str_ltrim(str_skip(directive, 1));
	size_t n = 0;

	while (n < s.len && s.p[n] >= 'a' && s.p[n] <= 'z')
		n++;
	return str_sub(s, 0, n);
}

static void c_braces_directive(struct c_braces *b, const struct c_tokens *t, uint32_t i)
{
	struct str word = c_directive_name(c_token_text(t, i));
	unsigned int top = b->n - 1;

	if (str_starts(word, STR("if"))) {
		if (b->n < C_ARM_STACK) {
			b->at_if[b->n] = b->depth;
			b->after_first[b->n] = INT32_MIN;
		}
		b->n++;
	} else if (b->n && str_starts(word, STR("el"))) {
		if (top < C_ARM_STACK) {
			/* this directive ends the first arm that is not `#if 0` */
			if (b->after_first[top] == INT32_MIN &&
			    (i == 0 || t->items.data[i - 1].arm != C_ARM_NEVER))
				b->after_first[top] = b->depth;
			b->depth = b->at_if[top];
		}
	} else if (b->n && str_eq(word, STR("endif"))) {
		if (top < C_ARM_STACK) {
			if (b->after_first[top] != INT32_MIN)
				b->depth = b->after_first[top];
			else if (i && t->items.data[i - 1].arm == C_ARM_NEVER)
				b->depth = b->at_if[top];
		}
		b->n--;
	}
}

/* Whether token @i starts in the first column of its line. */
static bool c_is_margin(const struct c_tokens *t, uint32_t i)
{
	uint32_t at = t->items.data[i].at;

	return at == 0 || t->text.p[at - 1] == '\n';
}

/* The tokens of a function definition before the '{' of its body: type, name and parameters. */
struct c_head {
	uint32_t from; /* first token */
	uint32_t to;   /* the token '{' */
};

static bool c_is_upper_name(struct str s)
{
	bool has_upper = false;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] >= 'a' && s.p[i] <= 'z')
			return false;
		has_upper |= s.p[i] >= 'A' && s.p[i] <= 'Z';
	}
	return has_upper;
}

/*
 * Whether @s is the name of an annotation macro with arguments, such as __acquires(lock), which may
 * follow the parameter list of a function.
 */
static bool c_is_annotation(struct str s)
{
	static const char *const names[] = {
		"__acquires",     "__releases",      "__must_hold",    "__cond_acquires",
		"__acquire",      "__release",       "__printf",       "__scanf",
		"__aligned",      "__section",       "__alloc_size",   "__assume_aligned",
		"__nonnull",      "__cond_lock",     "__nocapture",    "__diag_ignore",
		"__attribute",    "__printf_format", "__malloc",       "__alias",
		"__no_sanitize",  "__copy",          "__realloc_size", "__must_hold_shared",
		"__init_or_acpi", "__nonstring",     "__guarded_by",   "__context_unsafe",
		"__target",       "__optimize",      "__visibility",   "__weak_alias",
	};

	if (!str_starts(s, STR("__")))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(s, str_of(names[i])))
			return true;
	}
	return false;
}

/* Whether the tokens [from, to), between the parameter list and the '{', are only annotations. */
static bool c_is_tail(const struct c_tokens *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->kind == C_DIRECTIVE || k->kind == C_STRING)
			continue;
		if (k->kind != C_WORD || (k->keyword != C_NO_KEYWORD && k->keyword != C_ATTRIBUTE &&
					  k->keyword != C_ASM && k->keyword != C_QUALIFIER))
			return false;
		if (i + 1 < to && c_token_is(&t->items.data[i + 1], '(')) {
			i = c_close(t, i + 1, to);
			if (i == to)
				return false;
		}
	}
	return true;
}

/*
 * Whether the tokens [from, to) contain a type. Storage classes (static) and annotations are no
 * types.
 */
static bool c_has_type(const struct c_tokens *t, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct c_token *k = &t->items.data[i];

		if (c_token_is(k, '*'))
			return true;
		if (k->kind != C_WORD)
			continue;
		if (i + 1 < to && c_token_is(&t->items.data[i + 1], '(')) {
			bool is_typeof = k->keyword == C_TYPEOF;

			i = c_close(t, i + 1, to);
			if (is_typeof)
				return true;
			continue;
		}
		if (k->keyword == C_TYPE || k->keyword == C_STRUCT || k->keyword == C_UNION ||
		    k->keyword == C_ENUM)
			return true;
		if (k->keyword == C_NO_KEYWORD)
			return true;
	}
	return false;
}

/*
 * A '(' that may open the parameter list of a function. @open: index of this token. @name: index of
 * the token that is the function's name if the '(' opens the parameter list.
 */
struct c_candidate {
	uint32_t open;
	uint32_t name;
	int rank; /* the candidate with the highest rank becomes the parameter list */
};

/*
 * Whether the '(' at token @open may open the parameter list of the function with the head @h. If
 * so, store it in @ret. Usually the function's name precedes the '('. But in a head such as `int
 * (*name(args))(more)`, the name and the parameter list are inside of parentheses.
 */
static bool c_candidate_at(const struct c_tokens *t, struct c_head h, uint32_t open,
			   struct c_candidate *ret)
{
	const struct c_token *before;
	uint32_t close = c_close(t, open, h.to);
	bool has_type;

	if (open == h.from || close == h.to)
		return false;
	before = &t->items.data[open - 1];
	*ret = (struct c_candidate){ .open = open, .name = open - 1 };
	if (before->kind == C_WORD && before->keyword == C_NO_KEYWORD) {
		struct str name = c_token_text(t, open - 1);

		if (!c_is_tail(t, close + 1, h.to))
			return false;
		has_type = c_has_type(t, h.from, open - 1);
		/*
		 * `name(...)` has no type before it, and does not start in the first column: it is
		 * a macro for a loop, such as `list_for_each(...) {`, in the body of a function
		 * whose end was detected too early
		 */
		if (!has_type && !c_is_margin(t, h.from))
			return false;
		if (c_is_annotation(name))
			ret->rank = 0;
		else if (c_is_upper_name(name))
			ret->rank = has_type ? 2 : 1;
		else
			ret->rank = has_type ? 4 : 3;
		return true;
	}
	/* the name is in parentheses: int (*name(args))(more), or int (name)(args) */
	if (open + 1 < close && open + 1 < h.to) {
		uint32_t i = open + 1;

		while (i < close && (c_token_is(&t->items.data[i], '*') ||
				     t->items.data[i].keyword == C_QUALIFIER))
			i++;
		if (i + 1 < close && t->items.data[i].kind == C_WORD &&
		    t->items.data[i].keyword == C_NO_KEYWORD &&
		    c_token_is(&t->items.data[i + 1], '(') && i > open + 1) {
			*ret = (struct c_candidate){ .open = i + 1, .name = i, .rank = 4 };
			return c_close(t, i + 1, close) < close;
		}
		if (i + 1 == close && i == open + 1 && t->items.data[i].kind == C_WORD &&
		    t->items.data[i].keyword == C_NO_KEYWORD && close + 1 < h.to &&
		    c_token_is(&t->items.data[close + 1], '(')) {
			*ret = (struct c_candidate){ .open = close + 1, .name = i, .rank = 4 };
			return true;
		}
	}
	return false;
}

static bool c_find_name(const struct c_tokens *t, struct c_head h, struct c_candidate *ret)
{
	bool found = false;

	for (uint32_t i = h.from; i < h.to; i++) {
		const struct c_token *k = &t->items.data[i];
		struct c_candidate c = { 0 };

		if (c_token_is(k, '=') || (k->kind == C_OPERATOR && k->len == 1 && k->first == '['))
			return false;
		if (!c_token_is(k, '('))
			continue;
		/*
		 * candidates of equal rank: keep the first, because annotations follow the
		 * parameter list
		 */
		if (c_candidate_at(t, h, i, &c) && (!found || c.rank > ret->rank)) {
			*ret = c;
			found = true;
		}
		i = c_close(t, i, h.to);
	}
	return found && ret->rank > 0;
}

static void c_count_params(const struct c_tokens *t, struct c_function *f, uint32_t from)
{
	uint32_t depth = 0;
	uint32_t words = 0;
	uint32_t pieces = 0;
	bool is_void = false;

	for (uint32_t i = from; i < f->params_end; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->kind == C_DIRECTIVE)
			continue;
		if (k->kind == C_OPERATOR && (k->first == '(' || k->first == '['))
			depth++;
		else if (k->kind == C_OPERATOR && (k->first == ')' || k->first == ']'))
			depth--;
		if (depth == 0 && c_token_is(k, ',')) {
			pieces += words > 0;
			words = 0;
			continue;
		}
		if (k->kind == C_OPERATOR && k->len == 3 && k->first == '.') {
			f->is_variadic = true;
			continue;
		}
		is_void = words == 0 && str_eq(c_token_text(t, i), STR("void"));
		words++;
	}
	if (words && !(pieces == 0 && words == 1 && is_void))
		pieces++;
	f->n_params = (uint16_t)(pieces > UINT16_MAX ? UINT16_MAX : pieces);
}

/*
 * Read a definition by a macro of the kernel, such as SYSCALL_DEFINE3(sendto, int, fd, ...) or
 * BPF_CALL_n. The first argument is the function's name. The other arguments are pairs of a type
 * and a name; each pair is one parameter.
 */
static void c_name_by_macro(const struct c_tokens *t, struct c_function *f)
{
	uint32_t first = f->params + 1;
	const struct c_token *k = &t->items.data[first];

	if (first >= f->params_end || k->kind != C_WORD || k->keyword != C_NO_KEYWORD ||
	    !(first + 1 == f->params_end || c_token_is(&t->items.data[first + 1], ',')))
		return;
	f->macro = f->name;
	f->name = c_token_text(t, first);
	f->name_token = first;
	f->n_params = 0;
	if (first + 1 < f->params_end)
		c_count_params(t, f, first + 2);
	if (char_is_digit(f->macro.p[f->macro.len - 1]))
		f->n_params /= 2;
}

static bool c_take_head(const struct c_tokens *t, struct c_head h, struct c_function *f)
{
	struct c_candidate c = { 0 };

	if (h.from >= h.to || t->items.data[h.from].keyword == C_TYPEDEF || !c_find_name(t, h, &c))
		return false;
	*f = (struct c_function){
		.name = c_token_text(t, c.name),
		.head = h.from,
		.name_token = c.name,
		.params = c.open,
		.params_end = c_close(t, c.open, h.to),
		.body = h.to,
		.line = t->items.data[c.name].line,
		.head_line = t->items.data[h.from].line,
		.is_never = t->items.data[h.to].arm == C_ARM_NEVER,
		.is_other_arm = t->items.data[h.to].arm == C_ARM_OTHER,
	};
	for (uint32_t i = h.from; i < c.name; i++) {
		f->is_static |= str_eq(c_token_text(t, i), STR("static"));
		f->returns_pointer |= c_token_is(&t->items.data[i], '*');
	}
	for (uint32_t i = f->params_end + 1; i < h.to; i++)
		f->is_annotated |= t->items.data[i].kind != C_DIRECTIVE;
	c_count_params(t, f, c.open + 1);
	if (c.rank == 1 && !c_has_type(t, h.from, c.name))
		c_name_by_macro(t, f);
	return true;
}

/*
 * Whether the ';' at @semicolon is inside the head of an old-style (K&R) definition: `int f(a, b)
 * int a; char *b; {`. Its parameter list has only names; declarations of the parameters follow.
 */
static bool c_is_old_style(const struct c_tokens *t, uint32_t from, uint32_t semicolon)
{
	uint32_t open = from;
	uint32_t close;
	bool is_named = false;

	while (open < semicolon && !c_token_is(&t->items.data[open], '('))
		open++;
	close = open < semicolon ? c_close(t, open, semicolon) : semicolon;
	if (close + 2 >= semicolon || close == open + 1 || open == from)
		return false;
	for (uint32_t i = open + 1; i < close; i++) {
		const struct c_token *k = &t->items.data[i];

		if (!(k->kind == C_WORD && k->keyword == C_NO_KEYWORD) && !c_token_is(k, ','))
			return false;
		if (k->kind == C_WORD && str_eq(c_token_text(t, i), c_token_text(t, semicolon - 1)))
			is_named = true;
	}
	return is_named && !c_token_is(&t->items.data[close + 1], '(') &&
	       t->items.data[close + 1].kind == C_WORD;
}

/* The tokens of the old-style head @h up to the ')' of its parameter list. */
static struct c_head c_old_head(const struct c_tokens *t, struct c_head h)
{
	uint32_t i = h.from;

	while (i < h.to && !c_token_is(&t->items.data[i], '('))
		i++;
	return (struct c_head){ h.from, c_close(t, i, h.to) + 1 };
}

struct c_finder {
	const struct c_tokens *t;
	struct c_functions *out;
	struct c_braces braces;
	uint32_t head;  /* index of the first token after the previous ';' or '}' at depth 0 */
	bool is_old;    /* the current head is that of an old-style (K&R) definition */
	bool is_inside; /* the current token is in the body of the last function in out->items */
	int base;       /* brace depth outside of functions: 0, or 1 inside extern "C" { */
};

static void c_open_brace(struct c_finder *s, uint32_t i)
{
	const struct c_tokens *t = s->t;
	struct c_head h = { s->head, i };
	struct c_function f;

	if (i - h.from > C_HEAD_TOKENS)
		h.from = i - C_HEAD_TOKENS;
	while (h.from < i && t->items.data[h.from].kind == C_DIRECTIVE)
		h.from++;
	if (h.from + 2 == i && t->items.data[h.from].keyword == C_EXTERN &&
	    t->items.data[h.from + 1].kind == C_STRING) {
		s->base = s->braces.depth + 1;
		s->head = i + 1;
		return;
	}
	if (s->is_old) {
		struct c_head old = c_old_head(t, h);

		if (c_take_head(t, old, &f)) {
			f.body = i;
			*VEC_PUSH(&s->out->items) = f;
			s->is_inside = true;
		}
		return;
	}
	if (c_take_head(t, h, &f)) {
		*VEC_PUSH(&s->out->items) = f;
		s->is_inside = true;
	}
}

static void c_end_function(struct c_finder *s, uint32_t i)
{
	struct c_function *f = &s->out->items.data[s->out->items.len - 1];

	f->end = i;
	f->last_line = s->t->items.data[i].line;
	s->is_inside = false;
}

static void c_close_brace(struct c_finder *s, uint32_t i)
{
	if (s->braces.depth > 0)
		s->braces.depth--;
	if (s->braces.depth < s->base)
		s->base = s->braces.depth;
	if (s->braces.depth > s->base)
		return;
	if (s->is_inside)
		c_end_function(s, i);
	s->head = i + 1;
	s->is_old = false;
}

/*
 * Correct the brace depth in a body whose braces are unbalanced because of macros or #if arms. If
 * the '{' of the body is in the first column, the body must end at the next '}' in the first
 * column. @i: a '}' in the body.
 */
static void c_even_out(struct c_finder *s, uint32_t i)
{
	const struct c_function *f = &s->out->items.data[s->out->items.len - 1];

	if (c_is_margin(s->t, i)) {
		s->braces.depth = s->base + 1;
		return;
	}
	if (s->braces.depth == s->base + 1 && c_is_margin(s->t, f->body) &&
	    s->t->items.data[i].line != s->t->items.data[f->body].line && i + 1 < s->t->items.len &&
	    !c_is_margin(s->t, i + 1))
		s->braces.depth++;
}

void c_functions_init(struct c_functions *f, const struct c_tokens *t)
{
	struct c_finder s = { .t = t, .out = f };
	uint32_t n = (uint32_t)t->items.len;

	*f = (struct c_functions){ 0 };
	for (uint32_t i = 0; i < n; i++) {
		const struct c_token *k = &t->items.data[i];

		if (k->kind == C_DIRECTIVE) {
			c_braces_directive(&s.braces, t, i);
			if (s.head == i)
				s.head = i + 1;
			continue;
		}
		if (k->kind != C_OPERATOR || k->len != 1)
			continue;
		if (k->first == '{') {
			/*
			 * in a body, a '{' never starts another function, even if the computed
			 * depth is that outside of functions: an #if arm may have closed more
			 * braces than it opened
			 */
			if (s.braces.depth == s.base && !s.is_inside)
				c_open_brace(&s, i);
			s.braces.depth++;
		} else if (k->first == '}') {
			if (s.is_inside)
				c_even_out(&s, i);
			c_close_brace(&s, i);
		} else if (k->first == ';' && s.braces.depth == s.base && !s.is_inside) {
			if (s.is_old || c_is_old_style(t, s.head, i)) {
				s.is_old = true;
			} else {
				s.head = i + 1;
			}
		}
	}
	if (s.is_inside) {
		c_end_function(&s, n - 1);
		f->items.data[f->items.len - 1].is_unclosed = true;
	}
}

void c_functions_fini(struct c_functions *f)
{
	VEC_FREE(&f->items);
}
