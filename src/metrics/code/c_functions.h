/* SPDX-License-Identifier: MIT */
/*
 * c_functions.h - the function definitions of a C file
 *
 * Definitions are searched at brace depth 0, without parsing bodies. So a macro that unbalances the
 * braces of a body, or that cannot be parsed, affects only its own function. An annotation macro
 * near the name (`__init`, `OVS_REQUIRES(mutex)`, `__acquires(lock)`) is never taken for the name.
 * In a definition by a macro, `SYSCALL_DEFINE3(sendto, ...) { }`, the first argument is the name;
 * the name of the macro is stored as well. If the arms of an `#if` have different numbers of
 * braces, each arm starts with the depth before the `#if`.
 */
#ifndef METRICS_C_FUNCTIONS_H
#define METRICS_C_FUNCTIONS_H

#include "base/str.h"
#include "base/vec.h"

struct c_tokens;

struct c_function {
	struct str name; /* borrowed from the source text */
	/* macro that defines the function, such as SYSCALL_DEFINE3; empty: none */
	struct str macro;
	/* index of the first token of the definition; all members up to `end` are token indices */
	uint32_t head;
	uint32_t name_token;
	uint32_t params;     /* '(' of the parameter list */
	uint32_t params_end; /* the matching token ')' */
	uint32_t body;       /* token '{' of the body */
	uint32_t end;        /* '}' of the body; if it is missing: the last token of the file */
	uint32_t line;       /* line of the name */
	uint32_t head_line;
	uint32_t last_line;
	uint16_t n_params; /* number of parameters, not counting "..."; 0 for (void) and () */
	bool is_variadic;
	bool is_static;
	bool returns_pointer; /* a '*' precedes the name */
	/* annotations or other tokens are between the parameter list and the '{' */
	bool is_annotated;
	bool is_unclosed; /* the file ends inside the body */
	bool is_never;    /* the definition is under `#if 0`, so it is never compiled */
	/* the definition is in a second or later arm of an #if (after #else or #elif) */
	bool is_other_arm;
};

struct c_functions {
	VEC(struct c_function) items; /* in the order of the text */
};

/* Find the definitions in @t. Owner: caller, c_functions_fini(). Cost: one pass over the tokens. */
void c_functions_init(struct c_functions *f, const struct c_tokens *t);
void c_functions_fini(struct c_functions *f);

/*
 * Index of the token that closes the bracket at @open ('(', '[' or '{'). Returns @end if no token
 * before index @end closes the bracket.
 */
uint32_t c_close(const struct c_tokens *t, uint32_t open, uint32_t end);

#endif
