/* SPDX-License-Identifier: MIT */
/*
 * c_functions.h - the function definitions of a C file
 *
 * Found on tokens at brace depth 0, so that a macro which unbalances a body or
 * does not parse is a local matter and no function behind it is lost. Annotation
 * macros around the name (`__init`, `OVS_REQUIRES(mutex)`, `__acquires(lock)`)
 * are never taken for the name. A definition made by a macro,
 * `SYSCALL_DEFINE3(sendto, ...) { }`, is named by its first argument and keeps
 * the macro. Of `#if` arms with unequal braces, each is read from the depth at
 * its `#if`.
 */
#ifndef METRICS_C_FUNCTIONS_H
#define METRICS_C_FUNCTIONS_H

#include "metrics/c_tokens.h"

struct c_function {
	struct str name;  /* borrowed from the text */
	struct str macro; /* that makes the definition, or empty */
	uint32_t head;    /* token: first of the definition */
	uint32_t name_token;
	uint32_t params;     /* token '(' */
	uint32_t params_end; /* its ')' */
	uint32_t body;       /* token '{' */
	uint32_t end;        /* token '}' that ends it, or the last of the file */
	uint32_t line;       /* of the name */
	uint32_t head_line;
	uint32_t last_line;
	uint16_t n_params; /* (void) and () are 0; "..." is not counted */
	bool is_variadic;
	bool is_static;
	bool returns_pointer; /* a '*' stands before the name */
	bool is_annotated;    /* something stands between ')' and '{' */
	bool is_unclosed;     /* the file ends inside */
	bool is_never;        /* stands under `#if 0` */
	bool is_other_arm;    /* stands behind #else or #elif */
};

struct c_functions {
	VEC(struct c_function) items; /* in order of the text */
};

/* Owner: caller, c_functions_fini(). Cost: one pass over the tokens. */
void c_functions_init(struct c_functions *f, const struct c_tokens *t);
void c_functions_fini(struct c_functions *f);

/*
 * The token that closes the bracket at @open ('(', '[' or '{'), at most @end;
 * @end where it is not closed.
 */
uint32_t c_close(const struct c_tokens *t, uint32_t open, uint32_t end);

#endif
