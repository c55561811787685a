/* SPDX-License-Identifier: MIT */
/* c_tokens.c - a lexer for C without preprocessing */
#include "metrics/code/c_tokens.h"

#include "base/limits.h"

/* maximum nesting of #if; an #if that is nested deeper is ignored */
#define C_IF_DEPTH 64u

struct c_word {
	const char *text;
	uint8_t len;
	uint8_t keyword;
};

/*
 * Keywords, sorted by length and then by text. c_keyword_of() searches only the words of one
 * length.
 */
static const struct c_word c_words[] = {
	{ "do", 2, C_DO },
	{ "if", 2, C_IF },
	{ "asm", 3, C_ASM },
	{ "for", 3, C_FOR },
	{ "int", 3, C_TYPE },
	{ "auto", 4, C_STORAGE },
	{ "bool", 4, C_TYPE },
	{ "case", 4, C_CASE },
	{ "char", 4, C_TYPE },
	{ "else", 4, C_ELSE },
	{ "enum", 4, C_ENUM },
	{ "goto", 4, C_GOTO },
	{ "long", 4, C_TYPE },
	{ "void", 4, C_TYPE },
	{ "_Bool", 5, C_TYPE },
	{ "__asm", 5, C_ASM },
	{ "break", 5, C_BREAK },
	{ "const", 5, C_QUALIFIER },
	{ "float", 5, C_TYPE },
	{ "short", 5, C_TYPE },
	{ "union", 5, C_UNION },
	{ "while", 5, C_WHILE },
	{ "double", 6, C_TYPE },
	{ "extern", 6, C_EXTERN },
	{ "inline", 6, C_STORAGE },
	{ "return", 6, C_RETURN },
	{ "signed", 6, C_TYPE },
	{ "sizeof", 6, C_SIZEOF },
	{ "static", 6, C_STORAGE },
	{ "struct", 6, C_STRUCT },
	{ "switch", 6, C_SWITCH },
	{ "typeof", 6, C_TYPEOF },
	{ "__asm__", 7, C_ASM },
	{ "__const", 7, C_QUALIFIER },
	{ "alignas", 7, C_ATTRIBUTE },
	{ "default", 7, C_DEFAULT },
	{ "typedef", 7, C_TYPEDEF },
	{ "_Alignas", 8, C_ATTRIBUTE },
	{ "__inline", 8, C_STORAGE },
	{ "__signed", 8, C_TYPE },
	{ "__typeof", 8, C_TYPEOF },
	{ "continue", 8, C_CONTINUE },
	{ "register", 8, C_STORAGE },
	{ "restrict", 8, C_QUALIFIER },
	{ "unsigned", 8, C_TYPE },
	{ "volatile", 8, C_QUALIFIER },
	{ "_Noreturn", 9, C_ATTRIBUTE },
	{ "__alignof", 9, C_SIZEOF },
	{ "__const__", 9, C_QUALIFIER },
	{ "__declspec", 10, C_ATTRIBUTE },
	{ "__inline__", 10, C_STORAGE },
	{ "__restrict", 10, C_QUALIFIER },
	{ "__signed__", 10, C_TYPE },
	{ "__typeof__", 10, C_TYPEOF },
	{ "__volatile", 10, C_QUALIFIER },
	{ "__alignof__", 11, C_SIZEOF },
	{ "__attribute", 11, C_ATTRIBUTE },
	{ "__restrict__", 12, C_QUALIFIER },
	{ "__volatile__", 12, C_QUALIFIER },
	{ "__attribute__", 13, C_ATTRIBUTE },
	{ "__extension__", 13, C_QUALIFIER },
	{ "_Static_assert", 14, C_ATTRIBUTE },
};

/* c_words_from[length]: index in c_words of the first word of this length. */
static const uint8_t c_words_from[] = { 0, 0, 0, 2, 5, 14, 22, 32, 37, 46, 49, 55, 57, 59, 61, 62 };

static uint8_t c_keyword_of(const char *p, size_t len)
{
	if (len < 2 || len > 14)
		return C_NO_KEYWORD;
	for (size_t i = c_words_from[len]; i < c_words_from[len + 1]; i++) {
		if (c_words[i].text[0] == p[0] && memcmp(c_words[i].text, p, len) == 0)
			return c_words[i].keyword;
	}
	return C_NO_KEYWORD;
}

struct c_lexer {
	struct c_tokens *out;
	const char *p;
	size_t len;
	size_t at;
	uint32_t line;
	unsigned int if_depth;
	uint8_t arms[C_IF_DEPTH]; /* arms[i]: enum c_arm of the current arm of open #if number i */
	bool is_zero[C_IF_DEPTH]; /* is_zero[i]: the open #if number i is an `#if 0` */
};

static bool c_is_word_start(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
	       c >= 0x80;
}

static bool c_is_word(unsigned char c)
{
	return c_is_word_start(c) || (c >= '0' && c <= '9');
}

static uint8_t c_arm(const struct c_lexer *l)
{
	uint8_t arm = C_ARM_ONLY;

	for (unsigned int i = 0; i < l->if_depth && i < C_IF_DEPTH; i++) {
		if (l->arms[i] > arm)
			arm = l->arms[i];
	}
	return arm;
}

static void c_mark_line(struct c_lexer *l, uint32_t line, unsigned int flags)
{
	while (l->out->lines.len < line)
		*VEC_PUSH(&l->out->lines) = 0;
	l->out->lines.data[line - 1] |= (uint8_t)flags;
}

static char c_at(const struct c_lexer *l, size_t ahead)
{
	return ahead < l->len - l->at ? l->p[l->at + ahead] : '\0';
}

static void c_block_comment(struct c_lexer *l)
{
	c_mark_line(l, l->line, C_LINE_COMMENT);
	l->at += 2;
	for (; l->at < l->len; l->at++) {
		if (l->p[l->at] == '\n')
			c_mark_line(l, ++l->line, C_LINE_COMMENT);
		else if (l->p[l->at] == '*' && c_at(l, 1) == '/') {
			l->at += 2;
			return;
		}
	}
	l->out->broken++;
}

static void c_line_comment(struct c_lexer *l)
{
	c_mark_line(l, l->line, C_LINE_COMMENT);
	for (; l->at < l->len && l->p[l->at] != '\n'; l->at++) {
		if (l->p[l->at] == '\\' && c_at(l, 1) == '\n') {
			c_mark_line(l, ++l->line, C_LINE_COMMENT);
			l->at++;
		}
	}
}

/* Skip the string or character constant that starts at l->at. */
static void c_quoted(struct c_lexer *l)
{
	char quote = l->p[l->at++];

	for (; l->at < l->len; l->at++) {
		char c = l->p[l->at];

		if (c == quote) {
			l->at++;
			return;
		}
		if (c == '\n')
			break;
		if (c == '\\' && l->at + 1 < l->len) {
			l->at++;
			if (l->p[l->at] == '\n')
				c_mark_line(l, ++l->line, C_LINE_CODE);
		}
	}
	l->out->broken++;
}

static void c_push(struct c_lexer *l, size_t from, uint32_t line, uint8_t kind, uint8_t keyword)
{
	*VEC_PUSH(&l->out->items) = (struct c_token){
		.at = (uint32_t)from,
		.len = (uint32_t)(l->at - from),
		.line = line,
		.kind = kind,
		.keyword = keyword,
		.arm = c_arm(l),
		.first = l->p[from],
	};
}

/* The first word after the '#' of a directive: "ifdef". @ret_rest: the text after this word. */
static struct str c_directive_word(struct str directive, struct str *ret_rest)
{
	struct str s = str_ltrim(str_skip(directive, 1));
	size_t n = 0;

	while (n < s.len && c_is_word((unsigned char)s.p[n]))
		n++;
	*ret_rest = str_ltrim(str_skip(s, n));
	return str_sub(s, 0, n);
}

static void c_conditional(struct c_lexer *l, struct str directive)
{
	struct str rest;
	struct str word = c_directive_word(directive, &rest);
	unsigned int top = l->if_depth - 1;

	if (str_eq(word, STR("if")) || str_eq(word, STR("ifdef")) || str_eq(word, STR("ifndef"))) {
		if (l->if_depth < C_IF_DEPTH) {
			bool is_zero = word.len == 2 && rest.len && rest.p[0] == '0' &&
				       (rest.len == 1 || !c_is_word((unsigned char)rest.p[1]));

			l->is_zero[l->if_depth] = is_zero;
			l->arms[l->if_depth] = is_zero ? C_ARM_NEVER : C_ARM_ONLY;
		}
		l->if_depth++;
	} else if (l->if_depth && (str_eq(word, STR("else")) || str_eq(word, STR("elif")))) {
		if (top < C_IF_DEPTH) {
			l->arms[top] = l->is_zero[top] ? C_ARM_ONLY : C_ARM_OTHER;
			l->is_zero[top] = false;
		}
	} else if (l->if_depth && str_eq(word, STR("endif"))) {
		l->if_depth--;
	}
}

static void c_directive(struct c_lexer *l)
{
	size_t from = l->at;
	uint32_t line = l->line;
	uint8_t arm;

	c_mark_line(l, l->line, C_LINE_DIRECTIVE);
	for (; l->at < l->len && l->p[l->at] != '\n'; l->at++) {
		if (l->p[l->at] == '\\' && c_at(l, 1) == '\n') {
			c_mark_line(l, ++l->line, C_LINE_DIRECTIVE);
			l->at++;
		} else if (l->p[l->at] == '\\' && c_at(l, 1) == '\r' && c_at(l, 2) == '\n') {
			c_mark_line(l, ++l->line, C_LINE_DIRECTIVE);
			l->at += 2;
		} else if (l->p[l->at] == '/' && c_at(l, 1) == '*') {
			c_block_comment(l);
			l->at--;
		} else if (l->p[l->at] == '/' && c_at(l, 1) == '/') {
			c_line_comment(l);
			break;
		}
	}
	arm = c_arm(l);
	c_conditional(l, (struct str){ l->p + from, l->at - from });
	c_push(l, from, line, C_DIRECTIVE, C_NO_KEYWORD);
	l->out->items.data[l->out->items.len - 1].arm = arm;
}

static void c_number(struct c_lexer *l)
{
	for (; l->at < l->len; l->at++) {
		char c = l->p[l->at];

		if ((c == '+' || c == '-') && strchr("eEpP", l->p[l->at - 1])) {
			char second = l->at >= 2 ? l->p[l->at - 2] : ' ';

			/* 1e+1 is one number; 0xe+1 is the number 0xe and a sum */
			if ((l->p[l->at - 1] | 0x20) == 'e' && (second | 0x20) == 'x')
				break;
			continue;
		}
		if (!c_is_word((unsigned char)c) && c != '.')
			break;
	}
}

/*
 * Length of the operator at l->at: 1 to 3. An unknown character counts as an operator of length 1.
 */
static size_t c_operator(const struct c_lexer *l)
{
	char a = c_at(l, 0);
	char b = c_at(l, 1);
	char c = c_at(l, 2);

	if ((a == '<' || a == '>') && b == a)
		return c == '=' ? 3 : 2;
	if (a == '.' && b == '.' && c == '.')
		return 3;
	if (b == '=' && a && strchr("=!<>+-*/%&|^", a))
		return 2;
	if (a == b && a && strchr("+-&|#", a))
		return 2;
	if (a == '-' && b == '>')
		return 2;
	return 1;
}

static void c_token(struct c_lexer *l)
{
	size_t from = l->at;
	uint32_t line = l->line;
	unsigned char c = (unsigned char)l->p[from];

	c_mark_line(l, line, C_LINE_CODE);
	if (c_is_word_start(c)) {
		while (l->at < l->len && c_is_word((unsigned char)l->p[l->at]))
			l->at++;
		/*
		 * this word is the prefix of a string or a character constant, such as L"" or u8""
		 */
		if (l->at - from <= 2 && strchr("LuU", c) && l->at < l->len &&
		    (l->p[l->at] == '"' || l->p[l->at] == '\'')) {
			uint8_t kind = l->p[l->at] == '"' ? C_STRING : C_CHAR;

			c_quoted(l);
			c_push(l, from, line, kind, C_NO_KEYWORD);
			return;
		}
		c_push(l, from, line, C_WORD, c_keyword_of(l->p + from, l->at - from));
	} else if (char_is_digit((char)c) || (c == '.' && char_is_digit(c_at(l, 1)))) {
		l->at++;
		c_number(l);
		c_push(l, from, line, C_NUMBER, C_NO_KEYWORD);
	} else if (c == '"' || c == '\'') {
		c_quoted(l);
		c_push(l, from, line, c == '"' ? C_STRING : C_CHAR, C_NO_KEYWORD);
	} else {
		l->at += c_operator(l);
		c_push(l, from, line, C_OPERATOR, C_NO_KEYWORD);
	}
}

void c_tokens_init(struct c_tokens *t, struct str text)
{
	struct c_lexer l;
	bool is_line_start = true;

	*t = (struct c_tokens){ .text = str_sub(text, 0, LIMIT_SOURCE_BYTES) };
	memset(&l, 0, sizeof(l));
	l.out = t;
	l.p = t->text.p;
	l.len = t->text.len;
	l.line = 1;
	VEC_RESERVE(&t->items, l.len / 6 + 16);
	VEC_RESERVE(&t->lines, l.len / 32 + 16);
	while (l.at < l.len) {
		char c = l.p[l.at];

		if (c == '\n') {
			l.line++;
			l.at++;
			is_line_start = true;
		} else if (char_is_space(c) || c == '\0' || (c == '\\' && c_at(&l, 1) == '\n')) {
			l.at++;
		} else if (c == '/' && c_at(&l, 1) == '*') {
			c_block_comment(&l);
		} else if (c == '/' && c_at(&l, 1) == '/') {
			c_line_comment(&l);
		} else if (c == '#' && is_line_start) {
			c_directive(&l);
		} else {
			c_token(&l);
			is_line_start = false;
		}
	}
	c_mark_line(&l, l.line, 0);
}

void c_tokens_fini(struct c_tokens *t)
{
	VEC_FREE(&t->items);
	VEC_FREE(&t->lines);
}
