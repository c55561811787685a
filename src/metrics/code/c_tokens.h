/* SPDX-License-Identifier: MIT */
/*
 * c_tokens.h - the tokens of a C file, without preprocessing
 *
 * Words, numbers, strings and operators with their position. Comments are skipped, but
 * recorded: which lines hold code or comments, and which tokens are between `#if` arms. All
 * bytes are accepted: text that is not C gives tokens too, an unclosed string ends with its
 * line, an unclosed comment with the text.
 */
#ifndef METRICS_C_TOKENS_H
#define METRICS_C_TOKENS_H

#include "base/str.h"
#include "base/vec.h"

enum c_token_kind {
	C_WORD,
	C_NUMBER,
	C_STRING, /* including its prefix: L"..." */
	C_CHAR,
	C_OPERATOR,  /* one to three characters; see c_token_is() */
	C_DIRECTIVE, /* a whole preprocessor line with continuations */
};

/* Keywords that analyses use. */
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
	C_STORAGE,   /* static inline register auto, and their __ spellings */
	C_QUALIFIER, /* const volatile restrict, and their __ spellings */
	C_TYPE,      /* int char void unsigned ... */
	C_ATTRIBUTE, /* __attribute__ __declspec _Alignas _Noreturn ... */
	C_ASM,
	C_TYPEOF,
};

struct c_token {
	uint32_t at; /* offset in the text */
	uint32_t len;
	uint32_t line; /* from 1 */
	uint8_t kind;
	uint8_t keyword; /* of a C_WORD */
	uint8_t arm;     /* enum c_arm of the token */
	char first;      /* its first byte: "{" is `first == '{' && len == 1` */
};

/* Which of several conditional texts contains a token. */
enum c_arm {
	C_ARM_ONLY,  /* outside #if, or in its first arm */
	C_ARM_OTHER, /* after #else or #elif */
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
	uint32_t broken;    /* unclosed strings and comments */
};

/*
 * Tokenize @text, which must outlive @t. Text beyond LIMIT_SOURCE_BYTES is ignored. Owner:
 * caller, c_tokens_fini(). Cost: one pass.
 */
void c_tokens_init(struct c_tokens *t, struct str text);
void c_tokens_fini(struct c_tokens *t);

static inline struct str c_token_text(const struct c_tokens *t, size_t i)
{
	return (struct str){ t->text.p + t->items.data[i].at, t->items.data[i].len };
}

/* Whether the token is the one-character operator @c. */
static inline bool c_token_is(const struct c_token *t, char c)
{
	return t->kind == C_OPERATOR && t->len == 1 && t->first == c;
}

#endif
