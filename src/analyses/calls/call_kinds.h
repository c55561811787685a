/* SPDX-License-Identifier: MIT */
/*
 * call_kinds.h - what a function's name says about the time spent in it
 */
#ifndef ANALYSES_CALL_KINDS_H
#define ANALYSES_CALL_KINDS_H

#include "core/symbols.h"

enum call_kind {
	CALL_KIND_PLAIN,
	CALL_KIND_SLEEP,     /* gives the CPU away: schedule() and its like */
	CALL_KIND_INTERRUPT, /* entry or exit of an interrupt */
	CALL_KIND_REFILL,    /* of an allocator's cache */
};

/* Patterns of the functions of @kind, as str_glob() takes them; empty for plain ones. */
struct str call_kind_names(enum call_kind kind);
enum call_kind call_kind_of(const struct symbols *symbols, sym_id sym);

#endif
