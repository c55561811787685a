/* SPDX-License-Identifier: MIT */
/*
 * c_functions.h - the function definitions of a C file
 *
 * Definitions are found in tokens at brace depth 0. A macro that unbalances a body or does not
 * parse therefore affects only its own function. Annotation macros near the name (`__init`,
 * `OVS_REQUIRES(mutex)`, `__acquires(lock)`) are never taken for the name. A definition made by
 * a macro, `SYSCALL_DEFINE3(sendto, ...) { }`, is named by its first argument and records the
 * macro. `#if` arms with unequal braces are each read from the depth at their `#if`.
 */
#ifndef METRICS_C_FUNCTIONS_H
#define METRICS_C_FUNCTIONS_H

#include "base/str.h"
#include "base/vec.h"

struct c_tokens;

struct c_function {
	struct str name;  /* borrowed from the text */
	struct str macro; /* macro that makes the definition, or empty */
	uint32_t head;    /* first token of the definition */
	uint32_t name_token;
	uint32_t params;     /* token '(' */
	uint32_t params_end; /* its ')' */
	uint32_t body;       /* token '{' */
	uint32_t end;        /* closing token '}', or the last token of the file */
	uint32_t line;       /* of the name */
	uint32_t head_line;
	uint32_t last_line;
	uint16_t n_params; /* (void) and () are 0; "..." is not counted */
	bool is_variadic;
	bool is_static;
	bool returns_pointer; /* a '*' precedes the name */
	bool is_annotated;    /* tokens stand between ')' and '{' */
	bool is_unclosed;     /* the file ends inside the body */
	bool is_never;        /* under `#if 0` */
	bool is_other_arm;    /* after #else or #elif */
};

struct c_functions {
	VEC(struct c_function) items; /* in text order */
};

/* Owner: caller, c_functions_fini(). Cost: one pass over the tokens. */
void c_functions_init(struct c_functions *f, const struct c_tokens *t);
void c_functions_fini(struct c_functions *f);

/* The token that closes the bracket at @open ('(', '[' or '{'), at most @end; @end if unclosed. */
uint32_t c_close(const struct c_tokens *t, uint32_t open, uint32_t end);

#endif
