/* SPDX-License-Identifier: MIT */
/* call_kinds.h - recognise functions that sleep, enter an interrupt or refill a cache, by name */
#ifndef ANALYSES_CALL_KINDS_H
#define ANALYSES_CALL_KINDS_H

#include "base/str.h"
#include "core/ids.h"

struct symbols;

enum call_kind {
	CALL_KIND_PLAIN,
	CALL_KIND_SLEEP, /* the function gives up the CPU, such as schedule() */
	/* the function is at the entry or exit of an interrupt, such as irq_enter() */
	CALL_KIND_INTERRUPT,
	CALL_KIND_REFILL, /* the function refills an allocator's cache, such as new_slab() */
};

/*
 * Pattern that matches the names of all functions of @kind: "schedule|__schedule|…". Empty for
 * CALL_KIND_PLAIN.
 */
struct str call_kind_names(enum call_kind kind);
enum call_kind call_kind_of(const struct symbols *symbols, sym_id sym);

#endif
