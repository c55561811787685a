/* SPDX-License-Identifier: MIT */
/*
 * call_kinds.h - whether a function sleeps, enters an interrupt or refills a cache, from its name
 */
#ifndef ANALYSES_CALL_KINDS_H
#define ANALYSES_CALL_KINDS_H

#include "base/str.h"
#include "core/ids.h"

struct symbols;

enum call_kind {
	CALL_KIND_PLAIN,
	CALL_KIND_SLEEP,     /* gives up the CPU: schedule() and the like */
	CALL_KIND_INTERRUPT, /* is at the entry or exit of an interrupt */
	CALL_KIND_REFILL,    /* refills an allocator's cache */
};

/*
 * Pattern for the names of the functions of @kind: "schedule|__schedule|…"; empty for
 * CALL_KIND_PLAIN.
 */
struct str call_kind_names(enum call_kind kind);
enum call_kind call_kind_of(const struct symbols *symbols, sym_id sym);

#endif
