/* SPDX-License-Identifier: MIT */
/*
 * c_functions.h - the function definitions of a C file
 *
 * Definitions are found at brace depth 0, without parsing bodies. So a macro that unbalances a
 * body, or cannot be parsed, affects only its own function. An annotation macro near the name
 * (`__init`, `OVS_REQUIRES(mutex)`, `__acquires(lock)`) is never taken for the name. A definition
 * by a macro, `SYSCALL_DEFINE3(sendto, ...) { }`, gets the name of the first argument; the macro is
 * recorded as well. If `#if` arms have unequal braces, each arm is read from the depth at its
 * `#if`.
 */
#ifndef METRICS_C_FUNCTIONS_H
#define METRICS_C_FUNCTIONS_H

#include "base/str.h"
#include "base/vec.h"

struct c_tokens;

struct c_function {
	struct str name;  /* borrowed from the source text */
	struct str macro; /* macro that makes the definition; empty: none */
	/*
	 * index of the first token of the definition; the members up to `end` are also indices of
	 * tokens
	 */
	uint32_t head;
	uint32_t name_token;
	uint32_t params;     /* '(' of the parameter list */
	uint32_t params_end; /* the matching token ')' */
	uint32_t body;       /* token '{' of the body */
	uint32_t end;        /* '}' of the body; the last token of the file if there is none */
	uint32_t line;       /* line of the name */
	uint32_t head_line;
	uint32_t last_line;
	uint16_t n_params; /* number of parameters without "..."; 0 for (void) and () */
	bool is_variadic;
	bool is_static;
	bool returns_pointer; /* a '*' precedes the name */
	bool is_annotated;    /* there are tokens between the ')' of the parameters and the '{' */
	bool is_unclosed;     /* the file ends inside the body */
	bool is_never;        /* the definition is under `#if 0` */
	bool is_other_arm;    /* the definition is in an #if arm after #else or #elif */
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
