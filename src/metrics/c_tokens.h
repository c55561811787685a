/* SPDX-License-Identifier: MIT */
/*
 * c_tokens.h - the tokens of a C file, without preprocessing
 *
 * Words, numbers, strings and operators with their place; comments and
 * preprocessor directives are stepped over, and what they do to the text is
 * kept: which lines hold code, which hold comments, and which tokens stand
 * between `#if` arms. Any bytes are accepted: what is no C gives tokens all the
 * same, an unclosed string ends with its line, an unclosed comment with the text.
 */
#ifndef METRICS_C_TOKENS_H
#define METRICS_C_TOKENS_H

#include "base/str.h"
#include "base/vec.h"

enum c_token_kind {
	C_WORD,
	C_NUMBER,
	C_STRING, /* with its prefix: L"..." */
	C_CHAR,
	C_OPERATOR,  /* one to three characters; see c_token_is() */
	C_DIRECTIVE, /* a whole preprocessor line with its continuations */
};

/* Words that the language reserves and that analyses ask for. */
enum c_keyword {
	C_NO_KEYWORD,
	C_IF,
	C_ELSE,
	C_FOR,
	C_WHILE,
	C_DO,
	C_SWITCH,
	C_CASE,
	C_DEFAULT,
	C_GOTO,
	C_RETURN,
	C_BREAK,
	C_CONTINUE,
	C_SIZEOF,
	C_STRUCT,
	C_UNION,
	C_ENUM,
	C_TYPEDEF,
	C_EXTERN,
	C_STORAGE,   /* static inline register auto, and their __ forms */
	C_QUALIFIER, /* const volatile restrict, and their __ forms */
	C_TYPE,      /* int char void unsigned ... */
	C_ATTRIBUTE, /* __attribute__ __declspec _Alignas _Noreturn ... */
	C_ASM,
	C_TYPEOF,
};

struct c_token {
	uint32_t at; /* byte in the text */
	uint32_t len;
	uint32_t line; /* counted from 1 */
	uint8_t kind;
	uint8_t keyword; /* of a C_WORD */
	uint8_t arm;     /* enum c_arm of the token */
	char first;      /* its first byte: "{" is `first == '{' && len == 1` */
};

/* Which of several alternative texts a token stands in. */
enum c_arm {
	C_ARM_ONLY,  /* outside of #if, or in its first arm */
	C_ARM_OTHER, /* behind #else or #elif */
	C_ARM_NEVER, /* under `#if 0` */
};

enum c_line_flags {
	C_LINE_CODE = 1,
	C_LINE_COMMENT = 2,
	C_LINE_DIRECTIVE = 4,
};

struct c_tokens {
	struct str text; /* borrowed */
	VEC(struct c_token) items;
	VEC(uint8_t) lines; /* enum c_line_flags by line - 1 */
	uint32_t broken;    /* strings and comments without an end */
};

/*
 * Owner: caller, c_tokens_fini(). @text must live as long and be at most
 * LIMIT_SOURCE_BYTES long (longer: only the start is taken). Cost: one pass.
 */
void c_tokens_init(struct c_tokens *t, struct str text);
void c_tokens_fini(struct c_tokens *t);

static inline struct str c_token_text(const struct c_tokens *t, size_t i)
{
	return (struct str){ t->text.p + t->items.data[i].at, t->items.data[i].len };
}

/* Is it the operator of one character @c? */
static inline bool c_token_is(const struct c_token *t, char c)
{
	return t->kind == C_OPERATOR && t->len == 1 && t->first == c;
}

#endif
