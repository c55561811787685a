/* SPDX-License-Identifier: MIT */
#include "formats/threads/stack_dialect.h"

#include "base/str.h"

#define STACK_LINE_BYTES 4096u /* only the first 4096 bytes of a line are matched */
#define STACK_LITERAL    48u
/*
 * limit of the time to match one rule with one line: the text fields of the rule may scan this
 * number of characters in total
 */
#define STACK_STEPS 32768u

struct stack_try {
	struct stack_match *match;
	unsigned int left; /* characters that may still be scanned; starts at STACK_STEPS */
};

static int stack_field(char c)
{
	static const char letters[] = "famslnitcgGkKoNMue";
	const char *at = strchr(letters, c == 'F' || c == 'L' ? 'f' : c);

	return at && c ? (int)(at - letters) : -1;
}

static void stack_keep(struct stack_try *t, char c, struct str value)
{
	int field = stack_field(c);

	if (field >= 0)
		t->match->fields[field] = value;
}

static bool stack_pattern(struct stack_try *t, const char *p, struct str s);

/* Length of the number, decimal or hexadecimal, at the start of @s; 0: no number. */
static size_t stack_number(struct str s, bool is_hex)
{
	size_t n = 0;

	if (is_hex && str_starts(s, STR("0x")))
		n = 2;
	while (n < s.len && (is_hex ? char_hex(s.p[n]) >= 0 : char_is_digit(s.p[n])))
		n++;
	return is_hex && n == 2 && s.p[1] == 'x' ? 0 : n;
}

/*
 * @s is the text after a '('. Return the length of the arguments, including the ')' that ends them;
 * the whole length if the ')' is missing.
 */
static size_t stack_args_end(struct str s)
{
	unsigned int depth = 1;
	bool is_quoted = false;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.p[i];

		if (c == '\\' && is_quoted)
			i++;
		else if (c == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && c == '(')
			depth++;
		else if (!is_quoted && c == ')' && --depth == 0)
			return i + 1;
	}
	return s.len;
}

/* Whether the word "operator" directly precedes @s[@i]. */
static bool stack_is_operator(struct str s, size_t i)
{
	static const char word[] = "operator";

	return i >= sizeof(word) - 1 &&
	       memcmp(s.p + i - (sizeof(word) - 1), word, sizeof(word) - 1) == 0;
}

/*
 * Returns the change of the bracket depth by the character @s[@i]: +1, -1, or 0. Ignored are the
 * '<' of "operator<", the '>' of "->", and the second character of "<<" and ">>".
 */
static int stack_bracket(struct str s, size_t i)
{
	switch (s.p[i]) {
	case '(':
		return 1;
	case ')':
		return -1;
	case '<':
		return stack_is_operator(s, i) || (i && s.p[i - 1] == '<') ? 0 : 1;
	case '>':
		return stack_is_operator(s, i) || (i && (s.p[i - 1] == '-' || s.p[i - 1] == '>'))
			       ? 0
			       : -1;
	default:
		return 0;
	}
}

static bool stack_may_end(const char *p, struct str s, size_t at)
{
	if (*p == '\0')
		return at == s.len;
	if (*p == '%' || *p == '~' || at == s.len)
		return true;
	return *p == ' ' ? char_is_blank(s.p[at]) : s.p[at] == *p;
}

/*
 * Whether @name looks like a function's name: it contains one of "_.:`!(", unlike a word of prose.
 * The only function of Go without a package is panic().
 */
static bool stack_is_name(struct str name)
{
	if (str_eq(name, STR("panic")))
		return true;
	for (size_t i = 0; i < name.len; i++) {
		if (strchr("_.:`!(", name.p[i]))
			return i + 1 < name.len;
	}
	return false;
}

/*
 * Return the first offset in @s, from @at on, at which a text field may end. @p: the part of the
 * pattern after the field. If @p starts with a literal character, the field ends before that
 * character. If @p is empty, the field ends at the end of @s.
 */
static size_t stack_next_end(const char *p, struct str s, size_t at)
{
	if (*p == '%' || *p == '~' || *p == ' ')
		return at;
	return *p == '\0' ? s.len : at + str_find_char(str_skip(s, at), *p);
}

/*
 * Match the text field %@c at the start of @s. The field is the shortest text after which the rest
 * of @s matches @p, the rest of the pattern.
 */
static bool stack_text(struct stack_try *t, char c, const char *p, struct str s)
{
	bool is_any = c != 'f' && c != 'F' && c != 'i';
	int depth = 0;

	for (size_t end = 0; end <= s.len; end++) {
		size_t next = is_any ? stack_next_end(p, s, end) : end;

		if (t->left <= next - end) {
			t->left = 0;
			return false;
		}
		t->left -= (unsigned int)(next - end) + 1;
		end = next;
		if ((end || c == '*') && depth <= 0 && stack_may_end(p, s, end) &&
		    (c != 'F' || stack_is_name(str_sub(s, 0, end))) &&
		    stack_pattern(t, p, str_skip(s, end))) {
			stack_keep(t, c, str_trim(str_sub(s, 0, end)));
			return true;
		}
		if ((c == 'f' || c == 'F') && end < s.len)
			depth += stack_bracket(s, end);
		if ((c == 'i' || (c == 'F' && depth <= 0)) && end < s.len &&
		    char_is_blank(s.p[end]))
			return false;
		if (c == 'i' && end < s.len && s.p[end] == ':')
			return false; /* an id has no ':', so the id in "kworker/0:1:12" is 12 */
	}
	return false;
}

/*
 * Match the field %L at the start of @s: the longest text after which the rest of @s matches @p.
 * Function names may contain blanks, "void f<int>(int) const", and the source line follows.
 */
static bool stack_longest(struct stack_try *t, const char *p, struct str s)
{
	for (size_t end = s.len; end > 0; end--) {
		if (t->left == 0)
			return false;
		t->left--;
		if (!stack_may_end(p, s, end) || !stack_pattern(t, p, str_skip(s, end)))
			continue;
		stack_keep(t, 'L', str_trim(str_sub(s, 0, end)));
		return true;
	}
	return false;
}

/* Whether %@c is a text field. The other fields are numbers, and %a (arguments). */
static bool stack_is_text(char c)
{
	switch (c) {
	case 'f':
	case 'F':
	case 'm':
	case 's':
	case 'n':
	case 'i':
	case 't':
	case 'K':
	case 'o':
	case 'u':
	case 'e':
	case '*':
		return true;
	default:
		return false;
	}
}

static bool stack_take(struct stack_try *t, char c, const char *p, struct str s)
{
	bool is_hex = c == 'x' || c == 'k';
	size_t n;

	if (c == 'L')
		return stack_longest(t, p, s);
	if (stack_is_text(c))
		return stack_text(t, c, p, s);
	n = c == 'a' ? stack_args_end(s) : stack_number(s, is_hex);
	if ((n == 0 && c != 'a') || !stack_pattern(t, p, str_skip(s, n)))
		return false;
	stack_keep(t, c, str_sub(s, 0, n));
	return true;
}

static bool stack_pattern(struct stack_try *t, const char *p, struct str s)
{
	for (; *p; p++) {
		if (*p == '%')
			return stack_take(t, p[1], p + 2, s);
		if (*p == ' ' || *p == '~') {
			size_t n = 0;

			while (n < s.len && char_is_blank(s.p[n]))
				n++;
			if (n == 0 && *p == ' ')
				return false;
			s = str_skip(s, n);
			continue;
		}
		if (s.len == 0 || s.p[0] != *p)
			return false;
		s = str_skip(s, 1);
	}
	if (s.len)
		return false;
	/*
	 * the whole line matches: clear all fields. The callers, which matched one field each, now
	 * store their values
	 */
	memset(t->match, 0, sizeof(*t->match));
	return true;
}

/* The longest literal text in @pattern; a matching line must contain it. */
static struct str stack_literal(const char *pattern)
{
	struct str best = STR_NONE;
	struct str here = { pattern, 0 };

	for (const char *p = pattern;; p++) {
		if (*p && *p != '%' && *p != '~' && *p != ' ') {
			here.len++;
			continue;
		}
		if (here.len > best.len && here.len < STACK_LITERAL)
			best = here;
		if (!*p)
			return best;
		p += *p == '%' && p[1];
		here = (struct str){ p + 1, 0 };
	}
}

/* The character that ends each line that matches @pattern; 0: any character. */
static char stack_last(const char *pattern)
{
	size_t n = strlen(pattern);

	return n < 2 || pattern[n - 2] == '%' || pattern[n - 1] == '~' ? '\0' : pattern[n - 1];
}

struct stack_hint stack_hint_of(const struct stack_rule *rule)
{
	return (struct stack_hint){ stack_literal(rule->pattern), stack_last(rule->pattern) };
}

/* Whether a line that starts like @trimmed can match the start of @pattern. */
static bool stack_may_begin(const char *pattern, struct str trimmed)
{
	if (trimmed.len == 0)
		return false;
	if (pattern[0] != '%')
		return pattern[0] == trimmed.p[0];
	return (pattern[1] != 'd' && pattern[1] != 'c' && pattern[1] != 'N' && pattern[1] != 'n') ||
	       char_is_digit(trimmed.p[0]);
}

bool stack_hint_may_match(const struct stack_rule *rule, const struct stack_hint *hint,
			  struct str trimmed)
{
	if (!stack_may_begin(rule->pattern, trimmed))
		return false;
	if (rule->pattern[0] != '%')
		return true;
	return (hint->last == '\0' || hint->last == trimmed.p[trimmed.len - 1]) &&
	       str_contains(trimmed, hint->literal);
}

bool stack_dialect_may_match(const struct stack_rule *rule, struct str line)
{
	struct str trimmed = str_trim(line);
	struct stack_hint hint;

	if (!stack_may_begin(rule->pattern, trimmed))
		return false;
	hint = stack_hint_of(rule);
	return stack_hint_may_match(rule, &hint, trimmed);
}

bool stack_match_rule(const struct stack_rule *rule, struct str line, struct stack_match *ret)
{
	struct str s = str_trim(str_sub(line, 0, STACK_LINE_BYTES));
	struct stack_try t = { ret, STACK_STEPS };

	if (s.len == 0 || (size_t)(s.p - line.p) < rule->indent)
		return false;
	/*
	 * most patterns start with a literal character: if the line starts with another one, reject
	 * it without matching
	 */
	if (rule->pattern[0] != '%' && rule->pattern[0] != s.p[0])
		return false;
	if (!stack_pattern(&t, rule->pattern, s))
		return false;
	ret->rule = rule;
	return true;
}

/*
 * Whether the match is a row of ps and not prose: it has a numeric id and a Linux task state, "812
 * D+".
 */
static bool stack_is_row(const struct stack_match *m)
{
	struct str id = m->fields[STACK_ID];
	struct str state = m->fields[STACK_STATE_TEXT];

	return id.len && char_is_digit(id.p[0]) && state.len && state.len < 6 &&
	       memchr("RSDTtZXIW", state.p[0], 9);
}

enum stack_line stack_match_line(const struct stack_dialect *d, struct str line,
				 struct stack_match *ret)
{
	for (size_t i = 0; i < STACK_RULES_MAX && d->rules[i].pattern; i++) {
		if (stack_match_rule(&d->rules[i], line, ret) &&
		    (d->rules[i].line != STACK_ROW || stack_is_row(ret)))
			return d->rules[i].line & (STACK_WEAK - 1);
	}
	return STACK_OTHER;
}
