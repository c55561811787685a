/* SPDX-License-Identifier: MIT */
/*
 * c_tokens.h - the tokens of a C file, without preprocessing
 *
 * A token is a word, number, string, operator or preprocessor line (directive), with its position.
 * Comments are no tokens. Flags of each line show whether it has code or comments. Each token has
 * the kind of its `#if` arm. Any bytes are accepted: text that is not C also gives tokens. An
 * unclosed string ends at the end of its line, and an unclosed comment ends at the end of the text.
 */
#ifndef METRICS_C_TOKENS_H
#define METRICS_C_TOKENS_H

#include "base/str.h"
#include "base/vec.h"

enum c_token_kind {
	C_WORD,
	C_NUMBER,
	C_STRING, /* a string with its prefix, such as L"..." */
	C_CHAR,
	C_OPERATOR,  /* one to three characters; see c_token_is() */
	C_DIRECTIVE, /* a preprocessor line with its continuation lines */
};

/* Keywords that the metrics use. Some values stand for a group of similar keywords. */
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
	C_STORAGE,   /* static, inline, register, auto, and their spellings with __ */
	C_QUALIFIER, /* const, volatile, restrict, and their spellings with __ */
	C_TYPE,      /* int char void unsigned ... */
	C_ATTRIBUTE, /* __attribute__ __declspec _Alignas _Noreturn ... */
	C_ASM,
	C_TYPEOF,
};

struct c_token {
	uint32_t at; /* offset of the first byte in the text */
	uint32_t len;
	uint32_t line; /* line number, from 1 */
	uint8_t kind;
	uint8_t keyword; /* enum c_keyword, for a C_WORD */
	uint8_t arm;     /* enum c_arm */
	/* first character of the token, for fast tests: a '{' has first == '{' and len == 1 */
	char first;
};

/* Which arm of an #if a token is in. An arm is the text between #if, #elif, #else and #endif. */
enum c_arm {
	C_ARM_ONLY,  /* outside of any #if, or in the first arm of an #if */
	C_ARM_OTHER, /* in a later arm of an #if, after #else or #elif */
	C_ARM_NEVER, /* in an arm that is never compiled, as after `#if 0` */
};

enum c_line_flags {
	C_LINE_CODE = 1,
	C_LINE_COMMENT = 2,
	C_LINE_DIRECTIVE = 4,
};

struct c_tokens {
	struct str text; /* borrowed */
	VEC(struct c_token) items;
	VEC(uint8_t) lines; /* lines[i]: flags of line number i + 1 (enum c_line_flags) */
	uint32_t broken;    /* number of unclosed strings and comments */
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

/* Is the token the one-character operator @c? */
static inline bool c_token_is(const struct c_token *t, char c)
{
	return t->kind == C_OPERATOR && t->len == 1 && t->first == c;
}

#endif
